//! The `sonometer` command: reads arguments, runs one verb, ends with its exit code.

mod advice;
mod blocks;
mod diff;
mod echo;
mod failure;
mod file;
mod findings;
mod input;
mod json;
mod labelled;
mod lines;
mod page;
mod paint;
mod places;
mod progress;
mod resume;
mod screen;
#[cfg(feature = "serve")]
mod settings;
#[cfg(any(feature = "mcp", feature = "proxy", feature = "serve"))]
mod signals;
#[cfg(feature = "audio")]
mod sound;
mod spoken;
#[cfg(feature = "columns")]
mod stores;
#[cfg(feature = "columns")]
mod tables;
mod target;
mod threads;
mod usage;
mod verb;
mod watch;

use clap::{Arg, Command, CommandFactory, FromArgMatches as _, Parser, Subcommand};
use failure::{Exit, Failure};
use screen::{Screen, When};
use std::process::ExitCode;
use std::sync::LazyLock;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    a finding: `check` found errors, `test` found failures, `dive` failed (with --strict: also warnings and notes),
       `fmt --check` found something to change, `diff --fail-on-change` a reading that moved
  2    wrong usage, or an input that cannot be read (for `batch`: any line of it)
  3    the content lacks sufficient signal for a reliable reading
  4    no such protocol, metric or blueprint
  141  the reader of the output closed it";

/// Sense texts and conversations: evidence, scores and fidelity, the same bytes every time.
#[derive(Debug, Parser)]
#[command(name = "sonometer", version, long_version = LONG_VERSION.as_str(), after_help = EXIT_CODES, max_term_width = 100)]
struct Arguments {
    /// When to colour the output; `auto` checks the terminal, NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: When,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Measure a text or a conversation
    Sense(verb::sense::Arguments),
    /// Measure many interactions, one line of JSON each in and out, on all cores; can be stopped and resumed
    Batch(verb::batch::Arguments),
    /// Ask tables in SQL, with functions that sense: `select id, score('courtesy', text) from talks`
    #[cfg(feature = "query")]
    Query(verb::query::Arguments),
    /// Measure a text or a conversation from standard input as it arrives; or pass it on, masked
    Stream(verb::stream::Arguments),
    /// Print a text or a conversation, masked as a protocol says
    Mask(verb::mask::Arguments),
    /// Show the text of a file that would be sensed, with places
    Extract(verb::extract::Arguments),
    /// Show whether an input has enough content to be measured; costs no ICS
    Fidelity(verb::fidelity::Arguments),
    /// Measure two interactions and show the difference
    Compare(verb::compare::Arguments),
    /// Write a report to hand on, a page or Markdown: of one talk all that was found, of many what they came to
    Report(Box<verb::report::Arguments>),
    /// Estimate the cost of sensing from the target, a length and a modality
    Estimate(verb::estimate::Arguments),
    /// Compare with labels of people (classes, places, pairs or grades): figures with intervals, the worst errors
    Evaluate(Box<verb::evaluate::Arguments>),
    /// List the protocols that ship, or describe one
    Protocols(verb::compositions::Arguments),
    /// List the metrics that ship, or describe one
    Metrics(verb::compositions::Arguments),
    /// List the blueprints that ship, or describe one
    Blueprints(verb::compositions::Arguments),
    /// Write a protocol to begin with, from a template
    Init(verb::init::Arguments),
    /// Check protocol, metric, blueprint and stage files for errors
    Check(verb::check::Arguments),
    /// Explain a code of `check`, with an example and its correction
    Explain(verb::code::Arguments),
    /// Show what another version of a protocol, metric or blueprint changes, on a corpus
    Diff(verb::diff::Arguments),
    /// Play a stage: a world that answers what an agent says; verify and export its cards
    Dive(Box<verb::dive::Arguments>),
    /// Format protocol, metric, blueprint and stage files
    Fmt(verb::fmt::Arguments),
    /// Freeze a protocol or stage with passing tests, or a metric or blueprint of frozen parts; print its digest
    Publish(verb::publish::Arguments),
    /// Print the JSON Schema of protocol, metric, blueprint or stage files, for editors
    Schema(verb::schema::Arguments),
    /// Speak with an editor: findings while typing, completion, tests, renaming (language server protocol)
    #[cfg(feature = "lsp")]
    Lsp(verb::lsp::Arguments),
    /// Run the self tests of protocols, their `hit` and `miss` lines, and the walkthroughs of stages
    Test(verb::test::Arguments),
    /// Fit a weighted list to labelled interactions, or tune a protocol to them
    Fit(Box<verb::fit::Arguments>),
    /// Print a script that completes verbs, options, names and files in a shell
    Completions(verb::completions::Arguments),
    /// Write the manual pages into a folder
    Man(verb::man::Arguments),
    /// Serve language models by the Model Context Protocol (MCP): tools that sense, explain, check, test and dive
    #[cfg(feature = "mcp")]
    Mcp(verb::mcp::Arguments),
    /// Mask what goes to and comes from language models: a proxy for the OpenAI and Anthropic interfaces, streams included
    #[cfg(feature = "proxy")]
    Proxy(verb::proxy::Arguments),
    /// Serve the interface over HTTP, with an SQLite file or PostgreSQL
    #[cfg(feature = "serve")]
    Serve(verb::serve::Arguments),
    /// Open the workbench: a page that shows what a protocol finds while both are typed; reads and writes the files named here
    #[cfg(feature = "workbench")]
    Workbench(verb::workbench::Arguments),
    /// Administer a service: organizations, tokens, accounts, what they publish, the check of the ledger
    #[cfg(feature = "serve")]
    Admin(verb::admin::Arguments),
}

