//! The report of one reading.

use crate::excerpt::{Excerpt, Excerpts};
use crate::paint::Tone;
use crate::sheet::{Cell, Gauge, Gauges, Line, Part, Row, Sheet, Table, columns};
use crate::signal;
use crate::subject::Subject;
use crate::talk::{Talk, tones};
use crate::words::counted;
use sonometer::{Evidence, Ledger, Measured, Profile, Reading, TargetKind, Unheard, Unit, View, WeakSignal};
use std::collections::BTreeMap;

/// Where a piece of evidence stands in the file that the interaction came from: `page 3, paragraph 2`.
pub type Place<'o> = dyn Fn(&Evidence<'_>) -> Option<String> + 'o;

/// What is shown of a reading.
#[derive(Clone, Copy)]
pub struct Shown<'o> {
    /// How much, as in its JSON.
    pub view: View<'o>,
    /// Whether the computation is shown.
    pub explain: bool,
    /// Whether a price is shown, too.
    pub price: bool,
    /// Whether a terminal shows the whole text; a long document is shown by its evidence alone. Pages always show it.
    pub text: bool,
    /// Where evidence stands, for interactions from files.
    pub place: Option<&'o Place<'o>>,
}

impl Default for Shown<'_> {
    fn default() -> Self {
        Self { view: View::default(), explain: false, price: false, text: true, place: None }
    }
}

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { view, explain, price, text, place } = self;
        let mut shown = out.debug_struct("Shown");
        shown.field("view", view).field("explain", explain).field("price", price).field("text", text);
        shown.field("place", &place.is_some()).finish()
    }
}

/// The most characters around evidence, on each side, where it is shown with its place.
const AROUND: usize = 30;

/// The report of a reading that measured something.
pub fn of_reading<'r>(reading: &'r Reading, shown: &Shown<'_>) -> Sheet<'r> {
    let instrument = reading.instrument();
    let is_protocol = instrument.sensor().is_some();
    let mut parts = vec![Part::Gauges(outcome(reading))];
    let talk = Talk {
        whole: true,
        scores: shown.view.profile == Profile::Detailed,
        page_only: !(shown.text && is_protocol),
        ..Talk::of(reading)
    };
    if is_protocol {
        parts.push(Part::Talk(talk));
        parts.extend(shown.place.and_then(|place| places(reading, place)));
        parts.push(Part::Gauges(resonance(reading)));
    } else {
        parts.push(Part::Gauges(of_parts(reading)));
        parts.push(Part::Talk(talk));
        parts.extend(found(reading, shown.place));
    }
    if shown.view.profile != Profile::Raw {
        parts.extend(if shown.explain { against_by_line(reading, shown.place) } else { against(reading) });
    }
    if shown.view.profile == Profile::Discovery {
        parts.extend(nearly(reading));
    }
    parts.extend(unheard(reading));
    if shown.explain {
        parts.extend(computation(reading));
    }
    parts.extend(signal::part(reading, shown.view));
    let ics = reading.ics();
    let price = if shown.price { format!(", ${}", ics.cost_usd) } else { String::new() };
    let foot = Line::from(format!("{} ICS{price}", ics.consumed));
    let foot = match instrument.sensor() {
        Some(sensor) => foot.and(Tone::Dim, format!(" (SGM {})", sensor.protocol().sgm.as_str())),
        None => foot,
    };
    Sheet { kind: "reading", subject: Subject::from(instrument), parts, foot, ..Sheet::default() }
}

/// Score and fidelity.
fn outcome(reading: &Reading) -> Gauges {
    let meaning = || reading.instrument().score_meaning();
    let score = reading.score().map(|score| Gauge { below: meaning(), ..Gauge::of("score", score) });
    let fidelity = Gauge::of("fidelity", reading.fidelity().index);
    Gauges { rows: score.into_iter().chain([fidelity]).collect(), ..Gauges::default() }
}

