//! Rows of a column as interactions.

use crate::frame::Input;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, LargeStringArray, OffsetSizeTrait, StringArray, StringViewArray, StructArray,
};
use arrow_schema::{DataType, TimeUnit};
use sonometer::{Error, Interaction, Turn, Unit};

const WANTED: &str = "text (`utf8`, `large_utf8`, `utf8_view`, or a dictionary of one of them) or \
                      conversations (`list<struct<role, content, timestamp?>>`)";

/// That a column is of a type that cannot be read, and what to do.
fn unwanted(kind: &DataType) -> String {
    let held = match kind {
        DataType::Dictionary(_, held) => held,
        kind => kind,
    };
    let fix = match held {
        // Some writers of Parquet leave out that bytes are text.
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "; it holds bytes: if they are text in UTF-8, cast it to `utf8` first"
        }
        _ => "",
    };
    format!("the column is `{kind}`; wanted are {WANTED}{fix}")
}

/// A column whose rows can be read as interactions.
pub(crate) enum Rows<'a> {
    /// Every row is null.
    Null,
    Text(Texts<'a>, Input),
    /// Where the turns of each row begin and end, and whether it is null.
    Talks(Box<dyn Fn(usize) -> Option<(usize, usize)> + Send + Sync + 'a>, Turns<'a>),
}

/// Texts, however they are kept.
#[derive(Clone)]
pub(crate) enum Texts<'a> {
    Null,
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
    /// The texts, and for each row which of them.
    Dictionary(Box<Texts<'a>>, &'a dyn Array, Vec<usize>),
}

impl<'a> Texts<'a> {
    fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Utf8 => Self::Small(array.as_string()),
            DataType::LargeUtf8 => Self::Large(array.as_string()),
            DataType::Utf8View => Self::View(array.as_string_view()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                // Without texts every row is null, or there are none; `normalized_keys` needs one.
                if dictionary.values().is_empty() {
                    return Self::of(dictionary.values().as_ref()).map(|_| Self::Null);
                }
                let texts = Self::of(dictionary.values().as_ref())?;
                Self::Dictionary(Box::new(texts), array, dictionary.normalized_keys())
            }
            _ => return None,
        })
    }

    /// The text of a row; `None` if it is null. Through the array's own places, so slices and offsets hold.
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        match self {
            Self::Null => None,
            Self::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary(texts, array, keys) => {
                if array.is_null(row) {
                    None
                } else {
                    texts.get(keys[row])
                }
            }
        }
    }
}

/// The turns of all rows, one after the other.
pub(crate) struct Turns<'a> {
    turns: &'a StructArray,
    roles: Option<Texts<'a>>,
    contents: Texts<'a>,
    /// Millionths of a second, where there are times.
    times: Option<Vec<Option<i64>>>,
}

/// The turns of the rows of a column of lists, which [`Rows::of`] reads, and no others: the lists of a part of a column hold the turns of
/// the whole column, so times and roles of all of them would be read again for each part.
pub(crate) fn turns_of(array: &dyn Array) -> Option<ArrayRef> {
    fn cut<O: OffsetSizeTrait>(array: &dyn Array) -> ArrayRef {
        let lists = array.as_list::<O>();
        let (first, last) =
            (lists.value_offsets()[0].as_usize(), lists.value_offsets()[lists.len()].as_usize());
        lists.values().slice(first, last - first)
    }
    match array.data_type() {
        DataType::List(_) => Some(cut::<i32>(array)),
        DataType::LargeList(_) => Some(cut::<i64>(array)),
        _ => None,
    }
}

impl<'a> Rows<'a> {
    /// `turns` are those of [`turns_of`].
    ///
    /// # Errors
    /// `invalid_request` at `column` for another type, with what is wanted.
    pub(crate) fn of(array: &'a dyn Array, turns: Option<&'a ArrayRef>, input: Input) -> Result<Self, Error> {
        if let Some(texts) = Texts::of(array) {
            return Ok(match texts {
                Texts::Null => Self::Null,
                texts => Self::Text(texts, input),
            });
        }
        match (array.data_type(), turns) {
            (DataType::List(_), Some(turns)) => Self::talks::<i32>(array, turns),
            (DataType::LargeList(_), Some(turns)) => Self::talks::<i64>(array, turns),
            (other, _) => Err(Error::invalid("column", unwanted(other))),
        }
    }

    fn talks<O: OffsetSizeTrait>(array: &'a dyn Array, turns: &'a ArrayRef) -> Result<Self, Error> {
        let lists = array.as_list::<O>();
        let first = lists.value_offsets()[0];
        let turns =
            turns.as_struct_opt().ok_or_else(|| Error::invalid("column", unwanted(array.data_type())))?;
        let turns = Turns::of(turns)?;
        let bounds = move |row: usize| {
            let (from, to) = (lists.value_offsets()[row], lists.value_offsets()[row + 1]);
            lists.is_valid(row).then(|| ((from - first).as_usize(), (to - first).as_usize()))
        };
        Ok(Self::Talks(Box::new(bounds), turns))
    }

