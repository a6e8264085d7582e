//! Metrics, blueprints, comparisons and estimates through the built command.
//!
//! Expected outputs stand in `tests/golden`; `BLESS=1 cargo test -p sonometer-cli` writes them anew.

mod built;

use built::root;
use std::fs;
use std::path::Path;
use std::process::Command;

const CALL: &str = "fixtures/interactions/support-call.json";
const THREAD: &str = "fixtures/interactions/heated-thread.json";

/// Exit code, output, errors.
fn run(arguments: &[&str]) -> (i32, String, String) {
    built::run(arguments).parts()
}

fn golden(name: &str, arguments: &[&str]) {
    let (code, out, err) = run(arguments);
    assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
    built::golden(name, &out);
}

#[test]
fn compositions_for_people() {
    golden("metric.txt", &["sense", "reply-quality", CALL]);
    golden("blueprint.txt", &["sense", "service-call", CALL, "--rate", "0.01", "--profile", "discovery"]);
    golden("compare.txt", &["compare", "courtesy@1.5", CALL, THREAD]);
    golden("compare-blueprint.txt", &["compare", "service-call", THREAD, CALL]);
    golden("metrics.txt", &["metrics"]);
    golden("metrics-one.txt", &["metrics", "reply-quality"]);
    golden("blueprints.txt", &["blueprints"]);
    golden("blueprints-one.txt", &["blueprints", "service-call"]);
    golden("estimate.txt", &["estimate", "service-call", "--length", "2000", "--modality", "transcript"]);
}

#[test]
fn compositions_for_programs() {
    golden("metric.json", &["sense", "reply-quality", CALL, "--json"]);
    golden("compare.json", &["compare", "courtesy@1.5", CALL, THREAD, "--json"]);
    golden("metrics.json", &["metrics", "--json"]);
    golden("metrics-one.json", &["metrics", "reply-quality@1.0", "--json"]);
    golden("blueprints.json", &["blueprints", "--json"]);
    golden("blueprints-one.json", &["blueprints", "service-call", "--json"]);
    golden("estimate.json", &["estimate", "courtesy@1.5", "--length", "500", "--rate", "0.01", "--json"]);
    let (code, out, _) = run(&["fidelity", "service-call", CALL, "--json"]);
    assert!(
        code == 0 && out.starts_with(r#"{"target":{"type":"blueprint","id":"service-call","version":"1.0"}"#)
    );
}

/// How many bytes the command reads of anything. The kernel adds those of a process that has ended to those of its parent.
#[cfg(target_os = "linux")]
fn bytes_read(arguments: &[&str]) -> u64 {
    let script = "\"$@\" >/dev/null 2>&1; cat /proc/$$/io";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_sonometer")]).args(arguments).current_dir(root());
    let output = command.output().expect("starts");
    let text = String::from_utf8(output.stdout).expect("is UTF-8");
    let read = text.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("is told");
    read.parse().expect("is a number")
}

#[cfg(target_os = "linux")]
#[test]
fn of_the_files_beside_a_target_only_those_are_read_that_it_names() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside");
    fs::create_dir_all(&folder).expect("can be made");
    let at = |name: &str| folder.join(name).to_str().expect("is UTF-8").to_owned();
    let courtesy = include_str!("../../sonometer-catalog/protocols/courtesy@1.0.yaml");
    fs::write(at("own.yaml"), courtesy.replace("id: courtesy", "id: own")).expect("can be written");
    let metric = "sonometer_metric: 1\nid: m\nversion: \"1.0\"\ncomponents:\n  - {protocol: own}\n";
    fs::write(at("metric.yaml"), metric).expect("can be written");
    // Data that stands there for another reason, of which each begins with what could be a name.
    for number in 0..4 {
        let data = format!("{{\"sonometer\": \"data\", \"text\": \"{}\"}}", "x".repeat(12 << 20));
        fs::write(at(&format!("data-{number}.json")), data).expect("can be written");
    }
    for arguments in [
        &["sense", &at("own.yaml"), CALL][..],
        &["check", &at("own.yaml")],
        &["sense", &at("metric.yaml"), CALL],
        &["check", &at("metric.yaml")],
    ] {
        let read = bytes_read(arguments);
        assert!(read < 2 << 20, "{arguments:?}: {read} bytes");
    }
    let (code, out, err) = run(&["sense", &at("metric.yaml"), CALL]);
    assert!(code == 0 && out.contains("own"), "{out}{err}");
    fs::remove_dir_all(&folder).expect("is there");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_over_the_limit_is_refused_before_it_is_held() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    fs::create_dir_all(&folder).expect("can be made");
    let large = |name: &str| {
        let path = folder.join(name);
        let file = fs::File::create(&path).expect("can be made");
        // Sparse: it takes no room.
        file.set_len(8 << 30).expect("can be longer");
        path.to_str().expect("is UTF-8").to_owned()
    };
    let (text, protocol) = (large("text.txt"), large("protocol.yaml"));
    for (arguments, most) in [
        (&["sense", "courtesy@1.5", &text, "--format", "text"][..], 64),
        (&["check", &protocol], 16),
        (&["sense", &protocol, CALL], 16),
    ] {
        let (code, _, err) = run(arguments);
        assert!(code == 2 && err.contains(&format!("larger than {most} MiB")), "{arguments:?}: {err}");
        let read = bytes_read(arguments);
        // A file in YAML is looked at twice: it could be a stage.
        assert!(read < (2 * most + 2) << 20, "{arguments:?}: {read} bytes");
    }
    fs::remove_dir_all(&folder).expect("is there");
}

