//! `POST /api/v1/sense`.

use crate::bench::{Bench, KIND};
use crate::fixture::{LITTLE, NONE, ONE, TWO, bench, desk, sense, target, text};
use serde_json::{Value, json};
use sonometer::{Interaction, Protocol, Sensor, View};
use sonometer_service::{Mode, Scope};

fn talk() -> Value {
    json!({"segments": [
        {"role": "customer", "content": "good morning, the ticket machine is broken", "timestamp": 0},
        {"role": "agent", "content": "I am very sorry, thank you for telling us", "timestamp": 12.5},
        {"role": "customer", "content": "thank you", "timestamp": 70},
    ]})
}

// covers: sense.target, sense.interaction, sense.200, target.type, target.id, target.version.default, interaction.content,
// covers: result.target, result.score, result.resonance, result.evidence, result.fidelity, result.ics, profile.raw, number.scores
#[test]
fn the_bytes_are_those_of_the_engine() {
    let bench = Bench::start();
    let latest = bench.post("/api/v1/sense", &sense("courtesy", KIND)).good("Sense");
    let newest = sonometer_catalog::find("courtesy", None).expect("ships").version;
    assert_eq!(latest["target"]["version"], newest);
    let mut pinned = sense("courtesy", KIND);
    pinned["target"]["version"] = json!("1.0");
    let answer = bench.post("/api/v1/sense", &pinned);
    let body = answer.good("Sense");
    let source = sonometer_catalog::find("courtesy", Some("1.0")).expect("ships").source;
    let sensor = Sensor::new(Protocol::read(source).expect("reads").0).expect("compiles");
    let reading = sensor.sense(&Interaction::text(KIND).expect("is short")).expect("senses");
    assert_eq!(answer.body, reading.to_json(View::default()));
    assert!(reading.ics().consumed >= 2, "{}", answer.body);
    assert_eq!(body["target"], json!({"type": "protocol", "id": "courtesy", "version": "1.0"}));
    assert!(body.get("profile").is_none() && body.get("weak_signals").is_none());
    for item in body["evidence"].as_array().expect("is a list") {
        assert!(item.get("actant").is_none() && item.get("reconstruction").is_none());
        assert!(KIND.contains(item["source"].as_str().expect("is text")));
    }
    assert_eq!(body["ics"]["consumed"].as_u64(), Some(reading.ics().consumed));
    assert_eq!(body["ics"]["cost_usd"], 0);
    assert_eq!(body["ics"]["sgm_version"], "1.0");
}

// covers: interaction.segments, interaction.timestamp, interaction.type, interaction.id, interaction.label, interaction.language
#[test]
fn a_transcript_with_everything_that_may_stand_beside_it() {
    let bench = bench();
    let mut interaction = talk();
    for (key, value) in [("type", "transcript"), ("id", "call-1"), ("label", "before"), ("language", "en")] {
        interaction[key] = json!(value);
    }
    let answer = bench.post("/api/v1/sense", &json!({"target": target("desk"), "interaction": interaction}));
    let body = answer.good("Sense");
    assert_eq!(body["ics"]["consumed"], 3);
    assert_eq!(body["evidence"].as_array().map(Vec::len), Some(4));
}

