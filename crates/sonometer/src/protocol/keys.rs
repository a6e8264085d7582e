//! The keys of protocols: what each takes, what it is without the key, what it means.

use super::mask::Mask;
use super::model::*;
use crate::keys::Shape::{
    Count, Identifier, Lines, Map as Inner, Maps, Name, Named, Names, Number, Text, Texts, Truth, Written,
};
use crate::keys::{Map, Shape, key, like, map};
use crate::unit::Unit;

const LEAST: Unit = Unit(1);
const THOUSAND: Unit = Unit(1_000_000_000);
/// A language that the engine knows, also as the beginning of a longer tag such as `en-GB`, in whatever case.
const LANGUAGE: &str = "^([Dd][Ee]|[Ee][Nn]|[Ee][Ss]|[Zz][Hh])(-.*)?$";
const REACH: &str = "^[0-9.]+ (turns?|sentences?|words?|seconds?)$";

/// A path below the folder of the protocol, with the digest of the file's phrases if it is pinned.
static PATH: Shape = like(r"^[A-Za-z0-9_-][A-Za-z0-9._/-]{0,199}( sha256:[0-9a-f]{64})?$");

/// A whole protocol.
pub(crate) static PROTOCOL: Map = map(
    "protocol",
    &[
        key("sonometer", Written { like: "^1$", names: &["1"] }, "The version of this notation.", "1")
            .required(),
        key("id", Identifier, "The name by which programs call it.", r#""order-help""#).required(),
        key("name", Text, "The name shown to people; the id without it.", r#""Order help""#),
        key("version", like("^[A-Za-z0-9._+-]{1,32}$"), "The version of the protocol.", r#""1.0""#)
            .required(),
        key("sgm", Name(Sgm::NAMES), "The model iteration that reads it.", r#""1.0""#).default(r#""1.0""#),
        key(
            "status",
            Name(Status::NAMES),
            "A draft can change; a published version is frozen.",
            r#""draft""#,
        )
        .default(r#""draft""#),
        key("taxonomy", Name(Taxonomy::NAMES), "The family of the protocol.", r#""Good_Practice""#)
            .required(),
        key("description", Text, "What it measures, for people.", r#""How well an agent helps.""#),
        key(
            "language",
            Written { like: LANGUAGE, names: &["de", "en", "es", "zh"] },
            "The language of its patterns: stems, function words, cues of negation.",
            r#""en""#,
        ),
        key(
            "modalities",
            Names(Modality::NAMES),
            "What it can be used on; everything without it.",
            r#"["transcript"]"#,
        ),
        key(
            "actants",
            Inner(&ACTANTS),
            "Who takes part, and by which other names.",
            r#"{"primary": "agent"}"#,
        ),
        key("fidelity", Inner(&FIDELITY), "How much content a reading needs.", r#"{"words": 40}"#),
        key("score", Name(ScoreKind::NAMES), "How the markers become one score.", r#""risk""#)
            .default(r#""mean""#),
        key("better", Name(Better::NAMES), "Which direction of the score is an improvement.", r#""lower""#)
            .default(r#""higher""#),
        key("strengths", Inner(&STRENGTHS), "What pattern lines are worth.", r#"{"weak": 0.2}"#),
        key(
            "negation",
            Inner(&NEGATION),
            "Cues of negation beyond those of the language.",
            r#"{"reach": 4}"#,
        ),
        key(
            "unfold",
            Names(Unfold::NAMES),
            "Disguises that are undone for a second reading.",
            r#"["leet", "repeats"]"#,
        )
        .left_out(),
        key(
            "temporal",
            Inner(&TEMPORAL),
            "How an interaction is cut for the temporal analysis; only on SGM 1.5.",
            r#"{"window": "60s", "else": "2 turns"}"#,
        ),
        key(
            "lists",
            Named(&Lines),
            "Named lists of entries, `@name` in a pattern.",
            r#"{"kind": "kind | nice"}"#,
        ),
        key(
            "list_files",
            Named(&PATH),
            "Named lists of plain phrases in files beside the protocol, one phrase on each line.",
            r#"{"first_name": "names/first.txt"}"#,
        )
        .left_out(),
        key(
            "markers",
            Maps(&MARKER),
            "The metamarkers.",
            r#"[{"label": "thanks", "strong": "thank you", "hit": "Thank you."}]"#,
        )
        .required(),
        key(
            "tests",
            Maps(&TEST),
            "Dialogues, for what one line of `hit` or `miss` cannot show.",
            r#"[{"name": "polite", "talk": "Thank you.", "expect": {"fires": "thanks"}}]"#,
        )
        .left_out(),
    ],
);

pub(crate) static ACTANTS: Map = map(
    "actants",
    &[
        key("primary", Text, "The side the protocol is about.", r#""agent""#),
        key("secondary", Text, "The other side.", r#""customer""#),
        key("others", Texts, "Further roles who take part.", r#"["supervisor"]"#).left_out(),
        key("aliases", Named(&Texts), "Other names of a role.", r#"{"agent": ["assistant", "bot"]}"#),
    ],
);

pub(crate) static FIDELITY: Map = map(
    "fidelity",
    &[
        key("words", Count(1, 1_000_000), "Words that are needed.", "40").default("1"),
        key("turns", Count(1, 100_000), "Turns that are needed.", "4").default("1"),
        key("roles", Named(&Count(1, 1_000_000)), "Words of a role that are needed.", r#"{"agent": 20}"#),
        key(
            "sufficient",
            Number(Unit::ZERO, Unit::ONE),
            "The index from which content is measured at all.",
            "0.4",
        )
        .default("0.5"),
    ],
);

pub(crate) static STRENGTHS: Map = map(
    "strengths",
    &[
        key("strong", Number(LEAST, Unit::ONE), "What a match of a `strong` line is worth.", "1")
            .default("1"),
        key("clear", Number(LEAST, Unit::ONE), "What a match of a `clear` line is worth.", "0.6")
            .default("0.6"),
        key("weak", Number(LEAST, Unit::ONE), "What a match of a `weak` line is worth.", "0.3")
            .default("0.3"),
    ],
);

pub(crate) static NEGATION: Map = map(
    "negation",
    &[
        key("reach", Count(1, 40), "How many tokens a cue reaches forward.", "6").default("6"),
        key("cues", Lines, "Words that negate.", r#""hardly""#),
        key("not_cues", Lines, "Phrases in which a cue does not negate.", r#""no problem""#),
        key("stops", Lines, "Words that end the reach of a cue.", r#""but""#),
    ],
);

pub(crate) static TEMPORAL: Map = map(
    "temporal",
    &[
        key(
            "window",
            like("^[0-9.]+ *(s|seconds?)$"),
            "The length of a window where every turn has a timestamp.",
            r#""60s""#,
        )
        .default(r#""60s""#),
        key("else", like("^[0-9]+ *turns?$"), "The turns of a window elsewhere.", r#""2 turns""#)
            .default(r#""2 turns""#),
    ],
);

pub(crate) static MARKER: Map = Map {
    name: "marker",
    one_of: &["strong", "clear", "weak", "weigh", "absent", "ratio"],
    keys: &[
        key("label", Identifier, "Its name in results, unique in the protocol.", r#""offer""#).required(),
        key("description", Text, "What it means, for people.", r#""Offers something that helps.""#),
        key("importance", Name(Importance::NAMES), "Its weight in the score: 1, 2, 4, 8.", r#""high""#)
            .default(r#""medium""#),
        key("pole", Name(Pole::NAMES), "Whether it speaks for or against.", r#""against""#)
            .default(r#""for""#),
        key("by", Texts, "The roles whose turns count; every turn without it.", r#""agent""#),
        key(
            "where",
            like("^(first|last) +[0-9.]+ +(turns?|seconds?)$"),
            "The part of the interaction that counts.",
            r#""first 3 turns""#,
        ),
        key(
            "negation",
            Written { like: "^(keep|drop|flip +[a-z0-9_-]+)$", names: &["keep", "drop"] },
            "What a negated match is: as any other, no evidence, or evidence for another marker.",
            r#""drop""#,
        )
        .default(r#""keep""#),
        key(
            "after",
            Inner(&COMPANION),
            "What must have been said before a match.",
            r#"{"any": "sorry", "within": "2 turns"}"#,
        ),
        key(
            "before",
            Inner(&COMPANION),
            "What must be said after a match.",
            r#"{"any": "sorry", "within": "2 turns"}"#,
        ),
        key(
            "pair",
            Inner(&PAIR),
            "What completes a match, and what it is worth without.",
            r#"{"then": "but", "within": "2 sentences", "else": 0.5}"#,
        ),
        key(
            "echo",
            Inner(&ECHO),
            "Reuse of the other side's words makes a match stronger.",
            r#"{"of": "client", "within": "2 turns", "boost": 0.3}"#,
        ),
        key(
            "join",
            like("^([2-9]|10) +turns?$"),
            "Over how many turns of one speaker a match may reach.",
            r#""3 turns""#,
        ),
        key("strengths", Inner(&STRENGTHS), "What its pattern lines are worth.", r#"{"clear": 0.5}"#),
        key("strong", Lines, "Patterns that show it.", r#""thank you""#).left_out(),
        key("clear", Lines, "Patterns that show it fairly well.", r#""thanks""#).left_out(),
        key("weak", Lines, "Patterns that hint at it.", r#""nice""#).left_out(),
        key("weigh", Lines, "Patterns with their weights, `thank you = 0.41`.", r#""many thanks = 0.41""#)
            .left_out(),
        key("bias", Number(Unit(-1_000_000_000), THOUSAND), "Added to the sum of a weighted list.", "-0.2")
            .default("0"),
        key(
            "absent",
            Lines,
            "Patterns: the marker triggers if none of them is said in time.",
            r#""at risk""#,
        )
        .left_out(),
        key(
            "when",
            Inner(&WHEN),
            "What starts the clock of `absent`.",
            r#"{"any": "invest*", "by": "agent"}"#,
        ),
        key(
            "until",
            Written { like: "^(end|[0-9.]+ +(turns?|seconds?)( +after +when)?)$", names: &["end"] },
            "By when it must be said.",
            r#""end""#,
        )
        .default(r#""end""#),
        key(
            "ratio",
            Inner(&RATIO),
            "How often one thing is said for another.",
            r#"{"of": "other", "to": "<question>", "full": 2}"#,
        ),
        key("except", Lines, "Patterns that take evidence away where they overlap it.", r#""no thanks""#)
            .left_out(),
        key("repeat", Name(Repeat::NAMES), "What later matches of one line add.", r#""once""#)
            .default(r#""halve""#),
        key("per", like("^[0-9]+ *words$"), "Evidence per so many words.", r#""100 words""#),
        key(
            "share",
            Inner(&SHARE),
            "Turns with evidence for all turns, for long talks.",
            r#"{"of": "turns", "full": 0.3}"#,
        ),
        key(
            "scope",
            Written {
                like: "^(interaction|(last +)?(turn|[0-9]+ +turns?))$",
                names: &["turn", "last turn", "interaction"],
            },
            "The turns that a weighted list is asked of at a time; the strongest count.",
            r#""turn""#,
        )
        .default(r#""interaction""#),
        key("half", Number(Unit::ZERO, THOUSAND), "How fast activation saturates; 0 is a step.", "0.5")
            .default("1"),
        key("trigger", Number(LEAST, Unit::ONE), "The activation that triggers.", "0.45").default("0.5"),
        key(
            "mask",
            Written {
                like: "^(all|stars|(first|last)[1-8]|label|numbered|keyed|remove)$",
                names: &Mask::NAMES,
            },
            "How matched text is hidden wherever it would be shown.",
            r#""last4""#,
        ),
        key(
            "hints",
            Inner(&HINTS),
            "The author's words for weak signals, by reason.",
            r#"{"more": "once is not enough"}"#,
        ),
        key("hit", Lines, "Lines that must trigger it.", r#""Thank you.""#),
        key("miss", Lines, "Lines that must not trigger it.", r#""No thanks.""#),
    ],
};

pub(crate) static COMPANION: Map = Map {
    name: "companion",
    one_of: &["any", "marker"],
    keys: &[
        key("any", Lines, "Its patterns.", r#""sorry""#).left_out(),
        key("marker", Texts, "Markers whose counted matches it is too.", r#""other""#).left_out(),
        key("by", Texts, "The roles who can say it; anybody without it.", r#""agent""#),
        key("within", like(REACH), "How far away it may stand.", r#""2 turns""#).required(),
    ],
};

pub(crate) static PAIR: Map = Map {
    name: "pair",
    one_of: &["then", "marker"],
    keys: &[
        key("then", Lines, "The patterns that complete a match.", r#""but""#).left_out(),
        key("marker", Texts, "Markers whose counted matches complete it too.", r#""other""#).left_out(),
        key("by", Texts, "The roles who can say it; anybody without it.", r#""agent""#),
        key("within", like(REACH), "How far away it may stand.", r#""2 sentences""#).required(),
        key("else", Number(Unit::ZERO, Unit::ONE), "What the strength is multiplied with without it.", "0.5")
            .default("0"),
    ],
};

pub(crate) static ECHO: Map = map(
    "echo",
    &[
        key("of", Texts, "Whose words count.", r#""client""#).required(),
        key("marker", Texts, "Only words of sentences in which these markers count.", r#""other""#)
            .left_out(),
        key("within", like("^[0-9]+ +turns?$"), "Among how many turns before the match.", r#""2 turns""#)
            .default(r#""1 turns""#),
        key("words", Count(1, 100), "How many different content words.", "2").default("1"),
        key("boost", Number(LEAST, Unit::ONE), "What is added to the strength.", "0.3").required(),
        key(
            "else",
            Number(Unit::ZERO, Unit::ONE),
            "What the strength is multiplied with without an echo.",
            "0.5",
        )
        .default("1")
        .left_out(),
    ],
);

pub(crate) static WHEN: Map = Map {
    name: "when",
    one_of: &["any", "marker"],
    keys: &[
        key("any", Lines, "Its patterns.", r#""invest*""#).left_out(),
        key("marker", Texts, "Markers whose counted matches start it too.", r#""other""#).left_out(),
        key("by", Texts, "The roles who can say it; anybody without it.", r#""agent""#),
    ],
};

pub(crate) static RATIO: Map = map(
    "ratio",
    &[
        key("of", Identifier, "The marker that is counted.", r#""other""#).required(),
        key("to", Lines, "For what: a marker's label, or patterns.", r#""<question>""#).required(),
        key("by", Texts, "The roles whose turns count; every turn without it.", r#""agent""#),
        key("floor", Number(Unit::ZERO, THOUSAND), "The ratio that is worth 0.", "0.5").default("0"),
        key("full", Number(LEAST, THOUSAND), "The ratio that is worth 1.", "2").default("1"),
        key("at_least", Count(1, 100_000), "How many of both together make a ratio.", "3").default("1"),
    ],
);

pub(crate) static SHARE: Map = map(
    "share",
    &[
        key("of", Name(&["turns"]), "What is counted.", r#""turns""#).default(r#""turns""#),
        key("by", Texts, "The side whose turns are counted; the marker's without it.", r#""agent""#),
        key("full", Number(LEAST, Unit::ONE), "The share that counts as 1.", "0.3").default("1"),
    ],
);

pub(crate) static HINTS: Map = map(
    "hints",
    &[
        key("more", Text, "There is evidence, but not enough.", r#""once is not enough""#),
        key("role", Text, "Somebody else said it.", r#""said by the other side""#),
        key("where", Text, "It stands outside the part that counts.", r#""said too late""#),
        key("except", Text, "An exception took it away.", r#""an offer with a price""#),
        key("negated", Text, "It is negated.", r#""refused rather than offered""#),
        key("after", Text, "What must have been said before is missing.", r#""no question came first""#),
        key("before", Text, "What must be said after it is missing.", r#""no answer came""#),
        key("pair", Text, "What completes it is missing.", r#""only one side of it""#),
        key("echo", Text, "No word of the other side is reused.", r#""in words of their own""#),
        key("gap", Text, "The parts of a line stand too far apart.", r#""nearly together""#),
        key("deadline", Text, "Not said, and not due yet.", r#""there is still time""#),
        key("checksum", Text, "The right shape, but wrong check digits.", r#""check digits are wrong""#),
    ],
);

pub(crate) static TEST: Map = map(
    "test",
    &[
        key("name", Text, "What it shows.", r#""a polite refusal""#).required(),
        key("talk", Lines, "One turn a line, `role: text`.", r#""Thank you.""#).required(),
        key("expect", Inner(&EXPECT), "What must come of it.", r#"{"fires": ["thanks"]}"#).required(),
    ],
);

pub(crate) static EXPECT: Map = Map {
    name: "expect",
    one_of: &["fires", "silent", "sufficient", "score", "driven"],
    keys: &[
        key("fires", Texts, "The markers that must trigger.", r#"["thanks"]"#),
        key("silent", Texts, "The markers that must not.", r#"["other"]"#),
        key("sufficient", Truth, "Whether the dialogue is enough to be measured.", "true"),
        key("score", Inner(&SCORE), "Between what the score must be.", r#"{"at_least": 0.5}"#),
        key(
            "driven",
            Named(&Text),
            "Markers with the role whose side must drive them; only on SGM 1.5.",
            r#"{"thanks": "customer"}"#,
        )
        .left_out(),
    ],
};

pub(crate) static SCORE: Map = map(
    "score",
    &[
        key("at_least", Number(Unit::ZERO, Unit::ONE), "The least.", "0.5").default("0"),
        key("at_most", Number(Unit::ZERO, Unit::ONE), "The most.", "0.9").default("1"),
    ],
);
