//! Traces and metrics, as a collector of OpenTelemetry gets them: one that the test starts, which reads protobuf.

use crate::{ASK, folder};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A request as it came: path, the header `x-key`, and body.
type Came = (String, String, Vec<u8>);

/// Answers every request with 200, and keeps it.
struct Collector {
    address: String,
    came: Arc<Mutex<Vec<Came>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("is bound").to_string();
        let came: Arc<Mutex<Vec<Came>>> = Arc::default();
        let all = came.clone();
        spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let Ok(request) = read(&stream) else { continue };
                // Kept before it is answered: who has its answer may end, and is looked into then.
                all.lock().expect("is sound").push(request);
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n",
                );
            }
        });
        Self { address, came }
    }

    fn bodies<M: Message + Default>(&self, path: &str) -> Vec<M> {
        let came = self.came.lock().expect("is sound");
        let bodies = came.iter().filter(|(at, ..)| at == path).map(|(.., body)| &body[..]);
        bodies.map(|body| M::decode(body).expect("is protobuf")).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let all = self.bodies::<ExportTraceServiceRequest>("/v1/traces").into_iter();
        all.flat_map(|request| request.resource_spans)
            .flat_map(|of| of.scope_spans)
            .flat_map(|of| of.spans)
            .collect()
    }

    fn readings(&self) -> Vec<LogRecord> {
        let all = self.bodies::<ExportLogsServiceRequest>("/v1/logs").into_iter();
        all.flat_map(|request| request.resource_logs)
            .flat_map(|of| of.scope_logs)
            .flat_map(|of| of.log_records)
            .collect()
    }

    /// Every metric by its name, with the attributes of its points.
    fn metrics(&self) -> BTreeMap<String, Vec<BTreeMap<String, String>>> {
        let mut all: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let requests = self.bodies::<ExportMetricsServiceRequest>("/v1/metrics").into_iter();
        let scopes = requests.flat_map(|request| request.resource_metrics).flat_map(|of| of.scope_metrics);
        for metric in scopes.flat_map(|of| of.metrics) {
            let points: Vec<Vec<KeyValue>> = match metric.data.expect("has data") {
                Data::Gauge(gauge) => gauge.data_points.into_iter().map(|point| point.attributes).collect(),
                Data::Sum(sum) => sum.data_points.into_iter().map(|point| point.attributes).collect(),
                Data::Histogram(of) => of.data_points.into_iter().map(|point| point.attributes).collect(),
                other => panic!("{} is {other:?}", metric.name),
            };
            all.entry(metric.name).or_default().extend(points.iter().map(|point| attributes(point)));
        }
        all
    }
}

fn read(stream: &TcpStream) -> std::io::Result<Came> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut length, mut key) = (0, String::new());
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "x-key" => value.clone_into(&mut key),
            "content-type" => assert_eq!(value, "application/x-protobuf"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((path, key, body))
}

fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn attributes(all: &[KeyValue]) -> BTreeMap<String, String> {
    all.iter().map(|pair| (pair.key.clone(), text(pair.value.as_ref()))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Served {
    child: Child,
    address: String,
    token: String,
    log: PathBuf,
}

impl Served {
    fn start(name: &str, endpoint: &str, more: &[&str]) -> Self {
        let folder = folder(name);
        let mut child = Command::new(env!("CARGO_BIN_EXE_sonometer"))
            .args(["serve", "--listen", "127.0.0.1:0", "--database", "db.sqlite", "--first-token", "token"])
            .args(["--otlp-endpoint", endpoint])
            .args(more)
            .env("SONOMETER_OTLP_HEADERS", "x-key=of-the-collector")
            // Spans are sent soon.
            .env("OTEL_BSP_SCHEDULE_DELAY", "200")
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(fs::File::create(folder.join("log")).expect("can be made"))
            .spawn()
            .expect("starts");
        let address = listening(&mut child);
        let token = fs::read_to_string(folder.join("token")).expect("was written").trim().to_owned();
        Self { child, address, token, log: folder.join("log") }
    }

    /// The status of a request.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).expect("connects");
        let (token, length) = (&self.token, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("is taken");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("is text");
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("has a status")
    }

    /// Ends it as an operator does.
    fn stop(&mut self) -> Duration {
        let began = Instant::now();
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("there is kill").success());
        assert!(self.child.wait().expect("ends").success());
        began.elapsed()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a server listens, as soon as it says so.
fn listening(child: &mut Child) -> String {
    let lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
    let mut told = lines.map_while(Result::ok);
    let address = told.find_map(|line| line.strip_prefix("listening on http://").map(str::to_owned));
    address.expect("listens")
}

fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no {what}");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_request_is_a_trace_with_its_parts() {
    let collector = Collector::start();
    let mut served = Served::start("traces", &format!("http://{}", collector.address), &[]);
    let traceparent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\nX-Request-Id: order-7711\r\n");
    assert_eq!(served.ask("POST", "/api/v1/sense", &traceparent, ASK), 200);
    assert_eq!(served.ask("GET", "/private/words-of-a-caller", "", ""), 404);
    let unsampled = format!("traceparent: 00-{}-{PARENT}-00\r\n", TRACE.replace('4', "5"));
    assert_eq!(served.ask("POST", "/api/v1/sense", &unsampled, ASK), 200);
    served.stop();

    let spans = collector.spans();
    let of_trace: Vec<&Span> = spans.iter().filter(|span| hex(&span.trace_id) == TRACE).collect();
    let request = of_trace.iter().find(|span| span.name == "POST /api/v1/sense").expect("is there");
    assert_eq!(hex(&request.parent_span_id), PARENT);
    let told = attributes(&request.attributes);
    for (name, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/api/v1/sense"),
        ("http.response.status_code", "200"),
        ("sonometer.request_id", "order-7711"),
        ("sonometer.org", "default"),
    ] {
        let told = told.get(name).unwrap_or_else(|| panic!("no {name} in {told:?}"));
        assert!(told == value || name == "sonometer.org", "{name}: {told}");
    }
    for name in ["store.token", "engine", "store.charge"] {
        let part = of_trace.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(part.parent_span_id, request.span_id, "{name}");
        assert!(part.start_time_unix_nano >= request.start_time_unix_nano, "{name}");
        assert!(part.end_time_unix_nano <= request.end_time_unix_nano, "{name}");
    }
    // Not sampled where it began, so not here; and what is no route has no path.
    assert!(spans.iter().all(|span| hex(&span.trace_id) != TRACE.replace('4', "5")));
    let lost = spans.iter().find(|span| {
        attributes(&span.attributes).get("http.response.status_code").map(String::as_str) == Some("404")
    });
    assert_eq!(lost.expect("is there").name, "GET");

    let came = collector.came.lock().expect("is sound");
    assert!(came.iter().all(|(_, key, _)| key == "of-the-collector"));
    let all: Vec<u8> = came.iter().flat_map(|(.., body)| body.clone()).collect();
    for secret in ["Good morning", "appreciate", "words-of-a-caller", &served.token] {
        assert!(!all.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret} was sent");
    }
}

#[test]
fn readings_are_events_in_the_trace_of_their_request() {
    let collector = Collector::start();
    let on = ["--set", "otlp.evaluations=true", "--set", "otlp.metrics_seconds=0"];
    let mut served = Served::start("readings", &format!("http://{}", collector.address), &on);
    let traceparent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert_eq!(served.ask("POST", "/api/v1/sense", &traceparent, ASK), 200);
    assert_eq!(served.ask("POST", "/api/v1/sense/stream", &traceparent, ASK), 200);
    let short = ASK.replace("Good morning! Thank you so much for your help, I really appreciate it.", "Hm.");
    assert_eq!(served.ask("POST", "/api/v1/sense", "", &short), 422);
    let card = r#""target": {"type": "protocol", "id": "personal-data"}"#;
    let batch = format!(
        r#"{{{card}, "interactions": [{{"id": "a", "content": "Good morning."}}, {{"id": "b", "content": "My card is 4111 1111 1111 1111, please charge it."}}]}}"#
    );
    assert_eq!(served.ask("POST", "/api/v1/sense/batch", "", &batch), 200);
    served.stop();

    let readings = collector.readings();
    assert!(readings.iter().all(|reading| reading.event_name == "gen_ai.evaluation.result"));
    let [sensed, streamed, short, first, second] = &readings[..] else { panic!("{readings:?}") };
    let told = attributes(&sensed.attributes);
    assert_eq!(told["gen_ai.evaluation.name"], "sonometer/courtesy");
    assert_eq!(told["gen_ai.evaluation.score.label"], "measured");
    assert!(told["gen_ai.evaluation.explanation"].starts_with("greeting 0:0-12, "), "{told:?}");
    assert!(told["sonometer.target.digest"].starts_with("sha256:"), "{told:?}");
    assert!(told["sonometer.fingerprint"].starts_with("sonometer 0."), "{told:?}");
    assert!(told["sonometer.triggered"].contains("gratitude"), "{told:?}");
    // The same reading, in one piece and as a stream, each in the engine's span of its request.
    assert_eq!(attributes(&streamed.attributes), told);
    let spans = collector.spans();
    for reading in [sensed, streamed] {
        assert_eq!(hex(&reading.trace_id), TRACE);
        let span = spans.iter().find(|span| span.span_id == reading.span_id).expect("was sent");
        assert_eq!(span.name, "engine");
    }
    let short = attributes(&short.attributes);
    assert_eq!(short["gen_ai.evaluation.score.label"], "insufficient");
    assert!(!short.contains_key("gen_ai.evaluation.score.value"), "{short:?}");
    assert_eq!(attributes(&first.attributes)["sonometer.item"], "0");
    let second = attributes(&second.attributes);
    assert_eq!((&*second["sonometer.item"], &*second["sonometer.target.version"]), ("1", "2.2"));
    assert!(second["gen_ai.evaluation.explanation"].contains(" 0:11-30"), "{second:?}");
    let came = collector.came.lock().expect("is sound");
    for secret in ["4111", "Good morning", "please charge"] {
        let sent =
            came.iter().any(|(.., body)| body.windows(secret.len()).any(|part| part == secret.as_bytes()));
        assert!(!sent, "{secret} was sent");
    }
}

/// A provider that gives every request the same answer.
#[cfg(feature = "proxy")]
fn provider() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("is bound").to_string();
    spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            // To its last brace: what is not read when a connection closes takes the answer with it.
            let (mut asked, mut part) = (Vec::new(), [0; 65_536]);
            while asked.last() != Some(&b'}') {
                match stream.read(&mut part) {
                    Ok(more @ 1..) => asked.extend_from_slice(&part[..more]),
                    _ => break,
                }
            }
            let body = r#"{"id":"a1","choices":[{"index":0,"message":{"role":"assistant","content":"Good morning! Thank you so much for your help."}}]}"#;
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let _ = stream.write_all(format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes());
        }
    });
    address
}

