//! The built-in classes of the phrase language: `<number>`, `<money>`, `<pan>` and their kin.
//!
//! A class is a small grammar over the folded text, written in words at the head of the file that scans it. All classes
//! share these rules:
//!
//! - An occurrence begins and ends at an *edge* (see `text.rs`). "Letter" and "digit" mean ASCII; letters compare
//!   without regard to case unless the text says otherwise; "space" is exactly one U+0020.
//! - Occurrences of one class are read from left to right: at the first position where the grammar fits, the longest
//!   fit is taken, and reading goes on at its end. They never overlap; occurrences of different classes may.
//! - A few classes give way: an occurrence of `<phone>` wholly inside one of `<pan>`, `<iban>`, `<date>`, `<ip>`, `<ssn>`,
//!   `<email>` or `<url>` is dropped, and one of `<zip>` wholly inside one of `<money>`, `<percent>`, `<pan>`, `<iban>`,
//!   `<email>` or `<url>`; all classes are read before, whether a pattern asks for them or not.
//! - Words (`percent`, `five`, `March`) count only in the language of the protocol; without a language none do.
//!
//! One pass over the text visits every position once and asks there only the classes that can begin with that byte.
//! Every scanner reads a bounded number of bytes from its beginning, or reads a run that only the first position of
//! the run may begin, or reads what it then consumes; so the time grows linearly with the text.

mod date;
mod email;
mod heads;
mod identity;
pub mod lists;
mod money;
mod network;
mod number;
mod open;
mod payment;
mod phone;
mod text;
mod time;
mod url;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub(crate) use open::first_open;
use text::Text;

/// A built-in class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// A number in digits or words: `3.5`, `two hundred and five`.
    Number,
    /// An amount of money: `£1,200.50`, `US$ 5m`, `five dollars`.
    Money,
    /// A percentage: `5 %`, `ten percent`.
    Percent,
    /// A calendar date: `2021-02-28`, `5 March`.
    Date,
    /// A year from 1900 to 2099.
    Year,
    /// A time of day: `12:30`, `3pm`.
    Time,
    /// A rank: `1st`, `twentieth`.
    Ordinal,
    /// An e-mail address.
    Email,
    /// A web address, with or without its scheme.
    Url,
    /// A telephone number.
    Phone,
    /// A payment card number with a right check digit.
    Pan,
    /// An international bank account number with right check digits.
    Iban,
    /// An IPv4 or IPv6 address.
    Ip,
    /// A social security number of the United States.
    Ssn,
    /// A postal code of the United States.
    Zip,
}

impl Class {
    /// Every class, in order.
    pub const ALL: [Self; 15] = [
        Self::Number,
        Self::Money,
        Self::Percent,
        Self::Date,
        Self::Year,
        Self::Time,
        Self::Ordinal,
        Self::Email,
        Self::Url,
        Self::Phone,
        Self::Pan,
        Self::Iban,
        Self::Ip,
        Self::Ssn,
        Self::Zip,
    ];

    /// The name in the phrase language, without its angle brackets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Money => "money",
            Self::Percent => "percent",
            Self::Date => "date",
            Self::Year => "year",
            Self::Time => "time",
            Self::Ordinal => "ordinal",
            Self::Email => "email",
            Self::Url => "url",
            Self::Phone => "phone",
            Self::Pan => "pan",
            Self::Iban => "iban",
            Self::Ip => "ip",
            Self::Ssn => "ssn",
            Self::Zip => "zip",
        }
    }

    /// Whether an occurrence carries check digits, so that near misses can be told ([`find_near`]).
    pub const fn is_checked(self) -> bool {
        matches!(self, Self::Pan | Self::Iban)
    }

    /// The class of that name; names are lower-case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The end of the longest occurrence that begins at `at`.
    fn longest_at(self, text: &Text<'_>, at: usize) -> Option<usize> {
        match self {
            Self::Number => number::number(text, at),
            Self::Money => money::money(text, at),
            Self::Percent => number::percent(text, at),
            Self::Date => date::date(text, at),
            Self::Year => date::year(text, at),
            Self::Time => time::time(text, at),
            Self::Ordinal => number::ordinal(text, at),
            Self::Email => email::email(text, at),
            Self::Url => url::url(text, at),
            Self::Phone => phone::phone(text, at),
            Self::Pan => payment::pan(text, at),
            Self::Iban => payment::iban(text, at),
            Self::Ip => network::ip(text, at),
            Self::Ssn => identity::ssn(text, at),
            Self::Zip => identity::zip(text, at),
        }
    }
}

