//! Section 8: the result as text.

use crate::candidate::{Candidate, Scene, named_roles, same_role};
use crate::fidelity::{Fidelity, fidelity};
use crate::flow::{Flow, flow};
use crate::fold::fold_name;
use crate::hearing::unheard;
use crate::json::{array, object, string};
use crate::marker::{self, MarkerReading};
use crate::mask::{Call, Hidden, hidden, masked, shown};
use crate::number::{Number, U, decimal};
use crate::part::Parts;
use crate::reading::Stretch;
use crate::score::score;
use crate::temporal::temporal;
use crate::turn::Turn;
use crate::weak::{WeakSignal, weak_signals};
use sonometer::interaction::Interaction;
use sonometer::protocol::{Protocol, Sgm};
use sonometer::{OffsetUnit, Profile, View};

pub(crate) type Members = Vec<(&'static str, String)>;

/// The canonical JSON text of a reading.
pub(crate) fn result(scene: &Scene<'_>, interaction: &Interaction, view: View<'_>, call: Call<'_>) -> String {
    let fidelity = fidelity(scene);
    let markers = &scene.protocol.markers;
    let readings: Vec<MarkerReading> = if fidelity.sufficient {
        markers.iter().map(|marker| marker::read(scene, marker)).collect()
    } else {
        Vec::new()
    };
    let activations: Vec<Number> = match fidelity.sufficient {
        true => readings.iter().map(|reading| reading.activation).collect(),
        false => vec![0; markers.len()],
    };
    let score = if fidelity.sufficient { score(scene.protocol.score, markers, &activations) } else { 0 };
    let resonance: Vec<(&str, String)> =
        markers.iter().map(|m| m.label.as_str()).zip(activations.iter().map(|a| decimal(*a))).collect();

    let mut members: Members = vec![("target", target(scene))];
    if view.profile != Profile::Raw {
        members.push(("profile", string(view.profile.as_str())));
    }
    members.push(("score", if fidelity.sufficient { decimal(score) } else { "null".to_owned() }));
    members.push(("resonance", object(&resonance)));
    let masks = masked(scene, &readings, call, 0, str::to_owned);
    let shown = Shown { scene, interaction, view, hidden: hidden(scene.turns.len(), &masks, call) };
    members.push(("evidence", array(&shown.evidence(&readings))));
    if view.profile != Profile::Raw {
        members.push(("against", array(&shown.against(&readings))));
    }
    if view.profile == Profile::Discovery {
        members.push(("weak_signals", array(&shown.weak(&readings))));
        let unheard = if fidelity.sufficient { unheard(scene) } else { Vec::new() };
        let unheard = unheard.iter().map(|(marker, roles)| unheard_item(&markers[*marker].label, roles));
        members.push(("unheard", array(&unheard.collect::<Vec<_>>())));
    }
    members.push(("fidelity", full_fidelity_object(scene, &fidelity)));
    if scene.protocol.sgm == Sgm::V1_5 {
        let parts = Parts { scene, readings: &readings };
        members.push(("signal", signal(&parts)));
        if let Some(options) = view.flow {
            members.push(("actant_flow", actant_flow(&flow(&parts, options.primary))));
        }
        if let Some(options) = view.temporal {
            let window = options.window.map(|window| Number::from(window.0));
            let (trend, shifts) = temporal(&parts, window, fidelity.sufficient);
            members.push((
                "temporal",
                object(&[("trend", string(trend)), ("phase_shifts", shifts.to_string())]),
            ));
        }
    }
    let triggered = markers.iter().zip(&readings).filter(|(_, reading)| reading.triggered);
    let triggered: Vec<&str> = triggered.map(|(marker, _)| marker.label.as_str()).collect();
    members.push(("ics", ics(&triggered, scene.protocol.sgm, view)));
    object(&members)
}

fn target(scene: &Scene<'_>) -> String {
    object(&[
        ("type", string("protocol")),
        ("id", string(&scene.protocol.id)),
        ("version", string(&scene.protocol.version)),
    ])
}

/// A marker that could hear nobody.
pub(crate) fn unheard_item(label: &str, roles: &[String]) -> String {
    object(&[("metamarker", string(label)), ("roles", strings(roles))])
}

fn strings(all: &[String]) -> String {
    array(&all.iter().map(|one| string(one)).collect::<Vec<_>>())
}

pub(crate) fn fidelity_object(fidelity: &Fidelity) -> String {
    let mut members = fidelity_members(fidelity);
    members.extend(roles(fidelity));
    object(&members)
}

fn fidelity_members(fidelity: &Fidelity) -> Members {
    vec![("index", decimal(fidelity.index)), ("sufficient", fidelity.sufficient.to_string())]
}

fn roles(fidelity: &Fidelity) -> Members {
    match &fidelity.unheard {
        Some((asked, seen)) => vec![("roles_asked", strings(asked)), ("roles_seen", strings(seen))],
        None => Members::new(),
    }
}

fn full_fidelity_object(scene: &Scene<'_>, fidelity: &Fidelity) -> String {
    let mut members = fidelity_members(fidelity);
    if scene.protocol.sgm == Sgm::V1_5 {
        members.push(("density", decimal(fidelity.density)));
        members.push(("clarity", decimal(fidelity.clarity)));
    }
    members.extend(roles(fidelity));
    object(&members)
}

fn signal(parts: &Parts<'_>) -> String {
    object(&[
        ("spread", decimal(parts.spread())),
        ("coherence", decimal(parts.coherence())),
        ("dominant_mode", parts.dominant_mode().map_or("null".to_owned(), string)),
    ])
}

fn actant_flow(flow: &Flow) -> String {
    let labels = |labels: &[String]| array(&labels.iter().map(|label| string(label)).collect::<Vec<_>>());
    object(&[
        ("primary_driven", labels(&flow.primary_driven)),
        ("secondary_driven", labels(&flow.secondary_driven)),
        ("direction", string(flow.direction)),
        ("balance", decimal(flow.balance)),
    ])
}

/// The number of triggered markers, and but for `raw` their names; the rate is 0 unless a deployment sets one.
pub(crate) fn ics(triggered: &[&str], sgm: Sgm, view: View<'_>) -> String {
    let version = match sgm {
        Sgm::V1_0 => "1.0",
        Sgm::V1_5 => "1.5",
    };
    let mut members: Members = vec![
        ("consumed", triggered.len().to_string()),
        ("cost_usd", decimal(0)),
        ("sgm_version", string(version)),
    ];
    if view.profile != Profile::Raw {
        let markers: Vec<String> = triggered.iter().map(|marker| string(marker)).collect();
        members.push(("markers", array(&markers)));
    }
    object(&members)
}

/// What is shown of the matches of a protocol.
pub(crate) struct Shown<'a> {
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) interaction: &'a Interaction,
    pub(crate) view: View<'a>,
    pub(crate) hidden: Hidden,
}

