//! Recordings through the built command, which decodes them in a process apart.
#![cfg(all(feature = "audio", unix))]

mod built;

use built::{command_in, printed, refused, root};
use std::process::Output;

/// The command in the folder of recordings.
fn run(arguments: &[&str]) -> Output {
    let mut command = command_in(&root().join("fixtures/audio"), arguments);
    command.env("PATH", "/usr/bin:/bin").output().expect("starts")
}

#[track_caller]
fn out(arguments: &[&str]) -> String {
    printed(&run(arguments))
}

#[track_caller]
fn refusal(arguments: &[&str]) -> String {
    refused(&run(arguments))
}

/// A recogniser that prints each side of the talk.
const KNOWING: &str = r#"sh -c 'awk -v side=$2 "BEGIN { RS = \"\" } FNR > 1 && /<v agent>/ == (side == 1) || FNR == 1 { print \$0 \"\n\" }" call.vtt' asr {wav} {channel}"#;

#[test]
fn a_call_becomes_a_reading_with_actants_and_development() {
    let by = ["--transcriber", KNOWING, "--channels", "agent,customer"];
    let all: Vec<&str> =
        [&["sense", "affect@1.5", "call.mp3", "--json", "--flow", "--temporal", "--window", "10"][..], &by]
            .concat();
    let reading: serde_json::Value = serde_json::from_str(&out(&all)).expect("is JSON");
    println!("{reading:#}");
    assert!(reading["evidence"].as_array().is_some_and(|found| !found.is_empty()), "{reading}");
    let actants: Vec<&str> = reading["evidence"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| found["actant"].as_str())
        .collect();
    assert!(actants.contains(&"customer"), "{actants:?}");
    // Four windows, each a turn at its time.
    assert_eq!(reading["temporal"]["trend"], "volatile", "{reading}");
    assert_eq!(reading["actant_flow"]["primary_driven"][0], "negative", "{reading}");
    // From the transcript on everything is determined: heard or given, the same bytes.
    let given = [
        "sense",
        "affect@1.5",
        "call.mp3",
        "--json",
        "--flow",
        "--temporal",
        "--window",
        "10",
        "--transcript",
        "call.vtt",
    ];
    assert_eq!(out(&all), out(&given));
    assert_eq!(out(&given), out(&given[..8]), "the transcript beside it is found");
    let talk = ["sense", "courtesy@1.5", "../documents/talk.vtt", "--json"];
    assert_eq!(out(&["sense", "courtesy@1.5", "call.mp3", "--as", "transcript", "--json"]), out(&talk));
}