#[cfg(feature = "proxy")]
#[test]
fn the_proxy_sends_what_its_rules_measure() {
    let collector = Collector::start();
    let folder = folder("proxy-readings");
    let policy = format!(
        "listen = \"127.0.0.1:0\"\nupstream = \"http://{}\"\n[otlp]\nheaders = \"x-key=of-the-collector\"\n\
         [[guard.rules]]\naction = \"sense\"\ntarget = \"courtesy\"\n",
        provider()
    );
    fs::write(folder.join("guard.toml"), policy).expect("is written");
    let endpoint = format!("http://{}", collector.address);
    let mut child = Command::new(env!("CARGO_BIN_EXE_sonometer"))
        .args(["proxy", "--config", "guard.toml", "--otlp-endpoint", &endpoint])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let address = listening(&mut child);
    let mut served = Served { child, address, token: String::new(), log: folder.join("log") };
    let body =
        r#"{"messages":[{"role":"user","content":"Thank you so much, could you please look at my bill?"}]}"#;
    let traceparent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert_eq!(served.ask("POST", "/v1/chat/completions", &traceparent, body), 200);
    served.stop();

    let readings = collector.readings();
    let [request, answer] = &readings[..] else { panic!("{readings:?}") };
    for (reading, on) in [(request, "request"), (answer, "response")] {
        assert_eq!(reading.event_name, "gen_ai.evaluation.result");
        assert_eq!((hex(&reading.trace_id), hex(&reading.span_id)), (TRACE.to_owned(), PARENT.to_owned()));
        let told = attributes(&reading.attributes);
        assert_eq!(told["gen_ai.evaluation.name"], "sonometer/courtesy");
        assert_eq!(told["gen_ai.evaluation.score.label"], "measured");
        assert_eq!(told["sonometer.guard.on"], on);
        assert_eq!(told["sonometer.guard.policy"].len(), 16);
        assert!(told["sonometer.target.digest"].starts_with("sha256:"), "{told:?}");
        assert!(told["gen_ai.evaluation.explanation"].contains("gratitude 0:"), "{told:?}");
    }
    assert!(!attributes(&request.attributes).contains_key("gen_ai.response.id"));
    assert_eq!(attributes(&answer.attributes)["gen_ai.response.id"], "a1");
    let came = collector.came.lock().expect("is sound");
    assert!(came.iter().any(|(path, key, _)| path == "/v1/logs" && key == "of-the-collector"));
    for secret in ["Good morning", "look at my bill"] {
        let sent =
            came.iter().any(|(.., body)| body.windows(secret.len()).any(|part| part == secret.as_bytes()));
        assert!(!sent, "{secret} was sent");
    }
}

