//! Settings that change while `serve` runs: read again on SIGHUP, or when the administration asks.

use crate::failure::Failure;
use crate::settings::{self, Given, LOG_LEVEL, Name, Settings};
use crate::signals::Hangups;
use sonometer_listen::make_room_for;
use sonometer_server::{Control, Reloaded};
use sonometer_service::Service;
use sonometer_service::evaluations::EVALUATIONS;
use sonometer_service::spans::SPANS;
use std::sync::{Arc, Mutex, PoisonError};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, reload};

/// The log: a line on standard error for each thing that happens.
pub(crate) struct Log {
    set: Box<dyn Fn(EnvFilter) + Send + Sync>,
}

fn filter(settings: &Settings) -> EnvFilter {
    // It was checked when it was read.
    let filter =
        EnvFilter::try_new(settings.text(Name::LogLevel)).unwrap_or_else(|_| EnvFilter::new(LOG_LEVEL));
    // Spans and readings go to a collector, or nowhere.
    [SPANS, EVALUATIONS].into_iter().fold(filter, |filter, target| match format!("{target}=off").parse() {
        Ok(off) => filter.add_directive(off),
        Err(_) => filter,
    })
}

/// What takes the spans of requests out of the log.
pub(crate) type Spans = Box<dyn Layer<Registry> + Send + Sync>;

impl Log {
    pub(crate) fn start(settings: &Settings, spans: Option<Spans>) -> Self {
        let (filter, handle) = reload::Layer::new(filter(settings));
        let lines = fmt::layer().with_writer(std::io::stderr);
        let lines = match settings.text(Name::LogFormat) {
            "text" => lines.with_ansi(false).boxed(),
            _ => lines.json().flatten_event(true).boxed(),
        };
        // There is one already where the command runs inside something else.
        let _ = tracing_subscriber::registry().with(both(lines.with_filter(filter), spans)).try_init();
        Self { set: Box::new(move |filter| drop(handle.reload(filter))) }
    }
}

/// The log before what goes to a collector: that one may write to the log itself while it takes an event, and what comes behind it is then
/// given the event whatever its filter says.
fn both(
    lines: impl Layer<Registry> + Send + Sync,
    spans: Option<Spans>,
) -> Box<dyn Layer<Registry> + Send + Sync> {
    match spans {
        Some(spans) => lines.and_then(spans).boxed(),
        // An empty layer behind the log would turn it off.
        None => lines.boxed(),
    }
}

/// Lets the process open what the connections need, or says that it may not.
pub(crate) fn make_room(settings: &Settings) {
    let connections = settings.live().limits.connections;
    if let Err(most) = make_room_for(connections) {
        tracing::warn!(
            connections,
            room_for = most,
            "this process may open too few files for `limits.connections`, so clients could use them up; raise the limit (`ulimit -n`, LimitNOFILE) or set \
             fewer connections"
        );
    }
}

/// Reads the settings again.
pub(crate) struct Reloader {
    given: Vec<Given>,
    file: Option<String>,
    log: Log,
    control: Control,
    service: Service,
    /// Those that the service began with, with what was changed since.
    settings: Mutex<Settings>,
}

impl Reloader {
    pub(crate) fn new(
        settings: Settings,
        given: Vec<Given>,
        file: Option<String>,
        log: Log,
        control: Control,
        service: Service,
    ) -> Self {
        Self { given, file, log, control, service, settings: Mutex::new(settings) }
    }

    /// Changes what can be changed; what is wrong changes nothing.
    ///
    /// # Errors
    /// What is wrong in the file, the variables or the certificate.
    pub(crate) fn reload(&self) -> Result<Reloaded, String> {
        let told = |failure| match failure {
            Failure::Told(told) => told.message,
            Failure::PipeClosed => String::new(),
        };
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let read = Settings::read(&self.given, &settings::environment(), self.file.as_deref());
        let new = read.map_err(told)?;
        let (mut changed, mut restart) = settings.differences(&new);
        // What needs a restart is checked as well: else the next start, at night perhaps, would end.
        if restart.iter().any(|name| name.starts_with("keys.")) {
            new.vault().map_err(told)?;
        }
        #[cfg(feature = "otlp")]
        new.otlp().map_err(told)?;
        let tls = new.tls_files().map(|files| files.read()).transpose()?;
        let was_tls = settings.tls_files().is_some();
        if was_tls != tls.is_some() {
            // Clients know the scheme.
            let (tls, others) = changed.into_iter().partition(|name| name.starts_with("tls."));
            changed = others;
            restart.extend::<Vec<_>>(tls);
        } else {
            self.control.set_tls(tls);
        }
        make_room(&new);
        self.control.set(new.live());
        self.service.set_retention(new.retention());
        (self.log.set)(filter(&new));
        settings.take_live(&new, &restart);
        tracing::info!(?changed, needs_restart = ?restart, "the settings were read again");
        Ok(Reloaded { changed, restart })
    }

    /// Reads the settings again whenever the process gets SIGHUP.
    pub(crate) fn follow_signals(self: &Arc<Self>) {
        let reloader = self.clone();
        let mut hangups = Hangups::new();
        tokio::spawn(async move {
            loop {
                hangups.next().await;
                if let Err(error) = reloader.reload() {
                    tracing::error!(error, "the settings stay as they were");
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use tracing::level_filters::LevelFilter;
    use tracing::subscriber::{set_global_default, with_default};
    use tracing::{Event, Subscriber};
    use tracing_subscriber::filter::Targets;
    use tracing_subscriber::layer::Context;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("is sound").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Its buffer is full, and it says so.
    struct Full;

    impl<S: Subscriber> Layer<S> for Full {
        fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
            tracing::warn!("dropped");
        }
    }

    #[test]
    fn the_log_is_there_without_a_collector() {
        let written = Written::default();
        let into = written.clone();
        let lines = fmt::layer().with_ansi(false).with_writer(move || into.clone());
        let all = tracing_subscriber::registry().with(both(lines.with_filter(EnvFilter::new("info")), None));
        with_default(all, || tracing::info!("something"));
        let text = String::from_utf8(written.0.lock().expect("is sound").clone()).expect("is text");
        assert!(text.contains("something"), "{text}");
    }

    #[test]
    fn a_reading_is_never_a_line_of_the_log() {
        let written = Written::default();
        let into = written.clone();
        let lines = fmt::layer().with_ansi(false).with_writer(move || into.clone());
        let filter = EnvFilter::new(format!("info,{EVALUATIONS}=off"));
        let full = Full.with_filter(Targets::new().with_target(EVALUATIONS, LevelFilter::INFO)).boxed();
        // A layer reaches the log from within an event only where the log is that of the process.
        let all = tracing_subscriber::registry().with(both(lines.with_filter(filter), Some(full)));
        set_global_default(all).expect("is the only one");
        tracing::info!(target: EVALUATIONS, "a reading");
        tracing::info!("a line");
        let text = String::from_utf8(written.0.lock().expect("is sound").clone()).expect("is text");
        assert!(text.contains("dropped") && text.contains("a line"), "{text}");
        assert!(!text.contains("a reading"), "{text}");
    }
}
