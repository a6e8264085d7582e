//! The normal form of stages: by example, over every stage there is, and over stages made up at random.

use super::tests::{as_yaml, format, formatted};
use super::*;
use proptest::prelude::*;
use serde_json::{Map as Object, Value, json};
use sonometer_reference::generate;
use std::path::Path;

const UNTIDY: &str = include_str!("../../../sonometer-cli/tests/stages/untidy.yaml");
const TIDY: &str = include_str!("../../../sonometer-cli/tests/golden/tidy-stage.yaml");

fn digest(text: &str) -> String {
    Stage::read(text).unwrap_or_else(|error| panic!("{error} in\n{text}")).0.digest()
}

#[test]
fn an_untidy_stage_becomes_a_tidy_one() {
    assert_eq!(formatted(UNTIDY), TIDY);
    assert_eq!(formatted(TIDY), TIDY);
    assert_eq!(formatted(&UNTIDY.replace('\n', "\r\n")), TIDY);
    assert_eq!(digest(UNTIDY), digest(TIDY));
}

/// What is published never changes, so they must stand in their normal form as they are.
#[test]
fn the_stages_that_ship_are_in_their_normal_form() {
    for entry in sonometer_catalog::stages() {
        assert_eq!(formatted(entry.source), entry.source, "{}", entry.id);
    }
}

/// Those of the vectors, also in a layout that is not theirs.
#[test]
fn the_stages_of_the_vectors_keep_their_meaning_and_come_to_rest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dives");
    let mut sound = 0;
    for name in ["rules", "cards", "sources"] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("jsonl")).expect("is there");
        for line in text.lines() {
            let vector: Value = serde_json::from_str(line).expect("is JSON");
            let places = ["/dive/stage", "/card/stage"].into_iter().filter_map(|at| vector.pointer(at));
            for source in places.filter_map(Value::as_str) {
                let Ok((stage, _)) = Stage::read(source) else { continue };
                sound += 1;
                if !source.starts_with('{') {
                    assert_eq!(digest(&formatted(source)), stage.digest(), "{source}");
                }
                // In the order of the alphabet, which makes it another stage.
                let json = serde_json::from_str(&stage.to_canonical_json()).expect("is JSON");
                let dense = in_brackets(&json);
                assert_eq!(digest(&formatted(&dense)), digest(&dense));
            }
        }
    }
    assert!(sound >= 60, "only {sound} stages are sound");
}

#[test]
fn stages_with_errors_and_json_are_refused() {
    let broken = TIDY.replace("start: hall", "start: hell");
    let Err(Refusal::Findings(found)) = format(&broken) else { panic!("there is no such scene") };
    assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["SM0603"]);
    let json = Stage::read(TIDY).expect("is sound").0.to_canonical_json();
    assert!(matches!(format(&json), Err(Refusal::Json)));
}

#[test]
fn prose_keeps_its_quotes_and_nothing_else_does() {
    let with = |line: &str, other: &str| {
        let text = TIDY.replace(line, other);
        assert_ne!(text, TIDY, "{line}");
        formatted(&text)
    };
    for (line, written, tidied) in [
        (
            "objective: Get through the door, politely.",
            "objective: 'Get through'",
            r#"objective: "Get through""#,
        ),
        (r#"world: "He smiles.""#, r#"world: 'It''s "open".'"#, r#"world: "It's \"open\".""#),
        (
            r#"time: ["late"]"#,
            r#"time: ['late', early, 7, '7', 1.50, "12"]"#,
            r#"time: ["late", early, 7, "7", "1.50", "12"]"#,
        ),
        ("say: [door polite hall]", "say: ['door', polite, on]", r#"say: ["door", polite, "on"]"#),
    ] {
        let tidy = with(line, written);
        assert!(tidy.contains(tidied), "{tidied}\n{tidy}");
    }
    for (line, quoted) in [
        ("go: through", "go: 'through'"),
        ("set: mood + 1", "set: [\"mood + 1\"]"),
        ("when: fired(gratitude)", "when: \"fired(gratitude)\""),
        ("otherwise: stay", "otherwise: \"stay\""),
        ("max: 3", "max: \"3\""),
        ("mood: 1 in 0..3", "mood: '1 in 0..3'"),
        ("protocol: courtesy@1.0", "protocol: \"courtesy@1.0\""),
    ] {
        let tidy = with(line, quoted);
        assert_eq!(tidy.replace("[mood + 1]", "mood + 1"), TIDY);
    }
}

/// A value in brackets, with quotes only where they are needed.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{}: {}", scalar::one_line(key, true, true), flow(value))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(" ,")),
        Value::String(text) => scalar::one_line(text.trim(), true, true),
        other => other.to_string(),
    }
}

/// A file whose every value stands in brackets.
fn in_brackets(value: &Value) -> String {
    let entries = value.as_object().expect("is a map").iter();
    entries.map(|(key, value)| format!("{key}:  {}\n", flow(value))).collect()
}

/// What people say, with all that YAML could stumble over.
fn prose() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a", "No", "3.5", "007", "12", " ", "  ", ": ", " #", "'", "\"", "\\", "-", "- ", "\n", "\n\n  ",
        "\t", "{{", "}}", "[", "]", ",", "|", ">", "%", "&", "*", "!", "?", "…", "@", "`", "--- ",
        "\u{2028}", "ä", "谢", ".", "=",
    ]);
    prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b-2", "no", "on", "3", "true", "quite_long_for_a_name", "x"])
        .prop_map(str::to_owned)
}

