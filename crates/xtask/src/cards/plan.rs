//! What is measured for each card.

use super::abuse;
use super::choice::Choice;
use super::halves::Split;
use super::kinds::Kinds;
use super::lengths::Lengths;
use super::ordinary::{Ordinary, all_of};

/// What a card measures.
#[derive(Debug)]
pub(crate) struct Card {
    /// The protocol, in its latest published version, and the name of the page. Versions with other figures need other
    /// pages; those on SGM 1.5 have the markers of 1.0.
    pub(crate) id: &'static str,
    pub(crate) split: Split,
    pub(crate) questions: &'static [Question],
    /// Markers, each against a label of its own.
    pub(crate) parts: &'static [Part],
    /// Classes of which one holds.
    pub(crate) choice: Option<Choice>,
    /// Where length could carry the score: the figures without its help.
    pub(crate) lengths: Option<Lengths>,
    /// Items of our own by kind.
    pub(crate) kinds: &'static [Kinds],
    /// Where alarms are counted by turn. Without any, texts made for other questions are counted whole.
    pub(crate) ordinary: &'static [Ordinary],
    /// Versions whose readings of long talks are shown beside each other, from the oldest to the newest.
    pub(crate) talks: &'static [&'static str],
}

/// A question to the protocol as a whole, on each half.
#[derive(Debug)]
pub(crate) struct Question {
    /// What is asked, in words.
    pub(crate) title: &'static str,
    pub(crate) file: &'static str,
    /// Further arguments of `sonometer evaluate`.
    pub(crate) arguments: &'static [&'static str],
    /// The figures shown: their key, and the aim if there is one.
    pub(crate) figures: &'static [(&'static str, &'static str)],
    pub(crate) table: Table,
}

/// What is told besides the figures, of the half that was not tuned on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Nothing,
    /// What each marker contributes.
    Markers,
    /// How each type of place is found.
    Types,
    /// How many items of each value of the label after `--by` are found, of both halves together.
    By,
}

/// Markers against the labels that they are about.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) markers: &'static str,
    pub(crate) file: &'static str,
    pub(crate) label: &'static str,
    pub(crate) positive: &'static str,
}

/// Every labelled file with an `interaction` a line, for what protocols say of texts made for other questions.
pub(crate) const FILES: &[&str] = &[
    "adhominem.jsonl",
    "casino.jsonl",
    "darkpattern.jsonl",
    "goemotions.jsonl",
    "hatecheck.jsonl",
    "hatecheck_ml.jsonl",
    "injection.jsonl",
    "offense_de.jsonl",
    "offense_zh.jsonl",
    "pii.jsonl",
    "politeness.jsonl",
    "refusal.jsonl",
    "uptake.jsonl",
];

/// A card that measures nothing yet: what the others leave out.
pub(crate) const NOTHING: Card = Card {
    id: "",
    split: Split::Sha,
    questions: &[],
    parts: &[],
    choice: None,
    lengths: None,
    kinds: &[],
    ordinary: &[],
    talks: &[],
};

