//! The program: options, ports file, end, scripts over the MySQL port.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use doris_standin::Ports;

const PROGRAM: &str = env!("CARGO_BIN_EXE_doris-standin");

const FREE_PORTS: [&str; 12] = [
    "--fe-http",
    "0",
    "--mysql",
    "0",
    "--fe-flight",
    "0",
    "--be-http",
    "0",
    "--be-flight",
    "0",
    "--admin",
    "0",
];

/// A folder of its own that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("standin-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn start(options: &[&str]) -> Child {
    let mut command = Command::new(PROGRAM);
    command
        .args(FREE_PORTS)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

fn ports(file: &Path, child: &mut Child) -> Ports {
    let begun = Instant::now();
    loop {
        if let Ok(text) = std::fs::read_to_string(file) {
            return serde_json::from_str(&text).unwrap();
        }
        if let Some(status) = child.try_wait().unwrap() {
            let mut text = String::new();
            child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
            panic!("ended with {status}: {text}");
        }
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn ended_within_two_seconds(child: &mut Child) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    false
}

fn sql(port: u16, file: &Path) -> Output {
    Command::new(PROGRAM)
        .args(["sql", "--port", &port.to_string()])
        .arg(file)
        .output()
        .unwrap()
}

#[test]
fn a_cluster_starts_with_scripts_and_ends_with_its_input() {
    let folder = Folder::new("start");
    let init = folder.file("init.sql", crate::support::STUDENT);
    let file = folder.0.join("ports.json");
    let mut child = start(&[
        "--init",
        init.to_str().unwrap(),
        "--ports-file",
        file.to_str().unwrap(),
        "--exit-with-stdin",
        "--backends",
        "2",
    ]);
    let ports = ports(&file, &mut child);
    assert_eq!((ports.fe.len(), ports.be.len(), ports.pid), (1, 2, child.id()));

    let script = folder.file(
        "ask.sql",
        "USE test;\nSELECT id, name FROM student ORDER BY id; -- all\n",
    );
    let output = sql(ports.fe[0].mysql, &script);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("| id | name") && text.contains("| 3  | NULL") && text.contains("4 rows"),
        "{text}"
    );

    let script = folder.file(
        "wrong.sql",
        "SELECT nothing FROM test.student; SELECT 'not reached'",
    );
    let output = sql(ports.fe[0].mysql, &script);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("ERROR"));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("not reached"));

    drop(child.stdin.take());
    assert!(ended_within_two_seconds(&mut child));
    let mut line = String::new();
    child.stdout.take().unwrap().read_to_string(&mut line).unwrap();
    assert_eq!(serde_json::from_str::<Ports>(&line).unwrap(), ports);
}

#[test]
fn a_signal_ends_it_even_with_an_open_connection() {
    let folder = Folder::new("signal");
    let file = folder.0.join("ports.json");
    let mut child = start(&["--ports-file", file.to_str().unwrap()]);
    let ports = ports(&file, &mut child);
    let _open = std::net::TcpStream::connect(("127.0.0.1", ports.fe[0].mysql)).unwrap();
    let killed = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    assert!(ended_within_two_seconds(&mut child));
}

#[test]
fn what_cannot_start_says_why() {
    let folder = Folder::new("refused");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let init = folder.file("broken.sql", "CREATE DATABASE a;\nTHIS IS NO STATEMENT;");
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--admin", &port], &[&port, "--admin"]),
        (&["--tls-cert", "x"], &["not supported yet"]),
        (&["--profile", "doris-9"], &["doris-9", "doris-5.0"]),
        (&["--set", "nothing=1"], &["nothing"]),
        (&["--user", "nopassword"], &["NAME:PASSWORD"]),
        (
            &["--init", init.to_str().unwrap()],
            &["broken.sql", "THIS IS NO STATEMENT"],
        ),
    ];
    for (options, parts) in cases {
        let mut all: Vec<&str> = FREE_PORTS.to_vec();
        if options[0] == "--admin" {
            all.truncate(10);
        }
        let output = Command::new(PROGRAM).args(all).args(options).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{options:?}");
        for part in parts {
            assert!(text.contains(part), "{options:?}: {text}");
        }
    }
}
