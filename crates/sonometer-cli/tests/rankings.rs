//! `sonometer evaluate` of pairs and of grades, by protocols, metrics and blueprints.
//!
//! Expected outputs stand in `tests/golden`; `BLESS=1 cargo test -p sonometer-cli` writes them anew.

mod labelled;

use labelled::{Ran, bare, evaluate, golden, json, page, root, text, written};
use serde_json::Value;
use sonometer::{Instrument, Interaction, Protocol, SenseOptions, Sensor};
use std::fs;

const PAIRS: &str = "fixtures/labelled/pairs.jsonl";
const REQUESTS: &str = "fixtures/labelled/requests.jsonl";
const KINDER: [&str; 4] = ["courtesy@1.5", PAIRS, "--label", "kinder"];
const RATING: [&str; 5] = ["courtesy@1.5", REQUESTS, "--label", "rating", "--graded"];

/// The lines of a file below the root.
fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(root().join(path)).expect("is there");
    text.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect()
}

fn courtesy() -> Sensor {
    let text = fs::read_to_string(root().join("crates/sonometer-catalog/protocols/courtesy@1.5.yaml"));
    let (protocol, _) = Protocol::read(&text.expect("is there")).expect("is sound");
    Sensor::new(protocol).expect("compiles")
}

fn interaction(value: &Value) -> Interaction {
    Interaction::from_json(&value.to_string()).expect("is sound")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

#[test]
fn pairs_for_people_programs_and_browsers() {
    let arguments = [&KINDER[..], &["--by", "topic"]].concat();
    golden("evaluate-pairs.txt", &text(&arguments));
    golden("evaluate-pairs.json", &text(&[&arguments[..], &["--json"]].concat()));
    golden("evaluate-pairs.html", &bare(&page("pairs.html", &arguments)));
}

#[test]
fn grades_for_people_programs_and_browsers() {
    let arguments = [&RATING[..], &["--by", "author"]].concat();
    golden("evaluate-graded.txt", &text(&arguments));
    golden("evaluate-graded.json", &text(&[&arguments[..], &["--json"]].concat()));
    golden("evaluate-graded.html", &bare(&page("graded.html", &arguments)));
}

/// A protocol whose markers are values of a label, and items of which one is wrong and one holds nothing of either.
fn kinds() -> [String; 2] {
    let protocol = "{\"sonometer\": 1, \"id\": \"kinds\", \"version\": \"1\", \"taxonomy\": \"Signal\", \"score\": \"any\", \"markers\": [\
        {\"label\": \"thanks\", \"strong\": \"thank you\", \"hit\": \"thank you\"}, \
        {\"label\": \"ask\", \"strong\": \"could you\", \"hit\": \"could you\"}]}";
    let item = |text: &str, kind: &str, author: &str| {
        format!(
            "{{\"interaction\": {{\"content\": \"{text}\"}}, \"labels\": {{\"kind\": \"{kind}\", \"author\": \"{author}\"}}}}\n"
        )
    };
    let items = [
        item("Thank you for all that you did for us on Monday.", "thanks", "mira"),
        item("Could you look at the door again before you leave?", "ask", "mira"),
        item("Thank you, but could you look at the lamp once more? Could you call me then?", "ask", "jon"),
        item("The door is open and the lamp is on, as it was yesterday.", "other", "jon"),
        item("Thank you for nothing, the door is still open as before.", "other", "jon"),
    ];
    [written("kinds.json", protocol), written("kinds.jsonl", &items.concat())]
}

#[test]
fn choices_for_people_programs_and_browsers() {
    let [protocol, items] = kinds();
    let arguments = [&protocol, &items, "--label", "kind", "--choice", "--by", "author"];
    golden("evaluate-choice.txt", &text(&arguments).replace(&items, "kinds.jsonl"));
    golden(
        "evaluate-choice.json",
        &text(&[&arguments[..], &["--json"]].concat()).replace(&items, "kinds.jsonl"),
    );
    golden("evaluate-choice.html", &bare(&page("choice.html", &arguments)).replace(&items, "kinds.jsonl"));
    let first = json(&[
        &protocol,
        &items,
        "--label",
        "kind",
        "--choice=first",
        "--map",
        "ask=ask",
        "--map",
        "thanks=thanks",
    ]);
    assert_eq!(first["figures"]["accuracy"]["value"].to_string(), "0.8", "the order of the map decides");
}

#[test]
fn pairs_are_judged_as_the_engine_compares_them() {
    let sensor = courtesy();
    let mut expected = [0_u64; 4];
    for line in lines(PAIRS) {
        let sign = match line["labels"]["kinder"].as_str() {
            Some("a") => -1,
            Some("b") => 1,
            _ => continue,
        };
        let (a, b) = (interaction(&line["interaction_a"]), interaction(&line["interaction_b"]));
        let change = Instrument::from(sensor.clone())
            .compare(&a, &b, SenseOptions::default())
            .ok()
            .map(|c| c.delta.score_change.0 * sign);
        expected[match change.map(i64::signum) {
            Some(1) => 0,
            Some(-1) => 1,
            Some(_) => 2,
            None => 3,
        }] += 1;
    }
    assert!(expected.iter().all(|count| *count > 0), "every verdict occurs: {expected:?}");
    let found = json(&KINDER);
    let counts = &found["figures"]["counts"];
    let told = ["right", "wrong", "tied", "unmeasured"].map(|name| counts[name].as_u64().expect("a count"));
    assert_eq!(told, expected);
    let [right, wrong, tied, unmeasured] = expected.map(|count| count as f64);
    let pairs = right + wrong + tied + unmeasured;
    let close =
        |figure: &Value, value: f64| assert!((number(figure) - value).abs() < 1e-6, "{figure} {value}");
    close(&found["figures"]["accuracy"]["value"], (right + (tied + unmeasured) / 2.0) / pairs);
    close(&found["figures"]["decided"]["value"], (right + wrong) / pairs);
    close(&found["figures"]["decided_accuracy"]["value"], right / (right + wrong));
    close(&found["covered"]["accuracy"]["value"], (right + tied / 2.0) / (pairs - unmeasured));
    assert_eq!(found["data"]["left_out"], 2);
    // Low scores the other way round: what was right is wrong.
    let turned = json(&[&KINDER[..], &["--lower"]].concat());
    assert_eq!(turned["figures"]["counts"]["right"], counts["wrong"]);
    assert_eq!(turned["figures"]["counts"]["wrong"], counts["right"]);
    let swapped = json(&[&KINDER[..], &["--positive", "b", "--negative", "a"]].concat());
    assert_eq!(swapped["figures"]["counts"]["right"], counts["wrong"]);
}

/// Average ranks by counting, then Pearson's formula.
fn spearman(x: &[f64], y: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| *other < value).count() as f64;
            let equal = values.iter().filter(|other| *other == value).count() as f64;
            below + (equal + 1.0) / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (x, y) = (ranks(x), ranks(y));
    let mean = (x.len() as f64 + 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    sum(&x, &y) / (sum(&x, &x) * sum(&y, &y)).sqrt()
}

#[test]
fn grades_are_correlated_with_what_the_engine_measures() {
    let sensor = courtesy();
    let (mut grades, mut values, mut covered) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines(REQUESTS) {
        let Some(grade) = line["labels"]["rating"].as_f64() else { continue };
        let reading = sensor.sense(&interaction(&line["interaction"])).expect("is sensed");
        grades.push(grade);
        values.push(reading.score().map_or(0.0, |score| score.0 as f64));
        covered.push(reading.fidelity().sufficient);
    }
    let found = json(&RATING);
    let close = |figures: &Value, rho: f64, n: usize| {
        let spearman = &figures["spearman"];
        assert_eq!(figures["items"], n);
        assert!((number(&spearman["value"]) - rho).abs() < 1e-6, "{spearman} {rho}");
        let h = 1.959_963_984_540_054 * ((1.0 + rho * rho / 2.0) / (n as f64 - 3.0)).sqrt();
        for (end, expected) in [("low", (rho.atanh() - h).tanh()), ("high", (rho.atanh() + h).tanh())] {
            assert!((number(&spearman[end]) - expected).abs() < 3e-6, "{spearman} {end} {expected}");
        }
    };
    close(&found["figures"], spearman(&grades, &values), grades.len());
    let only = |all: &[f64]| -> Vec<f64> {
        all.iter().zip(&covered).filter(|(_, covered)| **covered).map(|(value, _)| *value).collect()
    };
    assert!(covered.contains(&false));
    close(&found["covered"], spearman(&only(&grades), &only(&values)), only(&grades).len());
    let bins = found["bins"].as_array().expect("is a list");
    let counted: u64 = bins.iter().map(|bin| bin["items"].as_u64().expect("a count")).sum();
    assert_eq!(counted, grades.len() as u64);
}

#[test]
fn metrics_and_blueprints_rank_too() {
    for (target, kind) in [("reply-quality", "metric"), ("service-call", "blueprint")] {
        let pairs = json(&[target, PAIRS, "--label", "kinder"]);
        assert_eq!((&pairs["target"]["type"], &pairs["target"]["id"]), (&kind.into(), &target.into()));
        assert_eq!(pairs["figures"]["pairs"], 10);
        let grades = json(&[target, REQUESTS, "--label", "rating", "--graded", "--marker", "gratitude"]);
        assert_eq!(grades["rule"]["ranked_by"], "resonance of gratitude");
        let Ran { code, err: told, .. } = evaluate(&[target, REQUESTS, "--label", "polite"]);
        assert_eq!(code, 2);
        assert!(told.contains("give one of courtesy, "), "{told}");
    }
}

#[test]
fn groups_and_folds_keep_pairs_together() {
    let grouped = json(&[&KINDER[..], &["--group", "topic"]].concat());
    assert_eq!(grouped["intervals"]["decided_accuracy"], "bootstrap");
    assert_eq!(json(&KINDER)["intervals"]["decided_accuracy"], "wilson");
    let items = |fold: &str| {
        let found = json(&[&KINDER[..], &["--group", "topic", "--fold", fold]].concat());
        found["data"]["items"].as_u64().expect("is a count")
    };
    assert_eq!(items("1/2") + items("2/2"), 12);
}

#[test]
fn errors_come_with_their_computation() {
    let plain = json(&KINDER);
    assert!(plain["errors"]["worst"][0]["interaction_a"]["ledgers"].is_null());
    let explained = json(&[&KINDER[..], &["--explain"]].concat());
    let ledger = &explained["errors"]["worst"][0]["interaction_a"]["ledgers"][0];
    assert!(ledger["score"]["value"].is_number(), "{ledger}");
    let told = text(&[&RATING[..], &["--explain", "--errors", "1"]].concat());
    assert_eq!(told.matches("computation").count(), 2, "{told}");
    let of_classes =
        ["courtesy@1.5", REQUESTS, "--label", "polite", "--threshold", "0.4", "--explain", "--errors", "1"];
    assert_eq!(text(&of_classes).matches("computation").count(), 2);
}

#[test]
fn what_is_not_defined_is_no_number() {
    let line = |text: &str, rest: &str| format!("{{\"interaction\": {{\"content\": \"{text}\"}}, {rest}}}\n");
    let same = line("The door is open and the lamp is on.", "\"labels\": {\"g\": 1}").repeat(5);
    let found = json(&["courtesy@1.5", &written("equal-grades.jsonl", &same), "--graded"]);
    assert!(found["figures"]["spearman"].is_null(), "{found}");
    assert_eq!(found["notes"][0], "all grades are equal: there is nothing to correlate");
    let one = "{\"interaction_a\": {\"content\": \"Hi\"}, \"interaction_b\": {\"content\": \"Hi\"}, \"labels\": {\"g\": \"a\"}}\n";
    let found = json(&["courtesy@1.5", &written("one-pair.jsonl", one)]);
    assert!(found["figures"]["decided_accuracy"].is_null(), "{found}");
    assert_eq!(found["figures"]["accuracy"]["value"].to_string(), "0.5");
    assert!(found["covered"]["accuracy"].is_null());
}

#[test]
fn pages_hold_no_foreign_markup() {
    let line = "{\"id\": \"<i>\", \"interaction_a\": {\"content\": \"Thank you so much for <script>alert(1)</script> and the rest.\"}, \
                \"interaction_b\": {\"content\": \"<img src=x> is what I would have said to all of them.\"}, \"labels\": {\"g\": \"b\"}}\n";
    let pairs = page("markup-pairs.html", &["courtesy@1.5", &written("markup-pairs.jsonl", line)]);
    assert!(pairs.contains("&lt;script&gt;alert(1)") && pairs.contains("&lt;img src=x&gt;"), "{pairs}");
    let graded = page("markup-graded.html", &RATING);
    for page in [pairs.replace("&lt;img src=x&gt;", ""), graded] {
        assert!(!page.contains("<script"), "a page without a slider has no script");
        for outside in ["http:", "https:", "src=", "<link", "@import", "url("] {
            // A pattern of the page itself is no address.
            assert!(!page.replace("url(#", "").contains(outside), "{outside}");
        }
    }
}

#[test]
fn errors_name_the_place_and_the_mend() {
    let pair = |labels: &str| {
        let text = "{\"content\": \"x\"}";
        format!("{{\"interaction_a\": {text}, \"interaction_b\": {text}, \"labels\": {labels}}}\n")
    };
    let half = written(
        "half.jsonl",
        &(pair("{\"m\": \"a\"}") + "{\"interaction_a\": {\"content\": \"x\"}, \"labels\": {}}\n"),
    );
    let mixed =
        written("mixed.jsonl", &(pair("{\"m\": \"a\"}") + "{\"interaction\": {\"content\": \"x\"}}\n"));
    let late = written(
        "late.jsonl",
        &("{\"interaction\": {\"content\": \"x\"}, \"labels\": {\"m\": 1}}\n".to_owned()
            + &pair("{\"m\": 1}")),
    );
    let wrong = written(
        "wrong-pair.jsonl",
        &pair("{\"m\": \"a\"}").replace("\"interaction_b\": {\"content\"", "\"interaction_b\": {\"contant\""),
    );
    let words = written("words.jsonl", &pair("{\"m\": \"left\"}"));
    let cases: &[(&[&str], &str)] = &[
        (&["courtesy@1.5", &half], "half.jsonl:2: has no `interaction_b`"),
        (&["courtesy@1.5", &mixed], "mixed.jsonl:2: has no `interaction_a`"),
        (&["courtesy@1.5", &late], "late.jsonl:2: holds a pair of interactions"),
        (&["courtesy@1.5", &wrong], "wrong-pair.jsonl:1: interaction_b: contant: unknown key"),
        (
            &["courtesy@1.5", &words],
            "no pair has `a` or `b` as `m`; give the value for the first text with --positive",
        ),
        (&["courtesy@1.5", PAIRS], "the items have several labels: kinder, topic; choose one with --label"),
        (
            &["courtesy@1.5", PAIRS, "--label", "kinder", "--positive", "a,b"],
            "labels.kinder is in both classes",
        ),
        (
            &["courtesy@1.5", PAIRS, "--label", "kinder", "--threshold", "0.1"],
            "--threshold does not apply to pairs",
        ),
        (&["courtesy@1.5", PAIRS, "--label", "kinder", "--graded"], "--graded does not apply to pairs"),
        (
            &["courtesy@1.5", PAIRS, "--label", "kinder", "--marker", "thanks"],
            "`courtesy` has no marker `thanks`; its markers are",
        ),
        (
            &["courtesy@1.5", PAIRS, "--label", "kinder", "--marker", "tact", "--lower"],
            "--lower and --higher apply to the score",
        ),
        (
            &["courtesy@1.5", REQUESTS, "--label", "tone", "--choice"],
            "one value at most may have no marker, here impolite, plain, polite have none; map values to markers, for example --map impolite=",
        ),
        (&["courtesy@1.5", REQUESTS, "--label", "tone", "--choice=last"], "write `highest` or `first`"),
        (&["courtesy@1.5", PAIRS, "--label", "kinder", "--choice"], "--choice does not apply to pairs"),
        (
            &["courtesy@1.5", REQUESTS, "--label", "tone", "--graded"],
            "labels.tone is `\"polite\"`; a grade must be a number",
        ),
        (&["courtesy@1.5", REQUESTS, "--label", "rating"], "or rank by them with --graded"),
        (
            &["courtesy@1.5", REQUESTS, "--label", "rating", "--graded", "--positive", ">1"],
            "cannot be used with",
        ),
        (
            &["personal-data", "fixtures/labelled/notes.jsonl", "--explain"],
            "--explain does not apply to labels of places",
        ),
    ];
    for (arguments, said) in cases {
        let Ran { code, out, err: told } = evaluate(arguments);
        assert_eq!(code, 2, "{arguments:?}: {told}");
        assert!(told.contains(said), "{arguments:?}: {told}");
        assert!(out.is_empty(), "{arguments:?}: {out}");
    }
}
