//! Actant flow on SGM 1.5: which side of a conversation carries which marker, and who takes it up from whom.

use super::Measured;
use crate::json::Json;
use crate::measure::part::{Portion, portions};
use crate::protocol::Sgm;
use crate::unit::Unit;

/// How actant flow is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowOptions<'v> {
    /// The role that is the primary side; the protocol's own without it.
    pub primary: Option<&'v str>,
}

/// Which side drives what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActantFlow<'r> {
    /// Markers of which the primary side has at least twice the evidence per word.
    pub primary_driven: Vec<&'r str>,
    /// Markers of which the secondary side has.
    pub secondary_driven: Vec<&'r str>,
    /// Who takes up what the other began.
    pub direction: Direction,
    /// The weighted evidence per word of the side with less ÷ that of the side with more; 1: both the same, 0: all on
    /// one side, or none.
    pub balance: Unit,
    /// The primary and the secondary side.
    pub sides: [Side; 2],
    /// The markers with evidence on a side, in the order of the protocol.
    pub markers: Vec<MarkerFlow<'r>>,
}

/// One side of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The protocol's name of the role; `None`: there is none, or it is everybody but the primary.
    pub role: Option<String>,
    /// Words said.
    pub words: u64,
    /// How often the other side spoke after it, and so could take up something.
    pub chances: u64,
    /// Evidence times weight of all markers.
    pub weighted: Unit,
}

/// What one marker does on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerFlow<'r> {
    /// The label.
    pub label: &'r str,
    /// Its evidence on the primary and on the secondary side.
    pub evidence: [Unit; 2],
    /// How often the other side took it up from the primary, and the reverse.
    pub leads: [u32; 2],
}

/// Which way markers travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The secondary side takes up what the primary said, clearly more often than the reverse.
    PrimaryToSecondary,
    /// The primary side takes up what the secondary said, clearly more often.
    SecondaryToPrimary,
    /// Each takes up something from the other.
    Mutual,
    /// Nothing is taken up, or too little to tell.
    None,
}

impl Direction {
    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrimaryToSecondary => "primary_to_secondary",
            Self::SecondaryToPrimary => "secondary_to_primary",
            Self::Mutual => "mutual",
            Self::None => "none",
        }
    }
}

const PRIMARY: usize = 0;
const SECONDARY: usize = 1;

