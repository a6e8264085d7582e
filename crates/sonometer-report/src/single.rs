//! The report of one talk: everything that a reading can say about it.

use crate::json::{self, number};
use crate::measured::{Head, Number, facts};
use crate::names::{Hidden, Names, Roles};
use crate::paint::{Tone, one_line};
use crate::plot::{Plot, Track, permille};
use crate::reading::{Shown, UNHEARD, of_reading};
use crate::sheet::{Card, Cell, Gauge, Line, Part, Plots, Row, Sheet, Table, columns};
use crate::talk::Most;
use serde::Serialize;
use serde_json::value::RawValue;
use sonometer::protocol::Sgm;
use sonometer::{FlowOptions, OffsetUnit, Profile, Reading, Temporal, TemporalOptions, Trend, Unit, View};

/// What a page shows of a talk at most.
const MOST: Most = Most { turns: 5_000, characters: 200_000 };
/// Bytes of canonical JSON beyond which a page does without it.
const LONGEST: usize = 2 << 20;
/// Windows of the course that are named below it.
const NAMED: usize = 3;

/// What fidelity means, for who reads a report and nothing else.
pub(crate) const FIDELITY: &str = "how far there was enough readable content to measure: 1 = enough; it says nothing of how right the score is";

/// The report of a reading, sufficient or not. `name` says what was read, and is shown where it holds nothing that is masked; `place`
/// says where evidence stands in a file; `cards` are those of its protocols.
pub fn of_talk<'r>(
    reading: &'r Reading,
    name: &str,
    place: Option<&crate::reading::Place<'_>>,
    cards: Vec<Card>,
) -> Sheet<'r> {
    let temporal = measures_course(reading).then(|| reading.temporal(TemporalOptions::default())).flatten();
    let view = View { profile: Profile::Discovery, ..View::default() };
    let mut sheet = of_reading(reading, &Shown { view, explain: true, place, ..Shown::default() });
    let roles = Roles::of(reading);
    let mut parts = Vec::new();
    let mut later = Vec::new();
    for part in sheet.parts {
        match part {
            Part::Gauges(mut own) => {
                if own.title.is_empty() && !parts.is_empty() {
                    own.title =
                        if reading.instrument().sensor().is_some() { "Markers" } else { "Parts" }.into();
                    own.rows.iter_mut().for_each(say_effect);
                } else if own.title == "nearly triggered" {
                    own.title = "Nearly triggered".into();
                } else if let Some(fidelity) = own.rows.iter_mut().find(|row| row.name == "fidelity") {
                    fidelity.below = FIDELITY.to_owned();
                }
                parts.push(Part::Gauges(own));
            }
            Part::Talk(mut talk) => {
                talk.most = Some(MOST);
                (talk.named, talk.page_only) = (true, false);
                parts.push(Part::Talk(talk));
            }
            Part::Table(own) if !own.title.is_empty() => {
                parts.push(Part::Table(Table { title: capital(&own.title), ..own }))
            }
            Part::Lines { title, lines } if title == UNHEARD => {
                parts.push(Part::Lines { title: capital(&title), lines });
            }
            Part::Lines { title, lines } if title.is_empty() => {
                parts.push(Part::Lines { title: "Shape".into(), lines: lines.into_iter().take(1).collect() });
            }
            // The computation is the last thing to read.
            ledger @ (Part::Ledger(_) | Part::Lines { .. }) => later.push(ledger),
            other => parts.push(other),
        }
    }
    parts.extend(temporal.as_ref().and_then(course));
    parts.extend(drives(reading, &roles));
    if !later.is_empty() {
        let title = match reading.score() {
            Some(score) => format!("Why {score}?"),
            None => "Why there is no score".to_owned(),
        };
        parts.push(Part::Lines {
            title,
            lines: vec![Line::of(Tone::Dim, "Every number can be checked by hand.")],
        });
        parts.extend(later);
    }
    parts.extend(cards.into_iter().map(Part::Card));
    let hidden = Hidden::of(reading);
    let is_shown = Names::of(reading.instrument()).allows_beside(name, &hidden);
    sheet.on = if is_shown { one_line(name) } else { String::new() };
    sheet.kind = "report";
    sheet.facts = facts(reading.instrument());
    if !is_shown {
        sheet.notes.push("The name of the input is not shown: it holds what the protocol masks.".to_owned());
    }
    if roles.hides() {
        sheet.notes.push("Names of roles are not shown: they hold what the protocol masks.".to_owned());
    }
    let fidelity = reading.fidelity();
    if !fidelity.sufficient {
        let (why, detail) = crate::corpus::insufficient(&fidelity);
        sheet
            .notes
            .push(format!("The content lacks sufficient signal, so there is no score: {why}; {detail}."));
    }
    sheet.data = data(reading, &sheet.on, &roles);
    sheet.parts = parts;
    sheet
}

/// Says of a marker what it does to the score; in the talk, a dashed line tells that it worsens it.
fn say_effect(row: &mut Gauge) {
    if let Tone::Marker(effect, _) = row.tone
        && row.rest.is_empty()
    {
        row.rest = Line::of(Tone::Dim, format!("{} the score", effect.as_str()));
    }
}

