//! The built command, as a person and as a program use it.
//!
//! Expected outputs stand in `tests/golden`; `BLESS=1 cargo test -p sonometer-cli` writes them anew.

mod authoring;
#[path = "../built/mod.rs"]
mod built;
mod pages;
mod usage;

use built::{Ran, command, golden, piped, root, run};
use std::fs;
use std::path::Path;
use std::process::Stdio;

const CALL: &str = "fixtures/interactions/support-call.json";
const CARDS: &str = "crates/sonometer-cli/tests/protocols/cards.yaml";
const FAILING: &str = "crates/sonometer-cli/tests/protocols/failing.yaml";
const BROKEN: &str = "crates/sonometer-cli/tests/protocols/broken.yaml";
const DIALOGUES: &str = "crates/sonometer-cli/tests/protocols/dialogues.yaml";
const NEXT: &str = "crates/sonometer-cli/tests/protocols/dialogues-next.yaml";
const TALKS: &str = "crates/sonometer-cli/tests/protocols/talks.jsonl";
const UNTIDY: &str = "crates/sonometer-cli/tests/protocols/untidy.yaml";
const ENOUGH: &str = "Thank you so much for waiting with me, I really appreciate it today.";

fn run_with_input(arguments: &[&str], input: &[u8]) -> Ran {
    piped(command(arguments), input).into()
}

/// A file that lives as long as the target folder.
fn scratch(name: &str, bytes: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("can be written");
    path.to_str().expect("is UTF-8").to_owned()
}

