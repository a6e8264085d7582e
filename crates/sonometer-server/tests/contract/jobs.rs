//! Batches of 50 and more: `GET` and `DELETE /api/v1/jobs/{id}`.

use crate::bench::{Answer, Bench};
use crate::fixture::{LITTLE, ONE, TWO, bench, target};
use serde_json::{Value, json};
use sonometer_service::period::parse_moment;
use sonometer_service::{LateClaims, Mode};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

fn ask(count: usize) -> Value {
    let content = |n: usize| [ONE, TWO, LITTLE][n % 3];
    let items: Vec<Value> =
        (0..count).map(|n| json!({"id": format!("i{n}"), "content": content(n)})).collect();
    json!({"target": target("desk"), "interactions": items})
}

fn queued(answer: &Answer) -> Value {
    assert_eq!(answer.status, 202, "{}", answer.body);
    let body = answer.json();
    crate::schema::check("Queued", &body);
    body
}

/// The job, once it has ended.
fn ended(bench: &Bench, path: &str) -> Value {
    let begun = Instant::now();
    loop {
        let job = bench.get(path).good("Job");
        if job["status"] != "processing" {
            return job;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{job}");
        sleep(Duration::from_millis(20));
    }
}

// covers: batch.202, jobs.200, jobs.created, jobs.result
#[test]
fn a_large_batch_is_a_job_with_the_same_result() {
    let bench = bench();
    let answer = bench.post("/api/v1/sense/batch", &ask(60));
    let body = queued(&answer);
    assert_eq!((&body["items_queued"], &body["status"]), (&json!(60), &json!("processing")));
    assert!(body["estimated_seconds"].as_u64().is_some_and(|seconds| seconds >= 1));
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (0, 10_000));
    let path = body["poll_url"].as_str().expect("is text");
    assert_eq!(path, format!("/api/v1/jobs/{}", body["job_id"].as_str().expect("is text")));
    let job = ended(&bench, path);
    assert_eq!(
        (&job["status"], &job["progress"], &job["estimated_remaining_seconds"]),
        (&json!("completed"), &json!(1), &json!(0))
    );
    assert_eq!(
        (&job["created_at"], &job["completed_at"]),
        (&json!("2026-11-21T15:36:10Z"), &json!("2026-11-21T15:36:10Z"))
    );
    let small = bench.post("/api/v1/sense/batch", &ask(30)).good("Batch");
    let results = job["result"]["results"].as_array().expect("is a list");
    assert_eq!((results.len(), &results[..30]), (60, &small["results"].as_array().expect("is a list")[..]));
    assert_eq!(job["result"]["ics"], json!({"total_consumed": 60, "total_cost_usd": 0}));
    assert_eq!(bench.used(Mode::Test), 90);
    let figures = bench.send("GET", "/metrics", &[], b"").body;
    assert!(figures.contains("sonometer_ics_total{mode=\"test\"} 90"), "{figures}");
    let history = bench.get("/api/v1/usage/history?limit=100").good("History");
    assert_eq!(history["total_entries"], 60, "what holds too little is no analysis");
    bench.ledger_is_right();
}

/// Results that cost nothing fill no disk: beyond their bytes of a day there are no more jobs of an organization. What was made is done.
#[test]
fn free_results_of_a_day_are_bounded() {
    let bench = bench();
    let other = bench.org("other");
    let free = |count: usize| {
        let items: Vec<Value> =
            (0..count).map(|n| json!({"id": format!("i{n}"), "content": LITTLE})).collect();
        json!({"target": {"type": "protocol", "id": "courtesy"}, "interactions": items})
    };
    let path = |answer: &Answer| queued(answer)["poll_url"].as_str().expect("is text").to_owned();
    bench.service.bound_free_results(1_000);
    let paid = path(&bench.post("/api/v1/sense/batch", &ask(60)));
    assert_eq!(ended(&bench, &paid)["status"], "completed");
    let first = path(&bench.post("/api/v1/sense/batch", &free(60)));
    assert_eq!(ended(&bench, &first)["result"]["ics"]["total_consumed"], 0);
    let refused = bench.post("/api/v1/sense/batch", &free(60));
    refused.is(429, "rate_limited");
    assert_eq!(refused.number("retry-after"), 30_230, "until the day ends");
    bench.get(&first).good("Job");
    bench.post("/api/v1/sense/batch", &free(10)).good("Batch");
    let theirs = bench.post_as(&other, "/api/v1/sense/batch", &free(60));
    assert_eq!(theirs.status, 202, "{}", theirs.body);
    bench.clock.0.fetch_add(30_230_000, Ordering::SeqCst);
    assert_eq!(bench.post("/api/v1/sense/batch", &free(60)).status, 202);
}

