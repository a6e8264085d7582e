//! What stands for a stretch that is replaced: the name of a marker, if need be with what tells its values apart.

use super::key::MaskKey;
use crate::protocol::Mask;
use crate::text::chars::{Class, class};
use crate::text::fold::fold_to_lower;
use std::collections::BTreeMap;

/// From this many digits on, a value is the number of a card, an account or a phone; a date has eight.
const DIGITS_OF_A_NUMBER: usize = 9;

/// A mask that replaces. The order decides which of several does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Replacement {
    /// The protocol and its marker.
    pub(super) marker: (u32, u32),
    /// What it hides, as far as it depends on that.
    pub(super) value: String,
}

/// The names that have been given to values so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    numbers: BTreeMap<Replacement, u32>,
    /// The last number by label as it is shown; several markers may share one.
    last: BTreeMap<String, u32>,
}

impl Names {
    /// What is shown in the place of a stretch. `key` is what its marker is called in readings.
    pub(super) fn show(
        &mut self,
        mask: Mask,
        mask_key: Option<&MaskKey>,
        by: &Replacement,
        key: &str,
    ) -> String {
        match (mask, mask_key) {
            (Mask::Remove, _) => String::new(),
            (Mask::Numbered, _) => {
                let label = shown(key);
                let number = self.number(by, &label);
                format!("<{label}_{number}>")
            }
            (Mask::Keyed, Some(secret)) => format!("<{}_{}>", shown(key), secret.name(&by.value)),
            _ => format!("<{}>", shown(key)),
        }
    }

    fn number(&mut self, by: &Replacement, label: &str) -> u32 {
        if let Some(number) = self.numbers.get(by) {
            return *number;
        }
        // By label and not by marker: two markers whose keys are shown alike must not both have a `<NAME_1>`.
        let last = self.last.entry(label.to_owned()).or_default();
        *last += 1;
        self.numbers.insert(by.clone(), *last);
        *last
    }
}

/// The key of a marker as it is shown: keys are of ASCII.
fn shown(key: &str) -> String {
    key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// What a text comes to when it is compared with others: as a person would call it the same.
pub(super) fn value(text: &str) -> String {
    let folded = fold_to_lower(text);
    let words: Vec<&str> = folded.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()).collect();
    let mut value = words.join(" ");
    if is_number(&value) {
        value.retain(|c| matches!(class(c), Class::Word | Class::Ideograph | Class::Mark));
    }
    value
}

/// Whether it is the number of a card, an account or a phone, which is the same however its digits are grouped. Of dates, times,
/// addresses and links grouping is part.
fn is_number(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_letter = |c: &char| !c.is_ascii_digit() && matches!(class(*c), Class::Word | Class::Ideograph);
    digits >= DIGITS_OF_A_NUMBER
        && !value.contains(['@', '/', ':'])
        && value.chars().filter(is_letter).count() < digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_as_a_person_would_say() {
        for (one, other) in [
            ("Bob@Example.com", "bob@example.com"),
            ("José  Martínez", "jose\u{301}\r\nmarti\u{301}nez "),
            ("+49 (30) 901820-12", "49 30 9018 2012"),
            ("4111 1111 1111 1111", "4111-1111–1111-1111"),
            ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
            ("٤١١١ ١١١١ ١", "411111111"),
        ] {
            assert_eq!(value(one), value(other));
        }
        for (one, other) in [
            ("bob.e@example.com", "bobe@example.com"),
            ("bob-123456789@example.com", "bob123456789@example.com"),
            ("1-12-2020", "11-2-2020"),
            ("2020-1-12 10:30", "2020-11-2 10:30"),
            ("Jo Ann", "Joann"),
            ("$5.00", "$500"),
        ] {
            assert_ne!(value(one), value(other));
        }
        assert_eq!(value(" - "), "-");
    }

    #[test]
    fn names_are_given_once() {
        let mut names = Names::default();
        let mut show = |marker, value: &str, key| {
            let by = Replacement { marker: (0, marker), value: value.into() };
            names.show(Mask::Numbered, None, &by, key)
        };
        assert_eq!(show(0, "a", "e-mail"), "<E_MAIL_1>");
        assert_eq!(show(0, "b", "e-mail"), "<E_MAIL_2>");
        assert_eq!(show(0, "a", "e-mail"), "<E_MAIL_1>");
        // Another marker that is shown by the same label shares its numbers, and never a name.
        assert_eq!(show(1, "a", "e_mail"), "<E_MAIL_3>");
        assert_eq!(show(2, "a", "p@1.0/phone"), "<P_1_0_PHONE_1>");
    }
}
