//! What is known about a place: a key, a list, a class, a marker, a finding.

use super::complete::{Target, follow};
use super::draft::Draft;
use super::names::{self, Named};
use super::outline::{Cursor, Place};
use super::pattern::{Kind, pieces};
use sonometer::class::Class;
use sonometer::diagnostic::{Span, page};
use sonometer::document::Node;
use sonometer::keys::{Key, Shape};
use sonometer::protocol::ListFiles;
use sonometer::{Diagnostics, Protocol};

/// How many entries of a list are shown.
const ENTRIES: usize = 12;

/// Markdown about a byte, and the place that it is about. `found` is what `check` says of the text, `files` gives its list files.
pub fn explain(
    draft: &Draft,
    offset: usize,
    found: &Diagnostics,
    files: &ListFiles<'_>,
) -> Option<(String, Span)> {
    let mut parts = Vec::new();
    let mut place = None;
    for finding in found {
        let span = finding.span;
        let is_here = (span.start..=span.end).contains(&offset);
        if let Some(section) = page::section(finding.code).filter(|_| is_here) {
            parts.push(format!("**{}: {}**\n\n{}", section.code, section.title, section.meaning));
            place = Some(span);
        }
    }
    let about = of_name(draft, offset, files)
        .or_else(|| of_pattern(draft, offset))
        .or_else(|| of_key_at(draft, offset));
    if let Some((text, span)) = about {
        parts.insert(0, text);
        place = Some(span);
    }
    Some((parts.join("\n\n---\n\n"), place?))
}

fn of_name(draft: &Draft, offset: usize, files: &ListFiles<'_>) -> Option<(String, Span)> {
    let root = draft.tree()?;
    let names = names::all(draft.text(), root, draft.keys());
    let name = names::at(&names, offset)?;
    let uses = names::same(&names, name).filter(|name| !name.is_definition).count();
    let text = match name.named {
        Named::List => list(root, &name.text),
        Named::Marker => marker(draft, &name.text, files),
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
        return match path {
            Some(path) => format!("list `@{name}`: phrases of the file `{path}`"),
            None => format!("there is no list `@{name}`"),
        };
    };
    let mut entries: Vec<String> = node
        .lines()
        .iter()
        .flat_map(|line| crate::test::entries(sonometer::protocol::phrase::strip_comment(line.text).0))
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

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn marker(draft: &Draft, label: &str, files: &ListFiles<'_>) -> String {
    let read = Protocol::read_with(draft.text(), files);
    let protocol = read.ok().map(|(protocol, _)| protocol);
    let found = protocol.as_ref().and_then(|protocol| {
        let marker = protocol.markers.iter().find(|marker| marker.label == label)?;
        Some((marker, protocol.effect_of(marker)))
    });
    let Some((marker, effect)) = found else { return format!("marker `{label}`") };
    let lines = counted(marker.lines.len(), "pattern line");
    let tests = counted(marker.hit.len() + marker.miss.len(), "test");
    let about = match marker.description.trim() {
        "" => String::new(),
        text => format!("\n\n{text}"),
    };
    format!("marker `{label}`: {}; {lines}, {tests}, triggers at {}{about}", effect.as_str(), marker.trigger)
}

fn of_pattern(draft: &Draft, offset: usize) -> Option<(String, Span)> {
    let lines = names::pattern_lines(draft.tree()?, draft.keys());
    let (key, span) = lines.into_iter().find(|(_, span)| (span.start..=span.end).contains(&offset))?;
    let line = &draft.text()[span.range()];
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

/// What stands between `<` and `>`, each with what it finds: the classes, and what is written like one.
pub(super) fn classes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let names = Class::ALL.into_iter().map(Class::name).chain(["question", "shout", "start", "end"]);
    names.map(|name| (name, class(name)))
}

/// What a class finds, in a few words.
fn class(name: &str) -> &'static str {
    let Some(class) = Class::from_name(name) else {
        return match name {
            "question" => "a sentence that asks",
            "shout" => "words in capitals, or a word followed by !!",
            "start" => "the beginning of a sentence",
            "end" => "the end of a sentence",
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

fn of_key_at(draft: &Draft, offset: usize) -> Option<(String, Span)> {
    let text = draft.text();
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
    let Some((_, Target::Map(map))) = follow(draft.keys(), &path) else { return None };
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

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Document;
    use sonometer::protocol::NoFile;

    const TEXT: &str = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nlists: {kind: warm | nice}\nmarkers:\n  - label: thanks\n    strong: |\n      @kind words ..3.. <email>\n    hit: Nice words to a@b.example.\n    repeet: once\n";

    fn about(word: &str) -> String {
        about_in(TEXT, word)
    }

    fn about_in(text: &str, word: &str) -> String {
        let no_file = |_: &str| Err(NoFile::missing("name a file that exists"));
        let found = match Document::read_with(text, &no_file) {
            Ok((_, warnings)) => warnings,
            Err(error) => error.diagnostics,
        };
        let at = text.find(word).expect("is there") + 1;
        explain(&Draft::new(text.to_owned()), at, &found, &no_file).map_or_else(String::new, |(text, _)| text)
    }

    #[test]
    fn a_list_that_is_not_there_is_said_to_be_missing() {
        let text = TEXT.replace("@kind words", "@kin words");
        assert!(about_in(&text, "@kin words").starts_with("there is no list `@kin`"));
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