// covers: profile.detailed, result.profile, result.reconstruction, profile.discovery, result.weak_signals
#[test]
fn profiles_show_more_and_change_no_number() {
    let bench = bench();
    let content = "we are thankful, and we say thank you for the ticket. Other words, again: sorry.";
    let ask = |profile: &str| {
        let mut body = sense("desk", content);
        body["options"] = json!({"profile": profile});
        bench.post("/api/v1/sense", &body).good("Sense")
    };
    let (raw, detailed, discovery) = (ask("raw"), ask("detailed"), ask("discovery"));
    for other in [&detailed, &discovery] {
        for key in ["target", "score", "resonance", "fidelity"] {
            assert_eq!(raw[key], other[key], "{key}");
        }
        // The markers that were counted are named where more is shown.
        for key in ["consumed", "cost_usd", "sgm_version"] {
            assert_eq!(raw["ics"][key], other["ics"][key], "{key}");
        }
        assert_eq!(
            other["ics"]["markers"].as_array().map(|all| all.len() as u64),
            raw["ics"]["consumed"].as_u64()
        );
        assert!(other["against"].is_array() && raw.get("against").is_none());
    }
    assert_eq!(
        (detailed["profile"].as_str(), discovery["profile"].as_str()),
        (Some("detailed"), Some("discovery"))
    );
    let reconstruction = &detailed["evidence"][0]["reconstruction"];
    assert_eq!(reconstruction["segment_text"], content);
    assert_eq!(
        (&reconstruction["attribution"], &reconstruction["actant"]),
        (&json!("unattributed"), &json!("unattributed"))
    );
    assert!(discovery["weak_signals"].is_array() && detailed.get("weak_signals").is_none());
}

