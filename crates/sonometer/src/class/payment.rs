//! `<pan>` and `<iban>`: numbers that carry a checksum.
//!
//! # `<pan>`, a payment card number
//! Digits in one of these shapes, between edges, neither tail nor head of a longer code (see `identity.rs`):
//! - one run of digits;
//! - groups joined by one separator throughout, `-` or one space: groups of four digits, the last of one to four, or
//!   four, six, and four or five digits; fourteen digits or more in all.
//!
//! The digits are not all the same, their number is one the issuer uses, and the Luhn sum is a multiple of ten. Issuers,
//! by the first digits, with the numbers of digits:
//! 4: 13, 16, 19 · 51-55, 2221-2720: 16 · 34, 37: 15 · 300-305, 3095, 36, 38, 39: 14 to 19 · 3500-3599: 16 to 19 ·
//! 1800, 2131: 15 · 6011, 644-649, 65: 16 to 19 · 62, 81: 16 to 19 · 2200-2204: 16 to 19 · 50, 56-58, 60, 61, 63, 66-69:
//! 12 to 19. The first entry with the prefix counts. (An issuer is asked for because Luhn alone lets every tenth number pass.)
//! Of several shapes at one position the longest that passes is taken: `4111 1111 1111 1111 123` may end before `123`.
//!
//! # `<iban>`, an international bank account number
//! A country of `iban.tsv` (two letters), two digits, and the country's account part in the characters its structure
//! asks for (`n` digit, `a` letter, `c` letter or digit; any case), either at once or in groups of four characters from
//! the first one on, the last one shorter where needed, each joined to the next by one space; between edges. With its first four
//! characters moved to the end and letters read as 10 to 35 the number leaves remainder 1 when divided by 97.
//!
//! # Near misses
//! The same but for the checksum, which is wrong. Reading from left to right, an occurrence is passed over; where the
//! longest shape with a wrong checksum overlaps no later occurrence, it is a near miss; where it does, the position has none.

use super::text::{Text, value};
use crate::language::Pairs;

/// The end of the `<pan>` at `at`.
pub(super) fn pan(text: &Text<'_>, at: usize) -> Option<usize> {
    longest_card(text, at, true)
}

/// The end of the longest near miss of a `<pan>` at `at`.
pub(super) fn pan_near(text: &Text<'_>, at: usize) -> Option<usize> {
    longest_card(text, at, false)
}

/// The digits of a number written in groups.
#[derive(Clone, Copy, Default)]
struct Digits {
    digits: [u8; 20],
    length: usize,
}

impl Digits {
    /// Appends a group; `None` when it has no room.
    fn push(&mut self, group: &[u8]) -> Option<()> {
        let end = self.length + group.len();
        self.digits.get_mut(self.length..end)?.copy_from_slice(group);
        self.length = end;
        Some(())
    }

    fn get(&self) -> &[u8] {
        &self.digits[..self.length]
    }
}

/// The longest shape at `at` that is a card of an issuer with a checksum that is right or wrong, as asked.
fn longest_card(text: &Text<'_>, at: usize, right: bool) -> Option<usize> {
    if !text.edge(at) || text.tail_of_code(at) {
        return None;
    }
    let mut longest = None;
    let mut card = Digits::default();
    let mut end = text.digits(at);
    if end - at > 19 {
        return None;
    }
    let separator = text.at(end);
    let mut groups = [0; 6];
    for group in 0..groups.len() {
        let start = if group == 0 { at } else { end + 1 };
        end = text.digits(start);
        groups[group] = end - start;
        if end == start || card.push(text.slice(start, end)).is_none() {
            break;
        }
        let stands = text.edge(end) && !text.head_of_code(end);
        if stands && card_shape(&groups[..=group]) && is_card(card.get()) && luhn(card.get()) == right {
            longest = Some(end);
        }
        if !matches!(separator, b' ' | b'-') || text.at(end) != separator || !matches!(end - start, 4 | 6) {
            break;
        }
    }
    longest
}

fn card_shape(groups: &[usize]) -> bool {
    match groups {
        [_] | [4, 6, 4 | 5] => true,
        // Three groups of four are too often the tail of a longer number.
        [head @ .., last] => {
            head.iter().all(|&group| group == 4) && (1..=4).contains(last) && 4 * head.len() + last > 13
        }
        [] => false,
    }
}

