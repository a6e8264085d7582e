//! Every setting of the service, once: its name, what it may be, what it usually is, and whether it can change while the
//! service runs. The file, the variables, the page that is printed and the reload are made of this list.

use sonometer_server::Limits;
use sonometer_service::guard::Allowed;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Listen,
    AdminListen,
    Database,
    FirstToken,
    TlsCert,
    TlsKey,
    CorsOrigins,
    TrustedProxies,
    LogFormat,
    LogLevel,
    OtlpEndpoint,
    OtlpHeaders,
    OtlpService,
    OtlpSamplePercent,
    OtlpMetricsSeconds,
    OtlpEvaluations,
    KeysFile,
    KeysSecret,
    CallbackHosts,
    FilesOn,
    FilesHosts,
    FileNowBytes,
    FileMostBytes,
    FileNowSeconds,
    FileMostSeconds,
    FileFetches,
    FileReaders,
    AudioBytes,
    AudioSeconds,
    Hearings,
    TranscriberCommand,
    TranscriberSeconds,
    BodyBytes,
    ArrivalSeconds,
    Arriving,
    InFlight,
    Waiting,
    TurnSeconds,
    Connections,
    Streams,
    HeartbeatSeconds,
    StalledSeconds,
    DiveIdleSeconds,
    DrainSeconds,
    FailuresOfClient,
    FailuresOfPrefix,
    ResultsDays,
    AnswersDays,
    TextsDays,
    AuditDays,
}

/// What a value may be.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A text that passes.
    Text(fn(&str) -> Result<(), String>),
    /// A text that is not shown.
    Secret,
    /// A list of texts that pass.
    List(fn(&str) -> Result<(), String>),
    /// A whole number from … to.
    Whole(u64, u64),
    /// `true` or `false`.
    Switch,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    List(Vec<String>),
    Whole(u64),
    Switch(bool),
}

/// One row of the list.
pub(crate) struct Key {
    pub(crate) id: Name,
    /// As it stands in the file: `limits.body_bytes`.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) usual: Value,
    /// Whether a reload changes it.
    pub(crate) live: bool,
    pub(crate) about: &'static str,
}

impl Key {
    /// Says what it is about; a reload changes it.
    fn live(self, about: &'static str) -> Self {
        Self { live: true, about, ..self }
    }

