//! What is left of a request that is refused.

use hyper::body::{Body, Buf};
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::timeout;

/// Reads the rest of a request that is refused and keeps none of it, until more than `most` bytes have come or `time` is over: a client that
/// still writes would lose the answer with the connection.
pub async fn drain<B: Body + Unpin>(mut body: B, (most, time): (usize, Duration)) {
    let all = async {
        let mut read = 0;
        while read <= most
            && let Some(Ok(frame)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            read += frame.data_ref().map_or(0, Buf::remaining);
        }
    };
    let _ = timeout(time, all).await;
}
