//! One request and its answer.

use crate::blocked::{Blocked, Kind};
use crate::form::Form;
use crate::guard::{Compiled, Judge};
use crate::json::{Edits, Object, Shape, position, shape, text_of};
use crate::lane::{Context, applies, note, refused};
use crate::moves::Moves;
use crate::numbering::{Numbering, Seal, Table};
use crate::policy::{Action, Misfit, On, Role};
use crate::report::Report;
use crate::schema::{Schemas, objects};
use crate::stream::Stream;
use crate::values::{Numbers, Values};
use crate::walk::{Said, Walk};
use serde_json::value::RawValue;
use sonometer::interaction::Turn;
use sonometer::protocol::Modality;
use sonometer::{Error, Interaction, Reading};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The longest id of an answer, in bytes; those of providers have some 60.
const LONGEST_ID: usize = 256;

/// A request that was read and masked, and what its answer needs.
pub struct Exchange {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) form: Form,
    pub(crate) numbering: Numbering,
    pub(crate) report: Report,
    /// The answer's content is JSON by a schema or not.
    pub(crate) is_json: bool,
    /// The schemas that the answer is held to.
    pub(crate) schemas: Schemas,
    /// Where the texts of documents moved to, in the order in which citations count them. `None` where the provider keeps some.
    pub(crate) documents: Option<Vec<Moves>>,
    body: Vec<u8>,
    is_stream: bool,
    /// A later request may go on with the answer by its id.
    pub(crate) is_kept: bool,
    /// The answer was stored, and says itself what its request asked for.
    pub(crate) is_stored: bool,
}

impl Exchange {
    pub(crate) fn begin(
        compiled: Arc<Compiled>,
        form: Form,
        body: &[u8],
        table: Option<&Table>,
    ) -> Result<Self, Blocked> {
        let limit = compiled.policy.limits.body_bytes;
        let text = read(body, limit)?;
        let mut values = Values::new(&compiled.policy.limits);
        values.count(text, Numbers::of(form, On::Request))?;
        let top = Object::read(text).map_err(|wrong| wrong.within(text))?;
        let mut exchange = Self {
            form,
            numbering: table.map(Numbering::of).unwrap_or_default(),
            report: Report::default(),
            is_json: asks_for_json(&top),
            schemas: match compiled.policy.schema == Misfit::Block && compiled.masks_answers() {
                true => Schemas::of(&top),
                false => Schemas::default(),
            },
            documents: goes_on_after(&top).is_none().then(Vec::new),
            body: Vec::new(),
            is_stored: false,
            is_kept: form == Form::Responses || given(&top, "thread").is_some(),
            is_stream: top.get("stream").is_some_and(|stream| stream.get() == "true"),
            compiled,
        };
        if table.is_none() {
            exchange.check_state(&top)?;
        }
        let written = exchange.walk(text, values, On::Request, false)?;
        exchange.body = written.map_or_else(|| body.to_vec(), String::into_bytes);
        Ok(exchange)
    }

    /// A request for a stored answer, which has no body, or next to none.
    pub(crate) fn of_stored(
        compiled: Arc<Compiled>,
        form: Form,
        body: &[u8],
        table: Option<&Table>,
    ) -> Result<Self, Blocked> {
        if compiled.policy.placeholders && table.is_none() {
            let message = "with `placeholders`, a stored answer has placeholders that the guard did not see; send the table of its conversation";
            return Err(Blocked::new(Kind::NoTable, message));
        }
        let is_empty = body.trim_ascii().is_empty();
        let mut exchange = Self::begin(compiled, form, if is_empty { b"{}" } else { body }, table)?;
        if is_empty {
            exchange.body = body.to_vec();
        }
        exchange.is_stored = true;
        Ok(exchange)
    }

    /// A request whose body could not be guarded by its history alone.
    fn check_state(&self, top: &Object<'_>) -> Result<(), Blocked> {
        if !self.compiled.policy.placeholders {
            return Ok(());
        }
        for key in ["previous_response_id", "conversation", "container"] {
            if top.get(key).is_some_and(|value| shape(value) != Shape::Null) {
                let message = format!(
                    "with `placeholders`, `{key}` refers to texts that the guard does not see; send the whole conversation, or its table"
                );
                return Err(Blocked::new(Kind::NoTable, message));
            }
        }
        let goes_on = goes_on_after(top).is_some();
        if !goes_on && sealed_summaries(top).is_empty() {
            return Ok(());
        }
        let message = match goes_on {
            true => {
                "with `placeholders`, `thread` stands for texts that the guard does not see; send these texts instead, or the table of the conversation"
            }
            false => {
                "with `placeholders`, a sealed `compaction` stands for texts that this guard did not see; send these texts instead, \
                 or go on with the guard that saw the answer with it, or with the table of the conversation"
            }
        };
        Err(Blocked::new(Kind::NoTable, message))
    }

    /// The body as it is to be sent. The same bytes where nothing was changed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Takes the body out.
    pub fn take_body(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }

    /// The placeholders of the conversation so far, for one whose history the provider keeps. It holds private text.
    pub fn table(&self) -> Table {
        self.numbering.table()
    }

