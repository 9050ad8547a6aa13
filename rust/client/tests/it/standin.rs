//! A stand-in server as a process of its own, steered over its admin port. It ends when it is dropped, and with the process
//! of the tests.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Longer than any call of the admin port takes.
const BOUND: Duration = Duration::from_secs(60);

const BUILD: &str = "build it with `cargo build -p doris-standin`";

pub type Result<T> = std::result::Result<T, String>;

/// Options of a cluster, as `docs/standin.md` has them. It takes free ports.
#[derive(Clone, Debug)]
pub struct StandinConfig {
    /// `None` leaves Flight off.
    pub fe_flight: Option<u16>,
    pub frontends: usize,
    pub backends: usize,
    /// Accounts besides `root` with an empty password.
    pub users: Vec<(String, String)>,
    pub time_zone: String,
    pub profile: String,
    pub set: Vec<String>,
    /// Runs before the cluster is handed out.
    pub init_sql: String,
}

impl Default for StandinConfig {
    fn default() -> Self {
        Self {
            fe_flight: Some(0),
            frontends: 1,
            backends: 1,
            users: Vec::new(),
            time_zone: "+08:00".to_owned(),
            profile: "doris-5.0".to_owned(),
            set: Vec::new(),
            init_sql: String::new(),
        }
    }
}

impl StandinConfig {
    fn arguments(&self) -> Vec<String> {
        let flight = self.fe_flight.map_or("-1".to_owned(), |port| port.to_string());
        let mut all: Vec<String> = [
            ("fe-http", "0"),
            ("mysql", "0"),
            ("fe-flight", &flight),
            ("be-http", "0"),
            ("be-flight", "0"),
            ("admin", "0"),
            ("frontends", &self.frontends.to_string()),
            ("backends", &self.backends.to_string()),
            ("time-zone", &self.time_zone),
            ("profile", &self.profile),
        ]
        .map(|(name, value)| format!("--{name}={value}"))
        .into();
        all.extend(self.set.iter().map(|switch| format!("--set={switch}")));
        let users = self.users.iter();
        all.extend(users.map(|(name, password)| format!("--user={name}:{password}")));
        all.push("--exit-with-stdin".to_owned());
        all
    }
}

/// Ports of a cluster, in the form of the ports file.
#[derive(Debug, Deserialize)]
pub struct Ports {
    pub fe: Vec<FrontendPorts>,
    pub be: Vec<BackendPorts>,
    pub admin: u16,
}

#[derive(Debug, Deserialize)]
pub struct FrontendPorts {
    pub http: u16,
    pub flight: u16,
    pub mysql: u16,
}

#[derive(Debug, Deserialize)]
pub struct BackendPorts {
    pub http: u16,
    pub flight: u16,
}

/// What tests look at of `GET /stats`.
#[derive(Debug, Deserialize)]
pub struct Stats {
    pub flight_sessions: u64,
    pub flight_logins: u64,
    pub flight_streams: u64,
    pub flight_results: u64,
    pub mysql_connections: u64,
    pub rows_per_backend: Vec<u64>,
}

/// What tests look at of an entry of `GET /requests`.
#[derive(Debug, Deserialize)]
pub struct Entry {
    pub channel: String,
    pub node: String,
    pub method: String,
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub statement: String,
}

/// What tests look at of a rule of `GET /faults`.
#[derive(Debug, Deserialize)]
pub struct RuleState {
    pub id: u64,
    pub fired: u64,
    pub holding: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TxnState {
    Prepare,
    Precommitted,
    Committed,
    Visible,
    Aborted,
}

/// What tests look at of `GET /transactions`.
#[derive(Debug, Deserialize)]
pub struct Transaction {
    pub id: i64,
    pub label: String,
    pub state: TxnState,
    pub tso: Option<u64>,
}

/// What tests look at of `GET /tables/{db}/{table}`.
#[derive(Debug, Deserialize)]
pub struct TableInfo {
    pub tablets: Vec<TabletInfo>,
}

#[derive(Debug, Deserialize)]
pub struct TabletInfo {
    pub backend: usize,
}

/// An answer of `POST /sql`: rows as texts, none for statements without rows.
#[derive(Debug, Deserialize)]
pub struct Answer {
    #[serde(default)]
    pub columns: Vec<String>,
    #[serde(default)]
    pub rows: Vec<Vec<Option<String>>>,
}

impl Answer {
    /// The values of a column, all there.
    pub fn column(&self, name: &str) -> Vec<&str> {
        let at = self.columns.iter().position(|column| column == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.columns));
        self.rows.iter().map(|row| row[at].as_deref().unwrap()).collect()
    }
}

