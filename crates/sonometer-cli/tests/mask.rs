//! `sonometer mask`, and how other verbs show masked places: by kinds, with keys from files and the environment.

mod built;

use built::{command, piped, printed, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const KEY: &str = "a key of the caller's own";

fn run_in(environment: &[(&str, &str)], arguments: &[&str], input: &str) -> Output {
    let mut command = command(arguments);
    command.envs(environment.iter().copied());
    piped(command, input.as_bytes())
}

#[track_caller]
fn shown(arguments: &[&str], input: &str) -> String {
    printed(&run_in(&[], arguments, input))
}

#[track_caller]
fn refused(arguments: &[&str], input: &str) -> String {
    built::refused(&run_in(&[], arguments, input))
}

fn file(name: &str, content: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).expect("can be written");
    path.to_str().expect("is UTF-8").to_owned()
}

const MAIL: &str = "Write to ann@example.com or bob@example.com, not to Ann@Example.com.";

#[test]
fn a_protocol_that_masks_nothing_is_told() {
    for arguments in
        [&["mask", "courtesy@1.5", "-", "--format", "text"][..], &["stream", "courtesy@1.5", "--guard"]]
    {
        let output = run_in(&[], arguments, MAIL);
        assert_eq!(text(&output.stdout).trim_end(), MAIL, "{arguments:?}");
        let told = "`courtesy@1.5` masks nothing: none of its markers has the key `mask`\n";
        assert_eq!(text(&output.stderr), told, "{arguments:?}");
    }
    assert_eq!(text(&run_in(&[], &["mask", "personal-data", "-", "--format", "text"], MAIL).stderr), "");
    // Elsewhere where a mask is asked for: who asks takes the output for masked.
    let talks = file(
        "unmasked.jsonl",
        "{\"id\": \"a\", \"content\": \"Thank you so much for your help with this.\"}\n",
    );
    let page = file("unmasked.md", "");
    fs::remove_file(&page).expect("was there");
    for arguments in [
        &["sense", "courtesy@1.5", &talks, "--json"][..],
        &["batch", "courtesy@1.5", &talks],
        &["batch", "courtesy@1.5", &talks, "--columns", "score"],
        &["stream", "courtesy@1.5"],
        &["report", "courtesy@1.5", &talks, "--format", "md", "--out", &page],
    ] {
        if cfg!(not(feature = "columns")) && arguments.contains(&"--columns") {
            continue;
        }
        for (more, times) in [(&[][..], 0), (&["--mask", "label"], 1)] {
            let _ = fs::remove_file(&page);
            let told = text(&run_in(&[], &[arguments, more].concat(), MAIL).stderr);
            assert_eq!(told.matches("`courtesy@1.5` masks nothing").count(), times, "{arguments:?}: {told}");
        }
    }
}

#[test]
fn prints_the_masked_text_alone() {
    let masked = |kind| shown(&["mask", "personal-data", "-", "--format", "text", "--mask", kind], MAIL);
    assert_eq!(masked("label"), "Write to <EMAIL_ADDRESS> or <EMAIL_ADDRESS>, not to <EMAIL_ADDRESS>.\n");
    assert_eq!(
        masked("numbered"),
        "Write to <EMAIL_ADDRESS_1> or <EMAIL_ADDRESS_2>, not to <EMAIL_ADDRESS_1>.\n"
    );
    assert_eq!(masked("remove"), "Write to  or , not to .\n");
    assert_eq!(masked("first3"), "Write to ann@*******.*** or bob@*******.***, not to Ann@*******.***.\n");
    // As the protocol says.
    let own = shown(&["mask", "personal-data", "-", "--format", "text"], "My card is 4111 1111 1111 1111.");
    assert_eq!(own, "My card is **** **** **** 1111.\n");
}

