//! Flow and development for people, and `--html`: the pages of the verbs.

use super::*;

#[test]
fn flow_and_development_of_a_protocol_on_sgm_1_5() {
    let talk = br#"{"segments":[
        {"role":"customer","content":"This is the third time I am calling about it, it is unacceptable."},
        {"role":"agent","content":"I am sorry, let me see what happened to it."}]}"#;
    let ran = run_with_input(&["sense", FRUSTRATION, "-", "--json", "--flow", "--temporal"], talk);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for part in [
        r#""actant":"customer"}"#,
        r#""density":1,"clarity":1},"signal":{"spread":1,"#,
        r#""actant_flow":{"primary_driven":["repeated_effort","open_anger"],"secondary_driven":[],"direction":"none","balance":0}"#,
        r#""temporal":{"trend":"insufficient","phase_shifts":0},"ics":"#,
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let shown = run_with_input(&["sense", FRUSTRATION, "-", "--flow", "--temporal"], talk);
    for part in ["dominant repeated_effort", "primary drives (customer)", "insufficient, 0 phase shifts"] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    let ledger = run_with_input(&["sense", FRUSTRATION, "-", "--json", "--explain"], talk);
    assert!(
        ledger.out.contains(r#""window":"3 turns","levels":[{"segment":0,"segments":2,"#),
        "{}",
        ledger.out
    );
}

#[test]
fn flow_is_an_error_on_sgm_1_0() {
    let ran = run(&["sense", CARDS, CALL, "--json", "--flow"]);
    assert_ne!(ran.code, 0);
    assert!(ran.out.contains(r#""code":"invalid_request""#), "{}", ran.out);
    assert!(ran.out.contains("v1_5.actant.analyze_flow"), "{}", ran.out);
    let ran = run(&["sense", FRUSTRATION, CALL, "--json", "--temporal", "--window", "0"]);
    assert!(ran.out.contains("v1_5.temporal.window_seconds"), "{}", ran.out);
}

/// The page that a verb writes.
fn page(name: &str, arguments: &[&str]) -> String {
    let path = scratch(name, b"");
    let mut all = arguments.to_vec();
    all.extend(["--html", &path]);
    let ran = run(&all);
    assert!(ran.code < 2, "{}", ran.err);
    std::fs::read_to_string(path).expect("is written")
}

#[test]
fn every_report_has_a_page() {
    let talk = "fixtures/interactions/support-call.json";
    let sensed = page("sense.html", &["sense", "courtesy@1.5", talk]);
    assert!(sensed.contains("title=\"gratitude 0.6\">thank you</mark>"), "{sensed}");
    let composed = page("composed.html", &["sense", "service-call", talk, "--explain"]);
    assert!(composed.contains("**** **** **** 1111</mark>") && !composed.contains("4111"), "{composed}");
    assert!(
        composed.contains("Computation") && composed.contains("how the parts became one score"),
        "{composed}"
    );
    let compared =
        page("compare.html", &["compare", "courtesy@1.5", talk, "fixtures/interactions/support-call.json"]);
    assert!(compared.contains("comparison") && compared.contains("unchanged"), "{compared}");
    let (old, new) = (
        "crates/sonometer-cli/tests/protocols/dialogues.yaml",
        "crates/sonometer-cli/tests/protocols/dialogues-next.yaml",
    );
    let moved = page("diff.html", &["diff", old, new, "crates/sonometer-cli/tests/protocols/talks.jsonl"]);
    assert!(
        moved.contains("3 of 3, in the order of the data.") && moved.contains("newly triggered"),
        "{moved}"
    );
    for page in [sensed, composed, compared, moved] {
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(!page.contains("http://") && !page.contains("https://"), "a page needs no network");
    }
}

#[test]
fn several_readings_share_one_page() {
    let line = format!(r#"{{"id": "<i>", "content": "{ENOUGH}"}}"#);
    let path = scratch("many.jsonl", format!("{line}\n").repeat(205).as_bytes());
    let many = page("many.html", &["sense", "courtesy@1.5", &path]);
    assert_eq!(many.matches("<header>").count(), 200);
    assert!(many.contains("the first 200 readings; 5 more are left out"), "{}", &many[..9_000]);
    let nowhere = run(&["sense", "courtesy@1.5", &path, "--html", "no/such/folder/page.html"]);
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.err.contains("name a file in an existing folder"), "{}", nowhere.err);
}
