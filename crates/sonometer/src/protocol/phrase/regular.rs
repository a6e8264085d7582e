//! Pattern lines that are written like a regular expression: how they are recognised, and the two forms in which they can be
//! written instead.
//!
//! Only signs are looked for that no pattern line means. Some of them used to be read as words without notice (`you.*help` as
//! `you help`), and a line that silently matches something else is worse than one that is refused.

use super::Regex;
use super::check;
use super::parse::{self, Context, PhraseError};
use crate::text::chars::{Class, class};
use std::ops::Range;

/// Lines longer than this are shown in neither form: a message is to be read.
const MAX_SHOWN: usize = 80;
/// The most spellings of one word that are written out (`colou?r`: two).
const MAX_SPELLINGS: usize = 8;

/// Refuses a text that is written like a regular expression; `entries` says that it is a list, whose entries stand between `|`.
pub(super) fn refuse(text: &str, entries: bool, context: &Context<'_>) -> Result<(), PhraseError> {
    // Most lines have none of the signs that `find` asks about; `(` alone is none.
    if !text.bytes().any(|byte| byte != b'(' && may_begin(byte)) {
        return Ok(());
    }
    let Some((sign, bounds)) = find(text, entries) else { return Ok(()) };
    let own = text[bounds].trim();
    // No expression has the lists, gaps and classes of patterns, and to write them as words would change what is meant.
    let is_pattern = own.contains(['@', '<', '"']) || own.contains("..");
    let words = phrase_form(own).filter(|form| !is_pattern && is_phrase(form, context));
    let expression = expression_form(own).filter(|_| !is_pattern);
    let fix = match (words, expression) {
        _ if is_pattern => "write the line without it; alternatives are written `(a|b)`".to_owned(),
        (Some(words), Some(re)) => format!("write `{words}`, or as a regular expression `{re}`"),
        (Some(words), None) => format!("write `{words}`"),
        (None, Some(re)) => format!("write words, or the regular expression between slashes: `{re}`"),
        (None, None) => "write words, or a regular expression between slashes: `/order-[0-9]+/i`".to_owned(),
    };
    let message = format!(
        "`{}` is regular expression syntax, but this line is a pattern of words",
        &text[sign.clone()]
    );
    Err(PhraseError { code: "SM0233", range: sign, message, fix })
}

/// The first sign of a regular expression, and the bounds of the line or entry that it stands in.
fn find(text: &str, entries: bool) -> Option<(Range<usize>, Range<usize>)> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut entry) = (0, 0_usize, 0);
    let mut found: Option<(Range<usize>, usize)> = None;
    while at < bytes.len() {
        if found.is_none()
            && may_begin(bytes[at])
            && let Some(length) = sign(text, at)
        {
            found = Some((at..at + length, entry));
        }
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 && entries => {
                if let Some((sign, start)) = found {
                    return Some((sign, start..at));
                }
                entry = at + 1;
            }
            _ => {}
        }
        at += skipped(text, at).unwrap_or(1);
    }
    found.map(|(sign, start)| (sign, start..text.len()))
}

/// How much is no business of ours: quoted characters, a regular expression between slashes, a class, a mark.
fn skipped(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let begins = at == 0
        || text.as_bytes()[at - 1].is_ascii_whitespace()
        || matches!(text.as_bytes()[at - 1], b'(' | b'|' | b'{');
    match rest.as_bytes()[0] {
        b'"' => rest[1..].find('"').map(|length| length + 2),
        b'<' => rest.find('>').map(|length| length + 1),
        b'/' if begins => {
            let mut end = 1;
            while end < rest.len() && rest.as_bytes()[end] != b'/' {
                end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
            }
            (end < rest.len()).then_some(end + 1)
        }
        b'\\' => rest.chars().nth(1).map(|mark| 1 + mark.len_utf8()),
        _ => rest.chars().next().map(char::len_utf8),
    }
}

/// Whether a sign of a regular expression may begin with a byte.
fn may_begin(byte: u8) -> bool {
    matches!(byte, b'\\' | b'.' | b'(' | b'[' | b'+' | b'{' | b'?' | b'^' | b'$')
}

