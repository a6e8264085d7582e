//! The grammars: whether a whole stretch of text, between edges, is an occurrence of a class.

use super::text::Text;
use regex::Regex;
use sonometer::class::Class;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

/// Whether the grammar of a class is written here.
pub(super) fn is_written(class: Class) -> bool {
    use Class::{Email, Ip, Number, Ordinal, Pan, Percent, Ssn, Time, Year};
    matches!(class, Number | Percent | Ordinal | Time | Year | Email | Ip | Ssn | Pan)
}

/// Whether a stretch between edges is an occurrence.
pub(super) fn fits(text: &Text<'_>, class: Class, range: Range<usize>) -> bool {
    if range.len() > longest(class) {
        return false;
    }
    match class {
        Class::Number => is_number(text, range),
        Class::Percent => is_percent(text, range),
        Class::Ordinal => is_ordinal(text, range),
        Class::Time => is_time(text, range),
        Class::Year => is_year(text, range),
        Class::Email => is_email(text, range),
        Class::Ip => is_ip(text, range),
        Class::Ssn => is_ssn(text, range),
        Class::Pan => is_pan(text, range, true),
        _ => false,
    }
}

/// Whether an occurrence can begin here at all: most positions of most texts need no second look.
pub(super) fn may_begin(text: &Text<'_>, class: Class, at: usize) -> bool {
    let first = text.at(at);
    match class {
        Class::Time | Class::Year | Class::Ssn | Class::Pan => first.is_ascii_digit(),
        Class::Number | Class::Percent | Class::Ordinal => {
            let (_, after) = text.around(&(at..at));
            let word: String = after.chars().take_while(char::is_ascii_alphabetic).collect();
            first.is_ascii_digit() || number_word(&word).is_some() || ORDINAL_WORDS.is_match(&word)
        }
        _ => first.is_ascii_alphanumeric() || matches!(first, '_' | ':'),
    }
}

/// More characters than an occurrence can have.
fn longest(class: Class) -> usize {
    match class {
        Class::Number | Class::Percent => usize::MAX,
        Class::Email => 64 + 1 + 253,
        _ => 60,
    }
}

const SCALE: &str = "(?:hundred|thousand|million|billion|trillion)";
const SMALL: &str = "(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|\
    sixteen|seventeen|eighteen|nineteen)";
const TEN: &str = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)";

/// An expression in which `S`, `T`, `N` in braces stand for the number words; `^` and `$` are its ends.
fn expression(source: &str) -> Regex {
    let source = source
        .replace("{N}", &format!("(?:{SMALL}|{TEN})"))
        .replace("{T}", TEN)
        .replace("{S}", SCALE)
        .replace("{FIRST}", "(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)");
    Regex::new(&format!("^(?:{source})$")).expect("an expression written above")
}

macro_rules! expression {
    ($name:ident, $source:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| expression($source));
    };
}

expression!(DIGIT_WORD, r"[0-9]+(?:[.,][0-9]+)*");
expression!(SCALED, r"(?i)[0-9]+(?:[.,][0-9]+)*(?: {S})*");
/// `<number>`.
fn is_number(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    if !text.english {
        return DIGIT_WORD.is_match(&stretch);
    }
    SCALED.is_match(&stretch) && digit_word_ends_at_an_edge(text, &range) || is_run(text, range)
}

fn digit_word_ends_at_an_edge(text: &Text<'_>, range: &Range<usize>) -> bool {
    let word = (range.start..range.end).find(|at| text.at(*at) == ' ').unwrap_or(range.end);
    text.is_edge(word)
}

