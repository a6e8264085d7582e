//! Which requests are guarded, by their method and path.

use crate::form::Form;

/// What is done with a request, by its method and path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// It is read and masked, and so is its answer.
    Guarded(Form),
    /// Stored answers, batches and the like of a guarded form: they hold texts in other shapes, so they pass only where the policy
    /// says `unknown = "pass"`.
    Apart(Form),
    /// It passes unread.
    Open,
}

impl Route {
    /// The route of a request.
    ///
    /// ```
    /// use sonometer_guard::{Form, Route};
    ///
    /// assert_eq!(Route::of("POST", "/v1/messages"), Route::Guarded(Form::Messages));
    /// assert_eq!(Route::of("GET", "/v1/responses/resp_1"), Route::Apart(Form::Responses));
    /// assert_eq!(Route::of("POST", "/model/some-model/invoke"), Route::Apart(Form::Messages));
    /// assert_eq!(Route::of("GET", "/v1/models"), Route::Open);
    /// ```
    pub fn of(method: &str, path: &str) -> Self {
        if let Some(form) = Form::of_path(path)
            && method.eq_ignore_ascii_case("POST")
        {
            return Self::Guarded(form);
        }
        let parts: Vec<&str> = path.split('/').collect();
        let has = |name: &str| parts.contains(&name);
        let last = parts.last().copied().unwrap_or_default();
        match () {
            () if has("responses") => Self::Apart(Form::Responses),
            () if has("messages") && !has("threads") => Self::Apart(Form::Messages),
            () if has("completions")
                || has("batches")
                || has("threads")
                || has("conversations")
                || has("realtime") =>
            {
                Self::Apart(Form::Chat)
            }
            // How clouds mount models of Anthropic: Bedrock and Vertex.
            () if has("model") && (last.starts_with("invoke") || last.starts_with("converse"))
                || last.ends_with(":rawPredict")
                || last.ends_with(":streamRawPredict") =>
            {
                Self::Apart(Form::Messages)
            }
            () => Self::Open,
        }
    }
}
