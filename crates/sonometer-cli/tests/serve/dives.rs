//! Dives under SIGKILL, dives that somebody left, and their administration.

use crate::{Served, admin, done, folder, post, request, usage};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What is said in a dive, turn by turn.
const SAY: [&str; 3] = [
    "I am so sorry about this, it must be really frustrating.",
    "I am so sorry. Is there a customer number on your letter, please?",
    "I understand how frustrating that is, and I am sorry.",
];

/// What was asked for and what was told, by path and body.
type Told = Arc<Mutex<BTreeMap<(String, String), Option<String>>>>;

fn field<'a>(answer: &'a str, name: &str) -> &'a str {
    let (_, behind) =
        answer.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{name}: {answer}"));
    behind.trim_start_matches('"').split(['"', ',', '}']).next().unwrap_or_default()
}

/// Opens dives and acts in them until the server is gone.
fn dive_on(address: &str, token: &str, client: &str, told: &Told, over: &AtomicBool) {
    let ask = |path: String, key: &str, body: String| {
        told.lock().expect("sound").entry((path.clone(), body.clone())).or_insert(None);
        let answer = post(address, token, &path, key, &body)?;
        assert_eq!(answer.0, 200, "{path} {body}: {}", answer.2);
        told.lock().expect("sound").insert((path, body), Some(answer.2.clone()));
        Some(answer.2)
    };
    for number in 0.. {
        let key = format!("{client}-{number}");
        let body =
            format!(r#"{{"stage_id": "billing-dispute", "seed": {number}, "agent": {{"id": "{key}"}}}}"#);
        let Some((200, _, opened)) = post(address, token, "/api/v1/dive/open", &key, &body) else { return };
        let dive = format!("/api/v1/dive/{}", field(&opened, "dive_id"));
        for turn in 1.. {
            if over.load(Ordering::SeqCst) {
                return;
            }
            let body = format!(r#"{{"turn": {turn}, "action": "{}"}}"#, SAY[turn % SAY.len()]);
            let Some(answer) = ask(format!("{dive}/act"), "", body) else { return };
            if field(&answer, "done") == "true" {
                break;
            }
        }
        if ask(format!("{dive}/close"), "", "{}".to_owned()).is_none() {
            return;
        }
    }
}

#[test]
fn a_kill_in_the_middle_of_dives_loses_nothing_and_doubles_nothing() {
    let folder = folder("dives");
    let mut served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for round in 0..3_u64 {
        let told = Told::default();
        let over = Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = (0..6)
            .map(|client| {
                let (told, over) = (told.clone(), over.clone());
                let (address, token, client) =
                    (served.address.clone(), token.clone(), format!("{round}-{client}"));
                thread::spawn(move || dive_on(&address, &token, &client, &told, &over))
            })
            .collect();
        let begun = Instant::now();
        // Some answers first: a machine that is busy with other things needs its time.
        while told.lock().expect("sound").values().flatten().count() < 10 {
            assert!(begun.elapsed() < Duration::from_secs(60), "nobody dives");
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(300 + 200 * round));
        served.signal("-KILL");
        over.store(true, Ordering::SeqCst);
        clients.into_iter().for_each(|client| client.join().expect("ends well"));
        drop(served);
        assert!(done(&folder, &["check"]).contains("0 wrong"));
        served = Served::start(&folder, &[]);
        let told = told.lock().expect("sound").clone();
        for ((path, body), before) in &told {
            let (status, consumed, answer) = post(&served.address, &token, path, "", body).expect("answers");
            assert_eq!(status, 200, "{path} {body}: {answer}");
            if let Some(before) = before {
                assert_eq!((consumed, &answer), (0, before), "what was answered is kept");
            }
            let ics = answer.rsplit_once("\"totals\":").map(|(_, totals)| field(totals, "ics").parse());
            let ics: u64 = ics.expect("has totals").expect("is a number");
            let dive = all.entry(path.rsplit_once('/').expect("is a path").0.to_owned()).or_default();
            *dive = ics.max(*dive);
        }
        let used: u64 = all.values().sum();
        let (_, body) = usage(&served.address, &token);
        assert!(body.contains(&format!("\"used\":{used},")), "{} dives, {used} ICS: {body}", all.len());
        assert!(used > 0 && done(&folder, &["check"]).contains("0 wrong"));
        println!("round {round}: {} requests, {} dives, {used} ICS", told.len(), all.len());
    }
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn dives_that_somebody_left_and_the_administration_of_stages() {
    let folder = folder("idle");
    let served = Served::start(&folder, &["--dive-idle", "1"]);
    let token = served.token();
    let open = |token: &str, body: &str| {
        post(&served.address, token, "/api/v1/dive/open", "", body).expect("answers")
    };
    let get = |token: &str, path: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        request(&served.address, &head).expect("answers").2
    };
    let (status, _, opened) = open(&token, r#"{"stage_id": "drinking-less", "agent": {"id": "left"}}"#);
    assert_eq!(status, 200, "{opened}");
    let id = field(&opened, "dive_id").to_owned();
    let begun = Instant::now();
    let card = loop {
        let look = get(&token, &format!("/api/v1/dive/{id}"));
        if let Some((_, card)) = look.split_once("\"stagecard\":") {
            break card.trim_end_matches('}').to_owned() + "}}";
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{look}");
        thread::sleep(Duration::from_millis(50));
    };
    assert!(card.contains("closed_early"), "{card}");
    let listed = done(&folder, &["dives", "first"]);
    assert!(
        listed.contains(&id) && listed.contains("drinking-less@1.0  practice  failed  0  left"),
        "{listed}"
    );

    let (_, _, card) =
        post(&served.address, &token, &format!("/api/v1/dive/{id}/close"), "", "{}").expect("answers");
    let old = done(&folder, &["keys"]);
    fs::write(folder.join("card.json"), &card).expect("can be written");
    fs::write(folder.join("keys.txt"), done(&folder, &["keys", "--rotate"])).expect("can be written");
    let verify = |card: &str| {
        let verify = ["dive", "verify", card, "--keys", "keys.txt"];
        let command =
            Command::new(env!("CARGO_BIN_EXE_sonometer")).args(verify).current_dir(&folder).output();
        command.expect("starts").status.code()
    };
    assert_eq!(verify("card.json"), Some(0), "the old key is told still: {old}");
    fs::write(folder.join("changed.json"), card.replace("\"left\"", "\"right\"")).expect("can be written");
    assert_eq!(verify("changed.json"), Some(1));

    let stage = "sonometer_stage: 1\nid: own\nversion: \"1\"\nstatus: published\nprotocol: courtesy@1.0\nobjective: Thank.\n\
        publication: {password: argon2id}\nstart: a\nscenes:\n  a:\n    world: Hello.\n    do:\n      - when: fired(gratitude)\n        go: b\n\
        \x20     - otherwise: stay\n  b: {end: true}\ncheckpoints: {b: reached(b)}\nwalkthroughs:\n  well: {expect: pass, say: [Thank you so much.]}\n";
    fs::write(folder.join("own.yaml"), stage).expect("can be written");
    let (code, _, err) = admin(&folder, &["publish", "first", "own.yaml"]);
    assert!(code == 2 && err.contains("walkthroughs lack"), "{err}");
    let whole = format!(
        "{stage}  silence: {{expect: fail, say: [\".\"]}}\n  parrot: {{expect: fail, say: [hello, out, end]}}\n"
    );
    fs::write(folder.join("own.yaml"), whole).expect("can be written");
    assert!(done(&folder, &["publish", "first", "own.yaml"]).contains("stage own@1 is published: sha256:"));
    assert!(done(&folder, &["shelf", "first"]).contains("stage  own@1  published"));
    fs::write(folder.join("password"), "hello to all\n").expect("can be written");
    let set = done(&folder, &["stage-access", "first", "own", "--mode", "session", "--password", "password"]);
    assert_eq!(set, "first own  access: session, password: yes\n");
    let session = done(&folder, &["open-session", "first", "own", "--until", "2200-01-01"]);
    let session = session.trim();
    done(&folder, &["create-org", "guest"]);
    let made = done(&folder, &["create-token", "guest"]);
    let (guest_id, guest) = made.trim().split_once('\n').expect("two lines");
    let ask = |password: &str| {
        open(guest, &format!(r#"{{"stage_id": "own", "session_id": "{session}", "password": "{password}"}}"#))
            .0
    };
    assert_eq!((ask("hello to some"), ask("hello to all")), (403, 200));
    let set = done(&folder, &["stage-access", "first", "own", "--mode", "entitled", "--no-password"]);
    assert_eq!(set, "first own  access: entitled, password: no\n");
    assert_eq!(open(guest, r#"{"stage_id": "own"}"#).0, 404);
    done(&folder, &["invite", "first", "own", guest_id]);
    assert_eq!(open(guest, r#"{"stage_id": "own"}"#).0, 403);
    done(&folder, &["entitle", "first", "own", "guest"]);
    assert_eq!(open(guest, r#"{"stage_id": "own"}"#).0, 200);
    done(&folder, &["archive", "first", "stage", "own", "1"]);
    assert_eq!(
        (open(guest, r#"{"stage_id": "own"}"#).0, open(guest, r#"{"stage_id": "own@1"}"#).0),
        (404, 200)
    );
    for wrong in [
        &["entitle", "first", "none", "guest"][..],
        &["invite", "first", "own", "tok_0"],
        &["entitle", "first", "own", "none"],
    ] {
        assert_eq!(admin(&folder, wrong).0, 2, "{wrong:?}");
    }
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
