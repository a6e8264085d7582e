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
    let mut open: Option<Line> = None;
    for line in output.split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line);
        let element = line.trim_start();
        if element.starts_with("<page ") {
            if pages.len() >= limits.pages {
                return Err(ReadError::too_large("", "the PDF has more pages", limits.pages));
            }
            pages.push(Page { height: number(element, "height"), lines: Vec::new() });
        } else if element.starts_with("<block ") {
            block += 1;
        } else if element.starts_with("<line ") {
            let value = |name: &str| number(element, name);
            let (left, right, top, bottom) = (value("xMin"), value("xMax"), value("yMin"), value("yMax"));
            open = Some(Line { left, right, top, bottom, text: String::new(), block });
            words.clear();
        } else if element.starts_with("</line>") {
            let line = open.take().map(|line| Line { text: tidy::ordered(&words), ..line });
            if let (Some(page), Some(line)) = (pages.last_mut(), line.filter(|line| !line.text.is_empty())) {
                page.lines.push(line);
            }
        } else if let Some(word) = element.strip_prefix("<word ").and_then(|rest| rest.split_once('>')) {
            let word = tidy::plain(&unescaped(word.1.trim_end().trim_end_matches("</word>")));
            bytes += word.len() + 1;
            if bytes > limits.text_bytes {
                return Err(ReadError::too_large("", "the PDF has more bytes of text", limits.text_bytes));
            }
            if !word.is_empty() {
                words.push(word);
            }
        }
    }
    Ok(pages)
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
