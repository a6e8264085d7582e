//! Metrics and blueprints over protocols that share ids, versions and labels.

use super::protocol;
use crate::composition::Shelf;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use sonometer::composition::{Component, Reference, Standing};
use sonometer::protocol::{Better, Modality, Protocol, Status};
use sonometer::{Blueprint, Document, Metric, Unit};
use std::collections::BTreeSet;

/// Few, so that several versions of one protocol and several protocols of one label meet.
const PROTOCOLS: [&str; 3] = ["calm", "clear", "kind"];
const METRICS: [&str; 2] = ["quality", "safety"];

/// Their order is by value, not by letter.
const VERSIONS: [&str; 6] = ["1.0", "1.9", "1.10", "1.10-beta", "2", "02"];

/// What a composition names: one of those on the shelf, pinned or not, or something that is not there.
#[derive(Clone, Debug)]
struct Wish {
    of: Index,
    pin: Pin,
}

#[derive(Clone, Copy, Debug)]
enum Pin {
    Latest,
    Own,
    Other(&'static str),
    Stranger,
}

fn wish() -> impl Strategy<Value = Wish> {
    let pin = prop_oneof![
        20 => Just(Pin::Latest),
        20 => Just(Pin::Own),
        2 => select(&VERSIONS[..]).prop_map(Pin::Other),
        1 => Just(Pin::Stranger),
    ];
    (any::<Index>(), pin).prop_map(|(of, pin)| Wish { of, pin })
}

impl Wish {
    /// The reference to one of these ids and versions.
    fn reference(&self, there: &[(String, String)]) -> Reference {
        let Some((id, version)) = (!there.is_empty()).then(|| self.of.get(there).clone()) else {
            return Reference { id: "nowhere".to_owned(), version: None };
        };
        match self.pin {
            Pin::Latest => Reference { id, version: None },
            Pin::Own => Reference { id, version: Some(version) },
            Pin::Other(version) => Reference { id, version: Some(version.to_owned()) },
            Pin::Stranger => Reference { id: "nowhere".to_owned(), version: None },
        }
    }
}

/// A protocol as a shelf has it.
fn shelved() -> impl Strategy<Value = Protocol> {
    let status = prop_oneof![
        6 => Just(Status::Published),
        1 => Just(Status::Draft),
        1 => Just(Status::Archived)
    ];
    let better = select(vec![Better::Higher, Better::Lower]);
    let modalities = prop_oneof![
        12 => Just(vec![Modality::Text, Modality::Transcript]),
        1 => Just(vec![Modality::Text]),
        1 => Just(vec![Modality::Transcript]),
    ];
    // Labels that several protocols have, and labels of one alone.
    let own_labels = prop::bool::weighted(0.3);
    let head = (select(&PROTOCOLS[..]), select(&VERSIONS[..]), status, better, modalities, own_labels);
    (protocol(), head).prop_map(|(mut protocol, (id, version, status, better, modalities, own_labels))| {
        protocol.id = id.to_owned();
        protocol.name = id.to_owned();
        protocol.version = version.to_owned();
        protocol.status = status;
        protocol.better = better;
        protocol.modalities = modalities;
        // What no other marker speaks of can be called anything.
        if let Some(last) = protocol.markers.last_mut().filter(|_| own_labels)
            && last.ratio.is_none()
        {
            let label = std::mem::replace(&mut last.label, format!("of-{id}"));
            let text = format!("{:?}", protocol.markers);
            if text.contains(&format!("{label:?}")) {
                protocol.markers.last_mut().expect("is there").label = label;
            }
        }
        protocol
    })
}

fn weight() -> impl Strategy<Value = Unit> {
    prop_oneof![
        3 => select(vec![1_000_000, 2_000_000, 500_000]),
        1 => select(vec![1, 1_000_000_000]),
        1 => 1..=1_000_000_000_i64,
    ]
    .prop_map(Unit)
}

/// The head of a metric, its components, and which of its scores are to be the good ones.
type MetricWish = (&'static str, &'static str, bool, Vec<(Wish, Unit, bool)>, bool);

fn metric_wish() -> impl Strategy<Value = MetricWish> {
    let turned_wrongly = prop::bool::weighted(0.02);
    let components = prop::collection::vec((wish(), weight(), turned_wrongly), 1..=3);
    let head = (select(&METRICS[..]), select(&VERSIONS[..]), prop::bool::weighted(0.85));
    (head, components, any::<bool>())
        .prop_map(|((id, version, active), components, high)| (id, version, active, components, high))
}

fn metric((id, version, active, wishes, high): MetricWish, protocols: &[Protocol]) -> Metric {
    let there = names(protocols.iter().map(|p| (&p.id, &p.version)));
    let mut components: Vec<Component> = Vec::new();
    for (wish, weight, wrong) in wishes {
        let reference = wish.reference(&there);
        // A file names no protocol twice.
        if components.iter().any(|component| component.protocol.id == reference.id) {
            continue;
        }
        let own = protocols.iter().find(|p| {
            p.id == reference.id && reference.version.as_ref().is_none_or(|version| *version == p.version)
        });
        let is_high = own.is_none_or(|protocol| protocol.better == Better::Higher);
        components.push(Component { protocol: reference, weight, complement: (is_high != high) != wrong });
    }
    Metric {
        id: id.to_owned(),
        name: id.to_owned(),
        version: version.to_owned(),
        status: if active { Standing::Active } else { Standing::Archived },
        description: String::new(),
        components,
    }
}

fn names<'n>(all: impl Iterator<Item = (&'n String, &'n String)>) -> Vec<(String, String)> {
    all.map(|(id, version)| (id.clone(), version.clone())).collect()
}

