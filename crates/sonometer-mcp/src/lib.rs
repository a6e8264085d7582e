//! Sonometer for language models: tools, resources and prompts by the Model Context Protocol, over standard input or over HTTP.
//!
//! A [`Sonometer`] answers; [`Sonometer::serve_lines`] is the transport of clients that start it as a process, [`Sonometer::serve_http`] that of clients
//! that connect. Every call is bounded before it begins, clients take turns, and what a protocol masks is never shown. Nothing here reads files: what is
//! served beside the catalogue, the caller reads ([`Own`]).

mod answer;
mod bench;
mod content;
mod dives;
mod http;
mod limits;
mod prompts;
mod resources;
mod schema;
mod server;
mod sieve;
mod tool;
mod works;

pub use bench::Own;
pub use sonometer_listen::STALLED;

use bench::Bench;
use http::Times;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use server::Server;
use std::fmt::Write;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

/// Bytes between a client and the server that wait.
const BUFFER: usize = 64 << 10;

/// The server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sonometer {
    bench: Arc<Bench>,
}

impl Sonometer {
    /// A server of what ships and of what the caller has.
    pub fn new(own: Own) -> Self {
        Self { bench: Arc::new(Bench::new(own)) }
    }

    /// Serves one client, a message a line, until the input ends.
    ///
    /// # Errors
    /// Those of the transport; a client that speaks something else.
    pub async fn serve_lines(
        &self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<()> {
        let (to, from) = tokio::io::duplex(BUFFER);
        let (answers, answered) = tokio::io::duplex(BUFFER);
        let output = Arc::new(Mutex::new(output));
        let sieved = Arc::clone(&output);
        // Ends with the input, or when nobody reads what it passes on.
        tokio::spawn(async move { sieve::pass(input, to, &sieved, sieve::MOST).await });
        // The sieve answers, too, so whole lines are written.
        let writing = tokio::spawn(async move {
            let mut lines = BufReader::new(answered).split(b'\n');
            while let Some(line) = lines.next_segment().await? {
                sieve::write_line(&output, &line).await?;
            }
            Ok::<(), io::Error>(())
        });
        let transport = AsyncRwTransport::new_server(from, answers);
        let serving = Server::new(Arc::clone(&self.bench)).serve(transport).await;
        let served = match serving {
            Ok(serving) => {
                serving.waiting().await.map_err(io::Error::other)?;
                Ok(())
            }
            // A client that goes away before it has said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        };
        let written = writing.await.map_err(io::Error::other)?;
        served.and(written)
    }

    /// Serves clients that send `Authorization: Bearer` with this token, at `/mcp`, until `stop` ends. A client that takes nothing of an answer
    /// for as long as `stalled` ([`STALLED`] is a good time) loses its connection.
    ///
    /// # Errors
    /// Those of the listener.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        token: &str,
        stalled: Duration,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let times = Times { stalled, ..Times::default() };
        http::serve(Arc::clone(&self.bench), listener, token, times, stop).await
    }
}

/// A token that nobody can guess.
///
/// # Errors
/// If the system has no random numbers.
pub fn token() -> Result<String, String> {
    random()
}

/// Thirty-two hexadecimal digits.
fn random() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system provides no random numbers: {error}"))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // A text takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// The code of the README compiles and says what it says.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
