//! What a text holds is found as it is written, unfolded, and over the turns of one speaker; what is found twice counts
//! once, and its place is always that of the original.

use proptest::prelude::*;
use sonometer::{Interaction, OffsetUnit, Profile, Protocol, Reading, Sensor, Turn, View};

fn sensor(keys: &str, markers: &str) -> Sensor {
    let source = format!(
        r#"{{"sonometer": 1, "id": "t", "version": "1", "taxonomy": "Signal", "language": "en",
            "fidelity": {{"sufficient": 0}}, {keys} "markers": [{markers}]}}"#
    );
    let (protocol, _) = Protocol::read(&source).expect("a protocol");
    Sensor::new(protocol).expect("a sensor")
}

const EVERYTHING: &str =
    r#""unfold": ["confusables", "leet", "repeats", "spaced_letters", "spoken_digits"],"#;

fn text(sensor: &Sensor, content: &str) -> Reading {
    sensor.sense(&Interaction::text(content).expect("small")).expect("text is read")
}

fn talk(sensor: &Sensor, turns: &[(&str, &str)]) -> Reading {
    let turns = turns.iter().map(|(role, content)| Turn {
        role: Some((*role).into()),
        content: (*content).into(),
        timestamp: None,
    });
    let interaction = Interaction::transcript(turns.collect()).expect("a transcript");
    sensor.sense(&interaction).expect("a transcript is read")
}

fn sources(reading: &Reading) -> Vec<String> {
    reading.evidence().map(|found| found.source.into_owned()).collect()
}

/// Why each match was dropped or not, by line and place: its text, and what it failed.
fn verdicts(reading: &Reading) -> Vec<(String, String)> {
    let ledger = reading.ledger();
    let matches = ledger.markers.iter().flat_map(|marker| &marker.matches);
    matches.map(|found| (found.source.to_string(), found.failed.join(" "))).collect()
}

#[test]
fn evidence_of_the_unfolded_text_shows_the_original() {
    let marker = r#"{"label": "m", "strong": "(ridiculous|so|cannot|paypal|hate you|<pan>|/sh[i]t/)"}"#;
    let sensor = sensor(EVERYTHING, marker);
    for (content, found) in [
        ("That is ridicul0us!", vec!["ridicul0us"]),
        ("It is sooooo bad", vec!["sooooo"]),
        ("we c a n n o t do it", vec!["c a n n o t"]),
        ("we c\u{200b}an\u{200b}not do it", vec!["c\u{200b}an\u{200b}not"]),
        ("the раypal page", vec!["раypal"]),
        ("I h4te — y\u{fe0f}ou, I hate\u{a0}yoou, I h4te y0uuuu", vec!["h4te y0uuuu"]),
        (
            "card four one one one 1111 1111 one one one one.",
            vec!["four one one one 1111 1111 one one one one"],
        ),
        ("ridiculous, ridicul0us", vec!["ridiculous", "ridicul0us"]),
        ("plain text", vec![]),
    ] {
        let reading = text(&sensor, content);
        assert_eq!(sources(&reading), found, "{content}");
        for evidence in reading.evidence() {
            assert_eq!(&content[evidence.range], evidence.source, "{content}");
        }
    }
}

#[test]
fn what_is_found_as_written_is_not_found_again() {
    let sensor = sensor(
        EVERYTHING,
        r#"{"label": "m", "strong": "(hate|love|c4t)", "negation": "drop"}, {"label": "n", "strong": "love hate"}"#,
    );
    // As written the match is negated, unfolded it is the same match; a cue in disguise negates it too.
    assert_eq!(verdicts(&text(&sensor, "I do not hate it, s0 what")), [("hate".into(), "negated".into())]);
    assert_eq!(verdicts(&text(&sensor, "I n0t hate it")), [("hate".into(), "negated".into())]);
    assert_eq!(verdicts(&text(&sensor, "not h4te")), [("h4te".into(), "negated".into())]);
    // Another line may find the same place in the unfolded text; of a line, the reading as written goes first.
    assert_eq!(
        verdicts(&text(&sensor, "l0ve hate")),
        [("l0ve".into(), String::new()), ("hate".into(), String::new()), ("l0ve hate".into(), String::new())]
    );
    assert_eq!(verdicts(&text(&sensor, "c4t")), [("c4t".into(), String::new())]);
}