/// The length of a sign of a regular expression that stands here.
fn sign(text: &str, at: usize) -> Option<usize> {
    let (before, rest) = (&text[..at], &text[at..]);
    let next = |n: usize| rest.chars().nth(n);
    let sticks = before.ends_with(|c: char| is_word(c) || matches!(c, ')' | ']'));
    match next(0)? {
        '\\' if next(1).is_some_and(|c| "bBdDwWsSAzZ".contains(c)) => Some(2),
        '.' if matches!(next(1), Some('*' | '+')) => Some(2),
        '.' => Some(1 + count(&rest[1..])?),
        '(' if rest.starts_with("(?") => {
            let flags = rest[2..].find(|c: char| !(c.is_ascii_lowercase() || c == '-'))?;
            let end = 2 + flags;
            match rest[end..].chars().next()? {
                ')' | ':' if flags > 0 => Some(end + 1),
                ':' | '=' | '!' | 'P' => Some(end + 1),
                '<' if rest[end + 1..].starts_with(['=', '!']) => Some(end + 2),
                _ => None,
            }
        }
        '[' => {
            let length = rest.find(']').filter(|length| *length > 1)?;
            let inside = &rest[1..length];
            // A bracket between spaces is the mark itself.
            (!inside.contains(char::is_whitespace) && !rest[length..].starts_with("]]")).then_some(length + 1)
        }
        // `c++` is a name with signs in it.
        '+' if sticks && next(1) != Some('+') => Some(1),
        '{' if sticks => count(rest),
        '?' if before.ends_with(is_word) && next(1).is_some_and(|c| is_word(c) || c == ':') => Some(1),
        '^' if (before.is_empty() || before.ends_with([' ', '(', '|']))
            && next(1).is_some_and(is_word_or_escape) =>
        {
            Some(1)
        }
        '$' if before.ends_with(is_word) && next(1).is_none_or(|c| matches!(c, ' ' | ')' | '|')) => Some(1),
        _ => None,
    }
}

fn is_word(c: char) -> bool {
    matches!(class(c), Class::Word | Class::Ideograph)
}

fn is_word_or_escape(c: char) -> bool {
    is_word(c) || c == '\\'
}

/// The length of a count, `{4}`, `{2,}`, `{2,5}`, that stands here.
fn count(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('{')?;
    let length = inside.find('}')?;
    let counts = &inside[..length];
    (counts.starts_with(|c: char| c.is_ascii_digit())
        && counts.bytes().all(|b| b.is_ascii_digit() || b == b','))
    .then_some(length + 2)
}

fn is_phrase(form: &str, context: &Context<'_>) -> bool {
    find(form, false).is_none() && parse::parse(form, context).is_ok()
}

/// The line as a regular expression between slashes.
fn expression_form(line: &str) -> Option<String> {
    let line = line.strip_prefix("(?i)").unwrap_or(line);
    let mut source = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '/' => source.push_str("\\/"),
            '\\' => {
                source.push(c);
                source.extend(chars.next());
            }
            _ => source.push(c),
        }
    }
    let regex = Regex { source: source.replace("\\/", "/").into(), ignore_case: true };
    let usable = line.len() <= MAX_SHOWN && check::regex(&regex).is_ok();
    usable.then(|| format!("/{source}/i"))
}

