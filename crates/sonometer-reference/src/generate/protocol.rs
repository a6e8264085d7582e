//! Protocols with every key a marker can have.

use super::pattern::{LIST_FILE, evidence_pattern, pattern};
use super::print::print;
use super::relation::{lines_mut, relate, relations};
use super::{ROLES, VOCABULARY};
use crate::build;
use proptest::prelude::*;
use proptest::sample::select;
use sonometer::Unit;
use sonometer::protocol::phrase::{Pattern, WordKind};
use sonometer::protocol::{
    Actants, End, Extent, FidelityNeeds, HintKind, Importance, Line, LineList, Marker, Mask, NegationMode,
    NegationRules, Place, Pole, Protocol, Repeat, Scope, ScoreKind, Sgm, Share, Strengths, Unfold, Windows,
};
use std::sync::Arc;

/// A protocol of 1 to 5 markers.
pub fn protocol() -> impl Strategy<Value = Protocol> {
    let language = select(vec!["en", "en", "en", "en", "de", "de", "es", "zh"]).prop_map(str::to_owned);
    let language = prop::option::weighted(0.8, language);
    let score = select(vec![ScoreKind::Mean, ScoreKind::Risk, ScoreKind::Any]);
    let markers = prop::collection::vec((marker(), relations()), 1..=5);
    let talk = (fidelity(), actants(), unfold(), (any::<bool>(), windows()));
    (markers, language, score, strengths(), negation(), talk).prop_map(
        |(markers, language, score, strengths, negation, (fidelity, actants, unfold, (later, windows)))| {
            let (markers, relations): (Vec<Marker>, Vec<_>) = markers.into_iter().unzip();
            let mut protocol = Protocol {
                language,
                score,
                strengths,
                negation,
                fidelity,
                actants,
                unfold,
                sgm: if later { Sgm::V1_5 } else { Sgm::V1_0 },
                // Nothing can be said of windows on SGM 1.0.
                temporal: if later { windows } else { Windows::default() },
                list_files: vec![LIST_FILE.clone()],
                ..build::protocol(markers)
            };
            let has_language = protocol.language.is_some();
            let has_cues = has_language || !protocol.negation.cues.is_empty();
            // There are no words for digits without a language.
            protocol.unfold.retain(|step| has_language || *step != Unfold::SpokenDigits);
            for (index, marker) in protocol.markers.iter_mut().enumerate() {
                marker.label = format!("m{index}");
                if !has_cues {
                    marker.negation = NegationMode::Keep;
                }
            }
            relate(&mut protocol.markers, relations);
            for marker in &mut protocol.markers {
                marker.strengths = strengths;
                for line in lines_mut(marker) {
                    settle(line, &strengths, protocol.language.as_deref() == Some("en"));
                }
                marker.lines.sort_by_key(|line| line.list);
                allow(marker);
            }
            protocol
        },
    )
}

/// Gives a line the strength of its list; only English protocols have inflections, for patterns are made before the
/// language is known.
fn settle(line: &mut Line, strengths: &Strengths, inflections: bool) {
    match line.list {
        LineList::Strong => line.strength = strengths.strong,
        LineList::Clear => line.strength = strengths.clear,
        LineList::Weak => line.strength = strengths.weak,
        _ => {}
    }
    let mut pattern = line.pattern().into_owned();
    if !inflections {
        without_inflections(&mut pattern);
    }
    let text = print(&pattern);
    *line = Line::new(pattern, text, line.list, line.strength, line.span);
}

/// Takes from a marker what no file can say: a bias or a scope without weights, a scope over matches of several turns, a trigger
/// out of reach.
fn allow(marker: &mut Marker) {
    if marker.lines.iter().all(|line| line.list != LineList::Weigh) {
        (marker.bias, marker.scope) = (Unit::ZERO, None);
    }
    if marker.join.is_some() {
        marker.scope = None;
    }
    let most: i64 = marker.lines.iter().map(|line| line.strength.0.max(0)).sum();
    if most + marker.bias.0 < 1_000_000 && marker.repeat == Repeat::Once {
        marker.repeat = Repeat::Halve;
    }
}

fn without_inflections(pattern: &mut Pattern) {
    match pattern {
        Pattern::Word(test) if test.kind == WordKind::Inflection => test.kind = WordKind::Prefix,
        Pattern::Sequence(parts) | Pattern::Either(parts) => {
            Arc::make_mut(parts).iter_mut().for_each(without_inflections)
        }
        Pattern::Optional(inner) | Pattern::Capture(inner) => without_inflections(inner),
        Pattern::Near { left, right, .. } => {
            without_inflections(left);
            without_inflections(right);
        }
        _ => {}
    }
}

