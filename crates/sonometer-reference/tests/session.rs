//! However an interaction comes in, a session ends with the reading of the whole, and takes nothing back that it has told as
//! settled.
//!
//! `SONOMETER_CASES=10000` runs the long mode.

use proptest::prelude::*;
use sonometer::interaction::Turn;
use sonometer::protocol::{Marker, Mask, Modality, NegationMode};
use sonometer::{Error, Event, Instrument, Interaction, MaskKey, Place, Protocol, SenseOptions, Sensor};
use sonometer::{OffsetUnit, Profile, Reading, Session, SessionOptions, Step, Unit, View};
use sonometer_reference::generate::{self, cases};
use sonometer_reference::vectors;
use std::path::Path;

/// How an interaction is cut: the sizes of the chunks, again and again; whether segments come whole.
#[derive(Clone, Debug)]
struct Cuts {
    sizes: Vec<usize>,
    whole_segments: bool,
}

fn cuts() -> impl Strategy<Value = Cuts> {
    let sizes = prop_oneof![
        Just(vec![1]),
        Just(vec![4, 5]),
        prop::collection::vec(1..40_usize, 1..6),
        prop::collection::vec(0..400_usize, 1..4).prop_map(|mut sizes| {
            sizes.push(1);
            sizes
        }),
    ];
    (sizes, prop::bool::weighted(0.3)).prop_map(|(sizes, whole_segments)| Cuts { sizes, whole_segments })
}

/// Conversations and texts with more sentences than others have.
fn interaction() -> impl Strategy<Value = Interaction> {
    let end = prop::sample::select(vec![
        ". ", "! ", "? ", "\n", "\n\n", "... ", ".) ", "。", "！", ".\n", "?! ", " . ", ", ", ".\" ", "\r\n",
        " - ", ".", "mr. ", "sooo. ", "d0. ", "m$. ", "5. ", "Jan. ",
    ]);
    let text = prop::collection::vec((generate::content(), end), 1..6)
        .prop_map(|parts| parts.into_iter().map(|(content, end)| content + end).collect::<String>());
    prop_oneof![
        2 => text.prop_map(|text| Interaction::text(&text).expect("is short")),
        2 => generate::interaction(),
        1 => (generate::interaction(), generate::content(), generate::content()).prop_map(|(whole, one, other)| {
            let longer = |turn: &Turn| {
                let content = format!("{}. {one}! {other}\n\n{}", turn.content, turn.content);
                Turn { content: content.into(), ..turn.clone() }
            };
            let turns: Vec<Turn> = whole.turns().iter().map(longer).collect();
            match whole.modality() {
                Modality::Transcript => Interaction::transcript(turns).expect("is a transcript"),
                _ => Interaction::text(&turns[0].content).expect("is short"),
            }
        }),
    ]
}

/// The steps of a session of a protocol, and its reading.
fn feed(
    sensor: &Sensor,
    interaction: &Interaction,
    cuts: &Cuts,
    options: SessionOptions,
) -> (Vec<Step>, Reading) {
    feed_into(sensor.session(options), interaction, cuts)
}

/// The same of any session.
fn feed_into(mut session: Session, interaction: &Interaction, cuts: &Cuts) -> (Vec<Step>, Reading) {
    let mut steps = Vec::new();
    let mut sizes = cuts.sizes.iter().copied().cycle();
    for turn in interaction.turns() {
        if let Some(role) = &turn.role {
            if cuts.whole_segments {
                steps.push(session.push_segment(turn.clone()).expect("is taken"));
                continue;
            }
            steps.push(session.begin_segment(role, turn.timestamp).expect("is taken"));
        }
        let mut rest = turn.content.as_bytes();
        while !rest.is_empty() {
            let (chunk, later) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()));
            steps.push(session.push(chunk).expect("is taken"));
            rest = later;
        }
    }
    steps.push(session.end().expect("ends"));
    (steps, session.finish().expect("is measured"))
}

fn whole(reading: &Reading) -> String {
    let view = View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Bytes), ..View::default() };
    reading.to_json(view) + &reading.ledger().to_json()
}

type Found = (usize, usize, usize, String, i64, String);

/// Content up to a place with what mask events show in place of what they hide.
fn masked(interaction: &Interaction, events: &[&Event], to: Place) -> Vec<String> {
    let turns = interaction.turns().iter().enumerate();
    let turns = turns.take_while(|(turn, _)| *turn <= to.segment);
    turns
        .map(|(turn, Turn { content, .. })| {
            let characters: Vec<char> = content.chars().collect();
            let mut text = String::new();
            let mut done = 0;
            for event in events {
                if let Event::Mask { segment, start, end, shown } = event
                    && *segment == turn
                {
                    assert!(done <= *start && start < end, "{event:?}");
                    text.extend(&characters[done..*start]);
                    text.push_str(shown);
                    done = *end;
                }
            }
            let end = if turn == to.segment { to.offset } else { characters.len() };
            assert!(done <= end, "{events:?}");
            text.extend(&characters[done..end]);
            text
        })
        .collect()
}

