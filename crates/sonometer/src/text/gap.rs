//! What stands between two tokens, and whether a pattern may step over it.

/// The kind of a gap: may a pattern step over it? The numbers are those that [`super::token::Token`] packs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapKind {
    /// White space and joining signs: a phrase goes on.
    #[default]
    Join = 0,
    /// A comma, colon, bracket, spaced hyphen: only a `..n..` or a written mark steps over it.
    Break = 1,
    /// A sentence ends: nothing steps over it.
    End = 2,
}

/// The kind of the gap `text[from..to]` between two tokens of a folded turn.
///
/// `abbreviated` tells whether a single full stop directly after the token before is no end; it is asked only then.
#[cfg_attr(small_build, optimize(speed))]
pub(crate) fn kind(text: &str, from: usize, to: usize, abbreviated: impl Fn() -> bool) -> GapKind {
    let gap = &text.as_bytes()[from..to];
    // The gaps of ordinary text need a look at a byte or two; only the others go through all rules of the semantics.
    let kind = match gap {
        [] | [b' '] => return GapKind::Join,
        [b',', b' '] => return GapKind::Break,
        [b'!' | b'?', ..] => return GapKind::End,
        [b'.', b' '] => Verdict::FullStop { first: true },
        [one] => single(*one),
        _ if gap.is_ascii() => longer(gap.iter().map(|b| char::from(*b))),
        _ => longer(text[from..to].chars()),
    };
    let next_is_lower = || text.as_bytes().get(to).is_some_and(u8::is_ascii_lowercase);
    match kind {
        Verdict::Settled(kind) => kind,
        // The stop of an abbreviation is no end; what stands behind it decides (`Dr.\nThen`).
        Verdict::FullStop { first } if first && abbreviated() => {
            rest_kind(&text[from + 1..to], next_is_lower())
        }
        Verdict::FullStop { .. } => GapKind::End,
        Verdict::Wrapped if next_is_lower() => rest_kind(&text[from..to], true),
        Verdict::Wrapped => GapKind::End,
    }
}

/// What a look at the gap alone can tell.
enum Verdict {
    Settled(GapKind),
    /// A single `.` before white space; `first`: it directly follows the token.
    FullStop {
        first: bool,
    },
    /// An ellipsis before white space, or one line break: an end unless the next token begins in lower case.
    Wrapped,
}

fn single(byte: u8) -> Verdict {
    match byte {
        b'\n' => Verdict::Wrapped,
        b'!' | b'?' => Verdict::Settled(GapKind::End),
        b',' | b';' | b':' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' => {
            Verdict::Settled(GapKind::Break)
        }
        _ => Verdict::Settled(GapKind::Join),
    }
}

fn longer(gap: impl Iterator<Item = char> + Clone) -> Verdict {
    let mut newlines = 0;
    let mut verdict = None;
    let mut rest = gap.clone().peekable();
    let mut at = 0;
    while let Some(c) = rest.next() {
        match c {
            '!' | '?' | '。' | '؟' | '।' | '॥' | '۔' => return Verdict::Settled(GapKind::End),
            '\n' => newlines += 1,
            '.' => {
                let begins = at == 0;
                let mut run = 1;
                while rest.next_if_eq(&'.').is_some() {
                    run += 1;
                }
                at += run - 1;
                let mut after = rest.clone();
                while after.next_if(|c| is_closer(*c)).is_some() {}
                if after.next().is_some_and(is_white) {
                    let found = if run == 1 { Verdict::FullStop { first: begins } } else { Verdict::Wrapped };
                    // A full stop that does not begin the gap ends the sentence whatever else is there.
                    match (&verdict, &found) {
                        (_, Verdict::FullStop { first: false }) => return Verdict::Settled(GapKind::End),
                        (Some(Verdict::FullStop { .. }), _) => {}
                        _ => verdict = Some(found),
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    match (newlines, verdict) {
        (2.., _) => Verdict::Settled(GapKind::End),
        (_, Some(found)) => found,
        (1, None) => Verdict::Wrapped,
        _ => Verdict::Settled(if breaks(gap) { GapKind::Break } else { GapKind::Join }),
    }
}

/// The kind of a gap whose full stop or line break turned out to be no end by itself.
fn rest_kind(gap: &str, next_is_lower: bool) -> GapKind {
    match longer(gap.chars()) {
        Verdict::Settled(kind) => kind,
        Verdict::FullStop { .. } => GapKind::End,
        Verdict::Wrapped if next_is_lower => {
            if breaks(gap.chars()) {
                GapKind::Break
            } else {
                GapKind::Join
            }
        }
        Verdict::Wrapped => GapKind::End,
    }
}

fn breaks(gap: impl Iterator<Item = char>) -> bool {
    let mut before = None;
    for c in gap {
        let spaced = |a: char, b: char| a == '-' && (is_white(b) || b == '-');
        match (before, c) {
            (_, ',' | ';' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '、' | '•')
            | (Some('.'), '.') => return true,
            (Some(p), c) if spaced(p, c) || spaced(c, p) => return true,
            _ => before = Some(c),
        }
    }
    false
}

/// What is certain of a gap of which only the beginning is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// It ends a sentence, whatever follows.
    End,
    /// It will be no join gap.
    NoJoin,
    /// It may be of any kind.
    Any,
}

/// What is certain of a gap that begins with `gap`; `abbreviated` tells whether a full stop directly behind the token before
/// may be no end.
pub(crate) fn ahead(gap: &str, abbreviated: bool) -> Ahead {
    let is_end = match longer(gap.chars()) {
        Verdict::Settled(kind) => kind == GapKind::End,
        Verdict::FullStop { first } => !(first && abbreviated),
        Verdict::Wrapped => false,
    };
    // Fewer signs than `breaks` knows: one that depends on its neighbours (`-`, `..`) may not have them yet.
    let breaks = |c| matches!(c, ',' | ';' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '、' | '•');
    match is_end {
        true => Ahead::End,
        false if gap.contains(breaks) => Ahead::NoJoin,
        false => Ahead::Any,
    }
}

pub(crate) fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '*' | '_' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> GapKind {
        // The gap is whatever stands between the first and the last letter or digit run.
        let from = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        let to = text
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(from, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
        kind(text, from, to, || matches!(&text[..from], "Dr" | "J"))
    }

    #[test]
    fn sentences_end_where_readers_end_them() {
        for text in [
            "so. Then",
            "so! then",
            "so? Yes",
            "so.) Then",
            "so.\" then",
            "so\n\nthen",
            "so\nThen",
            "so... Then",
            "so。then",
        ] {
            assert_eq!(of(text), GapKind::End, "{text:?}");
        }
        for text in ["Dr. Then", "J. Then"] {
            assert_eq!(of(text), GapKind::Join, "{text:?}");
        }
        assert_eq!(of("Dr.\nThen"), GapKind::End);
        assert_eq!(of("Dr.\nthen"), GapKind::Join);
        assert_eq!(of("Dr., then"), GapKind::Break);
    }

    #[test]
    fn phrases_break_at_marks_and_spaced_hyphens() {
        for text in [
            "so, then",
            "so: then",
            "so (then",
            "so - then",
            "so -- then",
            "so--then",
            "so... then",
            "so...then",
        ] {
            assert_eq!(of(text), GapKind::Break, "{text:?}");
        }
        for text in
            ["so then", "so-then", "so/then", "so \"then", "so  then", "so\nthen", "so.then", "so & then"]
        {
            assert_eq!(of(text), GapKind::Join, "{text:?}");
        }
    }
}
