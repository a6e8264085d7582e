//! What one organization does to what all share, another does not see.

use crate::bench::{Answer, Bench, KIND};
use crate::dives::{self, opened};
use crate::file_host::{Host, Page, ask, helper, limits, paper};
use crate::fixture::{ONE, bench, desk, door, sense, target};
use serde_json::{Value, json};
use sonometer_server::{FileLimits, FileReader, Limits, Resolver};
use sonometer_service::guard::Guard;
use sonometer_service::ports::{Call, Callbacks, NoCallbacks, Posted};
use sonometer_service::{Mode, Refusal};
use sqlx::{Connection, Executor};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// A body of `acme` of which only the beginning comes.
fn slow(bench: &Bench) -> TcpStream {
    let mut stream = bench.open();
    let head = format!(
        "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{",
        bench.test
    );
    stream.write_all(head.as_bytes()).expect("is taken");
    stream
}

/// Waits until something is so.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(20));
    }
}

fn figure(bench: &Bench, line: &str) -> bool {
    bench.send("GET", "/metrics", &[], b"").body.lines().any(|there| there == line)
}

// covers: limits.fair
#[test]
fn slow_bodies_of_one_keep_nobody_else_waiting() {
    let limits = Limits {
        arriving: 4,
        waiting: 2,
        turn: Duration::from_secs(40),
        arrival: Duration::from_secs(40),
        ..Limits::default()
    };
    let bench = Bench::with(limits);
    let other = bench.org("other");
    // Three of four places, and two that wait for one.
    let _slow: Vec<TcpStream> = (0..5).map(|_| slow(&bench)).collect();
    until("three hold a place", || figure(&bench, "sonometer_queue_held{queue=\"arriving\"} 3"));
    until("two wait", || figure(&bench, "sonometer_queue_waiting{queue=\"arriving\"} 2"));
    let refused = bench.post("/api/v1/sense", &sense("courtesy", KIND));
    refused.is(503, "unavailable");
    assert!(refused.number("retry-after") >= 1);
    assert!(figure(&bench, "sonometer_queue_refused_total{queue=\"arriving\"} 1"));
    let begun = Instant::now();
    bench.post_as(&other, "/api/v1/sense", &sense("courtesy", KIND)).good("Sense");
    assert!(begun.elapsed() < Duration::from_secs(30), "long before a place of the first is free");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(bench.send("GET", path, &[], b"").status, 200);
    }
}

/// The path of the job behind a 202.
fn job(answer: &Answer) -> String {
    assert_eq!(answer.status, 202, "{}", answer.body);
    answer.json()["poll_url"].as_str().expect("is text").to_owned()
}

// covers: limits.fair.jobs
#[test]
fn jobs_of_one_keep_nobody_else_waiting() {
    const JOBS: usize = 12;
    let bench = Bench::start();
    let other = bench.org("other");
    let long = KIND.repeat(60);
    let items = |count: usize, content: &str| -> serde_json::Value {
        let items = (0..count).map(|id| json!({"id": id.to_string(), "content": content}));
        json!({"target": target("affect"), "interactions": items.collect::<Vec<_>>()})
    };
    let many = items(200, &long);
    for _ in 0..JOBS {
        job(&bench.post("/api/v1/sense/batch", &many));
    }
    let path = job(&bench.post_as(&other, "/api/v1/sense/batch", &items(50, KIND)));
    until("it is done", || bench.get_as(&other, &path).good("Job")["status"] == "completed");
    let jobs = bench.get("/api/v1/jobs?limit=100").json();
    let waiting = jobs["jobs"].as_array().expect("is a list").iter();
    let waiting = waiting.filter(|job| job["status"] == "processing").count();
    // Two were worked on beside it, and some may have ended before it was there.
    assert!(waiting >= 3, "{waiting} of {JOBS} still wait");
    for one in jobs["jobs"].as_array().expect("is a list") {
        let path = format!("/api/v1/jobs/{}", one["job_id"].as_str().expect("is text"));
        let bearer = format!("Bearer {}", bench.test);
        bench.send("DELETE", &path, &[("Authorization", &bearer)], b"");
    }
}

/// What the figures count as steps so far.
fn steps(bench: &Bench) -> u64 {
    let figures = bench.send("GET", "/metrics", &[], b"").body;
    let count = figures.lines().find_map(|line| line.strip_prefix("sonometer_steps_total "));
    count.expect("is there").parse().expect("is a number")
}