/// The markers that have triggered by what begins before a place, and can only rise: what they have found is evidence.
fn certain(reading: &Reading, chars: impl Fn(usize, usize) -> usize, to: Place) -> Vec<String> {
    let protocol = reading.protocol();
    let mut certain = Vec::new();
    for (entry, marker) in reading.ledger().markers.iter().zip(&protocol.markers) {
        let flips_here = |other: &&Marker| other.negation == NegationMode::Flip(marker.label.clone());
        let others = protocol.markers.iter().filter(flips_here);
        let mut lines = marker.lines.iter().chain(others.flat_map(|other| &other.lines));
        if marker.per.is_some()
            || marker.share.is_some()
            || marker.scope.is_some()
            || lines.any(|line| line.strength < Unit::ZERO)
        {
            continue;
        }
        let settled = entry
            .matches
            .iter()
            .filter(|found| Place { segment: found.turn, offset: chars(found.turn, found.range.start) } < to);
        let added: Vec<i128> = settled.map(|found| found.contribution.0.into()).collect();
        let (u, half) = (1_000_000, i128::from(marker.half.0));
        let sum = (i128::from(marker.bias.0) + added.iter().sum::<i128>()).max(0);
        let activation = if sum == 0 { 0 } else { (2 * sum * (u + half) + sum + half) / (2 * (sum + half)) };
        let is_overdue = added.iter().any(|contribution| *contribution > 0);
        let is_certain = match marker.absence {
            Some(_) => is_overdue,
            None => activation >= marker.trigger.0.into(),
        };
        if is_certain {
            certain.push(marker.label.clone());
        }
    }
    certain
}

fn check_settled(steps: &[Step], reading: &Reading) -> Result<(), TestCaseError> {
    let interaction = reading.interaction();
    let chars = |turn: usize, byte: usize| interaction.turns()[turn].content[..byte].chars().count();
    let evidence: Vec<Found> = reading
        .evidence()
        .map(|e| {
            let (start, end) = (chars(e.turn, e.range.start), chars(e.turn, e.range.end));
            (e.turn, start, end, e.metamarker.to_owned(), e.score.0, e.source.into_owned())
        })
        .collect();
    let mut events: Vec<&Event> = Vec::new();
    let (mut before, mut passed) = (Place::default(), Place::default());
    let mut released = vec![String::new(); interaction.turns().len()];
    for (at, Step { settled_to, released_to, events: new, released: parts }) in steps.iter().enumerate() {
        prop_assert!(*settled_to >= before, "{settled_to:?} after {before:?}");
        prop_assert!(*released_to >= passed, "{released_to:?} after {passed:?}");
        prop_assert!(released_to >= settled_to, "{released_to:?} behind {settled_to:?}");
        (before, passed) = (*settled_to, *released_to);
        events.extend(new);
        parts.iter().for_each(|part| released[part.segment].push_str(&part.text));
        let mut told: Vec<Found> = Vec::new();
        for event in &events {
            if let Event::Evidence { metamarker, score, source, segment, start, end, .. } = event {
                told.push((*segment, *start, *end, metamarker.clone(), score.0, source.clone()));
            }
        }
        told.sort();
        let place = |e: &Found| Place { segment: e.0, offset: e.1 };
        let is_over = at + 1 == steps.len();
        let certain = certain(reading, chars, before);
        let is_told = |e: &&Found| is_over || place(e) < before && certain.contains(&e.3);
        let mut settled: Vec<Found> = evidence.iter().filter(is_told).cloned().collect();
        settled.sort();
        prop_assert_eq!(&told, &settled, "at {:?}", before);
        let shown: Vec<String> = (0..=passed.segment.min(interaction.turns().len() - 1))
            .map(|turn| {
                let shown = reading.masked_characters(turn);
                let len = if turn == passed.segment { passed.offset } else { shown.len() };
                shown[..len].concat()
            })
            .collect();
        prop_assert_eq!(&released[..shown.len()], &shown[..], "at {:?}", passed);
        prop_assert!(released[shown.len()..].iter().all(String::is_empty));
        prop_assert_eq!(masked(interaction, &events, passed), shown, "at {:?}", passed);
    }
    let shown: Vec<_> = (0..released.len()).map(|turn| reading.masked_turn(turn).into_owned()).collect();
    prop_assert_eq!(released, shown);
    Ok(())
}

fn chars() -> SessionOptions {
    SessionOptions { unit: OffsetUnit::Chars, release: true, ..SessionOptions::default() }
}

/// As a call masks, if it says so.
fn masked_by(mask: Option<Mask>) -> SenseOptions {
    let mask_key = Some(MaskKey::new(b"sixteen bytes or").expect("is long enough"));
    SenseOptions { mask, mask_key, ..SenseOptions::default() }
}