impl Measured {
    /// The actant flow; `None` on SGM 1.0.
    pub fn actant_flow(&self, options: FlowOptions<'_>) -> Option<ActantFlow<'_>> {
        (self.protocol().sgm >= Sgm::V1_5).then(|| self.flow(options))
    }

    fn flow(&self, options: FlowOptions<'_>) -> ActantFlow<'_> {
        let plan = self.sensor.plan();
        let (roles, side_of) = self.sides(options.primary);
        let mut sides = roles.map(|role| Side { role, ..Side::default() });
        for (side, words) in side_of.iter().zip(&self.turn_words) {
            if let Some(side) = side {
                sides[*side].words += words;
            }
        }
        let runs = Runs::of(&side_of);
        for (side, chances) in sides.iter_mut().zip(runs.chances()) {
            side.chances = chances;
        }
        let in_runs = portions(plan, &self.candidates, |turn| runs.run_of[turn]);
        let mut markers: Vec<(usize, MarkerFlow<'_>)> = Vec::new();
        for Portion { part: side, marker, evidence } in portions(plan, &self.candidates, |turn| side_of[turn])
        {
            let weight = plan.protocol.markers[marker].importance.weight();
            sides[side].weighted = sides[side].weighted + Unit(weight * evidence.0);
            let at = markers.binary_search_by_key(&marker, |(marker, _)| *marker).unwrap_or_else(|at| {
                let label = &plan.protocol.markers[marker].label;
                let leads = runs.leads(&in_runs, marker);
                markers.insert(at, (marker, MarkerFlow { label, evidence: [Unit::ZERO; 2], leads }));
                at
            });
            markers[at].1.evidence[side] = evidence;
        }
        let markers: Vec<MarkerFlow<'_>> = markers.into_iter().map(|(_, flow)| flow).collect();
        let words = sides.each_ref().map(|side| side.words);
        let chances = sides.each_ref().map(|side| side.chances);
        let driven_by = |side: usize| {
            let other = 1 - side;
            let drives = move |flow: &&MarkerFlow<'_>| {
                let rate = |side: usize, other: usize| per_word(flow.evidence[side], words[other]);
                flow.evidence[side] > Unit::ZERO && rate(side, other) >= 2 * rate(other, side)
            };
            markers.iter().filter(drives).map(|flow| flow.label).collect()
        };
        ActantFlow {
            primary_driven: driven_by(PRIMARY),
            secondary_driven: driven_by(SECONDARY),
            direction: direction(chances, markers.iter().map(|flow| flow.leads)),
            balance: balance(sides.each_ref().map(|side| side.weighted), words),
            sides,
            markers,
        }
    }

    /// The role of each side, and the side of each turn.
    fn sides(&self, primary: Option<&str>) -> ([Option<String>; 2], Vec<Option<usize>>) {
        let plan = self.sensor.plan();
        let actants = &plan.protocol.actants;
        let name = |role: &str| plan.role_name(role);
        let turns = self.interaction().turns();
        let spoken: Vec<Option<String>> = turns.iter().map(|t| t.role.as_deref().map(name)).collect();
        // A role that nobody has is no side: a protocol for agents and customers works for Ann and Bob, too.
        let named = [&actants.primary, &actants.secondary].map(|role| {
            let role = role.as_deref().map(name);
            role.filter(|role| spoken.iter().flatten().any(|spoken| spoken == role))
        });
        let first = || spoken.iter().flatten().find(|role| Some(*role) != named[SECONDARY].as_ref()).cloned();
        let primary = primary.map(name).or_else(|| named[PRIMARY].clone()).or_else(first);
        // Where the caller turns the sides round, the protocol's primary is the other side.
        let secondary = [named[SECONDARY].clone(), named[PRIMARY].clone()]
            .into_iter()
            .take(if named[SECONDARY].is_some() { 2 } else { 0 })
            .flatten()
            .find(|role| Some(role) != primary.as_ref());
        let side = |role: &String| match (Some(role) == primary.as_ref(), &secondary) {
            (true, _) => Some(PRIMARY),
            (false, Some(secondary)) => (role == secondary).then_some(SECONDARY),
            (false, None) => Some(SECONDARY),
        };
        let side_of = spoken.iter().map(|role| role.as_ref().and_then(side)).collect();
        ([primary, secondary], side_of)
    }
}

impl ActantFlow<'_> {
    /// The members of the result.
    pub(crate) fn write(&self, json: &mut Json) {
        for (key, labels) in
            [("primary_driven", &self.primary_driven), ("secondary_driven", &self.secondary_driven)]
        {
            json.key(key).list(|json| labels.iter().for_each(|label| json.string(label)));
        }
        json.key("direction").string(self.direction.as_str());
        json.key("balance").number(self.balance);
    }

    /// The members of the ledger: those of the result, and what they come from.
    pub(crate) fn write_all(&self, json: &mut Json) {
        self.write(json);
        for (key, side) in ["primary", "secondary"].into_iter().zip(&self.sides) {
            json.key(key).object(|json| {
                match &side.role {
                    Some(role) => json.key("role").string(role),
                    None => json.key("role").null(),
                }
                json.key("words").count(side.words);
                json.key("chances").count(side.chances);
                json.key("weighted").number(side.weighted);
            });
        }
        json.key("markers").list(|json| {
            for flow in &self.markers {
                json.object(|json| {
                    json.key("label").string(flow.label);
                    json.key("evidence").list(|json| flow.evidence.iter().for_each(|e| json.number(*e)));
                    json.key("leads").list(|json| flow.leads.iter().for_each(|n| json.count((*n).into())));
                });
            }
        });
    }
}

/// Evidence of a side, times the words of the other: comparing two such products compares evidence per word.
fn per_word(evidence: Unit, words_of_other: u64) -> i128 {
    i128::from(evidence.0) * i128::from(words_of_other.max(1))
}

/// The smaller rate ÷ the larger; 0 where neither side has any.
pub fn balance(weighted: [Unit; 2], words: [u64; 2]) -> Unit {
    let rates = [per_word(weighted[0], words[1]), per_word(weighted[1], words[0])];
    Unit::ratio(rates[0].min(rates[1]), rates[0].max(rates[1]))
}

/// Each marker votes for the side that leads it at least twice more and, by the chances of each, at least twice as often:
/// one time is no habit, and who speaks first has more chances. Prior art: linguistic coordination
/// (Danescu-Niculescu-Mizil and others), who adapts to whose words.
pub fn direction(chances: [u64; 2], leads: impl Iterator<Item = [u32; 2]>) -> Direction {
    let (mut votes, mut led) = ([0_u32; 2], [false; 2]);
    for leads in leads {
        for (side, other) in [(PRIMARY, SECONDARY), (SECONDARY, PRIMARY)] {
            let rate = |side: usize, other: usize| u128::from(leads[side]) * u128::from(chances[other]);
            led[side] |= leads[side] > 0;
            votes[side] +=
                u32::from(leads[side] >= leads[other] + 2 && rate(side, other) >= 2 * rate(other, side));
        }
    }
    match votes[PRIMARY].cmp(&votes[SECONDARY]) {
        std::cmp::Ordering::Greater => Direction::PrimaryToSecondary,
        std::cmp::Ordering::Less => Direction::SecondaryToPrimary,
        std::cmp::Ordering::Equal if led == [true; 2] => Direction::Mutual,
        std::cmp::Ordering::Equal => Direction::None,
    }
}

/// The turns of one side with none of the other between them, in order: sides alternate.
struct Runs {
    sides: Vec<usize>,
    run_of: Vec<Option<usize>>,
}

impl Runs {
    fn of(side_of: &[Option<usize>]) -> Self {
        let mut sides: Vec<usize> = Vec::new();
        let run_of = side_of.iter().map(|side| {
            let side = (*side)?;
            if sides.last() != Some(&side) {
                sides.push(side);
            }
            Some(sides.len() - 1)
        });
        let run_of = run_of.collect();
        Self { sides, run_of }
    }

