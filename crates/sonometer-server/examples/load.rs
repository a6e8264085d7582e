//! How many requests a second the service answers, beside a bare route of the same server in the same run. Server and clients
//! share the process and its cores, so the ratios say more than the rates.
//!
//! ```text
//! cargo run --release -p sonometer-server --example load [SECONDS [CONNECTIONS [DATABASE]]]
//! ```
//!
//! Every answer is looked at; in the end what was consumed must be what the ledger says.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use sonometer_server::{Limits, serve};
use sonometer_service::{Mode, Scope, Service, Store};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::task::JoinSet;
use tokio::time::sleep;

type Sender = SendRequest<Full<Bytes>>;

/// What is asked again and again.
#[derive(Clone)]
struct Ask {
    name: &'static str,
    method: &'static str,
    path: &'static str,
    body: Bytes,
}

/// What came of it.
#[derive(Default)]
struct Came {
    micros: Vec<u64>,
    failed: u64,
    consumed: u64,
    took: Duration,
}

impl Came {
    fn rate(&self) -> f64 {
        self.micros.len() as f64 / self.took.as_secs_f64()
    }

    fn at(&self, hundredths: usize) -> f64 {
        let last = self.micros.len().saturating_sub(1);
        self.micros.get(last * hundredths / 100).map_or(0.0, |micros| *micros as f64 / 1_000.0)
    }
}

async fn connect(address: SocketAddr) -> Sender {
    let stream = TcpStream::connect(address).await.expect("connects");
    stream.set_nodelay(true).expect("can be set");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("speaks HTTP");
    tokio::spawn(connection);
    sender
}

/// Status, units, and the end of the body.
async fn once(sender: &mut Sender, ask: &Ask, token: &str) -> (StatusCode, u64, Bytes) {
    let request = Request::builder()
        .method(ask.method)
        .uri(ask.path)
        .header("host", "load")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(Full::new(ask.body.clone()))
        .expect("is a request");
    sender.ready().await.expect("is open");
    let answer = sender.send_request(request).await.expect("answers");
    let consumed = answer.headers().get("x-ics-consumed").and_then(|units| units.to_str().ok()?.parse().ok());
    let status = answer.status();
    let body = answer.into_body().collect().await.expect("comes to its end").to_bytes();
    (status, consumed.unwrap_or(0), body)
}

/// Asks on so many connections for so long.
async fn load(address: SocketAddr, ask: &Ask, token: &str, connections: usize, time: Duration) -> Came {
    let mut clients = JoinSet::new();
    let began = Instant::now();
    for _ in 0..connections {
        let (ask, token) = (ask.clone(), token.to_owned());
        clients.spawn(async move {
            let mut sender = connect(address).await;
            let mut came = Came::default();
            while began.elapsed() < time {
                let sent = Instant::now();
                let (status, consumed, _) = once(&mut sender, &ask, &token).await;
                came.micros.push(u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX));
                came.failed += u64::from(status != StatusCode::OK);
                came.consumed += consumed;
            }
            came
        });
    }
    together(clients, began).await
}

async fn together(mut clients: JoinSet<Came>, began: Instant) -> Came {
    let mut all = Came::default();
    while let Some(came) = clients.join_next().await {
        let came = came.expect("does not panic");
        all.micros.extend(came.micros);
        all.failed += came.failed;
        all.consumed += came.consumed;
    }
    all.took = began.elapsed();
    all.micros.sort_unstable();
    all
}

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
    let figures = Ask { name: "", method: "GET", path: "/metrics", body: Bytes::new() };
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

    let talk = "Good morning! Thank you so much for your patience today, I really appreciate it. The parcel left the warehouse \
                on Monday and should arrive within two days; could you please tell me whether somebody will be at home? ";
    let content: String = talk.chars().cycle().take(1_024).collect();
    let body = format!(
        r#"{{"target":{{"type":"protocol","id":"courtesy"}},"interaction":{{"content":"{content}"}}}}"#
    );
    let post = |name, path| Ask { name, method: "POST", path, body: Bytes::from(body.clone()) };
    let get = |name, path| Ask { name, method: "GET", path, body: Bytes::new() };
    let bare = get("bare (/healthz)", "/healthz");
    let asks = [
        get("usage", "/api/v1/usage"),
        post("fidelity, 1 KB", "/api/v1/fidelity/check"),
        post("sense, 1 KB, metered", "/api/v1/sense"),
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
    for ask in &asks {
        load(address, ask, &token, 1, Duration::from_millis(300)).await;
    }
    let before = service.account(&org, Mode::Live).await.expect("is there").used.units;
    let (mut consumed, mut failed) = (0, 0);
    for ask in &asks {
        let base = load(address, &bare, &token, connections, time).await;
        row(bare.name, &base, base.rate());
        let came = load(address, ask, &token, connections, time).await;
        row(ask.name, &came, base.rate());
        consumed += came.consumed;
        failed += came.failed + base.failed;
    }
    // Long enough that all of them are open before the first has ended.
    let turns: Vec<String> = (0..200)
        .map(|number| format!(r#"{{"role":"{}","content":"{talk}"}}"#, ["agent", "customer"][number % 2]))
        .collect();
    let body = format!(
        r#"{{"target":{{"type":"protocol","id":"courtesy"}},"interaction":{{"segments":[{}]}},"stream":{{"interval_ms":0}}}}"#,
        turns.join(",")
    );
    let kilobytes = body.len() / 1_024;
    let ask = Ask { name: "", method: "POST", path: "/api/v1/sense/stream", body: Bytes::from(body) };
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
    let (_, faults) = service.store().check_ledger().await.expect("can be read");
    println!(
        "consumed {consumed} ICS by the answers, {used} by the ledger; {failed} failed; {} accounts wrong",
        faults.len()
    );
    drop(stop);
    let _ = server.await;
    let _ = std::fs::remove_file(file);
    assert!(consumed == used && failed == 0 && faults.is_empty(), "something was lost");
}
