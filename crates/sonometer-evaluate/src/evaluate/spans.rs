//! Labelled places against evidence.
//!
//! A map says which markers may find which types of label; types and markers outside it are left out. A label is *found* if
//! evidence of a marker that may find it overlaps it, *exactly* if that has its very place; evidence is *right* if it overlaps
//! a label of a type that its marker may find. One piece of evidence may find several labels (an address with its code).
//! Micro figures: precision is the share of right evidence, recall the share of found labels, over all types together.

use super::alarms::Alarms;
use super::interval::{Interval, bootstrap};
use super::measure::{Estimate, share};
use super::question::{marker, same_name};
use super::result::Data;
use super::sensed::{Found, Outcome, sense};
use crate::Error;
use crate::labels::{Item, Labelled, Path, Span, spans};
use sonometer::diagnostic::some_of;
use sonometer::protocol::Protocol;
use sonometer::{OffsetUnit, Reading, Sensor, Unit};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::str::FromStr;

/// `TYPE,…=marker,…`: which markers may find which types.
#[derive(Clone, Debug)]
pub struct MapEntry {
    types: Vec<String>,
    markers: Vec<String>,
}

impl MapEntry {
    /// These markers may find these types.
    pub fn new(types: Vec<String>, markers: Vec<String>) -> Self {
        Self { types, markers }
    }

    pub(super) fn types(&self) -> &[String] {
        &self.types
    }

    pub(super) fn markers(&self) -> &[String] {
        &self.markers
    }
}

impl FromStr for MapEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = |list: &str| -> Vec<String> {
            list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        match text.split_once('=').map(|(types, markers)| (names(types), names(markers))) {
            Some((types, markers)) if !types.is_empty() && !markers.is_empty() => Ok(Self { types, markers }),
            _ => Err("write a label type and the markers that find it, such as `EMAIL=email_address`".into()),
        }
    }
}

/// The types that are asked, in the order of the map, each with the markers that may find it.
#[derive(Debug)]
struct Map(Vec<(String, Vec<usize>)>);

impl Map {
    /// The caller's map, else each type with the marker of its name (`PHONE_NUMBER` is `phone_number`).
    fn of(protocol: &Protocol, entries: &[MapEntry], types: &BTreeSet<&str>) -> Result<Self, Error> {
        let mut map: Vec<(String, Vec<usize>)> = Vec::new();
        let listed = || some_of(&types.iter().copied().collect::<Vec<_>>());
        for entry in entries {
            for kind in &entry.types {
                if !types.contains(kind.as_str()) {
                    return Err(Error::unusable(format!(
                        "no span has the type `{kind}`; the types are {}",
                        listed()
                    )));
                }
                let at = map.iter().position(|(name, _)| name == kind).unwrap_or(map.len());
                if at == map.len() {
                    map.push((kind.clone(), Vec::new()));
                }
                for name in &entry.markers {
                    let number = marker(protocol, name)?;
                    if !map[at].1.contains(&number) {
                        map[at].1.push(number);
                    }
                }
            }
        }
        if entries.is_empty() {
            for kind in types {
                let own = protocol.markers.iter().position(|marker| same_name(&marker.label, kind));
                map.extend(own.map(|own| ((*kind).to_owned(), vec![own])));
            }
        }
        if map.is_empty() {
            let labels: Vec<&str> = protocol.markers.iter().map(|marker| marker.label.as_str()).collect();
            return Err(Error::unusable(format!(
                "no marker has the name of a type; map types to markers, for example --map {}={} (types: {}; markers: {})",
                types.iter().next().unwrap_or(&"TYPE"),
                labels.first().unwrap_or(&"marker"),
                listed(),
                labels.join(", ")
            )));
        }
        Ok(Self(map))
    }

    fn may_find(&self, marker: usize, kind: &str) -> bool {
        self.0.iter().any(|(name, markers)| name == kind && markers.contains(&marker))
    }

