//! `sonometer fit` on an invented corpus (`tests/fit/oracle.py` of `sonometer-evaluate` says how it was made).
//!
//! Expected outputs stand in `tests/fit`; `BLESS=1 cargo test -p sonometer-cli` writes them anew.

mod built;

use built::{Ran, command_in, kept};
use std::fs;
use std::path::{Path, PathBuf};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fit")
}

/// What the fit itself is tested on.
fn invented() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sonometer-evaluate/tests/fit")
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path = built::folder(&format!("fit/{name}"), &[]);
    fs::copy(invented().join("corpus.jsonl"), path.join("corpus.jsonl")).expect("can be copied");
    path
}

fn run(folder: &Path, arguments: &str) -> (i32, String, String) {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    Ran::from(command_in(folder, &arguments).output().expect("starts")).parts()
}

fn golden(name: &str, found: &str) {
    kept(&here().join(name), found);
}

const FIT: &str =
    "fit corpus.jsonl --label kind --marker kindness --language en --words 2 --support 3 --features none";

#[test]
fn the_same_data_and_settings_give_the_same_file() {
    let (one, other) = (folder("one"), folder("other"));
    let (code, out, err) = run(&one, &format!("{FIT} --out kind.yaml"));
    assert_eq!((code, err.as_str()), (0, ""));
    golden("report.txt", &out);
    let text = fs::read_to_string(one.join("kind.yaml")).expect("was written");
    golden("fitted.yaml", &text);
    // From another folder, by another name of the output.
    let (code, ..) = run(&one, &format!("{FIT} --out {}", other.join("x.yaml").display()));
    assert_eq!(code, 0);
    assert_eq!(fs::read_to_string(other.join("x.yaml")).expect("was written"), text);
}

#[test]
fn the_file_passes_check_and_its_own_tests() {
    let folder = folder("check");
    assert_eq!(run(&folder, &format!("{FIT} --out kind.yaml")).0, 0);
    let (code, out, _) = run(&folder, "check kind.yaml --strict");
    let meaning = "kindness@0.1: score 0 = nothing found, 1 = a medium marker found; higher is better\n";
    assert_eq!((code, out), (0, format!("{meaning}1 file checked, nothing to report\n")));
    let (code, out, _) = run(&folder, "test kind.yaml --strict");
    assert_eq!((code, out.as_str()), (0, "kind.yaml: 1 marker, 1 test line passed\n"));
}

#[test]
fn features_are_those_that_other_tools_were_given() {
    let folder = folder("features");
    let arguments = "fit corpus.jsonl --label kind --marker kind --language en --repeat halve --features none --out a.yaml";
    assert_eq!(run(&folder, &format!("{arguments} --export-features a.svm")).0, 0);
    let found = fs::read_to_string(folder.join("a.svm")).expect("was written");
    assert_eq!(found, fs::read_to_string(invented().join("features.svm")).expect("is there"));
}

#[test]
fn programs_get_one_line() {
    let folder = folder("json");
    let (code, out, _) = run(&folder, &format!("{FIT} --out kind.yaml --json --size 10"));
    assert_eq!((code, out.lines().count()), (0, 1));
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(summary["lines"], 10);
    assert_eq!(summary["positive"], 64);
    assert!(summary["held_out"]["macro_f1"].as_f64() > Some(0.7), "{out}");
}

const PROTOCOL: &str = "sonometer: 1
id: shop
version: \"1\"
taxonomy: Signal
language: en
markers:
  - label: kindness   # of customers
    trigger: 0.9
    strong: |
      (thank|thanks) ..2.. (you|that)
    clear: |
      could you     # asks
      would you mind
    weak: |
      (happy|quick)
      nobody answer~
    hit: |
      Thank you!
";

#[test]
fn a_trigger_that_is_too_high_is_tuned() {
    let folder = folder("tune");
    fs::write(folder.join("shop.yaml"), PROTOCOL).expect("can be written");
    let (code, out, err) = run(&folder, "fit corpus.jsonl --label kind --tune shop.yaml --out tuned.yaml");
    assert_eq!((code, err.as_str()), (0, ""));
    golden("tuned.txt", &out);
    let text = fs::read_to_string(folder.join("tuned.yaml")).expect("was written");
    golden("tuned.yaml", &text);
    assert_eq!(run(&folder, "check tuned.yaml --strict").0, 0);
}

