//! A list from pairs of texts of which a label says which is more of something: for `compare`, which ranks by the score.
//!
//! The model is fitted to differences, the counts of the first text minus those of the second, each pair both ways round: so no bias is left, and
//! what both texts have in common says nothing (T. Joachims, "Optimizing search engines using clickthrough data", KDD 2002).

use super::data::{Data, file_name};
use super::folds::{Chosen, part_by};
use super::learn::{Bounds, Fitted, Parts, Seen, Training, learn};
use super::likeness::{Alike, Clusters, Forest};
use super::matrix::{Matrix, Row};
use super::measure;
use super::pair_report::{PairFigures, PairReport, Verdicts};
use super::scale::{self, Weighted};
use super::settings::{Settings, costs};
use super::write::unweighted;
use super::{Example, is_heard};
use crate::error::{Error, Place};
use crate::evaluate::pairs::{length, truths};
use crate::labels::{Labelled, Path, Selector};
use crate::watch::{Steps, Watch};
use sonometer::{Interaction, Turn, Unit};
use sonometer_report::counted;
use std::collections::BTreeMap;

/// Fewer pairs tell nothing that would hold elsewhere.
const FEWEST_PAIRS: usize = 10;

/// Two texts, by their numbers, and whether the first is the one that the label names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) texts: [usize; 2],
    pub(crate) first: bool,
}

