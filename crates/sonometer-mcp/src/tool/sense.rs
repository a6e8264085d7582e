//! `sense` and `fidelity`.

use super::{Call, Used};
use crate::answer::{Answer, Refusal, decimal, quote};
use crate::content::{Content, Target};
use crate::limits::{SHOWN, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sonometer::diagnostic::some_of;
use sonometer::protocol::Protocol;
use sonometer::{Evidence, Fidelity, Instrument, OffsetUnit, Profile, Reading, SenseOptions, View};
use sonometer_report::{Names, Roles, counted, reference};
use std::fmt::Write;

/// Arguments of `sense`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Sense {
    #[serde(flatten)]
    target: Target,
    #[serde(flatten)]
    content: Content,
    /// How much is shown: raw, detailed (also what counts against markers) or discovery (also what nearly triggered). Without it, raw.
    profile: Option<ProfileName>,
    /// Also return the canonical JSON of the reading as a second content block: the exact bytes of the engine.
    #[serde(default)]
    canonical: Option<bool>,
}

/// The names of [`Profile`].
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProfileName {
    Raw,
    Detailed,
    Discovery,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Raw => Self::Raw,
            ProfileName::Detailed => Self::Detailed,
            ProfileName::Discovery => Self::Discovery,
        }
    }
}

/// What `sense` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sensed {
    target: Used,
    /// 0 to 1; absent where the content is insufficient.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// What the score is made of, and which way is good.
    score_meaning: String,
    fidelity: Trust,
    /// The triggered markers, the strongest first.
    triggered: Vec<Triggered>,
    /// How many markers the target has.
    markers: usize,
    /// What triggered them.
    evidence: Vec<Found>,
    /// How many pieces of evidence there are; `evidence` holds the first 20.
    evidence_total: usize,
    /// What counts against markers (profiles detailed and discovery).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<Found>,
    /// What nearly triggered (profile discovery).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearly: Vec<Nearly>,
    /// Units of billing (Interaction Computed Signals): one for each triggered marker.
    ics: u64,
    /// What was skipped or not measured in the input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// How far a reading can be trusted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trust {
    /// Whether there is enough content to measure.
    sufficient: bool,
    /// Density times clarity, 0 to 1.
    index: f64,
    density: f64,
    clarity: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Triggered {
    marker: String,
    /// 0 to 1.
    activation: f64,
}

/// Words that were found.
#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    marker: String,
    /// The words, masked where the protocol masks them.
    text: String,
    /// The turn, from 1.
    turn: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// Where it starts, in characters of the turn, from 0.
    start: usize,
    /// Where it ends.
    end: usize,
    /// What it adds to the marker.
    score: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Nearly {
    marker: String,
    /// How near it came, 0 to 0.99.
    proximity: f64,
    /// What was missing.
    hint: String,
}

pub(crate) fn sense(call: &Call, arguments: Sense) -> Result<Answer, Refusal> {
    let Sense { target, content, profile, canonical } = arguments;
    let (instrument, reading, notices) = measure(call, &target, &content)?;
    let profile: Profile = profile.unwrap_or(ProfileName::Raw).into();
    let sensed = sensed(&instrument, &reading, profile, notices);
    let view = View { profile, offsets: Some(OffsetUnit::Chars), ..View::default() };
    Answer::new(told(&instrument, &reading, &sensed), &sensed).with_exact(
        "canonical",
        canonical == Some(true),
        || reading.to_json(view),
    )
}

/// The reading of what the arguments name, with its instrument and what is to be told of the input.
pub(super) fn measure(
    call: &Call,
    target: &Target,
    content: &Content,
) -> Result<(Instrument, Reading, Vec<String>), Refusal> {
    let instrument = call.bench.instrument(target.target.as_deref(), target.source.as_deref())?;
    let read = content.read("")?;
    work("", &instrument, read.bytes())?;
    let options = SenseOptions::default().without_key(instrument.sensors());
    let reading = instrument.sense_with(&read.interaction, options);
    Ok((instrument, reading.map_err(|error| Refusal::engine("", error))?, read.notices))
}