/// A match with its marker, by its index in the protocol, and what it adds.
pub(crate) type Found<'r> = (usize, &'r Candidate, Number);

/// The candidates with such a contribution, by turn, start, end, marker, line, first token.
pub(crate) fn found(
    readings: &[MarkerReading],
    is_wanted: impl Fn(&MarkerReading, Number) -> bool,
) -> Vec<Found<'_>> {
    let mut items: Vec<Found<'_>> = Vec::new();
    for (index, reading) in readings.iter().enumerate() {
        for (candidate, contribution) in reading.candidates.iter().zip(&reading.contributions) {
            if is_wanted(reading, *contribution) {
                items.push((index, candidate, *contribution));
            }
        }
    }
    items.sort_by_key(|(index, candidate, _)| {
        let (turn, start, end, first_token) = candidate.hit.order();
        (turn, start, end, *index, candidate.line, first_token)
    });
    items
}

/// Evidence: what adds something to a triggered marker.
pub(crate) fn is_evidence(reading: &MarkerReading, contribution: Number) -> bool {
    reading.triggered && contribution > 0
}

/// What takes something away from its marker.
pub(crate) fn is_against(_: &MarkerReading, contribution: Number) -> bool {
    contribution < 0
}

impl Shown<'_> {
    fn label(&self, marker: usize) -> &str {
        &self.scene.protocol.markers[marker].label
    }

    fn evidence(&self, readings: &[MarkerReading]) -> Vec<String> {
        found(readings, is_evidence)
            .into_iter()
            .map(|item| self.evidence_item(self.label(item.0), item))
            .collect()
    }

    fn against(&self, readings: &[MarkerReading]) -> Vec<String> {
        found(readings, is_against)
            .into_iter()
            .map(|item| self.against_item(self.label(item.0), item))
            .collect()
    }

    fn weak(&self, readings: &[MarkerReading]) -> Vec<String> {
        let signals = weak_signals(self.scene, readings);
        signals.iter().map(|signal| self.weak_item(self.label(signal.marker), signal)).collect()
    }

    /// A piece of evidence.
    pub(crate) fn evidence_item(&self, label: &str, (_, candidate, contribution): Found<'_>) -> String {
        let mut members: Members =
            vec![("metamarker", string(label)), ("score", decimal(contribution.min(U)))];
        members.extend(self.place(candidate));
        if self.view.profile == Profile::Detailed {
            let stretches = &candidate.hit.stretches;
            members.push(("reconstruction", reconstruction(self.scene, stretches, &self.hidden)));
        }
        object(&members)
    }

    /// Something that counts against its marker.
    pub(crate) fn against_item(&self, label: &str, (_, candidate, contribution): Found<'_>) -> String {
        let mut members: Members = vec![("metamarker", string(label)), ("weight", decimal(contribution))];
        members.extend(self.place(candidate));
        object(&members)
    }

    /// A weak signal.
    pub(crate) fn weak_item(&self, label: &str, signal: &WeakSignal) -> String {
        let mut members: Members = vec![
            ("metamarker", string(label)),
            ("proximity", decimal(signal.proximity)),
            ("hint", string(&signal.hint)),
        ];
        if let Some((candidate, score)) = &signal.found {
            members.push(("score", decimal(*score)));
            members.extend(self.place(candidate));
        }
        object(&members)
    }

    /// `source`, who said it, and where it is.
    fn place(&self, candidate: &Candidate) -> Members {
        let (scene, stretches) = (self.scene, &candidate.hit.stretches);
        let sources: Vec<String> = stretches
            .iter()
            .map(|s| (&scene.turns[s.turn], &s.place))
            .map(|(turn, place)| shown(turn, &turn.as_written(place), &self.hidden))
            .collect();
        let mut members: Members = vec![("source", string(&sources.join("\n")))];
        if scene.protocol.sgm == Sgm::V1_5 {
            members.push(("actant", string(&speaker(scene, stretches).1)));
        }
        if let Some(unit) = self.view.offsets {
            let is_transcript = self.interaction.is_conversation();
            let place = |stretch: &Stretch| place(scene, stretch, unit, is_transcript);
            members.extend(place(&stretches[0]));
            if stretches.len() > 1 {
                let others: Vec<String> = stretches[1..].iter().map(|s| object(&place(s))).collect();
                members.push(("joined", array(&others)));
            }
        }
        members
    }
}