    fn asks(&self, marker: usize) -> bool {
        self.0.iter().any(|(_, markers)| markers.contains(&marker))
    }
}

/// The figures of a tally, by [`Tally::figures`].
pub(crate) const FIGURES: [&str; 6] =
    ["precision", "recall", "f1", "exact_precision", "exact_recall", "exact_f1"];

/// Labels and evidence, with how many of them met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) labels: u64,
    pub(crate) labels_exact: u64,
    pub(crate) labels_found: u64,
    pub(crate) evidence: u64,
    pub(crate) evidence_exact: u64,
    pub(crate) evidence_right: u64,
}

impl Tally {
    fn add(&mut self, other: &Self, times: u64) {
        self.labels += other.labels * times;
        self.labels_exact += other.labels_exact * times;
        self.labels_found += other.labels_found * times;
        self.evidence += other.evidence * times;
        self.evidence_exact += other.evidence_exact * times;
        self.evidence_right += other.evidence_right * times;
    }

    /// Precision, recall and F1 by overlap, then the same by exact place.
    pub(crate) fn figures(&self) -> [Option<Unit>; 6] {
        let of = |right: u64, found: u64| {
            let (precision, recall) = (share(right, self.evidence), share(found, self.labels));
            // 2PR ÷ (P + R) with both as fractions; 0 where both are.
            let (p, r) =
                (i128::from(right) * i128::from(self.labels), i128::from(found) * i128::from(self.evidence));
            let f1 =
                precision.and(recall).map(|_| Unit::ratio(2 * i128::from(right) * i128::from(found), p + r));
            [precision, recall, f1]
        };
        let [p, r, f] = of(self.evidence_right, self.labels_found);
        let [exact_p, exact_r, exact_f] = of(self.evidence_exact, self.labels_exact);
        [p, r, f, exact_p, exact_r, exact_f]
    }
}

/// One place that went wrong.
#[derive(Clone, Debug)]
pub(crate) struct WrongSpan {
    pub(crate) item: Item,
    pub(crate) reading: Reading,
    pub(crate) turn: usize,
    /// Bytes of the turn's content.
    pub(crate) range: Range<usize>,
    /// The type of a missed label, the marker of wrong evidence.
    pub(crate) kind: String,
    /// What wrong evidence adds to its marker.
    pub(crate) score: Option<Unit>,
}

/// An evaluation of places.
#[derive(Clone, Debug)]
pub(crate) struct SpanEvaluation {
    pub(crate) sensor: Sensor,
    pub(crate) data: Data,
    /// Items with labels, and those of them that held enough to be measured.
    pub(crate) items: u64,
    pub(crate) covered_items: u64,
    pub(crate) all: (Tally, [Option<Estimate>; 6]),
    pub(crate) covered: (Tally, [Option<Estimate>; 6]),
    /// Each type with its markers; its evidence is that of its markers.
    pub(crate) types: Vec<(String, Vec<String>, Tally)>,
    pub(crate) markers: Vec<(String, Tally)>,
    /// Evidence that overlaps no label of its types, the highest scores first; labels that were not found.
    pub(crate) wrong: (u64, Vec<WrongSpan>),
    pub(crate) missed: (u64, Vec<WrongSpan>),
    /// Pieces of ordinary talk with evidence, if there is some.
    pub(crate) alarms: Option<Alarms>,
    pub(crate) notes: Vec<String>,
}

/// What the caller wants to know of places.
#[derive(Debug)]
pub(crate) struct Wish<'w> {
    pub(crate) entries: &'w [MapEntry],
    pub(crate) unit: OffsetUnit,
    /// Evidence of less is none.
    pub(crate) least: Unit,
    pub(crate) errors: usize,
}

/// One labelled item with its evidence.
struct Page<'i> {
    item: &'i Item,
    labels: Vec<Span>,
    evidence: Vec<&'i Found>,
    sufficient: bool,
    cluster: usize,
}

