//! `<money>`: an amount with its currency.
//!
//! - *figure*: digits, with `.` or `,` between digits, then optionally a *scale*: either at once one of the letters
//!   `k m mm mn b bn t tn`, or one space and a whole word `mn`, `mln`, `bn`, `hundred`, `thousand`, `million`, `billion`
//!   or `trillion` (the last five in English only, other languages have their own: `words.rs`; German also `Tsd`, `Mio`, `Mrd`; at most one
//!   scale).
//! - *sign*: one of `$ ¢ £ ¥ € ₹ ₩ ₽ ₿`.
//! - *code*: `USD EUR GBP` in all upper or all lower case; in upper case only `JPY CNY RMB INR CHF CAD AUD NZD HKD SGD
//!   SEK NOK DKK PLN CZK HUF RON RUB UAH TRY BRL MXN ZAR KRW THB ILS AED SAR BTC`; and `Rs` so written.
//! - *unit* (after a figure): optionally one space, then a sign which neither a digit nor a space and a digit follows;
//!   or optionally one space, then a code; or (English) one space or `-`, then a whole *currency word*: dollar, buck,
//!   cent, euro, pound, rupee, franc, peso, each also with `s`, quid, pence, penny, pennies, yen, yuan. Other languages have their own
//!   (`words.rs`); in Spanish ` de ` may stand in the place of the space; in Chinese 元, 块, 块钱, 美元, 欧元, 英镑, 日元 or 人民币 follows at once.
//!
//! Forms, the first that fits at a position:
//! 1. optionally at once one of the prefixes `US A AU C CA NZ HK S R` (upper case), sign, optionally one space, figure,
//!    optionally a unit that is a code or a word;
//! 2. code, for `Rs` optionally `.`, optionally one space, figure, optionally a currency word;
//! 3. figure, unit. Here the digits may also be grouped by single spaces: one to three digits, then one to four groups
//!    of a space and exactly three digits, as many groups as there are (no other reading of such digits is tried), then optionally `.` or `,` and one or two digits;
//! 4. (with words) a number run (see `number.rs`), then a currency word as after a figure.
//!
//! Within a form each optional part is taken where it fits. Both ends are edges.

use super::Vocabulary;
use super::number::number_run;
use super::text::{Lower, Text};
use super::words;

/// The end of the `<money>` at `at`.
pub(super) fn money(text: &Text<'_>, at: usize) -> Option<usize> {
    let first = text.at(at);
    let end = if first.is_ascii_digit() {
        figure_first(text, at)
    } else if first.is_ascii_alphabetic() {
        letters_first(text, at)
    } else {
        let numerals = || (text.words == Vocabulary::Chinese).then(|| number_run(text, at)).flatten();
        sign_first(text, at).or_else(|| numerals().and_then(|end| word_after(text, end)))
    }?;
    (text.edge(at) && text.edge(end)).then_some(end)
}

/// Form 1 from its sign on.
fn sign_first(text: &Text<'_>, at: usize) -> Option<usize> {
    let sign = text.currency_sign(at);
    if sign == 0 {
        return None;
    }
    let end = figure(text, skip_space(text, at + sign))?;
    Some(code_after(text, end).or_else(|| word_after(text, end)).unwrap_or(end))
}

/// Forms 1 (from its prefix on), 2 and 4.
fn letters_first(text: &Text<'_>, at: usize) -> Option<usize> {
    let letters = text.letters(at);
    let word = text.slice(at, letters);
    if word.len() <= 2 && text.currency_sign(letters) > 0 && is_prefix(word) {
        return sign_first(text, letters);
    }
    if is_code(word) {
        let dot = usize::from(word == b"Rs" && text.at(letters) == b'.');
        if let Some(end) = figure(text, skip_space(text, letters + dot)) {
            return Some(word_after(text, end).unwrap_or(end));
        }
    }
    number_run(text, at).and_then(|end| word_after(text, end))
}

/// Form 3.
fn figure_first(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = grouped(text, at).or_else(|| text.amount(at))?;
    let end = scale(text, end).unwrap_or(end);
    sign_after(text, end).or_else(|| code_after(text, end)).or_else(|| word_after(text, end))
}

/// The end of digits grouped in threes by single spaces. At most four groups, so a long list costs no more than that.
fn grouped(text: &Text<'_>, at: usize) -> Option<usize> {
    let mut end = text.digits(at);
    if !(1..=3).contains(&(end - at)) {
        return None;
    }
    let mut groups = 0;
    while groups < 4 && text.at(end) == b' ' && text.digits(end + 1) == end + 4 {
        end += 4;
        groups += 1;
    }
    if groups == 0 {
        return None;
    }
    if matches!(text.at(end), b'.' | b',') {
        let decimals = text.digits(end + 1);
        if (1..=2).contains(&(decimals - end - 1)) {
            end = decimals;
        }
    }
    Some(end)
}

