//! Wrong usage: what to type instead.

use crate::{Ran, command, run_with_input};

/// What a shell gives that is no input: what to type instead.
#[test]
fn inputs_that_a_shell_makes_are_told_with_what_to_type() {
    let folder = std::env::temp_dir().join(format!("sonometer-usage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("can be made");
    let at = |arguments: &[&str]| {
        let ran: Ran = command(arguments).current_dir(&folder).output().expect("starts").into();
        assert_eq!(ran.code, 2, "{arguments:?}");
        ran.err
    };
    for name in ["-note.txt", "a.txt", "b.txt"] {
        std::fs::write(folder.join(name), "Thank you so much for your help").expect("can be written");
    }
    for (arguments, tip) in [
        (
            &["sense", "courtesy", "-note.txt"][..],
            "\n  tip: for the file `-note.txt`, write `./-note.txt`\n\nUsage: ",
        ),
        (
            &["mask", "personal-data", "a.txt", "b.txt"],
            "\n  tip: `mask` reads one input; `sonometer report` reads many files",
        ),
        (
            &["mask", "personal-data", "a.txt", "--out", "b.txt"],
            "\n  tip: the result goes to standard output; write `> FILE` to keep it\n\nUsage: ",
        ),
        (
            &["batch", "courtesy", "a.jsonl", "--output", "b.jsonl"],
            "\n  tip: a similar argument exists: '--out'\n\nUsage: ",
        ),
        (&["sense", "courtesy"], "\n  tip: to read standard input, write `-` as the input\n\nUsage: "),
    ] {
        let err = at(arguments);
        assert!(err.contains(tip) && err.matches("tip:").count() <= 1, "{err}");
    }
    let missing = at(&["sense", "courtesy", "./-nots.txt"]);
    assert_eq!(missing, "error: ./-nots.txt: no such file; did you mean `./-note.txt`? [invalid_request]\n");
    let missing = at(&["sense", "guard.yaml", "a.txt"]);
    assert_eq!(missing, "error: guard.yaml: no such file [invalid_request]\n");
    // Without a file of that name it is what it seems.
    assert!(!at(&["sense", "courtesy", "a.txt", "c.txt"]).contains("tip:"));
    std::fs::remove_dir_all(folder).expect("can be removed");
}

/// The message about a small mistake says what to write instead.
#[test]
fn folders_empty_files_and_negative_numbers_are_told() {
    let folder = std::env::temp_dir().join(format!("sonometer-nearly-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("can be made");
    std::fs::write(folder.join("e.yaml"), " \n").expect("can be written");
    let at = |arguments: &[&str]| -> Ran {
        command(arguments).current_dir(&folder).output().expect("starts").into()
    };
    let ran = at(&["check", "."]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (2, "error: .: is a folder, not a file; name a file in it [invalid_request]\n")
    );
    let ran = at(&["check", "e.yaml"]);
    assert!(ran.code == 1 && ran.out.contains("error[SM0102]"), "{}{}", ran.out, ran.err);
    let ran = at(&["sense", "e.yaml", "e.yaml"]);
    assert!(ran.code == 2 && ran.err.contains("error[SM0102]"), "{}", ran.err);
    let ran = at(&["dive", "billing-dispute", "--seed=-1"]);
    assert!(ran.code == 2 && ran.err.contains(": write a whole number from 0 on"), "{}", ran.err);
    let ran = at(&["man", "man pages"]);
    assert!(ran.code == 0 && ran.out.contains("`man -l 'man pages/sonometer.1'`"), "{}", ran.out);
    std::fs::remove_dir_all(folder).expect("can be removed");
}

/// Also behind `help`, and what many type to see what there is.
#[test]
fn what_is_no_verb_is_told_with_what_is_near() {
    let lists = "`protocols`, `metrics` and `blueprints` list what there is, or describe one";
    for (arguments, tip) in [
        (&["help", "sens"][..], "a similar subcommand exists: 'sense'"),
        (&["help", "dive", "verfy"], "a similar subcommand exists: 'verify'"),
        (&["sens"], "a similar subcommand exists: 'sense'"),
        (&["list"], lists),
        (&["help", "ls"], lists),
    ] {
        let ran = run_with_input(arguments, b"");
        assert!(ran.code == 2 && ran.err.contains(&format!("\n\n  tip: {tip}\n\nUsage: ")), "{}", ran.err);
    }
    let far = run_with_input(&["help", "zzz"], b"");
    assert!(far.code == 2 && !far.err.contains("tip:"), "{}", far.err);
}

/// `query` is in no command that was built as the README says, and would be taken for a slip of the pen.
#[cfg(not(feature = "query"))]
#[test]
fn a_verb_that_is_not_built_in_is_told_with_its_feature() {
    let ran = run_with_input(&["query", "select 1"], b"");
    let told = "error: unrecognized subcommand 'query'\n\n  tip: this build has no `query`; build it with the feature `query`\n\nUsage: ";
    assert!(ran.code == 2 && ran.err.starts_with(told), "{}", ran.err);
}

/// The library would propose `-- --text-column`.
#[cfg(not(feature = "columns"))]
#[test]
fn an_option_that_is_not_built_in_is_told_with_its_feature() {
    let ran = run_with_input(&["batch", "courtesy", "talks.csv", "--text-column", "said"], b"");
    let told = "\n\n  tip: `--text-column` is for tables, which this build does not know; build it with the feature `columns`\n\nUsage: ";
    assert!(ran.code == 2 && ran.err.contains(told), "{}", ran.err);
}

/// The second `-` would find nothing.
#[test]
fn standard_input_is_read_once() {
    let ran = run_with_input(&["compare", "courtesy", "-", "-"], b"Thank you so much for your help");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`-` can be given once only; save one of the inputs as a file"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_shown() {
    use std::os::unix::ffi::OsStrExt as _;
    let name = std::ffi::OsStr::from_bytes(b"gr\xfc\xdfe.txt");
    let ran: Ran = command(&["sense", "courtesy"]).arg(name).output().expect("starts").into();
    let err = ran.err;
    assert_eq!(ran.code, 2, "{err}");
    assert!(
        err.starts_with("error: `gr\u{fffd}\u{fffd}e.txt` is not UTF-8; give such a file another name"),
        "{err}"
    );
}

/// Ten thousand equal errors would hide everything else, but a program gets one for each line.
#[test]
fn equal_errors_in_a_row_are_told_three_times() {
    let turn = "{\"role\": \"agent\", \"content\": \"Thank you.\"}\n";
    let reading = "{\"content\": \"Thank you so much for your help.\"}\n";
    let five = turn.repeat(5);
    let sense = |lines: &str, json: bool| {
        let arguments = ["sense", "courtesy", "-", "--format", "jsonl", "--json"];
        run_with_input(&arguments[..5 + usize::from(json)], lines.as_bytes())
    };
    let ran = sense(&five, false);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.err.matches("error: standard input:").count(), 3, "{}", ran.err);
    let end = "the same error in the next 2 lines\nstandard input: each line is one turn; `sonometer stream TARGET --form jsonl` reads such lines \
               as one conversation\n";
    assert!(ran.err.ends_with(end), "{}", ran.err);
    assert_eq!(sense(&five, true).out.matches("unknown key `role`").count(), 5);
    // What lies between parts them, and where one line is an interaction, lines are none of a conversation.
    let ran = sense(&format!("{five}{reading}{five}"), false);
    assert_eq!(ran.err.matches("the same error in the next 2 lines").count(), 2, "{}", ran.err);
    assert!(!ran.err.contains("one conversation"), "{}", ran.err);
}
