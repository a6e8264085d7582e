//! Placeholders: a number for each value, by first appearance, and the way back.
//!
//! A request has its whole history, which gives the same numbers again. Where the provider keeps the history, the table is handed on.

use crate::written::{Begins, STARTS, Written, begins, is_label_byte};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// What is written behind a placeholder that somebody typed, so that it is not taken for one of ours.
const TYPED: &str = "_TYPED";
/// The shortest value that is looked for where no rule finds it. Shorter ones, such as an age, mean something else elsewhere.
const SHORTEST_ANYWHERE: usize = 4;

/// The placeholders of one conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    /// By what the engine shows for a value with a key: label and a hash of the value as a person would call it the same.
    by_value: HashMap<String, String>,
    /// The last number by label.
    last: HashMap<String, u32>,
    /// What each placeholder of the request stands for, as it was first written.
    values: BTreeMap<String, String>,
    /// The placeholders in `values`, oldest first.
    order: Vec<String>,
    /// The oldest of them in automata, each with the place in `order` where its values end. They shrink by half at least from one to the next,
    /// so a text is read as often as there are digits in the number of values, and not once for each.
    finders: Vec<(AhoCorasick, usize)>,
    /// The sealed summaries of the answer, by which its client may go on, in order.
    seals: Vec<Seal>,
    /// The same, to find one.
    sealed: HashSet<Seal>,
}

/// SHA-256 of a sealed summary of a conversation.
pub(crate) type Seal = [u8; 32];

/// By what a sealed summary is known.
pub(crate) fn seal_of(sealed: &str) -> Seal {
    Sha256::digest(sealed).into()
}

/// So many of the newest values are looked for one by one: an automaton for fewer costs more than it saves.
const FEW: usize = 8;

impl Numbering {
    /// The placeholder of a value; `shown` is `<LABEL_0123456789ab>`. `keep`: it may be restored.
    pub(crate) fn name(&mut self, shown: &str, value: &str, keep: bool) -> String {
        let placeholder = match self.by_value.get(shown) {
            Some(known) => known.clone(),
            None => {
                let label = label_of(shown).unwrap_or("VALUE");
                let last = self.last.entry(label.to_owned()).or_default();
                *last += 1;
                let placeholder = format!("<{label}_{last}>");
                self.by_value.insert(shown.to_owned(), placeholder.clone());
                placeholder
            }
        };
        if keep && !self.values.contains_key(&placeholder) {
            self.values.insert(placeholder.clone(), value.to_owned());
            self.order.push(placeholder.clone());
        }
        placeholder
    }

    /// Notes a sealed summary in an answer.
    pub(crate) fn seal(&mut self, sealed: &str) {
        let seal = seal_of(sealed);
        if self.sealed.insert(seal) {
            self.seals.push(seal);
        }
    }

    /// The sealed summaries of the answer so far.
    pub(crate) fn seals(&self) -> &[Seal] {
        &self.seals
    }

    /// Whether there is anything to restore.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// What a placeholder stands for.
    pub(crate) fn value(&self, placeholder: &str) -> Option<&str> {
        self.values.get(placeholder).map(String::as_str)
    }

    /// Whether more text could make a placeholder of this.
    pub(crate) fn may_become_one(&self, start: &str) -> bool {
        let next = self
            .values
            .range::<str, _>((std::ops::Bound::Included(start), std::ops::Bound::Unbounded))
            .next();
        next.is_some_and(|(placeholder, _)| placeholder.starts_with(start) && placeholder.len() > start.len())
            || is_typed_start(start)
    }

