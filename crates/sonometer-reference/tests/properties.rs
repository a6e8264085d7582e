//! What holds for every protocol and every interaction, whatever they say.
//!
//! `SONOMETER_CASES=10000` runs the long mode.

use proptest::prelude::*;
use serde_json::Value;
use sonometer::interaction::Turn;
use sonometer::protocol::phrase::{self, Context};
use sonometer::protocol::{HintKind, Marker, ScoreKind};
use sonometer::{Interaction, OffsetUnit, Profile, Protocol, Reading, Sensor, Unit, View, language};
use sonometer_reference::generate::{self, LIST_FILE, cases, list_file, print};

fn sense(protocol: &Protocol, interaction: &Interaction) -> Reading {
    let sensor = Sensor::new(protocol.clone()).expect("a legal protocol compiles");
    sensor.sense(interaction).expect("every modality is allowed")
}

fn resonance(reading: &Reading) -> Vec<(String, Unit)> {
    let mut all: Vec<_> = reading.resonance().map(|(label, r)| (label.to_owned(), r.activation)).collect();
    all.sort();
    all
}

/// The evidence without its order.
fn evidence(reading: &Reading) -> Vec<(usize, usize, usize, String, Unit)> {
    let mut all: Vec<_> = reading
        .evidence()
        .map(|e| (e.turn, e.range.start, e.range.end, e.metamarker.to_owned(), e.score))
        .collect();
    all.sort();
    all
}

/// What every profile shows.
fn core(reading: &Reading, profile: Profile) -> Value {
    let json = reading.to_json(View { profile, offsets: Some(OffsetUnit::Bytes), ..View::default() });
    let mut value: Value = serde_json::from_str(&json).expect("a reading is JSON");
    let shown = value.as_object_mut().expect("a reading is an object");
    shown.remove("profile");
    shown.remove("weak_signals");
    shown.remove("against");
    shown.remove("unheard");
    shown["ics"].as_object_mut().expect("what was consumed is an object").remove("markers");
    for found in shown["evidence"].as_array_mut().expect("evidence is a list") {
        found.as_object_mut().expect("evidence is an object").remove("reconstruction");
    }
    value
}

/// `a × b ÷ c`, halves up.
fn fraction(a: i128, b: i128, c: i128) -> i128 {
    (2 * a * b + c).div_euclid(2 * c)
}

/// The activation of section 4 of the meaning, from the evidence.
fn activation(evidence: i128, half: i128) -> i128 {
    if evidence == 0 { 0 } else { fraction(evidence, 1_000_000 + half, evidence + half).min(1_000_000) }
}