#[test]
fn a_reading_for_people() {
    let ran = run(&["sense", CARDS, CALL, "--profile", "discovery", "--rate", "0.005"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    golden("sense-discovery.txt", &ran.out);
    assert!(!ran.out.contains("4111"), "the card number stays hidden");
    golden("sense-detailed.txt", &run(&["sense", "courtesy@1.5", CALL, "--profile", "detailed"]).out);
    golden("sense-explain.txt", &run(&["sense", CARDS, CALL, "--explain"]).out);
    golden(
        "sense-heated.txt",
        &run(&["sense", "courtesy@1.5", "fixtures/interactions/heated-thread.json"]).out,
    );
}

#[test]
fn a_reading_for_programs() {
    let mut all = String::new();
    for (profile, offsets) in [("raw", "bytes"), ("detailed", "chars"), ("discovery", "utf16")] {
        let ran = run(&["sense", CARDS, CALL, "--json", "--profile", profile, "--offsets", offsets]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        all.push_str(&ran.out);
    }
    golden("sense.jsonl", &all);
    let ledger = run(&["sense", CARDS, CALL, "--json", "--explain"]);
    assert!(ledger.out.starts_with(r#"{"score":{"kind":"risk","value":0}"#), "{}", ledger.out);
    assert!(!ledger.out.contains("1111 1111 1111"), "the ledger is masked too");
    let priced = run(&["sense", CARDS, CALL, "--json", "--rate", "0.005"]);
    assert!(
        priced.out.contains(r#""ics":{"consumed":2,"cost_usd":0.01,"sgm_version":"1.0"}"#),
        "{}",
        priced.out
    );
}

#[test]
fn every_shipped_conversation_can_be_measured() {
    for entry in fs::read_dir(root().join("fixtures/interactions")).expect("is there") {
        let path = entry.expect("can be read").path();
        let ran = run(&["sense", "courtesy@1.5", path.to_str().expect("is UTF-8"), "--json"]);
        assert_eq!(ran.code, 0, "{}: {}", path.display(), ran.err);
    }
}

#[test]
fn offsets_are_counted_in_the_unit_asked_for() {
    let text = "Ünïcode 😀 before it, and then thank you so much for all of that.";
    let path = scratch("offsets.txt", text.as_bytes());
    for (unit, start) in [("bytes", 35), ("chars", 30), ("utf16", 31)] {
        let ran = run(&["sense", "courtesy@1.5", &path, "--json", "--offsets", unit]);
        assert!(ran.out.contains(&format!(r#""start":{start},"#)), "{unit}: {}", ran.out);
    }
}

#[test]
fn json_does_not_depend_on_the_surroundings() {
    let arguments = ["sense", "courtesy@1.5", CALL, "--json", "--profile", "detailed"];
    let plain = run(&arguments).out;
    let surroundings = [
        ("LANG", "tr_TR.UTF-8"),
        ("LC_ALL", "C"),
        ("TZ", "Asia/Kathmandu"),
        ("NO_COLOR", "1"),
        ("CLICOLOR_FORCE", "1"),
        ("TERM", "dumb"),
        ("COLUMNS", "20"),
    ];
    for (name, value) in surroundings {
        let ran: Ran = command(&arguments).env(name, value).output().expect("starts").into();
        assert_eq!(ran.out, plain, "{name}={value}");
    }
    assert_eq!(
        run(&["--color", "always", "sense", "courtesy@1.5", CALL, "--json", "--profile", "detailed"]).out,
        plain
    );
    assert!(plain.ends_with("}\n") && plain.lines().count() == 1);
}

#[test]
fn colour_is_for_those_who_see_it() {
    let sense = |arguments: &[&str]| run(&[&["sense", "courtesy@1.5", CALL], arguments].concat()).out;
    let plain = sense(&[]);
    assert!(!plain.contains('\u{1b}') && plain.contains("[thank you]{gratitude}"));
    let coloured = sense(&["--color", "always"]);
    assert!(coloured.contains("\u{1b}[") && !coloured.contains("{gratitude}"), "{coloured}");
    let forced = |name: &str, value: &str, when: &str| {
        let mut command = command(&["sense", "courtesy@1.5", CALL, "--color", when]);
        Ran::from(command.env(name, value).output().expect("starts")).out
    };
    assert_eq!(forced("CLICOLOR_FORCE", "1", "auto"), coloured);
    assert_eq!(forced("CLICOLOR_FORCE", "1", "never"), plain);
    assert_eq!(forced("NO_COLOR", "1", "auto"), plain);
}

#[test]
fn a_text_cannot_steer_the_terminal() {
    let input = format!("{ENOUGH} \u{1b}]0;owned\u{7} \u{9b}31m \u{202e}");
    let path = scratch("escape.txt", input.as_bytes());
    let ran = run(&["sense", "courtesy@1.5", &path]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.chars().any(|c| c != '\n' && c.is_control() || c == '\u{202e}'), "{:?}", ran.out);
}

#[test]
fn lines_are_measured_one_by_one() {
    let good = format!(r#"{{"id": "a-1", "labels": [], "interaction": {{"content": "{ENOUGH}"}}}}"#);
    let bare = format!(r#"{{"content": "{ENOUGH}"}}"#);
    let path = scratch("good.jsonl", format!("{good}\n\n{bare}\n").as_bytes());
    let ran = run(&["sense", "courtesy@1.5", &path, "--json"]);
    assert_eq!((ran.code, ran.err.as_str(), ran.out.lines().count()), (0, "", 2));
    let people = run(&["sense", "courtesy@1.5", &path]).out;
    assert!(people.contains("good.jsonl:1  a-1\n") && people.contains("good.jsonl:3\n"), "{people}");
    let third = run(&["sense", "courtesy@1.5", &path, "--json", "--line", "3"]);
    assert_eq!((third.code, third.out.lines().count()), (0, 1));
    let none = run(&["sense", "courtesy@1.5", &path, "--json", "--line", "2"]);
    assert_eq!(none.code, 2, "line 2 is blank: {}", none.err);
}

#[test]
fn a_bad_line_does_not_stop_the_others() {
    let good = format!(r#"{{"content": "{ENOUGH}"}}"#);
    let mut lines = format!("{good}\n{{\"content\": \"hi\"}}\n").into_bytes();
    let short = scratch("short.jsonl", &lines);
    let ran = run(&["sense", "courtesy@1.5", &short, "--json"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.starts_with("error: ") && ran.err.contains("short.jsonl:2: "), "{}", ran.err);
    lines.extend_from_slice(b"{\"content\": \n{\"content\": \"\xff\"}\n{\"contents\": \"x\"}\n");
    lines.extend_from_slice(good.as_bytes());
    let bad = scratch("bad.jsonl", &lines);
    let ran = run(&["sense", "courtesy@1.5", &bad, "--json"]);
    assert_eq!(ran.code, 2, "what cannot be read outweighs what is insufficient");
    let starts: Vec<&str> = ran.out.lines().map(|line| &line[..9]).collect();
    let (reading, error) = (r#"{"target""#, r#"{"error":"#);
    assert_eq!(starts, [reading, error, error, error, error, reading], "every line has its answer");
    for part in ["bad.jsonl:3: ", "bad.jsonl:4: not UTF-8: byte ", "bad.jsonl:5: ", "did you mean `content`"]
    {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let place = lines.iter().position(|byte| *byte == 0xff).expect("is there");
    assert!(ran.err.contains(&format!("byte {place} is 0xff")), "{}", ran.err);
    let fidelity = run(&["fidelity", "courtesy@1.5", &bad, "--json"]);
    assert_eq!((fidelity.code, fidelity.out.lines().count()), (2, 6));
}

#[test]
fn standard_input_is_text_or_json() {
    let sense = |extra: &[&str], input: &str| {
        run_with_input(
            &[&["sense", "courtesy@1.5", "-", "--json", "--profile", "detailed"], extra].concat(),
            input.as_bytes(),
        )
    };
    let text = sense(&[], ENOUGH);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.contains(r#""attribution":"unattributed""#));
    let json = fs::read_to_string(root().join(CALL)).expect("is there");
    assert!(sense(&[], &json).out.contains(r#""attribution":"agent""#));
    let line = format!(r#"{{"content": "{ENOUGH}"}}"#);
    assert_eq!(sense(&[], &format!("{line}\n{line}\n")).out.lines().count(), 2);
    let as_text = sense(&["--format", "text"], &format!("{line} {ENOUGH}"));
    assert!(as_text.out.contains(r#""segment_text":"{\"content\""#), "{}", as_text.out);
    let misspelt = sense(&[], &line.replace("content", "contnet"));
    assert_eq!(misspelt.code, 2);
    assert!(misspelt.err.contains("did you mean `content`"), "{}", misspelt.err);
}

#[test]
fn exit_codes_are_as_documented() {
    let wordless = scratch("wordless.txt", b"?! ...");
    let empty = scratch("empty.txt", b" \n");
    let empty_protocol = scratch("empty.yaml", b"");
    let bytes = scratch("bytes.txt", b"\0\x01\x02\x03");
    let bad_json = scratch("bad.json", b"{\"content\": \"x\"");
    let nameless = scratch("conversation.rtf", b"WEBVTT");
    let text = scratch("enough.txt", ENOUGH.as_bytes());
    let cases: &[(&[&str], i32, &str)] = &[
        (&["sense", "courtesy@1.5", &text], 0, ""),
        (&["check", CARDS], 0, ""),
        (&["test", FAILING], 1, ""),
        (&["check", BROKEN], 1, ""),
        (&[], 2, "Usage"),
        (&["sing"], 2, "unrecognized subcommand"),
        (&["sense", "courtesy@1.5", &text, "--profile", "row"], 2, "raw, detailed, discovery"),
        (&["sense", "courtesy@1.5", &text, "--rate", "-1"], 2, ""),
        (&["sense", "courtesy@1.5", &text, "--rate=-1"], 2, "0.005"),
        (&["sense", "courtesy@1.5", &text, "--offsets", "chars"], 2, "--json"),
        (&["sense", "courtesy@1.5", &text, "--line", "1"], 2, "--line"),
        (&["read"], 2, "a similar subcommand exists: 'stream'"),
        (&["sense", "courtesy@1.5", "nowhere.txt"], 2, "error: nowhere.txt: no such file"),
        (
            &["sense", "courtesy@1.5", "Thank you!"],
            2,
            "error: Thank you!: no such file; to sense a text directly, pipe it in",
        ),
        (&["sense", "courtesy@1.5", "fixtures", "--format", "text"], 2, "folder"),
        (&["sense", "nowhere.yaml", &text], 2, "error: nowhere.yaml: no such file"),
        (&["sense", &empty_protocol, &text], 2, "empty"),
        (&["sense", BROKEN, &text], 2, "broken.yaml: the protocol has 2 errors [invalid_protocol]"),
        (&["sense", "courtesy@1.5", &bytes], 2, "unknown kind of file"),
        (&["sense", "courtesy@1.5", &empty], 2, "the input is empty"),
        (&["sense", "courtesy@1.5", &bad_json], 2, "line 1, column 1"),
        (&["sense", "courtesy@1.5", &nameless], 2, "the file has no captions"),
        (&["check", CARDS, "nowhere.yaml", BROKEN], 2, "no such file"),
        (&["dive", "billing-disput"], 4, "no stage `billing-disput`; did you mean `billing-dispute`?"),
        (&["sense", "courtesy@1.5", &wordless], 3, "insufficient_signal"),
        (&["fidelity", "courtesy@1.5", &wordless], 0, ""),
        (&["sense", "curtesy", &text], 4, "did you mean `courtesy`?"),
        (&["sense", "courtesy@9", &text], 4, "there is 1.0, 1.5"),
        (&["protocols", "zebra"], 4, "target_not_found"),
    ];
    for (arguments, code, said) in cases {
        let ran = run(arguments);
        assert_eq!(ran.code, *code, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
        assert!(*code < 2 || ran.out.is_empty() || arguments[0] == "check", "{arguments:?}: {}", ran.out);
        assert!(!ran.err.contains("panicked"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn programs_get_the_error_envelope() {
    let short = scratch("short.txt", b"hello there");
    let ran = run(&["sense", "courtesy@1.5", &short, "--json"]);
    assert_eq!(ran.code, 3);
    let (head, tail) = (
        r#"{"error":{"code":"insufficient_signal","message":""#,
        r#""details":{"fidelity":{"index":0.2,"sufficient":false}}}}"#,
    );
    assert!(ran.out.starts_with(head) && ran.out.trim_end().ends_with(tail), "{}", ran.out);
    let unknown = run(&["sense", "zebra", &short, "--json"]);
    assert_eq!(unknown.code, 4);
    assert!(
        unknown.out.starts_with(r#"{"error":{"code":"target_not_found","message":"unknown protocol `zebra`"#),
        "{}",
        unknown.out
    );
    let file = run(&["protocols", "mine.yaml"]);
    assert_eq!(file.code, 4);
    assert!(file.err.contains("`mine.yaml` is a file, and the catalogue has what ships"), "{}", file.err);
    let folder = run(&["check", "crates"]);
    assert_eq!(folder.code, 4);
    assert!(folder.err.contains("`crates` is a folder, name a protocol file in it"), "{}", folder.err);
    let other = run(&["check", "LICENSE-MIT"]);
    assert!(other.err.contains("its name must end in .yaml, .yml or .json"), "{}", other.err);
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let path = scratch("long.jsonl", format!("{{\"content\": \"{ENOUGH}\"}}\n").repeat(5000).as_bytes());
    for arguments in [
        &["sense", "courtesy@1.5", &path, "--json"][..],
        &["sense", "courtesy@1.5", &path],
        &["fidelity", "courtesy@1.5", &path],
    ] {
        let mut command = command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        drop(child.stdout.take());
        let ran: Ran = child.wait_with_output().expect("ends").into();
        assert_eq!((ran.code, ran.err.as_str()), (141, ""), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    for arguments in
        [&["sense", "courtesy@1.5", CALL][..], &["sense", "courtesy@1.5", CALL, "--json"], &["check", CARDS]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("is there");
        let ran: Ran =
            command(arguments).stdout(full).stderr(Stdio::piped()).output().expect("starts").into();
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.starts_with("error: standard output cannot be written"), "{}", ran.err);
    }
}

#[test]
fn fidelity_is_an_answer() {
    let ran = run(&["fidelity", "courtesy@1.5", CALL, "--json"]);
    let expected = r#"{"target":{"type":"protocol","id":"courtesy","version":"1.5"},"fidelity":{"index":1,"sufficient":true},"ics":{"consumed":0,"cost_usd":0}}"#;
    assert_eq!((ran.code, ran.out.trim_end()), (0, expected));
    let short = run_with_input(&["fidelity", "courtesy@1.5", "-"], b"hello there");
    assert_eq!(short.code, 0);
    golden("fidelity.txt", &short.out);
}

#[test]
fn the_catalogue_is_listed_without_its_secrets() {
    let list = run(&["protocols", "--json"]);
    let courtesy = r#"{"id":"courtesy","name":"Courtesy","versions":["1.0","1.5","2.0"],"taxonomy":"Good_Practice","status":"published","metamarker_count":10,"supported_modalities":["text","transcript"]}"#;
    assert!(list.out.starts_with(r#"{"protocols":["#) && list.out.contains(courtesy), "{}", list.out);
    assert!(list.out.ends_with("\"limit\":100,\"offset\":0}\n"), "{}", list.out);
    assert!(run(&["protocols"]).out.contains("courtesy"));
    golden("protocol.txt", &run(&["protocols", "courtesy@1.5"]).out);
    let single = run(&["protocols", "courtesy@1.0", "--json"]).out;
    golden("protocol.json", &single);
    for secret in ["apologi*", "trigger\"", "weight", "pattern", "strong"] {
        assert!(!single.contains(secret), "{secret}: {single}");
    }
}

#[test]
fn no_message_shows_all_of_a_long_argument() {
    let long = "privat ".repeat(700);
    let (option, roles, file) = (format!("--{long}"), format!("{long}=agent"), format!("{long}.yaml"));
    let said = format!("{{\"role\": \"a\", \"content\": [{{\"type\": \"{long}\"}}]}}");
    let long = long.as_str();
    for arguments in [
        &[long][..],
        &["sense", long, CALL],
        &["sense", &file, CALL],
        &["sense", "courtesy@1.5", long],
        &["sense", "courtesy@1.5", CALL, &option],
        &["sense", "courtesy@1.5", CALL, long],
        &["sense", "courtesy@1.5", CALL, "--format", long],
        &["sense", "courtesy@1.5", CALL, "--profile", long],
        &["sense", "courtesy@1.5", "-", "--format", "turns", "--role-map", &roles],
        &["batch", "courtesy@1.5", long],
        &["stream", long],
        &["stream", "courtesy@1.5", "--form", "jsonl"],
        &["fidelity", "courtesy@1.5", long],
        &["compare", "courtesy@1.5", long, CALL],
        &["estimate", long, "100"],
        &["evaluate", "courtesy@1.5", long],
        &["evaluate", "courtesy@1.5", TALKS, "--label", long],
        &["protocols", long],
        &["metrics", long],
        &["blueprints", long],
        &["check", long],
        &["explain", long],
        &["diff", long, "courtesy", TALKS],
        &["dive", long],
        &["fmt", long],
        &["publish", long],
        &["schema", long],
        &["test", long],
    ] {
        let input = if arguments[0] == "stream" { &said } else { "agent: Good morning.\n" };
        let Ran { code, out, err } = run_with_input(arguments, input.as_bytes());
        let shown: String = err.chars().take(600).collect();
        // More than 200 characters in a row.
        let too_much = "privat ".repeat(29);
        assert!(!err.contains(&too_much) && !out.contains(&too_much), "{:?}: {shown}", arguments[0]);
        assert!(code != 0 && !err.is_empty(), "{:.20?}: {code}", arguments);
    }
}

#[test]
fn help_names_the_exit_codes() {
    let ran = run(&["--help"]);
    assert_eq!(ran.code, 0);
    for part in ["Exit codes:", "sense", "fidelity", "protocols", "check", "test", "141"] {
        assert!(ran.out.contains(part), "{part}");
    }
}

#[test]
fn the_long_version_is_the_fingerprint() {
    let long = run(&["--version"]);
    assert_eq!((long.code, long.out), (0, format!("{}\n", sonometer::fingerprint())));
    let short = run(&["-V"]);
    assert_eq!((short.code, short.out), (0, format!("sonometer {}\n", env!("CARGO_PKG_VERSION"))));
}

const FRUSTRATION: &str = "fixtures/protocols/frustration.yaml";

#[test]
fn a_primary_role_that_no_turn_has_is_told() {
    let talk = br#"{"segments":[
        {"role":"customer","content":"This is the third time I am calling about it, it is unacceptable."},
        {"role":"agent","content":"I am sorry, let me see what happened to it."}]}"#;
    let told = |role: &str, talk: &[u8]| {
        let ran = run_with_input(&["sense", FRUSTRATION, "-", "--json", "--flow", "--primary", role], talk);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.err
    };
    let head = "standard input: no turn has the role";
    assert_eq!(
        told("nobody", talk),
        format!("{head} `nobody` that --primary names; its roles: agent, customer\n")
    );
    assert_eq!(
        told("costumer", talk),
        format!(
            "{head} `costumer` that --primary names; its roles: agent, customer; did you mean `customer`?\n"
        )
    );
    // Another name of the role, and another way to write it.
    for role in ["agent", " Agent ", "assistant"] {
        assert_eq!(told(role, talk), "", "{role}");
    }
    let text = br#"{"content":"This is the third time I am calling about it, it is unacceptable."}"#;
    let ran = run_with_input(&["sense", "courtesy@1.5", "-", "--flow", "--primary", "agent"], text);
    assert!(ran.err.contains("its turns have no roles; leave --primary out"), "{}", ran.err);
}

#[test]
fn a_page_or_a_result_is_not_written_to_a_file_called_dash() {
    let talk = "fixtures/interactions/support-call.json";
    let refused = run(&["sense", "courtesy@1.5", talk, "--html", "-"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    let told = "invalid value '-' for '--html <FILE>': a page is written to a file; write the name of one, such as page.html";
    assert!(refused.err.contains(told), "{}", refused.err);
    for arguments in [&["report", "courtesy@1.5", talk][..], &["batch", "courtesy@1.5", talk]] {
        let refused = run(&[arguments, &["-o", "-"]].concat());
        assert_eq!((refused.code, refused.out.as_str()), (2, ""));
        let told = "invalid value '-' for '--out <FILE>': leave it out to write to standard output";
        assert!(refused.err.contains(told), "{}", refused.err);
    }
    assert!(!root().join("-").exists());
}

#[test]
fn list_files_are_found_beside_their_protocol() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("listed");
    fs::create_dir_all(folder.join("names")).expect("can be made");
    let protocol = scratch(
        "listed/met.yaml",
        b"sonometer: 1\nid: met\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nfidelity: {sufficient: 0}\n\
          list_files: {name: names/first.txt}\nmarkers:\n  - label: met\n    strong: |\n      i met @name\n    hit: |\n      \
          I met Mary Ann.\n    miss: |\n      I met Mary.\n",
    );
    fs::write(folder.join("names/first.txt"), "# first names\nAnna\nMary Ann\n").expect("can be written");
    let talks = scratch("listed/talks.jsonl", b"{\"interaction\": {\"content\": \"I met Anna.\"}, \"labels\": {\"met\": true}}\n{\"interaction\": {\"content\": \"I met no one.\"}, \"labels\": {\"met\": false}}\n");
    for arguments in [
        &["check", &protocol][..],
        &["test", "--strict", &protocol],
        &["fmt", "--check", &protocol],
        &["batch", &protocol, &talks],
        &["evaluate", &protocol, &talks],
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.out, ran.err);
    }
    let sensed = run_with_input(&["sense", &protocol, "-"], b"I met Mary Ann.");
    assert!(sensed.out.contains("[I met Mary Ann]"), "{}{}", sensed.out, sensed.err);
    fs::write(folder.join("names/first.txt"), "Anna\n(mary|marie)\n").expect("can be written");
    let broken = run(&["check", &protocol]);
    assert!(
        broken.out.contains("SM0373") && broken.out.contains("names/first.txt`, line 2"),
        "{}",
        broken.out
    );
    fs::remove_file(folder.join("names/first.txt")).expect("can be removed");
    let missing = run(&["sense", &protocol, CALL]);
    assert!(missing.code != 0 && missing.err.contains("SM0372"), "{}{}", missing.out, missing.err);
    assert!(
        missing.err.contains("put it at `names/first.txt` in the folder of the protocol"),
        "{}",
        missing.err
    );
}

/// Also help and version are lost if the disk is full.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_told() {
    for arguments in [&["--help"][..], &["--version"], &["protocols"], &["sense", "--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("is there");
        let ran: Ran = command(arguments).stdout(full).output().expect("starts").into();
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.contains("standard output cannot be written: "), "{}", ran.err);
    }
}

/// A number that is none: what to write, and not what a parser of digits says.
#[test]
fn a_wrong_number_is_told_with_what_to_write() {
    for (arguments, told) in [
        (
            &["dive", "x", "--seed", "abc"][..],
            "invalid value 'abc' for '--seed <SEED>': write a whole number\n",
        ),
        (
            &["dive", "x", "--seed", "-1"],
            "invalid value '-1' for '--seed <SEED>': write a whole number from 0 on\n",
        ),
        (&["dive", "x", "--seed", ""], "for '--seed <SEED>'"),
        (
            &["dive", "x", "--seed", "99999999999999999999999"],
            "invalid value '99999999999999999999999' for '--seed <SEED>': the number is too large\n",
        ),
        (
            &["sense", "courtesy", "x", "--rate", "-1"],
            "invalid value '-1' for '--rate <USD>': write an amount, such as 0.005",
        ),
        (
            &["fit", "x", "--label", "a", "--marker", "b", "--language", "en", "--out", "y", "--folds", "1"],
            "invalid value '1' for '--folds <K>': out of range; write a whole number from 2 to 100\n",
        ),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.contains(told) && !ran.err.contains("tip:"), "{}", ran.err);
    }
}
