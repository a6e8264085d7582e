//! `fmt`, `test`, `publish`, `diff` and `sense --explain` with metrics and blueprints.

mod built;

use built::{folder, path};
use serde_json::Value;
use std::fs;
use std::path::Path;

const CALL: &str = "fixtures/interactions/support-call.json";
const METRIC: &str = "sonometer_metric: 1\nid: tone\nversion: \"1.0\"\ncomponents:\n  - {protocol: courtesy@1.0, weight: 3}\n  - {protocol: personal-data@1.0}\n";
const BLUEPRINT: &str =
    "sonometer_blueprint: 1\nid: look\nversion: \"1.0\"\nprotocols: [affect@1.0]\nmetrics: [tone@1.0]\n";

/// Code, output and errors.
fn run(arguments: &[&str]) -> (i32, String, String) {
    built::run(arguments).parts()
}

#[test]
fn fmt_knows_metrics_and_blueprints() {
    let untidy = METRIC.replace("id: tone\nversion: \"1.0\"", "version: 1.0\nid:   tone  # short");
    let folder = folder("composed-fmt", &[("m.yaml", &untidy), ("b.yaml", BLUEPRINT)]);
    let (metric, blueprint) = (path(&folder, "m.yaml"), path(&folder, "b.yaml"));
    let (code, out, _) = run(&["fmt", "--check", &metric, &blueprint]);
    assert_eq!(code, 1);
    assert!(out.ends_with("1 file would change\n"), "{out}");
    assert_eq!(run(&["fmt", &metric, &blueprint]).0, 0);
    let tidy = METRIC.replace("id: tone", "id: tone  # short");
    assert_eq!(fs::read_to_string(&metric).expect("is there"), tidy);
    assert_eq!(run(&["fmt", "--check", &metric, &blueprint]), (0, String::new(), String::new()));
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sonometer-catalog");
    for file in [
        "metrics/reply-quality@1.0.yaml",
        "metrics/safe-handling@1.0.yaml",
        "blueprints/service-call@1.0.yaml",
    ] {
        let file = path(&shipped, file);
        assert_eq!(run(&["fmt", "--check", &file]).0, 0, "{file}");
    }
}

