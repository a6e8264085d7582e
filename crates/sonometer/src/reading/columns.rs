//! Evidence as columns: what programs take that compute with many pieces, and want none of them as an object.

use super::Reading;
use super::offset::{OffsetUnit, Offsets};
use crate::evidence::Candidate;
use crate::unit::Unit;

/// The evidence of readings of one instrument, as columns: an entry in each for every piece, reading after reading, and within a
/// reading as in [`Reading::evidence`]. There is no text in it, so nothing masked either.
///
/// Which pieces a reading has is said as Arrow says it for lists: those of the `n`th are `bounds[n]..bounds[n + 1]`.
///
/// ```
/// use sonometer::{Columns, Interaction, OffsetUnit, Protocol, Sensor};
///
/// let (protocol, _) = Protocol::read(r#"{
///     "sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal", "score": "any", "fidelity": {"sufficient": 0},
///     "markers": [{"label": "gratitude", "strong": "(thanks|thank you)", "hit": "thank you"}]
/// }"#)?;
/// let sensor = Sensor::new(protocol)?;
/// let mut columns = Columns::new(OffsetUnit::Chars);
/// for text in ["Schön, thank you!", "No.", "Thanks, thanks!"] {
///     columns.add(&sensor.sense(&Interaction::text(text)?)?);
/// }
/// assert_eq!(columns.starts, [7, 0, 8]);
/// assert_eq!(columns.ends, [16, 6, 14]);
/// assert_eq!(columns.bounds, [0, 1, 1, 3]);
/// # Ok::<(), sonometer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The unit of `starts` and `ends`.
    pub unit: OffsetUnit,
    /// Where the pieces of each reading begin, and at last their number: one entry more than readings.
    pub bounds: Vec<u64>,
    /// The metamarker, by its place in [`crate::Instrument::markers`].
    pub markers: Vec<u32>,
    /// What the piece adds to it, above 0, at most 1.
    pub scores: Vec<Unit>,
    /// The turn it stands in, from 0; of several, the first.
    pub turns: Vec<u32>,
    /// Where it begins in the content of that turn.
    pub starts: Vec<u32>,
    /// Where it ends there.
    pub ends: Vec<u32>,
    /// Where pieces go on in later turns, for metamarkers with `join`.
    pub further: Further,
}

/// Stretches of pieces beyond the first, in the order of the pieces, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Further {
    /// The piece, by its place in the other columns.
    pub pieces: Vec<u64>,
    /// The turn, from 0.
    pub turns: Vec<u32>,
    /// Where the stretch begins in the content of that turn.
    pub starts: Vec<u32>,
    /// Where it ends there.
    pub ends: Vec<u32>,
}

impl Columns {
    /// No readings yet.
    pub fn new(unit: OffsetUnit) -> Self {
        Self {
            unit,
            bounds: vec![0],
            markers: Vec::new(),
            scores: Vec::new(),
            turns: Vec::new(),
            starts: Vec::new(),
            ends: Vec::new(),
            further: Further::default(),
        }
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.markers.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }

    /// Adds the evidence of a reading. All must be of the same instrument, by whose markers `markers` counts.
    pub fn add(&mut self, reading: &Reading) {
        match reading.parts() {
            // Without the list that sorts the evidence of several.
            [only] => self.add_found(reading, only.evidence.iter().map(|found| (0, found))),
            _ => self.add_found(reading, reading.found().into_iter()),
        }
        self.bounds.push(self.len() as u64);
    }

    /// Adds an interaction that could not be measured: it has no evidence.
    pub fn add_none(&mut self) {
        self.bounds.push(self.len() as u64);
    }

    /// Adds the readings of others behind its own.
    pub fn append(&mut self, others: &Self) {
        let before = self.len() as u64;
        self.bounds.extend(others.bounds[1..].iter().map(|bound| before + bound));
        self.markers.extend_from_slice(&others.markers);
        self.scores.extend_from_slice(&others.scores);
        self.turns.extend_from_slice(&others.turns);
        self.starts.extend_from_slice(&others.starts);
        self.ends.extend_from_slice(&others.ends);
        self.further.pieces.extend(others.further.pieces.iter().map(|piece| before + piece));
        self.further.turns.extend_from_slice(&others.further.turns);
        self.further.starts.extend_from_slice(&others.further.starts);
        self.further.ends.extend_from_slice(&others.further.ends);
    }