pub(crate) const CARDS: &[Card] = &[
    abuse::ENGLISH,
    abuse::GERMAN,
    abuse::SPANISH,
    abuse::FRENCH,
    abuse::ITALIAN,
    abuse::PORTUGUESE,
    abuse::CHINESE,
    Card {
        id: "affect",
        split: Split::Read,
        questions: &[
            Question {
                title: "Positive: the marker `positive` against comments with at least one positive emotion",
                file: "goemotions.jsonl",
                arguments: &[
                    "--marker",
                    "positive",
                    "--label",
                    "emotions",
                    "--positive",
                    "admiration,amusement,approval,caring,desire,excitement,gratitude,joy,love,optimism,pride,relief",
                ],
                figures: FEELING_POSITIVE,
                table: Table::Nothing,
            },
            Question {
                title: "Negative: the marker `negative` against comments with at least one negative emotion",
                file: "goemotions.jsonl",
                arguments: &[
                    "--marker",
                    "negative",
                    "--label",
                    "emotions",
                    "--positive",
                    "anger,annoyance,disappointment,disapproval,disgust,embarrassment,fear,grief,nervousness,remorse,sadness",
                ],
                figures: FEELING_NEGATIVE,
                table: Table::Nothing,
            },
        ],
        parts: &[
            feeling("gratitude", "gratitude"),
            feeling("admiration", "admiration,pride"),
            feeling("approval", "approval"),
            feeling("love", "love"),
            feeling("caring", "caring"),
            feeling("hope", "optimism,desire"),
            feeling("joy", "joy,excitement,relief"),
            feeling("amusement", "amusement"),
            feeling("curiosity", "curiosity"),
            feeling("confusion", "confusion"),
            feeling("surprise", "surprise"),
            feeling("anger", "anger,annoyance"),
            feeling("sadness", "sadness,disappointment,grief"),
            feeling("disgust", "disgust"),
            feeling("embarrassment", "embarrassment"),
            feeling("disapproval", "disapproval"),
            feeling("fear", "fear,nervousness"),
            feeling("remorse", "remorse"),
        ],
        talks: &["affect@1.5", "affect@2.0"],
        ..NOTHING
    },
    Card {
        id: "argument",
        split: Split::FittedTopic,
        questions: &[Question {
            title: "Which of two arguments for the same side convinces more: the one with the higher score",
            file: "convarg.jsonl",
            arguments: &["--label", "more_convincing"],
            figures: &[("accuracy", "0.79")],
            table: Table::Nothing,
        }],
        lengths: Some(Lengths::Pairs { file: "convarg.jsonl", label: "more_convincing" }),
        ordinary: TASKS,
        ..NOTHING
    },
    unlabelled("counselling"),
    Card {
        id: "courtesy",
        split: Split::Read,
        questions: &[
            Question {
                title: "The most polite quarter of the requests against the least polite quarter, ranked by the score",
                file: "politeness.jsonl",
                arguments: &["--label", "quartile", "--positive", "polite", "--negative", "impolite"],
                figures: &[("auc", "0.80"), ("average_precision", "")],
                table: Table::Markers,
            },
            Question {
                title: "The same on requests to Wikipedians only",
                file: "politeness.jsonl",
                arguments: &[
                    "--label",
                    "quartile",
                    "--positive",
                    "polite",
                    "--negative",
                    "impolite",
                    "--where",
                    "domain=wikipedia",
                ],
                figures: &[("auc", ""), ("average_precision", "")],
                table: Table::Nothing,
            },
            Question {
                title: "The same on Stack Exchange only",
                file: "politeness.jsonl",
                arguments: &[
                    "--label",
                    "quartile",
                    "--positive",
                    "polite",
                    "--negative",
                    "impolite",
                    "--where",
                    "domain=stack-exchange",
                ],
                figures: &[("auc", ""), ("average_precision", "")],
                table: Table::Nothing,
            },
            Question {
                title: "All requests: rated above the average of their site against below it, ranked by the score",
                file: "politeness.jsonl",
                arguments: &["--label", "score", "--positive", ">0"],
                figures: &[("auc", ""), ("average_precision", "")],
                table: Table::Nothing,
            },
            Question {
                title: "As a decision: the same quarters, positive from 0.5 on, above a plain message",
                file: "politeness.jsonl",
                arguments: &["--label", "quartile", "--positive", "polite", "--negative", "impolite"],
                figures: &[("macro_f1", "0.70"), ("precision", ""), ("recall", "")],
                table: Table::Nothing,
            },
        ],
        talks: &["courtesy@1.5", "courtesy@2.0"],
        ..NOTHING
    },
    unlabelled("disclosure"),
    unlabelled("escalation"),
    Card {
        id: "friction",
        split: Split::Sha,
        questions: &[
            Question {
                title: "Talks that left the first side dissatisfied, ranked by the score",
                file: "casino.jsonl",
                arguments: &[
                    "--label",
                    "outcome.a.satisfaction",
                    "--positive",
                    "Slightly dissatisfied,Extremely dissatisfied",
                    "--higher",
                ],
                figures: &[("auc", ""), ("average_precision", "")],
                table: Table::Nothing,
            },
            Question {
                title: "Talks that left the second side dissatisfied, ranked by the score",
                file: "casino.jsonl",
                arguments: &[
                    "--label",
                    "outcome.b.satisfaction",
                    "--positive",
                    "Slightly dissatisfied,Extremely dissatisfied",
                    "--higher",
                ],
                figures: &[("auc", ""), ("average_precision", "")],
                table: Table::Nothing,
            },
        ],
        ordinary: TASKS,
        ..NOTHING
    },
    Card {
        id: "names-and-places",
        split: Split::Template,
        questions: &[
            Question {
                title: "Persons",
                file: "pii.jsonl",
                arguments: &[
                    "--label",
                    "spans",
                    "--unit",
                    "spans",
                    "--map",
                    "PERSON=person,introduced_person,person_in_small_letters",
                ],
                figures: &[
                    ("precision", "0.9"),
                    ("recall", "0.75"),
                    ("f1", ""),
                    ("exact_precision", ""),
                    ("exact_recall", ""),
                ],
                table: Table::Types,
            },
            Question {
                title: "Places, organizations and nationalities",
                file: "pii.jsonl",
                arguments: &[
                    "--label",
                    "spans",
                    "--unit",
                    "spans",
                    "--map",
                    "LOCATION,GPE=place,introduced_place",
                    "--map",
                    "ORGANIZATION=organisation",
                    "--map",
                    "NRP=nationality",
                ],
                figures: &[("precision", ""), ("recall", ""), ("f1", "")],
                table: Table::Types,
            },
        ],
        ordinary: NAMED_AT_TIMES,
        ..NOTHING
    },
    Card {
        id: "negotiation",
        split: Split::Sha,
        parts: &[
            move_of_a_turn("small_talk", "small-talk"),
            move_of_a_turn("self_need", "self-need"),
            move_of_a_turn("other_need", "other-need"),
            move_of_a_turn("no_need", "no-need"),
            move_of_a_turn("elicit_preference", "elicit-pref"),
            move_of_a_turn("coordination", "promote-coordination"),
            move_of_a_turn("fairness", "vouch-fair"),
            move_of_a_turn("empathy", "showing-empathy"),
            move_of_a_turn("undervalue", "uv-part"),
        ],
        ordinary: TASKS,
        ..NOTHING
    },
    Card {
        id: "personal-attack",
        split: Split::Fitted,
        questions: &[
            Question {
                title: "Threads that ended in a personal attack against threads that changed a view: score of 0.5 or more",
                file: "adhominem.jsonl",
                arguments: &["--label", "outcome", "--positive", "ad_hominem"],
                figures: &[("macro_f1", ""), ("precision", ""), ("recall", ""), ("f1", ""), ("auc", "0.90")],
                table: Table::Markers,
            },
            Question {
                title: "The same by the marker `personal_attack` alone, which hears the last post only",
                file: "adhominem.jsonl",
                arguments: &["--marker", "personal_attack", "--label", "outcome", "--positive", "ad_hominem"],
                figures: &[("macro_f1", ""), ("precision", ""), ("recall", ""), ("auc", "")],
                table: Table::Nothing,
            },
        ],
        lengths: Some(Lengths::Ranked { file: "adhominem.jsonl", label: "outcome", positive: "ad_hominem" }),
        ordinary: INSULTED_NOBODY,
        ..NOTHING
    },
    Card {
        id: "personal-data",
        split: Split::Template,
        questions: &[
            Question {
                title: "Places of the types that the protocol claims to find",
                file: "pii.jsonl",
                arguments: &[
                    "--label",
                    "spans",
                    "--unit",
                    "spans",
                    "--map",
                    "CREDIT_CARD=payment_card,card_security_code",
                    "--map",
                    "IBAN_CODE=bank_account",
                    "--map",
                    "US_SSN=social_security_number",
                    "--map",
                    "US_DRIVER_LICENSE=driver_license",
                    "--map",
                    "EMAIL_ADDRESS=email_address",
                    "--map",
                    "PHONE_NUMBER=phone_number",
                    "--map",
                    "IP_ADDRESS=ip_address",
                    "--map",
                    "DOMAIN_NAME=web_address",
                    "--map",
                    "ADDRESS,STREET_ADDRESS,ZIP_CODE=postal_address,postal_code",
                    "--map",
                    "AGE=age",
                ],
                figures: PLACES,
                table: Table::Types,
            },
            Question {
                title: "Places of the types that it finds only where the sentence says what they are",
                file: "pii.jsonl",
                arguments: &[
                    "--label",
                    "spans",
                    "--unit",
                    "spans",
                    "--map",
                    "PERSON,TITLE=person_name",
                    "--map",
                    "DATE_TIME=date_of_birth",
                ],
                figures: &[("precision", ""), ("recall", ""), ("f1", "")],
                table: Table::Types,
            },
        ],
        ..NOTHING
    },
    Card {
        id: "pressure-tactics",
        split: Split::Read,
        questions: &[Question {
            title: "Dark patterns against other texts of shop pages: score of 0.5 or more",
            file: "darkpattern.jsonl",
            arguments: &["--label", "dark"],
            figures: &[("macro_f1", "0.955"), ("precision", ""), ("recall", ""), ("f1", ""), ("auc", "")],
            table: Table::Markers,
        }],
        parts: &[
            tactic("low_stock,high_demand", "Scarcity"),
            tactic("limited_time,countdown", "Urgency"),
            tactic("activity,testimonial", "Social Proof"),
            tactic("confirmshaming,pressured_selling,trick_question", "Misdirection"),
            tactic("hard_to_cancel", "Obstruction"),
            tactic("sneak_into_basket,hidden_costs,hidden_subscription", "Sneaking"),
            tactic("forced_enrollment", "Forced Action"),
        ],
        ordinary: PRESSED_NOBODY,
        ..NOTHING
    },
    unlabelled("promise"),
    Card {
        id: "prompt-attack",
        split: Split::Quarters,
        questions: &[Question {
            title: "Attacks against other prompts: score of 0.5 or more",
            file: "injection.jsonl",
            arguments: &["--label", "injection"],
            figures: &[("macro_f1", "0.88"), ("precision", ""), ("recall", ""), ("f1", ""), ("auc", "")],
            table: Table::Markers,
        }],
        kinds: &[
            Kinds {
                title: "By kind, on items of our own",
                file: "fixtures/labelled/prompt-attacks.jsonl",
                note: "All were written before the first pattern, but by the same hand, so they show what is covered and prove little.",
                marker: None,
            },
            Kinds {
                title: "Ordinary prompts to an assistant",
                file: "fixtures/labelled/ordinary-prompts.jsonl",
                note: "A hundred requests of our own, in English, German, Spanish and Chinese, written before 1.1 and not fitted to.",
                marker: None,
            },
            Kinds {
                title: "Attacks and ordinary prompts by a model",
                file: "fixtures/labelled/prompts-by-a-model.jsonl",
                note: "Written and labelled by a language model that did not know the lines, and not fitted to.",
                marker: None,
            },
        ],
        ordinary: ATTACKED_NOBODY,
        ..NOTHING
    },
    Card {
        id: "refusal",
        split: Split::QuartersByQuestion,
        questions: &[
            Question {
                title: "Refused, in full or in part, against answered: score of 0.5 or more",
                file: "refusal.jsonl",
                arguments: &["--label", "answer", "--positive", "full_refusal,partial_refusal"],
                figures: &[("macro_f1", "0.93"), ("precision", ""), ("recall", ""), ("f1", ""), ("auc", "")],
                table: Table::Markers,
            },
            Question {
                title: "False refusals among the refusals: the marker `false_refusal` against questions that deserved an answer",
                file: "refusal.jsonl",
                arguments: &[
                    "--marker",
                    "false_refusal",
                    "--label",
                    "prompt_safe",
                    "--where",
                    "answer=full_refusal,partial_refusal",
                ],
                figures: &[("macro_f1", ""), ("precision", ""), ("recall", ""), ("f1", "")],
                table: Table::Nothing,
            },
        ],
        choice: Some(Choice {
            title: "In full, in part, or not at all",
            file: "refusal.jsonl",
            label: "answer",
            classes: &[
                ("partial_refusal", &["refusal", "partial_refusal"]),
                ("full_refusal", &["refusal"]),
                ("full_compliance", &[]),
            ],
            aim: "0.76",
        }),
        kinds: &[Kinds {
            title: "False refusals by kind, on questions of our own",
            file: "fixtures/labelled/assistant-questions.jsonl",
            note: "Each is refused; *found*: with `false_refusal`. *By a model*: it did not know the lines.",
            marker: Some("false_refusal"),
        }],
        ordinary: REFUSED_NOBODY,
        ..NOTHING
    },
    Card {
        id: "uptake",
        split: Split::Sha,
        questions: &[Question {
            title: "How far a teacher builds on what a student said, as three teachers rated it",
            file: "uptake.jsonl",
            arguments: &["--label", "uptake_z", "--graded"],
            figures: &[("spearman", "0.52")],
            table: Table::Nothing,
        }],
        ordinary: TASKS,
        ..NOTHING
    },
];

