//! Whether masked JSON still is what a schema asks for.
//!
//! Only what a mask can break is checked: texts that are longer or of another form, names that are other names, numbers that are nines. Other
//! keywords hold after masking if they held before. What cannot be checked counts as broken.

use crate::blocked::{Blocked, Kind};
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// How many steps one check may take: schemas may refer to themselves, ask for one of many in one of many, and have long lists.
const STEPS: usize = 100_000;
/// How deep schemas may refer to others without going into the value.
const DEEPEST: usize = 64;
/// As many values of `enum` or names of `required` are one step.
const LISTED: usize = 16;
/// So many steps a pattern takes to make ready: some hundred times as long as looking at a value.
const PATTERN: usize = 500;

/// A schema as it was written. It is read with the first check, and once: an answer may have thousands of texts that are held to it.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Box<str>,
    /// `None`: it is no JSON.
    root: OnceLock<Option<Value>>,
    /// The patterns so far; `None` for those that this engine does not know.
    patterns: Mutex<HashMap<Box<str>, Option<Regex>>>,
}

impl Schema {
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.into(), root: OnceLock::new(), patterns: Mutex::default() }
    }

    /// Checks masked JSON. What is no JSON passes: an answer that was cut off says so in its own way.
    ///
    /// # Errors
    /// If it does not fit.
    pub(crate) fn check(&self, json: &str) -> Result<(), Blocked> {
        let Ok(value) = serde_json::from_str::<Value>(json) else { return Ok(()) };
        let root = self.root.get_or_init(|| serde_json::from_str(&self.text).ok());
        let fits = |root| Check { schema: self, root, steps: STEPS }.fits(root, &value, 0);
        if root.as_ref().is_some_and(fits) {
            return Ok(());
        }
        let message = "what a mask left does not fit the schema of the request; use `replace` with a text that fits, or set `schema = \"pass\"`";
        Err(Blocked::new(Kind::Schema, message))
    }
}

struct Check<'s> {
    schema: &'s Schema,
    root: &'s Value,
    steps: usize,
}

impl Check<'_> {
    /// Whether there are so many steps left; they are taken.
    fn spend(&mut self, steps: usize) -> bool {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether there are steps left to look through a list.
    fn spend_on(&mut self, list: Option<&Value>) -> bool {
        self.spend(list.and_then(Value::as_array).map_or(0, |all| all.len() / LISTED))
    }

    /// Whether a pattern is found in a text. Look-around, which this engine does not know, cannot be checked.
    fn has_pattern(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let mut known = self.schema.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(pattern) {
            self.steps = self.steps.checked_sub(PATTERN)?;
            known.insert(pattern.into(), Regex::new(pattern).ok());
        }
        known.get(pattern)?.as_ref().map(|pattern| pattern.is_match(text))
    }

    fn fits(&mut self, schema: &Value, value: &Value, depth: usize) -> bool {
        if !self.spend(1) {
            return false;
        }
        let schema = match schema {
            Value::Bool(all) => return *all,
            Value::Object(schema) if depth <= DEEPEST => schema,
            _ => return false,
        };
        let own = self.refers(schema, value, depth)
            && is_of_type(schema, value)
            && self.spend_on(schema.get("enum"))
            && schema.get("enum").is_none_or(|all| all.as_array().is_some_and(|all| all.contains(value)))
            && schema.get("const").is_none_or(|only| only == value)
            && self.combines(schema, value, depth);
        own && match value {
            Value::String(text) => self.text_fits(schema, text),
            Value::Number(number) => number.as_f64().is_none_or(|number| number_fits(schema, number)),
            Value::Array(items) => self.items_fit(schema, items),
            Value::Object(members) => self.members_fit(schema, members),
            _ => true,
        }
    }

    fn refers(&mut self, schema: &Map<String, Value>, value: &Value, depth: usize) -> bool {
        let Some(place) = schema.get("$ref") else { return true };
        let root = self.root;
        let target =
            place.as_str().and_then(|place| place.strip_prefix('#')).and_then(|place| root.pointer(place));
        target.is_some_and(|target| self.fits(target, value, depth + 1))
    }

    fn combines(&mut self, schema: &Map<String, Value>, value: &Value, depth: usize) -> bool {
        let mut count = |key: &str| {
            let all = schema.get(key)?.as_array()?;
            Some((all.iter().filter(|one| self.fits(one, value, depth + 1)).count(), all.len()))
        };
        count("allOf").is_none_or(|(fits, all)| fits == all)
            && count("anyOf").is_none_or(|(fits, _)| fits > 0)
            && count("oneOf").is_none_or(|(fits, _)| fits == 1)
            && schema.get("not").is_none_or(|not| !self.fits(not, value, depth + 1))
    }

    fn items_fit(&mut self, schema: &Map<String, Value>, items: &[Value]) -> bool {
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let others = schema.get("items");
        let mut all = items.iter().enumerate();
        all.all(|(at, item)| first.get(at).or(others).is_none_or(|schema| self.fits(schema, item, 0)))
    }

    fn members_fit(&mut self, schema: &Map<String, Value>, members: &Map<String, Value>) -> bool {
        let object = |key: &str| schema.get(key).and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        if !self.spend_on(schema.get("required"))
            || !required.filter_map(Value::as_str).all(|name| members.contains_key(name))
        {
            return false;
        }
        let patterns = object("patternProperties");
        members.iter().all(|(name, value)| {
            let own = object("properties").and_then(|all| all.get(name));
            let mut by_pattern = Vec::new();
            for (pattern, schema) in patterns.into_iter().flatten() {
                match self.spend(1).then(|| self.has_pattern(pattern, name)).flatten() {
                    Some(true) => by_pattern.push(schema),
                    Some(false) => {}
                    None => return false,
                }
            }
            let other = match (own, by_pattern.is_empty()) {
                (None, true) => schema.get("additionalProperties"),
                _ => None,
            };
            own.into_iter().chain(by_pattern).chain(other).all(|schema| self.fits(schema, value, 0))
                && schema
                    .get("propertyNames")
                    .is_none_or(|names| self.fits(names, &Value::String(name.clone()), 0))
        })
    }

    fn text_fits(&mut self, schema: &Map<String, Value>, text: &str) -> bool {
        let length = text.chars().count() as f64;
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        bound("minLength").is_none_or(|least| length >= least)
            && bound("maxLength").is_none_or(|most| length <= most)
            && schema
                .get("pattern")
                .and_then(Value::as_str)
                .is_none_or(|pattern| self.has_pattern(pattern, text) == Some(true))
            && schema.get("format").and_then(Value::as_str).is_none_or(|format| has_format(format, text))
    }
}