#[test]
fn conversations_are_masked_turn_by_turn() {
    let turns = "agent: Is it ann@example.com?\ncustomer: No, bob@example.com, never ann@example.com.\n";
    let arguments = ["mask", "personal-data", "-", "--format", "turns", "--mask", "numbered"];
    assert_eq!(
        shown(&arguments, turns),
        "agent: Is it <EMAIL_ADDRESS_1>?\ncustomer: No, <EMAIL_ADDRESS_2>, never <EMAIL_ADDRESS_1>.\n"
    );
    let lines = "{\"id\":\"a\",\"content\":\"ann@example.com\"}\n{\"segments\":[{\"role\":\"agent\",\"content\":\"bob@example.com\",\"timestamp\":1.5}]}\n";
    let masked = shown(&["mask", "personal-data", "-", "--format", "jsonl", "--mask", "numbered"], lines);
    assert_eq!(
        masked,
        "{\"id\":\"a\",\"content\":\"<EMAIL_ADDRESS_1>\"}\n{\"segments\":[{\"role\":\"agent\",\"content\":\"<EMAIL_ADDRESS_1>\",\"timestamp\":1.5}]}\n"
    );
    // What comes out can be sensed again, and nothing is found.
    assert_eq!(shown(&["mask", "personal-data", "-", "--format", "jsonl"], &masked), masked);
}

/// Chats name people by numbers of phones and addresses.
#[test]
fn roles_and_ids_are_masked_too() {
    let mail = "{\"id\":\"to bob@example.com\",\"segments\":[{\"role\":\"agent\",\"content\":\"Hi.\"},{\"role\":\"ann@example.com\",\"content\":\"Hello.\"}]}\n";
    let arguments = ["mask", "personal-data", "-", "--format", "jsonl"];
    let output = run_in(&[], &arguments, mail);
    assert_eq!(
        text(&output.stdout),
        "{\"segments\":[{\"role\":\"agent\",\"content\":\"Hi.\"},{\"role\":\"role 2\",\"content\":\"Hello.\"}]}\n"
    );
    let told = text(&output.stderr);
    assert!(
        told.contains("the id is left out: read with its signs as spaces, something in it is masked"),
        "{told}"
    );
    assert!(!told.contains("example"), "{told}");

    let lines =
        "{\"role\":\"agent\",\"content\":\"Hi.\"}\n{\"role\":\"ann@example.com\",\"content\":\"Hello.\"}\n";
    let guard = ["stream", "personal-data", "--form", "jsonl", "--guard"];
    assert_eq!(shown(&guard, lines), "agent: Hi.\nrole 2: Hello.\n");
    assert!(!text(&run_in(&[], &guard[..4], lines).stdout).contains("ann@"));
    // A role that only the conversation itself tells to be private.
    let chat =
        "{\"segments\":[{\"role\":\"Quillon\",\"content\":\"My name is Quillon, I was born in Rome.\"}]}";
    let masked = shown(&["mask", "names-and-places", "-", "--format", "json"], chat);
    assert!(!masked.contains("Quillon") && masked.starts_with("role 1: My name is "), "{masked}");
}

#[test]
fn ids_are_masked_beside_what_is_found() {
    let line = |id: &str, content: &str| {
        format!(
            "{{\"id\":\"{id}\",\"segments\":[{{\"role\":\"ann@example.com\",\"content\":\"{content}\"}}]}}\n"
        )
    };
    let talks =
        file("private-ids.jsonl", &(line("to bob@example.com", "Hi, thank you.") + &line("x", "Hi.")));
    let protocol = |name: &str, thanks: &str| {
        let source = format!(
            r#"{{"sonometer": 1, "id": "p", "version": "1", "taxonomy": "Signal", "score": "any", "fidelity": {{"sufficient": 0}},
            "markers": [{{"label": "mail", "strong": "<email>", "mask": "label"}}, {{"label": "thanks", "strong": "{thanks}"}}]}}"#
        );
        file(name, &source)
    };
    let (old, new) = (protocol("old-private.json", "bye"), protocol("new-private.json", "thank you"));
    let labelled = file(
        "private-labels.jsonl",
        "{\"id\": \"to bob@example.com\", \"interaction\": {\"content\": \"Thank you.\"}, \"labels\": {\"polite\": false}}\n",
    );
    let page = file("private-ids.html", "");
    for arguments in [
        &["sense", &new, &talks][..],
        &["fidelity", &new, &talks],
        &["diff", &old, &new, &talks, "--html", &page],
        &["evaluate", &new, &labelled, "--html", &page],
    ] {
        let told = shown(arguments, "") + &fs::read_to_string(&page).expect("is there");
        assert!(!told.contains("@example"), "{arguments:?}: {told}");
        assert!(told.contains("jsonl"), "{arguments:?}: {told}");
    }
    assert!(shown(&["sense", &new, &talks], "").contains("private-ids.jsonl:2  x\n"), "others are shown");
}

