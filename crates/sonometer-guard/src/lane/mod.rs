//! A lane: one text of an answer that comes in bit by bit, such as the content of one choice or the arguments of one call.
//!
//! Each has a session of its own. What goes in and out stands between the quotes of JSON.

mod arguments;
mod judge;
mod names;
mod text;

pub(crate) use arguments::{ArgumentsLane, LONGEST_CALLED, masked_number, number};
pub(crate) use judge::{applies, note, refused};
pub(crate) use names::called;
pub(crate) use text::TextLane;

use crate::blocked::{Blocked, Kind};
use crate::guard::Compiled;
use crate::json::string::decode;
use crate::moves::Moves;
use crate::numbering::Numbering;
use crate::policy::{On, Role};
use crate::report::Report;
use crate::schema::Schema;
use crate::values::Values;
use std::sync::Arc;

/// What all texts of an exchange share.
pub(crate) struct Context<'c> {
    pub(crate) compiled: &'c Compiled,
    pub(crate) numbering: &'c mut Numbering,
    pub(crate) report: &'c mut Report,
    /// Where the text of each document moved to, on its way from the provider to the client.
    pub(crate) documents: &'c mut Option<Vec<Moves>>,
    /// The values of JSON and the bytes of text so far.
    pub(crate) values: Values,
}

impl Context<'_> {
    /// Counts a text before it is read, if it is read at all.
    ///
    /// # Errors
    /// If there is too much text.
    pub(crate) fn count(&mut self, raw: &str, on: On, role: Role) -> Result<(), Blocked> {
        match self.compiled.reads(on, role) {
            true => self.values.text(raw),
            false => Ok(()),
        }
    }
}

/// How a lane reads what comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Manner {
    /// Text for people.
    Text,
    /// JSON, whose values are texts: arguments of tools.
    Arguments,
    /// A value within JSON: a text that may be JSON itself.
    Value,
    /// Text that must not be changed: what would be masked is refused, and nothing is restored.
    Unchanged,
}

/// One text that comes in.
pub(crate) struct Lane {
    text: Text,
    schema: Option<Box<Held>>,
    /// JSON that is said to the person: all that came and was shown of it.
    said: Option<Box<(String, String)>>,
}

enum Text {
    Plain(Box<TextLane>),
    Arguments(Box<ArgumentsLane>),
    /// An answer that was asked for as JSON, after so many spaces: models also refuse, think aloud, or put JSON into a block of code.
    Undecided(usize),
}

/// JSON with a schema, and what was shown of it.
struct Held {
    schema: Arc<Schema>,
    shown: String,
    /// Whether a mask changed it.
    is_masked: bool,
}

impl Lane {
    /// `is_said`: it is what the model says to the person, which rules measure. `schema`: what JSON must fit when it is complete.
    pub(crate) fn new(
        context: &Context<'_>,
        on: On,
        role: Role,
        manner: Manner,
        is_said: bool,
        schema: Option<Arc<Schema>>,
    ) -> Result<Self, Blocked> {
        let text = match manner {
            Manner::Arguments if is_said => Text::Undecided(0),
            Manner::Arguments => Text::Arguments(Box::new(ArgumentsLane::new(on, role).judged())),
            _ => {
                let lane = TextLane::new(context.compiled, on, role).judged(context.compiled, is_said)?;
                Text::Plain(Box::new(if manner == Manner::Unchanged { lane.unchanged() } else { lane }))
            }
        };
        let schema = schema.map(|schema| Box::new(Held { schema, shown: String::new(), is_masked: false }));
        let said = (is_said && manner == Manner::Arguments).then(Box::default);
        Ok(Self { text, schema, said })
    }

    /// Takes what stands between the quotes of the next part, and adds what may be shown.
    ///
    /// # Errors
    /// What must not pass.
    pub(crate) fn push(
        &mut self,
        raw: &str,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        let (from, masked) = (out.len(), context.report.masked_answer);
        if let Some(said) = &mut self.said {
            said.0.push_str(raw);
        }
        self.decide(raw, context)?;
        match &mut self.text {
            Text::Plain(lane) => lane.push(raw, context, out)?,
            Text::Arguments(lane) => lane.push(raw, context, out)?,
            Text::Undecided(_) => out.push_str(raw),
        }
        self.note(&out[from..], context.report.masked_answer > masked);
        let limits = context.compiled.policy.limits;
        if self.held() > limits.held_bytes {
            return Err(Blocked::new(
                Kind::TooLarge,
                format!("more than {} bytes of a text are held back (limits.held_bytes)", limits.held_bytes),
            ));
        }
        if self.taken() > limits.lane_bytes {
            return Err(Blocked::new(
                Kind::TooLarge,
                format!("a text has more than {} bytes (limits.lane_bytes)", limits.lane_bytes),
            ));
        }
        Ok(())
    }

