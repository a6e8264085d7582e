//! Whether the database server is there. It is asked on a connection of its own, so that a request need not wait for its own
//! statement to find out: while it is away requests are refused at once, and once it is back they are served. Pools of connections
//! wait longer: one that opens again after an outage must not be given up because its machine is busy.

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions, Connection};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(200);
/// How long it may take to answer. With [`EVERY`] and a little for the answer it is less than a second.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it may take to connect: a server that just came back is busy, and who gives up too early begins anew each time.
const CONNECT: Duration = Duration::from_secs(5);

/// What is known of the server.
#[derive(Debug)]
pub(super) struct Pulse {
    here: watch::Sender<bool>,
    /// Statements of others that were answered: a server that is only slow is not away.
    beats: AtomicU64,
}

impl Pulse {
    /// Of a database that is always there.
    pub(super) fn steady() -> Arc<Self> {
        Arc::new(Self { here: watch::Sender::new(true), beats: AtomicU64::new(0) })
    }

    /// Of a server, which is asked as long as somebody holds the pulse.
    pub(super) fn of(server: AnyConnectOptions) -> Arc<Self> {
        let pulse = Self::steady();
        tokio::spawn(take(server, Arc::downgrade(&pulse)));
        pulse
    }

    /// A statement was answered.
    pub(super) fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_here(&self) -> bool {
        *self.here.borrow()
    }

    /// Waits until the server is away.
    pub(super) async fn stops(&self) {
        let mut here = self.here.subscribe();
        // The sender is held by `self`.
        let _ = here.wait_for(|here| !here).await;
    }
}

async fn take(server: AnyConnectOptions, pulse: Weak<Pulse>) {
    let mut connection = None;
    loop {
        sleep(EVERY).await;
        let Some(before) = pulse.upgrade().map(|pulse| pulse.beats.load(Ordering::Relaxed)) else { return };
        let patience = if connection.is_some() { PATIENCE } else { CONNECT };
        let answered = timeout(patience, ask(&mut connection, &server)).await;
        let answered = matches!(answered, Ok(Ok(())));
        if !answered {
            connection = None;
        }
        let Some(pulse) = pulse.upgrade() else { return };
        let here = answered || pulse.beats.load(Ordering::Relaxed) != before;
        let changed = pulse.here.send_if_modified(|was| std::mem::replace(was, here) != here);
        match (changed, here) {
            (true, true) => tracing::info!("the database is there again"),
            (true, false) => tracing::error!("the database is away"),
            (false, _) => {}
        }
    }
}

async fn ask(connection: &mut Option<AnyConnection>, server: &AnyConnectOptions) -> Result<(), sqlx::Error> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(server.connect().await?),
    };
    connection.ping().await
}
