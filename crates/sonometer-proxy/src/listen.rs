//! Connections of clients, with the bounds that the proxy has for them.

use crate::{Proxy, handle};
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use sonometer_listen::Bounds;
use std::convert::Infallible;
use std::time::Duration;
use tokio::net::TcpListener;

/// The longest that the headers of a request may take, and the longest pause between two requests of a connection: each open connection costs a
/// descriptor and some kilobytes. The pools of the SDKs close theirs after seconds.
const HEADERS: Duration = Duration::from_secs(60);

/// Serves until `stop` is ready; answers that are under way end first.
pub(crate) async fn serve(proxy: Proxy, listener: TcpListener, stop: impl Future<Output = ()>) {
    let each = || {
        let proxy = proxy.clone();
        let bounds = Bounds { head: HEADERS, stalled: proxy.inner.stalled() };
        let service = service_fn(move |request: Request<Incoming>| {
            let proxy = proxy.clone();
            // In a box, which is freed when the answer begins: the connection keeps the room of its future while it streams.
            Box::pin(async move { Ok::<_, Infallible>(handle(proxy, request.map(Body::new)).await) })
        });
        (bounds, service)
    };
    sonometer_listen::serve(listener, each, stop).await;
}
