//! Bodies that are read whole before they are masked: each with a bound, and all of them with one.

use bytes::{Buf, Bytes};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Frame, SizeHint};
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::timeout;

/// The first bytes of each body, for which there is always room: large bodies that come slowly must not keep out the others.
const FREE: usize = 1 << 20;

/// How many bytes of bodies may wait in all, beyond the first megabyte of each.
#[derive(Debug)]
pub(crate) struct Room {
    taken: AtomicUsize,
    most: AtomicUsize,
}

impl Room {
    pub(crate) fn new(most: usize) -> Self {
        Self { taken: AtomicUsize::new(0), most: AtomicUsize::new(most) }
    }

    pub(crate) fn set(&self, most: usize) {
        self.most.store(most, Ordering::Relaxed);
    }

    /// Reads a body whole, and gives its place with it.
    ///
    /// # Errors
    /// Why it has not come in.
    pub(crate) async fn whole<B>(&self, body: B, most: usize, time: Duration) -> Result<Held<'_>, NotWhole>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let mut place = Place { room: self, came: 0, taken: 0 };
        let counted = Counted { body: Limited::new(body, most), place: &mut place };
        let bytes = match timeout(time, counted.collect()).await {
            Ok(Ok(all)) => all.to_bytes(),
            Ok(Err(error)) if error.is::<NoRoom>() => return Err(NotWhole::NoRoom),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(NotWhole::Large),
            Ok(Err(_)) => return Err(NotWhole::Cut),
            Err(_) => return Err(NotWhole::Slow),
        };
        Ok(Held { bytes, _place: place })
    }
}

/// Why a body has not come in whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotWhole {
    /// It has too many bytes.
    Large,
    /// It ended early.
    Cut,
    Slow,
    /// Too many bytes of others wait.
    NoRoom,
}

/// A body that is whole. It has its place until it is dropped.
#[derive(Debug)]
pub(crate) struct Held<'r> {
    pub(crate) bytes: Bytes,
    _place: Place<'r>,
}

#[derive(Debug)]
struct Place<'r> {
    room: &'r Room,
    came: usize,
    taken: usize,
}

impl Place<'_> {
    /// Takes room for more bytes, if there is any.
    fn take(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.came += bytes;
        let more = self.came.saturating_sub(FREE) - self.taken;
        if more == 0 {
            return Ok(());
        }
        self.taken += more;
        let all = self.room.taken.fetch_add(more, Ordering::Relaxed) + more;
        if all > self.room.most.load(Ordering::Relaxed) { Err(NoRoom) } else { Ok(()) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.taken, Ordering::Relaxed);
    }
}

#[derive(Debug)]
struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many bytes of bodies wait")
    }
}

impl Error for NoRoom {}

/// A body whose bytes take room.
struct Counted<'c, 'r, B> {
    body: B,
    place: &'c mut Place<'r>,
}

impl<B> Body for Counted<'_, '_, B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)) else {
            return Poll::Ready(None);
        };
        let frame = frame.map_err(Into::into)?;
        self.place.take(frame.data_ref().map_or(0, Buf::remaining))?;
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chunk;
    use axum::body::Body as Bodied;
    use futures_util::stream::{StreamExt, iter, pending};

    const TIME: Duration = Duration::from_secs(9);

    fn of(bytes: usize) -> Bodied {
        Bodied::from(vec![b'x'; bytes])
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_share_a_room_and_small_ones_need_none() {
        let room = Room::new(3 << 20);
        let read = async |bytes: usize| room.whole(of(bytes), 4 << 20, TIME).await;
        let first = read(3 << 20).await.expect("is room");
        assert_eq!(read(3 << 20).await.map(|held| held.bytes.len()), Err(NotWhole::NoRoom));
        let small = read(FREE).await.expect("is room");
        assert_eq!((first.bytes.len(), small.bytes.len()), (3 << 20, FREE));
        drop(first);
        assert_eq!(read(3 << 20).await.map(|held| held.bytes.len()), Ok(3 << 20));
        assert_eq!(read((4 << 20) + 1).await.map(|held| held.bytes.len()), Err(NotWhole::Large));
        assert_eq!(room.taken.load(Ordering::Relaxed), 0, "all of it is free again");
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_come_in_leaves_its_place() {
        let room = Room::new(9 << 20);
        let part = || iter([Chunk::Ok(Bytes::from(vec![b'x'; 2 << 20]))]);
        let slow = Bodied::from_stream(part().chain(pending()));
        assert_eq!(room.whole(slow, 4 << 20, TIME).await.map(|_| ()), Err(NotWhole::Slow));
        let cut = Bodied::from_stream(part().chain(iter([Err(std::io::Error::other("cut"))])));
        assert_eq!(room.whole(cut, 4 << 20, TIME).await.map(|_| ()), Err(NotWhole::Cut));
        assert_eq!(room.taken.load(Ordering::Relaxed), 0);
    }
}