    pub(crate) fn seals(&self) -> &[Seal] {
        self.numbering.seals()
    }

    /// Whether the request asks for a stream.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// The form of both.
    pub fn form(&self) -> Form {
        self.form
    }

    /// What has been done so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Sixteen digits that differ where the policy differs: it is that of the begin of the request, whatever is loaded meanwhile.
    pub fn digest(&self) -> &str {
        self.compiled.digest()
    }

    /// Masks a whole answer and restores placeholders. Errors of the provider (`status` from 400) are masked too, whatever their
    /// shape.
    ///
    /// # Errors
    /// What must not be shown.
    pub fn response(&mut self, status: u16, body: &[u8]) -> Result<Vec<u8>, Blocked> {
        if !self.guards_answers() || body.is_empty() {
            return Ok(body.to_vec());
        }
        let answer = |blocked: Blocked| blocked.in_answer();
        let text = read(body, self.compiled.policy.limits.body_bytes).map_err(answer)?;
        let mut values = Values::new(&self.compiled.policy.limits);
        values.count(text, Numbers::of(self.form, On::Response)).map_err(answer)?;
        let is_error = status >= 400;
        if is_error && serde_json::from_str::<&RawValue>(text).is_err() {
            // What stands before a provider may answer with a page or a line of text.
            return Err(Blocked::new(
                Kind::Unreadable,
                format!("an answer with status {status} that is no JSON"),
            )
            .in_answer());
        }
        self.note_id(text);
        if self.is_stored
            && let Ok(top) = Object::read(text)
        {
            self.is_json = asks_for_json(&top);
            if self.compiled.policy.schema == Misfit::Block && self.compiled.masks_answers() {
                self.schemas = Schemas::of(&top);
            }
        }
        let written = self.walk(text, values, On::Response, is_error).map_err(answer)?;
        Ok(written.map_or_else(|| body.to_vec(), String::into_bytes))
    }

    /// Notes the provider's id of an answer where it is reported or kept: of a whole one, or of the event of a stream that names it.
    pub(crate) fn note_id(&mut self, json: &str) {
        let measures = || self.compiled.judges.iter().any(|judge| judge.action == Action::Sense);
        let may_go_on = self.is_kept && self.compiled.policy.placeholders;
        if self.report.response_id.is_some() || !(may_go_on || measures()) {
            return;
        }
        let Ok(object) = Object::read(json) else { return };
        let within = ["message", "response"].into_iter().filter_map(|key| object.get(key));
        let within = within.filter_map(|value| Object::read(value.get()).ok());
        let mut ids = within.filter_map(|object| object.text("id").map(Cow::into_owned));
        let id = object.text("id").map(Cow::into_owned).or_else(|| ids.next());
        // What is longer is no id, and would be kept and sent on.
        self.report.response_id = id.filter(|id| id.len() <= LONGEST_ID);
    }

    /// Goes on with the events of an answer.
    pub fn stream(self) -> Stream {
        Stream::new(self)
    }

    /// Whether answers have to be read at all.
    pub fn guards_answers(&self) -> bool {
        let placeholders = self.compiled.policy.placeholders;
        placeholders
            || self.compiled.masks_answers()
            || self.compiled.judges.iter().any(|judge| judge.on != On::Request)
    }

    fn walk(
        &mut self,
        text: &str,
        values: Values,
        on: On,
        is_error: bool,
    ) -> Result<Option<String>, Blocked> {
        let compiled = Arc::clone(&self.compiled);
        let judges: Vec<&Judge> =
            compiled.judges.iter().filter(|judge| judge.on == on || judge.on == On::Both).collect();
        let mut context = Context {
            compiled: &compiled,
            numbering: &mut self.numbering,
            report: &mut self.report,
            documents: &mut self.documents,
            values,
        };
        let mut walk = Walk {
            form: self.form,
            on,
            context: &mut context,
            edits: Edits::of(text),
            read: (!judges.is_empty()).then(Vec::new),
            known: None,
            is_json: self.is_json,
            schemas: (on == On::Response && !self.schemas.is_empty()).then_some(&self.schemas),
            may_drop: true,
            follows: None,
            moves: Moves::default(),
        };
        walk.body(text, is_error)?;
        let (written, read) = (walk.edits.apply(), walk.read.take());
        if let Some(read) = read {
            for judge in &judges {
                self.judge(judge, on, &read)?;
            }
            // Each text of an answer by itself, as streams measure them.
            for said in read.iter().filter(|said| said.is_answer) {
                for judge in judges.iter().filter(|judge| judge.action != Action::Block) {
                    self.measure(judge, on, &[(said.role, &said.text)])?;
                }
            }
        }
        Ok(written)
    }

    /// What a rule says of all texts: of a request any rule, of an answer one that may end it.
    fn judge(&mut self, judge: &Judge, on: On, read: &[Said]) -> Result<(), Blocked> {
        if on == On::Response && judge.action != Action::Block {
            return Ok(());
        }
        let turns: Vec<(Role, &str)> = read.iter().map(|said| (said.role, said.text.as_str())).collect();
        self.measure(judge, on, &turns)
    }