/// The line in words, gaps and classes, as near as these come; `None` if it has no such form.
fn phrase_form(line: &str) -> Option<String> {
    if line.len() > MAX_SHOWN {
        return None;
    }
    let mut form = Form::default();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\\' => {
                let escaped = rest[1..].chars().next()?;
                length += escaped.len_utf8();
                let repeated = quantifier(&rest[length..]);
                match escaped {
                    'b' | 'B' => {}
                    'A' => form.part("^"),
                    'z' | 'Z' => form.part("$"),
                    'd' => form.number(),
                    'w' | 'S' => form.any(repeated > 0),
                    's' | 'W' | 'D' => form.flush(),
                    c if is_word(c) => return None,
                    // Signs in a row are one gap, which no row of marks describes.
                    _ if form.ends_with_mark() => return None,
                    c => form.part(&format!("\\{c}")),
                }
                length += repeated;
            }
            '(' if rest.starts_with("(?") => {
                let end = rest.find([')', ':', '=', '!', '<', 'P'])?;
                match rest.as_bytes()[end] {
                    b')' => {}
                    b':' => form.open(),
                    _ => return None,
                }
                length = end + 1;
            }
            '(' => form.open(),
            '|' => form.between(),
            ')' => {
                form.close();
                let repeated = quantifier(&rest[1..]);
                if rest[1..].starts_with('?') {
                    form.text.push('?');
                }
                length += repeated;
            }
            '[' => {
                let end = 1 + rest[1..].find(']')?;
                let set = &rest[1..end];
                let repeated = quantifier(&rest[end + 1..]);
                if set.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
                    form.number();
                } else if repeated == 0 && set.chars().all(is_word) {
                    form.one_of(set)?;
                } else {
                    form.any(repeated > 0);
                }
                length = end + 1 + repeated;
            }
            '.' => match quantifier(&rest[1..]) {
                // Any one sign, or the end of a sentence: nothing that words would need.
                0 => form.flush(),
                repeated => {
                    if !rest[1..].starts_with('?') {
                        form.gap();
                    }
                    length += repeated;
                }
            },
            '?' => form.optional_letter()?,
            '*' => form.prefix(),
            '+' => {}
            '{' => length = count(rest)?,
            '^' | '$' => form.part(c.encode_utf8(&mut [0; 4])),
            c if c.is_whitespace() => form.flush(),
            c => form.letter(c),
        }
        rest = &rest[length..];
    }
    form.finish().filter(|form| form != line)
}

/// The length of `*`, `+`, `?`, `{n}` and a `?` behind them.
fn quantifier(rest: &str) -> usize {
    let own = match rest.chars().next() {
        Some('*' | '+' | '?') => 1,
        _ => count(rest).unwrap_or(0),
    };
    own + usize::from(own > 0 && rest[own..].starts_with('?'))
}

/// A phrase that is being put together.
#[derive(Default)]
struct Form {
    text: String,
    /// The spellings of the word that is being read.
    word: Vec<String>,
}

impl Form {
    fn letter(&mut self, letter: char) {
        if self.word.is_empty() {
            self.word.push(String::new());
        }
        self.word.iter_mut().for_each(|spelling| spelling.push(letter));
    }

    /// The letter before may be missing.
    fn optional_letter(&mut self) -> Option<()> {
        let without = self.word.iter().map(|spelling| {
            let mut spelling = spelling.clone();
            spelling.pop();
            spelling
        });
        let without: Vec<String> = without.collect();
        self.word.extend(without);
        (1..=MAX_SPELLINGS).contains(&self.word.len()).then_some(())
    }

    fn one_of(&mut self, letters: &str) -> Option<()> {
        let before = if self.word.is_empty() { vec![String::new()] } else { std::mem::take(&mut self.word) };
        self.word =
            before.iter().flat_map(|word| letters.chars().map(move |c| format!("{word}{c}"))).collect();
        (1..=MAX_SPELLINGS).contains(&self.word.len()).then_some(())
    }

    /// Letters of any kind: the rest of the word, or a word.
    fn any(&mut self, several: bool) {
        if several && !self.word.is_empty() {
            self.prefix();
        } else {
            self.part("_");
        }
    }

    fn prefix(&mut self) {
        if !self.word.is_empty() {
            self.letter('*');
        }
        self.flush();
    }

    fn number(&mut self) {
        self.flush();
        if !self.text.ends_with("<number>") {
            self.part("<number>");
        }
    }

    fn gap(&mut self) {
        self.flush();
        if !self.text.is_empty() && !self.text.ends_with("...") {
            self.part("...");
        }
    }

    fn part(&mut self, part: &str) {
        self.flush();
        self.space();
        self.text.push_str(part);
    }

    fn ends_with_mark(&self) -> bool {
        self.word.is_empty() && self.text.rsplit(' ').next().is_some_and(|part| part.starts_with('\\'))
    }

    fn open(&mut self) {
        self.part("(");
    }

    fn between(&mut self) {
        self.flush();
        self.text.push('|');
    }

    fn close(&mut self) {
        self.flush();
        self.text.push(')');
    }

    fn space(&mut self) {
        if !(self.text.is_empty() || self.text.ends_with(['(', '|', ' '])) {
            self.text.push(' ');
        }
    }