#[test]
fn exact_words_expressions_and_shouts_look_at_the_unfolded_text() {
    let sensor = sensor(EVERYTHING, r#"{"label": "m", "strong": "\"HATE\"\n/lo[v]e/\n<shout>"}"#);
    assert_eq!(sources(&text(&sensor, "HATE hate l0ve")), ["HATE", "l0ve"]);
    assert_eq!(sources(&text(&sensor, "i h a t e and H A T E")), ["H A T E"]);
    assert_eq!(sources(&text(&sensor, "so Y O U   H A V E it")), ["Y O U   H A V E"]);
}

#[test]
fn exceptions_hold_in_their_own_reading_and_for_what_is_written() {
    let sensor = sensor(EVERYTHING, r#"{"label": "m", "strong": "hell", "except": "hell yes"}"#);
    assert_eq!(verdicts(&text(&sensor, "h3ll yes")), [("h3ll".into(), "except".into())]);
    assert_eq!(verdicts(&text(&sensor, "hell y3s")), [("hell".into(), "except".into())]);
}

#[test]
fn near_misses_give_way_to_matches_of_any_reading() {
    let sensor = sensor(EVERYTHING, r#"{"label": "m", "strong": "<pan>", "mask": "last4"}"#);
    // As written sixteen digits with wrong check digits.
    assert_eq!(
        verdicts(&text(&sensor, "4111 1111 1111 1112")),
        [("**** **** **** 1112".into(), "checksum".into())]
    );
    assert_eq!(
        verdicts(&text(&sensor, "4111 1111 1111 111 two")),
        [("**** **** **** **1 two".into(), "checksum".into())]
    );
    assert_eq!(
        verdicts(&text(&sensor, "4111 1111 1111 111 one")),
        [("**** **** **** **1 one".into(), String::new())]
    );
}

const CARD: &str = r#"{"label": "card", "strong": "<pan>\ncard number", "join": "3 turns", "mask": "last4", "by": "client",
    "negation": "drop", "except": "not the <pan>"}"#;

#[test]
fn a_match_reaches_over_turns_of_one_speaker() {
    let sensor = sensor("", CARD);
    let reading =
        talk(&sensor, &[("Client", "It is 4111 1111,"), ("agent", "mhm"), ("client", "é 1111 1111 okay")]);
    assert!(reading.evidence().next().is_none(), "é stands between");
    let reading =
        talk(&sensor, &[("Client", "É, it is 4111 1111"), ("agent", "mhm"), ("client", "1111 1111, okay")]);
    let found: Vec<_> = reading.evidence().collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].turn, found[0].range.clone()), (0, 10..19));
    assert_eq!((found[0].joined[0].turn, found[0].joined[0].range.clone()), (2, 0..9));
    assert_eq!(found[0].source, "**** ****\n**** 1111");
    let json = reading.to_json(View {
        profile: Profile::Detailed,
        offsets: Some(OffsetUnit::Chars),
        ..View::default()
    });
    let expected = r#"{"metamarker":"card","score":1,"source":"**** ****\n**** 1111","segment":0,"start":9,"end":18,"joined":[{"segment":2,"start":0,"end":9}],"reconstruction":{"segment_text":"É, it is **** ****\n**** 1111, okay","attribution":"Client","actant":"client"}}"#;
    assert!(json.contains(expected), "{json}");
    assert_eq!(reading.masked_turn(0), "É, it is **** ****");
    let ledger = reading.ledger().to_json();
    assert!(
        ledger.contains(
            r#""end":19,"joined":[{"segment":2,"start":0,"end":9}],"source":"**** ****\n**** 1111""#
        )
    );
    assert!(!ledger.contains("4111"));
}

