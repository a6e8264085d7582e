//! The shipped stages against scripts that they were not tuned on: `fixtures/stages/unseen.jsonl`.
//!
//! `cargo test -p sonometer-catalog --test unseen -- --nocapture` prints what became of each.

use serde_json::Value;
use sonometer::stage::{Reason, Stage, World};
use sonometer_catalog::{ForStages, find_stage};
use std::collections::BTreeMap;

const SCRIPTS: &str = include_str!("../../../fixtures/stages/unseen.jsonl");
const SEED: u64 = 5;

fn world(id: &str) -> World {
    let entry = find_stage(id, None).expect("ships");
    let (stage, _) = Stage::read(entry.source).expect("can be read");
    World::new(stage, &ForStages).expect("has what senses it")
}

/// Why a script ended as it did: a script that is all said while the world goes on is told from one that failed.
fn came_to(world: &World, say: &[Value]) -> Reason {
    let mut dive = world.open(SEED);
    for action in say {
        if dive.observation().done {
            break;
        }
        dive.act(action.as_str().expect("is a text")).expect("is taken");
    }
    dive.verdict().reason
}

#[test]
fn whoever_does_not_deserve_it_does_not_pass() {
    let mut worlds: BTreeMap<String, World> = BTreeMap::new();
    let (mut good, mut passed, mut under_way, mut bad, mut flagged) = (0, 0, 0, 0, 0);
    for line in SCRIPTS.split_terminator('\n') {
        let script: Value = serde_json::from_str(line).expect("is JSON");
        let text = |key: &str| script[key].as_str().expect(key);
        let (stage, name) = (text("stage"), text("script"));
        let world = worlds.entry(stage.to_owned()).or_insert_with(|| world(stage));
        let reason = came_to(world, script["say"].as_array().expect("say"));
        println!("{stage:<16} {name:<24} deserves {:<5} {}", text("deserves"), reason.as_str());
        if text("deserves") == "pass" {
            good += 1;
            passed += u32::from(reason == Reason::Passed);
            under_way += u32::from(reason == Reason::ClosedEarly);
        } else {
            bad += 1;
            flagged += u32::from(reason == Reason::FlagTripped);
            assert_ne!(reason, Reason::Passed, "{stage}: {name} passes");
        }
    }
    println!(
        "of {good} that deserve it {passed} pass, {under_way} are under way; of {bad} others {flagged} trip a flag"
    );
    assert!(good >= 9 && bad >= 6, "scripts are missing");
    // Another figure is no failure of the stages, but of the page that names these.
    assert_eq!((passed, under_way, flagged), (6, 3, 4), "docs/design/stages.md says otherwise");
}
