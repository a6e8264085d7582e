//! `sonometer completions`: a script that completes verbs, options, names and files in a shell.

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use sonometer::protocol::Modality;
use sonometer::{Mask, OffsetUnit, Profile};
use sonometer_ingest::Kind;
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
        Shell::Bash => values_behind_equals(&script),
        Shell::Zsh => verbs_beside_names(options_behind_rest(&names_beside_files(&script)), &command),
        Shell::Fish => script.into_owned() + &names_of_verbs(&command),
        _ => script.into_owned(),
    }
}

/// In a script for zsh: the first of the names, where a file may stand as well. [`names_beside_files`] finds those lists by it.
const FILES: &str = "_files";

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
    let value = value(&argument).to_owned();
    match (shipped(verb, &value), value.as_str()) {
        (Some((names, has_files)), _) => {
            let files = (has_files && shell == Shell::Zsh).then_some(FILES);
            argument.value_parser(PossibleValuesParser::new(files.into_iter().chain(names)))
        }
        (None, "FILE" | "FILE|URL" | "INPUT" | "DATA" | "A" | "B" | "PROTOCOL") => {
            argument.value_hint(ValueHint::FilePath)
        }
        // A command or a stage may be a file.
        (None, "CMD" | "STAGE") => argument,
        (None, _) => match (argument.get_long(), words(&argument, verb)) {
            (Some(_), Some(words)) => argument.value_parser(PossibleValuesParser::new(words)),
            // Names of files would be wrong.
            (Some(_), None) => argument.value_hint(ValueHint::Other),
            (None, _) => argument,
        },
    }
}

/// The words that an option takes and whose parser does not list them. A test gives each of them to the command.
fn words(option: &Arg, verb: &str) -> Option<Vec<&'static str>> {
    Some(match (option.get_long()?, verb) {
        ("profile", _) => Profile::NAMES.to_vec(),
        ("offsets", _) => OffsetUnit::NAMES.to_vec(),
        ("modality", _) => Modality::NAMES.to_vec(),
        ("as", _) => vec!["text", "document", "transcript"],
        ("quoted", _) => vec!["cut", "keep"],
        ("mask", _) => Mask::NAMES.to_vec(),
        ("bad-rows", _) => vec!["null", "refuse"],
        #[cfg(feature = "serve")]
        ("format", "usage") => sonometer_service::bill::Format::NAMES.to_vec(),
        ("format", "batch") | ("input-format", _) => vec!["parquet", "arrow", "csv", "jsonl"],
        ("format", _) if value(option) == "KIND" => Kind::ALL.iter().map(|kind| kind.as_str()).collect(),
        ("scopes", _) => vec!["sense", "read", "dive", "admin"],
        ("overage", _) => vec!["on", "off"],
        _ => return None,
    })
}

/// For bash, which takes `--profile=raw` for three words.
fn values_behind_equals(script: &str) -> String {
    const PREVIOUS: &str = "    prev=\"$3\"\n";
    let option_before = "    if [[ \"${cur}\" == \"=\" ]]; then\n        \
                             cur=\"\"\n    \
                         elif [[ \"${prev}\" == \"=\" && ${COMP_CWORD} -ge 2 ]]; then\n        \
                             prev=\"${COMP_WORDS[COMP_CWORD-2]}\"\n    \
                         fi\n";
    script.replacen(PREVIOUS, &format!("{PREVIOUS}{option_before}"), 1)
}

/// The name of an argument's value, such as `TARGET`.
fn value(argument: &Arg) -> &str {
    argument.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str())
}

/// The names that ship for an argument, and whether a file may stand there as well.
fn shipped(verb: &str, value: &str) -> Option<(BTreeSet<&'static str>, bool)> {
    match (verb, value) {
        ("protocols" | "metrics" | "blueprints", _) => Some((names(verb), false)),
        ("dive", "STAGE") => Some((names("stages"), true)),
        ("test", "TARGET") => Some((&targets() | &names("stages"), true)),
        ("diff", "OLD" | "NEW") | (_, "TARGET") => Some((targets(), true)),
        _ => None,
    }
}

