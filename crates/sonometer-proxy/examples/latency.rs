//! What the guard adds beside a plain pass-through, measured in one run against a provider that replays answers:
//! `cargo run --release -p sonometer-proxy --example latency`.
//!
//! The proxy runs in a process of its own. `/v1/plain` is a route that it passes through; the provider answers both alike. With the path of a command
//! behind it (`-- target/release/sonometer`), that command's `proxy` is measured; else one with nothing around it.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use sonometer::{Error, Instrument, TargetKind};
use sonometer_guard::{Guard, Policy};
use sonometer_proxy::{Proxy, Upstream};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Barrier, Notify};
use tokio::time::{sleep, timeout};

const REQUESTS: usize = 2_000;
/// Streams that are measured in turns, one alone, and so many side by side.
const STREAMS: usize = 20;
const CHUNKS: usize = 100;
/// Rounds of streams side by side.
const ROUNDS: usize = 5;
/// Streams that are open at once.
const MANY: usize = 1_000;

type Failed = Box<dyn std::error::Error + Send + Sync>;
type Http = Client<HttpConnector, Body>;

fn main() -> Result<(), Failed> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("proxy"), Some(upstream)) => {
            // As the command does it: what the guard needed for a moment is given to a thread that serves.
            let guard = thread::spawn(guard).join().map_err(|_| "the guard panicked")??;
            Runtime::new()?.block_on(proxy(&upstream, guard))
        }
        (command, _) => Runtime::new()?.block_on(measure(command)),
    }
}

fn guard() -> Result<Guard, Failed> {
    let find = |target: &str| -> Result<Instrument, Error> {
        let entry = sonometer_catalog::find_any(target, &TargetKind::ALL)
            .map_err(|none| Error::invalid("", none.to_string()))?;
        Instrument::new(entry.document()?.0, &sonometer_catalog::Shipped)
    };
    let guard = Guard::new(&Policy::mask("personal-data"), find)?;
    guard.warm_up()?;
    Ok(guard)
}

async fn proxy(upstream: &str, guard: Guard) -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    Proxy::new(Upstream::new(upstream)?, guard).serve(listener, std::future::pending()).await?;
    Ok(())
}

/// When a chunk is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// When the one before it has come to the client.
    Arrival,
    /// After a pause.
    Pause,
    /// After a pause, and in the middle when all of [`MANY`] streams have come there.
    Together,
}

/// The words of requests that ask for them.
const ARRIVAL: &str = "\"arrival\"";
const TOGETHER: &str = "\"together\"";
/// The pause between two chunks.
const PAUSE: Duration = Duration::from_millis(5);

/// What provider and client share.
#[derive(Clone)]
struct Clock {
    start: Instant,
    arrived: Arc<Notify>,
    together: Arc<Barrier>,
}

/// The nanoseconds since the start stand in `created`, so that the client knows how long a chunk was under way.
async fn provider(State(Clock { start, arrived, together }): State<Clock>, request: Request) -> Response {
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    if !body.contains("\"stream\"") {
        return ([("content-type", "application/json")], whole()).into_response();
    }
    let (waits, is_together) = (body.contains(ARRIVAL), body.contains(TOGETHER));
    let chunk = move |at: usize| {
        let (arrived, together) = (Arc::clone(&arrived), Arc::clone(&together));
        async move {
            match waits {
                true if at == 0 => {}
                // A guard that held a chunk back whole would make both wait for ever.
                true => drop(timeout(PAUSE, arrived.notified()).await),
                false => sleep(PAUSE).await,
            }
            if is_together && at == CHUNKS / 2 {
                together.wait().await;
            }
            let created = start.elapsed().as_nanos();
            let data = match at {
                CHUNKS => "{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}".to_owned(),
                _ => {
                    let word = ANSWER.split(' ').cycle().nth(at).unwrap_or_default();
                    format!("{{\"index\":0,\"delta\":{{\"content\":\" {word}\"}},\"finish_reason\":null}}")
                }
            };
            let end = if at == CHUNKS { "data: [DONE]\n\n" } else { "" };
            Ok::<_, std::io::Error>(Bytes::from(format!(
                "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":{created},\"model\":\"m\",\"choices\":[{data}]}}\n\n{end}"
            )))
        }
    };
    let chunks = stream::iter(0..=CHUNKS).then(chunk);
    ([("content-type", "text/event-stream")], Body::from_stream(chunks)).into_response()
}

/// What the provider says, whole or word by word, again and again.
const ANSWER: &str = "Thank you for your message. Your order was sent yesterday and will arrive on Friday. You can follow it with the link in our mail; please write to us again if it does not arrive.";

fn whole() -> String {
    format!(
        "{{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{ANSWER}\"}},\"finish_reason\":\"stop\"}}],\"usage\":{{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}}}"
    )
}

fn body(stream: Option<Pace>) -> String {
    let stream = match stream {
        None => String::new(),
        Some(Pace::Pause) => "\"stream\":true,".to_owned(),
        Some(Pace::Arrival) => format!("\"stream\":true,\"user\":{ARRIVAL},"),
        Some(Pace::Together) => format!("\"stream\":true,\"user\":{TOGETHER},"),
    };
    let text = "I ordered a lamp last week and have heard nothing since. Could you look where it is? My address is ann@example.org, and I am at home on Friday.";
    format!(
        "{{\"model\":\"m\",{stream}\"messages\":[{{\"role\":\"system\",\"content\":\"You are the assistant of a shop. Be brief.\"}},{{\"role\":\"user\",\"content\":\"{text}\"}}]}}"
    )
}

