//! The reader of JSON beside that of `serde_json`: what is JSON, where text ceases to be, why, and what it holds.

use super::json_syntax::{Fault, check};
use super::*;
use proptest::prelude::*;
use serde_json::value::RawValue;

/// What `serde_json` says of a text: its reason, and the byte that it speaks of.
fn oracle(text: &str) -> Result<(), Fault> {
    let Err(error) = serde_json::from_str::<&RawValue>(text) else { return Ok(()) };
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().expect("a first part").to_owned();
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut at = (starts[error.line() - 1] + error.column().saturating_sub(1)).min(text.len());
    if reason.starts_with("control character") {
        // It counts this one from before the character.
        at = floor_boundary(text, at);
        at += text[at..].find(|c: char| c < ' ').expect("is there");
    }
    Err(Fault { at, reason: reason.leak() })
}

/// Whether a tree holds what `serde_json` found.
fn is_same(node: &Node, value: &serde_json::Value) -> bool {
    match (&node.value, value) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Scalar(scalar), serde_json::Value::Bool(value)) => {
            scalar.style == Style::Bool && scalar.text == value.to_string()
        }
        (Value::Scalar(scalar), serde_json::Value::Number(value)) => {
            scalar.style == Style::Number && serde_json::from_str(&scalar.text).ok().as_ref() == Some(value)
        }
        (Value::Scalar(scalar), serde_json::Value::String(value)) => {
            scalar.style == Style::Quoted && scalar.text == *value
        }
        (Value::List(items), serde_json::Value::Array(values)) => {
            items.len() == values.len() && items.iter().zip(values).all(|(item, value)| is_same(item, value))
        }
        (Value::Map(entries), serde_json::Value::Object(values)) => {
            let same =
                |(key, node): &(Key, Node)| values.get(&key.text).is_some_and(|value| is_same(node, value));
            entries.len() == values.len() && entries.iter().all(same)
        }
        _ => false,
    }
}

/// Text in which JSON and what is nearly JSON are frequent.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\"\\u0061\":", "null", "true", "false", "nul", "0", "-0.5", "12e+3",
            "1.", "01", "-", "1e", " ", "\n", "\t", "\r\n", "é", "\"é€😀\"", "\\", "\\n", "\"\\\\\"", "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"", "\"\\ude00x\"", "\"\\ud83d\\n\"", "\"\\ud83d\\u0041\"", "\"\\u00e\"", "\"\\q\"", "\"\u{1}\"", "\"a\nb\"", "\"\\",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 1..14).prop_map(|pieces| pieces.concat())
}

/// JSON, with white space between all parts.
fn json() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        any::<String>().prop_map(|text| serde_json::to_string(&text).expect("is text")),
        "[ -~éß€]{0,40}".prop_map(|text| serde_json::to_string(&text).expect("is text")),
        Just(r#""\u0041\/\b\f\r\ud83d\ude00x\ud83d\udE01""#.to_owned()),
    ];
    let scalar = prop_oneof![
        text,
        prop::sample::select(vec!["null", "true", "false", "0", "-0", "1.50", "2E-3", "1234567890123"])
            .prop_map(str::to_owned),
    ];
    let spaced = |text: String, space: &str| format!("{space}{text}{space}");
    let space = || prop::sample::select(vec!["", "", " ", "\n\t", "\r\n"]);
    let scalar = (scalar, space()).prop_map(move |(text, space)| spaced(text, space));
    scalar.prop_recursive(5, 60, 6, move |inner| {
        let list =
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(",")));
        let entry = ("\"[a-d]{0,2}\"", inner).prop_map(|(key, value)| format!("{key}:{value}"));
        let map = prop::collection::vec(entry, 0..6).prop_map(|entries| format!("{{{}}}", entries.join(",")));
        (prop_oneof![list, map], space()).prop_map(move |(text, space)| spaced(text, space))
    })
}

fn compare(text: &str) {
    if text.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        return;
    }
    let checked = check(text);
    // Not on a boundary where it speaks of the second byte of a character.
    let mut expected = oracle(text);
    let mut found = checked.as_ref().map(drop).map_err(|fault| Fault { at: fault.at, reason: fault.reason });
    for fault in [&mut expected, &mut found].into_iter().filter_map(|result| result.as_mut().err()) {
        fault.at = floor_boundary(text, fault.at);
    }
    assert_eq!(found, expected, "{text:?}");
    if found.is_err() {
        return;
    }
    match (read_json(text), serde_json::from_str::<serde_json::Value>(text)) {
        (Ok(node), Ok(value)) => assert!(is_same(&node, &value), "{text:?} gives {node:?}"),
        (Err(found), Ok(_)) => assert_eq!(found.code, codes::DUPLICATE_KEY, "{text:?} gives {found}"),
        (Err(found), Err(_)) => {
            assert!(
                [codes::LONE_SURROGATE, codes::DUPLICATE_KEY].contains(&found.code),
                "{text:?} gives {found}"
            );
        }
        // Its `Value` holds no number beyond those of `f64`; here a number stays as written.
        (Ok(_), Err(error)) if error.to_string().starts_with("number out of range") => {}
        (Ok(node), Err(error)) => panic!("{text:?} gives {node:?} and {error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn what_is_nearly_json_is_refused_as_by_serde_json(text in nearly_json()) {
        compare(&text);
    }

    #[test]
    fn json_is_read_as_by_serde_json(text in json()) {
        compare(&text);
    }

    #[test]
    fn json_with_one_character_less_is_read_as_by_serde_json(text in json(), at in any::<prop::sample::Index>()) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let mut text = text;
        text.remove(*at.get(&places));
        compare(&text);
    }
}

#[test]
fn numbers_beyond_those_of_floats_are_json() {
    for text in ["12e+3010", "[-1e999]", "{\"a\": 0.1E400}"] {
        compare(text);
        assert!(read_json(text).is_ok(), "{text}");
    }
}

#[test]
fn places_are_those_of_the_source() {
    let source = "\u{FEFF}\n{ \"ké\\n\" : [ 1 , \"a\\\"b\" , null ] }\n";
    let node = read_json(source).expect("is JSON");
    assert_eq!(&source[node.span.range()], "{ \"ké\\n\" : [ 1 , \"a\\\"b\" , null ] }");
    let Value::Map(entries) = &node.value else { panic!("{node:?}") };
    assert_eq!((entries[0].0.text.as_str(), &source[entries[0].0.span.range()]), ("ké\n", "\"ké\\n\""));
    let Value::List(items) = &entries[0].1.value else { panic!("{node:?}") };
    let written: Vec<&str> = items.iter().map(|item| &source[item.span.range()]).collect();
    assert_eq!(written, ["1", "\"a\\\"b\"", "null"]);
}

#[test]
fn half_of_a_pair_is_told_where_it_stands() {
    for (source, half) in
        [(r#"["\ud83d\u0041"]"#, r"\ud83d"), (r#"["x\udE00"]"#, r"\udE00"), (r#"["\uD83D\n"]"#, r"\uD83D")]
    {
        let found = read_json(source).expect_err(source);
        assert_eq!((found.code, &source[found.span.range()]), (codes::LONE_SURROGATE, half), "{source}");
    }
}
