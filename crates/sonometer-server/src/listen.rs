//! Connections: accepted, limited in number and in how long their heads may take, and let finish when the service stops.

use crate::front::Peer;
use crate::places::{Held, Places};
use crate::tls::watch_tls;
use crate::turned::{Turned, Why};
use crate::{Control, Limits, Reload, Reloaded, admin, router};
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service as Answers;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use sonometer_listen::{Stalls, prepare};
use sonometer_service::{JOBS_AT_ONCE, Service};
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Where the service is called.
pub struct Doors {
    /// By everybody.
    pub all: TcpListener,
    /// By operators, if at all.
    pub admin: Option<TcpListener>,
    /// What reads the settings again when an operator asks.
    pub reload: Reload,
}

/// Serves until `stop` comes, then lets what is under way finish, for [`Limits::drain`] at most. Whether all of it did.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> bool {
    // There are no settings to read.
    let reload: Reload = Arc::new(|| Ok(Reloaded::default()));
    run(Doors { all: listener, admin: None, reload }, service, Control::new(limits.into()), stop).await
}

/// As [`serve`], with everything that can change while it runs.
pub async fn run(doors: Doors, service: Service, control: Control, stop: impl Future<Output = ()>) -> bool {
    let (ask, asked) = watch::channel(false);
    let limits = control.live().limits;
    let mut workers = JoinSet::new();
    for _ in 0..JOBS_AT_ONCE {
        workers.spawn(service.clone().work_on_jobs(asked.clone()));
    }
    workers.spawn(service.clone().deliver(asked.clone()));
    workers.spawn(service.clone().watch_claims(asked.clone()));
    workers.spawn(service.clone().watch_idle_dives(limits.dive_idle, asked.clone()));
    workers.spawn(tidy(service.clone(), asked.clone()));
    workers.spawn(watch_tls(control.clone(), asked.clone()));
    let door = |router| Door {
        router,
        control: control.clone(),
        places: Arc::default(),
        graceful: GracefulShutdown::new(),
    };
    let mut accepting = JoinSet::new();
    if let Some(listener) = doors.admin {
        let router = admin::router(service.clone(), &control, doors.reload);
        accepting.spawn(door(router).accept(listener, asked.clone()));
    }
    accepting.spawn(door(router(service, &control)).accept(doors.all, asked));
    stop.await;
    let _ = ask.send(true);
    let all = async {
        // Nobody connects any more; those who are connected are answered.
        while let Some(closed) = accepting.join_next().await {
            if let Ok(graceful) = closed {
                graceful.shutdown().await;
            }
        }
        while workers.join_next().await.is_some() {}
    };
    let finished = timeout(control.live().limits.drain, all).await.is_ok();
    control.turned().sum_up_all();
    finished
}

/// What connections to one listener share.
struct Door {
    router: Router,
    control: Control,
    places: Arc<Places>,
    graceful: GracefulShutdown,
}

impl Door {
    /// Until `stop` says so; what is left is to be shut down.
    async fn accept(self, listener: TcpListener, mut stop: watch::Receiver<bool>) -> GracefulShutdown {
        loop {
            let accepted = async {
                let place = self.places.place(&self.control).await;
                (listener.accept().await, place)
            };
            let (accepted, mut place) = tokio::select! {
                biased;
                _ = stop.changed() => return self.graceful,
                accepted = accepted => accepted,
            };
            match accepted {
                Ok((stream, from)) if place.is_given(from.ip(), &self.control.live()) => {
                    self.open(stream, from.ip(), place);
                }
                Ok((_, from)) => self.control.turned().away(Why::Share, Some(from.ip()), None),
                Err(error) => {
                    // Mostly too many open files: a moment later there may be room.
                    self.control.turned().away(Why::System, None, Some(&error));
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn open(&self, stream: TcpStream, from: IpAddr, place: Held) {
        prepare(&stream);
        let limits = self.control.live().limits;
        let stream = Stalls::new(stream, limits.stalled);
        let (router, watcher) = (self.router.clone(), self.graceful.watcher());
        let turned = self.control.turned().clone();
        match self.control.tls() {
            None => drop(tokio::spawn(talk(stream, from, router, limits, watcher, place, turned))),
            Some(tls) => drop(tokio::spawn(async move {
                match timeout(limits.arrival, tls.acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => talk(stream, from, router, limits, watcher, place, turned).await,
                    Ok(Err(error)) => turned.away(Why::Tls, Some(from), Some(&error)),
                    Err(_) => turned.away(Why::Tls, Some(from), Some(&"none in time")),
                }
            })),
        }
    }
}

/// A connection to its end.
async fn talk<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    from: IpAddr,
    router: Router,
    limits: Limits,
    watcher: Watcher,
    place: Held,
    turned: Turned,
) {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(limits.arrival).max_buf_size(64 << 10);
    let service = From { peer: Peer(from), inner: TowerToHyperService::new(router) };
    let connection = server.serve_connection(TokioIo::new(stream), service);
    // What breaks here is the connection of one client. What was no HTTP was answered by hyper itself, and is logged here.
    match watcher.watch(connection).await {
        Err(error) if error.is_parse_version_h2() => turned.away(Why::Http2, Some(from), None),
        Err(error) if error.is_parse() || error.is_parse_too_large() => {
            tracing::info!(client = %from, status = status_of(&error), %error, "answered");
        }
        _ => {}
    }
    drop(place);
}

/// What hyper answers to what it cannot read.
fn status_of(error: &hyper::Error) -> u16 {
    match error.is_parse_too_large() {
        // It has one name for both.
        true if error.to_string().starts_with("URI") => 414,
        true => 431,
        false => 400,
    }
}

/// Notes with every request who is connected.
#[derive(Clone)]
struct From {
    peer: Peer,
    inner: TowerToHyperService<Router>,
}

impl Answers<hyper::Request<Incoming>> for From {
    type Response = <TowerToHyperService<Router> as Answers<hyper::Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as Answers<hyper::Request<Incoming>>>::Error;
    type Future = <TowerToHyperService<Router> as Answers<hyper::Request<Incoming>>>::Future;

    fn call(&self, mut request: hyper::Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        self.inner.call(request)
    }
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
