//! The page of the classes: the heads of the files that scan them, so that the grammar is written once.

use std::path::Path;

/// The files in the order of the page, with the names of their sections.
const FILES: [(&str, &str); 13] = [
    ("mod", "What all classes share"),
    ("text", "Words and edges"),
    ("number", "Numbers"),
    ("money", "Money"),
    ("date", "Dates"),
    ("time", "Times"),
    ("email", "E-mail addresses"),
    ("url", "Web addresses"),
    ("phone", "Telephone numbers"),
    ("payment", "Cards and accounts"),
    ("network", "Network addresses"),
    ("identity", "Numbers of the United States"),
    ("words", "Words by language"),
];

/// The longest line of the page in characters, and where a longer one is cut.
const LONGEST_LINE: usize = 160;
const WRAPPED: usize = 140;

const INTRODUCTION: &str = "\
<!-- Written by `cargo xtask tables` from the heads of the files in `crates/sonometer/src/class`; change it there. -->
# The classes, exactly

The grammar of every class of the phrase language (`<email>`, `<money>`, …) over the folded text; [semantics.md](semantics.md) says
what a fold, a token and an occurrence are, and defines `<shout>` and `<question>`. The lists of words stand in
[class-words.tsv](tables/class-words.tsv), the structures of account numbers in [iban.tsv](tables/iban.tsv). The grammars are the heads of the
files that scan them.
";

/// The page, from the sources beside the crate of this task.
pub(super) fn page(manifest: &Path) -> Result<String, String> {
    let mut page = INTRODUCTION.to_owned();
    for (file, title) in FILES {
        let path = manifest.join("../sonometer/src/class").join(file).with_extension("rs");
        let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        page.push_str(&format!("\n## {title}\n\n"));
        for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
            let line = line.strip_prefix(' ').unwrap_or(line);
            // A heading of a file is one of a section here.
            if line.starts_with('#') {
                page.push_str("##");
            }
            for line in wrapped(&linked(line)) {
                page.push_str(&line);
                page.push('\n');
            }
        }
    }
    Ok(page)
}

/// A line that links made too long for a page, cut at spaces outside of code and links. What follows is as far right as its text.
fn wrapped(line: &str) -> Vec<String> {
    if line.chars().count() <= LONGEST_LINE {
        return vec![line.to_owned()];
    }
    let text = line.trim_start();
    let mark = text.split_once(' ').map_or("", |(mark, _)| mark);
    let is_item = mark == "-" || mark.strip_suffix('.').is_some_and(|number| number.parse::<u8>().is_ok());
    let indent = " ".repeat(line.len() - text.len() + if is_item { mark.len() + 1 } else { 0 });
    let mut lines = vec![String::new()];
    let (mut code, mut link) = (false, 0_u32);
    for word in line.split_inclusive(' ') {
        let at = lines.len() - 1;
        let is_free = !code && link == 0;
        if is_free && lines[at].chars().count() + word.trim_end().chars().count() > WRAPPED {
            lines.push(indent.clone());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
        }
        for c in word.chars() {
            match c {
                '`' => code = !code,
                '[' if !code => link += 1,
                ']' if !code => link = link.saturating_sub(1),
                _ => {}
            }
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// A line in which files that have a section are links to it.
fn linked(line: &str) -> String {
    FILES.iter().fold(line.to_owned(), |line, (file, title)| {
        let anchor: String = title.to_lowercase().replace(' ', "-");
        line.replace(&format!("`{file}.rs`"), &format!("[{title}](#{anchor})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_cut_outside_of_code_and_links() {
        assert_eq!(wrapped("  short"), ["  short"]);
        let head = format!("3. {}", "word ".repeat(26));
        let line =
            format!("{head}`code with spaces in it` [a link with spaces](#there) and {}", "more ".repeat(8));
        let lines = wrapped(&line);
        assert_eq!(lines.concat().matches("`code with spaces in it`").count(), 1, "{lines:?}");
        assert_eq!(lines.concat().matches("[a link with spaces](#there)").count(), 1, "{lines:?}");
        assert!(lines.len() > 1 && lines[1].starts_with("   ") && !lines[1].starts_with("    "), "{lines:?}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&lines.join("\n")), words(&line));
    }
}