// covers: result.weak_signals.items
#[test]
fn what_nearly_triggered_is_told_with_a_hint() {
    let bench = bench();
    let mut body = sense("desk", "we are thankful for the ticket to the city");
    body["options"] = json!({"profile": "discovery"});
    let body = bench.post("/api/v1/sense", &body).good("Sense");
    let weak = &body["weak_signals"][0];
    assert_eq!(weak["metamarker"], "thanks", "{body}");
    assert!(weak["proximity"].as_f64().is_some_and(|p| p > 0.0 && p <= 1.0));
    assert!(weak["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
}

// covers: v1_5.primary, v1_5.analyze_flow, v1_5.analyze_dynamics, v1_5.window_seconds, result.signal, result.actant_flow
// covers: result.temporal, result.evidence.actant, result.fidelity.1_5, target.version
#[test]
fn version_1_5_adds_its_parts() {
    let bench = bench();
    bench.publish("acme", &desk("1.5", "1.5", "published"));
    let v1_5 = json!({
        "actant": {"primary": "agent", "analyze_flow": true},
        "temporal": {"analyze_dynamics": true, "window_seconds": 30},
    });
    let ask = json!({"target": target("desk"), "interaction": talk(), "v1_5": v1_5});
    let body = bench.post("/api/v1/sense", &ask).good("Sense");
    assert_eq!((&body["target"]["version"], &body["ics"]["sgm_version"]), (&json!("1.5"), &json!("1.5")));
    for key in ["signal", "actant_flow", "temporal"] {
        assert!(body[key].is_object(), "{key} in {body}");
    }
    assert!(body["signal"]["dominant_mode"].is_string());
    assert!(body["fidelity"]["density"].is_number() && body["fidelity"]["clarity"].is_number());
    assert_eq!(body["evidence"][0]["actant"], "customer");
    let plain =
        bench.post("/api/v1/sense", &json!({"target": target("desk"), "interaction": talk()})).good("Sense");
    assert!(
        plain["signal"].is_object() && plain.get("actant_flow").is_none() && plain.get("temporal").is_none()
    );
    let nothing = bench.post("/api/v1/sense", &sense("desk", NONE)).good("Sense");
    assert!(nothing["signal"]["dominant_mode"].is_null(), "nothing dominates: {nothing}");
    let pinned = json!({"type": "protocol", "id": "desk", "version": "1.0"});
    let old = bench.post("/api/v1/sense", &json!({"target": pinned, "interaction": talk()})).good("Sense");
    assert_eq!(old["target"]["version"], "1.0");
    assert!(old.get("signal").is_none() && old["fidelity"].get("density").is_none());
    for block in [v1_5, json!({})] {
        let refused =
            bench.post("/api/v1/sense", &json!({"target": pinned, "interaction": talk(), "v1_5": block}));
        refused.is(400, "invalid_request");
        assert!(refused.details()["place"].as_str().is_some_and(|place| place.starts_with("v1_5")));
    }
}

// covers: target.metric, target.blueprint
#[test]
fn metrics_and_blueprints_are_targets_too() {
    let bench = Bench::start();
    for (kind, id) in [("metric", "reply-quality"), ("blueprint", "service-call")] {
        let interaction = if kind == "metric" { text(KIND) } else { talk() };
        let ask = json!({"target": {"type": kind, "id": id}, "interaction": interaction});
        let answer = bench.post("/api/v1/sense", &ask);
        if answer.status == 422 {
            answer.is(422, "insufficient_signal");
            continue;
        }
        let body = answer.good("Sense");
        assert_eq!((body["target"]["type"].as_str(), body["target"]["id"].as_str()), (Some(kind), Some(id)));
        let mut with_block = ask.clone();
        with_block["v1_5"] = json!({});
        bench.post("/api/v1/sense", &with_block).is(400, "invalid_request");
    }
    bench
        .post(
            "/api/v1/sense",
            &json!({"target": {"type": "metric", "id": "courtesy"}, "interaction": text(KIND)}),
        )
        .is(404, "target_not_found");
}

// covers: sense.offsets
#[test]
fn places_are_counted_in_code_points_where_they_are_asked_for() {
    let bench = bench();
    let mut ask = sense("desk", "Größe 👋🏽: thank you for the ticket");
    let without = bench.post("/api/v1/sense", &ask).good("Sense");
    assert!(without["evidence"][0].get("start").is_none());
    ask["options"] = json!({"offsets": true});
    let body = bench.post("/api/v1/sense", &ask).good("Sense");
    assert_eq!((&body["evidence"][0]["start"], &body["evidence"][0]["end"]), (&json!(10), &json!(19)));
}

// covers: sense.400, error.invalid_request, sense.400.place
#[test]
fn what_is_wrong_is_named_with_its_place() {
    let bench = Bench::start();
    let base = sense("courtesy", KIND);
    let with = |pointer: &str, value: Value| {
        let mut body = base.clone();
        let (parent, key) = pointer.rsplit_once('/').expect("has a parent");
        body.pointer_mut(parent).expect("is there")[key] = value;
        body
    };
    let without = |key: &str| {
        let mut body = base.clone();
        body.as_object_mut().expect("is an object").remove(key);
        body
    };
    for (body, place) in [
        (without("target"), "target"),
        (without("interaction"), "interaction"),
        (with("/surprise", json!(1)), "surprise"),
        (with("/target", json!("courtesy")), "target"),
        (with("/target/type", json!("sensor")), "target.type"),
        (with("/target/id", json!(7)), "target.id"),
        (with("/target/id", json!("")), "target.id"),
        (with("/target/version", json!(1.0)), "target.version"),
        (with("/target/name", json!("x")), "target.name"),
        (with("/interaction", json!([])), "interaction"),
        (with("/interaction", json!({})), "interaction"),
        (with("/interaction/content", json!(null)), "interaction.content"),
        (with("/interaction/text", json!("x")), "interaction.text"),
        (with("/interaction/segments", json!([])), "interaction.segments"),
        (with("/interaction/type", json!("transcript")), "interaction.type"),
        (with("/interaction", json!({"segments": []})), "interaction.segments"),
        (with("/interaction", json!({"segments": [{"role": "a"}]})), "interaction.segments[0].content"),
        (
            with("/interaction", json!({"segments": [{"role": "a", "content": "b", "timestamp": "1"}]})),
            "interaction.segments[0].timestamp",
        ),
        (with("/options", json!({"profile": "full"})), "options.profile"),
        (with("/options", json!({"verbose": true})), "options.verbose"),
        (with("/v1_5", json!({"actant": {"analyze_flow": "yes"}})), "v1_5.actant.analyze_flow"),
        (with("/v1_5", json!({"temporal": {"window_seconds": 0}})), "v1_5.temporal.window_seconds"),
        (with("/v1_5", json!({"actant": {"primary": ""}})), "v1_5.actant.primary"),
    ] {
        let answer = bench.post("/api/v1/sense", &body);
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["place"], place, "{body} {}", answer.body);
    }
    for (body, place) in [
        ("", "line 1, column 1"),
        ("{\"target\": 1, \"target\": 2}", "line 1, column 15"),
        ("{\"target\": }", "line 1, column 12"),
        ("[1] 2", "line 1, column 5"),
        ("{\"target\": {\"type\": \"protocol\", \"id\": \"\\ud800\"}}", "target.id"),
    ] {
        let answer = bench.post_text("/api/v1/sense", body);
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["place"], place, "{body} {}", answer.body);
    }
    assert_eq!(bench.used(Mode::Test), 0);
}