/// Makes a protocol of one weighted list from labelled pairs, by whose score the text that the label names ranks higher.
///
/// # Errors
/// As [`fit`](super::fit); pairs that are all tied to each other by texts that they share.
pub fn fit_pairs(
    labelled: &Labelled,
    selector: &Selector,
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<PairReport, Error> {
    settings.expect_pairs()?;
    let form = settings.form()?;
    let costs = costs(&settings.regularisation)?;
    let source = read(labelled, selector)?;
    let texts: Vec<&Interaction> = source.texts.iter().map(|example| &example.interaction).collect();
    let heard = form.heard(settings.by.as_ref(), &texts)?;
    let is_heard = |turn: &Turn| is_heard(heard.as_ref(), turn);
    let (clusters, alike) = source.clusters(settings.likeness, &is_heard, &mut *watch)?;
    let groups = clusters.iter().max().map_or(0, |last| last + 1);
    if groups < 2 {
        let message = "all pairs are tied to each other by texts that they share or that are alike, so none can be kept apart to measure \
                       on; give pairs of more texts, or part them regardless with --no-likeness";
        return Err(Error::at(Place::of(&labelled.name), message));
    }
    let patterns = settings.patterns(&form, heard.as_ref(), &texts)?;
    let skeleton = form.protocol(&unweighted(patterns))?;
    let at = skeleton.markers.iter().position(|marker| marker.label == settings.marker).unwrap_or_default();
    let steps = &mut Steps::new(&mut *watch, "counting", texts.len());
    let matrix = Matrix::count(&skeleton, at, &texts, steps)?;
    let parts = source.part(&clusters, usize::from(settings.folds).min(groups));
    let differences = Differences::of(&matrix, &source.pairs);
    let bounds = Bounds { size: settings.size, support: 1, balanced: false };

    let nothing = || {
        let message = format!(
            "no pattern tells the texts apart; lower --support (now {}), or give more pairs",
            settings.support
        );
        Error::at(Place::of(&labelled.name), message)
    };
    let steps = &mut Steps::new(&mut *watch, "fitting", costs.len() * parts.count);
    let mut models: Vec<Vec<Fitted>> = Vec::new();
    for cost in &costs {
        let mut own = Vec::new();
        for fold in 0..parts.count {
            own.push(differences.learn(&parts.outside(fold), *cost, bounds, steps)?);
            steps.advance(1)?;
        }
        models.push(own);
    }
    let task = Task { source: &source, matrix: &matrix, parts: &parts, models: &models };
    let steps = &mut Steps::new(watch, "measuring", 2 * source.pairs.len());
    let list = |model: &Fitted, chosen: &Chosen| -> Weighted {
        let (weights, bias) = scale::plain_weights(model, matrix.patterns.len(), chosen);
        scale::listed(&matrix.patterns, weights, bias)
    };
    let mut held_out = Vec::new();
    for fold in 0..parts.count {
        let chosen = task.choose(Some(fold));
        let weighted = list(task.model(chosen.cost, fold), &chosen);
        if weighted.lines.is_empty() {
            return Err(nothing());
        }
        held_out.extend(source.verdicts(
            &form.protocol(&weighted)?,
            &settings.marker,
            &parts.inside(fold),
            steps,
        )?);
    }
    let chosen = task.choose(None);
    let all: Vec<usize> = (0..source.pairs.len()).collect();
    let weighted = list(&differences.learn(&all, costs[chosen.cost], bounds, steps)?, &chosen);
    if weighted.lines.is_empty() {
        return Err(nothing());
    }
    let protocol = form.protocol(&weighted)?;
    let training = source.verdicts(&protocol, &settings.marker, &all, steps)?;
    let mut report = PairReport {
        data: source.data(labelled, selector)?,
        pairs: source.pairs.len(),
        texts: texts.len(),
        groups,
        alike,
        candidates: matrix.patterns.len(),
        by_hand: form.by_hand(&weighted),
        weighted,
        cost: costs[chosen.cost],
        folds: parts.count,
        held_out: PairFigures::of(&held_out),
        training: PairFigures::of(&training),
        settings: settings.to_string(),
        protocol: String::new(),
    };
    report.protocol = form.render(&protocol, &report.weighted, &report.notes())?;
    Ok(report)
}

/// Labelled pairs of texts, each text once.
struct Source {
    texts: Vec<Example>,
    /// How long each is, in code points.
    lengths: Vec<usize>,
    pairs: Vec<Pair>,
    /// What of the pairs belongs together.
    groups: Vec<String>,
    label: Path,
}

fn read(labelled: &Labelled, selector: &Selector) -> Result<Source, Error> {
    let items = labelled.select(selector)?;
    let label = labelled.label(selector, &items)?;
    let truths = truths(labelled, selector, &label, &items)?;
    let group = selector.group.as_deref().map(Path::from);
    let mut source =
        Source { texts: Vec::new(), lengths: Vec::new(), pairs: Vec::new(), groups: Vec::new(), label };
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (item, truth) in items.iter().zip(truths) {
        let (Some(first), Some(other)) = (truth, &item.other) else { continue };
        let mut number = |interaction: &Interaction| {
            let turns = interaction.turns().iter();
            let key: Vec<_> = turns.map(|turn| (turn.role.as_deref(), &*turn.content)).collect();
            let key = serde_json::json!(key).to_string();
            let next = source.texts.len();
            *known.entry(key).or_insert_with(|| {
                source.lengths.push(length(interaction));
                let (group, interaction) = (next.to_string(), interaction.clone());
                source.texts.push(Example { group, interaction, positive: false });
                next
            })
        };
        let texts = [number(&item.interaction), number(other)];
        source.pairs.push(Pair { texts, first });
        source.groups.push(group.as_ref().map_or_else(|| item.id.clone(), |group| group.key(item)));
    }
    if source.pairs.len() < FEWEST_PAIRS {
        let message = format!(
            "{} labelled by `{}`; at least {FEWEST_PAIRS} are needed; label more pairs, or name the values with --positive and --negative",
            counted(source.pairs.len(), "pair"),
            source.label
        );
        return Err(Error::at(Place::of(&labelled.name), message));
    }
    Ok(source)
}

impl Source {
    /// Of each pair what must not be parted: pairs of one group, and, if `by_likeness`, those that share a text or have texts that are
    /// alike.
    fn clusters(
        &self,
        by_likeness: bool,
        is_heard: &dyn Fn(&Turn) -> bool,
        watch: Watch<'_>,
    ) -> Result<(Vec<usize>, Option<Alike>), Error> {
        // Texts come first, then pairs.
        let mut forest = Forest::new(self.texts.len() + self.pairs.len());
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, group) in self.groups.iter().enumerate() {
            let first = *groups.entry(group).or_insert(at);
            forest.join(self.texts.len() + first, self.texts.len() + at, usize::MAX);
        }
        let mut alike = None;
        if by_likeness {
            let texts = Clusters::of(&self.texts, true, is_heard, watch)?;
            let mut first: BTreeMap<usize, usize> = BTreeMap::new();
            for (text, cluster) in texts.of.iter().enumerate() {
                forest.join(*first.entry(*cluster).or_insert(text), text, usize::MAX);
            }
            for (at, pair) in self.pairs.iter().enumerate() {
                pair.texts.iter().for_each(|text| {
                    forest.join(*text, self.texts.len() + at, usize::MAX);
                });
            }
            alike = texts.alike;
        }
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let all = forest.numbers();
        let of = all[self.texts.len()..].iter().map(|root| {
            let next = numbers.len();
            *numbers.entry(*root).or_insert(next)
        });
        Ok((of.collect(), alike))
    }

    fn part(&self, clusters: &[usize], count: usize) -> Parts {
        // Only the groups of the examples are looked at, for an order that is no order of the data.
        let example = |(pair, group): (&Pair, &String)| Example {
            group: group.clone(),
            ..self.texts[pair.texts[0]].clone()
        };
        let examples: Vec<Example> = self.pairs.iter().zip(&self.groups).map(example).collect();
        let class = vec![0; examples.len()];
        let clusters = Clusters { of: clusters.to_vec(), alike: None };
        part_by(&examples, &class, 1, &clusters, count)
    }

    /// How the engine judges some pairs, by the activations of both texts.
    fn verdicts(
        &self,
        protocol: &sonometer::Protocol,
        label: &str,
        at: &[usize],
        steps: &mut Steps<'_>,
    ) -> Result<Vec<Verdicts>, Error> {
        let mut texts: Vec<usize> = at.iter().flat_map(|at| self.pairs[*at].texts).collect();
        texts.sort_unstable();
        texts.dedup();
        let interactions: Vec<&Interaction> =
            texts.iter().map(|text| &self.texts[*text].interaction).collect();
        let outcomes = measure::ordinary(protocol, label, &interactions, steps)?;
        let read: BTreeMap<usize, measure::Outcome> = texts.into_iter().zip(outcomes).collect();
        let verdict = |at: &usize| {
            let Pair { texts: [a, b], first } = self.pairs[*at];
            let sign = if first { 1 } else { -1 };
            let lead = read[&a].activation.0 - read[&b].activation.0;
            let [long, short] = [self.lengths[a].max(self.lengths[b]), self.lengths[a].min(self.lengths[b])];
            let longer = self.lengths[a].cmp(&self.lengths[b]) as i64;
            Verdicts {
                lead: (read[&a].sufficient && read[&b].sufficient).then_some(sign * lead),
                longer: sign * longer,
                // Nearly as long: they differ by at most a tenth of the longer.
                even: 10 * (long - short) <= long,
            }
        };
        Ok(at.iter().map(verdict).collect())
    }

    fn data(&self, labelled: &Labelled, selector: &Selector) -> Result<Data, Error> {
        Ok(Data {
            name: file_name(&labelled.name).to_owned(),
            digest: labelled.digest(),
            label: super::data::told(selector, &self.label, false),
            examples: Vec::new(),
        })
    }
}