/// Reads one file from standard input, within limits, for the process that started this one. It is no verb, since
/// clap suggests hidden verbs, too.
fn apart() -> Result<Exit, Failure> {
    let served = sonometer_ingest::apart::serve();
    served.map(|()| Exit::Done).map_err(|error| Failure::unusable(format!("standard input: {error}")))
}

/// What `--version` says: the fingerprint, which is equal where readings can be compared. `-V` says the version alone.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let fingerprint = sonometer::fingerprint();
    fingerprint.strip_prefix("sonometer ").unwrap_or(&fingerprint).to_owned()
});

impl Verb {
    fn run(&self, screen: &mut Screen) -> Result<Exit, Failure> {
        match self {
            Self::Sense(arguments) => verb::sense::run(arguments, screen),
            Self::Batch(arguments) => verb::batch::run(arguments, screen),
            #[cfg(feature = "query")]
            Self::Query(arguments) => verb::query::run(arguments, screen),
            Self::Stream(arguments) => verb::stream::run(arguments, screen),
            Self::Mask(arguments) => verb::mask::run(arguments, screen),
            Self::Extract(arguments) => verb::extract::run(arguments, screen),
            Self::Fidelity(arguments) => verb::fidelity::run(arguments, screen),
            Self::Compare(arguments) => verb::compare::run(arguments, screen),
            Self::Report(arguments) => verb::report::run(arguments, screen),
            Self::Estimate(arguments) => verb::estimate::run(arguments, screen),
            Self::Metrics(arguments) => verb::compositions::metrics(arguments, screen),
            Self::Blueprints(arguments) => verb::compositions::blueprints(arguments, screen),
            Self::Evaluate(arguments) => verb::evaluate::run(arguments, screen),
            Self::Protocols(arguments) => verb::protocols::run(arguments, screen),
            Self::Init(arguments) => verb::init::run(arguments, screen),
            Self::Check(arguments) => verb::check::run(arguments, screen),
            Self::Explain(arguments) => verb::code::run(arguments, screen),
            Self::Diff(arguments) => verb::diff::run(arguments, screen),
            Self::Dive(arguments) => verb::dive::run(arguments, screen),
            Self::Fmt(arguments) => verb::fmt::run(arguments, screen),
            Self::Publish(arguments) => verb::publish::run(arguments, screen),
            Self::Schema(arguments) => verb::schema::run(arguments, screen),
            #[cfg(feature = "lsp")]
            Self::Lsp(arguments) => verb::lsp::run(arguments),
            Self::Test(arguments) => verb::test::run(arguments, screen),
            Self::Fit(arguments) => verb::fit::run(arguments, screen),
            Self::Completions(arguments) => verb::completions::run(arguments, Arguments::command(), screen),
            Self::Man(arguments) => verb::man::run(arguments, Arguments::command(), screen),
            #[cfg(feature = "mcp")]
            Self::Mcp(arguments) => verb::mcp::run(arguments, screen),
            #[cfg(feature = "proxy")]
            Self::Proxy(arguments) => verb::proxy::run(arguments, screen),
            #[cfg(feature = "serve")]
            Self::Serve(arguments) => verb::serve::run(arguments, screen),
            #[cfg(feature = "workbench")]
            Self::Workbench(arguments) => verb::workbench::run(arguments, screen),
            #[cfg(feature = "serve")]
            Self::Admin(arguments) => verb::admin::run(arguments, screen),
        }
    }

