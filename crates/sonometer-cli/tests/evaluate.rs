//! `sonometer evaluate` on the labelled sentences in `fixtures/labelled`.
//!
//! Expected outputs stand in `tests/golden`; `BLESS=1 cargo test -p sonometer-cli` writes them anew.

mod labelled;

use labelled::{bare, evaluate, golden, json, page, run, text, written};
use serde_json::Value;
use std::fs;

const REQUESTS: &str = "fixtures/labelled/requests.jsonl";
const CALLS: &str = "fixtures/labelled/calls.jsonl";
const NOTES: &str = "fixtures/labelled/notes.jsonl";
const MAP: [&str; 4] = ["--map", "EMAIL-ADDRESS=email_address", "--map", "CARD=payment_card"];

#[test]
fn items_for_people_programs_and_browsers() {
    let arguments = ["courtesy@1.5", REQUESTS, "--label", "polite", "--threshold", "0.4", "--by", "author"];
    golden("evaluate-items.txt", &text(&arguments));
    golden("evaluate-items.json", &text(&[&arguments[..], &["--json"]].concat()));
    golden("evaluate-items.html", &bare(&page("items.html", &arguments)));
}

#[test]
fn segments_for_people() {
    golden(
        "evaluate-segments.txt",
        &text(&["courtesy@1.5", CALLS, "--positive", "apology", "--marker", "apology"]),
    );
}

#[test]
fn places_for_people_and_programs() {
    let arguments = [&["personal-data@2.0", NOTES], &MAP[..]].concat();
    golden("evaluate-places.txt", &text(&arguments));
    golden("evaluate-places.json", &text(&[&arguments[..], &["--json"]].concat()));
    golden("evaluate-places.html", &bare(&page("places.html", &arguments)));
}

#[test]
fn figures_are_those_of_the_hand() {
    // Ten requests are polite and eleven are not, wherever the threshold lies.
    let found = json(&["courtesy@1.5", REQUESTS, "--label", "polite", "--threshold", "0.4"]);
    let counts = &found["figures"]["counts"];
    let expected = ["true_positives", "false_positives", "false_negatives", "true_negatives"]
        .map(|key| counts[key].as_u64());
    let [Some(tp), Some(fp), Some(missed), Some(silent)] = expected else { panic!("{found}") };
    assert_eq!((tp + missed, fp + silent), (10, 11));
    let close = |figure: &str, value: f64| {
        let told = found["figures"][figure]["value"].as_f64().expect("is a number");
        assert!((told - value).abs() < 1e-6, "{figure}: {told}, not {value}");
    };
    let (tp, fp, missed, silent) = (tp as f64, fp as f64, missed as f64, silent as f64);
    close("precision", tp / (tp + fp));
    close("recall", tp / (tp + missed));
    close("f1", 2.0 * tp / (2.0 * tp + fp + missed));
    close("macro_f1", tp / (2.0 * tp + fp + missed) + silent / (2.0 * silent + fp + missed));
    assert_eq!(found["data"]["left_out"], 1);
    assert_eq!(found["covered"]["cases"], 19);
    assert_eq!(found["coverage"].to_string(), "0.904762");
}

#[test]
fn classes_are_values_sets_or_ranges() {
    let positives = |arguments: &[&str]| {
        let counts = json(&[&["courtesy@1.5", REQUESTS], arguments].concat())["figures"]["counts"].clone();
        let sum = |a: &str, b: &str| counts[a].as_u64().zip(counts[b].as_u64()).map(|(a, b)| a + b);
        (sum("true_positives", "false_negatives"), sum("true_negatives", "false_positives"))
    };
    let (some, of) = (|n| Some(n), |arguments: &[&str]| positives(arguments));
    assert_eq!(of(&["--label", "polite"]), (some(10), some(11)));
    assert_eq!(of(&["--label", "polite", "--positive", "false"]), (some(11), some(10)));
    assert_eq!(of(&["--label", "tone", "--positive", "polite,plain"]), (some(14), some(7)));
    assert_eq!(
        of(&["--label", "tone", "--positive", "polite", "--negative", "impolite"]),
        (some(10), some(7))
    );
    assert_eq!(of(&["--label", "rating", "--positive", ">=1"]), (some(6), some(15)));
    assert_eq!(of(&["--label", "rating", "--positive", "-0.5..0.5"]), (some(4), some(17)));
    assert_eq!(of(&["--label", "polite", "--where", "author=ada"]), (some(3), some(3)));
}

