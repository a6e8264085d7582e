//! Stages: worlds that answer what an agent says.

use crate::door::{self, Failure};
use crate::error::Error;
use crate::raw::{self, Ended, Text};
use crate::status::Status;
use crate::target::{file, no_name, no_path};
use sonometer::stage::World;
use sonometer_catalog::{Shelf, stage_named};
use std::ffi::c_char;

/// A stage made ready, with what senses it. It never changes: any number of threads may use one at the same time. Free it
/// with `snm_stage_free`; dives that were opened in it go on.
#[derive(Debug)]
pub struct Stage {
    pub(crate) world: World,
    id: Ended,
    version: Ended,
    objective: Ended,
    digest: Ended,
    checkpoints: Vec<Ended>,
    flags: Vec<Ended>,
}

/// The bounds of a dive.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Envelope {
    /// The most actions.
    pub max_turns: u32,
    /// The ICS after which the world ends.
    pub ics_budget: u32,
    /// The most code points of an action.
    pub max_action_chars: u32,
    /// Whether steps and card show the reading of every action.
    pub share_scorecard: bool,
}

impl Stage {
    pub(crate) fn read(source: &str, shelf: &Shelf) -> Result<Self, sonometer::Error> {
        let (world, _warnings) =
            World::read(source, shelf).map_err(|error| no_name(source, error, "stage"))?;
        Ok(Self::of(world))
    }

    /// One that ships.
    pub(crate) fn shipped(name: &str) -> Result<Self, sonometer::Error> {
        let stage = stage_named(name).map_err(|error| no_path(name, error.into(), "stage"))?;
        Self::read(stage.source, &shelf())
    }

    fn load(path: &str, named: &[&str]) -> Result<Self, Failure> {
        let bytes = file(path, |name| stage_named(name).is_ok(), "stage")?;
        let source = raw::utf8(&bytes, path)?;
        let mut shelf = shelf().read(named)?;
        if named.is_empty() {
            shelf.add_folder(raw::folder(path));
        }
        Ok(Self::read(source, &shelf)?)
    }

    fn of(world: World) -> Self {
        let stage = world.stage();
        let of = |text: &str| Ended::from(text.to_owned());
        Self {
            id: of(&stage.id),
            version: of(&stage.version),
            objective: of(&stage.objective),
            digest: of(world.digest()),
            checkpoints: stage.checkpoints.iter().map(|(name, _)| of(name)).collect(),
            flags: stage.flags.iter().map(|(name, _)| of(name)).collect(),
            world,
        }
    }
}

/// What ships, for stages.
fn shelf() -> Shelf {
    Shelf::default().for_stages()
}

/// The stage that ships as `id` (the latest that is published) or `id@version`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_shipped(
    name: *const c_char,
    name_len: usize,
    out: *mut *mut Stage,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let name = unsafe { raw::text(name, name_len, "name") }?;
        Ok(Stage::shipped(name)?)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// The former name of `snm_stage_shipped`. Deprecated: it goes away with the next version.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_find(
    name: *const c_char,
    name_len: usize,
    out: *mut *mut Stage,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: the arguments are those of the other.
    unsafe { snm_stage_shipped(name, name_len, out, error) }
}

/// Reads the source of a stage (YAML or JSON). `shelf` holds the sources of `shelf_len` protocols, metrics and blueprints that
/// it may name; what it names and is not there is looked for in what ships.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_read(
    source: *const c_char,
    source_len: usize,
    shelf: *const Text,
    shelf_len: usize,
    out: *mut *mut Stage,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let source = unsafe { raw::text(source, source_len, "source") }?;
        // SAFETY: a list of texts of the caller, by the rules of the header.
        let named = unsafe { raw::texts(shelf, shelf_len, "shelf") }?;
        Ok(Stage::read(source, &self::shelf().read(&named)?)?)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Reads a stage from a file, as `snm_stage_read` reads its text. With a `shelf_len` of 0, the protocols, metrics and
/// blueprints in the folder of the file are the shelf.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_load(
    path: *const c_char,
    path_len: usize,
    shelf: *const Text,
    shelf_len: usize,
    out: *mut *mut Stage,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let path = unsafe { raw::text(path, path_len, "path") }?;
        // SAFETY: a list of texts of the caller, by the rules of the header.
        let named = unsafe { raw::texts(shelf, shelf_len, "shelf") }?;
        Stage::load(path, &named)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// The id of a stage. The bytes are valid until it is freed; their number goes to `len` unless that is NULL. A NUL, which is
/// not counted, follows them. NULL and 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_id(stage: *const Stage, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let text = unsafe { stage.as_ref() }.map(|stage| &stage.id);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The version of a stage. Otherwise as `snm_stage_id`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_version(stage: *const Stage, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let text = unsafe { stage.as_ref() }.map(|stage| &stage.version);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The goal that the agent is given. Otherwise as `snm_stage_id`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_objective(stage: *const Stage, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let text = unsafe { stage.as_ref() }.map(|stage| &stage.objective);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The identity of the stage, `sha256:` and hexadecimal digits, as cards have it. Otherwise as `snm_stage_id`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_digest(stage: *const Stage, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let text = unsafe { stage.as_ref() }.map(|stage| &stage.digest);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The rules: what is to be reached. `at` counts the names from 0; NULL and 0 where there is none. Otherwise as
/// `snm_stage_id`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_checkpoint(
    stage: *const Stage,
    at: usize,
    len: *mut usize,
) -> *const c_char {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let text = unsafe { stage.as_ref() }.and_then(|stage| stage.checkpoints.get(at));
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The rules: what must not happen. Otherwise as `snm_stage_checkpoint`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_flag(stage: *const Stage, at: usize, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let text = unsafe { stage.as_ref() }.and_then(|stage| stage.flags.get(at));
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The bounds of a dive in a stage; all 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_envelope(stage: *const Stage) -> Envelope {
    // SAFETY: NULL or a live stage, by the rules of the header.
    let stage = unsafe { stage.as_ref() };
    stage.map(|stage| stage.world.stage().envelope).map_or_else(Envelope::default, |bounds| {
        let sonometer::stage::Envelope { share_scorecard, max_turns, ics_budget, max_action_chars } = bounds;
        Envelope { max_turns, ics_budget, max_action_chars, share_scorecard }
    })
}

/// Frees a stage. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_stage_free(stage: *mut Stage) {
    // SAFETY: NULL or a stage that the caller gives back, by the rules of the header.
    unsafe { raw::free(stage) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_may_share_a_stage_and_a_dive_may_move() {
        fn shared<T: Send + Sync>() {}
        fn moves<T: Send>() {}
        shared::<Stage>();
        shared::<crate::card::Card>();
        shared::<crate::key::Key>();
        moves::<crate::dive::Dive>();
    }
}
