//! The aims that were set for the catalogue beside what the cards say of them, as one table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An aim, and where its figure stands in the measured part of a card.
#[derive(Debug)]
struct Aim {
    card: &'static str,
    /// What is counted, in words.
    figure: &'static str,
    /// In the unit of the card.
    aim: &'static str,
    bound: Bound,
    place: Place,
    items: Items,
    /// What else has to be known, in words.
    note: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    AtLeast,
    AtMost,
}

/// A cell of a table: the first heading that begins so, the rows that begin so, the column whose head begins so.
#[derive(Debug)]
struct Place {
    heading: &'static str,
    /// What the first cells say, one or several, up to the column.
    row: &'static [&'static str],
    column: &'static str,
}

/// Whether the figure is of items that somebody read for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    Unread,
    Read,
}

const OTHER: &str = "other";
const SECOND: &str = "second";
const HATE: &str = "Hate against groups";
const OFFENCES: &str = "Offensive messages";
const ALARMS: &str = "Alarms in ordinary talk";
const HIDDEN: &str = "Characters that are hidden";
const PLACES: &str = "Places of the types that the protocol claims";
const FEELINGS: &str = "Each marker against";

/// In the order of the cards.
const AIMS: &[Aim] = &[
    macro_f1("abuse", HATE, "0.75", SECOND).read("").named("hate (en), macro-F1"),
    alarms("abuse", "0.3 %")
        .note("0.000 % in talk about tasks; the rest is debates and comments that insult"),
    macro_f1("abuse-de", HATE, "0.68", SECOND).read("").named("hate (de), macro-F1"),
    macro_f1("abuse-de", OFFENCES, "0.72", SECOND)
        .read("0.720 on folds by likeness")
        .named("offences, macro-F1"),
    macro_f1("abuse-es", HATE, "0.68", OTHER).named("hate (es), macro-F1"),
    macro_f1("abuse-fr", HATE, "0.68", OTHER).named("hate (fr), macro-F1"),
    macro_f1("abuse-it", HATE, "0.68", OTHER).named("hate (it), macro-F1"),
    macro_f1("abuse-pt", HATE, "0.68", OTHER).named("hate (pt), macro-F1"),
    macro_f1("abuse-zh", HATE, "0.68", SECOND).read("").named("hate (zh), macro-F1"),
    macro_f1("abuse-zh", OFFENCES, "0.81", SECOND)
        .read("**0.803 on folds by likeness: missed there**")
        .named("offences, macro-F1"),
    macro_f1("affect", "Positive", "0.80", SECOND)
        .read("0.816 where it was unread, by 1.5")
        .named("positive, macro-F1"),
    macro_f1("affect", "Negative", "0.74", SECOND)
        .read("0.740 where it was unread, by 1.5")
        .named("negative, macro-F1"),
    at_least("affect", "eighteen single feelings, mean macro-F1", "0.77", FEELINGS, &["mean"], "macro-F1")
        .read("five of them: 0.738"),
    at_least("argument", "accuracy of pairs", "0.79", "Which of two", &["accuracy"], SECOND)
        .read("0.792 on topics that it was not fitted to"),
    at_least("courtesy", "AUC", "0.80", "The most polite quarter", &["AUC"], SECOND).read(""),
    macro_f1("courtesy", "As a decision", "0.70", SECOND).read(""),
    at_least("names-and-places", "precision of persons", "0.9", "Persons", &["precision"], OTHER),
    at_least("names-and-places", "recall of persons", "0.75", "Persons", &["recall"], OTHER),
    at_least(
        "negotiation",
        "nine moves in dialogue, mean macro-F1",
        "0.745",
        FEELINGS,
        &["mean"],
        "macro-F1",
    ),
    at_least(
        "personal-attack",
        "AUC at equal length",
        "0.90",
        "At equal length",
        &["second half"],
        "right, level",
    )
    .read("its list alone: 0.910 on folds, 0.904 at any length"),
    alarms("personal-attack", "1 %"),
    at_least("personal-data", "F1 of places that overlap", "0.97", PLACES, &["F1"], OTHER),
    at_least(
        "personal-data",
        "F1 of exact places, addresses whole",
        "0.85",
        HIDDEN,
        &["other", "this"],
        "exact",
    ),
    at_least("personal-data", "characters hidden", "0.95", HIDDEN, &["other", "this"], "hidden"),
    macro_f1("pressure-tactics", "Dark patterns", "0.955", SECOND)
        .read("**0.949 where lines were unread: missed there**"),
    alarms("pressure-tactics", "0.2 %"),
    macro_f1("prompt-attack", "Attacks against", "0.88", OTHER),
    at_least("prompt-attack", "recall", "0.85", "Attacks against", &["recall"], OTHER),
    alarms("prompt-attack", "0.3 %"),
    macro_f1("refusal", "Refused", "0.93", OTHER),
    at_least("refusal", "in full, in part, none: macro-F1", "0.76", "In full", &["mean"], OTHER),
    alarms("refusal", "0.5 %"),
    at_least("uptake", "Spearman", "0.52", "How far", &["spearman"], OTHER),
];