    /// Where values that have numbers stand in a text, with their placeholders, in order and apart from each other.
    pub(crate) fn find(&mut self, text: &str, also_short: bool) -> Vec<(Range<usize>, String)> {
        self.index();
        let mut found: Vec<(Range<usize>, &str)> = Vec::new();
        let mut take = |at: usize, place: Range<usize>| {
            let is_short = place.len() < 4 * SHORTEST_ANYWHERE
                && text[place.clone()].chars().count() < SHORTEST_ANYWHERE;
            if (also_short || !is_short) && stands_alone(text, place.clone()) {
                found.push((place, self.order[at].as_str()));
            }
        };
        let mut from = 0;
        for (finder, to) in &self.finders {
            for hit in finder.find_overlapping_iter(text) {
                take(from + hit.pattern().as_usize(), hit.range());
            }
            from = *to;
        }
        for at in from..self.order.len() {
            let value = &self.values[&self.order[at]];
            let step = value.chars().next().map_or(1, char::len_utf8);
            let mut start = 0;
            while let Some(place) = text[start..].find(value.as_str()).map(|place| start + place) {
                take(at, place..place + value.len());
                start = place + step;
            }
        }
        // The longest of those that begin first.
        found.sort_by(|(a, one), (b, other)| {
            a.start.cmp(&b.start).then(b.end.cmp(&a.end)).then_with(|| one.cmp(other))
        });
        let mut done = 0;
        found.retain(|(place, _)| {
            let is_free = place.start >= done;
            if is_free {
                done = place.end;
            }
            is_free
        });
        found.into_iter().map(|(place, placeholder)| (place, placeholder.to_owned())).collect()
    }

    /// Puts the newest values into an automaton, with those of automata that are not twice as large.
    fn index(&mut self) {
        let (end, mut from) = (self.order.len(), self.finders.last().map_or(0, |(_, to)| *to));
        if end - from <= FEW {
            return;
        }
        while let Some((_, to)) = self.finders.last() {
            let before = self.finders.iter().rev().nth(1).map_or(0, |(_, to)| *to);
            if to - before >= 2 * (end - from) {
                break;
            }
            self.finders.pop();
            from = before;
        }
        // Without an automaton, which only too many values can bring about, they are looked for one by one.
        if let Ok(finder) = self.automaton(from..end) {
            self.finders.push((finder, end));
        }
    }

    /// Not as a DFA, which is read a little faster and takes several times as long to build: an automaton is read for one request only.
    fn automaton(&self, of: Range<usize>) -> Result<AhoCorasick, aho_corasick::BuildError> {
        let values = self.order[of].iter().map(|placeholder| &self.values[placeholder]);
        AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(values)
    }
}

/// The placeholders of a conversation and what they stand for: private text. It is for conversations whose history the provider keeps:
/// [`crate::Exchange::table`] gives it, [`crate::Guard::request_after`] goes on with it. Keep it in memory, or seal it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// In order: the placeholder, what the engine shows for the value, and the value.
    values: Vec<(String, String, String)>,
}

impl Table {
    /// Whether it has no placeholders.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether it is of the same conversation as an earlier table.
    pub(crate) fn goes_on(&self, earlier: &Self) -> bool {
        self.values.starts_with(&earlier.values)
    }

    /// About as many bytes as it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.values
            .iter()
            .map(|(placeholder, shown, value)| placeholder.len() + shown.len() + value.len() + 96)
            .sum()
    }

    /// As JSON. It holds every value: seal it before it leaves memory.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.values).unwrap_or_default()
    }

    /// Reads what [`Self::to_json`] wrote; `None` if it is no table.
    pub fn from_json(json: &str) -> Option<Self> {
        let values: Vec<(String, String, String)> = serde_json::from_str(json).ok()?;
        let is_good = |(placeholder, shown, value): &(String, String, String)| {
            let label = label_of(shown).filter(|label| number_of(placeholder, label).is_some());
            label.is_some() && !value.is_empty()
        };
        values.iter().all(is_good).then_some(Self { values })
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table of {}", self.values.len())
    }
}

impl Numbering {
    /// Goes on with a table.
    pub(crate) fn of(table: &Table) -> Self {
        let mut numbering = Self::default();
        for (placeholder, shown, value) in &table.values {
            let label = label_of(shown).unwrap_or_default();
            let last = numbering.last.entry(label.to_owned()).or_default();
            *last = number_of(placeholder, label).unwrap_or(0).max(*last);
            numbering.by_value.insert(shown.clone(), placeholder.clone());
            if numbering.values.insert(placeholder.clone(), value.clone()).is_none() {
                numbering.order.push(placeholder.clone());
            }
        }
        numbering
    }

