//! From the text of a pattern line to its tree.

use super::ast::{Class, ExactWord, MAX_GAP, Pattern, Regex, WordKind, WordTest};
use super::{check, plain, regular};
use crate::diagnostic::excerpt;
use crate::text::chars::{self, class};
use crate::text::fold::Folded;
use crate::text::gap::{self, GapKind};
use crate::text::token::{self, Sink};
use std::ops::Range;

/// The most bytes a pattern line may have.
pub(super) const MAX_LINE_BYTES: usize = 2_000;
/// The most bytes the entries of a list may have.
pub(super) const MAX_LIST_BYTES: usize = 64_000;
/// The most tree nodes a pattern line may have, lists included.
pub(crate) const MAX_NODES: usize = 4_096;
/// The fewest letters of a word that may be misspelt: short words have too many neighbours.
const MIN_MISSPELT: usize = 5;
/// How deep parentheses may nest.
const MAX_DEPTH: usize = 8;

/// What a pattern line may refer to.
pub struct Context<'c> {
    /// The named lists, already parsed.
    pub list: &'c dyn Fn(&str) -> Option<Pattern>,
    /// Their names, for suggestions.
    pub names: &'c [&'c str],
    /// The stemmer of the protocol's language, if it has one.
    pub stem: Option<fn(&str, &mut String)>,
}

/// Why a pattern line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseError {
    /// The diagnostic code (`SM02xx`).
    pub code: &'static str,
    /// The bytes of the line that are wrong.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

/// Reads one pattern line (without comment, see [`strip_comment`]).
///
/// # Errors
/// The first thing that cannot be read, with its place in `line`.
pub fn parse(line: &str, context: &Context<'_>) -> Result<Pattern, PhraseError> {
    let mut parser = Parser::new(line, context, MAX_LINE_BYTES)?;
    regular::refuse(line, false, context)?;
    let pattern = parser.near(0)?;
    match parser.peek() {
        None => {}
        Some('|') => {
            return Err(parser.here(
                1,
                "SM0203",
                "a `|` outside of parentheses",
                "put the alternatives in parentheses: `(a|b)`",
            ));
        }
        Some('}') => {
            return Err(parser.here(
                1,
                "SM0240",
                "a `}` without a `{`",
                "add the `{` before it; for a literal brace write `\\}`",
            ));
        }
        Some(_) => {
            return Err(parser.here(
                1,
                "SM0204",
                "a `)` without a `(`",
                "remove it, or add the `(` before it",
            ));
        }
    }
    check::whole(&pattern, line)?;
    Ok(pattern)
}

/// Reads the entries of a list: alternatives separated by `|`.
///
/// # Errors
/// As [`parse`].
pub fn parse_list(text: &str, context: &Context<'_>) -> Result<Pattern, PhraseError> {
    let mut parser = Parser::new(text, context, MAX_LIST_BYTES)?;
    regular::refuse(text, true, context)?;
    let pattern = parser.alternatives(0)?;
    if parser.peek().is_some() {
        return Err(parser.here(1, "SM0204", "a `)` without a `(`", "remove it, or add the `(` before it"));
    }
    check::part(&pattern, text)?;
    Ok(pattern)
}

/// The line without its comment (`#` at the start or after white space, followed by white space or the end) and outer
/// white space; the second value is how many bytes were cut at the front.
pub fn strip_comment(line: &str) -> (&str, usize) {
    let bytes = line.as_bytes();
    let white = |at: Option<&u8>| at.is_none_or(|b| b.is_ascii_whitespace());
    let begins = |at: &usize| white(bytes.get(at + 1)) && (*at == 0 || white(bytes.get(at - 1)));
    let end = (0..bytes.len()).find(|at| bytes[*at] == b'#' && begins(at)).unwrap_or(bytes.len());
    let kept = line[..end].trim_end();
    let trimmed = kept.trim_start();
    (trimmed, kept.len() - trimmed.len())
}

struct Parser<'p, 'c> {
    line: &'p str,
    at: usize,
    nodes: usize,
    context: &'p Context<'c>,
}

impl<'p, 'c> Parser<'p, 'c> {
    fn new(line: &'p str, context: &'p Context<'c>, limit: usize) -> Result<Self, PhraseError> {
        let parser = Self { line, at: 0, nodes: 0, context };
        if line.len() > limit {
            let message = format!("the line has {} bytes; the limit is {limit}", line.len());
            return Err(parser.error(0..line.len(), "SM0201", message, "split it into several lines"));
        }
        Ok(parser)
    }