#[test]
fn three_turns_and_what_is_masked_of_them() {
    let masked = |mask: &str| {
        let marker =
            format!(r#"{{"label": "m", "strong": "alpha beta xy", "join": "3 turns", "mask": "{mask}"}}"#);
        let turns = [("client", "alpha"), ("client", "beta"), ("agent", "yes"), ("client", "xy")];
        sources(&talk(&sensor("", &marker), &turns)).concat()
    };
    assert_eq!(masked("last4"), "*****\n**ta\nxy");
    assert_eq!(masked("first7"), "alpha\nbe**\n**");
    assert_eq!(masked("all"), "*****\n****\n**");
}

#[test]
fn windows_end_where_others_speak_longer() {
    let sensor = sensor("", CARD);
    let between = |between: &[(&'static str, &'static str)]| {
        let mut turns = vec![("client", "4111 1111")];
        turns.extend(between);
        turns.push(("client", "1111 1111"));
        sources(&talk(&sensor, &turns)).len()
    };
    assert_eq!(between(&[]), 1);
    assert_eq!(between(&[("agent", "and then?")]), 1);
    // A turn without a token lies between like any other.
    assert_eq!(between(&[("client", "…")]), 1);
    assert_eq!(between(&[("client", "…"), ("agent", "mhm")]), 0);
    assert_eq!(between(&[("agent", "and"), ("agent", "then?")]), 0);
    assert_eq!(between(&[("client", "um")]), 0);
}

#[test]
fn only_markers_with_join_reach_over_turns_and_only_so_far() {
    let markers = r#"{"label": "two", "strong": "a b c\nb c", "join": "2 turns"},
        {"label": "three", "strong": "a b c", "join": "3 turns"}, {"label": "none", "strong": "a b c\nb c"}"#;
    let sensor = sensor("", markers);
    let reading = talk(&sensor, &[("x", "a"), ("x", "b"), ("y", "c"), ("X", "c d")]);
    let found: Vec<_> =
        reading.evidence().map(|found| (found.metamarker, found.source.to_string())).collect();
    assert_eq!(found, [("three", "a\nb\nc".to_owned()), ("two", "b\nc".to_owned())]);
}

#[test]
fn what_a_turn_or_an_earlier_window_holds_is_not_found_again() {
    let sensor =
        sensor(r#""unfold": ["leet"],"#, r#"{"label": "m", "strong": "(a ..3.. b|b b)", "join": "3 turns"}"#);
    assert_eq!(sources(&talk(&sensor, &[("x", "a b"), ("x", "b")])), ["a b"]);
    assert_eq!(sources(&talk(&sensor, &[("x", "a"), ("x", "b"), ("x", "b")])), ["a\nb\nb"]);
    assert_eq!(sources(&talk(&sensor, &[("x", "a w0w"), ("x", "b")])), ["a w0w\nb"]);
}

#[test]
fn conditions_are_those_of_the_window() {
    let sensor = sensor("", CARD);
    let verdict = |turns: &[(&str, &str)]| verdicts(&talk(&sensor, turns));
    let found = |source: &str, failed: &str| vec![(source.to_owned(), failed.to_owned())];
    assert_eq!(
        verdict(&[("client", "my card"), ("client", "number")]),
        found("**** \n**mber".replace(' ', "").as_str(), "")
    );
    assert_eq!(verdict(&[("client", "no card"), ("client", "number")]), found("****\n**mber", "negated"));
    assert_eq!(
        verdict(&[("agent", "card"), ("agent", "number"), ("client", "yes")]),
        found("****\n**mber", "role")
    );
    assert_eq!(
        verdict(&[("client", "not the 4111 1111"), ("client", "1111 1111")]),
        found("4111 1111\n1111 1111", "except negated")
    );
    assert_eq!(
        verdict(&[("client", "the 4111 1111"), ("client", "1111 1112")]),
        found("**** ****\n**** 1112", "checksum")
    );
}

#[test]
fn windows_are_unfolded_as_well() {
    let sensor = sensor(EVERYTHING, CARD);
    let reading = talk(
        &sensor,
        &[
            ("client", "four triple one, 1111"),
            ("agent", "mhm"),
            ("client", "double one one one and"),
            ("client", "x"),
        ],
    );
    assert!(reading.evidence().next().is_none());
    let reading = talk(
        &sensor,
        &[("client", "so: four triple one, 1111"), ("agent", "mhm"), ("client", "1111 double one one 1 and")],
    );
    let found: Vec<_> = reading.evidence().collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].range.clone(), found[0].joined[0].range.clone()), (4..25, 0..21));
}

