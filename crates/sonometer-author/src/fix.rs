//! Changes that mend findings: what a finding says to type, as a change of the text.
//!
//! No change is trusted: one is offered only if the text, read again with it, no longer has the finding.

use sonometer::diagnostic::{Severity, Span};
use sonometer::{Diagnostic, Diagnostics};

/// The most changes that are tried for one finding; each costs reading the text once.
const TRIED: usize = 12;
/// The most changes that [`mend`] makes in one text: with more it is not the file that was meant.
const MENDED: usize = 1_000;

/// Reads a text and gives its findings. The caller knows what kind of file it is and where its list files are.
pub type Read<'r> = dyn Fn(&str) -> Diagnostics + 'r;

/// A change that mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a command: `write strong`.
    pub title: String,
    /// What is replaced: bytes of the text.
    pub span: Span,
    /// By what.
    pub text: String,
    /// Whether only this can have been meant.
    pub sure: bool,
}

impl Fix {
    /// The text with the change; `None` if the span is not one of this text.
    pub fn applied(&self, text: &str) -> Option<String> {
        let (before, after) = (text.get(..self.span.start)?, text.get(self.span.end..)?);
        Some(format!("{before}{}{after}", self.text))
    }
}

/// The changes that mend `finding`, the best first. `all` is what `read` finds in `text`.
pub fn fixes(text: &str, all: &Diagnostics, finding: &Diagnostic, read: &Read<'_>) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = Vec::new();
    let mut tried: Vec<Fix> = Vec::new();
    for fix in candidates(text, finding) {
        if tried.iter().any(|other| other.span == fix.span && other.text == fix.text) {
            continue;
        }
        if tried.len() == TRIED {
            break;
        }
        if mends(text, all, finding, &fix, read) {
            fixes.push(fix.clone());
        }
        tried.push(fix);
    }
    fixes
}

/// The text with all sure changes, and how many there were.
pub fn mend(text: &str, read: &Read<'_>) -> (String, usize) {
    let mut text = text.to_owned();
    let mut mended = 0;
    'again: while mended < MENDED {
        let found = read(&text);
        for finding in &found {
            let sure = fixes(&text, &found, finding, read).into_iter().find(|fix| fix.sure);
            if let Some(better) = sure.and_then(|fix| fix.applied(&text)) {
                text = better;
                mended += 1;
                continue 'again;
            }
        }
        break;
    }
    (text, mended)
}

/// Whether a change takes the finding away and brings no more errors than it takes. What stops the reading (`SM01…`) hides what comes
/// after it, so there more may appear, but not on the line itself.
fn mends(text: &str, all: &Diagnostics, finding: &Diagnostic, fix: &Fix, read: &Read<'_>) -> bool {
    let Some(changed) = fix.applied(text) else { return false };
    let after = read(&changed);
    let same = |found: &Diagnostics| {
        found.iter().filter(|other| other.code == finding.code && other.message == finding.message).count()
    };
    let errors = |found: &Diagnostics| found.iter().filter(|d| d.severity == Severity::Error).count();
    let line = Place::of(&changed, Span::new(fix.span.start, fix.span.start)).line;
    let on_the_line = |d: &Diagnostic| d.span.start <= line.end && d.span.end > line.start;
    let hid_more = finding.code.starts_with("SM01") && all.len() == 1 && !after.iter().any(on_the_line);
    let no_worse = match finding.severity {
        Severity::Error => errors(&after) < errors(all) || hid_more,
        Severity::Warning => errors(&after) <= errors(all),
    };
    same(&after) < same(all) && no_worse
}

