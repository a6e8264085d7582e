//! What the blueprint for debates and the protocols under it say of talks of our own: an attack, a calm end, a bare remark, friction.

use sonometer::{Blueprint, Instrument, Interaction, Protocol, Reading, Sensor, Unit};
use sonometer_catalog::{Shipped, find_blueprint};

const OPENING: &str = "a: Cities should close their centres to cars, since the air is better without them.\n\
     b: I see your point, but how would the elderly get to their doctors?\n";

/// A talk of lines `role: text`.
fn talk(lines: &str) -> Interaction {
    let turn = |line: &str| {
        let (role, content) = line.split_once(": ").expect("a role and a text");
        serde_json::json!({"role": role, "content": content})
    };
    let turns: Vec<_> = lines.lines().map(|line| turn(line.trim())).collect();
    Interaction::from_json(&serde_json::json!({ "segments": turns }).to_string()).expect("is a talk")
}

/// The debate with its last turn.
fn debate(last: &str) -> Reading {
    let (blueprint, _) =
        Blueprint::read(find_blueprint("respectful-debate", None).expect("ships").source).expect("reads");
    let whole = Instrument::blueprint(&blueprint, &Shipped).expect("stands");
    whole.sense(&talk(&format!("{OPENING}a: {last}"))).expect("is measured")
}

/// The score of one protocol of it: courtesy, personal-attack, argument.
fn part(reading: &Reading, id: &str) -> Unit {
    let sensors = reading.instrument().sensors();
    let at = sensors.iter().position(|sensor| sensor.protocol().id == id).expect("is a part");
    reading.part_score(at).expect("is sufficient")
}

const REASON: &str = "I think that is a fair question, thank you. Trams could help: for example, some towns let taxis for patients in, \
     so they might still reach a doctor, and the streets would be safer for everybody.";

#[test]
fn an_attack_makes_a_worse_debate_and_is_named() {
    let (calm, attack) = (debate(REASON), debate("You are an idiot and you clearly can't read. Shut up."));
    assert!(attack.score() < calm.score(), "{:?} {:?}", attack.score(), calm.score());
    let half = Unit(500_000);
    assert!(part(&attack, "personal-attack") >= half && part(&calm, "personal-attack") < half);
    let named: Vec<&str> = attack.triggered().collect();
    for marker in ["personal_attack", "insult", "abuse"] {
        assert!(named.iter().any(|label| label.ends_with(marker)), "{marker} is missing in {named:?}");
        assert!(!calm.triggered().any(|label| label.ends_with(marker)), "{marker} in a calm talk");
    }
}

#[test]
fn a_reason_is_a_better_argument_than_a_bare_remark() {
    let (reason, bare) = (debate(REASON), debate("no way lol"));
    assert!(part(&reason, "argument") > part(&bare, "argument"));
}

#[test]
fn what_was_said_earlier_decides_little() {
    let calm = debate(REASON);
    let earlier = format!("{OPENING}a: You are an idiot.\nb: That was rude.\na: {REASON}");
    let (blueprint, _) =
        Blueprint::read(find_blueprint("respectful-debate", None).expect("ships").source).expect("reads");
    let reading = Instrument::blueprint(&blueprint, &Shipped)
        .expect("stands")
        .sense(&talk(&earlier))
        .expect("is measured");
    assert!(reading.triggered().any(|label| label.ends_with("insult")));
    // The insult weighs an eighth of the last turn.
    let (with, without) = (part(&reading, "personal-attack").0, part(&calm, "personal-attack").0);
    assert!(with > without && with - without <= 125_000, "{with} {without}");
}

/// `spread` of `friction`: many kinds of rub against one.
#[test]
fn friction_spreads_where_many_kinds_come_together() {
    let entry = sonometer_catalog::find("friction", None).expect("ships");
    let sensor = Sensor::new(Protocol::read(entry.source).expect("reads").0).expect("compiles");
    let spread = |lines: &str| {
        let reading = sensor.sense(&talk(lines)).expect("is measured");
        reading.signal().expect("is on SGM 1.5").spread
    };
    let many = "a: We need all the water, my children get sick without it.\n\
         b: No, we can't do that. How about one for you?\n\
         a: That is ridiculous. Give me two, at least.\n\
         b: Okay, I guess.";
    let one = "a: I need the water. I need it badly.\n\
         b: Sure, you take the water, and I take the wood.\n\
         a: That sounds perfect, thank you.\n\
         b: Wonderful, we have a deal.";
    assert!(spread(many) > Unit(500_000) && spread(one) == Unit(0), "{:?} {:?}", spread(many), spread(one));
}
