//! Conversations from rows of single turns.

use super::content::{Piece, Place};
use super::turns::{TurnColumns, as_text, column, moment, texts};
use crate::failure::Failure;
use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_cast::parse::string_to_timestamp_nanos;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use sonometer::interaction::MAX_CONTENT_BYTES;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Bytes of conversations that are handed on at once.
const PIECE_BYTES: usize = 8 << 20;
/// The most conversations that are handed on at once.
const PIECE_TALKS: usize = 8 << 10;
/// Conversations whose keys are remembered, to notice one that comes back: 18 bytes each at most, so 75 MB. A table with more of them must
/// have them in ascending order, of which one key is to be remembered.
const KNOWN: usize = 4 << 20;

/// What a turn is ordered by. What has nothing comes last.
#[derive(Clone, Debug)]
enum Rank {
    Whole(i64),
    Number(f64),
    Text(String),
    None,
}

impl Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::None, Self::None) => Ordering::Equal,
            (Self::None, _) => Ordering::Greater,
            (_, Self::None) => Ordering::Less,
            // One column has one type.
            _ => Ordering::Equal,
        }
    }
}

fn ranks(path: &str, name: &str, array: &ArrayRef) -> Result<Vec<Rank>, Failure> {
    let kind = array.data_type();
    if kind.is_floating() {
        let numbers = cast(array, &DataType::Float64);
        let numbers = numbers.map_err(|error| crate::tables::read::broken(path, &error))?;
        let rank = |number: Option<f64>| number.map_or(Rank::None, Rank::Number);
        return Ok(numbers.as_primitive::<Float64Type>().iter().map(rank).collect());
    }
    if kind.is_integer() || kind.is_temporal() {
        let wholes =
            cast(array, &DataType::Int64).map_err(|error| crate::tables::read::broken(path, &error))?;
        let rank = |whole: Option<i64>| whole.map_or(Rank::None, Rank::Whole);
        return Ok(wholes.as_primitive::<Int64Type>().iter().map(rank).collect());
    }
    let unusable = |_| {
        Failure::unusable(format!(
            "{path}: the column `{name}` is `{kind}`; turns are ordered by numbers, times or texts"
        ))
    };
    let texts = as_text(path, name, array).map_err(unusable)?;
    Ok(texts.iter().map(|text| text.map_or(Rank::None, |text| Rank::Text(text.to_owned()))).collect())
}

/// One turn of a conversation.
#[derive(Debug)]
struct Turn {
    rank: Rank,
    role: Option<String>,
    content: Option<String>,
    time: Option<f64>,
}

/// A conversation whose turns still come.
#[derive(Debug)]
struct Talk {
    key: String,
    /// Its first row.
    first: RecordBatch,
    turns: Vec<Turn>,
    bytes: usize,
}

/// The keys of the conversations that are over.
#[derive(Debug)]
struct Known {
    hashes: HashSet<u64>,
    /// Whether every key so far was above the one before it.
    ascending: bool,
    most: usize,
}

/// Why a table cannot be read conversation by conversation.
enum Unsorted {
    CameBack,
    TooMany,
}

impl Known {
    fn new() -> Self {
        Self { hashes: HashSet::new(), ascending: true, most: KNOWN }
    }

    /// Goes from the conversation `last` on to `next`.
    fn add(&mut self, last: &str, next: &str) -> Result<(), Unsorted> {
        self.ascending &= before(last, next);
        // Keys above all others cannot have been there; at the limit, only such keys can go on.
        if self.ascending && self.hashes.len() >= self.most {
            return Ok(());
        }
        self.hashes.insert(hash(last));
        if self.hashes.contains(&hash(next)) {
            return Err(Unsorted::CameBack);
        }
        match self.hashes.len() > self.most {
            true => Err(Unsorted::TooMany),
            false => Ok(()),
        }
    }
}