/// Talks about tasks, between people and people who play a system.
pub(crate) const TASKS: &[Ordinary] = &[all_of("background.jsonl")];

/// People are at peace with each other here, or mostly: `convarg.jsonl` and `goemotions.jsonl` hold some insults.
const INSULTED_NOBODY: &[Ordinary] = &[
    all_of("background.jsonl"),
    all_of("casino.jsonl"),
    all_of("uptake.jsonl"),
    all_of("politeness.jsonl"),
    all_of("pii.jsonl"),
    all_of("refusal.jsonl"),
    all_of("darkpattern.jsonl"),
    Ordinary { file: "injection.jsonl", role: None, only: Some(("injection", false)) },
    all_of("convarg.jsonl"),
    all_of("goemotions.jsonl"),
];

/// Talk in which people and places are named at times: how often, not how often wrongly.
const NAMED_AT_TIMES: &[Ordinary] = &[
    all_of("background.jsonl"),
    all_of("adhominem.jsonl"),
    all_of("casino.jsonl"),
    all_of("convarg.jsonl"),
    all_of("goemotions.jsonl"),
    all_of("politeness.jsonl"),
    all_of("uptake.jsonl"),
];

/// Nobody sells anything here, or hardly.
const PRESSED_NOBODY: &[Ordinary] = &[
    all_of("background.jsonl"),
    all_of("adhominem.jsonl"),
    all_of("casino.jsonl"),
    all_of("convarg.jsonl"),
    all_of("goemotions.jsonl"),
    all_of("hatecheck.jsonl"),
    Ordinary { file: "injection.jsonl", role: None, only: Some(("injection", false)) },
    all_of("pii.jsonl"),
    all_of("politeness.jsonl"),
    all_of("refusal.jsonl"),
    all_of("uptake.jsonl"),
];

