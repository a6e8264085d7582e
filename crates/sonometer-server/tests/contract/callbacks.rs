//! Callbacks: jobs of single interactions, and the notifications that follow them.

use crate::bench::{Answer, Bench};
use crate::fixture::{LITTLE, ONE, TWO, desk, sense};
use crate::schema;
use serde_json::{Value, json};
use sonometer_server::{Limits, Outbound, Resolver};
use sonometer_service::Mode;
use sonometer_service::guard::Guard;
use sonometer_service::store::Delivery;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// What came in: headers, body.
pub(crate) type Came = (BTreeMap<String, String>, String);

/// Somebody who is called; what it answers is given one after the other, the last again and again.
pub(crate) struct Receiver {
    pub(crate) port: u16,
    came: Arc<Mutex<Vec<Came>>>,
}

/// What a receiver does.
#[derive(Clone, Copy)]
pub(crate) enum Does {
    Answer(&'static str),
    /// Reads, and says nothing.
    Sleep,
    /// Closes the line.
    Hang,
    /// Writes a head that never ends.
    Babble,
}

impl Receiver {
    pub(crate) fn start(script: &'static [Does]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let port = listener.local_addr().expect("is bound").port();
        let came: Arc<Mutex<Vec<Came>>> = Arc::default();
        let kept = came.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(mut stream) = stream else { return };
                let does = script[number.min(script.len() - 1)];
                let kept = kept.clone();
                thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().expect("can be shared"));
                    let mut headers = BTreeMap::new();
                    let mut line = String::new();
                    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                        if let Some((name, value)) = line.trim_end().split_once(": ") {
                            headers.insert(name.to_lowercase(), value.to_owned());
                        } else {
                            headers.insert("request".to_owned(), line.trim_end().to_owned());
                        }
                        line.clear();
                    }
                    let length = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
                    let mut body = vec![0; length];
                    if reader.read_exact(&mut body).is_ok() && length > 0 {
                        kept.lock()
                            .expect("sound")
                            .push((headers, String::from_utf8(body).expect("is UTF-8")));
                    }
                    match does {
                        Does::Answer(answer) => drop(stream.write_all(answer.as_bytes())),
                        Does::Sleep => sleep(Duration::from_secs(20)),
                        Does::Hang => {}
                        Does::Babble => {
                            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
                            while stream
                                .write_all(b"X-Much: 0123456789012345678901234567890123456789\r\n")
                                .is_ok()
                            {}
                        }
                    }
                });
            }
        });
        Self { port, came }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?of=acme", self.port)
    }

    pub(crate) fn came(&self) -> Vec<Came> {
        self.came.lock().expect("sound").clone()
    }
}

pub(crate) const OK: Does = Does::Answer("HTTP/1.1 204 No Content\r\n\r\n");
const BROKEN: Does = Does::Answer("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");

pub(crate) fn guard(ports: &[u16]) -> Guard {
    Guard::new(ports.iter().map(|port| format!("127.0.0.1:{port}").parse().expect("is a rule")).collect())
}

/// A service that may call these ports of the machine, and knows one name.
fn bench(ports: &[u16]) -> Bench {
    bench_with(guard(ports), loopback())
}

/// Every name is this machine.
fn loopback() -> Resolver {
    Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }))
}

fn bench_with(guard: Guard, resolver: Resolver) -> Bench {
    bench_within(guard, resolver, Duration::from_secs(60))
}

/// A service that waits so long for an answer.
fn bench_within(guard: Guard, resolver: Resolver, time: Duration) -> Bench {
    let outbound = Outbound::with(guard, resolver, time).expect("can be made");
    let bench = Bench::calling(Limits::default(), Arc::new(outbound));
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    bench
}

fn ask(content: &str, url: &str) -> Value {
    let mut body = sense("desk", content);
    body["callback"] = json!({"url": url});
    body
}

fn accepted(answer: &Answer) -> Value {
    assert_eq!(answer.status, 202, "{}", answer.body);
    let body = answer.json();
    crate::schema::check("Accepted", &body);
    body
}

