//! How often the engine finds each pattern in each interaction.

use super::hand::alone;
use super::learn::Fitted;
use crate::error::{Error, Place};
use crate::evaluate::sensed::in_steps;
use crate::watch::Steps;
use sonometer::protocol::Repeat;
use sonometer::{Interaction, MatchEntry, Protocol, SenseOptions, Sensor, Unit};

/// The features of one interaction: columns that are not 0, ascending, with their values.
pub(crate) type Row = Vec<(u32, f64)>;

/// The features of all interactions. A column is a pattern line of a marker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    pub(crate) patterns: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// With a scope, of each interaction the rows of the stretches that are asked by themselves; else empty.
    pub(crate) bags: Vec<Vec<Row>>,
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
        let read = in_steps(interactions, steps, |interaction| {
            row(&sensor, &label, &patterns, repeat, interaction)
        })?;
        let (rows, bags): (Vec<Row>, Vec<Vec<Row>>) = read.into_iter().unzip();
        let bags = if bags.iter().all(Vec::is_empty) { Vec::new() } else { bags };
        Ok(Self { patterns, rows, bags })
    }

    /// The decision value of an interaction: with a scope, that of its strongest stretch.
    pub(crate) fn decide(&self, model: &Fitted, at: usize) -> f64 {
        match self.bags.get(at).filter(|bag| !bag.is_empty()) {
            Some(bag) => bag.iter().map(|row| model.decide(row)).fold(f64::NEG_INFINITY, f64::max),
            None => model.decide(&self.rows[at]),
        }
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

/// The features of an interaction, and with a scope those of each stretch that is asked.
fn row(
    sensor: &Sensor,
    label: &str,
    patterns: &[String],
    repeat: Repeat,
    interaction: &Interaction,
) -> Result<(Row, Vec<Row>), Error> {
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let reading = sensor
        .sense_with(interaction, options.without_key(std::slice::from_ref(sensor)))
        .map_err(|error| Error::engine(Place::of(&sensor.protocol().id), &error))?;
    let ledger = reading.ledger();
    // What other markers flip to this one comes behind its own matches, with strengths that are no numbers of lines.
    let column_of = |found: &MatchEntry<'_>| {
        let column = u32::try_from(found.strength.0 - 1).unwrap_or(u32::MAX);
        patterns.get(column as usize).is_some_and(|pattern| pattern == found.line).then_some(column)
    };
    let own = || ledger.markers.iter().filter(|marker| marker.label == label);
    // By line: the column, and the turn.
    let matches = own().flat_map(|marker| &marker.matches).filter(|found| found.failed.is_empty());
    let found: Vec<(u32, usize)> = matches.filter_map(|m| Some((column_of(m)?, m.turn))).collect();
    let within = |is_in: &dyn Fn(usize) -> bool| -> Row {
        let own: Vec<u32> =
            found.iter().filter(|(_, turn)| is_in(*turn)).map(|(column, _)| *column).collect();
        own.chunk_by(|a, b| a == b).map(|same| (same[0], value(repeat, same.len() as u32))).collect()
    };
    let scope = own().find_map(|marker| marker.scope.as_ref());
    let Some(scope) = scope else { return Ok((within(&|_| true), Vec::new())) };
    let length = scope.turns.len().min(scope.scope.turns as usize).max(1);
    let mut stretches: Vec<&[usize]> = scope.turns.windows(length).collect();
    if scope.scope.is_last {
        stretches.drain(..stretches.len().saturating_sub(1));
    }
    let bag: Vec<Row> = stretches.iter().map(|turns| within(&|turn| turns.contains(&turn))).collect();
    // A list learns from all that is asked.
    Ok((within(&|turn| stretches.iter().any(|turns| turns.contains(&turn))), bag))
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
    use sonometer::Turn;

    fn matrix(extra: &str, texts: &[&str]) -> Matrix {
        let text = |text: &&str| Interaction::text(text).expect("is short");
        count(extra, &texts.iter().map(text).collect::<Vec<_>>())
    }

    fn count(extra: &str, all: &[Interaction]) -> Matrix {
        let source = format!(
            "sonometer: 1\nid: x\nversion: 1\ntaxonomy: Signal\nlanguage: en\nmarkers:\n  - label: x\n    \
             negation: drop\n{extra}    weigh: |\n      good = -0.5\n      good day = 1\n      bad = 2\n"
        );
        let (protocol, _) = Protocol::read(&source).expect("reads");
        let mut watch = crate::unwatched;
        let steps = &mut Steps::new(&mut watch, "counting", all.len());
        Matrix::count(&protocol, 0, &all.iter().collect::<Vec<_>>(), steps).expect("counts")
    }

    #[test]
    fn with_a_scope_the_strongest_stretch_decides() {
        use super::super::solver::Linear;
        let turn = |content: &str| Turn { role: Some("a".into()), content: content.into(), timestamp: None };
        let turns = ["Good day", "bad", "…", "good"].map(turn).to_vec();
        let talk = [Interaction::transcript(turns).expect("is a talk")];
        let of = |scope: &str| count(&format!("    scope: {scope}\n"), &talk);
        let (good, day, bad) = ((0, 1.0), (1, 1.0), (2, 1.0));
        let each = of("turn");
        assert_eq!(each.rows, [vec![(0, 1.5), day, bad]], "a list learns from all turns");
        assert_eq!(each.bags, [vec![vec![good, day], vec![bad], vec![good]]]);
        assert_eq!(of("2 turns").bags, [vec![vec![good, day, bad], vec![good, bad]]]);
        let last = of("last turn");
        assert_eq!((last.rows, last.bags), (vec![vec![good]], vec![vec![vec![good]]]));
        let linear = Linear { weights: vec![2.0, -0.5, 1.0], bias: -1.0 };
        let model = Fitted { columns: vec![0, 1, 2], linear };
        assert_eq!((each.decide(&model, 0), count("", &talk).decide(&model, 0)), (1.0, 2.5));
    }

    #[test]
    fn counts_what_counts() {
        let matrix = matrix("", &["Good day, good day. Bad", "not good", "nothing"]);
        assert_eq!(matrix.patterns, ["good", "good day", "bad"]);
        assert_eq!(matrix.rows, [vec![(0, 1.5), (1, 1.5), (2, 1.0)], vec![], vec![]]);
        assert_eq!(matrix.support(&[0, 1, 2], &[true, false, false])[0], [0, 1]);
    }

    #[test]
    fn a_condition_leaves_quoted_words_out() {
        let matrix = matrix(
            "    except: |\n      /[\"“„][^\"“”]{2,300}[\"“”]/\n",
            &["He said “good, bad” and was bad", "so \"bad\""],
        );
        assert_eq!(matrix.rows, [vec![(2, 1.0)], vec![]]);
    }

    #[test]
    fn counts_are_capped_as_the_marker_says() {
        let value = |repeat| matrix(repeat, &["bad, bad, bad"]).rows[0][0];
        assert_eq!(value("    repeat: once\n"), (2, 1.0));
        assert_eq!(value("    repeat: all\n"), (2, 3.0));
        assert_eq!(value(""), (2, 1.75));
    }
}
