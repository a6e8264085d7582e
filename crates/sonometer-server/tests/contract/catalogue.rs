//! Protocols, metrics and blueprints, listed and looked up.

use crate::bench::Bench;
use crate::fixture::{ONE, bench, desk, door, sense};
use serde_json::{Value, json};
use sonometer::TargetKind;

const METRIC: &str = "sonometer_metric: 1\nid: tone\nversion: \"1.0\"\ndescription: Tone.\ncomponents:\n  - protocol: desk@1.0\n    weight: 2\n  - protocol: courtesy@1.0\n";
const BLUEPRINT: &str = "sonometer_blueprint: 1\nid: counter\nversion: \"1.0\"\ndescription: At the counter.\nprotocols: [desk@1.0]\nmetrics: [tone@1.0]\n";

fn ids<'a>(body: &'a Value, key: &str) -> Vec<&'a str> {
    body[key]
        .as_array()
        .expect("is a list")
        .iter()
        .map(|item| item["id"].as_str().expect("is text"))
        .collect()
}

// covers: protocols.200, protocols.items, protocols.total, protocols.status, protocols.taxonomy, protocols.limit, protocols.offset
#[test]
fn protocols_are_listed_and_filtered() {
    let bench = Bench::start();
    let all = bench.get("/api/v1/protocols?limit=100").good("Protocols");
    assert_eq!(
        ids(&all, "protocols"),
        [
            "abuse",
            "abuse-de",
            "abuse-es",
            "abuse-fr",
            "abuse-it",
            "abuse-pt",
            "abuse-zh",
            "affect",
            "argument",
            "counselling",
            "courtesy",
            "disclosure",
            "escalation",
            "friction",
            "names-and-places",
            "negotiation",
            "personal-attack",
            "personal-data",
            "pressure-tactics",
            "promise",
            "prompt-attack",
            "refusal",
            "uptake"
        ]
    );
    assert_eq!((&all["total"], &all["limit"], &all["offset"]), (&json!(23), &json!(100), &json!(0)));
    let drafts = bench.get("/api/v1/protocols?status=draft").good("Protocols");
    assert_eq!(
        (ids(&drafts, "protocols"), &drafts["protocols"][0]["status"]),
        (vec!["next-steps"], &json!("draft"))
    );
    let both = bench.get("/api/v1/protocols?status=all").good("Protocols");
    assert_eq!(both["total"], 24);
    for (taxonomy, of_it) in [
        (
            "Policy",
            &[
                "abuse",
                "abuse-de",
                "abuse-es",
                "abuse-fr",
                "abuse-it",
                "abuse-pt",
                "abuse-zh",
                "disclosure",
                "names-and-places",
                "personal-data",
                "prompt-attack",
            ][..],
        ),
        ("Critical_Thinking", &["argument", "pressure-tactics"]),
        ("Good_Practice", &["counselling", "courtesy", "promise", "uptake"]),
        ("Signal", &["affect", "escalation", "friction", "negotiation", "personal-attack", "refusal"]),
    ] {
        let some = bench.get(&format!("/api/v1/protocols?taxonomy={taxonomy}")).good("Protocols");
        assert_eq!((ids(&some, "protocols"), &some["total"]), (of_it.to_vec(), &json!(of_it.len())));
    }
    let page = bench.get("/api/v1/protocols?limit=2&offset=1").good("Protocols");
    assert_eq!(ids(&page, "protocols"), ["abuse-de", "abuse-es"]);
    assert_eq!((&page["total"], &page["limit"], &page["offset"]), (&json!(23), &json!(2), &json!(1)));
    assert_eq!(
        bench.get("/api/v1/protocols?limit=100&offset=9007199254740992").good("Protocols")["protocols"],
        json!([])
    );
    for bad in [
        "limit=0",
        "limit=101",
        "limit=x",
        "offset=-1",
        "status=old",
        "taxonomy=signal",
        "page=2",
        "limit=1&limit=2",
        "limit",
    ] {
        bench.get(&format!("/api/v1/protocols?{bad}")).is(400, "invalid_request");
    }
}

