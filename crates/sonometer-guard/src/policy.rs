//! What a guard does: read from TOML, JSON or anything else that serde reads.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// The whole policy of a guard.
///
/// ```
/// use sonometer_guard::{Action, Policy};
///
/// let policy: Policy = serde_json::from_str(r#"{"rules": [{"action": "mask", "target": "personal-data"}]}"#)?;
/// assert_eq!(policy, Policy::mask("personal-data"));
/// assert_eq!(policy.rules[0].action, Action::Mask);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The rules. Every rule that applies to a text counts; of masks that overlap, the first by place decides.
    pub rules: Vec<Rule>,
    /// What happens with types of events, deltas, items, parts and blocks that the guard does not know.
    pub unknown: Unknown,
    /// Masks of requests become numbered placeholders (`<EMAIL_ADDRESS_1>`), which are restored in the answer.
    pub placeholders: bool,
    /// Images, audio and files, which cannot be masked.
    pub media: Pass,
    /// Log probabilities, which repeat the text token by token.
    pub logprobs: Logprobs,
    /// Signed thinking of models, and signed summaries of conversations, which must not be changed.
    pub thinking: Thinking,
    /// Numbers within tool arguments in which a mask finds something.
    pub numbers: Numbers,
    /// Tool arguments and structured answers that do not fit the schema of the request once they are masked.
    pub schema: Misfit,
    /// Whether streams end with an event that says what was done (chat and messages).
    pub final_event: bool,
    /// The bounds.
    pub limits: Limits,
}

impl Policy {
    /// The policy that masks requests and answers by one target.
    pub fn mask(target: &str) -> Self {
        Self { rules: vec![Rule::new(Action::Mask, target)], ..Self::default() }
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What it does.
    pub action: Action,
    /// A protocol, metric or blueprint, by whatever name the caller of [`crate::Guard::new`] finds it.
    pub target: String,
    /// Whether it reads requests, answers or both.
    #[serde(default)]
    pub on: On,
    /// Whose texts it reads; empty: everybody's. Texts that nobody says, such as descriptions of tools, are of the role `other`.
    #[serde(default)]
    pub roles: Vec<Role>,
    /// Only these markers, by their labels; empty: all.
    #[serde(default)]
    pub markers: Vec<String>,
    /// `block`, `tag` and `sense`: the least score of the target, or of one of `markers` if some are named, at which the rule
    /// applies, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The greatest score of the target at which it applies. Without `at_least` and `at_most`, a triggered marker is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// `mask`: how masked places are shown, instead of what the protocol says: `stars`, `last4`, `label`, `numbered`, `remove`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// `replace`: what stands in the place of what is found. `tag`: the tag; by default the target's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Rule {
    /// A rule for both directions and all roles.
    pub fn new(action: Action, target: &str) -> Self {
        Self {
            action,
            target: target.to_owned(),
            on: On::Both,
            roles: Vec::new(),
            markers: Vec::new(),
            at_least: None,
            at_most: None,
            mask: None,
            text: None,
        }
    }
}

macro_rules! choices {
    ($(#[$meta:meta])* $name:ident { $($(#[$item:meta])* $variant:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$item])* $variant),* }
    };
}

choices! {
    /// What a rule does.
    Action {
        /// Counts and reports the score, and changes nothing.
        Sense,
        /// Hides what masked markers find, as the protocol or the rule says.
        #[default]
        Mask,
        /// Puts a fixed text in the place of what masked markers find.
        Replace,
        /// Refuses the request, or ends the answer.
        Block,
        /// Adds a tag to the headers.
        Tag,
    }
}

choices! {
    /// A direction.
    On {
        /// What goes to the model.
        Request,
        /// What comes from it.
        Response,
        /// Both.
        #[default]
        Both,
    }
}

choices! {
    /// Whose text it is.
    Role {
        /// Instructions of the application.
        System,
        /// The same, in newer models.
        Developer,
        /// The person.
        User,
        /// The model.
        Assistant,
        /// Results of tools.
        Tool,
        /// Everything else: descriptions of tools, metadata, input for embeddings.
        #[default]
        Other,
    }
}

impl On {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Both => "both",
        }
    }
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::System, Self::Developer, Self::User, Self::Assistant, Self::Tool, Self::Other];

    /// The role of that name in the forms of providers.
    pub fn named(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" | "function" => Self::Tool,
            _ => Self::Other,
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Other => "other",
        }
    }
}

