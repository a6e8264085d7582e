//! The keys of metrics and blueprints.

use super::Shape::{Identifier, Maps, Name, Number, Text, Texts, Truth, Written};
use super::table::{key, like, map};
use super::{Key, Map, Shape};
use crate::composition::Standing;
use crate::unit::Unit;

pub(super) const REFERENCE: Shape = like("^[a-z0-9_-]{1,64}(@[A-Za-z0-9._+-]{1,32})?$");

pub(super) const ID: Key =
    key("id", Identifier, "The name by which programs call it.", r#""reply-quality""#).required();
pub(super) const NAME: Key =
    key("name", Text, "The name shown to people; the id without it.", r#""Reply quality""#);
pub(super) const VERSION: Key =
    key("version", like("^[A-Za-z0-9._+-]{1,32}$"), "Its version.", r#""1.0""#).required();
const STATUS: Key = key(
    "status",
    Name(Standing::NAMES),
    "What is archived is taken only where its version is pinned.",
    r#""active""#,
)
.default(r#""active""#);
pub(super) const DESCRIPTION: Key =
    key("description", Text, "What it is for, for people.", r#""How well an assistant answers.""#);
pub(super) const FORMAT: Shape = Written { like: "^1$", names: &["1"] };

/// A whole metric.
pub static METRIC: Map = map(
    "metric",
    &[
        key("sonometer_metric", FORMAT, "The version of this notation.", "1").required(),
        ID,
        NAME,
        VERSION,
        STATUS,
        DESCRIPTION,
        key("aggregation", Name(&["weighted_average"]), "How scores become one.", r#""weighted_average""#)
            .default(r#""weighted_average""#),
        key(
            "components",
            Maps(&COMPONENT),
            "What is averaged.",
            r#"[{"protocol": "courtesy", "weight": 2}]"#,
        )
        .required(),
    ],
);

static COMPONENT: Map = map(
    "component",
    &[
        key(
            "protocol",
            REFERENCE,
            "The protocol: its id for the latest published version, or `id@version`.",
            r#""courtesy@1.0""#,
        )
        .required(),
        key("weight", Number(Unit(1), Unit(1_000_000_000)), "What its score weighs.", "2").default("1"),
        key(
            "complement",
            Truth,
            "Averages what the score lacks to 1, for protocols whose low scores are good.",
            "true",
        )
        .default("false"),
    ],
);

/// A whole blueprint.
pub static BLUEPRINT: Map = Map {
    name: "blueprint",
    keys: &[
        key("sonometer_blueprint", FORMAT, "The version of this notation.", "1").required(),
        ID,
        NAME,
        VERSION,
        STATUS,
        DESCRIPTION,
        key(
            "protocols",
            Texts,
            "Its protocols: ids for the latest published versions, or `id@version`.",
            r#"["courtesy", "affect@1.0"]"#,
        ),
        key("metrics", Texts, "Its metrics, named likewise.", r#"["reply-quality"]"#),
    ],
    one_of: &["protocols", "metrics"],
};
