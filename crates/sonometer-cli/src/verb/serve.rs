//! `sonometer serve`: the service over HTTP, until it is told to stop.

use crate::failure::{Exit, Failure};
use crate::input::READ_APART;
use crate::screen::Screen;
use sonometer_server::{FileReader, Limits, Outbound};
use sonometer_service::guard::{Allowed, Guard};
use sonometer_service::ports::Ports;
use sonometer_service::{Service, Store};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The address to listen on; port 0 chooses a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    #[command(flatten)]
    database: Database,
    /// Write the token of the first start into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    first_token: Option<PathBuf>,
    /// A host that is not public and that callbacks may reach: `hooks.internal:8443`, `10.1.0.0/16`; may be repeated
    #[arg(long, value_name = "HOST")]
    allow_callback: Vec<Allowed>,
    /// A host that is not public and that files may be fetched from; may be repeated
    #[arg(long, value_name = "HOST", conflicts_with = "no_files")]
    allow_file: Vec<Allowed>,
    /// Fetch no files: a `url` in a request is refused
    #[arg(long)]
    no_files: bool,
    /// What hears recordings that requests name, as `sense --transcriber`: a command such as `recognise {wav}`, or
    /// `pocketsphinx`, or `whisper:MODEL`; without it they are refused
    #[cfg(feature = "audio")]
    #[arg(long, value_name = "CMD", conflicts_with = "no_files")]
    transcriber: Option<String>,
    /// The most seconds it may take for a channel; else 60 and four times the length of the recording
    #[cfg(feature = "audio")]
    #[arg(long, value_name = "SECONDS", requires = "transcriber", value_parser = clap::value_parser!(u64).range(1..))]
    transcriber_seconds: Option<u64>,
    /// Seconds without an action after which a dive is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 24 * 3_600, value_parser = clap::value_parser!(u64).range(1..=366 * 24 * 3_600))]
    dive_idle: u64,
}

/// Which store.
#[derive(Debug, clap::Args)]
pub(crate) struct Database {
    /// An SQLite file (created if missing), or `postgres://user@host/database`, which several nodes may share
    #[arg(long, value_name = "FILE|URL", default_value = "sonometer.sqlite")]
    database: String,
}

impl Database {
    /// The service on this store, which must be there.
    pub(crate) async fn open_there(&self) -> Result<Service, Failure> {
        if !Store::is_there(&self.database) {
            let file = &self.database;
            return Err(Failure::unusable(format!(
                "{file}: no such file; `sonometer serve` or `sonometer admin create-org` creates it"
            )));
        }
        self.open().await
    }

    /// The service on this store.
    pub(crate) async fn open(&self) -> Result<Service, Failure> {
        self.store().await.map(Service::new)
    }

    async fn store(&self) -> Result<Store, Failure> {
        Store::open(&self.database).await.map_err(Failure::unusable)
    }
}

/// What the service does asynchronously, the command waits for.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| Failure::unusable(format!("cannot start threads: {error}")))
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    log();
    runtime()?.block_on(serve(arguments, screen))
}

/// One line of JSON on standard error for each thing that happens. `RUST_LOG` chooses.
fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info,sqlx=warn"));
    let log = tracing_subscriber::fmt().json().flatten_event(true).with_writer(std::io::stderr);
    // There is one already where the command runs inside something else.
    let _ = log.with_env_filter(filter).try_init();
}

async fn serve(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let outbound = Outbound::new(Guard::new(arguments.allow_callback.clone())).map_err(Failure::unusable)?;
    let mut ports = Ports { callbacks: Arc::new(outbound), ..Ports::default() };
    if !arguments.no_files {
        ports.files = Arc::new(files(arguments)?);
    }
    let service = Service::with_ports(arguments.database.store().await?, ports);
    let listener = TcpListener::bind(&arguments.listen)
        .await
        .map_err(|error| Failure::unusable(format!("{}: {error}", arguments.listen)))?;
    let settled = service.settle().await.map_err(|refusal| Failure::unusable(refusal.to_string()))?;
    if let Some(settled) = settled {
        match &arguments.first_token {
            Some(file) => write_secret(file, &settled.token)?,
            None => screen.print_bytes(&format!(
                "organization: {}\ntest token (shown only once): {}\n",
                settled.org, settled.token
            ))?,
        }
    }
    let address = listener.local_addr().map_err(|error| Failure::unusable(error.to_string()))?;
    screen.print_bytes(&format!("listening on http://{address}\n"))?;
    let store = service.store().clone();
    let limits = Limits { dive_idle: Duration::from_secs(arguments.dive_idle), ..Limits::default() };
    let finished = sonometer_server::serve(listener, service, limits, stop()).await;
    store.close().await;
    if !finished {
        screen.note("stopped before all requests had finished");
    }
    Ok(Exit::Done)
}

/// What fetches and reads files: this command again, each time in a process of its own that knows nothing of the
/// service.
fn files(arguments: &Arguments) -> Result<FileReader, Failure> {
    let own = std::env::current_exe().map_err(|error| {
        Failure::unusable(format!(
            "cannot find the path of the `sonometer` command: {error}; call it by its full path, or use --no-files"
        ))
    })?;
    let helper = move || {
        let mut helper = Command::new(&own);
        helper.arg(READ_APART).env_clear().current_dir("/");
        if let Some(path) = std::env::var_os("PATH") {
            // `pdftotext` may be there.
            helper.env("PATH", path);
        }
        helper
    };
    let files = FileReader::new(Guard::new(arguments.allow_file.clone()), Arc::new(helper))
        .map_err(Failure::unusable)?;
    #[cfg(feature = "audio")]
    if let Some(line) = &arguments.transcriber {
        let hearer = crate::sound::hearer(line, arguments.transcriber_seconds)?;
        return Ok(files.hearing(hear(hearer)));
    }
    Ok(files)
}

/// Hears a recording by a recogniser.
#[cfg(feature = "audio")]
fn hear(hearer: crate::sound::Hearer) -> sonometer_server::Hear {
    use sonometer_ingest::Hints;
    use sonometer_ingest::apart::Budget;
    use sonometer_ingest::audio::{self, Channels, Words};
    Arc::new(move |recording| {
        let channels = match recording.channels {
            [] => Channels::Auto,
            roles => Channels::Named(roles.to_vec()),
        };
        let usual = audio::Request::new(Words::Heard(&*hearer));
        let request = audio::Request {
            channels: &channels,
            language: recording.language,
            helper: Some(recording.helper),
            stop: Some(recording.stop),
            budget: Budget { gives_way: true, ..usual.budget },
            ..usual
        };
        audio::read(recording.bytes, &Hints::default(), &request)
    })
}

/// Writes a file that only its owner can read.
fn write_secret(file: &Path, token: &str) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(file).and_then(|mut open| open.write_all(format!("{token}\n").as_bytes()));
    written.map_err(|error| Failure::unusable(format!("{}: {error}", file.display())))
}

/// Ends when the process is asked to: Ctrl-C, or SIGTERM.
async fn stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
