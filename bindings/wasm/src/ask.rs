//! What a caller asks for, packed into one number and three texts, since every further value that crosses costs.

use sonometer::{
    Error, FlowOptions, Mask, MaskKey, OffsetUnit, Profile, SenseOptions, TemporalOptions, Unit, View,
};

/// Bits of the number, as `js/options.js` sets them.
mod bit {
    /// Two bits: raw, detailed, discovery.
    pub(super) const PROFILE: u32 = 0b11;
    /// Two bits: none, bytes, chars, utf16.
    pub(super) const OFFSETS: u32 = 0b11 << 2;
    pub(super) const FLOW: u32 = 1 << 4;
    pub(super) const TEMPORAL: u32 = 1 << 5;
}

/// The texts of an ask; none where nothing is asked.
pub(crate) struct Words {
    /// The primary role of the flow.
    pub(crate) primary: Option<String>,
    /// The seconds of a temporal window.
    pub(crate) window: Option<String>,
    /// US dollars for one ICS.
    pub(crate) rate: Option<String>,
    /// The kind of masks, and behind a space the hexadecimal digits of their key; either may be empty.
    pub(crate) masks: Option<String>,
}

/// A view with texts of its own, and the rate.
pub(crate) struct Ask {
    profile: Profile,
    offsets: Option<OffsetUnit>,
    flow: bool,
    primary: Option<String>,
    temporal: bool,
    window: Option<Unit>,
    /// Options of sensing.
    pub(crate) options: SenseOptions,
}

impl Ask {
    /// # Errors
    /// `invalid_request` for a window or a rate that is no number.
    pub(crate) fn read(bits: u32, words: Words) -> Result<Self, Error> {
        let profile = Profile::ALL[((bits & bit::PROFILE) as usize).min(Profile::ALL.len() - 1)];
        let offsets = match (bits & bit::OFFSETS) >> 2 {
            0 => None,
            1 => Some(OffsetUnit::Bytes),
            2 => Some(OffsetUnit::Chars),
            _ => Some(OffsetUnit::Utf16),
        };
        let window = words.window.map(|text| number("options.temporal.window", &text)).transpose()?;
        let usd_per_ics = rate(words.rate.as_deref())?;
        let (mask, mask_key) = masks(words.masks.as_deref().unwrap_or_default())?;
        let options = SenseOptions { usd_per_ics, mask, mask_key, ..SenseOptions::default() };
        let (flow, temporal) = (bits & bit::FLOW != 0, bits & bit::TEMPORAL != 0);
        Ok(Self { profile, offsets, flow, primary: words.primary, temporal, window, options })
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            profile: self.profile,
            offsets: self.offsets,
            flow: self.flow.then_some(FlowOptions { primary: self.primary.as_deref() }),
            temporal: self.temporal.then_some(TemporalOptions { window: self.window }),
        }
    }
}

/// US dollars for one ICS: 0 where nothing is said.
///
/// # Errors
/// `invalid_request` for what is no number from 0.
pub(crate) fn rate(text: Option<&str>) -> Result<Unit, Error> {
    const PLACE: &str = "options.usdPerIcs";
    match text.map(|text| number(PLACE, text)).transpose()? {
        Some(rate) if rate < Unit::ZERO => Err(Error::invalid(PLACE, "a price is not below 0")),
        rate => Ok(rate.unwrap_or_default()),
    }
}

/// The kind of masks, and their key.
fn masks(text: &str) -> Result<(Option<Mask>, Option<MaskKey>), Error> {
    let (kind, key) = text.split_once(' ').unwrap_or((text, ""));
    let mask = if kind.is_empty() { None } else { Some(Mask::read(kind)) };
    let byte = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        u8::from_str_radix(digits, 16).unwrap_or_default()
    };
    let bytes: Vec<u8> = key.as_bytes().chunks(2).map(byte).collect();
    let mask_key = if key.is_empty() { None } else { Some(MaskKey::new(&bytes)) };
    let placed = |place: &str, error: Error| Error { place: place.into(), ..error };
    Ok((
        mask.transpose().map_err(|error| placed("options.mask", error))?,
        mask_key.transpose().map_err(|error| placed("options.maskKey", error))?,
    ))
}

fn number(place: &str, text: &str) -> Result<Unit, Error> {
    let message = || format!("`{text}` is no number within 9e12");
    Unit::parse(text).ok_or_else(|| Error::invalid(place, message()))
}