/// References of which no two have one id.
fn references(wishes: &[Wish], there: &[(String, String)]) -> Vec<Reference> {
    let mut seen = BTreeSet::new();
    let references = wishes.iter().map(|wish| wish.reference(there));
    references.filter(|reference| seen.insert(reference.id.clone())).collect()
}

/// A metric or a blueprint, with what it may name. Some name what is not there, or what does not fit together.
pub fn composition() -> impl Strategy<Value = (Shelf, Document)> {
    let protocols = prop::collection::vec(shelved(), 1..=4);
    let metrics = prop::collection::vec(metric_wish(), 0..=3);
    let own = prop::collection::vec(wish(), 0..=3);
    let blueprint = (own, prop::collection::vec(wish(), 0..=2));
    let target = prop_oneof![metric_wish().prop_map(Ok), blueprint.prop_map(Err)];
    (protocols, metrics, target).prop_map(|(mut protocols, metrics, target)| {
        let mut seen = BTreeSet::new();
        protocols.retain(|protocol| seen.insert((protocol.id.clone(), protocol.version.clone())));
        let mut metrics: Vec<Metric> = metrics.into_iter().map(|wish| metric(wish, &protocols)).collect();
        seen.clear();
        metrics.retain(|metric| seen.insert((metric.id.clone(), metric.version.clone())));
        let target = match target {
            Ok(wish) => Document::Metric(metric(wish, &protocols)),
            Err((of_protocols, of_metrics)) => {
                let there = names(protocols.iter().map(|p| (&p.id, &p.version)));
                let mut protocols = references(&of_protocols, &there);
                let there_too = names(metrics.iter().map(|m| (&m.id, &m.version)));
                let metrics = if there_too.is_empty() { vec![] } else { references(&of_metrics, &there_too) };
                // A blueprint names something.
                if protocols.is_empty() && metrics.is_empty() {
                    protocols.push(Reference { id: there[0].0.clone(), version: Some(there[0].1.clone()) });
                }
                Document::Blueprint(Blueprint {
                    id: "whole".to_owned(),
                    name: "whole".to_owned(),
                    version: "1.0".to_owned(),
                    status: Standing::Active,
                    description: String::new(),
                    protocols,
                    metrics,
                })
            }
        };
        (Shelf { protocols, metrics }, target)
    })
}
