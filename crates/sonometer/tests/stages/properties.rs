//! Whatever is said: no panic, bounds hold, a replay gives the same bytes, a dive goes on from its text.
//!
//! `SONOMETER_CASES=10000 cargo test --release -p sonometer --test stages` runs as many dives.

use super::counter;
use proptest::prelude::*;
use sonometer::Unit;
use sonometer::stage::{Action, Card, Closing, MAX_SEED, World, replay};

/// Things that this world listens for, and others.
const SAYINGS: [&str; 12] = [
    "I am sorry that it is broken.",
    "Thank you so much, you are very kind.",
    "Go away, go away, I mean it.",
    "It is 4111 1111",
    "1111 1111 1111",
    "So it sounds like the router is the trouble.",
    ".",
    "",
    "{mood} \"}} \\",
    "客户说谢谢 \u{202e}\u{0}",
    "THANK YOU!!! I'm sorry thank you I'm sorry",
    "no no no no",
];

fn action() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(SAYINGS.to_vec()).prop_map(str::to_owned),
        2 => prop::collection::vec(prop::sample::select(SAYINGS.to_vec()), 2..4).prop_map(|parts| parts.join(" ")),
        1 => any::<String>(),
    ]
}

fn dive(world: &World, seed: u64, actions: &[String]) {
    let mut dive = world.open(seed);
    let envelope = world.stage().envelope;
    let mut taken = Vec::new();
    let mut log = String::new();
    for action in actions {
        let before = dive.to_json();
        let mut resumed = world.resume(&before).unwrap_or_else(|wrong| panic!("{wrong}\n{before}"));
        match dive.act(action) {
            Err(refused) => {
                assert_eq!(resumed.act(action).expect_err("is refused again"), refused);
                assert_eq!(dive.to_json(), before, "what is refused changes nothing");
            }
            Ok(step) => {
                assert_eq!(resumed.act(action).expect("is taken again").to_json(), step.to_json());
                let one = Unit::ZERO..=Unit::ONE;
                assert!(one.contains(&step.measured.score) && one.contains(&step.measured.fidelity));
                assert!(one.contains(&step.totals.score) && one.contains(&step.totals.on_target));
                assert_eq!(step.observation.turn as usize, taken.len() + 1);
                let last = step.sensed.interaction().turns().len() - 1;
                let mut evidence = step.sensed.evidence();
                assert!(evidence.all(|found| found.joined.last().map_or(found.turn, |s| s.turn) == last));
                log.push_str(&step.log_line(action, &dive.chain()));
                log.push('\n');
                taken.push(action.clone());
            }
        }
        assert_eq!(resumed.to_json(), dive.to_json());
    }
    assert!(dive.turn() <= envelope.max_turns);
    assert_eq!(dive.observation().done, dive.act("?").is_err());
    let mut dive = world.resume(&dive_of(world, seed, &taken)).expect("goes on");
    let card = dive.close(&Closing::practice("p"));
    let text = card.to_json();
    assert_eq!(Card::read(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}")), card);
    let log = Action::read_log(&log).unwrap_or_else(|wrong| panic!("{wrong}\n{log}"));
    replay(world, &card, &log).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(dive.close(&Closing::practice("p")).to_json(), text, "closing again gives the same card");
    let _ = dive.act("after closing the engine does not mind");
}

fn dive_of(world: &World, seed: u64, actions: &[String]) -> String {
    let mut dive = world.open(seed);
    actions.iter().for_each(|action| {
        dive.act(action).expect("was taken before");
    });
    dive.to_json()
}

#[expect(clippy::disallowed_methods, reason = "a wish of the person at the keyboard, not of a reading")]
fn cases() -> u32 {
    std::env::var("SONOMETER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dives_hold_their_promises(seed in 0..=MAX_SEED, actions in prop::collection::vec(action(), 0..10)) {
        dive(&counter(), seed, &actions);
    }

    #[test]
    fn no_text_of_a_dive_or_card_panics(text in any::<String>(), at in 0_usize..3000, with in any::<char>()) {
        let world = counter();
        let _ = world.resume(&text);
        let _ = Card::read(&text);
        let _ = Action::read_log(&text);
        let whole = dive_of(&world, 1, &["Hm.".to_owned()]);
        let at = (0..=at.min(whole.len() - 1)).rev().find(|at| whole.is_char_boundary(*at)).unwrap_or(0);
        let next = whole[at..].chars().next().map_or(0, char::len_utf8);
        if let Ok(mut dive) = world.resume(&format!("{}{with}{}", &whole[..at], &whole[at + next..])) {
            let _ = dive.act("I am sorry.");
            let _ = dive.close(&Closing::practice("x"));
        }
    }

    #[test]
    fn no_stage_file_panics(text in any::<String>(), guard in "[a-z_()<>=!.0-9 ]{0,40}") {
        let _ = sonometer::stage::Stage::read(&text);
        let _ = sonometer::stage::Stage::read(&super::COUNTER.replace("fired(thanks) and score >= 0.1", &guard));
    }
}
