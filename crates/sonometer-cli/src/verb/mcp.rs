//! `sonometer mcp`: tools for language models, over standard input or over HTTP behind a token.

use super::dive::StageSource;
use crate::failure::{Exit, Failure};
use crate::file;
use crate::screen::{self, Screen};
use crate::signals::Stop;
use crate::target::{Source, is_path};
use sonometer_listen::make_room_for;
use sonometer_mcp::{Own, STALLED, Sonometer};
use std::net::ToSocketAddrs;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Where `--http` listens unless something else is asked for.
const LISTEN: &str = "127.0.0.1:8091";
/// For so many connections the process makes room.
const CONNECTIONS: usize = 4_096;
/// The variable with the token.
const TOKEN: &str = "SONOMETER_MCP_TOKEN";
/// The fewest characters of a token that is given.
const LEAST_TOKEN: usize = 16;
/// The most bytes of a file with a token.
const MOST_TOKEN: usize = 4 << 10;

const EXAMPLES: &str = "\
Clients start it themselves. Most take settings such as:
  {\"mcpServers\": {\"sonometer\": {\"command\": \"sonometer\", \"args\": [\"mcp\"]}}}

Examples:
  sonometer mcp                       over standard input, for Claude Desktop, VS Code, Cursor and the like
  sonometer mcp my.yaml desk.yaml     with protocols and stages of your own
  sonometer mcp --http                over HTTP at http://127.0.0.1:8091/mcp, behind a token that is printed";

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Protocols, metrics, blueprints and stages of your own, beside those that ship; read once, when the server begins
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Serve over HTTP at /mcp instead of standard input [default: 127.0.0.1:8091; port 0 chooses a free one]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = LISTEN)]
    http: Option<String>,
    /// A file with the token that clients must send; without it, the variable SONOMETER_MCP_TOKEN, or a new token that is
    /// printed
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<String>,
    /// After how long a connection is ended whose client takes nothing of an answer, in seconds
    #[arg(long, value_name = "SECONDS", requires = "http", default_value_t = STALLED.as_secs(), value_parser = clap::value_parser!(u64).range(1..=86_400))]
    stalled_seconds: u64,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let server = Sonometer::new(own(&arguments.files, arguments.http.is_some())?);
    let runtime =
        Runtime::new().map_err(|error| Failure::unusable(format!("cannot start threads: {error}")))?;
    match &arguments.http {
        Some(address) => runtime.block_on(over_http(&server, address, arguments, screen)),
        None => {
            if screen::typing() {
                screen.note(
                    "this waits for a client of the Model Context Protocol on standard input; `sonometer mcp --help` shows the settings",
                );
            }
            let served = runtime.block_on(server.serve_lines(tokio::io::stdin(), tokio::io::stdout()));
            // A thread may still read standard input; nothing waits for it.
            runtime.shutdown_background();
            served.map(|()| Exit::Done).map_err(|error| Failure::unusable(format!("standard input: {error}")))
        }
    }
}

/// What the files hold, compiled.
fn own(files: &[String], is_http: bool) -> Result<Own, Failure> {
    let mut own = Own::default();
    for file in files {
        if is_http && file.to_socket_addrs().is_ok() {
            return Err(Failure::unusable(format!("`{file}` is an address; write `--http={file}`")));
        }
        if !is_path(file) && Path::new(file).is_file() {
            return Err(Failure::unusable(format!(
                "`{file}` is no protocol, metric, blueprint or stage; the name of such a file ends in .yaml, .yml or .json"
            )));
        }
        if !is_path(file) {
            return Err(Failure::unusable(format!(
                "`{file}` is not a file; what ships is served in any case; the name of a file of your own ends in .yaml, .yml or .json"
            )));
        }
        if let Some(stage) = StageSource::meant(file) {
            own.worlds.push(stage.world()?);
            continue;
        }
        let source = Source::find(file)?;
        let document = source.document()?.0;
        let instrument =
            source.compose(document.clone()).map_err(|error| Failure::engine(&source.name, &error))?;
        own.targets.push((document, instrument));
    }
    Ok(own)
}

async fn over_http(
    server: &Sonometer,
    address: &str,
    arguments: &Arguments,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let unusable = |error: std::io::Error| {
        Failure::unusable(format!("{address}: {error}; give an address such as --http={LISTEN}"))
    };
    let (token, is_new) = token(arguments)?;
    let mut addresses = address.to_socket_addrs().map_err(unusable)?;
    let is_local = addresses.all(|address| address.ip().is_loopback());
    let listener = TcpListener::bind(address).await.map_err(unusable)?;
    // Where it may not be as many, it is as many as may be.
    let _ = make_room_for(CONNECTIONS);
    let bound = listener.local_addr().map_err(unusable)?;
    let shown = if is_new { format!("token {token}\n") } else { String::new() };
    let stalled = Duration::from_secs(arguments.stalled_seconds);
    let (stop, again) = Stop::new().twice();
    screen.print_bytes(&format!("listening on http://{bound}/mcp\n{shown}"))?;
    if !is_local {
        screen.note("others can reach this address, and it has no TLS; put a proxy with TLS in front of it");
    }
    tokio::select! {
        served = server.serve_http(listener, &token, stalled, stop) => served.map(|()| Exit::Done).map_err(unusable),
        () = again => {
            screen.note("stopped before all calls had ended");
            Ok(Exit::Done)
        }
    }
}

/// The token that clients must send, and whether it is a new one.
fn token(arguments: &Arguments) -> Result<(String, bool), Failure> {
    let (name, given) = match &arguments.token_file {
        Some(path) => {
            let bytes = file::bytes(path, MOST_TOKEN)?;
            file::tell_open_key(path);
            (path.as_str(), file::utf8(path, &bytes, 0)?.trim().to_owned())
        }
        None => match std::env::var(TOKEN) {
            Ok(given) => (TOKEN, given),
            Err(_) => {
                return sonometer_mcp::token().map(|token| (token, true)).map_err(Failure::unusable);
            }
        },
    };
    let is_plain = given.bytes().all(|byte| byte.is_ascii_graphic());
    match is_plain && given.len() >= LEAST_TOKEN {
        true => Ok((given, false)),
        false => Err(Failure::unusable(format!(
            "{name}: a token is one word of {LEAST_TOKEN} or more letters, digits and signs of ASCII"
        ))),
    }
}