    /// `sequence`, or `sequence &n sequence`.
    fn near(&mut self, depth: usize) -> Result<Pattern, PhraseError> {
        let start = self.at;
        let left = self.sequence(depth)?;
        self.skip_white();
        let sign = self.at;
        if !self.rest().starts_with('&') {
            return Ok(left);
        }
        let digits = self.rest()[1..].bytes().take_while(u8::is_ascii_digit).count();
        let within = self.rest()[1..=digits].parse::<u8>().ok().filter(|n| *n <= MAX_GAP);
        let Some(within) = within else {
            let message = format!("`&` needs a number from 0 to {MAX_GAP}");
            return Err(self.error(
                sign..sign + 1 + digits,
                "SM0207",
                message,
                "write for example `a &6 b`; for a literal `&` write `\\&`",
            ));
        };
        self.at += 1 + digits;
        self.skip_white();
        let second = self.at;
        let right = self.sequence(depth)?;
        let end = self.at;
        self.skip_white();
        if self.rest().starts_with('&') {
            return Err(self.here(
                1,
                "SM0208",
                "two `&` in one group",
                "put one of them in parentheses: `(a &6 b) &6 c`",
            ));
        }
        for (side, range) in [(&left, start..sign), (&right, second..end)] {
            if check::is_nullable(side) {
                return Err(self.error(
                    range,
                    "SM0209",
                    "one side of `&` can match nothing",
                    "make at least one word of it required",
                ));
            }
        }
        self.count(1)?;
        Ok(Pattern::Near { left: Box::new(left), right: Box::new(right), within })
    }

    fn alternatives(&mut self, depth: usize) -> Result<Pattern, PhraseError> {
        let mut either = vec![self.near(depth)?];
        while self.peek() == Some('|') {
            self.at += 1;
            either.push(self.near(depth)?);
        }
        self.count(1)?;
        Ok(if either.len() == 1 { either.remove(0) } else { Pattern::Either(either.into()) })
    }

