//! Why a request is not answered as asked: a code, words for people, and details by code.

use crate::json::{Sufficiency, optional_number};
use serde::Serialize;
use sonometer::{ErrorCode, Fidelity, Unit};

/// The machine-readable code (`error.code`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The request has the wrong shape, or lacks something.
    InvalidRequest,
    /// No token, or one that is unknown, expired or revoked.
    Unauthorized,
    /// The ICS of the period are used up.
    QuotaExhausted,
    /// The token has no scope for this.
    Forbidden,
    /// No such protocol, metric or blueprint for this organization.
    TargetNotFound,
    /// No such job for this account.
    JobNotFound,
    /// No such path.
    NotFound,
    /// The path is there, the method is not.
    MethodNotAllowed,
    /// The request did not arrive in time.
    RequestTimeout,
    /// The same idempotency key with another body.
    IdempotencyConflict,
    /// More than is read at once.
    PayloadTooLarge,
    /// Not JSON.
    UnsupportedMediaType,
    /// The content lacks sufficient signal.
    InsufficientSignal,
    /// The stage does not let this caller in.
    AccessDenied,
    /// The stage asks for a password, and this is not it.
    PasswordInvalid,
    /// All attempts that the stage allows are used up.
    AttemptsExhausted,
    /// No such dive for this account.
    DiveNotFound,
    /// The dive takes no more actions.
    DiveClosed,
    /// The action is for another turn than the next.
    TurnConflict,
    /// The action is longer than the stage takes.
    ActionTooLong,
    /// Too many requests in this window.
    RateLimited,
    /// A fault of the service.
    Internal,
    /// The service cannot answer now.
    Unavailable,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 23] = [
        Self::InvalidRequest,
        Self::Unauthorized,
        Self::QuotaExhausted,
        Self::Forbidden,
        Self::TargetNotFound,
        Self::JobNotFound,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::IdempotencyConflict,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::InsufficientSignal,
        Self::AccessDenied,
        Self::PasswordInvalid,
        Self::AttemptsExhausted,
        Self::DiveNotFound,
        Self::DiveClosed,
        Self::TurnConflict,
        Self::ActionTooLong,
        Self::RateLimited,
        Self::Internal,
        Self::Unavailable,
    ];

    /// The code as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::Unauthorized => "unauthorized",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Forbidden => "forbidden",
            Self::TargetNotFound => "target_not_found",
            Self::JobNotFound => "job_not_found",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::RequestTimeout => "request_timeout",
            Self::IdempotencyConflict => "idempotency_conflict",
            Self::PayloadTooLarge => "payload_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::InsufficientSignal => "insufficient_signal",
            Self::AccessDenied => "access_denied",
            Self::PasswordInvalid => "password_invalid",
            Self::AttemptsExhausted => "attempts_exhausted",
            Self::DiveNotFound => "dive_not_found",
            Self::DiveClosed => "dive_closed",
            Self::TurnConflict => "turn_conflict",
            Self::ActionTooLong => "action_too_long",
            Self::RateLimited => "rate_limited",
            Self::Internal => "internal_error",
            Self::Unavailable => "unavailable",
        }
    }
}

/// What the details of an error may hold; each code has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    /// Where in the request: `interaction.segments[3].role`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Which item of a batch, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Which of two interactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub which: Option<&'static str>,
    /// A word for programs, where one code has several reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The limit that was exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The fidelity of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fidelity: Option<Sufficiency>,
    /// ICS included in the period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<u64>,
    /// ICS used in the period; attempts used in the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// Attempts within the window at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// The window of attempts in seconds; without it: for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// When the next attempt is possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets: Option<String>,
    /// The next turn of the dive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// When the next period begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<String>,
    /// ICS that this request would have consumed.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub needed: Option<Unit>,
}

/// What an organization may know of in the place of something that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum There<'a> {
    /// Nothing.
    Nothing,
    /// An id like it.
    Near(&'a str),
    /// An id with a version behind `@`, as the command has them in one.
    Split(&'a str, &'a str),
    /// The id, in these versions.
    Versions(Vec<&'a str>),
}

/// A request that is not answered as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The machine-readable code.
    pub code: Code,
    /// What is wrong and how to fix it, for people.
    pub message: String,
    /// More, by code.
    pub details: Box<Details>,
    /// After how many seconds it is worth trying again; 0: that is not known.
    pub retry_after: u64,
}

#[derive(Serialize)]
struct Envelope<'a> {
    error: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    details: &'a Details,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
}

fn is_empty(details: &&Details) -> bool {
    **details == Details::default()
}