    /// The table of all placeholders that may be restored.
    pub(crate) fn table(&self) -> Table {
        let shown: HashMap<&str, &str> =
            self.by_value.iter().map(|(shown, placeholder)| (placeholder.as_str(), shown.as_str())).collect();
        let row = |placeholder: &String| {
            let shown = shown.get(placeholder.as_str())?;
            Some((placeholder.clone(), (*shown).to_owned(), self.values.get(placeholder)?.clone()))
        };
        Table { values: self.order.iter().filter_map(row).collect() }
    }
}

/// The number in `<LABEL_1>`.
fn number_of(placeholder: &str, label: &str) -> Option<u32> {
    let inner = placeholder.strip_prefix('<')?.strip_suffix('>')?;
    inner.strip_prefix(label)?.strip_prefix('_')?.parse().ok()
}

/// The label in `<LABEL_0123456789ab>`; `None` if a text is not made so.
pub(crate) fn label_of(shown: &str) -> Option<&str> {
    let inner = shown.strip_prefix('<')?.strip_suffix('>')?;
    let (label, hash) = inner.rsplit_once('_')?;
    let is_hash = hash.len() == 12 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_label = !label.is_empty() && label.bytes().all(is_label_byte);
    (is_hash && is_label).then_some(label)
}

/// Whether no letter or digit touches a place.
fn stands_alone(text: &str, place: Range<usize>) -> bool {
    let is_open = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    is_open(text[..place.start].chars().next_back()) && is_open(text[place.end..].chars().next())
}

/// The places of a text where somebody wrote what looks like a placeholder (`<EMAIL_1>`), with what is sent instead.
pub(crate) fn typed(text: &str) -> Vec<(Range<usize>, String)> {
    let (mut places, mut from) = (Vec::new(), 0);
    while let Some(at) = text[from..].find(STARTS).map(|at| from + at) {
        // It looks no further than a placeholder is long: many a `<` without a `>` would cost the square of the text.
        from = at + 1;
        if let Begins::With(Written { plain, close, .. }) = begins(&text[at..])
            && is_placeholder(&plain)
        {
            let written = &text[at..at + close.end];
            let sent = format!("{}{TYPED}{}", &written[..close.start], &written[close]);
            from = at + written.len();
            places.push((at..from, sent));
        }
    }
    places
}

/// Whether a text is `<LABEL_1>`, `<LABEL_1_TYPED>` and so on.
fn is_placeholder(text: &str) -> bool {
    let Some(mut inner) = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) else {
        return false;
    };
    while let Some(before) = inner.strip_suffix(TYPED) {
        inner = before;
    }
    let number =
        inner.rsplit_once('_').filter(|(label, _)| !label.is_empty() && label.bytes().all(is_label_byte));
    number.is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// What was typed, from what was sent instead, as it is written in `text`; `None` if it was not.
pub(crate) fn untyped(text: &str, written: &Written) -> Option<String> {
    let before = text[..written.close.start].strip_suffix(TYPED)?;
    // Where Markdown escapes underscores, this one, too.
    let before = before.strip_suffix('\\').unwrap_or(before);
    is_placeholder(&written.plain).then(|| format!("{before}{}", &text[written.close.clone()]))
}