/// A set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClassSet(u16);

impl ClassSet {
    /// No class.
    pub const NONE: Self = Self(0);
    /// Every class.
    pub const ALL: Self = Self::of(&Class::ALL);

    /// The set of these classes.
    pub const fn of(classes: &[Class]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < classes.len() {
            bits |= 1 << classes[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// This set with `class` in it.
    pub const fn with(self, class: Class) -> Self {
        Self(self.0 | 1 << class as u8)
    }

    /// What is in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set and not in the other.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `class` is in the set.
    pub const fn contains(self, class: Class) -> bool {
        self.0 & 1 << class as u8 != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The classes of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let class = *Class::ALL.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(class)
        })
    }
}

/// Whose words count beside digits: number words, month names, currency words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Vocabulary {
    /// No words: digits, signs and codes only.
    #[default]
    None,
    /// English words.
    English,
    /// German words.
    German,
    /// Spanish words.
    Spanish,
    /// Chinese numerals and the signs of dates.
    Chinese,
}

impl Vocabulary {
    /// The words of the language of that ISO 639-1 code; none for another.
    pub fn of(code: &str) -> Self {
        match code {
            "de" => Self::German,
            "en" => Self::English,
            "es" => Self::Spanish,
            "zh" => Self::Chinese,
            _ => Self::None,
        }
    }
}

/// One occurrence of a class in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// First byte of the folded text.
    pub start: u32,
    /// What occurs.
    pub class: Class,
    /// Byte after the last.
    pub end: u32,
}

/// The classes `class` gives way to: an occurrence of `class` that lies wholly inside an occurrence of one of these is
/// dropped, after all have been read. None of these gives way itself.
///
/// - `<phone>`: `<pan> <iban> <date> <ip> <ssn> <email> <url>`
/// - `<zip>`: `<money> <percent> <pan> <iban> <email> <url>`
pub const fn gives_way_to(class: Class) -> ClassSet {
    use Class::{Date, Email, Iban, Ip, Money, Pan, Percent, Phone, Ssn, Url, Zip};
    match class {
        Phone => ClassSet::of(&[Pan, Iban, Date, Ip, Ssn, Email, Url]),
        Zip => ClassSet::of(&[Money, Percent, Pan, Iban, Email, Url]),
        _ => ClassSet::NONE,
    }
}

/// Appends the occurrences of the `wanted` classes in the folded `text`, sorted by start, then class.
///
/// Text from the 4 GiB mark on is not read. Takes time linear in the text and allocates only in `out`.
pub fn find(text: &str, wanted: ClassSet, vocabulary: Vocabulary, out: &mut Vec<Occurrence>) {
    find_from(text, 0, wanted, vocabulary, out);
}

/// As [`find`], the occurrences that begin at byte `from` or behind it, where none that begins before it goes on.
pub(crate) fn find_from(
    text: &str,
    from: usize,
    wanted: ClassSet,
    vocabulary: Vocabulary,
    out: &mut Vec<Occurrence>,
) {
    let first = out.len();
    let read = wanted
        .iter()
        .filter(|&class| !gives_way_to(class).is_empty())
        .fold(wanted, |read, class| read.union(gives_way_to(class)));
    let view = Text::new(text, vocabulary);
    let possible = read.intersection(possible(view.bytes(), vocabulary));
    if possible.intersection(wanted).is_empty() {
        return;
    }
    read_all(&view, from, possible, out);
    give_way(wanted, first, out);
}

/// Appends the near misses of `<pan>` and `<iban>`: the right shape with a wrong check digit, sorted by start.
///
/// A near miss never overlaps an occurrence of its class. Other classes in `wanted` have none.
pub fn find_near(text: &str, wanted: ClassSet, out: &mut Vec<Occurrence>) {
    find_near_from(text, 0, wanted, out);
}

