//! What matching costs, in steps.

use super::{Matcher, Piece, Spare, TurnText};
use crate::{Protocol, Sensor};

/// A sensor of so many lines; each has a last word of its own, so that none is another.
fn sensor(lines: usize, line: &str) -> Sensor {
    let lines: Vec<String> =
        (0..lines).map(|n| format!("\"{}\"", line.replace('#', &format!("w{n}")))).collect();
    let source = format!(
        r#"{{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal",
        "markers": [{{"label": "x", "clear": [{}], "except": [{}], "hit": "x"}}]}}"#,
        lines.join(","),
        lines.join(",").replace(['{', '}'], " ")
    );
    Sensor::new(Protocol::read(&source).expect("reads").0).expect("compiles")
}

/// The points worked on and ways gone for each word beyond the first look at each start, and the starts looked at for each
/// word and rule.
fn steps(sensor: &Sensor, text: &str) -> (u64, u64) {
    let turn = TurnText::read(sensor.plan(), Piece::whole(text), &mut Spare::default());
    let mut matcher = Matcher::default();
    matcher.find(sensor.plan(), &turn);
    let words = turn.tokens.len() as u64;
    (matcher.memo.steps / words, matcher.tries.noted_in_all / (words * sensor.plan().rules.len() as u64))
}

#[test]
fn no_text_costs_more_than_the_bound_of_its_lines() {
    let nine = ["the"; 9].join(" ..12.. ");
    let others = [
        format!("{nine} #?"),
        format!("{} #", ["the"; 8].join(" ..12.. ")),
        "(the ..12.. a|a ..12.. the|_ ..9.. #) ..12.. the &12 a".to_owned(),
        "(the &12 (a &12 (the &12 #))) &12 a".to_owned(),
        "(the|a)? ..12.. the".replace("(the|a)? ..12..", "(the|a) (_ (the|a)?)? ..12.. (the ..7.. a)?")
            + " #?",
        "the {a ..12.. the ..12.. a} ..12.. the ..12.. (#|a)".to_owned(),
    ];
    let texts = ["the ".repeat(600), "the a ".repeat(300), "a the the, ".repeat(200)];
    for line in &others {
        let sensor = sensor(6, line);
        let bound = sensor.protocol().steps_per_word();
        for text in &texts {
            let (found, starts) = steps(&sensor, text);
            assert!(found <= bound, "{found} steps a word, bound {bound}: {line} in {}…", &text[..12]);
            assert!(starts <= 2, "{starts} starts a word: {line}");
        }
    }
}

#[test]
fn what_took_half_a_minute_takes_a_bounded_number_of_steps() {
    let sensor = sensor(100, &format!("{} #?", ["the"; 9].join(" ..12.. ")));
    let (found, _) = steps(&sensor, &"the ".repeat(1_000));
    // 100 lines, also as exclusions; without a memory of what lies behind a point it was over a million.
    assert!((10_000..100_000).contains(&found), "{found} steps a word");
}