/// What starts the proxy.
fn start(command: Option<&str>, upstream: &str) -> Result<Command, Failed> {
    let Some(command) = command else {
        let mut alone = Command::new(std::env::current_exe()?);
        alone.args(["proxy", upstream]);
        return Ok(alone);
    };
    let mut whole = Command::new(command);
    whole.args(["proxy", "--listen", "127.0.0.1:0", "--upstream", upstream, "--mask", "personal-data"]);
    Ok(whole)
}

async fn measure(command: Option<&str>) -> Result<(), Failed> {
    let together = Arc::new(Barrier::new(MANY));
    let clock = Clock { start: Instant::now(), arrived: Arc::default(), together };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let upstream = format!("http://{}", listener.local_addr()?);
    let router = Router::new().fallback(provider).with_state(clock.clone());
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut child = start(command, &upstream)?.stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let address = line.trim().trim_start_matches("listening on http://");
    let result = all(address, &clock, child.id()).await;
    child.kill()?;
    child.wait()?;
    result
}

async fn all(address: &str, clock: &Clock, process: u32) -> Result<(), Failed> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Http = Client::builder(TokioExecutor::new()).build(connector);
    let uri = |path: &str| format!("http://{address}{path}");
    let (plain, guarded) = (uri("/v1/plain"), uri("/v1/chat/completions"));
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..REQUESTS + 50 {
        // In turns, so that what else the machine does meets both.
        for (at, uri) in [&plain, &guarded].into_iter().enumerate() {
            let began = Instant::now();
            ask(&client, uri, None).await?.into_body().collect().await?;
            if round >= 50 {
                times[at].push(began.elapsed());
            }
        }
    }
    show("request", &mut times);
    for (pace, what) in [
        (Pace::Arrival, "chunk of one stream, sent when the one before has come"),
        (Pace::Pause, "chunk of one stream, 5 ms apart"),
    ] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..STREAMS {
            for (at, uri) in [&plain, &guarded].into_iter().enumerate() {
                times[at].extend(chunks(&client, uri, pace, clock).await?);
            }
        }
        show(what, &mut times);
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (at, uri) in [&plain, &guarded].into_iter().enumerate() {
            let begun_apart = |stream| {
                let client = &client;
                async move {
                    sleep(PAUSE / STREAMS as u32 * stream as u32).await;
                    chunks(client, uri, Pace::Pause, clock).await
                }
            };
            let side_by_side = (0..STREAMS).map(begun_apart);
            for stream in futures_util::future::join_all(side_by_side).await {
                times[at].extend(stream?);
            }
        }
    }
    show(&format!("chunk of {STREAMS} streams side by side, 5 ms apart"), &mut times);
    let before = resident(process)?;
    let mut open = Vec::new();
    for _ in 0..MANY {
        let (client, guarded) = (client.clone(), guarded.clone());
        open.push(tokio::spawn(async move {
            let body = ask(&client, &guarded, Some(Pace::Together)).await?.into_body();
            Ok::<_, Failed>(body.collect().await?.to_bytes().ends_with(b"[DONE]\n\n"))
        }));
    }
    let mut most = before;
    while open.iter().any(|task| !task.is_finished()) {
        most = most.max(resident(process)?);
        sleep(Duration::from_millis(20)).await;
    }
    let mut whole = 0;
    for task in open {
        whole += usize::from(task.await??);
    }
    println!(
        "{whole} of {MANY} streams at once, whole: the proxy has {} MB, {} of them pages of files; {} MB before the streams",
        most.all / 1_000,
        most.of_files / 1_000,
        before.all / 1_000
    );
    Ok(())
}

/// How long each chunk of a stream was under way.
async fn chunks(client: &Http, uri: &str, pace: Pace, clock: &Clock) -> Result<Vec<Duration>, Failed> {
    let mut times = Vec::new();
    let mut body = ask(client, uri, Some(pace)).await?.into_body();
    while let Some(frame) = body.frame().await {
        let now = clock.start.elapsed();
        let Ok(bytes) = frame?.into_data() else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let created = text.split("\"created\":").nth(1).and_then(|rest| rest.split(',').next());
        if let Some(created) = created.and_then(|created| created.parse().ok()) {
            times.push(now.saturating_sub(Duration::from_nanos(created)));
            // The last one is followed by nothing.
            if pace == Pace::Arrival && times.len() <= CHUNKS {
                clock.arrived.notify_one();
            }
        }
    }
    Ok(times)
}

async fn ask(
    client: &Http,
    uri: &str,
    stream: Option<Pace>,
) -> Result<axum::http::Response<hyper::body::Incoming>, Failed> {
    let request = axum::http::Request::post(uri).header("content-type", "application/json");
    Ok(client.request(request.body(Body::from(body(stream)))?).await?)
}

fn show(what: &str, times: &mut [Vec<Duration>; 2]) {
    times.iter_mut().for_each(|times| times.sort());
    let at =
        |times: &[Duration], part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
    for part in [0.5, 0.99] {
        let (plain, guarded) = (at(&times[0], part), at(&times[1], part));
        println!(
            "{what} p{:.0}: plain {plain:.0} µs, guarded {guarded:.0} µs, added {:.0} µs",
            part * 100.0,
            guarded - plain
        );
    }
}

/// The memory of a process, in kilobytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Memory {
    all: u64,
    /// Of it, pages of its file and of libraries, which the system may drop.
    of_files: u64,
}

fn resident(process: u32) -> Result<Memory, Failed> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let of = |name: &str| -> Result<u64, Failed> {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        Ok(line.ok_or(format!("no {name}"))?.trim().trim_end_matches(" kB").parse()?)
    };
    Ok(Memory { all: of("VmRSS:")?, of_files: of("RssFile:")? })
}
