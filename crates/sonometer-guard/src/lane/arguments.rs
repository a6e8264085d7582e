//! A lane of JSON within a text: arguments of tools. Texts in it are masked value by value, numbers are held to their end.

use super::names::{Names, called};
use super::text::TextLane;
use super::{Context, Manner, whole};
use crate::blocked::{Blocked, Kind};
use crate::json::Source;
use crate::json::string::{Decoder, NotJson, write_plain};
use crate::policy::{Numbers, On, Role};
use crate::walk::is_kind;
use std::collections::HashSet;

/// So many numbers are kept of which it is known that no mask finds anything in them.
const MOST_CLEAN: usize = 256;
/// The longest of them with its name.
const LONGEST_CLEAN: usize = 96;
/// The longest number or word. Numbers of JSON are of any length; no reader has use for longer ones.
const LONGEST_WORD: usize = 1_024;
/// The longest exponent with its sign, such as `e+308`: with a longer one no number but zero is within what readers take.
const LONGEST_EXPONENT: usize = 5;
/// The longest number whose name may tell that it is none of a person: numbers of telephones have no more digits in most countries.
pub(crate) const LONGEST_CALLED: usize = 11;
/// The shortest number that is read without a name, and with one.
const SHORTEST: usize = 5;
const SHORTEST_CALLED: usize = 3;
/// About so many digits readers keep of a number with a point.
const KEPT_DIGITS: usize = 16;

pub(crate) struct ArgumentsLane {
    on: On,
    role: Role,
    /// The outer text, whose characters are the JSON.
    decoder: Decoder,
    outer: Source,
    within: Within,
    names: Names,
    taken: usize,
    /// Numbers that a mask finds become texts: in results of tools, which the model reads.
    quotes_numbers: bool,
    /// The answer itself, which may be cut off at its longest and then says so in its own way.
    is_answer: bool,
    /// Rules that end answers read its values.
    is_judged: bool,
    /// A definition of a tool: its numbers are bounds of schemas.
    is_definition: bool,
    /// Numbers with their names in which no mask finds anything: tables have the same ones in many lines.
    clean: HashSet<String>,
}

enum Within {
    /// Braces, colons, commas, white space.
    Between,
    /// A text.
    Text(Box<TextLane>),
    /// A number or a word, such as `true`.
    Word(String),
}

impl ArgumentsLane {
    pub(crate) fn new(on: On, role: Role) -> Self {
        Self {
            on,
            role,
            decoder: Decoder::default(),
            outer: Source::default(),
            within: Within::Between,
            names: Names::default(),
            taken: 0,
            quotes_numbers: role == Role::Tool,
            is_answer: false,
            is_judged: false,
            is_definition: false,
            clean: HashSet::new(),
        }
    }

    /// The same for a definition of a tool.
    pub(crate) fn definition(self) -> Self {
        Self { is_definition: true, ..self }
    }

    /// The same with the rules that end answers: they read value by value.
    pub(crate) fn judged(self) -> Self {
        Self { is_judged: true, ..self }
    }

    /// The same for JSON that the model says to the person.
    pub(crate) fn answer(self) -> Self {
        Self { is_answer: true, ..self }
    }

