//! What is measured for the cards of `abuse`, one a language.

use super::halves::Split;
use super::ordinary::{Ordinary, all_of};
use super::plan::{Card, NOTHING, Question, TASKS, Table};

/// The markers about groups of people, as labels of hate mean them.
const GROUPS: &str = "hate,hate_them,group_threat,slur";
/// All but the one with learnt weights.
const BY_HAND: &str = "hate,hate_them,group_threat,slur,threat,insult";
const HATE: &str = "Hate against groups: one of `hate`, `hate_them`, `group_threat`, `slur`";
const HATE_FIGURES: &[(&str, &str)] = &[("macro_f1", "0.68"), ("precision", ""), ("recall", ""), ("auc", "")];

pub(crate) const ENGLISH: Card = Card {
    id: "abuse",
    split: Split::Read,
    questions: &[Question {
        title: HATE,
        file: "hatecheck.jsonl",
        arguments: &["--label", "hateful", "--marker", GROUPS, "--by", "functionality"],
        figures: &[("macro_f1", "0.75"), ("precision", ""), ("recall", ""), ("auc", "")],
        table: Table::By,
    }],
    ordinary: ABUSED_NOBODY,
    ..NOTHING
};

pub(crate) const GERMAN: Card = Card {
    id: "abuse-de",
    split: Split::Read,
    questions: &[
        hate(&["--label", "hateful", "--marker", GROUPS, "--where", "lang=de", "--by", "functionality"]),
        offensive(
            "offense_de.jsonl",
            &[("macro_f1", "0.72"), ("precision", ""), ("recall", ""), ("auc", "")],
        ),
        by_hand("offense_de.jsonl"),
    ],
    ordinary: &[
        all_of("background.jsonl"),
        Ordinary { file: "offense_de.jsonl", role: None, only: Some(("offensive", false)) },
    ],
    ..NOTHING
};

pub(crate) const CHINESE: Card = Card {
    id: "abuse-zh",
    split: Split::Read,
    questions: &[
        hate(&["--label", "hateful", "--marker", GROUPS, "--where", "lang=zh", "--by", "functionality"]),
        offensive(
            "offense_zh.jsonl",
            &[("macro_f1", "0.81"), ("precision", ""), ("recall", ""), ("auc", "")],
        ),
        by_hand("offense_zh.jsonl"),
    ],
    ordinary: &[
        all_of("background.jsonl"),
        Ordinary { file: "offense_zh.jsonl", role: None, only: Some(("offensive", false)) },
    ],
    ..NOTHING
};

pub(crate) const SPANISH: Card = romance(
    "abuse-es",
    &[hate(&["--label", "hateful", "--marker", GROUPS, "--where", "lang=es", "--by", "functionality"])],
);
pub(crate) const FRENCH: Card = romance(
    "abuse-fr",
    &[hate(&["--label", "hateful", "--marker", GROUPS, "--where", "lang=fr", "--by", "functionality"])],
);
pub(crate) const ITALIAN: Card = romance(
    "abuse-it",
    &[hate(&["--label", "hateful", "--marker", GROUPS, "--where", "lang=it", "--by", "functionality"])],
);
pub(crate) const PORTUGUESE: Card = romance(
    "abuse-pt",
    &[hate(&["--label", "hateful", "--marker", GROUPS, "--where", "lang=pt", "--by", "functionality"])],
);

/// People insult nobody here, or hardly, but `convarg.jsonl` and `refusal.jsonl` debate about groups, and half of the threads
/// of `adhominem.jsonl` end in an attack.
const ABUSED_NOBODY: &[Ordinary] = &[
    all_of("background.jsonl"),
    all_of("politeness.jsonl"),
    all_of("casino.jsonl"),
    all_of("darkpattern.jsonl"),
    all_of("uptake.jsonl"),
    all_of("pii.jsonl"),
    all_of("convarg.jsonl"),
    all_of("refusal.jsonl"),
    all_of("goemotions.jsonl"),
    all_of("adhominem.jsonl"),
];

const fn hate(arguments: &'static [&'static str]) -> Question {
    Question { title: HATE, file: "hatecheck_ml.jsonl", arguments, figures: HATE_FIGURES, table: Table::By }
}

const fn offensive(file: &'static str, figures: &'static [(&'static str, &'static str)]) -> Question {
    Question {
        title: "Offensive messages: score of 0.5 or more",
        file,
        arguments: &["--label", "offensive"],
        figures,
        table: Table::Markers,
    }
}

const fn by_hand(file: &'static str) -> Question {
    Question {
        title: "The same without the learnt marker `offence`",
        file,
        arguments: &["--label", "offensive", "--marker", BY_HAND],
        figures: &[("macro_f1", ""), ("precision", ""), ("recall", "")],
        table: Table::Nothing,
    }
}

/// A language with nothing but built sentences: the ordinary talk is English, and says little.
const fn romance(id: &'static str, questions: &'static [Question]) -> Card {
    Card {
        id,
        split: Split::Quarters,
        questions,
        parts: &[],
        choice: None,
        lengths: None,
        kinds: &[],
        ordinary: TASKS,
        talks: &[],
    }
}