#[test]
fn keys_come_from_a_file_or_the_environment() {
    let arguments = ["mask", "personal-data", "-", "--format", "text", "--mask", "keyed"];
    let path = file("mask-key", &format!("{KEY}\n"));
    let by_file = shown(&[&arguments[..], &["--mask-key", &path]].concat(), MAIL);
    let by_variable = text(&run_in(&[("SONOMETER_MASK_KEY", KEY)], &arguments, MAIL).stdout);
    assert_eq!(by_file, by_variable);
    // printf ann@example.com | openssl dgst -sha256 -hmac "a key of the caller's own"
    assert!(by_file.starts_with("Write to <EMAIL_ADDRESS_fce01866fcfa> or <EMAIL_ADDRESS_"), "{by_file}");
    assert!(by_file.ends_with(", not to <EMAIL_ADDRESS_fce01866fcfa>.\n"), "{by_file}");

    #[cfg(unix)]
    for (mode, told) in [(0o600, false), (0o640, false), (0o644, true)] {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("is its owner");
        let ran = run_in(&[], &[&arguments[..], &["--mask-key", &path]].concat(), MAIL);
        let line = format!(
            "warning: {path}: others can read this file, which should be yours alone; run `chmod 600 {path}`\n"
        );
        assert_eq!(
            (text(&ran.stdout), text(&ran.stderr).matches(&line).count()),
            (by_file.clone(), usize::from(told))
        );
    }

    let told = refused(&arguments, MAIL);
    assert!(told.contains("mask_key: the mask `keyed` needs a key; give one of 16 bytes or more"), "{told}");
    let short = file("mask-key-short", "secret\n");
    let told = refused(&[&arguments[..], &["--mask-key", &short]].concat(), MAIL);
    assert!(told.contains("the key has 6 bytes; give 16 or more") && !told.contains("secret"), "{told}");
    let told = refused(&["mask", "personal-data", "-", "--mask", "lable"], MAIL);
    assert!(told.contains("did you mean `label`"), "{told}");
}

#[test]
fn other_verbs_show_places_so_too() {
    let input = "{\"content\":\"Please write to ann@example.com, thank you very much for all of it.\"}";
    let masks = ["--mask", "label"];
    let sensed =
        shown(&[&["sense", "personal-data", "-", "--format", "json", "--json"][..], &masks].concat(), input);
    assert!(sensed.contains("\"source\":\"<EMAIL_ADDRESS>\""), "{sensed}");
    let batch = shown(&[&["batch", "personal-data", "-"][..], &masks].concat(), input);
    assert!(batch.contains("\"source\":\"<EMAIL_ADDRESS>\""), "{batch}");
    let guarded = shown(&[&["stream", "personal-data", "--guard"][..], &masks].concat(), MAIL);
    assert_eq!(guarded, "Write to <EMAIL_ADDRESS> or <EMAIL_ADDRESS>, not to <EMAIL_ADDRESS>.");
    let seen = shown(&[&["sense", "personal-data", "-", "--format", "json"][..], &masks].concat(), input);
    assert!(seen.contains("[<EMAIL_ADDRESS>]{email_address}"), "{seen}");
}

#[test]
fn tools_without_a_key_test_and_compare_protocols_that_ask_for_one() {
    let protocol = "sonometer: 1\nid: own\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nmarkers:\n  - label: email\n    strong: <email>\n    mask: keyed\n    hit: Write to ann@example.com.\n    miss: Write to me.\n";
    let path = file("keyed.yaml", protocol);
    assert!(shown(&["test", &path], "").contains("2 test lines passed"));
    let told = refused(&["sense", &path, "-", "--format", "text"], MAIL);
    assert!(told.contains("the mask `keyed` of `email` in `own` needs a key"), "{told}");
}
