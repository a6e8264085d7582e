//! Worlds: a stage answers what an agent says, and at the end a card says how it went.
//!
//! A [`Stage`] is a file that people write. Made ready with what senses it, it is a [`World`]; opening that with a seed gives
//! a [`Dive`], a pure step function: no clock, no chance, no files. The same stage, seed and actions give the same bytes.
//!
//! ```
//! use sonometer::stage::{Closing, Stage, World};
//! # use sonometer::{Catalog, Error, Metric, Protocol};
//! # struct Shelf;
//! # impl Catalog for Shelf {
//! #     fn protocols(&self, _: &str) -> Result<Vec<Protocol>, Error> {
//! #         Ok(vec![Protocol::read(r#"{"sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal",
//! #             "status": "published", "language": "en", "fidelity": {"words": 1, "sufficient": 0.1},
//! #             "markers": [{"label": "thanks", "strong": "thank you", "hit": "Thank you."}]}"#)?.0])
//! #     }
//! #     fn metrics(&self, _: &str) -> Result<Vec<Metric>, Error> { Ok(Vec::new()) }
//! # }
//! let (stage, _warnings) = Stage::read(r#"{
//!     "sonometer_stage": 1, "id": "door", "version": "1.0", "protocol": "thanks", "objective": "Thank the porter.",
//!     "start": "hall", "checkpoints": {"thanked": "fired(thanks)"},
//!     "scenes": {
//!         "hall": {"world": "A porter holds the door.", "do": [
//!             {"when": "fired(thanks)", "go": "out", "world": "He nods."}, {"otherwise": "stay", "world": "He waits."}]},
//!         "out": {"end": true}}
//! }"#)?;
//! let world = World::new(stage, &Shelf)?;
//! let mut dive = world.open(7);
//! assert_eq!(dive.observation().world, "A porter holds the door.");
//! let step = dive.act("Thank you so much!").expect("the world goes on");
//! assert_eq!((step.observation.world.as_str(), step.observation.done), ("He nods.", true));
//! assert!(dive.close(&Closing::practice("dive-1")).verdict.passed);
//! # Ok::<(), Error>(())
//! ```
//!
//! # A step
//!
//! 1. A world that has ended takes no action; an action of too many code points is refused. Nothing changes then.
//! 2. The action is sensed as a turn of the stage's agent role, in the conversation so far: the arrival of the world, then
//!    action and answer by turns. Everything is found and judged in all of it, so that an echo or a number dictated in three
//!    breaths is seen; then only what *ends* in this action is kept, and is measured as if nothing else had been said. What
//!    the action repeats does not count less for having been said before, and what the world said counts for nobody.
//!    Markers with `absent` stay silent: what is not said has no place in an action.
//! 3. Whatever triggers is a fact for guards, however short the action is, and costs its ICS. The score of an action that is
//!    insufficient for the target is 0: silence is no good conduct.
//! 4. `on_target` is asked. The ICS are added. Flags are asked; once tripped they stay.
//! 5. The first entry of the scene that applies: variables change, held within their bounds; the dive may move on.
//! 6. Checkpoints are asked, of the world as it now is; once reached they stay.
//! 7. The world ends if it is in a scene that ends it or a flag that ends it has tripped; else with the last turn; else when
//!    the ICS reach the budget. The action that crosses the budget counts.
//! 8. The answer: the text of the entry, then that of the scene if it was entered; where both are empty, the scene's own.
//!
//! # The chain
//!
//! `h0` is SHA-256 over `sonometer-dive-1`, the digest of the stage and the seed in decimal, each with a line feed behind it;
//! each step makes `h = SHA-256(h before ‖ SHA-256 of the action ‖ the reading as it would stand on the card)`. The last of
//! them is on the card, whether the readings are or not.

mod canonical;
mod card;
mod card_read;
mod choice;
mod dive;
mod guard;
mod keys;
mod lint;
mod model;
mod object;
mod replay;
mod schema;
mod state;
mod template;
mod walk;
mod world;

pub use card::{Agent, Attempt, Card, Closing, Measured, Stamp, TargetStamp, Totals, Verdict};
pub use choice::{MAX_SEED, read_seed};
pub use dive::{Dive, Observation, Refused, Step};
pub use guard::{Fact, Guard, Quantity, Relation};
pub use model::*;
pub use replay::{Action, Mismatch, replay};
pub use template::Template;
pub use walk::Walk;
pub use world::World;

use crate::composition;
use crate::diagnostic::Diagnostics;
use crate::error::Error;

impl Stage {
    /// The keys of a stage file.
    pub const KEYS: &'static crate::keys::Map = &keys::STAGE;

    /// Reads a stage file: YAML (feature `yaml`) or JSON. The warnings come with the stage: what can never happen in it, and
    /// which walkthroughs are missing. Whether its markers exist is known when it is made a [`World`].
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read(text: &str) -> Result<(Self, Diagnostics), Error> {
        composition::read(text, |root, found| {
            let stage = schema::stage(root, found)?;
            lint::look(&stage, root, found);
            Some(stage)
        })
    }

    /// Whether a text means to be a stage, so that it is read and told about as one.
    pub fn is_meant(text: &str) -> bool {
        text.lines()
            .any(|line| line.trim_start().trim_start_matches(['{', '"', ' ']).starts_with("sonometer_stage"))
    }
}
