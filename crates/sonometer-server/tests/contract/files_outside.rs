//! Files by `url`: where they may lie, and files made to harm.

use crate::bench::Bench;
use crate::file_host::{Host, Page, ask, guard, limits, reads};
use crate::fixture::{ONE, desk, sense};
use crate::{file_host, hostile_cases};
use serde_json::json;
use sonometer_ingest::apart::Budget;
use sonometer_server::{FileLimits, FileReader, Limits, Resolver};
use sonometer_service::Mode;
use sonometer_service::ports::NoCallbacks;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

// covers: file.ssrf
#[test]
fn only_public_addresses_are_fetched() {
    let (inner, outer) = (Host::start(), Host::start());
    let secret = inner.put("/secret", Page::file(ONE));
    let lookups = Arc::new(AtomicUsize::new(0));
    let counted = lookups.clone();
    let resolver: Resolver = Arc::new(move |name, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match name.as_str() {
                "mixed.example" => {
                    Ok(vec![Ipv4Addr::new(93, 184, 216, 34).into(), Ipv4Addr::LOCALHOST.into()])
                }
                "nowhere.example" => Err(std::io::ErrorKind::NotFound.into()),
                _ => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
            }
        })
    });
    let files =
        FileReader::with(guard(&[outer.port]), resolver, file_host::helper(), limits()).expect("can be made");
    let bench = Bench::outside(Limits::default(), Arc::new(NoCallbacks), Arc::new(files));
    bench.publish("acme", &file_host::paper());
    let reason = |url: &str| {
        let answer = bench.post("/api/v1/sense", &ask("paper", url));
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["place"], "interaction.url", "{url}");
        answer
    };
    for (url, expected) in [
        (secret.clone(), "url_private"),
        (format!("http://2130706433:{}/secret", inner.port), "url_private"),
        (format!("http://[::ffff:7f00:1]:{}/secret", inner.port), "url_private"),
        (format!("http://localhost:{}/secret", inner.port), "url_private"),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "url_private"),
        ("file:///etc/passwd".to_owned(), "url_scheme"),
        ("data:text/plain,thank%20you".to_owned(), "url_scheme"),
        (format!("http://a:b@127.0.0.1:{}/", outer.port), "url_credentials"),
        ("https://example.com:22/".to_owned(), "url_port"),
        ("no url".to_owned(), "url_invalid"),
        (String::new(), "url_invalid"),
    ] {
        assert_eq!(reason(&url).details()["reason"], expected, "{url}");
    }
    assert_eq!(lookups.load(Ordering::SeqCst), 0, "all of that can be told without asking anybody");
    // What a name stands for is not told: private and unknown names look alike.
    let private = reason("http://named.example/secret");
    for url in ["http://mixed.example/secret", "http://nowhere.example/secret"] {
        assert_eq!(reason(url).refusal(), private.refusal(), "{url}");
    }
    assert_eq!(private.details()["reason"], "url_not_reachable");
    // A redirect is an address like any other.
    for (number, to) in [
        secret.as_str(),
        "http://127.0.0.1/",
        "http://named.example/secret",
        "file:///etc/passwd",
        "http://169.254.169.254/",
    ]
    .into_iter()
    .enumerate()
    {
        let url = outer.put(&format!("/to{number}"), Page::moved([301, 302, 303, 307, 308][number], to));
        let told = reason(&url).details()["reason"].as_str().expect("is text").to_owned();
        assert!(["url_private", "url_not_reachable", "url_scheme"].contains(&told.as_str()), "{to}: {told}");
    }
    assert_eq!(inner.asked(), 0, "nobody came");
    let last = outer.put("/last.txt", Page::file(ONE));
    let third = outer.put("/third", Page::moved(307, "last.txt"));
    let second = outer.put("/second", Page::moved(302, &third));
    let first = outer.put("/first", Page::moved(301, &second));
    bench.post("/api/v1/sense", &ask("paper", &first)).good("Sense");
    let zeroth = outer.put("/zeroth", Page::moved(301, &first));
    assert_eq!(reason(&zeroth).details()["reason"], "url_redirects");
    bench.post("/api/v1/sense", &ask("paper", &last)).good("Sense");
    assert_eq!(bench.used(Mode::Test), 2);
}

/// Tells others to stop, whatever becomes of a test.
struct Ends(Arc<AtomicUsize>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(1, Ordering::SeqCst);
    }
}

