//! Command line of the stand-in server: options to a cluster, scripts to a running one.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use doris_standin::mysql::client::Client;
use doris_standin::{Standin, StandinConfig, script};
use tokio::io::AsyncReadExt;
use tokio::signal::unix::{SignalKind, signal};

/// How long open connections may delay the end.
const END_WITHIN: Duration = Duration::from_millis(1500);

/// A server that speaks the parts of an Apache Doris cluster that a Flink connector touches. Data live in memory.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Serve,
}

#[derive(Subcommand)]
enum Command {
    /// Sends a file over the MySQL port and prints the answers; fails at the first error.
    Sql(SqlFile),
}

#[derive(Args)]
struct Serve {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    listen: String,
    /// REST port of the first front end; 0 is any free port, here as for all others.
    #[arg(long, default_value_t = 8030)]
    fe_http: u16,
    /// MySQL port of the first front end.
    #[arg(long, default_value_t = 9030)]
    mysql: u16,
    /// Arrow Flight SQL port of the first front end; -1 leaves Flight off.
    #[arg(long, default_value_t = 9611, allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-1..=65535))]
    fe_flight: i32,
    /// HTTP port of the first back end.
    #[arg(long, default_value_t = 8040)]
    be_http: u16,
    /// Arrow Flight SQL port of the first back end.
    #[arg(long, default_value_t = 9610)]
    be_flight: u16,
    /// Admin port.
    #[arg(long, default_value_t = 8099)]
    admin: u16,
    /// Number of front ends; those after the first take free ports.
    #[arg(long, default_value_t = 1)]
    frontends: usize,
    /// Number of back ends; those after the first take free ports.
    #[arg(long, default_value_t = 1)]
    backends: usize,
    /// Account, besides `root` with an empty password.
    #[arg(long = "user", value_name = "NAME:PASSWORD")]
    users: Vec<String>,
    /// Global time zone.
    #[arg(long, default_value = "+08:00", allow_hyphen_values = true)]
    time_zone: String,
    /// Server generation: doris-5.0, doris-4.1, doris-2.1, doris-5.0-binlog, cloud-5.0.
    #[arg(long, default_value = "doris-5.0")]
    profile: String,
    /// One switch, over the profile.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// SQL file to run before the ports open.
    #[arg(long, value_name = "FILE.sql")]
    init: Vec<PathBuf>,
    /// File for the ports, as JSON, written when every port accepts.
    #[arg(long, value_name = "FILE")]
    ports_file: Option<PathBuf>,
    /// Ends with the end of standard input.
    #[arg(long)]
    exit_with_stdin: bool,
    /// Certificate for TLS.
    #[arg(long, value_name = "F")]
    tls_cert: Option<PathBuf>,
    /// Key for TLS.
    #[arg(long, value_name = "F")]
    tls_key: Option<PathBuf>,
}

#[derive(Args)]
struct SqlFile {
    /// MySQL port.
    #[arg(long, default_value_t = 9030)]
    port: u16,
    /// Host.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Account.
    #[arg(long, default_value = "root")]
    user: String,
    /// Password.
    #[arg(long, default_value = "")]
    password: String,
    /// Database to start in.
    #[arg(long)]
    database: Option<String>,
    /// The file; `-` is standard input.
    file: PathBuf,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("STANDIN_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.to_string()),
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            Some(Command::Sql(options)) => send(options).await,
            None => serve(cli.serve).await,
        }
    });
    // A blocked read of standard input does not delay the end.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => failed(&text),
    }
}

fn failed(text: &str) -> ExitCode {
    eprintln!("doris-standin: {text}");
    ExitCode::FAILURE
}

async fn serve(options: Serve) -> Result<(), String> {
    if options.tls_cert.is_some() || options.tls_key.is_some() {
        return Err("--tls-cert and --tls-key are not supported yet".to_owned());
    }
    let mut terminated = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupted = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let (ports_file, exit_with_stdin) = (options.ports_file.clone(), options.exit_with_stdin);
    let config = config(options)?;
    let standin = tokio::select! {
        started = Standin::start(config) => started.map_err(|error| error.to_string())?,
        _ = terminated.recv() => return Ok(()),
        _ = interrupted.recv() => return Ok(()),
    };
    let line = serde_json::to_string(standin.ports()).map_err(|error| error.to_string())?;
    if let Some(path) = ports_file {
        write_at_once(&path, &line).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let mut out = std::io::stdout();
    // Whoever started us may not read the line.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    tokio::select! {
        _ = terminated.recv() => {}
        _ = interrupted.recv() => {}
        () = end_of_stdin(), if exit_with_stdin => {}
    }
    let _ = tokio::time::timeout(END_WITHIN, standin.stop()).await;
    Ok(())
}

fn config(options: Serve) -> Result<StandinConfig, String> {
    let users = options.users.iter().map(|user| match user.split_once(':') {
        Some((name, password)) if !name.is_empty() => Ok((name.to_owned(), password.to_owned())),
        _ => Err("--user takes NAME:PASSWORD".to_owned()),
    });
    Ok(StandinConfig {
        users: users.collect::<Result<_, _>>()?,
        listen: options.listen,
        fe_http: options.fe_http,
        mysql: options.mysql,
        fe_flight: u16::try_from(options.fe_flight).ok(),
        be_http: options.be_http,
        be_flight: options.be_flight,
        admin: options.admin,
        frontends: options.frontends,
        backends: options.backends,
        time_zone: options.time_zone,
        profile: options.profile,
        set: options.set,
        init: options.init,
        init_sql: String::new(),
    })
}

/// Writes a file so that a reader sees all of it or none.
fn write_at_once(path: &Path, line: &str) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, format!("{line}\n"))?;
    std::fs::rename(&beside, path)
}

async fn end_of_stdin() {
    let mut input = tokio::io::stdin();
    let mut buffer = [0u8; 256];
    while !matches!(input.read(&mut buffer).await, Ok(0) | Err(_)) {}
}

async fn send(options: SqlFile) -> Result<(), String> {
    let text = if options.file.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(&options.file)
    };
    let text = text.map_err(|error| format!("cannot read {}: {error}", options.file.display()))?;
    let (host, port) = (options.host.as_str(), options.port);
    let database = options.database.as_deref();
    let mut client = Client::connect(host, port, &options.user, &options.password, database)
        .await
        .map_err(|error| format!("{host}:{port}: {error}"))?;
    let mut out = std::io::stdout();
    for statement in script::statements(&text) {
        let replies = client
            .query(statement)
            .await
            .map_err(|error| format!("{error}\n{statement}"))?;
        for reply in replies {
            writeln!(out, "{reply}").map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