/// Whole numbers by their value, everything else by its text.
fn before(a: &str, b: &str) -> bool {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(a), Ok(b)) => a < b,
        (Err(_), Err(_)) => a < b,
        _ => false,
    }
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Makes conversations of the rows that have one key, which stand together.
pub(crate) struct Grouper {
    turns: TurnColumns,
    key: String,
    order: Option<String>,
    /// Whether a turn without content has an empty one.
    is_csv: bool,
    known: Known,
    open: Option<Talk>,
    done: Vec<Talk>,
    done_bytes: usize,
}

impl Grouper {
    pub(crate) fn new(turns: TurnColumns, key: String, order: Option<String>, is_csv: bool) -> Self {
        Self { turns, key, order, is_csv, known: Known::new(), open: None, done: Vec::new(), done_bytes: 0 }
    }

    /// Takes rows; gives the conversations that are over by then, where they are enough for a piece.
    pub(crate) fn add(&mut self, path: &str, first: u64, rows: &RecordBatch) -> Result<Vec<Piece>, Failure> {
        let turns = self.turns.read(path, first, rows)?;
        let keys = texts(path, &self.key, column(rows, &self.key))?;
        let ranks = self.order.as_ref().map(|name| ranks(path, name, column(rows, name))).transpose()?;
        let mut pieces = Vec::new();
        for row in 0..rows.num_rows() {
            if keys.is_null(row) {
                return Err(Failure::unusable(format!(
                    "{path}: row {}: the column `{}`, by which turns are grouped, is null",
                    first + row as u64,
                    self.key
                )));
            }
            let key = keys.value(row);
            if self.open.as_ref().is_none_or(|talk| talk.key != key) {
                if let Some(over) = self.open.take() {
                    self.known
                        .add(&over.key, key)
                        .map_err(|why| self.unsorted(path, first + row as u64, key, &why))?;
                    pieces.extend(self.close(over)?);
                }
                let first = rows.slice(row, 1);
                self.open = Some(Talk { key: key.to_owned(), first, turns: Vec::new(), bytes: 0 });
            }
            let talk = self.open.as_mut().expect("was opened");
            // What is too long for the engine is not gathered any further; it is the engine that says so.
            if talk.bytes > MAX_CONTENT_BYTES {
                continue;
            }
            let text = |texts: &StringArray| texts.is_valid(row).then(|| texts.value(row).to_owned());
            let content = text(&turns.contents).or(self.is_csv.then(String::new));
            talk.bytes += content.as_ref().map_or(0, String::len) + size_of::<Turn>();
            talk.turns.push(Turn {
                rank: ranks.as_ref().map_or(Rank::None, |ranks| ranks[row].clone()),
                role: text(&turns.roles),
                content,
                time: turns.times.as_ref().and_then(|times| times[row]),
            });
        }
        // Without this, the first row of a long conversation would hold the batch that it came in.
        if let Some(talk) = &mut self.open {
            talk.first = concat_batches(&talk.first.schema(), [&talk.first])
                .map_err(|error| crate::tables::read::broken(path, &error))?;
        }
        Ok(pieces)
    }

    fn unsorted(&self, path: &str, row: u64, key: &str, why: &Unsorted) -> Failure {
        let by = &self.key;
        Failure::unusable(match why {
            Unsorted::CameBack => format!(
                "{path}: row {row}: the conversation `{key}` comes back after others; sort the rows by `{by}`, so that those \
                 of a conversation stand together"
            ),
            Unsorted::TooMany => format!(
                "{path}: row {row}: there are more than {} conversations, and they are not in ascending order; sort the rows \
                 by `{by}`",
                self.known.most
            ),
        })
    }

    fn close(&mut self, talk: Talk) -> Result<Option<Piece>, Failure> {
        self.done_bytes += talk.bytes;
        self.done.push(talk);
        let enough = self.done_bytes >= PIECE_BYTES || self.done.len() >= PIECE_TALKS;
        if enough { self.piece().map(Some) } else { Ok(None) }
    }

    /// What is left when there are no more rows.
    pub(crate) fn finish(&mut self) -> Result<Option<Piece>, Failure> {
        if let Some(over) = self.open.take() {
            self.done.push(over);
        }
        if self.done.is_empty() { Ok(None) } else { self.piece().map(Some) }
    }