fn deliveries(bench: &Bench) -> Vec<Delivery> {
    bench.runtime.block_on(bench.service.deliveries("acme", 100)).expect("can be read")
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until<T: std::fmt::Debug>(what: impl Fn() -> T, is: impl Fn(&T) -> bool) -> T {
    let begun = Instant::now();
    loop {
        let now = what();
        if is(&now) {
            return now;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{now:?}");
        sleep(Duration::from_millis(20));
    }
}

#[track_caller]
fn delivered(bench: &Bench) -> Delivery {
    until(|| deliveries(bench), |all| all.iter().all(|one| one.status != "waiting")).remove(0)
}

fn later(bench: &Bench, seconds: i64) {
    bench.clock.0.fetch_add(seconds * 1_000, Ordering::SeqCst);
}

// covers: sense.202, callback.url, jobs.created.others, webhook.notification, webhook.signature
#[test]
fn a_callback_makes_a_job_and_tells_its_end_signed() {
    let receiver = Receiver::start(&[OK]);
    let bench = bench(&[receiver.port]);
    let answer = bench.post("/api/v1/sense", &ask(TWO, &receiver.url()));
    let body = accepted(&answer);
    assert_eq!((&body["status"], &body["callback_registered"]), (&json!("processing"), &json!(true)));
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (0, 10_000));
    let path = body["poll_url"].as_str().expect("is text");
    let job = until(|| bench.get(path).good("Job"), |job| job["status"] != "processing");
    assert_eq!((&job["status"], &job["progress"]), (&json!("completed"), &json!(1)));
    let direct = bench.post("/api/v1/sense", &sense("desk", TWO)).good("Sense");
    assert_eq!(job["result"], direct, "the answer that the call would have given");
    assert_eq!(delivered(&bench).status, "delivered");
    let (headers, told) = receiver.came().remove(0);
    assert_eq!(headers["request"], "POST /hook?of=acme HTTP/1.1");
    assert_eq!(headers["content-type"], "application/json");
    let expected = json!({
        "type": "sense.complete",
        "timestamp": job["completed_at"],
        "data": {"job_id": job["job_id"], "status": "completed", "result": direct},
    });
    assert_eq!(serde_json::from_str::<Value>(&told).expect("is JSON"), expected);
    let secret = bench.runtime.block_on(bench.service.webhook_secret("acme")).expect("there is one");
    assert!(secret.starts_with("whsec_"));
    assert_eq!(headers["webhook-timestamp"], "1795275370");
    assert!(headers["webhook-id"].starts_with("msg_"));
    assert!(verified(&secret, &headers, &told));
    assert!(!verified(&secret, &headers, &told.replace("completed", "compleded")), "the body is signed");
    assert_eq!(bench.used(Mode::Test), 4, "once for the job, once for the call");
    bench.ledger_is_right();
}

/// Checks a signature by another way than the service made it: with the tools of the machine.
pub(crate) fn verified(secret: &str, headers: &BTreeMap<String, String>, body: &str) -> bool {
    let script = "import base64,hashlib,hmac,sys\n\
        secret,said=sys.argv[1:3]\n\
        text=sys.stdin.buffer.read()\n\
        key=base64.b64decode(secret.removeprefix('whsec_'))\n\
        made='v1,'+base64.b64encode(hmac.new(key,text,hashlib.sha256).digest()).decode()\n\
        sys.exit(0 if made in said.split(' ') else 1)";
    let mut python = std::process::Command::new("python3")
        .args(["-c", script, secret, &headers["webhook-signature"]])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("there is Python");
    let text = format!("{}.{}.{body}", headers["webhook-id"], headers["webhook-timestamp"]);
    python.stdin.take().expect("is piped").write_all(text.as_bytes()).expect("is read");
    python.wait().expect("ends").success()
}

// covers: callback.events, webhook.error
#[test]
fn a_failure_is_sent_if_errors_were_asked_for() {
    let receiver = Receiver::start(&[OK]);
    let bench = bench(&[receiver.port]);
    for (content, events, status, kind) in [
        (LITTLE, json!(["error"]), "delivered", Some("sense.error")),
        (LITTLE, json!(["complete"]), "skipped", None),
        (LITTLE, json!(["complete", "error"]), "delivered", Some("sense.error")),
        (ONE, json!(["error"]), "skipped", None),
        (ONE, json!(["complete"]), "delivered", Some("sense.complete")),
    ] {
        let before = receiver.came().len();
        let mut body = ask(content, &receiver.url());
        body["callback"]["events"] = events.clone();
        accepted(&bench.post("/api/v1/sense", &body));
        assert_eq!(delivered(&bench).status, status, "{events}");
        let came = receiver.came().split_off(before);
        let told: Vec<Value> =
            came.iter().map(|(_, body)| serde_json::from_str(body).expect("is JSON")).collect();
        told.iter().for_each(|told| schema::check("Notification", told));
        assert_eq!(told.first().and_then(|told| told["type"].as_str()), kind);
        if kind == Some("sense.error") {
            assert_eq!(told[0]["data"]["error"]["code"], "insufficient_signal");
            assert!(told[0]["data"].get("result").is_none());
        }
    }
    assert_eq!(bench.used(Mode::Test), 2);
}

// covers: webhook.retries
#[test]
fn what_is_not_taken_is_sent_again_with_the_same_id() {
    let receiver = Receiver::start(&[BROKEN, Does::Hang, BROKEN, OK]);
    let bench = bench(&[receiver.port]);
    accepted(&bench.post("/api/v1/sense", &ask(ONE, &receiver.url())));
    for (attempts, pause) in [(1, 5), (2, 300), (3, 1_800)] {
        let one = until(|| deliveries(&bench), |all| all[0].attempts.len() == attempts).remove(0);
        assert_eq!(one.status, "waiting");
        let wait = one.next_ms - one.attempts[attempts - 1].at_ms;
        assert!((pause * 1_000..=pause * 1_200).contains(&wait), "{wait} after attempt {attempts}");
        // Not a moment too early.
        bench.clock.0.store(one.next_ms - 1, Ordering::SeqCst);
        sleep(Duration::from_millis(1_200));
        assert_eq!(deliveries(&bench)[0].attempts.len(), attempts);
        bench.clock.0.store(one.next_ms, Ordering::SeqCst);
    }
    let one = delivered(&bench);
    let answered: Vec<u16> = one.attempts.iter().map(|attempt| attempt.answered).collect();
    assert_eq!((one.status.as_str(), answered), ("delivered", vec![500, 0, 500, 204]));
    assert!(one.attempts[1].error.starts_with("no answer"), "{one:?}");
    let came = receiver.came();
    assert!(
        came.iter()
            .all(|(headers, body)| headers["webhook-id"] == came[0].0["webhook-id"] && *body == came[0].1)
    );
    assert_ne!(came[0].0["webhook-timestamp"], came[3].0["webhook-timestamp"]);
    assert_eq!(bench.used(Mode::Test), 1, "telling costs nothing");
    // Sent once more, attempts are counted anew, and listed in the order in which they were made.
    later(&bench, 60);
    let again = bench.service.redeliver("acme", &one.id);
    bench.runtime.block_on(again).expect("is there");
    let one = until(|| deliveries(&bench), |all| all[0].attempts.len() == 5).remove(0);
    let numbers: Vec<u64> = one.attempts.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 1]);
}

