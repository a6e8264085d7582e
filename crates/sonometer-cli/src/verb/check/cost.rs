//! `check --cost`: what the lines of a protocol cost, as a bound that holds for every text and as what talk usually takes.

use sonometer::class::Class;
use sonometer::protocol::{Construct, Line, MAX_STEPS, Protocol, WARNED_STEPS};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Dear lines that are shown.
const DEAREST: usize = 5;

/// The lines that are looked for in one way.
#[derive(Default)]
struct Share {
    lines: u64,
    /// Steps a word; a line that is several things counts under the dearest.
    steps: u64,
}

/// The report of a protocol.
pub(super) fn report(protocol: &Protocol) -> String {
    let mut shares: BTreeMap<Construct, Share> = BTreeMap::new();
    let mut lines: Vec<(u64, &str, &Line)> = Vec::new();
    for marker in &protocol.markers {
        for line in marker.all_lines() {
            let steps = line.steps_per_word();
            let constructs = line.constructs();
            for construct in &constructs {
                shares.entry(*construct).or_default().lines += 1;
            }
            if let Some(dearest) = constructs.last() {
                shares.entry(*dearest).or_default().steps += steps;
            }
            lines.push((steps, &marker.label, line));
        }
    }
    let mut text = format!(
        "{}@{}: at most {} steps for a word of text (more than {} is a warning, more than {} is refused)\n",
        protocol.id,
        protocol.version,
        thousands(protocol.steps_per_word()),
        thousands(WARNED_STEPS),
        thousands(MAX_STEPS)
    );
    let _ = writeln!(
        text,
        "  {:<14} {:>7} {:>13} {:>15}",
        "looked for by", "lines", "steps a word", "usually, about"
    );
    let mut sum = 1.0;
    for (construct, Share { lines, steps }) in &shares {
        let usual = usual(*construct, *lines);
        sum += usual;
        let _ = writeln!(
            text,
            "  {:<14} {:>7} {:>13} {:>14.0}%",
            name(*construct),
            thousands(*lines),
            thousands(*steps),
            100.0 * usual
        );
    }
    let _ = writeln!(
        text,
        "  a reading of common talk takes about {sum:.1} times one that looks for nothing (docs/measured/constructs.md)"
    );
    // Of equally dear lines the first.
    lines.sort_by_key(|(steps, ..)| std::cmp::Reverse(*steps));
    let dear = lines.iter().filter(|(steps, ..)| *steps > 1).take(DEAREST);
    for (at, (steps, label, line)) in dear.enumerate() {
        if at == 0 {
            text.push_str("  the dearest lines, in steps a word:\n");
        }
        let _ = writeln!(
            text,
            "  {:>9}  {label}: {}",
            thousands(*steps),
            sonometer_report::fit(&line.text, 70).trim_end()
        );
    }
    text
}

fn name(construct: Construct) -> String {
    match construct {
        Construct::Phrases => "phrases".to_owned(),
        Construct::Program => "stems and gaps".to_owned(),
        Construct::Question => "<question>".to_owned(),
        Construct::Shout => "<shout>".to_owned(),
        Construct::Class(class) => format!("<{}>", class.name()),
        Construct::Expression => "expressions".to_owned(),
    }
}

/// What so many lines add to a reading of 1 KB of talk, as a share of one that looks for nothing: the figures of
/// `docs/measured/constructs.md`, rounded. A class is read once, however many lines ask for it.
fn usual(construct: Construct, lines: u64) -> f64 {
    let each = |share: f64| share * lines as f64;
    match construct {
        Construct::Phrases => each(0.0003),
        Construct::Program => each(0.008),
        Construct::Expression => each(0.02),
        Construct::Question => 0.15,
        Construct::Shout => 0.55,
        Construct::Class(Class::Email) => 0.08,
        Construct::Class(Class::Iban) => 1.5,
        Construct::Class(Class::Number | Class::Money | Class::Percent | Class::Ordinal) => 1.2,
        Construct::Class(Class::Phone) => 0.95,
        Construct::Class(_) => 0.55,
    }
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_place() {
        let text = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Policy\nlanguage: en\nscore: risk\nmarkers:\n  - label: a\n    pole: against\n    strong: |\n      \
                    plain words\n      stem~ ..3.. (other|thing)\n      <iban>\n      mail <email>\n      /[0-9]+x/\n      <question>\n";
        let (protocol, _) = Protocol::read(text).expect("is sound");
        let report = report(&protocol);
        for part in [
            "phrases              1",
            "stems and gaps       1",
            "<iban>",
            "<email>",
            "expressions          1",
            "stem~ ..3.. (other|thing)",
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
        assert_eq!([1, 999, 1_000, 1_234_567].map(thousands), ["1", "999", "1,000", "1,234,567"]);
    }
}
