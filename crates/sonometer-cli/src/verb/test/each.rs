//! The tests of a protocol one by one, for editors and for the formats that continuous integration reads.

use crate::failure::Failure;
use crate::findings::Case;
use crate::verb::dive::StageSource;
use sonometer::diagnostic::Span;
use sonometer::{Error, Protocol};
use sonometer_author::test::{Bench, Ran, Trial, why};

/// A test that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tested {
    /// The marker of a line of `hit` or `miss`; none for a dialogue.
    pub(crate) marker: Option<String>,
    /// `hit`, `miss`, `dialogue`, `walkthrough`, or `target` for one that cannot be tested.
    pub(crate) kind: &'static str,
    /// The line, or the name of the dialogue.
    pub(crate) text: String,
    /// Its place in the file.
    pub(crate) span: Span,
    pub(crate) failed: bool,
    /// Why it failed; empty if it passed.
    pub(crate) why: Vec<String>,
}

impl Tested {
    /// The test in a few words: `thanks hit: Thank you.`
    pub(crate) fn name(&self) -> String {
        match &self.marker {
            Some(marker) => format!("{marker} {}: {}", self.kind, self.text),
            None => format!("{}: {}", self.kind, self.text),
        }
    }

    /// What is wrong with a test that failed, with every reason on a line of its own.
    pub(crate) fn message(&self) -> String {
        let what = match (&self.marker, self.kind) {
            (Some(marker), "hit") => format!("`{marker}` is not triggered by this line"),
            (Some(marker), _) => format!("`{marker}` is triggered by this line"),
            (None, "dialogue") => format!("the dialogue `{}` fails", self.text),
            (None, "walkthrough") => format!("the walkthrough `{}` does not end as declared", self.text),
            (None, _) => format!("{} cannot be tested", self.text),
        };
        std::iter::once(what).chain(self.why.iter().cloned()).collect::<Vec<_>>().join("\n")
    }
}

impl Tested {
    /// A target that cannot be tested, as a test that fails.
    pub(super) fn untested(target: &str, why: &str) -> Self {
        let (text, why) = (target.to_owned(), vec![why.to_owned()]);
        Self { marker: None, kind: "target", text, span: Span::default(), failed: true, why }
    }
}

/// The walkthroughs of a stage, and what must never pass there.
pub(super) fn of_stage(stage: &StageSource) -> Result<Vec<Tested>, Failure> {
    let world = stage.world()?;
    let test = |text: &str, failed: bool, why: String| Tested {
        marker: None,
        kind: "walkthrough",
        text: text.to_owned(),
        span: Span::default(),
        failed,
        why: if failed { vec![why] } else { Vec::new() },
    };
    let mut tests = Vec::new();
    for (name, run) in &world.stage().walkthroughs {
        let walk = world.walk(run);
        let ends = if walk.verdict.passed { "passes" } else { "fails" };
        let expected = if run.passes { "pass" } else { "fail" };
        let why = format!("it {ends} ({}); expected to {expected}", walk.verdict.reason.as_str());
        tests.push(test(name, !walk.as_expected, why));
    }
    let (passed, _) = world.degenerate();
    let why = format!("passes, but must fail: {}", passed.join(", "));
    tests.push(test("silence and repetition", !passed.is_empty(), why));
    Ok(tests)
}

/// Tests of targets as cases of a report.
pub(super) fn cases(tests: &[(&str, Vec<Tested>)]) -> Vec<Case> {
    let case = |target: &str, test: &Tested| Case {
        class: target.to_owned(),
        name: test.name(),
        failure: test.failed.then(|| test.message()),
    };
    tests.iter().flat_map(|(target, own)| own.iter().map(|test| case(target, test))).collect()
}

/// Runs every test, in the order of the file: markers, then dialogues.
pub(crate) fn tested(protocol: &Protocol) -> Result<Vec<Tested>, Error> {
    Ok(Bench::of(protocol).run_tests()?.iter().map(of).collect())
}

/// What came of one.
pub(super) fn of(ran: &Ran<'_>) -> Tested {
    let (marker, kind, text, span) = match ran.trial {
        Trial::Line { marker, line, wanted } => {
            let kind = if wanted { "hit" } else { "miss" };
            (Some(marker.label.clone()), kind, line.text.clone(), line.span)
        }
        Trial::Dialogue(dialogue) => (None, "dialogue", dialogue.name.clone(), dialogue.span),
    };
    Tested { marker, kind, text, span, failed: !ran.broken.is_empty(), why: why(ran) }
}

/// Each test of a target as a line of the Test Anything Protocol, numbered from `first`; a failure with its reasons.
pub(super) fn tap(target: &str, tests: &[Tested], first: usize) -> String {
    let mut text = String::new();
    for (number, test) in (first..).zip(tests) {
        let verdict = if test.failed { "not ok" } else { "ok" };
        // `#` begins a directive.
        let name = test.name().replace('\\', "\\\\").replace('#', "\\#");
        text.push_str(&format!(
            "{verdict} {number} - {}\n",
            crate::paint::one_line(&format!("{target} {name}"))
        ));
        if test.failed {
            text.extend(test.message().lines().map(|line| format!("# {line}\n")));
        }
    }
    text
}
