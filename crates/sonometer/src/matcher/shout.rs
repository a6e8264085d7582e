//! `<shout>`: runs of words in capitals, and words with more than one exclamation mark behind them.

use super::turn::{Spread, TurnText};
use crate::protocol::phrase::Class;
use crate::text::chars::{is_letter, is_upper};
use crate::text::gap::GapKind;

/// How a word is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// Two or more letters, all capitals.
    Loud,
    /// One letter, a capital: `I`, `A`.
    Neutral,
    Other,
}

/// The occurrences of `<shout>` in a turn, by place.
#[cfg_attr(small_build, optimize(speed))]
pub(super) fn find(turn: &TurnText<'_>) -> Vec<Spread> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < turn.tokens.len() {
        let run = loud_run(turn, at);
        let last = run.unwrap_or(at);
        // `!!` makes the gap an end, and a run has no end inside: only its last word can be banged.
        match banged_end(turn, last) {
            Some(end) => found.push(spread(turn, at, last, end)),
            None if run.is_some() => found.push(spread(turn, at, last, turn.tokens[last].end)),
            None => {}
        }
        at = last + 1;
    }
    found
}

/// The last token of the loud run that begins at token `at`, if one does.
fn loud_run(turn: &TurnText<'_>, at: usize) -> Option<usize> {
    if case(turn, at) != Case::Loud {
        return None;
    }
    let (mut last, mut loud) = (at, 1);
    for next in at + 1..turn.tokens.len() {
        if turn.tokens[next].gap() == GapKind::End {
            break;
        }
        match case(turn, next) {
            Case::Loud => (last, loud) = (next, loud + 1),
            Case::Neutral => {}
            Case::Other => break,
        }
    }
    (loud >= 2).then_some(last)
}

#[cfg_attr(small_build, optimize(speed))]
fn case(turn: &TurnText<'_>, at: usize) -> Case {
    let token = turn.tokens[at];
    if token.is_symbol() {
        return Case::Other;
    }
    // Capitals are asked of the original: folding keeps the case of ASCII only.
    case_of(&turn.own[turn.own_range(token.start as usize, token.end as usize)])
}

/// How a word is written in its own text.
#[cfg_attr(small_build, optimize(speed))]
pub(super) fn case_of(own: &str) -> Case {
    // Most words show at their first letter that they are not loud.
    if own.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Case::Other;
    }
    let (mut letters, mut lower) = (0, false);
    for c in own.chars().filter(|c| is_letter(*c)) {
        letters += 1;
        lower |= !is_upper(c);
    }
    match letters {
        0 => Case::Other,
        _ if lower => Case::Other,
        1 => Case::Neutral,
        _ => Case::Loud,
    }
}

/// The end of the run of `!` and `?` directly behind token `at`, if it holds two `!`.
fn banged_end(turn: &TurnText<'_>, at: usize) -> Option<u32> {
    let end = turn.tokens[at].end;
    let behind = turn.folded.text().as_bytes()[end as usize..].iter();
    let run = behind.take_while(|b| matches!(b, b'!' | b'?'));
    let (mut length, mut bangs) = (0, 0);
    for byte in run {
        length += 1;
        bangs += u32::from(*byte == b'!');
    }
    (bangs >= 2).then_some(end + length)
}

fn spread(turn: &TurnText<'_>, first: usize, last: usize, end: u32) -> Spread {
    let start = turn.tokens[first].start;
    Spread { class: Class::Shout, first: first as u32, last: last as u32 + 1, start, end }
}