/// Compares the labels at `path` with the evidence in `outcomes`.
#[expect(clippy::too_many_arguments, reason = "each is another thing, and there is one caller")]
pub(crate) fn evaluate(
    sensor: &Sensor,
    labels: &Labelled,
    path: &Path,
    items: &[Item],
    outcomes: &[Outcome],
    clusters: &[usize],
    wish: &Wish<'_>,
    data: Data,
) -> Result<SpanEvaluation, Error> {
    let protocol = sensor.protocol();
    let mut read: Vec<(usize, Vec<Span>)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(value) = path.find(&item.labels).filter(|value| !value.is_null()) {
            let found = spans(value, &item.interaction, wish.unit);
            read.push((at, found.map_err(|wrong| labels.wrong(item, path, &wrong))?));
        }
    }
    let kinds: BTreeSet<&str> =
        read.iter().flat_map(|(_, spans)| spans).map(|span| span.kind.as_str()).collect();
    let map = Map::of(protocol, wish.entries, &kinds)?;
    let mut notes = Vec::new();
    let unmapped: Vec<&str> =
        kinds.iter().filter(|kind| map.0.iter().all(|(name, _)| name != *kind)).copied().collect();
    if !unmapped.is_empty() {
        notes.push(format!("these types have no marker and are skipped: {}", unmapped.join(", ")));
    }
    let pages: Vec<Page<'_>> = read
        .into_iter()
        .map(|(at, found)| Page {
            item: &items[at],
            labels: found
                .into_iter()
                .filter(|span| map.0.iter().any(|(name, _)| *name == span.kind))
                .collect(),
            evidence: distinct(&outcomes[at], &map, wish.least),
            sufficient: outcomes[at].sufficient,
            cluster: clusters[at],
        })
        .collect();

    let all: Vec<&Page<'_>> = pages.iter().collect();
    let covered: Vec<&Page<'_>> = pages.iter().filter(|page| page.sufficient).collect();
    let types = map.0.iter().map(|(kind, markers)| {
        let tally = total(&map, &all, |label| label.kind == *kind, |found| markers.contains(&found.marker));
        (kind.clone(), markers.iter().map(|at| protocol.markers[*at].label.clone()).collect(), tally)
    });
    let asked = protocol.markers.iter().enumerate().filter(|(at, _)| map.asks(*at));
    let markers = asked.map(|(at, marker)| {
        let tally = total(&map, &all, |label| map.may_find(at, &label.kind), |found| found.marker == at);
        (marker.label.clone(), tally)
    });
    Ok(SpanEvaluation {
        sensor: sensor.clone(),
        data,
        items: all.len() as u64,
        covered_items: covered.len() as u64,
        all: estimates(&map, &all),
        covered: estimates(&map, &covered),
        types: types.collect(),
        markers: markers.collect(),
        wrong: wrong(sensor, labels, &map, &pages, wish.errors)?,
        missed: missed(sensor, labels, &map, &pages, wish.errors)?,
        alarms: None,
        notes,
    })
}

/// The evidence of the markers that are asked; what several lines of a marker found at one place counts once.
fn distinct<'o>(outcome: &'o Outcome, map: &Map, least: Unit) -> Vec<&'o Found> {
    let mut kept: Vec<&Found> = Vec::new();
    for found in outcome.evidence.iter().filter(|found| map.asks(found.marker) && found.score >= least) {
        let same = |other: &&Found| {
            other.marker == found.marker && other.turn == found.turn && other.range == found.range
        };
        if !kept.iter().any(same) {
            kept.push(found);
        }
    }
    kept
}

fn meets(label: &Span, found: &Found) -> bool {
    label.turn == found.turn && label.range.start < found.range.end && found.range.start < label.range.end
}

fn equals(label: &Span, found: &Found) -> bool {
    label.turn == found.turn && label.range == found.range
}