/// How long a job may take is told by the jobs of its organization alone: the others have turns of their own.
#[test]
fn an_estimate_says_nothing_of_other_organizations() {
    let bench = bench();
    bench.org("other");
    bench.org("third");
    // Somebody else works on them, and goes on doing so.
    bench.sql(
        "INSERT INTO jobs (id, org_id, account_id, mode, token_id, token_cap_micros, status, route, body, target_version, \
         total, done, created_ms, started_ms, ended_ms, worker, lease_ms, attempts, result, request_id, idempotency_key) \
         SELECT 'job_' || o.id, o.id, o.id || '/test', 'test', 'tok', -1, 'processing', 'POST /api/v1/sense/batch', '', '1.0', \
         5000000, 0, 1, 1, 0, 'wrk', 9000000000000000, 1, '', '', '' FROM orgs o WHERE o.id <> 'acme'",
    );
    let body = queued(&bench.post("/api/v1/sense/batch", &ask(50)));
    assert_eq!(body["estimated_seconds"], 1);
    bench.sql("UPDATE jobs SET org_id = 'acme', account_id = 'acme/test' WHERE org_id = 'third'");
    let body = queued(&bench.post("/api/v1/sense/batch", &ask(50)));
    assert!(body["estimated_seconds"].as_u64().is_some_and(|seconds| seconds >= 10_000), "its own count");
}

// covers: jobs.404
#[test]
fn a_job_of_somebody_else_is_not_there_and_results_are_kept_a_week() {
    let bench = bench();
    let body = queued(&bench.post("/api/v1/sense/batch", &ask(50)));
    let path = body["poll_url"].as_str().expect("is text");
    ended(&bench, path);
    let other = bench.org("other");
    for (token, path) in [(&other, path), (&bench.live, path), (&bench.test, "/api/v1/jobs/job_1")] {
        bench.get_as(token, path).is(404, "job_not_found");
        let bearer = format!("Bearer {token}");
        bench.send("DELETE", path, &[("Authorization", &bearer)], b"").is(404, "job_not_found");
    }
    bench.send("GET", path, &[], b"").is(401, "unauthorized");
    bench.clock.0.store(parse_moment("2026-11-28T15:36:10Z").expect("is a moment"), Ordering::SeqCst);
    bench.get(path).good("Job");
    bench.clock.0.fetch_add(1, Ordering::SeqCst);
    bench.get(path).is(404, "job_not_found");
}

// covers: jobs.failed
#[test]
fn what_is_wrong_is_told_at_once_and_a_quota_at_the_end() {
    let bench = bench();
    let mut wrong = ask(60);
    wrong["interactions"][55] = json!({"id": "x"});
    let answer = bench.post("/api/v1/sense/batch", &wrong);
    answer.is(400, "invalid_request");
    assert_eq!(answer.details()["index"], 55);
    let many = bench.post("/api/v1/sense/batch", &ask(1_001));
    many.is(413, "payload_too_large");
    bench.account(Mode::Test, |settings| settings.quota = 59);
    let body = queued(&bench.post("/api/v1/sense/batch", &ask(60)));
    let job = ended(&bench, body["poll_url"].as_str().expect("is text"));
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("quota_exhausted")));
    assert_eq!(job["error"]["details"]["needed"], 60);
    assert!(job.get("result").is_none());
    assert_eq!(bench.used(Mode::Test), 0, "nothing is charged in part");
    bench.account(Mode::Test, |settings| settings.quota = 0);
    bench.post("/api/v1/sense/batch", &ask(60)).is(402, "quota_exhausted");
}

