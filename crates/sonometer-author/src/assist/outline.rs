//! Where a cursor stands in a file that is being written: found by indentation, so that it works where nothing can be read yet.

/// Where a cursor stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cursor<'t> {
    /// The keys from the root to what the cursor is in; items of lists are not counted.
    pub(super) path: Vec<&'t str>,
    pub(super) place: Place<'t>,
}

/// What is being written there, as far as the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place<'t> {
    /// A key of the map at the path, or an item of a list.
    Key(&'t str),
    /// The value of the last key of the path.
    Value(&'t str),
    /// A line of the block below the last key of the path.
    Line(&'t str),
}

/// A line that names a key.
struct KeyLine<'t> {
    key: &'t str,
    column: usize,
    /// The column of a dash before it.
    dash: Option<usize>,
    /// Whether a block of lines follows.
    opens_block: bool,
}

impl<'t> Cursor<'t> {
    /// Of the byte `at`.
    pub(super) fn at(text: &'t str, at: usize) -> Self {
        let at = text.floor_char_boundary(at.min(text.len()));
        let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
        let written = &text[start..at];
        let column = indent(written);
        let above: Vec<KeyLine<'t>> =
            ancestors(&text[..start], column, written[column..].starts_with("- ") || written.trim() == "-");
        let block = above.iter().position(|line| line.opens_block);
        let mut path: Vec<&str> = above.iter().map(|line| line.key).collect();
        if let Some(block) = block {
            path.truncate(block + 1);
            return Self { path, place: Place::Line(written.trim_start()) };
        }
        let rest = written.trim_start_matches([' ', '-']);
        match rest
            .split_once(':')
            .filter(|(key, after)| is_key(key) && (after.is_empty() || after.starts_with(' ')))
        {
            Some((key, value)) if written.ends_with(':') || !value.is_empty() => {
                path.push(key);
                within_brackets(value.trim_start(), path)
            }
            _ => Self { path, place: Place::Key(rest) },
        }
    }
}

/// The rest of a line whose value may be a map or list in brackets.
fn within_brackets<'t>(value: &'t str, mut path: Vec<&'t str>) -> Cursor<'t> {
    if !value.starts_with(['{', '[']) {
        return Cursor { path, place: Place::Value(value) };
    }
    // For every open bracket: whether it is a map, and the key whose value it holds now.
    let mut open: Vec<(bool, Option<&str>)> = Vec::new();
    let (mut from, mut quote) = (0, None);
    for (at, byte) in value.bytes().enumerate() {
        match (quote, byte) {
            (Some(mark), _) if mark == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[') => {
                open.push((byte == b'{', None));
                from = at + 1;
            }
            (None, b'}' | b']') => {
                open.pop();
                from = at + 1;
            }
            (None, b',') => {
                if let Some((_, key)) = open.last_mut() {
                    *key = None;
                }
                from = at + 1;
            }
            (None, b':') => {
                if let Some((true, key)) = open.last_mut() {
                    *key = Some(value[from..at].trim().trim_matches(['"', '\'']));
                    from = at + 1;
                }
            }
            (None, _) => {}
        }
    }
    path.extend(open.iter().filter_map(|(_, key)| *key));
    let written = value[from..].trim_start();
    let place = match open.last() {
        Some((true, None)) => Place::Key(written),
        _ => Place::Value(written.trim_start_matches(['"', '\''])),
    };
    Cursor { path, place }
}

/// The lines whose keys a line at this column belongs to, the outermost first.
fn ancestors(text: &str, column: usize, is_item: bool) -> Vec<KeyLine<'_>> {
    // A list may stand in the column of its key.
    let mut limit = if is_item { column + 1 } else { column };
    let mut found = Vec::new();
    for line in text.lines().rev() {
        if limit == 0 {
            break;
        }
        let dash = line.trim_start().starts_with("- ").then(|| indent(line));
        if let Some(line) = key_line(line).filter(|line| line.column < limit) {
            limit = line.column;
            found.push(line);
        }
        if let Some(dash) = dash.filter(|dash| *dash < limit) {
            limit = dash + 1;
        }
    }
    found.reverse();
    found
}