#[test]
fn every_line_can_get_a_weight_of_its_own() {
    let folder = folder("weigh");
    fs::write(folder.join("shop.yaml"), PROTOCOL).expect("can be written");
    let (code, out, err) =
        run(&folder, "fit corpus.jsonl --label kind --tune shop.yaml --weigh --no-likeness --out tuned.yaml");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let text = fs::read_to_string(folder.join("tuned.yaml")).expect("was written");
    golden("weighed.yaml", &text);
    assert_eq!(run(&folder, "check tuned.yaml").0, 0);
}

/// Knowledge about kindness: a marker of that label with conditions, another one beside it, lists, a comment.
const KNOWLEDGE: &str = "sonometer: 1
id: shop
version: \"3\"
status: published
taxonomy: Signal
language: en
lists:
  polite: would you mind | could you | may i
markers:
  - label: kindness   # of customers
    negation: drop
    strong: |
      (thank|thanks) ..2.. (you|that)   # said to us
      never said here
    except: |
      no thanks
    hit: |
      Thank you!
  - label: request
    by: customer
    clear: |
      @polite <question>
    hit: |
      customer: Could you?
";

#[test]
fn what_a_person_wrote_and_what_data_choose_end_in_one_file() {
    let folder = folder("knowledge");
    fs::write(folder.join("shop.yaml"), KNOWLEDGE).expect("can be written");
    let fit = "fit corpus.jsonl --label kind --patterns shop.yaml --no-likeness --json";
    let (code, out, err) = run(&folder, &format!("{fit} --marker kindness --out own.yaml"));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(summary["by_hand"]["of"], 4, "two lines, one of the other marker, one list: {out}");
    let own = fs::read_to_string(folder.join("own.yaml")).expect("was written");
    // What the author wrote stays: the file, its conditions, comments and lists; lines that tell nothing become comments.
    for part in [
        "version: \"3\"\n",
        "    weigh: |\n      (thank|thanks) ..2.. (you|that) = ",
        "   # said to us\n",
        "      # never said here (tells nothing here)\n",
        "    except: |\n      no thanks\n",
        "      # chosen by data\n",
        "  - label: request\n    by: customer\n    clear: |\n      @polite <question>\n",
    ] {
        assert!(own.contains(part), "{part}: {own}");
    }
    assert!(own.contains("\n      @polite = ") || own.contains("\n      @polite <question> = "), "{own}");
    assert_eq!(run(&folder, "check own.yaml").0, 0);

    // A marker that the file does not have is put before the others, with a test of its own.
    let (code, out, err) = run(&folder, &format!("{fit} --marker kind --version 4 --out new.yaml"));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let new = fs::read_to_string(folder.join("new.yaml")).expect("was written");
    assert!(new.contains("markers:\n  - label: kind\n    repeat: once\n"), "{new}");
    assert!(
        new.contains("\nversion: \"4\"\n") && new.contains("\nstatus: draft\n"),
        "what was published stays: {new}"
    );
    assert!(new.contains("    weigh: |\n      # of `kindness`\n"), "{new}");
    let rest = KNOWLEDGE.split_once("markers:\n").expect("has markers").1;
    assert!(new.ends_with(rest), "the author's markers stay as they are: {new}");
    assert_eq!(run(&folder, "check new.yaml").0, 0);
    assert_eq!(run(&folder, "test new.yaml").0, 0);

    // The same data and settings give the same file.
    assert_eq!(run(&folder, &format!("{fit} --marker kind --version 4 --out again.yaml")).0, 0);
    assert_eq!(fs::read_to_string(folder.join("again.yaml")).expect("was written"), new);
}

/// So many texts in some languages, every second of them kind, and their language as a label; `zz`: in none that can be recognised.
fn spoken(counts: &[(&str, usize)]) -> String {
    let line = |code: &str, n: usize| {
        let [thanks, more] = match code {
            "de" => ["danke, das ist sehr nett", "warum ist das noch nicht da"],
            "en" => ["thank you, that was kind", "why is it not here"],
            "fr" => ["merci, c'est très gentil de votre part", "pourquoi est-ce que le colis n'est pas là"],
            "zh" => ["谢谢你的帮助", "为什么还没有到"],
            _ => ["wow", "4711"],
        };
        let filler = ["parcel", "lamp", "tray", "chair", "ticket", "cable", "spoon"];
        let (said, kind) = if n.is_multiple_of(2) { (thanks, true) } else { (more, false) };
        let labels = format!("{{\"kind\": {kind}, \"spoken\": \"{code}\"}}");
        let content = format!("{said} {} {}", filler[n % 7], filler[(n / 7) % 7]);
        format!("{{\"interaction\": {{\"content\": \"{content}\"}}, \"labels\": {labels}}}\n")
    };
    counts.iter().flat_map(|(code, count)| (0..*count).map(|n| line(code, n))).collect()
}