#[test]
fn folds_part_the_items() {
    let items = |extra: &[&str]| {
        let found = json(&[&["courtesy@1.5", REQUESTS, "--label", "polite"], extra].concat());
        found["data"]["items"].as_u64().expect("is a count")
    };
    let parts: Vec<u64> = ["1/3", "2/3", "3/3"].iter().map(|fold| items(&["--fold", fold])).collect();
    assert_eq!(parts.iter().sum::<u64>(), 22);
    assert_eq!(items(&["--fold", "2-3/3"]), parts[1] + parts[2]);
    // Groups stay together: two authors wrote five, two wrote six.
    let grouped = ["1/2", "2/2"].map(|fold| items(&["--fold", fold, "--group", "author"]));
    assert_eq!(grouped.iter().sum::<u64>(), 22);
    assert!([0, 5, 6, 10, 11, 12, 16, 17, 22].contains(&grouped[0]), "{grouped:?}");
}

#[test]
fn the_best_threshold_says_where_it_comes_from() {
    let found = json(&["courtesy@1.5", REQUESTS, "--label", "polite", "--threshold", "best"]);
    let note = found["notes"][0].as_str().expect("is there");
    assert!(note.contains("was chosen on the same data"), "{note}");
    let best = found["figures"]["macro_f1"]["value"].as_f64();
    let curve = found["curve"].as_array().expect("is there");
    let highest = curve.iter().filter_map(|point| point["macro_f1"].as_f64()).fold(0.0, f64::max);
    assert_eq!(best, Some(highest));
}

#[test]
fn what_is_not_defined_is_no_number() {
    let arguments = ["courtesy@1.5", REQUESTS, "--label", "polite", "--where", "polite=false"];
    let found = json(&arguments);
    for figure in ["recall", "auc", "average_precision"] {
        assert!(found["figures"][figure].is_null(), "{figure}: {found}");
    }
    let told = text(&arguments);
    assert!(told.contains("n/a") && !told.contains("NaN"), "{told}");
    assert!(told.contains("note: no case is positive"), "{told}");
    let misspelt = text(&["courtesy@1.5", REQUESTS, "--label", "tone", "--positive", "polite,polit"]);
    assert!(
        misspelt.contains("note: no item has `polit` as `tone`; its values are impolite, plain, polite"),
        "{misspelt}"
    );
}

#[test]
fn masks_hold_in_every_form() {
    let arguments = [&["personal-data@2.0", NOTES], &MAP[..]].concat();
    let forms =
        [text(&arguments), text(&[&arguments[..], &["--json"]].concat()), page("masked.html", &arguments)];
    for form in forms {
        assert!(!form.contains("4012 8888") && form.contains("**** **** **** 1881"), "{form}");
    }
}