/// As [`find_near`], from byte `from` on.
pub(crate) fn find_near_from(text: &str, from: usize, wanted: ClassSet, out: &mut Vec<Occurrence>) {
    // Both need digits, which most texts have none of.
    if !has_digit(text.as_bytes()) {
        return;
    }
    let view = Text::new(text, Vocabulary::None);
    let first = out.len();
    for class in wanted.intersection(ClassSet::of(&[Class::Pan, Class::Iban])).iter() {
        let (mut at, mut next_valid) = (from, None);
        while let Some(&byte) = view.bytes().get(at) {
            // From what is cheap and seldom holds to what is not.
            let begins = may_begin(byte).contains(class)
                && !view.before(at).is_ascii_alphanumeric()
                && heads::narrowed(may_begin(byte), view.bytes(), at).contains(class)
                && view.edge(at);
            if !begins {
                at += 1;
                continue;
            }
            if let Some(end) = class.longest_at(&view, at) {
                at = end;
                continue;
            }
            // The shapes are short, so looking ahead for the next valid occurrence stays inside a bounded window.
            let shape = match class {
                Class::Pan => payment::pan_near(&view, at),
                _ => payment::iban_near(&view, at),
            };
            let Some(end) = shape else {
                at += 1;
                continue;
            };
            let valid = match next_valid {
                Some(start) if start > at => start,
                _ => (at + 1..end)
                    .find(|&later| view.edge(later) && class.longest_at(&view, later).is_some())
                    .unwrap_or(end),
            };
            if valid < end {
                next_valid = Some(valid);
                at += 1;
            } else {
                push(class, at, end, out);
                at = end;
            }
        }
    }
    out[first..].sort_unstable();
}

/// Reads every class of `set` in one pass.
#[cfg_attr(small_build, optimize(speed))]
fn read_all(text: &Text<'_>, from: usize, set: ClassSet, out: &mut Vec<Occurrence>) {
    let mut resume = [from; Class::ALL.len()];
    let mut before = text.before(from);
    let mut addresses = Addresses::new(text.bytes(), from);
    let more = !matches!(text.words, Vocabulary::None | Vocabulary::English);
    for (at, &byte) in text.bytes().iter().enumerate().skip(from) {
        let inside = before.is_ascii_alphanumeric() && byte.is_ascii_alphanumeric();
        before = byte;
        if inside {
            continue;
        }
        let mut here = may_begin(byte).intersection(set);
        if byte.is_ascii_alphabetic() && !here.is_empty() {
            here = heads::narrowed(here, text.bytes(), at);
        }
        if more {
            here = here.union(with_words(byte).intersection(set));
        }
        if !here.intersection(ADDRESSES).is_empty() && !addresses.may_begin(at) {
            here = here.without(ADDRESSES);
        }
        if here.is_empty() || !text.edge(at) {
            continue;
        }
        for class in here.iter() {
            let resume = &mut resume[class as usize];
            if at < *resume {
                continue;
            }
            if let Some(end) = class.longest_at(text, at) {
                *resume = end;
                push(class, at, end, out);
            }
        }
    }
}

const ADDRESSES: ClassSet = ClassSet::of(&[Class::Email, Class::Url]);

/// Where an address may begin. Each has an `@`, a `.` before a letter or digit, or a `:` before a `/` in it, and no white space.
struct Addresses<'t> {
    bytes: &'t [u8],
    /// The next such sign, and where the run without white space begins in which it stands; all before `sign` is behind what was asked
    /// for, or has none.
    sign: usize,
    from: usize,
}

impl<'t> Addresses<'t> {
    /// For places from byte `from` on.
    fn new(bytes: &'t [u8], from: usize) -> Self {
        let mut addresses = Self { bytes, sign: 0, from: 0 };
        addresses.look(from.min(bytes.len()));
        addresses
    }

    /// Whether one may begin at `at`; places are asked for from left to right.
    #[inline]
    fn may_begin(&mut self, at: usize) -> bool {
        if self.sign < at {
            self.look(at);
        }
        self.from <= at && self.sign < self.bytes.len()
    }

    #[cfg_attr(small_build, optimize(speed))]
    fn look(&mut self, at: usize) {
        let rest = &self.bytes[at..];
        let is_sign = |&here: &usize| {
            let next = rest.get(here + 1).copied().unwrap_or_default();
            match rest[here] {
                b'@' => true,
                b'.' => next.is_ascii_alphanumeric(),
                b':' => next == b'/',
                _ => false,
            }
        };
        let sign = (0..rest.len()).find(is_sign).unwrap_or(rest.len());
        let white = rest[..sign].iter().rposition(|byte| *byte <= b' ');
        (self.sign, self.from) = (at + sign, at + white.map_or(0, |white| white + 1));
    }
}

fn push(class: Class, start: usize, end: usize, out: &mut Vec<Occurrence>) {
    if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
        out.push(Occurrence { start, class, end });
    }
}

