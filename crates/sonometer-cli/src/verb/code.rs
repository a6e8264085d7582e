//! `sonometer explain`: what a code of `check` means, with an example and the example mended.

use crate::failure::{Exit, Failure};
use crate::paint::{Paint, paragraph};
use crate::screen::Screen;
use anstyle::{AnsiColor, Style};
use sonometer::diagnostic::page::{self, Section};
use sonometer::document::suggest;

const WRONG: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const RIGHT: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Codes, such as SM0302; all of them, one a line, without any
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if arguments.codes.is_empty() {
        let list: String =
            page::sections().map(|section| format!("{}  {}\n", section.code, section.title)).collect();
        screen.print(&list)?;
    }
    let mut exit = Exit::Done;
    let mut gap = "";
    for code in &arguments.codes {
        match page::section(code) {
            Some(section) => {
                screen.print(&format!("{gap}{}", render(&screen.paint, &section)))?;
                gap = "\n";
            }
            None => exit = exit.or(screen.fail(&unknown(code), false)),
        }
    }
    Ok(exit)
}

fn unknown(code: &str) -> Failure {
    let codes: Vec<&str> = page::sections().map(|section| section.code).collect();
    let near = suggest(code.trim(), &codes).map(|near| format!("did you mean `{near}`? "));
    let near = near.unwrap_or_default();
    Failure::unusable(format!("unknown code `{code}`; {near}`sonometer explain` lists all codes"))
}

fn render(paint: &Paint, section: &Section<'_>) -> String {
    let Section { code, title, meaning, example, answer, mended } = section;
    let code_lines = |style: Style, text: &str| -> String {
        text.lines()
            .map(|line| format!("    {}", paint.styled(style, line)).trim_end().to_owned() + "\n")
            .collect()
    };
    format!(
        "{}\n\n{}\n{}\n{}\n  {}\n\n{}",
        paint.bold(&format!("{code}: {title}")),
        paragraph(&without_links(meaning), paint.width, 2),
        code_lines(WRONG, example.text),
        paragraph(answer, paint.width, 2),
        paint.bold("Corrected:"),
        code_lines(RIGHT, mended.text),
    )
}

/// `[text](address)` is only its text here.
fn without_links(markdown: &str) -> String {
    let mut parts = markdown.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(')').unwrap_or(("", part));
        if let Some(at) = text.rfind('[') {
            text.remove(at);
        }
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_text() {
        assert_eq!(without_links("see [a page](a.md#b), or `[ ]`"), "see a page, or `[ ]`");
        assert_eq!(without_links("no link"), "no link");
    }
}
