//! From the text of a guard to the guard, by recursive descent with a limit on depth.

use super::{Fact, Guard, Quantity, Relation};
use crate::diagnostic::{excerpt, some_of};
use crate::document::suggest;
use crate::unit::Unit;

/// The longest guard, in bytes.
const LONGEST_GUARD_BYTES: usize = 2_000;
/// How many brackets and `not`s may stand inside each other.
const DEEPEST: u32 = 24;

/// Where a guard stands, which decides what it can ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stage) enum Place {
    /// Asked after an action.
    Action,
    /// Asked when the dive is closed: the known ones are no action any more.
    Pass,
}

/// The names that a stage gives.
#[derive(Clone, Copy, Debug)]
pub(in crate::stage) struct Known<'k> {
    pub(in crate::stage) scenes: &'k [&'k str],
    pub(in crate::stage) vars: &'k [&'k str],
    pub(in crate::stage) checkpoints: &'k [&'k str],
    pub(in crate::stage) flags: &'k [&'k str],
}

/// What is wrong with a guard: bytes of its text, what, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::stage) struct GuardError {
    pub(in crate::stage) code: &'static str,
    pub(in crate::stage) start: usize,
    pub(in crate::stage) end: usize,
    pub(in crate::stage) message: String,
    pub(in crate::stage) fix: String,
}

/// The name of a marker, and where it begins and ends in the text.
pub(in crate::stage) type Marker = (String, usize, usize);

/// Words that guards know; no variable can be called so.
pub(in crate::stage) const WORDS: [&str; 18] = [
    "score",
    "fidelity",
    "on_target",
    "turn",
    "turns_here",
    "fired",
    "count",
    "times",
    "a",
    "reached",
    "checkpoint",
    "flag",
    "all",
    "any",
    "none",
    "and",
    "or",
    "not",
];

/// Reads a guard. With it come the names of markers it asks for and where they stand in the text.
pub(in crate::stage) fn parse(
    text: &str,
    known: Known<'_>,
    place: Place,
) -> Result<(Guard, Vec<Marker>), GuardError> {
    if text.len() > LONGEST_GUARD_BYTES {
        let message = format!("the guard has {} bytes; the limit is {LONGEST_GUARD_BYTES}", text.len());
        return Err(error(
            "SM0604",
            0,
            text.len(),
            message,
            "move a part of it to a variable or a checkpoint",
        ));
    }
    let mut parser = Parser { text, at: 0, known, place, depth: 0, markers: Vec::new() };
    let guard = parser.any()?;
    parser.skip();
    match parser.rest().is_empty() {
        true => Ok((guard, parser.markers)),
        false => Err(parser.unexpected("`and`, `or` or the end")),
    }
}

struct Parser<'p> {
    text: &'p str,
    at: usize,
    known: Known<'p>,
    place: Place,
    depth: u32,
    markers: Vec<Marker>,
}

/// What stands on one side of a comparison, or alone.
enum Operand {
    Quantity(Quantity),
    Truth(Guard),
}

