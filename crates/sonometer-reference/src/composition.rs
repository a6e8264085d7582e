//! Section 10: metrics, blueprints and comparisons, one protocol after the other.

use crate::candidate::Scene;
use crate::fidelity::{Fidelity, fidelity};
use crate::hearing::unheard;
use crate::json::{array, object, string};
use crate::language::Language;
use crate::marker::{self, MarkerReading};
use crate::mask::{Call, hidden, masked};
use crate::number::{Number, U, decimal};
use crate::result::{
    Found, Members, Shown, fidelity_object, found, ics, is_against, is_evidence, unheard_item,
};
use crate::score::score;
use crate::turn::{Turn, turns};
use crate::weak::{WeakSignal, weak_signals};
use sonometer::composition::{Reference, Standing};
use sonometer::protocol::{Better, Protocol, Sgm, Status};
use sonometer::{Document, Error, ErrorCode, Interaction, Metric, Profile, View};

/// What a composition may name.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// Protocols, in any order.
    pub protocols: Vec<Protocol>,
    /// Metrics, in any order.
    pub metrics: Vec<Metric>,
}

/// Weight, whether the complement counts, and the protocol by its place.
type Share = (Number, bool, usize);

/// A target with all its protocols, each once.
struct Whole {
    kind: &'static str,
    id: String,
    version: String,
    better: Better,
    protocols: Vec<Protocol>,
    parts: Vec<Part>,
}

/// What has a score of its own.
struct Part {
    is_metric: bool,
    id: String,
    version: String,
    weight: Number,
    complement: bool,
    shares: Vec<Share>,
}

/// Which of two versions is the later one.
fn version_order(a: &str, b: &str) -> std::cmp::Ordering {
    let parts = |version: &str| {
        let part = |part: &str| match part.find(|c: char| !c.is_ascii_digit()) {
            Some(0) => (1, String::new(), part.to_owned()),
            end => {
                let (digits, rest) = part.split_at(end.unwrap_or(part.len()));
                // Padded, so that texts are in the order of the numbers.
                (if part.is_empty() { 1 } else { 0 }, format!("{digits:0>200}"), rest.to_owned())
            }
        };
        version.split('.').map(part).collect::<Vec<_>>()
    };
    (parts(a), a).cmp(&(parts(b), b))
}

fn missing(place: String) -> Error {
    Error::new(ErrorCode::TargetNotFound, place, "not there")
}

impl Shelf {
    fn protocol(&self, wanted: &Reference, place: String) -> Result<Protocol, Error> {
        let fits = |p: &&Protocol| match &wanted.version {
            Some(version) => p.version == *version,
            None => p.status == Status::Published,
        };
        let own = self.protocols.iter().filter(|p| p.id == wanted.id).filter(fits);
        own.max_by(|a, b| version_order(&a.version, &b.version)).cloned().ok_or_else(|| missing(place))
    }

    fn metric(&self, wanted: &Reference, place: String) -> Result<Metric, Error> {
        let fits = |m: &&Metric| match &wanted.version {
            Some(version) => m.version == *version,
            None => m.status == Standing::Active,
        };
        let own = self.metrics.iter().filter(|m| m.id == wanted.id).filter(fits);
        own.max_by(|a, b| version_order(&a.version, &b.version)).cloned().ok_or_else(|| missing(place))
    }

    /// The shares of a metric, and whether high scores are good; its protocols join `all`.
    fn shares(
        &self,
        metric: &Metric,
        prefix: &str,
        all: &mut Vec<Protocol>,
    ) -> Result<(Vec<Share>, Better), Error> {
        let mut shares: Vec<Share> = Vec::new();
        let mut high: Vec<bool> = Vec::new();
        for (at, component) in metric.components.iter().enumerate() {
            let place = format!("{prefix}components[{at}]");
            let protocol = self.protocol(&component.protocol, format!("{place}.protocol"))?;
            high.push((protocol.better == Better::Higher) != component.complement);
            if high[at] != high[0] {
                return Err(Error::new(ErrorCode::InvalidProtocol, place, "the other direction"));
            }
            let protocol = place_of(protocol, all);
            shares.push((component.weight.0.into(), component.complement, protocol));
        }
        Ok((shares, if high[0] { Better::Higher } else { Better::Lower }))
    }

