//! A dive from its opening to its card, and what a dive is kept by.

use crate::bench::{Answer, Bench};
use crate::fixture::{self, NONE, ONE, TWO, desk, door, room, stage};
use crate::schema;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sonometer::stage::{Action, Card, Stage, World, replay};
use sonometer_card::Keys;
use sonometer_catalog::Shelf;
use sonometer_service::{Mode, Scope};

pub(crate) fn bench(stages: &[&str]) -> Bench {
    let bench = fixture::bench();
    stages.iter().for_each(|stage| bench.publish("acme", stage));
    bench
}

pub(crate) fn open(bench: &Bench, token: &str, body: &Value) -> Answer {
    bench.post_as(token, "/api/v1/dive/open", body)
}

/// The path of a dive that is opened.
#[track_caller]
pub(crate) fn opened(bench: &Bench, token: &str, body: &Value) -> String {
    let opened = open(bench, token, body).good("DiveOpen");
    format!("/api/v1/dive/{}", opened["dive_id"].as_str().expect("is text"))
}

pub(crate) fn act(bench: &Bench, token: &str, dive: &str, action: &str, turn: Option<u64>) -> Answer {
    let mut body = json!({"action": action});
    turn.iter().for_each(|turn| body["turn"] = json!(turn));
    bench.post_as(token, &format!("{dive}/act"), &body)
}

pub(crate) fn close(bench: &Bench, token: &str, dive: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    bench.send("POST", &format!("{dive}/close"), &[("Authorization", &bearer)], b"")
}

/// The public keys as verifiers take them.
pub(crate) fn keys(bench: &Bench) -> (Keys, Vec<String>) {
    let told = bench.send("GET", "/api/v1/keys", &[], b"").good("Keys");
    let mut states = Vec::new();
    let mut text = String::new();
    for key in told["keys"].as_array().expect("is a list") {
        let bytes =
            URL_SAFE_NO_PAD.decode(key["public_key"].as_str().expect("is text")).expect("is base64url");
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        text.push_str(&format!("{digits}\n"));
        states.push(key["status"].as_str().expect("is text").to_owned());
    }
    let keys = Keys::read(&text).expect("are keys");
    for (key, told) in keys.iter().zip(told["keys"].as_array().expect("is a list")) {
        assert_eq!(told["key_id"], json!(key.id()));
    }
    (keys, states)
}

/// A card whose signature holds.
#[track_caller]
pub(crate) fn verified(bench: &Bench, card: &str) -> Card {
    sonometer_card::verify(card, &keys(bench).0).unwrap_or_else(|wrong| panic!("{wrong}: {card}"))
}

