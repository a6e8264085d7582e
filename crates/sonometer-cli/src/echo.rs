//! What a message shows of arguments and inputs: enough to know which is meant. An argument may be a whole text given by mistake, and
//! a log that holds whole texts holds what was to stay private.

use std::env;

/// The most characters that a message shows of one argument or of one quoted part of an input.
const MOST_CHARACTERS: usize = 200;
/// Of what is longer, the beginning and the end are shown, where the name of a file stands.
const HEAD: usize = 120;
const TAIL: usize = 60;

/// A message with its long arguments and quotations cut.
pub(crate) fn short(message: &str) -> String {
    if message.len() <= MOST_CHARACTERS {
        return message.to_owned();
    }
    let arguments: Vec<String> =
        env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    quotations_cut(&arguments_cut(message, &arguments))
}

/// Every argument counts, and every value in one: `--name=VALUE`, `NAME=ROLE,NAME=ROLE`.
fn arguments_cut(message: &str, arguments: &[String]) -> String {
    let mut long: Vec<&str> = Vec::new();
    for argument in arguments.iter().filter(|argument| is_long(argument)) {
        let after_name = argument.split_once('=').map(|(_, value)| value);
        let values = after_name.into_iter().chain(argument.split([',', '=']));
        long.push(argument);
        long.extend(values.filter(|value| is_long(value)));
    }
    // The longest first: the others stand in it.
    long.sort_by_key(|text| std::cmp::Reverse(text.len()));
    long.dedup();
    long.iter().fold(message.to_owned(), |message, text| message.replace(text, &cut(text)))
}

/// What stands between backticks.
fn quotations_cut(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let parts =
        parts.map(|(at, part)| if at % 2 == 1 && is_long(part) { cut(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

fn is_long(text: &str) -> bool {
    text.chars().nth(MOST_CHARACTERS).is_some()
}

fn cut(text: &str) -> String {
    let head: String = text.chars().take(HEAD).collect();
    let tail = text.char_indices().nth_back(TAIL - 1).map_or(0, |(at, _)| at);
    format!("{head}…{}", &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_arguments_and_quotations_are_cut() {
        let long = "a".repeat(1000);
        let shown = format!("{}…{}", "a".repeat(HEAD), "a".repeat(TAIL));
        let arguments = [long.clone(), format!("--file={long}"), format!("x=y,{long}=z")];
        for argument in &arguments {
            let cut = arguments_cut(&format!("{long}: no such file"), std::slice::from_ref(argument));
            assert_eq!(cut, format!("{shown}: no such file"), "{argument:.9}");
        }
        assert_eq!(
            arguments_cut(&format!("no {}", arguments[1]), &arguments).chars().count(),
            3 + HEAD + 1 + TAIL
        );
        assert_eq!(quotations_cut(&format!("no `{long}` in `b`")), format!("no `{shown}` in `b`"));
        assert_eq!(quotations_cut("no `a` here"), "no `a` here");
    }
}