// covers: interaction.url
#[test]
fn a_file_is_refused_with_its_reason_as_long_as_none_are_read() {
    let bench = Bench::start();
    for interaction in [
        json!({"url": "https://example.org/call.mp3", "type": "audio", "language": "en"}),
        json!({"url": "https://example.org/letter.pdf"}),
    ] {
        let answer =
            bench.post("/api/v1/sense", &json!({"target": target("courtesy"), "interaction": interaction}));
        answer.is(400, "invalid_request");
        assert_eq!(answer.details(), json!({"place": "interaction.url", "reason": "files_not_supported"}));
    }
    let both = json!({"url": "https://example.org/a", "content": "b"});
    bench
        .post("/api/v1/sense", &json!({"target": target("courtesy"), "interaction": both}))
        .is(400, "invalid_request");
}

// covers: sense.404, error.target_not_found, auth.organization
#[test]
fn what_another_organization_has_is_not_there() {
    let bench = bench();
    let other = bench.org("other");
    let ask = sense("desk", ONE);
    bench.post("/api/v1/sense", &ask).good("Sense");
    let hidden = bench.post_as(&other, "/api/v1/sense", &ask);
    hidden.is(404, "target_not_found");
    let unknown = bench.post_as(&other, "/api/v1/sense", &sense("desc", ONE));
    assert_eq!(hidden.refusal().replace("desk", "desc"), unknown.refusal(), "the two are told alike");
    let version = json!({"type": "protocol", "id": "courtesy", "version": "9.9"});
    bench
        .post("/api/v1/sense", &json!({"target": version, "interaction": text(KIND)}))
        .is(404, "target_not_found");
}

// covers: sense.422, error.insufficient, sense.422.free
#[test]
fn too_little_content_costs_nothing() {
    let bench = bench();
    let answer = bench.post("/api/v1/sense", &sense("desk", LITTLE));
    answer.is(422, "insufficient_signal");
    let fidelity = &answer.details()["fidelity"];
    assert_eq!(fidelity["sufficient"], false);
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (0, 10_000));
    assert_eq!(bench.used(Mode::Test), 0);
}

// covers: sense.422, error.insufficient, sense.422.free
#[test]
fn nobody_listened_to_is_too_little() {
    let bench = Bench::start();
    let protocol = "sonometer: 1\nid: manners\nversion: \"1.0\"\nstatus: published\ntaxonomy: Signal\nfidelity: {sufficient: 0}\n\
        markers:\n  - {label: sorry, by: agent, strong: sorry, hit: sorry}\n";
    bench.publish("acme", protocol);
    let ask = |role: &str| {
        let talk = json!({"segments": [{"role": role, "content": "Sorry for that."}]});
        bench.post("/api/v1/sense", &json!({"target": target("manners"), "interaction": talk}))
    };
    let answer = ask("Bob");
    answer.is(422, "insufficient_signal");
    let fidelity = &answer.details()["fidelity"];
    assert_eq!(
        (&fidelity["sufficient"], &fidelity["roles_asked"], &fidelity["roles_seen"]),
        (&json!(false), &json!(["agent"]), &json!(["bob"]))
    );
    assert_eq!(answer.number("x-ics-consumed"), 0);
    bench.post("/api/v1/sense", &sense("manners", "Sorry.")).is(422, "insufficient_signal");
    assert_eq!(ask("assistant").good("Sense")["ics"]["consumed"], 1, "a usual word for an agent");
}