// covers: dive.open.stage_id, dive.open.agent, dive.open.seed, dive.open.200, dive.act.200, dive.act.turn, dive.act.409.turn
// covers: dive.act.409.closed, dive.act.headers, dive.act.history, dive.close.200, dive.close.idempotent, dive.close.summary
// covers: dive.close.signature, dive.close.replay, dive.get.200, dive.status.200, keys.200
#[test]
fn a_dive_from_its_opening_to_its_card() {
    let source = door("");
    let bench = bench(&[&source]);
    let token = bench.test.clone();
    let body = json!({"stage_id": "door", "agent": {"id": "bot", "version": "2"}, "seed": 7});
    let told = open(&bench, &token, &body).good("DiveOpen");
    assert_eq!(
        (&told["seed"], &told["mode"], &told["stage_version"]),
        (&json!(7), &json!("practice"), &json!("1.0"))
    );
    assert_eq!((&told["blueprint_version"], &told["objective"]), (&json!("1.0"), &json!("Get out.")));
    let envelope =
        json!({"access_mode": "free", "share_scorecard": true, "max_turns": 12, "ics_budget": 200});
    assert_eq!(told["envelope"], envelope);
    assert_eq!(told["rules"], json!({"checkpoints": ["out"], "flags": ["sorry"], "max_turns": 12}));
    assert_eq!((&told["observation"]["turn"], &told["observation"]["done"]), (&json!(0), &json!(false)));
    let id = told["dive_id"].as_str().expect("is text").to_owned();
    let dive = format!("/api/v1/dive/{id}");
    assert_eq!(bench.used(Mode::Test), 0, "opening is free");

    let first = act(&bench, &token, &dive, ONE, Some(1));
    let step = first.good("DiveStep");
    assert_eq!(step["observation"], json!({"turn": 1, "world": "He waits.", "done": false}));
    assert_eq!(
        (&step["reading"]["ics"], &step["totals"]["turns"], &step["totals"]["ics"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!((first.number("x-ics-consumed"), first.number("x-ics-remaining")), (1, 9_999));
    let again = act(&bench, &token, &dive, ONE, Some(1));
    assert_eq!((&again.body, again.number("x-ics-consumed")), (&first.body, 0));
    assert_eq!(again.header("idempotency-replayed"), "true");
    for (action, turn) in [(TWO, 1), (ONE, 3), (ONE, 1_000)] {
        let refused = act(&bench, &token, &dive, action, Some(turn));
        refused.is(409, "turn_conflict");
        assert_eq!(refused.details()["turn"], json!(2));
    }
    let look = bench.get(&dive).good("Dive");
    let wanted = json!({"dive_id": id, "stage_id": "door", "status": "open", "turns": 1, "observation": step["observation"]});
    assert_eq!(look, wanted);
    assert_eq!(
        bench.get(&format!("{dive}/status")).good("DiveStatus"),
        json!({"dive_id": id, "status": "open", "turns": 1})
    );

    assert_eq!(act(&bench, &token, &dive, NONE, None).good("DiveStep")["reading"]["ics"], json!(0));
    let last = act(&bench, &token, &dive, TWO, None).good("DiveStep");
    assert_eq!(last["observation"], json!({"turn": 3, "world": "He nods.\nYou are out.", "done": true}));
    let over = act(&bench, &token, &dive, ONE, None);
    over.is(409, "dive_closed");
    assert_eq!(over.details()["reason"], json!("world_ended"));
    assert_eq!(bench.used(Mode::Test), 3);
    let history = bench.get("/api/v1/usage/history").good("History");
    assert_eq!(
        (&history["totals"]["ics"], &history["totals"]["analyses"]),
        (&json!(3), &json!(2)),
        "what is free is no entry"
    );
    assert_eq!(history["entries"][0]["target"], json!({"type": "protocol", "id": "desk", "version": "1.0"}));

    let closed = bench.post(&format!("{dive}/close"), &json!({"summary": "Out \u{1f6aa}."}));
    let card = closed.good("StageCard");
    assert_eq!((&card["verdict"]["passed"], &card["summary"]), (&json!(true), &json!("Out \u{1f6aa}.")));
    assert_eq!((&card["agent"], &card["seed"]), (&json!({"id": "bot", "version": "2"}), &json!(7)));
    assert_eq!(
        (&card["totals"]["ics"], &card["seed_source"], &card["dive_id"]),
        (&json!(3), &json!("caller"), &json!(id))
    );
    assert_eq!(bench.post(&format!("{dive}/close"), &json!({"summary": "Other."})).body, closed.body);
    assert_eq!(close(&bench, &token, &dive).body, closed.body);
    let look = bench.get(&dive).good("Dive");
    assert_eq!((&look["status"], &look["turns"], &look["stagecard"]), (&json!("closed"), &json!(3), &card));
    assert_eq!(look["observation"], last["observation"]);
    assert_eq!(act(&bench, &token, &dive, ONE, Some(1)).body, first.body, "what was answered is kept");
    act(&bench, &token, &dive, ONE, Some(4)).is(409, "dive_closed");
    assert_eq!(bench.used(Mode::Test), 3);
    bench.ledger_is_right();

    let verified = verified(&bench, &closed.body);
    let changed = closed.body.replace("\"passed\":true", "\"passed\":false");
    assert!(sonometer_card::verify(&changed, &keys(&bench).0).is_err());
    let shelf = Shelf::default().read(&[desk("1.0", "1.0", "published")]).expect("reads");
    let world = World::new(Stage::read(&source).expect("reads").0, &shelf).expect("stands");
    let actions = [ONE, NONE, TWO].map(Action::new);
    replay(&world, &verified, &actions).expect("is what the engine computes");
    assert!(replay(&world, &verified, &[ONE, ONE, TWO].map(Action::new)).is_err());
}

// covers: dive.open.seed
#[test]
fn without_a_seed_the_service_draws_one() {
    let bench = bench(&[&door("")]);
    let drawn = |body: Value| {
        open(&bench, &bench.live, &body).good("DiveOpen")["seed"].as_u64().expect("is a number")
    };
    let seeds: Vec<u64> = (0..4).map(|_| drawn(json!({"stage_id": "door"}))).collect();
    assert!(
        seeds.iter().all(|seed| *seed < 1 << 53) && seeds.windows(2).any(|two| two[0] != two[1]),
        "{seeds:?}"
    );
    assert_eq!(drawn(json!({"stage_id": "door@1.0", "seed": (1_u64 << 53) - 1})), (1 << 53) - 1);
    let worlds: Vec<Value> = (0..16)
        .map(|seed| open(&bench, &bench.test, &json!({"stage_id": "door", "seed": seed})).json()["observation"]["world"].clone())
        .collect();
    assert!(worlds.iter().any(|world| *world != worlds[0]), "the seed varies the world");
}

// covers: dive.open.400, dive.open.401, dive.open.404, dive.get.404, dive.scope
#[test]
fn what_is_wrong_or_not_there_or_of_others() {
    let bench = bench(&[&door("")]);
    for (body, place) in [
        (json!({}), "stage_id"),
        (json!({"stage_id": ""}), "stage_id"),
        (json!({"stage_id": 1}), "stage_id"),
        (json!({"stage_id": "door", "seed": 1_u64 << 53}), "seed"),
        (json!({"stage_id": "door", "seed": -1}), "seed"),
        (json!({"stage_id": "door", "agent": {"version": "1"}}), "agent.id"),
        (json!({"stage_id": "door", "mode": "graded"}), "mode"),
    ] {
        let refused = bench.post("/api/v1/dive/open", &body);
        refused.is(400, "invalid_request");
        assert_eq!(refused.details()["place"], json!(place), "{body}");
    }
    bench.post_as("", "/api/v1/dive/open", &json!({"stage_id": "door"})).is(401, "unauthorized");
    let other = bench.org("other");
    for stage in ["door", "door@9", "nothing", "door@1.0@1.0", "\u{1f6aa}"] {
        open(&bench, &other, &json!({"stage_id": stage})).is(404, "target_not_found");
    }
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "door"}));
    for token in [&other, &bench.live] {
        bench.get_as(token, &dive).is(404, "dive_not_found");
        bench.get_as(token, &format!("{dive}/status")).is(404, "dive_not_found");
        act(&bench, token, &dive, ONE, None).is(404, "dive_not_found");
        close(&bench, token, &dive).is(404, "dive_not_found");
    }
    bench.get("/api/v1/dive/dive_nothing").is(404, "dive_not_found");
    bench.get("/api/v1/dive/%27%20or%201").is(404, "dive_not_found");
    for body in [
        json!({}),
        json!({"action": 1}),
        json!({"action": "a", "turn": 0}),
        json!({"action": "a", "turn": 1.5}),
    ] {
        bench.post(&format!("{dive}/act"), &body).is(400, "invalid_request");
    }
    for body in [json!({"summary": ""}), json!({"summary": "a".repeat(4_001)}), json!({"note": "a"})] {
        bench.post(&format!("{dive}/close"), &body).is(400, "invalid_request");
    }
    let (_, narrow) = bench.token(Mode::Test, &[Scope::Sense, Scope::Read]);
    open(&bench, &narrow, &json!({"stage_id": "door"})).is(403, "forbidden");
    act(&bench, &narrow, &dive, ONE, None).is(403, "forbidden");
    close(&bench, &narrow, &dive).is(403, "forbidden");
    bench.get_as(&narrow, &dive).is(403, "forbidden");
    bench.get_as(&narrow, &format!("{dive}/status")).is(403, "forbidden");
    assert_eq!(bench.get(&dive).good("Dive")["status"], json!("open"), "nothing of it changed the dive");
}

