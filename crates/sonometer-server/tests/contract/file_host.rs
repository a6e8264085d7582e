//! Somebody on loopback who has files, and a service that may fetch them.

use crate::bench::Bench;
use crate::fixture::desk;
use serde_json::{Value, json};
use sonometer_ingest::{Hints, apart};
use sonometer_server::{FileLimits, FileReader, Helper, Limits, Resolver};
use sonometer_service::guard::Guard;
use sonometer_service::ports::{Callbacks, NoCallbacks};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

/// What is answered, and how.
#[derive(Clone)]
pub(crate) struct Page {
    head: String,
    body: Vec<u8>,
    /// Whether the end of it never comes.
    stalls: bool,
}

impl Page {
    pub(crate) fn file(body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self::with(&format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()), body)
    }

    pub(crate) fn with(head: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { head: head.to_owned(), body: body.into(), stalls: false }
    }

    pub(crate) fn moved(status: u16, to: &str) -> Self {
        Self::with(&format!("HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"), "")
    }

    pub(crate) fn stalling(self) -> Self {
        Self { stalls: true, ..self }
    }
}

/// Somebody who has files.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) port: u16,
    pages: Arc<Mutex<BTreeMap<String, Page>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Host {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let port = listener.local_addr().expect("is bound").port();
        let host = Self { port, pages: Arc::default(), asked: Arc::default() };
        let own = host.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(mut stream), host) = (stream, own.clone()) else { return };
                thread::spawn(move || {
                    let mut lines = BufReader::new(stream.try_clone().expect("can be shared")).lines();
                    let first = lines.next().and_then(Result::ok).unwrap_or_default();
                    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                    let page = host.pages.lock().expect("sound").get(&path).cloned();
                    host.asked.lock().expect("sound").push(first);
                    let page = page.unwrap_or_else(|| {
                        Page::with("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "")
                    });
                    let _ =
                        stream.write_all(page.head.as_bytes()).and_then(|()| stream.write_all(&page.body));
                    if page.stalls {
                        sleep(Duration::from_secs(20));
                    }
                });
            }
        });
        host
    }

    /// Puts a page there; its address.
    pub(crate) fn put(&self, path: &str, page: Page) -> String {
        self.pages.lock().expect("sound").insert(path.to_owned(), page);
        self.url(path)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// How often somebody asked for something.
    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().expect("sound").len()
    }
}

/// A file of `fixtures/documents`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/documents").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The desk, which reads documents too.
pub(crate) fn paper() -> String {
    desk("1.0", "1.0", "published")
        .replace("id: desk", "id: paper")
        .replace("modalities: [text, transcript]", "modalities: [text, document, transcript]")
}

/// Limits as they are by default, but for times, which a busy machine does not reach.
pub(crate) fn limits() -> FileLimits {
    FileLimits {
        now_time: Duration::from_secs(40),
        most_time: Duration::from_secs(60),
        now_seconds: 40,
        ..FileLimits::default()
    }
}

pub(crate) fn guard(ports: &[u16]) -> Guard {
    Guard::new(ports.iter().map(|port| format!("127.0.0.1:{port}").parse().expect("is a rule")).collect())
}

/// A service that may fetch from these ports of the machine, which every name stands for.
pub(crate) fn reads(ports: &[u16], limits: FileLimits, callbacks: Arc<dyn Callbacks>) -> Bench {
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }));
    let files = FileReader::with(guard(ports), resolver, helper(), limits).expect("can be made");
    let bench = Bench::outside(Limits::default(), callbacks, Arc::new(files));
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    bench.publish("acme", &paper());
    bench
}

pub(crate) fn bench(host: &Host) -> Bench {
    reads(&[host.port], limits(), Arc::new(NoCallbacks))
}

/// Set where this program is the process that reads.
const APART: &str = "SONOMETER_TEST_APART";

/// The process that reads is this very program, told to run one test, see below.
pub(crate) fn helper() -> Helper {
    Arc::new(|| {
        let mut helper = Command::new(std::env::current_exe().expect("knows itself"));
        helper.args(["--exact", "file_host::a_process_apart_reads"]).env(APART, "1");
        helper
    })
}

/// Where the helper is started, this is what it does.
#[test]
fn a_process_apart_reads() {
    if std::env::var_os(APART).is_some() {
        // The answer begins a line.
        let _ = std::io::stdout().write_all(b"\n");
        let served = apart::serve();
        std::process::exit(i32::from(served.is_err()));
    }
    let (file, hints) = (fixture("talk.vtt"), Hints::default());
    let there = apart::read(helper()(), &file, &hints, &apart::Budget::default()).expect("is sound");
    assert_eq!(there.to_json(), sonometer_ingest::read(&file, &hints).expect("is sound").to_json());
}

/// A request to sense a file.
pub(crate) fn ask(id: &str, url: &str) -> Value {
    json!({"target": {"type": "protocol", "id": id}, "interaction": {"url": url}})
}
