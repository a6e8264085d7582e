//! The report of a corpus.

use super::scores::Quantiles;
use super::{Corpus, Found, Picked};
use crate::names::Hidden;
use crate::paint::{Tone, one_line};
use crate::sheet::{
    Bar, Card, Case, Cases, Cell, Gauge, Gauges, Line, Part, Row, Sheet, Table, Text, columns,
};
use crate::single::FIDELITY;
use crate::subject::Subject;
use crate::talk::{Most, Talk};
use crate::words::{counted, grouped};
use sonometer::protocol::{Better, Effect};
use sonometer::{Fidelity, Unit};

/// Groups that are shown.
const GROUPS: usize = 40;
/// What is shown of a single talk.
const MOST: Most = Most { turns: 60, characters: 2_000 };
/// The order of the talks in the middle, and which they are.
const MIDDLE: &str = "one of each score, nearest to the median first; scores whose first talk is shown as worst or best are left out";
/// Characters of a name.
const NAME: usize = 120;

impl<'i> Corpus<'i> {
    /// The report; `picked` are the talks of [`Corpus::wanted`], and `cards` those of the protocols.
    pub fn sheet<'r>(&self, picked: &'r [Picked], cards: Vec<Card>) -> Sheet<'r>
    where
        'i: 'r,
    {
        let mut parts = Vec::new();
        if let Some(all) = self.scores.quantiles() {
            parts.push(Part::Gauges(self.outcome(all)));
            parts.push(Part::Plots(self.distribution(all)));
            parts.push(Part::Table(self.markers_table()));
            parts.extend(self.roles());
            parts.extend(self.by_time());
            parts.extend(self.within());
        }
        parts.extend(self.groups_table());
        parts.extend(self.unmeasured());
        let (worst, best) = match self.better() {
            Better::Higher => ("the lowest scores first", "the highest scores first"),
            Better::Lower => ("the highest scores first", "the lowest scores first"),
        };
        for (title, order, numbers) in [
            ("Worst talks", worst, self.picks.worst()),
            ("Talks in the middle", MIDDLE, self.median()),
            ("Best talks", best, self.picks.best()),
        ] {
            parts.extend(self.cases(title, order, &numbers, picked));
        }
        parts.extend(cards.into_iter().map(Part::Card));
        Sheet {
            kind: "report",
            subject: Subject::from(self.instrument),
            on: one_line(self.source()),
            facts: self.facts(),
            parts,
            notes: self.notes(),
            foot: format!("{} ICS", grouped(self.ics)).into(),
            data: self.figures(picked),
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (measured, insufficient) = (self.measured(), self.insufficient.count());
        let mut told = format!("{}: {} measured", grouped(self.items), grouped(measured));
        for (count, what) in [(insufficient, "insufficient"), (self.errors.count(), "not readable")] {
            if count > 0 {
                told.push_str(&format!(", {} {what}", grouped(count)));
            }
        }
        let mut facts = vec![("talks", told), ("turns", grouped(self.turns))];
        facts.extend(crate::measured::facts(self.instrument));
        facts
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.items == 0 {
            notes.push("There are no talks, so there is nothing to show.".to_owned());
        } else if self.errors.count() == self.items {
            notes.push("No talk could be read, so nothing was measured.".to_owned());
        } else if self.measured() == 0 {
            notes.push("No talk held enough to be measured.".to_owned());
        }
        let more = [
            (self.source_hidden, "the data"),
            (self.speakers.hides(), "roles"),
            (self.groups.hides(), "groups"),
        ];
        let more: Vec<&str> =
            more.into_iter().filter(|(is_hidden, _)| *is_hidden).map(|(_, what)| what).collect();
        if self.withheld > 0 {
            let talks = counted(usize::try_from(self.withheld).unwrap_or(usize::MAX), "talk");
            notes.push(format!("The names of {talks} are not shown: they hold what the protocol masks."));
        }
        if !more.is_empty() {
            notes.push(format!(
                "Names of {} are not shown: they hold what the protocol masks.",
                more.join(", ")
            ));
        }
        notes
    }

    fn outcome(&self, all: Quantiles) -> Gauges {
        let mean = self.scores.mean().unwrap_or_default();
        let rows = vec![
            Gauge { below: self.instrument.score_meaning(), ..Gauge::of("median score", all.median) },
            Gauge { tone: Tone::Plain, ..Gauge::of("mean score", mean) },
            Gauge {
                tone: Tone::Plain,
                below: FIDELITY.to_owned(),
                ..Gauge::of("mean fidelity", self.mean(self.fidelity))
            },
        ];
        Gauges { rows, ..Gauges::default() }
    }

    /// All markers, the most frequent first, each with its tone: that of the table and of every talk that is shown.
    fn ranked(&self) -> Vec<(&'i str, Tone, Effect, Found)> {
        let labels = self.instrument.markers().map(|(label, _)| label);
        let mut all: Vec<_> = labels.zip(&self.effects).zip(&self.markers).collect();
        all.sort_by_key(|(_, found)| std::cmp::Reverse(found.triggered));
        let (mut good, mut bad) = (0, 0);
        let toned = all.into_iter().map(|((label, effect), found)| {
            let nth = if *effect == Effect::Improves { &mut good } else { &mut bad };
            *nth += 1;
            (label, Tone::Marker(*effect, *nth - 1), *effect, *found)
        });
        toned.collect()
    }

    /// The markers that triggered, the most frequent first.
    fn markers_table(&self) -> Table {
        let measured = self.measured();
        let mut rows = Vec::new();
        let mut silent = Vec::new();
        for (label, tone, effect, found) in self.ranked() {
            if found.triggered == 0 && found.pieces == 0 {
                silent.push(label);
                continue;
            }
            rows.push(Row::of(vec![
                Line::of(tone, label).into(),
                effect.as_str().into(),
                grouped(found.triggered).into(),
                share(found.triggered, measured),
                grouped(found.pieces).into(),
                self.mean(found.activation).to_string().into(),
            ]));
        }
        let below = match silent.len() {
            0 => String::new(),
            count => format!("{} never found: {}", counted(count, "marker"), silent.join(", ")),
        };
        Table {
            title: "Markers".into(),
            about: "In how many talks each marker triggered, how many pieces of evidence (places in the text) there are, and the mean of \
                    its activation (how strongly it was found, 0 to 1)."
                .into(),
            columns: columns(&["<marker", "<the score", "talks", "=share of talks", "evidence", "mean activation"]),
            rows,
            below,
            ..Table::default()
        }
    }

    fn roles<'r>(&self) -> Option<Part<'r>> {
        let all = self.speakers.shown();
        let pieces: u64 = all.iter().map(|(_, own)| own.evidence.iter().sum::<u64>()).sum();
        let rows: Vec<Row> = all
            .into_iter()
            .map(|(role, own)| {
                let [improves, worsens] = own.evidence;
                Row::of(vec![
                    short(&role).into(),
                    grouped(own.talks).into(),
                    grouped(own.turns).into(),
                    grouped(improves).into(),
                    grouped(worsens).into(),
                    share(improves + worsens, pieces),
                ])
            })
            .collect();
        (!rows.is_empty()).then(|| {
            Part::Table(Table {
                title: "Roles".into(),
                about: "Who speaks, and whose turns hold the evidence that improves or worsens the score."
                    .into(),
                columns: columns(&[
                    "<role",
                    "talks",
                    "turns",
                    "improves",
                    "worsens",
                    "=share of the evidence",
                ]),
                rows,
                ..Table::default()
            })
        })
    }

    fn groups_table<'r>(&self) -> Option<Part<'r>> {
        let by = self.by()?;
        let all = self.groups.shown();
        let labels: Vec<&str> = self.instrument.markers().map(|(label, _)| label).collect();
        let beyond = all.len().saturating_sub(GROUPS);
        let row = |(value, own): (String, &super::groups::Group)| {
            let most = own.triggered.iter().enumerate().max_by(|(a, x), (b, y)| x.cmp(y).then(b.cmp(a)));
            let frequent = most.filter(|(_, count)| **count > 0);
            let frequent = frequent
                .map_or_else(String::new, |(at, count)| format!("{} ({})", labels[at], grouped(*count)));
            let quartiles = own.quartiles();
            let interval = quartiles.map(|[first, _, third]| (first, third));
            let bar = own.mean().map(|value| Bar { value, interval });
            let text = |value: Option<Unit>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
            Row::of(vec![
                short(&value).into(),
                grouped(own.talks).into(),
                grouped(own.measured()).into(),
                text(own.mean()).into(),
                Cell::Bar(bar),
                text(quartiles.map(|[_, median, _]| median)).into(),
                frequent.into(),
            ])
        };
        let rows = all.into_iter().take(GROUPS).map(row).collect();
        let below = if beyond == 0 {
            String::new()
        } else {
            format!("{} more, with fewer talks", counted(beyond, "group"))
        };
        Some(Part::Table(Table {
            title: format!("By {}", short(&by)),
            about: "Bars are means; the line on a bar goes from the first to the third quartile.".into(),
            columns: columns(&[
                "<group",
                "talks",
                "measured",
                "mean score",
                "=",
                "median",
                "<most frequent marker",
            ]),
            rows,
            below,
            ..Table::default()
        }))
    }

    /// The column of the groups, as it may be shown.
    pub(super) fn by(&self) -> Option<String> {
        let by = self.by.as_deref()?;
        let is_plain = self.names.clone().allows(by);
        Some(if is_plain { by.to_owned() } else { "a column".to_owned() })
    }

    /// What could not be measured, and why.
    fn unmeasured<'r>(&self) -> Option<Part<'r>> {
        let named = |error: &'static str| match error {
            "invalid_request" => "no interaction",
            "payload_too_large" => "too long",
            other => other,
        };
        let insufficient = self.insufficient.0.iter().map(|own| (own.name, own));
        let errors = self.errors.0.iter().map(|own| (named(own.name), own));
        let row = |(name, own): (&str, &super::reasons::Reason)| {
            Row::of(vec![
                name.into(),
                grouped(own.count).into(),
                share(own.count, self.items),
                own.example.as_str().into(),
            ])
        };
        let rows: Vec<Row> = insufficient.chain(errors).map(row).collect();
        (!rows.is_empty()).then(|| {
            Part::Table(Table {
                title: "Not measured".into(),
                about: "Talks without a reading are in none of the figures above.".into(),
                columns: columns(&["<why", "talks", "=share of talks", "<the first of them"]),
                rows,
                ..Table::default()
            })
        })
    }

    fn cases<'r>(&self, title: &str, order: &str, numbers: &[u64], picked: &'r [Picked]) -> Option<Part<'r>> {
        let found = numbers.iter().filter_map(|number| picked.iter().find(|own| own.number == *number));
        let cases: Vec<Case<'r>> = found.map(|own| self.case(own)).collect();
        (!cases.is_empty()).then(|| {
            let about = format!("{} of {}, {order}", cases.len(), grouped(self.measured()));
            Part::Cases(Cases { title: title.to_owned(), about, cases })
        })
    }

    fn case<'r>(&self, own: &'r Picked) -> Case<'r> {
        let score = own.reading.score().unwrap_or_default();
        let Fidelity { index, .. } = own.reading.fidelity();
        let turns = counted(own.reading.interaction().turns().len(), "turn");
        let mut talk = Talk { most: Some(MOST), named: true, ..Talk::of(&own.reading) };
        let ranked = self.ranked();
        for mark in &mut talk.marks {
            let tone = ranked.iter().find(|(label, ..)| *label == mark.label).map(|(_, tone, ..)| *tone);
            mark.tone = tone.unwrap_or(mark.tone);
        }
        Case {
            name: self.name_of(own),
            about: format!("score {score}, fidelity {index}, {turns}"),
            texts: vec![Text::from(talk)],
            ..Case::default()
        }
    }

    /// The name of a talk, or its number where the name may not be shown.
    pub(super) fn name_of(&self, own: &Picked) -> String {
        let number = own.number + 1;
        let hidden = Hidden::of(&own.reading);
        match own.name.trim() {
            "" => format!("talk {number}"),
            name if !self.names.clone().allows_beside(name, &hidden) => format!("talk {number}"),
            name => short(name),
        }
    }
}

/// A name on one line, its beginning where it is long.
fn short(name: &str) -> String {
    let name = one_line(name);
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

fn share(part: u64, whole: u64) -> Cell {
    let value = Unit::ratio(part.into(), i128::from(whole.max(1)));
    Cell::Bar(Some(Bar { value, interval: None }))
}