// covers: dive.act.422, dive.close.readings, dive.act.200
#[test]
fn a_stage_that_shares_no_readings_and_takes_short_actions() {
    let bench = bench(&[&door("envelope: {share_scorecard: false, max_turns: 2, max_action_chars: 60}")]);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "door"}));
    let long = act(&bench, &bench.test, &dive, &"ä".repeat(61), None);
    long.is(422, "action_too_long");
    assert_eq!(long.details()["limit"], json!(60));
    let step = act(&bench, &bench.test, &dive, ONE, None).good("DiveStep");
    assert_eq!((step.get("reading"), &step["totals"]), (None, &json!({"ics": 1, "turns": 1})));
    assert_eq!(
        act(&bench, &bench.test, &dive, "", None).good("DiveStep")["observation"]["done"],
        json!(true)
    );
    let closed = close(&bench, &bench.test, &dive);
    let card = closed.good("StageCard");
    assert_eq!((card.get("readings"), &card["verdict"]["reason"]), (None, &json!("max_turns")));
    assert_eq!(verified(&bench, &closed.body).readings, None);
    assert_eq!(bench.get(&dive).good("Dive")["stagecard"].get("readings"), None);
}

// covers: keys.rotation, keys.200
#[test]
fn a_rotation_leaves_old_cards_valid() {
    let bench = bench(&[&door("")]);
    let card = || {
        let dive = opened(&bench, &bench.test, &json!({"stage_id": "door"}));
        close(&bench, &bench.test, &dive).body
    };
    let before = card();
    assert_eq!(keys(&bench).1, ["current"]);
    bench.runtime.block_on(bench.service.rotate_signing_key()).expect("rotates");
    let after = card();
    let (all, states) = keys(&bench);
    assert_eq!(states, ["current", "retired"]);
    let by = |card: &str| {
        sonometer_card::verify(card, &all).expect("is valid").signature.expect("is there")[8..24].to_owned()
    };
    assert_ne!(by(&before), by(&after));
    assert_eq!(all.iter().next().map(sonometer_card::PublicKey::id), Some(by(&after)));
}

