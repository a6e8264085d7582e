//! The words of the classes, by language: numbers, ranks, months, currencies; `class-words.tsv` lists them. All are as
//! text looks after folding, and compare without regard to case.
//!
//! # German
//! A number word is a whole word that is a cardinal from 0 to 999 999 written in one (`dreiundzwanzig`,
//! `zweitausendfünfhundert`, also `elfhundert` to `neunzehnhundert`; `ein` and its forms are articles and count only inside such a word, alone it is `eins`), or
//! Million, Milliarde, Billion and their plurals. `hundert`, `tausend` and those above are scales.
//! A rank is a whole word: erst, zweit, dritt, viert, fünft, sechst, siebt, siebent, acht, neunt, or a cardinal from 10 to 19 with
//! `t`, from 20 on with `st`; then `e`, `er`, `en`, `es` or `em` (but not `achten` and `achtem`).
//!
//! # Spanish
//! Number words: cero, uno to veintinueve, the tens treinta to noventa, cien, ciento, the hundreds doscientos to novecientos (also `-as`), and the
//! scales mil, millón, billón and the plurals of these two. `un` and `una` are articles.
//! Ranks: primer, primero to décimo with `o`, `a`, `os`, `as`, tercer; but not `cuarto` (a room, a quarter), nor `segundos`.
//!
//! # Chinese
//! A number run is a maximal run of `零〇一二两三四五六七八九十百千万亿`; `一` alone is none (it stands in too many words).

use super::Vocabulary;
use super::text::Lower;

/// What a number word counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Up to nineteen, and what is composed.
    Small,
    /// twenty to ninety.
    Ten,
    /// hundred and above.
    Scale,
}

/// The longest number word has fewer letters than this (`siebenhundertsiebenundsiebzigtausendsiebenhundertsiebenundsiebzig`).
pub(super) const LONGEST_NUMBER_WORD: usize = 80;

/// The kind of a number word.
pub(super) fn number(word: &[u8], vocabulary: Vocabulary) -> Option<Kind> {
    match vocabulary {
        Vocabulary::English => english(word),
        Vocabulary::German => german(word),
        Vocabulary::Spanish => spanish(word),
        Vocabulary::None | Vocabulary::Chinese => None,
    }
}

/// A list of folded words that is published ([`super::lists`]), and the question whether a word is in it.
macro_rules! word_list {
    ($list:ident, $is:ident: $($word:literal)+) => {
        pub(super) const $list: &[&[u8]] = &[$($word),+];

        fn $is(word: &[u8]) -> bool {
            matches!(word, $($word)|+)
        }
    };
}

word_list!(ENGLISH_SMALL, is_english_small:
    b"zero" b"one" b"two" b"three" b"four" b"five" b"six" b"seven" b"eight" b"nine" b"ten" b"eleven" b"twelve"
    b"thirteen" b"fourteen" b"fifteen" b"sixteen" b"seventeen" b"eighteen" b"nineteen");
word_list!(ENGLISH_TENS, is_english_ten:
    b"twenty" b"thirty" b"forty" b"fifty" b"sixty" b"seventy" b"eighty" b"ninety");
word_list!(ENGLISH_SCALES, is_english_scale: b"hundred" b"thousand" b"million" b"billion" b"trillion");

fn english(word: &[u8]) -> Option<Kind> {
    if !(3..=9).contains(&word.len()) {
        return None;
    }
    Some(match Lower::of(word).bytes() {
        word if is_english_small(word) => Kind::Small,
        word if is_english_ten(word) => Kind::Ten,
        word if is_english_scale(word) => Kind::Scale,
        _ => return None,
    })
}

