//! Section 1, kinds of gap: where a sentence ends, where a phrase breaks, where words merely stand side by side.

/// What stands between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GapKind {
    /// A sentence ends here.
    End,
    /// A phrase breaks here.
    Break,
    /// The words stand side by side.
    Join,
}

/// The kind of a gap. `previous` is the token before it in lower case, `next` the first folded character of the token
/// after it, where there are such tokens; `is_abbreviation` knows the abbreviations of the language.
pub(crate) fn kind(
    gap: &[char],
    previous: Option<&str>,
    next: Option<char>,
    is_abbreviation: &dyn Fn(&str) -> bool,
) -> GapKind {
    let goes_on = next.is_some_and(|c| c.is_ascii_lowercase());
    let no_full_stop_after = previous.is_some_and(|p| is_abbreviation(p) || is_initial(p));
    if has_end_mark(gap) || has_sentence_stop(gap, no_full_stop_after, goes_on) || has_line_end(gap, goes_on)
    {
        GapKind::End
    } else if has_break(gap) {
        GapKind::Break
    } else {
        GapKind::Join
    }
}

fn has_end_mark(gap: &[char]) -> bool {
    gap.iter().any(|c| "!?。؟।॥۔".contains(*c))
}

/// One ASCII letter other than `i`.
fn is_initial(token: &str) -> bool {
    token.len() == 1 && token != "i" && token.chars().all(|c| c.is_ascii_lowercase())
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// A maximal run of `.`, closing signs, white space.
fn has_sentence_stop(gap: &[char], no_full_stop_after: bool, goes_on: bool) -> bool {
    (0..gap.len()).any(|from| {
        let begins_run = gap[from] == '.' && (from == 0 || gap[from - 1] != '.');
        if !begins_run {
            return false;
        }
        let after_dots = skip(gap, from, |c| c == '.');
        let after_closing = skip(gap, after_dots, |c| "\"')]}*_~".contains(c));
        let white_follows = gap.get(after_closing).is_some_and(|c| is_white(*c));
        let ends = match after_dots - from {
            1 => !(from == 0 && no_full_stop_after),
            _ => !goes_on,
        };
        white_follows && ends
    })
}

fn skip(gap: &[char], mut at: usize, wanted: impl Fn(char) -> bool) -> usize {
    while gap.get(at).is_some_and(|c| wanted(*c)) {
        at += 1;
    }
    at
}

fn has_line_end(gap: &[char], goes_on: bool) -> bool {
    match gap.iter().filter(|c| **c == '\n').count() {
        0 => false,
        1 => !goes_on,
        _ => true,
    }
}

fn has_break(gap: &[char]) -> bool {
    (0..gap.len()).any(|at| {
        let neighbours = [at.checked_sub(1).map(|b| gap[b]), gap.get(at + 1).copied()];
        match gap[at] {
            '-' => neighbours.into_iter().flatten().any(|c| is_white(c) || c == '-'),
            '.' => gap.get(at + 1) == Some(&'.'),
            c => ",;:()[]{}|、•".contains(c),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gap: &str, previous: &str, next: &str) -> GapKind {
        let gap: Vec<char> = gap.chars().collect();
        kind(&gap, Some(previous), next.chars().next(), &|word| word == "mr")
    }

    #[test]
    fn a_sentence_ends() {
        let ends = [
            ("!", "go", "x"),
            (" ? ", "go", "x"),
            ("。", "x", "y"),
            (". ", "end", "New"),
            (". ", "end", "new"),
            (".\") ", "end", "new"),
            (".\t", "i", "x"),
            (" . ", "mr", "Smith"), // the run does not begin the gap
            ("... ", "wait", "What"),
            ("\n", "line", "Next"),
            ("\n", "line", "7"),
            ("\n \n", "line", "next"),
        ];
        for (gap, previous, next) in ends {
            assert_eq!(of(gap, previous, next), GapKind::End, "{previous:?} {gap:?} {next:?}");
        }
    }

    #[test]
    fn a_phrase_breaks() {
        let breaks = [
            (", ", "a", "b"),
            (" - ", "a", "b"),
            ("--", "a", "b"),
            ("... ", "wait", "what"), // two dots in a row, but the sentence goes on
            ("...", "wait", "What"),  // no white space after the dots
            (" (", "a", "b"),
            (".[ ", "a", "b"), // `[` is no closing sign
        ];
        for (gap, previous, next) in breaks {
            assert_eq!(of(gap, previous, next), GapKind::Break, "{previous:?} {gap:?} {next:?}");
        }
    }

    #[test]
    fn words_stand_side_by_side() {
        let joins = [
            ("", "日", "本"),
            (" ", "a", "b"),
            ("-", "well", "known"),
            (".", "example", "com"),
            (". ", "mr", "Smith"),
            (". ", "j", "Smith"),
            ("\n", "line", "next"),
            ("/", "and", "or"),
        ];
        for (gap, previous, next) in joins {
            assert_eq!(of(gap, previous, next), GapKind::Join, "{previous:?} {gap:?} {next:?}");
        }
    }
}