/// The same with the phrases of its list file written out in its lines: for doors that take no more than one text.
pub fn written_out(mut protocol: Protocol) -> Protocol {
    protocol.list_files.clear();
    for line in protocol.markers.iter_mut().flat_map(lines_mut) {
        let mut pattern = line.pattern().into_owned();
        write_out(&mut pattern);
        let text = print(&pattern);
        *line = Line::new(pattern, text, line.list, line.strength, line.span);
    }
    protocol
}

fn write_out(pattern: &mut Pattern) {
    match pattern {
        Pattern::Phrases(phrases) => *pattern = Pattern::Either(phrases.iter().map(build::words).collect()),
        Pattern::Sequence(parts) | Pattern::Either(parts) => {
            Arc::make_mut(parts).iter_mut().for_each(write_out)
        }
        Pattern::Optional(inner) | Pattern::Capture(inner) => write_out(inner),
        Pattern::Near { left, right, .. } => {
            write_out(left);
            write_out(right);
        }
        _ => {}
    }
}

/// A number above 0, at most 1.
pub(super) fn share_of_one() -> impl Strategy<Value = Unit> {
    prop_oneof![
        2 => select(vec![100_000, 300_000, 500_000, 600_000, 1_000_000]).prop_map(Unit),
        1 => (1..=1_000_000_i64).prop_map(Unit),
    ]
}

fn strengths() -> impl Strategy<Value = Strengths> {
    let own = (share_of_one(), share_of_one(), share_of_one()).prop_map(|(strong, clear, weak)| Strengths {
        strong,
        clear,
        weak,
    });
    prop_oneof![3 => Just(Strengths::default()), 1 => own]
}

fn phrases(longest: usize, most: usize) -> impl Strategy<Value = Vec<Vec<String>>> {
    let word = select(&VOCABULARY[..]).prop_map(str::to_owned);
    prop::collection::vec(prop::collection::vec(word, 1..=longest), 0..=most)
}

fn negation() -> impl Strategy<Value = NegationRules> {
    let reach = prop_oneof![3 => Just(6_u8), 1 => 1..=40_u8];
    (reach, phrases(2, 2), phrases(3, 2), phrases(1, 1))
        .prop_map(|(reach, cues, not_cues, stops)| NegationRules { reach, cues, not_cues, stops })
}

fn fidelity() -> impl Strategy<Value = FidelityNeeds> {
    let roles = prop::collection::vec((select(&ROLES[..]).prop_map(str::to_owned), 1..20_u32), 0..=1);
    let sufficient = prop_oneof![4 => Just(0), 1 => Just(100_000), 1 => 0..=1_000_000_i64].prop_map(Unit);
    (1..40_u32, 1..4_u32, roles, sufficient).prop_map(|(words, turns, roles, sufficient)| FidelityNeeds {
        words,
        turns,
        roles,
        sufficient,
    })
}

fn actants() -> impl Strategy<Value = Actants> {
    any::<(bool, bool)>().prop_map(|(named, aliased)| Actants {
        primary: named.then(|| ROLES[0].to_owned()),
        secondary: named.then(|| ROLES[1].to_owned()),
        // A protocol that declares roles declares every role that its markers name.
        others: if named || aliased { ROLES.map(str::to_owned).to_vec() } else { Vec::new() },
        aliases: if aliased {
            vec![
                ("agent".to_owned(), vec!["rep".to_owned(), "adviser".to_owned()]),
                ("customer".to_owned(), vec!["Client".to_owned()]),
            ]
        } else {
            Vec::new()
        },
    })
}

fn line() -> impl Strategy<Value = Line> {
    let list = prop_oneof![
        3 => select(vec![LineList::Strong, LineList::Clear, LineList::Weak]),
        1 => Just(LineList::Weigh),
    ];
    (list, evidence_pattern(), -2_000_000..3_000_000_i64).prop_map(|(list, pattern, strength)| {
        // A weight of 0 cannot be written.
        build::line(list, if strength == 0 { 1 } else { strength }, pattern)
    })
}

fn exclusion() -> impl Strategy<Value = Line> {
    pattern().prop_map(build::except)
}

/// One role or two.
pub(super) fn some_roles() -> impl Strategy<Value = Vec<String>> {
    prop::sample::subsequence(ROLES.to_vec(), 1..=2)
        .prop_map(|roles| roles.into_iter().map(str::to_owned).collect())
}

/// Everybody, or one role or two.
pub(super) fn roles() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![3 => Just(Vec::new()), 1 => some_roles()]
}

/// Nothing, or some of what can be undone.
fn unfold() -> impl Strategy<Value = Vec<Unfold>> {
    let steps =
        [Unfold::Confusables, Unfold::Leet, Unfold::Repeats, Unfold::SpacedLetters, Unfold::SpokenDigits];
    prop_oneof![
        2 => Just(Vec::new()),
        1 => prop::sample::subsequence(steps.to_vec(), 1..=5),
        1 => Just(steps.to_vec()),
    ]
}