fn capital(title: &str) -> String {
    let mut characters = title.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Whether flow and course are measured: a protocol on SGM 1.5 or later.
fn measures_course(reading: &Reading) -> bool {
    reading.instrument().sensor().is_some_and(|sensor| sensor.protocol().sgm >= Sgm::V1_5)
        && reading.fidelity().sufficient
}

/// The level of each window.
fn course<'r>(temporal: &Temporal) -> Option<Part<'r>> {
    let levels = &temporal.levels;
    if levels.len() < 2 {
        return None;
    }
    let along = |nth: usize| permille(nth as u64, levels.len() as u64 - 1);
    let value = |level: Unit| u64::try_from((level.clamp_to_one().0 + 500) / 1_000).unwrap_or(0);
    let points = levels.iter().enumerate().map(|(nth, own)| (along(nth), value(own.level))).collect();
    let mut named: Vec<usize> = (0..NAMED).map(|at| at * (levels.len() - 1) / (NAMED - 1)).collect();
    named.dedup();
    let ticks = named.iter().map(|nth| (along(*nth), format!("turn {}", levels[*nth].first + 1))).collect();
    let shifts = match temporal.phase_shifts {
        0 => "no lasting change of the level (phase shift)".to_owned(),
        1 => "1 lasting change of the level (phase shift)".to_owned(),
        count => format!("{count} lasting changes of the level (phase shifts)"),
    };
    let trend = match temporal.trend {
        Trend::Insufficient => "Too few windows to tell a trend".to_owned(),
        trend => capital(trend.as_str()),
    };
    let rows = levels.iter().map(|own| {
        let bar = Cell::Bar(Some(crate::sheet::Bar { value: own.level, interval: None }));
        Row::of(vec![
            format!("turn {}", own.first + 1).into(),
            own.turns.to_string().into(),
            own.level.to_string().into(),
            bar,
        ])
    });
    Some(Part::Plots(Plots {
        title: "Course".into(),
        about: format!(
            "{trend}, {shifts}; each point is a window of {}, and its level is worked out much like the score.",
            temporal.window
        ),
        plots: vec![Plot::Track(Track {
            title: "Level along the talk".into(),
            across: "turns".into(),
            up: "level".into(),
            points,
            ticks,
        })],
        table: Some(Table {
            title: "All windows".into(),
            columns: columns(&["<from", "turns", "level", "="]),
            rows: rows.collect(),
            folded: true,
            ..Table::default()
        }),
        ..Plots::default()
    }))
}

/// Which side drives what.
fn drives<'r>(reading: &Reading, roles: &Roles) -> Option<Part<'r>> {
    if !measures_course(reading) {
        return None;
    }
    let flow = reading.actant_flow(FlowOptions::default())?;
    let named =
        |at: usize| flow.sides[at].role.as_deref().map_or("others", |role| roles.shown(role)).to_owned();
    let sides = [named(0), named(1)];
    let row = |own: &sonometer::measure::actant::MarkerFlow<'_>| {
        let by = match (flow.primary_driven.contains(&own.label), flow.secondary_driven.contains(&own.label))
        {
            (true, _) => sides[0].clone(),
            (_, true) => sides[1].clone(),
            _ => "both".to_owned(),
        };
        let [one, other] = own.evidence;
        let label = Line::of(Tone::Strong, own.label);
        Row::of(vec![label.into(), one.to_string().into(), other.to_string().into(), by.into()])
    };
    let rows: Vec<Row> = flow.markers.iter().map(row).collect();
    (!rows.is_empty()).then(|| {
        Part::Table(Table {
            title: "Who drives".into(),
            about: format!(
                "A side drives a marker if it gives at least twice as much evidence for it, word by word, as the other. Direction: {}; \
                 balance {} (1: both sides the same).",
                flow.direction.as_str(),
                flow.balance
            ),
            columns: columns(&[
                "<marker",
                &format!("evidence of {}", sides[0]),
                &format!("evidence of {}", sides[1]),
                "<driven by",
            ]),
            rows,
            ..Table::default()
        })
    })
}

#[derive(Serialize)]
struct Figures<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    score: Option<Number>,
    fidelity: Number,
    sufficient: bool,
    markers: Vec<Marker<'r>>,
    /// The canonical JSON with places in UTF-16, as scripts count; left out where a role may not be shown, and where it is
    /// longer than 2 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Marker<'r> {
    label: &'r str,
    #[serde(serialize_with = "number")]
    activation: Unit,
    triggered: bool,
}

/// The figures as JSON.
fn data(reading: &Reading, on: &str, roles: &Roles) -> String {
    let view = View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Utf16), ..View::default() };
    let whole = (!roles.hides()).then(|| reading.to_json(view)).filter(|json| json.len() <= LONGEST);
    let whole = whole.and_then(|json| RawValue::from_string(json).ok());
    let markers = reading.resonance().map(|(label, found)| Marker {
        label,
        activation: found.activation,
        triggered: found.triggered,
    });
    let fidelity = reading.fidelity();
    json::text(&Figures {
        head: Head::of("talk", reading.instrument(), on),
        score: reading.score().map(Number),
        fidelity: Number(fidelity.index),
        sufficient: fidelity.sufficient,
        markers: markers.collect(),
        reading: whole,
    })
}
