//! What is known about a place: a key, a list, a class, a marker, a finding.

use super::completion::{Target, follow};
use super::document::File;
use super::names::{self, Named};
use super::outline::{Cursor, Place};
use super::pattern::{Kind, pieces};
use crate::findings::findings;
use sonometer::Protocol;
use sonometer::class::Class;
use sonometer::diagnostic::{Span, page};
use sonometer::document::{Node, Value};
use sonometer::keys::{Key, Shape};

/// How many entries of a list are shown.
const ENTRIES: usize = 12;

/// Markdown about a byte, and the place that it is about.
pub(super) fn at(file: &File, offset: usize) -> Option<(String, Span)> {
    let mut parts = Vec::new();
    let mut place = None;
    for finding in findings(&file.source).iter() {
        let span = finding.span;
        let is_here = (span.start..=span.end).contains(&offset);
        if let Some(section) = page::section(finding.code).filter(|_| is_here) {
            parts.push(format!("**{}: {}**\n\n{}", section.code, section.title, section.meaning));
            place = Some(span);
        }
    }
    let about =
        of_name(file, offset).or_else(|| of_pattern(file, offset)).or_else(|| of_key_at(file, offset));
    if let Some((text, span)) = about {
        parts.insert(0, text);
        place = Some(span);
    }
    Some((parts.join("\n\n---\n\n"), place?))
}

fn of_name(file: &File, offset: usize) -> Option<(String, Span)> {
    let root = file.tree()?;
    let names = names::all(file.text(), root, file.keys());
    let name = names::at(&names, offset)?;
    let uses = names::same(&names, name).filter(|name| !name.is_definition).count();
    let text = match name.named {
        Named::List => list(root, &name.text),
        Named::Marker => marker(file, &name.text),
    };
    let used = match uses {
        0 => "not used by name".to_owned(),
        1 => "used once".to_owned(),
        _ => format!("used {uses} times"),
    };
    Some((format!("{text}\n\n{used}"), name.span))
}

fn list(root: &Node, name: &str) -> String {
    let Some(node) = root.get("lists").and_then(|lists| lists.get(name)) else {
        let path = root.get("list_files").and_then(|files| files.get(name)).and_then(Node::text);
        return format!("list `@{name}`: phrases of the file `{}`", path.unwrap_or_default());
    };
    let mut entries: Vec<String> = node
        .lines()
        .iter()
        .flat_map(|line| {
            sonometer_author::test::entries(sonometer::protocol::phrase::strip_comment(line.text).0)
        })
        .map(|entry| entry.trim().to_owned())
        .filter(|entry| !entry.is_empty())
        .collect();
    let count = entries.len();
    entries.truncate(ENTRIES);
    let more = if count > ENTRIES { format!(" and {} more", count - ENTRIES) } else { String::new() };
    format!("list `@{name}`, {}: {}{more}", entries_of(count), entries.join(" | "))
}

fn entries_of(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn marker(file: &File, label: &str) -> String {
    let read = Protocol::read_with(file.text(), &|path| file.source.list_file(path));
    let protocol = read.ok().map(|(protocol, _)| protocol);
    let found = protocol.as_ref().and_then(|protocol| {
        let marker = protocol.markers.iter().find(|marker| marker.label == label)?;
        Some((marker, protocol.effect_of(marker)))
    });
    let Some((marker, effect)) = found else { return format!("marker `{label}`") };
    let lines = crate::failure::counted(marker.lines.len(), "pattern line");
    let tests = crate::failure::counted(marker.hit.len() + marker.miss.len(), "test");
    let about = match marker.description.trim() {
        "" => String::new(),
        text => format!("\n\n{text}"),
    };
    format!("marker `{label}`: {}; {lines}, {tests}, triggers at {}{about}", effect.as_str(), marker.trigger)
}

fn of_pattern(file: &File, offset: usize) -> Option<(String, Span)> {
    let lines = names::pattern_lines(file.tree()?, file.keys());
    let (key, span) = lines.into_iter().find(|(_, span)| (span.start..=span.end).contains(&offset))?;
    let line = &file.text()[span.range()];
    let piece = pieces(line, key == "weigh")
        .into_iter()
        .find(|piece| (span.start + piece.range.start..span.start + piece.range.end).contains(&offset))?;
    let text = &line[piece.range.clone()];
    let about = match piece.kind {
        Kind::Class => format!("`{text}`: {}", class(text.trim_matches(['<', '>']))),
        Kind::Regex => format!("`{text}`: a regular expression of the `regex` crate, without look-around"),
        Kind::Quoted => format!("`{text}`: only as written here, with these capitals and accents"),
        Kind::Weight => format!("`{text}`: the weight of the line"),
        Kind::Operator => operator(text).to_owned(),
        Kind::List | Kind::Comment => return None,
    };
    Some((about, Span::new(span.start + piece.range.start, span.start + piece.range.end)))
}

fn operator(text: &str) -> &'static str {
    match text.as_bytes()[0] {
        b'(' | b')' | b'|' => "`(a|b)`: one of these",
        b'{' | b'}' => "`{a}`: the part that is shown as evidence",
        b'?' => "`a?`: may be missing",
        b'*' => "`a*`: any word that begins so",
        b'~' => "`a~`: any inflection of the word",
        b'%' => "`a%1`: with one letter missing, added or changed",
        b'&' => "`a &6 b`: both, in either order, at most so many words apart",
        b'.' => "`a ..3.. b`: at most so many words between them",
        _ => "`^a`: at the start of a sentence",
    }
}