    // Content has at most 64 MiB (`MAX_CONTENT_BYTES`), so places fit into 32 bits in every unit.
    fn add_found<'r>(&mut self, reading: &'r Reading, all: impl Iterator<Item = (usize, &'r Candidate)>) {
        let turns = reading.interaction().turns();
        // Evidence comes in the order of its places; what it goes on with does not, so that is counted for itself.
        let (mut offsets, mut of_further) = (Offsets::new(self.unit), Offsets::new(self.unit));
        for (at, found) in all {
            let part = &reading.parts()[at];
            let content = &turns[found.turn as usize].content;
            let (start, end) = offsets.range(found.turn, content, part.range(found));
            let further = part.joined_to(found);
            for stretch in further {
                let content = &turns[stretch.turn].content;
                let (start, end) = of_further.range(stretch.turn as u32, content, stretch.range);
                self.further.pieces.push(self.len() as u64);
                self.further.turns.push(stretch.turn as u32);
                self.further.starts.push(start as u32);
                self.further.ends.push(end as u32);
            }
            self.markers.push(reading.instrument().marker_number(at, found.marker as usize) as u32);
            self.scores.push(found.contribution.min(Unit::ONE));
            self.turns.push(found.turn);
            self.starts.push(start as u32);
            self.ends.push(end as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::{Catalog, Document, Metric};
    use crate::instrument::Instrument;
    use crate::interaction::{Interaction, Turn};
    use crate::protocol::Protocol;
    use crate::{Error, SenseOptions};
    use proptest::prelude::*;

    /// Two protocols that find in the same text, one of them over several turns.
    struct Two;

    fn protocol(id: &str) -> Protocol {
        let markers = match id {
            "thanks" => {
                r#"{"label": "gratitude", "strong": "(thanks|thank you)"}, {"label": "nice", "clear": "schön"}"#
            }
            _ => {
                r#"{"label": "code", "join": "3 turns", "repeat": "all", "strong": "code is <number>"}, {"label": "no", "clear": "no"}"#
            }
        };
        let text = format!(
            r#"{{"sonometer": 1, "id": "{id}", "version": "1.0", "taxonomy": "Signal", "language": "en",
                "modalities": ["text", "transcript"], "fidelity": {{"sufficient": 0}}, "markers": [{markers}]}}"#
        );
        Protocol::read(&text).expect("is sound").0
    }

    impl Catalog for Two {
        fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
            Ok(vec![protocol(id)])
        }

        fn metrics(&self, _: &str) -> Result<Vec<Metric>, Error> {
            Ok(Vec::new())
        }
    }

    fn both() -> Instrument {
        let metric = r#"{"sonometer_metric": 1, "id": "m", "version": "1.0",
            "components": [{"protocol": "thanks@1.0"}, {"protocol": "other@1.0"}]}"#;
        Instrument::new(Document::read(metric).expect("is sound").0, &Two).expect("both are there")
    }

    fn talk(turns: &[String]) -> Interaction {
        let turn = |content: &String| Turn {
            role: Some("agent".into()),
            content: content.as_str().into(),
            timestamp: None,
        };
        Interaction::transcript(turns.iter().map(turn).collect()).expect("has turns")
    }

    /// Units of a text before a byte, by the standard library.
    fn counted(unit: OffsetUnit, text: &str) -> u32 {
        (match unit {
            OffsetUnit::Bytes => text.len(),
            OffsetUnit::Chars => text.chars().count(),
            OffsetUnit::Utf16 => text.encode_utf16().count(),
        }) as u32
    }

    fn word() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "thanks",
            "thank you",
            "schön",
            "no",
            "code",
            "is",
            "4711",
            "😀",
            "so.",
            "e\u{301}",
            "\n",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn columns_say_what_evidence_says(
            talks in prop::collection::vec(prop::collection::vec(prop::collection::vec(word(), 0..12), 1..5), 0..4),
            alone in any::<bool>(),
        ) {
            let instrument = match alone {
                true => Instrument::from(crate::Sensor::new(protocol("other")).expect("compiles")),
                false => both(),
            };
            let keys: Vec<&str> = instrument.markers().map(|(key, _)| key).collect();
            let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
            for unit in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
                let (mut columns, mut parted) = (Columns::new(unit), Columns::new(unit));
                let mut piece = 0;
                let mut stretches = Vec::new();
                for turns in &talks {
                    let turns: Vec<String> = turns.iter().map(|words| words.join(" ")).collect();
                    let reading = instrument.sense_with(&talk(&turns), options).expect("is a talk");
                    columns.add(&reading);
                    let mut one = Columns::new(unit);
                    one.add(&reading);
                    parted.append(&one);
                    for found in reading.evidence() {
                        let place = |turn: usize, range: &std::ops::Range<usize>| {
                            let before = |byte: usize| counted(unit, &turns[turn][..byte]);
                            (turn as u32, before(range.start), before(range.end))
                        };
                        prop_assert_eq!(keys[columns.markers[piece] as usize], found.metamarker);
                        prop_assert_eq!(columns.scores[piece], found.score);
                        let told = (columns.turns[piece], columns.starts[piece], columns.ends[piece]);
                        prop_assert_eq!(told, place(found.turn, &found.range));
                        stretches.extend(found.joined.iter().map(|s| (piece as u64, place(s.turn, &s.range))));
                        piece += 1;
                    }
                    prop_assert_eq!(columns.bounds.last(), Some(&(piece as u64)));
                }
                let Further { pieces, turns, starts, ends } = &columns.further;
                let further: Vec<_> = (0..pieces.len()).map(|at| (pieces[at], (turns[at], starts[at], ends[at]))).collect();
                prop_assert_eq!(further, stretches);
                prop_assert_eq!(columns.bounds.len(), talks.len() + 1);
                prop_assert_eq!(&parted, &columns);
            }
        }
    }

    #[test]
    fn stretches_over_turns_and_empty_ones_are_seen() {
        let turns = ["The code is".to_owned(), "4711, and no".to_owned()];
        let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
        let mut columns = Columns::new(OffsetUnit::Chars);
        columns.add_none();
        columns.add(&both().sense_with(&talk(&turns), options).expect("is a talk"));
        assert_eq!((columns.bounds, columns.markers), (vec![0, 0, 2], vec![2, 3]));
        assert_eq!((columns.starts, columns.ends), (vec![4, 10], vec![11, 12]));
        let further = Further { pieces: vec![0], turns: vec![1], starts: vec![0], ends: vec![4] };
        assert_eq!(columns.further, further);
    }
}
