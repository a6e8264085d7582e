//! `sonometer serve`: runs the service over HTTP.

use super::serve_reload::{Log, Reloader, make_room};
use super::store::StoreFlags;
use crate::failure::{Exit, Failure};
use crate::file;
use crate::input::READ_APART;
use crate::screen::Screen;
use crate::settings::{self, Given, Name, Settings, Value};
use crate::signals::Stop;
#[cfg(feature = "otlp")]
use sonometer_server::Telemetry;
use sonometer_server::{Control, Doors, FileReader, Outbound};
use sonometer_service::guard::Allowed;
use sonometer_service::ports::Ports;
use sonometer_service::{Refusal, Service, Store};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Arguments of `serve`. A flag overrides a variable, which overrides the file, which overrides the default.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    store: StoreFlags,
    /// Print all settings in use as a file for --config, each with its source, and exit; secrets are not shown
    #[arg(long)]
    print_config: bool,
    /// Any setting by its name in the file, such as limits.body_bytes=2097152; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = settings::assignment)]
    set: Vec<Given>,
    /// The address to listen on; port 0 chooses a free port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// The address of the port for administration over HTTP; keep it where only operators reach it [default: none]
    #[arg(long, value_name = "ADDRESS")]
    admin_listen: Option<String>,
    /// Write the token of the first start into this file instead of standard output; what is in a file is not overwritten
    #[arg(long, value_name = "FILE")]
    first_token: Option<String>,
    /// Serve HTTPS with the certificate in this PEM file; it is read again when it changes
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<String>,
    /// The private key of the certificate, in a PEM file
    #[arg(long, value_name = "FILE")]
    tls_key: Option<String>,
    /// Send traces and metrics to this collector of OpenTelemetry, by OTLP over HTTP, such as `http://127.0.0.1:4318`
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
    /// Let callbacks reach this private host, such as `hooks.internal:8443` or `10.1.0.0/16`; may be repeated
    #[arg(long, value_name = "HOST", value_parser = host)]
    allow_callback: Vec<String>,
    /// Let files be fetched from this private host; may be repeated
    #[arg(long, value_name = "HOST", conflicts_with = "no_files", value_parser = host)]
    allow_file: Vec<String>,
    /// Fetch no files: a `url` in a request is refused
    #[arg(long)]
    no_files: bool,
    /// The speech recogniser for recordings, as in `sense --transcriber`: a command such as `recognise {wav}`,
    /// `pocketsphinx` or `whisper:MODEL`; without it recordings are refused
    #[cfg(feature = "audio")]
    #[arg(long, value_name = "CMD", conflicts_with = "no_files")]
    transcriber: Option<String>,
    /// The most seconds it may take for a channel [default: 60 and four times the length of the recording]
    #[cfg(feature = "audio")]
    #[arg(long, value_name = "SECONDS", requires = "transcriber", value_parser = clap::value_parser!(u64).range(1..))]
    transcriber_seconds: Option<u64>,
    /// Seconds without an action after which a dive is closed [default: 86400]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=366 * 24 * 3_600))]
    dive_idle: Option<u64>,
}

/// A host, as `callbacks.hosts` and `files.hosts` take it.
fn host(text: &str) -> Result<String, String> {
    text.parse::<Allowed>().map(|_| text.to_owned())
}