/// `segment`, `start` and `end` of a stretch.
fn place(scene: &Scene<'_>, stretch: &Stretch, unit: OffsetUnit, is_transcript: bool) -> Members {
    let turn = &scene.turns[stretch.turn];
    let mut members = Members::new();
    if is_transcript {
        members.push(("segment", turn.index.to_string()));
    }
    let place = turn.as_written(&stretch.place);
    members.push(("start", offset(turn, place.start, unit).to_string()));
    members.push(("end", offset(turn, place.end, unit).to_string()));
    members
}

/// A byte offset of the original turn in the unit of the view.
fn offset(turn: &Turn, byte: usize, unit: OffsetUnit) -> usize {
    let before = &turn.written[..byte];
    match unit {
        OffsetUnit::Bytes => byte,
        OffsetUnit::Chars => before.chars().count(),
        OffsetUnit::Utf16 => before.encode_utf16().count(),
    }
}

fn reconstruction(scene: &Scene<'_>, stretches: &[Stretch], hidden: &Hidden) -> String {
    let turns = stretches.iter().map(|stretch| &scene.turns[stretch.turn]);
    let texts: Vec<String> = turns.map(|turn| shown(turn, &(0..turn.written.len()), hidden)).collect();
    let (attribution, actant) = speaker(scene, stretches);
    object(&[
        ("segment_text", string(&texts.join("\n"))),
        ("attribution", string(&attribution)),
        ("actant", string(&actant)),
    ])
}

/// Who speaks, as the interaction and as the protocol write it.
fn speaker(scene: &Scene<'_>, stretches: &[Stretch]) -> (String, String) {
    match &scene.turns[stretches[0].turn].role {
        Some(role) => (role.clone(), actant(scene.protocol, role)),
        None => ("unattributed".to_owned(), "unattributed".to_owned()),
    }
}

/// The protocol's name for a role, as the protocol writes it; the folded role where it has none.
pub(crate) fn actant(protocol: &Protocol, role: &str) -> String {
    let same = same_role(protocol, role);
    let named = named_roles(protocol);
    named.into_iter().find(|name| fold_name(name) == same).unwrap_or(same)
}
