//! What must not change a reading, for every shipped protocol: how line ends and letters with marks are written, white space
//! at the end, the order of the markers, a sentence that has nothing to do with it.

use sonometer::{Interaction, Profile, Protocol, Reading, Sensor, Turn, Unit, View};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

const CONVERSATIONS: [&str; 4] = [
    include_str!("../../../fixtures/interactions/coaching-talk.json"),
    include_str!("../../../fixtures/interactions/heated-thread.json"),
    include_str!("../../../fixtures/interactions/negotiation.json"),
    include_str!("../../../fixtures/interactions/support-call.json"),
];

/// Names with marks, line ends that patterns look at, and what each protocol listens for.
const LETTER: &str = "Señora Zoë Núñez,\n\nmy name is José Martínez and my card is 4111 1111 1111 1111. Write to josé@example.com \
    or zoe.nunez@example.com, please. Thank you so much, that is very kind of you!\n\nDid I get this right: you feel anxious \
    and angry about it? ONLY TODAY, the price goes up at midnight. Everybody else has signed, you would be a fool to wait.\n\
    I will send you the contract by Friday. I am sorry, it was my fault.\n\nBest regards,\nMaya Lindström\n12 Rue de l'Église\n\
    Phone: +1 (555) 010-9999\nYou never listen. Whatever. You're pathetic.";

fn protocols() -> Vec<Protocol> {
    let read = |entry: &sonometer_catalog::Entry| entry.protocol().expect("ships in order").0;
    sonometer_catalog::protocols().iter().map(read).collect()
}

/// Every conversation as it is and as one text, and the letter.
fn interactions() -> Vec<Interaction> {
    let mut all = vec![Interaction::text(LETTER).expect("is short")];
    for json in CONVERSATIONS {
        let talk = Interaction::from_json(json).expect("is a conversation");
        let lines: Vec<&str> = talk.turns().iter().map(|turn| &*turn.content).collect();
        all.push(Interaction::text(&lines.join("\n")).expect("is short"));
        all.push(talk);
    }
    all
}

fn changed(interaction: &Interaction, change: impl Fn(&str) -> String) -> Interaction {
    let turn = |turn: &Turn| Turn { content: change(&turn.content).into(), ..turn.clone() };
    let turns: Vec<Turn> = interaction.turns().iter().map(turn).collect();
    match interaction.is_conversation() {
        true => Interaction::transcript(turns).expect("is a conversation"),
        false => Interaction::text(&turns[0].content).expect("is short"),
    }
}

/// All readings of all protocols, each with that of a changed interaction, and where it stands for messages.
fn compare(change: impl Fn(&str) -> String, check: impl Fn(&Reading, &Reading, &str)) {
    let mut evidence = 0;
    for protocol in protocols() {
        let sensor = Sensor::new(protocol).expect("compiles");
        for (number, interaction) in interactions().iter().enumerate() {
            if !sensor.protocol().modalities.contains(&interaction.modality()) {
                continue;
            }
            let sense = |interaction: &Interaction| sensor.sense(interaction).expect("is measured");
            let (before, after) = (sense(interaction), sense(&changed(interaction, &change)));
            evidence += before.evidence().count();
            let Protocol { id, version, .. } = sensor.protocol();
            check(&before, &after, &format!("{id}@{version}, interaction {number}"));
        }
    }
    assert!(evidence > 100, "{evidence} pieces of evidence are few");
}

/// Everything that a reading says, as text.
fn all(reading: &Reading) -> String {
    let view = |profile| reading.to_json(View { profile, ..View::default() });
    let turns: Vec<_> =
        (0..reading.interaction().turns().len()).map(|turn| reading.masked_turn(turn)).collect();
    format!("{}\n{}\n{}", view(Profile::Detailed), view(Profile::Discovery), turns.join("\n"))
}

/// Everything but the text around the evidence.
#[derive(Debug, PartialEq)]
struct Found {
    score: Option<Unit>,
    resonance: BTreeMap<String, Unit>,
    /// Marker, score and source without white space at its edges, sorted.
    evidence: Vec<(String, Unit, String)>,
    weak: Vec<String>,
    around: String,
}

fn found(reading: &Reading) -> Found {
    let resonance = reading.resonance().map(|(label, found)| (label.to_owned(), found.activation)).collect();
    let evidence = reading.evidence().map(|e| (e.metamarker.to_owned(), e.score, e.source.trim().to_owned()));
    let mut evidence: Vec<_> = evidence.collect();
    evidence.sort();
    let weak = reading.weak_signals();
    let mut weak: Vec<String> =
        weak.map(|weak| format!("{} {} {}", weak.metamarker, weak.proximity, weak.hint)).collect();
    weak.sort();
    let mut fidelity = reading.fidelity().clone();
    fidelity.unheard = fidelity.unheard.map(|roles| std::sync::Arc::new((*roles).clone()));
    // In the order of the markers that ask for them.
    if let Some(roles) = fidelity.unheard.as_mut().and_then(std::sync::Arc::get_mut) {
        roles.asked.sort();
    }
    let around = format!("{fidelity:?} {:?}", reading.ics());
    Found { score: reading.score(), resonance, evidence, weak, around }
}

