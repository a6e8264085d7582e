//! Section 2.

use crate::build::*;
use crate::tests::{excluded, found};
use sonometer::class::Class;
use sonometer::protocol::phrase::Pattern;

const NONE: [&str; 0] = [];

#[test]
fn tests_of_words() {
    assert_eq!(found(&word("refund"), "Refund the REFUND, refunds"), ["Refund", "REFUND"]);
    assert_eq!(found(&prefix("refund"), "refunded refund ref"), ["refunded", "refund"]);
    assert_eq!(found(&inflection("guarante"), "we guaranteed and guarantee"), ["guaranteed", "guarantee"]);
    assert_eq!(found(&exact("Apple", "apple"), "apple Apple APPLE"), ["Apple"]);
    assert_eq!(found(&word("cafe"), "Café CAFE\u{301}"), ["Café", "CAFE\u{301}"]);
    assert_eq!(found(&word("👍"), "ok👍🏽"), ["👍🏽"]);
}

#[test]
fn a_token_follows_another_over_a_join_only() {
    let pattern = words("my money");
    assert_eq!(
        found(&pattern, "my money my, money my. Money my\nmoney my-money"),
        ["my money", "my\nmoney", "my-money"]
    );
}

#[test]
fn gaps_skip_and_cross_breaks_but_no_ends() {
    let pattern = sequence([word("a"), gap(2), word("d")]);
    assert_eq!(found(&pattern, "a d"), ["a d"]);
    assert_eq!(found(&pattern, "a, b, c, d"), ["a, b, c, d"]);
    assert_eq!(found(&pattern, "a b c x d"), NONE);
    assert_eq!(found(&pattern, "a b! d"), NONE);
    // The break stands between `d` and `e`, where the pattern has no gap.
    assert_eq!(found(&sequence([word("a"), gap(2), word("d"), word("e")]), "a d, e"), NONE);
}

#[test]
fn punctuation() {
    let pattern = sequence([word("great"), Pattern::Mark(','), word("just")]);
    assert_eq!(found(&pattern, "great, just great just"), ["great, just"]);
    assert_eq!(found(&sequence([word("what"), Pattern::Mark('?')]), "what what?"), ["what"]);
    assert_eq!(found(&sequence([Pattern::Mark('"'), word("so")]), "so \"so\""), ["so"]);
}

#[test]
fn edges_of_the_turn() {
    assert_eq!(found(&sequence([Pattern::TurnStart, word("no")]), "... no, no"), ["no"]);
    assert_eq!(found(&sequence([word("no"), Pattern::TurnEnd]), "no, \"no\"!"), ["no"]);
}

#[test]
fn edges_of_a_sentence() {
    let begins = sequence([Pattern::SentenceStart, class(Class::Number), words("items left")]);
    assert_eq!(found(&begins, "6 items left! Order soon."), ["6 items left"]);
    assert_eq!(found(&begins, "Hurry up! 6 items left"), ["6 items left"]);
    assert_eq!(found(&begins, "only 6 items left, 6 items left"), NONE);
    let ends = sequence([words("items left"), Pattern::SentenceEnd]);
    assert_eq!(found(&ends, "6 items left! 7 items left, 8 items left"), ["items left", "items left"]);
    assert_eq!(found(&ends, "items left behind"), NONE);
    // Nothing goes on over the end of a sentence.
    assert_eq!(found(&sequence([word("left"), Pattern::SentenceEnd, word("order")]), "left. Order"), NONE);
    // It says how a match begins, not what stands inside.
    assert_eq!(found(&sequence([word("left"), Pattern::SentenceStart, word("order")]), "left order"), NONE);
}

#[test]
fn braces_hold_the_place() {
    let code = || class(Class::Number);
    let pattern = sequence([words("my licence"), optional(word("number")), word("is"), capture(code())]);
    assert_eq!(found(&pattern, "My licence is 4711, my licence number is 4,712."), ["4711", "4,712"]);
    assert_eq!(found(&pattern, "your licence is 4711"), NONE);
    // The place of what an exclusion matches is all of it.
    let pattern = sequence([capture(class(Class::Money)), word("back")]);
    assert_eq!(found(&pattern, "I want $5 back"), ["$5"]);
    // Several parts in one pair of braces are one span.
    let address = sequence([code(), gap(2), word("street"), Pattern::Mark(','), code()]);
    let pattern = sequence([words("live at"), capture(address), optional(word("now"))]);
    assert_eq!(
        found(&pattern, "I live at 12 Long Straight Street, 80331 now"),
        ["12 Long Straight Street, 80331"]
    );
}

