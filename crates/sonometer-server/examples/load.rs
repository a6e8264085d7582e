//! How many requests a second the service answers, beside a bare route of the same server in the same run. Server and clients
//! share the process and its cores, so the ratios say more than the rates.
//!
//! ```text
//! cargo run --release -p sonometer-server --example load [SECONDS [CONNECTIONS [DATABASE]]]
//! ```
//!
//! Every answer is looked at; in the end what was consumed must be what the ledger says.

#[path = "client/mod.rs"]
mod client;

use client::{Ask, Came, TALK, connect, load, once, together};
use hyper::StatusCode;
use hyper::body::Bytes;
use sonometer_server::{Limits, serve};
use sonometer_service::{Mode, Scope, Service, Store};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// So many streams at once, each on a connection of its own: all connect first, then all ask.
async fn streams(address: SocketAddr, ask: &Ask, token: &str, count: usize) -> Came {
    let mut senders = Vec::with_capacity(count);
    for _ in 0..count {
        senders.push(connect(address).await);
    }
    let mut clients = JoinSet::new();
    let began = Instant::now();
    for mut sender in senders {
        let (ask, token) = (ask.clone(), token.to_owned());
        clients.spawn(async move {
            let (status, _, body) = once(&mut sender, &ask, &token).await;
            let body = String::from_utf8_lossy(&body);
            let consumed = body.split_once("event: complete").and_then(|(_, last)| {
                let (_, units) = last.split_once("\"ics_consumed\":")?;
                units.trim_end().trim_end_matches('}').parse().ok()
            });
            Came {
                micros: vec![u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX)],
                failed: u64::from(status != StatusCode::OK || consumed.is_none()),
                consumed: consumed.unwrap_or(0),
                took: Duration::ZERO,
            }
        });
    }
    together(clients, began).await
}

/// The most streams that the server was telling at the same time, looked at until `stop`.
async fn most_open(address: SocketAddr, mut stop: oneshot::Receiver<()>) -> (u64, u64) {
    let figures = Ask { method: "GET", path: "/metrics", body: Bytes::new(), keyed: false };
    let mut sender = connect(address).await;
    let (mut open, mut held) = (0, 0);
    while stop.try_recv() == Err(TryRecvError::Empty) {
        let (_, _, text) = once(&mut sender, &figures, "").await;
        let text = String::from_utf8_lossy(&text);
        let told = text.lines().find_map(|line| line.strip_prefix("sonometer_streams ")?.parse().ok());
        open = told.unwrap_or(0).max(open);
        held = memory().max(held);
        sleep(Duration::from_millis(20)).await;
    }
    (open, held)
}

/// Mebibytes that the process holds.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn row(name: &str, came: &Came, bare: f64) {
    println!(
        "{name:<22} {:>9.0}/s  {:>6.3}  {:>8.2} ms  {:>8.2} ms  {:>6}  {:>5} MiB",
        came.rate(),
        came.rate() / bare,
        came.at(50),
        came.at(99),
        came.failed,
        memory()
    );
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(5);
    let connections = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(32);
    let file = std::env::temp_dir().join(format!("sonometer-load-{}.sqlite", std::process::id()));
    let database = arguments.next().unwrap_or_else(|| file.display().to_string());

    let service = Service::new(Store::open(&database).await.expect("opens"));
    let org = format!("load-{}", std::process::id());
    service.create_org(&org, "Load").await.expect("is new");
    let mut settings = service.account(&org, Mode::Live).await.expect("is there").settings;
    (settings.quota, settings.per_window) = (1 << 40, 1 << 40);
    service.set_account(&org, Mode::Live, &settings).await.expect("can be set");
    let (_, token) =
        service.create_token(&org, Mode::Live, "load", &Scope::DEFAULT, None, 0).await.expect("is made");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, service.clone(), Limits::default(), async {
        let _ = stopped.await;
    }));

    let body = client::courtesy();
    let post = |path| Ask { method: "POST", path, body: body.clone(), keyed: false };
    let get = |path| Ask { method: "GET", path, body: Bytes::new(), keyed: false };
    let bare = get("/healthz");
    let asks = [
        ("usage", get("/api/v1/usage")),
        ("fidelity, 1 KB", post("/api/v1/fidelity/check")),
        ("sense, 1 KB, metered", post("/api/v1/sense")),
    ];
    let time = Duration::from_secs(seconds);
    println!(
        "{connections} connections, {seconds} s each, {}",
        if database.contains("://") { "PostgreSQL" } else { "SQLite" }
    );
    println!(
        "{:<22} {:>11}  {:>6}  {:>11}  {:>11}  {:>6}  {:>9}",
        "", "answers", "ratio", "p50", "p99", "failed", "memory"
    );
    // The first request of a kind compiles its protocol.
    for (_, ask) in &asks {
        load(address, ask, &token, 1, Duration::from_millis(300)).await;
    }
    let before = service.account(&org, Mode::Live).await.expect("is there").used.units;
    let (mut consumed, mut failed) = (0, 0);
    for (name, ask) in &asks {
        let base = load(address, &bare, &token, connections, time).await;
        row("bare (/healthz)", &base, base.rate());
        let came = load(address, ask, &token, connections, time).await;
        row(name, &came, base.rate());
        consumed += came.consumed;
        failed += came.failed + base.failed;
    }
    // Long enough that all of them are open before the first has ended.
    let turns: Vec<String> = (0..200)
        .map(|number| format!(r#"{{"role":"{}","content":"{TALK}"}}"#, ["agent", "customer"][number % 2]))
        .collect();
    let body = format!(
        r#"{{"target":{{"type":"protocol","id":"courtesy"}},"interaction":{{"segments":[{}]}},"stream":{{"interval_ms":0}}}}"#,
        turns.join(",")
    );
    let kilobytes = body.len() / 1_024;
    let ask = Ask { method: "POST", path: "/api/v1/sense/stream", body: Bytes::from(body), keyed: false };
    let (enough, stop_looking) = oneshot::channel();
    let looking = tokio::spawn(most_open(address, stop_looking));
    let came = streams(address, &ask, &token, 1_000).await;
    drop(enough);
    let (open, held) = looking.await.expect("does not panic");
    println!(
        "1000 streams of {kilobytes} KB: {open} open at the same time, {held} MiB then; all told after {:.2} s, p50 {:.0} ms, p99 {:.0} ms, {} failed",
        came.took.as_secs_f64(),
        came.at(50),
        came.at(99),
        came.failed
    );
    consumed += came.consumed;
    failed += came.failed;
    let used = service.account(&org, Mode::Live).await.expect("is there").used.units - before;
    let checked = service.store().check_ledger().await.expect("can be read");
    println!(
        "consumed {consumed} ICS by the answers, {used} by the ledger; {failed} failed; {} accounts wrong",
        checked.faults.len()
    );
    drop(stop);
    let _ = server.await;
    let _ = std::fs::remove_file(file);
    assert!(consumed == used && failed == 0 && checked.is_right(), "something was lost");
}
