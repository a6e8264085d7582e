//! `fmt`, `publish` and `diff` with stages.

mod built;

use built::{Ran, command, path, piped};
use std::fs;
use std::path::{Path, PathBuf};

const UNTIDY: &str = "crates/sonometer-cli/tests/stages/untidy.yaml";
const TIDY: &str = include_str!("golden/tidy-stage.yaml");
const SHIPPED: [&str; 3] = ["agent-phishing", "billing-dispute", "drinking-less"];

const PORTER: &str = "\
sonometer: 1
id: porter
version: \"1.2\"
status: published
taxonomy: Good_Practice
language: en
fidelity: {words: 4, sufficient: 0.4}
markers:
  - label: thanks
    clear: |
      (thank you|thanks) (for|so|very)
    hit: |
      Thank you so much.
";
const TONE: &str =
    "sonometer_metric: 1\nid: tone\nversion: \"1.0\"\ncomponents:\n  - {protocol: porter@1.2}\n";
const DOOR: &str = "\
sonometer_stage: 1
id: door
version: \"1.0\"  # the first
protocol: porter@1.2
objective: Get through the door, politely.
lists: {weather: [rain, snow]}
start: hall
scenes:
  hall:
    world: \"A porter stands at the door, out of the {weather}.\"
    do:
      - when: fired(thanks)
        go: through
      - otherwise: stay
        world: He waits.
  through: {end: true, world: You are through.}
