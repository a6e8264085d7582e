//! Words of messages.

/// The options that messages and notes may name, without their dashes.
const OPTIONS: [&str; 39] = [
    "alarms",
    "background",
    "balanced",
    "by",
    "choice",
    "errors",
    "explain",
    "export-features",
    "features",
    "fold",
    "folds",
    "graded",
    "group",
    "higher",
    "id",
    "label",
    "language",
    "lower",
    "map",
    "marker",
    "negative",
    "no-likeness",
    "offsets",
    "patterns",
    "positive",
    "prefix",
    "regularisation",
    "size",
    "stop-list",
    "sufficient",
    "support",
    "taxonomy",
    "text-column",
    "threshold",
    "turns",
    "unit",
    "weigh",
    "where",
    "words",
];

/// A message in which options have the names of another door: `--positive` becomes what `spell` makes of `positive`. So a caller
/// from Python reads of `positive=`.
pub fn respelled(message: &str, spell: impl Fn(&str) -> String) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("--") {
        let (before, option) = rest.split_at(at);
        let name = &option[2..];
        let end = name.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(name.len());
        let name = &name[..end];
        text.push_str(before);
        match OPTIONS.contains(&name) {
            true => text.push_str(&spell(name)),
            false => text.push_str(&option[..2 + end]),
        }
        rest = &option[2 + end..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_get_the_names_of_the_door() {
        let python = |text| respelled(text, |name| format!("{}=", name.replace('-', "_")));
        assert_eq!(
            python("say it with --positive or --stop-list; --"),
            "say it with positive= or stop_list=; --"
        );
        assert_eq!(python("a -- b --unknown"), "a -- b --unknown");
    }

    /// An option that a message names and the list has not would reach people of other doors with its dashes.
    #[test]
    fn every_option_that_a_message_names_is_known() {
        let mut named = 0;
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("a file");
                // Tests stand at the end, and comments are read by nobody of these.
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
                for line in code.filter(|line| !line.trim_start().starts_with("//")) {
                    for (at, _) in line.match_indices("--") {
                        let name: String = line[at + 2..]
                            .chars()
                            .take_while(|c| c.is_ascii_lowercase() || *c == '-')
                            .collect();
                        let is_option = line[..at].ends_with(['"', ' ', '`', '('])
                            && name.starts_with(char::is_alphabetic);
                        assert!(!is_option || OPTIONS.contains(&&*name), "{}: {line}", path.display());
                        named += usize::from(is_option);
                    }
                }
            }
        }
        assert!(named > 50, "{named}");
    }
}
