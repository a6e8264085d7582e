//! `sonometer proxy`: runs a proxy that masks what goes to and comes from a language model.

use crate::failure::{Exit, Failure};
use crate::file;
use crate::screen::Screen;
use crate::signals::{Hangups, Stop};
use crate::target::Source;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sonometer::Error;
#[cfg(feature = "otlp")]
use sonometer_guard::On;
use sonometer_guard::{Action, Guard, Policy, Rule};
use sonometer_listen::make_room_for;
#[cfg(feature = "otlp")]
use sonometer_proxy::Ended;
use sonometer_proxy::{HELD, Proxy, STALLED, TableKeys, Upstream};
#[cfg(feature = "otlp")]
use sonometer_server::{Evaluation, Evaluations, Otlp, Telemetry};
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;
use tokio::net::TcpListener;

/// Where it listens unless something else is asked for.
const LISTEN: &str = "127.0.0.1:8090";
/// For so many connections of clients and to the provider the process makes room.
const DESCRIPTORS: usize = 16_384;
/// The most bytes of a file with a policy.
const MOST_CONFIG_BYTES: usize = 1 << 20;

/// The longest that a client may take nothing of an answer, in seconds: a day.
const MOST_STALLED: u64 = 86_400;

/// Headers for the collector, as the service reads them.
#[cfg(feature = "otlp")]
const OTLP_HEADERS: &str = "SONOMETER_OTLP_HEADERS";

/// Arguments of `proxy`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The address to listen on; port 0 chooses a free port [default: 127.0.0.1:8090]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Where requests go, such as https://api.openai.com or https://api.anthropic.com
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Mask requests and answers by this protocol, metric or blueprint; may be repeated
    #[arg(long, value_name = "TARGET", required_unless_present = "config")]
    mask: Vec<String>,
    /// Masks of requests become numbered placeholders, which are restored in answers
    #[arg(long)]
    placeholders: bool,
    /// Give each conversation its table of placeholders, sealed with the key in this file (64 hexadecimal digits), so that it can go on where the
    /// provider keeps its history
    #[arg(long, value_name = "FILE")]
    table_keys: Option<String>,
    /// Send what rules with `sense` measure to this collector of OpenTelemetry, by OTLP over HTTP, such as `http://127.0.0.1:4318`
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
    /// After how long a connection is ended whose client takes nothing of an answer [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=MOST_STALLED))]
    stalled_seconds: Option<u64>,
    /// A TOML file with `listen`, `upstream` and the policy below `[guard]`; read again on SIGHUP, for new conversations
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
}

/// The file of `--config`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    listen: Option<String>,
    upstream: Option<String>,
    tables: Tables,
    otlp: Collector,
    limits: Limits,
    guard: Policy,
}

/// How long clients may keep the proxy waiting, and how much it holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    /// After how long a connection is ended whose client takes nothing of an answer.
    #[serde(deserialize_with = "seconds")]
    stalled_seconds: u64,
    /// Bytes of bodies that are held at the same time, beyond the first megabyte of each.
    #[serde(deserialize_with = "bytes")]
    bodies_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stalled_seconds: STALLED.as_secs(), bodies_bytes: HELD }
    }
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    match i64::deserialize(from).ok().and_then(|given| u64::try_from(given).ok()) {
        Some(given @ 1..=MOST_STALLED) => Ok(given),
        _ => Err(D::Error::custom(format!(
            "a whole number of seconds from 1 to {MOST_STALLED}, without quotes"
        ))),
    }
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let given = i64::deserialize(from).ok().and_then(|given| usize::try_from(given).ok());
    given.ok_or_else(|| D::Error::custom("a whole number of bytes, 0 or more, without quotes"))
}

/// How tables of placeholders are sealed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tables {
    /// A file with keys, the newest first.
    keys: Option<String>,
    /// Whether a table opens only for the credentials that it was made for.
    bound: bool,
}

/// Where readings are sent.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
struct Collector {
    /// The address of the collector without the paths of OTLP.
    endpoint: Option<String>,
    /// `name=value`, with commas between them.
    headers: Option<String>,
    /// `service.name`.
    service: Option<String>,
}

impl Default for Tables {
    fn default() -> Self {
        Self { keys: None, bound: true }
    }
}

impl Limits {
    fn stalled(&self) -> Duration {
        Duration::from_secs(self.stalled_seconds)
    }
}

