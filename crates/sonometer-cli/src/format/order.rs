//! Where keys belong: the order of the page `docs/protocol.md`.

const PROTOCOL: &[&str] = &[
    "sonometer",
    "id",
    "name",
    "version",
    "sgm",
    "status",
    "taxonomy",
    "description",
    "language",
    "modalities",
    "actants",
    "fidelity",
    "score",
    "better",
    "strengths",
    "negation",
    "lists",
    "markers",
    "tests",
];
const MARKER: &[&str] = &[
    "label",
    "description",
    "importance",
    "pole",
    "by",
    "where",
    "negation",
    "strengths",
    "strong",
    "clear",
    "weak",
    "weigh",
    "bias",
    "except",
    "repeat",
    "per",
    "share",
    "half",
    "trigger",
    "mask",
    "hints",
    "hit",
    "miss",
];
const ACTANTS: &[&str] = &["primary", "secondary", "aliases"];
const FIDELITY: &[&str] = &["words", "turns", "roles", "sufficient"];
const STRENGTHS: &[&str] = &["strong", "clear", "weak"];
const NEGATION: &[&str] = &["reach", "cues", "not_cues", "stops"];
const SHARE: &[&str] = &["of", "by", "full"];
const HINTS: &[&str] = &["more", "role", "where", "except", "negated", "checksum"];

/// What a map is, which says how its keys are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Protocol,
    Marker,
    /// A map whose keys are in this order.
    Keys(&'static [&'static str]),
    /// The lists: names of the author, whose values are lines.
    Lists,
    /// Any other map: names of the author, in the author's order.
    Names,
}

impl Kind {
    /// Of the map under `key` of a map of this kind; an item of a list is under the key of the list.
    pub(super) fn under(self, key: &str) -> Self {
        match (self, key) {
            (Self::Protocol, "markers") => Self::Marker,
            (Self::Protocol, "actants") => Self::Keys(ACTANTS),
            (Self::Protocol, "fidelity") => Self::Keys(FIDELITY),
            (Self::Protocol, "negation") => Self::Keys(NEGATION),
            (Self::Protocol, "lists") => Self::Lists,
            (Self::Protocol | Self::Marker, "strengths") => Self::Keys(STRENGTHS),
            (Self::Marker, "share") => Self::Keys(SHARE),
            (Self::Marker, "hints") => Self::Keys(HINTS),
            _ => Self::Names,
        }
    }

    /// The rank of a key; keys without a rank keep their order behind the others.
    pub(super) fn rank(self, key: &str) -> usize {
        let keys = match self {
            Self::Protocol => PROTOCOL,
            Self::Marker => MARKER,
            Self::Keys(keys) => keys,
            Self::Lists | Self::Names => return 0,
        };
        keys.iter().position(|known| *known == key).unwrap_or(keys.len())
    }

    /// Whether the value of a key is lines, each for itself: the spaces around a line mean nothing.
    pub(super) fn is_lines(self, key: &str) -> bool {
        match self {
            Self::Lists => true,
            Self::Marker => matches!(key, "strong" | "clear" | "weak" | "weigh" | "except" | "hit" | "miss"),
            Self::Keys(keys) => keys == NEGATION,
            Self::Protocol | Self::Names => false,
        }
    }

    /// Whether the value of a key is a text even if it looks like a number: `version: "1.0"`.
    pub(super) fn is_text(self, key: &str) -> bool {
        match self {
            Self::Protocol => !matches!(key, "sonometer"),
            Self::Marker => matches!(key, "label" | "description") || self.is_lines(key),
            Self::Lists => true,
            Self::Keys(keys) => keys == HINTS || keys == NEGATION && key != "reach",
            Self::Names => false,
        }
    }

    /// Whether the value of a key is a number, which needs no quotes.
    pub(super) fn is_number(self, key: &str) -> bool {
        match self {
            Self::Protocol => key == "sonometer",
            Self::Marker => matches!(key, "bias" | "half" | "trigger"),
            Self::Keys(keys) => {
                keys == FIDELITY
                    || keys == STRENGTHS
                    || matches!((keys == NEGATION, key), (true, "reach"))
                    || key == "full"
            }
            Self::Lists | Self::Names => false,
        }
    }
}
