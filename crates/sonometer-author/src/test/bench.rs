//! Runs the tests of a protocol, and finds what no test needs.

use super::mutant::{self, Change, Mutant};
use super::trial::{Broken, Trial, bare, family};
use sonometer::protocol::{Line, LineList, Marker, NegationMode, Protocol};
use sonometer::{Error, Reading, Sensor};

/// A test that ran.
#[derive(Debug)]
pub struct Ran<'p> {
    /// The test.
    pub trial: Trial<'p>,
    /// What its text or talk was sensed as.
    pub reading: Reading,
    /// Why it failed; empty if it passed.
    pub broken: Vec<Broken>,
    /// Whether it fails on some mutant.
    pub needed: bool,
    /// Every match, counted or not.
    found: Vec<Found>,
}

/// A match of a line in a test.
#[derive(Debug)]
struct Found {
    label: String,
    line: String,
    list: LineList,
    failed: Vec<&'static str>,
}

impl<'p> Ran<'p> {
    fn of(trial: Trial<'p>, reading: Reading, broken: Vec<Broken>) -> Self {
        let mut found = Vec::new();
        for marker in reading.ledger().markers {
            found.extend(marker.matches.into_iter().map(|entry| Found {
                label: marker.label.to_owned(),
                line: entry.line.to_owned(),
                list: entry.list,
                failed: entry.failed,
            }));
        }
        Self { trial, reading, broken, needed: false, found }
    }

    /// The matches of a marker.
    fn of_marker(&self, label: &str) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(move |found| found.label == label)
    }

    /// Whether a match of a line counted.
    fn counted(&self, label: &str, line: &Line) -> bool {
        let same = |found: &Found| found.list == line.list && *found.line == *line.text;
        self.of_marker(label).any(|found| same(found) && found.failed.is_empty())
    }

    /// Whether a match of a marker failed a condition.
    fn failed(&self, label: &str, condition: &str) -> bool {
        self.of_marker(label).any(|found| found.failed.contains(&condition))
    }
}

/// What the tests of a protocol came to.
#[derive(Debug)]
pub struct Outcome<'p> {
    /// Every test, in the order of the file.
    pub ran: Vec<Ran<'p>>,
    /// How many mutants there were.
    pub mutants: usize,
    /// The mutants that every test passes.
    pub unnoticed: Vec<Mutant<'p>>,
}

/// A protocol on the bench.
#[derive(Debug)]
pub struct Bench<'p> {
    protocol: &'p Protocol,
    /// It without its markers.
    bare: Protocol,
}

impl<'p> Outcome<'p> {
    /// How many tests failed.
    pub fn failed(&self) -> usize {
        self.ran.iter().filter(|ran| !ran.broken.is_empty()).count()
    }

    /// The tests that pass whatever is taken away.
    pub fn idle(&self) -> impl Iterator<Item = &Ran<'p>> {
        self.ran.iter().filter(|ran| ran.broken.is_empty() && !ran.needed)
    }

    /// How many of a hundred mutants a test notices, cut to a whole number; 100 if there are none.
    pub fn percent(&self) -> usize {
        ((self.mutants - self.unnoticed.len()) * 100).checked_div(self.mutants).unwrap_or(100)
    }
}

impl<'p> Bench<'p> {
    /// A sound protocol.
    pub fn of(protocol: &'p Protocol) -> Self {
        Self { protocol, bare: bare(protocol) }
    }