/// The words of a number run with what joins each to the next, or nothing if it is none.
fn is_run(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[A-Za-z]+").expect("an expression"));
    let mut rest = stretch.as_str();
    let mut last_is_scale = None;
    loop {
        let Some(word) = WORD.find(rest).map(|word| word.as_str()) else { return false };
        let Some(is_scale) = number_word(word) else { return false };
        // What joined them was ` and `: only after a scale, before a word that is none.
        if last_is_scale == Some(false) || last_is_scale == Some(true) && is_scale {
            return false;
        }
        rest = &rest[word.len()..];
        last_is_scale = None; // joined by a space or `-`, any two number words go together
        if rest.is_empty() {
            break;
        }
        if let Some(after) = rest.strip_prefix(" and ") {
            rest = after;
            last_is_scale = Some(is_scale);
        } else if let Some(after) = rest.strip_prefix([' ', '-']) {
            rest = after;
        } else {
            return false;
        }
    }
    !is_joined_before(text, &range)
}

/// Whether a word is a number word, and if so whether it is a scale.
fn number_word(word: &str) -> Option<bool> {
    static SCALES: LazyLock<Regex> = LazyLock::new(|| expression("(?i){S}"));
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| expression("(?i){N}"));
    if SCALES.is_match(word) { Some(true) } else { NUMBERS.is_match(word).then_some(false) }
}

/// Whether the rules join the first word of a run to a number word before it.
fn is_joined_before(text: &Text<'_>, range: &Range<usize>) -> bool {
    let (before, _) = text.around(range);
    let first: String = text.slice(range.clone()).chars().take_while(char::is_ascii_alphabetic).collect();
    let by_and = before.strip_suffix(" and ");
    let joint = match by_and {
        Some(rest) => Some((rest, true)),
        None => before.strip_suffix([' ', '-']).map(|rest| (rest, false)),
    };
    let Some((rest, by_and)) = joint else { return false };
    let word: String = rest.chars().rev().take_while(char::is_ascii_alphabetic).collect();
    let word: String = word.chars().rev().collect();
    let end = range.start - if by_and { 5 } else { 1 };
    if word.is_empty() || !text.is_edge(end) || !text.is_edge(end - word.len()) {
        return false;
    }
    match number_word(&word) {
        Some(is_scale) => !by_and || is_scale && number_word(&first) == Some(false),
        None => false,
    }
}

/// `<percent>`.
fn is_percent(text: &Text<'_>, range: Range<usize>) -> bool {
    if text.before(range.start, 1) == '%' {
        return false;
    }
    (range.start + 1..range.end).any(|end| {
        let sign = text.slice(end..range.end).to_ascii_lowercase();
        let is_sign = matches!(sign.as_str(), "%" | " %");
        let is_word =
            matches!(sign.as_str(), " percent" | "-percent" | " pct" | "-pct" | " per cent" | "-per cent");
        (is_sign || is_word && text.english) && text.is_edge(end) && is_number(text, range.start..end)
    })
}

expression!(ORDINAL_DIGITS, "(?i)([0-9]+(?:,[0-9]+)*)(st|nd|rd|th)");
expression!(
    ORDINAL_WORDS,
    "(?i){FIRST}|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|(?:twen|thir|for|fif|six|seven|eigh|nine)tieth|\
     (?:hundred|thousand|million|billion)th|{T}[ -]{FIRST}"
);
/// Whether what stands before the word `second` makes it a unit of time.
fn is_unit_of_time(text: &Text<'_>, at: usize) -> bool {
    if text.before(at, 1) != ' ' {
        return false;
    }
    let (before, _) = text.around(&(at - 1..at));
    let word: Vec<char> = before.chars().rev().take_while(char::is_ascii_alphabetic).collect();
    let word: String = word.iter().rev().map(char::to_ascii_lowercase).collect();
    let is_known = matches!(word.as_str(), "a" | "one" | "per" | "split" | "each" | "every" | "half");
    text.before(at, 2).is_ascii_digit() || is_known && text.is_edge(at - 1 - word.len())
}

