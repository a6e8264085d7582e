//! `sonometer completions`: a script that completes verbs, options, names and files in a shell.

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use std::collections::BTreeSet;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shell that is to complete
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, command: Command, screen: &mut Screen) -> Result<Exit, Failure> {
    screen.print_bytes(&script(arguments.shell, command))?;
    Ok(Exit::Done)
}

/// The script for a shell.
fn script(shell: Shell, command: Command) -> String {
    let mut command = with_values(command, shell);
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command, "sonometer", &mut bytes);
    let script = String::from_utf8_lossy(&bytes);
    match shell {
        Shell::Zsh => names_beside_files(&script),
        Shell::Fish => script.into_owned() + &names_of_verbs(&command),
        _ => script.into_owned(),
    }
}

/// The command, each argument with what can stand in its place. Only scripts are made from it: the command itself also takes
/// files and versions where names are completed, and says more of an unknown name.
fn with_values(command: Command, shell: Shell) -> Command {
    let verb = command.get_name().to_owned();
    let command = command.mut_args(|argument| with_value(argument, &verb, shell));
    command.mut_subcommands(|verb| with_values(verb, shell))
}

fn with_value(argument: Arg, verb: &str, shell: Shell) -> Arg {
    let is_read = argument.get_action().takes_values() && argument.get_possible_values().is_empty();
    if !is_read {
        return argument;
    }
    let value = argument.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
    match (verb, value) {
        ("protocols" | "metrics" | "blueprints", _) => of(argument, &names(verb)),
        ("dive", "STAGE") => argument.value_hint(ValueHint::FilePath),
        // A script for zsh takes either values or a hint; the names are added to the hint below.
        (_, "TARGET") if shell == Shell::Zsh => argument.value_hint(ValueHint::AnyPath),
        (_, "TARGET") => of(argument, &targets()),
        (_, "FILE" | "INPUT" | "DATA" | "OLD" | "NEW" | "A" | "B" | "PROTOCOL") => {
            argument.value_hint(ValueHint::FilePath)
        }
        _ => argument,
    }
}

fn of(argument: Arg, names: &BTreeSet<&'static str>) -> Arg {
    argument.value_parser(PossibleValuesParser::new(names.iter().copied()))
}

/// The identifiers that ship of one kind.
fn names(kind: &str) -> BTreeSet<&'static str> {
    let entries = match kind {
        "metrics" => sonometer_catalog::metrics(),
        "blueprints" => sonometer_catalog::blueprints(),
        _ => sonometer_catalog::protocols(),
    };
    entries.iter().map(|entry| entry.id).collect()
}

/// Everything that ships and can be sensed.
fn targets() -> BTreeSet<&'static str> {
    ["protocols", "metrics", "blueprints"].into_iter().flat_map(names).collect()
}

/// For zsh: names that ship, beside the files that it would complete alone.
fn names_beside_files(script: &str) -> String {
    let names: Vec<&str> = targets().into_iter().collect();
    let action = format!("{{_alternative \"shipped:name:({})\" \"files:file:_files\"}}'", names.join(" "));
    let is_target = |line: &str| line.starts_with("':target ") || line.starts_with("'*::target");
    let lines = script.lines().map(|line| match line.split_once(":_files'") {
        Some((help, rest)) if is_target(line) => format!("{help}:{action}{rest}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// For fish, of whose scripts the generator leaves out the values of arguments without a dash.
fn names_of_verbs(command: &Command) -> String {
    let takes = |verb: &Command, value: &str| {
        let mut named = verb.get_positionals().filter_map(|argument| argument.get_value_names()?.first());
        named.any(|name| name.as_str() == value)
    };
    let mut lines = String::new();
    for verb in command.get_subcommands() {
        let name = verb.get_name();
        let names = match name {
            "protocols" | "metrics" | "blueprints" => names(name),
            _ if takes(verb, "TARGET") => targets(),
            _ => continue,
        };
        let names: Vec<&str> = names.into_iter().collect();
        lines += &format!(
            "complete -c sonometer -n \"__fish_sonometer_using_subcommand {name}\" -a \"{}\"\n",
            names.join(" ")
        );
    }
    lines
}