// covers: limits.fair.markers
#[test]
fn metamarkers_are_work_however_short_the_text_is() {
    const MARKERS: usize = 500;
    let bench = Bench::start();
    let marker =
        |at| format!("  - label: marker_{at}\n    description: One of many.\n    strong: |\n      the\n");
    let head = "sonometer: 1\nid: many\nname: Many\nversion: \"1.0\"\nstatus: published\ntaxonomy: Signal\n\
                description: Many metamarkers.\nlanguage: en\nmodalities: [text]\n\
                fidelity: {words: 1, turns: 1, sufficient: 0.1}\nmarkers:\n";
    bench.account(Mode::Test, |settings| settings.quota = 1_000_000);
    bench.publish("acme", &(head.to_owned() + &(0..MARKERS).map(marker).collect::<String>()));
    let items = |count: usize| -> serde_json::Value {
        let items = (0..count).map(|id| json!({"id": id.to_string(), "content": "the cat"}));
        json!({"target": target("many"), "interactions": items.collect::<Vec<_>>()})
    };
    bench.post("/api/v1/sense/batch", &items(1)).good("Batch");
    let before = steps(&bench);
    bench.post("/api/v1/sense/batch", &items(49)).good("Batch");
    // Far more than what is done at once, beside the requests of others (4 000 000).
    let took = steps(&bench) - before;
    assert!(took > 49 * MARKERS as u64 * 300, "{took} steps");
}

/// Calls nobody: one receiver hangs, the others answer at once.
#[derive(Default)]
struct Hangs {
    called: Mutex<Vec<String>>,
}

impl Callbacks for Hangs {
    fn check(&self, _: &str) -> Result<(), Refusal> {
        Ok(())
    }

    fn post<'c>(&'c self, call: Call<'c>) -> Posted<'c> {
        self.called.lock().expect("is sound").push(call.url.to_owned());
        Box::pin(async move {
            if call.url.contains("hangs") {
                std::future::pending::<()>().await;
            }
            Ok(200)
        })
    }
}

// covers: limits.fair.callbacks
#[test]
fn receivers_of_one_keep_nobody_else_waiting() {
    let calls = Arc::new(Hangs::default());
    let bench = Bench::calling(Limits::default(), calls.clone());
    let other = bench.org("other");
    let told =
        |part: &str| calls.called.lock().expect("is sound").iter().filter(|url| url.contains(part)).count();
    let ask = |url: &str| {
        let mut body = sense("courtesy", KIND);
        body["callback"] = json!({"url": url});
        body
    };
    for _ in 0..40 {
        job(&bench.post("/api/v1/sense", &ask("https://hangs.example/hook")));
    }
    // A quarter of 32 at once, whatever waits.
    until("some hang", || told("hangs") == 8);
    job(&bench.post_as(&other, "/api/v1/sense", &ask("https://answers.example/hook")));
    until("the other is told", || told("answers") == 1);
    assert_eq!(told("hangs"), 8);
}

// covers: limits.fair.files
#[test]
fn hosts_of_one_keep_nobody_else_waiting() {
    let host = Host::start();
    // Takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = silent.local_addr().expect("is bound").port();
    let url = host.put("/a.txt", Page::file(ONE));
    let allowed =
        [host.port, port].into_iter().map(|port| format!("127.0.0.1:{port}").parse().expect("is a rule"));
    let guard = Guard::new(allowed.collect());
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }));
    let turn = Duration::from_secs(40);
    let files =
        FileReader::with(guard, resolver, helper(), FileLimits { turn, ..limits() }).expect("can be made");
    let mut bench = Bench::outside(Limits::default(), Arc::new(NoCallbacks), Arc::new(files));
    let other = bench.org("other");
    for org in ["acme", "other"] {
        bench.publish(org, &desk("1.0", "1.0", "published"));
        bench.publish(org, &paper());
    }
    let body = ask("paper", &format!("http://127.0.0.1:{port}/a.txt")).to_string();
    let head = format!(
        "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        bench.test,
        body.len()
    );
    let hanging: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = bench.open();
            stream.write_all(head.as_bytes()).expect("is taken");
            stream
        })
        .collect();
    until("three quarters hang", || figure(&bench, "sonometer_queue_held{queue=\"fetches\"} 6"));
    bench.post_as(&other, "/api/v1/sense", &ask("paper", &url)).good("Sense");
    assert!(figure(&bench, "sonometer_queue_held{queue=\"fetches\"} 6"));
    drop(hanging);
    drop(silent);
    bench.stop();
}

