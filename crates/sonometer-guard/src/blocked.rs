//! What is refused, and how the provider would say it.

use crate::form::Form;
use crate::json::string::quoted;
use std::fmt;

/// Why something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A rule with `action = "block"`.
    Rule,
    /// A type of event, delta, item, part or block that the guard does not know.
    Unknown,
    /// JSON, an encoding or a frame that cannot be read.
    Unreadable,
    /// A frame, a text or what is held back is over its bound.
    TooLarge,
    /// Something that cannot be masked and must not pass unmasked: token ids, images, log probabilities, thinking.
    Unmaskable,
    /// Texts that a provider repeats, and that differ.
    Differs,
    /// JSON that a mask changed and that does not fit the schema of the request any more.
    Schema,
    /// State that the provider keeps, for which there is no table of placeholders.
    NoTable,
    /// The upstream ended in the middle of an answer.
    Cut,
    /// The engine refused a text.
    Engine,
}

impl Kind {
    /// All of them, in order.
    pub const ALL: [Self; 10] = [
        Self::Rule,
        Self::Unknown,
        Self::Unreadable,
        Self::TooLarge,
        Self::Unmaskable,
        Self::Differs,
        Self::Schema,
        Self::NoTable,
        Self::Cut,
        Self::Engine,
    ];

    /// Its name in counts and errors.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Unknown => "unknown_type",
            Self::Unreadable => "unreadable",
            Self::TooLarge => "too_large",
            Self::Unmaskable => "unmaskable",
            Self::Differs => "differs",
            Self::Schema => "schema",
            Self::NoTable => "no_table",
            Self::Cut => "cut",
            Self::Engine => "engine",
        }
    }
}

/// Something was refused. It never holds text of the request or the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Why.
    pub kind: Kind,
    /// What is wrong and what to do, for people. Names of types, keys and rules only.
    pub message: String,
    /// Whether the answer was refused, and not the request.
    pub is_answer: bool,
}

impl Blocked {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), is_answer: false }
    }

    /// The same about an answer.
    pub(crate) fn in_answer(self) -> Self {
        Self { is_answer: true, ..self }
    }

    /// The status of HTTP: 400 or 413 for requests, 502 for answers that cannot be read, 400 for those that a rule refuses.
    pub fn status(&self) -> u16 {
        match (self.kind, self.is_answer) {
            (Kind::Rule, _) => 400,
            (_, true) => 502,
            (Kind::TooLarge, false) => 413,
            (Kind::Engine, false) => 500,
            _ => 400,
        }
    }

    /// Status and body of an answer in the form of the provider.
    pub fn answer(&self, form: Form) -> (u16, Vec<u8>) {
        (self.status(), self.body(form).into_bytes())
    }

    /// An event that ends a stream in the form of the provider; every SDK raises an error when it reads it.
    pub fn event(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Messages => format!("event: error\ndata: {}\n\n", self.body(form)),
            Form::Responses => format!(
                "event: error\ndata: {{\"type\":\"error\",\"code\":{},\"message\":{},\"param\":null,\"sequence_number\":0}}\n\n",
                quoted(&self.code()),
                quoted(&self.text())
            ),
            Form::Chat | Form::Completions | Form::Embeddings => format!("data: {}\n\n", self.body(form)),
        }
        .into_bytes()
    }

    fn code(&self) -> String {
        match self.kind {
            Kind::Rule => "content_filter".to_owned(),
            kind => format!("sonometer_{}", kind.as_str()),
        }
    }

    fn text(&self) -> String {
        format!("blocked by the guard ({}): {}", self.kind.as_str(), self.message)
    }

    fn body(&self, form: Form) -> String {
        let message = quoted(&self.text());
        let at_fault = match self.status() {
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        match form {
            Form::Messages => {
                format!("{{\"type\":\"error\",\"error\":{{\"type\":\"{at_fault}\",\"message\":{message}}}}}")
            }
            _ => format!(
                "{{\"error\":{{\"message\":{message},\"type\":\"{at_fault}\",\"param\":null,\"code\":{}}}}}",
                quoted(&self.code())
            ),
        }
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::error::Error for Blocked {}