/// A running cluster.
pub struct Standin {
    _process: Process,
    ports: Ports,
    /// By how much its clock was moved against that of the machine, in ms.
    shift: AtomicI64,
}

impl Standin {
    pub async fn start(config: StandinConfig) -> Result<Self> {
        let arguments = config.arguments();
        let starting = tokio::task::spawn_blocking(move || Process::start(&arguments));
        let (process, ports) = starting.await.map_err(|error| error.to_string())??;
        let standin = Self {
            _process: process,
            ports,
            shift: AtomicI64::new(0),
        };
        standin.execute(&config.init_sql).await?;
        Ok(standin)
    }

    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// All front ends as the option `fenodes` takes them.
    pub fn fenodes(&self) -> String {
        let node = |fe: &FrontendPorts| format!("127.0.0.1:{}", fe.http);
        self.ports.fe.iter().map(node).collect::<Vec<_>>().join(",")
    }

    /// Runs statements as `root`, past every channel; one answer each.
    pub async fn execute(&self, sql: &str) -> Result<Vec<Answer>> {
        Ok(parsed(&self.later("POST", "/sql", sql).await?))
    }

    pub fn table(&self, database: &str, name: &str) -> TableInfo {
        self.get(&format!("/tables/{database}/{name}"))
    }

    /// Adds a fault rule and gives its number.
    pub fn add_fault_json(&self, rule: &str) -> Result<u64> {
        let answer: Value = parsed(&self.now("POST", "/faults", rule)?);
        Ok(answer["id"].as_u64().unwrap())
    }

    pub fn faults(&self) -> Vec<RuleState> {
        self.get("/faults")
    }

    /// Deletes all rules and releases what they hold.
    pub fn clear_faults(&self) {
        self.now("DELETE", "/faults", "").unwrap();
    }

    /// Deletes one rule and releases what it holds; false when there is none of that number.
    pub fn delete_fault(&self, id: u64) -> bool {
        self.now("DELETE", &format!("/faults/{id}"), "").is_ok()
    }

    pub fn transactions(&self) -> Vec<Transaction> {
        self.get("/transactions")
    }

    pub fn stats(&self) -> Stats {
        self.get("/stats")
    }

    pub fn journal(&self) -> Vec<Entry> {
        self.get("/requests")
    }

    pub async fn stop_backend(&self, index: usize) -> Result<()> {
        self.node("backends", index, "stop").await
    }

    pub async fn start_backend(&self, index: usize) -> Result<()> {
        self.node("backends", index, "start").await
    }

    pub async fn stop_frontend(&self, index: usize) -> Result<()> {
        self.node("frontends", index, "stop").await
    }

    pub async fn start_frontend(&self, index: usize) -> Result<()> {
        self.node("frontends", index, "start").await
    }

    /// Lets a front end lag behind the master; zero ends it.
    pub fn lag_frontend(&self, index: usize, behind: Duration) -> Result<()> {
        let body = json!({"ms": behind.as_millis()}).to_string();
        self.now("POST", &format!("/frontends/{index}/lag"), &body)?;
        Ok(())
    }

    /// Lets a front end ignore `@incr`, or know it again.
    pub fn ignore_incr(&self, index: usize, ignored: bool) -> Result<()> {
        let body = json!({ "ignored": ignored }).to_string();
        self.now("POST", &format!("/frontends/{index}/incr"), &body)?;
        Ok(())
    }

    /// Forgets all Flight tokens; gives how many.
    pub fn drop_sessions(&self) -> u64 {
        let answer: Value = parsed(&self.now("POST", "/sessions/drop", "").unwrap());
        answer["dropped"].as_u64().unwrap()
    }

    /// Moves the cluster's clock by `ms`, which may be negative.
    pub fn shift_clock(&self, ms: i64) {
        let body = json!({ "advance_ms": ms }).to_string();
        self.now("POST", "/clock", &body).unwrap();
        self.shift.fetch_add(ms, Ordering::Relaxed);
    }

