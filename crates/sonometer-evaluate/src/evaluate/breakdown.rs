//! The figures for each value of another label: where a protocol is strong, and which kind of item it gets wrong.

use super::measure::{Case, Counts, share};
use super::result::Number;
use crate::labels::{Item, Path};
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer::Unit;
use std::collections::BTreeMap;

/// The cases of items with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) value: String,
    pub(crate) counts: Counts,
}

impl Part {
    /// The share of cases that are predicted as they are labelled: the one figure that a part with one class has.
    pub(crate) fn accuracy(&self) -> Option<Unit> {
        share(self.counts.true_positives + self.counts.true_negatives, self.counts.cases())
    }
}

/// One part for each value of the label at `path`, by value. An item with several values is in several parts.
pub(crate) fn parts(path: &Path, items: &[Item], cases: &[Case]) -> Vec<Part> {
    let mut parts: BTreeMap<String, Counts> = BTreeMap::new();
    for case in cases {
        for value in path.values(&items[case.item]) {
            parts.entry(value).or_default().add(case.truth, case.predicted, 1);
        }
    }
    parts.into_iter().map(|(value, counts)| Part { value, counts }).collect()
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = &self.counts;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &self.value)?;
        map.serialize_entry("cases", &counts.cases())?;
        map.serialize_entry("counts", counts)?;
        map.serialize_entry("accuracy", &self.accuracy().map(Number))?;
        map.serialize_entry("precision", &counts.precision().map(Number))?;
        map.serialize_entry("recall", &counts.recall().map(Number))?;
        map.serialize_entry("f1", &counts.f1().map(Number))?;
        map.end()
    }
}
