//! Connections: accepted, limited in number and in how long their heads may take, and let finish when the service stops.

use crate::{Limits, router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use sonometer_service::Service;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// So many jobs are worked on at once, so that a large one does not keep small ones waiting.
const JOBS_AT_ONCE: usize = 2;

/// Serves until `stop` comes, then lets what is under way finish, for [`Limits::drain`] at most. Whether all of it did.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> bool {
    let (ask, asked) = watch::channel(false);
    let mut workers = JoinSet::new();
    for _ in 0..JOBS_AT_ONCE {
        workers.spawn(service.clone().work_on_jobs(asked.clone()));
    }
    workers.spawn(service.clone().deliver(asked.clone()));
    workers.spawn(service.clone().watch_idle_dives(limits.dive_idle, asked.clone()));
    workers.spawn(tidy(service.clone(), asked));
    let router = router(service, limits);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(limits.arrival).max_buf_size(64 << 10);
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accepted => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Mostly too many open files: a moment later there may be room.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // What breaks here is the connection of one client.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = ask.send(true);
    let all = async {
        graceful.shutdown().await;
        while workers.join_next().await.is_some() {}
    };
    timeout(limits.drain, all).await.is_ok()
}

/// Forgets, once an hour, what is kept for a time only.
async fn tidy(service: Service, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        if let Err(refusal) = service.tidy().await {
            tracing::warn!(%refusal, "what is old could not be forgotten");
        }
        tokio::select! {
            () = sleep(Duration::from_secs(3_600)) => {}
            _ = stop.changed() => {}
        }
    }
}
