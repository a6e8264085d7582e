//! The body of an export: pages of the ledger, each read once the client has taken the one before it.

use axum::body::{Body, Bytes};
use futures_util::stream::unfold;
use sonometer_service::Refusal;
use sonometer_service::bill::{Export, Writer};
use sonometer_service::queue::Place;

/// The body. Where a page cannot be read, the connection breaks: what ends early must not look like a whole bill.
pub(crate) fn body(export: Export, writer: Writer, place: Place) -> Body {
    let state = Some((export, writer, place));
    Body::from_stream(unfold(state, |state| async move {
        let (mut export, mut writer, place) = state?;
        loop {
            let next = match export.next().await {
                Ok(Some(rows)) => writer.rows(&rows),
                Ok(None) => return Some((writer.end().map(Bytes::from), None)),
                Err(refusal) => Err(refusal),
            };
            match next {
                // A row group that is not full.
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Some((Ok(Bytes::from(bytes)), Some((export, writer, place)))),
                Err(refusal) => return Some((Err::<Bytes, Refusal>(refusal), None)),
            }
        }
    }))
}