    fn piece(&mut self) -> Result<Piece, Failure> {
        self.done_bytes = 0;
        let mut talks = std::mem::take(&mut self.done);
        let (mut roles, mut contents) = (StringBuilder::new(), StringBuilder::new());
        let mut times = Float64Builder::new();
        for talk in &mut talks {
            if let Err((one, other)) = in_order(&mut talk.turns) {
                let (key, name) = (&talk.key, self.order.as_deref().unwrap_or_default());
                return Err(Failure::unusable(format!(
                    "conversation `{key}`: `{one}` and `{other}` in the column `{name}`, by which turns are ordered, are not in a \
                     form whose order is certain; write whole numbers, numbers such as 1.5, times of one length such as 09:05, or \
                     dates with times such as 2026-03-02T10:00:00"
                )));
            }
            talk.turns.sort_by(|a, b| a.rank.cmp(&b.rank));
            for turn in &talk.turns {
                roles.append_option(turn.role.as_deref());
                contents.append_option(turn.content.as_deref());
                times.append_option(turn.time);
            }
        }
        let lengths = talks.iter().map(|talk| talk.turns.len());
        let content =
            sonometer_arrow::talks(roles.finish(), contents.finish(), times.finish(), lengths, None);
        let first: Vec<&RecordBatch> = talks.iter().map(|talk| &talk.first).collect();
        let rows = concat_batches(&first[0].schema(), first)
            .map_err(|error| crate::tables::read::broken(&self.key, &error))?;
        Ok(Piece {
            content,
            rows,
            place: Place::Talks(talks.into_iter().map(|talk| talk.key).collect()),
            ends: true,
        })
    }
}

/// Ranks of texts are numbers where all of a conversation are, or moments: CSV has no types, and 10 comes after 9. Other texts are
/// compared as they are. Fails with two of them where that may not be what they mean.
fn in_order(turns: &mut [Turn]) -> Result<(), (String, String)> {
    let texts: Vec<&str> = turns
        .iter()
        .filter_map(|turn| if let Rank::Text(text) = &turn.rank { Some(text.as_str()) } else { None })
        .collect();
    let number =
        |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite()).map(Rank::Number);
    let date = |text: &str| string_to_timestamp_nanos(text.trim()).ok().map(Rank::Whole);
    let seconds = |text: &str| moment(text).map(Rank::Number);
    let all = |read: &dyn Fn(&str) -> Option<Rank>| texts.iter().map(|text| read(text)).collect();
    let ranks: Option<Vec<Rank>> = all(&number);
    let Some(ranks) = ranks.or_else(|| all(&date)).or_else(|| all(&seconds)) else {
        return unlike(&texts).map_or(Ok(()), |(one, other)| Err((one.to_owned(), other.to_owned())));
    };
    let of_texts = turns.iter_mut().filter(|turn| matches!(turn.rank, Rank::Text(_)));
    of_texts.zip(ranks).for_each(|(turn, rank)| turn.rank = rank);
    Ok(())
}

/// Two texts that begin with a digit, and whose order as texts may not be that of what they mean: `9:05` and `10:01`, `10.3.2026` and
/// `2.4.2026`, `1,5` and `10,5`.
fn unlike<'t>(texts: &[&'t str]) -> Option<(&'t str, &'t str)> {
    let begins = |text: &&&str| {
        text.trim_start().trim_start_matches(['-', '+']).starts_with(|first: char| first.is_ascii_digit())
    };
    let mut numbered = texts.iter().filter(begins);
    let first = *numbered.next()?;
    let other = numbered.find(|text| !sorts_with(first, text))?;
    Some((first, other))
}

/// Whether two texts of digits have the same signs at the same places, and the larger unit stands first.
fn sorts_with(first: &str, other: &str) -> bool {
    let shape =
        |text: &str| -> String { text.chars().map(|c| if c.is_alphanumeric() { 'x' } else { c }).collect() };
    // So many digits are a year, and no day, month or hour.
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let is_sure = digits(first) >= 4
        || !has_word(first) && !has_word(other) && (!is_date(first) || date_of(first) == date_of(other));
    shape(first) == shape(other) && !first.starts_with(['-', '+']) && is_sure
}