#[test]
fn a_page_holds_what_it_needs_and_no_foreign_markup() {
    let line = |text: &str, polite: bool| {
        format!(
            "{{\"interaction\": {{\"content\": \"{text}\"}}, \"labels\": {{\"polite\": {polite}}}, \"id\": \"<i>\"}}\n"
        )
    };
    let lines = line("Thank you so much for <script>alert(1)</script> and for all the rest.", false)
        + &line("<img src=x> is what I would have said to all of them.", true);
    let page =
        page("markup.html", &["courtesy@1.5", &written("markup.jsonl", &lines), "--threshold", "0.45"]);
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("&lt;img src=x&gt;"), "{page}");
    assert_eq!(page.matches("<script>").count(), 1, "only its own");
    for outside in ["http:", "https:", "src=", "<link", "@import", "url("] {
        // A pattern of the page itself is no address.
        let page = page.replace("&lt;img src=x&gt;", "").replace("url(#", "");
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn errors_name_the_place_and_the_mend() {
    let bad = written(
        "evaluate-bad.jsonl",
        "{\"interaction\": {\"content\": \"x\"}, \"labels\": {\"a\": true}}\n{\"id\": ,}\n",
    );
    let uneven = written(
        "evaluate-uneven.jsonl",
        "{\"interaction\": {\"segments\": [{\"role\": \"a\", \"content\": \"x\"}]}, \"labels\": {\"a\": [true, false]}}\n",
    );
    let outside = written(
        "evaluate-outside.jsonl",
        "{\"interaction\": {\"content\": \"x\"}, \"labels\": {\"a\": [{\"type\": \"age\", \"start\": 0, \"end\": 9}]}}\n",
    );
    let table = written("evaluate-table.csv", "id,text,polite\n1,Thank you,true\n");
    let odd = written("evaluate-odd.csv", "text,polite\n\"Thank\nyou\",true\n\nNo,yes,1\n");
    let twice = written("evaluate-twice.csv", "text,polite,polite\nThank you,true,true\n");
    let bare = written("evaluate-bare.csv", "text,polite\n");
    let workbook = written("evaluate-table.xlsx", "PK");
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["courtesy@1.5", &odd],
            2,
            "line 5: the row has 3 cells, the header has 2 cells, with `,` between them; put cells",
        ),
        (
            &["courtesy@1.5", &twice],
            2,
            "evaluate-twice.csv:1: two columns are named `polite`; rename one of them",
        ),
        (
            &["courtesy@1.5", &bare],
            2,
            "evaluate-bare.csv: has a header and no rows; write a row for each item",
        ),
        (&["courtesy@1.5", &workbook], 2, "is a workbook; save it as CSV in UTF-8"),
        (&["courtesy@1.5", &bad], 2, "evaluate-bad.jsonl:2:8: "),
        (&["courtesy", "nowhere.jsonl"], 2, "no such file"),
        (&["curtesy", REQUESTS], 4, "did you mean `courtesy`?"),
        (
            &["courtesy@1.5", REQUESTS],
            2,
            "several labels: author, polite, rating, tone; choose one with --label",
        ),
        (&["courtesy@1.5", REQUESTS, "--label", "polit"], 2, "did you mean `polite`?"),
        (&["courtesy@1.5", REQUESTS, "--label", "tone"], 2, "say which values are positive with --positive"),
        (&["courtesy@1.5", REQUESTS, "--label", "tone", "--positive", ">1"], 2, "`polite`, not a number"),
        (&["courtesy@1.5", REQUESTS, "--label", "polite", "--by", "autor"], 2, "did you mean `author`?"),
        (
            &["courtesy@1.5", REQUESTS, "--label", "polite", "--marker", "thanks"],
            2,
            "its markers are gratitude,",
        ),
        (
            &["courtesy@1.5", REQUESTS, "--label", "polite", "--where", "author=eve"],
            2,
            "no item has `eve` as `author`",
        ),
        (&["courtesy@1.5", REQUESTS, "--label", "polite", "--where", "rating>=9"], 2, "no item passes"),
        (
            &["courtesy@1.5", REQUESTS, "--label", "tone", "--positive", "polit"],
            2,
            "no item has `polit` as `tone`; its values are impolite, plain, polite; name some of them with --positive",
        ),
        (
            &["courtesy@1.5", &table, "--text-column", "said"],
            2,
            "evaluate-table.csv:1: there is no column `said` for --text-column",
        ),
        (&["courtesy@1.5", REQUESTS, "--label", "polite", "--fold", "3/2"], 2, "write for example `1/2`"),
        (&["courtesy@1.5", REQUESTS, "--label", "polite", "--threshold", "2"], 2, "from 0 to 1, or `best`"),
        (&["courtesy@1.5", REQUESTS, "--label", "polite", "--map", "A=apology"], 2, "--unit spans"),
        (
            &["courtesy@1.5", REQUESTS, "--label", "polite", "--unit", "spans"],
            2,
            "labels.polite is a truth value; spans are a list",
        ),
        (
            &["courtesy@1.5", REQUESTS, "--label", "polite", "--html", "nowhere/page.html"],
            2,
            "existing folder",
        ),
        (&["courtesy@1.5", &uneven, "--unit", "segments"], 2, "a list of 2 values for 1 segments"),
        (&["personal-data", &outside], 2, "0 to 9 is outside the text (in characters)"),
        (
            &["affect", NOTES],
            2,
            "no marker has the name of a type; map types to markers, for example --map CARD=",
        ),
        (&["personal-data", NOTES, "--positive", "CARD"], 2, "--map TYPE=marker"),
    ];
    for (arguments, code, said) in cases {
        let ran = evaluate(arguments);
        assert_eq!(ran.code, *code, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
        assert!(ran.out.is_empty(), "{arguments:?}: {}", ran.out);
    }
    let told = evaluate(&["courtesy@1.5", REQUESTS, "--label", "polit", "--json"]);
    assert!(told.out.starts_with(r#"{"error":{"code":"invalid_request","message":"#), "{}", told.out);
}

/// The items of a fixture as rows of JSON, and of CSV with this between its cells.
fn as_rows(path: &str, between: &str) -> (String, String) {
    let names = ["polite", "tone", "rating", "author"];
    let (mut lines, mut table) =
        (String::new(), format!("id{between}said{between}{}\n", names.join(between)));
    for line in fs::read_to_string(labelled::root().join(path)).expect("is there").lines() {
        let item: Value = serde_json::from_str(line).expect("is JSON");
        let (said, labels) = (&item["interaction"]["content"], &item["labels"]);
        let mut row = labels.clone();
        (row["id"], row["said"]) = (item["id"].clone(), said.clone());
        lines += &format!("{row}\n");
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => format!("\"{}\"", text.replace('"', "\"\"")),
            other => other.to_string(),
        };
        let cells = [&item["id"], said].into_iter().chain(names.map(|name| &labels[name]));
        table += &(cells.map(cell).collect::<Vec<_>>().join(between) + "\n");
    }
    (lines, table)
}

/// Forgets the lines of errors: those of a table come one later, below its header.
fn without_lines(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("line");
            members.values_mut().for_each(without_lines);
        }
        Value::Array(values) => values.iter_mut().for_each(without_lines),
        _ => {}
    }
}