/// SQLite has one connection that writes, and charges of all go through it.
// covers: limits.fair
#[test]
fn requests_of_one_that_write_wait_for_each_other_first() {
    let bench = bench();
    let url = bench.database();
    let (url, hold) = match url.contains("://") {
        true => (url.to_owned(), "LOCK TABLE jobs IN EXCLUSIVE MODE"),
        false => (format!("sqlite://{url}"), "SELECT 1"),
    };
    let begin = if hold == "SELECT 1" { "BEGIN IMMEDIATE" } else { "BEGIN" };
    let busy = bench.runtime.block_on(async {
        let mut busy = sqlx::AnyConnection::connect(&url).await.expect("opens");
        busy.execute(begin).await.expect("begins");
        busy.execute(hold).await.expect("holds it");
        busy
    });
    let items: Vec<Value> = (0..50).map(|at| json!({"id": at.to_string(), "content": ONE})).collect();
    let body = json!({"target": target("desk"), "interactions": items});
    scope(|threads| {
        let ask = || bench.post("/api/v1/sense/batch", &body).status;
        let asked: Vec<_> = (0..4).map(|_| threads.spawn(ask)).collect();
        until("one writes", || figure(&bench, "sonometer_queue_held{queue=\"writes\"} 1"));
        until("three wait", || figure(&bench, "sonometer_queue_waiting{queue=\"writes\"} 3"));
        bench.runtime.block_on(busy.close()).expect("closes");
        assert!(asked.into_iter().all(|asked| asked.join().expect("ends") == 202));
    });
    assert!(figure(&bench, "sonometer_queue_held{queue=\"writes\"} 0"));
}

/// Whoever asks for a blueprint that nobody has used yet has it made ready on a thread, when it is their turn.
// covers: limits.fair
#[test]
fn a_blueprint_is_made_ready_where_long_work_is_done() {
    let bench = bench();
    let list = bench.get("/api/v1/blueprints").good("Blueprints");
    let id = list["blueprints"][0]["id"].as_str().expect("one ships");
    let (path, before) = (format!("/api/v1/blueprints/{id}"), bench.service.steps());
    let first = bench.get(&path).good("Blueprint");
    let after = bench.service.steps();
    assert!(after > before);
    assert_eq!(bench.get(&path).good("Blueprint"), first);
    assert_eq!(bench.service.steps(), after, "then it is ready");
}

// covers: limits.fair
#[test]
fn figures_ask_the_database_once_a_second_at_most() {
    let bench = bench();
    let begun = Instant::now();
    until("there is none", || figure(&bench, "sonometer_jobs 0"));
    bench.sql(
        "INSERT INTO jobs SELECT 'job_1', 'acme', 'acme/test', 'test', '', -1, 'processing', '', '', '', 1, 0, 1, 1, 0, 'w', \
         9000000000000000, 1, '', '', '' FROM orgs WHERE id = 'acme'",
    );
    let is_old = figure(&bench, "sonometer_jobs 0");
    assert!(is_old || begun.elapsed() > Duration::from_secs(1));
    until("there is one", || figure(&bench, "sonometer_jobs 1"));
}

/// All that was said in a dive is kept with it: up to 24 MB.
// covers: limits.fair
#[test]
fn those_of_one_who_look_at_a_long_dive_wait_for_each_other() {
    let bench = dives::bench(&[&door("")]);
    let (token, body) = (bench.test.clone(), json!({"stage_id": "door"}));
    let long = opened(&bench, &token, &body);
    bench.sql(
        "WITH RECURSIVE long (text, doubled) AS (SELECT 'xxxxxxxx', 0 UNION ALL SELECT text || text, doubled + 1 FROM long \
         WHERE doubled < 16) UPDATE dives SET state = (SELECT text FROM long WHERE doubled = 16)",
    );
    let short = opened(&bench, &token, &body);
    let queues = bench.service.queues();
    let ledger = queues.iter().find(|queue| queue.name() == "ledger").expect("there is one");
    let held = ledger.place_now("acme").expect("is free");
    scope(|threads| {
        let looks = threads.spawn(|| bench.get(&long).good("Dive"));
        until("it waits", || figure(&bench, "sonometer_queue_waiting{queue=\"ledger\"} 1"));
        bench.get(&short).good("Dive");
        bench.get(&format!("{long}/status")).good("DiveStatus");
        assert!(!looks.is_finished());
        drop(held);
        assert_eq!(looks.join().expect("ends")["status"], "open");
    });
}
