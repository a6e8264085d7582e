//! Which requests are guarded, by their method and path.

use crate::form::Form;

/// What is done with a request, by its method and path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// It is read and masked, and so is its answer.
    Guarded(Form),
    /// It asks for a stored answer by its id, such as one that was made in the background: that has the same form.
    Stored(Form),
    /// Other stored answers, batches and the like of a guarded form: they hold texts in other shapes, so they pass only where the policy
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
    /// assert_eq!(Route::of("GET", "/v1/responses/resp_1"), Route::Stored(Form::Responses));
    /// assert_eq!(Route::of("GET", "/v1/responses/resp_1/input_items"), Route::Apart(Form::Responses));
    /// assert_eq!(Route::of("POST", "/model/some-model/invoke"), Route::Apart(Form::Messages));
    /// assert_eq!(Route::of("GET", "/v1/models"), Route::Open);
    /// assert_eq!(Route::of("POST", "/v1/chat/completion%73"), Route::Guarded(Form::Chat));
    /// ```
    pub fn of(method: &str, path: &str) -> Self {
        // What a browser asks before a page may call: it has no body, and its answer none.
        if method.eq_ignore_ascii_case("OPTIONS") {
            return Self::Open;
        }
        let path = plain(path);
        if let Some(form) = Form::of_path(&path)
            && method.eq_ignore_ascii_case("POST")
        {
            return Self::Guarded(form);
        }
        let parts: Vec<&str> = path.split('/').collect();
        let has = |name: &str| parts.contains(&name);
        let last = parts.last().copied().unwrap_or_default();
        // What an organization used: numbers, below the names of what it was used for.
        if matches!(parts[..], [.., "organization", "usage", _]) {
            return Self::Open;
        }
        if let Some(form) = stored(&parts) {
            match method.to_ascii_uppercase().as_str() {
                "GET" => return Self::Stored(form),
                // Neither the request nor what is said of it holds a text.
                "DELETE" => return Self::Open,
                _ => {}
            }
        }
        if let ([.., "responses", id, "cancel"], "POST") = (&parts[..], method)
            && !id.is_empty()
        {
            return Self::Stored(Form::Responses);
        }
        match () {
            () if has("responses") => Self::Apart(Form::Responses),
            () if has("messages") && !has("threads") && !has("completions") => Self::Apart(Form::Messages),
            () if has("embeddings") => Self::Apart(Form::Embeddings),
            () if has("completions")
                || has("batches")
                || has("threads")
                || has("conversations")
                || has("realtime")
                || has("chatkit") =>
            {
                Self::Apart(Form::Chat)
            }
            // Agents that a provider runs: what the person says to them, and what they answer; what starts them, what they
            // remember and what they dream.
            () if has("sessions")
                || has("dreams")
                || has("memory_stores")
                || has("deployments") && !has("openai") =>
            {
                Self::Apart(Form::Messages)
            }
            // Questions about a conversation, tests with conversations, and agents that run by themselves.
            () if has("decisions") || has("evals") || has("automations") => Self::Apart(Form::Responses),
            // How clouds mount models of Anthropic: Bedrock and Vertex.
            () if has("model")
                && (last.starts_with("invoke") || last.starts_with("converse") || last == "count-tokens")
                || last.starts_with("async-invoke")
                || last.starts_with("retrieveandgenerate")
                || has("guardrail") && last == "apply"
                || last.ends_with(":rawpredict")
                || last.ends_with(":streamrawpredict") =>
            {
                Self::Apart(Form::Messages)
            }
            // The oldest form of Anthropic, whose prompt is one text.
            () if last == "complete" => Self::Apart(Form::Messages),
            // What writes prompts out of prompts and conversations, what grades answers, and what edited texts.
            () if matches!(last, "generate_prompt" | "improve_prompt" | "templatize_prompt") => {
                Self::Apart(Form::Messages)
            }
            () if has("graders") || last == "edits" && !has("images") => Self::Apart(Form::Responses),
            // Other providers and servers of models, whose forms are not read: Gemini, Ollama, Cohere, llama.cpp, Replicate, vLLM and
            // the like.
            () if is_asked_of_gemini(last)
                || has("interactions")
                || has("predictions")
                || has("cachedcontents")
                || has("deferred-completion")
                || has("sonar")
                || has("ai") && has("run")
                || has("hf-inference")
                || has("pipeline")
                || parts.windows(2).any(|two| two == ["v1", "inference"])
                || last.starts_with("invocations")
                || matches!(
                    last,
                    "apply-template"
                        | "chat"
                        | "chat_stream"
                        | "classify"
                        | "contextualizedembeddings"
                        | "detokenize"
                        | "pooling"
                        | "score"
                        | "summarize"
                        | "generate"
                        | "generate_stream"
                        | "completion"
                        | "infill"
                        | "embed"
                        | "embed_all"
                        | "embed_sparse"
                        | "embedding"
                        | "encode"
                        | "generation"
                        | "generation_stream"
                        | "infer"
                        | "inference"
                        | "multimodalembeddings"
                        | "predict"
                        | "rerank"
                        | "reranking"
                        | "slots"
                        | "tokenize"
                ) =>
            {
                Self::Apart(Form::Chat)
            }
            () => Self::Open,
        }
    }
}