#[test]
fn extract_shows_times_roles_and_confidence() {
    let heard = r#"sh -c 'echo "[{\"start\": 1.5, \"end\": 2, \"text\": \"I am furious.\", \"confidence\": 0.75}]"' asr {wav}"#;
    let shown = out(&["extract", "sentence.opus", "--transcriber", heard, "--target", "affect@1.5"]);
    assert!(shown.contains("00:00:01.5–00:00:02 (0.75)  speaker  I am furious."), "{shown}");
    assert!(shown.contains("recognised by sh (confidence 0.75); transcript sha256:"), "{shown}");
    assert!(shown.contains("fidelity 0"), "{shown}");
    let json = out(&["extract", "sentence.opus", "--transcriber", heard, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("is JSON");
    assert_eq!(json["modality"], "audio");
    assert_eq!(json["pieces"][0]["confidence"], 0.75);
    assert_eq!(json["sound"]["shown"], "opus, 48000 Hz, 1 channel");
    assert_eq!(json["interaction"]["segments"][0]["timestamp"], 1.5);
}

#[test]
fn a_transcript_that_is_kept_gives_the_same_reading() {
    let kept = std::env::temp_dir().join(format!("sonometer-kept-{}.json", std::process::id()));
    let kept = kept.to_str().expect("is UTF-8");
    let roles = ["--channels", "agent,customer"];
    let first = [
        &["sense", "affect@1.5", "call.mp3", "--json", "--transcriber", KNOWING, "--keep-transcript", kept],
        &roles[..],
    ];
    let second = [&["sense", "affect@1.5", "call.mp3", "--json", "--transcript", kept], &roles[..]];
    let (first, second) = (run(&first.concat()), run(&second.concat()));
    std::fs::remove_file(kept).expect("was written");
    assert_eq!(first.stdout, second.stdout);
    // Both name the same transcript.
    let named = |ran: &Output| {
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        said.split("sha256:").nth(1).map(|rest| rest.trim().to_owned()).unwrap_or(said)
    };
    assert_eq!(named(&first), named(&second));
    assert_eq!(named(&first).len(), 64);
}

#[test]
fn what_is_missing_or_does_not_fit_is_told() {
    let said = refusal(&["sense", "affect@1.5", "sentence.mp3"]);
    assert!(said.contains("--transcript") && said.contains("--transcriber"), "{said}");
    let said = refusal(&["sense", "courtesy@1.5", "call.mp3"]);
    assert!(said.contains("`--as transcript`"), "{said}");
    let said = refusal(&["sense", "courtesy@1.5", "call.vtt", "--transcriber", "pocketsphinx"]);
    assert!(said.contains("applies to recordings only"), "{said}");
    let said = refusal(&["sense", "affect@1.5", "sentence.mp3", "--transcriber", "recognise"]);
    assert!(said.contains("{wav}"), "{said}");
    let said = refusal(&["sense", "affect@1.5", "call.vtt", "--format", "audio", "--transcript", "call.vtt"]);
    assert!(said.contains("ffmpeg"), "{said}");
    let said = refusal(&["compare", "affect@1.5", "call.mp3", "call.mp3", "--transcript", "call.vtt"]);
    assert!(said.contains("works with one recording only"), "{said}");
    let said = refusal(&["sense", "affect@1.5", "call.mp3", "--transcript", "call.vtt", "--channels", "a,b"]);
    assert!(said.contains("does not distinguish channels"), "{said}");
}

#[test]
#[ignore = "needs PocketSphinx: sonometer-ingest/tests/pocketsphinx.sh"]
fn pocketsphinx_hears_a_call_to_a_reading_with_actants_and_development() {
    let kept = std::env::temp_dir().join(format!("sonometer-sphinx-{}.json", std::process::id()));
    let kept = kept.to_str().expect("is UTF-8");
    let sense = ["sense", "affect@1.5", "call.mp3", "--json", "--flow", "--temporal", "--window", "10"];
    let roles = ["--channels", "agent,customer"];
    let by = ["--transcriber", "pocketsphinx", "--keep-transcript", kept];
    let heard = run(&[&sense[..], &roles, &by].concat());
    let said = String::from_utf8_lossy(&heard.stderr);
    assert!(heard.status.success(), "{said}");
    let reading: serde_json::Value = serde_json::from_slice(&heard.stdout).expect("is JSON");
    println!("{reading:#}");
    assert_eq!(
        (&reading["target"]["version"], &reading["ics"]["sgm_version"]),
        (&"1.5".into(), &"1.5".into())
    );
    let evidence = reading["evidence"].as_array().expect("is a list");
    let is_told =
        |found: &serde_json::Value| ["agent", "customer"].map(Some).contains(&found["actant"].as_str());
    assert!(!evidence.is_empty() && evidence.iter().all(is_told), "{reading}");
    assert!(
        reading["actant_flow"]["direction"].is_string() && reading["temporal"]["trend"].is_string(),
        "{reading}"
    );
    // What it hears may differ from version to version; from its transcript on everything is the same.
    let given = out(&[&sense[..], &roles, &["--transcript", kept]].concat());
    let transcript = std::fs::read_to_string(kept).expect("was written");
    println!("{transcript}");
    std::fs::remove_file(kept).expect("was written");
    assert_eq!(String::from_utf8_lossy(&heard.stdout), given);
    let said =
        refusal(&[&sense[..], &roles, &["--transcriber", "pocketsphinx", "--language", "de"]].concat());
    assert!(said.contains("English only"), "{said}");
}

#[cfg(not(feature = "whisper"))]
#[test]
fn whisper_is_named_where_it_is_not_built_in() {
    let said = refusal(&["sense", "affect@1.5", "sentence.mp3", "--transcriber", "whisper:model.bin"]);
    assert!(said.contains("build with the feature `whisper`") && said.contains("whisper-cli"), "{said}");
}

#[cfg(feature = "whisper")]
#[path = "../../sonometer-ingest/tests/audio/whisper_maker.rs"]
mod whisper_maker;

#[cfg(feature = "whisper")]
#[test]
fn whisper_hears_with_a_model_file() {
    use whisper_maker::{Say, Tongues, model};
    let says = [
        (Say::Begin, 4.0),
        (Say::Text(b" I"), 4.0),
        (Say::Text(b" am"), 4.0),
        (Say::Text(b" fur"), 4.0),
        (Say::Text(b"ious"), 2.5),
        (Say::Text(b"!"), 4.0),
        (Say::Time(60), 4.0),
    ];
    let path = std::env::temp_dir().join(format!("ggml-command-{}.bin", std::process::id()));
    std::fs::write(&path, model(Tongues::All, &says)).expect("can be written");
    let by = format!("whisper:{}", path.display());
    let shown = out(&["extract", "sentence.opus", "--transcriber", &by, "--target", "affect@1.5"]);
    let sense = ["sense", "affect@1.5", "sentence.opus", "--json", "--transcriber", &by];
    let (first, second) = (out(&sense), out(&sense));
    let in_language = |language| {
        ["sense", "affect@1.5", "sentence.opus", "--json", "--transcriber", &by, "--language", language]
    };
    let unknown = refusal(&in_language("xx"));
    std::fs::write(&path, model(Tongues::English, &says)).expect("can be written");
    assert!(out(&in_language("en")).contains("furious"));
    let foreign = refusal(&in_language("de"));
    std::fs::remove_file(&path).expect("was written");
    assert!(
        shown.contains("speaker  I am furious!")
            && shown.contains("recognised by whisper.cpp (ggml-command-"),
        "{shown}"
    );
    assert!(first.contains("furious"), "{first}");
    assert_eq!(first, second);
    assert!(unknown.contains("does not support the language `xx`"), "{unknown}");
    assert!(foreign.contains("English only"), "{foreign}");
    for (by, why) in [
        ("whisper:", "needs a model"),
        ("whisper:no-such.bin", "cannot be read"),
        ("whisper:call.vtt", "is not a model"),
    ] {
        let said = refusal(&["sense", "affect@1.5", "sentence.opus", "--transcriber", by]);
        assert!(said.contains(why) && said.contains("ggml-base.en.bin"), "{said}");
    }
}