#[test]
fn test_names_the_protocols_to_test() {
    let (code, out, told) = run(&["test", "service-call"]);
    assert_eq!((code, out.as_str()), (2, ""));
    let said = "a blueprint has no tests of its own; test its protocols: \
                courtesy@1.0 personal-data@1.0 pressure-tactics@1.0";
    assert!(told.contains(said), "{told}");
    let json = run(&["test", "reply-quality", "--json"]).1;
    assert!(json.starts_with(r#"{"error":{"code":"invalid_request""#), "{json}");
}

#[test]
fn publish_freezes_what_is_pinned_to_the_ground() {
    let loose = METRIC.replace("courtesy@1.0", "courtesy");
    let draft = METRIC.replace("courtesy@1.0", "next-steps@0.1");
    let archived = METRIC.replace("id: tone", "id: old").replace("version", "status: archived\nversion");
    let files = [("m.yaml", METRIC), ("b.yaml", BLUEPRINT), ("old.yaml", archived.as_str())];
    let folder = folder("composed-publish", &files);
    let (code, out, told) = run(&["publish", &path(&folder, "m.yaml")]);
    assert_eq!((code, told.as_str()), (0, ""));
    assert!(out.starts_with("metric tone@1.0 is published: sha256:"), "{out}");
    assert!(out.ends_with("2 protocols pinned; a change needs a new version\n"), "{out}");
    assert_eq!(fs::read_to_string(folder.join("m.yaml")).expect("is there"), METRIC, "nothing is written");
    let (code, out, _) = run(&["publish", &path(&folder, "b.yaml")]);
    assert!(code == 0 && out.contains("3 protocols pinned"), "{out}");
    let (code, _, told) = run(&["publish", &path(&folder, "old.yaml")]);
    assert!(code == 2 && told.contains("is archived; write `status: active`"), "{told}");
    // A loose or unfinished part, also one of a metric inside a blueprint.
    for (text, said) in
        [(loose, "`tone` names `courtesy` without a version"), (draft, "is a draft, which can still change")]
    {
        fs::write(folder.join("m.yaml"), text).expect("can be written");
        for file in ["m.yaml", "b.yaml"] {
            let (code, out, told) = run(&["publish", &path(&folder, file)]);
            assert!(code == 2 && out.is_empty() && told.contains(said), "{file}: {told}");
        }
    }
}

#[test]
fn diff_shows_what_another_metric_moves() {
    let other = METRIC.replace("weight: 3", "weight: 1").replace("1.0\"", "1.1\"")
        + "  - {protocol: affect@1.0, weight: 2}\n";
    let folder =
        folder("composed-diff", &[("old.yaml", METRIC), ("new.yaml", &other), ("b.yaml", BLUEPRINT)]);
    let (old, new) = (path(&folder, "old.yaml"), path(&folder, "new.yaml"));
    let (code, out, told) = run(&["diff", &old, &new, CALL]);
    assert_eq!((code, told.as_str()), (0, ""));
    for said in [
        "tone (metric tone@1.0 → metric tone@1.1)\n",
        "components › courtesy@1.0 › weight\n    - 3\n    + 1\n",
        "components\n    + affect@1.0\n",
        "1 of 1 reading moved, mean change of the score ",
    ] {
        assert!(out.contains(said), "{said}\n{out}");
    }
    let score = |target: &str| {
        let json: Value = serde_json::from_str(&run(&["sense", target, CALL, "--json"]).1).expect("is JSON");
        json["score"].to_string()
    };
    assert!(out.contains(&format!("score {} → {}\n", score(&old), score(&new))), "{out}");
    assert!(
        out.contains("+ affect/gratitude  newly triggered") && !out.contains("no longer triggered"),
        "{out}"
    );
    let same = run(&["diff", &old, &old, CALL, "--fail-on-change"]);
    assert!(same.0 == 0 && same.1.contains("the metrics are the same"), "{}", same.1);
    assert_eq!(run(&["diff", &old, &new, CALL, "--fail-on-change"]).0, 1);
    let (code, _, told) = run(&["diff", &old, &path(&folder, "b.yaml"), CALL]);
    assert!(code == 2 && told.contains("`tone` is a metric and `look` a blueprint"), "{told}");
    let json = run(&["diff", "service-call", "service-call", CALL, "--json"]).1;
    assert!(json.contains(r#""old":{"type":"blueprint","id":"service-call""#), "{json}");
}

#[test]
fn sense_explains_every_protocol_and_the_average() {
    let (code, out, told) = run(&["sense", "service-call", CALL, "--explain"]);
    assert_eq!((code, told.as_str()), (0, ""));
    assert_eq!(out.matches("computation").count(), 3, "{out}");
    assert!(out.contains("how the parts became one score"), "{out}");
    let json: Value = serde_json::from_str(&run(&["sense", "reply-quality", CALL, "--explain", "--json"]).1)
        .expect("is JSON");
    // The average worked out again.
    let number = |value: &Value| value.as_f64().expect("is a number");
    let parts = json["parts"].as_array().expect("is a list");
    let (mut sum, mut weights) = (0.0, 0.0);
    for (part, own) in parts.iter().zip(json["ledgers"].as_array().expect("is a list")) {
        assert_eq!(part["id"], own["protocol_id"]);
        assert_eq!(part["score"], own["ledger"]["score"]["value"]);
        let score = number(&part["score"]);
        let turned = part["complement"] == true;
        sum += number(&part["weight"]) * if turned { 1.0 - score } else { score };
        weights += number(&part["weight"]);
    }
    assert_eq!(parts.len(), 3);
    assert!((number(&json["score"]) - sum / weights).abs() < 1e-6, "{json}");
    let (code, _, told) = run(&["sense", "service-call", CALL, "--flow"]);
    assert!(code == 2 && told.contains("actant flow works with a protocol"), "{told}");
}