/// The form of an answer that is stored under the last part of a path.
fn stored(parts: &[&str]) -> Option<Form> {
    match parts {
        [.., "responses", id] if !id.is_empty() => Some(Form::Responses),
        // The second as xAI has it, for an answer that is made in the background.
        [.., "chat", "completions" | "deferred-completion", id] if !id.is_empty() => Some(Form::Chat),
        _ => None,
    }
}

/// Whether a part of a path asks a model of Google for something: `gemini-x:generateContent`, `:countTokens`, `:predict`, `:query` and the like.
fn is_asked_of_gemini(part: &str) -> bool {
    part.rsplit_once(':').is_some_and(|(_, verb)| {
        ["generate", "content", "predict", "tokens", "embed", "query"].iter().any(|word| verb.contains(word))
    })
}

/// A path as the most tolerant upstream reads it: decoded, also twice, as by one server behind another, cut at a decoded `?`, `#` or zero, in
/// small letters, with `\` as `/`, and each part without surrounding spaces, cut at `;` and without `.json`. Otherwise a route in another
/// spelling would pass unread, and the upstream would serve it.
fn plain(path: &str) -> String {
    let mut bytes = path.as_bytes().to_vec();
    for _ in 0..3 {
        bytes = decoded(&bytes);
    }
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let text = text.split(['?', '#', '\0']).next().unwrap_or_default();
    let is_space = |c: char| c.is_ascii_whitespace() || c.is_ascii_control();
    let parts = text.split(['/', '\\']).map(|part| part.split_once(';').map_or(part, |(name, _)| name));
    let parts =
        parts.map(|part| part.trim_matches(is_space)).map(|part| part.strip_suffix(".json").unwrap_or(part));
    parts.collect::<Vec<_>>().join("/")
}