    /// Whether errors are printed in JSON too.
    fn json(&self) -> bool {
        match self {
            Self::Sense(arguments) => arguments.json,
            Self::Stream(arguments) => arguments.json,
            Self::Mask(arguments) => arguments.json,
            Self::Extract(arguments) => arguments.json,
            Self::Fidelity(arguments) => arguments.json,
            Self::Compare(arguments) => arguments.json,
            Self::Estimate(arguments) => arguments.json,
            Self::Metrics(arguments) | Self::Blueprints(arguments) => arguments.json,
            Self::Evaluate(arguments) => arguments.json,
            Self::Protocols(arguments) => arguments.json,
            Self::Check(arguments) => arguments.json(),
            Self::Diff(arguments) => arguments.json,
            Self::Dive(arguments) => arguments.json(),
            Self::Test(arguments) => arguments.json(),
            Self::Batch(_)
            | Self::Explain(_)
            | Self::Fmt(_)
            | Self::Init(_)
            | Self::Publish(_)
            | Self::Report(_)
            | Self::Schema(_) => false,
            Self::Completions(_) | Self::Man(_) => false,
            #[cfg(feature = "query")]
            Self::Query(_) => false,
            #[cfg(feature = "lsp")]
            Self::Lsp(_) => false,
            Self::Fit(arguments) => arguments.json,
            #[cfg(feature = "workbench")]
            Self::Workbench(_) => false,
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => false,
            #[cfg(feature = "proxy")]
            Self::Proxy(_) => false,
            #[cfg(feature = "serve")]
            Self::Serve(_) | Self::Admin(_) => false,
        }
    }
}

/// The command, whose options take `-1` for a value: what they want instead is then said, and not that `-1` is no option.
fn taking_negatives(command: Command) -> Command {
    let takes = |option: Arg| match option.get_long().is_some() && option.get_action().takes_values() {
        true => option.allow_negative_numbers(true),
        false => option,
    };
    command.mut_args(takes).mut_subcommands(taking_negatives)
}

fn main() -> ExitCode {
    if std::env::args_os().skip(1).eq([input::READ_APART]) {
        return apart().unwrap_or_else(|failure| Screen::new(When::default()).fail(&failure, false)).into();
    }
    let mut command = taking_negatives(Arguments::command());
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(usage) => {
            if usage.use_stderr() {
                // Nobody is left to tell if this fails.
                let _ = usage::print(&usage, &command);
            } else if let Err(error) = usage.print()
                && error.kind() != std::io::ErrorKind::BrokenPipe
            {
                // Help and version. A closed pipe is none of their business.
                let failure = Failure::unusable(format!("standard output cannot be written: {error}"));
                return Screen::new(When::default()).fail(&failure, false).into();
            }
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(Exit::Unusable as u8));
        }
    };
    let mut screen = Screen::new(arguments.color);
    let exit = match arguments.verb.run(&mut screen) {
        Ok(exit) => exit,
        Err(failure) => screen.fail(&failure, arguments.verb.json()),
    };
    exit.into()
}