impl Refusal {
    /// A refusal with any code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Box::default(), retry_after: 0 }
    }

    /// A request with something wrong at a place.
    pub fn invalid(place: impl Into<String>, message: impl Into<String>) -> Self {
        let place = Some(place.into()).filter(|place| !place.is_empty());
        Self {
            details: Box::new(Details { place, ..Details::default() }),
            ..Self::new(Code::InvalidRequest, message)
        }
    }

    /// More than is read at once.
    pub fn too_large(place: impl Into<String>, limit: usize, message: impl Into<String>) -> Self {
        let mut refusal = Self { code: Code::PayloadTooLarge, ..Self::invalid(place, message) };
        refusal.details.limit = Some(limit as u64);
        refusal
    }

    /// No such protocol, metric, blueprint or stage, or none that this organization may know of: the two are reported alike. `there`
    /// is what it may know of instead.
    pub fn no_target(kind: &str, id: &str, version: Option<&str>, there: There<'_>) -> Self {
        let id = shown(id);
        let message = match version {
            Some(version) => format!("unknown {kind} `{id}` with version `{}`", shown(version)),
            None => format!("unknown or unpublished {kind} `{id}`"),
        };
        let message = match there {
            There::Near(near) => format!("{message}; did you mean `{near}`?"),
            There::Split(id, version) => {
                let version = shown(version);
                format!("{message}; give the version by itself: `{id}` as `id`, and `{version}` as `version`")
            }
            There::Versions(versions) if version.is_some() => {
                format!("{message}; its versions: {}", versions.join(", "))
            }
            There::Versions(versions) => {
                let versions = versions.join(", ");
                format!("the {kind} `{id}` has no published version; name one of its versions: {versions}")
            }
            There::Nothing => message,
        };
        Self::new(Code::TargetNotFound, message)
    }

    /// Too little content.
    pub fn insufficient(fidelity: Fidelity) -> Self {
        let message = match &fidelity.unheard {
            None => format!(
                "the content lacks sufficient signal for reliable measurement: fidelity {}; give more readable text",
                fidelity.index
            ),
            Some(roles) => format!("no turn has a role that the protocol listens to: {roles}"),
        };
        let mut refusal = Self::new(Code::InsufficientSignal, message);
        refusal.details.fidelity = Some(fidelity.into());
        refusal
    }

    /// A fault of the service. What happened goes to the log, not to the caller.
    pub fn internal(what: &str) -> Self {
        tracing::error!(what, "internal error");
        Self::new(Code::Internal, "the service failed; nothing was charged")
    }

    /// The service cannot answer now. Why goes to the log, not to the caller.
    pub fn unavailable(why: &str) -> Self {
        tracing::warn!(why, "unavailable");
        Self { retry_after: 1, ..Self::new(Code::Unavailable, "the service cannot answer now; try again") }
    }

    /// The database is away. Its going is in the log, so that each request need not say it again.
    pub(crate) fn away() -> Self {
        let message = "the database of the service is away; try again";
        Self { retry_after: 1, ..Self::new(Code::Unavailable, message) }
    }

    /// With a word for programs.
    #[must_use]
    pub fn because(mut self, reason: &'static str) -> Self {
        self.details.reason = Some(reason);
        self
    }

    /// With the place moved into a larger whole: `role` becomes `segments[0].role`.
    #[must_use]
    pub fn inside(mut self, prefix: &str) -> Self {
        if matches!(self.code, Code::InvalidRequest | Code::PayloadTooLarge) {
            let inner = self.details.place.take().filter(|place| !place.is_empty());
            self.details.place = Some(inner.map_or(prefix.to_owned(), |inner| format!("{prefix}.{inner}")));
        }
        self
    }

    /// The envelope of every error body, with the id of the request.
    pub fn to_json(&self, request: &str) -> String {
        let request_id = Some(request).filter(|request| !request.is_empty());
        crate::json::text(&Envelope { error: Body { request_id, ..self.body() } })
    }

    /// What stands inside the envelope.
    pub(crate) fn inner_json(&self) -> String {
        crate::json::text(&self.body())
    }

    fn body(&self) -> Body<'_> {
        Body { code: self.code.as_str(), message: &self.message, details: &self.details, request_id: None }
    }
}

/// A number with what it counts.
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

impl From<sonometer::Error> for Refusal {
    fn from(error: sonometer::Error) -> Self {
        let code = match error.code {
            ErrorCode::InvalidRequest => Code::InvalidRequest,
            ErrorCode::TargetNotFound => Code::TargetNotFound,
            ErrorCode::InsufficientSignal => Code::InsufficientSignal,
            ErrorCode::PayloadTooLarge => Code::PayloadTooLarge,
            // A protocol was read when it was published, so these are faults of the service.
            ErrorCode::InvalidProtocol | ErrorCode::Internal => return Self::internal(&error.to_string()),
        };
        Self { code, ..Self::invalid(error.place, error.message) }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)?;
        match &self.details.place {
            Some(place) => write!(f, " (at {place})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// The beginning of what a caller wrote, short enough for a message.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
