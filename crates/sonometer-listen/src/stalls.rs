//! A connection whose client takes nothing of its answers is ended: otherwise a few clients who read nothing hold all connections that
//! there may be, without a token, for as long as they like.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection with the longest time for which a client may take nothing of what is written.
#[derive(Debug)]
pub struct Stalls<S> {
    stream: S,
    most: Duration,
    /// Runs while something waits to be written.
    since: Option<Pin<Box<Sleep>>>,
}

impl<S> Stalls<S> {
    /// A connection whose client may take nothing for so long.
    pub fn new(stream: S, most: Duration) -> Self {
        Self { stream, most, since: None }
    }

    /// What becomes of a write: one that waits for too long is an error.
    fn waited<T>(&mut self, context: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.since = None;
            return written;
        }
        let most = self.most;
        ready!(self.since.get_or_insert_with(|| Box::pin(sleep(most))).as_mut().poll(context));
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client takes nothing of the answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalls<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        read: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalls<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.waited(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.waited(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const MOST: Duration = Duration::from_secs(60);

    // Time is paused: it moves on only where everything waits.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_left() {
        let (ours, _theirs) = duplex(16);
        let error = Stalls::new(ours, MOST).write_all(&[0; 64]).await.expect_err("waits for too long");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_a_little_is_kept() {
        let (ours, mut theirs) = duplex(16);
        let reads = tokio::spawn(async move {
            for _ in 0..64 {
                sleep(MOST - Duration::from_secs(1)).await;
                theirs.read_u8().await.expect("is there");
            }
        });
        Stalls::new(ours, MOST).write_all(&[0; 64]).await.expect("is taken");
        reads.await.expect("reads all");
    }

    #[tokio::test(start_paused = true)]
    async fn silence_between_answers_is_no_stall() {
        let (ours, mut theirs) = duplex(16);
        let mut ours = Stalls::new(ours, MOST);
        for _ in 0..3 {
            ours.write_all(&[0; 16]).await.expect("is taken");
            theirs.read_exact(&mut [0; 16]).await.expect("is there");
            sleep(MOST * 3).await;
        }
    }
}
