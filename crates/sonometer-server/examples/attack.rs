//! What an organization B sees while an organization A attacks what both share: slow bodies, long texts, dear protocols, hosts and
//! receivers that hang, files made to harm, many jobs. Service, clients and the hosts that they name share one process, its cores
//! and its loopback; it ends by itself.
//!
//! ```text
//! cargo run --release -p sonometer-server --example attack [-- --quick]
//! ```
//!
//! Prints a table. Ends with an error if B was sent away or failed once or, without `--quick`, if the 99th percentile of its times
//! grew to more than three times what it was and by more than 250 ms.

use axum::Router;
use axum::extract::Request as Asked;
use axum::http::StatusCode as Said;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sonometer_ingest::apart;
use sonometer_server::{FileLimits, FileReader, Limits, Outbound, Resolver, serve};
use sonometer_service::guard::Guard;
use sonometer_service::ports::Ports;
use sonometer_service::{Mode, Scope, Service, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Set where this program is the process that reads a file.
const APART: &str = "SONOMETER_ATTACK_APART";
/// So many clients of B ask at once.
const CLIENTS: usize = 4;

/// What was answered, by status; 0 stands for no answer at all.
type Counts = Arc<Mutex<BTreeMap<u16, u64>>>;

/// One organization that asks.
#[derive(Clone)]
struct Client {
    address: SocketAddr,
    token: String,
}

impl Client {
    async fn connect(&self) -> Option<SendRequest<Full<Bytes>>> {
        let stream = TcpStream::connect(self.address).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        Some(sender)
    }

    /// The status (0: none) and the body of an answer, on a connection of its own.
    async fn ask(&self, method: &str, path: &str, body: Bytes) -> (u16, Bytes) {
        let asked = async {
            let mut sender = self.connect().await?;
            let request = Request::builder().method(method).uri(path).header("host", "attack");
            let request = request.header("authorization", format!("Bearer {}", self.token));
            let request = request.header("content-type", "application/json").body(Full::new(body)).ok()?;
            let answer = sender.send_request(request).await.ok()?;
            let status = answer.status().as_u16();
            Some((status, answer.into_body().collect().await.ok()?.to_bytes()))
        };
        asked.await.unwrap_or_default()
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.ask("POST", path, Bytes::from(body.to_string())).await;
        (status, serde_json::from_slice(&text).unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        serde_json::from_slice(&self.ask("GET", path, Bytes::new()).await.1).unwrap_or_default()
    }
}

fn sense(target: &Value, interaction: &Value) -> Value {
    json!({"target": target, "interaction": interaction})
}

fn protocol(id: &str) -> Value {
    json!({"type": "protocol", "id": id})
}

/// Hosts that answer, and a port that takes connections and says nothing.
struct Hosts {
    answers: SocketAddr,
    silent: SocketAddr,
    /// The paths of notifications that came.
    told: Arc<Mutex<BTreeSet<String>>>,
}

impl Hosts {
    async fn start() -> Self {
        let told: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let (kept, bomb) = (told.clone(), Bytes::from(pdf(60 << 20)));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let answers = listener.local_addr().expect("is bound");
        let router = Router::new().fallback(move |asked: Asked| async move {
            let path = asked.uri().path().to_owned();
            match path.as_str() {
                "/small.txt" => (Said::OK, Bytes::from_static(b"Thank you so much, I really appreciate it.")),
                "/bomb.pdf" => (Said::OK, bomb),
                _ => {
                    kept.lock().expect("is sound").insert(path);
                    (Said::OK, Bytes::new())
                }
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let silent = listener.local_addr().expect("is bound");
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                held.push(stream);
            }
        });
        Self { answers, silent, told }
    }
}

/// A PDF of one page whose content is so many bytes of text once it is unpacked.
fn pdf(unpacked: usize) -> Vec<u8> {
    let line = b"(and so it goes on and on for ever) Tj 0 -1 Td ";
    let content: Vec<u8> = b"BT /F 1 Tf ".iter().chain(line.iter().cycle().take(unpacked)).copied().collect();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a", zip::write::SimpleFileOptions::default()).expect("can be written");
    writer.write_all(&content).expect("can be written");
    let archive = writer.finish().expect("can be written").into_inner();
    // What is packed stands behind the head of the file: 30 bytes and two texts, whose lengths stand in it, as its own does.
    let short = |at: usize| usize::from(u16::from_le_bytes([archive[at], archive[at + 1]]));
    let length = short(18) | short(20) << 16;
    let packed = &archive[30 + short(26) + short(28)..][..length];
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &content {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let stream = [&[0x78, 0x9c][..], packed, &(b << 16 | a).to_be_bytes()].concat();
    let parts: [Vec<u8>; 5] = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
            .to_vec(),
        [
            format!("<</Length {}/Filter/FlateDecode>>stream\n", stream.len()).as_bytes(),
            &stream,
            b"\nendstream",
        ]
        .concat(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    let (mut file, mut places) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    for (number, part) in parts.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj", number + 1).bytes().chain(part.iter().copied()));
        file.extend(b"endobj\n");
    }
    let start = file.len();
    file.extend(b"xref\n0 6\n0000000000 65535 f \n");
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    file.extend(format!("trailer<</Size 6/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

/// A protocol whose lines have gaps within gaps: near the dearest that is taken without a warning.
fn nested(number: usize) -> String {
    let line = |word| {
        format!("      (the|and) &12 ((the|to) &12 ((the|of) &12 ((the|in) &12 (the|w{number}x{word}))))\n")
    };
    format!(
        "sonometer: 1\nid: nested-{number}\nname: Nested\nversion: \"1.0\"\nstatus: published\ntaxonomy: Signal\n\
         description: Gaps within gaps.\nlanguage: en\nmodalities: [text]\nfidelity: {{words: 1, turns: 1, sufficient: 0.1}}\n\
         markers:\n  - label: gaps\n    description: Gaps.\n    strong: |\n{}",
        (0..30).map(line).collect::<String>()
    )
}

/// What A does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attack {
    SlowBodies,
    LongTexts,
    NestedGaps,
    HangingFiles,
    Bombs,
    Jobs,
    HangingReceivers,
}

impl Attack {
    /// Receivers come last: what is not told is tried again for hours.
    const ALL: [Self; 7] = [
        Self::SlowBodies,
        Self::LongTexts,
        Self::NestedGaps,
        Self::HangingFiles,
        Self::Bombs,
        Self::Jobs,
        Self::HangingReceivers,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::SlowBodies => "400 slow bodies",
            Self::LongTexts => "64 × 200 KB, `service-call`",
            Self::NestedGaps => "32 protocols of nested gaps",
            Self::HangingFiles => "40 files on hosts that hang",
            Self::Bombs => "six PDF bombs",
            Self::Jobs => "20 jobs",
            Self::HangingReceivers => "100 receivers that hang",
        }
    }

    /// What B does beside sensing a text: the same that A does, but small.
    fn probes(self) -> &'static [Probe] {
        match self {
            Self::SlowBodies | Self::LongTexts | Self::NestedGaps => &[Probe::Sense],
            Self::HangingFiles | Self::Bombs => &[Probe::Sense, Probe::File],
            Self::Jobs => &[Probe::Sense, Probe::Job],
            Self::HangingReceivers => &[Probe::Sense, Probe::Notification],
        }
    }

    fn count(self) -> usize {
        match self {
            Self::SlowBodies => 400,
            Self::LongTexts => 64,
            Self::NestedGaps => 32,
            Self::HangingFiles => 40,
            Self::Bombs => 6,
            Self::Jobs => 20,
            Self::HangingReceivers => 100,
        }
    }

    /// Asks again and again, as one of [`Attack::count`], until it is aborted.
    async fn go(self, number: usize, client: Client, hosts: Arc<Hosts>, counts: Counts) {
        let note = |status: u16| *counts.lock().expect("is sound").entry(status).or_default() += 1;
        let url = |host: SocketAddr, path: &str| json!({"url": format!("http://{host}{path}")});
        let long = json!({"content": "Good morning, thank you for calling, could you please check my order? ".repeat(2_850)});
        let (path, body) = match self {
            Self::SlowBodies => return slow(client, note).await,
            Self::LongTexts => {
                ("/api/v1/sense", sense(&json!({"type": "blueprint", "id": "service-call"}), &long))
            }
            Self::NestedGaps => {
                let text = json!({"content": "The man and the woman in the garden of the house go to the market and to the end of the street. ".repeat(100)});
                ("/api/v1/sense", sense(&protocol(&format!("nested-{number}")), &text))
            }
            Self::HangingFiles => ("/api/v1/sense", sense(&protocol("affect"), &url(hosts.silent, "/a.txt"))),
            Self::Bombs => ("/api/v1/sense", sense(&protocol("affect"), &url(hosts.answers, "/bomb.pdf"))),
            Self::Jobs => {
                let item = "I am so happy and grateful, and a little sad. ".repeat(80);
                let items: Vec<Value> =
                    (0..250).map(|id| json!({"id": id.to_string(), "content": item})).collect();
                ("/api/v1/sense/batch", json!({"target": protocol("affect"), "interactions": items}))
            }
            Self::HangingReceivers => {
                let mut body =
                    sense(&protocol("courtesy"), &json!({"content": "Thank you so much for your help."}));
                body["callback"] = json!({"url": format!("http://{}/hook", hosts.silent)});
                ("/api/v1/sense", body)
            }
        };
        let body = Bytes::from(body.to_string());
        loop {
            let (status, _) = client.ask("POST", path, body.clone()).await;
            note(status);
            // A job each, and a receiver each: more of them would be another attack.
            if matches!(self, Self::Jobs | Self::HangingReceivers) {
                return std::future::pending().await;
            }
            if status != 200 {
                sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// A body of which a byte comes every second.
async fn slow(client: Client, note: impl Fn(u16)) {
    loop {
        if let Ok(mut stream) = TcpStream::connect(client.address).await {
            let head = format!(
                "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
                 Content-Length: 1000\r\n\r\n",
                client.token
            );
            let mut more = stream.write_all(head.as_bytes()).await;
            while more.is_ok() {
                sleep(Duration::from_secs(1)).await;
                more = stream.write_all(b" ").await;
            }
        }
        note(0);
        sleep(Duration::from_millis(100)).await;
    }
}

/// What B does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Probe {
    Sense,
    File,
    Job,
    Notification,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Probe {
    fn name(self) -> &'static str {
        match self {
            Self::Sense => "senses 1 KB",
            Self::File => "senses a small file",
            Self::Job => "a job of 50, until it has ended",
            Self::Notification => "a job, until its receiver is called",
        }
    }

    /// Does it once; the status of what was asked first.
    async fn once(self, client: &Client, hosts: &Hosts) -> u16 {
        let text = json!({"content": "Good morning! Thank you so much for your patience today. ".repeat(18)});
        match self {
            Self::Sense => client.post("/api/v1/sense", &sense(&protocol("courtesy"), &text)).await.0,
            Self::File => {
                let url = json!({"url": format!("http://{}/small.txt", hosts.answers)});
                client.post("/api/v1/sense", &sense(&protocol("affect"), &url)).await.0
            }
            Self::Job => {
                let items: Vec<Value> = (0..50)
                    .map(|id| json!({"id": id.to_string(), "content": "Thank you, that is kind of you."}))
                    .collect();
                let body = json!({"target": protocol("courtesy"), "interactions": items});
                let (status, answer) = client.post("/api/v1/sense/batch", &body).await;
                let Some(path) = answer["poll_url"].as_str() else { return status };
                while client.get(path).await["status"] == "processing" {
                    sleep(Duration::from_millis(20)).await;
                }
                status
            }
            Self::Notification => {
                let path = format!("/hook/{}", NUMBER.fetch_add(1, Ordering::SeqCst));
                let mut body = sense(&protocol("courtesy"), &text);
                body["callback"] = json!({"url": format!("http://{}{path}", hosts.answers)});
                let (status, _) = client.post("/api/v1/sense", &body).await;
                while status == 202 && !hosts.told.lock().expect("is sound").contains(&path) {
                    sleep(Duration::from_millis(5)).await;
                }
                status
            }
        }
    }

    /// Does it again and again for so long: times in milliseconds, sorted, and what was answered.
    async fn measure(
        self,
        client: &Client,
        hosts: &Arc<Hosts>,
        time: Duration,
    ) -> (Vec<f64>, BTreeMap<u16, u64>) {
        let mut clients = JoinSet::new();
        let began = Instant::now();
        for _ in 0..CLIENTS {
            let (client, hosts) = (client.clone(), hosts.clone());
            clients.spawn(async move {
                let (mut times, mut counts) = (Vec::new(), BTreeMap::new());
                while began.elapsed() < time {
                    let asked = Instant::now();
                    let status = timeout(Duration::from_secs(60), self.once(&client, &hosts)).await;
                    times.push(asked.elapsed().as_secs_f64() * 1_000.0);
                    *counts.entry(status.unwrap_or(0)).or_default() += 1;
                    sleep(Duration::from_millis(20)).await;
                }
                (times, counts)
            });
        }
        let (mut times, mut counts) = (Vec::new(), BTreeMap::new());
        while let Some(one) = clients.join_next().await {
            let (more, statuses): (Vec<f64>, BTreeMap<u16, u64>) = one.expect("does not panic");
            times.extend(more);
            for (status, count) in statuses {
                *counts.entry(status).or_default() += count;
            }
        }
        times.sort_by(f64::total_cmp);
        (times, counts)
    }
}

fn at(times: &[f64], hundredths: usize) -> f64 {
    times.get(times.len().saturating_sub(1) * hundredths / 100).copied().unwrap_or(0.0)
}

fn shown(counts: &BTreeMap<u16, u64>) -> String {
    let one = |(status, count): (&u16, &u64)| match status {
        0 => format!("none: {count}"),
        status => format!("{status}: {count}"),
    };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A service on a port of its own, on threads of its own.
async fn service(hosts: &Hosts, file: &std::path::Path) -> (Service, SocketAddr) {
    let allowed = [hosts.answers, hosts.silent].map(|host| host.to_string().parse().expect("is a rule"));
    let guard = Guard::new(allowed.to_vec());
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }));
    let helper = || {
        let mut helper = Command::new(std::env::current_exe().expect("knows itself"));
        helper.env(APART, "1");
        helper
    };
    let files = FileReader::with(guard.clone(), resolver.clone(), Arc::new(helper), FileLimits::default());
    let outbound = Outbound::with(guard, resolver, Duration::from_secs(15)).expect("can be made");
    let ports = Ports {
        files: Arc::new(files.expect("can be made")),
        callbacks: Arc::new(outbound),
        ..Ports::default()
    };
    let store = Store::open(&file.display().to_string()).await.expect("opens");
    let service = Service::with_ports(store, ports);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    tokio::spawn(serve(listener, service.clone(), Limits::default(), std::future::pending()));
    (service, address)
}

async fn organization(service: &Service, address: SocketAddr, id: &str) -> Client {
    service.create_org(id, id).await.expect("is new");
    let mut settings = service.account(id, Mode::Test).await.expect("is there").settings;
    (settings.quota, settings.per_window) = (1 << 40, 1 << 40);
    service.set_account(id, Mode::Test, &settings).await.expect("can be set");
    let token =
        service.create_token(id, Mode::Test, "attack", &Scope::DEFAULT, None, 0).await.expect("is made").1;
    Client { address, token }
}

/// Cancels what is left of the jobs of A.
async fn cancel(a: &Client) {
    loop {
        let jobs = a.get("/api/v1/jobs?limit=100").await;
        let left: Vec<&str> = jobs["jobs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|job| job["status"] == "processing")
            .filter_map(|job| job["job_id"].as_str())
            .collect();
        for id in &left {
            a.ask("DELETE", &format!("/api/v1/jobs/{id}"), Bytes::new()).await;
        }
        if left.is_empty() {
            return;
        }
    }
}

async fn run(address: SocketAddr, service: &Service, hosts: Arc<Hosts>, time: Duration) -> (bool, bool) {
    let (a, b) = (organization(service, address, "a").await, organization(service, address, "b").await);
    for number in 0..Attack::NestedGaps.count() {
        service.publish("a", &nested(number)).await.unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    // The first request of a kind compiles its protocol.
    for probe in [Probe::Sense, Probe::File, Probe::Job, Probe::Notification] {
        probe.measure(&b, &hosts, Duration::from_millis(200)).await;
    }
    println!(
        "| A does | B does | p50, p99 before, ms | p50, p99 meanwhile, ms | B: answers | A: answers | B untouched |"
    );
    println!("|---|---|---:|---:|---|---|---|");
    let (mut served, mut fast) = (true, true);
    for attack in Attack::ALL {
        for probe in attack.probes() {
            let (before, _) = probe.measure(&b, &hosts, time).await;
            let counts = Counts::default();
            let mut attackers = JoinSet::new();
            for number in 0..attack.count() {
                attackers.spawn(attack.go(number, a.clone(), hosts.clone(), counts.clone()));
            }
            // Until it is in full swing.
            sleep(Duration::from_secs(1)).await;
            let (meanwhile, answers) = probe.measure(&b, &hosts, time).await;
            attackers.shutdown().await;
            cancel(&a).await;
            let (was, is) = (at(&before, 99), at(&meanwhile, 99));
            let is_served = answers.keys().all(|status| matches!(status, 200 | 202));
            let is_fast = is <= (3.0 * was).max(was + 250.0);
            (served, fast) = (served && is_served, fast && is_fast);
            println!(
                "| {} | {} | {:.1}, {was:.1} | {:.1}, {is:.1} | {} | {} | {} |",
                attack.name(),
                probe.name(),
                at(&before, 50),
                at(&meanwhile, 50),
                shown(&answers),
                shown(&counts.lock().expect("is sound")),
                if is_served && is_fast { "yes" } else { "**no**" }
            );
        }
    }
    (served, fast)
}

fn main() -> ExitCode {
    if std::env::var_os(APART).is_some() {
        return if apart::serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let quick = std::env::args().any(|argument| argument == "--quick");
    let time = Duration::from_secs(if quick { 2 } else { 10 });
    let file = std::env::temp_dir().join(format!("sonometer-attack-{}.sqlite", std::process::id()));
    // The service has threads of its own; the clients have one.
    let serving = tokio::runtime::Runtime::new().expect("threads");
    let asking = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let (served, fast) = asking.expect("a thread").block_on(async {
        let hosts = Arc::new(Hosts::start().await);
        let (there, at) = (hosts.clone(), file.clone());
        let (service, address) =
            serving.spawn(async move { service(&there, &at).await }).await.expect("does not panic");
        run(address, &service, hosts, time).await
    });
    serving.shutdown_background();
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
    }
    match (served, fast) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) if quick => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
