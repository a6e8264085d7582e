//! What a step does.

use super::{COUNTER, counter, world};
use sonometer::Unit;
use sonometer::stage::{Closing, Dive, MAX_SEED, Reason, Refused};

fn after(dive: &mut Dive, actions: &[&str]) {
    for action in actions {
        dive.act(action).unwrap_or_else(|refused| panic!("{action}: {refused}"));
    }
}

const SORRY: &str = "I am sorry that it is broken.";
const THANKS: &str = "Thank you so much, you are very kind.";

#[test]
fn the_first_entry_that_applies_moves_the_world() {
    let mut dive = counter().open(7);
    assert!(dive.observation().world.contains("customer"), "{:?}", dive.observation());
    let step = dive.act(SORRY).expect("goes on");
    assert_eq!(step.observation.world, "Fine. (trust 2)\nShall I read you my card?");
    assert_eq!((step.checkpoints, step.flags), (vec!["heard".to_owned()], vec![]));
    assert!(step.measured.on_target && step.measured.score > Unit::ZERO);
    let step = dive.act(THANKS).expect("goes on");
    assert_eq!((step.observation.world.as_str(), step.observation.done), ("Goodbye.", true));
    let verdict = dive.verdict();
    assert_eq!((verdict.passed, verdict.reason), (true, Reason::Passed));
    assert_eq!(verdict.checkpoints_hit, ["heard", "home"]);
    assert_eq!(dive.act("More?").map(|_| ()), Err(Refused::Closed));
}

#[test]
fn verdicts_say_why() {
    let reason = |actions: &[&str]| {
        let mut dive = counter().open(1);
        after(&mut dive, actions);
        dive.verdict().reason
    };
    assert_eq!(reason(&[]), Reason::ClosedEarly);
    assert_eq!(reason(&[SORRY]), Reason::ClosedEarly);
    // Three turns of nothing lead to `gone`, which ends the world with `heard` missing.
    assert_eq!(reason(&["No.", "No.", "No."]), Reason::CheckpointMissing);
    assert_eq!(reason(&[SORRY, "Well.", "Well.", "Well.", "Well.", "Well."]), Reason::MaxTurns);
    assert_eq!(reason(&["Go away, go away, I mean it."]), Reason::FlagTripped);
    assert_eq!(reason(&["It is 4111 1111 1111 1111."]), Reason::FlagTripped);
}

#[test]
fn the_action_that_crosses_the_budget_counts() {
    let world = world(&COUNTER.replace("ics_budget: 9", "ics_budget: 2"));
    let mut dive = world.open(1);
    let step = dive.act(&format!("{SORRY} Thank you.")).expect("goes on");
    assert_eq!((step.measured.ics, step.observation.done), (2, true));
    assert_eq!(dive.verdict().reason, Reason::IcsBudget);
    assert_eq!(dive.totals().turns, 1);
}

#[test]
fn only_the_new_action_counts() {
    let mut dive = counter().open(3);
    let first = dive.act("Thank you. Well then.").expect("goes on");
    // The same words again are worth the same again; what was said before costs nothing now.
    let again = dive.act("Thank you. Well then.").expect("goes on");
    assert_eq!(first.measured, again.measured);
    let nothing = dive.act("Well, what else is there for me to do").expect("goes on");
    assert_eq!((nothing.measured.ics, nothing.sensed.evidence().count()), (0, 0));
}

#[test]
fn the_talk_so_far_is_context() {
    // An echo of what the world has said, which alone is no echo.
    let mut dive = counter().open(3);
    let product = if dive.observation().world.contains("router") { "router" } else { "modem" };
    let step = dive.act(&format!("It sounds like the {product} gave up on you.")).expect("goes on");
    let fired = |step: &sonometer::stage::Step, wanted: &str| {
        step.sensed.resonance().any(|(label, resonance)| label == wanted && resonance.triggered)
    };
    assert!(fired(&step, "echo"), "{:?}", step.sensed.resonance().collect::<Vec<_>>());
    let step = dive.act("It sounds like the moon gave up on you.").expect("goes on");
    assert!(!fired(&step, "echo"));
    // A card dictated over two actions ends in the second.
    let mut dive = counter().open(3);
    assert!(!fired(&dive.act("It is 4111 1111").expect("goes on"), "card"));
    let step = dive.act("1111 1111 and that is it").expect("goes on");
    assert!(fired(&step, "card"));
    assert_eq!((step.flags, step.observation.done), (vec!["card".to_owned()], true));
}