// covers: sense.402, error.quota_exhausted, error.quota_exhausted.details
#[test]
fn a_quota_that_is_used_up_refuses() {
    let bench = bench();
    bench.account(Mode::Test, |settings| settings.quota = 3);
    bench.post("/api/v1/sense", &sense("desk", TWO)).good("Sense");
    let short = bench.post("/api/v1/sense", &sense("desk", TWO));
    short.is(402, "quota_exhausted");
    assert_eq!((&short.details()["used"], &short.details()["needed"]), (&json!(2), &json!(2)));
    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
    for content in [ONE, NONE] {
        let answer = bench.post("/api/v1/sense", &sense("desk", content));
        answer.is(402, "quota_exhausted");
        assert_eq!(answer.details(), json!({"quota": 3, "used": 3, "reset": "2026-12-01T00:00:00Z"}));
        assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (0, 0));
    }
    bench.ledger_is_right();
}

// covers: headers.ics, headers.ratelimit
#[test]
fn sensing_answers_carry_their_headers() {
    let bench = bench();
    let answer = bench.post("/api/v1/sense", &sense("desk", TWO));
    answer.good("Sense");
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (2, 9_998));
    assert_eq!((answer.number("x-ratelimit-limit"), answer.number("x-ratelimit-remaining")), (600, 599));
    let reset = answer.number("x-ratelimit-reset");
    assert!(reset % 60 == 0 && reset * 1_000 > bench.service.now_ms());
    let wrong = bench.post("/api/v1/sense", &json!({}));
    wrong.is(400, "invalid_request");
    assert_eq!((wrong.number("x-ics-consumed"), wrong.number("x-ics-remaining")), (0, 9_998));
    assert_eq!(wrong.number("x-ratelimit-remaining"), 598);
}

// covers: fidelity.200, fidelity.free, fidelity.target, fidelity.interaction
#[test]
fn the_fidelity_check_is_free_and_has_no_422() {
    let bench = bench();
    bench.publish("acme", &desk("1.5", "1.5", "published"));
    let good = bench.post("/api/v1/fidelity/check", &sense("desk", ONE));
    let body = good.good("FidelityCheck");
    assert_eq!(body["target"]["version"], "1.5");
    assert_eq!(body["ics"], json!({"consumed": 0, "cost_usd": 0}));
    assert!(body["fidelity"]["sufficient"] == true && body["fidelity"]["density"].is_number());
    let little = bench.post("/api/v1/fidelity/check", &sense("desk", LITTLE)).good("FidelityCheck");
    assert_eq!(little["fidelity"]["sufficient"], false);
    assert_eq!((good.number("x-ics-consumed"), good.number("x-ics-remaining")), (0, 10_000));
    bench.post("/api/v1/fidelity/check", &sense("none", ONE)).is(404, "target_not_found");
    let options = json!({"target": target("desk"), "interaction": text(ONE), "options": {}});
    bench.post("/api/v1/fidelity/check", &options).is(400, "invalid_request");
    // It is free even where the quota is used up.
    bench.account(Mode::Test, |settings| settings.quota = 0);
    bench.post("/api/v1/fidelity/check", &sense("desk", ONE)).good("FidelityCheck");
    assert_eq!(bench.used(Mode::Test), 0);
    let (_, reader) = bench.token(Mode::Test, &[Scope::Read]);
    bench.post_as(&reader, "/api/v1/fidelity/check", &sense("desk", ONE)).is(403, "forbidden");
}
