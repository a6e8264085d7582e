//! Texts and interactions.

use super::{FREQUENT, SPOKEN_ROLES, VOCABULARY};
use proptest::prelude::*;
use proptest::sample::select;
use sonometer::{Interaction, Turn, Unit};
use unicode_normalization::UnicodeNormalization;

/// Emoji with joiners, tones and selectors; flags; marks; scripts; zero-width characters; what folds oddly.
const ODD: [&str; 52] = [
    "👍",
    "👍🏽",
    "🏽",
    "👩\u{200d}🚀",
    "❤\u{fe0f}\u{200d}🔥",
    "👩\u{200d}",
    "🇩🇪",
    "🇩🇪🇫",
    "1\u{fe0f}\u{20e3}",
    "e\u{301}",
    "\u{301}",
    "é",
    "É",
    "ß",
    "ẞ",
    "ﬁ",
    "ſ",
    "नहीं",
    "\u{93f}",
    "ก\u{e49}\u{e38}",
    "ก\u{e38}\u{e49}",
    "שָׁלוֹם",
    "مَرحبا",
    "日本語",
    "ｶﾞ",
    "한국",
    "\u{1112}\u{1161}\u{11ab}",
    "สวัสดี",
    "привет",
    "Ёж",
    "ＲＥＦＵＮＤ",
    "ｒefund",
    "１２３",
    "٣",
    "½",
    "²",
    "①",
    "Ⅳ",
    "™",
    "re\u{200b}fund",
    "re\u{ad}fund",
    "\u{feff}",
    "\u{202e}",
    "\u{fffd}",
    "Jose\u{301}",
    "cafe\u{301}",
    "re\u{301}fund",
    "x\u{301}\u{323}",
    "e\u{200d}\u{301}",
    "\u{212b}",
    "か\u{3099}",
    "\u{958}",
];

/// What the classes look for, right and nearly right.
const CLASSES: [&str; 42] = [
    "4111 1111 1111 1111",
    "4111-1111-1111-1112",
    "4111111111111111",
    "4111111111111112",
    "378282246310005",
    "DE89 3704 0044 0532 0130 00",
    "DE89370400440532013001",
    "GB82WEST12345698765432",
    "a.b@example.com",
    "x@y",
    "$5",
    "$ 5.50",
    "5 dollars",
    "€1,200.50",
    "US$ 5m",
    "£",
    "%",
    "5%",
    "5 %",
    "ten percent",
    "2021-02-28",
    "5 March",
    "March 5, 2021",
    "2021",
    "12:30",
    "3pm",
    "1st",
    "twentieth",
    "two hundred and five",
    "3.5",
    "1,000",
    "1.000.000",
    "http://example.com/a?b=c.",
    "example.com",
    "www.example.org",
    "+1 (555) 010-9999",
    "(555) 010-9999",
    "10.0.0.1",
    "::1",
    "123-45-6789",
    "12345",
    "12345-6789",
];

/// What stands between words: every form that the rules of gaps name, and some that they do not.
const BETWEEN: [&str; 56] = [
    "", ". ", ".", "! ", "!! ", "!!!", "?!! ", "? ", "?", "؟ ", "。", "।", "॥ ", "۔ ", "... ", "...", "..",
    ".. ", "…", "… ", ".\" ", ".') ", ".)", ".* ", ", ", ",", "; ", ": ", " (", ") ", " [", "] ", "{", "}",
    " | ", "、", " • ", " - ", "-", "--", "—", "–", "\n", "\n\n", "\r\n", "\r", "\r\n\r\n", "\t", " \n ",
    "\u{a0}", "\u{2028}", "'", "’", "\"", "_", "/",
];

fn word() -> impl Strategy<Value = String> {
    let as_written =
        prop_oneof![3 => select(&VOCABULARY[..]), 1 => select(&FREQUENT[..])].prop_map(str::to_owned);
    (as_written, 0..10_u8).prop_map(|(word, case)| match case {
        0..=1 => word.to_ascii_uppercase(),
        2..=3 => {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_ascii_uppercase() + rest
        }
        _ => word,
    })
}

/// Words in disguise, and misspelt.
const DISGUISED: [&str; 44] = [
    "r3fund",
    "refund5",
    "REFUND$",
    "re|und",
    "h@ppy",
    "happ!",
    "hel1p",
    "he11o",
    "m0ney",
    "0rder",
    "l4te",
    "g00d",
    "b2b",
    "1st",
    "5pm",
    "sooo",
    "nooooo",
    "haaappy",
    "happpyyy",
    "Reeefund",
    "gooood",
    "mmmooonnneeeyyy",
    "r e f u n d",
    "n o t",
    "h.e.l.p",
    "m-o-n-e-y",
    "L_A_T_E",
    "i a w",
    "c a r d.",
    "r * e * f",
    "a b.c.d",
    "o k '",
    "rеfund",
    "саrd",
    "mоnеу",
    "nоt",
    "раураl",
    "refnud",
    "refnd",
    "refundd",
    "hapy",
    "oder",
    "mnoey",
    "wihtout",
];

