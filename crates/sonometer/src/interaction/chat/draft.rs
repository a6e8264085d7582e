//! What is gathered while a chat is read, and how values are taken out of foreign JSON.

use super::{Apart, ApartKind, MAX_NOTICES, MessageForm, Messages};
use crate::diagnostic::excerpt;
use crate::document::{Node, Style, Value};
use crate::error::Error;
use crate::interaction::{Interaction, Turn};
use crate::unit::Unit;

/// The turns so far, and what is told beside them.
pub(super) struct Draft<'s> {
    /// The JSON, from which arguments are taken as written.
    source: &'s str,
    /// Whether unknown keys are skipped also where they would be ours.
    pub(super) is_foreign: bool,
    turns: Vec<Turn>,
    places: Vec<String>,
    apart: Vec<Apart>,
    notices: Vec<String>,
    /// Unknown keys, each with the place where it was first and how often it was there.
    skipped: Vec<(String, String, usize)>,
    /// How many kinds of unknown keys came after the list was full.
    more: usize,
}

impl<'s> Draft<'s> {
    pub(super) fn new(source: &'s str, is_foreign: bool) -> Self {
        Self {
            source,
            is_foreign,
            turns: Vec::new(),
            places: Vec::new(),
            apart: Vec::new(),
            notices: Vec::new(),
            skipped: Vec::new(),
            more: 0,
        }
    }

    /// Somebody says something. A text without a character is no turn.
    pub(super) fn say(&mut self, role: &str, content: &str, timestamp: Option<Unit>, place: String) {
        if !content.is_empty() {
            self.push(Turn { role: Some(role.into()), content: content.into(), timestamp }, place);
        }
    }

    pub(super) fn push(&mut self, turn: Turn, place: String) {
        self.turns.push(turn);
        self.places.push(place);
    }

    /// Puts the turns into the order of their times, if each has one. Those of the same time keep their order.
    pub(super) fn sort_by_time(&mut self) {
        if self.turns.iter().any(|turn| turn.timestamp.is_none()) {
            return;
        }
        let turns = std::mem::take(&mut self.turns);
        let mut pairs: Vec<(Turn, String)> =
            turns.into_iter().zip(std::mem::take(&mut self.places)).collect();
        pairs.sort_by_key(|(turn, _)| turn.timestamp);
        (self.turns, self.places) = pairs.into_iter().unzip();
    }

    /// Keeps apart what nobody said.
    pub(super) fn set_apart(&mut self, kind: ApartKind, name: &str, text: &str, place: String) {
        self.apart.push(Apart { place, kind, name: name.to_owned(), text: text.to_owned() });
    }

    /// How much has been gathered: turns, what nobody said, and unknown keys.
    pub(super) fn mark(&self) -> [usize; 3] {
        [self.turns.len(), self.apart.len(), self.skipped.len()]
    }

    /// What has been gathered since then stands within something else.
    pub(super) fn move_within(&mut self, [turns, apart, skipped]: [usize; 3], prefix: &str) {
        let places = self.places[turns..].iter_mut();
        let places = places.chain(self.apart[apart..].iter_mut().map(|apart| &mut apart.place));
        let places = places.chain(self.skipped[skipped..].iter_mut().map(|(_, place, _)| place));
        places.for_each(|place| *place = within(prefix, place));
    }

    pub(super) fn notice(&mut self, notice: String) {
        if self.notices.len() < MAX_NOTICES {
            self.notices.push(notice);
        } else {
            self.more += 1;
        }
    }

