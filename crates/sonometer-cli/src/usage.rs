//! Messages about wrong usage: those of the library, with what to type instead where it gives no advice.

use crate::echo::short;
use crate::screen::typing;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sonometer::document::suggest;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;

/// Verbs with one input, which a pattern of a shell may have made several.
const SINGLE: [&str; 4] = ["extract", "fidelity", "mask", "sense"];

/// Prints the message about wrong usage; in colours if nothing in it was changed.
pub(crate) fn print(error: &clap::Error, command: &Command) -> io::Result<()> {
    let plain = error.render().to_string();
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    let message = of_number(&of_name(error, &given).unwrap_or_else(|| plain.clone()));
    match short(&with_tip(message, tip(error, &given, typing(), command))) {
        text if text == plain => error.print(),
        text => write!(io::stderr(), "{text}"),
    }
}

/// The library's message about a value that is no number, with what to write instead.
fn of_number(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let Some((before, why)) = line.rsplit_once("': ") else { return message.to_owned() };
    let fix = match why.split_once(" is not in ").and_then(|(_, range)| range.split_once("..=")) {
        Some((least, most)) => format!("out of range; write a whole number from {least} to {most}"),
        None if why == "number too large to fit in target type" => "the number is too large".to_owned(),
        None if why == "invalid digit found in string" || why == "cannot parse integer from empty string" => {
            // Numbers that may be negative are read with their sign.
            if before.contains("value '-") {
                "write a whole number from 0 on"
            } else {
                "write a whole number"
            }
            .to_owned()
        }
        None => return message.to_owned(),
    };
    format!("{before}': {fix}{}", &message[line.len()..])
}

/// Names the argument that is not UTF-8: mostly a file name from a system with another encoding.
fn of_name(error: &clap::Error, given: &[OsString]) -> Option<String> {
    if error.kind() != ErrorKind::InvalidUtf8 {
        return None;
    }
    let name = given.iter().find(|name| name.to_str().is_none())?.to_string_lossy();
    Some(format!(
        "error: `{name}` is not UTF-8; give such a file another name, or pipe it in and write `-` as the file\n"
    ))
}

/// Verbs that a command may be built without, each with its feature.
const BY_FEATURE: [(&str, &str, bool); 7] = [
    ("admin", "serve", cfg!(feature = "serve")),
    ("lsp", "lsp", cfg!(feature = "lsp")),
    ("mcp", "mcp", cfg!(feature = "mcp")),
    ("proxy", "proxy", cfg!(feature = "proxy")),
    ("query", "query", cfg!(feature = "query")),
    ("serve", "serve", cfg!(feature = "serve")),
    ("workbench", "workbench", cfg!(feature = "workbench")),
];

/// Options of verbs that a command may be built without: what it then lacks, and the feature.
struct ByFeature {
    verbs: &'static [&'static str],
    options: &'static [&'static str],
    what: &'static str,
    feature: &'static str,
    is_here: bool,
}

const OPTIONS_BY_FEATURE: [ByFeature; 3] = [
    ByFeature {
        verbs: &["batch", "report"],
        options: &[
            "--bad-rows",
            "--column",
            "--columns",
            "--format",
            "--group-by",
            "--input-format",
            "--keep",
            "--order-by",
            "--role-column",
            "--text-column",
            "--text-turns",
            "--time-column",
            "--turns",
        ],
        what: "tables",
        feature: "columns",
        is_here: cfg!(feature = "columns"),
    },
    ByFeature {
        verbs: &["compare", "extract", "fidelity", "mask", "sense", "serve"],
        options: &[
            "--channels",
            "--keep-transcript",
            "--language",
            "--speakers",
            "--transcriber",
            "--transcriber-seconds",
            "--transcript",
        ],
        what: "recordings",
        feature: "audio",
        is_here: cfg!(feature = "audio"),
    },
    ByFeature {
        verbs: &["proxy", "serve"],
        options: &["--otlp-endpoint"],
        what: "collectors of OpenTelemetry",
        feature: "otlp",
        is_here: cfg!(feature = "otlp"),
    },
];

