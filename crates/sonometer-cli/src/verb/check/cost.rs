//! `check --cost`: what the lines of a protocol cost, as a bound that holds for every text, and as what a common talk takes here and now.

use sonometer::class::Class;
use sonometer::protocol::{Construct, Line, MAX_STEPS, Protocol, WARNED_STEPS};
use sonometer::{Interaction, Sensor};
use sonometer_report::grouped;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Dear lines that are shown.
const DEAREST: usize = 5;
/// How long each of the two readings that are compared is repeated.
const SPENT: Duration = Duration::from_millis(60);
/// A talk of 1 KB, as contact centres have them.
const TALK: &str = include_str!("talk.txt");
/// What a reading costs that looks for nothing: words and sentences alone.
const BARE: &str = "sonometer: 1\nid: bare\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nfidelity: {words: 1, sufficient: 0}\n\
                    markers:\n  - label: nothing\n    strong: |\n      xylophone quartet\n";

/// The lines that are looked for in one way.
#[derive(Default)]
struct Share {
    lines: u64,
    /// Steps a word; a line that is several things counts under the dearest.
    steps: u64,
}

/// The report of a protocol.
pub(super) fn report(protocol: &Protocol) -> String {
    let mut text = bounds(protocol);
    if let Some([theirs, bare]) = measured(protocol) {
        let [micros, times] = [theirs * 1e6, theirs / bare];
        let _ = writeln!(
            text,
            "  a talk of 1 KB takes {micros:.0} µs here, {times:.1} times a reading that looks for nothing; `usual` is a share of the latter"
        );
    }
    text
}

/// What holds for every text: the same on every machine.
fn bounds(protocol: &Protocol) -> String {
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
        grouped(protocol.steps_per_word()),
        grouped(WARNED_STEPS),
        grouped(MAX_STEPS)
    );
    let mut row = |what: &str, lines: &str, steps: &str, usual: &str| {
        let _ = writeln!(text, "  {what:<14} {lines:>7} {steps:>13}  {usual}");
    };
    row("looked for by", "lines", "steps a word", "usual");
    for (construct, Share { lines, steps }) in &shares {
        row(&name(*construct), &grouped(*lines), &grouped(*steps), usual(*construct));
    }
    // Of equally dear lines the first.
    lines.sort_by_key(|(steps, ..)| std::cmp::Reverse(*steps));
    let dear = lines.iter().filter(|(steps, ..)| *steps > 1).take(DEAREST);
    for (at, (steps, label, line)) in dear.enumerate() {
        if at == 0 {
            text.push_str("  the dearest lines, in steps a word:\n");
        }
        let line = sonometer_report::fit(&line.text, 70);
        let _ = writeln!(text, "  {:>9}  {label}: {}", grouped(*steps), line.trim_end());
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

/// What one of these adds to a reading that looks for nothing: the figures of `docs/measured/constructs.md`, rounded.
fn usual(construct: Construct) -> &'static str {
    match construct {
        Construct::Phrases => "0.03 % each",
        Construct::Program => "1 % each; in a list, for each that stands in the text",
        Construct::Expression => "0.5 % each with a known piece of text in it, 3 % without",
        Construct::Question => "16 %, once",
        Construct::Class(Class::Email) => "9 %, once",
        Construct::Class(
            Class::Iban
            | Class::Number
            | Class::Money
            | Class::Percent
            | Class::Ordinal
            | Class::Phone
            | Class::Zip,
        ) => "120 %, once",
        Construct::Shout | Construct::Class(_) => "60 %, once",
    }
}

/// Seconds for a reading of the talk by the protocol, and by one that looks for nothing, in turns; `None` where it reads no texts.
fn measured(protocol: &Protocol) -> Option<[f64; 2]> {
    let text = Interaction::text(TALK).ok()?;
    let own = Sensor::new(protocol.clone()).ok()?;
    let bare = Sensor::new(Protocol::read(BARE).ok()?.0).ok()?;
    let mut least = [f64::INFINITY; 2];
    let whole = Instant::now();
    while whole.elapsed() < 2 * SPENT || least[0].is_infinite() {
        for (sensor, least) in [&own, &bare].into_iter().zip(&mut least) {
            let begin = Instant::now();
            black_box(sensor.sense(black_box(&text)).ok()?.evidence().count());
            *least = least.min(begin.elapsed().as_secs_f64());
        }
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_place() {
        let text = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Policy\nlanguage: en\nscore: risk\nmarkers:\n  \
                    - label: a\n    pole: against\n    strong: |\n      plain words\n      stem~ ..3.. (other|thing)\n      \
                    <iban>\n      mail <email>\n      /[0-9]+x/\n      <question>\n";
        let (protocol, _) = Protocol::read(text).expect("is sound");
        let report = bounds(&protocol);
        for part in [
            "phrases              1             1  0.03 % each",
            "stems and gaps       1",
            "<iban>               1",
            "<email>              1",
            "expressions          1",
            "a: stem~ ..3.. (other|thing)",
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }

    #[test]
    fn a_talk_is_read_by_both() {
        assert!((900..=1_100).contains(&TALK.len()), "{}", TALK.len());
        let (bare, _) = Protocol::read(BARE).expect("is sound");
        assert!(measured(&bare).is_some_and(|seconds| seconds.iter().all(|time| *time > 0.0)));
    }
}