    /// Says what it is about; it stays as it was at the start.
    fn fixed(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The variable of the environment: `SONOMETER_LIMITS_BODY_BYTES`.
    pub(crate) fn variable(&self) -> String {
        format!("SONOMETER_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Reads a value as it stands in a variable or behind `--set`.
    pub(crate) fn read(&self, text: &str) -> Result<Value, String> {
        let value = match self.kind {
            Kind::Text(_) | Kind::Secret => Value::Text(text.to_owned()),
            Kind::List(_) => Value::List(items(text)),
            Kind::Whole(least, most) => {
                let number = text.trim().replace('_', "").parse().map_err(|_| {
                    format!("`{text}` is not a whole number; write one from {least} to {most}")
                })?;
                Value::Whole(number)
            }
            Kind::Switch => match text.trim() {
                "true" => Value::Switch(true),
                "false" => Value::Switch(false),
                _ => return Err(format!("`{text}` is neither true nor false; write one of the two")),
            },
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Whether a value of the right type may stand here.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        match (self.kind, value) {
            (Kind::Text(check), Value::Text(text)) => check(text),
            (Kind::List(check), Value::List(items)) => items.iter().try_for_each(|item| check(item)),
            (Kind::Whole(least, most), Value::Whole(number)) if !(least..=most).contains(number) => {
                Err(format!("{number} is out of range; write a whole number from {least} to {most}"))
            }
            (Kind::Secret, Value::Text(_))
            | (Kind::Whole(..), Value::Whole(_))
            | (Kind::Switch, Value::Switch(_)) => Ok(()),
            (kind, _) => Err(format!("write {}", kind.wanted())),
        }
    }
}

/// The items of a list as a variable has it, `a, b`, or as the file has it, `["a", "b"]`. A host may begin with `[` as well.
fn items(text: &str) -> Vec<String> {
    let as_in_the_file = text.trim_start().starts_with('[').then(|| {
        let mut table = toml::from_str::<BTreeMap<String, Vec<String>>>(&format!("list = {text}")).ok()?;
        table.remove("list").filter(|_| table.is_empty())
    });
    as_in_the_file.flatten().unwrap_or_else(|| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    })
}

impl Kind {
    /// What to write.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Text(_) | Self::Secret => "a text in quotes".to_owned(),
            Self::List(_) => "a list of texts, such as [\"a\", \"b\"]".to_owned(),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Switch => "true or false".to_owned(),
        }
    }
}

fn any(_: &str) -> Result<(), String> {
    Ok(())
}

fn address(text: &str) -> Result<(), String> {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    match port.and_then(|(_, port)| port.parse::<u16>().ok()) {
        Some(_) => Ok(()),
        None => Err(format!("`{text}` is not an address with a port; write for example 127.0.0.1:8080")),
    }
}

fn address_or_none(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { address(text) }
}

fn host(text: &str) -> Result<(), String> {
    text.parse::<Allowed>().map(drop)
}

fn network(text: &str) -> Result<(), String> {
    sonometer_server::Network::read(text).map(drop)
}

fn origin(text: &str) -> Result<(), String> {
    sonometer_server::origin(text)
}

fn format_of_log(text: &str) -> Result<(), String> {
    match text {
        "json" | "text" => Ok(()),
        _ => Err(format!("`{text}` is not a format of the log; write json or text")),
    }
}

/// The address of a collector of OpenTelemetry; empty: there is none.
fn collector(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    #[cfg(feature = "otlp")]
    return sonometer_server::Otlp::endpoint(text).map(drop);
    #[cfg(not(feature = "otlp"))]
    Err("this command was built without the feature `otlp` and sends no traces; leave it empty".to_owned())
}

fn word(text: &str) -> Result<(), String> {
    match text.trim().is_empty() {
        true => Err("it is empty; write a name".to_owned()),
        false => Ok(()),
    }
}

/// What the log shows where nobody says otherwise.
pub(crate) const LOG_LEVEL: &str = "info,sqlx=warn";

fn level(text: &str) -> Result<(), String> {
    tracing_subscriber::EnvFilter::try_new(text).map(drop).map_err(|error| {
        format!("`{text}` does not choose log lines: {error}; write for example {LOG_LEVEL}")
    })?;
    // Alone it names a module, of which all is shown and nothing of others: a level that is misspelt would silence the log.
    match text.split(',').map(str::trim).find(|word| is_module(word)) {
        Some(word) => Err(format!(
            "`{word}` is no level; write error, warn, info, debug or trace, or for a module {word}=debug"
        )),
        None => Ok(()),
    }
}

/// Whether a word of what is logged is the name of a module without a level.
fn is_module(word: &str) -> bool {
    let levels = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = levels.iter().any(|level| level.eq_ignore_ascii_case(word)) || word.parse::<u8>().is_ok();
    !word.is_empty() && !is_level && word.chars().all(|c| c.is_alphanumeric() || "_:-".contains(c))
}

/// What `RUST_LOG` says, with the level that a module without one has there.
pub(super) fn rust_log(text: &str) -> String {
    let words = text.split(',').map(str::trim);
    let words = words.map(|word| if is_module(word) { format!("{word}=trace") } else { word.to_owned() });
    words.collect::<Vec<_>>().join(",")
}

/// All settings, in the order in which they are printed.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(keys);

/// The row of a setting.
pub(crate) fn key(id: Name) -> &'static Key {
    &KEYS[id as usize]
}

/// What a setting may be, and what it usually is.
type Form = (Kind, Value);

fn text(check: fn(&str) -> Result<(), String>, usual: &str) -> Form {
    (Kind::Text(check), Value::Text(usual.to_owned()))
}

fn secret() -> Form {
    (Kind::Secret, Value::Text(String::new()))
}

/// Usually empty.
fn list(check: fn(&str) -> Result<(), String>) -> Form {
    (Kind::List(check), Value::List(Vec::new()))
}

fn whole(least: u64, most: u64, usual: u64) -> Form {
    (Kind::Whole(least, most), Value::Whole(usual))
}