impl Arguments {
    /// The file with what the flags add.
    fn config(&self) -> Result<Config, Failure> {
        let mut config = match &self.config {
            Some(path) => read(path)?,
            None => Config::default(),
        };
        config.listen = self.listen.clone().or(config.listen);
        config.upstream = self.upstream.clone().or(config.upstream);
        config.tables.keys = self.table_keys.clone().or(config.tables.keys);
        #[cfg(feature = "otlp")]
        {
            config.otlp.endpoint = self.otlp_endpoint.clone().or(config.otlp.endpoint);
            config.otlp.headers = std::env::var(OTLP_HEADERS).ok().or(config.otlp.headers);
        }
        config.limits.stalled_seconds = self.stalled_seconds.unwrap_or(config.limits.stalled_seconds);
        config.guard.placeholders |= self.placeholders;
        config.guard.rules.extend(self.mask.iter().map(|target| Rule::new(Action::Mask, target)));
        Ok(config)
    }

    /// Reads all files again.
    fn again(&self) -> Result<(Guard, Option<TableKeys>, Config), Failure> {
        let config = self.config()?;
        Ok((self.guard(&config)?, config.keys()?, config))
    }

    fn guard(&self, config: &Config) -> Result<Guard, Failure> {
        if config.guard.rules.is_empty() {
            let message =
                "the policy has no rules; give --mask TARGET, or [[guard.rules]] in the file of --config";
            return Err(Failure::unusable(message));
        }
        // For an unknown target, the message of the other verbs, which suggests names.
        let mut unknown = None;
        let guard = Guard::new(&config.guard, |target| {
            Source::find(target).and_then(|source| source.instrument()).map_err(|failure| {
                unknown = Some(failure);
                Error::invalid("", "")
            })
        });
        let warm = guard.and_then(|guard| guard.warm_up().map(|()| guard));
        warm.map_err(|error| {
            unknown.unwrap_or_else(|| Failure::engine(self.config.as_deref().unwrap_or("the policy"), &error))
        })
    }
}

impl Config {
    /// The names of what differs in another one and holds until the proxy ends.
    fn fixed(&self, new: &Self) -> impl Iterator<Item = &'static str> {
        let differ = [
            ("listen", self.listen != new.listen),
            ("upstream", self.upstream != new.upstream),
            ("otlp", self.otlp != new.otlp),
        ];
        differ.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name)
    }

    /// The keys that seal tables, if there are any.
    fn keys(&self) -> Result<Option<TableKeys>, Failure> {
        let Some(path) = &self.tables.keys else { return Ok(None) };
        if !self.guard.placeholders {
            let message = "table keys seal placeholders, and there are none; give --placeholders, or `placeholders = true` in the file of --config";
            return Err(Failure::unusable(message));
        }
        let bytes = file::bytes(path, MOST_CONFIG_BYTES)?;
        let keys = TableKeys::read(file::utf8(path, &bytes, 0)?, self.tables.bound);
        keys.map(Some).map_err(|wrong| Failure::unusable(format!("{path}: {wrong}")))
    }
}

impl Config {
    /// What is sent where, if there is a collector.
    #[cfg(feature = "otlp")]
    fn otlp(&self) -> Result<Option<Otlp>, Failure> {
        let Some(endpoint) = &self.otlp.endpoint else { return Ok(None) };
        let wrong = |key: &str, message: String| Failure::unusable(format!("`otlp.{key}`: {message}"));
        Otlp::endpoint(endpoint).map_err(|message| wrong("endpoint", message))?;
        if !self.guard.rules.iter().any(|rule| rule.action == Action::Sense) {
            let message = "a collector is named, and no rule measures; add a rule with `action = \"sense\"` to the file of --config";
            return Err(Failure::unusable(message));
        }
        Ok(Some(Otlp {
            endpoint: endpoint.clone(),
            headers: Otlp::headers(self.otlp.headers.as_deref().unwrap_or_default())
                .map_err(|message| wrong("headers", message))?,
            service: self.otlp.service.clone().unwrap_or_else(|| "sonometer-proxy".to_owned()),
            sample_percent: 100,
            metrics_every: None,
            evaluations: true,
        }))
    }

    /// A command that sends nothing says so, and does not start as if it did.
    #[cfg(not(feature = "otlp"))]
    fn check_otlp(&self) -> Result<(), Failure> {
        let Collector { endpoint, headers, service } = &self.otlp;
        if endpoint.is_none() && headers.is_none() && service.is_none() {
            return Ok(());
        }
        let message = "this command was built without the feature `otlp` and sends no readings; leave `[otlp]` out of the file of --config";
        Err(Failure::unusable(message))
    }
}