/// A bar for every marker that resonates; the silent ones share a line.
fn resonance(reading: &Reading) -> Gauges {
    let tones = tones(reading);
    let (mut rows, mut silent) = (Vec::new(), Vec::new());
    for (label, resonance) in reading.resonance() {
        match tones.get(label) {
            None => silent.push(label.to_owned()),
            Some(tone) => rows.push(Gauge {
                sign: Some(if resonance.triggered { '●' } else { '○' }),
                tone: *tone,
                strong: resonance.triggered,
                ..Gauge::of(label, resonance.activation)
            }),
        }
    }
    let silent =
        (!silent.is_empty()).then(|| (format!("{} silent", counted(silent.len(), "marker")), silent));
    Gauges { title: String::new(), rows, silent }
}

/// The score of each part of a metric or blueprint.
fn of_parts(reading: &Reading) -> Gauges {
    let parts = reading.instrument().parts();
    let rows = parts.iter().enumerate().filter_map(|(at, part)| {
        let turned = if part.complement { ", low is good" } else { "" };
        let rest = format!("({}, weight {}{turned})", part.kind.as_str(), part.weight);
        let score = reading.part_score(at)?;
        Some(Gauge { tone: Tone::Plain, rest: Line::of(Tone::Dim, rest), ..Gauge::of(&part.id, score) })
    });
    Gauges { rows: rows.collect(), ..Gauges::default() }
}

/// A row for every piece of evidence: its place in the file, its marker, and what stands around it.
fn places<'r>(reading: &Reading, place: &Place<'_>) -> Option<Part<'r>> {
    let tones = tones(reading);
    let mut excerpts = Excerpts::of(reading);
    let row = |found: Evidence<'_>| {
        let tone = tones.get(found.metamarker).copied().unwrap_or_default();
        let Excerpt { before, inside, after } = excerpts.at(found.turn, &found.range, AROUND);
        let around = Line::of(Tone::Dim, before).and(tone, format!("[{inside}]")).and(Tone::Dim, after);
        let cells: [Line; 3] = [
            Line::of(Tone::Strong, place(&found).unwrap_or_default()),
            Line::of(tone, found.metamarker),
            around,
        ];
        Row::of(cells.map(Cell::from).into())
    };
    quoted("evidence", &["<", "<", "<"], reading.evidence().map(row).collect())
}

/// The evidence of each protocol that found something.
fn found<'r>(reading: &Reading, place: Option<&Place<'_>>) -> Vec<Part<'r>> {
    let of_part = |at: usize| {
        let protocol = reading.parts()[at].protocol();
        let rows = reading.evidence().filter(|found| found.part == at).map(|found| {
            let source = match place.and_then(|place| place(&found)) {
                Some(place) => Line::from(found.source.as_ref()).and(Tone::Dim, format!("  ({place})")),
                None => Line::from(found.source.as_ref()),
            };
            let label = Line::of(Tone::Strong, &protocol.markers[found.marker].label);
            Row::of(vec![label.into(), found.score.to_string().into(), source.into()])
        });
        let title = format!("{} ({}@{})", protocol.name, protocol.id, protocol.version);
        quoted(&title, &["<", "<", "<"], rows.collect())
    };
    (0..reading.parts().len()).filter_map(of_part).collect()
}

/// What counts against markers, with what it takes away.
fn against<'r>(reading: &Reading) -> Option<Part<'r>> {
    let row = |found: Evidence<'_>| {
        let source = format!("“{}”", found.source);
        Row::of(vec![found.metamarker.into(), found.score.to_string().into(), source.into()])
    };
    quoted("counts against", &["<", "<", "<"], reading.against().map(row).collect())
}

/// The same with the pattern line that takes it away, and where it stands: in the file, or in characters of its turn from 1.
fn against_by_line<'r>(reading: &Reading, place: Option<&Place<'_>>) -> Option<Part<'r>> {
    let ledgers: Vec<Ledger<'_>> = reading.parts().iter().map(Measured::ledger).collect();
    let lines = Lines::of(&ledgers);
    let mut characters = Characters::default();
    let row = |found: Evidence<'_>| {
        let line = lines.of_found(&found);
        let place =
            place.and_then(|place| place(&found)).unwrap_or_else(|| characters.in_turn(reading, &found));
        let source = format!("“{}”", found.source);
        let cells = [found.metamarker, &found.score.to_string(), line, &place, &source];
        Row::of(cells.map(|cell| Cell::from(cell.to_owned())).into())
    };
    quoted("counts against", &["<", "<", "<", "<", "<"], reading.against().map(row).collect())
}