// covers: webhook.retries
#[test]
fn a_clock_set_back_does_not_keep_a_notification_for_longer_than_its_pause() {
    let receiver = Receiver::start(&[BROKEN, BROKEN, OK]);
    let bench = bench(&[receiver.port]);
    accepted(&bench.post("/api/v1/sense", &ask(ONE, &receiver.url())));
    until(|| deliveries(&bench), |all| all[0].attempts.len() == 1);
    // It was two days ahead when the second attempt was planned.
    later(&bench, -2 * 86_400);
    until(|| deliveries(&bench), |all| all[0].attempts.len() == 2);
    // What a clock plans that is a little ahead stands: the pause is five minutes.
    let planned = deliveries(&bench)[0].next_ms;
    later(&bench, -50);
    sleep(Duration::from_secs(6));
    assert_eq!((deliveries(&bench)[0].next_ms, receiver.came().len()), (planned, 2));
    later(&bench, -3_600);
    assert_eq!(delivered(&bench).attempts.len(), 3);
    bench.ledger_is_right();
}

// covers: webhook.bad_receivers
#[test]
fn slow_dead_and_lying_receivers_keep_nobody_waiting() {
    let (slow, babbling, lying) = (
        Receiver::start(&[Does::Sleep]),
        Receiver::start(&[Does::Babble]),
        Receiver::start(&[Does::Answer("SSH-2.0-OpenSSH_9.2\r\n")]),
    );
    let good = Receiver::start(&[OK]);
    let dead = TcpListener::bind("127.0.0.1:0").expect("binds").local_addr().expect("is bound").port();
    let ports = guard(&[slow.port, babbling.port, lying.port, good.port, dead]);
    let bench = bench_within(ports, loopback(), Duration::from_secs(2));
    for url in [slow.url(), babbling.url(), lying.url(), format!("http://127.0.0.1:{dead}/")] {
        accepted(&bench.post("/api/v1/sense", &ask(ONE, &url)));
    }
    accepted(&bench.post("/api/v1/sense", &ask(ONE, &good.url())));
    until(|| good.came().len(), |came| *came == 1);
    for round in 1..=7 {
        until(
            || deliveries(&bench),
            |all| all.iter().all(|one| one.url == good.url() || one.attempts.len() == round),
        );
        later(&bench, 50_000);
    }
    let all = until(|| deliveries(&bench), |all| all.iter().all(|one| one.status != "waiting"));
    for one in all {
        let is_good = one.url == good.url();
        assert_eq!(
            (one.status.as_str(), one.attempts.len()),
            if is_good { ("delivered", 1) } else { ("failed", 7) }
        );
        assert!(
            is_good || one.attempts.iter().all(|attempt| attempt.answered == 0 && !attempt.error.is_empty()),
            "{one:?}"
        );
    }
    assert_eq!(bench.used(Mode::Test), 5);
    bench.ledger_is_right();
}

