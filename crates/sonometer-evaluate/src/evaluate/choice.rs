//! How one of several markers is chosen: which marker stands for which value of a label, and which of them holds in a reading.

use super::question;
use super::sensed::Outcome;
use super::spans::MapEntry;
use crate::Error;
use sonometer::Unit;
use sonometer::diagnostic::some_of;
use sonometer::protocol::Protocol;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Which marker is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The one with the highest activation. Where one value of the label has no marker, only markers that trigger are compared, and if
    /// none does, that value is chosen.
    Highest,
    /// The first that triggers, in the order of the map (without one, of the protocol).
    First,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "highest" => Ok(Self::Highest),
            "first" => Ok(Self::First),
            _ => Err("write `highest` or `first`".into()),
        }
    }
}

/// The values of the label, and what chooses each.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// The values, in the order of preference; one without a marker comes last.
    pub(crate) names: Vec<String>,
    /// The markers of each, by their place in the protocol.
    markers: Vec<Vec<usize>>,
    choice: Choice,
}

impl Values {
    /// By the caller's map, else each value has the marker of its name.
    pub(super) fn of(
        protocol: &Protocol,
        choice: Choice,
        entries: &[MapEntry],
        there: &BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut chosen: Vec<(String, Vec<usize>)> = Vec::new();
        for entry in entries {
            for value in entry.types() {
                if !there.contains(value) {
                    let values: Vec<&str> = there.iter().map(String::as_str).collect();
                    return Err(Error::unusable(format!(
                        "the label never has the value `{value}`; its values are {}",
                        some_of(&values)
                    )));
                }
                let markers = entry
                    .markers()
                    .iter()
                    .map(|name| question::marker(protocol, name))
                    .collect::<Result<_, _>>()?;
                chosen.push((value.clone(), markers));
            }
        }
        if entries.is_empty() {
            for (at, marker) in protocol.markers.iter().enumerate() {
                let own = there.iter().find(|value| question::same_name(&marker.label, value));
                chosen.extend(own.map(|value| (value.clone(), vec![at])));
            }
        }
        let without: Vec<&str> = there
            .iter()
            .filter(|value| chosen.iter().all(|(own, _)| own != *value))
            .map(String::as_str)
            .collect();
        if chosen.is_empty() || without.len() > 1 {
            let labels: Vec<&str> = protocol.markers.iter().map(|marker| marker.label.as_str()).collect();
            return Err(Error::unusable(format!(
                "one value at most may have no marker, here {} have none; map values to markers, for example --map {}={} \
                 (markers: {})",
                some_of(&without),
                without.first().unwrap_or(&"VALUE"),
                labels.first().unwrap_or(&"marker"),
                some_of(&labels)
            )));
        }
        chosen.extend(without.first().map(|value| ((*value).to_owned(), Vec::new())));
        let (names, markers) = chosen.into_iter().unzip();
        Ok(Self { names, markers, choice })
    }

    /// The value that holds where no marker triggers; `None`: every value has a marker.
    fn rest(&self) -> Option<usize> {
        self.markers.iter().position(Vec::is_empty)
    }

    /// What an outcome chooses, with the activation that decided; `None`: nothing, since too little was measured or no marker speaks.
    pub(super) fn choose(&self, outcome: &Outcome) -> Option<(usize, Unit)> {
        if !outcome.sufficient {
            return None;
        }
        let must_trigger = self.choice == Choice::First || self.rest().is_some();
        let activation = |value: usize| {
            let own = outcome.markers.iter().filter(|(marker, _)| self.markers[value].contains(marker));
            own.filter(|(_, own)| own.triggered || !must_trigger).map(|(_, own)| own.activation).max()
        };
        let mut speaking = (0..self.names.len()).filter_map(|value| Some((value, activation(value)?)));
        let chosen = match self.choice {
            Choice::First => speaking.next(),
            // Of equals the first, as the file of `fit --choice` says.
            Choice::Highest => speaking.reduce(|best, own| if own.1 > best.1 { own } else { best }),
        };
        chosen.or_else(|| Some((self.rest()?, Unit::ZERO)))
    }

