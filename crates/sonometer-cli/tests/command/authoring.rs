//! What authors of protocols type: `check`, `fmt`, `explain`, `test`, `diff`, `publish`.

use super::*;

#[test]
fn check_draws_what_is_wrong() {
    let broken = run(&["check", BROKEN, CARDS]);
    assert_eq!((broken.code, broken.err.as_str()), (1, ""));
    golden("check.txt", &broken.out);
    let warned = run(&["check", FAILING]);
    assert_eq!(warned.code, 0, "{}", warned.out);
    assert!(warned.out.contains("warning[SM"), "{}", warned.out);
    assert_eq!(run(&["check", "--strict", FAILING]).code, 1);
    assert_eq!(run(&["check", "--strict", "courtesy"]).code, 0);
}

#[test]
fn check_is_read_by_editors_and_programs() {
    let short = run(&["check", BROKEN, FAILING, "--format", "short"]);
    assert_eq!((short.code, short.err.as_str()), (1, ""));
    golden("check-short.txt", &short.out);
    let json = run(&["check", BROKEN, "nowhere.yaml", "--format", "json"]);
    assert_eq!(json.code, 2);
    golden("check.jsonl", &json.out);
    for line in json.out.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON");
    }
}

#[test]
fn fmt_tidies_files_in_place_or_says_what_it_would_do() {
    let untidy = fs::read_to_string(root().join(UNTIDY)).expect("is there");
    let tidy = include_str!("../golden/tidy.yaml");
    let path = scratch("untidy.yaml", untidy.as_bytes());
    let looked = run(&["fmt", "--check", UNTIDY]);
    assert_eq!((looked.code, looked.err.as_str()), (1, ""));
    golden("fmt-check.txt", &looked.out);
    assert_eq!(run_with_input(&["fmt", "-"], untidy.as_bytes()).out, tidy);
    let wrote = run(&["fmt", &path]);
    assert_eq!((wrote.code, wrote.out.as_str(), wrote.err.as_str()), (0, "", ""));
    assert_eq!(fs::read_to_string(&path).expect("is there"), tidy);
    let again = run(&["fmt", "--check", &path]);
    assert_eq!((again.code, again.out.as_str()), (0, ""));
}

#[test]
fn fmt_leaves_alone_what_it_cannot_read() {
    let text = "sonometer: 1\nid:   x\n";
    let path = scratch("unsound.yaml", text.as_bytes());
    let refused = run(&["fmt", &path]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("SM0303"), "{}", refused.err);
    assert_eq!(fs::read_to_string(&path).expect("is there"), text);
    let json =
        run(&["fmt", &scratch("protocol.json", run(&["protocols", "courtesy", "--json"]).out.as_bytes())]);
    assert_eq!(json.code, 2);
}

