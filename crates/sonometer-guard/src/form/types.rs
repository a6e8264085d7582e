//! The names that the guard knows: types of parts, items and blocks, and keys whose values are no text.

use super::Form;
use crate::json::{Shape, inner, shape};
use crate::policy::{On, Role};
use serde_json::value::RawValue;

/// Parts, tool calls and annotations of chat messages.
const CHAT: &[&str] = &[
    "audio",
    "custom",
    "ephemeral",
    "file",
    "function",
    "image_url",
    "input_audio",
    "refusal",
    "text",
    "url_citation",
    // What gateways to other providers pass on.
    "reasoning.text",
    "reasoning.summary",
    "reasoning.encrypted",
    "redacted_thinking",
    "thinking",
];

/// Blocks of messages, and what stands in them.
const MESSAGES: &[&str] = &[
    "advisor_redacted_result",
    "advisor_result",
    "advisor_tool_result",
    "advisor_tool_result_error",
    "base64",
    "bash_code_execution_output",
    "bash_code_execution_result",
    "bash_code_execution_tool_result",
    "bash_code_execution_tool_result_error",
    "browser_state",
    "char_location",
    "code_execution_output",
    "code_execution_result",
    "code_execution_tool_result",
    "code_execution_tool_result_error",
    "compaction",
    "container_upload",
    "content",
    "content_block_location",
    "document",
    "encrypted_code_execution_result",
    "ephemeral",
    "fallback",
    "file",
    "image",
    "mcp_tool_listing",
    "mcp_tool_result",
    "mcp_tool_use",
    "message",
    "page_location",
    "redacted_thinking",
    "search_result",
    "search_result_location",
    "server_tool_use",
    "text",
    "text_editor_code_execution_create_result",
    "text_editor_code_execution_str_replace_result",
    "text_editor_code_execution_tool_result",
    "text_editor_code_execution_tool_result_error",
    "text_editor_code_execution_view_result",
    "thinking",
    "tool_addition",
    "tool_reference",
    "tool_removal",
    "tool_result",
    "tool_search_tool_result",
    "tool_search_tool_result_error",
    "tool_search_tool_search_result",
    "tool_use",
    "url",
    "web_fetch_result",
    "web_fetch_tool_result",
    "web_fetch_tool_result_error",
    "web_search_result",
    "web_search_result_location",
    "web_search_tool_result",
    "web_search_tool_result_error",
];

/// Items of responses, and what stands in them.
const RESPONSES: &[&str] = &[
    "additional_tools",
    "agent_message",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "compaction_trigger",
    "computer_call",
    "computer_call_output",
    "computer_screenshot",
    "configuration_update",
    "container_file_citation",
    "custom_tool_call",
    "custom_tool_call_output",
    "encrypted_content",
    "exit",
    "file_citation",
    "file_path",
    "file_search_call",
    "find_in_page",
    "function_call",
    "function_call_output",
    "image",
    "image_generation_call",
    "input_audio",
    "input_file",
    "input_image",
    "input_text",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "logs",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "message",
    "multi_agent_call",
    "multi_agent_call_output",
    "open_page",
    "output_audio",
    "output_text",
    "program",
    "program_output",
    "reasoning",
    "reasoning_text",
    "refusal",
    "search",
    "shell_call",
    "shell_call_output",
    "summary_text",
    "text",
    "timeout",
    "tool_search_call",
    "tool_search_output",
    "url",
    "url_citation",
    "web_search_call",
];

/// Whether the guard knows a type of part, item or block.
pub(crate) fn is_known(form: Form, name: &str) -> bool {
    match form {
        Form::Chat | Form::Completions | Form::Embeddings => CHAT.contains(&name),
        Form::Messages => MESSAGES.contains(&name),
        Form::Responses => RESPONSES.contains(&name),
    }
}

/// Lists whose objects have a type that must be known.
pub(crate) fn is_typed_list(form: Form, key: &str) -> bool {
    match key {
        "content" | "annotations" | "citations" | "reasoning_details" | "tool_calls" => true,
        "input" | "output" | "summary" | "outputs" => form == Form::Responses,
        "system" => form == Form::Messages,
        _ => false,
    }
}

/// Who speaks in an item or block that does not say it: the model, or a tool. `None`: whoever speaks around it.
pub(crate) fn role(name: &str) -> Option<Role> {
    match name {
        "agent_message" | "compaction" | "mcp_approval_request" | "program" | "reasoning" => {
            Some(Role::Assistant)
        }
        "mcp_list_tools" | "mcp_tool_listing" | "program_output" | "tool_result" | "tool_search_output" => {
            Some(Role::Tool)
        }
        _ if name.ends_with("_call_output") || name.ends_with("_tool_result") => Some(Role::Tool),
        _ if name.ends_with("_call") => Some(Role::Assistant),
        _ => None,
    }
}

/// Types that hold images, sound or files, of which nothing can be masked.
pub(crate) fn is_media(name: &str) -> bool {
    matches!(
        name,
        "audio"
            | "computer_screenshot"
            | "container_upload"
            | "document"
            | "file"
            | "image"
            | "image_generation_call"
            | "image_url"
            | "input_audio"
            | "input_file"
            | "input_image"
            | "output_audio"
    )
}