impl<'p> Parser<'p> {
    fn rest(&self) -> &'p str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// The word that comes next, without taking it.
    fn word(&mut self) -> &'p str {
        self.skip();
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        // A number is no word, and neither is a minus sign.
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') { "" } else { &rest[..end] }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let found = self.word() == wanted;
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn unexpected(&mut self, wanted: &str) -> GuardError {
        self.skip();
        let rest = self.rest();
        let length = match self.word().len() {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        let found = if length == 0 { "the end".to_owned() } else { format!("`{}`", &rest[..length]) };
        let fix = match &rest[..length] {
            "&" => "write `and`",
            "|" => "write `or`",
            "!" => "write `not`",
            _ => "write for example `fired(apology) and score >= 0.5`",
        };
        error(
            "SM0601",
            self.at,
            self.at + length,
            format!("expected {wanted}, found {found}", found = excerpt(&found)),
            fix,
        )
    }

    fn any(&mut self) -> Result<Guard, GuardError> {
        let mut parts = vec![self.all()?];
        while self.take_word("or") {
            parts.push(self.all()?);
        }
        Ok(single_or(parts, Guard::Any))
    }

    fn all(&mut self) -> Result<Guard, GuardError> {
        let mut parts = vec![self.not()?];
        while self.take_word("and") {
            parts.push(self.not()?);
        }
        Ok(single_or(parts, Guard::All))
    }

    fn not(&mut self) -> Result<Guard, GuardError> {
        self.skip();
        let start = self.at;
        if self.take_word("not") {
            self.deeper(start)?;
            let inner = self.not()?;
            self.depth -= 1;
            return Ok(Guard::Not(Box::new(inner)));
        }
        self.comparison()
    }

    fn deeper(&mut self, start: usize) -> Result<(), GuardError> {
        self.depth += 1;
        if self.depth <= DEEPEST {
            return Ok(());
        }
        let message = format!("brackets and `not` are nested more than {DEEPEST} deep");
        Err(error("SM0604", start, start + 1, message, "move a part of it to a variable or a checkpoint"))
    }

    fn comparison(&mut self) -> Result<Guard, GuardError> {
        self.skip();
        let start = self.at;
        let left = self.operand()?;
        let end = self.at;
        self.skip();
        let sign_at = self.at;
        let relation = Relation::ALL.into_iter().find(|(_, sign)| self.rest().starts_with(sign));
        let Some((relation, sign)) = relation else {
            return match left {
                Operand::Truth(guard) => Ok(guard),
                Operand::Quantity(quantity) => {
                    let message =
                        format!("`{}` is a number, but true or false is required", &self.text[start..end]);
                    Err(error("SM0602", start, end, message, format!("compare it: `{quantity} >= 1`")))
                }
            };
        };
        self.at += sign.len();
        if self.rest().starts_with('=') {
            return Err(error("SM0601", sign_at, self.at + 1, "unknown operator `==`", "write `=`"));
        }
        self.skip();
        let right_start = self.at;
        let right = self.operand()?;
        let number = |operand, start, end| match operand {
            Operand::Quantity(quantity) => Ok(quantity),
            Operand::Truth(_) => {
                let message =
                    format!("`{}` is true or false, but a number is required", self.text[start..end].trim());
                Err(error(
                    "SM0602",
                    start,
                    end,
                    message,
                    "write it without a comparison, or with `not` before it",
                ))
            }
        };
        let left = number(left, start, end)?;
        Ok(Guard::Compare(left, relation, number(right, right_start, self.at)?))
    }

    fn operand(&mut self) -> Result<Operand, GuardError> {
        self.skip();
        let start = self.at;
        if self.take("(") {
            self.deeper(start)?;
            let inner = self.any()?;
            if !self.take(")") {
                return Err(self.unexpected("`)`"));
            }
            self.depth -= 1;
            return Ok(Operand::Truth(inner));
        }
        let word = self.word();
        if word.is_empty() {
            return self.number();
        }
        self.at += word.len();
        self.skip();
        if self.rest().starts_with('(') { self.call(word, start) } else { self.name(word, start) }
    }

    fn number(&mut self) -> Result<Operand, GuardError> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.unexpected("a condition"));
        }
        let (start, text) = (self.at, &rest[..end]);
        self.at += end;
        let exact = text.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 6);
        match Unit::parse(text).filter(|number| exact && number.0.abs() <= 1_000_000_000_000_000) {
            Some(number) => Ok(Operand::Quantity(Quantity::Number(number))),
            None => {
                let message =
                    format!("`{text}` is not a number with at most six decimals", text = excerpt(text));
                Err(error(
                    "SM0601",
                    start,
                    self.at,
                    message,
                    "write a decimal number with a point, such as `0.5`",
                ))
            }
        }
    }

    /// A word without brackets: a number that every stage knows, or a variable.
    fn name(&mut self, word: &str, start: usize) -> Result<Operand, GuardError> {
        let end = start + word.len();
        let quantity = match word {
            "score" => Quantity::Score,
            "turn" => Quantity::Turn,
            "fidelity" if self.place == Place::Action => Quantity::Fidelity,
            "turns_here" if self.place == Place::Action => Quantity::TurnsHere,
            "on_target" if self.place == Place::Pass => Quantity::OnTarget,
            "fidelity" | "turns_here" => return Err(only_in(word, start, Place::Action)),
            "on_target" => return Err(only_in(word, start, Place::Pass)),
            _ if self.known.vars.contains(&word) => Quantity::Variable(word.to_owned()),
            _ => {
                let mut all = self.known.vars.to_vec();
                all.extend(WORDS);
                let fix = match suggest(word, &all) {
                    Some(near) if is_asked(near) => format!("did you mean `{near}(…)`"),
                    Some(near) => format!("did you mean `{near}`"),
                    None => "declare it under `vars`; for a marker write `fired(label)`".to_owned(),
                };
                return Err(error(
                    "SM0603",
                    start,
                    end,
                    format!("unknown variable `{word}`", word = excerpt(word)),
                    fix,
                ));
            }
        };
        Ok(Operand::Quantity(quantity))
    }

    /// A word with brackets behind it.
    fn call(&mut self, word: &str, start: usize) -> Result<Operand, GuardError> {
        self.at += 1;
        let rest = self.rest();
        let Some(length) = rest.find([')', '(', '\n']).filter(|end| rest[*end..].starts_with(')')) else {
            self.at = self.text.len();
            return Err(self.unexpected("`)`"));
        };
        let inside = &rest[..length];
        let name = inside.trim();
        let name_at = self.at + (inside.len() - inside.trim_start().len());
        self.at += length + 1;
        if name.is_empty() {
            let message = format!("`{word}` needs a name", word = excerpt(word));
            return Err(error(
                "SM0601",
                start,
                self.at,
                message,
                format!("write for example `{}`", example(word)),
            ));
        }
        let among = |kind: &str, known: &[&str]| match known.contains(&name) {
            true => Ok(name.to_owned()),
            false => Err(unknown(kind, name, name_at, known)),
        };
        let fact = match (word, name) {
            ("reached", _) => Fact::Reached(among("scene", self.known.scenes)?),
            ("checkpoint", _) => Fact::Checkpoint(among("checkpoint", self.known.checkpoints)?),
            ("flag", _) => Fact::Flag(among("flag", self.known.flags)?),
            ("all", "checkpoints") => Fact::AllCheckpoints,
            ("any", "checkpoints") => Fact::AnyCheckpoint,
            ("any", "flags") => Fact::AnyFlag,
            ("none", "flags") => Fact::NoFlag,
            ("all" | "any" | "none", _) => {
                let message =
                    format!("unknown question `{word}({name})`", word = excerpt(word), name = excerpt(name));
                let fix =
                    "the questions are `all(checkpoints)`, `any(checkpoints)`, `any(flags)`, `none(flags)`";
                return Err(error("SM0603", start, self.at, message, fix));
            }
            ("fired" | "count" | "a", _) if self.place == Place::Pass => {
                return Err(only_in(word, start, Place::Action));
            }
            ("fired" | "count" | "a" | "times", _) => {
                self.markers.push((name.to_owned(), name_at, name_at + name.len()));
                let label = name.to_owned();
                match word {
                    "fired" => Fact::Fired(label),
                    "count" => return Ok(Operand::Quantity(Quantity::Count(label))),
                    "times" => return Ok(Operand::Quantity(Quantity::Times(label))),
                    _ => return Ok(Operand::Quantity(Quantity::Resonance(label))),
                }
            }
            _ => {
                let asked: Vec<&str> = WORDS.into_iter().filter(|word| is_asked(word)).collect();
                let fix = match suggest(word, &asked) {
                    Some(near) => format!("did you mean `{near}({name})`", name = excerpt(name)),
                    None => format!("the questions are {}", asked.join(", ")),
                };
                return Err(error(
                    "SM0603",
                    start,
                    start + word.len(),
                    format!("unknown question `{word}(…)`", word = excerpt(word)),
                    fix,
                ));
            }
        };
        Ok(Operand::Truth(Guard::Is(fact)))
    }
}

