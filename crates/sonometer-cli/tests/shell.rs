//! `sonometer completions` and `sonometer man`, as shells and `man` read them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sonometer")).args(arguments).env_clear().output().expect("starts")
}

fn script(shell: &str) -> String {
    let ran = run(&["completions", shell]);
    assert!(ran.status.success() && ran.stderr.is_empty(), "{shell}");
    String::from_utf8(ran.stdout).expect("is UTF-8")
}

/// The verbs that `--help` names.
fn verbs() -> Vec<String> {
    let help = String::from_utf8(run(&["--help"]).stdout).expect("is UTF-8");
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    verbs.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_shell_gets_every_verb_and_the_names_that_ship() {
    let verbs = verbs();
    assert!(verbs.len() > 20 && verbs.contains(&"sense".to_owned()), "{verbs:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = script(shell);
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
    }
    // The generators for the other two leave out what stands without a dash.
    for shell in ["bash", "fish", "zsh"] {
        let script = script(shell);
        assert!(script.contains("billing-dispute"), "{shell}: stages");
        assert!(script.contains("courtesy") && script.contains("personal-data"), "{shell}");
    }
    let zsh = script("zsh");
    let named = ["':target ", "'*:targets ", "':old ", "':new ", "':stage -- A"];
    let targets: Vec<&str> =
        zsh.lines().filter(|line| named.iter().any(|name| line.starts_with(name))).collect();
    assert!(targets.len() > 8, "{targets:?}");
    assert!(!zsh.contains("(_files"), "a value that no other line has");
    assert!(zsh.contains("\n'*:input ") && !zsh.contains("\n'*::"), "options may follow the inputs");
    for line in targets {
        assert!(
            line.contains("_alternative \"shipped:name:(") && line.contains("\"files:file:_files\""),
            "{line}"
        );
    }
    let unknown = run(&["completions", "tcsh"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("powershell"), "names those that there are");
}

/// What bash offers at the end of a line, by the script itself. `compopt` works only while bash completes.
fn offered(words: &[&str]) -> Option<String> {
    // Two tests come here at a time.
    static SCRIPT: LazyLock<PathBuf> = LazyLock::new(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sonometer.bash");
        fs::write(&file, script("bash")).expect("can be written");
        file
    });
    let last = words.last().expect("is a line");
    let before = words.len().checked_sub(2).map_or("", |at| words[at]);
    let line = format!(
        "compopt() {{ :; }}; source {}; COMP_WORDS=({}); COMP_CWORD={}; _sonometer sonometer '{last}' '{before}'; echo \"${{COMPREPLY[*]}}\"",
        SCRIPT.display(),
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
        words.len() - 1,
    );
    // Not on every system.
    let ran = Command::new("bash").args(["--norc", "-c", &line]).output().ok()?;
    assert!(ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    let offered = String::from_utf8(ran.stdout).expect("is UTF-8");
    // What comes twice is shown once.
    let each: BTreeSet<&str> = offered.split_whitespace().collect();
    Some(each.into_iter().collect::<Vec<_>>().join(" "))
}

#[test]
fn bash_completes_verbs_names_options_and_values() {
    for (words, expected) in [
        (&["sonometer", "sens"][..], "sense"),
        (&["sonometer", "sense", "court"], "courtesy"),
        (&["sonometer", "protocols", "personal-d"], "personal-data"),
        (&["sonometer", "sense", "courtesy@1.5", "note.txt", "--expl"], "--explain"),
        (&["sonometer", "diff", "courtesy@1.0", "court"], "courtesy"),
        (&["sonometer", "dive", "billing-d"], "billing-dispute"),
        (&["sonometer", "dive", "keyg"], "keygen"),
        (&["sonometer", "test", "billing-d"], "billing-dispute"),
        (&["sonometer", "--color", "ne"], "never"),
        (&["sonometer", "schema", "metr"], "metric"),
        // `=` is a word of its own to bash.
        (&["sonometer", "sense", "courtesy", "--color", "=", "al"], "always"),
        (&["sonometer", "sense", "courtesy", "--profile", "=", "dis"], "discovery"),
        (&["sonometer", "sense", "courtesy", "--profile", "="], "detailed discovery raw"),
        (&["sonometer", "sense", "courtesy", "--profile", "de"], "detailed"),
        (&["sonometer", "mask", "personal-data", "--mask", "la"], "label last4"),
        // A number is no file.
        (&["sonometer", "sense", "courtesy", "--line", ""], ""),
        // A metric is none of the protocols.
        (&["sonometer", "protocols", "no-such"], ""),
    ] {
        if let Some(offered) = offered(words) {
            assert_eq!(offered, expected, "{words:?}");
        }
    }
}

/// Where a name or a verb can stand, the generator for zsh puts the verb behind the name, and nothing behind the verb is completed.
#[test]
fn zsh_completes_the_verbs_of_dive() {
    let zsh = script("zsh");
    let stage = zsh.lines().find(|line| line.starts_with("':stage -- A")).expect("dive takes a stage");
    assert!(stage.contains("\"verbs:verb:_sonometer__subcmd__dive_commands\""), "{stage}");
    assert!(!zsh.contains("$line[2]"), "nothing is read from the second word");
    let behind_a_stage = zsh
        .split_once("if [[ \" verify keygen export help \" != *\" $line[1] \"* ]]; then")
        .and_then(|(_, rest)| rest.split_once("        fi\n"))
        .expect("options behind a stage")
        .0;
    assert!(behind_a_stage.contains("--walkthrough=") && behind_a_stage.contains("--card="));
    assert!(!behind_a_stage.contains("':stage"), "one stage");
}

/// What is offered for an option is what the command takes.
#[test]
fn words_that_are_offered_are_taken() {
    for (line, option) in [
        (&["sense", "courtesy", "nowhere", "--json"][..], "profile"),
        (&["sense", "courtesy", "nowhere", "--json"], "offsets"),
        (&["sense", "courtesy", "nowhere"], "as"),
        (&["sense", "courtesy", "nowhere"], "quoted"),
        (&["sense", "courtesy", "nowhere"], "mask"),
        (&["sense", "courtesy", "nowhere"], "format"),
        (&["estimate", "courtesy", "--length", "9"], "modality"),
        (&["batch", "courtesy", "nowhere"], "format"),
        (&["batch", "courtesy", "nowhere"], "input-format"),
        (&["batch", "courtesy", "nowhere"], "bad-rows"),
        (&["report", "courtesy", "nowhere"], "input-format"),
        (&["admin", "--database", "nowhere", "create-token", "acme"], "scopes"),
        (&["admin", "--database", "nowhere", "account", "acme"], "overage"),
    ] {
        let is_here = match (line[0], option) {
            ("admin", _) => cfg!(feature = "serve"),
            (_, "input-format" | "bad-rows") | ("batch", "format") => cfg!(feature = "columns"),
            _ => true,
        };
        if !is_here {
            continue;
        }
        let option = format!("--{option}");
        let words: Vec<&str> =
            ["sonometer"].iter().chain(line).chain(&[option.as_str(), ""]).copied().collect();
        let Some(words) = offered(&words) else { return };
        assert!(words.split(' ').count() > 1, "{line:?} {option}: {words}");
        for word in words.split(' ') {
            let ran = run(&[line, &[option.as_str(), word]].concat());
            let told = String::from_utf8_lossy(&ran.stderr);
            assert!(!told.contains("invalid value") && !told.contains("unexpected"), "{word}: {told}");
        }
        let ran = run(&[line, &[option.as_str(), "no-such-word"]].concat());
        assert!(String::from_utf8_lossy(&ran.stderr).contains("invalid value"), "{line:?} {option}");
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manual/man1");
    let _ = fs::remove_dir_all(&folder);
    let ran = run(&["man", folder.to_str().expect("is UTF-8")]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    for verb in verbs().iter().filter(|verb| *verb != "help") {
        let text = page(&format!("sonometer-{verb}.1"));
        assert!(text.contains(".SH SYNOPSIS") && text.contains(".SH OPTIONS"), "{verb}");
        assert!(page("sonometer.1").contains(&verb.replace('-', "\\-")), "{verb}");
    }
    assert_eq!(run(&["man", "-"]).status.code(), Some(2), "`-` is no folder");
    let refused = run(&["man", "/dev/null/man1"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("/dev/null/man1: manual pages cannot be written")
    );
}
