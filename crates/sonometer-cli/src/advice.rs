//! What a person probably meant, where an input is read in another way. Told beside the result, which stays as it is.

use crate::paint::{fit, one_line};
use sonometer::Error;
use sonometer_ingest::{Hints, Ingested, Kind, is_timed, role};

/// The most columns of a table that are named.
const COLUMNS: usize = 12;
/// The most letters of a heading that are shown.
const HEADING: usize = 24;

/// What to type instead, if that is likely.
pub(crate) fn advice(read: &Ingested, hints: &Hints) -> Option<String> {
    let content = whole(read)?;
    match read.kind {
        Kind::Text => turns(content, "--format turns"),
        kind if has_paragraphs(kind) => turns(content, "--turns"),
        Kind::Csv | Kind::Sheet if hints.column.is_none() => Some(columns(content)),
        _ => None,
    }
}

/// The text of a file that was read as one text.
fn whole(read: &Ingested) -> Option<&str> {
    let turn = read.interaction.turns().first()?;
    turn.role.is_none().then_some(&*turn.content)
}

/// Whether a file is a document, whose paragraphs may be turns.
fn has_paragraphs(kind: Kind) -> bool {
    matches!(kind, Kind::Pdf | Kind::Docx | Kind::Odt | Kind::Html | Kind::Markdown | Kind::Rtf)
}

/// What to do with a file that is neither a table nor JSON lines by its name, where only these are read.
pub(crate) fn no_lines(path: &str) -> Option<String> {
    let (_, ending) = path.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "xlsx" | "xlsm" | "xls" | "ods" => Some(format!(
            "{path}: is a workbook; save it as CSV in UTF-8 (spreadsheets call it `CSV UTF-8`) and name the column of the texts with \
             --text-column"
        )),
        "pdf" | "docx" | "doc" | "odt" | "rtf" | "eml" | "mbox" | "html" | "htm" | "vtt" | "srt" | "mp3"
        | "wav" | "ogg" | "m4a" | "flac" | "webm" => Some(format!(
            "{path}: is neither JSON lines nor a table; `sonometer sense` reads such a file, and `sonometer report` many"
        )),
        _ => None,
    }
}

/// Whether a line of JSON was refused for a key of its own, such as a column of a table has.
pub(crate) fn is_row(error: &Error) -> bool {
    error.message.starts_with("unknown key") && !error.place.contains(['.', '[', ' '])
}

/// The note if every line was refused for that.
pub(crate) const ROWS: &str = "no line is an interaction; to read the lines as a table whose keys are columns, name the one of the texts with \
                               --text-column";

/// Whether a line was refused because it is one turn.
pub(crate) fn is_turn(told: &str) -> bool {
    told.contains("this is one turn")
}

/// The note if that is so of every line: a conversation with a turn a line.
pub(crate) const TURNS: &str =
    "each line is one turn; `sonometer stream TARGET --form jsonl` reads such lines as one conversation";

/// Whether a line is no JSON at all.
pub(crate) fn is_no_json(error: &Error) -> bool {
    error.message.starts_with("this is not valid JSON")
}

/// The note if that is so of most lines: a list or an object over many lines, or a text.
pub(crate) const NO_JSON: &str = "most lines are not JSON, and `batch` reads one JSON value a line; a list over many lines becomes such lines by \
                                  `jq -c '.[]'`, lines of text by `jq -R '{content: .}'`; `sonometer sense` reads a text as a whole";

/// Whether a file was read as one text and is probably a conversation.
pub(crate) fn is_conversation(read: &Ingested) -> bool {
    (read.kind == Kind::Text || has_paragraphs(read.kind))
        && whole(read).is_some_and(|text| is_spoken(text) || is_timed(text))
}

/// Whether a text is probably a conversation.
pub(crate) fn is_spoken(text: &str) -> bool {
    spoken(text).is_some()
}

/// The note on labelled texts that are.
pub(crate) const LABELLED_TURNS: &str = "read as texts, but their lines begin with who speaks, like `agent: …`; to read such lines as turns, use \
                                         `--text-turns`";