/// Nobody attacks an assistant here. Of the answers of assistants and their questions, the questions.
const ATTACKED_NOBODY: &[Ordinary] = &[
    all_of("background.jsonl"),
    Ordinary { file: "refusal.jsonl", role: Some("user"), only: None },
    all_of("politeness.jsonl"),
    all_of("casino.jsonl"),
    all_of("goemotions.jsonl"),
    all_of("darkpattern.jsonl"),
    all_of("convarg.jsonl"),
    all_of("uptake.jsonl"),
    all_of("adhominem.jsonl"),
    all_of("hatecheck.jsonl"),
    all_of("hatecheck_ml.jsonl"),
    all_of("offense_de.jsonl"),
    all_of("offense_zh.jsonl"),
    all_of("pii.jsonl"),
];

/// No assistant refuses here; people decline offers in `casino.jsonl`, and arguments in `adhominem.jsonl`.
const REFUSED_NOBODY: &[Ordinary] = &[
    all_of("background.jsonl"),
    Ordinary { file: "injection.jsonl", role: None, only: Some(("injection", false)) },
    all_of("politeness.jsonl"),
    all_of("casino.jsonl"),
    all_of("goemotions.jsonl"),
    all_of("darkpattern.jsonl"),
    all_of("convarg.jsonl"),
    all_of("uptake.jsonl"),
    all_of("adhominem.jsonl"),
    all_of("hatecheck.jsonl"),
    all_of("pii.jsonl"),
];

