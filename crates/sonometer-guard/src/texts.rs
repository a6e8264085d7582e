//! Texts one by one, for gateways that take requests apart themselves.

use crate::blocked::{Blocked, Kind};
use crate::exchange::allowed;
use crate::guard::{Compiled, Judge};
use crate::json::string::{decode, meant, write_plain};
use crate::lane::{ArgumentsLane, Context, Manner, TextLane, whole};
use crate::numbering::Numbering;
use crate::policy::{Action, On, Role};
use crate::report::Report;
use crate::values::Values;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The texts of one conversation: values keep their placeholders from one text to the next.
pub struct Texts {
    compiled: Arc<Compiled>,
    numbering: Numbering,
    report: Report,
    growing: HashMap<usize, Growing>,
    /// Those of all its JSON so far.
    values: Values,
}

/// A text that comes again and again, each time with more behind it.
struct Growing {
    /// What came, as JSON writes it.
    came: String,
    lane: TextLane,
    /// What may be shown for good, as JSON writes it.
    shown: String,
}

impl Texts {
    pub(crate) fn new(compiled: Arc<Compiled>) -> Self {
        let values = Values::new(&compiled.policy.limits);
        let (numbering, report) = (Numbering::default(), Report::default());
        Self { compiled, numbering, report, growing: HashMap::new(), values }
    }

    /// A whole text, masked, and for answers with its placeholders restored. All that is read so, with [`Self::arguments`] and
    /// [`Self::definition`], has at most `limits.text_bytes` bytes.
    ///
    /// # Errors
    /// What must not pass.
    pub fn text(&mut self, on: On, role: Role, text: &str) -> Result<String, Blocked> {
        self.read(on, role, text, Manner::Text)
    }

    /// JSON with texts in it, such as the arguments of a tool. All that is read so has at most `limits.values` values.
    ///
    /// # Errors
    /// What must not pass.
    pub fn arguments(&mut self, on: On, role: Role, json: &str) -> Result<String, Blocked> {
        self.read(on, role, json, Manner::Arguments)
    }

    /// The definition of a tool. Its numbers stay, as they are bounds of schemas.
    ///
    /// # Errors
    /// What must not pass.
    pub fn definition(&mut self, json: &str) -> Result<String, Blocked> {
        let (mut raw, mut shown) = (String::with_capacity(json.len()), String::with_capacity(json.len()));
        write_plain(json, &mut raw);
        let mut context = Context {
            compiled: &self.compiled,
            numbering: &mut self.numbering,
            report: &mut self.report,
            documents: &mut None,
            values: self.values,
        };
        let mut lane = ArgumentsLane::new(On::Request, Role::Other).definition();
        context.count(&raw, On::Request, Role::Other)?;
        lane.take(&raw, &mut context, &mut shown)?;
        lane.finish(&mut context, &mut shown)?;
        self.values = context.values;
        Ok(decode(&shown))
    }

    /// An answer as far as it has come, for gateways that send all of it again each time: as it would be shown if it ended here, and how
    /// many characters at its end may still change. `index` tells the answers of one conversation apart.
    ///
    /// # Errors
    /// What must not pass.
    pub fn so_far(&mut self, index: usize, text: &str) -> Result<(String, usize), Blocked> {
        let mut raw = String::with_capacity(text.len());
        write_plain(text, &mut raw);
        let most = self.compiled.policy.limits;
        if raw.len() > most.lane_bytes
            || self.growing.len() >= most.lanes && !self.growing.contains_key(&index)
        {
            return Err(Blocked::new(Kind::TooLarge, "a text or their number is over its bound (limits)"));
        }
        if self.growing.get(&index).is_none_or(|known| !raw.starts_with(&known.came)) {
            let lane =
                TextLane::new(&self.compiled, On::Response, Role::Assistant).judged(&self.compiled, true)?;
            self.growing.insert(index, Growing { came: String::new(), lane, shown: String::new() });
        }
        let Some(growing) = self.growing.get_mut(&index) else { return Ok((String::new(), 0)) };
        let mut context = Context {
            compiled: &self.compiled,
            numbering: &mut self.numbering,
            report: &mut self.report,
            documents: &mut None,
            values: self.values,
        };
        growing.lane.push(&raw[growing.came.len()..], &mut context, &mut growing.shown)?;
        growing.came = raw;
        // The end is tried with copies: more may come.
        let (mut numbering, mut report) = (self.numbering.clone(), self.report.clone());
        let mut context = Context {
            compiled: &self.compiled,
            numbering: &mut numbering,
            report: &mut report,
            documents: &mut None,
            values: self.values,
        };
        let mut rest = String::new();
        growing.lane.clone().finish(&mut context, &mut rest)?;
        let held = decode(&rest).chars().count();
        Ok((decode(&format!("{}{rest}", growing.shown)), held))
    }

    /// What has been done so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn read(&mut self, on: On, role: Role, text: &str, manner: Manner) -> Result<String, Blocked> {
        let blocks =
            |judge: &&Judge| judge.action == Action::Block && (judge.on == on || judge.on == On::Both);
        let mut raw = String::with_capacity(text.len());
        write_plain(text, &mut raw);
        let mut context = Context {
            compiled: &self.compiled,
            numbering: &mut self.numbering,
            report: &mut self.report,
            documents: &mut None,
            values: self.values,
        };
        context.count(&raw, on, role)?;
        for judge in self.compiled.judges.iter().filter(blocks).filter(|_| !text.is_empty()) {
            allowed(judge, &[(role, &meant(&raw))])?;
        }
        let shown = whole(&raw, &mut context, on, role, manner)?;
        self.values = context.values;
        Ok(decode(&shown))
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("report", &self.report).finish_non_exhaustive()
    }
}