#[test]
fn rows_and_tables_are_read_as_items_are() {
    let (lines, table) = as_rows(REQUESTS, ",");
    let tabbed = as_rows(REQUESTS, "\t").1;
    let files = [
        written("rows.jsonl", &lines),
        written("rows.csv", &format!("\u{feff}{}", table.replace('\n', "\r\n"))),
        written("rows.tsv", &tabbed),
    ];
    for asked in [
        &["--label", "polite", "--by", "author"][..],
        &["--label", "tone", "--positive", "polite,plain", "--where", "rating>=0", "--fold", "1/2"],
        &["--label", "rating", "--graded"],
    ] {
        let of = |data: &str, more: &[&str]| {
            let mut found = json(&[&["courtesy@1.5", data], asked, more].concat());
            found["data"] = Value::Null;
            without_lines(&mut found);
            found
        };
        let expected = of(REQUESTS, &[]);
        for file in &files {
            assert_eq!(of(file, &["--text-column", "said"]), expected, "{file}: {asked:?}");
        }
    }
    // Without options: the usual names, a label that is called so, and ordinary talk of a table.
    let usual = written(
        "usual.csv",
        "text,label,source\n\"Thank you so much,\nit works\",TRUE,a\nIt still fails.,FALSE,b\nSo so.,,c\n",
    );
    let found = json(&["courtesy@1.5", &usual, "--background", &usual]);
    assert_eq!((&found["data"]["items"], &found["data"]["left_out"]), (&3.into(), &1.into()), "{found}");
    assert_eq!(found["alarms"]["per_talk"]["of"], 3, "{found}");
    let pairs = written("pairs.csv", "left,right,label\nThank you so much for it.,It still fails again.,a\n");
    let found = json(&["courtesy@1.5", &pairs, "--text-column", "left", "--text-column", "right"]);
    assert_eq!(found["figures"]["pairs"], 1, "{found}");
}

