//! Reads chats as other programs write them: what somebody said becomes turns, in the order in which it was said.
//!
//! What nobody said (tool calls, their results, reasoning, pictures) is kept apart, so that it is neither sensed by mistake nor
//! lost. Keys that a form does not have by what is known here are skipped with a notice.

mod ai_sdk;
mod assistants;
mod batch;
mod bedrock;
mod calls;
mod draft;
mod gemini;
mod langchain;
mod language_model;
mod preference;
mod sharegpt;
mod vcon;

use crate::diagnostic::line_and_column;
use crate::document::{Node, Value, read_json_of_others, suggest};
use crate::error::Error;
use crate::interaction::{Interaction, Turn};
use crate::json::Json;
use draft::{Draft, is_map, list, text};

/// A chat that was read.
#[derive(Clone, Debug)]
pub struct Messages {
    /// What was said.
    pub interaction: Interaction,
    /// The form in which it was written.
    pub form: MessageForm,
    /// Where each turn was: the path of a value in the JSON, such as `messages[0].content`. As many as there are turns.
    pub places: Vec<String>,
    /// What nobody said, in the order of the JSON.
    pub apart: Vec<Apart>,
    /// What was skipped, one sentence each, with the place where it was first seen. At most [`MAX_NOTICES`] and one that says how
    /// many more there are.
    pub notices: Vec<String>,
}

/// The most notices of one chat.
pub const MAX_NOTICES: usize = 20;

/// A form in which programs write chats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageForm {
    /// Messages with `role` and `content`, as OpenAI and Anthropic have them; a request that holds them, or the items of OpenAI's
    /// responses.
    Chat,
    /// `contents` with `role` and `parts`, a request that holds them, or a response with `candidates`.
    Gemini,
    /// Messages of Vercel's AI SDK (the npm package `ai`): `parts` with types, or such parts as `content`.
    AiSdk,
    /// LangChain's messages: with `type` and `data`, flat, or serialised with `lc` and `kwargs`.
    LangChain,
    /// `conversations` of `from` and `value`.
    ShareGpt,
    /// A container of conversation data (vCon, IETF draft): its texts. Recordings are kept apart.
    Vcon,
    /// A transcript of Amazon Connect Contact Lens.
    ContactLens,
    /// The `sentences` of a transcript of Twilio.
    Twilio,
    /// Messages of Amazon Bedrock's Converse, a request that holds them, or its answer.
    Bedrock,
    /// Messages of a thread of OpenAI's Assistants.
    Assistants,
    /// A line of a batch or a log that holds a request, its answer, or both, each in a form of its own.
    Batch,
    /// Preference data: the prompt with the answer that was `chosen`.
    Chosen,
    /// The same with the answer that was `rejected`. Only its name decides for it.
    Rejected,
}

impl MessageForm {
    /// The names of all forms. `openai` and `anthropic` are both [`MessageForm::Chat`].
    pub const NAMES: [&str; 14] = [
        "openai",
        "anthropic",
        "gemini",
        "ai-sdk",
        "langchain",
        "sharegpt",
        "vcon",
        "contact-lens",
        "twilio",
        "bedrock",
        "assistants",
        "batch",
        "chosen",
        "rejected",
    ];

    /// The form of this name.
    ///
    /// # Errors
    /// `invalid_request` with the names there are.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        Ok(match name {
            "openai" | "anthropic" => Self::Chat,
            "gemini" => Self::Gemini,
            "ai-sdk" => Self::AiSdk,
            "langchain" => Self::LangChain,
            "sharegpt" => Self::ShareGpt,
            "vcon" => Self::Vcon,
            "contact-lens" => Self::ContactLens,
            "twilio" => Self::Twilio,
            "bedrock" => Self::Bedrock,
            "assistants" => Self::Assistants,
            "batch" => Self::Batch,
            "chosen" => Self::Chosen,
            "rejected" => Self::Rejected,
            _ => {
                let fix = match suggest(name, &Self::NAMES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("write one of {}", Self::NAMES.join(", ")),
                };
                let name = crate::diagnostic::excerpt(name);
                return Err(Error::invalid("form", format!("unknown form of messages `{name}`; {fix}")));
            }
        })
    }

    /// Its name; `openai` for [`MessageForm::Chat`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "openai",
            Self::Gemini => "gemini",
            Self::AiSdk => "ai-sdk",
            Self::LangChain => "langchain",
            Self::ShareGpt => "sharegpt",
            Self::Vcon => "vcon",
            Self::ContactLens => "contact-lens",
            Self::Twilio => "twilio",
            Self::Bedrock => "bedrock",
            Self::Assistants => "assistants",
            Self::Batch => "batch",
            Self::Chosen => "chosen",
            Self::Rejected => "rejected",
        }
    }

    /// The form of a JSON text by its keys; `None` if it is no JSON or has none of the forms.
    pub fn of(json: &str) -> Option<Self> {
        recognised(&read_json_of_others(json).ok()?)
    }

    /// The same of JSON that is no interaction: `None` also where one is meant, which has `segments` or `content`.
    pub fn of_others(json: &str) -> Option<Self> {
        let root = read_json_of_others(json).ok()?;
        let form = recognised(&root)?;
        let is_meant_as_ours = || {
            let has = |key| root.get(key).is_some();
            has("segments") || has("content") || !json.contains("\"role\"")
        };
        (form != Self::Chat || !is_meant_as_ours()).then_some(form)
    }
}

