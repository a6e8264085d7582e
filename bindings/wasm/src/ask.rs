//! What a caller asks of sensing, as `js/options.js` makes it, which has checked types and names.

use sonometer::{
    Error, FlowOptions, Mask, MaskKey, OffsetUnit, Profile, SenseOptions, TemporalOptions, Unit, View,
};
use wasm_bindgen::prelude::*;

use crate::trouble::thrown;

/// A view with texts of its own, and options of sensing.
#[wasm_bindgen(skip_typescript)]
#[derive(Clone)]
pub struct Ask {
    profile: Profile,
    offsets: Option<OffsetUnit>,
    /// Where the flow is asked for: the primary role, if it is named.
    flow: Option<Option<String>>,
    temporal: Option<TemporalOptions>,
    pub(crate) options: SenseOptions,
}

impl Default for Ask {
    /// What is shown where nothing is asked for.
    fn default() -> Self {
        let options = SenseOptions::default();
        Self {
            profile: Profile::default(),
            offsets: Some(OffsetUnit::Utf16),
            flow: None,
            temporal: None,
            options,
        }
    }
}

#[wasm_bindgen]
impl Ask {
    /// The profile, and the unit of offsets or nothing for none.
    ///
    /// # Errors
    /// `invalid_request` for a name that is unknown.
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &str, offsets: Option<String>) -> Result<Ask, JsValue> {
        let unknown = |place, name: &str| thrown(Error::invalid(place, format!("unknown name `{name}`")));
        let profile = Profile::from_name(profile).ok_or_else(|| unknown("options.profile", profile))?;
        let offsets = match offsets.as_deref() {
            None => None,
            Some("utf16") => Some(OffsetUnit::Utf16),
            Some("chars") => Some(OffsetUnit::Chars),
            Some("bytes") => Some(OffsetUnit::Bytes),
            Some(other) => return Err(unknown("options.offsets", other)),
        };
        Ok(Self { profile, offsets, ..Self::default() })
    }

    /// Asks for the flow between actants.
    #[wasm_bindgen(js_name = addFlow)]
    pub fn add_flow(&mut self, primary: Option<String>) {
        self.flow = Some(primary);
    }

    /// Asks for the development in time; the seconds of a window as decimal digits.
    ///
    /// # Errors
    /// `invalid_request` for a window that is no number.
    #[wasm_bindgen(js_name = addTemporal)]
    pub fn add_temporal(&mut self, window: Option<String>) -> Result<(), JsValue> {
        let window =
            window.map(|text| number("options.temporal.window", &text)).transpose().map_err(thrown)?;
        self.temporal = Some(TemporalOptions { window });
        Ok(())
    }

    /// US dollars for one ICS, as decimal digits.
    ///
    /// # Errors
    /// Those of [`rate`].
    #[wasm_bindgen(js_name = setRate)]
    pub fn set_rate(&mut self, text: &str) -> Result<(), JsValue> {
        self.options.usd_per_ics = rate(Some(text)).map_err(thrown)?;
        Ok(())
    }

    /// The kind of masks.
    ///
    /// # Errors
    /// `invalid_request` for a kind that is unknown.
    #[wasm_bindgen(js_name = setMask)]
    pub fn set_mask(&mut self, kind: &str) -> Result<(), JsValue> {
        self.options.mask = Some(Mask::read(kind).map_err(|error| at("options.mask", error))?);
        Ok(())
    }

    /// The key of masks.
    ///
    /// # Errors
    /// `invalid_request` for a key that is too short.
    #[wasm_bindgen(js_name = setMaskKey)]
    pub fn set_mask_key(&mut self, key: &[u8]) -> Result<(), JsValue> {
        self.options.mask_key = Some(MaskKey::new(key).map_err(|error| at("options.maskKey", error))?);
        Ok(())
    }
}

impl Ask {
    pub(crate) fn view(&self) -> View<'_> {
        View {
            profile: self.profile,
            offsets: self.offsets,
            flow: self.flow.as_ref().map(|primary| FlowOptions { primary: primary.as_deref() }),
            temporal: self.temporal,
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
        Some(rate) if rate < Unit::ZERO => Err(Error::invalid(PLACE, "the price must not be below 0")),
        rate => Ok(rate.unwrap_or_default()),
    }
}

/// An error with the place that an option has in JavaScript, where the engine names it as a request over HTTP does.
pub(crate) fn in_options(error: Error) -> Error {
    let place = match error.place.as_str() {
        "mask_key" => "options.maskKey",
        "v1_5.actant.analyze_flow" => "options.flow",
        "v1_5.actant.primary" => "options.flow.primary",
        "v1_5.temporal.analyze_dynamics" => "options.temporal",
        "v1_5.temporal.window_seconds" => "options.temporal.window",
        _ => return error,
    };
    Error { place: place.into(), ..error }
}

fn at(place: &str, error: Error) -> JsValue {
    thrown(Error { place: place.into(), ..error })
}

fn number(place: &str, text: &str) -> Result<Unit, Error> {
    let message = || format!("`{text}` is not a number within 9e12");
    Unit::parse(text).ok_or_else(|| Error::invalid(place, message()))
}