#[test]
fn what_is_not_said_has_no_place_in_an_action() {
    let mut dive = counter().open(3);
    for _ in 0..5 {
        let Ok(step) = dive.act("So that is how it is with you") else { break };
        assert!(
            step.sensed
                .resonance()
                .all(|(label, resonance)| label != "never_greeted" || !resonance.triggered)
        );
    }
}

#[test]
fn an_insufficient_action_has_no_score_but_its_facts() {
    let mut dive = counter().open(3);
    let step = dive.act("").expect("silence is an action");
    assert_eq!((step.measured.score, step.measured.fidelity, step.measured.ics), (Unit::ZERO, Unit::ZERO, 0));
    // Two words are too few for `manners`, and a card is a card.
    let step = dive.act("4111 1111 1111 1111").expect("goes on");
    assert_eq!(step.measured.score, Unit::ZERO);
    assert_eq!(step.flags, ["card"]);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut dive = counter().open(3);
    let before = dive.to_json();
    assert_eq!(dive.act(&"é".repeat(201)).map(|_| ()), Err(Refused::TooLong { chars: 201, most: 200 }));
    assert_eq!(dive.to_json(), before);
    assert!(dive.act(&"é".repeat(200)).is_ok());
}

#[test]
fn seeds_vary_the_words_and_nothing_else() {
    let world = counter();
    let arrivals: std::collections::BTreeSet<String> =
        (0..200).map(|seed| world.open(seed).observation().world).collect();
    assert_eq!(arrivals.len(), 12, "two texts, three moods, two products: {arrivals:?}");
    assert_eq!(world.open(MAX_SEED + 1 + 5).seed(), 5);
    for seed in 0..20 {
        let mut dive = world.open(seed);
        after(&mut dive, &[SORRY, THANKS]);
        assert!(dive.verdict().passed);
    }
}

#[test]
fn variables_stay_within_their_bounds() {
    let world = world(
        &COUNTER
            .replace("turns_here >= 3", "turns_here >= 6")
            .replace("Well?, Hello?, Anybody?", "'{trust}'"),
    );
    let mut dive = world.open(1);
    let seen: Vec<String> = (0..4).map(|_| dive.act("Hm.").expect("goes on").observation.world).collect();
    assert_eq!(seen, ["0", "0", "0", "0"]);
}

#[test]
fn a_dive_goes_on_from_its_text() {
    let world = counter();
    let mut whole = world.open(11);
    let mut parted = world.open(11);
    for action in ["Hm.", SORRY, "And?\u{7}\u{2028} \"quoted\"", THANKS] {
        let step = whole.act(action).expect("goes on");
        let text = parted.to_json();
        parted = world.resume(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
        assert_eq!(parted.act(action).expect("goes on").to_json(), step.to_json());
    }
    let closing = Closing::practice("d");
    assert_eq!(parted.close(&closing).to_json(), whole.close(&closing).to_json());
}

#[test]
fn a_dive_keeps_its_log_also_when_it_is_resumed() {
    let world = counter();
    let mut dive = world.open(5);
    assert!(dive.log().is_empty());
    let mut lines = Vec::new();
    for action in [SORRY, "Well.\n\"Well.\"", THANKS] {
        let step = dive.act(action).expect("goes on");
        lines.push(step.log_line(action, &dive.chain()));
        dive = world.resume(&dive.to_json()).expect("goes on");
        assert_eq!(dive.log(), lines);
    }
    assert_eq!(lines.len(), 3);
}

/// The longest dive that the limits of stages allow is 24 MB; a protocol has 16 MiB at most.
#[test]
fn a_dive_is_read_however_long_its_text_is() {
    let world = counter();
    let text = world.open(1).to_json();
    let spaces = " ".repeat(24 << 20);
    let refused = world.resume(&format!("{spaces}{text}")).expect_err("is not how it was saved");
    assert!(refused.message.contains("the form in which it was saved"), "{refused}");
    assert!(world.resume(&text).is_ok());
}

#[test]
fn a_dive_of_another_stage_is_refused() {
    let text = counter().open(1).to_json();
    let other = world(&COUNTER.replace("Goodbye.", "Farewell."));
    assert_eq!(other.resume(&text).expect_err("another stage").place, "stage");
    assert_eq!(counter().resume("{}").expect_err("nothing").place, "sonometer_dive");
    assert_eq!(
        counter().resume(&text.replace("\"trust\":1", "\"trust\":9")).expect_err("bounds").place,
        "vars.trust"
    );
}