/// What the sentence of a finding can mean, the likeliest first.
fn candidates(text: &str, finding: &Diagnostic) -> Vec<Fix> {
    let place = Place::of(text, finding.span);
    let quoted: Vec<&str> = finding.fix.split('`').skip(1).step_by(2).collect();
    let wrong = finding.message.split('`').nth(1);
    let mut made = place.by_code(finding.code);
    if let (true, Some(right)) = (finding.fix.starts_with("did you mean"), quoted.first()) {
        let bare = right.trim_matches(['<', '>']);
        for right in [*right, bare] {
            made.extend(wrong.and_then(|wrong| place.within(wrong, right)));
            made.push(place.replaced(right, true));
        }
    }
    if let Some(names) = finding.fix.strip_prefix("write one of ") {
        let names = names.split(", or leave").next().unwrap_or(names);
        made.extend(names.split(", ").map(|name| place.replaced(name, false)));
    }
    // Sentences with an ellipsis or a choice between two things show a manner, not what to type.
    if finding.fix.starts_with("write ") {
        for right in quoted.iter().filter(|right| !right.contains('…')) {
            made.push(place.replaced(right, false));
            if let Some((_, value)) = right.split_once(": ") {
                made.push(place.replaced(value, false));
                made.push(place.line_replaced(right));
            }
        }
    }
    if finding.fix.contains("add ") {
        for line in quoted.iter().filter(|line| line.contains(": ") && !line.contains('…')) {
            made.push(place.line_added_here(line));
            made.extend(place.line_added_on_top(line));
        }
    }
    let asks = |words: &str| finding.fix.contains(words);
    if asks("lower-case letters, digits") {
        made.extend(place.identifier());
    }
    if asks("for a literal") {
        let at = place.span.start;
        made.push(Fix {
            title: "take it literally".to_owned(),
            span: Span::new(at, at),
            text: "\\".to_owned(),
            sure: false,
        });
    }
    if asks("put a space") || asks("spaces around") {
        made.push(place.replaced(&format!(" {} ", place.here().trim()), false));
    }
    if finding.fix.starts_with("remove") || asks("; remove") || asks("or remove") || asks("leave it out") {
        made.extend(place.line_removed(finding.code == "SM0403" || finding.code == "SM0408"));
        made.extend(place.entry_removed(finding.code == "SM0408"));
    }
    made
}

/// Where a finding stands.
struct Place<'t> {
    text: &'t str,
    span: Span,
    /// The line in which the span begins, without its break.
    line: Span,
}

impl<'t> Place<'t> {
    fn of(text: &'t str, span: Span) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Self { text, span: Span::new(start, end), line: Span::new(line_start, line_end) }
    }