fn switch(usual: bool) -> Form {
    (Kind::Switch, Value::Switch(usual))
}

fn count(usual: usize) -> Form {
    whole(1, 1_000_000, usual as u64)
}

fn bytes(usual: usize) -> Form {
    whole(1_024, 1 << 32, usual as u64)
}

fn seconds(usual: Duration) -> Form {
    whole(1, 366 * 24 * 3_600, usual.as_secs())
}

fn days(least: u64, usual: u64) -> Form {
    whole(least, 36_500, usual)
}

fn failures(usual: u64) -> Form {
    whole(0, 1_000_000, usual)
}

fn keys() -> Vec<Key> {
    let limits = Limits::default();
    let files = sonometer_server::FileLimits::default();
    let retention = sonometer_service::Retention::default();
    let row = |id, name, (kind, usual)| Key { id, name, kind, usual, live: false, about: "" };
    vec![
        row(Name::Listen, "listen", text(address, "127.0.0.1:8080"))
            .fixed("the address to listen on; port 0 chooses a free port"),
        row(Name::AdminListen, "admin_listen", text(address_or_none, ""))
            .fixed("the address of the administration; empty: there is none"),
        row(Name::Database, "database", text(any, "sonometer.sqlite"))
            .fixed("an SQLite file, or postgres://user@host/database"),
        row(Name::FirstToken, "first_token", text(any, ""))
            .fixed("a file for the token of the first start; empty: standard output"),
        row(Name::TlsCert, "tls.cert", text(any, ""))
            .live("a PEM file with the certificate and those that vouch for it; empty: no TLS"),
        row(Name::TlsKey, "tls.key", text(any, ""))
            .live("a PEM file with the private key of the certificate"),
        row(Name::CorsOrigins, "cors.origins", list(origin))
            .live("the origins whose pages may call, such as https://app.example.com"),
        row(Name::TrustedProxies, "proxies.trusted", list(network))
            .live("the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8"),
        row(Name::LogFormat, "log.format", text(format_of_log, "json")).fixed("json or text"),
        row(Name::LogLevel, "log.level", text(level, LOG_LEVEL))
            .live("what is logged: error, warn, info, debug, trace, also by module"),
        row(Name::OtlpEndpoint, "otlp.endpoint", text(collector, "")).fixed(
            "a collector of OpenTelemetry for traces and metrics, such as http://127.0.0.1:4318; \
             empty: nothing is sent",
        ),
        row(Name::OtlpHeaders, "otlp.headers", secret())
            .fixed("headers for the collector, name=value with commas between them"),
        row(Name::OtlpService, "otlp.service", text(word, "sonometer"))
            .fixed("the name of the service in traces and metrics"),
        row(Name::OtlpSamplePercent, "otlp.sample_percent", whole(0, 100, 100))
            .fixed("how many of a hundred traces that begin here are sent; others follow their traceparent"),
        row(Name::OtlpMetricsSeconds, "otlp.metrics_seconds", whole(0, 86_400, 60))
            .fixed("how often metrics are sent; 0: never"),
        row(Name::OtlpEvaluations, "otlp.evaluations", switch(false)).fixed(
            "whether each reading is sent as an event gen_ai.evaluation.result: its score and where its \
             evidence is, no text",
        ),
        row(Name::KeysFile, "keys.file", text(any, ""))
            .fixed("a file with the keys that encrypt what is secret in the store, the newest first"),
        row(Name::KeysSecret, "keys.secret", secret()).fixed("the same keys here, with commas between them"),
        row(Name::CallbackHosts, "callbacks.hosts", list(host))
            .fixed("hosts that are not public and that callbacks may reach"),
        row(Name::FilesOn, "files.on", switch(true)).fixed("whether files are fetched"),
        row(Name::FilesHosts, "files.hosts", list(host))
            .fixed("hosts that are not public and that files may be fetched from"),
        row(Name::FileNowBytes, "files.now_bytes", bytes(files.now_bytes))
            .fixed("the most bytes of a file while a caller waits"),
        row(Name::FileMostBytes, "files.most_bytes", bytes(files.most_bytes))
            .fixed("the most bytes of a file at all"),
        row(Name::FileNowSeconds, "files.now_seconds", seconds(files.now_time))
            .fixed("how long fetching may take while a caller waits"),
        row(Name::FileMostSeconds, "files.most_seconds", seconds(files.most_time))
            .fixed("how long fetching may take at all"),
        row(Name::FileFetches, "files.fetches", count(files.fetches))
            .fixed("how many files are fetched at once, for callers and for jobs each"),
        row(Name::FileReaders, "files.readers", count(files.readers))
            .fixed("how many files are read at once"),
        row(Name::AudioBytes, "files.audio_bytes", bytes(files.audio_bytes))
            .fixed("the most bytes of a recording"),
        row(Name::AudioSeconds, "files.audio_seconds", seconds(files.audio_time))
            .fixed("how long fetching a recording may take"),
        row(Name::Hearings, "files.hearings", count(files.hearings))
            .fixed("how many recordings are heard at once"),
        row(Name::TranscriberCommand, "transcriber.command", text(any, ""))
            .fixed("what hears recordings, as `sense --transcriber`; empty: they are refused"),
        row(Name::TranscriberSeconds, "transcriber.seconds", whole(0, 1 << 32, 0))
            .fixed("the most seconds for a channel; 0: 60 and four times its length"),
        row(Name::BodyBytes, "limits.body_bytes", bytes(limits.body_bytes)).live("the most bytes of a body"),
        row(Name::ArrivalSeconds, "limits.arrival_seconds", seconds(limits.arrival))
            .live("how long a body may take to arrive, and the head of a request"),
        row(Name::Arriving, "limits.arriving", count(limits.arriving)).live("how many bodies arrive at once"),
        row(Name::InFlight, "limits.in_flight", count(limits.in_flight))
            .live("how many requests are worked on at once"),
        row(Name::Waiting, "limits.waiting", count(limits.waiting))
            .live("how many requests of one organization wait for their turn"),
        row(Name::TurnSeconds, "limits.turn_seconds", seconds(limits.turn))
            .live("how long a request waits for its turn before it is sent away"),
        row(Name::Connections, "limits.connections", count(limits.connections))
            .live("how many connections are held at once"),
        row(Name::Streams, "limits.streams", count(limits.streams))
            .live("the most streams that are open at the same time"),
        row(Name::HeartbeatSeconds, "limits.heartbeat_seconds", seconds(limits.heartbeat))
            .live("after how long a silence a stream says that it still lives"),
        row(Name::StalledSeconds, "limits.stalled_seconds", seconds(limits.stalled))
            .live("after how long a connection is ended whose client takes nothing of an answer"),
        row(Name::DiveIdleSeconds, "limits.dive_idle_seconds", seconds(limits.dive_idle))
            .fixed("after how long without an action a dive is closed"),
        row(Name::DrainSeconds, "limits.drain_seconds", seconds(limits.drain))
            .live("how long a stop waits for what is under way"),
        row(Name::FailuresOfClient, "limits.failures_of_client", failures(limits.failures_of_client))
            .live("bad tokens from one address in a minute, then 429; 0: no limit"),
        row(Name::FailuresOfPrefix, "limits.failures_of_prefix", failures(limits.failures_of_prefix))
            .live("bad tokens that begin alike in a minute, then 429; 0: no limit"),
        // With 0 a result would be gone before anybody could fetch it, and with it the notification that waits
        // for its second try.
        row(Name::ResultsDays, "retention.results_days", days(1, retention.results_days))
            .live("how long results of jobs are kept"),
        row(Name::AnswersDays, "retention.answers_days", days(0, retention.answers_days))
            .live("how long answers under an Idempotency-Key are kept; 0: this month and the last"),
        row(Name::TextsDays, "retention.texts_days", days(0, retention.texts_days))
            .live("how long actions and answers of closed dives are kept"),
        row(Name::AuditDays, "retention.audit_days", days(0, retention.audit_days))
            .live("how long the audit log is kept; 0: for ever"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_place_and_a_usual_value_that_passes() {
        for (at, key) in KEYS.iter().enumerate() {
            assert_eq!(key.id as usize, at, "{}", key.name);
            assert_eq!(key.check(&key.usual), Ok(()), "{}", key.name);
        }
    }
}
