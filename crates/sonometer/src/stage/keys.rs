//! The keys of stages.

use super::model::{Access, Counted, Mode, Reason, Record, SeedSource};
use crate::composition::keys::{DESCRIPTION, FORMAT, ID, NAME, REFERENCE, VERSION};
use crate::keys::Shape::{Count, Map as Inner, Maps, Name, Named, Names, Text, Texts, Truth};
use crate::keys::{Key, Map, Shape, key, like, map};
use crate::protocol::model::Status;

const GUARD: Shape = Text;
const WORLD: Key = key(
    "world",
    Texts,
    "What the world says: a text, or several of which the seed draws one.",
    r#""Hello, {mood}.""#,
)
.left_out();

/// A whole stage.
pub(crate) static STAGE: Map = Map {
    name: "stage",
    keys: &[
        key("sonometer_stage", FORMAT, "The version of this notation.", "1").required(),
        ID,
        NAME,
        VERSION,
        key(
            "status",
            Name(Status::NAMES),
            "A draft can change; a published version is frozen.",
            r#""draft""#,
        )
        .default(r#""draft""#),
        DESCRIPTION,
        key(
            "blueprint",
            REFERENCE,
            "What senses every action; or `metric`, or `protocol`.",
            r#""service-call@1.0""#,
        ),
        key("metric", REFERENCE, "What senses every action.", r#""reply-quality@1.0""#),
        key("protocol", REFERENCE, "What senses every action.", r#""courtesy@1.5""#),
        key("objective", Text, "The goal that the agent is given.", r#""Calm the customer.""#).required(),
        key(
            "roles",
            Inner(&ROLES),
            "As whom the two sides are sensed.",
            r#"{"agent": "agent", "world": "customer"}"#,
        ),
        key("publication", Inner(&PUBLICATION), "Who may dive.", r#"{"access_mode": "free"}"#),
        key("attempts", Inner(&ATTEMPTS), "How often an agent may dive.", r#"{"graded": {"max": 3}}"#),
        key("envelope", Inner(&ENVELOPE), "The bounds of a dive.", r#"{"max_turns": 8}"#),
        key(
            "vars",
            Named(&Shape::Written { like: r"^-?[0-9]+ in -?[0-9]+\.\.-?[0-9]+$", names: &[] }),
            "Whole numbers that the world keeps: `start in low..high`.",
            r#"{"trust": "1 in 0..5"}"#,
        ),
        key("lists", Named(&Texts), "Words of which each dive draws one.", r#"{"mood": ["tired", "curt"]}"#),
        key("start", Text, "The scene in which a dive begins.", r#""arrival""#).required(),
        key(
            "scenes",
            Named(&Inner(&SCENE)),
            "The places of the world.",
            r#"{"arrival": {"world": "Hello.", "do": [{"otherwise": "stay"}]}}"#,
        )
        .required(),
        key("checkpoints", Named(&GUARD), "What is to be reached.", r#"{"long": "turn >= 2"}"#).required(),
        key("flags", Named(&Inner(&FLAG)), "What must not happen.", r#"{"slow": {"when": "turn > 5"}}"#),
        key("on_target", GUARD, "Whether an action is on target.", r#""score >= 0.5""#)
            .default(r#""score >= 0.5""#),
        key("pass", GUARD, "Whether the dive is passed, asked at its end.", r#""all(checkpoints)""#)
            .default(r#""all(checkpoints) and none(flags)""#),
        key(
            "walkthroughs",
            Named(&Inner(&WALKTHROUGH)),
            "Runs with their outcome: the tests of the stage.",
            r#"{"silence": {"expect": "fail", "say": "."}}"#,
        ),
    ],
    one_of: &["blueprint", "metric", "protocol"],
};

pub(crate) static ROLES: Map = map(
    "roles",
    &[
        key("agent", Text, "Who dives.", r#""agent""#).default(r#""agent""#),
        key("world", Text, "Who answers.", r#""customer""#).default(r#""world""#),
    ],
);

pub(crate) static PUBLICATION: Map = map(
    "publication",
    &[
        key("access_mode", Name(Access::NAMES), "Whom the service lets in.", r#""entitled""#)
            .default(r#""free""#),
        key(
            "password",
            Name(&["none", "argon2id"]),
            "Whether a password is asked for; its verifier is kept by the service.",
            r#""argon2id""#,
        )
        .default(r#""none""#),
        key("modes", Names(Mode::NAMES), "The modes that are offered.", r#"["practice", "graded"]"#)
            .default(r#"["practice", "graded"]"#),
    ],
);

pub(crate) static ATTEMPTS: Map = map(
    "attempts",
    &[
        key("practice", Inner(&ATTEMPT), "For practice.", r#"{"max": "none"}"#),
        key("graded", Inner(&ATTEMPT), "For the record.", r#"{"max": 3, "window": "30d"}"#),
    ],
);

pub(crate) static ATTEMPT: Map = map(
    "attempt",
    &[
        key(
            "max",
            Shape::Written { like: "^([0-9]+|none)$", names: &["none", "1", "3", "5", "10"] },
            "The most dives within the window.",
            r#""3""#,
        )
        .default(r#""none""#),
        key("per", Name(Counted::NAMES), "Who is counted.", r#""agent""#).default(r#""agent""#),
        key("window", like("^([0-9]+[dhms]|none)$"), "How long an attempt counts.", r#""30d""#)
            .default(r#""none""#),
        key(
            "seed",
            Name(SeedSource::NAMES),
            "Who chooses the seed; in practice the caller, else the server.",
            r#""server""#,
        ),
        key("record", Name(Record::NAMES), "Which of several attempts counts.", r#""best""#)
            .default(r#""first""#),
    ],
);

pub(crate) static ENVELOPE: Map = map(
    "envelope",
    &[
        key("share_scorecard", Truth, "Whether the card shows the reading of every action.", "true")
            .default("true"),
        key("max_turns", Count(1, 200), "The most actions.", "8").default("12"),
        key("ics_budget", Count(1, 1_000_000), "The ICS after which the world ends.", "40").default("200"),
        key("max_action_chars", Count(1, 20_000), "The most code points of an action.", "2000")
            .default("4000"),
    ],
);

pub(crate) static SCENE: Map = map(
    "scene",
    &[
        key("end", Truth, "Whether the world ends here.", "true").default("false"),
        WORLD,
        key(
            "do",
            Maps(&ENTRY),
            "What actions lead to: the first entry that applies.",
            r#"[{"otherwise": "stay"}]"#,
        ),
    ],
);

pub(crate) static ENTRY: Map = Map {
    name: "entry",
    keys: &[
        key("when", GUARD, "When it applies.", r#""turns_here >= 3""#),
        key("otherwise", Text, "Where everything else leads: `stay`, or a scene.", r#""stay""#),
        key("set", Texts, "Changes of variables: `trust + 1`, `trust = 0`.", r#""trust + 1""#).left_out(),
        key("go", Text, "The scene it leads to; it stays without it.", r#""arrival""#),
        WORLD,
    ],
    one_of: &["when", "otherwise"],
};

pub(crate) static FLAG: Map = map(
    "flag",
    &[
        key("when", GUARD, "When it trips.", r#""turn > 5""#).required(),
        key("end", Truth, "Whether the world ends then.", "true").default("false"),
    ],
);

pub(crate) static WALKTHROUGH: Map = map(
    "walkthrough",
    &[
        key("seed", like("^[0-9]+$"), "The seed, 0 to 9007199254740991.", r#""7""#).default(r#""0""#),
        key("expect", Name(&["pass", "fail"]), "Whether it passes.", r#""pass""#).required(),
        key("reason", Name(Reason::NAMES), "Why it ends, where that matters.", r#""max_turns""#),
        key("say", Texts, "What is said, turn by turn.", r#"["I am sorry about that."]"#).required(),
    ],
);