/// The end of a figure that an edge, or a code, follows.
fn figure(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = text.amount(at)?;
    let end = scale(text, end).unwrap_or(end);
    (text.edge(end) || code_after(text, end).is_some()).then_some(end)
}

/// The end of the scale at `at`.
fn scale(text: &Text<'_>, at: usize) -> Option<usize> {
    let spaced = text.at(at) == b' ';
    let start = at + usize::from(spaced);
    let end = text.letters(start);
    if !text.edge(end) {
        return None;
    }
    let fits = match Lower::of(text.slice(start, end)).bytes() {
        b"mn" | b"bn" => true,
        b"k" | b"m" | b"mm" | b"b" | b"t" | b"tn" => !spaced,
        b"mln" => spaced,
        _ => spaced && words::is_scale(text.slice(start, end), text.words),
    };
    fits.then_some(end)
}

fn skip_space(text: &Text<'_>, at: usize) -> usize {
    at + usize::from(text.at(at) == b' ')
}

fn sign_after(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = skip_space(text, at);
    let sign = text.currency_sign(start);
    let end = start + sign;
    // `5 $10` is five of something and ten dollars.
    (sign > 0 && !text.at(skip_space(text, end)).is_ascii_digit()).then_some(end)
}

fn code_after(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = skip_space(text, at);
    let end = text.letters(start);
    (is_code(text.slice(start, end)) && text.edge(end)).then_some(end)
}

fn word_after(text: &Text<'_>, at: usize) -> Option<usize> {
    if text.words == Vocabulary::Chinese {
        return ["元", "块钱", "块", "美元", "欧元", "英镑", "日元", "人民币"]
            .iter()
            .find_map(|unit| text.has(at, unit).then(|| at + unit.len()));
    }
    if !matches!(text.at(at), b' ' | b'-') {
        return None;
    }
    // `dos millones de euros`
    let of = text.words == Vocabulary::Spanish && text.has_caseless(at, b" de ");
    let start = at + if of { 4 } else { 1 };
    let end = text.plain_word(start)?;
    words::is_currency(text.slice(start, end), text.words).then_some(end)
}

fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"US" | b"A" | b"AU" | b"C" | b"CA" | b"NZ" | b"HK" | b"S" | b"R")
}

#[rustfmt::skip]
fn is_code(word: &[u8]) -> bool {
    matches!(
        word,
        b"USD" | b"EUR" | b"GBP" | b"usd" | b"eur" | b"gbp" | b"Rs" | b"JPY" | b"CNY" | b"RMB" | b"INR" | b"CHF"
        | b"CAD" | b"AUD" | b"NZD" | b"HKD" | b"SGD" | b"SEK" | b"NOK" | b"DKK" | b"PLN" | b"CZK" | b"HUF" | b"RON"
        | b"RUB" | b"UAH" | b"TRY" | b"BRL" | b"MXN" | b"ZAR" | b"KRW" | b"THB" | b"ILS" | b"AED" | b"SAR" | b"BTC"
    )
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn moneys_are_found() {
        check(
            Class::Money,
            &[
                ("$5", &["$5"]),
                ("£1,200.50", &["£1,200.50"]),
                ("US$ 5m", &["US$ 5m"]),
                ("5 €", &["5 €"]),
                ("1.000,50€", &["1.000,50€"]),
                ("1 000 000 €", &["1 000 000 €"]),
                ("EUR 500 or 500 EUR or 500USD", &["EUR 500", "500 EUR", "500USD"]),
                ("$5 million dollars", &["$5 million dollars"]),
                ("five hundred bucks", &["five hundred bucks"]),
                ("a 20-dollar bill", &["20-dollar"]),
                ("$5-$10", &["$5", "$10"]),
                ("₹2,000", &["₹2,000"]),
                ("5 $10 bills", &["$10"]),
                ("99 cents", &["99 cents"]),
                ("$2.5bn", &["$2.5bn"]),
                ("Rs. 500", &["Rs. 500"]),
                ("$12/hr", &["$12"]),
                ("5k euros", &["5k euros"]),
                ("in 2005 300 dollars", &["300 dollars"]),
                ("A$50", &["A$50"]),
                ("5", &[]),
                ("$", &[]),
                ("$AAPL", &[]),
                ("$5x", &[]),
                ("5 m", &[]),
                ("try 5 or 5 try", &[]),
                ("Usd 5", &[]),
                ("dollars 5", &[]),
                ("x5$", &[]),
                ("$ five", &[]),
                ("five dollarish", &[]),
                ("X$5", &["$5"]),
                ("5 kg", &[]),
                ("a1€", &[]),
                ("EUR", &[]),
            ],
        );
    }
}
