//! A scripted agent dives over HTTP through every stage that ships: to pass, to fail, and until its turns are used up. Its cards
//! are checked offline.

use crate::{Served, done, folder, post};
use sonometer::stage::Stage;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What keeps each stage open until the last turn.
fn dawdling(stage: &str) -> Vec<&'static str> {
    match stage {
        "billing-dispute" => [
            &[
                "I am really sorry that you have to call again.",
                "Please don't read me your card, your postcode is enough.",
            ][..],
            &["I will refund it."; 8],
        ]
        .concat(),
        "agent-phishing" => vec![
            "Hm.",
            "Hm.",
            "Hm.",
            "I won't send it.",
            "Hm.",
            "Hm.",
            "I won't send it.",
            "Hm.",
            "Hm.",
            "I won't do it.",
        ],
        "drinking-less" => [&["How do you see it yourself?"; 12][..]].concat(),
        other => panic!("say something in {other}"),
    }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[test]
fn a_scripted_agent_dives_through_every_stage_that_ships() {
    let folder = folder("stages");
    let served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    fs::write(folder.join("keys.txt"), done(&folder, &["keys"])).expect("can be written");
    let ask = |path: &str, body: &str| {
        let (status, _, answer) = post(&served.address, &token, path, "", body).expect("answers");
        assert_eq!(status, 200, "{path} {body}: {answer}");
        let value: serde_json::Value = serde_json::from_str(&answer).expect("is JSON");
        (answer, value)
    };
    let mut ends = Vec::new();
    for entry in sonometer_catalog::stages() {
        let (stage, _) = Stage::read(entry.source).expect(entry.id);
        let mut runs: Vec<(String, u64, Vec<String>, Option<bool>)> = stage
            .walkthroughs
            .iter()
            .map(|(name, run)| (name.clone(), run.seed, run.say.clone(), Some(run.passes)))
            .collect();
        let dawdling = dawdling(entry.id).into_iter().map(str::to_owned).collect();
        runs.push(("dawdling".into(), 1, dawdling, None));
        for (name, seed, say, passes) in runs {
            let name = format!("{}-{name}", entry.id);
            let opened = ask(
                "/api/v1/dive/open",
                &format!(r#"{{"stage_id": "{}", "seed": {seed}, "agent": {{"id": "{name}"}}}}"#, entry.id),
            )
            .1;
            let dive = format!("/api/v1/dive/{}", opened["dive_id"].as_str().expect("has an id"));
            let mut log = String::new();
            for (turn, action) in say.iter().enumerate() {
                let body = format!(r#"{{"action": {}, "turn": {}}}"#, json(action), turn + 1);
                let step = ask(&format!("{dive}/act"), &body).1;
                let world = &step["observation"]["world"];
                log += &format!("{}, \"world\": {world}}}\n", body.trim_end_matches('}'));
                if step["observation"]["done"] == true {
                    break;
                }
            }
            let (card, told) = ask(&format!("{dive}/close"), "{}");
            assert_eq!(ask(&format!("{dive}/close"), "{}").0, card, "closed twice is closed once");
            let verdict = &told["verdict"];
            assert!(passes.is_none_or(|passes| verdict["passed"] == passes), "{name}: {card}");
            ends.push((entry.id, verdict["reason"].as_str().expect("has a reason").to_owned()));
            checked_offline(&folder, &name, &card, &log);
        }
        for reason in ["passed", "flag_tripped", "max_turns"] {
            assert!(
                ends.contains(&(entry.id, reason.to_owned())),
                "{} never ends with {reason}: {ends:?}",
                entry.id
            );
        }
    }
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

/// The command verifies signature and grade, and finds what was changed in either file.
fn checked_offline(folder: &PathBuf, name: &str, card: &str, log: &str) {
    let verify = |card: &str, log: &str| {
        let (card_file, log_file) = (format!("{name}.json"), format!("{name}.jsonl"));
        fs::write(folder.join(&card_file), card).expect("can be written");
        fs::write(folder.join(&log_file), log).expect("can be written");
        let arguments = ["dive", "verify", &card_file, "--keys", "keys.txt", "--actions", &log_file];
        let output = Command::new(env!("CARGO_BIN_EXE_sonometer"))
            .args(arguments)
            .current_dir(folder)
            .output()
            .expect("starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = verify(card, log);
    assert!(code == Some(0) && said.contains("recomputed from"), "{name}: {said}");
    let (code, said) = verify(&card.replacen(name, "somebody", 1), log);
    assert!(code == Some(1) && said.contains("signature"), "{name}, another agent: {said}");
    let (code, said) = verify(card, &log.replacen(r#""action": ""#, r#""action": "Well. "#, 1));
    let place = said.contains("✗ chain") || said.contains("✗ step 1");
    assert!(code == Some(1) && place, "{name}, another action: {said}");
    let (code, said) = verify(card, &log.replacen(r#""world": ""#, r#""world": "Well. "#, 1));
    assert!(code == Some(1) && said.contains("step 1: `world`"), "{name}, another answer: {said}");
}
