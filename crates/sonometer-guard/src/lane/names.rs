//! Under which name a value of JSON stands: that of the nearest member around it.
//!
//! A number says little by itself: `{"order_id": 2025550143}` is no telephone number, and `{"phone": 901820}` is one. So it is read as a text
//! that calls it so, `order id 2025550143`, and the lines of a protocol about what stands before a number apply. Long numbers are read by
//! themselves, too.

/// The longest name that is read, in bytes.
const LONGEST: usize = 64;
/// The deepest nesting of which names are kept.
const DEEPEST: usize = 64;

/// Names on the way to a value, of JSON that comes in parts.
#[derive(Default)]
pub(super) struct Names {
    /// Those of the lists and objects around, the outermost first, and whether they stand in an object.
    around: Vec<(String, bool)>,
    /// Whether the innermost is an object.
    is_object: bool,
    /// Whether a name comes next.
    is_next: bool,
    /// How many more there are, deeper than names are kept.
    deeper: usize,
    /// That of the value that is read.
    name: String,
    /// The text that is open, or was last: a name if a colon follows.
    text: String,
}

impl Names {
    /// A text begins.
    pub(super) fn begin(&mut self) {
        self.text.clear();
    }

    /// More of it, as it is written.
    pub(super) fn take(&mut self, written: &str) {
        // One byte more tells that it is too long.
        if self.text.len() <= LONGEST {
            self.text.push_str(written);
        }
    }

    /// A sign between texts and numbers.
    pub(super) fn sign(&mut self, sign: char) {
        match sign {
            ':' => {
                self.name = std::mem::take(&mut self.text);
                self.is_next = false;
            }
            ',' => self.is_next = self.is_object,
            '{' | '[' if self.around.len() < DEEPEST => {
                self.around.push((self.name.clone(), self.is_object));
                self.is_object = sign == '{';
                self.is_next = self.is_object;
            }
            '{' | '[' => self.deeper += 1,
            '}' | ']' if self.deeper > 0 => self.deeper -= 1,
            '}' | ']' => {
                (self.name, self.is_object) = self.around.pop().unwrap_or_default();
                self.is_next = false;
            }
            _ => {}
        }
    }

    pub(super) fn name(&self) -> &str {
        if self.deeper > 0 { "" } else { &self.name }
    }

    /// That of a text, which may be a name itself: then it has none.
    pub(super) fn name_of_text(&self) -> &str {
        if self.is_next { "" } else { self.name() }
    }
}

/// A number as a text that calls it by its name; without one, the number.
pub(crate) fn called(name: &str, number: &str) -> String {
    let mut text = String::with_capacity(name.len() + number.len() + 8);
    // Digits in a name could be taken for a part of the number.
    let is_name = name.len() <= LONGEST
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b' '));
    if is_name {
        let mut was_small = false;
        for c in name.chars() {
            match c {
                // `orderId`.
                'A'..='Z' if was_small => text.extend([' ', c]),
                '_' | '-' | '.' => text.push(' '),
                _ => text.push(c),
            }
            was_small = c.is_ascii_lowercase();
        }
    }
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(number);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_name_of_the_nearest_member() {
        let mut names = Names::default();
        let (mut seen, mut is_text) = (Vec::new(), false);
        for c in r#"{"a":1,"b":[2,{"c":"x","d":3},4],"e":{"f":[[5]]},"g":6}"#.chars() {
            match c {
                '"' => {
                    is_text = !is_text;
                    if is_text {
                        names.begin();
                    }
                }
                _ if is_text => {
                    names.take(&c.to_string());
                    // A name stands under none.
                    let expected = if c == 'x' { "c" } else { "" };
                    assert_eq!(names.name_of_text(), expected, "{c}");
                }
                '0'..='9' => seen.push(format!("{}{c}", names.name())),
                _ => names.sign(c),
            }
        }
        assert_eq!(seen, ["a1", "b2", "d3", "b4", "f5", "g6"]);
    }

    #[test]
    fn numbers_are_called_by_names_that_are_words() {
        for (name, text) in [
            ("order_id", "order id 7"),
            ("orderId", "order Id 7"),
            ("customer-order.id", "customer order id 7"),
            ("phone", "phone 7"),
            ("", "7"),
            ("line2", "7"),
            ("caf\\u00e9", "7"),
            ("größe", "7"),
            (&"a".repeat(65), "7"),
        ] {
            assert_eq!(called(name, "7"), text, "{name}");
        }
    }
}