// covers: file.hostile
#[test]
fn files_made_to_harm_end_in_a_clear_error_while_others_are_served() {
    let host = Host::start();
    let budget =
        Budget { limits: hostile_cases::limits(), memory_bytes: 1 << 30, seconds: 40, gives_way: true };
    let tight = FileLimits { now_bytes: 8 << 20, most_bytes: 8 << 20, budget, ..limits() };
    let bench = reads(&[host.port], tight, Arc::new(NoCallbacks));
    bench.account(Mode::Test, |settings| settings.per_window = 1_000_000);
    let cases = hostile_cases::cases();
    assert!(cases.len() >= 55, "{}", cases.len());
    let begun = Instant::now();
    let stop = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (bench, stop) = (&bench, &stop);
        let ends = Ends(stop.clone());
        let others = scope.spawn(move || {
            let (mut served, mut slowest) = (0, Duration::ZERO);
            while stop.load(Ordering::SeqCst) == 0 {
                let begun = Instant::now();
                bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
                slowest = slowest.max(begun.elapsed());
                served += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            (served, slowest)
        });
        for (number, (what, bytes, kind, reasons)) in cases.into_iter().enumerate() {
            let url = host.put(&format!("/{number}"), Page::file(bytes));
            let answer = bench.post("/api/v1/sense", &ask("paper", &url));
            // Nobody says here what a file is: some are read as something harmless.
            if kind.is_some() || reasons.is_empty() {
                assert!([200, 400, 413, 422].contains(&answer.status), "{what}: {}", answer.body);
                continue;
            }
            let code = if answer.status == 413 { "payload_too_large" } else { "invalid_request" };
            assert!([400, 413].contains(&answer.status), "{what}: {}", answer.body);
            answer.is(answer.status, code);
            let reason = answer.details()["reason"].as_str().unwrap_or_default().to_owned();
            let is_told = reason.starts_with("file_") || reason == "audio_not_supported";
            assert!(is_told, "{what}: {}", answer.body);
            assert_eq!(answer.details()["place"], "interaction.url");
        }
        drop(ends);
        let (served, slowest) = others.join().expect("does not panic");
        println!("{served} others served, the slowest in {slowest:?}");
        assert!(served > 0);
    });
    println!("{:?} for all", begun.elapsed());
    assert_eq!(bench.send("GET", "/readyz", &[], b"").status, 200);
    bench.ledger_is_right();
}

// covers: file.errors
#[test]
fn a_reader_that_does_not_end_is_ended() {
    let host = Host::start();
    let url = host.put("/a.txt", Page::file(ONE));
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(Vec::new()) }));
    for (script, now_seconds, status, code, reason) in [
        // What takes too long while somebody waits is a job, which has its own end.
        ("sleep 60 & sleep 60", 1, 202, "", ""),
        ("exit 3", 40, 400, "invalid_request", "file_broken"),
        ("echo nonsense", 40, 400, "invalid_request", "file_broken"),
    ] {
        let budget = Budget { seconds: 2, ..Budget::default() };
        let limits = FileLimits { now_seconds, budget, ..limits() };
        let helper: sonometer_server::Helper = Arc::new(move || {
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", script]);
            shell
        });
        let files =
            FileReader::with(guard(&[host.port]), resolver.clone(), helper, limits).expect("can be made");
        let bench = Bench::outside(Limits::default(), Arc::new(NoCallbacks), Arc::new(files));
        bench.publish("acme", &desk("1.0", "1.0", "published"));
        let answer = bench.post("/api/v1/sense", &ask("desk", &url));
        assert_eq!(answer.status, status, "{script}: {}", answer.body);
        if status == 202 {
            let path = answer.json()["poll_url"].as_str().expect("is text").to_owned();
            let begun = Instant::now();
            let job = loop {
                let job = bench.get(&path).good("Job");
                if job["status"] != "processing" {
                    break job;
                }
                assert!(begun.elapsed() < Duration::from_secs(60), "{job}");
                std::thread::sleep(Duration::from_millis(50));
            };
            assert_eq!(job["error"]["code"], "payload_too_large", "{job}");
            assert_eq!(
                job["error"]["details"],
                json!({"place": "interaction.url", "reason": "file_too_costly"})
            );
        } else {
            answer.is(status, code);
            assert_eq!(answer.details()["reason"], reason, "{script}");
        }
        assert_eq!(bench.used(Mode::Test), 0);
    }
}
