//! A class of label values: some values, or a range of numbers.

use super::path::kind;
use serde_json::Value;
use sonometer::Unit;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Which values of a label are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    written: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// One of these, written as JSON writes them, texts without quotes.
    OneOf(Vec<String>),
    /// A number between these, which are in it if the flag says so.
    Range { low: Option<(Unit, bool)>, high: Option<(Unit, bool)> },
}

impl FromStr for Class {
    type Err = String;

    /// `a`, `a,b`, `["a, b"]`, `>=0.5`, `>0.5`, `<=0.5`, `<0.5`, `1..3` (both ends in it).
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let number = |digits: &str| {
            Unit::parse(digits.trim()).ok_or_else(|| match digits.trim() {
                "" => {
                    "a number is missing; write a range such as `>=0.5`, or with both ends such as `0.5..1`"
                        .into()
                }
                digits => format!("`{digits}` is not a decimal number"),
            })
        };
        let test = if let Some(digits) = text.strip_prefix(">=") {
            Test::Range { low: Some((number(digits)?, true)), high: None }
        } else if let Some(digits) = text.strip_prefix('>') {
            Test::Range { low: Some((number(digits)?, false)), high: None }
        } else if let Some(digits) = text.strip_prefix("<=") {
            Test::Range { low: None, high: Some((number(digits)?, true)) }
        } else if let Some(digits) = text.strip_prefix('<') {
            Test::Range { low: None, high: Some((number(digits)?, false)) }
        } else if let Some((low, high)) = text.split_once("..") {
            Test::Range { low: Some((number(low)?, true)), high: Some((number(high)?, true)) }
        } else if text.starts_with('[') {
            let values: Vec<Value> =
                serde_json::from_str(text).map_err(|error| format!("is not a list in JSON: {error}"))?;
            Test::OneOf(values.iter().map(plain).collect())
        } else {
            Test::OneOf(text.split(',').map(|value| value.trim().to_owned()).collect())
        };
        match &test {
            Test::Range { low: Some((low, _)), high: Some((high, _)) } if low > high => {
                Err(format!("`{text}` begins above its end; write `{high}..{low}`"))
            }
            Test::OneOf(values) if values.iter().any(String::is_empty) => {
                Err("write a value, several with commas between, or a range such as `>=0.5`".into())
            }
            _ => Ok(Self { written: text.to_owned(), test }),
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl Class {
    /// Whether a value, or one of a list of values, is in the class.
    ///
    /// # Errors
    /// What the value is and what to do, where it can be in no class of this kind.
    pub(crate) fn holds(&self, value: &Value) -> Result<bool, String> {
        any(value, &|value| match (&self.test, value) {
            (Test::OneOf(values), Value::Number(number)) => {
                let number = unit(number)?;
                Ok(values.iter().any(|value| Unit::parse(value) == Some(number)))
            }
            (Test::OneOf(values), value) => Ok(values.contains(&plain(value))),
            (Test::Range { low, high }, Value::Number(number)) => {
                let number = unit(number)?;
                let above = low.is_none_or(|(low, inside)| number > low || inside && number == low);
                let below = high.is_none_or(|(high, inside)| number < high || inside && number == high);
                Ok(above && below)
            }
            (Test::Range { .. }, other) if holds_number(other) => Err(format!(
                "{}, not a number; write it without quotes, since `{}` works with numbers only",
                told(other),
                self.written
            )),
            (Test::Range { .. }, other) => Err(format!(
                "{}, not a number; `{}` works with numbers only; write the values",
                told(other),
                self.written
            )),
        })
    }

    /// The class where none is named: true or 1.
    pub(crate) fn truth(value: &Value) -> Result<bool, String> {
        any(value, &|value| match value {
            Value::Bool(value) => Ok(*value),
            Value::Number(number) => match unit(number)? {
                Unit::ONE => Ok(true),
                Unit::ZERO => Ok(false),
                _ => Err(format!(
                    "{number}; say which numbers are positive, such as --positive \">=0.5\", or rank by them with --graded of `evaluate`"
                )),
            },
            other => Err(format!("{}; say which values are positive with --positive", told(other))),
        })
    }

    /// Whether it is a range that none of these numbers is in.
    pub(super) fn is_beyond<'v>(&self, mut values: impl Iterator<Item = &'v str>) -> bool {
        let in_it = |value: &str| {
            let number = Value::Number(value.parse().ok()?);
            self.holds(&number).ok()
        };
        matches!(self.test, Test::Range { .. }) && values.all(|value| in_it(value) == Some(false))
    }

    /// The values that are named, none for a range.
    pub(crate) fn values(&self) -> &[String] {
        match &self.test {
            Test::OneOf(values) => values,
            Test::Range { .. } => &[],
        }
    }
}

/// A list is in a class if one of its values is; null among them says nothing.
fn any(value: &Value, holds: &impl Fn(&Value) -> Result<bool, String>) -> Result<bool, String> {
    match value {
        Value::Null => Ok(false),
        Value::Array(values) => {
            // All are looked at: whether a label is of the right kind must not depend on the order of its values.
            values.iter().try_fold(false, |found, value| Ok(found | any(value, holds)?))
        }
        Value::Object(map) => Err(match map.keys().next() {
            Some(key) => format!("an object; add a label in it to the path, such as `.{key}`"),
            None => "an empty object; it says nothing".into(),
        }),
        value => holds(value),
    }
}

/// Whether a text is a number in quotes.
pub(crate) fn holds_number(value: &Value) -> bool {
    value.as_str().is_some_and(|text| Unit::parse(text.trim()).is_some())
}

/// A number as millionths.
fn unit(number: &serde_json::Number) -> Result<Unit, String> {
    Unit::parse(&number.to_string())
        .ok_or_else(|| format!("{number}, outside the range of supported numbers"))
}

/// The values that a class can name, of a label or of a list of labels.
pub(super) fn scalars(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Null | Value::Object(_) => {}
        Value::Array(values) => values.iter().for_each(|value| scalars(value, into)),
        Value::Number(number) => {
            into.insert(unit(number).map_or_else(|_| number.to_string(), |number| number.to_string()));
        }
        value => {
            into.insert(plain(value));
        }
    }
}