#[test]
fn one_language_of_nearly_all_texts_is_chosen() {
    let folder = folder("language");
    let fit = FIT.replace("--language en", "--language auto");
    let (code, out, err) = run(&folder, &format!("{fit} --out auto.yaml"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("  language   en, recognised in 160 of 160 items\n"), "{out}");
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("was written");
    assert_eq!(run(&folder, &format!("{FIT} --out named.yaml")).0, 0);
    assert_eq!(text("auto.yaml"), text("named.yaml"), "the same file as with --language en");
    let (_, out, _) = run(&folder, &format!("{fit} --out auto.yaml --json"));
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(summary["language"], "en");
    assert_eq!(summary["languages"][0]["fit"]["out"], "auto.yaml");
    // A language without tables: a protocol without `language`.
    fs::write(folder.join("fr.jsonl"), spoken(&[("fr", 60), ("en", 2)])).expect("can be written");
    let fit = "fit fr.jsonl --label kind --marker kind --language auto --no-likeness --sufficient 0.1";
    let (code, out, err) = run(&folder, &format!("{fit} --out fr.yaml"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("fr, recognised in 60 of 62 items, en in 2; all are used"), "{out}");
    assert!(out.contains("fr: the protocol has no `language`"), "{out}");
    assert!(!text("fr.yaml").contains("\nlanguage:"));
}

#[test]
fn texts_of_several_languages_give_a_file_for_each() {
    let folder = folder("languages");
    let texts = spoken(&[("en", 60), ("de", 50), ("zh", 40), ("fr", 8), ("zz", 6)]);
    fs::write(folder.join("texts.jsonl"), texts).expect("can be written");
    let talk = |code: &str| match code {
        "de" => "der Zug fährt um neun ab, wie du weißt",
        _ => "the train leaves at nine, as you know",
    };
    let talks = |code: &str| format!("{{\"content\": \"{}\"}}\n", talk(code)).repeat(20);
    fs::write(folder.join("talk.jsonl"), talks("en") + &talks("de")).expect("can be written");
    let fit = "fit texts.jsonl --label kind --marker kind --no-likeness --sufficient 0.1 --language auto";
    let (code, out, err) =
        run(&folder, &format!("{fit} --background talk.jsonl --out kind.yaml --html page.html"));
    assert_eq!((code, err.as_str()), (0, ""));
    golden("languages.txt", &out);
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("was written");
    assert!(!folder.join("kind.yaml").exists() && !folder.join("kind.fr.yaml").exists());
    let german = text("kind.de.yaml");
    assert!(german.contains("\nid: kind-de\n") && german.contains("\nlanguage: \"de\"\n"), "{german}");
    assert!(
        german.contains(", language de, texts in de") && german.contains("# items     50 items"),
        "{german}"
    );
    assert!(german.contains("talk.jsonl (talks in de)"), "{german}");
    assert!(!german.contains(" thank"), "{german}");
    assert!(text("kind.zh.yaml").contains("alarms    not measured"));
    for code in ["de", "en", "zh"] {
        assert_eq!(run(&folder, &format!("check kind.{code}.yaml --strict")).0, 0, "{code}");
        let page = text("page.html");
        assert!(page.contains(&format!("kind.{code}.yaml")), "{code}");
    }
    // The same lists as from items that a label parts.
    let german = |text: &str| text.split_once("markers:\n").expect("has markers").1.to_owned();
    let named = "fit texts.jsonl --label kind --marker kind --no-likeness --sufficient 0.1 --where spoken=zh --language zh";
    assert_eq!(run(&folder, &format!("{named} --out named.yaml")).0, 0);
    assert_eq!(german(&text("named.yaml")), german(&text("kind.zh.yaml")));
    // For programs, and what the model is fitted to.
    let (code, out, _) = run(&folder, &format!("{fit} --out kind.yaml --export-features kind.svm --json"));
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(
        (code, &summary["unrecognised"], &summary["language"]),
        (0, &6.into(), &serde_json::Value::Null)
    );
    let languages = summary["languages"].as_array().expect("is a list");
    let told: Vec<(&str, u64)> = languages
        .iter()
        .filter_map(|own| Some((own["language"].as_str()?, own["items"].as_u64()?)))
        .collect();
    assert_eq!(told, [("en", 60), ("de", 50), ("zh", 40), ("fr", 8)]);
    assert_eq!(languages[1]["fit"]["out"], "kind.de.yaml");
    assert_eq!(languages[3]["reason"], "fewer than 10 items");
    assert!(folder.join("kind.de.svm").exists());
    // The values of a label as well.
    let choice = "fit texts.jsonl --choice kind --no-likeness --sufficient 0.1 --language auto --json --out choice.yaml";
    assert_eq!(run(&folder, choice).0, 0, "{:?}", run(&folder, choice));
    assert!(text("choice.zh.yaml").contains("\nid: kind-zh\n"));
}

/// Words that are rare one by one, in a list of the protocol or in a file beside it.
#[test]
fn the_words_of_a_list_count_as_one() {
    let folder = folder("terms");
    let drinks =
        ["tea", "coffee", "cocoa", "juice", "milk", "water", "cider", "soda", "punch", "whey", "mead", "ale"];
    let tools =
        ["saw", "drill", "axe", "file", "lathe", "plane", "rasp", "clamp", "wrench", "anvil", "awl", "vice"];
    let filler = ["today", "in town", "for you", "as asked", "at noon", "with care", "right now"];
    let line = |n: usize| {
        let word = if n.is_multiple_of(2) { drinks[n / 2 % 12] } else { tools[n / 2 % 12] };
        let content = format!("i would like some {word} {} {}", filler[n / 2 % 7], filler[n / 14 % 7]);
        let kind = n.is_multiple_of(2);
        format!("{{\"interaction\": {{\"content\": \"{content}\"}}, \"labels\": {{\"drink\": {kind}}}}}\n")
    };
    fs::write(folder.join("wishes.jsonl"), (0..48).map(line).collect::<String>()).expect("can be written");
    fs::write(folder.join("drinks.txt"), drinks.join("\n")).expect("can be written");
    let head = "sonometer: 1\nid: wishes\nversion: \"1\"\ntaxonomy: Signal\nlanguage: en\nfidelity: {sufficient: 0.1}\n";
    let marker = "markers:\n  - label: drink\n    weak: \"@drinks\"\n    hit: |\n      tea, please\n";
    let within = format!("{head}lists:\n  drinks: {}\n{marker}", drinks.join(" | "));
    let beside = format!("{head}list_files:\n  drinks: drinks.txt\n{marker}");
    let fit = "fit wishes.jsonl --label drink --marker drink --no-likeness --json";
    let macro_f1 = |arguments: &str| {
        let (code, out, err) = run(&folder, &format!("{fit} {arguments}"));
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
        summary["held_out"]["macro_f1"].as_f64().expect("is a number")
    };
    let (code, _, err) = run(&folder, &format!("{fit} --language en --sufficient 0.1 --out words.yaml"));
    assert_eq!(code, 2, "each word is in two items");
    assert!(err.contains("no pattern separates the classes"), "{err}");
    for (name, text) in [("within", within), ("beside", beside)] {
        fs::write(folder.join("wishes.yaml"), text).expect("can be written");
        let found = macro_f1(&format!("--patterns wishes.yaml --stop-list drinks.txt --out {name}.yaml"));
        assert!(found > 0.9, "{name}: {found}");
        let fitted = fs::read_to_string(folder.join(format!("{name}.yaml"))).expect("was written");
        assert!(fitted.contains("    weigh: |\n      @drinks = "), "{fitted}");
        assert!(!fitted.contains("      tea = "), "a word of the list counts by the list only: {fitted}");
        assert_eq!(run(&folder, &format!("check {name}.yaml")).0, 0);
        assert_eq!(run(&folder, &format!("test {name}.yaml")).0, 0);
    }
}

/// Answers of three kinds, thirty of each, with words that are of no kind.
fn answers() -> String {
    let said = ["of course here it is", "sorry i cannot do that", "i cannot do all but here is half"];
    let filler = ["today", "in town", "for you", "as asked", "at noon", "with care", "right now"];
    let line = |n: usize| {
        let (kind, content) = (n % 3, format!("{} {} {}", filler[n % 7], said[n % 3], filler[(n / 7) % 7]));
        let kind = ["Yes", "No!", "In part"][kind];
        format!(
            "{{\"id\": {n}, \"interaction\": {{\"content\": \"{content}\"}}, \"labels\": {{\"kind\": \"{kind}\"}}}}\n"
        )
    };
    (0..90).map(line).collect()
}

#[test]
fn of_several_markers_the_highest_is_the_choice() {
    let folder = folder("choice");
    fs::write(folder.join("answers.jsonl"), answers()).expect("can be written");
    let fit = "fit answers.jsonl --choice kind --no-likeness --sufficient 0.1";
    let (code, out, err) = run(&folder, &format!("{fit} --json --out kind.yaml"));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(summary["held_out"]["macro_f1"], 1, "{out}");
    let markers: Vec<&str> = summary["classes"]
        .as_array()
        .expect("is a list")
        .iter()
        .filter_map(|own| own["marker"].as_str())
        .collect();
    assert_eq!(markers, ["in_part", "no_", "yes"]);
    assert_eq!(run(&folder, "check kind.yaml --strict").0, 0);
    assert_eq!(run(&folder, "test kind.yaml --strict").0, 0);
    // The highest activation of a reading is the choice.
    fs::write(folder.join("one.txt"), "sorry i cannot do that for you").expect("can be written");
    let (code, out, _) = run(&folder, "sense kind.yaml one.txt --json");
    let reading: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    let of = |marker: &str| reading["resonance"][marker].as_f64().expect("is a number");
    assert_eq!(code, 0);
    assert!(of("no_") > of("yes") && of("no_") > of("in_part"), "{out}");
    // The same data give the same file; the first part of the labels can be chosen.
    assert_eq!(run(&folder, &format!("{fit} --out again.yaml")).0, 0);
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("was written");
    assert_eq!(text("kind.yaml"), text("again.yaml"));
    assert_eq!(run(&folder, &format!("{fit} --marker kind --out named.yaml")).0, 0);
    assert!(text("named.yaml").contains("  - label: kind-in_part\n"));
    // Into a protocol that somebody wrote.
    fs::write(folder.join("shop.yaml"), KNOWLEDGE).expect("can be written");
    let into = "fit answers.jsonl --choice kind --no-likeness --patterns shop.yaml --out into.yaml";
    assert_eq!(run(&folder, into).0, 0, "{:?}", run(&folder, into));
    assert!(
        text("into.yaml").contains("  - label: yes\n") && text("into.yaml").contains("  - label: request\n")
    );
    assert_eq!(run(&folder, "check into.yaml").0, 0);
}

#[test]
fn pairs_are_ranked_by_what_only_one_of_them_has() {
    let folder = folder("pairs");
    let filler = ["today", "in town", "for you", "as asked", "at noon", "with care", "right now"];
    let line = |n: usize| {
        let good = format!("because {} it helps {}", filler[n % 7], n);
        let bad = format!("whatever {} it does {}", filler[(n / 7) % 7], n);
        let (a, b, more) = if n.is_multiple_of(2) { (good, bad, "a") } else { (bad, good, "b") };
        format!(
            "{{\"interaction_a\": {{\"content\": \"{a}\"}}, \"interaction_b\": {{\"content\": \"{b}\"}}, \"labels\": {{\"more\": \"{more}\"}}}}\n"
        )
    };
    fs::write(folder.join("pairs.jsonl"), (0..60).map(line).collect::<String>()).expect("can be written");
    let fit = "fit pairs.jsonl --label more --marker sense --no-likeness --sufficient 0.1";
    let (code, out, err) = run(&folder, &format!("{fit} --json --out more.yaml"));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!((&summary["pairs"], &summary["texts"]), (&60.into(), &120.into()), "{out}");
    assert_eq!(summary["held_out"]["accuracy"], 1, "{out}");
    assert!(summary["held_out"]["even_pairs"].as_u64() > Some(0), "{out}");
    assert_eq!(run(&folder, "check more.yaml --strict").0, 0);
    // `evaluate` judges the same pairs by `compare`.
    let (code, out, _) = run(&folder, "evaluate more.yaml pairs.jsonl --label more --json");
    let found: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(code, 0);
    assert_eq!(found["figures"]["accuracy"]["value"], 1, "{out}");
}

#[test]
fn roles_are_heard_by_all_their_names() {
    let folder = folder("roles");
    let line = |n: usize| {
        let said = ["thanks a lot", "more of it"][n % 2];
        format!(
            "{{\"id\": {n}, \"interaction\": {{\"segments\": [{{\"role\": \"bot\", \"content\": \"{said} number {n}\"}}]}}, \
             \"labels\": {{\"kind\": {}}}}}\n",
            n.is_multiple_of(2)
        )
    };
    fs::write(folder.join("talks.jsonl"), (0..40).map(line).collect::<String>()).expect("can be written");
    let (code, out, err) = run(
        &folder,
        "fit talks.jsonl --label kind --marker kind --by agent --no-likeness --sufficient 0.1 --json --out o.yaml",
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(summary["held_out"]["macro_f1"], 1, "{out}");
}

#[test]
fn ordinary_talk_is_counted() {
    let folder = folder("ordinary");
    let talk: String = (0..40)
        .map(|n| format!("{{\"content\": \"the train {n} leaves at nine, as you know\"}}\n"))
        .collect();
    fs::write(folder.join("talk.jsonl"), talk).expect("can be written");
    let (code, out, err) =
        run(&folder, &format!("{FIT} --out kind.yaml --json --background talk.jsonl --alarms 5%"));
    assert_eq!((code, err.as_str()), (0, ""));
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(summary["alarms"]["limit"].to_string(), "0.05");
    assert_eq!(summary["alarms"]["per_talk"]["of"], 40);
    let (code, out, _) = run(
        &folder,
        "evaluate kind.yaml corpus.jsonl --label kind --marker kindness --json --background talk.jsonl",
    );
    assert_eq!(code, 0);
    let found: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert_eq!(found["alarms"]["per_piece"]["of"], 40);
    assert!(found["thresholds"].as_array().is_some_and(|all| !all.is_empty()), "{out}");
}

#[test]
fn errors_say_what_to_do() {
    let folder = folder("errors");
    fs::write(folder.join("own.txt"), "fine\n(broken\n").expect("can be written");
    fs::write(folder.join("shop.yaml"), PROTOCOL).expect("can be written");
    let rate = PROTOCOL.replace("kindness   # of customers", "rate\n    per: 100 words");
    fs::write(folder.join("rate.yaml"), rate).expect("can be written");
    let both = PROTOCOL.replace("kindness   # of customers", "\"true\"");
    fs::write(folder.join("both.yaml"), both).expect("can be written");
    let pair =
        r#"{"interaction_a": {"content": "x"}, "interaction_b": {"content": "y"}, "labels": {"kind": "a"}}"#;
    fs::write(folder.join("pair.jsonl"), pair).expect("can be written");
    let dumb = r#"{"interaction": {"content": "4711"}, "labels": {"kind": true}}"#;
    fs::write(folder.join("dumb.jsonl"), dumb).expect("can be written");
    let said = |n: usize| {
        let role = ["agent", "customer"][n % 2];
        format!(
            "{{\"interaction\": {{\"segments\": [{{\"role\": \"{role}\", \"content\": \"number {n}\"}}]}}, \"labels\": {{\"kind\": {}}}}}\n",
            n.is_multiple_of(2)
        )
    };
    fs::write(folder.join("spoken.jsonl"), (0..24).map(said).collect::<String>()).expect("can be written");
    fs::write(folder.join("few.jsonl"), spoken(&[("en", 12), ("de", 16)])).expect("can be written");
    let json = r#"{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "markers": [{"label": "x", "strong": "y"}]}"#;
    fs::write(folder.join("rate.json"), json).expect("can be written");
    for (arguments, part) in [
        ("fit corpus.jsonl --label kind --marker kind --out o.yaml --positive maybe", "no item is positive"),
        ("fit corpus.jsonl --label knid --marker kind --out o.yaml", "did you mean `kind`?"),
        ("fit corpus.jsonl --label kind --marker Kind --out o.yaml", "`Kind` is not an identifier"),
        ("fit corpus.jsonl --marker kind --out o.yaml --language xx", "unsupported language `xx`"),
        (
            "fit corpus.jsonl --marker kind --out o.yaml --patterns shop.yaml --language auto",
            "change it there, and remove --language",
        ),
        ("fit dumb.jsonl --marker kind --out o.yaml --language auto", "name it with --language"),
        (
            "fit few.jsonl --label kind --marker kind --out o.yaml --language auto",
            "no language has items that a list can be fitted to",
        ),
        ("fit corpus.jsonl --marker kind --out o.yaml --patterns own.txt", "own.txt:2: `(broken`"),
        (
            "fit corpus.jsonl --marker kind --out o.yaml --patterns shop.yaml --language de",
            "change it there, and remove --language",
        ),
        (
            "fit corpus.jsonl --marker rate --out o.yaml --patterns rate.yaml",
            "which has `per`; remove that key",
        ),
        ("fit corpus.jsonl --marker kind --out o.yaml --patterns rate.json", "written in braces"),
        ("fit corpus.jsonl --marker kindness --by agent --out o.yaml --patterns shop.yaml", "remove --by"),
        ("fit corpus.jsonl --marker kind --out o.yaml --support 500", "lower --support (now 500)"),
        ("fit corpus.jsonl --marker kind --out o.yaml --size 0", "--size: 0 lines are no list"),
        (
            "fit corpus.jsonl --marker kind --out o.yaml --by agent",
            "no turn of the items is by `agent`; no turn has a role; remove --by",
        ),
        (
            "fit spoken.jsonl --label kind --marker kind --out o.yaml --by agnet",
            "no turn of the items is by `agnet`, but by agent, customer; name with --by one of theirs",
        ),
        ("fit corpus.jsonl --marker kind --out o.yaml --regularisation 0", "is not between"),
        ("fit corpus.jsonl --marker kind --out no/such/folder.yaml", "cannot be written"),
        (
            "fit corpus.jsonl --tune shop.yaml --marker other --out o.yaml",
            "choose one with --marker: kindness",
        ),
        ("fit corpus.jsonl --marker kind --turns --out o.yaml", "corpus.jsonl:1: labels.kind is"),
        ("fit corpus.jsonl --marker kind --out corpus.jsonl", "must end in .yaml"),
        (
            "fit corpus.jsonl --marker kind --out o.yaml --export-features corpus.jsonl",
            "would overwrite corpus.jsonl",
        ),
        ("fit - --marker kind --out o.yaml", "give a file"),
        ("fit corpus.jsonl --choice kind --positive true --out o.yaml", "leave items out with --where"),
        (
            "fit corpus.jsonl --choice kind --background corpus.jsonl --out o.yaml",
            "fit one value with --positive",
        ),
        ("fit corpus.jsonl --choice kind --patterns both.yaml --out o.yaml", "has a marker `true` already"),
        ("fit pair.jsonl --marker kind --out o.yaml", "at least 10 are needed"),
        ("fit pair.jsonl --marker kind --balanced --out o.yaml", "--balanced does not apply to pairs"),
        ("fit pair.jsonl --choice kind --out o.yaml", "a single interaction is needed"),
        ("fit corpus.jsonl --marker kind --out o.yaml --background no.jsonl", "no.jsonl: no such file"),
        (
            "fit corpus.jsonl --tune shop.yaml --out o.yaml --background corpus.jsonl",
            "count alarms with `sonometer evaluate --background`",
        ),
    ] {
        let (code, out, err) = run(&folder, arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments}");
        assert!(err.contains(part), "{arguments}: {err}");
        let (_, out, _) = run(&folder, &format!("{arguments} --json"));
        assert!(out.starts_with(r#"{"error":{"code":"invalid_request","message":"#), "{arguments}: {out}");
    }
}

/// Real labels, where they are: the figures on held-out items stay as good as they were. A third of them are like another; parted
/// by ids alone they gave 0.94.
#[test]
fn real_data_is_told_apart() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/darkpattern.jsonl");
    if !data.exists() {
        eprintln!("skipped: ../shared/data is not there");
        return;
    }
    let folder = folder("real");
    let path = data.to_str().expect("is UTF-8");
    let (code, out, err) =
        run(&folder, &format!("fit {path} --label dark --marker dark --language en --out o.yaml --json"));
    assert_eq!(code, 0, "{err}");
    let summary: serde_json::Value = serde_json::from_str(&out).expect("is JSON");
    assert!(summary["held_out"]["macro_f1"].as_f64() > Some(0.87), "{out}");
    assert!(summary["alike"]["items"].as_u64() > Some(300), "{out}");
}
