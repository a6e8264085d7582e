//! Files made to harm: each ends in a clear error, within limits that are counts.

use crate::hostile_cases::{cases, limits};
use sonometer_ingest::{Hints, Kind, Reason, read_within};
use std::time::{Duration, Instant};

#[test]
fn each_ends_in_a_clear_error() {
    let cases = cases();
    assert!(cases.len() >= 40);
    for (name, bytes, kind, reasons) in cases {
        let sheet = reasons.is_empty().then(|| "nowhere".to_owned());
        let hints = Hints { kind, sheet, ..Hints::default() };
        let failure = match read_within(&bytes, &hints, &limits()) {
            Ok(read) => panic!("{name}: read as {:?}: {:?}", read.kind, read.interaction.turns()),
            Err(failure) => failure,
        };
        let expected = if reasons.is_empty() { &[Reason::Hint][..] } else { reasons };
        assert!(expected.contains(&failure.reason), "{name}: {:?}: {failure}", failure.reason);
        let message = &failure.error.message;
        // What is wrong; and what to do.
        assert!(
            message.contains("; ") || message.contains(", so ") || message.contains("give "),
            "{name}: {message}"
        );
    }
}

/// Each once took a time that grew with the square of the file: minutes for these.
#[test]
fn work_grows_no_faster_than_the_file() {
    let many = |word: &str| word.repeat((1 << 20) / word.len());
    let caption = "1\n00:00:01,000 --> 00:00:02,000\n";
    let files: [(&str, Kind, String); 4] = [
        ("marks that nothing ends", Kind::Srt, format!("{caption}{}", many("<a"))),
        ("marks of no tags", Kind::Srt, format!("{caption}{}>", many("<"))),
        ("spaces, one by one", Kind::Html, format!("<pre>{}a</pre>", many("&#32;"))),
        ("fonts, and as many calls for one that is not there", Kind::Rtf, {
            format!("{{\\rtf1{{\\fonttbl {}}}{}a}}", many("\\f1\\fcharset204"), many("\\f9 "))
        }),
    ];
    for (name, kind, file) in files {
        let begun = Instant::now();
        let read = read_within(file.as_bytes(), &Hints { kind: Some(kind), ..Hints::default() }, &limits());
        println!("{name}: {:?}, {:?}", begun.elapsed(), read.map(|read| read.kind));
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
    }
}