    /// Measures texts by one rule, those of the roles that it means.
    fn measure(&mut self, judge: &Judge, on: On, turns: &[(Role, &str)]) -> Result<(), Blocked> {
        if let Some(reading) = allowed(judge, turns)? {
            note(judge, on, &reading, &mut self.report);
        }
        Ok(())
    }
}

/// What a rule measures in texts, those of the roles that it means; an error if it refuses them.
pub(crate) fn allowed(judge: &Judge, turns: &[(Role, &str)]) -> Result<Option<Reading>, Blocked> {
    let is_meant = |role: &Role| judge.roles.is_empty() && *role != Role::Other || judge.roles.contains(role);
    let turns: Vec<(Role, &str)> = turns.iter().filter(|(role, _)| is_meant(role)).copied().collect();
    let reading = sense(judge, &turns).map_err(|error| Blocked::new(Kind::Engine, error.code.as_str()))?;
    let applies = |reading: &Reading| applies(reading, &judge.markers, judge.at_least, judge.at_most);
    match reading {
        Some(reading) if judge.action == Action::Block && applies(&reading) => Err(refused(&judge.name)),
        reading => Ok(reading),
    }
}

/// What a rule's instrument measures: a conversation where it reads some, else all texts as one.
fn sense(judge: &Judge, turns: &[(Role, &str)]) -> Result<Option<Reading>, Error> {
    if turns.is_empty() {
        return Ok(None);
    }
    let modalities = judge.instrument.modalities();
    let is_text = turns.len() == 1 && modalities.contains(&Modality::Text);
    let interaction = if is_text || !modalities.contains(&Modality::Transcript) {
        let texts: Vec<&str> = turns.iter().map(|(_, text)| *text).collect();
        Interaction::text(&texts.join("\n\n"))?
    } else {
        let turn = |(role, text): &(Role, &str)| Turn {
            role: Some(role.as_str().into()),
            content: (*text).into(),
            timestamp: None,
        };
        Interaction::transcript(turns.iter().map(turn).collect())?
    };
    judge.instrument.sense(&interaction).map(Some)
}

fn read(body: &[u8], most: usize) -> Result<&str, Blocked> {
    if body.len() > most {
        return Err(Blocked::new(
            Kind::TooLarge,
            format!("a body has more than {most} bytes (limits.body_bytes)"),
        ));
    }
    std::str::from_utf8(body).map_err(|error| {
        let at = position(body, error.valid_up_to());
        Blocked::new(Kind::Unreadable, format!("a body that is not UTF-8 from {at} on; only UTF-8 is read"))
    })
}

/// A member that is not null.
pub(crate) fn given<'j>(top: &Object<'j>, key: &str) -> Option<&'j RawValue> {
    top.get(key).filter(|value| shape(value) != Shape::Null)
}

/// The id of the answer with which a thread of Anthropic goes on; empty if it does not say it.
pub(crate) fn goes_on_after(top: &Object<'_>) -> Option<String> {
    let thread = Object::read(given(top, "thread")?.get()).ok()?;
    let goes_on = thread.text("type").as_deref() == Some("continue");
    goes_on.then(|| thread.text("previous_message_id").unwrap_or_default().into_owned())
}

/// The summaries of earlier texts in a request that are encrypted or signed, as they are sealed: the placeholders in them are those of
/// the texts that they stand for.
pub(crate) fn sealed_summaries(top: &Object<'_>) -> Vec<String> {
    let sealed = |item: &Object<'_>| {
        let given = |key| item.text(key).filter(|text| !text.is_empty()).map(Cow::into_owned);
        let is_summary = item.text("type").as_deref() == Some("compaction");
        is_summary.then(|| given("encrypted_content").or_else(|| given("signature"))).flatten()
    };
    let messages = objects(top, "messages");
    let blocks = messages.flat_map(|message| objects(&message, "content"));
    let items = objects(top, "input").chain(blocks);
    items.filter_map(|item| sealed(&item)).collect()
}

/// Whether the content of the answer is asked for as JSON.
fn asks_for_json(top: &Object<'_>) -> bool {
    let is_json = |object: &Object<'_>| {
        let kind: Option<Cow<'_, str>> = object.get("type").and_then(text_of);
        matches!(kind.as_deref(), Some("json_schema" | "json_object"))
    };
    let asks = |value: &RawValue| {
        let Ok(object) = Object::read(value.get()) else { return false };
        let format = object.get("format").and_then(|format| Object::read(format.get()).ok());
        is_json(&object) || format.is_some_and(|format| is_json(&format))
    };
    // An item of the conversation may change it; the last one holds.
    let items = objects(top, "input").rev();
    let mut updates = items.filter(|item| item.text("type").as_deref() == Some("configuration_update"));
    if let Some(text) = updates.find_map(|item| item.get("text")) {
        return asks(text);
    }
    let formats = ["response_format", "text", "output_config", "output_format"].into_iter();
    formats.filter_map(|key| top.get(key)).any(asks)
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("form", &self.form)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}
