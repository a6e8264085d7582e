//! `POST /api/v1/sense/batch`.

use crate::fixture::{LITTLE, NONE, ONE, TWO, bench, target};
use serde_json::{Value, json};
use sonometer_service::Mode;

fn ask(items: &[(&str, &str)]) -> Value {
    let items: Vec<Value> = items.iter().map(|(id, content)| json!({"id": id, "content": content})).collect();
    json!({"target": target("desk"), "interactions": items})
}

// covers: batch.request, batch.200, batch.summary, batch.ics
#[test]
fn results_stand_in_order_and_add_up() {
    let bench = bench();
    let answer =
        bench.post("/api/v1/sense/batch", &ask(&[("x", ONE), ("b", TWO), ("c", NONE), ("d", LITTLE)]));
    let body = answer.good("Batch");
    let results = body["results"].as_array().expect("is a list");
    let ids: Vec<_> = results.iter().map(|item| item["id"].as_str().expect("is text")).collect();
    assert_eq!(ids, ["x", "b", "c", "d"]);
    let counts: Vec<_> = results.iter().map(|item| item["metamarkers"].as_u64().expect("is whole")).collect();
    assert_eq!(counts, [1, 2, 0, 0]);
    assert_eq!(
        (&results[3]["score"], results[3]["fidelity"].as_f64().is_some_and(|f| f < 0.5)),
        (&json!(0), true)
    );
    assert_eq!((&body["summary"]["total"], &body["summary"]["total_metamarkers"]), (&json!(4), &json!(3)));
    let micros = |value: &Value| (value.as_f64().expect("is a number") * 1e6).round();
    let sum: f64 = results.iter().map(|item| micros(&item["score"])).sum();
    let average = micros(&body["summary"]["average_score"]);
    assert!((average - sum / 3.0).abs() <= 0.5, "what holds too little changes no average: {average}");
    assert_eq!(body["ics"], json!({"total_consumed": 3, "total_cost_usd": 0}));
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (3, 9_997));
    let history = bench.get("/api/v1/usage/history").good("History");
    assert_eq!(history["total_entries"], 3, "what holds too little is no analysis");
    bench.ledger_is_right();
}

// covers: batch.400, batch.402, batch.49
#[test]
fn refusals_name_the_item_and_charge_nobody() {
    let bench = bench();
    let many = |count: usize| -> Value {
        let ids: Vec<String> = (0..count).map(|n| format!("i{n}")).collect();
        ask(&ids.iter().map(|id| (id.as_str(), ONE)).collect::<Vec<_>>())
    };
    for (interactions, index) in [
        (json!([{"id": "a", "content": ONE}, {"content": ONE}]), json!(1)),
        (json!([{"id": "a", "content": ONE}, {"id": 2, "content": ONE}]), json!(1)),
        (json!([{"id": "a", "content": ONE}, {"id": "b", "text": ONE}]), json!(1)),
        (json!([{"id": "a", "content": ONE}, {"id": "b"}, {"id": "a", "content": ONE}]), json!(2)),
        (json!([7]), json!(0)),
        (json!([{"id": "a", "url": "https://example.org/a.pdf"}]), json!(0)),
    ] {
        let answer = bench
            .post("/api/v1/sense/batch", &json!({"target": target("desk"), "interactions": interactions}));
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["index"], index, "{interactions} {}", answer.body);
    }
    for body in [json!({"target": target("desk"), "interactions": []}), json!({"target": target("desk")})] {
        bench.post("/api/v1/sense/batch", &body).is(400, "invalid_request");
    }
    assert_eq!(bench.used(Mode::Test), 0);
    let most = bench.post("/api/v1/sense/batch", &many(49)).good("Batch");
    assert_eq!(most["ics"]["total_consumed"], 49);
    bench.account(Mode::Test, |settings| settings.quota = 60);
    bench.post("/api/v1/sense/batch", &many(12)).is(402, "quota_exhausted");
    assert_eq!(bench.used(Mode::Test), 49, "all or none");
    bench.ledger_is_right();
}