fn sensed(instrument: &Instrument, reading: &Reading, profile: Profile, mut notices: Vec<String>) -> Sensed {
    let roles = Roles::of(reading);
    // They may quote keys of the input.
    let mut names = Names::of(instrument);
    notices.retain(|notice| names.allows(notice));
    let mut triggered: Vec<_> = reading.resonance().filter(|(_, resonance)| resonance.triggered).collect();
    // Of equally strong ones the first of the target.
    triggered.sort_by_key(|(_, resonance)| std::cmp::Reverse(resonance.activation));
    let some = |found: &mut dyn Iterator<Item = Evidence<'_>>| {
        found.take(SHOWN).map(|found| Found::of(reading, &roles, &found)).collect::<Vec<_>>()
    };
    let nearly = reading.weak_signals().map(|weak| Nearly {
        marker: weak.metamarker.to_owned(),
        proximity: decimal(weak.proximity),
        hint: match &weak.found {
            Some(found) => format!("{}: “{}”", weak.hint, quote(&found.source)),
            None => weak.hint.to_string(),
        },
    });
    Sensed {
        target: Used::of(instrument),
        score: reading.score().map(decimal),
        score_meaning: instrument.score_meaning(),
        fidelity: reading.fidelity().into(),
        triggered: triggered
            .into_iter()
            .map(|(marker, resonance)| Triggered {
                marker: marker.to_owned(),
                activation: decimal(resonance.activation),
            })
            .collect(),
        markers: instrument.markers().count(),
        evidence: some(&mut reading.evidence()),
        evidence_total: reading.evidence().count(),
        against: if profile == Profile::Raw { Vec::new() } else { some(&mut reading.against()) },
        nearly: if profile == Profile::Discovery { nearly.take(SHOWN).collect() } else { Vec::new() },
        ics: reading.ics().consumed,
        notices,
    }
}

impl Found {
    fn of(reading: &Reading, roles: &Roles, found: &Evidence<'_>) -> Self {
        let turn = &reading.interaction().turns()[found.turn];
        let characters = |to: usize| turn.content[..to].chars().count();
        Self {
            marker: found.metamarker.to_owned(),
            text: quote(&found.source),
            turn: found.turn + 1,
            role: turn.role.as_deref().map(|role| quote(roles.shown(role))),
            start: characters(found.range.start),
            end: characters(found.range.end),
            score: decimal(found.score),
        }
    }

    /// `“thank you” (agent, turn 2)`
    fn line(&self, is_conversation: bool) -> String {
        match (&self.role, is_conversation) {
            (Some(role), true) => format!("“{}” ({role}, turn {})", self.text, self.turn),
            _ => format!("“{}”", self.text),
        }
    }
}

impl From<Fidelity> for Trust {
    fn from(fidelity: Fidelity) -> Self {
        Self {
            sufficient: fidelity.sufficient,
            index: decimal(fidelity.index),
            density: decimal(fidelity.density),
            clarity: decimal(fidelity.clarity),
        }
    }
}

/// The short text.
fn told(instrument: &Instrument, reading: &Reading, sensed: &Sensed) -> String {
    let name = reference(instrument);
    let mut text = match reading.score() {
        Some(score) => {
            let (fidelity, meaning) = (reading.fidelity().index, &sensed.score_meaning);
            format!("{name}: score {score}, fidelity {fidelity}, {} ICS\n{meaning}\n", sensed.ics)
        }
        None => format!("{name}: not measured. {}\n", lack(instrument, reading)),
    };
    let in_turns = reading.interaction().is_conversation();
    for Triggered { marker, activation } in &sensed.triggered {
        let _ = writeln!(text, "{marker} {activation}");
        for found in sensed.evidence.iter().filter(|found| found.marker == *marker) {
            let _ = writeln!(text, "  {}", found.line(in_turns));
        }
    }
    let left = sensed.evidence_total - sensed.evidence.len();
    if left > 0 {
        let pieces = sonometer_report::counted(left, "more piece");
        let _ = writeln!(text, "({pieces} of evidence; `canonical` gives all)");
    }
    if sensed.score.is_some() {
        match (sensed.triggered.len(), sensed.markers) {
            (0, all) => text.push_str(&format!("none of its {} triggered\n", counted(all, "marker"))),
            (some, all) if some < all => {
                text.push_str(&format!("{} silent\n", counted(all - some, "marker")))
            }
            _ => {}
        }
    }
    for found in &sensed.against {
        let _ = writeln!(text, "against {}: {}", found.marker, found.line(in_turns));
    }
    for Nearly { marker, proximity, hint } in &sensed.nearly {
        let _ = writeln!(text, "nearly {marker} ({proximity}): {hint}");
    }
    sensed.notices.iter().for_each(|notice| text.push_str(&format!("note: {notice}\n")));
    text.trim_end().to_owned()
}

