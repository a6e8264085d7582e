//! Any bytes, and files of ours with bytes changed: an error or an interaction, never a panic, and a map that fits.

use proptest::prelude::*;
use sonometer_ingest::{Hints, Kind, Limits, read_within};
use std::path::Path;

fn cases() -> u32 {
    std::env::var("SONOMETER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

const FILES: [&str; 12] = [
    "report.docx",
    "report.odt",
    "report.rtf",
    "talk.vtt",
    "talk.mbox",
    "talk.json",
    "talk-messages.json",
    "talk-whatsapp.txt",
    "talk-timed.txt",
    "talk-speech.json",
    "visits.xlsx",
    "sources/visits.csv",
];

fn limits() -> Limits {
    Limits { unpacked_bytes: 8 << 20, cells: 10_000, text_bytes: 4 << 20, ..Limits::default() }
}

fn check(bytes: &[u8], kind: Option<Kind>) {
    // PDF has libraries of others that panic; they are caught, and run apart.
    if kind == Some(Kind::Pdf) || kind.is_none() && bytes.windows(5).any(|window| window == b"%PDF-") {
        return;
    }
    let hints = Hints { kind, ..Hints::default() };
    match read_within(bytes, &hints, &limits()) {
        Ok(read) => {
            let mut before = (0, 0);
            for piece in read.map.pieces() {
                let content = &read.interaction.turns()[piece.turn].content;
                assert!(content.get(piece.range.clone()).is_some(), "{piece:?}");
                assert!((piece.turn, piece.range.start) >= before, "{piece:?}");
                before = (piece.turn, piece.range.end);
            }
        }
        Err(failure) => {
            assert!(!failure.error.message.is_empty());
            assert!(!failure.error.message.contains("damaged and cannot be read"), "a panic: {failure}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_as_any_kind(bytes in proptest::collection::vec(any::<u8>(), 0..600), at in 0..Kind::ALL.len()) {
        check(&bytes, Some(Kind::ALL[at]));
        check(&bytes, None);
    }

    #[test]
    fn any_text_as_any_kind(text in "(\\PC|[\n\r\t<>{}\\[\\]\":,;|#*>@/0-9-]){0,300}", at in 0..Kind::ALL.len()) {
        check(text.as_bytes(), Some(Kind::ALL[at]));
        check(text.as_bytes(), None);
    }

    #[test]
    fn our_files_with_other_bytes(
        at in 0..FILES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/documents").join(FILES[at]);
        let mut bytes = std::fs::read(path).expect("is there");
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check(&bytes, None);
    }
}