word_list!(SPANISH_SMALL, is_spanish_small:
    b"cero" b"uno" b"dos" b"tres" b"cuatro" b"cinco" b"seis" b"siete" b"ocho" b"nueve" b"diez" b"once" b"doce"
    b"trece" b"catorce" b"quince" b"dieciseis" b"diecisiete" b"dieciocho" b"diecinueve" b"veinte" b"veintiuno"
    b"veintiun" b"veintidos" b"veintitres" b"veinticuatro" b"veinticinco" b"veintiseis" b"veintisiete"
    b"veintiocho" b"veintinueve" b"cien" b"ciento");
word_list!(SPANISH_TENS, is_spanish_ten:
    b"treinta" b"cuarenta" b"cincuenta" b"sesenta" b"setenta" b"ochenta" b"noventa");
word_list!(SPANISH_SCALES, is_spanish_scale: b"mil" b"millon" b"millones" b"billon" b"billones");
// Each with `os` or `as`.
word_list!(SPANISH_HUNDREDS, is_spanish_hundred:
    b"doscient" b"trescient" b"cuatrocient" b"quinient" b"seiscient" b"setecient" b"ochocient" b"novecient");

fn spanish(word: &[u8]) -> Option<Kind> {
    Some(match Lower::of(word).bytes() {
        word if is_spanish_small(word) => Kind::Small,
        word if is_spanish_ten(word) => Kind::Ten,
        word if is_spanish_scale(word) => Kind::Scale,
        [head @ .., b'o' | b'a', b's'] if is_spanish_hundred(head) => Kind::Small,
        _ => return None,
    })
}

pub(super) const UNITS: [&[u8]; 12] = [
    b"ein", b"zwei", b"zwo", b"drei", b"vier", b"funf", b"fuenf", b"sechs", b"sieben", b"acht", b"neun",
    b"eins",
];
pub(super) const TEENS: [&[u8]; 13] = [
    b"zehn",
    b"elf",
    b"zwolf",
    b"zwoelf",
    b"dreizehn",
    b"vierzehn",
    b"funfzehn",
    b"fuenfzehn",
    b"sechzehn",
    b"siebzehn",
    b"achtzehn",
    b"neunzehn",
    b"null",
];
pub(super) const TENS: [&[u8]; 9] = [
    b"zwanzig",
    b"dreissig",
    b"vierzig",
    b"funfzig",
    b"fuenfzig",
    b"sechzig",
    b"siebzig",
    b"achtzig",
    b"neunzig",
];

pub(super) const GERMAN_SCALES: [&[u8]; 8] =
    [b"hundert", b"tausend", b"million", b"millionen", b"milliarde", b"milliarden", b"billion", b"billionen"];

fn one_of(word: &[u8], list: &[&[u8]]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// What is left of a word behind a beginning.
fn behind<'w>(word: &'w [u8], beginning: &[u8]) -> Option<&'w [u8]> {
    let (head, rest) = word.split_at_checked(beginning.len())?;
    head.eq_ignore_ascii_case(beginning).then_some(rest)
}

/// What stands before and behind the first `part` of a word.
fn around<'w>(word: &'w [u8], part: &[u8]) -> Option<(&'w [u8], &'w [u8])> {
    let at = word.windows(part.len()).position(|window| window.eq_ignore_ascii_case(part))?;
    Some((&word[..at], &word[at + part.len()..]))
}

/// 1 to 99 within a longer word.
fn under_hundred(word: &[u8]) -> bool {
    let composed = || {
        let rests = UNITS.iter().filter_map(|unit| behind(word, unit));
        rests.filter_map(|rest| behind(rest, b"und")).any(|ten| one_of(ten, &TENS))
    };
    one_of(word, &UNITS) || one_of(word, &TEENS[..12]) || one_of(word, &TENS) || composed()
}

/// Nothing, or a number with or without `und` before it.
fn remainder(word: &[u8], is_number: fn(&[u8]) -> bool) -> bool {
    word.is_empty() || is_number(word) || behind(word, b"und").is_some_and(is_number)
}

