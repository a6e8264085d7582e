//! How masked places are shown: what every verb that shows texts takes.

use crate::failure::Failure;
use crate::file;
use crate::screen::Screen;
use sonometer::{Instrument, Mask, MaskKey, SenseOptions};
use std::env;

/// The environment variable that holds a key.
const KEY: &str = "SONOMETER_MASK_KEY";
/// The most bytes of a file with a key.
const MOST_KEY_BYTES: usize = 64 << 10;

#[derive(Debug, clap::Args)]
pub(crate) struct MaskArguments {
    /// How masked places are shown, instead of what the protocol says: stars, last4 or first6 (1 to 8 stay readable),
    /// label, numbered, keyed or remove
    #[arg(long, value_name = "KIND", value_parser = kind)]
    mask: Option<Mask>,
    /// A file with the key of `keyed` masks, 16 bytes or more; without it, the variable SONOMETER_MASK_KEY holds the
    /// key
    #[arg(long, value_name = "FILE")]
    mask_key: Option<String>,
}

/// Says that an instrument masks nothing, before its texts are taken for masked ones.
pub(super) fn tell_if_none(instrument: &Instrument, screen: &Screen) {
    if instrument.markers().all(|(_, marker)| marker.mask.is_none()) {
        let (id, version) = (instrument.id(), instrument.version());
        screen.note(&format!("`{id}@{version}` masks nothing: none of its markers has the key `mask`"));
    }
}

fn kind(name: &str) -> Result<Mask, String> {
    Mask::read(name).map_err(|error| error.message)
}

impl MaskArguments {
    /// Says that `--mask` does nothing, where the instrument masks nothing.
    pub(super) fn tell_if_idle(&self, instrument: &Instrument, screen: &Screen) {
        if self.mask.is_some() {
            tell_if_none(instrument, screen);
        }
    }

    /// Options with these masks.
    pub(super) fn options(&self) -> Result<SenseOptions, Failure> {
        Ok(SenseOptions { mask: self.mask, mask_key: self.key()?, ..SenseOptions::default() })
    }

    fn key(&self) -> Result<Option<MaskKey>, Failure> {
        let (name, bytes) = match (&self.mask_key, env::var_os(KEY)) {
            (Some(path), _) => {
                let bytes = file::bytes(path, MOST_KEY_BYTES)?;
                file::tell_open_key(path);
                (path.as_str(), bytes)
            }
            (None, Some(value)) if !value.is_empty() => (KEY, value.into_encoded_bytes()),
            _ => return Ok(None),
        };
        // Editors and `openssl rand -hex` end a file with a line break, which is no part of the key.
        let key = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let key = key.strip_suffix(b"\r").unwrap_or(key);
        let key = MaskKey::new(key).map_err(|error| Failure::unusable(format!("{name}: {}", error.message)));
        key.map(Some)
    }
}