    fn whole(&self, target: &Document) -> Result<Whole, Error> {
        let mut protocols = Vec::new();
        let mut parts = Vec::new();
        let (kind, id, version, better) = match target {
            Document::Protocol(protocol) => {
                protocols.push((**protocol).clone());
                ("protocol", &protocol.id, &protocol.version, protocol.better)
            }
            Document::Metric(metric) => {
                let (shares, better) = self.shares(metric, "", &mut protocols)?;
                for (weight, complement, at) in shares {
                    let Protocol { id, version, .. } = protocols[at].clone();
                    let shares = vec![(U, false, at)];
                    parts.push(Part { is_metric: false, id, version, weight, complement, shares });
                }
                ("metric", &metric.id, &metric.version, better)
            }
            Document::Blueprint(blueprint) => {
                for (at, reference) in blueprint.protocols.iter().enumerate() {
                    let protocol = self.protocol(reference, format!("protocols[{at}]"))?;
                    let Protocol { id, version, better, .. } = protocol.clone();
                    let at = place_of(protocol, &mut protocols);
                    let (complement, shares) = (better == Better::Lower, vec![(U, false, at)]);
                    parts.push(Part { is_metric: false, id, version, weight: U, complement, shares });
                }
                for (at, reference) in blueprint.metrics.iter().enumerate() {
                    let metric = self.metric(reference, format!("metrics[{at}]"))?;
                    let (shares, better) =
                        self.shares(&metric, &format!("metrics[{at}]."), &mut protocols)?;
                    let (Metric { id, version, .. }, complement) = (metric, better == Better::Lower);
                    parts.push(Part { is_metric: true, id, version, weight: U, complement, shares });
                }
                ("blueprint", &blueprint.id, &blueprint.version, Better::Higher)
            }
        };
        Ok(Whole { kind, id: id.clone(), version: version.clone(), better, protocols, parts })
    }
}

fn place_of(protocol: Protocol, all: &mut Vec<Protocol>) -> usize {
    let same = |p: &Protocol| p.id == protocol.id && p.version == protocol.version;
    all.iter().position(same).unwrap_or_else(|| {
        all.push(protocol.clone());
        all.len() - 1
    })
}

/// Σ weight·score ÷ Σ weight, rounded once.
fn average(shares: &[(Number, bool, Number)]) -> Number {
    let weights: Number = shares.iter().map(|(weight, ..)| weight).sum();
    let sum: Number = shares.iter().map(|(w, turned, s)| w * if *turned { U - s } else { *s }).sum();
    crate::number::fraction(sum, 1, weights)
}

/// The name of a marker among all of them.
fn key(protocols: &[Protocol], of: &Protocol, label: &str) -> String {
    let with = |id: Option<&str>| {
        let named = protocols.iter().filter(|p| id.is_none_or(|id| p.id == id));
        named.filter(|p| p.markers.iter().any(|m| m.label == label)).count()
    };
    if with(None) == 1 {
        label.to_owned()
    } else if with(Some(&of.id)) == 1 {
        format!("{}/{label}", of.id)
    } else {
        format!("{}@{}/{label}", of.id, of.version)
    }
}

/// What one protocol made of the interaction.
struct Measured<'a> {
    scene: Scene<'a>,
    fidelity: Fidelity,
    readings: Vec<MarkerReading>,
    score: Number,
}

impl Measured<'_> {
    fn activation(&self, marker: usize) -> Number {
        self.readings.get(marker).map_or(0, |reading| reading.activation)
    }

    fn triggered(&self) -> usize {
        self.readings.iter().filter(|reading| reading.triggered).count()
    }
}

/// The canonical JSON text of the reading of a target; for insufficient content the reading of zeros.
///
/// # Errors
/// What the engine answers with, but for the message.
pub fn sense(
    shelf: &Shelf,
    target: &Document,
    interaction: &Interaction,
    view: View<'_>,
) -> Result<String, Error> {
    sense_with(shelf, target, interaction, view, Call::default())
}

