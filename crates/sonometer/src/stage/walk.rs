//! Walkthroughs: runs with a known outcome, the tests of a stage; and the runs that must fail in every stage.

use super::card::{Totals, Verdict};
use super::model::Walkthrough;
use super::world::World;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// What a walkthrough came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// How it was judged.
    pub verdict: Verdict,
    /// The sums.
    pub totals: Totals,
    /// Whether that is what the walkthrough expects.
    pub as_expected: bool,
}

impl World {
    /// Runs a walkthrough: all it says, until the world ends.
    pub fn walk(&self, walkthrough: &Walkthrough) -> Walk {
        let says = walkthrough.say.iter().map(String::as_str);
        let (verdict, totals) = self.run(walkthrough.seed, says);
        let reason = walkthrough.reason.is_none_or(|reason| reason == verdict.reason);
        Walk { as_expected: verdict.passed == walkthrough.passes && reason, verdict, totals }
    }

    /// Dives with these actions, until the world ends or refuses one.
    fn run<'a>(&self, seed: u64, actions: impl Iterator<Item = &'a str>) -> (Verdict, Totals) {
        let mut dive = self.open(seed);
        for action in actions {
            if dive.act(action).is_err() {
                break;
            }
        }
        (dive.verdict(), dive.totals())
    }

    /// Runs that no stage may let pass: silence, and each thing that a passing walkthrough of
    /// several actions says, over and over. Gives what
    /// passed although it must not, in words, and how many runs there were.
    pub fn degenerate(&self) -> (Vec<String>, usize) {
        let stage = self.stage();
        let turns = stage.envelope.max_turns as usize;
        let mut passed = Vec::new();
        let mut runs = 0;
        let mut say = |what: &str, action: &str, seed| {
            runs += 1;
            if self.run(seed, std::iter::repeat_n(action, turns)).0.passed {
                passed.push(what.to_owned());
            }
        };
        for silence in ["", ".", "…"] {
            say("silence", silence, 0);
        }
        // Where one thing is enough, saying it once is the run itself.
        let several = |run: &Walkthrough| run.passes && run.say.len() > 1;
        for (name, walkthrough) in stage.walkthroughs.iter().filter(|(_, run)| several(run)) {
            for action in &walkthrough.say {
                say(&format!("“{action}” of `{name}`, repeated"), action, walkthrough.seed);
            }
        }
        (passed, runs)
    }

    /// A warning for every walkthrough that ends otherwise than it expects.
    pub fn lint_walkthroughs(&self) -> Diagnostics {
        let mut found = Diagnostics::new();
        for (name, walkthrough) in &self.stage().walkthroughs {
            let Walk { verdict, as_expected, .. } = self.walk(walkthrough);
            if as_expected {
                continue;
            }
            let outcome = if verdict.passed { "passes" } else { "fails" };
            let message = format!("the walkthrough `{name}` {outcome}: {}", verdict.reason.as_str());
            let fix =
                format!("play it with `sonometer dive FILE --walkthrough {name}` to see where it differs");
            found.push(Diagnostic::warning("SM0656", walkthrough.span, message, fix));
        }
        found
    }
}