/// By part, marker, turn and place, what each match that counts adds or takes away, and by which line. Two lines may match the same
/// words: what each takes away tells them apart, or is the same. Sought by its key, since a text may have as many matches as words.
struct Lines<'l>(BTreeMap<(usize, usize, usize, usize, usize, Unit), &'l str>);

impl<'l> Lines<'l> {
    fn of(ledgers: &'l [Ledger<'_>]) -> Self {
        let mut lines = BTreeMap::new();
        for (part, ledger) in ledgers.iter().enumerate() {
            for (marker, entry) in ledger.markers.iter().enumerate() {
                for own in entry.matches.iter().filter(|own| own.failed.is_empty()) {
                    let key = (part, marker, own.turn, own.range.start, own.range.end, own.contribution);
                    lines.entry(key).or_insert(own.line);
                }
            }
        }
        Self(lines)
    }

    /// The line of a piece of evidence; empty where there is none.
    fn of_found(&self, found: &Evidence<'_>) -> &'l str {
        let Evidence { part, marker, turn, ref range, score, .. } = *found;
        self.0.get(&(part, marker, turn, range.start, range.end, score)).copied().unwrap_or_default()
    }
}

/// Counts characters up to places that come in the order of the text, each character once.
#[derive(Debug, Default)]
struct Characters {
    turn: usize,
    byte: usize,
    count: usize,
}

impl Characters {
    /// `turn 3, characters 5 to 9`
    fn in_turn(&mut self, reading: &Reading, found: &Evidence<'_>) -> String {
        let content = &reading.interaction().turns()[found.turn].content;
        if self.turn != found.turn || found.range.start < self.byte {
            *self = Self { turn: found.turn, ..Self::default() };
        }
        self.count += content[self.byte..found.range.start].chars().count();
        self.byte = found.range.start;
        let first = self.count + 1;
        let last = first + content[found.range.clone()].chars().count().max(1) - 1;
        format!("turn {}, characters {first} to {last}", found.turn + 1)
    }
}

/// A table without names of columns; nothing without rows.
fn quoted<'r>(title: &str, heads: &[&str], rows: Vec<Row>) -> Option<Part<'r>> {
    let table = Table { title: title.to_owned(), columns: columns(heads), rows, ..Table::default() };
    (!table.rows.is_empty()).then_some(Part::Table(table))
}

/// What nearly triggered.
fn nearly<'r>(reading: &Reading) -> Option<Part<'r>> {
    let row = |weak: WeakSignal<'_>| Gauge {
        sign: Some('◌'),
        tone: Tone::Dim,
        rest: hinted(&weak).into(),
        ..Gauge::of(weak.metamarker, weak.proximity)
    };
    let rows: Vec<Gauge> = reading.weak_signals().map(row).collect();
    let gauges = Gauges { title: "nearly triggered".into(), rows, silent: None };
    (!gauges.rows.is_empty()).then_some(Part::Gauges(gauges))
}

/// What was missing, and the text that it is about.
fn hinted(signal: &WeakSignal<'_>) -> String {
    match &signal.found {
        Some(found) => format!("{}: “{}”", signal.hint, found.source),
        None => signal.hint.to_string(),
    }
}

/// The title of the markers that could hear nobody.
pub(crate) const UNHEARD: &str = "nothing to read";

/// The markers for which there is no turn to read: their silence says nothing.
fn unheard<'r>(reading: &Reading) -> Option<Part<'r>> {
    let line = |Unheard { metamarker, roles }: Unheard<'_>| {
        Line::from(format!("{metamarker} reads only turns by {}, and there are none", roles.join(" or ")))
    };
    let lines: Vec<Line> = reading.unheard().map(line).collect();
    (!lines.is_empty()).then(|| Part::Lines { title: UNHEARD.into(), lines })
}