#[test]
fn a_request_that_waits_for_its_turn_says_so() {
    let collector = Collector::start();
    let one = ["--set", "limits.in_flight=1", "--set", "otlp.metrics_seconds=0"];
    let served = Served::start("waits", &format!("http://{}", collector.address), &one);
    let long = ASK.replace("Good morning!", &"Thank you for that, good morning! ".repeat(3_000));
    let wait = until("wait for a turn", || {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| served.ask("POST", "/api/v1/sense", "", &long));
            }
        });
        let of_requests =
            |span: &Span| attributes(&span.attributes).get("queue").is_some_and(|queue| queue == "requests");
        collector.spans().into_iter().find(|span| span.name == "queue.wait" && of_requests(span))
    });
    assert!(wait.end_time_unix_nano > wait.start_time_unix_nano);
    assert!(collector.metrics().is_empty());
}

#[test]
fn metrics_have_queues_pools_ages_and_steps() {
    let collector = Collector::start();
    let more = ["--set", "otlp.metrics_seconds=1", "--set", "otlp.sample_percent=0"];
    let served = Served::start("metrics", &format!("http://{}", collector.address), &more);
    assert_eq!(served.ask("POST", "/api/v1/sense", "", ASK), 200);
    let metrics = until("count of the request", || {
        let metrics = collector.metrics();
        let is_there =
            metrics.contains_key("http.server.request.duration") && metrics.contains_key("sonometer.oldest");
        is_there.then_some(metrics)
    });
    let has = |name: &str, key: &str, value: &str| {
        let points = metrics.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", metrics.keys()));
        let is_there =
            key.is_empty() || points.iter().any(|point| point.get(key).map(String::as_str) == Some(value));
        assert!(is_there, "{name}: no {key} {value} in {points:?}");
    };
    for queue in ["arriving", "requests", "streams", "threads"] {
        for name in ["held", "waiting", "refused", "oldest"] {
            has(&format!("sonometer.queue.{name}"), "queue", queue);
        }
    }
    for of in ["jobs", "notifications"] {
        has("sonometer.waiting", "of", of);
        has("sonometer.oldest", "of", of);
    }
    has("sonometer.database.connections", "state", "idle");
    has("sonometer.steps", "", "");
    has("sonometer.connections.closed", "why", "share");
    has("sonometer.ics", "mode", "test");
    has("http.server.request.duration", "http.route", "/api/v1/sense");
    assert!(collector.spans().is_empty(), "nothing is sampled");
}

#[test]
fn a_collector_that_is_away_costs_nothing() {
    let gone = TcpListener::bind("127.0.0.1:0").expect("binds").local_addr().expect("is bound");
    let mut served = Served::start("away", &format!("http://{gone}"), &["--set", "otlp.metrics_seconds=1"]);
    let began = Instant::now();
    for _ in 0..20 {
        assert_eq!(served.ask("POST", "/api/v1/sense", "", ASK), 200);
    }
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(served.stop() < Duration::from_secs(25));
}

/// It takes connections and answers nothing. The last metrics are read when the store is closed already.
#[test]
fn a_collector_that_hangs_makes_no_false_alarm_of_a_stop() {
    let hangs = TcpListener::bind("127.0.0.1:0").expect("binds");
    let endpoint = format!("http://{}", hangs.local_addr().expect("is bound"));
    let mut served = Served::start("hangs", &endpoint, &["--set", "otlp.evaluations=true"]);
    assert_eq!(served.ask("POST", "/api/v1/sense", "", ASK), 200);
    served.stop();
    let log = fs::read_to_string(&served.log).expect("can be read");
    assert!(log.contains("answered"), "{log}");
    assert!(!log.contains("closed pool") && !log.contains("unavailable"), "{log}");
}

#[test]
fn what_is_no_collector_ends_the_start_with_one_line() {
    let folder = folder("no-collector");
    let run = |variables: &[(&str, &str)]| {
        let out = Command::new(env!("CARGO_BIN_EXE_sonometer"))
            .args(["serve", "--listen", "127.0.0.1:0", "--database", "db.sqlite"])
            .envs(variables.iter().copied())
            .current_dir(&folder)
            .output()
            .expect("starts");
        assert!(!out.status.success());
        String::from_utf8(out.stderr).expect("is text")
    };
    let said = run(&[("SONOMETER_OTLP_ENDPOINT", "127.0.0.1:4317")]);
    assert!(said.contains("SONOMETER_OTLP_ENDPOINT") && said.contains("http://127.0.0.1:4318"), "{said}");
    let said = run(&[
        ("SONOMETER_OTLP_ENDPOINT", "http://127.0.0.1:4318"),
        ("SONOMETER_OTLP_HEADERS", "very-secret"),
    ]);
    assert!(
        said.contains("otlp.headers") && said.contains("name=value") && !said.contains("very-secret"),
        "{said}"
    );
}
