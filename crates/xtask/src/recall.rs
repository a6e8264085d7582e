//! `cargo xtask recall`: how many of the words of documents our readers find, against poppler's `pdftotext` in its plain mode
//! (PDF) and pandoc (all others), and what the reading costs. One Markdown table, that of
//! `docs/measured/documents.md`.

mod documents;
mod reading;
mod words;

use self::documents::Document;
use self::reading::{Reading, Reference};
use self::words::{Score, Words};
use crate::test::build_command;
use sonometer_report::grouped;
use std::path::{Path, PathBuf};

/// So many words are named by `--words`.
const NAMED: usize = 40;

/// Measures these files, or those of Debian packages where none is given. With `names_words`, below each file stand the words
/// whose counts differ most.
pub(crate) fn run(names_words: bool, files: &[&str]) -> Result<(), String> {
    let command = build_command(&["--release", "--features", "documents"])?;
    let documents = if files.is_empty() {
        let target = command.ancestors().nth(2).unwrap_or(&command);
        documents::gather(&target.join("recall"))
    } else {
        given(files)?
    };
    println!(
        "| file | pages | words | recall | more | seconds | MiB | built-in: recall | more | seconds | MiB |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    for document in &documents {
        if !reading::is_there(document.reference.program()) {
            eprintln!("skipped: {} (there is no {})", document.name, document.reference.program());
            continue;
        }
        match row(&command, document, names_words) {
            Ok(row) => println!("{row}"),
            Err(why) => eprintln!("skipped: {} ({why})", document.name),
        }
    }
    Ok(())
}

fn given(files: &[&str]) -> Result<Vec<Document>, String> {
    let document = |file: &&str| {
        let path = PathBuf::from(file);
        let reference = Reference::of(&path).ok_or(format!(
            "{file}: nothing to compare it with; give .pdf, .html, .docx, .odt, .rtf or .md"
        ))?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Document { name, path, reference })
    };
    files.iter().map(document).collect()
}

fn row(command: &Path, document: &Document, names_words: bool) -> Result<String, String> {
    let reference = document.reference.words(&document.path)?;
    let is_pdf = document.reference == Reference::Pdftotext;
    let usual = reading::read(command, &document.path, false)?;
    let builtin = if is_pdf { Some(reading::read(command, &document.path, true)?) } else { None };
    let pages = if is_pdf { reading::pages(&document.path) } else { None };
    let mut row = format!(
        "| {} | {} | {} | {} | {} |",
        document.name,
        pages.map(grouped).unwrap_or_default(),
        grouped(reference.values().sum()),
        // Where `pdftotext` could not read it, this column would tell of the other reader.
        if is_pdf && usual.used_builtin { "- | - | - | -".to_owned() } else { cells(&usual, &reference) },
        builtin.as_ref().map_or_else(|| " | | | ".to_owned(), |builtin| cells(builtin, &reference)),
    );
    if names_words {
        for reading in [Some(&usual), builtin.as_ref()].into_iter().flatten() {
            if let Ok(found) = &reading.found {
                let differ = words::differences(found, &reference, NAMED);
                row.push_str(&format!("\n  {}", differ.join(", ")));
            }
        }
    }
    Ok(row)
}

/// Recall, further words, seconds and memory of one reading.
fn cells(reading: &Reading, reference: &Words) -> String {
    let scores = match &reading.found {
        Ok(found) => {
            let score = Score::of(found, reference);
            format!("{} | {}", score.recall(), score.surplus())
        }
        Err(failure) => format!("{} | ", failure.reason.as_str()),
    };
    let cost = reading.cost.map_or_else(
        || "- | -".to_owned(),
        |cost| format!("{}.{:02} | {}", cost.time / 100, cost.time % 100, cost.memory_kib.div_ceil(1024)),
    );
    format!("{scores} | {cost}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_nobody_else_reads_are_refused() {
        assert!(given(&["a.pdf", "b.HTML", "c.md"]).is_ok_and(|documents| documents.len() == 3));
        assert!(given(&["a.xyz"]).is_err_and(|why| why.contains("a.xyz")));
        assert!(given(&["a"]).is_err());
    }
}