fn check(
    protocol: &Protocol,
    interaction: &Interaction,
    cuts: &Cuts,
    mask: Option<Mask>,
) -> Result<(), TestCaseError> {
    let sensor = Sensor::new(protocol.clone()).expect("a legal protocol compiles");
    let sense = masked_by(mask);
    let (_, reading) = feed(&sensor, interaction, cuts, SessionOptions { sense, ..chars() });
    let at_once = sensor.sense_with(interaction, sense).expect("every modality is allowed");
    prop_assert_eq!(whole(&reading), whole(&at_once));
    let sense = SenseOptions { ignore_fidelity: true, ..sense };
    let (steps, reading) = feed(&sensor, interaction, cuts, SessionOptions { sense, ..chars() });
    check_settled(&steps, &reading)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_session_gives_what_the_whole_gives(
        protocol in generate::protocol(),
        interaction in interaction(),
        cuts in cuts(),
        mask in prop::option::of(generate::any_mask()),
    ) {
        check(&protocol, &interaction, &cuts, mask)?;
    }
}

/// Whether a session of a metric or a blueprint gives what the whole gives; nothing where the target or the interaction is refused.
fn check_composition(
    instrument: Result<Instrument, Error>,
    interaction: &Interaction,
    cuts: &Cuts,
) -> Result<(), TestCaseError> {
    let sense = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let Ok(instrument) = instrument else { return Ok(()) };
    let Ok(at_once) = instrument.sense_with(interaction, sense) else { return Ok(()) };
    let (_, reading) = feed_into(instrument.session(SessionOptions { sense, ..chars() }), interaction, cuts);
    let view = View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Bytes), ..View::default() };
    prop_assert_eq!(reading.to_json(view), at_once.to_json(view));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_session_of_a_composition_gives_what_the_whole_gives(
        (shelf, target) in generate::composition(),
        interaction in interaction(),
        cuts in cuts(),
    ) {
        check_composition(Instrument::new(target, &shelf), &interaction, &cuts)?;
    }
}

/// Turns that are read in pieces where they are known as a whole: contents with ends of sentences between them, in another order each time, of
/// which some have disguises.
fn long_turn() -> impl Strategy<Value = Interaction> {
    let ends =
        vec![". ", "! ", "? ", "\n\n", "。", ".” ", "... ", "$. ", ", ", " p4y. ", " sooo! ", " it’s. "];
    let part = (generate::content(), prop::sample::select(ends)).prop_map(|(content, end)| content + end);
    (prop::collection::vec(part, 3..12), 2_500..6_000_usize).prop_map(|(parts, size)| {
        let mut content = String::new();
        for at in 0..size {
            content.push_str(&parts[at * at % parts.len()]);
            if content.len() > size {
                break;
            }
        }
        let turn = Turn { role: Some("agent".into()), content: content.into(), timestamp: None };
        Interaction::transcript(vec![turn]).expect("is a transcript")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 5_000, ..ProptestConfig::default() })]

    /// A segment that comes in at once is never parted.
    #[test]
    fn a_long_turn_is_read_in_pieces_as_it_is_at_once(
        protocol in generate::protocol(),
        interaction in long_turn(),
        sizes in prop::sample::select(vec![vec![1], vec![4, 5], vec![700]]),
    ) {
        let sensor = Sensor::new(protocol).expect("a legal protocol compiles");
        let sense = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
        let options = SessionOptions { sense, ..SessionOptions::default() };
        let at_once = Cuts { sizes: vec![1], whole_segments: true };
        let (_, expected) = feed(&sensor, &interaction, &at_once, options);
        let found = sensor.sense_with(&interaction, sense).expect("every modality is allowed");
        prop_assert_eq!(whole(&found), whole(&expected));
        let (_, streamed) = feed(&sensor, &interaction, &Cuts { sizes, whole_segments: false }, options);
        prop_assert_eq!(whole(&streamed), whole(&expected));
    }
}

/// Every vector of a protocol that reads its interaction, and of a metric or a blueprint.
#[test]
fn vectors_come_in_byte_by_byte_by_words_and_by_segments() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let vectors = vectors::all(&root).unwrap_or_else(|reason| panic!("{reason}"));
    let mut fed = 0;
    for vector in &vectors {
        let Ok(interaction) = Interaction::from_json(&vector.interaction) else { continue };
        let Ok((protocol, _)) = Protocol::read(&vector.target) else {
            for sizes in [vec![1], vec![4, 5]] {
                let cuts = Cuts { sizes, whole_segments: false };
                if let Err(error) = check_composition(vector.instrument(), &interaction, &cuts) {
                    panic!("{} `{}`: {error}", vector.place, vector.name);
                }
            }
            continue;
        };
        if !protocol.modalities.contains(&interaction.modality()) {
            continue;
        }
        for (sizes, whole_segments, mask) in
            [(vec![1], false, None), (vec![4, 5], false, Some(Mask::Numbered)), (vec![1 << 20], true, None)]
        {
            if let Err(error) = check(&protocol, &interaction, &Cuts { sizes, whole_segments }, mask) {
                panic!("{} `{}`: {error}", vector.place, vector.name);
            }
            fed += 1;
        }
    }
    println!("sessions: {fed} ran, of {} vectors", vectors.len());
    assert!(fed > 2 * vectors.len());
}
