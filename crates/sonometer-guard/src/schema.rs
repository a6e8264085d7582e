//! What a request asks of the JSON in its answer, and whether masked JSON still is that.
//!
//! Only what a mask can break is checked: texts that are longer or of another form, names that are other names, numbers that are nines. Other
//! keywords hold after masking if they held before. What cannot be checked counts as broken.

use crate::blocked::{Blocked, Kind};
use crate::json::{List, Object};
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Schemas without any of these hold after masking.
const FRAGILE: [&str; 11] = [
    "\"pattern",
    "\"format\"",
    "\"enum\"",
    "\"const\"",
    "Length\"",
    "\"minimum\"",
    "\"maximum\"",
    "\"exclusive",
    "\"multipleOf\"",
    "\"propertyNames\"",
    "\"additionalProperties\"",
];
/// How many steps one check may take: schemas may refer to themselves, and ask for one of many in one of many.
const STEPS: usize = 100_000;
/// How deep schemas may refer to others without going into the value.
const DEEPEST: usize = 64;

/// The schemas of one request, as they were written, before anything in them was masked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas {
    content: Option<Arc<str>>,
    tools: HashMap<Box<str>, Arc<str>>,
}

impl Schemas {
    /// Those of a request, in the form of any provider.
    pub(crate) fn of(top: &Object<'_>) -> Self {
        let formats = ["response_format", "text", "output_config", "output_format"].into_iter();
        let formats = formats.filter_map(|key| member(top, key));
        let schema = |format: &Object<'_>| {
            let inner = ["format", "json_schema"].into_iter().find_map(|key| member(format, key));
            let inner = inner.as_ref().unwrap_or(format);
            inner.get("schema").map(|schema| schema.get().to_owned())
        };
        let mut content = formats.filter_map(|format| schema(&format)).next();
        let mut schemas = Self::default();
        schemas.add_all(top, 0);
        // Items that change what is asked for, or bring tools.
        for item in objects(top, "input") {
            match item.text("type").as_deref() {
                Some("configuration_update") => {
                    // One that asks for text without a schema ends the one before.
                    if let Some(format) = member(&item, "text") {
                        content = schema(&format);
                    }
                }
                Some("additional_tools" | "tool_search_output") => schemas.add_all(&item, 0),
                _ => {}
            }
        }
        for message in objects(top, "messages") {
            for block in objects(&message, "content") {
                let tool = member(&block, "tool");
                if let Some(definition) = tool.as_ref().and_then(|tool| tool.get("definition")) {
                    schemas.add(definition.get(), 0);
                }
            }
        }
        schemas.content = content.and_then(|schema| fragile(&schema));
        schemas
    }

    fn add_all(&mut self, of: &Object<'_>, depth: usize) {
        for key in ["tools", "functions"] {
            let list = of.get(key).and_then(|tools| List::read(tools.get()).ok());
            for tool in list.into_iter().flat_map(|list| list.0) {
                self.add(tool.get(), depth);
            }
        }
    }

    fn add(&mut self, tool: &str, depth: usize) {
        let Ok(outer) = Object::read(tool) else { return };
        // A namespace holds tools.
        if depth < DEEPEST {
            self.add_all(&outer, depth + 1);
        }
        let inner = member(&outer, "function");
        let tool = inner.as_ref().unwrap_or(&outer);
        let schema = tool.get("parameters").or_else(|| tool.get("input_schema"));
        if let (Some(name), Some(schema)) =
            (tool.text("name"), schema.and_then(|schema| fragile(schema.get())))
        {
            self.tools.insert(name.into(), schema);
        }
    }

    /// That of the content.
    pub(crate) fn content(&self) -> Option<Arc<str>> {
        self.content.clone()
    }

    /// That of the arguments of a tool.
    pub(crate) fn tool(&self, name: &str) -> Option<Arc<str>> {
        self.tools.get(name).cloned()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_none() && self.tools.is_empty()
    }
}

/// A member that is an object.
fn member<'j>(of: &Object<'j>, name: &str) -> Option<Object<'j>> {
    Object::read(of.get(name)?.get()).ok()
}

/// The objects in a list.
pub(crate) fn objects<'j>(of: &Object<'j>, name: &str) -> Vec<Object<'j>> {
    let list = of.get(name).and_then(|list| List::read(list.get()).ok());
    list.into_iter().flat_map(|list| list.0).filter_map(|item| Object::read(item.get()).ok()).collect()
}

/// A schema, if masks can break it.
fn fragile(schema: &str) -> Option<Arc<str>> {
    FRAGILE.iter().any(|key| schema.contains(key)).then(|| schema.into())
}

/// Checks masked JSON by a schema. What is no JSON passes: an answer that was cut off says so in its own way.
///
/// # Errors
/// If it does not fit.
pub(crate) fn check(schema: &str, json: &str) -> Result<(), Blocked> {
    let Ok(value) = serde_json::from_str::<Value>(json) else { return Ok(()) };
    let fits = serde_json::from_str::<Value>(schema)
        .is_ok_and(|root| Check { root: &root, steps: STEPS }.fits(&root, &value, 0));
    if fits {
        return Ok(());
    }
    let message = "what a mask left does not fit the schema of the request; use `replace` with a text that fits, or set `schema = \"pass\"`";
    Err(Blocked::new(Kind::Schema, message))
}

struct Check<'s> {
    root: &'s Value,
    steps: usize,
}

impl Check<'_> {
    fn fits(&mut self, schema: &Value, value: &Value, depth: usize) -> bool {
        let Some(left) = self.steps.checked_sub(1) else { return false };
        self.steps = left;
        let schema = match schema {
            Value::Bool(all) => return *all,
            Value::Object(schema) if depth <= DEEPEST => schema,
            _ => return false,
        };
        let own = self.refers(schema, value, depth)
            && is_of_type(schema, value)
            && schema.get("enum").is_none_or(|all| all.as_array().is_some_and(|all| all.contains(value)))
            && schema.get("const").is_none_or(|only| only == value)
            && self.combines(schema, value, depth);
        own && match value {
            Value::String(text) => text_fits(schema, text),
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
        if !required.filter_map(Value::as_str).all(|name| members.contains_key(name)) {
            return false;
        }
        let patterns: Option<Vec<(Regex, &Value)>> = object("patternProperties")
            .into_iter()
            .flatten()
            .map(|(pattern, schema)| Some((Regex::new(pattern).ok()?, schema)))
            .collect();
        let Some(patterns) = patterns else { return false };
        members.iter().all(|(name, value)| {
            let own = object("properties").and_then(|all| all.get(name));
            let by_pattern: Vec<&Value> = patterns
                .iter()
                .filter(|(pattern, _)| pattern.is_match(name))
                .map(|(_, schema)| *schema)
                .collect();
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

fn text_fits(schema: &Map<String, Value>, text: &str) -> bool {
    let length = text.chars().count() as f64;
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    bound("minLength").is_none_or(|least| length >= least)
        && bound("maxLength").is_none_or(|most| length <= most)
        && schema.get("pattern").and_then(Value::as_str).is_none_or(|pattern| {
            // Look-around, which this engine does not know, cannot be checked.
            Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
        })
        && schema.get("format").and_then(Value::as_str).is_none_or(|format| has_format(format, text))
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
}
