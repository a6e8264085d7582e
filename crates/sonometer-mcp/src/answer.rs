//! What a tool answers: a short text and the same as JSON, both sized for a model; the exact bytes of the engine where they are asked for.

use crate::limits::{CANONICAL_BYTES, QUOTE_CHARACTERS, TEXT_CHARACTERS, grouped};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sonometer::{Error, Unit};
use sonometer_report::{Names, one_line};

/// The key of an error among what is said beside an answer.
const ERROR: &str = "sonometer/error";

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    text: String,
    structured: Value,
    /// The bytes of the engine, each a content block of its own.
    exact: Vec<String>,
}

/// Why a tool came to nothing, in the shape of the engine's errors.
#[derive(Debug)]
pub(crate) struct Refusal {
    code: &'static str,
    place: String,
    message: String,
    limit: Option<usize>,
}

impl Answer {
    pub(crate) fn new(text: String, structured: &impl Serialize) -> Self {
        // Plain structs of texts and numbers always have a JSON form.
        let structured = serde_json::to_value(structured).unwrap_or_default();
        Self { text: clipped(text), structured, exact: Vec::new() }
    }

    /// With the exact bytes of the engine, if they were asked for; `argument` is what asks for them.
    ///
    /// # Errors
    /// If there are more than a client should get.
    pub(crate) fn with_exact(
        mut self,
        argument: &str,
        wanted: bool,
        exact: impl FnOnce() -> String,
    ) -> Result<Self, Refusal> {
        if !wanted {
            return Ok(self);
        }
        let exact = exact();
        if exact.len() > CANONICAL_BYTES {
            let message = format!(
                "what `{argument}` asks for has {} bytes; the limit is {}; leave out `{argument}`, send a shorter text, or use the \
                 command `sonometer`",
                grouped(exact.len()),
                grouped(CANONICAL_BYTES)
            );
            return Err(Refusal::new("payload_too_large", argument, message).with_limit(CANONICAL_BYTES));
        }
        self.exact.push(exact);
        Ok(self)
    }
}

impl Refusal {
    pub(crate) fn new(code: &'static str, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, place: place.into(), message: message.into(), limit: None }
    }

    /// Arguments of the wrong shape.
    pub(crate) fn invalid(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new("invalid_request", place, message)
    }

    pub(crate) fn with_limit(self, limit: usize) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// About this argument.
    pub(crate) fn at(self, place: &str) -> Self {
        Self { place: place.to_owned(), ..self }
    }

    /// About what is called `to` here, and `from` elsewhere.
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Self {
        if let Some(rest) = self.place.strip_prefix(from) {
            self.place = format!("{to}{rest}");
        }
        self
    }

    /// With a further sentence.
    pub(crate) fn and(mut self, further: &str) -> Self {
        self.message.push_str("; ");
        self.message.push_str(further);
        self
    }

    /// Without what the target masks: messages quote names, types and values that came in.
    pub(crate) fn veiled(mut self, names: &mut Names) -> Self {
        if !names.is_asked() {
            return self;
        }
        let pieces = self.message.split('`').enumerate().map(|(at, piece)| {
            // What is cut may hold a part of something that would be masked as a whole.
            let is_cut = at % 2 == 1 && piece.ends_with('…');
            if !is_cut && names.allows(piece) { piece } else { "…" }
        });
        self.message = pieces.collect::<Vec<_>>().join("`");
        if !names.allows(&self.place) {
            self.place.truncate(self.place.find(['.', ',', ' ']).unwrap_or_default());
            self.place.truncate(if names.allows(&self.place) { self.place.len() } else { 0 });
        }
        self
    }

    /// As an error of the protocol, where there is no other form: of resources and prompts.
    pub(crate) fn into_error(self) -> ErrorData {
        let data = json!({"code": self.code, "place": self.place});
        ErrorData::invalid_params(self.message, Some(data))
    }

    /// What the engine says of what was given as `place`.
    pub(crate) fn engine(place: &str, error: Error) -> Self {
        let place = match (place.is_empty(), error.place.is_empty()) {
            (_, true) => place.to_owned(),
            (true, false) => error.place,
            (false, false) => format!("{place}, {}", error.place),
        };
        Self::new(error.code.as_str(), place, error.message)
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let exact = answer.exact.into_iter().map(ContentBlock::text);
        let content = [ContentBlock::text(answer.text)].into_iter().chain(exact).collect();
        let mut result = Self::success(content);
        result.structured_content = Some(answer.structured);
        result
    }
}

/// An error that the model sees and can mend; errors of the protocol itself are shown to nobody.
impl From<Refusal> for CallToolResult {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, place, message, limit } = refusal;
        let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let text = clipped(format!("{code}: {at}{message}"));
        let mut error = json!({"code": code, "message": message, "place": place});
        if let Some(limit) = limit {
            error["limit"] = limit.into();
        }
        let mut result = Self::error(vec![ContentBlock::text(text)]);
        // Not as structured content, which clients hold against the schema of answers.
        result.meta = Some(MetaObject(Map::from_iter([(ERROR.to_owned(), error)])));
        result
    }
}

/// A number for JSON by way of serde. Millionths up to 2^53 have one nearest double, which prints as the same decimal.
pub(crate) fn decimal(value: Unit) -> f64 {
    value.0 as f64 / 1e6
}

/// A text as a quotation on one line.
pub(crate) fn quote(text: &str) -> String {
    cut(&one_line(text), QUOTE_CHARACTERS)
}

/// The first characters of a text, with a mark where it goes on.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// A text of lines, cut at the end of a line where it is too long.
fn clipped(text: String) -> String {
    let Some((at, _)) = text.char_indices().nth(TEXT_CHARACTERS) else { return text };
    let at = text[..at].rfind('\n').unwrap_or(at);
    let left = text[at..].chars().count();
    format!("{}\n({} more characters are left out)", &text[..at], grouped(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_at_a_line_and_say_what_is_missing() {
        let text = "0123456789abcde\n".repeat(1_000);
        let short = clipped(text);
        assert!(short.chars().count() < TEXT_CHARACTERS + 60);
        assert!(
            short.ends_with("abcde\n(4,001 more characters are left out)"),
            "{}",
            &short[short.len() - 80..]
        );
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(cut("äöü", 3), "äöü");
    }

    #[test]
    fn decimals_print_as_the_engine_prints_them() {
        for millionths in [0, 1, 600_000, 333_333, 999_999, 1_000_000, 999_999_999_999, -200_000] {
            let unit = Unit(millionths);
            let printed: Unit = Unit::parse(&json!(decimal(unit)).to_string()).expect("a number");
            assert_eq!(printed, unit);
        }
    }

    #[test]
    fn canonical_bytes_are_given_only_where_asked_for_and_bounded() {
        let answer = || Answer::new("short".to_owned(), &json!({}));
        assert!(
            answer()
                .with_exact("canonical", false, || unreachable!())
                .is_ok_and(|answer| answer.exact.is_empty())
        );
        assert!(answer().with_exact("canonical", true, || "x".repeat(CANONICAL_BYTES)).is_ok());
        let refused = answer()
            .with_exact("canonical", true, || "x".repeat(CANONICAL_BYTES + 1))
            .expect_err("is too long");
        assert!(
            refused.message.contains("262,145 bytes; the limit is 262,144; leave out `canonical`"),
            "{}",
            refused.message
        );
    }
}
