//! A policy made ready: what is done with a text, by direction and role.

use crate::blocked::Blocked;
use crate::exchange::Exchange;
use crate::form::Form;
use crate::numbering::Table;
use crate::policy::{Action, On, Policy, Role, Rule};
use crate::side::{Ready, Side, sides};
use crate::tables::Tables;
use crate::values::{Numbers, Values};
use sha2::{Digest, Sha256};
use sonometer::{Error, Instrument, Mask, Unit};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A compiled policy, shared by all conversations.
#[derive(Clone)]
pub struct Guard {
    inner: Arc<Compiled>,
}

pub(crate) struct Compiled {
    pub(crate) policy: Policy,
    digest: String,
    request: [Arc<Side>; 6],
    response: [Arc<Side>; 6],
    /// Rules with `sense`, `block` and `tag`, which read a request as a whole.
    pub(crate) judges: Vec<Judge>,
}

/// A rule that judges texts.
pub(crate) struct Judge {
    pub(crate) action: Action,
    pub(crate) on: On,
    pub(crate) roles: Vec<Role>,
    pub(crate) instrument: Instrument,
    pub(crate) markers: Vec<String>,
    pub(crate) at_least: Option<Unit>,
    pub(crate) at_most: Option<Unit>,
    /// The tag or the id of the target.
    pub(crate) name: String,
    /// That of a protocol.
    pub(crate) digest: Option<String>,
}

impl Guard {
    /// Compiles a policy. `find` gives the instrument of a target.
    ///
    /// # Errors
    /// Those of `find`; `invalid_request` with the place of a rule that cannot be.
    pub fn new(
        policy: &Policy,
        mut find: impl FnMut(&str) -> Result<Instrument, Error>,
    ) -> Result<Self, Error> {
        let mut found: HashMap<&str, Instrument> = HashMap::new();
        for (at, rule) in policy.rules.iter().enumerate() {
            check(at, rule)?;
            if !found.contains_key(rule.target.as_str()) {
                let instrument = find(&rule.target).map_err(|error| {
                    let place = format!("rules[{at}].target");
                    if error.place.is_empty() { Error { place, ..error } } else { error }
                })?;
                found.insert(&rule.target, instrument);
            }
            for marker in &rule.markers {
                if !found[rule.target.as_str()]
                    .markers()
                    .any(|(key, known)| key == marker || known.label == *marker)
                {
                    let message = format!(
                        "`{}` has no marker `{marker}`; `sonometer protocols` shows them",
                        rule.target
                    );
                    return Err(Error::invalid(format!("rules[{at}].markers"), message));
                }
            }
        }
        check_names(policy, &found)?;
        let mut judges = Vec::new();
        for rule in policy.rules.iter().filter(|rule| !masks(rule)) {
            judges.push(judge(rule, &found[rule.target.as_str()]));
        }
        let mut digest = Sha256::new();
        digest.update(serde_json::to_vec(policy).unwrap_or_default());
        for rule in &policy.rules {
            for sensor in found[rule.target.as_str()].sensors() {
                digest.update(sensor.protocol().digest());
            }
        }
        let digest = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        // What masks as the catalogue has it needs no second compilation.
        let single = found.values().filter(|instrument| instrument.sensor().is_some());
        let mut ready: Ready = single
            .map(|instrument| {
                let protocols = instrument.sensors().iter().map(|sensor| sensor.protocol().clone());
                (protocols.collect(), instrument.clone())
            })
            .collect();
        let request = sides(policy, &found, &judges, On::Request, &mut ready)?;
        let response = sides(policy, &found, &judges, On::Response, &mut ready)?;
        Ok(Self { inner: Arc::new(Compiled { policy: policy.clone(), digest, request, response, judges }) })
    }

    /// Makes ready what is needed for the first stream, which takes a tenth of a second or more: before the first client waits for it.
    ///
    /// # Errors
    /// If the engine refuses a text.
    pub fn warm_up(&self) -> Result<(), Error> {
        self.inner.request.iter().chain(&self.inner.response).try_for_each(|side| side.warm_up())
    }

    /// The policy that it was made of.
    pub fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    /// Sixteen hexadecimal digits that differ where the policy or one of its protocols differs.
    pub fn digest(&self) -> &str {
        &self.inner.digest
    }

    /// Reads a request, and masks it.
    ///
    /// # Errors
    /// What must not be sent.
    pub fn request(&self, form: Form, body: &[u8]) -> Result<Exchange, Blocked> {
        Exchange::begin(Arc::clone(&self.inner), form, body, None)
    }

    /// Reads a request of a conversation whose history the provider keeps, and goes on with the placeholders of its last one.
    ///
    /// # Errors
    /// What must not be sent.
    pub fn request_after(&self, table: &Table, form: Form, body: &[u8]) -> Result<Exchange, Blocked> {
        Exchange::begin(Arc::clone(&self.inner), form, body, Some(table))
    }

    /// Reads a request, and goes on with the placeholders of the answer that it names in `previous_response_id` or `thread`, if its table is kept.
    ///
    /// # Errors
    /// What must not be sent.
    pub fn request_kept(&self, tables: &Tables, form: Form, body: &[u8]) -> Result<Exchange, Blocked> {
        let mut table = None;
        if self.inner.policy.placeholders {
            // A body that is no UTF-8 is refused further on.
            self.check_values(std::str::from_utf8(body).unwrap_or_default())?;
            table = tables.of(form, body);
        }
        Exchange::begin(Arc::clone(&self.inner), form, body, table.as_deref())
    }

    /// Begins with a request for an answer that the provider stored ([`crate::Route::Stored`]); `body` is that of the request, mostly empty.
    /// With placeholders it needs the table of the conversation.
    ///
    /// # Errors
    /// What must not be sent.
    pub fn stored(&self, table: Option<&Table>, form: Form, body: &[u8]) -> Result<Exchange, Blocked> {
        Exchange::of_stored(Arc::clone(&self.inner), form, body, table)
    }