// covers: webhook.gone
#[test]
fn a_receiver_that_is_gone_is_left_alone() {
    let receiver = Receiver::start(&[BROKEN, Does::Answer("HTTP/1.1 410 Gone\r\n\r\n")]);
    let bench = bench(&[receiver.port]);
    accepted(&bench.post("/api/v1/sense", &ask(ONE, &receiver.url())));
    until(|| deliveries(&bench), |all| all[0].attempts.len() == 1);
    accepted(&bench.post("/api/v1/sense", &ask(ONE, &receiver.url())));
    let all = until(|| deliveries(&bench), |all| all.iter().all(|one| one.status == "gone"));
    assert_eq!(all.iter().map(|one| one.attempts.len()).collect::<Vec<_>>(), [1, 1]);
    later(&bench, 100_000);
    sleep(Duration::from_millis(1_200));
    assert_eq!(receiver.came().len(), 2);
}

// covers: webhook.ssrf
#[test]
fn nobody_is_called_who_may_not_be() {
    let inner = Receiver::start(&[OK]);
    let moved =
        format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:{}/\r\n\r\n", inner.port);
    let outer = Receiver::start(Box::leak(Box::new([Does::Answer(Box::leak(moved.into_boxed_str()))])));
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    // Public when it is looked at first, private from then on.
    let resolver: Resolver = Arc::new(move |name, _| {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(async move {
            match (name.as_str(), first) {
                ("rebound.example", true) => Ok(vec![Ipv4Addr::new(192, 0, 2, 1).into()]),
                ("mixed.example", _) => {
                    Ok(vec![Ipv4Addr::new(93, 184, 216, 34).into(), Ipv4Addr::LOCALHOST.into()])
                }
                _ => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
            }
        })
    });
    let bench = bench_with(guard(&[outer.port]), resolver);
    for (url, reason) in [
        (format!("http://127.0.0.1:{}/", inner.port), "url_private"),
        (format!("http://2130706433:{}/", inner.port), "url_private"),
        (format!("http://[::ffff:7f00:1]:{}/", inner.port), "url_private"),
        (format!("http://localhost:{}/", inner.port), "url_private"),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "url_private"),
        (format!("http://a:b@127.0.0.1:{}/", outer.port), "url_credentials"),
        ("file:///etc/passwd".to_owned(), "url_scheme"),
        (format!("http://named.example:{}/", inner.port), "url_port"),
        ("no url".to_owned(), "url_invalid"),
    ] {
        let answer = bench.post("/api/v1/sense", &ask(ONE, &url));
        answer.is(400, "invalid_request");
        assert_eq!(answer.details(), json!({"place": "callback.url", "reason": reason}), "{url}");
    }
    for url in ["http://named.example/", "http://rebound.example/", "http://mixed.example/", &outer.url()] {
        accepted(&bench.post("/api/v1/sense", &ask(ONE, url)));
    }
    let all = until(|| deliveries(&bench), |all| all.iter().all(|one| one.attempts.len() == 1));
    for one in &all {
        let attempt = &one.attempts[0];
        match one.url == outer.url() {
            true => assert_eq!(attempt.answered, 307, "a redirect is no success, and is not followed"),
            false => assert!(attempt.error.contains("not public"), "{one:?}"),
        }
    }
    assert_eq!((inner.came().len(), outer.came().len()), (0, 1));
}