/// The identifiers that ship of one kind.
fn names(kind: &str) -> BTreeSet<&'static str> {
    let entries = match kind {
        "metrics" => sonometer_catalog::metrics(),
        "blueprints" => sonometer_catalog::blueprints(),
        "stages" => sonometer_catalog::stages(),
        _ => sonometer_catalog::protocols(),
    };
    entries.iter().map(|entry| entry.id).collect()
}

/// Everything that ships and can be sensed.
fn targets() -> BTreeSet<&'static str> {
    ["protocols", "metrics", "blueprints"].into_iter().flat_map(names).collect()
}

/// For zsh, whose generator writes either values or files.
fn names_beside_files(script: &str) -> String {
    let lines = script.lines().map(|line| match line.split_once(&format!(":({FILES} ")) {
        Some((help, names)) => {
            let action = |(names, rest)| {
                format!("{help}:{{_alternative \"shipped:name:({names})\" \"files:file:_files\"}}'{rest}\n")
            };
            names.split_once(")'").map_or_else(|| format!("{line}\n"), action)
        }
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// For zsh, to which the generator says that nothing but more of the same follows an argument that may be repeated.
fn options_behind_rest(script: &str) -> String {
    script.replace("\n'*::", "\n'*:")
}

/// For zsh, whose generator puts the verbs of a verb behind its argument, as if `dive STAGE verify` could be typed. The verbs stand in
/// the place of the argument, and behind an argument that is no verb come the options.
fn verbs_beside_names(mut script: String, command: &Command) -> String {
    let both = |verb: &&Command| verb.has_subcommands() && verb.get_positionals().next().is_some();
    for verb in command.get_subcommands().filter(both) {
        let name = verb.get_name();
        let verbs = format!("_sonometer__subcmd__{name}_commands");
        let behind = format!("\":: :{verbs}\" \\\n");
        let case = format!("sonometer-{name}-command-$line[2]:\"\n        case $line[2] in\n");
        let (Some(at), Some(asked)) = (script.find(&behind), script.find(&case)) else { continue };
        let argument = script[..at].rfind("\n':").map_or(at, |before| before + 1);
        let options = script[..argument].rfind("_arguments ").unwrap_or(argument);
        let own: Vec<&str> = verb.get_subcommands().map(Command::get_name).collect();
        let or_options = format!(
            "sonometer-{name}-command-$line[1]:\"\n        \
             if [[ \" {} \" != *\" $line[1] \"* ]]; then\n{}&& ret=0\n        fi\n        case $line[1] in\n",
            own.join(" "),
            &script[options..argument],
        );
        let or_verbs = script[argument..at].replace("}' \\\n", &format!(" \"verbs:verb:{verbs}\"}}' \\\n"));
        let between = script[at + behind.len()..asked].replace("$line[2]", "$line[1]");
        script =
            [&script[..argument], &or_verbs, &between, &or_options, &script[asked + case.len()..]].concat();
    }
    script
}

/// For fish, of whose scripts the generator leaves out the values of arguments without a dash.
fn names_of_verbs(command: &Command) -> String {
    let mut lines = String::new();
    for verb in command.get_subcommands() {
        let name = verb.get_name();
        let Some((names, _)) = verb.get_positionals().find_map(|argument| shipped(name, value(argument)))
        else {
            continue;
        };
        let own: Vec<&str> = verb.get_subcommands().map(Command::get_name).collect();
        let unless = match own.is_empty() {
            true => String::new(),
            false => format!("; and not __fish_seen_subcommand_from {}", own.join(" ")),
        };
        let names: Vec<&str> = names.into_iter().collect();
        lines += &format!(
            "complete -c sonometer -n \"__fish_sonometer_using_subcommand {name}{unless}\" -a \"{}\"\n",
            names.join(" ")
        );
    }
    lines
}
