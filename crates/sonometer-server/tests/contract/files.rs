//! Files by `url`: what they come to, where in them evidence stands, what they cost.

use crate::bench::{Answer, Bench};
use crate::file_host::{Host, Page, ask, bench, fixture, limits, reads};
use crate::fixture::{LITTLE, ONE, TWO, sense, target};
use crate::schema;
use serde_json::{Value, json};
use sonometer_server::FileLimits;
use sonometer_service::ports::NoCallbacks;
use sonometer_service::{Mode, Scope};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The job behind a 202, once it has ended.
fn ended(bench: &Bench, answer: &Answer, kind: &str) -> Value {
    assert_eq!(answer.status, 202, "{}", answer.body);
    let body = answer.json();
    schema::check(kind, &body);
    let begun = Instant::now();
    loop {
        let job = bench.get(body["poll_url"].as_str().expect("is text")).good("Job");
        if job["status"] != "processing" {
            return job;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{job}");
        sleep(Duration::from_millis(20));
    }
}

fn with_origin(mut ask: Value) -> Value {
    ask["options"] = json!({"origin": true, "offsets": true});
    ask
}

// covers: interaction.url, file.reading
#[test]
fn a_file_gives_the_bytes_that_its_text_gives() {
    let host = Host::start();
    let bench = bench(&host);
    let expected = bench.post("/api/v1/sense", &sense("paper", TWO));
    for (path, page) in [
        ("/a.txt", Page::file(TWO)),
        ("/a.html", Page::file(format!("<!DOCTYPE html><p>{TWO}</p>"))),
        (
            "/no-name",
            Page::with("HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\n\r\n", format!("{TWO}\n")),
        ),
        (
            "/chunked",
            Page::with(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                format!("{:x}\r\n{TWO}\r\n0\r\n\r\n", TWO.len()),
            ),
        ),
        (
            "/utf-16.txt",
            Page::file(
                [&b"\xff\xfe"[..], &TWO.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()]
                    .concat(),
            ),
        ),
    ] {
        let answer = bench.post("/api/v1/sense", &ask("paper", &host.put(path, page)));
        assert_eq!((answer.status, answer.number("x-ics-consumed")), (200, 2), "{path}: {}", answer.body);
        assert_eq!(answer.body, expected.body, "{path}");
    }
    let talk: Value = serde_json::from_slice(&fixture("talk.json")).expect("is JSON");
    let expected = bench.post("/api/v1/sense", &json!({"target": target("desk"), "interaction": talk}));
    expected.good("Sense");
    for name in
        ["talk.vtt", "talk-messages.json", "talk-whatsapp.txt", "talk-timed.txt", "talk.mbox", "talk.json"]
    {
        let url = host.put(&format!("/{name}"), Page::file(fixture(name)));
        assert_eq!(bench.post("/api/v1/sense", &ask("desk", &url)).body, expected.body, "{name}");
    }
    bench.ledger_is_right();
}

// covers: file.kinds, file.origin
#[test]
fn evidence_says_where_in_the_file_it_stands() {
    let host = Host::start();
    let bench = bench(&host);
    // What stands around it, where it is said to be, and the key that says so.
    for (name, kind, shown, key, value) in [
        ("report.pdf", "pdf", "page 2, ", "page", json!(2)),
        ("report.docx", "docx", "paragraph ", "paragraph", json!(null)),
        ("report.odt", "odt", "paragraph ", "paragraph", json!(null)),
        ("report.rtf", "rtf", "paragraph ", "paragraph", json!(null)),
        ("talk.vtt", "vtt", "00:00:", "time", json!(null)),
        ("talk.mbox", "mail", "message ", "message", json!(null)),
    ] {
        let url = host.put(&format!("/{name}"), Page::file(fixture(name)));
        let plain = bench.post("/api/v1/sense", &ask("paper", &url));
        plain.good("Sense");
        let answer = bench.post("/api/v1/sense", &with_origin(ask("paper", &url)));
        let body = answer.good("Sense");
        let (origin, evidence) = (&body["origin"], body["evidence"].as_array().expect("is a list"));
        assert_eq!(
            (&origin["kind"], &origin["bytes"]),
            (&json!(kind), &json!(fixture(name).len())),
            "{name}"
        );
        let places = origin["places"].as_array().expect("is a list");
        assert!(!places.is_empty() && places.len() == evidence.len(), "{name}: {body}");
        let at = evidence.iter().position(|one| one["metamarker"] == "thanks").expect("is found");
        let place = &places[at];
        assert!(place["shown"].as_str().is_some_and(|text| text.starts_with(shown)), "{name}: {place}");
        assert!(
            if value.is_null() { place[key].is_number() } else { place[key] == value },
            "{name}: {place}"
        );
        let reader = origin["reader"].as_str().expect("is text");
        assert!(reader.starts_with("sonometer "), "{reader}");
        // Outside the reading: without it stand the bytes that stand there anyway.
        let mut asked = ask("paper", &url);
        asked["options"] = json!({"offsets": true});
        let offsets = bench.post("/api/v1/sense", &asked).body;
        let reading = answer.body.split(",\"origin\":").next().expect("is there");
        assert_eq!(format!("{reading}}}"), offsets, "{name}");
    }
    let url = host.put("/two.txt", Page::file(format!("first line\n{ONE}\n")));
    let body = bench.post("/api/v1/sense", &with_origin(ask("paper", &url))).good("Sense");
    let origin = &body["origin"];
    assert_eq!(origin["places"], json!([{"shown": "line 2", "line": 2}]));
    // `printf 'first line\nthank you for the ticket to the city\n' | sha256sum`
    assert_eq!(origin["sha256"], origin["text_sha256"], "a text is its own text");
    assert_eq!(origin["sha256"].as_str().map(str::len), Some(64));
    assert_eq!((&origin["modality"], &origin["notes"]), (&json!("document"), &json!([])));
    let mut text = with_origin(sense("paper", ONE));
    bench.post("/api/v1/sense", &text).is(400, "invalid_request");
    text["options"] = json!({"origin": false});
    bench.post("/api/v1/sense", &text).good("Sense");
}

// covers: file.type, file.audio, file.modalities
#[test]
fn what_a_file_is_must_fit_the_request_and_the_target() {
    let host = Host::start();
    let bench = bench(&host);
    let url = host.put("/a.pdf", Page::file(fixture("report.pdf")));
    let refused = |interaction: Value, place: &str| {
        let answer =
            bench.post("/api/v1/sense", &json!({"target": target("desk"), "interaction": interaction}));
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["place"], place, "{}", answer.body);
        answer
    };
    for (interaction, place) in [
        (json!({"url": url, "type": "text"}), "interaction.type"),
        (json!({"url": url, "type": "transcript"}), "interaction.type"),
        (json!({"url": url, "type": "pdf"}), "interaction.type"),
        (json!({"url": url, "type": 1}), "interaction.type"),
        (json!({"url": url, "language": 1}), "interaction.language"),
        (json!({"url": url, "role": "agent"}), "interaction.role"),
        (json!({"url": url, "content": ONE}), "interaction.url"),
        (json!({"url": 1}), "interaction.url"),
    ] {
        refused(interaction, place);
    }
    let audio = refused(json!({"url": url, "type": "audio", "language": "en"}), "interaction.url");
    assert_eq!(audio.details()["reason"], "audio_not_supported");
    assert_eq!(host.asked(), 0, "nothing is fetched for what is wrong already");
    let sound = host.put("/a.wav", Page::file(&b"RIFF\0\0\0\0WAVEfmt "[..]));
    assert_eq!(refused(json!({"url": sound}), "interaction.url").details()["reason"], "audio_not_supported");
    let answer = refused(json!({"url": url}), "interaction.url");
    assert_eq!(answer.details()["reason"], "modality_not_supported");
    assert!(
        answer.json()["error"]["message"].as_str().is_some_and(|text| text.contains("text or transcript"))
    );
    // A target that reads texts reads one that lies in a file.
    let text = host.put("/a.txt", Page::file(ONE));
    for kind in [
        json!({"url": text}),
        json!({"url": text, "type": "document", "language": "en", "id": "7", "label": "a"}),
    ] {
        bench.post("/api/v1/sense", &json!({"target": target("desk"), "interaction": kind})).good("Sense");
    }
    let status = bench.get("/api/v1/status").good("Status");
    assert_eq!(status["supported_modalities"], json!(["text", "transcript", "document"]));
    let able = bench.get("/api/v1/capabilities").good("Capabilities");
    assert_eq!(able["supported_modalities"], status["supported_modalities"]);
}

