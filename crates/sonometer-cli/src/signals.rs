//! The signals that a running server heeds.

/// Waits for Ctrl-C or SIGTERM. From [`Stop::new`] on, these signals no longer end the process at once. So call it before the line that says
/// that the server listens: a script may send a signal right after that line.
pub(crate) struct Stop {
    #[cfg(unix)]
    signals: [Option<tokio::signal::unix::Signal>; 2],
}

impl Stop {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            signals: {
                use tokio::signal::unix::{SignalKind, signal};
                [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok())
            },
        }
    }

    /// Waits until one of the signals comes.
    pub(crate) async fn asked(self) {
        #[cfg(unix)]
        {
            let [mut interrupt, mut terminate] = self.signals;
            tokio::select! {
                () = next(&mut interrupt) => {}
                () = next(&mut terminate) => {}
            }
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// How long a signal counts as the one before: a terminal and a wrapper may both send it.
#[cfg(any(feature = "mcp", feature = "proxy"))]
const SAME: std::time::Duration = std::time::Duration::from_secs(1);

#[cfg(any(feature = "mcp", feature = "proxy"))]
impl Stop {
    /// The first time that somebody asks, and the second: who asks again does not want to wait for what is under way.
    pub(crate) fn twice(self) -> (impl Future<Output = ()> + Send + 'static, impl Future<Output = ()>) {
        let (told, heard) = tokio::sync::oneshot::channel();
        let first = async move {
            self.asked().await;
            let _ = told.send(());
        };
        let second = async move {
            if heard.await.is_err() {
                // The server ended by itself.
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(SAME).await;
            Self::new().asked().await;
        };
        (first, second)
    }
}

/// Never comes where the signal cannot be listened to.
#[cfg(unix)]
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) {
    if let Some(signal) = signal
        && signal.recv().await.is_some()
    {
        return;
    }
    std::future::pending().await
}

/// SIGHUP: read the files again. Never comes where the system has no such signal.
#[cfg(any(feature = "proxy", feature = "serve"))]
pub(crate) struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

#[cfg(any(feature = "proxy", feature = "serve"))]
impl Hangups {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    pub(crate) async fn next(&mut self) {
        #[cfg(unix)]
        next(&mut self.signal).await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await
    }
}