    fn here(&self) -> &'t str {
        &self.text[self.span.range()]
    }

    fn line(&self) -> &'t str {
        &self.text[self.line.range()]
    }

    /// The mechanical ones, each with what it does.
    fn by_code(&self, code: &str) -> Vec<Fix> {
        let one = |title: &str, span: Span, text: String, sure: bool| {
            vec![Fix { title: title.to_owned(), span, text, sure }]
        };
        let close = |mark: &str| {
            one(
                &format!("close it with {mark}"),
                Span::new(self.line.end, self.line.end),
                mark.to_owned(),
                false,
            )
        };
        match code {
            "SM0103" => one("remove the invisible character", self.span, String::new(), true),
            "SM0113" => one("write |", self.span, self.here().replacen('>', "|", 1), true),
            "SM0114" => {
                let indent = self.line().len() - self.line().trim_start().len();
                let span = Span::new(self.line.start, self.line.start + indent);
                // As many as the lines around it have: the first width that leaves no finding on this line.
                let with = |width: usize| self.text[span.range()].replace('\t', &" ".repeat(width));
                [2, 4, 8]
                    .into_iter()
                    .flat_map(|width| one("indent with spaces", span, with(width), true))
                    .collect()
            }
            "SM0116" | "SM0119" => self.quoted(true),
            "SM0118" | "SM0121" | "SM0126" | "SM0128" | "SM0129" => self.quoted(false),
            "SM0133" => match self.here().find(':') {
                Some(colon) => {
                    let at = self.span.start + colon + 1;
                    one("write a space after the colon", Span::new(at, at), " ".to_owned(), true)
                }
                // Words behind the key are its value; items below it are a list, anything else most likely lines of text.
                None if self.here().trim().contains(' ') => Vec::new(),
                None => {
                    let end = self.line.start + self.line().trim_end().len();
                    let below = self.text[self.line.end..].lines().find(|line| !line.trim().is_empty());
                    match below.is_some_and(|line| line.trim_start().starts_with("- ")) {
                        true => one("write a colon", Span::new(end, end), ":".to_owned(), true),
                        false => one("write a colon and |", Span::new(end, end), ": |".to_owned(), true),
                    }
                }
            },
            "SM0203" => {
                let shown = self.line().trim();
                let start = self.line.start + self.line().find(shown).unwrap_or(0);
                one(
                    "put the alternatives in parentheses",
                    Span::new(start, start + shown.len()),
                    format!("({shown})"),
                    false,
                )
            }
            "SM0204" => one("remove the parenthesis", self.span, self.here().replacen(')', "", 1), false),
            "SM0206" => close(")"),
            "SM0211" => one("remove the ?", self.span, self.here().replace('?', ""), true),
            "SM0212" => close(">"),
            "SM0214" => close("\""),
            "SM0215" => close("/"),
            "SM0219" => one("remove the backslash", self.span, self.here().replacen('\\', "", 1), true),
            "SM0241" => one("remove the braces", self.line, self.line().replace(['{', '}'], ""), true),
            _ => Vec::new(),
        }
    }

    /// The value of this line in quotes.
    fn quoted(&self, sure: bool) -> Vec<Fix> {
        let line = self.line();
        let Some(colon) = line.find(": ") else { return Vec::new() };
        let value = line[colon + 2..].trim();
        let start =
            self.line.start + colon + 2 + (line[colon + 2..].len() - line[colon + 2..].trim_start().len());
        let text = format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        vec![Fix {
            title: "put the value in quotes".to_owned(),
            span: Span::new(start, start + value.len()),
            text,
            sure,
        }]
    }

    /// The name in letters that an identifier may have; none if there are none in it.
    fn identifier(&self) -> Option<Fix> {
        let here = self.here().trim_matches(['"', '\'']).to_lowercase();
        let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        let mut name: String = here.chars().map(|c| if letter(c) { c } else { '-' }).collect();
        while name.contains("--") {
            name = name.replace("--", "-");
        }
        let name = name.trim_matches('-');
        let name = name.get(..64).unwrap_or(name);
        (!name.is_empty()).then(|| self.replaced(name, false))
    }

    /// The span with one name in it replaced.
    fn within(&self, wrong: &str, right: &str) -> Option<Fix> {
        let at = self.span.start + self.here().find(wrong)?;
        let span = Span::new(at, at + wrong.len());
        let sure = words(wrong) <= words(right);
        Some(Fix { title: format!("write {right}"), span, text: right.to_owned(), sure })
    }

    fn replaced(&self, right: &str, sure: bool) -> Fix {
        let sure = sure && words(self.here()) <= words(right);
        Fix { title: format!("write {right}"), span: self.span, text: right.to_owned(), sure }
    }

    /// The whole `key: value` of this line replaced.
    fn line_replaced(&self, right: &str) -> Fix {
        let line = self.line();
        let start = self.line.start + (line.len() - line.trim_start_matches([' ', '-']).len());
        Fix {
            title: format!("write {right}"),
            span: Span::new(start, self.line.end),
            text: right.to_owned(),
            sure: false,
        }
    }

    /// A line before this one, beside its key.
    fn line_added_here(&self, added: &str) -> Fix {
        let line = self.line();
        let column = line.len() - line.trim_start_matches([' ', '-']).len();
        let at = self.line.start + column;
        let text = format!("{added}\n{}", " ".repeat(column));
        Fix { title: format!("add {added}"), span: Span::new(at, at), text, sure: false }
    }

    /// A line among the first keys of the file: after its second line, as its first keys name the format and the id.
    fn line_added_on_top(&self, added: &str) -> Option<Fix> {
        let first = self.text.lines().position(|line| line.starts_with("sonometer"))?;
        let at: usize = self.text.split_inclusive('\n').take(first + 1).map(str::len).sum();
        let text = format!("{added}\n");
        Some(Fix { title: format!("add {added}"), span: Span::new(at, at), text, sure: false })
    }

    /// This line taken away, if the finding is about all of it.
    fn line_removed(&self, sure: bool) -> Option<Fix> {
        let shown = self.line().trim_start_matches([' ', '-']).trim_end();
        let is_key = shown.split_once(':').is_some_and(|(key, value)| {
            key.trim() == self.here().trim() && !value.trim().is_empty() && !value.trim().starts_with('|')
        });
        if shown != self.here().trim() && !is_key {
            return None;
        }
        let end = (self.line.end + 1).min(self.text.len());
        Some(Fix {
            title: "remove this line".to_owned(),
            span: Span::new(self.line.start, end),
            text: String::new(),
            sure,
        })
    }

    /// This entry of a list in brackets taken away, with the comma that it no longer needs.
    fn entry_removed(&self, sure: bool) -> Option<Fix> {
        let after = &self.text[self.span.end..];
        let before = &self.text[self.line.start..self.span.start];
        let span = match (after.strip_prefix(", "), before.strip_suffix(", ")) {
            (Some(_), _) => Span::new(self.span.start, self.span.end + 2),
            (None, Some(_)) => Span::new(self.span.start - 2, self.span.end),
            (None, None) => return None,
        };
        Some(Fix { title: format!("remove {}", self.here()), span, text: String::new(), sure })
    }
}

