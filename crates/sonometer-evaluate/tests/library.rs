//! Labelled items as values, and the library's promises about reports, errors and watches.

use serde_json::{Map, Value, json};
use sonometer::{Instrument, Interaction, Protocol, Sensor, Turn, Unit};
use sonometer_evaluate::{
    Background, Error, Item, Labelled, Options, Place, Progress, ProtocolFile, Selector, Settings, Threshold,
    Tuning, evaluate, fit, tune, unwatched,
};
use std::ops::ControlFlow;

const THANKS: &str = r#"{"sonometer": 1, "id": "thanks", "version": "1", "taxonomy": "Signal", "score": "any",
    "fidelity": {"sufficient": 0.1}, "markers": [{"label": "gratitude", "strong": "thank you", "hit": "thank you"}]}"#;

fn thanks() -> Instrument {
    Instrument::from(Sensor::new(Protocol::read(THANKS).expect("is sound").0).expect("compiles"))
}

fn item(text: &str, labels: Value) -> Item {
    let Value::Object(labels) = labels else { panic!("{labels} is no object") };
    Item::new(Interaction::text(text).expect("is short"), labels)
}

/// So many polite and rude items, of which every fourth is labelled the wrong way round.
fn many(count: usize) -> Vec<Item> {
    let text = |polite: bool| if polite { "thank you, that helped me" } else { "this never works for me" };
    let one = |at: usize| {
        let polite = at.is_multiple_of(2);
        item(text(polite), json!({"polite": polite != (at % 4 == 3), "lang": "en"})).with_id(format!("n{at}"))
    };
    (0..count).map(one).collect()
}

fn options(label: &str) -> Options {
    Options { selector: Selector { label: Some(label.into()), ..Selector::default() }, ..Options::default() }
}