/// The same with masks as a call wants them.
///
/// # Errors
/// As [`sense`].
pub fn sense_with(
    shelf: &Shelf,
    target: &Document,
    interaction: &Interaction,
    view: View<'_>,
    call: Call<'_>,
) -> Result<String, Error> {
    if let Document::Protocol(protocol) = target {
        expect_modality(protocol, interaction)?;
        expect_key(protocol, call)?;
        return Ok(crate::sense_with(protocol, interaction, view, call));
    }
    let whole = shelf.whole(target)?;
    whole.protocols.iter().try_for_each(|protocol| {
        expect_modality(protocol, interaction)?;
        expect_key(protocol, call)
    })?;
    measured(&whole, interaction, |all, fidelity| {
        written(&whole, &shown(&whole, interaction, view, call, all), all, fidelity)
    })
}

fn expect_key(protocol: &Protocol, call: Call<'_>) -> Result<(), Error> {
    match call.lacks_key(protocol.markers.iter().filter_map(|marker| marker.mask)) {
        false => Ok(()),
        true => Err(Error::invalid("mask_key", "a mask without its key")),
    }
}

fn expect_modality(protocol: &Protocol, interaction: &Interaction) -> Result<(), Error> {
    match protocol.modalities.contains(&interaction.modality()) {
        true => Ok(()),
        false => Err(Error::invalid("interaction", "a modality that the protocol does not read")),
    }
}