/// What to say of an option that this build lacks: which feature has it.
fn lacking(named: &[String], given: &[OsString]) -> Option<String> {
    OPTIONS_BY_FEATURE.iter().filter(|these| !these.is_here).find_map(|these| {
        let option = named.iter().find(|name| these.options.contains(&name.as_str()))?;
        let is_of_verb = given.iter().any(|word| these.verbs.iter().any(|verb| word == verb));
        let ByFeature { what, feature, .. } = these;
        is_of_verb.then(|| {
            format!("`{option}` is for {what}, which this build does not know; build it with the feature `{feature}`")
        })
    })
}

/// What many type to see what there is.
const LISTING: [&str; 5] = ["find", "list", "ls", "search", "show"];

/// What to type instead of an unknown verb. The library of arguments has no advice behind `help`, and none for verbs such as `list`.
fn instead_of(error: &clap::Error, verb: &str, given: &[OsString], command: &Command) -> Option<String> {
    let mut level = command;
    for word in given.iter().take_while(|word| *word != verb).filter(|word| *word != "help") {
        level = word.to_str().and_then(|word| level.find_subcommand(word)).unwrap_or(level);
    }
    if LISTING.contains(&verb) && level.get_name() == command.get_name() {
        return Some(
            "`protocols`, `metrics` and `blueprints` list what there is, or describe one".to_owned(),
        );
    }
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return None;
    }
    let verbs = level.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name);
    suggest(verb, &verbs.collect::<Vec<_>>()).map(|near| format!("a similar subcommand exists: '{near}'"))
}

/// What to type instead, where the library gives no advice or one that does not help.
fn tip(error: &clap::Error, given: &[OsString], typing: bool, command: &Command) -> Option<String> {
    if let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand) {
        let lacks = |(name, _, here): &&(&str, &str, bool)| *name == verb && !here;
        return match BY_FEATURE.iter().find(lacks) {
            Some((_, feature, _)) => {
                Some(format!("this build has no `{verb}`; build it with the feature `{feature}`"))
            }
            None => instead_of(error, verb, given, command),
        };
    }
    let named = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(one) => std::slice::from_ref(one),
        ContextValue::Strings(all) => all.as_slice(),
        _ => return None,
    };
    match error.kind() {
        // With a terminal as standard input, `-` would only wait, so it is proposed in a pipe alone.
        ErrorKind::MissingRequiredArgument if named.iter().any(|name| name == "<INPUT>") && !typing => {
            Some("to read standard input, write `-` as the input".to_owned())
        }
        ErrorKind::UnknownArgument => {
            let dashed = |name: &&OsString| {
                name.to_str().is_some_and(|name| name.len() > 1 && name.starts_with('-')) && is_file(name)
            };
            if let Some(file) = given.iter().find(dashed) {
                return Some(format!("for the file `{0}`, write `./{0}`", file.display()));
            }
            if let Some(lacking) = lacking(named, given) {
                return Some(lacking);
            }
            // The library would propose whatever looks like it, such as `--quoted`.
            if named.iter().any(|name| name == "--out" || name == "--output") && !offers_out(error) {
                return Some("the result goes to standard output; write `> FILE` to keep it".to_owned());
            }
            let verb = given.iter().find_map(|word| SINGLE.into_iter().find(|verb| word == *verb))?;
            is_file(OsStr::new(named.first()?)).then(|| {
                format!(
                    "`{verb}` reads one input; `sonometer report` reads many files, and `sonometer batch` many lines"
                )
            })
        }
        _ => None,
    }
}

/// Whether the verb has `--out`, for which `--output` is a slip of the pen.
fn offers_out(error: &clap::Error) -> bool {
    matches!(error.get(ContextKind::SuggestedArg), Some(ContextValue::String(near)) if near == "--out")
}

fn is_file(name: &OsStr) -> bool {
    Path::new(name).is_file()
}

/// The message with this tip in place of the library's.
fn with_tip(message: String, tip: Option<String>) -> String {
    let Some(tip) = tip else { return message };
    let mut lines: Vec<&str> = message.lines().collect();
    if let Some(at) = lines.iter().position(|line| line.trim_start().starts_with("tip:")) {
        lines.drain(at..(at + 2).min(lines.len()));
    }
    let at = lines.iter().position(|line| line.starts_with("Usage:")).unwrap_or(lines.len());
    let line = format!("  tip: {tip}");
    lines.splice(at..at, [line.as_str(), ""]);
    lines.join("\n") + "\n"
}