    /// The cluster's clock, in ms since 1970.
    pub fn now_millis(&self) -> i64 {
        let machine = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(machine.as_millis()).unwrap() + self.shift.load(Ordering::Relaxed)
    }

    /// Ends it and waits until nobody listens any more.
    pub async fn stop(self) {
        drop(self);
    }

    async fn node(&self, kind: &str, index: usize, action: &str) -> Result<()> {
        self.later("POST", &format!("/{kind}/{index}/{action}"), "")
            .await?;
        Ok(())
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> T {
        parsed(&self.now("GET", path, "").unwrap())
    }

    /// A call that is answered at once.
    fn now(&self, method: &str, path: &str, body: &str) -> Result<String> {
        call(self.ports.admin, method, path, body)
    }

    /// A call whose answer may wait for something that the test does meanwhile.
    async fn later(&self, method: &'static str, path: &str, body: &str) -> Result<String> {
        let (admin, path, body) = (self.ports.admin, path.to_owned(), body.to_owned());
        let calling = tokio::task::spawn_blocking(move || call(admin, method, &path, &body));
        calling.await.map_err(|error| error.to_string())?
    }
}

fn parsed<T: DeserializeOwned>(answer: &str) -> T {
    serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// A call of the admin port: the body of the answer, or the text of a refusal.
fn call(port: u16, method: &str, path: &str, body: &str) -> Result<String> {
    let exchange = || -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(BOUND))?;
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = exchange().map_err(|error| format!("{method} {path} of the stand-in: {error}"))?;
    let whole = answer.strip_prefix("HTTP/1.1 ");
    let (head, body) = whole.and_then(|rest| rest.split_once("\r\n\r\n")).unwrap();
    if head.starts_with("200") {
        return Ok(body.to_owned());
    }
    let refusal: std::result::Result<Value, _> = serde_json::from_str(body);
    let text = refusal
        .ok()
        .and_then(|refusal| Some(refusal["error"].as_str()?.to_owned()));
    Err(text.unwrap_or_else(|| answer.clone()))
}

struct Process {
    child: Child,
    /// Gives what it wrote to standard error, once it has ended.
    log: Option<JoinHandle<io::Result<String>>>,
}

impl Process {
    /// Starts it and waits until every port accepts.
    fn start(arguments: &[String]) -> Result<(Self, Ports)> {
        let program = program()?;
        let mut child = Command::new(&program)
            .args(arguments)
            // Held until the end: the server ends with it, so also when this process is killed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let log = Some(std::thread::spawn(move || io::read_to_string(stderr)));
        let mut process = Self { child, log };
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        match read.map(|_| serde_json::from_str(&line)) {
            Ok(Ok(ports)) => Ok((process, ports)),
            _ => Err(format!("the stand-in does not start: {line}{}", process.end())),
        }
    }

    /// Ends it; gives its log.
    fn end(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let log = self.log.take().and_then(|log| log.join().ok());
        log.and_then(io::Result::ok).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let log = self.end();
        if std::thread::panicking() && !log.is_empty() {
            eprintln!("log of the stand-in:\n{log}");
        }
    }
}

/// The program: the one of `DORIS_STANDIN_BINARY`, else the one that Cargo built beside the tests.
fn program() -> Result<PathBuf> {
    static PROGRAM: OnceLock<Result<PathBuf>> = OnceLock::new();
    PROGRAM
        .get_or_init(|| match std::env::var_os("DORIS_STANDIN_BINARY") {
            Some(path) => Ok(path.into()),
            None => built(),
        })
        .clone()
}

fn built() -> Result<PathBuf> {
    let tests = std::env::current_exe().map_err(|error| error.to_string())?;
    // Programs of tests are in `deps`, one below the others.
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let program = folder.join("doris-standin");
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified());
    let Ok(built) = modified(&program) else {
        return Err(format!("no stand-in at {}: {BUILD}", program.display()));
    };
    // What Cargo built it from.
    let sources = std::fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let sources = sources.split_once(": ").map_or("", |(_, sources)| sources.trim());
    let sources = sources.replace("\\ ", "\0");
    for source in sources.split(' ').filter(|source| !source.is_empty()) {
        let source = source.replace('\0', " ");
        if !modified(Path::new(&source)).is_ok_and(|changed| changed <= built) {
            let program = program.display();
            return Err(format!(
                "the stand-in at {program} is older than {source}: {BUILD}"
            ));
        }
    }
    Ok(program)
}