fn key_line(line: &str) -> Option<KeyLine<'_>> {
    let shown = line.trim_start();
    let dash = shown.starts_with("- ").then(|| indent(line));
    let rest = shown.trim_start_matches("- ").trim_start();
    let (key, value) = rest.split_once(':')?;
    let opens_block = value.trim_start().starts_with('|');
    let is_sound = is_key(key) && (value.is_empty() || value.starts_with(' '));
    is_sound.then(|| KeyLine { key, column: line.len() - rest.len(), dash, opens_block })
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The other keys of the map that holds the byte `at`.
pub(super) fn beside(text: &str, at: usize) -> Vec<&str> {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let written = &text[start..at];
    let column = written.len() - written.trim_start_matches([' ', '-']).len();
    let own_dash = written.trim_start().starts_with("- ");
    let mut keys = Vec::new();
    if !own_dash {
        for line in text[..start].lines().rev().filter(|line| !line.trim().is_empty()) {
            let Some(line) = key_line(line) else { continue };
            if line.column < column {
                break;
            }
            if line.column == column {
                keys.push(line.key);
                if line.dash.is_some() {
                    break;
                }
            }
        }
    }
    let after = text[at..].find('\n').map_or("", |end| &text[at + end + 1..]);
    for line in after.lines().filter(|line| !line.trim().is_empty()) {
        if indent(line) < column {
            break;
        }
        if let Some(line) = key_line(line).filter(|line| line.column == column && line.dash.is_none()) {
            keys.push(line.key);
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cursor stands where `‸` is.
    fn at(text: &str) -> (String, String) {
        let at = text.find('‸').expect("a cursor");
        let text = text.replace('‸', "");
        let cursor = Cursor::at(&text, at);
        (cursor.path.join("."), format!("{:?}", cursor.place))
    }

    fn is(text: &str, path: &str, place: &str) {
        assert_eq!(at(text), (path.to_owned(), place.to_owned()), "{text}");
    }

    #[test]
    fn keys_of_every_depth() {
        is("sono‸", "", r#"Key("sono")"#);
        is("sonometer: 1\nmarkers:\n  - lab‸", "markers", r#"Key("lab")"#);
        is("markers:\n  - label: a\n    str‸", "markers", r#"Key("str")"#);
        is("markers:\n- label: a\n  str‸", "markers", r#"Key("str")"#);
        is("markers:\n  - label: a\n    after:\n      any: b\n      wi‸", "markers.after", r#"Key("wi")"#);
        is("markers:\n  - label: a\n    strong: |\n      b: c\n    cl‸", "markers", r#"Key("cl")"#);
        is("markers:\n  - label: a\n  - l‸", "markers", r#"Key("l")"#);
        is("actants:\n  primary: a\n‸", "", r#"Key("")"#);
    }

    #[test]
    fn values_and_lines() {
        is("score: ri‸", "score", r#"Value("ri")"#);
        is("score:‸", "score", r#"Value("")"#);
        is(
            "markers:\n  - label: a\n    strong: |\n      thank you @k‸",
            "markers.strong",
            r#"Line("thank you @k")"#,
        );
        is("tests:\n  - name: a\n    talk: |\n      agent: Hel‸", "tests.talk", r#"Line("agent: Hel")"#);
        is("tests:\n  - expect: {fires: [a, b‸", "tests.expect.fires", r#"Value("b")"#);
        is("tests:\n  - expect: {fires: [a], sil‸", "tests.expect", r#"Key("sil")"#);
        is("tests:\n  - expect: {score: {at_least: 0‸", "tests.expect.score.at_least", r#"Value("0")"#);
    }

    #[test]
    fn neighbours_are_known() {
        let text =
            "markers:\n  - label: a\n    strong: |\n      x\n    \n    hit: b\n  - label: c\n    miss: d\n";
        let at = text.find("    \n").expect("is there") + 4;
        assert_eq!(beside(text, at), ["strong", "label", "hit"]);
    }
}
