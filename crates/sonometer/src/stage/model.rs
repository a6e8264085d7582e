//! What a stage file says, as data.

use super::guard::Guard;
use super::template::Template;
use crate::composition::{Reference, TargetKind};
use crate::diagnostic::Span;
use crate::names::named;
use crate::protocol::Status;
use crate::unit::Unit;

/// A name of an author with what it stands for.
pub type Named<T> = (String, T);

/// A stage: a world that answers what an agent says, and the rules by which the agent passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// 1 to 64 lower-case letters, digits, `-` and `_`.
    pub id: String,
    /// The name for people; the id where the file has none.
    pub name: String,
    /// The version of the stage.
    pub version: String,
    /// A draft can change; a published version is frozen by its digest.
    pub status: Status,
    /// What it tries, for people.
    pub description: String,
    /// What senses every action: a protocol, a metric or a blueprint.
    pub target: (TargetKind, Reference),
    /// The place of the target in the file.
    pub(crate) target_span: Span,
    /// The goal that the agent is given.
    pub objective: String,
    /// As whom the two sides are sensed.
    pub roles: Roles,
    /// Who may dive.
    pub publication: Publication,
    /// How often an agent may dive, by mode: practice, graded.
    pub attempts: [Attempts; 2],
    /// The bounds of a dive.
    pub envelope: Envelope,
    /// Bounded whole numbers that the world keeps.
    pub vars: Vec<Named<Variable>>,
    /// Words of which each dive draws one.
    pub lists: Vec<Named<Vec<String>>>,
    /// The scene in which a dive begins, by its place in `scenes`.
    pub start: usize,
    /// The scenes, in the order of the file.
    pub scenes: Vec<Named<Scene>>,
    /// What is to be reached; once reached it stays so.
    pub checkpoints: Vec<Named<Guard>>,
    /// What must not happen; once tripped it stays so.
    pub flags: Vec<Named<Flag>>,
    /// Whether an action is on target.
    pub on_target: Guard,
    /// Whether the dive is passed, asked when it is closed.
    pub pass: Guard,
    /// Runs with their outcome: the tests of the stage.
    pub walkthroughs: Vec<Named<Walkthrough>>,
    /// Where names of markers stand in guards, for findings that need the target.
    pub(crate) markers: Vec<(String, Span)>,
}

/// The names of the two sides, as the protocols that sense them know them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Who dives; `agent` without the key.
    pub agent: String,
    /// Who answers; `world` without the key.
    pub world: String,
}

/// Whether a dive counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// For learning: any seed, as often as the stage allows; the card says so.
    Practice,
    /// For the record.
    Graded,
}

/// Who may dive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// Whom the service lets in.
    pub access_mode: Access,
    /// Whether a password is asked for; its verifier is kept by the service, never in the file.
    pub password: bool,
    /// The modes that are offered, at least one.
    pub modes: Vec<Mode>,
}

/// Whom the service lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody with a token.
    Free,
    /// Organizations that are entitled to the stage.
    Entitled,
    /// Those who were invited.
    Invite,
    /// Within a session only.
    Session,
}

/// How often an agent may dive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempts {
    /// The most dives within the window; `None`: any number.
    pub max: Option<u32>,
    /// Who is counted.
    pub per: Counted,
    /// The window in seconds; `None`: for ever.
    pub window: Option<u64>,
    /// Who chooses the seed.
    pub seed: SeedSource,
    /// Which attempt counts where there are several.
    pub record: Record,
}

/// Who is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Each agent of an organization, by its tag.
    Agent,
    /// The organization as a whole.
    Organization,
}

/// Who chooses the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    /// The server.
    Server,
    /// The caller.
    Caller,
}

/// Which attempt counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The first.
    First,
    /// The best.
    Best,
    /// The last.
    Last,
    /// The mean of all.
    Mean,
}

