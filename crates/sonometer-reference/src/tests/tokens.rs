//! Section 1.

use super::turn;
use crate::build::shout;
use crate::gap::GapKind;
use crate::tests::found;

fn tokens(content: &str) -> Vec<String> {
    let turn = turn(content);
    turn.tokens.iter().map(|token| turn.original[token.place.clone()].to_owned()).collect()
}

#[test]
fn words() {
    assert_eq!(tokens("I don't pay 1,000.50, or 3.x"), ["I", "don't", "pay", "1,000.50", "or", "3", "x"]);
    assert_eq!(tokens("'quoted' rock'n'roll a'1"), ["quoted", "rock'n'roll", "a", "1"]);
    assert_eq!(tokens("snake_case e-mail C3PO"), ["snake", "case", "e", "mail", "C3PO"]);
    assert_eq!(tokens("...!?"), Vec::<String>::new());
}

#[test]
fn words_of_scripts_without_spaces() {
    assert_eq!(tokens("日本語 ok"), ["日", "本", "語", "ok"]);
}

#[test]
fn marks_belong_to_what_they_follow() {
    // "नहीं" is na, ha + vowel sign + sign: one word. The acute of "é" is dropped by the fold and still belongs to it.
    assert_eq!(tokens("नहीं cafe\u{301}s"), ["नहीं", "cafe\u{301}s"]);
    assert_eq!(tokens(" \u{93f}क"), ["\u{93f}क"]); // a mark that follows no token begins a word
}

#[test]
fn symbols() {
    assert_eq!(tokens("ok👍🏽👍"), ["ok", "👍🏽", "👍"]);
    assert_eq!(tokens("👩‍🚀 ❤️‍🔥"), ["👩‍🚀", "❤️‍🔥"]);
    assert_eq!(tokens("🇩🇪🇫🇷🇬"), ["🇩🇪", "🇫🇷", "🇬"]);
    assert_eq!(tokens("👍\u{200d}a"), ["👍", "a"]); // the joiner goes
}

#[test]
fn zero_width_characters_vanish() {
    assert_eq!(turn("pa\u{200b}ss").tokens[0].lower, "pass");
    assert_eq!(tokens("pa\u{200b}ss\u{200b} x"), ["pa\u{200b}ss", "x"]);
}

#[test]
fn what_folds_to_several_characters_is_one_place() {
    assert_eq!(turn("Straße").tokens[0].lower, "strasse");
    assert_eq!(tokens("Straße"), ["Straße"]);
    assert_eq!(turn("ﬁne").tokens[0].lower, "fine");
    assert_eq!(turn("ＦＵＬＬ").tokens[0].lower, "full");
    assert_eq!(turn("\u{1112}\u{1161}\u{11ab}").tokens[0].lower, "\u{d55c}");
}

#[test]
fn gaps_and_sentences() {
    let turn = turn("Mr. Smith, stay. do it now");
    let kinds = &turn.kinds[1..5];
    assert_eq!(kinds, [GapKind::Join, GapKind::Break, GapKind::End, GapKind::Join]);
    assert_eq!(turn.sentences(), [0..3, 3..6]);
}

#[test]
fn questions() {
    let turn = turn("Well. Is it, really? Yes");
    assert_eq!(turn.questions(), vec![1..4]);
}

#[test]
fn shouting() {
    assert_eq!(found(&shout(), "now I AM A VERY ANGRY A man"), ["AM A VERY ANGRY"]);
    assert_eq!(found(&shout(), "STOP IT!!! no"), ["STOP IT!!!"]);
    assert_eq!(found(&shout(), "STOP. IT"), Vec::<String>::new());
    assert_eq!(found(&shout(), "Why?! Why!?! oh!! no ! !"), ["Why!?!", "oh!!"]);
    assert_eq!(found(&shout(), "שלום לך"), Vec::<String>::new());
    // The run ends at OK; the banged A ends no loud run.
    assert_eq!(found(&shout(), "VERY OK A!!"), ["VERY OK", "A!!"]);
}
