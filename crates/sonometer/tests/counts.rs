//! Fidelity can be worked out again from the counts of a ledger, by section 6 of the semantics.

use serde_json::Value;
use sonometer::{Interaction, Protocol, Sensor, Turn, Unit};

const U: i128 = 1_000_000;

fn sensor(language: &str, fidelity: &str) -> Sensor {
    let text = format!(
        r#"{{"sonometer": 1, "id": "t", "version": "1", "taxonomy": "Signal"{language}{fidelity},
            "actants": {{"aliases": {{"agent": ["clerk"]}}, "others": "customer"}},
            "markers": [{{"label": "m", "strong": "thank you", "hit": "Thank you."}}]}}"#
    );
    Sensor::new(Protocol::read(&text).expect("is a protocol").0).expect("compiles")
}

/// `a ÷ b`, rounded half up to a millionth.
fn divide(a: i128, b: i128) -> i128 {
    (2 * a * U + b) / (2 * b)
}

/// A number of the ledger in millionths.
fn number(value: &Value) -> i128 {
    let text = value.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{part:0<6}").parse().expect("is a decimal")
}

fn count(value: &Value) -> i128 {
    value.as_i64().expect("is a whole number").into()
}

/// Density and clarity, from nothing but the counts.
fn worked_out(told: &Value) -> (i128, i128) {
    let words = count(&told["words"]["counted"]);
    if words == 0 {
        return (0, 0);
    }
    let roles = told["roles"].as_object().expect("has roles").values();
    let needs = [&told["words"], &told["turns"]].into_iter().chain(roles);
    let density = needs.map(|need| U.min(divide(count(&need["counted"]), count(&need["needed"])))).min();
    let share = match &told["language"] {
        Value::Null => U,
        language => {
            let (f, g) = (count(&language["function_words"]), count(&language["foreign_words"]));
            U.min(divide((4 * f + 6 - 6 * g).max(0), words)).max(10_000)
        }
    };
    let readable = divide(number(&told["readable"]), (words + count(&told["noise"])) * U);
    (density.expect("has needs"), divide(readable * share, U * U))
}

/// A turn, with how sure its recogniser was, in millionths.
fn turn(role: &str, content: &str, confidence: Option<i64>) -> (Turn, Option<Unit>) {
    (Turn { role: Some(role.into()), content: content.into(), timestamp: None }, confidence.map(Unit))
}

#[test]
fn density_and_clarity_follow_from_the_counts() {
    let english = r#", "language": "en""#;
    let needs = r#", "fidelity": {"words": 9, "turns": 3, "roles": {"agent": 7, "customer": 2}}"#;
    let mut kinds = 0;
    for (language, fidelity) in [("", ""), (english, ""), (english, needs), (r#", "language": "zh""#, "")] {
        let sensor = sensor(language, fidelity);
        for talk in [
            vec![turn("agent", "Thank you for the call, it was nice.", None)],
            vec![
                turn("clerk", "Thank you.", Some(700_001)),
                turn("customer", "of what \u{fffd}\u{7} it", None),
            ],
            vec![turn("customer", "das ist nicht gut und ich bin sehr froh", Some(333_333))],
            vec![turn("agent", "[inaudible] привет 你好 and (crosstalk) \u{1}x\u{2}", Some(0))],
            vec![turn("agent", "?!", None), turn("customer", "", None)],
        ] {
            let (turns, confidence) = talk.into_iter().unzip();
            let talk = Interaction::transcript(turns).expect("is one").with_confidence(confidence);
            let reading = sensor.sense(&talk.expect("fits")).expect("is sensed");
            let told: Value = serde_json::from_str(&reading.ledger().to_json()).expect("is JSON");
            let (density, clarity) = worked_out(&told["fidelity"]);
            let measured = reading.fidelity();
            assert_eq!((density, clarity), (measured.density.0.into(), measured.clarity.0.into()), "{told}");
            assert_eq!(divide(density * clarity, U * U), i128::from(measured.index.0));
            kinds += i32::from(clarity > 0 && clarity < U);
        }
    }
    assert!(kinds >= 6, "many are neither all nor nothing: {kinds}");
}
