//! Views of a reading: how much of it is shown. No view changes a number.

/// The output detail level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Scores and evidence.
    #[default]
    Raw,
    /// With the segment around each piece of evidence and who said it.
    Detailed,
    /// With near-threshold activations.
    Discovery,
}

impl Profile {
    /// Every profile, in the order of the interface document.
    pub const ALL: [Self; 3] = [Self::Raw, Self::Detailed, Self::Discovery];

    /// Its name in requests and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Detailed => "detailed",
            Self::Discovery => "discovery",
        }
    }

    /// The profile of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.as_str() == name)
    }
}

/// The unit in which a door counts offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// UTF-8 bytes (Rust, C).
    Bytes,
    /// Code points (HTTP, Python).
    Chars,
    /// UTF-16 code units (JavaScript).
    Utf16,
}

/// A view: a profile, and the unit of offsets where they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// How much is shown.
    pub profile: Profile,
    /// Adds `start` and `end` (and `segment` in transcripts) to evidence.
    pub offsets: Option<OffsetUnit>,
}