    /// Runs every test, then every mutant: lines only, or with `all` conditions and entries of lists too.
    ///
    /// # Errors
    /// Those of compiling and of sensing.
    pub fn run(&self, all: bool) -> Result<Outcome<'p>, Error> {
        let mut outcome = Outcome { ran: self.run_tests()?, mutants: 0, unnoticed: Vec::new() };
        for marker in &self.protocol.markers {
            let conditions = mutant::of_conditions(marker).filter(|_| all);
            for mutant in mutant::of_lines(marker).chain(conditions) {
                self.try_mutant(mutant, all, &mut outcome)?;
            }
        }
        if all {
            for mutant in mutant::of_entries(self.protocol) {
                self.try_mutant(mutant, all, &mut outcome)?;
            }
        }
        Ok(outcome)
    }

    /// Runs every test.
    ///
    /// # Errors
    /// Those of compiling and of sensing.
    pub fn run_tests(&self) -> Result<Vec<Ran<'p>>, Error> {
        let mut ran = Vec::new();
        for marker in &self.protocol.markers {
            // Alone, so that no other marker can help or hinder it.
            let sensor = self.sensor(family(self.protocol, marker, false).into_iter().cloned().collect())?;
            for (lines, wanted) in [(&marker.hit, true), (&marker.miss, false)] {
                for line in lines {
                    let trial = Trial::Line { marker, line, wanted };
                    let reading = trial.sense(&sensor)?;
                    let broken = trial.broken(&reading);
                    ran.push(Ran::of(trial, reading, broken));
                }
            }
        }
        if !self.protocol.tests.is_empty() {
            let whole = self.sensor(self.protocol.markers.clone())?;
            for dialogue in &self.protocol.tests {
                let trial = Trial::Dialogue(dialogue);
                let reading = trial.sense(&whole)?;
                let broken = trial.broken_in_whole(&reading);
                ran.push(Ran::of(trial, reading, broken));
            }
        }
        Ok(ran)
    }

    fn sensor(&self, markers: Vec<Marker>) -> Result<Sensor, Error> {
        Sensor::new(Protocol { markers, ..self.bare.clone() })
    }

    /// Counts a mutant, and looks for a test that fails on it; with `all`, for every such test.
    fn try_mutant(&self, mutant: Mutant<'p>, all: bool, outcome: &mut Outcome<'p>) -> Result<(), Error> {
        let label = mutant.marker.label.as_str();
        // What a failing test finds is not called unneeded: that test comes first.
        let in_failing = evidence_line(&mutant).is_some_and(|line| {
            outcome.ran.iter().any(|ran| !ran.broken.is_empty() && ran.counted(label, line))
        });
        if in_failing && !all {
            return Ok(());
        }
        let users: Vec<&Marker> = match &mutant.change {
            Change::Entry { list, .. } => mutant::users(self.protocol, list).collect(),
            _ => vec![mutant.marker],
        };
        let mut noticed = false;
        for user in users {
            noticed |= self.try_on(&mutant, user, all, &mut outcome.ran)?;
            if noticed && !all {
                break;
            }
        }
        if noticed || !in_failing {
            outcome.mutants += 1;
        }
        if !noticed && !in_failing {
            outcome.unnoticed.push(mutant);
        }
        Ok(())
    }

    /// Whether a test of a marker, or a dialogue that concerns it, fails on a mutant.
    fn try_on(
        &self,
        mutant: &Mutant<'p>,
        user: &'p Marker,
        all: bool,
        ran: &mut [Ran<'p>],
    ) -> Result<bool, Error> {
        let mut noticed = false;
        let alone = family(self.protocol, user, false);
        let around = family(self.protocol, user, true);
        let labels: Vec<&str> = around.iter().map(|marker| marker.label.as_str()).collect();
        for (markers, of_dialogues) in [(&alone, false), (&around, true)] {
            let is_meant = |ran: &&mut Ran<'p>| {
                let is_dialogue = matches!(ran.trial, Trial::Dialogue(_));
                let concerns = if is_dialogue {
                    ran.trial.concerns(&labels)
                } else {
                    ran.trial.concerns(&[&user.label])
                };
                ran.broken.is_empty()
                    && is_dialogue == of_dialogues
                    && concerns
                    && (all && !ran.needed || !noticed)
                    && can_matter(mutant, user, ran)
            };
            let mut meant: Vec<&mut Ran<'p>> = ran.iter_mut().filter(is_meant).collect();
            if meant.is_empty() {
                continue;
            }
            let Some(sensor) = self.mutated(mutant, markers)? else { continue };
            for ran in &mut meant {
                if !ran.trial.broken(&ran.trial.sense(&sensor)?).is_empty() {
                    ran.needed = true;
                    noticed = true;
                    if !all {
                        return Ok(noticed);
                    }
                }
            }
        }
        // A score needs the whole protocol, which takes longer: only for what is still open.
        let is_open = |ran: &&mut Ran<'p>| {
            let passes = ran.broken.is_empty() && ran.trial.asks_for_score();
            passes && (all && !ran.needed || !noticed)
        };
        let mut open: Vec<&mut Ran<'p>> = ran.iter_mut().filter(is_open).collect();
        if open.is_empty() {
            return Ok(noticed);
        }
        let whole: Vec<&Marker> = self.protocol.markers.iter().collect();
        let Some(sensor) = self.mutated(mutant, &whole)? else { return Ok(noticed) };
        for ran in &mut open {
            if !ran.trial.broken_in_whole(&ran.trial.sense(&sensor)?).is_empty() {
                ran.needed = true;
                noticed = true;
            }
        }
        Ok(noticed)
    }

    /// These markers with the change; `None` if the change leaves nothing that can be read.
    fn mutated(&self, mutant: &Mutant<'_>, markers: &[&Marker]) -> Result<Option<Sensor>, Error> {
        let changed = mutant.changed();
        let of_mutant = |marker: &&Marker| match marker.label == changed.label {
            true => changed.clone(),
            false => (**marker).clone(),
        };
        let markers: Vec<Marker> = markers.iter().map(of_mutant).collect();
        if !matches!(mutant.change, Change::Entry { .. }) {
            return self.sensor(markers).map(Some);
        }
        // Patterns hold their lists written out: they are read anew.
        let lists = mutant.changed_lists(&self.bare.lists);
        let text = Protocol { markers, lists, ..self.bare.clone() }.to_canonical_json();
        match Protocol::read_with(&text, &|path| self.bare.list_file(path)) {
            Ok((protocol, _)) => Sensor::new(protocol).map(Some),
            Err(_) => Ok(None),
        }
    }
}