/// How many words a text has: with fewer, something that was meant is dropped.
fn words(text: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Document;

    const SOUND: &str = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nmarkers:\n  - label: thanks\n    strong: |\n      thank you\n    hit: Thank you.\n";

    fn findings(text: &str) -> Diagnostics {
        match Document::read(text) {
            Ok((_, warnings)) => warnings,
            Err(error) => error.diagnostics,
        }
    }

    fn mended(text: &str) -> (String, usize) {
        mend(text, &findings)
    }

    #[test]
    fn nothing_to_mend_changes_nothing() {
        assert_eq!(mended(SOUND), (SOUND.to_owned(), 0));
    }

    #[test]
    fn slips_are_mended() {
        for (right, wrong) in [
            ("    strong: |", "    stong: |"),
            ("taxonomy: Signal", "taxonomy: Signl"),
            ("    strong: |", "    strong: >"),
            ("    strong: |", "    strong"),
            ("    hit: Thank you.", "    hti: Thank you."),
            ("  - label: thanks", "  - label:thanks"),
            ("    hit: Thank you.", "\thit: Thank you."),
            ("markers:", "markers"),
        ] {
            assert!(SOUND.contains(right));
            let broken = SOUND.replacen(right, wrong, 1);
            assert_eq!(mended(&broken), (SOUND.to_owned(), 1), "{wrong}: {:?}", findings(&broken));
        }
        let twice =
            SOUND.replace("    strong: |", "    stong: |").replace("taxonomy: Signal", "taxonomy: Signl");
        assert_eq!(mended(&twice), (SOUND.to_owned(), 2));
    }

    #[test]
    fn no_part_of_a_list_without_brackets_is_dropped() {
        let roles = SOUND.replace("    strong: |", "    by: agent, customer\n    strong: |").replace(
            "taxonomy: Signal",
            "taxonomy: Signal\nmodalities: text, transcript\nactants: {primary: agent, secondary: customer}",
        );
        let test = "tests:\n  - name: t\n    talk: \"agent: Thank you.\"\n    expect:\n      silent: thanks, thanks\n";
        for broken in [roles, format!("{SOUND}{test}"), SOUND.replace("Signal", "Signl, Skill")] {
            assert_eq!(mended(&broken), (broken.clone(), 0));
            let found = findings(&broken);
            for finding in found.iter().filter(|finding| finding.code != "SM0307") {
                let first = fixes(&broken, &found, finding, &findings).into_iter().next();
                assert!(first.is_some_and(|fix| fix.text.starts_with('[')), "{finding}");
            }
        }
    }

    #[test]
    fn a_list_with_a_wrong_name_changes_no_line_that_names_it() {
        let broken = SOUND
            .replace("markers:", "lists: {Action: refund | order}\nmarkers:")
            .replace("      thank you\n", "      thank you\n      get @action\n      get @acton\n");
        assert!(!findings(&broken).is_empty());
        assert!(!mended(&broken).0.contains("@Action"), "{broken}");
    }

    #[test]
    fn what_could_be_meant_otherwise_is_offered_and_not_made() {
        let broken = SOUND.replace("version: \"1.0\"\n", "");
        assert_eq!(mended(&broken), (broken.clone(), 0));
        let found = findings(&broken);
        let finding = found.iter().next().expect("the version is missing");
        let fixes = fixes(&broken, &found, finding, &findings);
        let fix = fixes.first().unwrap_or_else(|| panic!("{finding}"));
        assert!(!fix.sure);
        let text = fix.applied(&broken).expect("is within");
        assert!(findings(&text).is_empty(), "{text}");
    }

    /// Of every code that the page shows with its correction, changes mend what they say they mend; how many have one is counted here,
    /// so that a sentence that changes does not silently lose its change.
    #[test]
    fn the_examples_of_the_page_are_mended() {
        let mut with_a_fix = Vec::new();
        for section in sonometer::diagnostic::page::sections() {
            if section.example.language != "yaml" || !section.example.text.contains("sonometer") {
                continue;
            }
            let text = section.example.text;
            let found = findings(text);
            let Some(finding) = found.iter().find(|finding| finding.code == section.code) else { continue };
            if !fixes(text, &found, finding, &findings).is_empty() {
                with_a_fix.push(section.code);
            }
        }
        assert!(with_a_fix.len() >= 8, "{with_a_fix:?}");
    }
}
