//! Usage, estimate, history, status, capabilities.

use crate::bench::send;
use crate::fixture::{NONE, ONE, TWO, bench, sense};
use serde_json::{Value, json};
use sonometer::Unit;
use sonometer_service::period::parse_moment;
use sonometer_service::{Mode, Scope};
use std::sync::atomic::Ordering;

fn estimate(kind: &str, id: &str, length: u64, modality: &str) -> Value {
    json!({"target": {"type": kind, "id": id}, "content_length": length, "modality": modality})
}

// covers: usage.200, usage.overage, usage.401
#[test]
fn usage_follows_what_is_sensed() {
    let bench = bench();
    bench.post("/api/v1/sense", &sense("desk", TWO)).good("Sense");
    let body = bench.get("/api/v1/usage").good("Usage");
    let expected = json!({
        "tier": "developer", "quota": 10_000, "used": 2, "remaining": 9_998, "period": "2026-11",
        "reset": "2026-12-01T00:00:00Z", "overage": {"rate_usd": 0.005, "used": 0, "cost_usd": 0},
    });
    assert_eq!(body, expected);
    bench.send("GET", "/api/v1/usage", &[], b"").is(401, "unauthorized");
    let live = bench.get_as(&bench.live, "/api/v1/usage").good("Usage");
    assert_eq!(live["used"], 0, "what test tokens do never touches the live account");
}

// covers: limits.overage, usage.overage.used
#[test]
fn overage_is_metered_at_the_rate_up_to_the_cap() {
    let bench = bench();
    bench.account(Mode::Live, |settings| {
        settings.quota = 3;
        settings.overage = true;
        settings.rate_usd = Unit(7_000);
        settings.cap_usd = Some(Unit(21_000));
    });
    let ask = |content| bench.post_as(&bench.live, "/api/v1/sense", &sense("desk", content));
    assert_eq!(ask(TWO).good("Sense")["ics"]["cost_usd"], 0);
    let across = ask(TWO);
    assert_eq!(across.good("Sense")["ics"], json!({"consumed": 2, "cost_usd": 0.007, "sgm_version": "1.0"}));
    assert_eq!((across.number("x-ics-consumed"), across.number("x-ics-remaining")), (2, 0));
    let estimated =
        bench.post_as(&bench.live, "/api/v1/usage/estimate", &estimate("protocol", "desk", 200, "text"));
    assert_eq!(
        estimated.good("Estimate")["estimated_cost_usd"],
        json!({"min": 0, "max": 0.021, "typical": 0.021})
    );
    assert_eq!(ask(TWO).good("Sense")["ics"]["cost_usd"], 0.014);
    let refused = ask(ONE);
    refused.is(402, "quota_exhausted");
    assert_eq!(refused.details()["reason"], "spend_cap");
    let usage = bench.get_as(&bench.live, "/api/v1/usage").good("Usage");
    assert_eq!(usage["overage"], json!({"rate_usd": 0.007, "used": 3, "cost_usd": 0.021}));
    assert_eq!((&usage["used"], &usage["remaining"]), (&json!(6), &json!(0)));
    let history = bench.get_as(&bench.live, "/api/v1/usage/history").good("History");
    assert_eq!(history["totals"], json!({"ics": 6, "cost_usd": 0.021, "analyses": 3}));
    // A larger quota in the middle of the month makes the cap no larger, and neither does another rate.
    bench.account(Mode::Live, |settings| settings.quota = 8);
    assert_eq!(ask(TWO).good("Sense")["ics"]["cost_usd"], 0);
    assert_eq!(ask(ONE).details()["reason"], "spend_cap");
    bench.account(Mode::Live, |settings| settings.rate_usd = Unit(1));
    assert_eq!(ask(ONE).details()["reason"], "spend_cap");
    // What was used within a quota that is smaller now was not overage.
    bench.account(Mode::Live, |settings| {
        settings.quota = 0;
        settings.cap_usd = Some(Unit(21_002));
    });
    assert_eq!(ask(TWO).good("Sense")["ics"]["cost_usd"], 0.000_002);
    bench.ledger_is_right();
}

// covers: limits.member_cap
#[test]
fn a_token_has_a_cap_of_its_own() {
    let bench = bench();
    bench.account(Mode::Live, |settings| {
        settings.quota = 1;
        settings.overage = true;
    });
    let capped = bench.runtime.block_on(bench.service.create_token(
        "acme",
        Mode::Live,
        "",
        &Scope::DEFAULT,
        Some(Unit(10_000)),
        0,
    ));
    let capped = capped.expect("made").1;
    bench.post_as(&capped, "/api/v1/sense", &sense("desk", TWO)).good("Sense");
    bench.post_as(&capped, "/api/v1/sense", &sense("desk", ONE)).good("Sense");
    let refused = bench.post_as(&capped, "/api/v1/sense", &sense("desk", ONE));
    refused.is(402, "quota_exhausted");
    assert_eq!(refused.details()["reason"], "token_spend_cap");
    bench.post_as(&bench.live, "/api/v1/sense", &sense("desk", ONE)).good("Sense");
    bench.ledger_is_right();
}