/// A value as it is written in a class.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn told(value: &Value) -> String {
    format!("{}, `{}`", kind(value), plain(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(class: &str, value: Value) -> Result<bool, String> {
        class.parse::<Class>().expect(class).holds(&value)
    }

    #[test]
    fn values_are_equal_as_they_are_written() {
        assert_eq!(holds("true", json!(true)), Ok(true));
        assert_eq!(holds("a, b", json!("b")), Ok(true));
        assert_eq!(holds("a, b", json!("c")), Ok(false));
        assert_eq!(holds("2", json!(2.0)), Ok(true));
        assert_eq!(holds("2.0", json!(2)), Ok(true));
        assert_eq!(holds("2", json!("2")), Ok(true));
        assert_eq!(holds(r#"["a, b", 3]"#, json!("a, b")), Ok(true));
        assert_eq!(holds(r#"["a, b", 3]"#, json!(3)), Ok(true));
    }

    #[test]
    fn a_list_is_positive_if_one_of_its_values_is() {
        assert_eq!(holds("joy,love", json!(["anger", "joy"])), Ok(true));
        assert_eq!(holds("joy,love", json!([])), Ok(false));
        assert_eq!(holds(">0", json!([null, 1])), Ok(true));
        let object = "an object; add a label in it to the path, such as `.tone`".to_owned();
        assert_eq!(holds("joy", json!({"tone": "joy"})), Err(object));
    }

    #[test]
    fn ranges_say_whether_their_ends_are_in_them() {
        for (class, inside, outside) in [
            (">=0.5", json!(0.5), json!(0.499)),
            (">0.5", json!(0.500001), json!(0.5)),
            ("<=-1", json!(-1), json!(0)),
            ("< 0", json!(-0.1), json!(0)),
            ("1..3", json!(3), json!(3.1)),
            ("-1..1", json!(-1.0), json!(-2)),
        ] {
            assert_eq!(holds(class, inside), Ok(true), "{class}");
            assert_eq!(holds(class, outside), Ok(false), "{class}");
        }
        let told = holds(">=0.5", json!("high")).expect_err("a text is in no range");
        assert_eq!(told, "a text, `high`, not a number; `>=0.5` works with numbers only; write the values");
        let told = holds(">=0.5", json!("0.7")).expect_err("is in quotes");
        assert_eq!(
            told,
            "a text, `0.7`, not a number; write it without quotes, since `>=0.5` works with numbers only"
        );
    }

    #[test]
    fn without_a_class_only_true_and_one_are_positive() {
        assert_eq!(Class::truth(&json!(true)), Ok(true));
        assert_eq!(Class::truth(&json!(0)), Ok(false));
        assert!(Class::truth(&json!(0.5)).is_err());
        assert!(Class::truth(&json!("yes")).is_err());
        assert!(Class::truth(&json!({"a": 1})).is_err());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for bad in ["", "a,,b", ">=", ">=high", "1..", "[1"] {
            assert!(bad.parse::<Class>().is_err(), "{bad}");
        }
        let told = |text: &str| text.parse::<Class>().expect_err("cannot be meant");
        assert_eq!(told("1..0.5"), "`1..0.5` begins above its end; write `0.5..1`");
        for open in ["0.5..", "..0.5", ">="] {
            assert!(told(open).contains("write a range such as `>=0.5`"), "{open}");
        }
        assert!("1..1".parse::<Class>().is_ok());
    }
}
