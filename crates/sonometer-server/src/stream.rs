//! Server-Sent Events: numbered from 0, with a comment now and then where nothing else is to tell.

use crate::metrics::Figures;
use axum::body::{Body, Bytes};
use futures_util::stream::unfold;
use sonometer_service::{Mode, Streaming, Told};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// The body of a response. Dropping it, as it happens when the client goes away, stops the work behind it.
pub(crate) fn body(
    streaming: Streaming,
    place: OwnedSemaphorePermit,
    heartbeat: Duration,
    figures: Arc<Figures>,
    mode: Option<Mode>,
) -> Body {
    let state = (streaming.events, place, 0_u64);
    Body::from_stream(unfold(state, move |(mut events, place, number)| {
        let figures = figures.clone();
        async move {
            let chunk = match timeout(heartbeat, events.recv()).await {
                Err(_) => {
                    return Some((
                        Ok::<_, Infallible>(Bytes::from_static(b": still here\n\n")),
                        (events, place, number),
                    ));
                }
                Ok(None) => return None,
                Ok(Some(Told { name, data, charged })) => {
                    figures.charged(mode, charged);
                    format!("event: {name}\nid: {number}\ndata: {data}\n\n")
                }
            };
            Some((Ok(Bytes::from(chunk)), (events, place, number + 1)))
        }
    }))
}
