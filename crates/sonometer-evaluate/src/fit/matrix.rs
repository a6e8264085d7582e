//! How often the engine finds each pattern in each interaction.

use super::hand::alone;
use crate::error::{Error, Place};
use crate::evaluate::sensed::in_steps;
use crate::watch::Steps;
use sonometer::protocol::Repeat;
use sonometer::{Interaction, Protocol, SenseOptions, Sensor, Unit};

/// The features of one interaction: columns that are not 0, ascending, with their values.
pub(crate) type Row = Vec<(u32, f64)>;

/// The features of all interactions. A column is a pattern line of a marker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    pub(crate) patterns: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

impl Matrix {
    /// Counts the matches of every line of the marker number `marker` that count under its conditions (role, place, exceptions, negation),
    /// each capped as the marker's `repeat` caps it. What a line is worth does not matter.
    pub(crate) fn count(
        protocol: &Protocol,
        marker: usize,
        interactions: &[&Interaction],
        steps: &mut Steps<'_>,
    ) -> Result<Self, Error> {
        let (mut protocol, marker) = alone(protocol, marker);
        let own = &mut protocol.markers[marker];
        let repeat = own.repeat;
        own.mask = None;
        own.bias = Unit::ZERO;
        // The strength of a line is its number: so the ledger says which line matched.
        for (line, number) in own.lines.iter_mut().zip(1..) {
            line.strength = Unit(number);
        }
        let patterns: Vec<String> = own.lines.iter().map(|line| line.text.to_string()).collect();
        let label = own.label.clone();
        let sensor = sensor(protocol)?;
        let counted = |interaction: &&Interaction| row(&sensor, &label, &patterns, repeat, interaction);
        let rows = in_steps(interactions, steps, counted)?;
        Ok(Self { patterns, rows })
    }

    /// In how many of the rows `at` each column is not 0, in those of the negative and of the positive class.
    pub(crate) fn support(&self, at: &[usize], positive: &[bool]) -> Vec<[usize; 2]> {
        let mut support = vec![[0; 2]; self.patterns.len()];
        for &row in at {
            for (column, _) in &self.rows[row] {
                support[*column as usize][usize::from(positive[row])] += 1;
            }
        }
        support
    }
}

pub(crate) fn sensor(protocol: Protocol) -> Result<Sensor, Error> {
    let id = protocol.id.clone();
    Sensor::new(protocol).map_err(|error| Error::engine(Place::of(&id), &error))
}

fn row(
    sensor: &Sensor,
    label: &str,
    patterns: &[String],
    repeat: Repeat,
    interaction: &Interaction,
) -> Result<Row, Error> {
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let reading = sensor
        .sense_with(interaction, options.without_key(std::slice::from_ref(sensor)))
        .map_err(|error| Error::engine(Place::of(&sensor.protocol().id), &error))?;
    let ledger = reading.ledger();
    let mut row: Vec<(u32, u32)> = Vec::new();
    // The matches come by line. What other markers flip to this one comes behind them, with strengths that are no numbers of lines.
    let own = ledger.markers.iter().filter(|marker| marker.label == label);
    for found in own.flat_map(|marker| &marker.matches).filter(|m| m.failed.is_empty()) {
        let column = u32::try_from(found.strength.0 - 1).unwrap_or(u32::MAX);
        if patterns.get(column as usize).is_none_or(|pattern| pattern != found.line) {
            continue;
        }
        match row.last_mut() {
            Some((last, count)) if *last == column => *count += 1,
            _ => row.push((column, 1)),
        }
    }
    Ok(row.into_iter().map(|(column, count)| (column, value(repeat, count))).collect())
}

/// What `count` matches of a line of strength 1 add up to.
fn value(repeat: Repeat, count: u32) -> f64 {
    match repeat {
        Repeat::Once => 1.0,
        Repeat::All => f64::from(count),
        Repeat::Halve => {
            let (mut sum, mut part) = (0.0, 1.0);
            for _ in 0..count.min(40) {
                sum += part;
                part /= 2.0;
            }
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(extra: &str, texts: &[&str]) -> Matrix {
        let source = format!(
            "sonometer: 1\nid: x\nversion: 1\ntaxonomy: Signal\nlanguage: en\nmarkers:\n  - label: x\n    \
             negation: drop\n{extra}    weigh: |\n      good = -0.5\n      good day = 1\n      bad = 2\n"
        );
        let (protocol, _) = Protocol::read(&source).expect("reads");
        let all: Vec<Interaction> =
            texts.iter().map(|text| Interaction::text(text).expect("is short")).collect();
        let mut watch = crate::unwatched;
        let steps = &mut Steps::new(&mut watch, "counting", all.len());
        Matrix::count(&protocol, 0, &all.iter().collect::<Vec<_>>(), steps).expect("counts")
    }

    #[test]
    fn counts_what_counts() {
        let matrix = matrix("", &["Good day, good day. Bad", "not good", "nothing"]);
        assert_eq!(matrix.patterns, ["good", "good day", "bad"]);
        assert_eq!(matrix.rows, [vec![(0, 1.5), (1, 1.5), (2, 1.0)], vec![], vec![]]);
        assert_eq!(matrix.support(&[0, 1, 2], &[true, false, false])[0], [0, 1]);
    }

    #[test]
    fn counts_are_capped_as_the_marker_says() {
        let value = |repeat| matrix(repeat, &["bad, bad, bad"]).rows[0][0];
        assert_eq!(value("    repeat: once\n"), (2, 1.0));
        assert_eq!(value("    repeat: all\n"), (2, 3.0));
        assert_eq!(value(""), (2, 1.75));
    }
}
