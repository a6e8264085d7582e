//! What sets a marker in relation to the rest of the interaction: after, before, pair, echo, join, absent, ratio, flip.

use super::pattern::{pattern, short_pattern};
use super::protocol::{roles, share_of_one, some_roles};
use crate::build;
use proptest::prelude::*;
use proptest::sample::select;
use sonometer::Unit;
use sonometer::protocol::{
    Absence, Companion, Deadline, Echo, Line, LineList, Marker, NegationMode, Pair, Ratio, RatioTo, Reach,
    Repeat, When,
};

/// The keys of one marker, before it is known which other markers there are.
#[derive(Clone, Debug)]
pub(super) struct Relations {
    after: Option<Companion>,
    before: Option<Companion>,
    pair: Option<Pair>,
    echo: Option<Echo>,
    join: Option<u32>,
    absence: Option<Absence>,
    ratio: Option<Ratio>,
    /// Whether a marker that heeds negation flips what it drops.
    flips: bool,
    /// Bits: which relations name markers, and which of these have no patterns beside them.
    names: u16,
    /// Which of the markers that can be named is named, and which next to it.
    other: usize,
}

/// Keys for one marker; each is rare, so that most stand alone.
pub(super) fn relations() -> impl Strategy<Value = Relations> {
    let near = (
        prop::option::weighted(0.12, companion(LineList::After)),
        prop::option::weighted(0.12, companion(LineList::Before)),
        prop::option::weighted(0.2, pair()),
        prop::option::weighted(0.2, echo()),
        prop::option::weighted(0.35, 2..=4_u32),
    );
    let whole = (prop::option::weighted(0.15, absence()), prop::option::weighted(0.12, ratio()));
    (near, whole, any::<(bool, u16)>(), any::<prop::sample::Index>()).prop_map(
        |((after, before, pair, echo, join), (absence, ratio), (flips, names), other)| Relations {
            after,
            before,
            pair,
            echo,
            join,
            absence,
            ratio,
            flips,
            names,
            other: other.index(1_000),
        },
    )
}

/// Gives the markers their relations, as far as a file can say them.
pub(super) fn relate(markers: &mut [Marker], relations: Vec<Relations>) {
    for (marker, relations) in markers.iter_mut().zip(&relations) {
        match relations {
            Relations { absence: Some(absence), .. } => make_absent(marker, absence),
            Relations { ratio: Some(ratio), .. } => make_ratio(marker, ratio),
            _ => make_related(marker, relations),
        }
    }
    // Only markers with evidence lines of their own can be named.
    let labels: Vec<String> = markers.iter().filter(|m| has_evidence(m)).map(|m| m.label.clone()).collect();
    name_markers(markers, &relations, &labels);
    for (marker, relations) in markers.iter_mut().zip(&relations) {
        let others: Vec<&String> = labels.iter().filter(|label| **label != marker.label).collect();
        let other = |k: usize| others[(relations.other + k) % others.len()].clone();
        match &mut marker.ratio {
            Some(_) if others.is_empty() => {
                *marker = build::marker(&marker.label, vec![build::strong(build::word("a"))]);
            }
            Some(ratio) => {
                ratio.of = other(0);
                if let RatioTo::Marker(label) = &mut ratio.to {
                    *label = other(1);
                }
            }
            None => {
                // What waits for earlier markers flips to later ones only: to an earlier one it could close a circle.
                let waits = [&marker.after, &marker.before].into_iter().flatten();
                let names = waits.into_iter().any(|companion| !companion.markers.is_empty());
                let later: Vec<&String> = others
                    .iter()
                    .filter(|label| !names || number(label) > number(&marker.label))
                    .copied()
                    .collect();
                if relations.flips && marker.heeds_negation() && !later.is_empty() {
                    marker.negation = NegationMode::Flip(later[relations.other % later.len()].clone());
                }
            }
        }
    }
}

/// Lets companions, echoes and clocks name markers, some beside their patterns and some in their place. In `after` and `before` only
/// earlier markers of the file are named, so that none waits for itself.
fn name_markers(markers: &mut [Marker], relations: &[Relations], labels: &[String]) {
    for at in 0..markers.len() {
        let earlier: Vec<String> =
            markers[..at].iter().filter(|m| has_evidence(m)).map(|m| m.label.clone()).collect();
        let (marker, relations) = (&mut markers[at], &relations[at]);
        let others: Vec<String> = labels.iter().filter(|label| **label != marker.label).cloned().collect();
        let pick = |from: &[String]| from.get(relations.other % from.len().max(1)).cloned();
        let name = |companion: &mut Companion, from: &[String], bit: usize| {
            if (relations.names >> bit) & 1 == 1
                && let Some(label) = pick(from)
            {
                companion.markers = vec![label];
                if (relations.names >> bit) & 2 == 2 {
                    companion.lines.clear();
                }
            }
        };
        let waits = [&mut marker.after, &mut marker.before].into_iter().flatten();
        waits.zip([0, 2]).for_each(|(companion, bit)| name(companion, &earlier, bit));
        if let Some(pair) = &mut marker.pair {
            name(&mut pair.then, &others, 4);
        }
        if let Some(echo) = &mut marker.echo
            && relations.names & 64 > 0
        {
            echo.markers = pick(&others).into_iter().collect();
        }
        if let Some(when) = marker.absence.as_mut().and_then(|absence| absence.when.as_mut()) {
            let mut said = Companion {
                lines: when.lines.clone(),
                markers: Vec::new(),
                by: Vec::new(),
                within: Reach::Turns(0),
            };
            name(&mut said, &others, 7);
            (when.lines, when.markers) = (said.lines, said.markers);
        }
    }
}

