//! Options of sensing: a struct that may grow.

use crate::door::Failure;
use crate::raw::{self, Text};
use sonometer::{
    Error, FlowOptions, Mask, MaskKey, OffsetUnit, Profile, SenseOptions, TemporalOptions, Unit, View,
};
use std::mem::offset_of;

/// `profile`: scores and evidence.
pub const SNM_PROFILE_RAW: u32 = 0;
/// `profile`: with the segment around each piece of evidence and who said it.
pub const SNM_PROFILE_DETAILED: u32 = 1;
/// `profile`: with near-threshold activations.
pub const SNM_PROFILE_DISCOVERY: u32 = 2;

/// `offsets`: evidence has no places.
pub const SNM_OFFSETS_NONE: u32 = 0;
/// `offsets`: places in UTF-8 bytes.
pub const SNM_OFFSETS_BYTES: u32 = 1;
/// `offsets`: places in code points.
pub const SNM_OFFSETS_CHARS: u32 = 2;
/// `offsets`: places in UTF-16 code units.
pub const SNM_OFFSETS_UTF16: u32 = 3;

/// `flow`, `temporal`: not asked for.
pub const SNM_ASK_NO: u32 = 0;
/// `flow`, `temporal`: asked for, with the primary role or the window of the protocol.
pub const SNM_ASK_YES: u32 = 1;
/// `flow`, `temporal`: asked for, with `primary` or `window`.
pub const SNM_ASK_WITH: u32 = 2;

/// What is shown, and what a deployment sets. Begin with `snm_options options = SNM_OPTIONS_INIT;`. NULL in the place of
/// options means these defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `sizeof(snm_options)`, by which the library knows what the program was built with.
    pub size: usize,
    /// How much is shown: `SNM_PROFILE_…`.
    pub profile: u32,
    /// Adds the places of evidence in this unit: `SNM_OFFSETS_…`.
    pub offsets: u32,
    /// Adds actant flow (protocols on SGM 1.5): `SNM_ASK_…`.
    pub flow: u32,
    /// Adds temporal analysis (protocols on SGM 1.5): `SNM_ASK_…`.
    pub temporal: u32,
    /// The role that is the primary side, for `flow` with `SNM_ASK_WITH`.
    pub primary: Text,
    /// Millionths of a second, above 0: the length of a window, for `temporal` with `SNM_ASK_WITH`.
    pub window: i64,
    /// Millionths of a US dollar, at least 0: the price of one ICS.
    pub usd_per_ics: i64,
    /// Of a session: 1 adds to steps the text that may be shown, masked where it is private; 0 does not.
    pub release: u64,
    /// How masked places are shown, in the place of what the target says: `stars`, `first1` to `first8`, `last1` to `last8`,
    /// `label`, `numbered`, `keyed` or `remove`. An empty text leaves it to the target.
    pub mask: Text,
    /// The key of `keyed` masks, 16 bytes or more, of any kind; it is read during the call and shown nowhere.
    pub mask_key: Text,
}

/// The bytes that the first version had: no program knows fewer.
const FIRST: usize = offset_of!(Options, release) + size_of::<u64>();

/// Options, read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) view: View<'a>,
    pub(crate) sense: SenseOptions,
    /// Whether steps of a session carry text.
    pub(crate) release: bool,
}

/// Reads options; the defaults for NULL.
///
/// # Safety
/// `options` is NULL or points at a struct of `size` bytes, as it says itself, and its texts live during `'a`.
pub(crate) unsafe fn read<'a>(options: *const Options) -> Result<Wanted<'a>, Failure> {
    if options.is_null() {
        return Ok(Wanted::default());
    }
    // SAFETY: not NULL; the rest as the caller says. Every field may hold any bytes.
    let own = unsafe { raw::grown(options, FIRST, "options", "SNM_OPTIONS_INIT") }?;
    // SAFETY: as the caller says of its texts.
    unsafe { own.wanted() }
}

impl Options {
    /// # Safety
    /// `primary` lives during `'a`.
    unsafe fn wanted<'a>(&self) -> Result<Wanted<'a>, Failure> {
        let known = |name: &str, number, values: &str| {
            Failure::argument(
                format!("options.{name}"),
                format!("`{name}` is {number}, which is not one of its values; write {values}"),
            )
        };
        let ask = "`SNM_ASK_NO`, `SNM_ASK_YES` or `SNM_ASK_WITH`";
        let profile = usize::try_from(self.profile).ok().and_then(|at| Profile::ALL.get(at).copied());
        let profile = profile.ok_or_else(|| {
            known(
                "profile",
                self.profile,
                "`SNM_PROFILE_RAW`, `SNM_PROFILE_DETAILED` or `SNM_PROFILE_DISCOVERY`",
            )
        })?;
        let offsets = match self.offsets {
            SNM_OFFSETS_NONE => None,
            SNM_OFFSETS_BYTES => Some(OffsetUnit::Bytes),
            SNM_OFFSETS_CHARS => Some(OffsetUnit::Chars),
            SNM_OFFSETS_UTF16 => Some(OffsetUnit::Utf16),
            other => {
                return Err(known(
                    "offsets",
                    other,
                    "`SNM_OFFSETS_NONE`, `SNM_OFFSETS_BYTES`, `SNM_OFFSETS_CHARS` or `SNM_OFFSETS_UTF16`",
                ));
            }
        };
        let flow = match self.flow {
            SNM_ASK_NO => None,
            SNM_ASK_YES => Some(FlowOptions::default()),
            SNM_ASK_WITH => {
                // SAFETY: as the caller says.
                let primary = unsafe { raw::text(self.primary.data, self.primary.len, "options.primary") }?;
                Some(FlowOptions { primary: Some(primary) })
            }
            other => return Err(known("flow", other, ask)),
        };
        let temporal = match self.temporal {
            SNM_ASK_NO => None,
            SNM_ASK_YES => Some(TemporalOptions::default()),
            SNM_ASK_WITH => Some(TemporalOptions { window: Some(Unit(self.window)) }),
            other => return Err(known("temporal", other, ask)),
        };
        if self.usd_per_ics < 0 {
            return Err(Failure::argument("options.usd_per_ics", "the price must not be below 0"));
        }
        // SAFETY: as the caller says of its texts.
        let mask = unsafe { raw::text(self.mask.data, self.mask.len, "options.mask") }?;
        let mask = if mask.is_empty() { None } else { Some(Mask::read(mask).map_err(within)?) };
        // SAFETY: as above.
        let key =
            unsafe { raw::list(self.mask_key.data.cast::<u8>(), self.mask_key.len, "options.mask_key") }?;
        let mask_key = if key.is_empty() { None } else { Some(MaskKey::new(key).map_err(within)?) };
        let sense =
            SenseOptions { usd_per_ics: Unit(self.usd_per_ics), mask, mask_key, ..SenseOptions::default() };
        let release = match self.release {
            0 | 1 => self.release == 1,
            _ => {
                return Err(Failure::argument(
                    "options.release",
                    "`release` is neither 0 nor 1; write 1 for steps with text, 0 for steps without",
                ));
            }
        };
        Ok(Wanted { view: View { profile, offsets, flow, temporal }, sense, release })
    }
}