fn settings() -> ProptestConfig {
    ProptestConfig { cases: cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn evidence_points_at_what_it_shows(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let reading = sense(&protocol, &interaction);
        for found in reading.evidence() {
            let mut said = vec![(found.turn, found.range.clone())];
            said.extend(found.joined.iter().map(|stretch| (stretch.turn, stretch.range.clone())));
            prop_assert!(said.windows(2).all(|two| two[0].0 < two[1].0), "{:?}", found);
            let mut slices = Vec::new();
            for (turn, range) in said {
                let content = &interaction.turns()[turn].content;
                prop_assert!(content.get(range.clone()).is_some_and(|slice| !slice.is_empty()), "{:?} of {:?}", found, content);
                let characters = content.char_indices().zip(reading.masked_characters(turn));
                let shown = characters.filter(|((at, _), _)| range.contains(at)).map(|(_, shown)| shown);
                slices.push(shown.collect::<String>());
            }
            let has_masks = protocol.markers.iter().any(|marker| marker.mask.is_some());
            // A place that begins within a letter or a replaced stretch shows what stands for the whole of it. It may begin with what
            // joins the letter to a mark, as the selector U+FE0F in a keycap, which is shown as it is.
            let joiners = ['\u{fe0f}', '\u{200c}', '\u{200d}'];
            let begins_within = found.source.trim_start_matches(joiners).starts_with('*') || found.source.contains('<');
            prop_assert!(*found.source == *slices.join("\n") || has_masks && begins_within, "{:?}", found);
        }
        for (turn, Turn { content, .. }) in interaction.turns().iter().enumerate() {
            let shown = reading.masked_characters(turn);
            prop_assert_eq!(shown.len(), content.chars().count());
            prop_assert_eq!(shown.concat(), reading.masked_turn(turn));
        }
    }

    #[test]
    fn every_number_is_in_its_range(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let reading = sense(&protocol, &interaction);
        let unit = Unit::ZERO..=Unit::ONE;
        prop_assert_eq!(reading.score().is_some(), reading.fidelity().sufficient);
        prop_assert!(reading.score().is_none_or(|score| unit.contains(&score)));
        prop_assert!(unit.contains(&reading.fidelity().index));
        for (label, found) in reading.resonance() {
            prop_assert!(unit.contains(&found.activation), "{}: {:?}", label, found);
        }
        let triggered: Vec<&str> = reading.triggered().collect();
        for found in reading.evidence() {
            prop_assert!(found.score > Unit::ZERO && found.score <= Unit::ONE, "{:?}", found);
            prop_assert!(triggered.contains(&found.metamarker), "{:?}", found);
        }
        for found in reading.against() {
            prop_assert!(found.score < Unit::ZERO, "{:?}", found);
        }
        for weak in reading.weak_signals() {
            prop_assert!((Unit::ZERO..=Unit(990_000)).contains(&weak.proximity), "{:?}", weak);
            let score = weak.found.as_ref().map(|found| found.score);
            prop_assert!(score.is_none_or(|score| score > Unit::ZERO && score <= Unit::ONE), "{:?}", weak);
        }
        prop_assert_eq!(reading.ics().consumed, triggered.len() as u64);
        // Each contribution is shown once: as evidence, against, or as a weak signal.
        let ledger = reading.ledger();
        let matches = ledger.markers.iter().flat_map(|marker| &marker.matches);
        let (up, down): (Vec<_>, Vec<_>) =
            matches.filter(|found| found.contribution != Unit::ZERO).partition(|found| found.contribution > Unit::ZERO);
        let more = |weak: &sonometer::WeakSignal<'_>| weak.kind == HintKind::More && weak.found.is_some();
        prop_assert_eq!(reading.evidence().count() + reading.weak_signals().filter(more).count(), up.len());
        prop_assert_eq!(reading.against().count(), down.len());
    }

    #[test]
    fn the_order_of_lines_does_not_matter(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let mut turned = protocol.clone();
        for marker in &mut turned.markers {
            marker.lines.reverse();
            marker.lines.sort_by_key(|line| line.list);
            marker.except.reverse();
        }
        let (one, other) = (sense(&protocol, &interaction), sense(&turned, &interaction));
        prop_assert_eq!(one.score(), other.score());
        prop_assert_eq!(resonance(&one), resonance(&other));
        prop_assert_eq!(evidence(&one), evidence(&other));
    }

    #[test]
    fn the_order_of_markers_does_not_matter(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
        by in 0..5_usize,
    ) {
        let protocol = Protocol { score: ScoreKind::Mean, ..protocol };
        let mut turned = protocol.clone();
        turned.markers.rotate_left(by % protocol.markers.len());
        let (one, other) = (sense(&protocol, &interaction), sense(&turned, &interaction));
        prop_assert_eq!(one.score(), other.score());
        prop_assert_eq!(resonance(&one), resonance(&other));
        prop_assert_eq!(evidence(&one), evidence(&other));
    }

    #[test]
    fn every_profile_shows_the_same_core(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let reading = sense(&protocol, &interaction);
        let raw = core(&reading, Profile::Raw);
        prop_assert_eq!(&core(&reading, Profile::Detailed), &raw);
        prop_assert_eq!(&core(&reading, Profile::Discovery), &raw);
    }

    #[test]
    fn the_ledger_adds_up(protocol in generate::protocol(), interaction in generate::interaction()) {
        let reading = sense(&protocol, &interaction);
        if !reading.fidelity().sufficient {
            return Ok(());
        }
        let ledger = reading.ledger();
        for (entry, marker) in ledger.markers.iter().zip(&protocol.markers) {
            // What is absent has no matches to add up; a ratio is worked out from those of other markers.
            if marker.absence.is_some() || marker.ratio.is_some() {
                prop_assert_eq!(entry.resonance.evidence, entry.resonance.activation);
                continue;
            }
            // With a scope, those of the strongest stretch add up, and without a stretch nothing does.
            let strongest = entry.scope.as_ref().map(|scope| scope.strongest);
            if strongest == Some(None) {
                prop_assert_eq!(entry.resonance.evidence, Unit::ZERO);
                continue;
            }
            let adds_up = |turn: usize| {
                strongest.flatten().is_none_or(|(first, last)| (first..=last).contains(&turn))
            };
            let own = entry.matches.iter().filter(|found| adds_up(found.turn));
            let sum: i128 = own.map(|found| i128::from(found.contribution.0)).sum();
            for found in entry.matches.iter().filter(|found| !found.failed.is_empty()) {
                prop_assert_eq!(found.contribution, Unit::ZERO);
            }
            let raw = (sum + i128::from(marker.bias.0)).max(0);
            let evidence = i128::from(entry.resonance.evidence.0);
            let per_words = marker.per.is_some();
            prop_assert!(if per_words { evidence <= raw } else { evidence == raw }, "{:?}", entry);
            if marker.share.is_none() {
                let expected = activation(evidence, marker.half.0.into());
                prop_assert_eq!(i128::from(entry.resonance.activation.0), expected, "{:?}", entry);
            }
            prop_assert_eq!(entry.resonance.triggered, entry.resonance.activation >= marker.trigger);
        }
    }

    #[test]
    fn a_printed_pattern_reads_as_itself(pattern in generate::pattern()) {
        let text = print(&pattern);
        let listed = |name: &str| (name == "listed").then(|| phrase::Pattern::Phrases(LIST_FILE.phrases.clone()));
        let context = Context { list: &listed, names: &["listed"], stem: language::find("en").and_then(|l| l.stem) };
        let read = phrase::parse(&text, &context);
        prop_assert_eq!(read.as_ref(), Ok(&pattern), "{}", text);
    }

    #[test]
    fn a_protocol_survives_its_canonical_json(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let json = protocol.to_canonical_json();
        let (read, _) = Protocol::read_with(&json, &list_file).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.to_canonical_json(), json);
        prop_assert_eq!(read.digest(), protocol.digest());
        let patterns = |marker: &Marker| {
            marker.lines.iter().chain(&marker.except).map(|l| (l.pattern().into_owned(), l.strength)).collect::<Vec<_>>()
        };
        for (one, other) in read.markers.iter().zip(&protocol.markers) {
            prop_assert_eq!(patterns(one), patterns(other));
        }
        let view = View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Chars), ..View::default() };
        prop_assert_eq!(
            sense(&read, &interaction).to_json(view),
            sense(&protocol, &interaction).to_json(view)
        );
    }
}
