//! The keys of metrics and blueprints.

use super::Standing;
use crate::keys::Shape::{Identifier, Maps, Name, Number, Text, Texts, Truth, Written};
use crate::keys::{Key, Map, Shape, key, like, map};
use crate::unit::Unit;

pub(crate) const REFERENCE: Shape = like("^[a-z0-9_-]{1,64}(@[A-Za-z0-9._+-]{1,32})?$");

pub(crate) const ID: Key =
    key("id", Identifier, "The name by which programs call it.", r#""reply-quality""#).required();
pub(crate) const NAME: Key =
    key("name", Text, "The name shown to people; the id without it.", r#""Reply quality""#);
pub(crate) const VERSION: Key =
    key("version", like("^[A-Za-z0-9._+-]{1,32}$"), "Its version.", r#""1.0""#).required();
const STATUS: Key = key(
    "status",
    Name(Standing::NAMES),
    "An archived version is used only where it is pinned.",
    r#""active""#,
)
.default(r#""active""#);
pub(crate) const DESCRIPTION: Key =
    key("description", Text, "What it is for, for people.", r#""How well an assistant answers.""#);
pub(crate) const FORMAT: Shape = Written { like: "^1$", names: &["1"] };

/// A whole metric.
pub(crate) static METRIC: Map = map(
    "metric",
    &[
        key("sonometer_metric", FORMAT, "The version of this notation.", "1").required(),
        ID,
        NAME,
        VERSION,
        STATUS,
        DESCRIPTION,
        key(
            "aggregation",
            Name(&["weighted_average"]),
            "How the scores are combined.",
            r#""weighted_average""#,
        )
        .default(r#""weighted_average""#),
        key(
            "components",
            Maps(&COMPONENT),
            "The scores to average.",
            r#"[{"protocol": "courtesy", "weight": 2}]"#,
        )
        .required(),
    ],
);

pub(crate) static COMPONENT: Map = map(
    "component",
    &[
        key(
            "protocol",
            REFERENCE,
            "The protocol: its id for the latest published version, or `id@version`.",
            r#""courtesy@1.0""#,
        )
        .required(),
        key("weight", Number(Unit(1), Unit(1_000_000_000)), "The weight of its score.", "2").default("1"),
        key("complement", Truth, "Uses 1 minus the score, for protocols whose low scores are good.", "true")
            .default("false"),
    ],
);

/// A whole blueprint.
pub(crate) static BLUEPRINT: Map = Map {
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
