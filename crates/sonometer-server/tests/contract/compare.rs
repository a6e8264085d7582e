//! `POST /api/v1/sense/compare`.

use crate::fixture::{LITTLE, NONE, ONE, TWO, bench, target, text};
use serde_json::json;
use sonometer_service::Mode;

// covers: compare.request, compare.200, compare.delta, compare.label, compare.ics
#[test]
fn b_minus_a() {
    let bench = bench();
    let (mut a, mut b) = (text(ONE), text(TWO));
    a["label"] = json!("before");
    b["label"] = json!("after");
    let answer = bench.post(
        "/api/v1/sense/compare",
        &json!({"target": target("desk"), "interaction_a": a, "interaction_b": b}),
    );
    let body = answer.good("Compare");
    assert_eq!(body["target"], json!({"type": "protocol", "id": "desk", "version": "1.0"}));
    assert_eq!(
        (body["interaction_a"]["label"].as_str(), body["interaction_b"]["label"].as_str()),
        (Some("before"), Some("after"))
    );
    assert_eq!(
        (&body["interaction_a"]["metamarkers_triggered"], &body["interaction_b"]["metamarkers_triggered"]),
        (&json!(1), &json!(2))
    );
    let score = |side: &str| (body[side]["score"].as_f64().expect("is a number") * 1e6).round();
    let change = (body["delta"]["score_change"].as_f64().expect("is a number") * 1e6).round();
    assert_eq!(change, score("interaction_b") - score("interaction_a"));
    assert_eq!(body["delta"]["direction"], "improvement");
    assert_eq!(body["delta"]["metamarker_change"], 1);
    let shift = &body["delta"]["resonance_shifts"]["greeting"];
    assert!(
        shift["a"] == 0 && shift["b"].as_f64().is_some_and(|b| b > 0.0) && shift["b"] == shift["change"],
        "{shift}"
    );
    assert_eq!(body["ics"], json!({"consumed": 3, "cost_usd": 0}));
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (3, 9_997));
    bench.ledger_is_right();
}

// covers: compare.twice
#[test]
fn the_same_twice_is_charged_twice_and_is_unchanged() {
    let bench = bench();
    let ask = json!({"target": target("desk"), "interaction_a": text(TWO), "interaction_b": text(TWO)});
    let body = bench.post("/api/v1/sense/compare", &ask).good("Compare");
    assert_eq!((&body["delta"]["direction"], &body["ics"]["consumed"]), (&json!("unchanged"), &json!(4)));
    let back = json!({"target": target("desk"), "interaction_a": text(TWO), "interaction_b": text(NONE)});
    let body = bench.post("/api/v1/sense/compare", &back).good("Compare");
    assert_eq!(
        (&body["delta"]["direction"], &body["delta"]["metamarker_change"]),
        (&json!("decline"), &json!(-2))
    );
}

// covers: compare.400, compare.402, compare.404, compare.422
#[test]
fn refusals() {
    let bench = bench();
    let ask = |a: &str, b: &str| json!({"target": target("desk"), "interaction_a": text(a), "interaction_b": text(b)});
    for (a, b, which) in
        [(ONE, LITTLE, "interaction_b"), (LITTLE, ONE, "interaction_a"), (LITTLE, LITTLE, "interaction_a")]
    {
        let answer = bench.post("/api/v1/sense/compare", &ask(a, b));
        answer.is(422, "insufficient_signal");
        assert_eq!(answer.details()["which"], which);
        assert_eq!(answer.details()["fidelity"]["sufficient"], false);
    }
    let missing =
        bench.post("/api/v1/sense/compare", &json!({"target": target("desk"), "interaction_a": text(ONE)}));
    missing.is(400, "invalid_request");
    assert_eq!(missing.details()["place"], "interaction_b");
    let mut unknown = ask(ONE, TWO);
    unknown["target"]["id"] = json!("none");
    bench.post("/api/v1/sense/compare", &unknown).is(404, "target_not_found");
    bench.account(Mode::Test, |settings| settings.quota = 2);
    bench.post("/api/v1/sense/compare", &ask(ONE, TWO)).is(402, "quota_exhausted");
    assert_eq!(bench.used(Mode::Test), 0);
}
