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
            page.push_str(&linked(line));
            page.push('\n');
        }
    }
    Ok(page)
}

/// A line in which files that have a section are links to it.
fn linked(line: &str) -> String {
    FILES.iter().fold(line.to_owned(), |line, (file, title)| {
        let anchor: String = title.to_lowercase().replace(' ', "-");
        line.replace(&format!("`{file}.rs`"), &format!("[{title}](#{anchor})"))
    })
}
