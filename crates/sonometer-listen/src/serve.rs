//! Connections: accepted, limited in how long they may keep still, and let finish at a stop.

use crate::{Stalls, prepare};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::HttpService;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::error::Error;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// How long a client may keep a connection waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The longest that the headers of a request may take, and the longest pause between two requests.
    pub head: Duration,
    /// The longest that a client may take nothing of an answer.
    pub stalled: Duration,
}

/// Serves until `stop` is ready; answers that are under way end first. `each` says for every connection its bounds and who answers.
pub async fn serve<S, B>(
    listener: TcpListener,
    each: impl Fn() -> (Bounds, S),
    stop: impl Future<Output = ()>,
) where
    S: HttpService<Incoming, ResBody = B> + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let (bounds, service) = each();
                open(stream, bounds, service, &graceful);
            }
            // Mostly too many open files: a moment later there may be room.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Speaks HTTP/1.1 only. `axum::serve` looks at the first bytes for HTTP/2, and its buffer is twice as large for that as long as the
/// connection is open.
fn open<S, B>(stream: TcpStream, bounds: Bounds, service: S, graceful: &GracefulShutdown)
where
    S: HttpService<Incoming, ResBody = B> + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    prepare(&stream);
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(bounds.head);
    let connection = server.serve_connection(TokioIo::new(Stalls::new(stream, bounds.stalled)), service);
    // What breaks here is the connection of one client, so nobody waits for its outcome.
    tokio::spawn(graceful.watch(connection));
}