/// Keys under which a text stands again, token by token.
pub(crate) fn is_tokens(key: &str) -> bool {
    matches!(
        key,
        "completion_token_ids"
            | "logprobs"
            | "output_token_ids"
            | "prompt_logprobs"
            | "prompt_token_ids"
            | "token_id"
            | "token_ids"
            | "top_logprobs"
    )
}

/// What an answer of this form repeats of its request; nobody says it in the answer.
pub(crate) fn is_echo(form: Form, key: &str) -> bool {
    form == Form::Responses
        && matches!(
            key,
            "instructions"
                | "metadata"
                | "prompt"
                | "prompt_cache_key"
                | "safety_identifier"
                | "text"
                | "tool_choice"
                | "tools"
                | "user"
        )
}

/// Keys of media whose values are the media themselves or where they are.
pub(crate) fn is_media_data(key: &str) -> bool {
    matches!(key, "b64_json" | "data" | "file_data" | "file_url" | "image_url" | "result" | "url")
}

/// Whether a value is no text that somebody wrote: an id, a choice of a fixed list, something that the provider sealed or counted.
/// Servers have members of their own, which may be called so and hold text: a choice reads as one, and lists and objects are read.
pub(crate) fn is_opaque(key: &str, value: &RawValue) -> bool {
    match shape(value) {
        Shape::Number | Shape::Truth | Shape::Null => is_id(key) || is_choice(key) || is_count(key),
        Shape::Text => {
            is_id(key) && inner(value).is_some_and(reads_as_id)
                || is_choice(key) && inner(value).is_some_and(reads_as_choice)
        }
        // By ids of tokens; some servers take their texts, too.
        Shape::Object | Shape::List if key == "logit_bias" => {
            !value.get().bytes().any(|byte| byte.is_ascii_alphabetic())
        }
        Shape::Object => false,
        Shape::List => key == "thought_signatures",
    }
}

/// Whether a text reads as an id, such as `call_7` or a signature in base64; an address has an `@`, a sentence spaces.
pub(crate) fn reads_as_id(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || matches!(c, '@' | '%' | '&' | '\\'))
}

/// Whether a member of an object of this type is what the provider computed or sealed: numbers in base64, in which a mask would find
/// something by chance.
pub(crate) fn is_sealed(form: Form, on: On, kind: &str, key: &str) -> bool {
    match key {
        "embedding" => form == Form::Embeddings && on == On::Response,
        "data" => kind == "reasoning.encrypted",
        _ => false,
    }
}

/// Whether a text reads as a choice of a fixed list, such as `end_turn`, `in_progress` or `image/png`.
fn reads_as_choice(text: &str) -> bool {
    text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+'))
        && text.bytes().filter(u8::is_ascii_digit).count() <= 8
}

/// Keys of ids, and of what is sealed.
fn is_id(key: &str) -> bool {
    matches!(
        key,
        "approval_request_id"
            | "call_id"
            | "caller_id"
            | "container_id"
            | "download_id"
            | "encrypted_content"
            | "encrypted_index"
            | "encrypted_stdout"
            | "file_id"
            | "fingerprint"
            | "id"
            | "item_id"
            | "model"
            | "obfuscation"
            | "previous_message_id"
            | "previous_response_id"
            | "response_id"
            | "signature"
            | "skill_id"
            | "system_fingerprint"
            | "tab_id"
            | "thought_signature"
            | "tool_call_id"
            | "tool_id"
            | "tool_use_id"
    )
}

/// Keys of choices.
fn is_choice(key: &str) -> bool {
    matches!(
        key,
        "allowed_callers"
            | "background"
            | "cache_control"
            | "effort"
            | "encoding_format"
            | "finish_reason"
            | "include"
            | "inference_geo"
            | "media_type"
            | "modalities"
            | "native_finish_reason"
            | "object"
            | "phase"
            | "provider"
            | "reasoning_effort"
            | "role"
            | "service_tier"
            | "status"
            | "stop_reason"
            | "truncation"
            | "type"
            | "verbosity"
            | "voice"
    )
}

/// Keys of numbers and of what a provider says about a text.
fn is_count(key: &str) -> bool {
    matches!(key, "content_filter_results" | "logit_bias" | "prompt_filter_results" | "usage")
}

/// Keys of a request whose values are texts: not every client writes them as such, and a number may be that of a card.
pub(crate) fn is_text(key: &str) -> bool {
    matches!(
        key,
        "content"
            | "input"
            | "instructions"
            | "name"
            | "output"
            | "prompt"
            | "prompt_cache_key"
            | "safety_identifier"
            | "system"
            | "text"
            | "user"
    )
}

/// Keys whose values are of any shape: definitions of tools, schemas, metadata, errors. Every text in them is masked, and names
/// too.
pub(crate) fn is_free(key: &str) -> bool {
    matches!(
        key,
        "attributes"
            | "client_metadata"
            | "context_management"
            | "definition"
            | "error"
            | "format"
            | "functions"
            | "json_schema"
            | "mcp_servers"
            | "metadata"
            | "parameters"
            | "response_format"
            | "schema"
            | "text_format"
            | "tools"
            | "variables"
    )
}
