//! Letters repeated three or more times: `sooooo`, `coool`, `nooooo waaaay`.

use super::change::Changes;
use std::ops::Range;

/// Beyond this many rows in a run there are too many ways to try: n rows have 2^n, so 16 at most, each a look-up of a word.
const MOST_ROWS: usize = 4;

pub(super) fn changes(text: &str, knows: impl Fn(&str) -> bool) -> Changes {
    let bytes = text.as_bytes();
    let mut changes = Changes::default();
    if !has_row(bytes) {
        return changes;
    }
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let rows = rows(bytes, at..at + len);
        if !rows.is_empty() {
            shorten(text, at..at + len, &rows, &knows, &mut changes);
        }
        at += len + 1;
    }
    changes
}

/// Whether a letter stands three times in a row: in most texts none does. Without a branch, so that many bytes are looked at at once.
fn has_row(bytes: &[u8]) -> bool {
    let (Some(second), Some(third)) = (bytes.get(1..), bytes.get(2..)) else { return false };
    let rows = bytes.iter().zip(second).zip(third);
    rows.fold(false, |has, ((a, b), c)| {
        has | (a.eq_ignore_ascii_case(b) & b.eq_ignore_ascii_case(c) & a.is_ascii_alphabetic())
    })
}

/// The rows of three and more of one letter in a run of letters.
fn rows(bytes: &[u8], run: Range<usize>) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut at = run.start;
    for row in bytes[run].chunk_by(|a, b| a.eq_ignore_ascii_case(b)) {
        if row.len() >= 3 {
            rows.push(at..at + row.len());
        }
        at += row.len();
    }
    rows
}

/// Leaves two or one of each row: what gives a known word, one of each if nothing does.
fn shorten(
    text: &str,
    run: Range<usize>,
    rows: &[Range<usize>],
    knows: &impl Fn(&str) -> bool,
    changes: &mut Changes,
) {
    // Bit j of a way: row j is single. 16 ways are at most 15, so 255 is free for *all rows, however many*.
    let every = u8::MAX;
    let is_single = |way: u8, row: usize| way == every || way >> row & 1 == 1;
    let way = if rows.len() <= MOST_ROWS {
        let mut word = String::with_capacity(run.len());
        let mut ways = 0..1u8 << rows.len();
        ways.find(|way| {
            word.clear();
            let mut done = run.start;
            for (at, row) in rows.iter().enumerate() {
                word.push_str(&text[done..row.start + if is_single(*way, at) { 1 } else { 2 }]);
                done = row.end;
            }
            word.push_str(&text[done..run.end]);
            word.make_ascii_lowercase();
            knows(&word)
        })
    } else {
        None
    };
    let way = way.unwrap_or(every);
    for (at, row) in rows.iter().enumerate() {
        let last = if is_single(way, at) { row.start } else { row.start + 1 };
        changes.push(last..row.end, text.as_bytes()[last], 1);
    }
}

#[cfg(test)]
mod tests {
    fn unfolded(text: &str, known: &[&str]) -> String {
        super::changes(text, |word| known.contains(&word)).apply(text)
    }

    #[test]
    fn the_first_way_that_gives_a_known_word_wins() {
        assert_eq!(unfolded("sooooo coool!", &["so", "cool"]), "so cool!");
        assert_eq!(unfolded("tooo toooo", &["to", "too"]), "too too");
        // The ways of two rows: both double, the left one single, the right one single, both.
        assert_eq!(unfolded("baaadlllly", &["baadly", "badlly"]), "badlly");
        assert_eq!(unfolded("baaadlllly", &["baadly", "badly"]), "baadly");
        assert_eq!(unfolded("SOoOo", &["so"]), "SO");
    }

    #[test]
    fn without_a_known_word_every_row_is_single() {
        assert_eq!(unfolded("xxxyyyz hmmm aaa111aaa soo", &[]), "xyz hm a111a soo");
        assert_eq!(unfolded("aaabbbcccdddeee", &["aabbccddee"]), "abcde");
        assert_eq!(unfolded("don'ttt", &["don"]), "don't");
    }
}