/// Something in a chat that nobody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Its path in the JSON.
    pub place: String,
    /// What it is.
    pub kind: ApartKind,
    /// The name of a tool, or the number of the call that a result is of; else the type as written.
    pub name: String,
    /// The arguments of a call, a result or a reasoning, as written; empty for pictures, sound and files.
    pub text: String,
}

/// What nobody said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApartKind {
    /// A model asks for a tool.
    ToolCall,
    /// What the tool gave back.
    ToolResult,
    /// What a model thinks before it answers.
    Reasoning,
    /// A picture, sound, a file, or something else without words that could be read here.
    Media,
}

impl ApartKind {
    /// `tool_call`, `tool_result`, `reasoning` or `media`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Reasoning => "reasoning",
            Self::Media => "media",
        }
    }
}

impl Messages {
    /// Reads a chat as JSON. Without a form, its keys decide.
    ///
    /// Messages with `role` and `content` are also how a transcript is written here. So unknown keys in them are errors, unless
    /// [`MessageForm::Chat`] is named; in all other forms they are skipped with a notice.
    ///
    /// ```
    /// # use sonometer::interaction::{MessageForm, Messages};
    /// let chat = Messages::read(r#"{"contents": [
    ///     {"role": "user", "parts": [{"text": "Is it raining?"}]},
    ///     {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"at": "here"}}}, {"text": "No."}]}
    /// ]}"#, None)?;
    /// assert_eq!(chat.form, MessageForm::Gemini);
    /// assert_eq!(&*chat.interaction.turns()[1].content, "No.");
    /// assert_eq!(chat.apart[0].text, r#"{"at": "here"}"#);
    /// # Ok::<(), sonometer::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_request` with the place of the first thing that is wrong, such as `contents[1].parts`, or if nobody says anything.
    pub fn read(json: &str, form: Option<MessageForm>) -> Result<Self, Error> {
        if json.trim_ascii().is_empty() {
            let message = "the input is empty; write `[{\"role\": …, \"content\": …}]`, or an object that holds messages";
            return Err(Error::invalid("", message));
        }
        let root = parsed(json)?;
        let is_named = form.is_some();
        let form = match form.or_else(|| recognised(&root)) {
            Some(form) => form,
            // A list may hold anything; what is wrong in it is told of its items.
            None if matches!(root.value, Value::List(_)) => MessageForm::Chat,
            None => return Err(Error::invalid("segments", unknown(&root))),
        };
        if let Some((place, message)) = answer(&root).filter(|_| form == MessageForm::Chat) {
            return of_answer(json, &root, &place, message);
        }
        let mut draft = Draft::new(json, is_named);
        read_as(form, &root, &mut draft)?;
        draft.finish(form)
    }

    /// All of it as JSON: `form`, `interaction` as [`Interaction::from_json`] reads it, `places`, `apart` (each with `place`, `kind`,
    /// `name`, `text`) and `notices`.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| {
            json.key("form").string(self.form.name());
            json.key("interaction").object(|json| {
                json.key("segments")
                    .list(|json| self.interaction.turns().iter().for_each(|turn| segment(json, turn)));
            });
            json.key("places").texts(&self.places);
            json.key("apart").list(|json| {
                for Apart { place, kind, name, text } in &self.apart {
                    json.object(|json| {
                        json.key("place").string(place);
                        json.key("kind").string(kind.name());
                        json.key("name").string(name);
                        json.key("text").string(text);
                    });
                }
            });
            json.key("notices").texts(&self.notices);
        });
        json.into_text()
    }
}

/// Reads a value in one of the forms.
fn read_as(form: MessageForm, root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    match form {
        MessageForm::Chat => language_model::read(root, draft),
        MessageForm::Gemini => gemini::read(root, draft),
        MessageForm::AiSdk => ai_sdk::read(root, draft),
        MessageForm::LangChain => langchain::read(root, draft),
        MessageForm::ShareGpt => sharegpt::read(root, draft),
        MessageForm::Vcon => vcon::read(root, draft),
        MessageForm::ContactLens => calls::contact_lens(root, draft),
        MessageForm::Twilio => calls::twilio(root, draft),
        MessageForm::Bedrock => bedrock::read(root, draft),
        MessageForm::Assistants => assistants::read(root, draft),
        MessageForm::Batch => batch::read(root, draft),
        MessageForm::Chosen => preference::read(root, true, draft),
        MessageForm::Rejected => preference::read(root, false, draft),
    }
}

