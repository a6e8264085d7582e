//! `sonometer init`: a protocol to begin with, with tests that pass.

use crate::failure::{Exit, Failure};
use crate::file::unwritable;
use crate::screen::{Screen, typing};
use clap::ValueEnum;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file to write; its name becomes the id of the protocol
    #[arg(value_name = "FILE", default_value = "my-protocol.yaml")]
    file: String,
    /// What it is to be about; asked for on a terminal
    #[arg(long, value_enum)]
    template: Option<Template>,
}

/// A protocol to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Template {
    /// How well somebody did in a conversation: service, sales, support
    Quality,
    /// What must not pass: private data, secrets, forbidden words
    Guard,
    /// How a conversation develops between two sides: coaching, teaching, counselling
    Coaching,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Self::Quality => include_str!("quality.yaml"),
            Self::Guard => include_str!("guard.yaml"),
            Self::Coaching => include_str!("coaching.yaml"),
        }
    }

    /// The template with its name and its line of help.
    fn shown(self) -> Option<(String, String)> {
        let value = self.to_possible_value()?;
        Some((value.get_name().to_owned(), value.get_help().map(ToString::to_string).unwrap_or_default()))
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let file = &arguments.file;
    let path = Path::new(file);
    if path.exists() {
        return Err(exists(file));
    }
    if !path.extension().is_some_and(|kind| kind == "yaml" || kind == "yml") {
        return Err(Failure::unusable(format!(
            "{file}: the name of a protocol file ends in .yaml; write `{file}.yaml`"
        )));
    }
    let id = id_of(path)?;
    let template = match arguments.template {
        Some(template) => template,
        None => ask(screen)?,
    };
    let text = template.text().replace("{id}", &id);
    write_new(file, &text)?;
    let typed = if file.contains(char::is_whitespace) { format!("\"{file}\"") } else { file.to_owned() };
    screen.print(&format!(
        "{file} is written. Next:\n  sonometer check {typed}\n  sonometer test {typed} --watch     tests it whenever you save\n  \
         sonometer sense {typed} TALK.txt   or one of your conversations\n"
    ))?;
    Ok(Exit::Done)
}

fn exists(file: &str) -> Failure {
    Failure::unusable(format!("{file}: exists already; name another file, or remove it first"))
}

/// Never over a file that has come meanwhile.
fn write_new(file: &str, text: &str) -> Result<(), Failure> {
    let mut made = File::create_new(file).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(file),
        _ => unwritable(file, &error),
    })?;
    made.write_all(text.as_bytes()).map_err(|error| unwritable(file, &error))
}

/// The name of the file as an identifier.
fn id_of(path: &Path) -> Result<String, Failure> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let id = stem.to_lowercase().replace([' ', '.'], "-");
    let is_sound = (1..=64).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
    match is_sound {
        true => Ok(id),
        false => Err(Failure::unusable(format!(
            "{}: the name of the file becomes the id of the protocol; use 1 to 64 letters, digits, `-` and `_`, for example `my-protocol.yaml`",
            path.display()
        ))),
    }
}

fn ask(screen: &mut Screen) -> Result<Template, Failure> {
    let all = Template::value_variants();
    let names: Vec<String> =
        all.iter().filter_map(|template| template.shown()).map(|(name, _)| name).collect();
    if !typing() {
        return Err(Failure::unusable(format!(
            "--template is required without a terminal; write one of {}",
            names.join(", ")
        )));
    }
    let mut text = "What is it to be about?\n".to_owned();
    for (number, (name, help)) in (1..).zip(all.iter().filter_map(|template| template.shown())) {
        text.push_str(&format!("  {number}  {name:<9} {help}\n"));
    }
    screen.print(&text)?;
    loop {
        screen.print(&format!("1 to {} [1]: ", all.len()))?;
        let _ = io::stdout().flush();
        let mut line = String::new();
        let read = io::stdin()
            .read_line(&mut line)
            .map_err(|error| Failure::unusable(format!("standard input: {error}")))?;
        if read == 0 {
            return Err(Failure::unusable("standard input ended before an answer; give --template"));
        }
        let answer = line.trim();
        let by_number = answer.parse::<usize>().ok().and_then(|number| all.get(number.checked_sub(1)?));
        let by_name = names.iter().position(|name| name == answer).and_then(|at| all.get(at));
        match by_number.or(by_name) {
            Some(template) => return Ok(*template),
            None if answer.is_empty() => return Ok(Template::Quality),
            None => screen.print(&format!("`{answer}` is not one of them; "))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Source;
    use crate::verb::test::tested;

    #[test]
    fn every_template_is_clean_and_passes_its_tests() {
        for template in Template::value_variants() {
            let text = template.text().replace("{id}", "a-name");
            let source = Source { name: "a-name.yaml".to_owned(), text: text.clone().into() };
            let found = crate::findings::findings(&source);
            assert!(
                found.is_empty(),
                "{template:?}: {:?}",
                found.iter().map(ToString::to_string).collect::<Vec<_>>()
            );
            let (protocol, _) = source.read().unwrap_or_else(|_| panic!("{template:?}"));
            let tests = tested(&protocol).expect("can be made ready");
            let failed: Vec<String> =
                tests.iter().filter(|test| test.failed).map(|test| test.message()).collect();
            assert!(tests.len() >= 5 && failed.is_empty(), "{template:?}: {failed:?}");
            let tidy = sonometer_author::format(&text, &|path| source.list_file(path)).expect("is sound");
            assert_eq!(tidy, text, "{template:?} is not in its normal form");
        }
    }

    #[test]
    fn the_name_of_the_file_is_the_id() {
        assert_eq!(id_of(Path::new("a/My Guard.v2.yaml")).ok().as_deref(), Some("my-guard-v2"));
        assert!(id_of(Path::new("größe.yaml")).is_err());
    }
}
