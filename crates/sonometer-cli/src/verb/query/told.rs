//! What is wrong with a query: where in it, and what to write.

use crate::failure::Failure;
use datafusion::error::DataFusionError;

/// Whatever came of a query, as an error of the command.
pub(super) fn failure(sql: &str, error: &DataFusionError) -> Failure {
    let root = error.find_root();
    if let DataFusionError::External(own) = root {
        return Failure::unusable(own.to_string());
    }
    let message = message(root);
    let place = match error.diagnostic().and_then(|found| found.span) {
        Some(span) => Some((span.start.line, span.start.column)),
        None => of_parser(&message).or_else(|| of_word(sql, &message)),
    };
    let helps = error
        .diagnostic()
        .map(|found| found.helps.iter().map(|help| format!("; {}", help.message)).collect());
    let helps: String = helps.unwrap_or_default();
    let message = message.split(" at Line: ").next().unwrap_or_default();
    Failure::unusable(match place {
        Some((line, column)) => format!("the query, line {line}, column {column}: {message}{helps}"),
        None => format!("the query: {message}{helps}"),
    })
}

/// The words of an error, without those of the layers that it went through.
fn message(error: &DataFusionError) -> String {
    let text = error.message();
    let text = text.split(DataFusionError::BACK_TRACE_SEP).next().unwrap_or_default();
    // What a function says of its arguments comes within what the planner says of the function.
    let text = text.rsplit("Error during planning: ").next().unwrap_or_default();
    let text = text.split(". No function matches the given name").next().unwrap_or_default();
    let text = text.strip_prefix("ParserError(\"").and_then(|rest| rest.strip_suffix("\")")).unwrap_or(text);
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if let Some(last) = words.last_mut() {
        *last = last.trim_end_matches('.');
    }
    words.join(" ")
}

/// `… at Line: 1, Column: 8`, as the parser says it.
fn of_parser(message: &str) -> Option<(u64, u64)> {
    let (_, place) = message.split_once(" at Line: ")?;
    let (line, column) = place.split_once(", Column: ")?;
    let column: String = column.chars().take_while(char::is_ascii_digit).collect();
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// Where the word stands that a message has in backticks, as a text or as a function.
fn of_word(sql: &str, message: &str) -> Option<(u64, u64)> {
    let word = message.split('`').nth(1)?;
    let small = sql.to_ascii_lowercase();
    let at = sql.find(&format!("'{word}'")).or_else(|| small.find(&format!("{word}(")))?;
    let before = &sql[..at];
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    Some((line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_one() {
        assert_eq!(of_parser("Expected: an expression, found: from at Line: 2, Column: 8"), Some((2, 8)));
        assert_eq!(of_parser("Expected: an expression, found: EOF"), None);
        assert_eq!(of_word("select\n  score('nope', text)", "there is no `nope`"), Some((2, 9)));
        assert_eq!(of_word("select Score(text)", "`score` takes a target"), Some((1, 8)));
        assert_eq!(of_word("select 1", "`score` takes a target"), None);
    }
}
