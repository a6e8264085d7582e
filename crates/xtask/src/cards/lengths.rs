//! Figures where length cannot help: only two texts of nearly the same length are compared.

use super::measure::{Measurer, list, thousandths};
use super::plan::Card;
use serde_json::Value;
use std::fmt::Write as _;

/// What is compared.
#[derive(Debug)]
pub(crate) enum Lengths {
    /// Items of two classes, ranked by the score: of all pairs of a positive and another one whose last turns are nearly equally long, how
    /// many are in the right order. This is the AUC within a length.
    Ranked { file: &'static str, label: &'static str, positive: &'static str },
    /// Pairs of texts with a label that says `a` or `b`.
    Pairs { file: &'static str, label: &'static str },
}

/// Lengths are nearly equal up to so many percent of the shorter one.
const RANKED: u64 = 10;
/// Pairs are given, and few are as close, so more difference is let in.
const PAIRS: u64 = 20;

/// Two texts: their words, and what the protocol gives to each. The first one is that with the label.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Couple {
    words: (u64, u64),
    scores: (f64, f64),
}

impl Couple {
    fn is_level(self, percent: u64) -> bool {
        let (shorter, longer) = (self.words.0.min(self.words.1), self.words.0.max(self.words.1));
        longer * 100 <= shorter * (100 + percent)
    }
}

/// Couples in the right order, counted twice so that ties can count half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Order {
    couples: u64,
    twice_right: u64,
}

impl Order {
    fn count(&mut self, first: f64, second: f64) {
        self.couples += 1;
        self.twice_right += if first > second { 2 } else { u64::from(first >= second) };
    }

    fn share(self) -> String {
        thousandths(self.twice_right, self.couples * 2)
    }
}

/// The table of both halves.
pub(crate) fn table(measurer: &Measurer, card: &Card, lengths: &Lengths) -> Result<String, String> {
    let (file, percent, longer) = match lengths {
        Lengths::Ranked { file, .. } => (*file, RANKED, false),
        Lengths::Pairs { file, .. } => (*file, PAIRS, true),
    };
    let what = if longer { "Pairs" } else { "A positive and another item" };
    let mut page = format!(
        "### At equal length\n\n`{file}`. {what} in the right order (ties count half). *Level*: the longer one has at most {percent} % more words. The\n\
         figure *by length* orders by the number of words alone.\n\n\
         | | all | right | by length | level | right | by length |\n|---|---:|---:|---:|---:|---:|---:|\n"
    );
    for (name, tuned) in card.split.halves() {
        let couples = couples(measurer, card, lengths, tuned)?;
        let _ = write!(page, "| {name} {} |", card.split.word());
        for level in [false, true] {
            let (mut scored, mut by_length) = (Order::default(), Order::default());
            for couple in couples.iter().filter(|couple| !level || couple.is_level(percent)) {
                scored.count(couple.scores.0, couple.scores.1);
                // Of attacks the shorter one is to be taken, of arguments the longer one.
                let (first, second) = (couple.words.0 as f64, couple.words.1 as f64);
                if longer { by_length.count(first, second) } else { by_length.count(second, first) }
            }
            let _ = write!(page, " {} | {} | {} |", scored.couples, scored.share(), by_length.share());
        }
        page.push('\n');
    }
    Ok(page)
}

/// Every couple of one half.
fn couples(measurer: &Measurer, card: &Card, lengths: &Lengths, tuned: bool) -> Result<Vec<Couple>, String> {
    let (Lengths::Ranked { file, .. } | Lengths::Pairs { file, .. }) = lengths;
    let half = card.split.half(&measurer.text(file)?, tuned)?;
    let read = |line| serde_json::from_str(line).map_err(|e| format!("{file}: {e}"));
    let items: Vec<Value> = half.lines().map(read).collect::<Result<_, String>>()?;
    let sense = |key: &str| -> Result<Vec<(u64, f64)>, String> {
        let sides: Vec<Value> = items.iter().map(|item| item[key].clone()).collect();
        let readings = measurer.batch(card.id, file, &sides)?;
        let pairs = sides.iter().zip(&readings);
        Ok(pairs.map(|(side, reading)| (words(side), reading["score"].as_f64().unwrap_or(0.0))).collect())
    };
    match lengths {
        Lengths::Ranked { label, positive, .. } => {
            let (mut found, mut others) = (Vec::new(), Vec::new());
            for (item, measured) in items.iter().zip(sense("interaction")?) {
                let side = if item["labels"][label] == *positive { &mut found } else { &mut others };
                side.push(measured);
            }
            let with = |first: &(u64, f64)| {
                let first = *first;
                others.iter().map(move |second| couple(first, *second))
            };
            Ok(found.iter().flat_map(with).collect())
        }
        Lengths::Pairs { label, .. } => {
            let sides = sense("interaction_a")?.into_iter().zip(sense("interaction_b")?);
            let ordered = items
                .iter()
                .zip(sides)
                .map(|(item, (a, b))| if item["labels"][label] == "a" { couple(a, b) } else { couple(b, a) });
            Ok(ordered.collect())
        }
    }
}

fn couple(first: (u64, f64), second: (u64, f64)) -> Couple {
    Couple { words: (first.0, second.0), scores: (first.1, second.1) }
}

/// The words of the last turn, or of a text: what stands between white space.
fn words(interaction: &Value) -> u64 {
    let last = list(&interaction["segments"]).last().unwrap_or(interaction);
    last["content"].as_str().unwrap_or_default().split_whitespace().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ties_count_half() {
        let mut order = Order::default();
        order.count(0.9, 0.1);
        order.count(0.5, 0.5);
        order.count(0.1, 0.9);
        order.count(0.1, 0.9);
        assert_eq!((order, order.share()), (Order { couples: 4, twice_right: 3 }, "0.375".to_owned()));
    }

    #[test]
    fn level_is_measured_from_the_shorter_text() {
        let level = |a, b| couple((a, 0.0), (b, 0.0)).is_level(10);
        assert!(level(10, 11) && level(11, 10) && level(0, 0));
        assert!(!level(10, 12) && !level(12, 10) && !level(0, 1));
    }

    #[test]
    fn the_words_are_those_of_the_last_turn() {
        let talk = json!({"segments": [{"content": "one two three"}, {"content": " four  five "}]});
        assert_eq!((words(&talk), words(&json!({"content": "one"})), words(&json!({}))), (2, 1, 0));
    }
}
