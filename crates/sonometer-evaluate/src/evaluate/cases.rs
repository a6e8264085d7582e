//! From labels and outcomes to cases: whole items, or their segments.

use super::measure::Case;
use super::question::{Question, Scope};
use super::sensed::Outcome;
use crate::Error;
use crate::labels::{Item, Labelled, Path, Selector};
use serde_json::Value;
use sonometer::protocol::Modality;
use std::collections::BTreeMap;

/// The labels of all items, by the scope that is judged.
#[derive(Debug)]
pub(crate) enum Truths {
    /// One for each item.
    Whole(Vec<Option<bool>>),
    /// One for each segment of each item; none at all where the item has no label.
    Segments(Vec<Vec<Option<bool>>>),
}

/// What the labels at `path` are of, by their shape: places if they are lists of objects with `start`; segments if every
/// one is a list as long as its conversation; else whole items.
pub(crate) fn scope(path: &Path, items: &[Item]) -> Scope {
    let labelled = || items.iter().filter_map(|item| Some((item, path.find(&item.labels)?)));
    let lists = || labelled().filter(|(_, value)| !value.is_null());
    let of_places = |value: &Value| {
        value.as_array().is_some_and(|list| list.iter().all(|span| span.get("start").is_some()))
    };
    let of_segments = |(item, value): (&Item, &Value)| {
        let turns = item.interaction.turns().len();
        item.interaction.modality() == Modality::Transcript
            && value.as_array().is_some_and(|list| list.len() == turns)
    };
    let mut full =
        lists().filter(|(_, value)| value.as_array().is_none_or(|list| !list.is_empty())).peekable();
    if full.peek().is_some() && full.all(|(_, value)| of_places(value)) {
        Scope::Spans
    } else if lists().next().is_some() && lists().all(of_segments) {
        Scope::Segments
    } else {
        Scope::Whole
    }
}

impl Truths {
    /// Reads the labels at `path` as labels of whole items or of segments.
    pub(crate) fn read(
        labels: &Labelled,
        selector: &Selector,
        path: &Path,
        items: &[Item],
        scope: Scope,
    ) -> Result<Self, Error> {
        if scope != Scope::Segments {
            return labels.truths(selector, path, items).map(Self::Whole);
        }
        let of_item = |item: &Item| {
            let turns = item.interaction.turns().len();
            match path.find(&item.labels) {
                None | Some(Value::Null) => Ok(vec![None; turns]),
                Some(Value::Array(values)) if values.len() == turns => {
                    let truth = |(at, value)| {
                        let wrong = |wrong: String| labels.wrong(item, &format!("{path}[{at}]"), &wrong);
                        selector.truth(value).map_err(wrong)
                    };
                    values.iter().enumerate().map(truth).collect()
                }
                Some(Value::Array(values)) => Err(labels.wrong(
                    item,
                    path,
                    &format!(
                        "a list of {} values for {turns} segments; give one value, or null, for each",
                        values.len()
                    ),
                )),
                Some(_) => {
                    Err(labels.wrong(item, path, "not a list; give one value, or null, for each segment"))
                }
            }
        };
        items.iter().map(of_item).collect::<Result<_, _>>().map(Self::Segments)
    }

    /// How many are not labelled, or in neither class.
    pub(crate) fn left_out(&self) -> usize {
        match self {
            Self::Whole(truths) => truths.iter().filter(|truth| truth.is_none()).count(),
            Self::Segments(truths) => truths.iter().flatten().filter(|truth| truth.is_none()).count(),
        }
    }

    /// What is labelled, with what is predicted.
    pub(crate) fn cases(&self, question: &Question, outcomes: &[Outcome]) -> Vec<Case> {
        let case = |item: usize, segment, truth, (value, predicted)| Case {
            truth,
            predicted,
            value,
            sufficient: outcomes[item].sufficient,
            item,
            segment,
            cluster: item,
        };
        match self {
            Self::Whole(truths) => {
                let labelled = truths.iter().enumerate().filter_map(|(item, truth)| Some((item, (*truth)?)));
                labelled
                    .map(|(item, truth)| case(item, None, truth, question.whole(&outcomes[item])))
                    .collect()
            }
            Self::Segments(truths) => {
                let segments = truths.iter().enumerate().flat_map(|(item, truths)| {
                    truths.iter().enumerate().map(move |(at, truth)| (item, at, truth))
                });
                segments
                    .filter_map(|(item, at, truth)| {
                        Some(case(item, Some(at), (*truth)?, question.segment(&outcomes[item], at)))
                    })
                    .collect()
            }
        }
    }
}

/// The cluster of each item: its group, else itself.
pub(crate) fn clusters(selector: &Selector, items: &[Item]) -> Vec<usize> {
    let Some(group) = selector.group.as_deref().map(Path::from) else { return (0..items.len()).collect() };
    let mut numbers = BTreeMap::new();
    let number = |item| {
        let next = numbers.len();
        *numbers.entry(group.key(item)).or_insert(next)
    };
    items.iter().map(number).collect()
}

/// Numbers the clusters of some cases from 0, without gaps, in the order of the cases.
pub(crate) fn renumber(cases: &mut [Case]) {
    let mut numbers = BTreeMap::new();
    for case in cases {
        let next = numbers.len();
        case.cluster = *numbers.entry(case.cluster).or_insert(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Interaction;

    fn items(labels: &[Value]) -> Vec<Item> {
        let talk = r#"{"segments": [{"role": "a", "content": "x"}, {"role": "b", "content": "y"}]}"#;
        let item = |labels: &Value| Item {
            line: 1,
            id: "i".into(),
            interaction: Interaction::from_json(talk).expect("is sound"),
            other: None,
            labels: serde_json::json!({ "l": labels }),
        };
        labels.iter().map(item).collect()
    }

    #[test]
    fn the_shape_of_a_label_says_what_it_is_of() {
        use serde_json::json;
        let of = |labels: &[Value]| scope(&Path::from("l"), &items(labels));
        assert_eq!(of(&[json!(true), json!(null)]), Scope::Whole);
        assert_eq!(of(&[json!([true, null]), json!(null)]), Scope::Segments);
        assert_eq!(of(&[json!([["a"], null]), json!([["a", "b"], []])]), Scope::Segments);
        assert_eq!(of(&[json!(["a", "b"]), json!(["a"])]), Scope::Whole);
        assert_eq!(of(&[json!([]), json!([{"type": "T", "start": 0, "end": 1}])]), Scope::Spans);
        assert_eq!(of(&[json!([]), json!([])]), Scope::Whole);
    }
}
