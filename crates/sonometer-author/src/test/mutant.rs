//! A protocol with one thing less. A test that nobody would miss fails on none of them.

use sonometer::diagnostic::Span;
use sonometer::protocol::{Line, LineList, Marker, NegationMode, Protocol, RatioTo};

/// What is taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A pattern line, by the key it stands under.
    Line {
        /// The key.
        key: &'static str,
        /// Which of its lines, from 0.
        at: usize,
    },
    /// A condition, by its key: everything counts that it kept out.
    Condition(&'static str),
    /// An entry of a list: the list, its line, the place of the entry in the line.
    Entry {
        /// The name of the list.
        list: String,
        /// Which of its lines, from 0.
        line: usize,
        /// Which entry of the line, from 0.
        at: usize,
    },
}

/// One change of one marker; of the first that uses the list, for an entry.
#[derive(Clone, Debug)]
pub struct Mutant<'p> {
    /// The marker that is changed, or that uses the list.
    pub marker: &'p Marker,
    /// What is taken away.
    pub change: Change,
    /// What is taken away, as written.
    pub text: String,
    /// Where; of an entry, the source does not say.
    pub span: Option<Span>,
}

/// The conditions that can be switched off.
const CONDITIONS: [&str; 8] = ["by", "where", "negation", "after", "before", "pair", "echo", "join"];

/// The removal of every line of a marker that a test can speak for. Weights are data's to justify, not a test's.
pub(super) fn of_lines<'p>(marker: &'p Marker) -> impl Iterator<Item = Mutant<'p>> {
    lists(marker).into_iter().flat_map(move |(key, lines)| {
        let weighed = |line: &Line| line.list == LineList::Weigh;
        // Without its only line a companion could not be read; its condition as a whole is another mutant.
        let only = !matches!(key, "lines" | "except") && lines.len() == 1;
        let counted = lines.iter().enumerate().filter(move |(_, line)| !weighed(line) && !only);
        counted.map(move |(at, line)| Mutant {
            marker,
            change: Change::Line { key, at },
            text: line.text.to_string(),
            span: Some(line.span),
        })
    })
}

/// Every condition of a marker switched off.
pub(super) fn of_conditions<'p>(marker: &'p Marker) -> impl Iterator<Item = Mutant<'p>> {
    let has = |key: &&&str| match **key {
        "by" => !marker.by.is_empty(),
        "where" => marker.place.is_some(),
        "negation" => marker.heeds_negation(),
        "after" => marker.after.is_some(),
        "before" => marker.before.is_some(),
        "pair" => marker.pair.is_some(),
        "echo" => marker.echo.is_some(),
        _ => marker.join.is_some(),
    };
    let conditions: Vec<&'static str> = CONDITIONS.iter().filter(has).copied().collect();
    conditions.into_iter().map(move |key| Mutant {
        marker,
        change: Change::Condition(key),
        text: key.to_owned(),
        span: None,
    })
}

/// The removal of every entry of every list that has several, for the first marker that uses it.
pub(super) fn of_entries(protocol: &Protocol) -> Vec<Mutant<'_>> {
    let mut mutants = Vec::new();
    for (list, lines) in &protocol.lists {
        let Some(marker) = users(protocol, list).next() else { continue };
        if lines.iter().map(|line| entries(line).len()).sum::<usize>() < 2 {
            continue;
        }
        for (line, text) in lines.iter().enumerate() {
            for (at, entry) in entries(text).into_iter().enumerate() {
                let change = Change::Entry { list: list.clone(), line, at };
                mutants.push(Mutant { marker, change, text: entry.to_owned(), span: None });
            }
        }
    }
    mutants
}

/// The markers with a line that names a list, or another list that holds it.
pub(super) fn users<'p>(protocol: &'p Protocol, list: &str) -> impl Iterator<Item = &'p Marker> {
    let holders = holders(&protocol.lists, list);
    protocol.markers.iter().filter(move |marker| {
        marker.all_lines().any(|line| holders.iter().any(|name| names(&line.text, name)))
    })
}

/// A list and those that hold it, as patterns name them.
fn holders(lists: &[(String, Vec<String>)], list: &str) -> Vec<String> {
    let mut holders = vec![format!("@{list}")];
    let mut at = 0;
    while at < holders.len() {
        for (name, lines) in lists {
            let name = format!("@{name}");
            if !holders.contains(&name) && lines.iter().any(|line| names(line, &holders[at])) {
                holders.push(name);
            }
        }
        at += 1;
    }
    holders
}