    /// The rule in words.
    pub(crate) fn rule(&self) -> String {
        match (self.choice, self.rest()) {
            (Choice::First, Some(rest)) => {
                format!("the first marker that triggers, of {}; none: {}", self.order(), self.names[rest])
            }
            (Choice::First, None) => format!("the first marker that triggers, of {}", self.order()),
            (Choice::Highest, Some(rest)) => {
                format!(
                    "of the markers that trigger, the one with the highest activation; none: {}",
                    self.names[rest]
                )
            }
            (Choice::Highest, None) => "the marker with the highest activation".to_owned(),
        }
    }

    fn order(&self) -> String {
        let with = self.names.iter().zip(&self.markers).filter(|(_, markers)| !markers.is_empty());
        with.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Resonance;

    fn protocol() -> Protocol {
        let marker =
            |label: &str| format!(r#"{{"label": "{label}", "strong": "{label}", "hit": "{label}"}}"#);
        let text = format!(
            r#"{{"sonometer": 1, "id": "p", "version": "1", "taxonomy": "Signal", "score": "any", "markers": [{}, {}]}}"#,
            marker("full_refusal"),
            marker("partial")
        );
        Protocol::read(&text).expect("is sound").0
    }

    fn outcome(markers: &[(usize, i64, bool)]) -> Outcome {
        let of = |(marker, activation, triggered): &(usize, i64, bool)| {
            (
                *marker,
                Resonance { activation: Unit(*activation), triggered: *triggered, evidence: Unit::ZERO },
            )
        };
        Outcome { sufficient: true, markers: markers.iter().map(of).collect(), ..Outcome::default() }
    }

    fn there(values: &[&str]) -> BTreeSet<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn the_highest_holds_and_the_value_without_marker_where_none_triggers() {
        let of = |there: &[&str]| {
            Values::of(&protocol(), Choice::Highest, &[], &self::there(there)).expect("can be asked")
        };
        let chosen = |values: &Values, markers: &[(usize, i64, bool)]| {
            values.choose(&outcome(markers)).map(|(value, _)| values.names[value].clone())
        };
        let all = of(&["full-refusal", "partial"]);
        assert_eq!(chosen(&all, &[(0, 200_000, false), (1, 300_000, false)]).as_deref(), Some("partial"));
        assert_eq!(chosen(&all, &[(0, 300_000, false), (1, 300_000, true)]).as_deref(), Some("full-refusal"));
        assert_eq!(chosen(&all, &[]), None, "nothing speaks");
        let with_rest = of(&["full-refusal", "none", "partial"]);
        assert_eq!(chosen(&with_rest, &[(0, 900_000, false)]).as_deref(), Some("none"));
        assert_eq!(chosen(&with_rest, &[(0, 900_000, false), (1, 1, true)]).as_deref(), Some("partial"));
        assert_eq!(with_rest.choose(&Outcome { sufficient: false, ..outcome(&[(1, 1, true)]) }), None);
    }

    #[test]
    fn the_first_of_the_map_holds_however_sure_another_is() {
        let map: Vec<MapEntry> = ["half=partial", "full=full_refusal"]
            .iter()
            .map(|entry| entry.parse().expect("is a map"))
            .collect();
        let values = Values::of(&protocol(), Choice::First, &map, &there(&["full", "half", "no"]))
            .expect("can be asked");
        assert_eq!(values.names, ["half", "full", "no"]);
        let both = outcome(&[(0, 900_000, true), (1, 500_000, true)]);
        assert_eq!(values.choose(&both), Some((0, Unit(500_000))));
        assert_eq!(values.rule(), "the first marker that triggers, of half, full; none: no");
    }

    #[test]
    fn what_cannot_be_mapped_is_told_with_what_to_type() {
        let told = |map: &[&str], values: &[&str]| {
            let map: Vec<MapEntry> = map.iter().map(|entry| entry.parse().expect("is a map")).collect();
            Values::of(&protocol(), Choice::Highest, &map, &there(values))
                .expect_err("is refused")
                .to_string()
        };
        assert_eq!(
            told(&[], &["full", "half"]),
            "one value at most may have no marker, here full, half have none; map values to markers, for example --map \
             full=full_refusal (markers: full_refusal, partial)"
        );
        assert_eq!(
            told(&["whole=partial"], &["full", "half"]),
            "the label never has the value `whole`; its values are full, half"
        );
    }
}