/// Words that take a name in brackets.
fn is_asked(word: &str) -> bool {
    WORDS[5..15].contains(&word)
}

fn example(word: &str) -> String {
    match word {
        "all" | "any" => format!("{word}(checkpoints)"),
        "none" => "none(flags)".to_owned(),
        _ => format!("{word}(apology)"),
    }
}

fn only_in(word: &str, start: usize, place: Place) -> GuardError {
    let (message, fix) = match place {
        Place::Action => (
            format!("`{word}` is about one action, but `pass` is evaluated after the last one"),
            "move it to a checkpoint, or use `times(label)`, `score` or `on_target` of the whole dive",
        ),
        Place::Pass => (
            format!("`{word}` is known only when the dive is closed"),
            "use it in `pass`, or compare `score` here",
        ),
    };
    error("SM0605", start, start + word.len(), message, fix)
}

fn unknown(kind: &str, name: &str, at: usize, known: &[&str]) -> GuardError {
    let fix = match (suggest(name, known), known.is_empty()) {
        (Some(near), _) => format!("did you mean `{near}`"),
        (None, true) => format!("the stage has no {kind}; add one"),
        (None, false) => format!("the known ones are {}", some_of(known)),
    };
    error("SM0603", at, at + name.len(), format!("unknown {kind} `{name}`", name = excerpt(name)), fix)
}