// covers: dive.frozen
#[test]
fn what_changes_around_an_open_dive_changes_nothing_in_it() {
    let bench = bench(&[&door("")]);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "door"}));
    assert_eq!(act(&bench, &bench.test, &dive, ONE, None).good("DiveStep")["totals"]["ics"], json!(1));
    // Nothing is thanks to the newer desk, and the newer door never opens.
    let deaf = desk("2.0", "1.0", "published").replace("strong: thank you", "strong: much obliged");
    bench.publish("acme", &deaf.replace("weak: thankful", "weak: obliged"));
    bench.publish(
        "acme",
        &stage("door", "2.0", "fired(sorry) and fired(thanks)", "much obliged to you and so sorry", ""),
    );
    bench.runtime.block_on(async {
        bench.service.archive_stage("acme", "door", "1.0").await.expect("is there");
        bench
            .service
            .archive("acme", sonometer::TargetKind::Protocol, "desk", "1.0")
            .await
            .expect("is there");
    });
    let newer = open(&bench, &bench.test, &json!({"stage_id": "door"})).good("DiveOpen");
    assert_eq!((&newer["stage_version"], &newer["blueprint_version"]), (&json!("2.0"), &json!("2.0")));
    // Another process has nothing of it in its memory.
    let other = bench.second_node();
    let bearer = format!("Bearer {}", bench.test);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = json!({"action": TWO}).to_string();
    let step =
        crate::bench::send(other, "POST", &format!("{dive}/act"), &headers, body.as_bytes()).good("DiveStep");
    assert_eq!((&step["totals"]["ics"], &step["observation"]["done"]), (&json!(3), &json!(true)));
    let card = close(&bench, &bench.test, &dive).good("StageCard");
    assert_eq!((&card["verdict"]["passed"], &card["stage"]["version"]), (&json!(true), &json!("1.0")));
    open(&bench, &bench.test, &json!({"stage_id": "door@1.0"})).good("DiveOpen");
}

// covers: dive.publish, dive.open.mode
#[test]
fn stages_are_published_for_good_or_as_drafts() {
    let bench = bench(&[&door("")]);
    let publish = |source: &str| bench.runtime.block_on(bench.service.publish("acme", source));
    let same = publish(&door("")).expect("the same again changes nothing");
    assert_eq!((same.kind, same.status.as_str()), ("stage", "published"));
    let refused = |source: &str, part: &str| {
        let refusal = publish(source).expect_err(part);
        assert!(refusal.to_string().contains(part), "{refusal}");
    };
    refused(&door("").replace("Get out.", "Get in."), "never changes");
    refused(&door("").replace("id: door", "id: billing-dispute"), "is built into the service");
    refused(&room("").replace("protocol: desk", "protocol: dusk"), "dusk");
    refused(&room("").replace("fired(sorry) and", "fired(sory) and"), "sory");
    refused(&room("").replace("  silence: {expect: fail, say: [\".\"]}\n", ""), "silen");
    refused(&room("").replace("expect: pass", "expect: fail"), "walkthrough");
    let draft =
        stage("door", "1.1", "fired(greeting)", "good morning to you", "").replace("published", "draft");
    assert_eq!(publish(&draft).expect("is a draft").status, "draft");
    let told = open(&bench, &bench.live, &json!({"stage_id": "door"})).good("DiveOpen");
    assert_eq!((&told["stage_version"], &told["mode"]), (&json!("1.0"), &json!("graded")));
    let told = open(&bench, &bench.live, &json!({"stage_id": "door@1.1"})).good("DiveOpen");
    assert_eq!(
        (&told["stage_version"], &told["mode"]),
        (&json!("1.1"), &json!("practice")),
        "a draft can still change"
    );
    for more in ["publication: {modes: [graded]}", "publication: {modes: [practice]}"] {
        let (id, mode) = if more.contains("graded") { ("strict", "graded") } else { ("lax", "practice") };
        bench.publish("acme", &door(more).replace("id: door", &format!("id: {id}")));
        for token in [&bench.test, &bench.live] {
            assert_eq!(open(&bench, token, &json!({"stage_id": id})).good("DiveOpen")["mode"], json!(mode));
        }
    }
    schema::check("DiveOpen", &told);
}