    pub(crate) fn held(&self) -> usize {
        self.decoder.held()
            + match &self.within {
                Within::Between => 0,
                Within::Text(lane) => lane.held(),
                Within::Word(word) => word.len(),
            }
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    pub(crate) fn push(
        &mut self,
        raw: &str,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        self.take(raw, context, out)?;
        // What a number is shows with its end.
        if let Within::Text(lane) = &mut self.within
            && lane.digits().is_none()
        {
            let mut inner = String::new();
            lane.flow(context, &mut inner)?;
            write_plain(&inner, out);
        }
        Ok(())
    }

    /// Reads what has come, and writes all but the text that is open.
    pub(crate) fn take(
        &mut self,
        raw: &str,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        self.taken += raw.len();
        self.decoder.read(raw, &mut self.outer).map_err(|NotJson| unreadable())?;
        self.read(context, out)
    }

    pub(crate) fn finish(&mut self, context: &mut Context<'_>, out: &mut String) -> Result<(), Blocked> {
        self.decoder.finish(&mut self.outer).map_err(|NotJson| unreadable())?;
        self.read(context, out)?;
        let mut inner = String::new();
        match std::mem::replace(&mut self.within, Within::Between) {
            Within::Between => {}
            Within::Text(mut lane) if self.is_answer => {
                lane.leave_escape();
                self.end(*lane, context, &mut inner)?;
            }
            Within::Text(_) => return Err(unreadable()),
            // A word that was cut off, such as `tru`.
            Within::Word(word) if self.is_answer && word.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                inner.push_str(&word);
            }
            Within::Word(word) => self.word(&word, context, &mut inner)?,
        }
        write_plain(&inner, out);
        Ok(())
    }

    /// Reads the JSON that has come.
    fn read(&mut self, context: &mut Context<'_>, out: &mut String) -> Result<(), Blocked> {
        let mut json = String::with_capacity(self.outer.text().len());
        // A lone surrogate in the outer text is an escape in the inner one, where it means the same.
        self.outer.drain(&mut json, |c| c == char::REPLACEMENT_CHARACTER);
        let mut inner = String::with_capacity(json.len());
        let mut rest = json.as_str();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match &mut self.within {
                Within::Text(lane) if c == '"' && !lane.is_within_escape() => {
                    let Within::Text(lane) = std::mem::replace(&mut self.within, Within::Between) else {
                        break;
                    };
                    self.end(*lane, context, &mut inner)?;
                    inner.push('"');
                }
                Within::Text(lane) => {
                    // An escape by itself, else all up to the next sign that may mean something.
                    if c != '\\' && !lane.is_within_escape() {
                        length = rest.find(['"', '\\']).unwrap_or(rest.len());
                    }
                    lane.take(&rest[..length])?;
                    self.names.take(&rest[..length]);
                }
                _ => self.character(c, context, &mut inner)?,
            }
            rest = &rest[length..];
        }
        write_plain(&inner, out);
        Ok(())
    }

    /// A text with its end.
    fn end(
        &mut self,
        mut lane: TextLane,
        context: &mut Context<'_>,
        inner: &mut String,
    ) -> Result<(), Blocked> {
        let name = self.names.name_of_text();
        let Some(digits) = lane.digits().filter(|_| !self.is_definition && !name.is_empty()) else {
            return lane.finish(context, inner);
        };
        let digits = digits.to_owned();
        if self.is_judged {
            lane.judge(&called(name, &digits))?;
        }
        let Some(key) = self.unknown(&digits, context) else {
            inner.push_str(&digits);
            return Ok(());
        };
        match masked_number(&digits, self.names.name(), context, self.on, self.role)? {
            Some(shown) => inner.push_str(&shown),
            None => {
                inner.push_str(&digits);
                self.note_clean(key);
            }
        }
        Ok(())
    }

    /// A number with its name; `None` if no mask finds anything in it. With placeholders a value may become known on the way.
    fn unknown(&self, number: &str, context: &Context<'_>) -> Option<String> {
        let key = [self.names.name(), "\0", number].concat();
        let may_change = self.on == On::Request && context.compiled.policy.placeholders;
        (may_change || !self.clean.contains(&key)).then_some(key)
    }

    fn note_clean(&mut self, key: String) {
        if self.clean.len() < MOST_CLEAN && key.len() <= LONGEST_CLEAN {
            self.clean.insert(key);
        }
    }

    fn lane(&self, context: &Context<'_>) -> Result<TextLane, Blocked> {
        let lane = TextLane::new(context.compiled, self.on, self.role);
        if self.is_judged { lane.judged(context.compiled, false) } else { Ok(lane) }
    }

    /// A character outside of texts.
    fn character(&mut self, c: char, context: &mut Context<'_>, inner: &mut String) -> Result<(), Blocked> {
        match (&mut self.within, c) {
            (Within::Word(word), '0'..='9' | '-' | '+' | '.' | 'a'..='z' | 'A'..='Z') => {
                if word.len() >= LONGEST_WORD {
                    return Err(unreadable());
                }
                word.push(c);
            }
            (Within::Word(word), '{' | '}' | '[' | ']' | ':' | ',' | ' ' | '\t' | '\n' | '\r') => {
                let word = std::mem::take(word);
                self.within = Within::Between;
                self.word(&word, context, inner)?;
                self.names.sign(c);
                inner.push(c);
            }
            (Within::Between, '"') => {
                context.values.more()?;
                inner.push('"');
                self.names.begin();
                self.within = Within::Text(Box::new(self.lane(context)?.value()));
            }
            (Within::Between, '{' | '}' | '[' | ']' | ':' | ',' | ' ' | '\t' | '\n' | '\r') => {
                self.names.sign(c);
                inner.push(c);
            }
            (Within::Between, '0'..='9' | '-' | '+' | '.' | 'a'..='z' | 'A'..='Z') => {
                context.values.more()?;
                self.within = Within::Word(c.to_string());
            }
            _ => return Err(unreadable()),
        }
        Ok(())
    }

    /// A number or a word with its end.
    fn word(&mut self, word: &str, context: &mut Context<'_>, inner: &mut String) -> Result<(), Blocked> {
        if matches!(word, "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity") {
            inner.push_str(word);
            return Ok(());
        }
        if serde_json::from_str::<serde_json::Number>(word).is_err() {
            return Err(unreadable());
        }
        if self.is_definition {
            inner.push_str(word);
            return Ok(());
        }
        if self.is_judged {
            self.lane(context)?.judge(&called(self.names.name(), word))?;
        }
        let Some(key) = self.unknown(word, context) else {
            inner.push_str(word);
            return Ok(());
        };
        let from = inner.len();
        number(word, self.names.name(), context, self.on, self.role, self.quotes_numbers, inner)?;
        if inner[from..] == *word {
            self.note_clean(key);
        }
        Ok(())
    }
}