/// Its rows may be very many: each node adds them up once, and then those that came since.
// covers: limits.member_cap
#[test]
fn what_a_token_spent_is_not_added_up_for_every_charge() {
    let bench = bench();
    bench.account(Mode::Live, |settings| {
        settings.quota = 1;
        settings.overage = true;
    });
    let (one, other) = (bench.address(), bench.second_node());
    let scopes = &Scope::DEFAULT;
    let capped = bench.service.create_token("acme", Mode::Live, "", scopes, Some(Unit(30_000)), 0);
    let capped = bench.runtime.block_on(capped).expect("made").1;
    let ask = |token: &str, node, content| {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        send(node, "POST", "/api/v1/sense", &headers, sense("desk", content).to_string().as_bytes())
    };
    let good = |node, content| ask(&capped, node, content).good("Sense");
    let refused = |node| {
        let refused = ask(&capped, node, ONE);
        refused.is(402, "quota_exhausted");
        assert_eq!(refused.details()["reason"], "token_spend_cap");
    };
    good(one, TWO);
    good(other, ONE);
    good(one, ONE);
    // Whoever adds up again what is known finds that nothing is left.
    bench.sql("UPDATE ledger SET cost_micros = cost_micros + 1000000 WHERE number <= 2");
    good(other, ONE);
    ask(&bench.live, one, ONE).good("Sense");
    good(one, ONE);
    // What an older version charges meanwhile has no number.
    bench.sql("UPDATE ledger SET number = 0, cost_micros = 1000000 WHERE number = 3");
    refused(other);
    bench.sql("UPDATE ledger SET cost_micros = 0 WHERE number = 0");
    ask(&bench.live, one, ONE).good("Sense");
    good(other, ONE);
    refused(one);
    refused(other);
}

// covers: estimate.200, estimate.request, estimate.blueprint, estimate.free, estimate.404
#[test]
fn estimates_are_free() {
    let bench = bench();
    let body =
        bench.post("/api/v1/usage/estimate", &estimate("protocol", "desk", 200, "text")).good("Estimate");
    assert_eq!(body["estimated_ics"], json!({"min": 0, "max": 3, "typical": 3}));
    assert_eq!(body["estimated_cost_usd"], json!({"min": 0, "max": 0, "typical": 0}));
    assert_eq!((&body["remaining_quota"], &body["will_exceed_quota"]), (&json!(10_000), &json!(false)));
    for (kind, id, modality) in [
        ("blueprint", "service-call", "transcript"),
        ("metric", "reply-quality", "text"),
        ("protocol", "affect", "document"),
    ] {
        let body =
            bench.post("/api/v1/usage/estimate", &estimate(kind, id, 2_000, modality)).good("Estimate");
        let figures = &body["estimated_ics"];
        let of = |key: &str| figures[key].as_f64().expect("is a number");
        assert!(of("min") <= of("typical") && of("typical") <= of("max") && of("max") > 0.0, "{figures}");
    }
    bench.account(Mode::Test, |settings| settings.quota = 2);
    let body =
        bench.post("/api/v1/usage/estimate", &estimate("protocol", "desk", 200, "text")).good("Estimate");
    assert_eq!((&body["remaining_quota"], &body["will_exceed_quota"]), (&json!(2), &json!(true)));
    bench
        .post("/api/v1/usage/estimate", &estimate("protocol", "none", 1, "text"))
        .is(404, "target_not_found");
    bench
        .post("/api/v1/usage/estimate", &estimate("protocol", "desk", 1, "audio"))
        .is(400, "invalid_request");
    bench
        .post("/api/v1/usage/estimate", &estimate("protocol", "desk", 1, "video"))
        .is(400, "invalid_request");
    for length in [json!(-1), json!(1.5), json!("9"), json!(null)] {
        let mut ask = estimate("protocol", "desk", 1, "text");
        ask["content_length"] = length;
        bench.post("/api/v1/usage/estimate", &ask).is(400, "invalid_request");
    }
    assert_eq!(bench.used(Mode::Test), 0);
}