    /// Ends the word.
    fn flush(&mut self) {
        let mut spellings: Vec<String> = std::mem::take(&mut self.word)
            .iter()
            .map(|word| word.trim_matches(|c: char| !is_word(c) && c != '*').to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        spellings.dedup();
        match &spellings[..] {
            [] => {}
            [word] => {
                self.space();
                self.text.push_str(word);
            }
            several => {
                self.space();
                self.text.push_str(&format!("({})", several.join("|")));
            }
        }
    }

    fn finish(mut self) -> Option<String> {
        self.flush();
        let text = self.text.trim();
        let text = text.strip_suffix("...").unwrap_or(text).trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the message and the fix say of a line without lists and stems.
    fn refused(line: &str) -> Option<(String, String)> {
        let context = Context { list: &|_| None, names: &[], stem: None };
        let error = refuse(line, false, &context).err()?;
        Some((line[error.range].to_owned(), error.fix))
    }

    #[test]
    fn both_forms_are_shown() {
        for (line, sign, words) in [
            ("thank you.*help", ".*", "thank you ... help"),
            ("s+", "+", "s"),
            (r"\bthanks\b", r"\b", "thanks"),
            ("(?i)thanks", "(?i)", "thanks"),
            ("[a-z]+ you", "[a-z]", "_ you"),
            (r"order-\d{4}", r"\d", "order <number>"),
            ("thank(s|you)+", "+", "thank (s|you)"),
            ("^thanks$", "^", "^ thanks $"),
            ("colou?r", "?", "(colour|color)"),
            ("organi[sz]e", "[sz]", "(organise|organize)"),
            (r"guarante\w*", r"\w", "guarante*"),
            ("order.{3}now", ".{3}", "order ... now"),
            (r"(?:buy|order)\s+now", "(?:", "(buy|order) now"),
            (r"https?:\/\/\S+", "?", ""),
        ] {
            let (found, fix) = refused(line).unwrap_or_else(|| panic!("{line} is taken"));
            assert_eq!(found, sign, "{line}");
            let re = line.strip_prefix("(?i)").unwrap_or(line);
            let wanted = match words {
                "" => format!("write words, or the regular expression between slashes: `/{re}/i`"),
                words => format!("write `{words}`, or as a regular expression `/{re}/i`"),
            };
            assert_eq!(fix, wanted, "{line}");
        }
    }

    #[test]
    fn what_has_one_form_or_none_says_so() {
        let (_, fix) = refused("(?=thanks) you").expect("is refused");
        assert_eq!(fix, "write words, or a regular expression between slashes: `/order-[0-9]+/i`");
        let long = format!("{} you.*help", "thank ".repeat(30));
        let (_, fix) = refused(&long).expect("is refused");
        assert_eq!(fix, "write words, or a regular expression between slashes: `/order-[0-9]+/i`");
    }

    #[test]
    fn pattern_lines_are_left_alone() {
        for line in [
            "thank you ... help",
            "thank you ..3.. help",
            "guarante*",
            "promise~",
            "(a|b c)? you",
            "really \\?",
            "\\[ ok \\]",
            "[ ok ]",
            "^ hello",
            "bye $",
            "/order-[0-9]+.*x/i",
            "see /[a-z]+/ there",
            "see {/[A-Z]+-[0-9]+/} there",
            "see {<email>} there",
            "\"a.*b\" c",
            "<email>",
            "(?|!)",
            "a &6 b",
            "f*ck",
            "so?",
            "U.S",
            "wait ...",
            "5 % + 3",
            "$ 5",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }

    #[test]
    fn of_a_list_the_entry_is_shown() {
        let context = Context { list: &|_| None, names: &[], stem: None };
        let error = refuse("thanks | thank.*you | (a|b)", true, &context).expect_err("is refused");
        assert_eq!(error.fix, "write `thank ... you`, or as a regular expression `/thank.*you/i`");
        assert_eq!(error.range, 14..16);
    }

    #[test]
    fn hostile_lines_end() {
        for line in ["(?", "[", "\\", "a{", "a{1", ".{", "\"", "<", "/", "(?<", "é\\é[é]é+", "[]", "[^]]+x"]
        {
            let _ = refused(line);
        }
    }
}
