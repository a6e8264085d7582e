//! Section 8: the result as text.

use crate::candidate::{Candidate, Scene, same_role};
use crate::fidelity::{Fidelity, fidelity};
use crate::flow::{Flow, flow};
use crate::fold::fold_name;
use crate::json::{array, object, string};
use crate::marker::{self, MarkerReading};
use crate::mask::{Hidden, hidden, shown};
use crate::number::{Number, U, decimal};
use crate::part::Parts;
use crate::reading::Stretch;
use crate::score::score;
use crate::temporal::temporal;
use crate::turn::Turn;
use crate::weak::weak_signals;
use sonometer::interaction::Interaction;
use sonometer::protocol::{Marker, Sgm};
use sonometer::{OffsetUnit, Profile, View};

pub(crate) type Members = Vec<(&'static str, String)>;

/// The canonical JSON text of a reading.
pub(crate) fn result(scene: &Scene<'_>, interaction: &Interaction, view: View<'_>) -> String {
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
    members.push(("score", decimal(score)));
    members.push(("resonance", object(&resonance)));
    members.push(("evidence", evidence(scene, interaction, view, &readings)));
    if view.profile == Profile::Discovery {
        members.push(("weak_signals", weak(scene, &readings)));
    }
    members.push(("fidelity", full_fidelity_object(scene, fidelity)));
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
    members.push(("ics", ics(scene, &readings)));
    object(&members)
}

fn target(scene: &Scene<'_>) -> String {
    object(&[
        ("type", string("protocol")),
        ("id", string(&scene.protocol.id)),
        ("version", string(&scene.protocol.version)),
    ])
}

pub(crate) fn fidelity_object(fidelity: Fidelity) -> String {
    object(&fidelity_members(fidelity))
}

fn fidelity_members(fidelity: Fidelity) -> Members {
    vec![("index", decimal(fidelity.index)), ("sufficient", fidelity.sufficient.to_string())]
}

fn full_fidelity_object(scene: &Scene<'_>, fidelity: Fidelity) -> String {
    let mut members = fidelity_members(fidelity);
    if scene.protocol.sgm == Sgm::V1_5 {
        members.push(("density", decimal(fidelity.density)));
        members.push(("clarity", decimal(fidelity.clarity)));
    }
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

/// The number of triggered markers; the rate is 0 unless a deployment sets one.
fn ics(scene: &Scene<'_>, readings: &[MarkerReading]) -> String {
    let consumed = readings.iter().filter(|reading| reading.triggered).count();
    let version = match scene.protocol.sgm {
        Sgm::V1_0 => "1.0",
        Sgm::V1_5 => "1.5",
    };
    object(&[("consumed", consumed.to_string()), ("cost_usd", decimal(0)), ("sgm_version", string(version))])
}

fn weak(scene: &Scene<'_>, readings: &[MarkerReading]) -> String {
    let signals = weak_signals(scene, readings).into_iter().map(|signal| {
        object(&[
            ("metamarker", string(&scene.protocol.markers[signal.marker].label)),
            ("proximity", decimal(signal.proximity)),
            ("hint", string(&signal.hint)),
        ])
    });
    array(&signals.collect::<Vec<_>>())
}

/// Each candidate with a positive contribution. Order: turn, start, end, marker, line, first token.
fn evidence(
    scene: &Scene<'_>,
    interaction: &Interaction,
    view: View<'_>,
    readings: &[MarkerReading],
) -> String {
    let mut items: Vec<(usize, &Candidate, Number)> = Vec::new();
    for (index, reading) in readings.iter().enumerate() {
        for (candidate, contribution) in reading.candidates.iter().zip(&reading.contributions) {
            if *contribution > 0 {
                items.push((index, candidate, *contribution));
            }
        }
    }
    items.sort_by_key(|(index, candidate, _)| {
        let (turn, start, end, first_token) = candidate.hit.order();
        (turn, start, end, *index, candidate.line, first_token)
    });
    let hidden = hidden(scene, readings);
    let written = items.into_iter().map(|(index, candidate, contribution)| {
        let label = &scene.protocol.markers[index].label;
        evidence_item(scene, interaction, view, &hidden, label, candidate, contribution)
    });
    array(&written.collect::<Vec<_>>())
}

pub(crate) fn evidence_item(
    scene: &Scene<'_>,
    interaction: &Interaction,
    view: View<'_>,
    hidden: &Hidden,
    label: &str,
    candidate: &Candidate,
    contribution: Number,
) -> String {
    let stretches = &candidate.hit.stretches;
    let sources: Vec<String> =
        stretches.iter().map(|s| shown(&scene.turns[s.turn], &s.place, hidden)).collect();
    let mut members: Members = vec![
        ("metamarker", string(label)),
        ("score", decimal(contribution.min(U))),
        ("source", string(&sources.join("\n"))),
    ];
    if scene.protocol.sgm == Sgm::V1_5 {
        members.push(("actant", string(&speaker(scene, stretches).1)));
    }
    if let Some(unit) = view.offsets {
        let is_transcript = interaction.is_conversation();
        let place = |stretch: &Stretch| place(scene, stretch, unit, is_transcript);
        members.extend(place(&stretches[0]));
        if stretches.len() > 1 {
            let others: Vec<String> = stretches[1..].iter().map(|s| object(&place(s))).collect();
            members.push(("joined", array(&others)));
        }
    }
    if view.profile == Profile::Detailed {
        members.push(("reconstruction", reconstruction(scene, stretches, hidden)));
    }
    object(&members)
}

/// `segment`, `start` and `end` of a stretch.
fn place(scene: &Scene<'_>, stretch: &Stretch, unit: OffsetUnit, is_transcript: bool) -> Members {
    let turn = &scene.turns[stretch.turn];
    let mut members = Members::new();
    if is_transcript {
        members.push(("segment", turn.index.to_string()));
    }
    members.push(("start", offset(turn, stretch.place.start, unit).to_string()));
    members.push(("end", offset(turn, stretch.place.end, unit).to_string()));
    members
}

/// A byte offset of the original turn in the unit of the view.
fn offset(turn: &Turn, byte: usize, unit: OffsetUnit) -> usize {
    let before = &turn.original[..byte];
    match unit {
        OffsetUnit::Bytes => byte,
        OffsetUnit::Chars => before.chars().count(),
        OffsetUnit::Utf16 => before.encode_utf16().count(),
    }
}

fn reconstruction(scene: &Scene<'_>, stretches: &[Stretch], hidden: &Hidden) -> String {
    let turns = stretches.iter().map(|stretch| &scene.turns[stretch.turn]);
    let texts: Vec<String> = turns.map(|turn| shown(turn, &(0..turn.original.len()), hidden)).collect();
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
        Some(role) => (role.clone(), actant(scene, role)),
        None => ("unattributed".to_owned(), "unattributed".to_owned()),
    }
}

/// The protocol's name for a role, as the protocol writes it; the folded role where it has none.
fn actant(scene: &Scene<'_>, role: &str) -> String {
    let actants = &scene.protocol.actants;
    let same = same_role(actants, role);
    let needs = scene.protocol.fidelity.roles.iter().map(|(role, _)| role);
    let by = scene.protocol.markers.iter().flat_map(roles_of);
    let actants =
        actants.aliases.iter().map(|(name, _)| name).chain(&actants.primary).chain(&actants.secondary);
    let mut names = actants.chain(needs).chain(by);
    names.find(|name| fold_name(name) == same).map_or(same.clone(), String::clone)
}

/// The roles that a marker names: its `by`, then those of its other keys.
fn roles_of(marker: &Marker) -> impl Iterator<Item = &String> {
    let companions = [&marker.after, &marker.before].into_iter().flatten();
    let then = marker.pair.iter().map(|pair| &pair.then);
    let when = marker.absence.iter().filter_map(|absence| absence.when.as_ref());
    (marker.by.iter())
        .chain(marker.share.iter().flat_map(|share| &share.by))
        .chain(companions.chain(then).flat_map(|companion| &companion.by))
        .chain(marker.echo.iter().flat_map(|echo| &echo.of))
        .chain(when.flat_map(|when| &when.by))
        .chain(marker.ratio.iter().flat_map(|ratio| &ratio.by))
}