/// 1 to 999 within a longer word.
fn under_thousand(word: &[u8]) -> bool {
    match around(word, b"hundert") {
        Some((head, tail)) => {
            let head = head.is_empty() || one_of(head, &UNITS[..11]) || one_of(head, &TEENS[1..12]);
            head && remainder(tail, under_hundred)
        }
        None => under_hundred(word),
    }
}

fn german(word: &[u8]) -> Option<Kind> {
    if !(3..LONGEST_NUMBER_WORD).contains(&word.len()) {
        return None;
    }
    if one_of(word, &GERMAN_SCALES) {
        return Some(Kind::Scale);
    }
    if one_of(word, &TENS) {
        return Some(Kind::Ten);
    }
    if one_of(word, &[b"ein", b"null"]) {
        return word.eq_ignore_ascii_case(b"null").then_some(Kind::Small);
    }
    let is_number = match around(word, b"tausend") {
        Some((head, tail)) => (head.is_empty() || under_thousand(head)) && remainder(tail, under_thousand),
        None => under_thousand(word),
    };
    is_number.then_some(Kind::Small)
}

/// Whether a whole word is a rank. English has its own grammar.
pub(super) fn is_rank(word: &[u8], vocabulary: Vocabulary) -> bool {
    match vocabulary {
        Vocabulary::German => is_german_rank(word),
        Vocabulary::Spanish => is_spanish_rank(word),
        Vocabulary::None | Vocabulary::English | Vocabulary::Chinese => false,
    }
}

pub(super) const GERMAN_RANKS: [&[u8]; 11] = [
    b"erst", b"zweit", b"dritt", b"viert", b"funft", b"fuenft", b"sechst", b"siebt", b"siebent", b"acht",
    b"neunt",
];

fn is_german_rank(word: &[u8]) -> bool {
    let endings: [&[u8]; 5] = [b"er", b"en", b"es", b"em", b"e"];
    endings.iter().any(|ending| {
        let Some(at) = word.len().checked_sub(ending.len()).filter(|&at| at > 2) else { return false };
        let (head, found) = word.split_at(at);
        let (stem, t) = head.split_at(at - 1);
        let verb =
            head.eq_ignore_ascii_case(b"acht") && matches!(found.last(), Some(b'n' | b'm' | b'N' | b'M'));
        let from_twenty = || {
            let cardinal = stem.strip_suffix(b"s").or_else(|| stem.strip_suffix(b"S"));
            cardinal.is_some_and(|c| !one_of(c, &TEENS) && !one_of(c, &UNITS) && german(c).is_some())
        };
        found.eq_ignore_ascii_case(ending)
            && t.eq_ignore_ascii_case(b"t")
            && !verb
            && (one_of(head, &GERMAN_RANKS) || one_of(stem, &TEENS[..12]) || from_twenty())
    })
}

// Each with `o`, `a`, `os` or `as`.
word_list!(SPANISH_RANKS, is_spanish_rank_stem:
    b"primer" b"segund" b"tercer" b"cuart" b"quint" b"sext" b"septim" b"octav" b"noven" b"decim");

fn is_spanish_rank(word: &[u8]) -> bool {
    let lower = Lower::of(word);
    match lower.bytes() {
        b"primer" | b"tercer" => true,
        b"cuarto" | b"cuartos" | b"segundos" => false,
        [stem @ .., b'o' | b'a'] | [stem @ .., b'o' | b'a', b's'] => is_spanish_rank_stem(stem),
        _ => false,
    }
}

pub(super) const GERMAN_SHORT_SCALES: [&[u8]; 3] = [b"tsd", b"mio", b"mrd"];

/// Whether a word between a figure and its currency is a scale.
pub(super) fn is_scale(word: &[u8], vocabulary: Vocabulary) -> bool {
    let short = vocabulary == Vocabulary::German && one_of(word, &GERMAN_SHORT_SCALES);
    short || number(word, vocabulary) == Some(Kind::Scale)
}