#[test]
fn line_ends_of_two_characters_change_nothing() {
    compare(
        |content| content.replace('\n', "\r\n"),
        |before, after, place| {
            let same = all(after).replace("\\r\\n", "\\n").replace("\r\n", "\n");
            assert_eq!(all(before), same, "{place}");
        },
    );
    compare(
        |content| content.replace('\n', "\r"),
        |before, after, place| {
            let same = all(after).replace("\\r", "\\n").replace('\r', "\n");
            assert_eq!(all(before), same, "{place}");
        },
    );
}

#[test]
fn marks_apart_from_their_letters_change_nothing() {
    compare(
        |content| content.nfd().collect(),
        |before, after, place| assert_eq!(all(before), all(after).nfc().collect::<String>(), "{place}"),
    );
}

#[test]
fn white_space_at_the_end_changes_nothing() {
    compare(
        |content| format!("{content} "),
        |before, after, place| assert_eq!(found(before), found(after), "{place}"),
    );
}

/// Score, fidelity, ICS, the resonance of each marker, all evidence, all weak signals and what is masked: everything but the
/// order in which equals stand.
#[test]
fn the_order_of_the_markers_changes_nothing() {
    for protocol in protocols() {
        let sensor = Sensor::new(protocol.clone()).expect("compiles");
        let mut turned = protocol;
        turned.markers.reverse();
        let turned = Sensor::new(turned).expect("compiles");
        for (number, interaction) in interactions().iter().enumerate() {
            if !sensor.protocol().modalities.contains(&interaction.modality()) {
                continue;
            }
            let (before, after) = (sensor.sense(interaction), turned.sense(interaction));
            let (before, after) = (before.expect("is measured"), after.expect("is measured"));
            let Protocol { id, version, markers, .. } = sensor.protocol();
            let (mut before_found, after_found) = (found(&before), found(&after));
            // A score is rounded once for each marker, so another order may round to a neighbour.
            let distance = before_found.score.zip(after_found.score).map(|(a, b)| (a.0 - b.0).unsigned_abs());
            assert!(distance.unwrap_or(0) <= markers.len() as u64, "{id}@{version}, interaction {number}");
            before_found.score = after_found.score;
            assert_eq!(before_found, after_found, "{id}@{version}, interaction {number}");
            for turn in 0..interaction.turns().len() {
                assert_eq!(before.masked_turn(turn), after.masked_turn(turn), "{id}@{version}");
            }
        }
    }
}

/// Markers that weigh a whole turn, word by word and sentence by sentence: one sentence more is more of it. So do
/// all lists with a `scope`.
const OF_WHOLE_TURNS: [&str; 6] =
    ["personal_attack", "development", "substance", "carelessness", "heat", "bareness"];

/// The evidence of markers that neither a rate nor an echo nor a whole turn decides on: `per` divides by the words there are, and the
/// sentence, said in every turn, is an echo of itself.
fn evidence_by_itself(reading: &Reading) -> Vec<(String, Unit, String)> {
    let markers = reading.instrument().sensors().iter().flat_map(|sensor| &sensor.protocol().markers);
    let others: Vec<&str> = markers
        .filter(|marker| marker.per.is_some() || marker.echo.is_some() || marker.scope.is_some())
        .map(|marker| &*marker.label)
        .collect();
    let mut evidence = found(reading).evidence;
    evidence
        .retain(|(label, ..)| !others.contains(&label.as_str()) && !OF_WHOLE_TURNS.contains(&label.as_str()));
    evidence
}

/// All evidence stays and none is added, and what is masked stays masked. Rates and fidelity may move: there is more text.
#[test]
fn a_sentence_about_something_else_changes_no_evidence() {
    const SENTENCE: &str = "\n\nThe oak beside the bridge is old.";
    compare(
        |content| format!("{content}{SENTENCE}"),
        |before, after, place| {
            let turns = 0..before.interaction().turns().len();
            for turn in turns {
                let expected = format!("{}{SENTENCE}", before.masked_turn(turn));
                assert_eq!(expected, after.masked_turn(turn), "{place}");
            }
            if before.fidelity().sufficient {
                assert_eq!(evidence_by_itself(before), evidence_by_itself(after), "{place}");
            }
        },
    );
}
