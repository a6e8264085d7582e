//! Server-Sent Events: numbered from 0 behind the name of their stream, with a comment now and then where nothing else is to tell.

use axum::body::{Body, Bytes};
use futures_util::stream::unfold;
use sonometer_service::queue::Place;
use sonometer_service::{Streaming, Told};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The body of a response. Dropping it, as it happens when the client goes away, stops the work behind it, if nothing was sent.
pub(crate) fn body(streaming: Streaming, place: Arc<Place>, heartbeat: Duration) -> Body {
    let name = streaming.name;
    let state = (streaming.events, place, 0_u64);
    Body::from_stream(unfold(state, move |(mut events, place, number)| {
        let stream = name.clone();
        async move {
            let chunk = match timeout(heartbeat, events.recv()).await {
                Err(_) => {
                    return Some((
                        Ok::<_, Infallible>(Bytes::from_static(b": still here\n\n")),
                        (events, place, number),
                    ));
                }
                Ok(None) => return None,
                Ok(Some(told)) => {
                    let id = Streaming::event_id(&stream, number, &told);
                    let Told { name, data } = told;
                    format!("event: {name}\nid: {id}\ndata: {data}\n\n")
                }
            };
            Some((Ok(Bytes::from(chunk)), (events, place, number + 1)))
        }
    }))
}
