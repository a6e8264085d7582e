//! Administration over HTTP: the same functions that the command calls, noted in the audit log.

use crate::bench::{Answer, Bench, send};
use crate::database;
use crate::fixture::{ONE, TWO, desk, door, sense};
use serde_json::{Value, json};
use sonometer_server::Limits;
use sonometer_service::ports::{Call, Callbacks, Posted};
use sonometer_service::{Mode, Refusal, Scope};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Operator<'b> {
    bench: &'b Bench,
    id: String,
    token: String,
}

impl<'b> Operator<'b> {
    fn of(bench: &'b Bench) -> Self {
        let (id, token) = bench.token(Mode::Test, &[Scope::Admin]);
        Self { bench, id, token }
    }

    fn get(&self, path: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        send(self.bench.admin(), "GET", path, &[("Authorization", &bearer)], b"")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        send(self.bench.admin(), "POST", path, &headers, body.to_string().as_bytes())
    }

    #[track_caller]
    fn done(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    #[track_caller]
    fn seen(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }
}

// covers: admin.scope, admin.openapi
#[test]
fn only_the_scope_admin_administers_and_only_there() {
    let bench = Bench::start();
    let operator = Operator::of(&bench);
    let at = |address, token: &str, path: &str| {
        send(address, "GET", path, &[("Authorization", &format!("Bearer {token}"))], b"")
    };
    assert_eq!(at(bench.admin(), &operator.token, "/admin/v1/orgs").status, 200);
    for token in [&bench.test, &bench.live] {
        at(bench.admin(), token, "/admin/v1/orgs").is(403, "forbidden");
    }
    at(bench.admin(), "nobody", "/admin/v1/orgs").is(401, "unauthorized");
    at(bench.address(), &operator.token, "/api/v1/usage").is(403, "forbidden");
    let nowhere = send(bench.admin(), "GET", "/nowhere", &[], b"");
    nowhere.is(404, "not_found");
    let mine = ("X-Request-Id", "change-42");
    for (path, status) in [("/healthz", 200), ("/nowhere", 404), ("/admin/v1/orgs", 401)] {
        let answer = send(bench.admin(), "GET", path, &[mine], b"");
        assert_eq!((answer.status, answer.header("x-request-id")), (status, mine.1), "{path}");
    }
    let document = sonometer_server::admin_openapi();
    let paths = document["paths"].as_object().expect("there are some");
    let mut ids: Vec<&str> = paths
        .values()
        .flat_map(|path| path.as_object().expect("is one").values())
        .map(|operation| operation["operationId"].as_str().expect("is text"))
        .collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), count), (28, 28), "an id names one operation");
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(document.pointer(reference).is_some(), "{reference} is not in the document");
    }
    assert!(text.contains("$ref"));
}