fn segment(json: &mut Json, turn: &Turn) {
    json.object(|json| {
        json.key("role").string(turn.role.as_deref().unwrap_or_default());
        json.key("content").string(&turn.content);
        if let Some(time) = turn.timestamp {
            json.key("timestamp").number(time);
        }
    });
}

impl Interaction {
    /// Reads the messages of a chat as JSON, in any form of [`MessageForm`]; what else they hold, [`Messages::read`] tells.
    /// Messages without text are skipped, so a turn may have a lower number than its message.
    ///
    /// ```
    /// # use sonometer::Interaction;
    /// let talk = Interaction::from_messages(r#"[
    ///     {"role": "user", "content": [{"type": "text", "text": "Is it raining?"}]},
    ///     {"role": "assistant", "content": null, "tool_calls": [{"type": "function", "id": "1"}]},
    ///     {"role": "tool", "tool_call_id": "1", "content": "{\"rain\": false}"},
    ///     {"role": "assistant", "content": "No, the sun is out."}
    /// ]"#)?;
    /// assert_eq!(talk.turns().len(), 2);
    /// # Ok::<(), sonometer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Messages::read`].
    pub fn from_messages(json: &str) -> Result<Self, Error> {
        Ok(Messages::read(json, None)?.interaction)
    }

    /// Reads a JSON list of turns as they are written here, or of messages in OpenAI's or Anthropic's form, strictly.
    ///
    /// # Errors
    /// As [`Messages::read`]; also for messages of another form.
    pub fn from_turns(json: &str) -> Result<Self, Error> {
        let root = parsed(json)?;
        let Value::List(items) = &root.value else {
            return Err(Error::invalid("segments", unknown(&root)));
        };
        let mut draft = Draft::new(json, false);
        language_model::read_list(items, "segments", &mut draft)?;
        Ok(draft.finish(MessageForm::Chat)?.interaction)
    }

    /// Makes a conversation from messages that [`Turn::from_message`] has read.
    ///
    /// # Errors
    /// `invalid_request` if there are no messages or none has text; otherwise as [`Interaction::transcript`].
    pub fn of_messages(turns: Vec<Option<Turn>>) -> Result<Self, Error> {
        if !turns.is_empty() && turns.iter().all(Option::is_none) {
            let message = "none of these messages has text: they hold only tool calls, tool results, reasoning or images; \
                           add the messages with text";
            return Err(Error::invalid("segments", message));
        }
        Self::transcript(turns.into_iter().flatten().collect())
    }
}

impl Turn {
    /// Reads one message of OpenAI's or Anthropic's form as JSON; `place` is its name in errors. `None` if it has no text.
    ///
    /// # Errors
    /// As [`Messages::read`].
    pub fn from_message(json: &str, place: &str) -> Result<Option<Self>, Error> {
        language_model::turn(&parsed(json)?, place, &mut Draft::new(json, false))
    }
}

fn parsed(json: &str) -> Result<Node, Error> {
    read_json_of_others(json).map_err(|found| {
        let (line, column) = line_and_column(json, found.span.start);
        Error::invalid(format!("line {line}, column {column}"), format!("{}; {}", found.message, found.fix))
    })
}

/// The form of a JSON value: of an object by the key that holds its list, of a list by its first item.
fn recognised(root: &Node) -> Option<MessageForm> {
    let of_lines = || {
        let is_ours = ["content", "segments", "interaction"].iter().any(|key| root.get(key).is_some());
        let is_pair = || preference::pair(root).map(|_| MessageForm::Chosen);
        let is_line = || batch::is_line(root).then_some(MessageForm::Batch);
        if is_ours { None } else { is_pair().or_else(is_line) }
    };
    of_chat(root).or_else(of_lines)
}

