//! Placeholders: a number for each value, by first appearance, and the way back.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// What is written behind a placeholder that somebody typed, so that it is not taken for one of ours.
const TYPED: &str = "_TYPED";
/// The shortest value that is looked for where no rule finds it. Shorter ones, such as an age, mean something else elsewhere.
const SHORTEST_ANYWHERE: usize = 4;

/// The placeholders of one conversation. Never stored: a request has its whole history, which gives the same numbers again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    /// By what the engine shows for a value with a key: label and a hash of the value as a person would call it the same.
    by_value: HashMap<String, String>,
    /// The last number by label.
    last: HashMap<String, u32>,
    /// What each placeholder of the request stands for, as it was first written.
    values: BTreeMap<String, String>,
}

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
        if keep {
            self.values.entry(placeholder.clone()).or_insert_with(|| value.to_owned());
        }
        placeholder
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
    pub(crate) fn find(&self, text: &str, also_short: bool) -> Vec<(Range<usize>, String)> {
        let mut found: Vec<(Range<usize>, &str)> = Vec::new();
        for (placeholder, value) in &self.values {
            if value.chars().count() < SHORTEST_ANYWHERE && !also_short {
                continue;
            }
            let places = text.match_indices(value.as_str());
            let whole = places.filter(|(at, _)| stands_alone(text, *at..*at + value.len()));
            found.extend(whole.map(|(at, _)| (at..at + value.len(), placeholder.as_str())));
        }
        // The longest of those that begin first.
        found.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
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
}

/// The label in `<LABEL_0123456789ab>`; `None` if a text is not made so.
pub(crate) fn label_of(shown: &str) -> Option<&str> {
    let inner = shown.strip_prefix('<')?.strip_suffix('>')?;
    let (label, hash) = inner.rsplit_once('_')?;
    let is_hash = hash.len() == 12 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_label = !label.is_empty() && label.bytes().all(is_label_byte);
    (is_hash && is_label).then_some(label)
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Whether no letter or digit touches a place.
fn stands_alone(text: &str, place: Range<usize>) -> bool {
    let is_open = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    is_open(text[..place.start].chars().next_back()) && is_open(text[place.end..].chars().next())
}

/// The places of a text where somebody wrote what looks like a placeholder (`<EMAIL_1>`), with what is sent instead.
pub(crate) fn typed(text: &str) -> Vec<(Range<usize>, String)> {
    let starts = text.match_indices('<').map(|(at, _)| at);
    let places = starts.filter_map(|at| {
        let end = at + 1 + text[at + 1..].find('>')?;
        is_placeholder(&text[at..=end]).then_some(at..end + 1)
    });
    places.map(|place| (place.clone(), format!("{}{TYPED}>", &text[place.start..place.end - 1]))).collect()
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

/// What was typed, from what was sent instead; `None` if it was not.
pub(crate) fn untyped(text: &str) -> Option<String> {
    let before = text.strip_suffix(&format!("{TYPED}>"))?;
    is_placeholder(text).then(|| format!("{before}>"))
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
    fn values_are_found_where_no_rule_finds_them() {
        let mut numbering = Numbering::default();
        numbering.name("<NAME_0123456789ab>", "Anna", true);
        numbering.name("<NAME_0123456789ac>", "Anna Berg", true);
        numbering.name("<AGE_0123456789ad>", "42", true);
        let found = |text, short| numbering.find(text, short);
        assert_eq!(found("Annabel, Anna Berg", false), [(9..18, "<NAME_2>".to_owned())]);
        assert_eq!(found("42 times", false), []);
        assert_eq!(found("42 times", true), [(0..2, "<AGE_1>".to_owned())]);
    }

    /// T14.
    #[test]
    fn typed_placeholders_come_back_as_they_were() {
        for text in ["<EMAIL_1>", "<EMAIL_1_TYPED>", "<A_B_22_TYPED_TYPED>"] {
            let sent = typed(text);
            assert_eq!(sent.len(), 1);
            assert_eq!(untyped(&sent[0].1).as_deref(), Some(text));
        }
        for text in ["<b>", "<EMAIL_>", "<_1>", "<email_1>", "< EMAIL_1>", "EMAIL_1"] {
            assert_eq!(typed(text), [], "{text}");
        }
        assert_eq!(untyped("<EMAIL_1>"), None);
    }
}