/// What a class finds, in a few words.
pub(super) fn class(name: &str) -> &'static str {
    let Some(class) = Class::from_name(name) else {
        return match name {
            "question" => "a sentence that asks",
            "shout" => "words in capitals",
            _ => "unknown class",
        };
    };
    match class {
        Class::Date => "a date, in digits or words",
        Class::Email => "an e-mail address",
        Class::Iban => "an international bank account number whose check digits are right",
        Class::Ip => "a network address, IPv4 or IPv6",
        Class::Money => "an amount of money, with its sign or name",
        Class::Number => "a number, in digits or words",
        Class::Ordinal => "first, 2nd, third …",
        Class::Pan => "the number of a payment card whose check digit is right",
        Class::Percent => "a percentage",
        Class::Phone => "a telephone number",
        Class::Ssn => "a social security number of the United States",
        Class::Time => "a time of day",
        Class::Url => "a web address",
        Class::Year => "a year",
        Class::Zip => "a ZIP code of the United States",
    }
}

fn of_key_at(file: &File, offset: usize) -> Option<(String, Span)> {
    let text = file.text();
    // The key that the cursor is in: read on to its end, and take the path there.
    let start = text[..text.floor_char_boundary(offset)]
        .rfind(|letter: char| !is_of_key(letter))
        .map_or(0, |at| at + 1);
    let start = text.ceil_char_boundary(start);
    let end = text[start..].find(|letter: char| !is_of_key(letter)).map_or(text.len(), |at| start + at);
    let name = &text[start..end];
    if !text[end..].starts_with(':') || name.is_empty() {
        return None;
    }
    let Cursor { path, place } = Cursor::at(text, end);
    if !matches!(place, Place::Key(_)) {
        return None;
    }
    let Some((_, Target::Map(map))) = follow(file.keys(), &path) else { return None };
    let key = map.keys.iter().find(|key| key.name == name)?;
    Some((format!("`{name}` {}\n\n{}", shape(&key.value), of_key(key)), Span::new(start, end)))
}

fn is_of_key(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-".contains(letter)
}

/// What a key means.
pub(super) fn of_key(key: &Key) -> String {
    let mut text = key.about.to_owned();
    if !key.default.is_empty() {
        text.push_str(&format!("\n\nWithout it: `{}`.", key.default));
    }
    if !key.example.is_empty() {
        text.push_str(&format!("\n\nFor example: `{}: {}`", key.name, key.example));
    }
    text
}

/// What a value is, in a few words.
pub(super) fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Identifier => "a name of lower-case letters, digits, `-` and `_`".to_owned(),
        Shape::Written { names, .. } if !names.is_empty() => format!("for example {}", names.join(", ")),
        Shape::Written { .. } => "text of a fixed form".to_owned(),
        Shape::Name(names) => format!("one of {}", names.join(", ")),
        Shape::Names(names) => format!("some of {}", names.join(", ")),
        Shape::Texts => "a text or a list of texts".to_owned(),
        Shape::Lines => "lines, one a line below `|`".to_owned(),
        Shape::Number(least, most) => format!("a number from {least} to {most}"),
        Shape::Count(least, most) => format!("a whole number from {least} to {most}"),
        Shape::Truth => "true or false".to_owned(),
        Shape::Map(_) => "a map".to_owned(),
        Shape::Maps(_) => "a list of maps".to_owned(),
        Shape::Named(_) => "a map with names of your own".to_owned(),
    }
}

/// The items of a list; none of anything else.
pub(super) fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verb::lsp::document::Columns;

    const TEXT: &str = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nlists: {kind: warm | nice}\nmarkers:\n  - label: thanks\n    strong: |\n      @kind words ..3.. <email>\n    hit: Nice words to a@b.example.\n    repeet: once\n";

    fn about(word: &str) -> String {
        let file =
            File::new("file:///x.yaml".parse().expect("an address"), 1, TEXT.to_owned(), Columns::Utf8);
        at(&file, TEXT.find(word).expect("is there") + 1).map_or_else(String::new, |(text, _)| text)
    }

    #[test]
    fn every_part_has_its_words() {
        assert!(about("strong").contains("Patterns that show it."), "{}", about("strong"));
        assert!(about("kind words").contains("2 entries: warm | nice"), "{}", about("kind words"));
        assert!(about("..3..").contains("words between"), "{}", about("..3.."));
        assert!(
            about("<email>").starts_with("`<email>`: ") && !about("<email>").ends_with("a class"),
            "{}",
            about("<email>")
        );
        assert!(about("thanks").contains("marker `thanks`"), "{}", about("thanks"));
        assert!(about("repeet").contains("SM0302"), "{}", about("repeet"));
    }
}
