//! Dialogue out of a small grammar: text of our own, for machines without the data and for counting instructions.

use crate::random::Random;
use sonometer::{Interaction, Turn};

const NOUNS: &[&str] = &[
    "account",
    "order",
    "return",
    "question",
    "plan",
    "price",
    "problem",
    "day",
    "week",
    "family",
    "work",
    "trip",
    "water",
    "food",
    "firewood",
    "payment",
    "card",
    "invoice",
    "manager",
    "offer",
    "fund",
    "profit",
    "risk",
    "loan",
    "contract",
    "delivery",
    "parcel",
    "refund",
    "email",
    "phone",
    "website",
    "password",
    "school",
    "teacher",
    "student",
    "circle",
    "angle",
    "number",
    "answer",
    "story",
    "weekend",
    "doctor",
    "medicine",
    "habit",
    "drink",
    "sleep",
    "weather",
    "garden",
    "kitchen",
    "engine",
    "battery",
    "window",
    "ticket",
    "flight",
    "hotel",
    "argument",
    "reason",
    "evidence",
    "opinion",
    "example",
    "promise",
    "guarantee",
    "yield",
    "insurance",
    "deposit",
    "limit",
    "address",
    "signature",
    "agreement",
    "responsibility",
    "understanding",
    "recommendation",
    "disappointment",
    "experience",
    "conversation",
    "environment",
];
const VERBS: &[&str] = &[
    "want",
    "need",
    "think about",
    "know",
    "like",
    "see",
    "have",
    "change",
    "check",
    "understand",
    "share",
    "keep",
    "stop",
    "try",
    "pay for",
    "cancel",
    "return",
    "promise",
    "guarantee",
    "lose",
    "find",
    "explain",
    "sign",
    "send",
    "open",
    "close",
    "remember",
    "forget",
    "worry about",
    "talk about",
    "look at",
    "wait for",
    "ask about",
    "agree with",
    "give up",
    "recommend",
    "appreciate",
    "consider",
    "investigate",
    "complain about",
];
const ADJECTIVES: &[&str] = &[
    "good",
    "new",
    "whole",
    "last",
    "next",
    "real",
    "free",
    "best",
    "small",
    "late",
    "wrong",
    "safe",
    "sure",
    "old",
    "hard",
    "easy",
    "happy",
    "angry",
    "fair",
    "extra",
    "monthly",
    "broken",
    "serious",
    "important",
    "different",
    "possible",
    "reasonable",
    "risk-free",
    "unbelievable",
    "complicated",
    "disappointing",
];
const SUBJECTS: &[&str] =
    &["i", "you", "we", "they", "my friend", "the team", "people", "someone", "nobody", "our side"];
const MODALS: &[&str] = &[
    "",
    "really ",
    "can ",
    "will ",
    "should ",
    "don't ",
    "can't ",
    "never ",
    "would ",
    "have to ",
    "must not ",
];
const OPENERS: &[&str] = &[
    "",
    "",
    "",
    "So ",
    "Well, ",
    "Yes, ",
    "No, ",
    "Honestly, ",
    "I mean, ",
    "Thank you, ",
    "Sorry, but ",
    "To be fair, ",
    "It sounds like ",
    "Please note: ",
    "You know, ",
];
const TAILS: &[&str] = &[
    "",
    "",
    "",
    " right now",
    " at the end of the day",
    " for sure",
    " as soon as possible",
    " in 2024",
    " for $1,500",
    " by 3.5 percent",
    " without any doubt",
    " (if that is okay)",
    " because of the weather",
    " - or not",
    " every week",
];
const ENDS: &[&str] = &[".", ".", ".", ".", "?", "!", "...", "!!", " :)"];
const ASIDES: &[&str] = &[
    "That’s fine.",
    "It was a bit naïve, I guess.",
    "OK 👍",
    "STOP IT NOW!!",
    "Café at 5?",
    "e.g. Dr. Who…",
];

/// Conversations of two sides, about `bytes` bytes of content in all.
pub fn conversations(bytes: usize, seed: u64) -> Vec<Interaction> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    let mut written = 0;
    while written < bytes {
        let turns: Vec<Turn> = (0..1 + random.below(9)).map(|number| turn(&mut random, number)).collect();
        written += turns.iter().map(|turn| turn.content.len()).sum::<usize>();
        all.push(Interaction::transcript(turns).expect("every turn has a role"));
    }
    all
}

fn turn(random: &mut Random, number: usize) -> Turn {
    let role = if number.is_multiple_of(2) { "agent" } else { "customer" };
    let sentences: Vec<String> = (0..1 + random.below(4)).map(|_| sentence(random)).collect();
    Turn { role: Some(role.into()), content: sentences.join(" ").into(), timestamp: None }
}

fn sentence(random: &mut Random) -> String {
    if random.below(40) == 0 {
        return (*random.pick(ASIDES)).to_owned();
    }
    let (opener, subject, modal) = (random.pick(OPENERS), random.pick_early(SUBJECTS), random.pick(MODALS));
    let (verb, article) =
        (random.pick_early(VERBS), random.pick(&["the ", "a ", "my ", "your ", "this ", "any ", ""]));
    let adjective =
        if random.below(2) == 0 { format!("{} ", random.pick_early(ADJECTIVES)) } else { String::new() };
    let (noun, tail, end) = (random.pick_early(NOUNS), random.pick(TAILS), random.pick(ENDS));
    let mut text = format!("{opener}{subject} {modal}{verb} {article}{adjective}{noun}{tail}{end}");
    text[..1].make_ascii_uppercase();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_same_on_every_run_and_of_the_size_asked_for() {
        let (one, other) = (conversations(20_000, 5), conversations(20_000, 5));
        assert_eq!(one, other);
        let bytes: usize = one.iter().flat_map(|i| i.turns()).map(|turn| turn.content.len()).sum();
        assert!((20_000..25_000).contains(&bytes), "{bytes}");
    }
}