    /// The same with the table that is kept for the answer that `path` names.
    ///
    /// # Errors
    /// What must not be sent.
    pub fn stored_kept(
        &self,
        tables: &Tables,
        form: Form,
        path: &str,
        body: &[u8],
    ) -> Result<Exchange, Blocked> {
        let table = self.inner.policy.placeholders.then(|| tables.of_path(path)).flatten();
        Exchange::of_stored(Arc::clone(&self.inner), form, body, table.as_deref())
    }

    /// Whether JSON has no more values than `limits.values`, for JSON that is taken apart before the guard sees its texts ([`Self::texts`]).
    ///
    /// # Errors
    /// If it has more.
    pub fn check_values(&self, json: &str) -> Result<(), Blocked> {
        Values::new(&self.inner.policy.limits).count(json, Numbers::Count)
    }

    /// The conversation of texts that do not come in the form of a provider, one by one.
    pub fn texts(&self) -> crate::texts::Texts {
        crate::texts::Texts::new(Arc::clone(&self.inner))
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("digest", &self.inner.digest).finish_non_exhaustive()
    }
}

impl Compiled {
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn side(&self, on: On, role: Role) -> &Arc<Side> {
        let all = if on == On::Request { &self.request } else { &self.response };
        &all[Role::ALL.iter().position(|known| *known == role).unwrap_or(5)]
    }

    /// Whether the texts of a role are read at all: by masks, by rules, or for placeholders.
    pub(crate) fn reads(&self, on: On, role: Role) -> bool {
        let side = self.side(on, role);
        // A rule that names no roles leaves out texts of no role.
        let measures = |at: &usize| role != Role::Other || !self.judges[*at].roles.is_empty();
        side.masks() || self.policy.placeholders || side.judges.iter().any(measures)
    }

    /// Whether anything in answers is masked.
    pub(crate) fn masks_answers(&self) -> bool {
        self.response.iter().any(|side| side.masks())
    }

    /// Whether anything in requests is masked.
    pub(crate) fn masks_requests(&self) -> bool {
        self.request.iter().any(|side| side.masks())
    }
}

/// Whether a rule hides what it finds.
pub(crate) fn masks(rule: &Rule) -> bool {
    matches!(rule.action, Action::Mask | Action::Replace)
}

fn check(at: usize, rule: &Rule) -> Result<(), Error> {
    let wrong = |key: &str, message: &str| Err(Error::invalid(format!("rules[{at}].{key}"), message));
    for (key, value) in [("at_least", rule.at_least), ("at_most", rule.at_most)] {
        match value {
            Some(_) if masks(rule) => {
                return wrong(key, "masks have no threshold; use it with `sense`, `block` or `tag`");
            }
            Some(value) if !(0.0..=1.0).contains(&value) => return wrong(key, "write a number from 0 to 1"),
            _ => {}
        }
    }
    if let (Some(least), Some(most)) = (rule.at_least, rule.at_most)
        && least > most
    {
        return wrong("at_least", "no score is at least this and at most `at_most`; leave one of them out");
    }
    match (rule.action, &rule.mask, &rule.text) {
        (Action::Mask, Some(name), None) => match Mask::read(name) {
            Ok(Mask::Keyed) => wrong("mask", "a guard has no key for `keyed`; write `numbered`"),
            Ok(_) => Ok(()),
            Err(error) => wrong("mask", &error.message),
        },
        (Action::Mask, _, Some(_)) => wrong("text", "`text` needs `action = \"replace\"` or `\"tag\"`"),
        (Action::Mask, None, None) => Ok(()),
        (_, Some(_), _) => wrong("mask", "`mask` needs `action = \"mask\"`"),
        (Action::Replace, None, None) => {
            wrong("text", "`replace` needs `text`, what stands in the place of a match")
        }
        (Action::Sense | Action::Block, _, Some(_)) => {
            wrong("text", "`text` needs `action = \"replace\"` or `\"tag\"`")
        }
        (Action::Tag, _, Some(tag)) if !is_tag(tag) => {
            wrong("text", "a tag has letters, digits, `-` and `_` only")
        }
        _ => Ok(()),
    }
}

/// Masks are put together by id and version, so two protocols must not share both.
fn check_names(policy: &Policy, found: &HashMap<&str, Instrument>) -> Result<(), Error> {
    let mut known: HashMap<(&str, &str), String> = HashMap::new();
    for (at, rule) in policy.rules.iter().enumerate() {
        for sensor in found[rule.target.as_str()].sensors() {
            let protocol = sensor.protocol();
            let digest = protocol.digest();
            let first = known.entry((&protocol.id, &protocol.version)).or_insert_with(|| digest.clone());
            if *first != digest {
                let message = format!(
                    "two different protocols are both `{}@{}`; give one of them another version",
                    protocol.id, protocol.version
                );
                return Err(Error::invalid(format!("rules[{at}].target"), message));
            }
        }
    }
    Ok(())
}

fn is_tag(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

fn judge(rule: &Rule, instrument: &Instrument) -> Judge {
    let unit = |value: f64| Unit((value * 1e6).round() as i64);
    Judge {
        action: rule.action,
        on: rule.on,
        roles: rule.roles.clone(),
        instrument: instrument.clone(),
        markers: rule.markers.clone(),
        at_least: rule.at_least.map(unit),
        at_most: rule.at_most.map(unit),
        name: rule.text.clone().unwrap_or_else(|| instrument.id().to_owned()),
        digest: instrument.sensor().map(|sensor| sensor.protocol().digest()),
    }
}