/// The bounds of a dive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Whether the card shows the reading of every action.
    pub share_scorecard: bool,
    /// The most actions, 1 to 200; 12 without the key.
    pub max_turns: u32,
    /// The ICS after which the world ends, 1 to 1,000,000; 200 without the key.
    pub ics_budget: u32,
    /// The most code points of an action, 1 to 20,000; 4,000 without the key.
    pub max_action_chars: u32,
}

/// A bounded whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Where it starts.
    pub start: i64,
    /// The least it can be.
    pub low: i64,
    /// The most it can be.
    pub high: i64,
}

/// A place in the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// What the world says when it is entered: one of these, drawn by the seed.
    pub world: Vec<Template>,
    /// What an action leads to: the first entry that applies.
    pub entries: Vec<Entry>,
    /// Whether the world ends here.
    pub end: bool,
}

/// What an action leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it applies; `None`: otherwise, always.
    pub when: Option<Guard>,
    /// What it changes.
    pub set: Vec<Change>,
    /// The scene it leads to; `None`: it stays.
    pub go: Option<usize>,
    /// What the world answers: one of these, drawn by the seed.
    pub world: Vec<Template>,
    /// Where it stands.
    pub(crate) span: Span,
}

/// A change of a variable, held within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The variable, by its place in `vars`.
    pub variable: usize,
    /// Whether the amount is added or is the new value.
    pub add: bool,
    /// By how much, or to what.
    pub amount: i64,
}

/// What must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// When it trips.
    pub when: Guard,
    /// Whether the world ends then.
    pub end: bool,
}

/// A run with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walkthrough {
    /// The seed; 0 without the key.
    pub seed: u64,
    /// Whether it passes.
    pub passes: bool,
    /// Why it ends, where that is part of the test.
    pub reason: Option<Reason>,
    /// What is said, turn by turn; what is left over when the world has ended is not said.
    pub say: Vec<String>,
    pub(crate) span: Span,
}

/// Why a dive passed or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The rule for passing holds.
    Passed,
    /// The world ended and something was not reached.
    CheckpointMissing,
    /// A flag is tripped.
    FlagTripped,
    /// All turns are used up.
    MaxTurns,
    /// All ICS are used up.
    IcsBudget,
    /// The dive was closed before the world ended.
    ClosedEarly,
}

named!(Mode { Practice = "practice", Graded = "graded" });
named!(Access { Free = "free", Entitled = "entitled", Invite = "invite", Session = "session" });
named!(Counted { Agent = "agent", Organization = "organization" });
named!(SeedSource { Server = "server", Caller = "caller" });
named!(Record { First = "first", Best = "best", Last = "last", Mean = "mean" });
named!(Reason {
    Passed = "passed",
    CheckpointMissing = "checkpoint_missing",
    FlagTripped = "flag_tripped",
    MaxTurns = "max_turns",
    IcsBudget = "ics_budget",
    ClosedEarly = "closed_early",
});

impl Stage {
    /// The rules for attempts of a mode.
    pub fn attempts_in(&self, mode: Mode) -> &Attempts {
        &self.attempts[usize::from(mode == Mode::Graded)]
    }

    /// The name of a scene.
    pub fn scene_name(&self, scene: usize) -> &str {
        &self.scenes[scene].0
    }
}

impl Attempts {
    /// What holds where the file says nothing.
    pub(super) fn usual(mode: Mode) -> Self {
        let seed = if mode == Mode::Graded { SeedSource::Server } else { SeedSource::Caller };
        Self { max: None, per: Counted::Agent, window: None, seed, record: Record::First }
    }
}

impl Default for Envelope {
    fn default() -> Self {
        Self { share_scorecard: true, max_turns: 12, ics_budget: 200, max_action_chars: 4_000 }
    }
}

impl Variable {
    /// A whole number as guards compare it.
    pub(super) fn unit(value: i64) -> Unit {
        Unit(value * 1_000_000)
    }
}