/// Why nothing was measured, and what to give instead. A metric or blueprint measures nothing where one of its protocols does not.
fn lack(instrument: &Instrument, reading: &Reading) -> String {
    let lacking = reading.parts().iter().find(|part| !part.fidelity().sufficient);
    match lacking {
        Some(part) => needs(instrument, part.protocol(), &part.fidelity()),
        None => {
            format!("The content lacks sufficient signal for `{}`; give more readable text", instrument.id())
        }
    }
}

fn needs(instrument: &Instrument, protocol: &Protocol, fidelity: &Fidelity) -> String {
    let id = &protocol.id;
    if let Some(roles) = &fidelity.unheard {
        // Names that come with data are masked as texts are.
        let mut names = Names::of(instrument);
        let seen = roles
            .seen
            .iter()
            .map(|role| if names.allows(role) { role.as_str() } else { "a role that is masked" });
        return format!(
            "No turn has a role that `{id}` listens to: it listens to {}, and the turns are by {}",
            roles.asked.join(", "),
            some_of(&seen.collect::<Vec<_>>())
        );
    }
    let fix = match &protocol.language {
        _ if fidelity.density <= fidelity.clarity => "give a longer text".to_owned(),
        Some(language) => format!("give readable text in the language of the protocol ({language})"),
        None => "give readable text".to_owned(),
    };
    let Fidelity { index, density, clarity, .. } = fidelity;
    format!(
        "The content lacks sufficient signal for `{id}`: fidelity {index} (density {density}, clarity {clarity}); {fix}"
    )
}

/// Arguments of `fidelity`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Enough {
    #[serde(flatten)]
    target: Target,
    #[serde(flatten)]
    content: Content,
}

/// What `fidelity` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sufficient {
    target: Used,
    fidelity: Trust,
    /// What is missing; empty where it is sufficient.
    missing: String,
}

pub(crate) fn fidelity(call: &Call, arguments: Enough) -> Result<Answer, Refusal> {
    let Enough { target, content } = arguments;
    let instrument = call.bench.instrument(target.target.as_deref(), target.source.as_deref())?;
    let read = content.read("")?;
    work("", &instrument, read.bytes())?;
    let of = |error| Refusal::engine("", error);
    let fidelity = instrument.fidelity(&read.interaction).map_err(of)?;
    let mut missing = String::new();
    if !fidelity.sufficient {
        for sensor in instrument.sensors() {
            let own = sensor.fidelity(&read.interaction).map_err(of)?;
            if !own.sufficient {
                missing = needs(&instrument, sensor.protocol(), &own);
                break;
            }
        }
    }
    let verdict = if fidelity.sufficient { "sufficient" } else { "insufficient" };
    let Fidelity { index, density, clarity, .. } = &fidelity;
    let mut text = format!(
        "{}: {verdict}; fidelity {index} (density {density}, clarity {clarity})",
        reference(&instrument)
    );
    if !missing.is_empty() {
        let _ = write!(text, "\n{missing}");
    }
    Ok(Answer::new(text, &Sufficient { target: Used::of(&instrument), fidelity: fidelity.into(), missing }))
}