#[test]
fn lines_of_labelled_texts_may_be_turns() {
    let talk = |first: &str| format!("\"agent: {first}\ncustomer: I sent the form last week, on Monday.\"");
    let table = format!(
        "id,said,polite\na,{},yes\nb,{},no\nc,{},yes\n",
        talk("Thank you so much for waiting."),
        talk("What do you want again?"),
        talk("I am sorry about the delay.")
    );
    let table = written("talks.csv", &table);
    let lines: String = fs::read_to_string(&table)
        .expect("is there")
        .split('"')
        .skip(1)
        .step_by(2)
        .zip([("a", "yes"), ("b", "no"), ("c", "yes")])
        .map(|(talk, (id, polite))| {
            let turns: Vec<Value> = talk
                .lines()
                .filter_map(|line| line.split_once(": "))
                .map(|(role, content)| serde_json::json!({"role": role, "content": content}))
                .collect();
            serde_json::json!({"id": id, "interaction": {"segments": turns}, "labels": {"polite": polite}})
                .to_string()
                + "\n"
        })
        .collect();
    let asked = ["--label", "polite", "--positive", "yes"];
    let of = |arguments: &[&str]| {
        let mut found = json(arguments);
        found["data"] = Value::Null;
        without_lines(&mut found);
        found
    };
    let lines = of(&[&["courtesy@1.5", &written("talks.jsonl", &lines)][..], &asked].concat());
    let turned = [&["courtesy@1.5", &table, "--text-column", "said", "--text-turns"][..], &asked].concat();
    assert_eq!(of(&turned), lines);
    // Without the option, a note names it. With it, a text without roles is refused, with its line.
    let told = run(&["evaluate", "courtesy@1.5", &table, "--text-column", "said", "--positive", "yes"]).err;
    assert!(told.contains("talks.csv: read as texts, but their lines begin with who speaks"), "{told}");
    let bare = written("bare.csv", "text,polite\nagent: Thank you.,yes\nWhy?,no\n");
    let told = run(&["evaluate", "courtesy@1.5", &bare, "--positive", "yes", "--text-turns"]).err;
    let expected =
        "bare.csv:3: line 1: the first words have no role; write `role: text`, or leave out --text-turns";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn what_is_not_utf8_is_told_once_with_what_to_type() {
    let wide = |text: &str| {
        [b"\xff\xfe".to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
    };
    let file = |name: &str, text: &str| {
        let path = labelled::scratch(name);
        fs::write(&path, wide(text)).expect("can be written");
        path.to_str().expect("is UTF-8").to_owned()
    };
    let lines = file("wide.jsonl", &"{\"text\": \"Thank you\", \"label\": true}\n".repeat(3));
    let table = file("wide.csv", "text,label\nThank you,true\n");
    let out = labelled::scratch("wide.yaml").to_str().expect("is UTF-8").to_owned();
    let page = out.replace(".yaml", ".html");
    for file in [&lines, &table] {
        for arguments in [
            &["evaluate", "courtesy@1.5", file][..],
            &["evaluate", "courtesy@1.5", REQUESTS, "--label", "polite", "--background", file],
            &["fit", file, "--marker", "kind", "--out", &out],
            &["batch", "courtesy@1.5", file, "--text-column", "text"],
            &["batch", "courtesy@1.5", &lines],
            &["report", "courtesy@1.5", file, "--out", &page],
            &["sense", "courtesy@1.5", &lines],
        ] {
            let ran = run(arguments);
            let fix = "is UTF-16, and UTF-8 is read; save it as UTF-8, or type `iconv -f UTF-16 -t UTF-8 IN > OUT` and give OUT";
            assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
            assert!(ran.err.contains(fix) && ran.err.contains("wide."), "{arguments:?}: {}", ran.err);
            assert_eq!((ran.err.matches("UTF-16,").count(), ran.out.as_str()), (1, ""), "{arguments:?}");
        }
    }
}
