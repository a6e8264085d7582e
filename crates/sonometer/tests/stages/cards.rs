//! Cards: their bytes, and that a changed one is found out.

use super::{COUNTER, counter, world};
use sonometer::stage::{Action, Agent, Attempt, Card, Closing, Mode, Record, SeedSource, World, replay};

const ACTIONS: [&str; 3] = ["I am sorry that it is broken.", "Hm.", "Thank you so much, you are very kind."];

fn closing() -> Closing {
    Closing {
        dive_id: "dive_1".to_owned(),
        mode: Mode::Graded,
        seed_source: SeedSource::Server,
        attempt: Some(Attempt { number: 2, graded_so_far: 3, record: Record::First }),
        agent: Some(Agent { id: "kelp".to_owned(), version: Some("0.3".to_owned()) }),
        summary: Some("All went \"well\".\n".to_owned()),
    }
}

fn dived(world: &World) -> (Card, String) {
    let mut dive = world.open(7);
    let mut log = String::new();
    for action in ACTIONS {
        let step = dive.act(action).expect("goes on");
        log.push_str(&step.log_line(action, &dive.chain()));
        log.push('\n');
    }
    (dive.close(&closing()), log)
}

#[test]
fn the_bytes_of_a_card() {
    let (card, log) = dived(&counter());
    let text = format!("{}\n{log}", card.to_json());
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stages/card.txt");
    if super::blessed() {
        std::fs::write(&path, &text).expect("can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(text, expected, "the bytes of a card changed; read them, then BLESS=1");
    assert_eq!(card.to_json(), dived(&counter()).0.to_json());
}

#[test]
fn every_object_of_a_card_has_its_keys_in_order() {
    fn ordered(node: &serde_json::Value, raw: &str) {
        match node {
            serde_json::Value::Object(entries) => {
                let mut last = 0;
                for (key, value) in entries {
                    let at =
                        raw[last..].find(&format!("\"{key}\":")).expect("stands behind the one before it");
                    last += at;
                    ordered(value, raw);
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| ordered(item, raw)),
            _ => {}
        }
    }
    // serde_json keeps its maps sorted, so that the order of the text is compared with the order of the alphabet.
    let text = dived(&counter()).0.to_json();
    let value: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    assert_eq!(serde_json::to_string(&value).expect("writes"), text);
    ordered(&value, &text);
}

#[test]
fn a_card_reads_back_and_replays() {
    let world = counter();
    let (card, log) = dived(&world);
    let again = Card::read(&card.to_json()).expect("reads");
    assert_eq!(again, card);
    replay(&world, &again, &Action::read_log(&log).expect("reads")).expect("holds");
    let bare: Vec<Action> = ACTIONS.into_iter().map(Action::new).collect();
    replay(&world, &again, &bare).expect("holds");
}

#[test]
fn hidden_readings_are_not_on_the_card_and_still_bound_by_it() {
    let world = world(&COUNTER.replace("{max_turns", "{share_scorecard: false, max_turns"));
    let mut dive = world.open(7);
    let step = dive.act("Thank you, I am sorry.").expect("goes on");
    assert!(!step.to_json().contains("reading") && !step.to_json().contains("score"), "{}", step.to_json());
    let card = dive.close(&closing());
    assert!(!card.to_json().contains("\"readings\"") && card.to_json().contains("\"chain\":\"sha256:"));
    replay(&world, &card, &[Action::new("Thank you, I am sorry.")]).expect("holds");
    // Said otherwise, with the same reading.
    let wrong = replay(&world, &card, &[Action::new("Thank you; I am sorry.")]).expect_err("is found out");
    assert_eq!(wrong.place, "chain");
}

/// Whatever byte of a card is changed: it is not read, or does not hold, and the place is named. Tags that the service
/// alone knows (id, agent, attempt, mode, summary) are held by the signature only.
#[test]
fn a_changed_byte_of_a_card_is_found_out() {
    let world = counter();
    let (card, log) = dived(&world);
    let (text, log) = (card.to_json(), Action::read_log(&log).expect("reads"));
    let mut unbound = 0;
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let told = Card::read(&changed).and_then(|card| replay(&world, &card, &log).map(|()| card));
        match told {
            Err(wrong) => assert!(!wrong.place.is_empty(), "byte {at}: {wrong}"),
            Ok(card) => {
                let same = Card {
                    dive_id: String::new(),
                    agent: None,
                    attempt: None,
                    summary: None,
                    ..card.clone()
                };
                let own = dived(&world).0;
                let own = Card { dive_id: String::new(), agent: None, attempt: None, summary: None, ..own };
                assert_eq!(same, own, "byte {at}");
                unbound += 1;
            }
        }
    }
    assert!(unbound < 60, "{unbound} bytes are bound by nothing but the signature");
}

#[test]
fn a_changed_byte_of_a_log_is_found_out() {
    let world = counter();
    let (card, log) = dived(&world);
    for at in 0..log.len() {
        let mut bytes = log.clone().into_bytes();
        if bytes[at] == b'\n' {
            continue;
        }
        bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let line = log[..at].matches('\n').count() + 1;
        let told = Action::read_log(&changed).and_then(|log| replay(&world, &card, &log));
        let wrong = told.expect_err(&format!("byte {at}: {changed}"));
        let named = wrong.place.starts_with(&format!("line {line}"))
            || wrong.place.starts_with(&format!("step {line}"));
        assert!(named, "byte {at} of line {line}: {wrong}");
    }
}

#[test]
fn a_log_that_lacks_or_adds_a_step_is_found_out() {
    let world = counter();
    let (card, log) = dived(&world);
    let log = Action::read_log(&log).expect("reads");
    assert_eq!(replay(&world, &card, &log[..2]).expect_err("a step lacks").place, "totals.turns");
    let mut longer = log.clone();
    longer.push(Action::new("More."));
    assert_eq!(replay(&world, &card, &longer).expect_err("a step too many").place, "step 4");
    let mut swapped = log;
    swapped.swap(0, 1);
    assert_eq!(replay(&world, &card, &swapped).expect_err("another order").place, "step 1");
}

#[test]
fn sums_that_do_not_add_up_are_named() {
    let (card, _) = dived(&counter());
    let text = card.to_json();
    let wrong = Card::read(&text.replace("\"turns\":3", "\"turns\":2")).expect_err("one lacks");
    assert_eq!(wrong.to_string(), "totals.turns: the readings give 3");
    let wrong =
        Card::read(&text.replace("\"reason\":\"passed\"", "\"reason\":\"max_turns\"")).expect_err("differs");
    assert_eq!(wrong.place, "verdict.reason");
    let wrong = Card::read(&text.replace(",\"status\"", ", \"status\"")).expect_err("a space");
    assert!(wrong.message.contains("canonical"), "{wrong}");
}