/// `<ordinal>`.
fn is_ordinal(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    if let Some(parts) = ORDINAL_DIGITS.captures(&stretch) {
        let expected = if ["11", "12", "13"].iter().any(|teen| parts[1].ends_with(teen)) {
            "th"
        } else {
            match parts[1].chars().last() {
                Some('1') => "st",
                Some('2') => "nd",
                Some('3') => "rd",
                _ => "th",
            }
        };
        return parts[2].eq_ignore_ascii_case(expected);
    }
    let is_unit = stretch.eq_ignore_ascii_case("second") && is_unit_of_time(text, range.start);
    text.english && ORDINAL_WORDS.is_match(&stretch) && !is_unit
}

expression!(
    CLOCK,
    r"(?i)(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?|(?:0?[1-9]|1[0-2])(?::[0-5][0-9](?::[0-5][0-9])?)? ?(?:am|pm|a\.m\.?|p\.m\.?)"
);

/// `<time>`.
fn is_time(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    let (before, after) = (text.before(range.start, 1), text.at(range.end));
    let leaves_its_stop = stretch.to_ascii_lowercase().ends_with(".m") && after == '.';
    let goes_on = after == ':' && text.at(range.end + 1).is_ascii_digit();
    CLOCK.is_match(&stretch) && !leaves_its_stop && !matches!(before, ':' | '+') && !goes_on && after != '%'
}

fn is_currency_sign(c: char) -> bool {
    "$¢£¥€₹₩₽₿".contains(c)
}

expression!(FOUR_DIGITS, "(?:19|20)[0-9][0-9]");

/// `<year>`.
fn is_year(text: &Text<'_>, range: Range<usize>) -> bool {
    let (before, after) = (text.before(range.start, 1), text.at(range.end));
    let (left, right) = text.around(&range);
    let run_after: usize = right.chars().skip(1).take_while(char::is_ascii_digit).count();
    let run_before: usize = left.chars().rev().skip(1).take_while(char::is_ascii_digit).count();
    let joined_well = |sign: char, run: usize| !matches!(sign, '-' | '/') || matches!(run, 0 | 1 | 2 | 4);
    FOUR_DIGITS.is_match(&text.slice(range))
        && !is_currency_sign(before)
        && before != '#'
        && !is_currency_sign(after)
        && after != '%'
        && joined_well(before, run_before)
        && joined_well(after, run_after)
        && !(before == ':' && run_before > 0)
        && !(after == ':' && run_after > 0)
}

expression!(LOCAL, r"[A-Za-z0-9_]+(?:[.+'-][A-Za-z0-9_]+)*");
expression!(DOMAIN, r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,24}");

/// `<email>`.
fn is_email(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    let Some((local, _)) = stretch.split_once('@') else { return false };
    let (before, further) = (text.before(range.start, 1), text.before(range.start, 2));
    let domain = range.start + local.chars().count() + 1;
    let longest = (domain + 1..=text.len().min(domain + 254)).rev().find(|end| is_domain(text, domain..*end));
    LOCAL.is_match(local)
        && local.len() <= 64
        && !is_atom(before)
        && !(".+-'".contains(before) && is_atom(further))
        && longest == Some(range.end)
}