/// The rows of all pairs, each both ways round: 2 n as it stands, 2 n + 1 the other way.
struct Differences {
    matrix: Matrix,
    positive: Vec<bool>,
}

impl Differences {
    fn of(matrix: &Matrix, pairs: &[Pair]) -> Self {
        let (mut rows, mut positive) = (Vec::new(), Vec::new());
        for Pair { texts: [a, b], first } in pairs {
            let row = difference(&matrix.rows[*a], &matrix.rows[*b]);
            let other = row.iter().map(|(column, value)| (*column, -value)).collect();
            rows.extend([row, other]);
            positive.extend([*first, !first]);
        }
        Self { matrix: Matrix { patterns: matrix.patterns.clone(), rows, bags: Vec::new() }, positive }
    }

    fn learn(
        &self,
        pairs: &[usize],
        cost: f64,
        bounds: Bounds,
        steps: &mut Steps<'_>,
    ) -> Result<Fitted, Error> {
        let training = Training { matrix: &self.matrix, positive: &self.positive, ordinary: &[] };
        let labelled = pairs.iter().flat_map(|pair| [2 * pair, 2 * pair + 1]).collect();
        let mut fitted = learn(training, &Seen { labelled, ordinary: Vec::new() }, cost, bounds, steps)?;
        // 0 but for what the solver left: a pair and its mirror pull it to both sides.
        fitted.linear.bias = 0.0;
        Ok(fitted)
    }
}