    fn sequence(&mut self, depth: usize) -> Result<Pattern, PhraseError> {
        let start = self.at;
        let mut items = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')' | '}')
                || next == '&' && self.line[self.at + 1..].starts_with(|c: char| c.is_ascii_digit())
            {
                break;
            }
            let from = self.at;
            let atom = self.atom(depth)?;
            let optional = self.rest().starts_with('?');
            if optional {
                if matches!(atom.as_slice(), [Pattern::Gap { .. }]) {
                    return Err(self.error(
                        from..self.at + 1,
                        "SM0211",
                        "a gap is optional already",
                        "remove the `?`",
                    ));
                }
                self.at += 1;
                self.count(1)?;
                items.push(Pattern::Optional(Box::new(one(atom))));
            } else {
                items.extend(atom);
            }
        }
        if items.is_empty() {
            let end = (self.at + 1).min(self.line.len());
            return Err(self.error(
                start..end,
                "SM0205",
                "an empty alternative",
                "write a word, or remove the empty part",
            ));
        }
        check::gaps(&items).map_err(|()| {
            let fix =
                "make the words before and after it required, or write the two cases as `(a ..3.. b|b)`";
            self.error(start..self.at, "SM0210", "a gap needs a required word on both sides", fix)
        })?;
        Ok(one(items))
    }

    /// One atom: usually one element, several for a chunk such as `risk-free`.
    fn atom(&mut self, depth: usize) -> Result<Vec<Pattern>, PhraseError> {
        self.count(1)?;
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or_default();
        match first {
            '(' => self.group(depth).map(|p| vec![p]),
            '{' => self.capture(depth).map(|p| vec![p]),
            '<' => self.class().map(|p| vec![p]),
            '"' => self.exact(),
            '/' => self.regex().map(|p| vec![p]),
            '@' => self.list().map(|p| vec![p]),
            '\\' => self.escaped().map(|p| vec![p]),
            '.' if rest.starts_with("..") => self.gap().map(|p| vec![p]),
            '^' | '$' | '_' if ends_atom(&rest[1..]) => {
                self.at += 1;
                Ok(vec![match first {
                    '^' => Pattern::TurnStart,
                    '$' => Pattern::TurnEnd,
                    _ => Pattern::Any,
                }])
            }
            _ => self.words(),
        }
    }

    fn group(&mut self, depth: usize) -> Result<Pattern, PhraseError> {
        let open = self.at;
        let inside = self.enclosed(depth, ')', ["SM0206", "a `(` without a `)`", "close the group"])?;
        if let Some(sign) = self.rest().chars().next().filter(|c| matches!(c, '*' | '~' | '%')) {
            let message = format!("a `{sign}` after a group");
            let fix = format!("write it after each word of the group: `(pay{sign}|bill{sign})`");
            return Err(self.error(open..self.at + 1, "SM0232", message, fix));
        }
        Ok(inside)
    }

    /// `{x}`; alternatives inside need no parentheses of their own.
    fn capture(&mut self, depth: usize) -> Result<Pattern, PhraseError> {
        let open = self.at;
        let fix = "close the braces; for a literal brace write `\\{`";
        let inside = self.enclosed(depth, '}', ["SM0240", "a `{` without a `}`", fix])?;
        if check::is_nullable(&inside) {
            let fix =
                "make at least one word inside required, or write the case without it on a separate line";
            return Err(self.error(
                open..self.at,
                "SM0243",
                "the part in braces can match an empty text",
                fix,
            ));
        }
        Ok(Pattern::Capture(Box::new(inside)))
    }

    /// What stands between the sign here and `close`; where that is missing, `unclosed` is the code, the message and the fix.
    fn enclosed(
        &mut self,
        depth: usize,
        close: char,
        unclosed: [&'static str; 3],
    ) -> Result<Pattern, PhraseError> {
        let open = self.at;
        if depth == MAX_DEPTH {
            let message = format!("parentheses are nested more than {MAX_DEPTH} deep");
            return Err(self.here(1, "SM0202", message, "split the line, or move a part of it into `lists`"));
        }
        self.at += 1;
        let inside = self.alternatives(depth + 1)?;
        if self.peek() != Some(close) {
            let [code, message, fix] = unclosed;
            return Err(self.error(open..open + 1, code, message, fix));
        }
        self.at += 1;
        Ok(inside)
    }

    fn class(&mut self) -> Result<Pattern, PhraseError> {
        let from = self.at;
        let Some(len) = self.rest().find('>') else {
            return Err(self.here(
                1,
                "SM0212",
                "a `<` without a `>`",
                "write a class such as `<email>`; for a literal `<` write `\\<`",
            ));
        };
        let name = &self.rest()[1..len];
        let pattern = match name {
            "question" => Some(Pattern::Question),
            "start" => Some(Pattern::SentenceStart),
            "end" => Some(Pattern::SentenceEnd),
            "shout" => Some(Pattern::Class(Class::Shout)),
            _ => crate::class::Class::from_name(name).map(|c| Pattern::Class(Class::Detected(c))),
        };
        self.at += len + 1;
        pattern.ok_or_else(|| {
            let mut names: Vec<&str> = crate::class::Class::ALL.iter().map(|c| c.name()).collect();
            names.extend(["end", "question", "shout", "start"]);
            names.sort_unstable();
            let fix = match crate::document::suggest(name, &names) {
                Some(near) => format!("did you mean `<{near}>`"),
                None => format!("the classes are {}", names.join(", ")),
            };
            self.error(from..self.at, "SM0213", format!("unknown class `{name}`", name = excerpt(name)), fix)
        })
    }

    fn exact(&mut self) -> Result<Vec<Pattern>, PhraseError> {
        let from = self.at;
        let Some(len) = self.rest()[1..].find('"') else {
            return Err(self.here(
                1,
                "SM0214",
                "the quote is not closed",
                "close it with `\"`; for a literal quote write `\\\"`",
            ));
        };
        let text = &self.rest()[1..=len];
        self.at += len + 2;
        let range = from..self.at;
        let tests = self.tokens(text, range)?;
        Ok(tests
            .into_iter()
            .map(|(folded, original)| {
                Pattern::Exact(Box::new(ExactWord { folded: folded.into(), original: original.into() }))
            })
            .collect())
    }

    fn regex(&mut self) -> Result<Pattern, PhraseError> {
        let from = self.at;
        let bytes = self.rest().as_bytes();
        let mut len = 1;
        while len < bytes.len() && bytes[len] != b'/' {
            len += if bytes[len] == b'\\' { 2 } else { 1 };
        }
        if len >= bytes.len() {
            return Err(self.here(
                1,
                "SM0215",
                "the regular expression is not closed",
                "close it with `/`; for a literal `/` write `\\/`",
            ));
        }
        let source = self.rest()[1..len].replace("\\/", "/");
        self.at += len + 1;
        let ignore_case = self.rest().starts_with('i');
        self.at += usize::from(ignore_case);
        if !ends_atom(self.rest()) {
            return Err(self.here(
                1,
                "SM0216",
                "unknown flag of a regular expression",
                "the only flag is `i`: `/re/i`",
            ));
        }
        let regex = Regex { source: source.into(), ignore_case };
        if let Err((code, message, fix)) = check::regex(&regex) {
            return Err(self.error(from..self.at, code, message, fix));
        }
        Ok(Pattern::Regex(regex))
    }

    fn list(&mut self) -> Result<Pattern, PhraseError> {
        let from = self.at;
        let name_char = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let len = self.rest()[1..].find(|c| !name_char(c)).unwrap_or(self.rest().len() - 1);
        let name = &self.rest()[1..=len];
        self.at += len + 1;
        if name.is_empty() {
            let fix = "write `@` and the name of a list together: `@name`; for a literal `@` write `\\@`";
            return Err(self.error(from..self.at, "SM0218", "a `@` without the name of a list", fix));
        }
        let found = (self.context.list)(name).ok_or_else(|| {
            // Names of lists are in lower case, also where `lists` has one that is not.
            let near = crate::document::suggest(name, self.context.names).map(str::to_ascii_lowercase);
            let fix = match near {
                Some(near) if near == name => format!("in `lists`, write `{near}` in lower case"),
                Some(near) => format!("did you mean `@{near}`"),
                None => format!(
                    "add it: `lists: {{{name}: one | two}}`; for a literal `@` write `\\@`",
                    name = excerpt(name)
                ),
            };
            self.error(from..self.at, "SM0218", format!("unknown list `{name}`", name = excerpt(name)), fix)
        })?;
        self.count(check::size(&found))?;
        Ok(found)
    }

    fn escaped(&mut self) -> Result<Pattern, PhraseError> {
        let mark = self.rest()[1..].chars().next();
        match mark {
            Some(c) if c.is_ascii_punctuation() => {
                self.at += 2;
                Ok(Pattern::Mark(c))
            }
            _ => Err(self.here(
                1,
                "SM0219",
                "a backslash before a character that needs none",
                "remove the backslash",
            )),
        }
    }

    /// `...` or `..n..`
    fn gap(&mut self) -> Result<Pattern, PhraseError> {
        let rest = self.rest();
        let run = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let (range, text) = (self.at..self.at + run, &rest[..run]);
        self.at += run;
        let max = match text {
            "..." => Some(MAX_GAP),
            _ => text.strip_prefix("..").and_then(|t| t.strip_suffix("..")).and_then(|n| n.parse().ok()),
        };
        match max {
            Some(max @ 1..=MAX_GAP) if ends_atom(self.rest()) => Ok(Pattern::Gap { max }),
            _ => {
                let fix =
                    format!("write `..3..` (1 to {MAX_GAP} tokens) or `...`, with a space on both sides");
                Err(self.error(range, "SM0220", "this gap is not valid", fix))
            }
        }
    }

    /// A chunk of words: `thank`, `risk-free`, `guarante*`, `promise~`; or a mark that stands alone.
    fn words(&mut self) -> Result<Vec<Pattern>, PhraseError> {
        let from = self.at;
        let rest = self.rest();
        let len = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '}' | '|' | '"' | '<' | '>'))
            .unwrap_or(rest.len());
        let len = if len == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { len };
        let mut chunk = &rest[..len];
        if let Some(mark) = lone_mark(chunk) {
            self.at += len;
            return Ok(vec![Pattern::Mark(mark)]);
        }
        if chunk.len() > 1 && chunk.ends_with('?') {
            chunk = &chunk[..chunk.len() - 1];
        }
        self.at += chunk.len();
        let range = from..from + chunk.len();
        let (text, kind) = self.comparison(chunk, &range)?;
        let test = |folded: &str| WordTest { kind: WordKind::Equal, folded: folded.into() };
        let mut tests: Vec<_> = match plain::is_word(text) {
            true => vec![test(text)],
            false => self.tokens(text, range.clone())?.into_iter().map(|(folded, _)| test(&folded)).collect(),
        };
        if let Some(last) = tests.last_mut() {
            last.kind = kind;
            if kind == WordKind::Misspelt && last.folded.chars().count() < MIN_MISSPELT {
                let message = format!("`%1` needs a word of at least {MIN_MISSPELT} letters");
                let fix =
                    format!("write out the misspellings you expect: `({text}|…)`", text = excerpt(text));
                return Err(self.error(range, "SM0231", message, fix));
            }
            if kind == WordKind::Inflection {
                let Some(stem) = self.context.stem else {
                    return Err(self.error(
                        range,
                        "SM0222",
                        "`~` needs a language with a stemmer",
                        "add `language: en` to the protocol, or use a prefix: `word*`",
                    ));
                };
                let mut stemmed = String::new();
                stem(&last.folded, &mut stemmed);
                last.folded = stemmed.into();
            }
        }
        self.count(tests.len().saturating_sub(1))?;
        Ok(tests.into_iter().map(Pattern::Word).collect())
    }

    /// The text of a chunk without its sign, and what the sign says.
    fn comparison<'t>(
        &self,
        chunk: &'t str,
        range: &Range<usize>,
    ) -> Result<(&'t str, WordKind), PhraseError> {
        if let Some((word, edits)) = chunk.rsplit_once('%')
            && edits.bytes().all(|b| b.is_ascii_digit())
            && !word.is_empty()
        {
            if edits != "1" {
                let fix = format!("write `{word}%1`; for a literal `%` write `\\%`", word = excerpt(word));
                return Err(self.error(
                    range.clone(),
                    "SM0221",
                    "`%` can only be followed by 1, for one edit",
                    fix,
                ));
            }
            return Ok((word, WordKind::Misspelt));
        }
        for (sign, kind) in [('*', WordKind::Prefix), ('~', WordKind::Inflection)] {
            if let Some(word) = chunk.strip_suffix(sign).filter(|word| !word.is_empty()) {
                return Ok((word, kind));
            }
        }
        Ok((chunk, WordKind::Equal))
    }

    /// The tokens of a chunk: folded lower-case text and original text of each.
    fn tokens(&self, chunk: &str, range: Range<usize>) -> Result<Vec<(String, String)>, PhraseError> {
        let folded = Folded::new(chunk);
        let mut found = Collect::default();
        token::cut(folded.text(), &mut found);
        let text = folded.text();
        let outer = match (found.ranges.first(), found.ranges.last()) {
            (Some(first), Some(last)) => [&text[..first.start], &text[last.end..]].concat(),
            _ => text.to_owned(),
        };
        if found.ranges.is_empty() || outer.chars().any(|c| c != '\'') {
            let fix = "leave it out, or put a space before a mark that must be there; write several marks in a row as `/!!/`";
            return Err(self.error(
                range,
                "SM0223",
                "punctuation is attached to a word, or several marks follow each other",
                fix,
            ));
        }
        let inner = found
            .ranges
            .windows(2)
            .any(|pair| gap::kind(text, pair[0].end, pair[1].start, || true) != GapKind::Join);
        if inner {
            return Err(self.error(
                range,
                "SM0224",
                "a comma, colon or full stop inside a word",
                "put spaces around the mark: `a , b`",
            ));
        }
        Ok(found
            .ranges
            .into_iter()
            .map(|token| {
                let original = chunk[folded.original_range(token.start, token.end)].to_owned();
                (text[token].to_ascii_lowercase(), original)
            })
            .collect())
    }

    fn count(&mut self, nodes: usize) -> Result<(), PhraseError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            let message = format!("the pattern has more than {MAX_NODES} parts");
            return Err(self.error(
                0..self.line.len(),
                "SM0201",
                message,
                "split it into several lines or a smaller list",
            ));
        }
        Ok(())
    }

    fn skip_white(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        self.skip_white();
        self.rest().chars().next()
    }

    fn rest(&self) -> &'p str {
        &self.line[self.at..]
    }

    fn here(
        &self,
        len: usize,
        code: &'static str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> PhraseError {
        self.error(self.at..self.at + len, code, message, fix)
    }

    fn error(
        &self,
        range: Range<usize>,
        code: &'static str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> PhraseError {
        let mut end = range.end.min(self.line.len());
        while !self.line.is_char_boundary(end) {
            end += 1;
        }
        PhraseError { code, range: range.start.min(end)..end, message: message.into(), fix: fix.into() }
    }
}

#[derive(Default)]
struct Collect {
    ranges: Vec<Range<usize>>,
}

impl Sink for Collect {
    fn token(&mut self, _: &str, start: usize, end: usize, _: bool) {
        self.ranges.push(start..end);
    }
}

/// Whether an atom of one sign ends here.
fn ends_atom(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ')' | '}' | '|' | '?'))
}

/// The mark that a chunk is, if it is nothing else.
fn lone_mark(chunk: &str) -> Option<char> {
    if chunk.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let folded = Folded::new(chunk);
    let mut chars = folded.text().trim().chars();
    match (chars.next(), chars.next()) {
        (Some(mark), None) if class(mark) == chars::Class::Separator => Some(mark),
        _ => None,
    }
}

fn one(mut items: Vec<Pattern>) -> Pattern {
    if items.len() == 1 { items.remove(0) } else { Pattern::Sequence(items.into()) }
}