/// Drops from `out[first..]` what gives way and what was read only so that others could give way.
fn give_way(wanted: ClassSet, first: usize, out: &mut Vec<Occurrence>) {
    // Widest first among equal starts, and what yields last among equal spans: what covers comes before the covered.
    out[first..].sort_unstable_by_key(|found| {
        let yields = !gives_way_to(found.class).is_empty();
        (found.start, std::cmp::Reverse(found.end), yields, found.class)
    });
    let mut reach = [0; Class::ALL.len()];
    let mut kept = first;
    for at in first..out.len() {
        let found = out[at];
        reach[found.class as usize] = found.end;
        let mut over = gives_way_to(found.class).iter();
        if wanted.contains(found.class) && !over.any(|class| reach[class as usize] >= found.end) {
            out[kept] = found;
            kept += 1;
        }
    }
    out.truncate(kept);
    out[first..].sort_unstable();
}

/// The classes an occurrence of which may begin with this byte in a language other than English: words with any letter,
/// numerals with the first byte of a character.
const fn with_words(byte: u8) -> ClassSet {
    use Class::{Date, Money, Number, Ordinal, Percent};
    if byte.is_ascii_alphabetic() || byte >= 0xE3 {
        ClassSet::of(&[Number, Money, Percent, Date, Ordinal])
    } else {
        ClassSet::NONE
    }
}

/// The classes an occurrence of which may begin with this byte.
const fn may_begin(byte: u8) -> ClassSet {
    MAY_BEGIN[byte as usize]
}

const MAY_BEGIN: [ClassSet; 256] = {
    use Class::{
        Date, Email, Iban, Ip, Money, Number, Ordinal, Pan, Percent, Phone, Ssn, Time, Url, Year, Zip,
    };
    let digit = ClassSet::of(&[
        Number, Money, Percent, Date, Year, Time, Ordinal, Email, Url, Phone, Pan, Ip, Ssn, Zip,
    ]);
    let mut table = [ClassSet::NONE; 256];
    let mut byte: usize = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => digit,
            b'a'..=b'z' | b'A'..=b'Z' => {
                let mut set = ClassSet::of(&[Email, Url, Iban]);
                let lower = (byte as u8).to_ascii_lowercase();
                if matches!(lower, b'z' | b'o' | b't' | b'f' | b's' | b'e' | b'n' | b'h' | b'm' | b'b') {
                    set = set.with(Number).with(Percent).with(Ordinal).with(Money);
                }
                // Currency codes: in upper case any letter may begin one, in lower case `eur`, `gbp` and `usd` do.
                if (byte as u8).is_ascii_uppercase() || matches!(lower, b'e' | b'g' | b'u') {
                    set = set.with(Money);
                }
                if matches!(lower, b'j' | b'f' | b'm' | b'a' | b's' | b'o' | b'n' | b'd') {
                    set = set.with(Date);
                }
                if lower <= b'f' { set.with(Ip) } else { set }
            }
            b'$' | 0xC2 | 0xE2 => ClassSet::of(&[Money]),
            b'_' => ClassSet::of(&[Email]),
            b'+' | b'(' => ClassSet::of(&[Phone]),
            b':' => ClassSet::of(&[Ip]),
            _ => ClassSet::NONE,
        };
        byte += 1;
    }
    table
};

/// The classes that can occur at all in text of these bytes: most text has no digit, no `@` and no address in it.
fn possible(bytes: &[u8], vocabulary: Vocabulary) -> ClassSet {
    use Class::{
        Date, Email, Iban, Ip, Money, Number, Ordinal, Pan, Percent, Phone, Ssn, Time, Url, Year, Zip,
    };
    const WITH_DIGITS: ClassSet =
        ClassSet::of(&[Number, Money, Percent, Date, Year, Time, Ordinal, Phone, Pan, Iban, Ip, Ssn, Zip]);
    // Folds without early exit and without branches: the compiler reads many bytes at once.
    let at_sign = bytes.iter().fold(0, |any, &byte| any | u8::from(byte == b'@')) != 0;
    let behind = bytes.get(1..).unwrap_or_default();
    let address = bytes.iter().zip(behind).fold(0, |any, (&byte, next)| {
        let point = u8::from(byte == b'.') & u8::from(next.is_ascii_alphanumeric());
        any | point | u8::from(byte == b':') & u8::from(*next == b'/')
    }) != 0;
    let mut set = if has_digit(bytes) { WITH_DIGITS } else { ClassSet::NONE };
    if vocabulary != Vocabulary::None {
        set = set.union(ClassSet::of(&[Number, Money, Percent, Ordinal]));
    }
    if at_sign {
        set = set.with(Email);
    }
    if address { set.with(Url) } else { set }
}

#[cfg_attr(small_build, optimize(speed))]
fn has_digit(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |any, byte| any | u8::from(byte.is_ascii_digit())) != 0
}
