//! By few machines of `regex-automata`: an automaton that is made while it runs, and, where that gives up (`\b` beside a letter
//! beyond ASCII), one that follows all ways of matching side by side. The place within a match that is known is found by one that tries
//! one way after the other, or, in a long match, by the patient one.

use super::{Kept, MAX_BYTES, PLACE_GROUP, Refusal};
use regex_automata::hybrid::{dfa, regex as hybrid};
use regex_automata::nfa::thompson::{self, WhichCaptures, backtrack, pikevm};
use regex_automata::util::iter::Searcher;
use regex_automata::{Anchored, Input, Match, MatchKind, PatternID};
use regex_syntax::hir::Hir;
use std::ops::Range;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Machine {
    automaton: hybrid::Regex,
    patient: pikevm::PikeVM,
    /// Tries one way of matching after the other, for groups of short matches.
    trier: backtrack::BoundedBacktracker,
    /// The number of the group that is the place.
    group: Option<usize>,
    caches: Kept<Cache>,
}

#[derive(Debug)]
struct Cache {
    automaton: hybrid::Cache,
    /// Made when they are needed for the first time.
    patient: Option<pikevm::Cache>,
    trier: Option<backtrack::Cache>,
}

impl Machine {
    /// Builds it, of automata of at most `limit` bytes each.
    pub(super) fn new(pattern: &str, limit: usize) -> Result<Self, Refusal> {
        let parsed = super::parse(pattern)?;
        let nfa = compile(&parsed, thompson::Config::new(), limit)?;
        let backward = thompson::Config::new().which_captures(WhichCaptures::None).reverse(true);
        let backward = compile(&parsed, backward, limit)?;
        // It never gives up for want of room; a full cache is begun anew.
        let config = dfa::Config::new()
            .unicode_word_boundary(true)
            .cache_capacity(MAX_BYTES)
            .skip_cache_capacity_check(true);
        let build = |nfa, kind| {
            let built = dfa::Builder::new().configure(config.clone().match_kind(kind)).build_from_nfa(nfa);
            built.map_err(|error| Refusal::Unreadable(error.to_string()))
        };
        let forward = build(nfa.clone(), MatchKind::LeftmostFirst)?;
        let automaton = hybrid::Builder::new().build_from_dfas(forward, build(backward, MatchKind::All)?);
        let group = nfa.group_info().to_index(PatternID::ZERO, PLACE_GROUP);
        let unreadable = |error: thompson::BuildError| Refusal::Unreadable(error.to_string());
        let patient = pikevm::Builder::new().build_from_nfa(nfa.clone()).map_err(unreadable)?;
        let trier = backtrack::Builder::new().build_from_nfa(nfa).map_err(unreadable)?;
        Ok(Self { automaton, patient, trier, group, caches: Kept::default() })
    }

    /// All matches from left to right, not overlapping.
    pub(super) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        self.with_cache(|cache| {
            let mut searcher = Searcher::new(Input::new(text));
            let next = || searcher.advance(|input| Ok(self.find(cache, input)));
            std::iter::from_fn(next).map(|found| found.range()).collect()
        })
    }

    /// The first match that begins at byte `at` or behind it; what stands before counts for `^` and `\b`.
    pub(super) fn find_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        self.with_cache(|cache| self.find(cache, &Input::new(text).range(at..))).map(|found| found.range())
    }

    /// What the group that is the place covers of a match in `text`; `None` without such a group, and where it took no part.
    pub(super) fn place(&self, text: &str, found: &Range<usize>) -> Option<Range<usize>> {
        let group = self.group?;
        self.with_cache(|cache| {
            let mut slots = vec![None; 2 * group + 2];
            // Where the match begins and ends is known, and of all ways to it the first one counts, as it did when it was found.
            let input = Input::new(text).range(found.clone()).anchored(Anchored::Yes);
            let trier = cache.trier.get_or_insert_with(|| self.trier.create_cache());
            // It gives up on a long match, for which it would need much memory.
            if self.trier.try_search_slots(trier, &input, &mut slots).is_err() {
                let patient = cache.patient.get_or_insert_with(|| self.patient.create_cache());
                self.patient.search_slots(patient, &input, &mut slots)?;
            }
            Some(slots[2 * group]?.get()..slots[2 * group + 1]?.get())
        })
    }

    /// By the fast machine, which stops only at `\b` beside a byte beyond ASCII; then by the patient one, from the same place, so that
    /// both find the same match.
    fn find(&self, cache: &mut Cache, input: &Input<'_>) -> Option<Match> {
        if let Ok(found) = self.automaton.try_search(&mut cache.automaton, input) {
            return found;
        }
        let patient = cache.patient.get_or_insert_with(|| self.patient.create_cache());
        let mut slots = [None, None];
        self.patient.search_slots(patient, input, &mut slots)?;
        Some(Match::new(PatternID::ZERO, slots[0]?.get()..slots[1]?.get()))
    }

    fn with_cache<T>(&self, work: impl FnOnce(&mut Cache) -> T) -> T {
        self.caches
            .lend(|| Cache { automaton: self.automaton.create_cache(), patient: None, trier: None }, work)
    }
}

fn compile(parsed: &Hir, config: thompson::Config, limit: usize) -> Result<thompson::NFA, Refusal> {
    let config = config.nfa_size_limit(Some(limit)).shrink(false);
    thompson::Compiler::new().configure(config).build_from_hir(parsed).map_err(|error| {
        match error.size_limit() {
            Some(_) => Refusal::TooLarge,
            None => Refusal::Unreadable(error.to_string()),
        }
    })
}