fn is_of_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |name: &Value| match (name.as_str().unwrap_or_default(), value) {
        ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => true,
        ("integer", Value::Number(number)) => number.as_f64().is_none_or(|number| number.fract() == 0.0),
        _ => false,
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(all)) => all.iter().any(is),
        Some(one) => is(one),
    }
}

fn number_fits(schema: &Map<String, Value>, number: f64) -> bool {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
        && bound("multipleOf").is_none_or(|step| (number / step).fract() == 0.0)
}

/// Whether a text has one of the forms that masks break. A form that is not known is none that can be broken.
fn has_format(format: &str, text: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let in_range = |text: &str, range: std::ops::RangeInclusive<u32>| {
        text.len() == 2 && is_digits(text) && text.parse().is_ok_and(|number| range.contains(&number))
    };
    let is_date = |text: &str| {
        let parts: Vec<&str> = text.split('-').collect();
        matches!(parts.as_slice(), [year, month, day]
            if year.len() == 4 && is_digits(year) && in_range(month, 1..=12) && in_range(day, 1..=31))
    };
    let is_time = |text: &str| {
        let (clock, rest) = text.split_at_checked(8).unwrap_or(("", ""));
        let parts: Vec<&str> = clock.split(':').collect();
        let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let is_zone = matches!(zone, "Z" | "z")
            || zone
                .strip_prefix(['+', '-'])
                .and_then(|zone| zone.split_once(':'))
                .is_some_and(|(hours, minutes)| in_range(hours, 0..=23) && in_range(minutes, 0..=59));
        matches!(parts.as_slice(), [hour, minute, second]
            if in_range(hour, 0..=23) && in_range(minute, 0..=59) && in_range(second, 0..=60))
            && is_zone
    };
    match format {
        "email" | "idn-email" => text.rsplit_once('@').is_some_and(|(local, host)| {
            !local.is_empty() && !local.contains(char::is_whitespace) && host.contains('.') && is_host(host)
        }),
        "hostname" | "idn-hostname" => is_host(text),
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "uri" | "iri" => text.split_once(':').is_some_and(|(scheme, rest)| {
            let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
            !scheme.is_empty()
                && scheme.bytes().all(is_scheme)
                && !rest.contains(|c: char| c.is_whitespace() || "<>\"{}|\\^`".contains(c))
        }),
        "uuid" => {
            let parts: Vec<&str> = text.split('-').collect();
            let is_hex = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
            parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(is_hex)
        }
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => {
            text.split_once(['T', 't', ' ']).is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        _ => true,
    }
}

fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.len() <= 63 && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, json: &str) -> Result<(), Blocked> {
        Schema::of(schema).check(json)
    }

    #[test]
    fn what_a_mask_breaks_is_found() {
        let schema = r##"{"type":"object","required":["mail","to"],"additionalProperties":false,"properties":{
            "mail":{"type":"string","format":"email"},"to":{"$ref":"#/$defs/person"},"plan":{"enum":["basic","gold"]},
            "tags":{"type":"array","items":{"type":"string","maxLength":8}},"next":{"anyOf":[{"type":"null"},{"$ref":"#"}]},
            "amount":{"type":"integer","maximum":1000}},
            "$defs":{"person":{"type":"object","properties":{"zip":{"type":"string","pattern":"^[0-9]{5}$"}}}}}"##;
        let good = r#"{"mail":"a@ex.org","to":{"zip":"62704"},"plan":"gold","tags":["short"],"next":null,"amount":7}"#;
        assert_eq!(check(schema, good), Ok(()));
        for (from, to) in [
            ("a@ex.org", "*@**.***"),
            ("a@ex.org", "<EMAIL_ADDRESS>"),
            ("62704", "*****"),
            ("gold", "****"),
            ("short", "<POSTAL_ADDRESS>"),
            ("\"plan\"", "\"****\""),
            ("\"to\"", "\"<NAME>\""),
            ("7}", "9999}"),
            ("null", r#"{"mail":"*@**.***","to":{}}"#),
        ] {
            let broken = good.replacen(from, to, 1);
            assert_eq!(check(schema, &broken).map_err(|blocked| blocked.kind), Err(Kind::Schema), "{broken}");
        }
        assert_eq!(check(schema, &good.replace("null", good)), Ok(()));
        assert_eq!(check(schema, "{\"mail\":\"*@"), Ok(()), "an answer that was cut off");
    }

    #[test]
    fn forms_are_known() {
        for (format, good, broken) in [
            ("email", "user1@masked.invalid", "***@*******.***"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "********-****-****-****-************"),
            ("date", "2026-02-28", "****-**-**"),
            ("date-time", "2026-02-28T12:30:00.5+01:00", "<DATE>"),
            ("time", "12:30:00Z", "**:**:**Z"),
            ("ipv4", "127.0.0.1", "***.*.*.*"),
            ("uri", "https://example.org/a", "<URL>"),
            ("hostname", "a.example.org", "*.example.org"),
        ] {
            assert!(has_format(format, good), "{format} {good}");
            assert!(!has_format(format, broken), "{format} {broken}");
        }
        assert!(has_format("chess-move", "***"));
    }

    /// A schema that asks for one of many in one of many, or for itself, ends.
    #[test]
    fn schemas_cannot_take_for_ever() {
        let mut deep = "{\"maxLength\":1}".to_owned();
        for _ in 0..40 {
            deep = format!("{{\"anyOf\":[{deep},{{\"allOf\":[{{\"maxLength\":1}}]}}]}}");
        }
        assert!(check(&deep, "\"ab\"").is_err());
        let twice = r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"maxLength":1}"##;
        assert!(check(twice, "\"ab\"").is_err());
    }
    /// Lists and patterns of a schema take steps as values do, and a pattern takes them once.
    #[test]
    fn long_lists_and_many_patterns_end() {
        let names: Vec<String> = (0..20_000).map(|at| format!("\"n{at}\"")).collect();
        let listed = format!("{{\"items\":{{\"enum\":[{}]}}}}", names.join(","));
        let values = |many| format!("[{}]", vec!["\"n19999\""; many].join(","));
        assert_eq!((check(&listed, &values(9)), check(&listed, &values(200)).is_err()), (Ok(()), true));
        let patterned = Schema::of(r#"{"items":{"pattern":"^n[0-9]+$"}}"#);
        assert_eq!((patterned.check(&values(9_000)), patterned.check(&values(9_000))), (Ok(()), Ok(())));
        let patterns: Vec<String> = (0..300).map(|at| format!("\"^x{at}\":{{}}")).collect();
        let many = Schema::of(&format!("{{\"patternProperties\":{{{}}}}}", patterns.join(",")));
        assert!(many.check(r#"{"a":1}"#).is_err());
        assert_eq!(
            check(r#"{"pattern":"(?=a)"}"#, "\"a\"").map_err(|blocked| blocked.kind),
            Err(Kind::Schema)
        );
    }
}
