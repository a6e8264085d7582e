//! Lines by poppler's `pdftotext -bbox-layout`, which knows columns, and words in the order in which they are seen.

use super::{Line, Page, encrypted, tidy};
use crate::Limits;
use crate::error::ReadError;
use crate::sniff::find;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The pages; `None` where the program is not installed, or does not read this file.
pub(super) fn pages(bytes: &[u8], limits: &Limits) -> Result<Option<Vec<Page>>, ReadError> {
    let last = limits.pages.saturating_add(1).to_string();
    let mut command = Command::new("pdftotext");
    command.args(["-q", "-enc", "UTF-8", "-bbox-layout", "-l", &last, "-", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Ok(None) };
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let read = thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that gave up early says so by its status.
                let _ = stdin.write_all(bytes);
            }
        });
        stdout.map_or_else(|| Ok(Vec::new()), |stdout| parse(BufReader::new(stdout), limits))
    });
    if read.is_err() {
        // It may still be writing what nobody reads any more.
        let _ = child.kill();
    }
    let status = child.wait();
    let pages = read?;
    match status {
        Ok(status) if status.success() => Ok(Some(pages)),
        _ if find(bytes, b"/Encrypt").is_some() => Err(encrypted()),
        _ => Ok(None),
    }
}

/// One element stands on each line of the output.
pub(super) fn parse(output: impl BufRead, limits: &Limits) -> Result<Vec<Page>, ReadError> {
    let mut pages: Vec<Page> = Vec::new();
    let (mut block, mut bytes) = (0, 0);
    let mut words: Vec<String> = Vec::new();
    let mut last: Option<Extent> = None;
    let mut open: Option<Line> = None;
    for line in output.split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line);
        let element = line.trim_start();
        if element.starts_with("<page ") {
            if pages.len() >= limits.pages {
                return Err(ReadError::too_large("", "the PDF has too many pages", limits.pages));
            }
            pages.push(Page { height: number(element, "height"), lines: Vec::new() });
        } else if element.starts_with("<block ") {
            block += 1;
        } else if element.starts_with("<line ") {
            let value = |name: &str| number(element, name);
            let (left, right, top, bottom) = (value("xMin"), value("xMax"), value("yMin"), value("yMax"));
            open = Some(Line { left, right, top, bottom, text: String::new(), block });
            words.clear();
            last = None;
        } else if element.starts_with("</line>") {
            let line = open.take().map(|line| Line { text: tidy::ordered(&words), ..line });
            if let (Some(page), Some(line)) = (pages.last_mut(), line.filter(|line| !line.text.is_empty())) {
                page.lines.push(line);
            }
        } else if let Some(word) = element.strip_prefix("<word ").and_then(|rest| rest.split_once('>')) {
            let word = unescaped(word.1.trim_end().trim_end_matches("</word>"));
            bytes += word.len() + 1;
            if bytes > limits.text_bytes {
                return Err(ReadError::too_large(
                    "",
                    "the PDF has too many bytes of text",
                    limits.text_bytes,
                ));
            }
            if tidy::plain(&word).is_empty() {
                continue;
            }
            let extent = Extent::of(element);
            match words.last_mut() {
                Some(before) if last.is_some_and(|last| last.is_one_with(&extent, before, &word)) => {
                    before.push_str(&word);
                }
                _ => words.push(word),
            }
            last = Some(extent);
        }
    }
    Ok(pages)
}

/// Where a word stands on its page.
#[derive(Clone, Copy, Debug)]
struct Extent {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Extent {
    fn of(element: &str) -> Self {
        let value = |name: &str| number(element, name);
        Self { left: value("xMin"), right: value("xMax"), top: value("yMin"), bottom: value("yMax") }
    }

    /// Whether the next word is one with this: poppler begins another with every font, and no space stands there. What is raised
    /// or smaller, such as the number of a note, stays a word of its own, and so does a number beside letters that are read from
    /// right to left.
    fn is_one_with(&self, next: &Self, word: &str, next_word: &str) -> bool {
        let height = (self.bottom - self.top).min(next.bottom - next.top);
        let is_level =
            (self.bottom - next.bottom).abs() < height * 0.15 && (self.top - next.top).abs() < height * 0.15;
        let gap = next.left - self.right;
        if !is_level || gap < -0.5 * height {
            return false;
        }
        // Chinese and Japanese have no spaces, but wide gaps between letters.
        let is_wide = word.ends_with(tidy::is_wide) && next_word.starts_with(tidy::is_wide);
        if is_wide {
            return gap < height * 0.5;
        }
        gap < height * 0.06 && tidy::fits(word, next_word)
    }
}

fn number(element: &str, name: &str) -> f64 {
    let value = element.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
    value
        .and_then(|(value, _)| value.parse().ok())
        .filter(|value: &f64| value.is_finite())
        .unwrap_or_default()
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let pairs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of one line: from where to where, from top to bottom, text.
    fn line(words: &[(f64, f64, f64, f64, &str)]) -> String {
        let words: Vec<String> = words
            .iter()
            .map(|(left, right, top, bottom, text)| {
                format!(
                    "<word xMin=\"{left}\" yMin=\"{top}\" xMax=\"{right}\" yMax=\"{bottom}\">{text}</word>"
                )
            })
            .collect();
        let words = words.join("\n");
        let page = format!(
            "<page width=\"100\" height=\"100\">\n<block xMin=\"0\">\n<line xMin=\"0\">\n{words}\n</line>\n"
        );
        let pages = parse(page.as_bytes(), &Limits::default()).expect("is sound");
        pages[0].lines[0].text.clone()
    }

    #[test]
    fn words_without_a_space_between_them_are_one() {
        let of = |gap: f64, second: &str| {
            line(&[(0.0, 10.0, 0.0, 10.0, "neg"), (10.0 + gap, 30.0, 0.0, 10.0, second)])
        };
        assert_eq!(of(-0.05, "ative"), "negative");
        assert_eq!(of(0.3, ","), "neg,");
        assert_eq!(of(2.0, "ative"), "neg ative");
        // Something else that is drawn over it.
        assert_eq!(of(-8.0, "ative"), "neg ative");
    }

    #[test]
    fn numbers_of_notes_stay_apart() {
        assert_eq!(line(&[(0.0, 10.0, 0.0, 10.0, "harbour"), (10.0, 13.0, 0.0, 6.0, "3")]), "harbour 3");
        assert_eq!(line(&[(0.0, 4.0, 0.0, 10.0, "١"), (4.0, 20.0, 0.0, 10.0, "ةغللا")]), "اللغة ١");
    }

    #[test]
    fn wide_letters_have_no_spaces() {
        let of = |gap: f64| line(&[(0.0, 10.0, 0.0, 10.0, "使"), (10.0 + gap, 30.0, 0.0, 10.0, "用")]);
        assert_eq!(of(1.2), "使用");
        assert_eq!(of(20.0), "使 用");
    }
}