/// A number that stands under a name, unless a mask finds something in it.
pub(crate) fn number(
    word: &str,
    name: &str,
    context: &mut Context<'_>,
    on: On,
    role: Role,
    may_be_text: bool,
    inner: &mut String,
) -> Result<(), Blocked> {
    let Some(shown) = masked_number(word, name, context, on, role)? else {
        inner.push_str(word);
        return Ok(());
    };
    if may_be_text {
        inner.push('"');
        inner.push_str(&shown);
        inner.push('"');
        return Ok(());
    }
    match context.compiled.policy.numbers {
        Numbers::Block => {
            // Any other name may be private.
            let place = if is_kind(name) { format!(" under `{name}`") } else { String::new() };
            let message = format!(
                "a mask found something in a number{place}, where no mask can stand; set `numbers = \"nines\"` to replace it"
            );
            Err(Blocked::new(Kind::Unmaskable, message))
        }
        Numbers::Nines => {
            let (digits, exponent) = parts(word);
            // The exponent stays, as `e99` may be more than a reader takes.
            let nines = |c: char| if c.is_ascii_digit() { '9' } else { c };
            let zeros = |c: char| if c.is_ascii_digit() { '0' } else { c };
            inner.extend(digits.chars().map(nines));
            match exponent.len() > LONGEST_EXPONENT {
                true => inner.extend(exponent.chars().map(zeros)),
                false => inner.push_str(exponent),
            }
            Ok(())
        }
    }
}

/// A number before its exponent, and the exponent with its sign.
fn parts(word: &str) -> (&str, &str) {
    word.split_at(word.find(['e', 'E']).unwrap_or(word.len()))
}