    /// How many runs of each side one of the other follows.
    fn chances(&self) -> [u64; 2] {
        let mut chances = [0; 2];
        for pair in self.sides.windows(2) {
            chances[pair[0]] += 1;
        }
        chances
    }

    /// How often each side had a marker in a run and the other took it up in the next.
    fn leads(&self, in_runs: &[Portion], marker: usize) -> [u32; 2] {
        let mut has = vec![false; self.sides.len()];
        for portion in in_runs.iter().filter(|portion| portion.marker == marker) {
            has[portion.part] = true;
        }
        let mut leads = [0; 2];
        for (pair, side) in has.windows(2).zip(&self.sides) {
            leads[*side] += u32::from(pair[0] && pair[1]);
        }
        leads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_is_the_majority_of_markers() {
        let of = |leads: &[[u32; 2]]| direction([9, 9], leads.iter().copied());
        assert_eq!(of(&[[4, 2], [2, 0], [0, 9]]), Direction::PrimaryToSecondary);
        assert_eq!(of(&[[0, 2]]), Direction::SecondaryToPrimary);
        assert_eq!(of(&[[2, 0], [0, 2]]), Direction::Mutual);
        assert_eq!(of(&[[3, 3]]), Direction::Mutual);
        assert_eq!(of(&[[5, 3]]), Direction::Mutual); // more, but not twice as many
        assert_eq!(of(&[[2, 1]]), Direction::Mutual); // twice as many, but one more only
        assert_eq!(of(&[[1, 0], [1, 0]]), Direction::None); // each of them once, and one way
        assert_eq!(of(&[[0, 0]]), Direction::None);
        assert_eq!(of(&[]), Direction::None);
    }

    #[test]
    fn direction_is_by_the_chances_of_each() {
        let of = |chances| direction(chances, [[4, 2]].into_iter());
        assert_eq!(of([4, 4]), Direction::PrimaryToSecondary);
        assert_eq!(of([5, 4]), Direction::Mutual); // 4 of 5 are not twice 2 of 4
        assert_eq!(of([u64::MAX; 2]), Direction::PrimaryToSecondary);
    }

    #[test]
    fn balance_is_per_word() {
        assert_eq!(balance([Unit(2), Unit(1)], [200, 100]), Unit::ONE);
        assert_eq!(balance([Unit(2), Unit(1)], [100, 100]), Unit(500_000));
        assert_eq!(balance([Unit(2), Unit(0)], [1, 0]), Unit::ZERO);
        assert_eq!(balance([Unit(0); 2], [0, 0]), Unit::ZERO);
    }

    #[test]
    fn a_side_leads_what_the_other_takes_up_next() {
        let runs = Runs::of(&[Some(0), Some(0), None, Some(1), Some(0), Some(1)]);
        assert_eq!(runs.sides, [0, 1, 0, 1]);
        let in_run = |part| Portion { part, marker: 0, evidence: Unit(1) };
        assert_eq!(runs.leads(&[in_run(0), in_run(1)], 0), [1, 0]);
        assert_eq!(runs.leads(&[in_run(0), in_run(1), in_run(2)], 0), [1, 1]);
        assert_eq!(runs.leads(&[in_run(1), in_run(2)], 0), [0, 1]);
        assert_eq!(runs.leads(&[in_run(0), in_run(2)], 0), [0, 0]);
        assert_eq!(runs.leads(&[in_run(3)], 0), [0, 0]);
        assert_eq!(runs.chances(), [2, 1]);
        assert_eq!(Runs::of(&[None]).chances(), [0, 0]);
    }
}