impl Arguments {
    /// The settings that the flags give.
    fn given(&self) -> Vec<Given> {
        let list = |flag: &str, name, items: &[String]| {
            let some = !items.is_empty();
            some.then(|| Given { flag: flag.to_owned(), name, value: Value::List(items.to_vec()) })
        };
        let whole = |flag: &str, name, value: Option<u64>| {
            value.map(|value| Given { flag: flag.to_owned(), name, value: Value::Whole(value) })
        };
        let off = self.no_files.then(|| Given {
            flag: "--no-files".to_owned(),
            name: Name::FilesOn,
            value: Value::Switch(false),
        });
        let mut given = self.set.clone();
        given.extend(self.store.given());
        given.extend(
            [
                Given::text("--listen", Name::Listen, self.listen.as_deref()),
                Given::text("--admin-listen", Name::AdminListen, self.admin_listen.as_deref()),
                Given::text("--first-token", Name::FirstToken, self.first_token.as_deref()),
                Given::text("--tls-cert", Name::TlsCert, self.tls_cert.as_deref()),
                Given::text("--tls-key", Name::TlsKey, self.tls_key.as_deref()),
                list("--allow-callback", Name::CallbackHosts, &self.allow_callback),
                list("--allow-file", Name::FilesHosts, &self.allow_file),
                off,
                whole("--dive-idle", Name::DiveIdleSeconds, self.dive_idle),
            ]
            .into_iter()
            .flatten(),
        );
        #[cfg(feature = "otlp")]
        given.extend(Given::text("--otlp-endpoint", Name::OtlpEndpoint, self.otlp_endpoint.as_deref()));
        #[cfg(feature = "audio")]
        given.extend(
            [
                Given::text("--transcriber", Name::TranscriberCommand, self.transcriber.as_deref()),
                whole("--transcriber-seconds", Name::TranscriberSeconds, self.transcriber_seconds),
            ]
            .into_iter()
            .flatten(),
        );
        given
    }
}

/// The runtime on which the command waits for the service.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| Failure::unusable(format!("cannot start threads: {error}")))
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let given = arguments.given();
    let file = arguments.store.file();
    let settings = Settings::read(&given, &settings::environment(), file.as_deref())?;
    if arguments.print_config {
        screen.print_bytes(&settings.print())?;
        return Ok(Exit::Done);
    }
    let runtime = runtime()?;
    #[cfg(feature = "otlp")]
    {
        let otlp = settings.otlp()?;
        let telemetry = otlp.map(|otlp| Telemetry::start(&otlp, runtime.handle())).transpose();
        let telemetry = telemetry.map_err(Failure::unusable)?;
        let log = Log::start(&settings, telemetry.as_ref().map(Telemetry::layer));
        let served = runtime.block_on(serve(settings, given, file, log, screen));
        if let Some(telemetry) = telemetry {
            telemetry.stop();
        }
        served
    }
    #[cfg(not(feature = "otlp"))]
    {
        let log = Log::start(&settings, None);
        runtime.block_on(serve(settings, given, file, log, screen))
    }
}

async fn serve(
    settings: Settings,
    given: Vec<Given>,
    file: Option<String>,
    log: Log,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let outbound = Outbound::new(settings.guard(Name::CallbackHosts)).map_err(Failure::unusable)?;
    let mut ports = Ports { callbacks: Arc::new(outbound), ..Ports::default() };
    if settings.is_on(Name::FilesOn) {
        ports.files = Arc::new(files(&settings)?);
    }
    make_room(&settings);
    for key in [Name::TlsKey, Name::KeysFile] {
        if let Some(told) = settings.given(key).and_then(file::open_key) {
            tracing::warn!("{told}");
        }
    }
    let control = Control::new(settings.live());
    let tls = settings.tls_files();
    if let Some(files) = &tls {
        control.set_tls(Some(files.read().map_err(Failure::unusable)?));
    }
    let store =
        Store::open_with(settings.text(Name::Database), settings.vault()?, |what| tracing::warn!("{what}"))
            .await;
    let service = Service::with_ports(store.map_err(Failure::unusable)?, ports);
    service.set_retention(settings.retention());
    service.warm_up();
    let listener = bind(settings.text(Name::Listen)).await?;
    let admin = match settings.given(Name::AdminListen) {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    settle(&service, settings.given(Name::FirstToken), screen).await?;
    let address =
        |listener: &TcpListener| listener.local_addr().map_err(|error| Failure::unusable(error.to_string()));
    let scheme = if tls.is_some() { "https" } else { "http" };
    if let Some(admin) = &admin {
        screen.print_bytes(&format!("administration on {scheme}://{}\n", address(admin)?))?;
    }
    let store = service.store().clone();
    let reloader = Arc::new(Reloader::new(settings, given, file, log, control.clone(), service.clone()));
    reloader.follow_signals();
    let stop = Stop::new();
    screen.print_bytes(&format!("listening on {scheme}://{}\n", address(&listener)?))?;
    let by_call = reloader.clone();
    let doors = Doors { all: listener, admin, reload: Arc::new(move || by_call.reload()) };
    let finished = sonometer_server::run(doors, service, control, stop.asked()).await;
    store.close().await;
    if !finished {
        screen.note("stopped before all requests had finished");
    }
    Ok(Exit::Done)
}

/// The first start: an organization and a token, which is shown once. The file for it is made first: a token that cannot be written
/// would be lost, and the next start would make no other.
async fn settle(service: &Service, file: Option<&str>, screen: &mut Screen) -> Result<(), Failure> {
    let failed = |refusal: Refusal| Failure::unusable(refusal.to_string());
    if !service.store().orgs().await.map_err(failed)?.is_empty() {
        return Ok(());
    }
    let file = file.map(|file| SecretFile::open(Path::new(file))).transpose()?;
    match (service.settle().await.map_err(failed)?, file) {
        (Some(settled), Some(file)) => file.write(&settled.token),
        (Some(settled), None) => screen.print_bytes(&format!(
            "organization: {}\ntest token (shown only once): {}\n",
            settled.org, settled.token
        )),
        // Another process was faster.
        (None, _) => Ok(()),
    }
}

async fn bind(address: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let fix = match error.kind() {
            ErrorKind::AddrInUse => "; another program listens there: end it, or choose another port",
            ErrorKind::AddrNotAvailable => "; this machine has no such address",
            ErrorKind::PermissionDenied => {
                "; ports below 1024 are for root, or need the capability CAP_NET_BIND_SERVICE"
            }
            _ => "",
        };
        Failure::unusable(format!("{address}: {error}{fix}"))
    })
}