choices! {
    /// What happens with an unknown type.
    Unknown {
        /// The request or answer is refused.
        #[default]
        Block,
        /// It is left out. Where that is not possible (a whole choice or a message), it is refused.
        Drop,
        /// It passes, with every text in it masked as far as one event shows it.
        Pass,
    }
}

choices! {
    /// Whether something that cannot be masked may pass.
    Pass {
        /// It is refused.
        #[default]
        Block,
        /// It passes unmasked.
        Pass,
    }
}

choices! {
    /// What happens with log probabilities.
    Logprobs {
        /// A request for them is refused; answers have `null` in their place.
        #[default]
        Block,
        /// Answers have `null` in their place.
        Drop,
        /// They pass unmasked.
        Pass,
    }
}

choices! {
    /// What happens with signed thinking, and with signed summaries of conversations (`compaction`).
    Thinking {
        /// It passes as long as no mask finds anything in it; else the answer is refused.
        #[default]
        Check,
        /// It passes unmasked.
        Pass,
        /// It is refused; summaries as with `Check`.
        Block,
    }
}

choices! {
    /// What happens with a number in tool arguments in which a mask finds something.
    Numbers {
        /// The request or answer is refused: nothing but a number may stand in its place.
        #[default]
        Block,
        /// A number of as many nines stands in its place.
        Nines,
    }
}

choices! {
    /// What happens with JSON that does not fit the schema of the request once it is masked.
    Misfit {
        /// The answer is refused: a program would take it for one that fits.
        #[default]
        Block,
        /// It passes as it was masked.
        Pass,
    }
}

/// How much is read and held. What is over a bound is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytes of one event of a stream.
    #[serde(deserialize_with = "count")]
    pub frame_bytes: usize,
    /// Bytes of one text of a stream from its beginning to its end.
    #[serde(deserialize_with = "count")]
    pub lane_bytes: usize,
    /// Bytes of one text that are held back, because a match may still go on.
    #[serde(deserialize_with = "count")]
    pub held_bytes: usize,
    /// Texts of one stream that come in side by side.
    #[serde(deserialize_with = "count")]
    pub lanes: usize,
    /// Bytes of a body; of a stream those of all its texts.
    #[serde(deserialize_with = "count")]
    pub body_bytes: usize,
    /// Values of JSON in a body, and in an event of a stream: texts, numbers, lists, objects and names of members, also of JSON within
    /// texts that is read as JSON. The numbers of an answer with embeddings do not count.
    #[serde(deserialize_with = "count")]
    pub values: usize,
    /// Bytes of text that masks or rules read in a body, and in an event of a stream, as JSON writes them. Images and sound do not count.
    #[serde(deserialize_with = "count")]
    pub text_bytes: usize,
}

/// Reads a bound, a whole number from 0 on. The error for anything else says so; the one of serde names `usize`, which means nothing to
/// somebody who writes TOML.
fn count<'de, D: Deserializer<'de>>(value: D) -> Result<usize, D::Error> {
    struct Count;

    impl Visitor<'_> for Count {
        type Value = usize;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number, 0 or more")
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<usize, E> {
            usize::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<usize, E> {
            usize::try_from(value).map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
        }

        fn visit_i128<E: Error>(self, _: i128) -> Result<usize, E> {
            Err(E::invalid_value(Unexpected::Other("a number beyond 64 bits"), &self))
        }
    }

    value.deserialize_u64(Count)
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_bytes: 1 << 20,
            lane_bytes: 8 << 20,
            held_bytes: 64 << 10,
            lanes: 256,
            body_bytes: 32 << 20,
            values: 500_000,
            text_bytes: 10_000_000,
        }
    }
}