/// Measures every protocol by itself, and hands over what came out.
fn measured<T>(
    whole: &Whole,
    interaction: &Interaction,
    work: impl FnOnce(&[Measured<'_>], Fidelity) -> T,
) -> Result<T, Error> {
    whole.protocols.iter().try_for_each(|protocol| expect_modality(protocol, interaction))?;
    let languages: Vec<Language> =
        whole.protocols.iter().map(|protocol| Language::of(protocol.language.as_deref())).collect();
    let cut: Vec<Vec<Turn>> = languages.iter().map(|language| turns(interaction, language)).collect();
    let mut all: Vec<Measured<'_>> = Vec::new();
    for ((protocol, language), turns) in whole.protocols.iter().zip(&languages).zip(&cut) {
        let scene = Scene::new(protocol, language, turns);
        let fidelity = fidelity(&scene);
        all.push(Measured { scene, fidelity, readings: Vec::new(), score: 0 });
    }
    let sufficient = all.iter().all(|one| one.fidelity.sufficient);
    let asked = all.iter().filter(|one| sufficient || !one.fidelity.sufficient);
    let least = asked.min_by_key(|one| one.fidelity.index).map(|one| one.fidelity.clone());
    if sufficient {
        for one in &mut all {
            let markers = &one.scene.protocol.markers;
            one.readings = markers.iter().map(|marker| marker::read(&one.scene, marker)).collect();
            let activations: Vec<Number> = one.readings.iter().map(|r| r.activation).collect();
            one.score = score(one.scene.protocol.score, markers, &activations);
        }
    }
    Ok(work(&all, least.expect("a composition has a protocol")))
}

/// The score of a part.
fn part_score(all: &[Measured<'_>], shares: &[Share]) -> Number {
    let scores: Vec<(Number, bool, Number)> =
        shares.iter().map(|(weight, turned, at)| (*weight, *turned, all[*at].score)).collect();
    average(&scores)
}

fn whole_score(whole: &Whole, all: &[Measured<'_>]) -> Number {
    let scores: Vec<(Number, bool, Number)> = whole
        .parts
        .iter()
        .map(|part| (part.weight, part.complement, part_score(all, &part.shares)))
        .collect();
    average(&scores)
}

fn target_object(whole: &Whole) -> String {
    object(&[("type", string(whole.kind)), ("id", string(&whole.id)), ("version", string(&whole.version))])
}

fn resonance(whole: &Whole, all: &[Measured<'_>]) -> Vec<(String, Number)> {
    let mut found = Vec::new();
    for (protocol, one) in whole.protocols.iter().zip(all) {
        for (index, marker) in protocol.markers.iter().enumerate() {
            found.push((key(&whole.protocols, protocol, &marker.label), one.activation(index)));
        }
    }
    found
}

fn printed(numbers: &[(String, Number)]) -> String {
    let members: Vec<(&str, String)> =
        numbers.iter().map(|(key, number)| (key.as_str(), decimal(*number))).collect();
    object(&members)
}

fn written(whole: &Whole, shown: &[Shown<'_>], all: &[Measured<'_>], fidelity: Fidelity) -> String {
    let view = shown[0].view;
    let measured = |number: Number| if fidelity.sufficient { decimal(number) } else { "null".to_owned() };
    let mut members: Members = vec![("target", target_object(whole))];
    if view.profile != Profile::Raw {
        members.push(("profile", string(view.profile.as_str())));
    }
    members.push(("score", measured(whole_score(whole, all))));
    if whole.kind == "metric" && view.profile != Profile::Raw {
        let parts = whole.parts.iter().map(|part| {
            object(&[
                ("protocol_id", string(&part.id)),
                ("version", string(&part.version)),
                ("weight", decimal(part.weight)),
                ("score", measured(part_score(all, &part.shares))),
                ("fidelity", fidelity_object(&all[part.shares[0].2].fidelity)),
            ])
        });
        let parts: Vec<String> = parts.collect();
        members.push(("components", array(&parts)));
    }
    if whole.kind == "blueprint" {
        for (name, metric) in [("protocols", false), ("metrics", true)] {
            let parts = whole.parts.iter().filter(|part| part.is_metric == metric).map(|part| {
                object(&[
                    ("id", string(&part.id)),
                    ("version", string(&part.version)),
                    ("score", measured(part_score(all, &part.shares))),
                ])
            });
            let parts: Vec<String> = parts.collect();
            members.push((name, array(&parts)));
        }
    }
    members.push(("resonance", printed(&resonance(whole, all))));
    members.push(("evidence", array(&evidence(whole, shown, all))));
    if view.profile != Profile::Raw {
        members.push(("against", array(&against(whole, shown, all))));
    }
    if view.profile == Profile::Discovery {
        members.push(("weak_signals", array(&weak(whole, shown, all))));
        let mut missing = Vec::new();
        for (at, one) in all.iter().enumerate().filter(|_| fidelity.sufficient) {
            let unheard = unheard(&one.scene);
            missing.extend(
                unheard.iter().map(|(marker, roles)| unheard_item(&key_of(whole, at, *marker), roles)),
            );
        }
        members.push(("unheard", array(&missing)));
    }
    members.push(("fidelity", fidelity_object(&fidelity)));
    let newest = whole.protocols.iter().map(|protocol| protocol.sgm).max();
    let triggered = triggered(whole, all);
    let triggered: Vec<&str> = triggered.iter().map(String::as_str).collect();
    members.push(("ics", ics(&triggered, newest.unwrap_or(Sgm::V1_0), view)));
    object(&members)
}

/// The keys of the triggered markers, by protocol, then in the order of its file.
fn triggered(whole: &Whole, all: &[Measured<'_>]) -> Vec<String> {
    let mut keys = Vec::new();
    for (protocol, one) in whole.protocols.iter().zip(all) {
        for (marker, reading) in protocol.markers.iter().zip(&one.readings) {
            if reading.triggered {
                keys.push(key(&whole.protocols, protocol, &marker.label));
            }
        }
    }
    keys
}

/// What is shown of each protocol: what one of them masks is shown nowhere.
fn shown<'a>(
    whole: &Whole,
    interaction: &'a Interaction,
    view: View<'a>,
    call: Call<'_>,
    all: &'a [Measured<'a>],
) -> Vec<Shown<'a>> {
    let mut masks = Vec::new();
    for (at, (one, protocol)) in all.iter().zip(&whole.protocols).enumerate() {
        let key = |label: &str| key(&whole.protocols, protocol, label);
        masks.extend(masked(&one.scene, &one.readings, call, at, key));
    }
    let hidden = hidden(interaction.turns().len(), &masks, call);
    all.iter().map(|one| Shown { scene: &one.scene, interaction, view, hidden: hidden.clone() }).collect()
}

/// The matches with such a contribution, in the order of the text, then of the protocols.
fn in_order<'a>(
    all: &'a [Measured<'_>],
    is_wanted: fn(&MarkerReading, Number) -> bool,
) -> Vec<(usize, Found<'a>)> {
    let of_one = |(at, one): (usize, &'a Measured<'_>)| {
        found(&one.readings, is_wanted).into_iter().map(move |item| (at, item))
    };
    let mut items: Vec<(usize, Found<'a>)> = all.iter().enumerate().flat_map(of_one).collect();
    items.sort_by_key(|(at, (index, candidate, _))| {
        let (turn, start, end, first_token) = candidate.hit.order();
        (turn, start, end, *at, *index, candidate.line, first_token)
    });
    items
}

/// The key of a marker.
fn key_of(whole: &Whole, at: usize, marker: usize) -> String {
    let protocol = &whole.protocols[at];
    key(&whole.protocols, protocol, &protocol.markers[marker].label)
}

fn evidence(whole: &Whole, shown: &[Shown<'_>], all: &[Measured<'_>]) -> Vec<String> {
    let item = |(at, item): (usize, Found<'_>)| shown[at].evidence_item(&key_of(whole, at, item.0), item);
    in_order(all, is_evidence).into_iter().map(item).collect()
}

fn against(whole: &Whole, shown: &[Shown<'_>], all: &[Measured<'_>]) -> Vec<String> {
    let item = |(at, item): (usize, Found<'_>)| shown[at].against_item(&key_of(whole, at, item.0), item);
    in_order(all, is_against).into_iter().map(item).collect()
}

/// The nearest first, then in the order of the protocols and their markers.
fn weak(whole: &Whole, shown: &[Shown<'_>], all: &[Measured<'_>]) -> Vec<String> {
    let mut signals = Vec::new();
    for (at, one) in all.iter().enumerate() {
        signals.extend(weak_signals(&one.scene, &one.readings).into_iter().map(|signal| (at, signal)));
    }
    signals.sort_by_key(|(_, signal)| -signal.proximity);
    let item =
        |(at, signal): &(usize, WeakSignal)| shown[*at].weak_item(&key_of(whole, *at, signal.marker), signal);
    signals.iter().map(item).collect()
}

/// The canonical JSON text of a comparison.
///
/// # Errors
/// What the engine answers with, but for the message.
pub fn compare(shelf: &Shelf, target: &Document, a: &Interaction, b: &Interaction) -> Result<String, Error> {
    let whole = shelf.whole(target)?;
    let side = |interaction: &Interaction, name: &'static str| {
        let placed = |error: Error| Error { place: name.to_owned(), ..error };
        let (resonance, score, triggered, sufficient) = measured(&whole, interaction, |all, fidelity| {
            let score = if whole.parts.is_empty() { all[0].score } else { whole_score(&whole, all) };
            let triggered: usize = all.iter().map(Measured::triggered).sum();
            (resonance(&whole, all), score, triggered, fidelity.sufficient)
        })
        .map_err(placed)?;
        match sufficient {
            true => Ok((resonance, score, triggered)),
            false => Err(Error::new(ErrorCode::InsufficientSignal, name, "too little")),
        }
    };
    let first = side(a, "interaction_a")?;
    let second = side(b, "interaction_b")?;
    let one = |interaction: &Interaction, name: &str, side: &(Vec<(String, Number)>, Number, usize)| {
        object(&[
            ("label", string(interaction.label().unwrap_or(name))),
            ("score", decimal(side.1)),
            ("resonance", printed(&side.0)),
            ("metamarkers_triggered", side.2.to_string()),
        ])
    };
    let shifts: Vec<(&str, String)> = first
        .0
        .iter()
        .zip(&second.0)
        .map(|((key, a), (_, b))| {
            let shift = object(&[("a", decimal(*a)), ("b", decimal(*b)), ("change", decimal(b - a))]);
            (key.as_str(), shift)
        })
        .collect();
    let change = second.1 - first.1;
    let better = if whole.better == Better::Higher { change } else { -change };
    let direction = match better {
        0 => "unchanged",
        1.. => "improvement",
        _ => "decline",
    };
    Ok(object(&[
        ("target", target_object(&whole)),
        ("interaction_a", one(a, "a", &first)),
        ("interaction_b", one(b, "b", &second)),
        (
            "delta",
            object(&[
                ("score_change", decimal(change)),
                ("direction", string(direction)),
                ("resonance_shifts", object(&shifts)),
                ("metamarker_change", (second.2 as i64 - first.2 as i64).to_string()),
            ]),
        ),
        ("ics", object(&[("consumed", (first.2 + second.2).to_string()), ("cost_usd", decimal(0))])),
    ]))
}