/// Whether a text may be the beginning of what was typed.
fn is_typed_start(text: &str) -> bool {
    text.len() <= 80 && text.strip_prefix('<').is_some_and(|rest| rest.bytes().all(is_label_byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_has_the_same_placeholder() {
        let mut numbering = Numbering::default();
        let mut name = |shown: &str, value: &str, keep| numbering.name(shown, value, keep);
        assert_eq!(name("<EMAIL_0123456789ab>", "ann@example.org", true), "<EMAIL_1>");
        assert_eq!(name("<EMAIL_0123456789ac>", "bob@example.org", false), "<EMAIL_2>");
        assert_eq!(name("<EMAIL_0123456789ab>", "Ann@example.org", true), "<EMAIL_1>");
        assert_eq!(numbering.value("<EMAIL_1>"), Some("ann@example.org"));
        assert_eq!(numbering.value("<EMAIL_2>"), None);
        assert!(numbering.may_become_one("<EMAIL_") && numbering.may_become_one("<"));
        assert!(!numbering.may_become_one("<EMAIL_1>") && !numbering.may_become_one("<b"));
    }

    #[test]
    fn a_table_goes_on_where_it_ended() {
        let mut numbering = Numbering::default();
        for (at, value) in ["ann@example.org", "bob@example.net"].iter().enumerate() {
            numbering.name(&format!("<EMAIL_0123456789a{at}>"), value, true);
        }
        let table = Table::from_json(&numbering.table().to_json()).expect("is a table");
        assert_eq!(table, numbering.table());
        let mut other = Numbering::of(&table);
        assert_eq!(other.name("<EMAIL_0123456789a0>", "ANN@example.org", true), "<EMAIL_1>");
        assert_eq!(other.name("<EMAIL_0123456789ff>", "new@example.org", true), "<EMAIL_3>");
        assert_eq!(other.value("<EMAIL_1>"), Some("ann@example.org"));
        for wrong in [
            "{}",
            "[[\"<EMAIL_1>\",\"<CARD_0123456789ab>\",\"x\"]]",
            "[[\"EMAIL_1\",\"<EMAIL_0123456789ab>\",\"x\"]]",
        ] {
            assert_eq!(Table::from_json(wrong), None, "{wrong}");
        }
    }

    /// Many values are found by few automata, the same as one by one.
    #[test]
    fn many_values_are_found() {
        let mut numbering = Numbering::default();
        for at in 0..500 {
            numbering.name(&format!("<ID_{at:012x}>"), &format!("value-{at}"), true);
            let text = format!("value-{at}, value-{}, xvalue-0 value-0", at / 2);
            let found = numbering.find(&text, false);
            let names: Vec<&str> = found.iter().map(|(_, placeholder)| placeholder.as_str()).collect();
            assert_eq!(
                names,
                [format!("<ID_{}>", at + 1), format!("<ID_{}>", at / 2 + 1), "<ID_1>".to_owned()]
            );
        }
        assert!(numbering.finders.len() <= 8, "{}", numbering.finders.len());
    }

    #[test]
    fn values_are_found_where_no_rule_finds_them() {
        let mut numbering = Numbering::default();
        numbering.name("<NAME_0123456789ab>", "Anna", true);
        numbering.name("<NAME_0123456789ac>", "Anna Berg", true);
        numbering.name("<AGE_0123456789ad>", "42", true);
        let mut found = |text, short| numbering.find(text, short);
        assert_eq!(found("Annabel, Anna Berg", false), [(9..18, "<NAME_2>".to_owned())]);
        assert_eq!(found("42 times", false), []);
        assert_eq!(found("42 times", true), [(0..2, "<AGE_1>".to_owned())]);
    }

    /// T14.
    #[test]
    fn typed_placeholders_come_back_as_they_were() {
        let back = |text: &str| match begins(text) {
            Begins::With(written) => untyped(text, &written),
            _ => None,
        };
        for text in [
            "<EMAIL_1>",
            "<EMAIL_1_TYPED>",
            "<A_B_22_TYPED_TYPED>",
            "&lt;EMAIL_1&gt;",
            "\\<EMAIL\\_1\\>",
            "%3CEMAIL_1%3E",
        ] {
            let sent = typed(text);
            assert_eq!(sent.len(), 1);
            assert_eq!(back(&sent[0].1).as_deref(), Some(text));
        }
        assert_eq!(back("<EMAIL\\_1\\_TYPED>").as_deref(), Some("<EMAIL\\_1>"));
        for text in ["<b>", "<EMAIL_>", "<_1>", "<email_1>", "< EMAIL_1>", "EMAIL_1"] {
            assert_eq!(typed(text), [], "{text}");
        }
        assert_eq!(back("<EMAIL_1>"), None);
    }
}