/// Whether a pattern names `@list`, and not only a list whose name begins like it.
pub(super) fn names(pattern: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    pattern.match_indices(name).any(|(at, _)| ends(&pattern[at + name.len()..]))
}

impl Mutant<'_> {
    /// The marker, changed; lists are not a marker's.
    pub(super) fn changed(&self) -> Marker {
        let mut marker = self.marker.clone();
        match &self.change {
            Change::Line { key, at } => {
                lines_mut(&mut marker, key).map(|lines| lines.remove(*at));
            }
            Change::Condition(key) => match *key {
                "by" => marker.by.clear(),
                "where" => marker.place = None,
                "negation" => marker.negation = NegationMode::Keep,
                "after" => marker.after = None,
                "before" => marker.before = None,
                "pair" => marker.pair = None,
                "echo" => marker.echo = None,
                _ => marker.join = None,
            },
            Change::Entry { .. } => {}
        }
        marker
    }

    /// The lists of the protocol, changed.
    pub(super) fn changed_lists(&self, lists: &[(String, Vec<String>)]) -> Vec<(String, Vec<String>)> {
        let mut lists = lists.to_vec();
        if let Change::Entry { list, line, at } = &self.change
            && let Some((_, lines)) = lists.iter_mut().find(|(name, _)| name == list)
        {
            let mut rest = entries(&lines[*line]);
            rest.remove(*at);
            match rest.join(" | ") {
                rest if rest.is_empty() => drop(lines.remove(*line)),
                rest => lines[*line] = rest,
            }
        }
        lists
    }
}

/// The lists of lines of a marker, by a name for each.
fn lists(marker: &Marker) -> Vec<(&'static str, &[Line])> {
    let mut lists = vec![("lines", marker.lines.as_slice()), ("except", marker.except.as_slice())];
    lists.extend(marker.after.as_ref().map(|after| ("after", after.lines.as_slice())));
    lists.extend(marker.before.as_ref().map(|before| ("before", before.lines.as_slice())));
    lists.extend(marker.pair.as_ref().map(|pair| ("then", pair.then.lines.as_slice())));
    let when = marker.absence.as_ref().and_then(|absence| absence.when.as_ref());
    lists.extend(when.map(|when| ("when", when.lines.as_slice())));
    if let Some(RatioTo::Lines(lines)) = marker.ratio.as_ref().map(|ratio| &ratio.to) {
        lists.push(("to", lines));
    }
    lists
}

fn lines_mut<'m>(marker: &'m mut Marker, key: &str) -> Option<&'m mut Vec<Line>> {
    match key {
        "lines" => Some(&mut marker.lines),
        "except" => Some(&mut marker.except),
        "after" => marker.after.as_mut().map(|after| &mut after.lines),
        "before" => marker.before.as_mut().map(|before| &mut before.lines),
        "then" => marker.pair.as_mut().map(|pair| &mut pair.then.lines),
        "when" => marker.absence.as_mut()?.when.as_mut().map(|when| &mut when.lines),
        _ => match &mut marker.ratio.as_mut()?.to {
            RatioTo::Lines(lines) => Some(lines),
            RatioTo::Marker(_) => None,
        },
    }
}

/// The entries of a line of a list: it is cut at each `|` outside parentheses, quotes and expressions.
pub fn entries(line: &str) -> Vec<&str> {
    let (mut depth, mut closing, mut start, mut escaped) = (0_usize, None, 0, false);
    let mut entries = Vec::new();
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (closing, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(end), c) => closing = (c != end).then_some(end),
            (None, '"') => closing = Some('"'),
            (None, '/') if matches!(before, ' ' | '|' | '(') => closing = Some('/'),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, '|') if depth == 0 => {
                entries.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    entries.push(line[start..].trim());
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_end_at_bars_of_their_own() {
        assert_eq!(entries("kind | very nice|(a|b) c"), ["kind", "very nice", "(a|b) c"]);
        assert_eq!(
            entries(r#"/a|b\/|c/i | "x|y" | a\|b | and/or|c"#),
            ["/a|b\\/|c/i", "\"x|y\"", "a\\|b", "and/or", "c"]
        );
    }

    #[test]
    fn a_list_is_not_another_that_begins_like_it() {
        assert!(names("feel @kind words", "@kind") && names("(@kind|x)", "@kind"));
        assert!(!names("feel @kindly @kind_words", "@kind"));
    }
}