fn texts(least: usize) -> impl Strategy<Value = Value> {
    prop_oneof![prose().prop_map(Value::from), prop::collection::vec(prose(), least..5).prop_map(Value::from)]
}

fn guard() -> impl Strategy<Value = Value> {
    let guards = ["turn > 2", "fired(thanks)", "a(thanks) >= 0.5 and not fired(thanks)", "turns_here >= 3"];
    prop::sample::select(guards.to_vec()).prop_map(Value::from)
}

/// A map with only some of these entries.
fn some_of(entries: Vec<(&'static str, BoxedStrategy<Value>)>) -> impl Strategy<Value = Value> {
    let all: Vec<_> = entries
        .into_iter()
        .map(|(key, value)| {
            (prop::bool::ANY, value).prop_map(move |(there, value)| there.then_some((key, value)))
        })
        .collect();
    all.prop_map(|entries| {
        entries
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.to_owned(), value))
            .collect::<Object<_, _>>()
            .into()
    })
}

fn with(map: Value, more: Value) -> Value {
    let (Value::Object(mut map), Value::Object(more)) = (map, more) else { unreachable!("both are maps") };
    map.extend(more);
    map.into()
}

fn scene() -> impl Strategy<Value = Value> {
    let entry = || {
        let rest = some_of(vec![
            ("set", Just(json!("mood + 1")).boxed()),
            ("go", Just(json!("start")).boxed()),
            ("world", texts(1).boxed()),
        ]);
        (guard(), rest).prop_map(|(when, rest)| with(json!({"when": when}), rest))
    };
    let last =
        some_of(vec![("world", texts(1).boxed())]).prop_map(|rest| with(json!({"otherwise": "stay"}), rest));
    let open =
        (texts(1), prop::collection::vec(entry(), 0..3), last).prop_map(|(world, mut entries, last)| {
            entries.push(last);
            json!({"world": world, "do": entries})
        });
    let end = some_of(vec![("world", texts(1).boxed())]).prop_map(|rest| with(json!({"end": true}), rest));
    prop_oneof![open, end]
}

fn named<T: Strategy<Value = Value>>(value: T) -> impl Strategy<Value = Value> {
    prop::collection::btree_map(name(), value, 1..4)
        .prop_map(|entries| entries.into_iter().collect::<Object<_, _>>().into())
}

fn stage() -> impl Strategy<Value = Value> {
    let attempt = some_of(vec![
        ("max", prop_oneof![Just(json!(3)), Just(json!("none"))].boxed()),
        ("window", Just(json!("30d")).boxed()),
        ("record", Just(json!("best")).boxed()),
    ]);
    let run = (any::<u32>(), prop::bool::ANY, texts(1)).prop_map(|(seed, passes, say)| {
        json!({"seed": seed, "expect": if passes { "pass" } else { "fail" }, "say": say})
    });
    let flag = (guard(), prop::bool::ANY).prop_map(|(when, end)| json!({"when": when, "end": end}));
    let rest = some_of(vec![
        ("name", prose().prop_map(Value::from).boxed()),
        ("description", prose().prop_map(Value::from).boxed()),
        ("roles", Just(json!({"agent": "no: one", "world": "7"})).boxed()),
        ("attempts", attempt.prop_map(|graded| json!({"graded": graded})).boxed()),
        ("envelope", Just(json!({"max_turns": 8, "share_scorecard": false})).boxed()),
        ("publication", Just(json!({"access_mode": "free", "modes": ["graded"]})).boxed()),
        ("flags", named(flag).boxed()),
        ("pass", Just(json!("all(checkpoints) and times(thanks) >= 1")).boxed()),
        ("walkthroughs", named(run).boxed()),
    ]);
    // The scenes that are named by others, then any.
    let scenes = (scene(), named(scene())).prop_map(|(start, more)| with(json!({"start": start}), more));
    (rest, scenes, prose(), named(texts(1)), named(guard())).prop_map(
        |(rest, scenes, objective, lists, checkpoints)| {
            let head = json!({
                "sonometer_stage": 1, "id": "s", "version": "1.0", "protocol": "courtesy@1.0", "start": "start",
                "objective": format!("To {objective}"), "vars": {"mood": "1 in 0..3"}, "lists": lists, "scenes": scenes,
                "checkpoints": checkpoints,
            });
            with(head, rest)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_stage_keeps_its_meaning_and_comes_to_rest(stage in stage()) {
        let before = digest(&stage.to_string());
        let mut blocks = String::new();
        as_yaml(&stage, 0, &mut blocks);
        for yaml in [blocks, in_brackets(&stage)] {
            match format(&yaml) {
                Ok(tidy) => {
                    prop_assert_eq!(tidy.matches("# before ").count(), yaml.matches("# before ").count());
                    prop_assert_eq!(digest(&tidy), before.as_str());
                }
                Err(refusal) => return Err(TestCaseError::fail(format!("{refusal:?} of\n{yaml}"))),
            }
        }
    }
}