#[test]
fn the_first_and_then_the_longest_place_of_the_longest_match() {
    // Both ways match all three tokens; the place that begins first wins.
    let pattern =
        either([sequence([word("a"), capture(words("a a"))]), sequence([capture(word("a")), words("a a")])]);
    assert_eq!(found(&pattern, "a a a"), ["a"]);
    let pattern =
        either([sequence([capture(word("a")), words("b c")]), sequence([capture(words("a b")), word("c")])]);
    assert_eq!(found(&pattern, "a b c"), ["a b"]);
    // The longest match first, whatever its place.
    let pattern = either([capture(words("a b")), sequence([capture(word("a")), words("b c")])]);
    assert_eq!(found(&pattern, "a b c"), ["a"]);
    // Matches of a line lie apart as wholes.
    let pattern = sequence([word("a"), capture(word("b")), word("a")]);
    assert_eq!(found(&pattern, "a b a b a"), ["b"]);
}

#[test]
fn a_group_of_an_expression_is_its_place() {
    assert_eq!(found(&regex("order (?<place>[0-9]+)"), "order 12, order 13"), ["12", "13"]);
    assert_eq!(found(&regex("no(?<place>t?)"), "no not"), ["no", "t"]); // an empty group is no place
    assert_eq!(found(&regex("(?:(?<place>a)|b)c"), "ac bc"), ["a", "bc"]);
}

#[test]
fn both_in_any_order() {
    let pattern = near(word("late"), 1, word("order"));
    assert_eq!(found(&pattern, "late order. Order, is late"), ["late order", "Order, is late"]);
    assert_eq!(found(&pattern, "order is far too late"), NONE);
}

#[test]
fn the_longest_at_the_leftmost_start() {
    let pattern = sequence([word("a"), optional(word("b")), optional(word("a"))]);
    assert_eq!(found(&pattern, "a b a b a"), ["a b a", "a"]);
    // For every start the longest: a b a, then a b a again from the third token, then a.
    assert_eq!(excluded(&pattern, "a b a b a"), ["a b a", "a b a", "a"]);
    let pattern = either([word("a"), words("a b")]);
    assert_eq!(found(&pattern, "a b"), ["a b"]);
}

#[test]
fn questions() {
    assert_eq!(found(&Pattern::Question, "Yes. Is it, so? No?"), ["Is it, so", "No"]);
    let pattern = sequence([word("so"), Pattern::Question]);
    assert_eq!(found(&pattern, "so it is. is it so? no, what?"), ["so"]);
}

#[test]
fn classes_cover_their_tokens_and_widen_the_place() {
    assert_eq!(found(&class(Class::Email), "write to a.b@example.com, now"), ["a.b@example.com"]);
    assert_eq!(found(&class(Class::Money), "it costs $5, ok"), ["$5"]);
    let pattern = sequence([word("costs"), class(Class::Money), word("now")]);
    assert_eq!(found(&pattern, "costs $5 now"), ["costs $5 now"]);
    // A gap may not matter within an occurrence, but does after it.
    let pattern = sequence([class(Class::Money), word("now")]);
    assert_eq!(found(&pattern, "$1,000.50 now $5, now"), ["$1,000.50 now"]);
}

#[test]
fn regular_expressions() {
    assert_eq!(found(&regex("[A-Z]{2}-[0-9]+"), "AB-12 xAB-34"), ["AB-12", "AB-34"]);
    assert_eq!(found(&regex("x*"), "axxb"), ["xx"]); // empty matches are left out
    let pattern = sequence([word("order"), regex("[A-Z]{2}-[0-9]+")]);
    assert_eq!(found(&pattern, "order AB-12 order AB-12x order xAB-12"), ["order AB-12"]);
}

#[test]
fn hostile_nesting_ends() {
    let mut pattern = optional(word("a"));
    for _ in 0..40 {
        pattern = either([pattern.clone(), pattern]);
        if crate::matching::parts(&pattern).len() > 2_000 {
            break;
        }
    }
    let content = "a ".repeat(30);
    assert_eq!(found(&sequence([pattern, word("a"), word("a")]), &content).len(), 10);
    let mut pattern = word("a");
    for _ in 0..12 {
        pattern = near(pattern, 12, word("a"));
    }
    assert_eq!(found(&pattern, &content).len(), 1);
}