/// Whether an issuer uses this prefix with this number of digits, and the digits differ.
fn is_card(digits: &[u8]) -> bool {
    let length = digits.len();
    if length < 12 || digits.iter().all(|digit| Some(digit) == digits.first()) {
        return false;
    }
    let prefix = value(&digits[..4]);
    match prefix {
        4000..=4999 => matches!(length, 13 | 16 | 19),
        5100..=5599 | 2221..=2720 => length == 16,
        3400..=3499 | 3700..=3799 | 1800 | 2131 => length == 15,
        3000..=3059 | 3095 | 3600..=3699 | 3800..=3999 => (14..=19).contains(&length),
        3500..=3599 | 6011 | 6440..=6599 | 6200..=6299 | 8100..=8199 | 2200..=2204 => {
            (16..=19).contains(&length)
        }
        5000..=5099 | 5600..=5899 | 6000..=6199 | 6300..=6399 | 6600..=6999 => (12..=19).contains(&length),
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| match (u32::from(digit.wrapping_sub(b'0')), place % 2) {
            (digit, 0) => digit,
            (digit, _) if digit > 4 => 2 * digit - 9,
            (digit, _) => 2 * digit,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Every country's account part, as the IBAN registry (ISO 13616) gives it: a count in two digits,
/// then the kind of character.
pub(super) const IBANS: Pairs = Pairs::new(
    "AD 08n12c, AE 19n, AL 08n16c, AT 16n, AZ 04a20c, BA 16n, BE 12n, BG 04a06n08c, BH 04a14c, BI 23n,
    BR 23n01a01c, BY 04c04n16c, CH 05n12c, CR 18n, CY 08n16c, CZ 20n, DE 18n, DJ 23n, DK 14n, DO 04c20n,
    EE 16n, EG 25n, ES 20n, FI 14n, FK 02a12n, FO 14n, FR 10n11c02n, GB 04a14n, GE 02a16n, GI 04a15c,
    GL 14n, GR 07n16c, GT 24c, HN 04a20n, HR 17n, HU 24n, IE 04a14n, IL 19n, IQ 04a15n, IS 22n,
    IT 01a10n12c, JO 04a04n18c, KW 04a22c, KZ 03n13c, LB 04n20c, LC 04a24c, LI 05n12c, LT 16n, LU 03n13c,
    LV 04a13c, LY 21n, MC 10n11c02n, MD 20c, ME 18n, MK 03n10c02n, MN 16n, MR 23n, MT 04a05n18c,
    MU 04a19n03a, NI 04a20n, NL 04a10n, NO 11n, OM 03n16c, PK 04a16c, PL 24n, PS 04a21c, PT 21n, QA 04a21c,
    RO 04a16c, RS 18n, RU 14n15c, SA 02n18c, SC 04a20n03a, SD 14n, SE 20n, SI 15n, SK 20n, SM 01a10n12c,
    SO 19n, ST 21n, SV 04a20n, TL 19n, TN 20n, TR 06n16c, UA 06n19c, VA 18n, VG 04a16n, XK 16n, YE 04a04n18c",
);

/// The end of the `<iban>` at `at`.
pub(super) fn iban(text: &Text<'_>, at: usize) -> Option<usize> {
    account(text, at, true)
}

/// The end of the near miss of an `<iban>` at `at`.
pub(super) fn iban_near(text: &Text<'_>, at: usize) -> Option<usize> {
    account(text, at, false)
}

fn account(text: &Text<'_>, at: usize, right: bool) -> Option<usize> {
    // Two letters and two digits are rare in prose: ask for them before the table.
    let (first, second) = (text.at(at), text.at(at + 1));
    if !second.is_ascii_alphabetic() || !text.at(at + 2).is_ascii_digit() || !text.at(at + 3).is_ascii_digit()
    {
        return None;
    }
    let country = [first.to_ascii_uppercase(), second.to_ascii_uppercase()];
    let structure = IBANS.get(std::str::from_utf8(&country).ok()?)?;
    let grouped = text.at(at + 4) == b' ';
    let (mut end, mut seen, mut remainder) = (at + 4, 4, 0);
    let mut parts = structure.bytes();
    while let Some(tens) = parts.next() {
        let (ones, kind) = (parts.next()?, parts.next()?);
        for _ in 0..value(&[tens, ones]) {
            if grouped && seen % 4 == 0 {
                if text.at(end) != b' ' {
                    return None;
                }
                end += 1;
            }
            let character = text.at(end);
            let fits = match kind {
                b'n' => character.is_ascii_digit(),
                b'a' => character.is_ascii_alphabetic(),
                _ => character.is_ascii_alphanumeric(),
            };
            if !fits {
                return None;
            }
            remainder = append(remainder, character);
            (end, seen) = (end + 1, seen + 1);
        }
    }
    remainder = text.slice(at, at + 4).iter().fold(remainder, |sum, &character| append(sum, character));
    (text.edge(at) && text.edge(end) && (remainder == 1) == right).then_some(end)
}

/// The remainder by 97 once a character is written after the number: a digit as itself, a letter as 10 to 35.
fn append(remainder: u32, character: u8) -> u32 {
    match char::from(character).to_digit(36) {
        Some(digit @ 0..=9) => (remainder * 10 + digit) % 97,
        Some(letter) => (remainder * 100 + letter) % 97,
        None => remainder,
    }
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn pans_are_found() {
        check(
            Class::Pan,
            &[
                ("order 4111111111111111", &["4111111111111111"]),
                ("4111 1111 1111 1111", &["4111 1111 1111 1111"]),
                ("4111-1111-1111-1111", &["4111-1111-1111-1111"]),
                ("3782 822463 10005", &["3782 822463 10005"]),
                ("378282246310005.", &["378282246310005"]),
                ("30569309025904", &["30569309025904"]),
                ("3056 930902 5904", &["3056 930902 5904"]),
                ("6011111111111117", &["6011111111111117"]),
                ("3530111333300000", &["3530111333300000"]),
                ("2223003122003222", &["2223003122003222"]),
                ("4222222222222", &["4222222222222"]),
                ("card 5555555555554444 exp 12/29", &["5555555555554444"]),
                ("4111 1111 1111 1111 123", &["4111 1111 1111 1111"]),
                ("5105 1051 0510 5100 12/25", &["5105 1051 0510 5100"]),
                ("4111111111111112", &[]),
                ("4444444444444444", &[]),
                ("0000000000000000", &[]),
                ("1111111111111117", &[]),
                ("41111111111111110", &[]),
                ("4111 1111-1111 1111", &[]),
                ("4111  1111 1111 1111", &[]),
                ("x4111111111111111", &[]),
                ("4111111111111111x", &[]),
                ("1-4111111111111111", &[]),
                ("4111111111111111-2", &[]),
                ("41 11 11 11 11 11 11 11", &[]),
                ("4111111111111111.5", &[]),
                ("411111111111111", &[]),
            ],
        );
    }

    #[test]
    fn ibans_are_found() {
        check(
            Class::Iban,
            &[
                ("GB82WEST12345698765432", &["GB82WEST12345698765432"]),
                ("GB82 WEST 1234 5698 7654 32", &["GB82 WEST 1234 5698 7654 32"]),
                ("de89370400440532013000", &["de89370400440532013000"]),
                ("DE89 3704 0044 0532 0130 00.", &["DE89 3704 0044 0532 0130 00"]),
                ("FR1420041010050500013M02606", &["FR1420041010050500013M02606"]),
                ("NO9386011117947", &["NO9386011117947"]),
                ("IBAN: NL91ABNA0417164300,", &["NL91ABNA0417164300"]),
                ("BE68539007547034", &["BE68539007547034"]),
                ("CH93 0076 2011 6238 5295 7", &["CH93 0076 2011 6238 5295 7"]),
                ("GB83WEST12345698765432", &[]),
                ("GB82WEST1234569876543", &[]),
                ("GB82WEST123456987654321", &[]),
                ("XX82WEST12345698765432", &[]),
                ("DE89 37040044 0532 0130 00", &[]),
                ("DE89  3704 0044 0532 0130 00", &[]),
                ("xDE89370400440532013000", &[]),
                ("DE8937040044053201300A", &[]),
                ("DE89-3704-0044-0532-0130-00", &[]),
                ("no12 that will not do", &[]),
            ],
        );
    }
}
