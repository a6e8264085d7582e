//! Lists in files beside a protocol: they find what the same phrases find written out, in one piece and in chunks.
#![cfg(feature = "yaml")]

mod listed;

use sonometer::{Interaction, Protocol, Reading, Sensor, SessionOptions, Turn, View};
use std::fmt::Write;

/// A protocol with this in the place of its lists.
fn protocol(lists: &str) -> String {
    format!(
        r#"sonometer: 1
id: met
version: "1.0"
taxonomy: Signal
language: en
{lists}
markers:
  - label: name
    mask: stars
    strong: |
      @name
    hit: |
      We saw MARY ANN.
  - label: met
    negation: drop
    strong: |
      i met @name
      @name ..2.. (@name|anna) called
      dear {{@name}} ,
      (@name|they) &3 waited~
    except: |
      never @name
    hit: |
      I met Zoe.
    miss: |
      I never met Anna.
"#
    )
}

const WRITTEN: &str = "lists: {name: anna | mary ann | zoë}";
const IN_A_FILE: &str = "list_files: {name: names.txt}";

fn sensor(lists: &str) -> Sensor {
    let (protocol, warnings) = Protocol::read_with(&protocol(lists), &listed::file).expect("is sound");
    assert!(warnings.is_empty(), "{warnings:?}");
    Sensor::new(protocol).expect("compiles")
}

fn found(reading: &Reading) -> String {
    let mut text = reading.to_json(View::default());
    for found in reading.evidence() {
        let _ = write!(text, "\n{} {} {}", found.metamarker, found.source, found.score);
    }
    text
}

const TALK: &str = "I met Anna, mary ann and Zoë. Mary-Ann waited. Mary Ann, Anna called. Mary then Anna waits. Dear Zoe, \
    never Anna. I did not meet anna; I never met Mary. Ann came. Mary\nann. I met Mary Ann";

#[test]
fn a_list_in_a_file_is_one_that_is_written_out() {
    let (written, in_a_file) = (sensor(WRITTEN), sensor(IN_A_FILE));
    let interaction = Interaction::text(TALK).expect("is short");
    let readings = [&written, &in_a_file].map(|sensor| sensor.sense(&interaction).expect("reads texts"));
    assert_eq!(found(&readings[0]), found(&readings[1]));
    assert!(
        readings[1].evidence().filter(|found| found.metamarker == "met").count() >= 4,
        "{}",
        found(&readings[1])
    );
    assert_eq!(written.guard_bound(), in_a_file.guard_bound());
}

#[test]
fn and_so_it_is_in_chunks_of_any_size() {
    let release = || SessionOptions { release: true, ..SessionOptions::default() };
    for size in 1..12 {
        let streamed = |lists: &str| {
            let sensor = sensor(lists);
            let whole = sensor
                .sense(&Interaction::text(TALK).expect("is short"))
                .expect("reads texts")
                .to_json(View::default());
            let mut session = sensor.session(release());
            let letters: Vec<char> = TALK.chars().collect();
            for chunk in letters.chunks(size) {
                session.push(chunk.iter().collect::<String>().as_bytes()).expect("is taken");
            }
            let json = session.finish().expect("ends").to_json(View::default());
            assert_eq!(json, whole);
            json
        };
        assert_eq!(streamed(WRITTEN), streamed(IN_A_FILE), "chunks of {size}");
    }
}

#[test]
fn its_phrases_belong_to_the_digest_and_its_comments_do_not() {
    let read = |text: &'static str| {
        let file = move |_: &str| Ok(text.into());
        Protocol::read_with(&protocol(IN_A_FILE), &file).expect("is sound").0
    };
    let first = read("Anna\nMary Ann\n");
    assert_eq!(first.digest(), read("# by name\r\nmary ann\r\nANNA").digest());
    assert_ne!(first.digest(), read("Anna\nMary\n").digest());
    assert!(first.to_canonical_json().contains(r#""list_files":{"name":"names.txt sha256:"#));
    // The canonical form takes the file that it was made with, and no other.
    let canonical = first.to_canonical_json();
    let again = |text: &'static str| {
        let file = move |_: &str| Ok(text.into());
        Protocol::read_with(&canonical, &file).map(|(protocol, _)| protocol)
    };
    assert_eq!(again(" anna\nMARY ann").expect("is the same").digest(), first.digest());
    let error = again("Anna").expect_err("is another");
    assert_eq!(error.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>(), ["SM0374"]);
}

#[test]
fn without_its_text_the_place_and_the_fix_are_named() {
    let error = Protocol::read(&protocol(IN_A_FILE)).expect_err("nobody gives the file");
    assert_eq!(error.place, "line 6, column 20");
    assert!(error.message.contains("the list file `names.txt` is missing"), "{}", error.message);
}

#[test]
fn fifty_thousand_names_are_one_part_of_a_line() {
    let mut names = String::new();
    for number in 0..50_000_u32 {
        let letters: String =
            number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
        let _ = writeln!(names, "x{letters}{}", if number % 3 == 0 { " smith" } else { "" });
    }
    let file = |_: &str| Ok(names.as_str().into());
    let (protocol, _) = Protocol::read_with(&protocol(IN_A_FILE), &file).expect("is sound");
    let sensor = Sensor::new(protocol).expect("compiles");
    let text = Interaction::text("I met xbcdeg. I met xdd smith. I met nobody.").expect("is short");
    let reading = sensor.sense(&text).expect("reads texts");
    let met =
        reading.evidence().filter(|found| found.metamarker == "met").map(|found| found.source.into_owned());
    assert_eq!(met.collect::<Vec<_>>(), ["I met ******", "I met *** *****"]);
    assert!(sensor.heap_bytes() < 10 << 20, "{}", sensor.heap_bytes());
}

#[test]
fn turns_of_roles_find_them_too() {
    let turn = |role: &str, content: &str| Turn {
        role: Some(role.into()),
        content: content.into(),
        timestamp: None,
    };
    let talk = Interaction::transcript(vec![turn("a", "I met Mary"), turn("b", "Ann called. I met Anna.")]);
    let talk = talk.expect("has roles");
    let readings = [WRITTEN, IN_A_FILE].map(|lists| found(&sensor(lists).sense(&talk).expect("reads talks")));
    assert_eq!(readings[0], readings[1]);
}
