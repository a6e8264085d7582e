//! Why a test failed, in the words of the ledger: what was found, what of it was dropped, and what it came to.

use super::bench::Ran;
use super::trial::{Broken, Trial};
use sonometer::MarkerEntry;
use sonometer::protocol::{Absence, Marker, TestLine};
use sonometer_report::{one_line, reasons, signed};

/// Why a test failed, a reason for each line of text; nothing of a test that passed.
pub fn why(ran: &Ran<'_>) -> Vec<String> {
    if ran.broken.is_empty() {
        return Vec::new();
    }
    match ran.trial {
        Trial::Line { marker, line, .. } => {
            let ledger = ran.reading.ledger();
            let own = ledger.markers.iter().filter(|entry| entry.label == marker.label);
            own.flat_map(|entry| notes(entry, Some(marker), Some(line))).collect()
        }
        Trial::Dialogue(_) => ran.broken.iter().map(|broken| of_dialogue(ran, broken)).collect(),
    }
}

/// What of a dialogue does not hold, and how it came about.
fn of_dialogue(ran: &Ran<'_>, broken: &Broken) -> String {
    match broken {
        Broken::Marker { label, wanted } => {
            let ledger = ran.reading.ledger();
            let should = if *wanted { "fire" } else { "be silent" };
            let entry = ledger.markers.iter().find(|entry| entry.label == label);
            let marker = ran.reading.protocol().markers.iter().find(|marker| marker.label == *label);
            let why = entry.map(|entry| notes(entry, marker, None).join("; ")).unwrap_or_default();
            format!("`{label}` should {should}: {why}")
        }
        Broken::Driven { label, role } => format!("`{label}` is not driven by `{role}`"),
        Broken::Fidelity => {
            let found = ran.reading.fidelity();
            let is = if found.sufficient { "is sufficient" } else { "is not sufficient" };
            format!("the dialogue {is}: its fidelity is {}", found.index)
        }
        Broken::Score => match ran.reading.score() {
            Some(score) => format!("the score is {score}"),
            None => "there is no score: the content is insufficient".to_owned(),
        },
    }
}

/// What was found for a marker, what of it was dropped, and what it came to.
fn notes(entry: &MarkerEntry<'_>, marker: Option<&Marker>, line: Option<&TestLine>) -> Vec<String> {
    let mut notes = Vec::new();
    for found in &entry.matches {
        let what = format!("`{}` ({}) found “{}”", found.line, found.list.as_str(), one_line(&found.source));
        notes.push(match found.failed.is_empty() {
            true => format!("{what}: {}", signed(found.contribution)),
            false => format!("{what}: dropped, {}", reason(reasons(found), line)),
        });
    }
    let activation = entry.resonance.activation;
    notes.push(match (entry.matches.is_empty(), entry.resonance.triggered) {
        (true, false) => nothing(marker).to_owned(),
        (_, true) => format!("activation {activation} reaches the trigger {}", entry.trigger),
        (_, false) => format!("activation {activation} stays below the trigger {}", entry.trigger),
    });
    notes
}

/// Why a marker of which nothing was found is silent. One with `absent` waits for just that.
fn nothing(marker: Option<&Marker>) -> &'static str {
    match marker.and_then(|marker| marker.absence.as_ref()) {
        None => "no pattern line matches",
        Some(Absence { when: Some(_), .. }) => {
            "nothing of its `when` is said, so the clock of `absent` does not start"
        }
        Some(Absence { when: None, .. }) => {
            "nothing of `absent` is said, but the text ends before `until`, or nobody speaks whom it hears"
        }
    }
}

fn reason(reasons: String, line: Option<&TestLine>) -> String {
    match line {
        Some(TestLine { role: None, .. }) if reasons.contains("another side") => {
            format!("{reasons} (to give the line a role, write `role: text`)")
        }
        _ => reasons,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bench;
    use super::why;
    use sonometer::{Document, Protocol};

    fn protocol(rest: &str) -> Protocol {
        let source = format!(
            "sonometer: 1\nid: own\nversion: \"1\"\ntaxonomy: Signal\nfidelity: {{words: 1}}\nmarkers:\n  - label: thanks\n    \
             strong: thank you\n{rest}"
        );
        match Document::read(&source) {
            Ok((Document::Protocol(protocol), _)) => *protocol,
            other => panic!("{other:?}"),
        }
    }

    fn told(rest: &str) -> Vec<Vec<String>> {
        let protocol = protocol(rest);
        Bench::of(&protocol).run_tests().expect("it compiles").iter().map(why).collect()
    }

    #[test]
    fn a_test_that_passes_has_no_reason_to_fail() {
        assert_eq!(told("    hit: Thank you.\n"), [Vec::<String>::new()]);
    }

    #[test]
    fn what_was_found_and_what_was_not_is_told() {
        assert_eq!(told("    hit: Nothing of it.\n"), [["no pattern line matches"]]);
        let [miss] = &told("    miss: Thank you.\n")[..] else { panic!("one test") };
        assert_eq!(miss.len(), 2, "{miss:?}");
        assert!(miss[0].starts_with("`thank you` (strong) found “Thank you”: "), "{miss:?}");
        assert!(miss[1].contains("reaches the trigger 0.5"), "{miss:?}");
    }

    #[test]
    fn a_marker_that_waits_for_what_is_absent_says_why_it_is_silent() {
        let absent = |more: &str| {
            let marker = format!("  - label: open\n    absent: done\n{more}    hit: Hello.\n");
            told(&marker).pop().expect("has a test")
        };
        assert_eq!(absent(""), Vec::<String>::new());
        let [told] = &absent("    when: {any: later}\n")[..] else { panic!("one reason") };
        assert!(told.starts_with("nothing of its `when` is said"), "{told}");
        let [told] = &absent("    until: 3 turns\n")[..] else { panic!("one reason") };
        assert!(told.contains("ends before `until`"), "{told}");
    }

    #[test]
    fn a_dialogue_tells_each_thing_that_does_not_hold() {
        let dialogue =
            "tests:\n  - name: short\n    talk: |\n      agent: Hello.\n    expect: {fires: [thanks]}\n";
        assert_eq!(told(dialogue), [["`thanks` should fire: no pattern line matches"]]);
    }
}