#[cfg(unix)]
#[test]
fn fmt_keeps_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let path = scratch("linked.yaml", &fs::read(root().join(UNTIDY)).expect("is there"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("can be set");
    let link = Path::new(env!("CARGO_TARGET_TMPDIR")).join("link.yaml");
    let _ = fs::remove_file(&link);
    symlink(&path, &link).expect("can be made");
    assert_eq!(run(&["fmt", link.to_str().expect("is UTF-8")]).code, 0);
    assert!(fs::symlink_metadata(&link).expect("is there").file_type().is_symlink());
    assert_eq!(fs::metadata(&path).expect("is there").permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(&path).expect("is there"), include_str!("../golden/tidy.yaml"));
}

#[test]
fn codes_are_explained() {
    let told = run(&["explain", "SM0302", "sm0116"]);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    golden("explain.txt", &told.out);
    let all = run(&["explain"]);
    assert!(all.out.lines().count() >= 90 && all.out.contains("SM0407  "), "{}", all.out);
    let none = run(&["explain", "SM9999", "SM0302"]);
    assert_eq!(none.code, 2);
    let near = run(&["explain", "SM401"]);
    let told = "unknown code `SM401`; did you mean `SM0401`? `sonometer explain` lists all codes";
    assert!(near.code == 2 && near.err.contains(told), "{}", near.err);
    assert!(none.err.contains("unknown code `SM9999`") && none.out.starts_with("SM0302: "), "{}", none.err);
}

#[test]
fn test_shows_what_fails_and_why() {
    let failing = run(&["test", FAILING]);
    assert_eq!((failing.code, failing.err.as_str()), (1, ""));
    golden("test.txt", &failing.out);
    assert_eq!(run(&["test", CARDS]).code, 0);
    assert_eq!(run(&["test", "--strict", CARDS]).code, 1, "one line is not needed");
    let both = run(&["test", CARDS, "zebra", FAILING]);
    assert_eq!(both.code, 4);
    assert!(
        both.out.contains("cards.yaml: 3 markers") && both.out.contains("failing.yaml: 2 markers"),
        "{}",
        both.out
    );
}

#[test]
fn diff_shows_which_readings_moved_and_why() {
    let arguments = ["diff", DIALOGUES, NEXT, TALKS];
    let ran = run(&arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    golden("diff.txt", &ran.out);
    assert!(!ran.out.contains("4111"), "the card number stays hidden");
    let json = run(&[&arguments[..], &["--json", "--fail-on-change"]].concat());
    assert_eq!((json.code, json.err.as_str()), (1, ""));
    golden("diff.jsonl", &json.out);
    assert!(!json.out.contains("4111"), "there too");
    let limited = run(&[&arguments[..], &["--json", "--limit", "1"]].concat());
    assert_eq!(limited.out.lines().count(), 2);
    let same = run(&["diff", "courtesy@1.5", "courtesy@1.5", TALKS, "--fail-on-change"]);
    assert_eq!(same.code, 0);
    assert!(
        same.out.contains("the protocols are the same") && same.out.contains("0 of 4 readings moved"),
        "{}",
        same.out
    );
}

#[test]
fn diff_tells_what_neither_version_measured() {
    let talk = scratch("unmeasured.json", br#"{"segments": [{"role": "agent", "content": "Hm."}]}"#);
    let told = run(&["diff", DIALOGUES, NEXT, &talk]).out;
    let line = "0 of 1 reading moved, mean change of the score 0; neither version measured 1 of them";
    assert!(told.contains(line), "{told}");
}

#[test]
fn diff_takes_time_in_proportion_to_the_evidence() {
    // No clock decides: this takes two seconds, and took half an hour when each piece was looked up among all others.
    let path = scratch("much-evidence.txt", "thank you so much ".repeat(40_000).as_bytes());
    let ran = run(&["diff", "courtesy@1.5", "courtesy@2.0", &path]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("…") && ran.out.matches("[thank you so much]").count() >= 40_000,
        "{:.999}",
        ran.out
    );
}

#[test]
fn only_what_is_tested_can_be_published() {
    let sound = fs::read_to_string(root().join(NEXT)).expect("is there");
    let path = scratch("publish.yaml", sound.as_bytes());
    let ran = run(&["publish", &path]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let written = fs::read_to_string(&path).expect("is there");
    assert_eq!(written, sound.replace("\"0.2\"\n", "\"0.2\"\nstatus: published\n"));
    let (_, digest) = ran.out.split_once("sha256:").expect("prints a digest");
    assert!(run(&["check", &path]).out.contains(&digest[..64]), "check prints the same");
    assert_eq!(run(&["publish", &path]).out, ran.out, "twice is once");
    for (file, why) in [(FAILING, "warning"), (DIALOGUES, "2 tests failing"), (BROKEN, "2 errors")] {
        let before = fs::read_to_string(root().join(file)).expect("is there");
        let refused = run(&["publish", file]);
        assert_eq!(refused.code, 2, "{file}");
        assert!(refused.err.contains(why), "{}", refused.err);
        assert_eq!(fs::read_to_string(root().join(file)).expect("is there"), before);
    }
}

#[test]
fn dialogues_are_tests_of_the_whole_protocol() {
    let ran = run(&["test", DIALOGUES]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    golden("test-dialogues.txt", &ran.out);
}

#[test]
fn coverage_takes_everything_away_in_turn() {
    let ran = run(&["test", DIALOGUES, "--coverage"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    golden("test-coverage.txt", &ran.out);
    golden("test-coverage.json", &run(&["test", DIALOGUES, "--coverage", "--json"]).out);
    let courtesy = |least| run(&["test", "courtesy", "--coverage", "--fail-under", least]).code;
    assert_eq!((courtesy("80"), courtesy("100")), (0, 1));
}

#[test]
fn every_shipped_protocol_passes_its_own_tests() {
    let list = run(&["protocols", "--json"]).out;
    let ids: Vec<&str> = list.split(r#"{"id":""#).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.contains(&"courtesy"));
    let ran = run(&[&["test"], &ids[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn what_init_says_to_type_keeps_a_name_with_a_space_together() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("my protocol.yaml");
    let _ = fs::remove_file(&path);
    let file = path.to_str().expect("is UTF-8");
    let done = run(&["init", file, "--template", "guard"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains(&format!("sonometer check \"{file}\"\n")), "{}", done.out);
}