checkpoints: {inside: reached(through)}
walkthroughs:
  polite: {expect: pass, say: [\"Good evening, thank you so much for waiting.\"]}
  silence: {expect: fail, say: [\".\", \".\"]}
  parrot: {expect: fail, say: [thanks door polite]}
";

/// Code, output and errors.
fn run_with_input(arguments: &[&str], typed: &str) -> (i32, String, String) {
    Ran::from(piped(command(arguments), typed.as_bytes())).parts()
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    built::run(arguments).parts()
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    built::folder(&format!("stage-{name}"), files)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).expect("is there")
}

#[test]
fn fmt_tidies_stages_in_place_or_says_what_it_would_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let untidy = read(root.join(UNTIDY).to_str().expect("is UTF-8"));
    let folder = folder("fmt", &[("s.yaml", &untidy)]);
    let stage = path(&folder, "s.yaml");
    let digest = run(&["check", &stage]).1;
    let (code, out, told) = run(&["fmt", "--check", &stage]);
    assert_eq!((code, told.as_str()), (1, ""));
    assert!(
        out.contains("  - start: \"hall\"   # indoors\n") && out.contains("  + start: hall  # indoors\n"),
        "{out}"
    );
    assert!(out.ends_with("1 file would change\n"), "{out}");
    assert_eq!(read(&stage), untidy);
    assert_eq!(run_with_input(&["fmt", "-"], &untidy), (0, TIDY.to_owned(), String::new()));
    assert_eq!(run(&["fmt", &stage]), (0, String::new(), String::new()));
    assert_eq!(read(&stage), TIDY);
    assert_eq!(run(&["fmt", "--check", &stage]), (0, String::new(), String::new()));
    assert_eq!(run(&["check", &stage]).1, digest, "it is the same stage");
    for id in SHIPPED {
        let file = format!("crates/sonometer-catalog/stages/{id}@1.0.yaml");
        assert_eq!(run(&["fmt", "--check", &file]), (0, String::new(), String::new()), "{id}");
    }
}

#[test]
fn fmt_leaves_broken_stages_alone() {
    let broken = DOOR.replace("go: through", "go:   thruogh");
    let folder = folder("fmt-broken", &[("s.yaml", &broken)]);
    let stage = path(&folder, "s.yaml");
    let (code, out, told) = run(&["fmt", &stage]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(told.contains("SM0603") && told.contains("did you mean `through`"), "{told}");
    assert!(told.contains("the stage has 1 error"), "{told}");
    assert_eq!(read(&stage), broken);
}

#[test]
fn publish_freezes_a_stage_that_holds() {
    let folder = folder("publish", &[("porter.yaml", PORTER), ("tone.yaml", TONE), ("door.yaml", DOOR)]);
    let door = path(&folder, "door.yaml");
    let (code, out, told) = run(&["publish", &door]);
    assert_eq!((code, told.as_str()), (0, ""));
    assert_eq!(read(&door), DOOR.replace("# the first\n", "# the first\nstatus: published\n"));
    let (first, second) = out.split_once('\n').expect("has two lines");
    let digest = first.strip_prefix("stage door@1.0 is published: ").expect(first);
    assert_eq!(
        second,
        "3 walkthroughs as expected, 3 runs of silence and repetition failed, 1 protocol pinned; a change needs a new version\n"
    );
    assert!(run(&["check", &door]).1.contains(digest), "check prints the same");
    assert_eq!(run(&["publish", &door]).1, out, "twice is once");
    assert_eq!(run(&["fmt", "--check", &door]).0, 0, "what it writes is in the normal form");
    fs::write(&door, DOOR.replace("protocol: porter@1.2", "metric: tone@1.0")).expect("can be written");
    assert_eq!(run(&["publish", &door]).0, 0, "down to the protocols");
    for id in SHIPPED {
        let (code, out, told) = run(&["publish", id]);
        assert_eq!((code, told.as_str()), (0, ""), "{id}");
        assert!(
            run(&["check", id]).1.starts_with(
                &out.lines().next().expect(id).replace("stage ", "").replace(" is published", "")
            ),
            "{out}"
        );
    }
}

#[test]
fn publish_refuses_what_fails_or_can_still_change() {
    let json = |status: &str| {
        format!(
            r#"{{"sonometer_stage": 1, "id": "door", "version": "1.0", {status}"protocol": "porter@1.2", "objective": "Go.",
            "start": "hall", "checkpoints": {{"inside": "reached(out)"}}, "scenes": {{"out": {{"end": true}},
            "hall": {{"do": [{{"when": "fired(thanks)", "go": "out"}}, {{"otherwise": "stay"}}]}}}}, "walkthroughs": {{
            "polite": {{"expect": "pass", "say": "Thank you so much for that."}},
            "silence": {{"expect": "fail", "say": "."}}, "parrot": {{"expect": "fail", "say": "thanks"}}}}}}"#
        )
    };
    let metric = DOOR.replace("protocol: porter@1.2", "metric: tone@1.0");
    let draft = PORTER.replace("status: published", "status: draft");
    let loose = TONE.replace("porter@1.2", "porter");
    let run_of_two = "say: [Good evening to you., \"Good evening, thank you so much for waiting.\"]";
    for (stage, other, said) in [
        (DOOR.replace("go: through", "go: thruogh"), PORTER, "the stage has 1 error"),
        (DOOR.replace("fired(thanks)", "fired(tanks)"), PORTER, "the stage has 1 error"),
        (DOOR.replace("porter@1.2", "porters@1.2"), PORTER, "unknown protocol `porters`"),
        (
            DOOR.replace("expect: pass", "expect: fail"),
            PORTER,
            "2 warnings; a published version never changes",
        ),
        (DOOR.replace("  parrot", "  other"), PORTER, "1 warning; a published version never changes"),
        (
            DOOR.replace("say: [\"Good evening, thank you so much for waiting.\"]", run_of_two),
            PORTER,
            "1 of 5 runs of silence and repetition passed, but must fail; for details run `sonometer test",
        ),
        (
            DOOR.replace("porter@1.2", "porter"),
            PORTER,
            "`door` names `porter` without a version, so it changes with every new one; pin it: `porter@1.2`",
        ),
        (
            DOOR.to_owned(),
            draft.as_str(),
            "`porter@1.2` is a draft, which can still change; publish it first",
        ),
        (metric.clone(), loose.as_str(), "`tone` names `porter` without a version"),
        (metric, draft.as_str(), "`porter@1.2` is a draft"),
        (DOOR.replace("# the first", "\nstatus: archived"), PORTER, "is archived; write `status: draft`"),
        (json(""), PORTER, "cannot insert `status: published` here"),
    ] {
        let other_name = if other.contains("_metric") { "tone.yaml" } else { "porter.yaml" };
        let files = [
            ("porter.yaml", PORTER),
            ("tone.yaml", TONE),
            ("door.yaml", stage.as_str()),
            (other_name, other),
        ];
        let folder = folder("refused", &files);
        // JSON is read as such whatever the file is called.
        let door = path(&folder, "door.yaml");
        let (code, out, told) = run(&["publish", &door]);
        assert!(matches!(code, 2 | 4) && told.contains(said), "{said}\n{out}{told}");
        assert!(!out.contains("is published"), "{out}");
        assert_eq!(read(&door), stage, "nothing is written");
    }
    let folder = folder("json", &[("porter.yaml", PORTER), ("door.json", &json("\"status\": \"draft\", "))]);
    let door = path(&folder, "door.json");
    assert_eq!(run(&["publish", &door]).0, 0);
    assert_eq!(read(&door), json("\"status\": \"published\", "));
}

/// The seed draws by the digest, of which the status is part: what held in the draft may not hold in what is frozen.
#[test]
fn publish_runs_what_it_will_freeze() {
    let porter = PORTER.replace("    hit:", "    after: {any: rain, by: world, within: 2 turns}\n    hit:");
    let (mut published, mut refused) = (0, 0);
    for seed in 0..40 {
        let door = DOOR.replace("polite: {", &format!("polite: {{seed: {seed}, "));
        let folder = folder("drawn", &[("porter.yaml", &porter), ("door.yaml", &door)]);
        let file = path(&folder, "door.yaml");
        if run(&["test", &file]).0 != 0 {
            continue;
        }
        let (code, _, told) = run(&["publish", &file]);
        match code {
            0 => {
                published += 1;
                assert_eq!(run(&["test", &file]).0, 0, "what is frozen holds");
            }
            _ => {
                refused += 1;
                let said = "with `status: published` the walkthrough `polite` does not end as expected, because the status changes";
                assert!(code == 2 && told.contains(said), "{told}");
                assert_eq!(read(&file), door);
                let by_hand = door.replace("# the first\n", "# the first\nstatus: published\n");
                fs::write(&file, by_hand).expect("can be written");
                assert_eq!(run(&["test", &file]).0, 1, "as it says");
            }
        }
        if published > 0 && refused > 0 {
            return;
        }
    }
    panic!("{published} published, {refused} refused");
}

#[test]
fn diff_says_what_to_do_with_stages() {
    let folder = folder("diff", &[("porter.yaml", PORTER), ("door.yaml", DOOR)]);
    let (door, porter) = (path(&folder, "door.yaml"), path(&folder, "porter.yaml"));
    let talks = "crates/sonometer-cli/tests/protocols/talks.jsonl";
    for (old, new) in [(&*door, &*door), (&*porter, &*door), ("billing-dispute", "billing-dispute@1.0")] {
        let (code, out, told) = run(&["diff", old, new, talks]);
        assert_eq!((code, out.as_str()), (2, ""));
        for said in
            ["stages cannot be compared", "run `sonometer test`", "--actions FILE`", "that the stage names"]
        {
            assert!(told.contains(said), "{told}");
        }
    }
}
