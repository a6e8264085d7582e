//! What holds for every protocol and every interaction, whatever they say.
//!
//! `SONOMETER_CASES=10000` runs the long mode.

use proptest::prelude::*;
use serde_json::Value;
use sonometer::protocol::phrase::{self, Context};
use sonometer::protocol::{Marker, ScoreKind};
use sonometer::{Interaction, OffsetUnit, Profile, Protocol, Reading, Sensor, Unit, View, language};
use sonometer_reference::generate::{self, cases, print};

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
        let has_masks = protocol.markers.iter().any(|marker| marker.mask.is_some());
        for found in reading.evidence() {
            let mut said = vec![(found.turn, found.range.clone())];
            said.extend(found.joined.iter().map(|stretch| (stretch.turn, stretch.range.clone())));
            prop_assert!(said.windows(2).all(|two| two[0].0 < two[1].0), "{:?}", found);
            let mut slices = Vec::new();
            for (turn, range) in said {
                let content = &interaction.turns()[turn].content;
                let slice = content.get(range).filter(|slice| !slice.is_empty());
                prop_assert!(slice.is_some(), "{:?} of {:?}", found, content);
                slices.extend(slice);
            }
            let said = slices.join("\n");
            if has_masks {
                let hidden = |(shown, there): (char, char)| shown == there || shown == '*';
                prop_assert_eq!(found.source.chars().count(), said.chars().count());
                prop_assert!(found.source.chars().zip(said.chars()).all(hidden));
            } else {
                prop_assert_eq!(&*found.source, &*said);
            }
        }
    }

    #[test]
    fn every_number_is_in_its_range(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let reading = sense(&protocol, &interaction);
        let unit = Unit::ZERO..=Unit::ONE;
        prop_assert!(unit.contains(&reading.score()));
        prop_assert!(unit.contains(&reading.fidelity().index));
        for (label, found) in reading.resonance() {
            prop_assert!(unit.contains(&found.activation), "{}: {:?}", label, found);
        }
        for found in reading.evidence() {
            prop_assert!(found.score > Unit::ZERO && found.score <= Unit::ONE, "{:?}", found);
        }
        for weak in reading.weak_signals() {
            prop_assert!((Unit(500_000)..=Unit(990_000)).contains(&weak.proximity), "{:?}", weak);
        }
        let triggered = reading.resonance().filter(|(_, found)| found.triggered).count();
        prop_assert_eq!(reading.ics().consumed, triggered as u64);
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
            let sum: i128 = entry.matches.iter().map(|found| i128::from(found.contribution.0)).sum();
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
        let context = Context { list: &|_| None, stem: language::find("en").and_then(|l| l.stem) };
        let read = phrase::parse(&text, &context);
        prop_assert_eq!(read.as_ref(), Ok(&pattern), "{}", text);
    }

    #[test]
    fn a_protocol_survives_its_canonical_json(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
    ) {
        let json = protocol.to_canonical_json();
        let (read, _) = Protocol::read(&json).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.to_canonical_json(), json);
        prop_assert_eq!(read.digest(), protocol.digest());
        let patterns = |marker: &Marker| {
            marker.lines.iter().chain(&marker.except).map(|l| (l.pattern.clone(), l.strength)).collect::<Vec<_>>()
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