const FEELING_POSITIVE: &[(&str, &str)] =
    &[("macro_f1", "0.80"), ("precision", ""), ("recall", ""), ("auc", "")];
const FEELING_NEGATIVE: &[(&str, &str)] =
    &[("macro_f1", "0.74"), ("precision", ""), ("recall", ""), ("auc", "")];
const PLACES: &[(&str, &str)] = &[
    ("f1", "0.97"),
    ("precision", ""),
    ("recall", ""),
    ("exact_f1", ""),
    ("exact_precision", ""),
    ("exact_recall", ""),
];

const fn feeling(marker: &'static str, emotions: &'static str) -> Part {
    Part { markers: marker, file: "goemotions.jsonl", label: "emotions", positive: emotions }
}

const fn tactic(markers: &'static str, pattern: &'static str) -> Part {
    Part { markers, file: "darkpattern.jsonl", label: "pattern", positive: pattern }
}

const fn move_of_a_turn(marker: &'static str, strategy: &'static str) -> Part {
    Part { markers: marker, file: "casino.jsonl", label: "segments", positive: strategy }
}

/// A card of a protocol for which nobody has labelled talks: how often it speaks in ordinary ones.
const fn unlabelled(id: &'static str) -> Card {
    Card {
        id,
        split: Split::Sha,
        questions: &[],
        parts: &[],
        choice: None,
        lengths: None,
        kinds: &[],
        ordinary: TASKS,
        talks: &[],
    }
}