/// The note of a report on such a file.
pub(crate) const AS_TURNS: &str = "read as one text, but its lines begin with who speaks, like `agent: …`; to read such lines as turns, use `--turns`";

fn turns(content: &str, option: &str) -> Option<String> {
    let what = match spoken(content) {
        Some((lines, first)) => format!("{lines} lines begin like `{}: …`", one_line(first)),
        None if is_timed(content) => "its lines have names and times".to_owned(),
        None => return None,
    };
    Some(format!("sensed as one text, but {what}; to sense them as turns, use `{option}`"))
}

/// Two lines or more that say who speaks, the first of them at the beginning, and in each half of the lines one: how many, and who
/// speaks first.
fn spoken(content: &str) -> Option<(usize, &str)> {
    let lines: Vec<&str> = content.lines().filter(|line| !line.trim().is_empty()).collect();
    let spoken = lines.iter().filter(|line| role(line).is_some()).count();
    let first = role(lines.first()?)?.0;
    (spoken >= 2 && 2 * spoken >= lines.len()).then_some((spoken, first))
}

fn columns(content: &str) -> String {
    let first = content.lines().next().unwrap_or_default();
    let mut names: Vec<String> =
        first.split(" | ").map(|name| fit(name.trim(), HEADING).trim_end().to_owned()).collect();
    if names.len() > COLUMNS {
        names.truncate(COLUMNS);
        names.push("…".to_owned());
    }
    format!(
        "the whole table is sensed as one text; to sense one column as turns, use `--column NAME` with one of {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_table_are_seen() {
        let error = |place: &str, message: &str| Error::invalid(place, message);
        assert!(is_row(&error("text", "unknown key `text`; did you mean `content`")));
        assert!(
            !is_row(&error("segments[0].text", "unknown key `text`"))
                && !is_row(&error("id", "`id` is a list"))
        );
    }

    #[test]
    fn lines_that_are_no_json_are_seen() {
        let read = |line: &str| sonometer_ingest::line(line).interaction.expect_err("is refused");
        for line in ["[", "Thank you.", "{\"content\": \"a\"},", "{"] {
            assert!(is_no_json(&read(line)), "{line}");
        }
        assert!(!is_no_json(&read("7")) && !is_no_json(&read("{\"text\": \"a\"}")));
    }

    #[test]
    fn files_of_other_kinds_are_told_where_they_are_read() {
        assert!(no_lines("calls.XLSX").is_some_and(|told| told.contains("is a workbook; save it as CSV")));
        assert!(
            no_lines("call.pdf").is_some_and(|told| told.contains("`sonometer sense` reads such a file"))
        );
        assert!(["calls.jsonl", "calls.txt", "calls", "-"].iter().all(|name| no_lines(name).is_none()));
    }

    #[test]
    fn a_conversation_in_a_text_is_seen() {
        let told = turns("agent: Good morning.\ncustomer: Hello.\n", "--format turns").expect("is one");
        assert!(told.contains("2 lines begin like `agent: …`") && told.contains("--format turns"), "{told}");
        assert!(turns("Note: this is a letter.\nIt has lines.\nAnd one more.\n", "").is_none());
        assert!(turns("Good morning.\nagent: hello\n", "").is_none());
        assert!(turns("see https://a.example\n12:30 lunch\n", "").is_none());
        assert!(turns("", "").is_none());
    }

    #[test]
    fn a_transcript_in_a_document_is_seen() {
        let told =
            turns("Ann   0:01\nHi.\nBo   0:03\nHello.\nAnn   0:05\nBye.\n", "--turns").expect("is one");
        assert_eq!(
            told,
            "sensed as one text, but its lines have names and times; to sense them as turns, use `--turns`"
        );
    }

    #[test]
    fn the_columns_of_a_table_are_named() {
        assert!(columns("id | who | said\n1 | Bo | hi").ends_with("with one of id, who, said"));
        let many: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
        assert!(columns(&many.join(" | ")).ends_with("c11, …"));
    }
}
