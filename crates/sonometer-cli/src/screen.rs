//! Where output goes: results to standard output, trouble to standard error.

use crate::echo::short;
use crate::failure::{Exit, Failure, Told};
use crate::paint::Paint;
use crate::{findings, json};
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use std::io::{self, IsTerminal, Write};

/// The width of lines where no terminal says otherwise.
const WIDTH: usize = 100;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// If the output is a terminal and the environment allows it.
    #[default]
    Auto,
    /// Always, for pagers.
    Always,
    /// Never.
    Never,
}

/// The two outputs of the command.
#[derive(Debug)]
pub(crate) struct Screen {
    /// How results are painted.
    pub(crate) paint: Paint,
    when: When,
}

impl Screen {
    pub(crate) fn new(when: When) -> Self {
        let stdout = io::stdout();
        let width = match terminal_size::terminal_size_of(&stdout) {
            Some((width, _)) => usize::from(width.0).clamp(40, WIDTH),
            None => WIDTH,
        };
        let colour = choose(when, || AutoStream::choice(&stdout)) != ColorChoice::Never;
        Self { paint: Paint { colour, width }, when }
    }

    /// Prints a result for people.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        let stdout = io::stdout().lock();
        if self.paint.colour {
            // Translates colours for consoles that know no escape sequences.
            let mut stdout = AutoStream::new(stdout, ColorChoice::Always);
            // A prompt ends no line, and would otherwise be shown with the next one.
            written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
        } else {
            self.print_bytes(text)
        }
    }

    /// Begins anew on an empty terminal; nothing elsewhere.
    pub(crate) fn clear(&mut self) -> Result<(), Failure> {
        if io::stdout().is_terminal() {
            self.print_bytes("\x1b[2J\x1b[3J\x1b[H")?;
        }
        Ok(())
    }

    /// Prints these bytes and nothing else.
    pub(crate) fn print_bytes(&mut self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// Tells of a failure, with its error envelope on standard output for programs, and gives its exit code.
    pub(crate) fn fail(&mut self, failure: &Failure, json: bool) -> Exit {
        if let Failure::Told(told) = failure {
            self.complain(told);
        }
        self.fail_silently(failure, json)
    }

    /// As [`Self::fail`], for a program only: a person has been told as much.
    pub(crate) fn fail_silently(&mut self, failure: &Failure, json: bool) -> Exit {
        let Failure::Told(told) = failure else { return failure.exit() };
        match json.then(|| self.print_bytes(&json::error(told))) {
            Some(Err(Failure::PipeClosed)) => Exit::PipeClosed,
            // An output that cannot be written is the very failure that was told.
            _ => failure.exit(),
        }
    }

    /// Tells how a work went, beside its results.
    pub(crate) fn note(&self, text: &str) {
        // Nothing is lost if it cannot be shown.
        let _ = writeln!(io::stderr(), "{}", short(text));
    }

    fn complain(&self, told: &Told) {
        let paint = self.stderr();
        let mut text = String::new();
        if let Some((source, found)) = &told.findings {
            text.push_str(&findings::render(&paint, source, found));
        }
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        let message = crate::paint::one_line(&short(&told.message));
        text.push_str(&format!("{} {message} [{}]\n", paint.styled(red, "error:"), told.code.as_str()));
        // Nobody is left to tell if this fails.
        let _ = AutoStream::new(io::stderr().lock(), self.choice_of_stderr()).write_all(text.as_bytes());
    }

    fn stderr(&self) -> Paint {
        Paint { colour: self.choice_of_stderr() != ColorChoice::Never, width: WIDTH }
    }

    fn choice_of_stderr(&self) -> ColorChoice {
        choose(self.when, || AutoStream::choice(&io::stderr()))
    }
}

/// Whether standard input is a person typing.
pub(crate) fn typing() -> bool {
    io::stdin().is_terminal()
}

fn choose(when: When, auto: impl FnOnce() -> ColorChoice) -> ColorChoice {
    match when {
        When::Auto => auto(),
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    }
}

fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::PipeClosed),
        Err(error) => Err(Failure::unusable(format!("standard output cannot be written: {error}"))),
    }
}