// covers: webhook.rotation
#[test]
fn two_secrets_sign_while_receivers_change_over() {
    let receiver = Receiver::start(&[OK]);
    let bench = bench(&[receiver.port]);
    let old = bench.runtime.block_on(bench.service.webhook_secret("acme")).expect("is made");
    let new = bench.runtime.block_on(bench.service.rotate_webhook_secret("acme")).expect("is made");
    assert_ne!(old, new);
    assert_eq!(bench.runtime.block_on(bench.service.webhook_secret("acme")).as_ref(), Ok(&new));
    for (number, both) in [(1, true), (2, false)] {
        accepted(&bench.post("/api/v1/sense", &ask(ONE, &receiver.url())));
        let came = until(|| receiver.came(), |came| came.len() == number);
        let (headers, body) = &came[number - 1];
        assert!(verified(&new, headers, body));
        assert_eq!(verified(&old, headers, body), both, "for a day");
        later(&bench, 24 * 3_600);
    }
    assert!(bench.runtime.block_on(bench.service.webhook_secret("nobody")).is_err());
}

// covers: callback.400
#[test]
fn what_is_wrong_is_told_before_there_is_a_job() {
    let receiver = Receiver::start(&[OK]);
    let bench = bench(&[receiver.port]);
    let url = receiver.url();
    for callback in [
        json!(null),
        json!({}),
        json!({"url": 1}),
        json!({"url": url, "event": "complete"}),
        json!({"url": url, "events": []}),
        json!({"url": url, "events": "complete"}),
        json!({"url": url, "events": ["done"]}),
        json!({"url": url, "events": ["error", "error"]}),
    ] {
        let mut body = sense("desk", ONE);
        body["callback"] = callback;
        bench.post("/api/v1/sense", &body).is(400, "invalid_request");
    }
    bench.post("/api/v1/sense", &ask(ONE, &url)).json()["job_id"].as_str().expect("that is a good one");
    let mut unknown = ask(ONE, &url);
    unknown["target"]["id"] = json!("none");
    bench.post("/api/v1/sense", &unknown).is(404, "target_not_found");
    let mut empty = ask(ONE, &url);
    empty["interaction"] = json!({});
    bench.post("/api/v1/sense", &empty).is(400, "invalid_request");
    bench.account(Mode::Test, |settings| settings.quota = 0);
    bench.post("/api/v1/sense", &ask(ONE, &url)).is(402, "quota_exhausted");
    let silent = Bench::start();
    let answer = silent.post(
        "/api/v1/sense",
        &json!({"target": {"type": "protocol", "id": "courtesy"},
        "interaction": {"content": ONE}, "callback": {"url": "https://example.com/"}}),
    );
    assert_eq!(answer.details()["reason"], "callbacks_not_supported");
}

// covers: callback.idempotency
#[test]
fn the_same_key_makes_one_job_and_one_notification() {
    let receiver = Receiver::start(&[OK]);
    let bench = bench(&[receiver.port]);
    let post =
        |body: &Value| bench.post_with(&bench.test, "/api/v1/sense", body, &[("Idempotency-Key", "k")]);
    let first = post(&ask(ONE, &receiver.url()));
    accepted(&first);
    assert_eq!(post(&ask(ONE, &receiver.url())).body, first.body);
    post(&ask(TWO, &receiver.url())).is(409, "idempotency_conflict");
    delivered(&bench);
    sleep(Duration::from_millis(600));
    assert_eq!((receiver.came().len(), bench.used(Mode::Test)), (1, 1));
}