// covers: file.free, file.errors
#[test]
fn what_cannot_be_read_says_why_and_costs_nothing() {
    let host = Host::start();
    let bench = bench(&host);
    for (path, page, reason) in [
        ("/none.pdf", None, "url_status"),
        ("/gone", Some(Page::with("HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\n", ONE)), "url_status"),
        (
            "/part",
            Some(Page::with("HTTP/1.1 206 Partial Content\r\nContent-Length: 2\r\n\r\n", "ab")),
            "url_status",
        ),
        (
            "/short",
            Some(Page::with("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", ONE)),
            "url_not_reachable",
        ),
        ("/other", Some(Page::with("SSH-2.0-OpenSSH_9.2\r\n", "")), "url_not_reachable"),
        (
            "/packed",
            Some(Page::with("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", ONE)),
            "url_encoding",
        ),
        ("/empty", Some(Page::file("")), "file_without_text"),
        ("/picture.pdf", Some(Page::file(&b"\x89PNG\r\n\x1a\n"[..])), "file_unsupported"),
        ("/cut.docx", Some(Page::file(&fixture("report.docx")[..4_000])), "file_broken"),
        ("/loop", Some(Page::moved(302, "/loop")), "url_redirects"),
        ("/lost", Some(Page::with("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "")), "url_redirects"),
    ] {
        let url = page.map_or_else(|| host.url(path), |page| host.put(path, page));
        let answer = bench.post("/api/v1/sense", &ask("paper", &url));
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["reason"], reason, "{path}: {}", answer.body);
        assert_eq!(answer.details()["place"], "interaction.url");
        assert_eq!(answer.number("x-ics-consumed"), 0);
    }
    let little = host.put("/little.txt", Page::file(LITTLE));
    bench.post("/api/v1/sense", &ask("paper", &little)).is(422, "insufficient_signal");
    assert_eq!(bench.used(Mode::Test), 0);
    bench.ledger_is_right();
    // Without quota nothing is fetched at all.
    bench.account(Mode::Test, |settings| settings.quota = 0);
    let before = host.asked();
    bench.post("/api/v1/sense", &ask("paper", &little)).is(402, "quota_exhausted");
    assert_eq!(host.asked(), before);
}

// covers: file.later, file.most, jobs.created.files
#[test]
fn what_is_large_or_slow_is_a_job() {
    let host = Host::start();
    let bench = reads(&[host.port], FileLimits { most_bytes: 3 << 20, ..limits() }, Arc::new(NoCallbacks));
    let long = format!("{ONE}. ").repeat(7_000);
    assert!(long.len() > 200_000 && long.len() < 1 << 20);
    let padded = format!("<p>{TWO}</p><!--{}-->", "x".repeat(2 << 20));
    let text = bench.post("/api/v1/sense", &sense("paper", TWO)).json();
    for (path, page) in [("/long.txt", Page::file(long)), ("/padded.html", Page::file(padded))] {
        let url = host.put(path, page);
        let answer = bench.post("/api/v1/sense", &with_origin(ask("paper", &url)));
        assert_eq!(answer.json()["callback_registered"], false);
        let job = ended(&bench, &answer, "Accepted");
        assert_eq!(job["status"], "completed", "{job}");
        schema::check("Sense", &job["result"]);
        assert!(job["result"]["origin"]["bytes"].as_u64().is_some_and(|bytes| bytes > 200_000));
        if path == "/padded.html" {
            assert_eq!(
                (&job["result"]["score"], &job["result"]["resonance"]),
                (&text["score"], &text["resonance"])
            );
        }
        for (path, body) in [
            ("/api/v1/fidelity/check", ask("paper", &url)),
            ("/api/v1/sense/stream", ask("paper", &url)),
            (
                "/api/v1/sense/compare",
                json!({"target": target("paper"), "interaction_a": {"url": url}, "interaction_b": {"content": ONE}}),
            ),
        ] {
            let answer = bench.post(path, &body);
            answer.is(413, "payload_too_large");
            assert_eq!(answer.details()["reason"], "file_needs_job", "{path}");
        }
    }
    // The head promises too much, or the body is longer than anybody said.
    for (path, head) in [("/said", format!("Content-Length: {}", 4 << 20)), ("/unsaid", "X-A: b".to_owned())]
    {
        let url =
            host.put(path, Page::with(&format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n"), vec![b'a'; 4 << 20]));
        let job = ended(&bench, &bench.post("/api/v1/sense", &ask("paper", &url)), "Accepted");
        assert_eq!(
            (&job["status"], &job["error"]["code"]),
            (&json!("failed"), &json!("payload_too_large")),
            "{job}"
        );
        assert_eq!(job["error"]["details"], json!({"place": "interaction.url", "limit": 3 << 20}));
    }
    assert_eq!(bench.used(Mode::Test), 2 + 1 + 2, "the text, and the two files that could be read");
    bench.ledger_is_right();
    let (now_time, most_time) = (Duration::from_secs(1), Duration::from_secs(2));
    let bench = reads(&[host.port], FileLimits { now_time, most_time, ..limits() }, Arc::new(NoCallbacks));
    let slow = host.put("/slow", Page::with("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", ONE).stalling());
    let job = ended(&bench, &bench.post("/api/v1/sense", &ask("paper", &slow)), "Accepted");
    assert_eq!(job["error"]["details"]["reason"], "url_timeout", "{job}");
    assert_eq!(bench.used(Mode::Test), 0);
}

// covers: file.everywhere, file.batch
#[test]
fn compare_batch_stream_and_fidelity_take_files() {
    let host = Host::start();
    let bench = bench(&host);
    let (one, two) =
        (host.put("/one.txt", Page::file(ONE)), host.put("/two.html", Page::file(format!("<p>{TWO}</p>"))));
    let mixed =
        |a: Value, b: Value| json!({"target": target("paper"), "interaction_a": a, "interaction_b": b});
    let compared =
        bench.post("/api/v1/sense/compare", &mixed(json!({"url": one, "label": "a"}), json!({"url": two})));
    let expected = bench.post(
        "/api/v1/sense/compare",
        &mixed(json!({"content": ONE, "label": "a"}), json!({"content": TWO})),
    );
    compared.good("Compare");
    assert_eq!(compared.body, expected.body);
    let fidelity = bench.post("/api/v1/fidelity/check", &ask("paper", &one));
    fidelity.good("FidelityCheck");
    assert_eq!(fidelity.body, bench.post("/api/v1/fidelity/check", &sense("paper", ONE)).body);
    let streamed = bench.post("/api/v1/sense/stream", &ask("paper", &two));
    assert!(
        streamed.body.contains("event: complete") && streamed.body.contains("\"ics_consumed\":2"),
        "{}",
        streamed.body
    );
    bench.post("/api/v1/sense/stream", &ask("paper", &host.url("/none"))).is(400, "invalid_request");
    let batch = |items: Vec<Value>| json!({"target": target("paper"), "interactions": items});
    let small = bench.post(
        "/api/v1/sense/batch",
        &batch(vec![
            json!({"id": "a", "url": one}),
            json!({"id": "b", "content": ONE}),
            json!({"id": "c", "url": two}),
        ]),
    );
    let small = small.good("Batch");
    assert_eq!(small["ics"]["total_consumed"], 4);
    let none = bench.post(
        "/api/v1/sense/batch",
        &batch(vec![json!({"id": "a", "url": one}), json!({"id": "b", "url": host.url("/none")})]),
    );
    none.is(400, "invalid_request");
    assert_eq!(none.details(), json!({"place": "interactions[1].url", "index": 1, "reason": "url_status"}));
    let before = bench.used(Mode::Test);
    let many: Vec<Value> =
        (0..12).map(|n| json!({"id": format!("{n}"), "url": if n % 2 == 0 { &one } else { &two }})).collect();
    let job = ended(&bench, &bench.post("/api/v1/sense/batch", &batch(many.clone())), "Queued");
    assert_eq!(
        (&job["status"], &job["result"]["ics"]["total_consumed"]),
        (&json!("completed"), &json!(18)),
        "{job}"
    );
    let mut broken = many;
    broken[9]["url"] = json!(host.url("/none"));
    let job = ended(&bench, &bench.post("/api/v1/sense/batch", &batch(broken)), "Queued");
    assert_eq!(
        (&job["error"]["details"]["index"], &job["error"]["details"]["reason"]),
        (&json!(9), &json!("url_status")),
        "{job}"
    );
    assert_eq!(bench.used(Mode::Test), before + 18, "all are charged, or none");
    let too_many: Vec<Value> = (0..101).map(|n| json!({"id": format!("{n}"), "url": one})).collect();
    let answer = bench.post("/api/v1/sense/batch", &batch(too_many));
    answer.is(413, "payload_too_large");
    assert_eq!(answer.details()["limit"], 100);
    bench.ledger_is_right();
}

// covers: file.idempotency
#[test]
fn the_same_key_fetches_and_charges_once() {
    let host = Host::start();
    let bench = bench(&host);
    let url = host.put("/a.txt", Page::file(TWO));
    let post =
        || bench.post_with(&bench.test, "/api/v1/sense", &ask("paper", &url), &[("Idempotency-Key", "k")]);
    let first = post();
    host.put("/a.txt", Page::file("the file is another one by now, and says something else"));
    let second = post();
    assert_eq!((&second.body, second.header("idempotency-replayed")), (&first.body, "true"));
    assert_eq!((host.asked(), bench.used(Mode::Test)), (1, 2));
}

// covers: file.organization
#[test]
fn nothing_of_a_file_is_there_for_others() {
    let host = Host::start();
    let bench = bench(&host);
    let url = host.put("/secret-9f2.txt", Page::file(format!("{ONE}. ").repeat(7_000)));
    let answer = bench.post("/api/v1/sense", &with_origin(ask("paper", &url)));
    let job = ended(&bench, &answer, "Accepted");
    let digest = job["result"]["origin"]["sha256"].as_str().expect("is text").to_owned();
    let other = bench.org("other");
    let path = answer.json()["poll_url"].as_str().expect("is text").to_owned();
    bench.get_as(&other, &path).is(404, "job_not_found");
    for path in ["/api/v1/jobs", "/api/v1/usage/history"] {
        let seen = bench.get_as(&other, path);
        assert!(seen.status == 200 && !seen.body.contains("secret-9f2") && !seen.body.contains(&digest));
    }
    // Even of the own organization nobody is told by anything but the answer.
    let (_, token) = bench.token(Mode::Test, &[Scope::Read, Scope::Sense]);
    let history = bench.get_as(&token, "/api/v1/usage/history").body;
    assert!(!history.contains("secret-9f2") && !history.contains(&digest));
    // What others ask for is fetched for them, and not taken from what is known already.
    bench.publish("other", &crate::file_host::paper());
    let fetched = host.asked();
    host.put("/secret-9f2.txt", Page::file(ONE));
    let own = bench.post_as(&other, "/api/v1/sense", &with_origin(ask("paper", &url))).good("Sense");
    assert_eq!(host.asked(), fetched + 1);
    assert_ne!(own["origin"]["sha256"], json!(digest));
}
