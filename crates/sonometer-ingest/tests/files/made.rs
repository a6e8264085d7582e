//! The documents of `fixtures/documents`: their text and places in every format.

use sonometer_ingest::{Hints, Ingested, read};
use std::fs;
use std::path::Path;

fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/documents").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn whole(name: &str, hints: Hints) -> Ingested {
    read(&bytes(name), &Hints { name: Some(name.to_owned()), ..hints })
        .unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

/// The turns, without white space that differs between formats.
fn talk(name: &str, hints: Hints) -> Vec<(String, String)> {
    let read = whole(name, hints);
    let turns = read.interaction.turns().iter();
    turns
        .map(|turn| (turn.role.as_deref().unwrap_or("-").to_owned(), turn.content.trim().to_owned()))
        .collect()
}

#[test]
fn one_conversation_is_the_same_in_every_form() {
    let expected = talk("talk.json", Hints::default());
    assert_eq!(expected.len(), 4);
    let turns = || Hints { turns: true, ..Hints::default() };
    let column =
        || Hints { column: Some("said".into()), role_column: Some("who".into()), ..Hints::default() };
    let speakers = || Hints {
        roles: vec![("speaker-0".into(), "agent".into()), ("speaker-1".into(), "customer".into())],
        ..Hints::default()
    };
    for (name, hints) in [
        ("talk-messages.json", Hints::default()),
        ("talk.vtt", Hints::default()),
        ("talk-whatsapp.txt", Hints::default()),
        ("talk-timed.txt", Hints::default()),
        ("talk-speech.json", speakers()),
        ("talk.mbox", Hints::default()),
        ("talk.docx", turns()),
        ("talk.pdf", turns()),
        ("visits.xlsx", column()),
        ("visits.xls", column()),
        ("sources/visits.csv", column()),
        ("sources/talk.txt", turns()),
    ] {
        assert_eq!(talk(name, hints), expected, "{name}");
    }
}

const SENTENCES: [&str; 8] = [
    "and this long sentence goes on over several lines of the page, so that nobody can read it line by line",
    "第二段：非常感谢您的耐心等待，我们会尽快处理您的问题。",
    "شكرا جزيلا على صبركم ومساعدتكم اليوم",
    "תודה רבה על העזרה שלך",
    "First, ask for the harbour.",
    "I am furious about the delay.",
    "The office of the northern harbour is terribly sad and lonely in winter.",
    "The second page is about gratitude: thank you for reading so far.",
];

/// Where a sentence stands, in words.
fn place(read: &Ingested, text: &str) -> String {
    let content = &read.interaction.turns()[0].content;
    let at = content.find(text).unwrap_or_else(|| panic!("{text:?} is not in {content}"));
    read.place(0, at).expect("has a place").to_string()
}

#[test]
fn reports_hold_every_sentence_whole() {
    for name in ["report.odt", "report.docx", "report.rtf"] {
        let read = whole(name, Hints::default());
        SENTENCES.iter().for_each(|text| assert!(!place(&read, text).is_empty(), "{name}: {text}"));
        assert_eq!(place(&read, "A report"), "paragraph 1", "{name}");
        assert!(place(&read, "The office of the northern").contains("footnote"), "{name}");
        assert!(
            place(&read, "I am furious").ends_with("table 1, cell B2"),
            "{name}: {}",
            place(&read, "I am furious")
        );
    }
}

#[test]
fn an_old_workbook_is_read_as_a_new_one() {
    let (old, new) = (whole("visits.xls", Hints::default()), whole("visits.xlsx", Hints::default()));
    assert_eq!(old.interaction, new.interaction);
    assert!(old.interaction.turns()[0].content.contains("2024-05-01"), "a date: {old:?}");
    for text in ["My ticket is lost", "2024-05-02"] {
        assert_eq!(place(&old, text), place(&new, text));
    }
    assert_eq!(place(&old, "My ticket is lost"), "visits!B3");
}

#[test]
fn roles_that_say_nothing_are_no_text() {
    for text in ["agent:", "agent:\n\ncustomer: \n"] {
        let hints = Hints { turns: true, ..Hints::default() };
        let failure = read(text.as_bytes(), &hints).expect_err("holds no words");
        assert_eq!(failure.reason, sonometer_ingest::Reason::NoText, "{failure}");
    }
}

#[test]
fn pdf_by_poppler() {
    let read = whole("report.pdf", Hints::default());
    if read.notes.iter().any(|note| note.contains("built-in")) {
        eprintln!("skipped: PDF by poppler (pdftotext is not installed)");
        return;
    }
    // Letters that Arabic joins for print lose nothing but the order of lam and alef, which poppler tells as one.
    for text in SENTENCES.iter().filter(|text| !text.starts_with('ش')) {
        assert!(place(&read, text).starts_with("page "), "{text}");
    }
    let two_columns = "afraid of the fog that comes down from the mountains every single morning.";
    assert!(place(&read, two_columns).starts_with("page 1, paragraph "));
    assert!(place(&read, "a well-known lighthouse keeper, who was very proud").starts_with("page 1"));
    assert_eq!(place(&read, "The second page"), "page 2, paragraph 1");
}

#[cfg(feature = "pdf")]
#[test]
fn pdf_by_the_built_in_reader() {
    let read = whole("report.pdf", Hints { builtin_pdf: true, ..Hints::default() });
    assert_eq!(place(&read, "A report of the ferry office"), "page 1, paragraph 1");
    assert!(place(&read, "thank you for reading so far").starts_with("page 2"));
}