fn is_atom(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whole labels, the last one allowed; edges are not asked.
fn is_domain(text: &Text<'_>, range: Range<usize>) -> bool {
    let domain = text.slice(range.clone());
    let (after, beyond) = (text.at(range.end), text.at(range.end + 1));
    DOMAIN.is_match(&domain)
        && domain.len() <= 253
        && domain.split('.').all(|label| label.len() <= 63)
        && !is_atom(after)
        && after != '@'
        && !(after == '-' && is_atom(beyond))
}

/// `<ip>`.
fn is_ip(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    if stretch.parse::<Ipv4Addr>().is_ok() {
        return true;
    }
    let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
    let (_, after) = text.around(&range);
    let run_rest: String = after.chars().take_while(|c| in_run(*c)).collect();
    let rest = run_rest.trim_end_matches('.');
    let whole = rest.is_empty() && !stretch.ends_with('.') || rest == ":" && !stretch.ends_with(':');
    let one_colon_left = rest.is_empty() && stretch.ends_with(':') && !stretch.ends_with("::");
    !in_run(text.before(range.start, 1))
        && whole
        && !one_colon_left
        && stretch.len() <= 45
        && stretch.contains(|c: char| c.is_ascii_digit())
        && stretch.parse::<Ipv6Addr>().is_ok()
        && stretch.parse::<IpAddr>().is_ok()
}

expression!(SSN, "([0-9]{3})(?:-([0-9]{2})-| ([0-9]{2}) )([0-9]{4})");

/// `<ssn>`.
fn is_ssn(text: &Text<'_>, range: Range<usize>) -> bool {
    let stretch = text.slice(range.clone());
    let Some(parts) = SSN.captures(&stretch) else { return false };
    let spaced = parts.get(3).is_some();
    let second = parts.get(2).or(parts.get(3)).map_or("", |part| part.as_str());
    let in_a_row = text.before(range.start, 1) == ' ' && text.before(range.start, 2).is_ascii_digit()
        || text.at(range.end) == ' ' && text.at(range.end + 1).is_ascii_digit();
    let is_issued = !matches!(&parts[1], "000" | "666") && !parts[1].starts_with('9');
    let in_a_row = spaced && in_a_row;
    is_issued && second != "00" && &parts[4] != "0000" && !in_a_row && !text.is_part_of_a_code(&range)
}

expression!(
    CARD,
    "[0-9]{12,19}|[0-9]{4}(?: [0-9]{4})+ [0-9]{1,4}|[0-9]{4}(?:-[0-9]{4})+-[0-9]{1,4}|[0-9]{4} [0-9]{6} [0-9]{4,5}|[0-9]{4}-[0-9]{6}-[0-9]{4,5}"
);

/// `<pan>` with a checksum that is right or wrong, as asked.
pub(super) fn is_pan(text: &Text<'_>, range: Range<usize>, right: bool) -> bool {
    let stretch = text.slice(range.clone());
    let digits: Vec<u32> = stretch.chars().filter_map(|c| c.to_digit(10)).collect();
    let grouped = stretch.len() > digits.len();
    CARD.is_match(&stretch)
        && (!grouped || digits.len() >= 14)
        && !digits.iter().all(|digit| *digit == digits[0])
        && is_issued(&digits)
        && passes_luhn(&digits) == right
        && !text.is_part_of_a_code(&range)
}

fn passes_luhn(digits: &[u32]) -> bool {
    let value = |(place, digit): (usize, &u32)| match place % 2 {
        0 => *digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    };
    digits.iter().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}

/// Issuers by the first digits, in the order of the list; the first entry with the prefix counts.
fn is_issued(digits: &[u32]) -> bool {
    let prefix = |length: usize| digits[..length].iter().fold(0, |number, digit| number * 10 + digit);
    let (one, two, three, four) = (prefix(1), prefix(2), prefix(3), prefix(4));
    let length = digits.len();
    if one == 4 {
        matches!(length, 13 | 16 | 19)
    } else if matches!(two, 51..=55) || matches!(four, 2221..=2720) {
        length == 16
    } else if matches!(two, 34 | 37) {
        length == 15
    } else if matches!(three, 300..=305) || four == 3095 || matches!(two, 36 | 38 | 39) {
        matches!(length, 14..=19)
    } else if matches!(four, 3500..=3599) {
        matches!(length, 16..=19)
    } else if matches!(four, 1800 | 2131) {
        length == 15
    } else if four == 6011
        || matches!(three, 644..=649)
        || matches!(two, 62 | 65 | 81)
        || matches!(four, 2200..=2204)
    {
        matches!(length, 16..=19)
    } else if matches!(two, 50 | 56..=58 | 60 | 61 | 63 | 66..=69) {
        matches!(length, 12..=19)
    } else {
        false
    }
}
