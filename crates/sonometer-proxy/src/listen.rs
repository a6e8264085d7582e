//! Connections of clients: accepted, and let finish when the proxy stops.

use crate::{Proxy, handle};
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// The longest that the headers of a request may take, and the longest pause between two requests of a connection: each open connection costs a
/// descriptor and some kilobytes. The pools of the SDKs close theirs after seconds.
const HEADERS: Duration = Duration::from_secs(60);

/// Serves until `stop` is ready; answers that are under way end first.
pub(crate) async fn serve(proxy: Proxy, listener: TcpListener, stop: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => open(stream, &proxy, &graceful),
            // Mostly too many open files: a moment later there may be room.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Speaks HTTP/1.1 only. `axum::serve` looks at the first bytes for HTTP/2, and its buffer is twice as large for that as long as the
/// connection is open.
fn open(stream: TcpStream, proxy: &Proxy, graceful: &GracefulShutdown) {
    // Events are small, and must not wait for each other.
    let _ = stream.set_nodelay(true);
    let proxy = proxy.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let proxy = proxy.clone();
        // In a box, which is freed when the answer begins: the connection keeps the room of its future while it streams.
        Box::pin(async move { Ok::<_, Infallible>(handle(proxy, request.map(Body::new)).await) })
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    // What breaks here is the connection of one client, so nobody waits for its outcome.
    tokio::spawn(graceful.watch(connection));
}