/// What is shown of a number that stands under a name; `None` if no mask finds anything in it.
pub(crate) fn masked_number(
    word: &str,
    name: &str,
    context: &mut Context<'_>,
    on: On,
    role: Role,
) -> Result<Option<String>, Blocked> {
    // No protocol finds private data in few digits by their shape; by their name, as a `pin`, it does.
    if word.len() < SHORTEST_CALLED || word.len() < SHORTEST && name.is_empty() {
        return Ok(None);
    }
    // Longer numbers, such as those of cards, are private under any name.
    let is_long = word.bytes().filter(u8::is_ascii_digit).count() > LONGEST_CALLED;
    let mut look = |digits: &str| -> Result<Option<String>, Blocked> {
        for name in [Some(name), Some("").filter(|_| is_long && !name.is_empty())].into_iter().flatten() {
            let text = called(name, digits);
            let shown = whole(&text, context, on, role, Manner::Text)?;
            if !shown.ends_with(digits) {
                let before = &text[..text.len() - digits.len()];
                return Ok(Some(shown.strip_prefix(before).unwrap_or(&shown).to_owned()));
            }
        }
        Ok(None)
    };
    let mut shown = look(word)?;
    // Tables write whole numbers as `4111111111111111.0`, and some programs as `4.111111111111111e15`. An exponent that is too long for any
    // reader is data itself.
    let (_, exponent) = parts(word);
    let is_exponent_long = exponent.len() > LONGEST_EXPONENT;
    let long = is_exponent_long.then(|| exponent.trim_start_matches(['e', 'E', '+', '-', '0']).to_owned());
    for other in plain(word).into_iter().chain(long).filter(|other| !other.is_empty()) {
        if shown.is_none() {
            shown = look(&other)?;
        }
    }
    Ok(shown)
}

/// A whole number that is written with a point or an exponent, as its digits; `None` for others. A fraction behind so many digits is none:
/// most readers keep no more, and read `4111111111111111.1` as a whole number.
fn plain(word: &str) -> Option<String> {
    let (value, exponent) = match word.split_once(['e', 'E']) {
        Some((value, exponent)) => (value, exponent.parse::<i16>().ok()?),
        None => (word.contains('.').then_some(word)?, 0),
    };
    let (sign, value) = value.split_at(usize::from(value.starts_with('-')));
    let (before, behind) = value.split_once('.').unwrap_or((value, ""));
    let all = format!("{before}{behind}");
    let point = usize::try_from(i64::try_from(before.len()).ok()? + i64::from(exponent)).ok()?;
    if point > LONGEST_WORD {
        return None;
    }
    let (front, rest) = all.split_at(point.min(all.len()));
    let digits = format!("{front:0<point$}");
    let digits = digits.trim_start_matches('0');
    let is_whole = digits.len() >= KEPT_DIGITS || rest.bytes().all(|byte| byte == b'0');
    (is_whole && !digits.is_empty()).then(|| format!("{sign}{digits}"))
}

fn unreadable() -> Blocked {
    Blocked::new(Kind::Unreadable, "tool arguments that are no JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_known_as_they_are_written() {
        for (word, digits) in [
            ("4111111111111111.0", "4111111111111111"),
            ("-41.00", "-41"),
            ("4.111111111111111e15", "4111111111111111"),
            ("4.111111111111111E+15", "4111111111111111"),
            ("4.11111111111111100e15", "4111111111111111"),
            ("-4.1e3", "-4100"),
            ("41111111111111110e-1", "4111111111111111"),
            ("4111111111111111000.0e-3", "4111111111111111"),
            ("0.004111111111111111e18", "4111111111111111"),
            ("4111111111111111e0", "4111111111111111"),
            ("4.1111111111111111e15", "4111111111111111"),
        ] {
            assert_eq!(plain(word).as_deref(), Some(digits), "{word}");
        }
        for word in [
            "41", "41.5", "4.15e1", "415e-1", "1e9999", "1e99999", "1e-9999", "1e2000", "1.0e-5", "0.0",
            "0e9",
        ] {
            assert_eq!(plain(word), None, "{word}");
        }
    }
}