    /// The interaction of a row; `None` if it is null.
    ///
    /// # Errors
    /// Those of reading an interaction.
    pub(crate) fn get(&self, row: usize) -> Result<Option<Interaction>, Error> {
        match self {
            Self::Null => Ok(None),
            Self::Text(texts, input) => {
                let Some(text) = texts.get(row) else { return Ok(None) };
                let read = match input {
                    Input::Text => Interaction::text(text),
                    Input::Json => Interaction::from_json(text),
                };
                read.map(Some)
            }
            Self::Talks(bounds, turns) => {
                let Some((from, to)) = bounds(row) else { return Ok(None) };
                let read: Result<Vec<Turn>, Error> = (from..to).map(|at| turns.get(at, at - from)).collect();
                Interaction::transcript(read?).map(Some)
            }
        }
    }
}

impl<'a> Turns<'a> {
    fn of(turns: &'a StructArray) -> Result<Self, Error> {
        let names = || {
            let names: Vec<&str> = turns.fields().iter().map(|field| field.name().as_str()).collect();
            names.join(", ")
        };
        let texts = |name: &str, needed: bool| match turns.column_by_name(name) {
            None if needed => {
                let message = format!("turns have no field `{name}`; their fields are {}", names());
                Err(Error::invalid("column", message))
            }
            None => Ok(None),
            Some(field) => Texts::of(field.as_ref()).map(Some).ok_or_else(|| {
                let kind = field.data_type();
                Error::invalid("column", format!("the field `{name}` of turns is `{kind}`; wanted is text"))
            }),
        };
        let known = ["role", "content", "timestamp"];
        if let Some(other) = turns.fields().iter().find(|field| !known.contains(&field.name().as_str())) {
            let message = format!(
                "turns have a field `{}`; leave it out: wanted are `role`, `content` and, where there are times, `timestamp`",
                other.name()
            );
            return Err(Error::invalid("column", message));
        }
        Ok(Self {
            turns,
            roles: texts("role", true)?,
            contents: texts("content", true)?.unwrap_or(Texts::Null),
            times: turns.column_by_name("timestamp").map(times).transpose()?,
        })
    }

    /// A turn, which is the `nth` of its row.
    fn get(&self, at: usize, nth: usize) -> Result<Turn, Error> {
        let missing = |field: &str, wanted: &str| {
            Error::invalid(
                format!("segments[{nth}].{field}"),
                format!("the turn has no `{field}` (it is null); {wanted}"),
            )
        };
        let no_role = || missing("role", "say who speaks, `agent` for example");
        let no_content = || missing("content", "give what was said, or leave the turn out");
        if self.turns.is_null(at) {
            return Err(no_content());
        }
        let role = self.roles.as_ref().and_then(|roles| roles.get(at));
        Ok(Turn {
            role: Some(role.ok_or_else(no_role)?.into()),
            content: self.contents.get(at).ok_or_else(no_content)?.into(),
            timestamp: self.times.as_ref().and_then(|times| times[at]).map(Unit),
        })
    }
}

/// Times in millionths of a second. Floats are the nearest millionth.
fn times(array: &ArrayRef) -> Result<Vec<Option<i64>>, Error> {
    fn each<T: ArrowPrimitiveType>(
        array: &ArrayRef,
        of: impl Fn(T::Native) -> Option<i64>,
    ) -> Vec<Option<i64>> {
        let array = array.as_primitive::<T>();
        (0..array.len()).map(|at| array.is_valid(at).then(|| of(array.value(at))).flatten()).collect()
    }
    // Above this the steps between floats are wider than a millionth, and the engine takes no such times.
    let float = |seconds: f64| (seconds.abs() < 9e9).then(|| (seconds * 1e6).round() as i64);
    Ok(match array.data_type() {
        DataType::Null => vec![None; array.len()],
        DataType::Float64 => each::<Float64Type>(array, float),
        DataType::Float32 => each::<Float32Type>(array, |seconds| float(f64::from(seconds))),
        DataType::Int32 => each::<Int32Type>(array, |seconds| Some(i64::from(seconds) * 1_000_000)),
        DataType::Int64 => each::<Int64Type>(array, |seconds| seconds.checked_mul(1_000_000)),
        DataType::Timestamp(TimeUnit::Second, _) => {
            each::<TimestampSecondType>(array, |seconds| seconds.checked_mul(1_000_000))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each::<TimestampMillisecondType>(array, |time| time.checked_mul(1_000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => each::<TimestampMicrosecondType>(array, Some),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each::<TimestampNanosecondType>(array, |time| Some(time.div_euclid(1_000)))
        }
        other => {
            let message = format!(
                "the field `timestamp` of turns is `{other}`; wanted are seconds (`double`) or a `timestamp`"
            );
            return Err(Error::invalid("column", message));
        }
    })
}

/// The interactions of a column, row by row; `None` for a null row.
///
/// # Errors
/// `invalid_request` at `column` for a type that holds no interactions. A row that is none has its own error.
pub fn interactions(
    column: &dyn Array,
    input: Input,
) -> Result<Vec<Result<Option<Interaction>, Error>>, Error> {
    let turns = turns_of(column);
    let rows = Rows::of(column, turns.as_ref(), input)?;
    Ok((0..column.len()).map(|row| rows.get(row)).collect())
}
