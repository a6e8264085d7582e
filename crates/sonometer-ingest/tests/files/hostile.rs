//! Files made to harm: each ends in a clear error, within limits that are counts.

use crate::hostile_cases::{cases, limits};
use sonometer_ingest::{Hints, Reason, read_within};

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
