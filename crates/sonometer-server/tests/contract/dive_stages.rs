//! A scripted agent dives over HTTP through every stage that ships, and everything is computed again without the service.

use crate::dives::{act, bench, close, keys, opened};
use crate::fixture::{ONE, room};
use serde_json::json;
use sonometer::stage::{Action, Reason, Stage, World, replay};
use sonometer_catalog::ForStages;
use sonometer_service::Mode;
use std::collections::BTreeSet;

// covers: dive.stages, dive.close.signature, dive.close.replay
#[test]
fn through_every_stage_to_every_kind_of_end() {
    let bench = bench(&[]);
    bench.account(Mode::Live, |settings| settings.quota = 1_000_000);
    let (token, keys) = (bench.live.clone(), keys(&bench).0);
    let mut paid = 0;
    for entry in sonometer_catalog::stages() {
        let world = World::new(Stage::read(entry.source).expect(entry.id).0, &ForStages).expect(entry.id);
        let turns = world.stage().envelope.max_turns as usize;
        let mut scripts: Vec<(u64, Vec<String>)> =
            world.stage().walkthroughs.iter().map(|(_, run)| (run.seed, run.say.clone())).collect();
        // All that fails is said in one breath and again, which costs much; and nothing but small talk, which costs time.
        let failing = world.stage().walkthroughs.iter().filter(|(_, run)| !run.passes);
        let all: Vec<&str> = failing.flat_map(|(_, run)| run.say.iter().map(String::as_str)).collect();
        let breath: String =
            all.join(" ").chars().take(world.stage().envelope.max_action_chars as usize).collect();
        scripts.push((1, vec![breath; turns]));
        scripts.push((1, vec!["The weather is fine today.".to_owned(); turns]));
        scripts.push((1, vec!["The weather is fine today.".to_owned()]));
        let mut reasons = BTreeSet::new();
        for (number, (seed, says)) in scripts.into_iter().enumerate() {
            let agent = format!("{} {number}", entry.id);
            let dive =
                opened(&bench, &token, &json!({"stage_id": entry.id, "seed": seed, "agent": {"id": agent}}));
            let mut local = world.open(seed);
            let mut actions = Vec::new();
            for (turn, say) in (1..).zip(says) {
                let step = act(&bench, &token, &dive, &say, Some(turn));
                assert_eq!(step.body, local.act(&say).expect("the world goes on").to_json(), "{agent}");
                step.good("DiveStep");
                actions.push(Action::new(say));
                if local.observation().done {
                    break;
                }
            }
            let closed = close(&bench, &token, &dive);
            closed.good("StageCard");
            let card = sonometer_card::verify(&closed.body, &keys)
                .unwrap_or_else(|wrong| panic!("{agent}: {wrong}"));
            replay(&world, &card, &actions).unwrap_or_else(|wrong| panic!("{agent}: {wrong}"));
            assert_eq!(card.verdict, local.verdict(), "{agent}");
            reasons.insert(card.verdict.reason.as_str());
            paid += card.totals.ics;
        }
        assert!(reasons.contains(Reason::Passed.as_str()), "{}: {reasons:?}", entry.id);
        assert!(
            reasons.contains(Reason::ClosedEarly.as_str()) && reasons.len() >= 3,
            "{}: {reasons:?}",
            entry.id
        );
        println!("{}: {reasons:?}", entry.id);
    }
    assert_eq!(bench.used(Mode::Live), paid);
    bench.ledger_is_right();
}

// covers: dive.stages
#[test]
fn a_world_ends_with_its_budget() {
    let bench = bench(&[&room("envelope: {max_turns: 100, ics_budget: 5}")]);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    for turn in 1..=5 {
        let step = act(&bench, &bench.test, &dive, ONE, None).good("DiveStep");
        assert_eq!(step["observation"]["done"], json!(turn == 5));
    }
    let card = close(&bench, &bench.test, &dive).good("StageCard");
    assert_eq!((&card["verdict"]["reason"], &card["totals"]["ics"]), (&json!("ics_budget"), &json!(5)));
}
