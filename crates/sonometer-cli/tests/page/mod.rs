//! A page whose files are written, whose commands are run and whose outputs are compared.
//!
//! A block `yaml NAME`, `json NAME` or `text NAME` is a file. In a `console` block, lines that begin with `$ ` are commands,
//! the others what they print. A block `reading NAME` shows a file that a command wrote, JSON, a few members a line. Other
//! blocks are for the reader. With `BLESS=1` outputs are written anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) mod json;

/// A page of the folder `docs`.
pub(crate) fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// What a command line prints, errors included.
pub(crate) fn printed(line: &str, folder: &Path) -> String {
    let command = Path::new(env!("CARGO_BIN_EXE_sonometer"));
    let own = command.parent().expect("is in a folder").to_str().expect("is UTF-8");
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{own}:/usr/bin:/bin"))
        .output()
        .expect("starts");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("is UTF-8")
}

/// Runs a page of at least so many commands, and says in which folder its files are.
pub(crate) fn does_what_it_says(name: &str, least: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("can be made");
    let page = page(name);
    let text = fs::read_to_string(&page).expect("is there");
    let mut rewritten = String::new();
    let mut commands = 0;
    for (number, block) in text.split("```").enumerate() {
        if number > 0 {
            rewritten.push_str("```");
        }
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        match (number % 2, head.split_once(' ')) {
            (1, Some(("yaml" | "json" | "text", name))) => {
                fs::write(folder.join(name), body).expect("can be written");
            }
            (1, Some(("reading", name))) => {
                let json = fs::read_to_string(folder.join(name)).expect("was written by a command");
                rewritten.push_str(&format!("{head}\n{}\n", json::laid_out(&json)));
                continue;
            }
            (1, None) if head == "console" => {
                rewritten.push_str("console\n");
                for line in body.lines().filter(|line| line.starts_with("$ ")) {
                    commands += 1;
                    rewritten.push_str(&format!("{line}\n{}", printed(&line[2..], &folder)));
                }
                continue;
            }
            _ => {}
        }
        rewritten.push_str(block);
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&page, &rewritten).expect("can be written");
    } else {
        assert_eq!(text, rewritten, "docs/{name} prints something else; read it, then BLESS=1");
    }
    assert!(commands >= least, "only {commands} commands");
    folder
}