// Currencies: those that stand as they are, and those that may have an `s`.
word_list!(ENGLISH_CURRENCIES, is_english_currency: b"quid" b"pence" b"penny" b"pennies" b"yen" b"yuan");
word_list!(ENGLISH_CURRENCIES_S, is_english_currency_s:
    b"dollar" b"buck" b"cent" b"euro" b"pound" b"rupee" b"franc" b"peso");
word_list!(GERMAN_CURRENCIES, is_german_currency:
    b"franken" b"kronen" b"krone" b"rubel" b"rappen" b"yen" b"yuan" b"zloty");
word_list!(GERMAN_CURRENCIES_S, is_german_currency_s: b"euro" b"dollar" b"cent" b"pfund");
word_list!(SPANISH_CURRENCIES, is_spanish_currency: b"dolares" b"soles" b"yenes" b"bolivares");
word_list!(SPANISH_CURRENCIES_S, is_spanish_currency_s:
    b"euro" b"dolar" b"peso" b"centavo" b"centimo" b"libra" b"peseta" b"quetzal" b"yen" b"yuan");

/// Whether a whole word names a currency.
pub(super) fn is_currency(word: &[u8], vocabulary: Vocabulary) -> bool {
    let lower = Lower::of(word);
    let word = lower.bytes();
    let singular = word.strip_suffix(b"s").unwrap_or(word);
    match vocabulary {
        Vocabulary::English => is_english_currency(word) || is_english_currency_s(singular),
        Vocabulary::German => is_german_currency(word) || is_german_currency_s(singular),
        Vocabulary::Spanish => is_spanish_currency(word) || is_spanish_currency_s(singular),
        Vocabulary::None | Vocabulary::Chinese => false,
    }
}

// The months in their order; an empty short name is none. In English the first three letters are the short name.
pub(super) const ENGLISH_MONTHS: [&[u8]; 12] = [
    b"january",
    b"february",
    b"march",
    b"april",
    b"may",
    b"june",
    b"july",
    b"august",
    b"september",
    b"october",
    b"november",
    b"december",
];
pub(super) const GERMAN_MONTHS: [&[u8]; 12] = [
    b"januar",
    b"februar",
    b"marz",
    b"april",
    b"mai",
    b"juni",
    b"juli",
    b"august",
    b"september",
    b"oktober",
    b"november",
    b"dezember",
];
pub(super) const GERMAN_SHORT_MONTHS: [&[u8]; 12] =
    [b"jan", b"feb", b"mrz", b"apr", b"", b"jun", b"jul", b"aug", b"sept", b"okt", b"nov", b"dez"];
pub(super) const SPANISH_MONTHS: [&[u8]; 12] = [
    b"enero",
    b"febrero",
    b"marzo",
    b"abril",
    b"mayo",
    b"junio",
    b"julio",
    b"agosto",
    b"septiembre",
    b"octubre",
    b"noviembre",
    b"diciembre",
];
pub(super) const SPANISH_SHORT_MONTHS: [&[u8]; 12] =
    [b"ene", b"feb", b"mar", b"abr", b"", b"jun", b"jul", b"ago", b"sept", b"oct", b"nov", b"dic"];
/// Other names of months, with their number from 0.
pub(super) const OTHER_MONTHS: [(Vocabulary, &[u8], usize); 3] = [
    (Vocabulary::German, b"janner", 0),
    (Vocabulary::German, b"maerz", 2),
    (Vocabulary::Spanish, b"setiembre", 8),
];

