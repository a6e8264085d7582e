//! Expressions whose ways stay open while text comes in, within and around their own matches: sessions and guards give what the whole
//! gives, and go on to settle text.
//!
//! `SONOMETER_CASES=10000` runs the long mode.

use proptest::prelude::*;
use sonometer::{Interaction, Protocol, Sensor, SessionOptions, Step, View};
use sonometer_reference::generate::cases;

/// One marker for each way in which an expression can be open: up to its third mark and from its second on, with two ends, beside an
/// edge of a Unicode word, as an exclusion, and masked.
const OPEN: &str = r#"sonometer: 1
id: open
version: "1"
taxonomy: Signal
fidelity: {words: 1, sufficient: 0}
markers:
  - label: many
    clear: |
      /\?[^?]*\?[^?]*(?<place>\?)/
      /[?!][?!]+/
  - label: two_ends
    clear: |
      /q.*?b/
      /q[^.]*c|qb/
    except: |
      /b[^!]*c/
  - label: edges
    clear: |
      /\bx\b/
      /\Bx[^b. ]*\by/
  - label: hidden
    mask: stars
    clear: |
      /1[^2]*2/
      /2\b[^1]*é/
"#;

fn sensor() -> Sensor {
    Sensor::new(Protocol::read(OPEN).expect("reads").0).expect("compiles")
}

fn feed(sensor: &Sensor, text: &str, size: usize, release: bool) -> (Vec<Step>, String) {
    let mut session = sensor.session(SessionOptions { release, ..SessionOptions::default() });
    let mut steps: Vec<Step> =
        text.as_bytes().chunks(size).map(|chunk| session.push(chunk).expect("is taken")).collect();
    steps.push(session.end().expect("ends"));
    (steps, session.finish().expect("is measured").to_json(View::default()))
}

fn released(steps: &[Step]) -> String {
    steps.iter().flat_map(|step| &step.released).map(|released| released.text.as_str()).collect()
}

const PIECES: [&str; 17] =
    ["?", "? ", "! ", ". ", " ", "q", "b", "c", "x", "y", "é", "1", "2", "Some words ", "’", "\n\n", "?! "];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn sessions_give_what_the_whole_gives(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
        size in prop::sample::select(vec![1, 2, 5, 17]),
    ) {
        let (sensor, text) = (sensor(), pieces.concat());
        let whole = sensor.sense(&Interaction::text(&text).expect("is short")).expect("is measured");
        let whole = whole.to_json(View::default());
        for release in [false, true] {
            let (steps, reading) = feed(&sensor, &text, size, release);
            prop_assert_eq!(&reading, &whole, "{:?}", text);
            let places: Vec<usize> = steps.iter().map(|step| step.settled_to.offset).collect();
            prop_assert!(places.is_sorted(), "{:?}", text);
            if release {
                let (at_once, _) = feed(&sensor, &text, text.len().max(1), true);
                prop_assert_eq!(released(&steps), released(&at_once), "{:?}", text);
            }
        }
    }
}

/// How far a text has settled before its end is known.
fn settled(text: &str) -> usize {
    let (steps, _) = feed(&sensor(), text, 1, false);
    steps[steps.len() - 2].settled_to.offset
}

#[test]
fn what_begins_within_a_match_of_its_own_expression_keeps_nothing_waiting() {
    // From the second mark on a match could go on for ever; but the first match has taken it.
    let text = "Who? What? Why? It is late. So it is. Yes.";
    assert_eq!(settled(text), text.find("Yes").expect("is there"));
    assert_eq!(settled("Who? What? It is late. So it is. Yes."), 0);
}

#[test]
fn edges_of_words_beyond_ascii_keep_nothing_waiting() {
    let text = "It’s café x. Next is naïve. End.";
    assert_eq!(settled(text), text.find("End").expect("is there"));
}

#[test]
fn a_long_open_match_does_not_make_the_rest_wait() {
    let text = format!("One? {}Two? Three? That is it. Next one. End.", "Some words are here. ".repeat(1000));
    assert_eq!(settled(&text), text.find("End").expect("is there"));
}