fn windows() -> impl Strategy<Value = Windows> {
    let seconds = prop_oneof![2 => 1_000_000..10_000_000_i64, 1 => 1..100_000_000_i64].prop_map(Unit);
    let turns = prop_oneof![2 => Just(1), 3 => 1..5_u32, 1 => 1..=100_000_u32];
    (seconds, turns).prop_map(|(seconds, turns)| Windows { seconds, turns })
}

fn place() -> impl Strategy<Value = Option<Place>> {
    let extent = prop_oneof![
        (1..6_u32).prop_map(Extent::Turns),
        (1..20_i64).prop_map(|seconds| Extent::Seconds(Unit(seconds * 1_000_000))),
    ];
    let place =
        (select(vec![End::First, End::Last]), extent).prop_map(|(from, extent)| Place { from, extent });
    prop::option::weighted(0.3, place)
}

/// Evidence as it is, per so many words, or as a share of turns.
fn measure() -> impl Strategy<Value = (Option<u32>, Option<Share>, Option<Scope>)> {
    let turns = prop_oneof![3 => Just(1), 2 => 2..5_u32, 1 => 1..=20_u32];
    let scope = (turns, any::<bool>()).prop_map(|(turns, is_last)| Scope { turns, is_last });
    prop_oneof![
        4 => Just((None, None, None)),
        1 => prop_oneof![1..60_u32, 1..=100_000_u32].prop_map(|n| (Some(n), None, None)),
        1 => (roles(), share_of_one()).prop_map(|(by, full)| (None, Some(Share { by, full }), None)),
        2 => scope.prop_map(|scope| (None, None, Some(scope))),
    ]
}

fn half() -> impl Strategy<Value = Unit> {
    prop_oneof![
        3 => Just(1_000_000),
        1 => Just(0),
        1 => 0..3_000_000_i64,
        1 => 0..=1_000_000_000_i64,
    ]
    .prop_map(Unit)
}

/// Without `keyed`: that needs a key in every call.
fn mask() -> impl Strategy<Value = Option<Mask>> {
    let mask = any_mask().prop_map(|mask| if mask == Mask::Keyed { Mask::Numbered } else { mask });
    prop::option::weighted(0.3, mask)
}

/// Any kind of mask.
pub fn any_mask() -> impl Strategy<Value = Mask> {
    prop_oneof![
        2 => Just(Mask::All),
        1 => (1..=8_u8).prop_map(Mask::First),
        1 => (1..=8_u8).prop_map(Mask::Last),
        1 => select(vec![Mask::Label, Mask::Numbered, Mask::Keyed, Mask::Remove]),
    ]
}

fn hints() -> impl Strategy<Value = Vec<(HintKind, String)>> {
    let kinds: Vec<HintKind> = HintKind::NAMES.iter().filter_map(|name| HintKind::from_name(name)).collect();
    let some = prop::sample::subsequence(kinds.clone(), 0..=kinds.len());
    prop_oneof![2 => Just(Vec::new()), 1 => some]
        .prop_map(|kinds| kinds.into_iter().map(|kind| (kind, format!("hint \"{kind:?}\""))).collect())
}

fn marker() -> impl Strategy<Value = Marker> {
    let lines =
        prop_oneof![1 => prop::collection::vec(line(), 1..=1), 1 => prop::collection::vec(line(), 1..=4)];
    let lines = (lines, prop::collection::vec(exclusion(), 0..=2));
    let judged = (roles(), place(), select(vec![NegationMode::Keep, NegationMode::Drop]));
    let bias = prop_oneof![3 => Just(0), 1 => -1_000_000..1_000_000_i64].prop_map(Unit);
    let repeat = select(vec![Repeat::Halve, Repeat::Once, Repeat::All]);
    let numbers = (repeat, measure(), bias, half(), share_of_one());
    let importance =
        select(vec![Importance::Low, Importance::Medium, Importance::High, Importance::Critical]);
    let weighed = (importance, prop_oneof![2 => Just(Pole::For), 1 => Just(Pole::Against)]);
    (lines, judged, numbers, weighed, mask(), hints()).prop_map(
        |(
            (mut lines, except),
            (by, place, negation),
            (repeat, (per, share, scope), bias, half, trigger),
            (importance, pole),
            mask,
            hints,
        )| {
            // Weighted lists are rarer than what is asked of them here.
            if scope.is_some() {
                lines[0].list = LineList::Weigh;
            }
            Marker {
                except,
                by,
                place,
                negation,
                repeat,
                per,
                share,
                scope,
                bias,
                half,
                trigger,
                importance,
                pole,
                mask,
                hints,
                ..build::marker("m", lines)
            }
        },
    )
}