// covers: protocol.200, protocol.versions_available, protocol.metamarkers, protocol.modalities, protocol.sgm_version, protocol.404, protocol.private
#[test]
fn a_protocol_is_described_without_its_insides() {
    let bench = Bench::start();
    for version in ["1.0", "1.5"] {
        bench.publish("acme", &desk(version, version, "published"));
    }
    bench.publish("acme", &desk("2.0", "1.5", "draft"));
    let body = bench.get("/api/v1/protocols/desk").good("Protocol");
    assert_eq!((&body["version"], &body["sgm_version"]), (&json!("1.5"), &json!("1.5")));
    assert_eq!(body["versions_available"], json!(["1.0", "1.5", "2.0"]));
    assert_eq!(body["supported_modalities"], json!(["text", "transcript"]));
    assert_eq!(
        body["metamarkers"][0],
        json!({"label": "thanks", "description": "Somebody says thanks.", "importance": "high"})
    );
    assert_eq!(bench.get("/api/v1/protocols/desk?version=1.0").good("Protocol")["version"], "1.0");
    let listed = bench.get("/api/v1/protocols?taxonomy=Signal").good("Protocols");
    assert_eq!(listed["protocols"][1]["versions"], json!(["1.0", "1.5"]));
    let text = bench.get("/api/v1/protocols/courtesy").body;
    for inside in ["strong", "clear", "weak", "trigger", "weight", "pattern", "threshold"] {
        // Keys, not the words of a description.
        assert!(!text.contains(&format!("\"{inside}\"")), "{inside}");
    }
    let other = bench.org("other");
    for (token, path) in [
        (&other, "desk"),
        (&bench.test, "none"),
        (&bench.test, "desk?version=9"),
        (&bench.test, "%ff"),
        (&bench.test, "a%2Fb"),
        (&bench.test, "reply-quality"),
    ] {
        bench.get_as(token, &format!("/api/v1/protocols/{path}")).is(404, "target_not_found");
    }
    bench.get("/api/v1/protocols/desk?limit=1").is(400, "invalid_request");
}

// covers: metrics.200, metric.200, metric.404, blueprints.200, blueprint.200, blueprint.404
#[test]
fn metrics_and_blueprints() {
    let bench = bench();
    bench.publish("acme", METRIC);
    bench.publish("acme", BLUEPRINT);
    let metrics = bench.get("/api/v1/metrics").good("Metrics");
    assert_eq!(ids(&metrics, "metrics"), ["reply-quality", "safe-handling", "tone"]);
    assert_eq!(
        metrics["metrics"][2],
        json!({"id": "tone", "name": "tone", "status": "active", "protocol_count": 2, "aggregation": "weighted_average"})
    );
    let metric = bench.get("/api/v1/metrics/tone").good("Metric");
    assert_eq!(
        metric["components"],
        json!([{"protocol_id": "desk", "weight": 2}, {"protocol_id": "courtesy", "weight": 1}])
    );
    let blueprints = bench.get("/api/v1/blueprints?limit=1").good("Blueprints");
    assert_eq!((ids(&blueprints, "blueprints"), &blueprints["total"]), (vec!["agent-quality"], &json!(6)));
    let blueprint = bench.get("/api/v1/blueprints/counter").good("Blueprint");
    assert_eq!(blueprint["protocols"], json!([{"id": "desk", "version": "1.0", "metamarker_count": 3}]));
    assert_eq!(blueprint["metrics"], json!([{"id": "tone", "aggregation": "weighted_average"}]));
    assert_eq!(blueprint["description"], "At the counter.");
    assert_eq!(blueprint["supported_modalities"], json!(["text", "transcript"]));
    let other = bench.org("other");
    for path in ["metrics/tone", "blueprints/counter"] {
        bench.get_as(&other, &format!("/api/v1/{path}")).is(404, "target_not_found");
    }
    assert_eq!(ids(&bench.get_as(&other, "/api/v1/metrics").good("Metrics"), "metrics").len(), 2);
    bench.get("/api/v1/metrics?status=all").is(400, "invalid_request");
}

