//! The forms of providers: which texts stand where.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod responses;
pub(crate) mod types;
mod waiting;

/// The form of a request and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// OpenAI chat completions: `/v1/chat/completions`.
    Chat,
    /// OpenAI responses: `/v1/responses`.
    Responses,
    /// OpenAI completions, the older form: `/v1/completions`.
    Completions,
    /// OpenAI embeddings: `/v1/embeddings`.
    Embeddings,
    /// Anthropic messages: `/v1/messages`.
    Messages,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Chat, Self::Responses, Self::Completions, Self::Embeddings, Self::Messages];

    /// The form by the path of a request, wherever the API is mounted; `None` for all that passes unguarded.
    ///
    /// ```
    /// use sonometer_guard::Form;
    ///
    /// assert_eq!(Form::of_path("/v1/chat/completions"), Some(Form::Chat));
    /// assert_eq!(Form::of_path("/openai/deployments/small/chat/completions"), Some(Form::Chat));
    /// assert_eq!(Form::of_path("/v1/messages/count_tokens"), Some(Form::Messages));
    /// assert_eq!(Form::of_path("/v1/responses/compact"), Some(Form::Responses));
    /// assert_eq!(Form::of_path("/v1/models"), None);
    /// ```
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix("/count_tokens").unwrap_or(path);
        [
            ("/chat/completions", Self::Chat),
            ("/completions", Self::Completions),
            ("/responses", Self::Responses),
            ("/responses/compact", Self::Responses),
            ("/responses/input_tokens", Self::Responses),
            ("/embeddings", Self::Embeddings),
            ("/messages", Self::Messages),
        ]
        .into_iter()
        .find_map(|(end, form)| path.ends_with(end).then_some(form))
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Completions => "completions",
            Self::Embeddings => "embeddings",
            Self::Messages => "messages",
        }
    }
}
