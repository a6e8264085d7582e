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