const fn at_least(
    card: &'static str,
    figure: &'static str,
    aim: &'static str,
    heading: &'static str,
    row: &'static [&'static str],
    column: &'static str,
) -> Aim {
    let place = Place { heading, row, column };
    Aim { card, figure, aim, bound: Bound::AtLeast, place, items: Items::Unread, note: "" }
}

const fn macro_f1(card: &'static str, heading: &'static str, aim: &'static str, column: &'static str) -> Aim {
    at_least(card, "macro-F1", aim, heading, &["macro-F1"], column)
}

/// Alarms were read where the patterns were mended.
const fn alarms(card: &'static str, aim: &'static str) -> Aim {
    let place = Place { heading: ALARMS, row: &["all"], column: "per turn" };
    let figure = "alarms per turn of ordinary talk";
    Aim { card, figure, aim, bound: Bound::AtMost, place, items: Items::Read, note: "" }
}

impl Aim {
    const fn named(self, figure: &'static str) -> Self {
        Self { figure, ..self }
    }

    const fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    const fn read(self, note: &'static str) -> Self {
        Self { items: Items::Read, note, ..self }
    }

    /// What the card says, as a number and in words.
    fn reached(&self, page: &str) -> Result<(f64, String), String> {
        let cell = self
            .place
            .cell(page)
            .ok_or_else(|| format!("the card of {} has no figure at {:?}", self.card, self.place))?;
        let shown = cell.split_once(" [").map_or(cell, |(value, _)| value);
        Ok((number(shown)?, shown.to_owned()))
    }

    fn is_met(&self, reached: f64) -> Result<bool, String> {
        let aim = number(self.aim)?;
        Ok(match self.bound {
            Bound::AtLeast => reached >= aim,
            Bound::AtMost => reached <= aim,
        })
    }
}

impl Place {
    fn cell<'a>(&self, page: &'a str) -> Option<&'a str> {
        let (_, section) = page.split_once(&format!("\n### {}", self.heading))?;
        let section = section.split_once("\n#").map_or(section, |(section, _)| section);
        let mut rows = section.lines().filter(|line| line.starts_with('|')).map(cells);
        let head = rows.next()?;
        let row = rows.find(|row| self.row.iter().zip(row).all(|(wanted, cell)| cell == wanted))?;
        // `right, level` is the column `right` behind the column `level`.
        let (column, from) = match self.column.split_once(", ") {
            Some((column, behind)) => (column, head.iter().position(|cell| *cell == behind)?),
            None => (self.column, self.row.len()),
        };
        let at = head.iter().skip(from).position(|cell| cell.starts_with(column))? + from;
        row.get(at).copied()
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

fn number(shown: &str) -> Result<f64, String> {
    let digits = shown.trim_end_matches(" %");
    digits.parse().map_err(|_| format!("`{shown}` is no number"))
}

