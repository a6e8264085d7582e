//! `sonometer proxy`: runs a proxy that masks what goes to and comes from a language model.

use crate::failure::{Exit, Failure};
use crate::file;
use crate::screen::Screen;
use crate::signals::{Hangups, stop};
use crate::target::Source;
use serde::Deserialize;
use sonometer::Error;
use sonometer_guard::{Action, Guard, Policy, Rule};
use sonometer_proxy::{Proxy, TableKeys, Upstream};
use tokio::net::TcpListener;

/// Where it listens unless something else is asked for.
const LISTEN: &str = "127.0.0.1:8090";
/// The most bytes of a file with a policy.
const MOST_CONFIG_BYTES: usize = 1 << 20;

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
    guard: Policy,
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

impl Default for Tables {
    fn default() -> Self {
        Self { keys: None, bound: true }
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
        config.guard.placeholders |= self.placeholders;
        config.guard.rules.extend(self.mask.iter().map(|target| Rule::new(Action::Mask, target)));
        Ok(config)
    }

    /// Reads all files again.
    fn again(&self) -> Result<(Guard, Option<TableKeys>), Failure> {
        let config = self.config()?;
        Ok((self.guard(&config)?, config.keys()?))
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
        guard.map_err(|error| {
            unknown.unwrap_or_else(|| Failure::engine(self.config.as_deref().unwrap_or("the policy"), &error))
        })
    }
}

impl Config {
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
    let guard = arguments.guard(&config)?;
    let Some(upstream) = &config.upstream else {
        let message = "no upstream; give --upstream URL, such as https://api.openai.com";
        return Err(Failure::unusable(message));
    };
    let upstream = Upstream::new(upstream).map_err(|wrong| Failure::unusable(wrong.to_string()))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unusable(format!("cannot start threads: {error}")))?;
    let proxy = Proxy::new(upstream, guard);
    proxy.seal_tables(config.keys()?);
    runtime.block_on(serve(arguments, &config, proxy, screen))
}

async fn serve(
    arguments: &Arguments,
    config: &Config,
    proxy: Proxy,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let address = config.listen.as_deref().unwrap_or(LISTEN);
    let unusable = |error: std::io::Error| Failure::unusable(format!("{address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(unusable)?;
    let bound = listener.local_addr().map_err(unusable)?;
    screen.print_bytes(&format!("listening on http://{bound}\n"))?;
    let serving = proxy.clone().serve(listener, stop());
    tokio::pin!(serving);
    let mut hangups = Hangups::new();
    loop {
        tokio::select! {
            ended = &mut serving => return ended.map(|()| Exit::Done).map_err(unusable),
            () = hangups.next() => match arguments.again() {
                Ok((guard, keys)) => {
                    screen.note(&format!("new conversations are guarded by policy {}", guard.digest()));
                    proxy.seal_tables(keys);
                    proxy.reload(guard);
                }
                Err(failure) => {
                    screen.fail(&failure, false);
                    screen.note("the policy stays as it was");
                }
            },
        }
    }
}
