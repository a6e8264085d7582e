//! What is left of a request that is refused.

use hyper::HeaderMap;
use hyper::body::{Body, Buf};
use hyper::header::{CONTENT_LENGTH, EXPECT};
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::timeout;

/// How many bytes a client announces with `Expect: 100-continue`: it waits for a word before it sends them.
pub fn announced(headers: &HeaderMap) -> Option<u64> {
    let is_asked = headers.get(EXPECT)?.as_bytes().eq_ignore_ascii_case(b"100-continue");
    let length = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
    length.filter(|_| is_asked)
}

/// Reads the rest of a request that is refused and keeps none of it, until more than `most` bytes have come or `time` is over: a client that
/// still writes would lose the answer with the connection. A body that was [`announced`] and of which nothing was read is left alone: reading
/// would tell the client to send what is refused.
pub async fn drain<B: Body + Unpin>(mut body: B, announced: Option<u64>, (most, time): (usize, Duration)) {
    if announced.is_some() && body.size_hint().exact() == announced {
        return;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::{Frame, SizeHint};
    use std::cell::Cell;
    use std::task::{Context, Poll};

    /// Five bytes of which nothing was read; counts who wants to.
    struct Five<'c>(&'c Cell<u32>);

    impl Body for Five<'_> {
        type Data = &'static [u8];
        type Error = std::io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
            self.0.set(self.0.get() + 1);
            Poll::Ready(None)
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(5)
        }
    }

    #[tokio::test]
    async fn what_is_announced_is_not_asked_for() {
        let of = |expect: &'static str, length: &'static str| {
            let pairs =
                [(EXPECT, expect), (CONTENT_LENGTH, length)].map(|(name, value)| (name, value.parse()));
            announced(&pairs.into_iter().map(|(name, value)| (name, value.expect("is one"))).collect())
        };
        assert_eq!(of("100-Continue", "5"), Some(5));
        assert_eq!(
            (of("200-ok", "5"), of("100-continue", "x"), announced(&HeaderMap::new())),
            (None, None, None)
        );
        // The third has sent two of seven bytes already, so it was told to.
        for (announced, polls) in [(Some(5), 0), (None, 1), (Some(7), 1)] {
            let count = Cell::new(0);
            drain(Five(&count), announced, (100, Duration::from_secs(9))).await;
            assert_eq!(count.get(), polls, "{announced:?}");
        }
    }
}
