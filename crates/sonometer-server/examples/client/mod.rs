//! A client of many connections, each of which asks again as soon as it is answered.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// What is said in most measurements.
pub(crate) const TALK: &str = "Good morning! Thank you so much for your patience today, I really appreciate it. The parcel left the warehouse \
     on Monday and should arrive within two days; could you please tell me whether somebody will be at home? ";

/// A request to sense 1 KB with `courtesy`.
pub(crate) fn courtesy() -> Bytes {
    let content: String = TALK.chars().cycle().take(1_024).collect();
    let body = format!(
        r#"{{"target":{{"type":"protocol","id":"courtesy"}},"interaction":{{"content":"{content}"}}}}"#
    );
    Bytes::from(body)
}

pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// What is asked again and again.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) body: Bytes,
    /// Whether each request has an `Idempotency-Key` of its own.
    pub(crate) keyed: bool,
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Came {
    pub(crate) micros: Vec<u64>,
    pub(crate) failed: u64,
    pub(crate) consumed: u64,
    pub(crate) took: Duration,
}

impl Came {
    pub(crate) fn rate(&self) -> f64 {
        self.micros.len() as f64 / self.took.as_secs_f64()
    }

    pub(crate) fn at(&self, hundredths: usize) -> f64 {
        let last = self.micros.len().saturating_sub(1);
        self.micros.get(last * hundredths / 100).map_or(0.0, |micros| *micros as f64 / 1_000.0)
    }
}

pub(crate) async fn connect(address: SocketAddr) -> Sender {
    let stream = TcpStream::connect(address).await.expect("connects");
    stream.set_nodelay(true).expect("can be set");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("speaks HTTP");
    tokio::spawn(connection);
    sender
}

/// Status, units, and the end of the body.
pub(crate) async fn once(sender: &mut Sender, ask: &Ask, token: &str) -> (StatusCode, u64, Bytes) {
    let mut request = Request::builder()
        .method(ask.method)
        .uri(ask.path)
        .header("host", "load")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json");
    if ask.keyed {
        request =
            request.header("idempotency-key", format!("load-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    }
    let request = request.body(Full::new(ask.body.clone())).expect("is a request");
    sender.ready().await.expect("is open");
    let answer = sender.send_request(request).await.expect("answers");
    let consumed = answer.headers().get("x-ics-consumed").and_then(|units| units.to_str().ok()?.parse().ok());
    let status = answer.status();
    let body = answer.into_body().collect().await.expect("comes to its end").to_bytes();
    (status, consumed.unwrap_or(0), body)
}

/// Asks on so many connections for so long.
pub(crate) async fn load(
    address: SocketAddr,
    ask: &Ask,
    token: &str,
    connections: usize,
    time: Duration,
) -> Came {
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

pub(crate) async fn together(mut clients: JoinSet<Came>, began: Instant) -> Came {
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
