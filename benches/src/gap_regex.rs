//! Gap rules as regular expressions, for those who know no gap rules: what an author would write instead.
//!
//! A word is letters, digits and apostrophes of ASCII; between words stands anything but `.`, `!`, `?` and the end of a
//! line. A stem is the word and what follows it, so `going~` finds less than the rule does, and sentences end in fewer places.

/// How an expression writes the edge of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `regex`, and the `/re/` of protocols.
    Rust,
    /// Vectorscan.
    Vectorscan,
}

const WORD: &str = "[A-Za-z0-9']+";
const JOIN: &str = r"[^A-Za-z0-9'.!?\n]+";

/// The expression of a rule of set d: words, `word*`, `word~`, `(a|b c)`, `x?`, `..n..` and one `&n`.
pub fn regex_of(rule: &str, dialect: Dialect) -> String {
    let edge = match dialect {
        Dialect::Rust => r"(?-u:\b)",
        Dialect::Vectorscan => r"\b",
    };
    let mut parts: Vec<(String, String)> = Vec::new();
    // What stands before the next part, and whether the parts go both ways.
    let (mut before, mut both_ways) = (JOIN.to_owned(), None);
    for part in pieces(rule) {
        if let Some(gap) = part.strip_prefix("..").and_then(|rest| rest.strip_suffix("..")) {
            before = gap_of(gap);
        } else if let Some(gap) = part.strip_prefix('&') {
            both_ways = Some(gap_of(gap));
            before = both_ways.clone().unwrap_or_default();
        } else {
            let join = std::mem::replace(&mut before, JOIN.to_owned());
            let (part, optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
            let text = alternatives(part);
            parts.push(if optional { (String::new(), format!("(?:{join}{text})?")) } else { (join, text) });
        }
    }
    let body = match (&parts[..], both_ways) {
        ([one, two], Some(gap)) => format!("(?:{0}{gap}{1}|{1}{gap}{0})", one.1, two.1),
        (parts, _) => {
            let joined = parts.iter().map(|(join, text)| format!("{join}{text}")).collect::<String>();
            joined.strip_prefix(JOIN).map_or(joined.clone(), str::to_owned)
        }
    };
    format!("{edge}{body}{edge}")
}

fn gap_of(tokens: &str) -> String {
    format!("{JOIN}(?:{WORD}{JOIN}){{0,{tokens}}}")
}

/// The parts of a rule: words, groups with what is in them, gaps.
fn pieces(rule: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in rule.char_indices().chain([(rule.len(), ' ')]) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                pieces.push(&rule[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces
}

fn alternatives(part: &str) -> String {
    let inside = part.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inside {
        Some(inside) => format!("(?:{})", inside.split('|').map(words).collect::<Vec<_>>().join("|")),
        None => words(part),
    }
}

fn words(text: &str) -> String {
    let word = |word: &str| match word.strip_suffix(['*', '~']) {
        Some(stem) => format!("{stem}[A-Za-z0-9']*"),
        None => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(JOIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn finds(rule: &str, text: &str) -> Option<String> {
        let regex = Regex::new(&regex_of(rule, Dialect::Rust)).expect(rule);
        regex.find(text).map(|found| found.as_str().to_owned())
    }

    #[test]
    fn rules_find_what_they_find_as_rules() {
        let found = |rule, text, span: &str| assert_eq!(finds(rule, text).as_deref(), Some(span), "{rule}");
        found(
            "guarantee~ ..4.. (return|yield)",
            "I guaranteed you a, high return.",
            "guaranteed you a, high return",
        );
        found("you (should|have to) ..3.. stop", "you have to really stop", "you have to really stop");
        found("(food|water) &3 kids", "kids like water", "kids like water");
        found("(a|b) ..1.. (c d|e) f?", "a c d f", "a c d f");
        found("(a|b) ..1.. (c d|e) f?", "b x e", "b x e");
        assert_eq!(finds("a ..2.. b", "a. b"), None);
        assert_eq!(finds("a ..1.. b", "a x y b"), None);
    }
}
