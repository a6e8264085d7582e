//! `cargo xtask measured PAGE…`: writes the tables of pages in `docs/measured` anew. A page begins with a block of the commands that
//! measure it; each table that they print takes the place of the page's table with the same head.

use std::path::Path;
use std::process::{Command, Stdio};

const FOLDER: &str = "docs/measured";
/// How the line below the commands begins that says when and where; the figures of one machine say little of another.
const MEASURED: &str = "Measured on ";

/// Measures these pages (`speed`, `guards`, …), or says which there are.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    let folder = crate::test::root().join(FOLDER);
    let pages = crate::test::files(&folder, "md")?;
    let stems: Vec<&str> = pages.iter().filter_map(|page| page.file_stem()?.to_str()).collect();
    if names.is_empty() {
        return Err(format!("which page? {}", stems.join(", ")));
    }
    if let Some(unknown) = names.iter().find(|name| !stems.contains(name)) {
        return Err(format!("unknown page `{unknown}`; pages: {}", stems.join(", ")));
    }
    names.iter().try_for_each(|name| measure(&folder.join(name).with_extension("md")))
}

fn measure(path: &Path) -> Result<(), String> {
    let name = path.display();
    let mut page = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    let mut written = 0;
    for command in commands(&page).ok_or_else(|| format!("{name} does not begin with a block of commands"))? {
        for table in tables(&printed(&command)?) {
            page = with_table(&page, table).ok_or_else(|| {
                let head = table.lines().next().unwrap_or_default();
                format!("{name} has no table with this head, which `{command}` prints: {head}")
            })?;
            written += 1;
        }
    }
    if written == 0 {
        return Err(format!(
            "{name}: its commands print no table; read what they print, and write it by hand"
        ));
    }
    page = with_date(&page, &format!("{}, {}", today()?, machine()));
    std::fs::write(path, page).map_err(|e| format!("{name}: {e}"))?;
    println!("{name}: {written} tables written");
    Ok(())
}

/// The lines of the first block, if that is one of commands.
fn commands(page: &str) -> Option<Vec<String>> {
    let (_, rest) = page.split_once("```")?;
    let (block, _) = rest.strip_prefix("sh\n")?.split_once("```")?;
    Some(block.lines().map(str::to_owned).collect())
}

/// What a command prints, run at the root of the repository. What it reports meanwhile is shown.
fn printed(command: &str) -> Result<String, String> {
    println!("{command}");
    let mut shell = crate::test::command("sh");
    shell.args(["-c", command]).current_dir(crate::test::root()).stderr(Stdio::inherit());
    let output = shell.output().map_err(|e| format!("sh: {e}"))?;
    if !output.status.success() {
        return Err(format!("`{command}` ended with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The tables of a text: rows of lines that begin with `|`, each with its line end.
fn tables(text: &str) -> Vec<&str> {
    let mut tables = Vec::new();
    let (mut start, mut at) = (None, 0);
    for line in text.split_inclusive('\n').chain([""]) {
        match (line.starts_with('|'), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                tables.push(&text[from..at]);
                start = None;
            }
            _ => {}
        }
        at += line.len();
    }
    tables
}

/// The page with this table in the place of the one with the same head. `None` where there is none.
fn with_table(page: &str, table: &str) -> Option<String> {
    let head = table.lines().next()?;
    let old = tables(page).into_iter().find(|old| old.lines().next() == Some(head))?;
    Some(page.replacen(old, table, 1))
}

/// The page with another line about when and where.
fn with_date(page: &str, when: &str) -> String {
    let line = page.lines().find(|line| line.starts_with(MEASURED)).unwrap_or_default();
    page.replacen(line, &format!("{MEASURED}{when}."), 1)
}

fn today() -> Result<String, String> {
    let said = Command::new("date").args(["-u", "+%Y-%m-%d"]).output().map_err(|e| format!("date: {e}"))?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

/// What kind of machine this is, without a name: `x86_64, 2 cores`.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n```sh\necho 1\necho 2\n```\n\nMeasured on 2026-01-01, somewhere.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                        | c |\n|---|\n| 3 |\n\nEnd.\n";

    #[test]
    fn a_table_takes_the_place_of_the_one_with_its_head() {
        assert_eq!(commands(PAGE).expect("has a block"), ["echo 1", "echo 2"]);
        let printed = "Text: 5 bytes.\n\n| c |\n|---|\n| 4 |\n| 5 |";
        let [table] = tables(printed)[..] else { panic!("one table") };
        let page = with_table(PAGE, &format!("{table}\n")).expect("is there");
        assert_eq!(page, PAGE.replace("| 3 |\n", "| 4 |\n| 5 |\n"));
        assert_eq!(with_table(PAGE, "| d |\n|---|\n"), None);
        let dated = with_date(PAGE, "2026-02-02, here");
        assert_eq!(dated, PAGE.replace("2026-01-01, somewhere", "2026-02-02, here"));
    }

    #[test]
    fn every_page_begins_with_the_command_that_measures_it() {
        let pages = crate::test::files(&crate::test::root().join(FOLDER), "md").expect("is there");
        assert!(pages.len() >= 7);
        for path in pages {
            let page = std::fs::read_to_string(&path).expect("can be read");
            let commands = commands(&page).unwrap_or_default();
            assert!(!commands.is_empty(), "{} does not begin with its commands", path.display());
            let (before, _) = page.split_once("```").expect("has a block");
            assert_eq!(
                before.trim().lines().count(),
                1,
                "{}: the commands stand below the title",
                path.display()
            );
            let dates = page.lines().filter(|line| line.starts_with(MEASURED) && line.ends_with('.'));
            assert_eq!(dates.count(), 1, "{}: one line says when it was measured", path.display());
        }
    }
}