// covers: admin.orgs, admin.tokens
#[test]
fn organizations_and_tokens_from_their_making_to_their_end() {
    let bench = Bench::start();
    let operator = Operator::of(&bench);
    operator.done("/admin/v1/orgs", &json!({"id": "globex", "name": "Globex"}));
    operator.post("/admin/v1/orgs", &json!({"id": "globex"})).is(400, "invalid_request");
    let wrong = operator.post("/admin/v1/orgs", &json!({"id": "x", "nme": "X"}));
    assert!(wrong.body.contains("did you mean `name`"), "{}", wrong.body);
    assert_eq!(operator.seen("/admin/v1/orgs")["organizations"].as_array().map(Vec::len), Some(2));
    let change = json!({"mode": "live", "quota": 7, "tier": "team", "overage": true, "rate_usd": "0.004", "cap_usd": "2.5"});
    let account = operator.done("/admin/v1/orgs/globex/accounts", &change);
    assert_eq!(
        (&account["quota"], &account["rate_usd"], &account["cap_usd"]),
        (&json!(7), &json!("0.004"), &json!("2.5"))
    );
    let kept = operator.done("/admin/v1/orgs/globex/accounts", &json!({"mode": "live", "cap_usd": "none"}));
    assert_eq!((&kept["quota"], &kept["cap_usd"]), (&json!(7), &Value::Null));
    operator
        .post("/admin/v1/orgs/globex/accounts", &json!({"mode": "live", "rate_usd": "cheap"}))
        .is(400, "invalid_request");
    operator.get("/admin/v1/orgs/nobody/accounts").is(400, "invalid_request");

    let past = json!({"mode": "live", "name": "late", "expires": "2020-01-31"});
    let late = operator.post("/admin/v1/orgs/globex/tokens", &past);
    late.is(400, "invalid_request");
    let now = sonometer_service::period::iso(bench.service.now_ms());
    assert_eq!(late.json()["error"]["details"]["place"], "expires", "{}", late.body);
    assert!(late.body.contains(&format!("2020-01-31T00:00:00Z is past; it is {now} now")), "{}", late.body);

    let made = operator.done(
        "/admin/v1/orgs/globex/tokens",
        &json!({"mode": "live", "name": "desk", "scopes": ["sense", "read"]}),
    );
    let text = |value: &Value, key: &str| value[key].as_str().expect("is text").to_owned();
    let (id, token) = (text(&made, "id"), text(&made, "token"));
    let body = sense("courtesy", "Thank you so much for your patience today, I really appreciate it.");
    bench.post_as(&token, "/api/v1/sense", &body).good("Sense");
    operator
        .post(&format!("/admin/v1/tokens/{id}/rotate"), &json!({"expires": "2020-01-31"}))
        .is(400, "invalid_request");
    let next = operator.done(&format!("/admin/v1/tokens/{id}/rotate"), &json!({"overlap_hours": 2}));
    assert_eq!(next["expires"], Value::Null);
    // Rotated twice, as after an answer that was lost: the second new token ends with the old one, and the answer says so.
    let twice = operator.done(&format!("/admin/v1/tokens/{id}/rotate"), &json!({}));
    let expires = |id: &str| {
        let listed = operator.seen("/admin/v1/orgs/globex/tokens");
        let listed =
            listed["tokens"].as_array().expect("is a list").iter().find(|token| token["id"] == id).cloned();
        listed.expect("is there")["expires"].clone()
    };
    assert!(twice["expires"].is_string() && twice["expires"] == expires(&id), "{twice}");
    operator.done(&format!("/admin/v1/tokens/{}/revoke", text(&twice, "id")), &json!({}));
    let forever = operator.post(&format!("/admin/v1/tokens/{id}/expire"), &json!({"at": "9999-12-31"}));
    forever.is(400, "invalid_request");
    assert!(forever.body.contains("at the latest 9999-12-30"), "{}", forever.body);
    let (next_id, next_token) = (text(&next, "id"), text(&next, "token"));
    for good in [&token, &next_token] {
        bench.get_as(good, "/api/v1/usage").good("Usage");
    }
    bench.clock.0.fetch_add(2 * 3_600_000, Ordering::SeqCst);
    bench.get_as(&token, "/api/v1/usage").is(401, "unauthorized");
    bench.get_as(&next_token, "/api/v1/usage").good("Usage");
    operator.post(&format!("/admin/v1/tokens/{id}/rotate"), &json!({})).is(400, "invalid_request");
    operator.done(&format!("/admin/v1/tokens/{next_id}/expire"), &json!({"at": "2030-01-31"}));
    let listed = operator.seen("/admin/v1/orgs/globex/tokens");
    assert_eq!(expires(&next_id), "2030-01-31T00:00:00Z");
    assert!(!listed.to_string().contains(&next_token));
    // What revoking does not know is not passed over: this token was meant to end later.
    let later = operator.post(&format!("/admin/v1/tokens/{next_id}/revoke"), &json!({"at": "2030-01-31"}));
    later.is(400, "invalid_request");
    assert!(later.body.contains("unknown key `at`; nothing is sent here; remove it"), "{}", later.body);
    bench.get_as(&next_token, "/api/v1/usage").good("Usage");
    operator.done(&format!("/admin/v1/tokens/{next_id}/revoke"), &json!({}));
    bench.get_as(&next_token, "/api/v1/usage").is(401, "unauthorized");
    operator
        .post(&format!("/admin/v1/tokens/{next_id}/expire"), &json!({"at": "never"}))
        .is(400, "invalid_request");
    assert_eq!(operator.seen("/admin/v1/check")["wrong"], json!([]));
}