/// Every pattern line of a marker.
pub(super) fn lines_mut(marker: &mut Marker) -> impl Iterator<Item = &mut Line> {
    let companions = [&mut marker.after, &mut marker.before].into_iter().flatten();
    let then = marker.pair.iter_mut().map(|pair| &mut pair.then);
    let when = marker.absence.iter_mut().filter_map(|absence| absence.when.as_mut());
    let to = marker.ratio.iter_mut().filter_map(|ratio| match &mut ratio.to {
        RatioTo::Lines(lines) => Some(lines),
        RatioTo::Marker(_) => None,
    });
    (marker.lines.iter_mut())
        .chain(&mut marker.except)
        .chain(companions.chain(then).flat_map(|companion| &mut companion.lines))
        .chain(when.flat_map(|when| &mut when.lines))
        .chain(to.flatten())
}

/// The place of a marker in the file, by its label.
fn number(label: &str) -> u32 {
    label.trim_start_matches('m').parse().unwrap_or(0)
}

fn has_evidence(marker: &Marker) -> bool {
    marker.absence.is_none() && marker.ratio.is_none()
}

/// `pair` and `echo` change strengths, so there are no weights beside them.
fn make_related(marker: &mut Marker, relations: &Relations) {
    marker.after = relations.after.clone();
    marker.before = relations.before.clone();
    marker.pair = relations.pair.clone();
    marker.echo = relations.echo.clone();
    marker.join = relations.join;
    if marker.pair.is_some() || marker.echo.is_some() {
        for line in marker.lines.iter_mut().filter(|line| line.list == LineList::Weigh) {
            *line = build::clear(line.pattern().into_owned());
        }
    }
}

/// What is absent has no strength, and its marker nothing that weighs evidence.
fn make_absent(marker: &mut Marker, absence: &Absence) {
    for line in &mut marker.lines {
        *line = build::line(LineList::Absent, 0, line.pattern().into_owned());
    }
    marker.absence = Some(absence.clone());
    (marker.repeat, marker.half, marker.bias) = (Repeat::Halve, Unit::ONE, Unit::ZERO);
    (marker.per, marker.share) = (None, None);
}

/// A ratio has nothing that says which matches count either.
fn make_ratio(marker: &mut Marker, ratio: &Ratio) {
    let plain = build::marker(&marker.label, Vec::new());
    *marker = Marker {
        ratio: Some(ratio.clone()),
        importance: marker.importance,
        pole: marker.pole,
        trigger: marker.trigger,
        hints: marker.hints.clone(),
        ..plain
    };
}

/// One to three lines, mostly short ones that are found often.
fn lines(list: LineList) -> impl Strategy<Value = Vec<Line>> {
    let line = prop_oneof![4 => short_pattern().boxed(), 1 => pattern().boxed()];
    prop::collection::vec(line.prop_map(move |pattern| build::line(list, 0, pattern)), 1..=3)
}

fn reach() -> impl Strategy<Value = Reach> {
    prop_oneof![
        3 => (0..4_u32).prop_map(Reach::Turns),
        2 => (0..4_u32).prop_map(Reach::Sentences),
        2 => (0..20_u32).prop_map(Reach::Words),
        2 => seconds().prop_map(Reach::Seconds),
    ]
}

/// Whole seconds and fractions, above 0.
fn seconds() -> impl Strategy<Value = Unit> {
    prop_oneof![3 => (1..25_i64).prop_map(|s| s * 1_000_000), 1 => 1..40_000_000_i64].prop_map(Unit)
}

fn companion(list: LineList) -> impl Strategy<Value = Companion> {
    (lines(list), roles(), reach()).prop_map(|(lines, by, within)| Companion {
        lines,
        markers: Vec::new(),
        by,
        within,
    })
}

fn pair() -> impl Strategy<Value = Pair> {
    let otherwise = select(vec![0, 333_333, 500_000, 999_999, 1_000_000]).prop_map(Unit);
    (companion(LineList::Then), otherwise).prop_map(|(then, otherwise)| Pair { then, otherwise })
}

fn echo() -> impl Strategy<Value = Echo> {
    let otherwise = select(vec![0, 333_333, 1_000_000]).prop_map(Unit);
    (some_roles(), 1..5_u32, 1..4_u32, share_of_one(), otherwise).prop_map(
        |(of, within, words, boost, otherwise)| Echo {
            markers: Vec::new(),
            of,
            within,
            words,
            boost,
            otherwise,
        },
    )
}

fn absence() -> impl Strategy<Value = Absence> {
    let when =
        (lines(LineList::When), roles()).prop_map(|(lines, by)| When { lines, markers: Vec::new(), by });
    let until = prop_oneof![
        1 => Just(Deadline::End),
        3 => (1..8_u32).prop_map(Deadline::Turns),
        3 => seconds().prop_map(Deadline::Seconds),
    ];
    (prop::option::weighted(0.7, when), until).prop_map(|(when, until)| Absence { when, until })
}

fn ratio() -> impl Strategy<Value = Ratio> {
    let to = prop_oneof![
        2 => lines(LineList::To).prop_map(RatioTo::Lines),
        1 => Just(RatioTo::Marker(String::new())),
    ];
    let range = (select(vec![0, 250_000, 500_000, 1_000_000]), 1..3_000_000_i64);
    (to, roles(), range, 1..5_u32).prop_map(|(to, by, (floor, above), at_least)| Ratio {
        of: String::new(),
        to,
        by,
        floor: Unit(floor),
        full: Unit(floor + above),
        at_least,
    })
}