/// What fetches and reads files: this command again, each time in a process of its own that knows nothing of the
/// service.
fn files(settings: &Settings) -> Result<FileReader, Failure> {
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
    let files =
        FileReader::limited(settings.guard(Name::FilesHosts), Arc::new(helper), settings.file_limits())
            .map_err(Failure::unusable)?;
    #[cfg(feature = "audio")]
    if let Some(line) = settings.given(Name::TranscriberCommand) {
        let most = Some(settings.whole(Name::TranscriberSeconds)).filter(|seconds| *seconds > 0);
        let hearer = crate::sound::hearer(line, most)?;
        hearer.ready().map_err(|failure| {
            let source = settings.source(Name::TranscriberCommand);
            Failure::unusable(format!("{source}: `transcriber.command`: {}", failure.error.message))
        })?;
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

/// A file that only its owner can read.
struct SecretFile<'f> {
    path: &'f Path,
    file: File,
    /// It was made here and holds nothing yet.
    is_empty: bool,
}

impl<'f> SecretFile<'f> {
    fn open(path: &'f Path) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        options.write(true);
        let mut new = options.clone();
        new.create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
        let opened = match new.open(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let file = options.open(path).map_err(|error| unwritten(path, &error))?;
                // Empty ones are made for it, as by `mktemp`.
                if file.metadata().is_ok_and(|data| data.is_file() && data.len() > 0) {
                    return Err(Failure::unusable(format!(
                        "{}: is there already and not empty, and the token of the first start would overwrite it; name another file, or \
                         move this one away",
                        path.display()
                    )));
                }
                for_its_owner(&file).map(|()| (file, false))
            }
            opened => opened.map(|file| (file, true)),
        };
        let (file, is_empty) = opened.map_err(|error| unwritten(path, &error))?;
        Ok(Self { path, file, is_empty })
    }

    fn write(mut self, token: &str) -> Result<(), Failure> {
        let is_file = self.file.metadata().is_ok_and(|data| data.is_file());
        let emptied = if is_file { self.file.set_len(0) } else { Ok(()) };
        self.is_empty = false;
        let written = emptied.and_then(|()| self.file.write_all(format!("{token}\n").as_bytes()));
        written.map_err(|error| unwritten(self.path, &error))
    }
}

impl Drop for SecretFile<'_> {
    fn drop(&mut self) {
        if self.is_empty {
            let _ = std::fs::remove_file(self.path);
        }
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    file::unwritable(&path.display().to_string(), error)
}

/// A file that was there keeps its permissions when it is written, so others may be able to read it.
#[cfg(unix)]
fn for_its_owner(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let data = file.metadata()?;
    if data.is_file() && data.permissions().mode() & 0o077 != 0 {
        file.set_permissions(PermissionsExt::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn for_its_owner(_: &File) -> std::io::Result<()> {
    Ok(())
}