/// A receiver that answers as it is told.
struct Receiver {
    status: AtomicU16,
    got: Mutex<Vec<String>>,
}

impl Callbacks for Receiver {
    fn check(&self, _: &str) -> Result<(), Refusal> {
        Ok(())
    }

    fn post<'c>(&'c self, call: Call<'c>) -> Posted<'c> {
        let header = |name| call.headers.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value);
        let signatures = header("webhook-signature").split(' ').count();
        self.got.lock().expect("is sound").push(format!("{} {signatures}", header("webhook-id")));
        let status = self.status.load(Ordering::SeqCst);
        Box::pin(async move { Ok(status) })
    }
}

// covers: admin.secrets, admin.deliveries
#[test]
fn two_secrets_sign_at_a_time_and_a_notification_is_sent_again() {
    let receiver = Arc::new(Receiver { status: AtomicU16::new(410), got: Mutex::default() });
    let bench = Bench::calling(Limits::default(), receiver.clone());
    let operator = Operator::of(&bench);
    let first = operator.seen("/admin/v1/orgs/acme/webhook-secrets")["secrets"].clone();
    let second = operator.done("/admin/v1/orgs/acme/webhook-secrets", &json!({}))["secrets"].clone();
    assert_eq!((second.as_array().map(Vec::len), &second[1]), (Some(2), &first[0]));
    let third =
        operator.done("/admin/v1/orgs/acme/webhook-secrets", &json!({"overlap_hours": 1}))["secrets"].clone();
    assert_eq!((third.as_array().map(Vec::len), &third[1]), (Some(2), &second[0]), "the first is gone");

    let mut body = sense("courtesy", "Thank you so much for your patience today, I really appreciate it.");
    body["callback"] = json!({"url": "https://hooks.example.com/a"});
    assert_eq!(bench.post("/api/v1/sense", &body).status, 202);
    let waits_for = |status: &str, count: usize| {
        let began = Instant::now();
        loop {
            let deliveries = operator.seen("/admin/v1/orgs/acme/deliveries?limit=5")["deliveries"].clone();
            let got = receiver.got.lock().expect("is sound").clone();
            if deliveries[0]["status"] == status && got.len() == count {
                return (deliveries[0].clone(), got);
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{deliveries} {got:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let (delivery, got) = waits_for("gone", 1);
    let id = delivery["id"].as_str().expect("is text").to_owned();
    assert_eq!(got, [format!("{id} 2")]);
    receiver.status.store(200, Ordering::SeqCst);
    bench.clock.0.fetch_add(1_000, Ordering::SeqCst);
    operator
        .post(&format!("/admin/v1/orgs/other/deliveries/{id}/redeliver"), &json!({}))
        .is(400, "invalid_request");
    operator.done(&format!("/admin/v1/orgs/acme/deliveries/{id}/redeliver"), &json!({}));
    let (again, got) = waits_for("delivered", 2);
    assert_eq!(
        (got[1].as_str(), again["attempts"].as_array().map(Vec::len)),
        (format!("{id} 2").as_str(), Some(2))
    );
    bench.clock.0.fetch_add(3_600_000, Ordering::SeqCst);
    assert_eq!(operator.seen("/admin/v1/orgs/acme/webhook-secrets")["secrets"], json!([third[0]]));
}

/// What is done to a token or a notification belongs to its organization, though only the token is named.
#[test]
fn the_log_of_an_organization_has_what_was_done_to_its_tokens() {
    let bench = Bench::start();
    let operator = Operator::of(&bench);
    bench.org("other");
    let made = operator.done("/admin/v1/orgs/other/tokens", &json!({"mode": "test"}));
    let id = made["id"].as_str().expect("is text");
    operator.done(&format!("/admin/v1/tokens/{id}/expire"), &json!({"at": "never"}));
    let next = operator.done(&format!("/admin/v1/tokens/{id}/rotate"), &json!({"overlap_hours": 1}));
    operator.done(&format!("/admin/v1/tokens/{id}/revoke"), &json!({}));
    operator.post("/admin/v1/tokens/tok_none/revoke", &json!({})).is(400, "invalid_request");
    let lines = |org: &str| {
        let log = operator.seen(&format!("/admin/v1/audit?org={org}"))["audit"].clone();
        let line = |line: &Value| format!("{} {}", line["action"], line["subject"]).replace('"', "");
        log.as_array().expect("is a list").iter().map(line).collect::<Vec<_>>()
    };
    let next = next["id"].as_str().expect("is text");
    let expected = [
        format!("token.revoke {id}"),
        format!("token.rotate {id} by {next}"),
        format!("token.expire {id}"),
        format!("token.create {id}"),
    ];
    assert_eq!(lines("other"), expected);
    assert!(lines("acme").iter().all(|line| !line.contains(id)), "{:?}", lines("acme"));
}

// covers: admin.publish, admin.audit, admin.reload
#[test]
fn what_is_published_and_the_log_of_it_all() {
    let bench = Bench::start();
    let operator = Operator::of(&bench);
    // What is published for good has no warnings and passes its own tests, as with the command.
    let bare = desk("1.0", "1.0", "published");
    let tested = bare
        .replace("weak: thankful", "weak: thankful\n    hit: Thank you.")
        .replace("strong: good morning", "strong: good morning\n    hit: Good morning.")
        .replace("very) sorry", "very) sorry\n    hit: So sorry.");
    let failing = tested.replace("hit: So sorry.", "hit: Never mind.");
    for (source, words) in [(&bare, "has 3 warnings"), (&failing, "has 3 tests, of which 1 fail")] {
        let refused = operator.post("/admin/v1/orgs/acme/shelf", &json!({"source": source}));
        refused.is(400, "invalid_request");
        assert!(refused.body.contains(words), "{}", refused.body);
    }
    assert_eq!(operator.seen("/admin/v1/orgs/acme/shelf")["shelf"], json!([]));
    let made = operator.done("/admin/v1/orgs/acme/shelf", &json!({"source": tested}));
    assert_eq!((&made["id"], &made["status"]), (&json!("desk"), &json!("published")));
    bench.post("/api/v1/sense", &sense("desk", TWO)).good("Sense");
    operator.done("/admin/v1/orgs/acme/shelf", &json!({"source": door("")}));
    bench.org("other");
    operator.done(
        "/admin/v1/orgs/acme/stages/door/access",
        &json!({"mode": "entitled", "password": "open sesame"}),
    );
    operator.done("/admin/v1/orgs/acme/stages/door/entitle", &json!({"org": "other"}));
    operator.done("/admin/v1/orgs/acme/stages/door/invite", &json!({"token": operator.id}));
    let session = operator.done("/admin/v1/orgs/acme/stages/door/sessions", &json!({"until": "never"}));
    let ended = operator.post("/admin/v1/orgs/acme/stages/door/sessions", &json!({"until": "2020-01-31"}));
    ended.is(400, "invalid_request");
    assert_eq!(ended.json()["error"]["details"]["place"], "until", "{}", ended.body);
    let both = json!({"password": "open sesame", "no_password": true});
    operator.post("/admin/v1/orgs/acme/stages/door/access", &both).is(400, "invalid_request");
    operator
        .post("/admin/v1/orgs/acme/stages/nowhere/entitle", &json!({"org": "other"}))
        .is(400, "invalid_request");
    operator
        .done("/admin/v1/orgs/acme/archive", &json!({"kind": "protocol", "id": "desk", "version": "1.0"}));
    let shelf = operator.seen("/admin/v1/orgs/acme/shelf")["shelf"].clone();
    assert_eq!((&shelf[0]["status"], &shelf[1]["kind"]), (&json!("archived"), &json!("stage")));
    operator.done("/admin/v1/signing-keys/rotate", &json!({}));
    assert_eq!(operator.seen("/admin/v1/signing-keys")["keys"].as_array().map(Vec::len), Some(2));
    operator.done("/admin/v1/rotate-keys", &json!({}));
    let reloaded = operator.done("/admin/v1/reload", &json!({}));
    assert_eq!(reloaded, json!({"changed": ["log.level"], "needs_restart": ["listen"]}));
    let token = operator.done("/admin/v1/orgs/acme/tokens", &json!({"mode": "test", "scopes": ["sense"]}));

    let log = operator.seen("/admin/v1/audit")["audit"].clone();
    let lines: Vec<String> = log
        .as_array()
        .expect("is a list")
        .iter()
        .map(|line| {
            assert_eq!((&line["actor"], &line["origin"]), (&json!(operator.id), &json!("127.0.0.1")));
            assert_eq!(&line["at"], "2026-11-21T15:36:10Z");
            let part = |key: &str| line[key].as_str().expect("is text");
            format!("{} {} {} {}", part("action"), part("org"), part("outcome"), part("subject"))
        })
        .collect();
    let token_id = token["id"].as_str().expect("is text");
    let key = operator.seen("/admin/v1/signing-keys")["keys"][0]["key_id"].clone();
    let expected = [
        format!("token.create acme done {token_id}"),
        "settings.reload  done log.level".to_owned(),
        "keys.rotate  done ".to_owned(),
        format!("signing-key.rotate  done {}", key.as_str().expect("is text")),
        "target.archive acme done protocol desk@1.0".to_owned(),
        "stage.entitle acme invalid_request nowhere".to_owned(),
        "stage.access acme invalid_request door".to_owned(),
        "stage.session acme invalid_request door".to_owned(),
        "stage.session acme done door".to_owned(),
        format!("stage.invite acme done door for {}", operator.id),
        "stage.entitle acme done door for other".to_owned(),
        "stage.access acme done door".to_owned(),
        "target.publish acme done stage door@1.0".to_owned(),
        "target.publish acme done protocol desk@1.0".to_owned(),
        "target.publish acme invalid_request ".to_owned(),
        "target.publish acme invalid_request ".to_owned(),
    ];
    assert_eq!(lines, expected);
    let all = log.to_string();
    for secret in
        ["sesame", session["session"].as_str().expect("is text"), token["token"].as_str().expect("is text")]
    {
        assert!(!all.contains(secret), "{secret}");
    }
    let page = operator.seen("/admin/v1/audit?limit=2&org=acme")["audit"].clone();
    assert_eq!(page[1]["action"], "target.archive");
    let before = page[1]["id"].as_str().expect("is text");
    let older = operator.seen(&format!("/admin/v1/audit?limit=1&org=acme&before={before}"));
    operator.get("/admin/v1/audit?before=yesterday").is(400, "invalid_request");
    assert_eq!(older["audit"][0]["subject"], "nowhere");
    operator.get("/admin/v1/audit?page=2").is(400, "invalid_request");
    operator.get("/admin/v1/audit?limit=0").is(400, "invalid_request");
    if database::server().is_none() {
        // A text that is no secret to the store: a session is kept as what it opens.
        let bytes = std::fs::read(bench.database()).expect("can be read");
        assert!(!bytes.windows(11).any(|window| window == b"open sesame"));
    }
    bench.post("/api/v1/sense", &json!({"target": {"type": "protocol", "id": "desk", "version": "1.0"}, "interaction": {"content": ONE}})).good("Sense");
}