// covers: jobs.dead
#[test]
fn a_job_of_a_worker_that_died_while_a_clock_was_ahead_is_begun_anew() {
    let bench = bench();
    let path = queued(&bench.post("/api/v1/sense/batch", &ask(60)))["poll_url"]
        .as_str()
        .expect("is text")
        .to_owned();
    ended(&bench, &path);
    let used = bench.used(Mode::Test);
    // The same once more, as somebody left it whose clock was years ahead.
    bench.sql(
        "INSERT INTO jobs SELECT 'job_left', org_id, account_id, mode, token_id, token_cap_micros, 'processing', \
         'POST /api/v1/sense', '{\"target\": {\"type\": \"protocol\", \"id\": \"desk\"}, \
         \"interaction\": {\"content\": \"good morning and thank you for the ticket\"}}', target_version, 1, 0, created_ms, \
         started_ms, 0, 'wrk_dead', 9000000000000, 1, '', request_id, '' FROM jobs",
    );
    let (service, mut late) = (&bench.service, LateClaims::default());
    let mut look = || bench.runtime.block_on(service.end_late_claims(&mut late, Some(Duration::ZERO)));
    assert_eq!(look(), Ok(0), "who has only just been seen may be alive");
    bench.sql("UPDATE jobs SET lease_ms = lease_ms + 500 WHERE id = 'job_left'");
    assert_eq!(look(), Ok(0), "who says something is alive");
    assert_eq!(look(), Ok(1));
    assert_eq!(ended(&bench, "/api/v1/jobs/job_left")["status"], "completed");
    assert_eq!(bench.used(Mode::Test), used + 2);
    bench.ledger_is_right();
}

// covers: jobs.idempotency
#[test]
fn the_same_key_makes_one_job() {
    let bench = bench();
    let post = |body: &Value| {
        bench.post_with(&bench.test, "/api/v1/sense/batch", body, &[("Idempotency-Key", "night")])
    };
    let first = post(&ask(60));
    let body = queued(&first);
    let again = post(&ask(60));
    assert_eq!((again.status, &again.body, again.header("idempotency-replayed")), (202, &first.body, "true"));
    post(&ask(61)).is(409, "idempotency_conflict");
    ended(&bench, body["poll_url"].as_str().expect("is text"));
    assert_eq!(post(&ask(60)).body, first.body);
    assert_eq!(bench.used(Mode::Test), 60);
    bench.ledger_is_right();
}

// covers: jobs.cancelled
#[test]
fn a_job_that_is_cancelled_costs_nothing() {
    let bench = bench();
    let text = "thank you for the ticket to the city and good morning. ".repeat(15);
    let items: Vec<Value> = (0..1_000).map(|n| json!({"id": format!("i{n}"), "content": text})).collect();
    let body = json!({"target": target("desk"), "interactions": items});
    let (mut cancelled, mut paid) = (0, 0);
    for _ in 0..3 {
        let body = queued(&bench.post("/api/v1/sense/batch", &body));
        let path = body["poll_url"].as_str().expect("is text");
        let bearer = format!("Bearer {}", bench.test);
        let delete = || bench.send("DELETE", path, &[("Authorization", &bearer)], b"").good("Job");
        let job = delete();
        assert_eq!(delete(), job, "what has ended stays so");
        match job["status"].as_str() {
            Some("cancelled") => cancelled += 1,
            Some("completed") => paid += 2_000,
            other => panic!("{other:?}"),
        }
    }
    sleep(Duration::from_millis(1_500));
    assert_eq!(bench.used(Mode::Test), paid);
    assert!(cancelled > 0, "a thousand texts take longer than a request");
    bench.ledger_is_right();
}

// covers: jobs.list
#[test]
fn jobs_are_listed_to_their_own_account_newest_first() {
    let bench = bench();
    let mut made = Vec::new();
    for _ in 0..3 {
        let body = queued(&bench.post("/api/v1/sense/batch", &ask(50)));
        ended(&bench, body["poll_url"].as_str().expect("is text"));
        made.insert(0, body["job_id"].clone());
        bench.clock.0.fetch_add(1_000, Ordering::SeqCst);
    }
    let list = bench.get("/api/v1/jobs").good("Jobs");
    let listed = |list: &Value| -> Vec<Value> {
        list["jobs"].as_array().expect("is a list").iter().map(|job| job["job_id"].clone()).collect()
    };
    assert_eq!(
        (listed(&list), &list["total"], &list["limit"], &list["offset"]),
        (made.clone(), &json!(3), &json!(20), &json!(0))
    );
    assert!(
        list["jobs"]
            .as_array()
            .expect("is a list")
            .iter()
            .all(|job| job["status"] == "completed" && job.get("result").is_none())
    );
    let page = bench.get("/api/v1/jobs?limit=1&offset=1").good("Jobs");
    assert_eq!((listed(&page), &page["total"]), (vec![made[1].clone()], &json!(3)));
    bench.get("/api/v1/jobs?limit=101").is(400, "invalid_request");
    bench.get("/api/v1/jobs?status=completed").is(400, "invalid_request");
    for token in [bench.live.clone(), bench.org("other")] {
        assert_eq!(bench.get_as(&token, "/api/v1/jobs").good("Jobs")["total"], 0);
    }
    bench.send("GET", "/api/v1/jobs", &[], b"").is(401, "unauthorized");
}