/// Digits as they are said.
const SPOKEN: [&str; 20] = [
    "one",
    "two",
    "four",
    "oh",
    "zero",
    "double",
    "triple",
    "double four",
    "triple-one",
    "four one one",
    "four, one, one",
    "4 one one",
    "one 11",
    "four - one",
    "One1 two",
    "o'one",
    "double double one",
    "one  two  three",
    "4111 one one one one",
    "five\u{301} six seven",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        60 => word(),
        6 => select(&ODD[..]).prop_map(str::to_owned),
        6 => select(&CLASSES[..]).prop_map(str::to_owned),
        6 => select(&DISGUISED[..]).prop_map(str::to_owned),
        4 => select(&SPOKEN[..]).prop_map(str::to_owned),
        2 => select(vec!["[inaudible]", "(crosstalk", "\u{1}", "\u{85}", "\0\u{fffd}", "j", "I"]).prop_map(str::to_owned),
        1 => "[0-9]{1,4}[.,:/-]?[0-9]{0,4}",
        1 => "[a-c1-4@$!|. ]{1,8}",
        1 => any::<char>().prop_map(String::from),
        1 => prop::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
    ]
}

fn between() -> impl Strategy<Value = String> {
    prop_oneof![
        7 => Just(" ".to_owned()),
        2 => select(&BETWEEN[..]).prop_map(str::to_owned),
        1 => prop::collection::vec(select(&BETWEEN[..]), 2..4).prop_map(|signs| signs.concat()),
    ]
}

/// Fewer than `most` pieces; sometimes with every letter apart from its marks, or every line end in two characters.
fn content_of(most: usize) -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec((piece(), between()), 0..most);
    (pieces, 0..10_u8).prop_map(|(pieces, form)| {
        let content: String = pieces.into_iter().map(|(piece, between)| piece + &between).collect();
        match form {
            0 => content.nfd().collect(),
            1 => content.replace('\n', "\r\n"),
            _ => content,
        }
    })
}

/// The content of a turn: up to 40 pieces, rarely none.
pub fn content() -> impl Strategy<Value = String> {
    content_of(40)
}

/// Equal, backward and missing timestamps, whole seconds and fractions.
fn timestamp() -> impl Strategy<Value = Option<Unit>> {
    prop_oneof![
        2 => Just(None),
        6 => (0..30_i64).prop_map(|seconds| Some(Unit(seconds * 1_000_000))),
        1 => (-5_000_000..60_000_000_i64).prop_map(|millionths| Some(Unit(millionths))),
        1 => select(vec![-9_000_000_000_000_000_000, 9_000_000_000_000_000_000]).prop_map(|t| Some(Unit(t))),
    ]
}

/// One to three turns of a role: a long one alone, or short ones in which it goes on.
fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let said = prop_oneof![
        2 => content().prop_map(|content| vec![content]),
        2 => prop::collection::vec(content_of(8), 1..=3),
    ];
    let said = said.prop_flat_map(|said| {
        let times = prop::collection::vec(timestamp(), said.len());
        (Just(said), times)
    });
    (select(&SPOKEN_ROLES[..]), said).prop_map(|(role, (said, times))| {
        let turn = |(content, timestamp): (String, _)| Turn {
            role: Some(role.into()),
            content: content.into(),
            timestamp,
        };
        said.into_iter().zip(times).map(turn).collect()
    })
}

/// A conversation in which one role says again what another has said, three or four times; perhaps after a long silence.
fn uptake() -> impl Strategy<Value = Interaction> {
    let roles = (select(&SPOKEN_ROLES[..]), select(&SPOKEN_ROLES[..]));
    let shape = (3..5_usize, any::<bool>(), any::<bool>());
    (roles, content_of(8), shape).prop_filter_map("no conversation", |talk| {
        let ((leader, follower), said, (times, follower_begins, begins_silent)) = talk;
        let turn = |role: &str, content: &str| Turn {
            role: Some(role.into()),
            content: content.into(),
            timestamp: None,
        };
        let mut turns = Vec::new();
        if begins_silent {
            turns.extend((0..6).flat_map(|_| [turn(leader, "hm"), turn(follower, "hm")]));
        }
        if follower_begins {
            turns.push(turn(follower, "hm"));
        }
        for _ in 0..times {
            turns.extend([
                turn(leader, &said),
                turn(follower, &said),
                turn(leader, "hm"),
                turn(follower, "hm"),
            ]);
        }
        Interaction::transcript(turns).ok()
    })
}

/// A text, or a conversation of 1 to 29 turns.
pub fn interaction() -> impl Strategy<Value = Interaction> {
    let text = content().prop_filter_map("too long", |content| Interaction::text(&content).ok());
    let talk = (prop::collection::vec(turns(), 1..=6), any::<bool>());
    let talk = talk.prop_filter_map("no conversation", |(turns, timed)| {
        let mut turns: Vec<Turn> = turns.into_iter().flatten().take(12).collect();
        if timed {
            // Only where no turn lacks a time are windows cut by time.
            for (second, turn) in (0..).zip(&mut turns) {
                turn.timestamp.get_or_insert(Unit(second * 1_000_000));
            }
        }
        Interaction::transcript(turns).ok()
    });
    prop_oneof![3 => text, 9 => talk, 3 => uptake()]
}