fn single_or(mut parts: Vec<Guard>, whole: fn(Vec<Guard>) -> Guard) -> Guard {
    match parts.len() {
        1 => parts.remove(0),
        _ => whole(parts),
    }
}

fn error(
    code: &'static str,
    start: usize,
    end: usize,
    message: impl Into<String>,
    fix: impl Into<String>,
) -> GuardError {
    GuardError { code, start, end, message: message.into(), fix: fix.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Known<'static> =
        Known { scenes: &["arrival", "done"], vars: &["trust"], checkpoints: &["heard"], flags: &["blame"] };

    fn at(text: &str, place: Place) -> Result<Guard, GuardError> {
        parse(text, KNOWN, place).map(|(guard, _)| guard)
    }

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "fired(apology)",
            "not fired(a/b) and score >= 0.5",
            "(turn > 3 or trust != -2) and not (count(x) = 1)",
            "a(x) <= fidelity or not not reached(done)",
            "fired(a) and (fired(b) and fired(c)) or times(d) < 2",
            "all(checkpoints) and none(flags) and flag(blame) or checkpoint(heard)",
        ] {
            let guard = at(text, Place::Action).expect(text);
            let written = guard.to_string();
            assert_eq!(at(&written, Place::Action).expect(&written), guard, "{written}");
        }
        assert_eq!(
            at("fired( x )and score>=0.50", Place::Action).expect("reads").to_string(),
            "fired(x) and score >= 0.5"
        );
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (text, code, range, fix) in [
            ("fired(apology) && score > 1", "SM0601", 15..16, "write `and`"),
            ("score == 1", "SM0601", 6..8, "write `=`"),
            ("score", "SM0602", 0..5, "compare it: `score >= 1`"),
            ("fired(x) > 1", "SM0602", 0..8, "write it without a comparison, or with `not` before it"),
            ("scor > 1", "SM0603", 0..4, "did you mean `score`"),
            ("reached(arival)", "SM0603", 8..14, "did you mean `arrival`"),
            ("fird(x)", "SM0603", 0..4, "did you mean `fired(x)`"),
            ("(turn > 1", "SM0601", 9..9, "write for example `fired(apology) and score >= 0.5`"),
            ("turn > 0.1234567", "SM0601", 7..16, "write a decimal number with a point, such as `0.5`"),
            ("", "SM0601", 0..0, "write for example `fired(apology) and score >= 0.5`"),
            ("fired(é", "SM0601", 8..8, "write for example `fired(apology) and score >= 0.5`"),
            ("é", "SM0601", 0..2, "write for example `fired(apology) and score >= 0.5`"),
        ] {
            let error = at(text, Place::Action).expect_err(text);
            assert_eq!(
                (error.code, error.start..error.end, error.fix.as_str()),
                (code, range, fix),
                "{text}: {error:?}"
            );
        }
        assert_eq!(at("fired(x)", Place::Pass).expect_err("no action").code, "SM0605");
        assert_eq!(at("on_target > 0.5", Place::Action).expect_err("not yet known").code, "SM0605");
        assert!(at("on_target > 0.5 and score >= 0.5 and times(x) > 2", Place::Pass).is_ok());
    }

    #[test]
    fn depth_and_length_have_limits() {
        let deep = format!("{}turn > 1{}", "(".repeat(10_000), ")".repeat(10_000));
        assert_eq!(at(&deep, Place::Action).expect_err("too long").code, "SM0604");
        let deep = format!("{}turn > 1{}", "(".repeat(25), ")".repeat(25));
        assert_eq!(at(&deep, Place::Action).expect_err("too deep").code, "SM0604");
        assert_eq!(
            at(&format!("{}fired(x)", "not ".repeat(25)), Place::Action).expect_err("too deep").code,
            "SM0604"
        );
        assert!(at(&format!("{}fired(x)", "not ".repeat(24)), Place::Action).is_ok());
    }
}