/// One row minus another.
fn difference(a: &Row, b: &Row) -> Row {
    let mut sums: BTreeMap<u32, f64> = a.iter().copied().collect();
    b.iter().for_each(|(column, value)| *sums.entry(*column).or_insert(0.0) -= value);
    sums.into_iter().filter(|(_, value)| *value != 0.0).collect()
}

struct Task<'t> {
    source: &'t Source,
    matrix: &'t Matrix,
    parts: &'t Parts,
    /// By cost and fold.
    models: &'t [Vec<Fitted>],
}

impl Task<'_> {
    /// The model of a cost without a fold.
    fn model(&self, cost: usize, fold: usize) -> &Fitted {
        &self.models[cost][fold]
    }

    /// The cost with the most pairs right, by models that have not seen them and without looking at the fold `hidden`; and the range of the
    /// values of their texts. Of equally good ones, the first.
    fn choose(&self, hidden: Option<usize>) -> Chosen {
        let seen: Vec<usize> =
            (0..self.source.pairs.len()).filter(|at| Some(self.parts.of[*at]) != hidden).collect();
        let values = |cost: usize, at: usize| {
            let model = self.model(cost, self.parts.of[at]);
            self.source.pairs[at].texts.map(|text| model.decide(&self.matrix.rows[text]))
        };
        let right = |cost: usize| {
            let is_right = |at: &&usize| {
                let [a, b] = values(cost, **at);
                if self.source.pairs[**at].first { a > b } else { b > a }
            };
            seen.iter().filter(is_right).count()
        };
        let mut best = (0, right(0));
        for cost in 1..self.models.len() {
            let found = right(cost);
            if found > best.1 {
                best = (cost, found);
            }
        }
        let all = || seen.iter().flat_map(|at| values(best.0, *at));
        let range = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        Chosen { cost: best.0, threshold: range.0 + (range.1 - range.0) / 2.0, range }
    }
}

impl PairFigures {
    pub(crate) fn of(verdicts: &[Verdicts]) -> Self {
        // Half a hit where nothing is decided, as a coin would have.
        let share = |of: &dyn Fn(&Verdicts) -> i64, among: &[&Verdicts]| {
            let halves: i64 = among.iter().map(|own| of(own).signum() + 1).sum();
            (!among.is_empty()).then(|| Unit(halves * 1_000_000 / (2 * among.len() as i64)))
        };
        let lead = |own: &Verdicts| own.lead.unwrap_or(0);
        let longer = |own: &Verdicts| own.longer;
        let all: Vec<&Verdicts> = verdicts.iter().collect();
        let even: Vec<&Verdicts> = verdicts.iter().filter(|own| own.even).collect();
        Self {
            pairs: all.len(),
            accuracy: share(&lead, &all),
            longer: share(&longer, &all),
            even: even.len(),
            even_accuracy: share(&lead, &even),
            even_longer: share(&longer, &even),
            unmeasured: verdicts.iter().filter(|own| own.lead.is_none()).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_what_only_one_text_has() {
        let (a, b) = (vec![(0, 1.0), (2, 2.0)], vec![(1, 1.0), (2, 2.0), (4, 0.5)]);
        assert_eq!(difference(&a, &b), [(0, 1.0), (1, -1.0), (4, -0.5)]);
    }

    #[test]
    fn undecided_pairs_are_half_right() {
        let own = |lead, longer, even| Verdicts { lead, longer, even };
        let all =
            [own(Some(5), 1, true), own(Some(-5), 1, false), own(None, 1, false), own(Some(3), -1, true)];
        let figures = PairFigures::of(&all);
        assert_eq!((figures.accuracy, figures.longer), (Some(Unit(625_000)), Some(Unit(750_000))));
        assert_eq!((figures.even, figures.even_accuracy), (2, Some(Unit::ONE)));
        assert_eq!((figures.even_longer, figures.unmeasured), (Some(Unit(500_000)), 1));
    }
}