/// A path without percent encodings.
fn decoded(path: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|two| *first == b'%' && two.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|two| std::str::from_utf8(two).ok());
        let decoded = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_known_however_it_is_written() {
        for (path, form) in [
            ("/v1/chat/completion%73", Form::Chat),
            ("/v1/chat%2Fcompletions", Form::Chat),
            ("/v1/chat%2fcompletions/", Form::Chat),
            ("/openai/Deployments/small/Chat/Completions", Form::Chat),
            ("/v1/messages;a=b", Form::Messages),
            ("/v1/messages;a=b/count_tokens", Form::Messages),
            ("/v1/%65mbeddings", Form::Embeddings),
            ("/v1\\chat%5Ccompletions", Form::Chat),
            ("/v1/messages%20", Form::Messages),
            ("/v1/chat/completions%00", Form::Chat),
            ("/v1/chat/completions%00.x", Form::Chat),
            ("/v1/chat/completions.json", Form::Chat),
            ("/v1/chat/completion%2573", Form::Chat),
            ("/v1/chat/completions%3Fa=b", Form::Chat),
            ("/v1/messages%23a", Form::Messages),
            ("/v1/responses/compact", Form::Responses),
            ("/v1/Responses/input_tokens", Form::Responses),
        ] {
            assert_eq!(Route::of("POST", path), Route::Guarded(form), "{path}");
        }
        for (path, form) in [
            ("/v1/embeddings/.", Form::Embeddings),
            ("/v1/chat/completions/.", Form::Chat),
            ("/v1/publishers/x/models/y%3ArawPredict", Form::Messages),
            ("/v1/responses/resp_1/steer", Form::Responses),
            ("/v1/responses/resp_1", Form::Responses),
            ("/v1/chat/completions/chatcmpl_1", Form::Chat),
            ("/v1/sessions/sesn_1/events", Form::Messages),
            ("/v1/chatkit/sessions", Form::Chat),
            ("/v1beta/models/gemini-pro:generateContent", Form::Chat),
            ("/v1beta/models/gemini-pro:streamGenerateContent", Form::Chat),
            ("/v1beta/models/gemini-pro%3AcountTokens", Form::Chat),
            ("/v1beta/models/text-embedding:batchEmbedContents", Form::Chat),
            ("/v1/projects/p/locations/l/publishers/google/models/g:predict", Form::Chat),
            ("/api/chat", Form::Chat),
            ("/api/generate", Form::Chat),
            ("/api/embed", Form::Chat),
            ("/v2/chat", Form::Chat),
            ("/completion", Form::Chat),
            ("/v1/complete", Form::Messages),
            ("/v1beta/interactions", Form::Chat),
            ("/v1beta/interactions/int_1", Form::Chat),
            ("/v1/models/owner/name/predictions", Form::Chat),
            ("/v2/rerank", Form::Chat),
            ("/serving-endpoints/small/invocations", Form::Chat),
            ("/v2/models/small/infer", Form::Chat),
            ("/tokenize", Form::Chat),
            ("/v1/score", Form::Chat),
            ("/pooling", Form::Chat),
            ("/v1/decisions", Form::Responses),
            ("/v1/evals/eval_1/runs/run_1/output_items", Form::Responses),
            ("/v1/agents/automations/auto_1/invocations", Form::Responses),
            ("/v1/deployments/depl_1/run", Form::Messages),
            ("/v1/dreams", Form::Messages),
            ("/v1/memory_stores/memstore_1/memories", Form::Messages),
            ("/model/some-model/count-tokens", Form::Messages),
            ("/model/some-model/converse-stream", Form::Messages),
            ("/async-invoke", Form::Messages),
            ("/guardrail/g/version/1/apply", Form::Messages),
            ("/retrieveAndGenerate", Form::Messages),
            ("/v1/experimental/improve_prompt", Form::Messages),
            ("/v1/fine_tuning/alpha/graders/run", Form::Responses),
            ("/v1/edits", Form::Responses),
            ("/v1/chat/deferred-completion/a", Form::Chat),
            ("/v1beta/cachedContents", Form::Chat),
            ("/v1/projects/p/locations/l/publishers/google/models/g:computeTokens", Form::Chat),
            ("/v1/projects/p/locations/l/reasoningEngines/1:streamQuery", Form::Chat),
            ("/client/v4/accounts/a/ai/run/@cf/meta/llama", Form::Chat),
            ("/ml/v1/text/chat_stream", Form::Chat),
            ("/ml/v1/text/generation", Form::Chat),
            ("/endpoints/e/invocations-response-stream", Form::Chat),
            ("/v1/inference/owner/name", Form::Chat),
            ("/hf-inference/models/owner/name", Form::Chat),
            ("/v1/contextualizedembeddings", Form::Chat),
            ("/v1/reranking", Form::Chat),
            ("/v1/sonar", Form::Chat),
            ("/apply-template", Form::Chat),
        ] {
            assert_eq!(Route::of("POST", path), Route::Apart(form), "{path}");
        }
        for path in [
            "/v1/models",
            "/v1/models/chat-small",
            "/v1/moderations",
            "/v1/files/a:b",
            "/v1/chat/completion%7",
            "/v1/%",
            "/v1/%zz",
            "/v1/%+1",
            "/openai/deployments/small/images/generations",
            "/v1/images/edits",
            "/inference/v1/models",
        ] {
            assert_eq!(Route::of("POST", path), Route::Open, "{path}");
        }
    }

    #[test]
    fn what_a_browser_asks_first_holds_no_text() {
        assert_eq!(Route::of("OPTIONS", "/v1/messages"), Route::Open);
        assert_eq!(Route::of("HEAD", "/v1/responses/resp_1"), Route::Apart(Form::Responses));
    }

    #[test]
    fn a_stored_answer_is_known_by_its_id() {
        for (method, path, route) in [
            ("GET", "/v1/responses/resp_1", Route::Stored(Form::Responses)),
            ("GET", "/openai/v1/Responses/resp_1/", Route::Apart(Form::Responses)),
            ("POST", "/v1/responses/resp_1/cancel", Route::Stored(Form::Responses)),
            ("GET", "/v1/chat/completions/chatcmpl_1", Route::Stored(Form::Chat)),
            ("GET", "/v1/chat/deferred-completion/a", Route::Stored(Form::Chat)),
            ("DELETE", "/v1/responses/resp_1", Route::Open),
            ("DELETE", "/v1/chat/completions/chatcmpl_1", Route::Open),
            ("GET", "/v1/responses/", Route::Apart(Form::Responses)),
            ("GET", "/v1/chat/completions", Route::Apart(Form::Chat)),
            ("GET", "/v1/chat/completions/chatcmpl_1/messages", Route::Apart(Form::Chat)),
            ("DELETE", "/v1/conversations/conv_1/items/msg_1", Route::Apart(Form::Chat)),
        ] {
            assert_eq!(Route::of(method, path), route, "{method} {path}");
        }
    }

    #[test]
    fn what_an_organization_used_is_no_text() {
        for path in ["/v1/organization/usage/completions", "/v1/organization/usage/embeddings"] {
            assert_eq!(Route::of("GET", path), Route::Open, "{path}");
        }
        // What leads elsewhere is what it leads to.
        let elsewhere = "/v1/organization/usage/%2e%2e/%2e%2e/conversations/conv_1";
        assert_eq!(Route::of("GET", elsewhere), Route::Apart(Form::Chat));
    }
}