fn refused(items: Vec<Item>, options: &Options) -> (Place, String) {
    let labelled = Labelled::new(items).expect("are items");
    match evaluate(&thanks(), &labelled, options, &mut unwatched) {
        Err(Error::Failed(failure)) => (failure.place, failure.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_in_a_report_out() {
    let labelled = Labelled::new(many(40)).expect("are items");
    let report = evaluate(&thanks(), &labelled, &options("polite"), &mut unwatched).expect("measures");
    assert_eq!((report.kind(), report.data().items, report.data().file.as_str()), ("whole", 40, "items"));
    // Of 20 thanks 20 are labelled polite, and 10 of the others.
    assert_eq!(report.figure("precision").map(|figure| figure.value), Some(Unit::ONE));
    assert_eq!(report.figure("recall").map(|figure| figure.value), Some(Unit(666_667)));
    assert_eq!(report.figure("spearman"), None);
    let told: Value = serde_json::from_str(&report.to_json()).expect("is JSON");
    assert_eq!(told["figures"]["counts"]["false_negatives"], 10);
    assert_eq!(told["false_negatives"]["worst"][0]["id"], "n3");
    assert_eq!(serde_json::to_string(&report).expect("has a form"), report.to_json());
    assert!(
        report
            .to_text(&Default::default())
            .contains("20 found, 10 missed, 0 false alarms, 10 rightly silent")
    );
    assert!(report.to_html().starts_with("<!DOCTYPE html>"));
}

#[test]
fn values_and_lines_give_the_same_figures() {
    let line = |item: &Item, text: &str, polite: bool| {
        format!(
            "{}\n",
            json!({"id": item.id(), "interaction": {"content": text}, "labels": {"polite": polite}})
        )
    };
    let items = many(24);
    let lines: String = items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let text =
                if at.is_multiple_of(2) { "thank you, that helped me" } else { "this never works for me" };
            line(item, text, at.is_multiple_of(2) || at % 4 == 3)
        })
        .collect();
    let read = Labelled::read("lines.jsonl", lines.as_bytes()).expect("reads");
    let of = |labelled: &Labelled| {
        let report = evaluate(&thanks(), labelled, &options("polite"), &mut unwatched).expect("measures");
        let mut told: Value = serde_json::from_str(&report.to_json()).expect("is JSON");
        told["data"]["file"] = Value::Null;
        told
    };
    assert_eq!(of(&read), of(&Labelled::new(items).expect("are items")));
}

#[test]
fn pairs_and_grades_are_told_by_the_items_and_options() {
    let pair = |at: usize| {
        let text = |text: &str| Interaction::text(text).expect("is short");
        let labels = Map::from_iter([("kinder".to_owned(), json!(if at == 0 { "b" } else { "a" }))]);
        Item::pair(text("thank you, it helps me"), text("it never helps me"), labels)
    };
    let labelled = Labelled::new((0..5).map(pair)).expect("are items");
    let report = evaluate(&thanks(), &labelled, &options("kinder"), &mut unwatched).expect("measures");
    assert_eq!(
        (report.kind(), report.figure("accuracy").map(|figure| figure.value)),
        ("pairs", Some(Unit(800_000)))
    );

    let grade = |at: usize| match at % 2 {
        0 => item("thank you, it helps", json!({"g": 5})),
        _ => item("it never helps me", json!({"g": 1})),
    };
    let labelled = Labelled::new((0..6).map(grade)).expect("are items");
    let graded = Options { graded: true, ..options("g") };
    let report = evaluate(&thanks(), &labelled, &graded, &mut unwatched).expect("measures");
    assert_eq!(
        (report.kind(), report.figure("spearman").map(|figure| figure.value)),
        ("graded", Some(Unit::ONE))
    );
    let both = Options { threshold: Some(Threshold::Best), ..graded };
    let error = evaluate(&thanks(), &labelled, &both, &mut unwatched).expect_err("has no meaning");
    assert_eq!(error.to_string(), "--threshold does not apply to grades, which have no classes; remove it");
}

#[test]
fn one_of_something_is_counted_as_one() {
    let places = json!({"places": [{"type": "gratitude", "start": 0, "end": 9}]});
    let labelled = Labelled::new(vec![item("thank you for that", places)]).expect("is an item");
    let report = evaluate(&thanks(), &labelled, &options("places"), &mut unwatched).expect("measures");
    let told = report.to_text(&Default::default());
    assert!(told.contains("1 label, 1 piece of evidence in 1 item\n"), "{told}");
}

#[test]
fn an_interval_of_equal_ends_is_named() {
    let said = |count: usize| {
        let labelled = Labelled::new(many(count)).expect("are items");
        let report = evaluate(&thanks(), &labelled, &options("polite"), &mut unwatched).expect("measures");
        report.to_text(&Default::default()).replace("\n ", "")
    };
    // All draws of two items that are right have an F1 of 1, or none; of many items, some of them wrong, it differs.
    assert!(said(2).contains("an interval with equal ends says nothing"), "{}", said(2));
    assert!(!said(40).contains("equal ends"), "{}", said(40));
}

fn notes(protocol: &str, items: Vec<Item>, options: &Options) -> Vec<String> {
    let target =
        Instrument::from(Sensor::new(Protocol::read(protocol).expect("is sound").0).expect("compiles"));
    let labelled = Labelled::new(items).expect("are items");
    let report = evaluate(&target, &labelled, options, &mut unwatched).expect("measures");
    let told: Value = serde_json::from_str(&report.to_json()).expect("is JSON");
    let notes = told["notes"].as_array().expect("is a list").iter();
    notes.map(|note| note.as_str().expect("is a text").to_owned()).collect()
}

#[test]
fn items_in_which_nobody_is_listened_to_are_told() {
    let by_agents = THANKS.replace("\"strong\":", "\"by\": \"agent\", \"strong\":");
    let told = notes(&by_agents, many(40), &options("polite"));
    assert!(
        told[0].starts_with("in 40 of 40 items nobody speaks in a role that the markers listen to (`agent`)"),
        "{told:?}"
    );
    assert!(!notes(THANKS, many(40), &options("polite")).iter().any(|note| note.contains("listen to")));
}

#[test]
fn a_value_that_differs_from_the_positive_one_in_its_case_is_told() {
    let labels = ["Yes", "YES", "no", "NO"];
    let items = || -> Vec<Item> {
        (0..40).map(|at| item("thank you, that helped me", json!({"polite": labels[at % 4]}))).collect()
    };
    let mut options = options("polite");
    options.selector.positive = Some("Yes".parse().expect("is a class"));
    let is_told = |options: &Options| {
        notes(THANKS, items(), options).iter().any(|note| {
            note.starts_with("`YES` is another value than `Yes` and not positive; the values of `polite` are NO, YES, Yes, no;")
        })
    };
    assert!(is_told(&options));
    options.selector.positive = Some("Yes,YES".parse().expect("is a class"));
    assert!(!is_told(&options));
}

#[test]
fn errors_have_a_place() {
    let items = vec![item("x", json!({"mood": true})), item("y", json!({"mood": "glad"}))];
    let (place, message) = refused(items, &options("mood"));
    assert_eq!((place.item, place.field.as_deref()), (Some(1), Some("labels.mood")));
    assert_eq!(place.to_string(), "items[1]");
    assert_eq!(message, "labels.mood is a text, `glad`; say which values are positive with --positive");

    let (place, message) = refused(many(2), &options("polit"));
    assert_eq!((place.to_string().as_str(), place.item), ("items", None));
    assert!(message.ends_with("did you mean `polite`?"), "{message}");

    let broken = Labelled::read("data.jsonl", b"{\"interaction\": {\"content\": \"x\"}}\n{\"id\": ,}\n");
    match broken {
        Err(Error::Failed(failure)) => {
            assert_eq!((failure.place.line, failure.place.column), (Some(2), Some(8)));
            assert!(failure.to_string().starts_with("data.jsonl:2:8: "), "{failure}");
        }
        other => panic!("{other:?}"),
    }
    let mixed = [item("x", json!({})), Item::pair(text("a"), text("b"), Map::new())];
    let message = Labelled::new(mixed).expect_err("are mixed").to_string();
    assert!(message.starts_with("items[1]: pairs and single interactions are mixed"), "{message}");
    assert!(Labelled::new([]).is_err());
    assert!(Labelled::read("data.jsonl", b"\xff").is_err());
}

fn text(text: &str) -> Interaction {
    Interaction::text(text).expect("is short")
}

#[test]
fn a_watch_sees_the_work_and_stops_it() {
    let labelled = Labelled::new(many(400)).expect("are items");
    let mut seen: Vec<Progress> = Vec::new();
    let mut watch = |now: Progress| {
        seen.push(now);
        ControlFlow::Continue(())
    };
    evaluate(&thanks(), &labelled, &options("polite"), &mut watch).expect("measures");
    for (work, of) in [("sensing", 400), ("comparing", 41), ("measuring", 4)] {
        let own: Vec<&Progress> = seen.iter().filter(|now| now.work == work).collect();
        assert!(own.len() > 2 && own.is_sorted_by_key(|now| now.done), "{own:?}");
        assert!(
            own.iter().all(|now| now.of == of) && own.last().is_some_and(|last| last.done == of),
            "{own:?}"
        );
    }
    assert_eq!(seen.last().map(|last| last.work), Some("measuring"));

    let mut calls = 0;
    let mut stop = |_: Progress| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = evaluate(&thanks(), &labelled, &options("polite"), &mut stop);
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    assert_eq!(calls, 2, "nothing is called after it has said stop");
}

#[test]
fn a_fit_of_values_is_a_protocol_that_senses() {
    let labelled = Labelled::new(many(60)).expect("are items");
    let selector = options("polite").selector;
    // Two texts again and again: as near-duplicates they would be too few to measure on.
    let settings = Settings {
        sufficient: Some(Unit(100_000)),
        features: true,
        likeness: false,
        ..Settings::of("kindness")
    };
    let alike = Settings { likeness: true, ..settings.clone() };
    let message = fit(&labelled, &selector, &alike, &mut unwatched).expect_err("are alike").to_string();
    assert!(message.contains("only 2 groups differ") && message.contains("--no-likeness"), "{message}");
    let report = fit(&labelled, &selector, &settings, &mut unwatched).expect("fits");
    let (protocol, found) = Protocol::read(report.protocol()).expect("reads");
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(protocol.markers[0].label, "kindness");
    assert!(
        report.features().is_some_and(|features| features.lines().any(|line| line.starts_with("1 qid:")))
    );
    assert!(
        !report.to_json(None).contains("\"out\"")
            && report.to_json(Some("k.yaml")).starts_with(r#"{"out":"k.yaml","#)
    );
    // The same items in another order of words are the same data.
    let again = fit(&labelled, &selector, &settings, &mut unwatched).expect("fits");
    assert_eq!(again.protocol(), report.protocol());

    // Every work can be stopped.
    for work in ["comparing", "counting", "fitting", "measuring"] {
        let mut stop =
            |now: Progress| if now.work == work { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let settings = if work == "comparing" { &alike } else { &settings };
        let stopped = fit(&labelled, &selector, settings, &mut stop);
        assert!(matches!(stopped, Err(Error::Stopped)), "{work}: {stopped:?}");
    }
}

/// Threats and wishes in other words each; and ordinary talk in which the word of half of the threats is common.
fn threats() -> (Labelled, Background) {
    const THINGS: [&str; 10] =
        ["door", "garden", "letter", "kettle", "window", "table", "engine", "basket", "ladder", "mirror"];
    let one = |at: usize| {
        let (thing, other) = (THINGS[at % 10], THINGS[(at / 10 + at) % 10]);
        let said = match at % 4 {
            0 => format!("watch the {thing} or {other} burns"),
            1 => format!("{thing} suffers unless {other} obeys"),
            2 => format!("please bring {thing}, maybe {other}"),
            _ => format!("we painted {other} beside {thing}"),
        };
        item(&said, json!({"threat": at % 4 < 2})).with_id(format!("n{at}"))
    };
    let turn = |role: &str, content: String| Turn {
        role: Some(role.into()),
        content: content.into(),
        timestamp: None,
    };
    let talk = |at: usize| {
        let asked = turn("user", format!("can I watch {} tonight", THINGS[at % 10]));
        let answer = turn("system", format!("yes, {} is on at nine", THINGS[at % 7]));
        Interaction::transcript(vec![asked, answer]).expect("has roles")
    };
    let labelled = Labelled::new((0..200).map(one)).expect("are items");
    (labelled, Background::new((0..100).map(talk)).expect("is some"))
}

#[test]
fn ordinary_talk_is_learnt_and_its_alarms_are_told() {
    let (labelled, background) = threats();
    let selector = options("threat").selector;
    let without = Settings { sufficient: Some(Unit::ZERO), ..Settings::of("threat") };
    let with = Settings { background: Some(background.clone()), ..without.clone() };
    let [blind, seeing] =
        [&without, &with].map(|settings| fit(&labelled, &selector, settings, &mut unwatched).expect("fits"));
    assert_eq!(blind.alarms(), None);
    assert!(blind.protocol().contains("not measured: without --background"), "{}", blind.protocol());
    let [pieces, talks] = seeing.alarms().expect("were counted").map(|rate| rate.expect("is defined").value);
    assert!(pieces <= Unit(10_000) && talks <= Unit(20_000), "{pieces} {talks}");
    let told: Value = serde_json::from_str(&seeing.to_json(None)).expect("is JSON");
    assert_eq!((&told["alarms"]["turns"], &told["alarms"]["per_piece"]["of"]), (&json!(1), &json!(200)));
    assert!(told["thresholds"].as_array().is_some_and(|all| all.len() == 5), "{told}");

    // The list that has not seen ordinary talk takes its words for threats, and evaluating says so.
    let alarms = |report: &sonometer_evaluate::FitReport| {
        let sensor = Sensor::new(Protocol::read(report.protocol()).expect("reads").0).expect("compiles");
        let asked = Options {
            markers: vec!["threat".into()],
            background: Some(background.clone()),
            ..options("threat")
        };
        let report = evaluate(&sensor.into(), &labelled, &asked, &mut unwatched).expect("measures");
        let told: Value = serde_json::from_str(&report.to_json()).expect("is JSON");
        (told["alarms"]["per_piece"]["alarms"].as_u64(), report.notes().join("\n"))
    };
    let ((many, advice), (few, _)) = (alarms(&blind), alarms(&seeing));
    assert!(many >= Some(100) && few <= Some(2), "{many:?} {few:?}");
    assert!(advice.contains("try --threshold"), "{advice}");
    // Every work can be stopped, and its steps are counted.
    let mut last: Option<Progress> = None;
    let mut watch = |now: Progress| {
        last = Some(now);
        ControlFlow::Continue(())
    };
    fit(&labelled, &selector, &with, &mut watch).expect("fits");
    let last = last.expect("was seen");
    assert_eq!((last.work, last.done, last.of), ("measuring", 700, 700));
}

#[test]
fn near_duplicates_are_not_asked_about() {
    // Four copies of each text, whose label is a matter of chance: nothing can be learnt but by heart.
    let one = |at: usize| {
        let (name, copy) = (at / 4, at % 4);
        let said = format!("za{name}b ye{name}c xi{name}d paint {copy}");
        item(&said, json!({"good": (name * 7 + name / 4) % 2 == 0})).with_id(format!("n{at}"))
    };
    let labelled = Labelled::new((0..240).map(one)).expect("are items");
    let selector = options("good").selector;
    let told = |likeness: bool| {
        let settings = Settings { sufficient: Some(Unit::ZERO), likeness, ..Settings::of("good") };
        let report = fit(&labelled, &selector, &settings, &mut unwatched).expect("fits");
        let told: Value = serde_json::from_str(&report.to_json(None)).expect("is JSON");
        (told["held_out"]["macro_f1"].as_f64().expect("is a figure"), told["alike"]["items"].as_u64())
    };
    let ((honest, alike), (flattered, none)) = (told(true), told(false));
    assert_eq!((alike, none), (Some(240), None));
    assert!(flattered > honest + 0.1, "{flattered} {honest}");
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    let labelled = Labelled::new(many(60)).expect("are items");
    let selector = options("polite").selector;
    for (settings, part) in [
        (Settings { words: 9, ..Settings::of("k") }, "--words: 9 is not between 1 and 3"),
        (Settings { folds: 1, ..Settings::of("k") }, "--folds: 1 is not between 2 and 100"),
        (Settings { regularisation: vec![], ..Settings::of("k") }, "--regularisation: no value given"),
        (Settings { alarms: Some(Unit(1)), ..Settings::of("k") }, "--alarms needs --background"),
        (Settings::of("K"), "--marker: `K` is not an identifier"),
        (
            Settings {
                patterns: Some(("own.txt".into(), "fine\n(no".into())),
                likeness: false,
                ..Settings::of("k")
            },
            "own.txt:2: `(no`",
        ),
    ] {
        let message = fit(&labelled, &selector, &settings, &mut unwatched).expect_err(part).to_string();
        assert!(message.starts_with(part), "{message}");
    }
}

#[test]
fn tuning_names_what_is_wrong_with_the_protocol() {
    let labelled = Labelled::new(many(60)).expect("are items");
    let selector = options("polite").selector;
    let file = ProtocolFile { name: "thanks.yaml".into(), text: THANKS.into(), list_files: Vec::new() };
    let tuning = Tuning { marker: Some("thanks".into()), ..Tuning::default() };
    let message =
        tune(&file, &labelled, &selector, &tuning, &mut unwatched).expect_err("is not there").to_string();
    assert_eq!(message, "thanks.yaml: unknown marker `thanks`; choose one with --marker: gratitude");

    let broken =
        ProtocolFile { name: "broken.yaml".into(), text: "sonometer: 1\n".into(), list_files: Vec::new() };
    match tune(&broken, &labelled, &selector, &Tuning::default(), &mut unwatched) {
        Err(Error::Failed(failure)) => {
            let (file, found) = failure.findings.expect("says what");
            assert_eq!(file, broken);
            assert!(!found.is_empty());
        }
        other => panic!("{other:?}"),
    }
}