/// A misspelt id is answered with one that the organization has, and never with one of another organization.
#[test]
fn a_misspelt_id_is_answered_with_the_one_that_is_meant() {
    let bench = bench();
    let other = bench.org("other");
    let message = |token: &str, id: &str| {
        let answer = bench.post_as(token, "/api/v1/sense", &sense(id, ONE));
        answer.is(404, "target_not_found");
        answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        message(&bench.test, "curtesy"),
        "unknown or unpublished protocol `curtesy`; did you mean `courtesy`?"
    );
    assert_eq!(
        message(&bench.test, "desks"),
        "unknown or unpublished protocol `desks`; did you mean `desk`?"
    );
    assert_eq!(message(&other, "desks"), "unknown or unpublished protocol `desks`");
    // As the command has it; an id that only another organization has is not told.
    assert_eq!(
        message(&bench.test, "desk@1.0"),
        "unknown or unpublished protocol `desk@1.0`; give the version by itself: `desk` as `id`, and `1.0` as `version`"
    );
    assert!(!message(&other, "desk@1.0").contains("by itself"));
}

/// What is there in other versions, or as a draft only, is answered with its versions, and never with those of another organization.
#[test]
fn a_missing_version_is_answered_with_those_that_are_there() {
    let bench = Bench::start();
    bench.publish("acme", &desk("0.9", "1.0", "draft").replace("id: desk", "id: lodge"));
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    let draft = door("").replace("version: \"1.0\"", "version: \"0.9\"");
    bench.publish("acme", &draft.replace("status: published", "status: draft"));
    let other = bench.org("other");
    let message = |token: &str, path: &str, body: &Value| {
        let answer = bench.post_as(token, path, body);
        answer.is(404, "target_not_found");
        answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let asked = |id: &str, version: Option<&str>| {
        let mut body = sense(id, ONE);
        if let Some(version) = version {
            body["target"]["version"] = json!(version);
        }
        body
    };
    let sensed =
        |token: &str, id: &str, version: Option<&str>| message(token, "/api/v1/sense", &asked(id, version));
    assert_eq!(
        sensed(&bench.test, "courtesy", Some("9.9")),
        "unknown protocol `courtesy` with version `9.9`; its versions: 1.0, 1.5, 2.0"
    );
    assert_eq!(
        sensed(&bench.test, "lodge", None),
        "the protocol `lodge` has no published version; name one of its versions: 0.9"
    );
    assert_eq!(
        sensed(&bench.test, "lodge", Some("1.0")),
        "unknown protocol `lodge` with version `1.0`; its versions: 0.9"
    );
    assert_eq!(sensed(&other, "lodge", None), "unknown or unpublished protocol `lodge`");
    assert_eq!(sensed(&other, "lodge", Some("0.9")), "unknown protocol `lodge` with version `0.9`");
    let dived = |token: &str, stage: &str| message(token, "/api/v1/dive/open", &json!({"stage_id": stage}));
    assert_eq!(
        dived(&bench.test, "door"),
        "the stage `door` has no published version; name one of its versions: 0.9"
    );
    assert_eq!(dived(&bench.test, "dor"), "unknown or unpublished stage `dor`; did you mean `door`?");
    assert_eq!(
        dived(&bench.test, "billing-dispute@3.0"),
        "unknown stage `billing-dispute` with version `3.0`; its versions: 1.0"
    );
    assert_eq!(dived(&other, "door"), "unknown or unpublished stage `door`");
    assert_eq!(dived(&other, "door@0.9"), "unknown stage `door` with version `0.9`");
}

// covers: status.published, status.draft
#[test]
fn what_is_published_never_changes_and_what_is_archived_stays_callable() {
    let bench = Bench::start();
    bench.publish("acme", &desk("1.0", "1.0", "draft"));
    let mut pinned = sense("desk", ONE);
    bench.post("/api/v1/sense", &pinned).is(404, "target_not_found");
    pinned["target"]["version"] = json!("1.0");
    bench.post("/api/v1/sense", &pinned).good("Sense");
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    let publish = |source: &str| bench.runtime.block_on(bench.service.publish("acme", source));
    let changed = desk("1.0", "1.0", "published").replace("importance: low", "importance: high");
    assert!(publish(&changed).is_err_and(|refusal| refusal.message.contains("never changes")));
    assert!(publish(&desk("1.0", "1.0", "draft")).is_err(), "nor does it become a draft again");
    assert!(
        publish(&desk("1.0", "1.0", "published").replace("id: desk", "id: courtesy")).is_err(),
        "what ships is not hidden"
    );
    assert!(publish(BLUEPRINT).is_err(), "it names a metric that is not there");
    assert!(publish("sonometer: 1\n").is_err());
    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
    let archive = |version| {
        bench.runtime.block_on(bench.service.archive("acme", TargetKind::Protocol, "desk", version))
    };
    archive("1.0").expect("is published");
    assert!(archive("2.0").is_err());
    bench.post("/api/v1/sense", &sense("desk", ONE)).is(404, "target_not_found");
    bench.post("/api/v1/sense", &pinned).good("Sense");
    bench.get("/api/v1/protocols/desk").is(404, "target_not_found");
    assert!(!bench.get("/api/v1/protocols?status=all").body.contains("desk"));
}

/// A metric never changes, so nothing in it may: neither a draft, nor what a new version takes the place of.
#[test]
fn a_metric_or_blueprint_names_nothing_that_can_still_change() {
    let bench = bench();
    bench.publish("acme", &desk("1.1", "1.0", "draft"));
    let told = |source: &str| {
        let refused = bench.runtime.block_on(bench.service.publish("acme", source));
        refused.expect_err("can change").message
    };
    let draft = "`desk@1.1` is a draft, which can still change; publish it first";
    assert_eq!(told(&METRIC.replace("desk@1.0", "desk@1.1")), draft);
    assert_eq!(
        told(&METRIC.replace("desk@1.0", "desk")),
        "`tone` names `desk` without a version, so it changes with every new one; pin it: `desk@1.0`"
    );
    bench.publish("acme", METRIC);
    assert_eq!(told(&BLUEPRINT.replace("desk@1.0", "desk@1.1")), draft);
    assert_eq!(
        told(&BLUEPRINT.replace("tone@1.0", "tone")),
        "`counter` names `tone` without a version, so it changes with every new one; pin it: `tone@1.0`"
    );
    bench.publish("acme", BLUEPRINT);
}

/// Requests cannot carry a key, so such a protocol would refuse every one of them.
#[test]
fn masks_that_need_a_key_are_refused_before_they_are_asked() {
    let bench = Bench::start();
    let keyed = desk("1.0", "1.0", "published").replace("    strong:", "    mask: keyed\n    strong:");
    let refusal = bench.runtime.block_on(bench.service.publish("acme", &keyed)).expect_err("needs a key");
    assert_eq!(
        refusal.to_string(),
        "invalid_request: the mask `keyed` of `thanks` needs a key, which requests cannot send; write `label` or `numbered`"
    );
    bench.publish("acme", &keyed.replace("keyed", "label"));
}

/// One text is published, and nobody gives the files beside it.
#[test]
fn list_files_are_refused_with_what_to_write_instead() {
    let bench = Bench::start();
    let listed =
        desk("1.0", "1.0", "published").replace("markers:", "list_files: {name: names.txt}\nmarkers:");
    let refusal = bench.runtime.block_on(bench.service.publish("acme", &listed)).expect_err("has no file");
    let told = refusal.to_string();
    assert!(told.contains("the list file `names.txt` is missing"), "{told}");
    assert!(told.contains("the service takes no list files; write the entries into `lists`"), "{told}");
}