/// Counts the labels and the evidence that are wanted.
fn total(
    map: &Map,
    pages: &[&Page<'_>],
    label_wanted: impl Fn(&Span) -> bool,
    found_wanted: impl Fn(&Found) -> bool,
) -> Tally {
    let mut tally = Tally::default();
    for page in pages {
        for label in page.labels.iter().filter(|label| label_wanted(label)) {
            let mut own = page.evidence.iter().filter(|found| map.may_find(found.marker, &label.kind));
            tally.labels += 1;
            tally.labels_exact += u64::from(own.clone().any(|found| equals(label, found)));
            tally.labels_found += u64::from(own.any(|found| meets(label, found)));
        }
        for found in page.evidence.iter().filter(|found| found_wanted(found)) {
            let mut own = page.labels.iter().filter(|label| map.may_find(found.marker, &label.kind));
            tally.evidence += 1;
            tally.evidence_exact += u64::from(own.clone().any(|label| equals(label, found)));
            tally.evidence_right += u64::from(own.any(|label| meets(label, found)));
        }
    }
    tally
}

fn estimates(map: &Map, pages: &[&Page<'_>]) -> (Tally, [Option<Estimate>; 6]) {
    // One tally for each cluster, in the order of the data; draws weigh them.
    let mut tallies: Vec<(usize, Tally)> = Vec::new();
    let mut sum = Tally::default();
    for page in pages {
        let own = total(map, &[page], |_| true, |_| true);
        sum.add(&own, 1);
        match tallies.binary_search_by_key(&page.cluster, |(cluster, _)| *cluster) {
            Ok(at) => tallies[at].1.add(&own, 1),
            Err(at) => tallies.insert(at, (page.cluster, own)),
        }
    }
    let intervals: [Option<Interval>; 6] = bootstrap(tallies.len(), |weights| {
        let mut drawn = Tally::default();
        tallies.iter().zip(weights).for_each(|((_, own), times)| drawn.add(own, (*times).into()));
        drawn.figures()
    });
    let mut intervals = intervals.into_iter();
    let estimates = sum.figures().map(|value| {
        let interval = intervals.next().flatten();
        value.map(|value| Estimate { value, interval })
    });
    (sum, estimates)
}

fn wrong(
    sensor: &Sensor,
    labels: &Labelled,
    map: &Map,
    pages: &[Page<'_>],
    most: usize,
) -> Result<(u64, Vec<WrongSpan>), Error> {
    let mut wrong: Vec<(&Page<'_>, &Found)> = Vec::new();
    for page in pages {
        let right = |found: &Found| {
            page.labels.iter().any(|label| map.may_find(found.marker, &label.kind) && meets(label, found))
        };
        wrong.extend(page.evidence.iter().filter(|found| !right(found)).map(|found| (page, *found)));
    }
    wrong.sort_by_key(|(_, found)| Reverse(found.score));
    let shown = wrong.iter().take(most).map(|(page, found)| {
        Ok(WrongSpan {
            item: page.item.clone(),
            reading: sense(sensor, labels, page.item)?,
            turn: found.turn,
            range: found.range.clone(),
            kind: sensor.protocol().markers[found.marker].label.clone(),
            score: Some(found.score),
        })
    });
    Ok((wrong.len() as u64, shown.collect::<Result<_, Error>>()?))
}

fn missed(
    sensor: &Sensor,
    labels: &Labelled,
    map: &Map,
    pages: &[Page<'_>],
    most: usize,
) -> Result<(u64, Vec<WrongSpan>), Error> {
    let mut missed: Vec<(&Page<'_>, &Span)> = Vec::new();
    for page in pages {
        let found = |label: &Span| {
            page.evidence.iter().any(|found| map.may_find(found.marker, &label.kind) && meets(label, found))
        };
        missed.extend(page.labels.iter().filter(|label| !found(label)).map(|label| (page, label)));
    }
    let shown = missed.iter().take(most).map(|(page, label)| {
        Ok(WrongSpan {
            item: page.item.clone(),
            reading: sense(sensor, labels, page.item)?,
            turn: label.turn,
            range: label.range.clone(),
            kind: label.kind.clone(),
            score: None,
        })
    });
    Ok((missed.len() as u64, shown.collect::<Result<_, Error>>()?))
}

impl SpanEvaluation {
    /// The share of the items that held enough to be measured.
    pub(crate) fn coverage(&self) -> Option<Unit> {
        share(self.covered_items, self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sensed::sense_all;
    use super::*;

    fn read(labels: &str) -> Labelled {
        let text = "Mail a@b.example or b@c.example now, at 5 pm";
        let line = format!(r#"{{"interaction": {{"content": "{text}"}}, "labels": {{"spans": {labels}}}}}"#);
        Labelled::read("data", line.as_bytes()).expect("reads")
    }

    fn measured(labels: &str, map: &[&str]) -> Result<[Option<Unit>; 6], String> {
        let protocol = r#"{"sonometer": 1, "id": "p", "version": "1", "taxonomy": "Policy", "score": "risk", "markers": [
            {"label": "mail", "strong": "<email>", "hit": "a@b.example"},
            {"label": "hour", "strong": "at <time>", "hit": "at 5 pm"}]}"#;
        let sensor = Sensor::new(Protocol::read(protocol).expect("is sound").0).expect("compiles");
        let labelled = read(&labels.replace('\n', " "));
        let items = labelled.items();
        let outcomes = sense_all(&sensor, &labelled, items, &mut crate::unwatched).expect("is sensed");
        let entries: Vec<MapEntry> =
            map.iter().map(|entry| MapEntry::from_str(entry).expect("reads")).collect();
        let wish = Wish { entries: &entries, unit: OffsetUnit::Chars, least: Unit::ZERO, errors: 5 };
        let path = Path::from("spans");
        let data = Data::default();
        match evaluate(&sensor, &labelled, &path, items, &outcomes, &[0], &wish, data) {
            Ok(found) => Ok(found.all.0.figures()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// `a@b.example`, then a place that nothing finds, then `5 pm`.
    const LABELS: &str = r#"[{"type": "MAIL", "start": 5, "end": 16}, {"type": "MAIL", "start": 32, "end": 35},
        {"type": "TIME", "start": 40, "end": 44}]"#;

    #[test]
    fn figures_worked_by_hand() {
        // Labels: 2 of 3 found, 1 exactly. Evidence: 2 of 3 right (the second address is not labelled), 1 exactly.
        let third = |n| Some(Unit::ratio(n, 3));
        let (two, one) = (third(2), third(1));
        assert_eq!(measured(LABELS, &["MAIL=mail", "TIME=hour"]), Ok([two, two, two, one, one, one]));
        // Only mails, by name: 1 of 2 found, 1 of 2 right.
        let half = Some(Unit(500_000));
        assert_eq!(measured(LABELS, &[]), Ok([half; 6]));
        // A marker that may not find it does not find it.
        let none = Some(Unit::ZERO);
        assert_eq!(measured(LABELS, &["MAIL=hour"]), Ok([none; 6]));
        assert_eq!(
            measured("[]", &["MAIL=mail"]).expect_err("there is none"),
            "no span has the type `MAIL`; the types are "
        );
    }

    #[test]
    fn what_cannot_be_mapped_is_told() {
        let told = measured(LABELS, &["MAIL=post"]).expect_err("there is no such marker");
        assert!(told.starts_with("`p` has no marker `post`"), "{told}");
        let told = measured(r#"[{"type": "X", "start": 0, "end": 1}]"#, &[]).expect_err("no name is equal");
        assert!(told.contains("--map X=mail"), "{told}");
        assert!(MapEntry::from_str("MAIL").is_err() && MapEntry::from_str("=mail").is_err());
    }
}