    /// Notes the keys of a map that are not among the known ones.
    pub(super) fn skip_unknown(&mut self, node: &Node, place: &str, known: &[&str]) {
        let Value::Map(entries) = &node.value else { return };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            let name = excerpt(&key.text);
            match self.skipped.iter().position(|(skipped, ..)| *skipped == name) {
                Some(at) => self.skipped[at].2 += 1,
                None if self.skipped.len() < MAX_NOTICES => self.skipped.push((name, place.to_owned(), 1)),
                None => self.more += 1,
            }
        }
    }

    /// A value as it is written in the JSON; the text of a string.
    pub(super) fn written<'n>(&self, node: &'n Node) -> &'n str
    where
        's: 'n,
    {
        match &node.value {
            Value::Scalar(scalar) if scalar.style == Style::Quoted => &scalar.text,
            _ => self.source.get(node.span.start..node.span.end).unwrap_or_default(),
        }
    }

    /// # Errors
    /// If nobody says anything.
    pub(super) fn finish(mut self, form: MessageForm) -> Result<Messages, Error> {
        for (key, place, times) in std::mem::take(&mut self.skipped) {
            let at = if place.is_empty() { "at the top".to_owned() } else { format!("in {place}") };
            let times = if times == 1 { String::new() } else { format!(", {times} times, first") };
            self.notice(format!("the unknown key `{key}` was skipped{times} {at}"));
        }
        if self.more > 0 {
            self.notices.push(format!("and {} more were skipped", self.more));
        }
        let interaction = match self.turns.is_empty() && !self.apart.is_empty() {
            true => Interaction::of_messages(vec![None])?,
            false => Interaction::transcript(self.turns)?,
        };
        Ok(Messages { interaction, form, places: self.places, apart: self.apart, notices: self.notices })
    }
}

/// A place within something else.
pub(super) fn within(prefix: &str, place: &str) -> String {
    match place.trim_start_matches('.') {
        "" => prefix.to_owned(),
        place => format!("{prefix}.{place}"),
    }
}

/// The text of a member, if it is one.
pub(super) fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &node.get(key)?.value {
        Value::Scalar(scalar) if scalar.style == Style::Quoted => Some(&scalar.text),
        _ => None,
    }
}

/// The items of a member; none if it is no list.
pub(super) fn list<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    match node.get(key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

/// The number of a member in units, also where it is written in quotes.
pub(super) fn number(node: &Node, key: &str) -> Option<Unit> {
    Unit::parse(node.get(key)?.text()?)
}

/// A count, such as the place in a list.
pub(super) fn count(node: &Node) -> Option<usize> {
    match &node.value {
        Value::Scalar(scalar) if scalar.style == Style::Number => scalar.text.parse().ok(),
        _ => None,
    }
}

pub(super) fn is_map(node: &Node) -> bool {
    matches!(node.value, Value::Map(_))
}

/// The items of a list that the form must have, each a map.
pub(super) fn maps<'n>(root: &'n Node, key: &str) -> Result<&'n [Node], Error> {
    let Some(Node { value: Value::List(items), .. }) = root.get(key) else {
        let found = root.get(key).map_or("nothing", Node::kind_name);
        return Err(Error::invalid(key, format!("`{key}` must be a list of objects, not {found}")));
    };
    all_maps(items, key)
}

/// The same items, each of which must be a map.
pub(super) fn all_maps<'n>(items: &'n [Node], place: &str) -> Result<&'n [Node], Error> {
    match items.iter().position(|item| !is_map(item)) {
        None => Ok(items),
        Some(at) => {
            let message = format!("expected an object, found {}", items[at].kind_name());
            Err(Error::invalid(format!("{place}[{at}]"), message))
        }
    }
}

/// A text that the form must have.
pub(super) fn needed<'n>(node: &'n Node, place: &str, key: &str) -> Result<&'n str, Error> {
    text(node, key).ok_or_else(|| {
        let found = node.get(key).map_or("missing", Node::kind_name);
        Error::invalid(format!("{place}.{key}"), format!("`{key}` must be a text, but is {found}"))
    })
}

/// Texts one after the other. Interfaces cut sentences into parts, which then have the space between them; where there is
/// none, a line ends.
pub(super) fn joined(texts: &[&str]) -> String {
    let mut whole = String::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let space = [' ', '\t', '\r', '\n'];
        if !whole.is_empty() && !whole.ends_with(space) && !text.starts_with(space) {
            whole.push('\n');
        }
        whole.push_str(text);
    }
    whole
}
