//! What must hold of every reader, whatever it is given.

use crate::readers::{Outcome, Reader, limits};
use sonometer_ingest::{Ingested, fuzzing};

/// Reads bytes, and panics where something does not hold.
pub fn check(reader: &Reader, bytes: &[u8]) {
    let outcome = reader.read(bytes);
    match &outcome {
        Ok(Some(read)) => fits(read, reader.tells_all),
        Ok(None) => {}
        Err(failure) => {
            let message = &failure.error.message;
            assert!(!message.is_empty(), "an error without words: {failure:?}");
            // What a process apart sends may say anything.
            let is_sent = matches!(reader.name, "answer" | "frames");
            let is_caught = message.contains("damaged and cannot be read") && !is_sent;
            assert!(!is_caught || !reader.tolerates.is_empty(), "a panic was caught: {failure}");
        }
    }
    // Twice the work, so only for some; which ones depends on nothing but the bytes.
    if bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte)) % 4 == 0 {
        assert!(reader.read(bytes) == outcome, "another result the second time: {outcome:?}");
        if let Ok(Some(read)) = outcome {
            comes_back(reader, read);
        }
    }
}

/// The map fits the text, and neither is beyond the limits.
fn fits(read: &Ingested, tells_all: bool) {
    let limits = limits();
    let turns = read.interaction.turns();
    let mut before = (0, 0);
    for piece in read.map.pieces() {
        let content = turns.get(piece.turn).map(|turn| &turn.content);
        let text = content.and_then(|content| content.get(piece.range.clone()));
        assert!(text.is_some(), "a piece outside of the text: {piece:?}");
        assert!((piece.turn, piece.range.start) >= before, "pieces out of order: {piece:?}");
        before = (piece.turn, piece.range.end);
        let mut last = piece.range.start;
        for word in &piece.words {
            assert!(word.at >= last && word.at < piece.range.end, "a word outside of its piece: {piece:?}");
            assert!(
                word.time >= 0 && word.until >= word.time,
                "a word that ends before it begins: {piece:?}"
            );
            last = word.at;
        }
    }
    assert!(read.map.pieces().len() <= limits.text_bytes, "more pieces than letters");
    // What stands between turns that became one text is not counted.
    let bytes: usize = turns.iter().map(|turn| turn.content.len()).sum();
    let most = limits.text_bytes + 2 * limits.paragraphs;
    assert!(bytes <= most, "more text than the limit: {bytes}");
    assert!(turns.len() <= limits.paragraphs, "more turns than the limit: {}", turns.len());
    assert!(!tells_all || bytes > 0, "an interaction without text");
    assert!(read.notes.len() <= 100, "more notes than anybody reads: {}", read.notes.len());
    let longest = read.notes.iter().map(String::len).max().unwrap_or(0);
    assert!(longest <= 4096, "a note that is too long: {longest}");
    for (number, turn) in turns.iter().enumerate().take(3) {
        for offset in [0, turn.content.len() / 2, turn.content.len(), usize::MAX] {
            if let Some(place) = read.place(number, offset) {
                let _ = place.to_string();
            }
        }
    }
}

/// What is sent from a process apart, and what is kept, comes back as it was.
fn comes_back(reader: &Reader, read: Ingested) {
    let most = limits().text_bytes * 8 + (1 << 20);
    let kept = read.to_json();
    let again = Ingested::from_json(&kept);
    assert!(again.as_ref() == Ok(&read), "what is kept does not come back: {again:?}");
    if read.sound.is_some() || reader.name == "json" {
        // Those never pass that way: what they hold beside turns has no place in an answer.
        return;
    }
    let outcome: Outcome = Ok(Some(read));
    let Ok(Some(read)) = outcome else { return };
    let answer = fuzzing::answered(&Ok(read.clone()));
    assert!(answer.len() <= most, "an answer beyond what is taken: {}", answer.len());
    let taken = fuzzing::answer(&answer);
    assert!(taken.as_ref() == Ok(&read), "what is sent does not come back: {taken:?}");
}