/// The computation of each protocol, then of the average over them.
fn computation(reading: &Reading) -> Vec<Part<'_>> {
    let instrument = reading.instrument();
    let ledger = |at: usize| Part::Ledger(Box::new(reading.parts()[at].ledger()));
    if instrument.sensor().is_some() {
        return vec![ledger(0)];
    }
    let mut parts = Vec::new();
    for (at, own) in reading.parts().iter().enumerate() {
        let protocol = own.protocol();
        let title = format!("{}@{}", protocol.id, protocol.version);
        parts.extend([Part::Lines { title, lines: Vec::new() }, ledger(at)]);
    }
    parts.push(Part::Lines { title: "how the parts became one score".into(), lines: average(reading) });
    parts
}

/// The score of a composition as a sum to check.
fn average(reading: &Reading) -> Vec<Line> {
    let parts = reading.instrument().parts();
    // Only what was measured is explained.
    let part_score = |at: usize| reading.part_score(at).unwrap_or(Unit::ZERO);
    let mut lines = Vec::new();
    // A metric within a blueprint is an average of its own, rounded.
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.kind == TargetKind::Metric) {
        let shares = part.of.iter().map(|share| {
            let score = reading.parts()[share.sensor].score().unwrap_or(Unit::ZERO);
            (share.weight, share.complement, score)
        });
        let sum = weighted(&shares.collect::<Vec<_>>());
        lines.push(Line::from(format!("  {}  {sum} = {}", part.id, part_score(at))));
    }
    let whole = parts.iter().enumerate().map(|(at, part)| (part.weight, part.complement, part_score(at)));
    let sum = weighted(&whole.collect::<Vec<_>>());
    let score = reading.score().unwrap_or(Unit::ZERO);
    lines.push(Line::of(Tone::Strong, "score").and(Tone::Plain, format!("  {sum} = {score}")));
    lines
}

/// `(3·0.5 + 2·(1 − 0.1)) ÷ 5`
fn weighted(shares: &[(Unit, bool, Unit)]) -> String {
    let term = |(weight, complement, score): &(Unit, bool, Unit)| match complement {
        true => format!("{weight}·(1 − {score})"),
        false => format!("{weight}·{score}"),
    };
    let terms: Vec<String> = shares.iter().map(term).collect();
    let weights: i64 = shares.iter().map(|(weight, ..)| weight.0).sum();
    format!("({}) ÷ {}", terms.join(" + "), Unit(weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paint;
    use sonometer::{Interaction, Protocol, Sensor, Turn};

    #[test]
    fn what_counts_against_is_explained_by_line_and_place() {
        let source = r#"{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "score": "any",
            "markers": [{"label": "kind", "half": 1000, "bias": 0.2,
                "weigh": ["thank you = 0.6", "not = -0.2", "not (asked|wanted) = -0.05"]}]}"#;
        let sensor = Sensor::new(Protocol::read(source).expect("reads").0).expect("is sound");
        let turn = |content: &str| Turn { role: Some("a".into()), content: content.into(), timestamp: None };
        let talk = Interaction::transcript(vec![turn("Thank you."), turn("Öh, not asked for")]);
        let reading = sensor.sense(&talk.expect("is short")).expect("senses");
        let text = |profile, explain, place| {
            let shown =
                Shown { view: View { profile, ..View::default() }, explain, place, ..Shown::default() };
            let text = of_reading(&reading, &shown).to_text(&Paint::default());
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let explained = text(Profile::Discovery, true, None);
        for row in [
            "kind -0.2 not turn 2, characters 5 to 7 “not”",
            "kind -0.05 not (asked|wanted) turn 2, characters 5 to 13 “not asked”",
        ] {
            assert!(explained.contains(row), "{row}: {explained}");
        }
        assert!(
            text(Profile::Discovery, false, None)
                .contains("counts against kind -0.2 “not” kind -0.05 “not asked”")
        );
        assert!(!text(Profile::Raw, true, None).contains("counts against"), "as its JSON");
        let place: &Place<'_> = &|found| Some(format!("page {}", found.turn + 7));
        assert!(text(Profile::Detailed, true, Some(place)).contains("kind -0.2 not page 8 “not”"));
    }
}