/// Whether it holds a word: a month, or the half of a day.
fn has_word(text: &str) -> bool {
    let is_half = |half: &&str| text.contains(':') && text.to_ascii_lowercase().ends_with(half);
    text.contains(' ') && text.contains(char::is_alphabetic) || ["am", "pm"].iter().any(is_half)
}

fn date_of(text: &str) -> &str {
    text.split([' ', 'T', ',']).next().unwrap_or_default()
}

/// Whether it begins with a day, a month and a year, in this or another order.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = date_of(text).split(['.', '/', '-']).collect();
    let is_digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().all(is_digits) && matches!(parts[..], [_, _, year] if [2, 4].contains(&year.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_ordered_by_what_texts_mean_or_not_at_all() {
        let go = |texts: &[&str]| {
            let turn = |text: &&str| Turn {
                rank: Rank::Text((*text).to_owned()),
                role: None,
                content: Some((*text).to_owned()),
                time: None,
            };
            let mut turns: Vec<Turn> = texts.iter().map(turn).collect();
            in_order(&mut turns)?;
            turns.sort_by(|a, b| a.rank.cmp(&b.rank));
            Ok(turns.into_iter().filter_map(|turn| turn.content).collect::<Vec<_>>())
        };
        for ordered in [
            &["9", "10"][..],
            &["-1.5", "2", "10.25"],
            &["09:05", "10:01"],
            &["09:05:59", "10:01:00"],
            &["2026-03-02", "2026-03-10"],
            &["2026-03-02T09:05:00Z", "2026-03-02T09:05:00.5Z", "2026-03-02T10:01:00+00:00"],
            &["2026-03-02T12:00:00+02:00", "2026-03-02T11:00:00Z"],
            &["2026-03-02T09:05", "2026-03-02T10:01"],
            &["2026/03/02 09:05", "2026/03/10 08:01"],
            &["02.03.2026 09:05", "02.03.2026 10:01"],
            &["1,5", "2,5"],
            &["1.2.3", "1.2.4"],
            &["01ARZ3NDAM", "01BX5ZZKBK", "a", "b"],
            &["019a-5b-01ab", "019b-5a-01ab"],
        ] {
            let turned: Vec<&str> = ordered.iter().rev().copied().collect();
            assert_eq!(
                go(&turned),
                Ok(ordered.iter().map(|text| (*text).to_owned()).collect()),
                "{ordered:?}"
            );
        }
        for unsure in [
            ["9:05", "10:01"],
            ["10.3.2026", "2.3.2026"],
            ["10.03.2026", "02.04.2026"],
            ["10/03/26", "02/04/26"],
            ["1,5", "10,5"],
            ["-1,5", "-2,5"],
            ["12:05 PM", "01:05 PM"],
            ["12:05pm", "01:05pm"],
            ["02 Mar", "01 Apr"],
            ["9", "10th"],
        ] {
            let [one, other] = unsure.map(str::to_owned);
            assert_eq!(go(&unsure), Err((one, other)));
        }
        assert_eq!(go(&["9:05"]), Ok(vec!["9:05".to_owned()]), "one turn is in order");
    }

    #[test]
    fn what_comes_back_is_noticed_and_memory_is_bounded() {
        let go = |most: usize, keys: &[&str]| {
            let mut known = Known { most, ..Known::new() };
            keys.windows(2).map(|pair| known.add(pair[0], pair[1])).find_map(Result::err).map(|why| match why
            {
                Unsorted::CameBack => "back",
                Unsorted::TooMany => "many",
            })
        };
        assert_eq!(go(9, &["b", "a", "c"]), None);
        assert_eq!(go(9, &["b", "a", "b"]), Some("back"));
        assert_eq!(go(2, &["1", "2", "9", "10", "11"]), None);
        assert_eq!(go(2, &["1", "2", "9", "10", "2"]), Some("back"));
        assert_eq!(go(2, &["1", "2", "9", "10", "9"]), Some("many"));
        assert_eq!(go(2, &["b", "a", "d", "c"]), Some("many"));
    }
}