/// The same of what may stand in a line of a batch, too.
fn of_chat(root: &Node) -> Option<MessageForm> {
    let has_list = |key: &str| matches!(root.get(key).map(|node| &node.value), Some(Value::List(_)));
    if is_map(root) {
        let is_vcon = root.get("vcon").is_some() || has_list("dialog") && has_list("parties");
        if is_vcon || is_sealed(root) {
            return Some(MessageForm::Vcon);
        }
        const LISTS: [(&str, MessageForm); 5] = [
            ("Transcript", MessageForm::ContactLens),
            ("sentences", MessageForm::Twilio),
            ("contents", MessageForm::Gemini),
            ("candidates", MessageForm::Gemini),
            ("conversations", MessageForm::ShareGpt),
        ];
        let known = LISTS.iter().find(|(key, _)| has_list(key)).map(|(_, form)| *form);
        let is_request = || text(root, "model").and(text(root, "input")).map(|_| MessageForm::Chat);
        return known
            .or_else(|| bedrock::answer(root).map(|_| MessageForm::Bedrock))
            .or_else(|| {
                list(root, "data")
                    .first()
                    .filter(|item| assistants::is_message(item))
                    .map(|_| MessageForm::Assistants)
            })
            .or_else(|| recognised_list(language_model::messages(root)?.1))
            .or_else(is_request)
            .or_else(|| answer(root).or_else(|| choice(root)).map(|_| MessageForm::Chat));
    }
    match &root.value {
        Value::List(items) => recognised_list(items),
        _ => None,
    }
}

/// The one message of an answer of OpenAI's chat or of Anthropic, with its place. `None` if the request stands beside it.
fn answer(root: &Node) -> Option<(String, &Node)> {
    if text(root, "type") == Some("message") && text(root, "role").is_some() {
        return Some((String::new(), root));
    }
    choice(root).filter(|_| !language_model::ASKED.iter().any(|key| root.get(key).is_some()))
}

/// The first choice of an answer of OpenAI's chat, with its place.
fn choice(root: &Node) -> Option<(String, &Node)> {
    let message = draft::list(root, "choices").first()?.get("message")?;
    is_map(message).then(|| ("choices[0].message".to_owned(), message))
}

/// Reads its one message as a list of messages. Nobody writes a transcript so: unknown keys are skipped.
fn of_answer(json: &str, root: &Node, place: &str, message: &Node) -> Result<Messages, Error> {
    let within = |inner: &str| match inner.strip_prefix("segments[0]") {
        Some(rest) if place.is_empty() => rest.trim_start_matches('.').to_owned(),
        Some(rest) => format!("{place}{rest}"),
        None => inner.to_owned(),
    };
    let list = format!("[{}]", json.get(message.span.start..message.span.end).unwrap_or_default());
    let mut read = Messages::read(&list, Some(MessageForm::Chat)).map_err(|mut error| {
        error.place = within(&error.place);
        error
    })?;
    read.places.iter_mut().for_each(|inner| *inner = within(inner));
    read.apart.iter_mut().for_each(|apart| apart.place = within(&apart.place));
    for notice in &mut read.notices {
        if let Some((told, inner)) = notice.rsplit_once(" in segments[0]") {
            let at = within(&format!("segments[0]{inner}"));
            *notice = if at.is_empty() { format!("{told} at the top") } else { format!("{told} in {at}") };
        }
    }
    read.notices.splice(0..0, more_choices(root));
    Ok(read)
}

/// What is told of an answer with several choices.
fn more_choices(root: &Node) -> Option<String> {
    match draft::list(root, "choices").len().saturating_sub(1) {
        0 => None,
        1 => Some("1 more choice was skipped".to_owned()),
        more => Some(format!("{more} more choices were skipped")),
    }
}

fn recognised_list(items: &[Node]) -> Option<MessageForm> {
    let first = items.iter().find(|item| is_map(item))?;
    let is_langchain = first.get("data").is_some_and(is_map)
        || first.get("lc").is_some()
        || first.get("additional_kwargs").is_some()
        || first.get("role").is_none() && text(first, "type").is_some_and(langchain::is_type);
    Some(if is_langchain {
        MessageForm::LangChain
    } else if list(first, "parts").first().is_some_and(|part| part.get("type").is_none()) {
        MessageForm::Gemini
    } else if text(first, "from").is_some() && text(first, "value").is_some() {
        MessageForm::ShareGpt
    } else if assistants::is_message(first) {
        MessageForm::Assistants
    } else if items.iter().any(bedrock::is_message) {
        MessageForm::Bedrock
    } else if items.iter().any(ai_sdk::is_message) {
        MessageForm::AiSdk
    } else {
        MessageForm::Chat
    })
}

/// Whether it is a signed or encrypted form of JOSE, as vCons are sent.
fn is_sealed(root: &Node) -> bool {
    ["payload", "ciphertext"].iter().any(|key| text(root, key).is_some())
        && ["signatures", "signature", "protected", "recipients"].iter().any(|key| root.get(key).is_some())
}

fn unknown(root: &Node) -> String {
    format!(
        "expected a list of messages, found {}; write `[{{\"role\": …, \"content\": …}}]`, or give an object with \
         `messages`, `contents`, `conversations`, `chosen` and `rejected`, `vcon`, `Transcript` or `sentences`",
        root.kind_name()
    )
}