/// An error with the place that an option has here, where the engine names it as a request over HTTP does.
pub(crate) fn placed(error: Error) -> Error {
    let place = match error.place.as_str() {
        "mask_key" => "options.mask_key",
        "v1_5.actant.analyze_flow" => "options.flow",
        "v1_5.actant.primary" => "options.primary",
        "v1_5.temporal.analyze_dynamics" => "options.temporal",
        "v1_5.temporal.window_seconds" => "options.window",
        _ => return error,
    };
    Error { place: place.into(), ..error }
}

/// What is wrong with an option by its place among them.
fn within(error: Error) -> Failure {
    Failure::argument(format!("options.{}", error.place), error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    const NONE: Text = Text { data: std::ptr::null(), len: 0 };
    const PLAIN: Options = Options {
        size: size_of::<Options>(),
        profile: 0,
        offsets: 0,
        flow: 0,
        temporal: 0,
        primary: NONE,
        window: 0,
        usd_per_ics: 0,
        release: 0,
        mask: NONE,
        mask_key: NONE,
    };

    fn place(options: &Options) -> String {
        // SAFETY: the options and their texts are on this stack.
        let failure = unsafe { read(options) }.expect_err("is refused");
        assert_eq!(failure.status, Status::InvalidArgument);
        failure.place
    }

    #[test]
    fn numbers_without_a_meaning_are_refused_by_name() {
        for (options, name) in [
            (Options { profile: 3, ..PLAIN }, "options.profile"),
            (Options { offsets: 4, ..PLAIN }, "options.offsets"),
            (Options { flow: 3, ..PLAIN }, "options.flow"),
            (Options { temporal: 9, ..PLAIN }, "options.temporal"),
            (Options { usd_per_ics: -1, ..PLAIN }, "options.usd_per_ics"),
            (Options { release: 2, ..PLAIN }, "options.release"),
            (Options { size: 0, ..PLAIN }, "options.size"),
            (Options { size: 8, ..PLAIN }, "options.size"),
            (Options { size: usize::MAX, ..PLAIN }, "options.size"),
        ] {
            assert_eq!(place(&options), name);
        }
        let text = |text: &'static str| Text { data: text.as_ptr().cast(), len: text.len() };
        assert_eq!(place(&Options { mask: text("labels"), ..PLAIN }), "options.mask");
        assert_eq!(place(&Options { mask_key: text("too short"), ..PLAIN }), "options.mask_key");
        let keyed = Options { mask: text("keyed"), mask_key: text("sixteen bytes or"), ..PLAIN };
        // SAFETY: the options and their texts are on this stack.
        let wanted = unsafe { read(&keyed) }.expect("is read");
        assert_eq!((wanted.sense.mask, wanted.sense.mask_key.is_some()), (Some(Mask::Keyed), true));
        let unreadable = Text { data: std::ptr::null(), len: 3 };
        assert_eq!(place(&Options { flow: SNM_ASK_WITH, primary: unreadable, ..PLAIN }), "options.primary");
        // A text that is not asked for is not looked at.
        // SAFETY: as above.
        assert!(unsafe { read(&Options { primary: unreadable, ..PLAIN }) }.is_ok());
    }

    #[test]
    fn a_larger_struct_is_read_as_far_as_it_asks_nothing_new() {
        #[repr(C)]
        struct Newer {
            known: Options,
            added: u64,
        }
        let known = Options { size: size_of::<Newer>(), profile: SNM_PROFILE_DETAILED, ..PLAIN };
        let newer = |added| Newer { known, added };
        let quiet = newer(0);
        // SAFETY: the struct is as large as it says.
        let wanted = unsafe { read((&raw const quiet).cast()) }.expect("asks nothing new");
        assert_eq!(wanted.view.profile, Profile::Detailed);
        let asking = newer(1);
        // SAFETY: as above.
        let failure = unsafe { read((&raw const asking).cast()) }.expect_err("is refused");
        assert_eq!(failure.place, "options");
    }
}