/// The section of a card that counts errors by kind, as the end of a link.
fn errors_section(page: &str) -> Option<String> {
    let mut heading = None;
    for line in page.lines() {
        if let Some(text) = line.strip_prefix("## ") {
            heading = Some(text);
        }
        if line.starts_with("| kind of error |") || line == "| kind | errors |" {
            return heading.map(|text| text.to_lowercase().replace(' ', "-").replace(',', ""));
        }
    }
    None
}

/// All aims, from the pages of the cards by their ids.
pub(crate) fn table(pages: &BTreeMap<&str, String>) -> Result<String, String> {
    let mut rows = String::new();
    let (mut met, mut met_unread) = (0, 0);
    for aim in AIMS {
        let page = pages.get(aim.card).ok_or_else(|| format!("there is no card of {}", aim.card))?;
        let (value, shown) = aim.reached(page)?;
        let is_met = aim.is_met(value)?;
        let is_unread = aim.items == Items::Unread;
        met += usize::from(is_met);
        met_unread += usize::from(is_met && is_unread);
        let link = format!("../../crates/sonometer-catalog/docs/cards/{}.md", aim.card);
        let errors = match errors_section(page) {
            Some(section) => format!("[counted]({link}#{section})"),
            None if is_met => "-".to_owned(),
            None => return Err(format!("the card of {} misses an aim and counts no errors", aim.card)),
        };
        let bound = if aim.bound == Bound::AtMost { "at most " } else { "" };
        let items = if is_unread { "not read" } else { "read" };
        let result = if is_met { "met" } else { "**missed**" };
        let _ = writeln!(
            rows,
            "| [{}]({link}) | {} | {bound}{} | {shown} | {items} | {result} | {errors} | {} |",
            aim.card, aim.figure, aim.aim, aim.note
        );
    }
    let all = AIMS.len();
    Ok(format!(
        "\nOf {all} aims {met} are met, {met_unread} of them on items that were not read.\n\n\
         | protocol | figure | aim | reached | items | | kinds of error | |\n|---|---|---:|---:|---|---|---|---|\n{rows}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n### Attacks against\n\n| figure | aim | tuned part (2) | other part (1) |\n|---|---:|---:|---:|\n\
        | macro-F1 | 0.88 | 0.956 [0.9, 1.0] | 0.812 [0.7, 0.9] |\n\n### Alarms\n\n| file | per turn |\n|---|---:|\n| all | 0.031 % |\n\n\
        ### Level\n\n| | all | right | level | right |\n|---|---|---|---|---|\n| other half | 9 | 0.888 | 4 | 0.915 |\n\n\
        ## Read by eye\n\n| kind of error | count |\n|---|---:|\n";

    #[test]
    fn a_figure_is_found_by_heading_row_and_column() {
        let figure = |heading, row, column| Place { heading, row, column }.cell(PAGE);
        assert_eq!(figure("Attacks", &["macro-F1"], "other"), Some("0.812 [0.7, 0.9]"));
        assert_eq!(figure("Alarms", &["all"], "per turn"), Some("0.031 %"));
        assert_eq!(figure("Level", &["other half"], "right, level"), Some("0.915"));
        assert_eq!(figure("Level", &["other half"], "right"), Some("0.888"));
        assert_eq!(figure("Alarms", &["macro-F1"], "other"), None, "a row of another section");
        assert_eq!(figure("Attacks", &["macro-F1"], "third"), None);
    }

    #[test]
    fn aims_have_a_bound_from_above_or_below() {
        let recall = macro_f1("x", "Attacks", "0.812", OTHER);
        assert_eq!(recall.reached(PAGE), Ok((0.812, "0.812".to_owned())));
        assert_eq!((recall.is_met(0.812), recall.is_met(0.811)), (Ok(true), Ok(false)));
        let few = alarms("x", "0.3 %");
        assert_eq!((few.is_met(0.3), few.is_met(0.301)), (Ok(true), Ok(false)));
        assert!(macro_f1("x", "Nothing", "0.9", OTHER).reached(PAGE).is_err());
    }

    #[test]
    fn errors_are_linked_where_they_are_counted() {
        assert_eq!(errors_section(PAGE).as_deref(), Some("read-by-eye"));
        assert_eq!(errors_section("## How\n\n| a | b |\n"), None);
    }
}