/// The line whose matches are evidence, if a mutant takes one away.
fn evidence_line<'m>(mutant: &'m Mutant<'_>) -> Option<&'m Line> {
    match mutant.change {
        Change::Line { key: "lines", at } => Some(&mutant.marker.lines[at]),
        _ => None,
    }
    .filter(|line| line.list != LineList::Absent)
}

/// Whether a change can make a test fail, as far as that is seen without running it.
fn can_matter(mutant: &Mutant<'_>, user: &Marker, ran: &Ran<'_>) -> bool {
    let label = user.label.as_str();
    let flips = matches!(user.negation, NegationMode::Flip(_));
    if user.absence.is_some() || user.ratio.is_some() || flips {
        return true;
    }
    match &mutant.change {
        Change::Line { key: "lines", at } => {
            // Less evidence cannot trigger a marker; and only where it counted can it be missed.
            let is_miss = matches!(ran.trial, Trial::Line { wanted: false, .. });
            !is_miss && ran.counted(label, &mutant.marker.lines[*at])
        }
        Change::Line { key: "except", .. } => ran.failed(label, "except"),
        Change::Condition("by") if user.share.is_none() => ran.failed(label, "role"),
        Change::Entry { list, .. } => may_hold(&mutant.text, ran) && is_seen(list, user, ran),
        _ => true,
    }
}

/// Whether a line with a list was found in a test, or may have worked unseen: an exception, or a companion.
fn is_seen(list: &str, user: &Marker, ran: &Ran<'_>) -> bool {
    let name = format!("@{list}");
    let names = |line: &Line| mutant::names(&line.text, &name);
    let in_except = user.except.iter().any(names) && ran.failed(&user.label, "except");
    let plain = user.lines.len() + user.except.len();
    let in_companion = user.all_lines().count() > plain && user.all_lines().any(names);
    in_except || in_companion || ran.of_marker(&user.label).any(|found| mutant::names(&found.line, &name))
}

/// Whether the words of an entry stand in a test at all. What is more than words may.
fn may_hold(entry: &str, ran: &Ran<'_>) -> bool {
    let is_simple = entry.bytes().all(|b| b.is_ascii_alphabetic() || b" \"'*$^~".contains(&b));
    let words = entry.split(' ').map(|word| word.trim_matches(['"', '*', '$', '^']));
    // An inflection can look quite different.
    let words = words.filter(|word| !word.ends_with('~') && !word.contains('\''));
    let unfolds = !ran.reading.protocol().unfold.is_empty();
    let Some(word) = words.max_by_key(|word| word.len()).filter(|_| is_simple && !unfolds) else {
        return true;
    };
    let word = word.to_ascii_lowercase();
    // Folding makes other letters ASCII: what is not ASCII may be anything.
    let holds = |text: &str| !text.is_ascii() || text.to_ascii_lowercase().contains(&word);
    ran.reading.interaction().turns().iter().any(|turn| holds(&turn.content))
}