// covers: history.200, history.entries, history.totals, history.paging, history.period, history.401
#[test]
fn history_is_newest_first_and_paged() {
    let bench = bench();
    for (at, content) in [ONE, TWO, NONE].into_iter().enumerate() {
        bench.clock.0.fetch_add(1_000 * at as i64, Ordering::SeqCst);
        bench.post("/api/v1/sense", &sense("desk", content)).good("Sense");
    }
    let body = bench.get("/api/v1/usage/history").good("History");
    let consumed = |body: &Value| -> Vec<u64> {
        let entries = body["entries"].as_array().expect("is a list").iter();
        entries.map(|entry| entry["ics_consumed"].as_u64().expect("is whole")).collect()
    };
    assert_eq!(consumed(&body), [0, 2, 1]);
    let first = json!({
        "timestamp": "2026-11-21T15:36:11Z", "target": {"type": "protocol", "id": "desk", "version": "1.0"},
        "ics_consumed": 2, "metamarkers_triggered": 2, "cost_usd": 0,
    });
    assert_eq!(body["entries"][1], first);
    assert_eq!(body["totals"], json!({"ics": 3, "cost_usd": 0, "analyses": 3}));
    assert_eq!((&body["total_entries"], &body["limit"], &body["offset"]), (&json!(3), &json!(20), &json!(0)));
    let page = bench.get("/api/v1/usage/history?limit=1&offset=2&period=2026-11").good("History");
    assert_eq!((consumed(&page), &page["total_entries"]), (vec![1], &json!(3)));
    let before = bench.get("/api/v1/usage/history?period=2026-10").good("History");
    assert_eq!(
        (&before["period"], &before["entries"], &before["totals"]["ics"]),
        (&json!("2026-10"), &json!([]), &json!(0))
    );
    for bad in
        ["period=2026-13", "period=november", "period=", "limit=0", "limit=101", "offset=x", "month=2026-11"]
    {
        bench.get(&format!("/api/v1/usage/history?{bad}")).is(400, "invalid_request");
    }
    let other = bench.org("other");
    assert_eq!(bench.get_as(&other, "/api/v1/usage/history").good("History")["total_entries"], 0);
    bench.send("GET", "/api/v1/usage/history", &[], b"").is(401, "unauthorized");
}

// covers: limits.period, usage.period
#[test]
fn a_new_month_is_a_new_quota() {
    let bench = bench();
    bench.account(Mode::Test, |settings| settings.quota = 2);
    let last = parse_moment("2026-11-30T23:59:59.999Z").expect("is a moment");
    bench.clock.0.store(last, Ordering::SeqCst);
    bench.post("/api/v1/sense", &sense("desk", TWO)).good("Sense");
    bench.post("/api/v1/sense", &sense("desk", ONE)).is(402, "quota_exhausted");
    bench.clock.0.store(last + 1, Ordering::SeqCst);
    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
    let usage = bench.get("/api/v1/usage").good("Usage");
    assert_eq!(
        (&usage["period"], &usage["used"], &usage["reset"]),
        (&json!("2026-12"), &json!(1), &json!("2027-01-01T00:00:00Z"))
    );
    let old = bench.get("/api/v1/usage/history?period=2026-11").good("History");
    assert_eq!((&old["totals"]["ics"], &old["total_entries"]), (&json!(2), &json!(1)));
    bench.ledger_is_right();
}

// covers: status.200, status.401, capabilities.200, capabilities.tools, capabilities.sgm_versions, capabilities.token
#[test]
fn status_and_capabilities() {
    let bench = bench();
    let status = bench.get("/api/v1/status").good("Status");
    let expected = json!({
        "status": "healthy", "version": env!("CARGO_PKG_VERSION"), "authenticated": true,
        "sgm_versions": {"1.0": "stable", "1.5": "preview"}, "profiles": ["raw", "detailed", "discovery"],
        "supported_modalities": ["text", "transcript"], "ics": {"remaining": 10_000, "period": "2026-11"},
    });
    assert_eq!(status, expected);
    bench.send("GET", "/api/v1/status", &[], b"").is(401, "unauthorized");
    let open = bench.send("GET", "/api/v1/capabilities", &[], b"");
    let body = open.good("Capabilities");
    assert_eq!(bench.get("/api/v1/capabilities").body, open.body);
    bench.get_as("sono_test_bad", "/api/v1/capabilities").is(401, "unauthorized");
    assert_eq!(body["api_version"], "v1");
    assert_eq!(
        body["sgm_versions"]["1.0"],
        json!({"status": "stable", "capabilities": ["sensing", "fidelity", "evidence"]})
    );
    let more = json!(["sensing", "fidelity", "evidence", "signal_analysis", "actant_flow", "temporal"]);
    assert_eq!(body["sgm_versions"]["1.5"], json!({"status": "preview", "capabilities": more}));
    let tools = body["tools"].as_array().expect("is a list");
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().expect("is text")).collect();
    assert_eq!(names, ["sense", "fidelity_check", "compare", "check_usage"]);
    assert_eq!((&tools[1]["cost"], &tools[3]["cost"]), (&json!("free"), &json!("free")));
    assert_eq!(tools[2]["required_params"], json!(["target", "interaction_a", "interaction_b"]));
    assert_eq!((&body["billing_unit"], &body["billing_model"]), (&json!("ICS"), &json!("outcome-based")));
}