/// Sends what an exchange measured.
#[cfg(feature = "otlp")]
fn send(evaluations: &Evaluations, ended: &Ended<'_>) {
    for sensed in &ended.report.sensed {
        let is_answer = sensed.on == On::Response;
        let reading = Evaluation {
            target: &sensed.target,
            version: &sensed.version,
            digest: sensed.digest.as_deref(),
            score: sensed.score.map(|score| score.0 as f64 / 1e6),
            triggered: &sensed.triggered,
            places: &sensed.places,
            response_id: ended.report.response_id.as_deref().filter(|_| is_answer),
            more: &[("sonometer.guard.on", sensed.on.as_str()), ("sonometer.guard.policy", ended.policy)],
        };
        evaluations.send(ended.trace, &reading);
    }
}

fn read(path: &str) -> Result<Config, Failure> {
    let bytes = file::bytes(path, MOST_CONFIG_BYTES)?;
    let text = file::utf8(path, &bytes, 0)?;
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        let place = line.map_or_else(String::new, |line| format!(", line {line}"));
        Failure::unusable(format!("{path}{place}: {}", error.message()))
    })
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let config = arguments.config()?;
    // Made on a thread that ends before others begin to serve. glibc gives each thread a heap of its own, and hands the heap of an ended
    // thread to a new one: so one that serves gets the 5 MB that building the automata needed for a moment.
    let guard = thread::scope(|scope| scope.spawn(|| arguments.guard(&config)).join());
    let guard = guard.unwrap_or_else(|panic| resume_unwind(panic))?;
    let Some(upstream) = &config.upstream else {
        let message = "no upstream; give --upstream URL, such as https://api.openai.com";
        return Err(Failure::unusable(message));
    };
    let upstream = Upstream::new(upstream).map_err(|wrong| Failure::unusable(wrong.to_string()))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unusable(format!("cannot start threads: {error}")))?;
    let proxy = Proxy::new(upstream, guard);
    proxy.seal_tables(config.keys()?);
    if let Some(path) = &config.tables.keys {
        file::tell_open_key(path);
    }
    proxy.end_stalled(config.limits.stalled());
    proxy.hold(config.limits.bodies_bytes);
    #[cfg(feature = "otlp")]
    {
        let telemetry = config.otlp()?.map(|otlp| Telemetry::start(&otlp, runtime.handle())).transpose();
        let telemetry = telemetry.map_err(Failure::unusable)?;
        if let Some(evaluations) = telemetry.as_ref().and_then(Telemetry::evaluations) {
            proxy.observe(move |ended| send(&evaluations, ended));
        }
        let served = runtime.block_on(serve(arguments, &config, proxy, screen));
        if let Some(telemetry) = telemetry {
            telemetry.stop();
        }
        served
    }
    #[cfg(not(feature = "otlp"))]
    {
        config.check_otlp()?;
        runtime.block_on(serve(arguments, &config, proxy, screen))
    }
}

async fn serve(
    arguments: &Arguments,
    config: &Config,
    proxy: Proxy,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let address = config.listen.as_deref().unwrap_or(LISTEN);
    let unusable = |error: std::io::Error| {
        Failure::unusable(format!("{address}: {error}; give an address such as --listen {LISTEN}"))
    };
    let listener = TcpListener::bind(address).await.map_err(unusable)?;
    // Where it may not be as many, it is as many as may be.
    let _ = make_room_for(DESCRIPTORS);
    let bound = listener.local_addr().map_err(unusable)?;
    let ((stop, again), mut hangups) = (Stop::new().twice(), Hangups::new());
    screen.print_bytes(&format!("listening on http://{bound}\n"))?;
    let serving = proxy.clone().serve(listener, stop);
    tokio::pin!(serving, again);
    loop {
        tokio::select! {
            ended = &mut serving => return ended.map(|()| Exit::Done).map_err(unusable),
            () = &mut again => {
                screen.note("stopped before all answers had ended");
                return Ok(Exit::Done);
            }
            () = hangups.next() => match arguments.again() {
                Ok((guard, keys, new)) => {
                    let digest = guard.digest().to_owned();
                    proxy.seal_tables(keys);
                    proxy.end_stalled(new.limits.stalled());
                    proxy.hold(new.limits.bodies_bytes);
                    proxy.reload(guard);
                    screen.note(&format!("new conversations are guarded by policy {digest}"));
                    for name in config.fixed(&new) {
                        screen.note(&format!("`{name}` was changed too; for that, stop the proxy and start it again"));
                    }
                }
                Err(failure) => {
                    screen.fail(&failure, false);
                    screen.note("the policy stays as it was");
                }
            },
        }
    }
}
