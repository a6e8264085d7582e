//! `sonometer workbench`: the page that shows what a protocol finds while both are typed, on loopback, with the files that were named.
//!
//! The page is embedded where it was made before the command was built; `crates/sonometer-cli/build.rs` finds it.

mod files;
mod wire;

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use files::Files;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use wire::Bench;

/// The files of the page, by name; those that end with `.gz` are packed.
pub(super) static PAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/workbench.rs"));

/// Arguments of `workbench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocols, stages, talks (.json, .txt) and files of many talks (.jsonl, .csv): the page reads them, follows their changes, and
    /// saves protocols back
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// The port on 127.0.0.1; 0 chooses a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if PAGE.is_empty() {
        return Err(Failure::unusable(
            "this command was built without the workbench page; run `bindings/wasm/workbench/build` (it needs Node), then build \
             the command again",
        ));
    }
    let files = Files::read(&arguments.files)?;
    let busy = |error: std::io::Error| {
        Failure::unusable(format!(
            "127.0.0.1:{}: cannot listen: {error}; give another --port, or 0 for a free one",
            arguments.port
        ))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)).map_err(busy)?;
    let port = listener.local_addr().map_err(busy)?.port();
    let bench = Arc::new(Bench::new(files, port)?);
    screen.print(&format!(
        "open {}\nonly this address reaches your files; Ctrl-C ends it\n",
        bench.address()
    ))?;
    wire::serve(listener, bench)?;
    Ok(Exit::Done)
}