/// The number of a month's name from 1, whether the name is a short one, after which a `.` may stand. English has its own
/// grammar.
pub(super) fn month(word: &[u8], vocabulary: Vocabulary) -> Option<(u64, bool)> {
    let lower = Lower::of(word);
    let word = lower.bytes();
    let (names, shorts) = match vocabulary {
        Vocabulary::German => (&GERMAN_MONTHS, &GERMAN_SHORT_MONTHS),
        Vocabulary::Spanish => (&SPANISH_MONTHS, &SPANISH_SHORT_MONTHS),
        Vocabulary::None | Vocabulary::English | Vocabulary::Chinese => return None,
    };
    let place = |list: &[&[u8]; 12]| list.iter().position(|name| *name == word && !word.is_empty());
    let other =
        OTHER_MONTHS.iter().find(|(of, name, _)| *of == vocabulary && *name == word).map(|other| other.2);
    let found = place(names).or(other).map(|at| (at, false)).or_else(|| place(shorts).map(|at| (at, true)));
    found.and_then(|(at, short)| Some((u64::try_from(at).ok()? + 1, short)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;
    use crate::class::testing::check_words;

    #[test]
    fn german_is_found() {
        let words = Vocabulary::German;
        check_words(
            Class::Number,
            words,
            &[
                ("zwei Millionen dreihundert", &["zwei Millionen dreihundert"]),
                ("hundert und funf oder 5 Millionen", &["hundert und funf", "5 Millionen"]),
                ("ein Mann und eine Frau", &[]),
                ("dreiundzwanzig, eins", &["dreiundzwanzig", "eins"]),
                ("five and one", &[]),
            ],
        );
        check_words(
            Class::Percent,
            words,
            &[("funf Prozent, 3 prozent, 5%", &["funf Prozent", "3 prozent", "5%"])],
        );
        check_words(
            Class::Ordinal,
            words,
            &[("der erste und die Zwanzigste, second", &["erste", "Zwanzigste"])],
        );
        check_words(
            Class::Money,
            words,
            &[
                (
                    "zwanzig Euro und 5 Mio Euro, 3 Tausend Franken",
                    &["zwanzig Euro", "5 Mio Euro", "3 Tausend Franken"],
                ),
                ("5 dollars and 5 bucks", &["5 dollars"]),
            ],
        );
        check_words(
            Class::Date,
            words,
            &[
                ("am 3. Oktober 1990", &["3. Oktober 1990"]),
                ("3.Okt. 1990, 5 Mai", &["3.Okt. 1990", "5 Mai"]),
                ("Marz 2021 und 31. April", &["Marz 2021"]),
                ("March 5, 2021", &[]),
            ],
        );
    }

    #[test]
    fn spanish_is_found() {
        let words = Vocabulary::Spanish;
        check_words(
            Class::Number,
            words,
            &[
                ("treinta y cinco y seis", &["treinta y cinco", "seis"]),
                ("doscientas mil, 5 millones", &["doscientas mil", "5 millones"]),
                ("una casa y un perro", &[]),
            ],
        );
        check_words(Class::Percent, words, &[("cinco por ciento", &["cinco por ciento"])]);
        check_words(
            Class::Ordinal,
            words,
            &[("la primera, un segundo, el segundo", &["primera", "segundo"])],
        );
        check_words(
            Class::Money,
            words,
            &[("dos millones de euros, 20 dolares", &["dos millones de euros", "20 dolares"])],
        );
        check_words(
            Class::Date,
            words,
            &[
                ("el 5 de marzo de 2021", &["5 de marzo de 2021"]),
                ("5 de mayo, enero del 2020", &["5 de mayo", "enero del 2020"]),
                ("31 de abril", &[]),
            ],
        );
    }

    #[test]
    fn chinese_is_found() {
        let words = Vocabulary::Chinese;
        check_words(
            Class::Number,
            words,
            &[("我有三百二十块，5万人，一个人", &["三百二十", "5万"]), ("十一", &["十一"])],
        );
        check_words(Class::Percent, words, &[("百分之五十", &["百分之五十"])]);
        check_words(Class::Ordinal, words, &[("第一名，第3章", &["第一", "第3"])]);
        check_words(Class::Money, words, &[("二十块钱，5元", &["二十块钱", "5元"])]);
        check_words(
            Class::Date,
            words,
            &[
                ("2021年3月5日和3月6号", &["2021年3月5日", "3月6号"]),
                ("2021年3月，3月", &["2021年3月"]),
                ("2021年13月", &[]),
            ],
        );
    }

    #[test]
    fn german_numbers_are_parsed() {
        for word in [
            "null",
            "eins",
            "zwo",
            "elf",
            "Dreiundzwanzig",
            "einundzwanzig",
            "hunderteins",
            "zweihundertfunfzig",
            "einhundertundeins",
            "tausendundeins",
            "neunzehnhundertneunundachtzig",
            "siebenhundertsiebenundsiebzigtausendsiebenhundertsiebenundsiebzig",
            "fuenfzig",
            "zweitausend",
            "Millionen",
            "hundert",
        ] {
            assert!(german(word.as_bytes()).is_some(), "{word}");
        }
        for word in [
            "ein",
            "eine",
            "einer",
            "und",
            "zweiund",
            "undzwanzig",
            "zehnhundert",
            "hunderthundert",
            "tausendtausend",
            "achtung",
            "elfen",
            "dreist",
            "hundertste",
            "nullhundert",
            "zwanzigzwei",
            "",
            "einundein",
        ] {
            assert!(german(word.as_bytes()).is_none(), "{word}");
        }
    }

    /// Every number below a million, written as German writes it.
    #[test]
    fn every_german_number_is_parsed() {
        fn below_hundred(n: usize, alone: bool) -> String {
            let teens = [
                "zehn", "elf", "zwolf", "dreizehn", "vierzehn", "funfzehn", "sechzehn", "siebzehn",
                "achtzehn", "neunzehn",
            ];
            let tens =
                ["zwanzig", "dreissig", "vierzig", "funfzig", "sechzig", "siebzig", "achtzig", "neunzig"];
            let units = ["", "ein", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun"];
            match (n / 10, n % 10) {
                (0, 1) if alone => "eins".into(),
                (0, unit) => units[unit].into(),
                (1, unit) => teens[unit].into(),
                (ten, 0) => tens[ten - 2].into(),
                (ten, unit) => format!("{}und{}", units[unit], tens[ten - 2]),
            }
        }
        fn below_thousand(n: usize, alone: bool) -> String {
            match n / 100 {
                0 => below_hundred(n, alone),
                hundreds => {
                    format!("{}hundert{}", below_hundred(hundreds, false), below_hundred(n % 100, true))
                }
            }
        }
        for n in (1..1000).chain((1000..1_000_000).step_by(997)) {
            let word = match n / 1000 {
                0 => below_thousand(n, true),
                thousands => {
                    format!("{}tausend{}", below_thousand(thousands, false), below_thousand(n % 1000, true))
                }
            };
            assert!(german(word.as_bytes()).is_some() && word.len() < LONGEST_NUMBER_WORD, "{n}: {word}");
        }
    }

    #[test]
    fn ranks_are_told() {
        for word in [
            "erste",
            "Zweiter",
            "dritten",
            "achte",
            "zehntes",
            "zwanzigste",
            "einundzwanzigsten",
            "hundertster",
            "siebtem",
        ] {
            assert!(is_rank(word.as_bytes(), Vocabulary::German), "{word}");
        }
        for word in ["erst", "achten", "weiter", "zehnste", "zwanzigte", "beste", "einste", "te", "leiste"] {
            assert!(!is_rank(word.as_bytes(), Vocabulary::German), "{word}");
        }
        for word in ["primer", "Primera", "segundo", "terceros", "decima", "cuarta"] {
            assert!(is_rank(word.as_bytes(), Vocabulary::Spanish), "{word}");
        }
        for word in ["cuarto", "segundos", "primo", "o", "as", ""] {
            assert!(!is_rank(word.as_bytes(), Vocabulary::Spanish), "{word}");
        }
    }
}