#[test]
fn long_hostile_texts_are_read_in_time() {
    let sensor = sensor(
        EVERYTHING,
        r#"{"label": "m", "strong": "(a|so|x y)\n<pan>\n<number>", "join": "10 turns", "repeat": "all"}"#,
    );
    for part in ["a ", "1", "o", "so0 ", "one ", "a1!", "р"] {
        let content = part.repeat(200_000 / part.len());
        let reading = text(&sensor, &content);
        assert!(reading.evidence().all(|found| content.get(found.range).is_some()));
    }
    let turns: Vec<(&str, &str)> = (0..3_000).map(|_| ("x", "s0 a 1 one x")).collect();
    assert!(talk(&sensor, &turns).evidence().count() > 3_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn evidence_lies_in_the_original_and_nothing_counts_twice(
        turns in prop::collection::vec(
            ("[xyz]", prop::collection::vec(
                "[a-c]|so|sooo|s0|[ .-]|41{3}|1111 1111|one |double |[аос]|[é中👍\\u{200b}\\u{301}]|not |\\. ", 0..12,
            )),
            1..8,
        ),
    ) {
        let sensor = sensor(
            EVERYTHING,
            r#"{"label": "so", "strong": "(so|a &2 b)", "join": "3 turns", "negation": "drop", "except": "b so", "repeat": "all"},
                {"label": "digits", "strong": "/[0-9 ]{2,}/", "join": "2 turns", "repeat": "all"},
                {"label": "pan", "strong": "<pan>", "join": "4 turns", "repeat": "all"}"#,
        );
        let turns: Vec<(&str, String)> = turns.iter().map(|(role, parts)| (role.as_str(), parts.concat())).collect();
        let turns: Vec<(&str, &str)> = turns.iter().map(|(role, text)| (*role, text.as_str())).collect();
        let reading = talk(&sensor, &turns);
        let mut taken: Vec<(&str, usize, std::ops::Range<usize>)> = Vec::new();
        for found in reading.evidence() {
            let first = (found.turn, found.range.clone());
            let place: Vec<_> =
                std::iter::once(first).chain(found.joined.into_iter().map(|s| (s.turn, s.range))).collect();
            prop_assert!(place.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let source: Vec<_> = place.iter().map(|(turn, range)| turns[*turn].1.get(range.clone())).collect();
            prop_assert!(source.iter().all(|part| part.is_some_and(|part| !part.is_empty())), "{:?}", place);
            let source: Vec<&str> = source.into_iter().flatten().collect();
            prop_assert_eq!(source.join("\n"), found.source);
            prop_assert!(place.iter().all(|(turn, _)| turns[*turn].0 == turns[place[0].0].0));
            for (turn, range) in place {
                let twice = taken.iter().any(|(label, other, there)| {
                    (*label, *other) == (found.metamarker, turn) && there.start < range.end && range.start < there.end
                });
                prop_assert!(!twice, "{} {turn} {range:?}", found.metamarker);
                taken.push((found.metamarker, turn, range));
            }
        }
    }
}