    /// Ends the text, and adds the rest of it.
    ///
    /// # Errors
    /// What must not pass.
    pub(crate) fn finish(&mut self, context: &mut Context<'_>, out: &mut String) -> Result<(), Blocked> {
        let (from, masked) = (out.len(), context.report.masked_answer);
        match &mut self.text {
            Text::Plain(lane) => lane.finish(context, out)?,
            Text::Arguments(lane) => lane.finish(context, out)?,
            Text::Undecided(_) => {}
        }
        self.note(&out[from..], context.report.masked_answer > masked);
        match &self.schema {
            Some(held) if held.is_masked => held.schema.check(&decode(&held.shown)),
            _ => Ok(()),
        }
    }

    /// Looks at the first sign of an answer that was asked for as JSON, which says whether it is.
    fn decide(&mut self, raw: &str, context: &Context<'_>) -> Result<(), Blocked> {
        let Text::Undecided(spaces) = &mut self.text else { return Ok(()) };
        let text = decode(raw);
        self.text = match text.trim_start().chars().next() {
            None => {
                *spaces += text.chars().count();
                return Ok(());
            }
            Some('{' | '[') => {
                let lane = ArgumentsLane::new(On::Response, Role::Assistant);
                Text::Arguments(Box::new(lane.answer().judged()))
            }
            _ => {
                let lane = TextLane::new(context.compiled, On::Response, Role::Assistant).behind(*spaces);
                Text::Plain(Box::new(lane.judged(context.compiled, true)?))
            }
        };
        Ok(())
    }

    /// Where the text moved to, as far as it has been shown; of JSON nothing is known before its end.
    pub(crate) fn moves(&self, is_over: bool) -> Moves {
        match (&self.text, &self.said) {
            (Text::Plain(lane), _) => lane.moves().clone(),
            (_, Some(said)) if is_over => Moves::between(&decode(&said.0), &decode(&said.1)),
            _ => Moves::default(),
        }
    }

    fn note(&mut self, shown: &str, is_masked: bool) {
        if let Some(said) = &mut self.said {
            said.1.push_str(shown);
        }
        if let Some(held) = &mut self.schema {
            held.shown.push_str(shown);
            held.is_masked |= is_masked;
        }
    }

    /// The bytes that are held back.
    fn held(&self) -> usize {
        match &self.text {
            Text::Plain(lane) => lane.held(),
            Text::Arguments(lane) => lane.held(),
            Text::Undecided(_) => 0,
        }
    }

    /// The bytes that came in.
    fn taken(&self) -> usize {
        match &self.text {
            Text::Plain(lane) => lane.taken(),
            Text::Arguments(lane) => lane.taken(),
            Text::Undecided(spaces) => *spaces,
        }
    }
}

/// A whole text of JSON, masked; the same text where nothing is to be done.
pub(crate) fn whole(
    raw: &str,
    context: &mut Context<'_>,
    on: On,
    role: Role,
    manner: Manner,
) -> Result<String, Blocked> {
    whole_and_moves(raw, context, on, role, manner).map(|(text, _)| text)
}

/// The same, with where the text moved to.
pub(crate) fn whole_and_moves(
    raw: &str,
    context: &mut Context<'_>,
    on: On,
    role: Role,
    manner: Manner,
) -> Result<(String, Moves), Blocked> {
    let mut out = String::with_capacity(raw.len() + 16);
    match manner {
        Manner::Arguments => {
            let mut lane = ArgumentsLane::new(on, role);
            lane.take(raw, context, &mut out)?;
            lane.finish(context, &mut out)?;
            let moves =
                if out == raw { Moves::default() } else { Moves::between(&decode(raw), &decode(&out)) };
            Ok((out, moves))
        }
        _ => {
            let lane = TextLane::new(context.compiled, on, role);
            let mut lane = match manner {
                Manner::Unchanged => lane.unchanged(),
                Manner::Value => lane.value(),
                _ => lane,
            };
            lane.take(raw)?;
            lane.finish(context, &mut out)?;
            Ok((out, lane.moves().clone()))
        }
    }
}
