//! What can begin with the letters at a place: most words are ruled out by their first four bytes, before a scanner reads them.
//!
//! Only for the words of English; those of other languages are asked for apart (`with_words`).

use super::{Class, ClassSet};

/// The first three letters of all number words and ranks.
static NUMBERS: Heads = Heads::of(&[
    b"zer", b"one", b"two", b"thr", b"fou", b"fiv", b"six", b"sev", b"eig", b"nin", b"ten", b"ele", b"twe",
    b"thi", b"for", b"fif", b"hun", b"tho", b"mil", b"bil", b"tri", b"fir", b"sec",
]);
/// The first three letters of all months.
static MONTHS: Heads = Heads::of(&[
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
]);

/// What stays of the classes that may begin with the letter at `at`, by a look at the three bytes behind it. Where the text ends before
/// these, all stay: in a text that goes on, only a scanner may look beyond the end.
#[inline]
#[cfg_attr(small_build, optimize(speed))]
pub(super) fn narrowed(here: ClassSet, bytes: &[u8], at: usize) -> ClassSet {
    let Some(&[first, second, third, fourth]) = bytes.get(at..at + 4) else { return here };
    let mut ruled_out = ClassSet::NONE;
    if !NUMBERS.has([first, second, third]) {
        ruled_out = ruled_out.union(ClassSet::of(&[Class::Number, Class::Percent, Class::Ordinal]));
        if !may_be_currency(first, second) {
            ruled_out = ruled_out.with(Class::Money);
        }
    }
    if !MONTHS.has([first, second, third]) {
        ruled_out = ruled_out.with(Class::Date);
    }
    // Two letters of a country, two check digits.
    if !(third.is_ascii_digit() && fourth.is_ascii_digit()) {
        ruled_out = ruled_out.with(Class::Iban);
    }
    // One to four hexadecimal digits and a colon.
    let colon = [second, third, fourth].into_iter().find(|byte| !byte.is_ascii_hexdigit());
    if colon.is_some_and(|byte| byte != b':') {
        ruled_out = ruled_out.with(Class::Ip);
    }
    here.without(ruled_out)
}

/// Whether a currency code or the prefix of a currency sign (`US$`, `A$`) may begin so: both in capitals, `Rs`, or one of the three codes
/// that count in small letters.
fn may_be_currency(first: u8, second: u8) -> bool {
    first.is_ascii_uppercase() && (!second.is_ascii_lowercase() || (first, second) == (b'R', b's'))
        || matches!((first, second), (b'u', b's') | (b'e', b'u') | (b'g', b'b'))
}

/// A set of beginnings of three letters, either case: by the first two, a bit for each third one.
struct Heads([u32; 26 * 26]);

impl Heads {
    const fn of(heads: &[&[u8; 3]]) -> Self {
        let mut rows = [0; 26 * 26];
        let mut at = 0;
        while at < heads.len() {
            let [first, second, third] = *heads[at];
            rows[(first - b'a') as usize * 26 + (second - b'a') as usize] |= 1 << (third - b'a');
            at += 1;
        }
        Self(rows)
    }

    #[inline]
    fn has(&self, letters: [u8; 3]) -> bool {
        let number = |letter: u8| letter.to_ascii_lowercase().wrapping_sub(b'a');
        let (first, second, third) = (number(letters[0]), number(letters[1]), number(letters[2]));
        let all_letters = first < 26 && second < 26 && third < 26;
        all_letters && self.0[usize::from(first) * 26 + usize::from(second)] >> third & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Occurrence, Vocabulary, find, give_way, push, text::Text};
    use proptest::prelude::*;

    /// As [`find`], every class asked at every edge.
    fn found_everywhere(text: &str, vocabulary: Vocabulary) -> Vec<Occurrence> {
        let view = Text::new(text, vocabulary);
        let mut out = Vec::new();
        for class in Class::ALL {
            let mut resume = 0;
            for (at, _) in text.char_indices() {
                if at < resume || !view.edge(at) {
                    continue;
                }
                if let Some(end) = class.longest_at(&view, at) {
                    push(class, at, end, &mut out);
                    resume = end;
                }
            }
        }
        give_way(ClassSet::ALL, 0, &mut out);
        out
    }

    const PIECES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion first \
        second third fourth fifth sixth seventh eighth ninth tenth hundredth thousandth millionth billionth twentieth January february Mar \
        april MAY june Jul august Sept october Nov december of dollars euro cents USD usd EUR eur GBP gbp Rs Rs. CHF US$ A$ AU$ C$ HK$ S$ R$ \
        DE89370400440532013000 GB82 WEST 1234 5698 7654 32 fe80::1 ::1 a:b:c:d:e:f:1:2 2001:db8::ff00:42:8329 1 2nd 3rd 20 1999 2024 5% \
        percent per cent 10:30 pm +49 (030) 1234567 4111 1111 4444 zwei dreiundzwanzig Euro Prozent Januar mil veinte pesos por ciento enero 二十 元 月 www.example.com http://a.b x@example.com x.de the and a . , - / ' : é";

    proptest! {
        #[test]
        fn nothing_is_ruled_out_that_is_there(
            pieces in prop::collection::vec((0..PIECES.split(' ').count(), 0..8_usize), 1..12),
        ) {
            let words: Vec<&str> = PIECES.split(' ').collect();
            let mut text = String::new();
            for (word, joint) in pieces {
                text.push_str(words[word]);
                text.push_str([" ", " ", " ", " ", "-", "", ", ", "x"][joint]);
            }
            for vocabulary in [Vocabulary::English, Vocabulary::None, Vocabulary::German, Vocabulary::Spanish, Vocabulary::Chinese] {
                let mut out = Vec::new();
                find(&text, ClassSet::ALL, vocabulary, &mut out);
                prop_assert_eq!(&out, &found_everywhere(&text, vocabulary), "{:?}", text);
            }
        }
    }
}