#[test]
fn what_is_wrong_has_its_exit_code_and_its_place() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compositions");
    fs::create_dir_all(&folder).expect("can be made");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("can be written");
        path.to_str().expect("is UTF-8").to_owned()
    };
    let metric = |components: &str| {
        format!("sonometer_metric: 1\nid: own\nversion: \"1.0\"\ncomponents:\n  - {{{components}}}\n")
    };
    let sound = file("sound.yaml", &metric("protocol: courtesy"));
    let lost = file("lost.yaml", &metric("protocol: kourtesy"));
    let draft = file("draft.yaml", &metric("protocol: next-steps"));
    let odd = file("odd.yaml", &metric("protocol: courtesy, wieght: 2"));
    let short = file("short.txt", "Hi.");
    for (arguments, code, said) in [
        (vec!["check", &sound], 0, "own@1.0: sha256:"),
        (vec!["check", &lost], 1, "components[0].protocol: unknown protocol `kourtesy`"),
        (vec!["check", &lost], 1, "unknown protocol `kourtesy`; check the spelling against the catalogue"),
        (vec!["check", &odd], 1, "did you mean `weight`"),
        (vec!["sense", &lost, CALL], 4, "unknown protocol `kourtesy`"),
        (vec!["sense", &draft, CALL], 4, "name a draft with its version: `next-steps@0.1`"),
        (vec!["sense", &odd, CALL], 2, "the metric has 1 error"),
        (
            vec!["sense", "reply-quality", &short],
            3,
            "lacks sufficient signal for `courtesy` in `reply-quality`",
        ),
        (vec!["sense", "reply-quality", CALL, "--flow"], 2, "actant flow works with a protocol"),
        (
            vec!["compare", "courtesy@1.5", CALL, &short],
            3,
            "interaction_b: the content lacks sufficient signal",
        ),
        (vec!["compare", "courtesy@1.5", CALL, "none.json"], 2, "none.json: no such file"),
        (vec!["metrics", "reply-qualty"], 4, "did you mean `reply-quality`"),
        (vec!["blueprints", "service-call@7"], 4, "its versions: 1.0"),
        (vec!["estimate", "courtesy@1.5", "--length", "500", "--modality", "audio"], 2, "not audio"),
    ] {
        let (found, out, err) = run(&arguments);
        assert_eq!(found, code, "{arguments:?}: {out}{err}");
        assert!(out.contains(said) || err.contains(said), "{arguments:?}: {out}{err}");
    }
    // The formats that editors and GitHub read have the error, too.
    let said =
        "components[0].protocol: unknown protocol `kourtesy`; check the spelling against the catalogue\n";
    for (format, head) in [
        ("short", format!("{lost}:1:1: error[target_not_found]: ")),
        ("github", format!("::error file={lost},title=target_not_found::")),
    ] {
        assert_eq!(run(&["check", &lost, "--format", format]).1, format!("{head}{said}"));
    }
}
