//! Characters that stand for several tokens: `½` is folded `1⁄2`, `℅` `c/o`, `㍿` `株式会社`.

use super::chars::{CharFold, Class, char_fold, class};

/// Where the first of them stands in a text.
pub(crate) fn first_in(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return None;
    }
    text.char_indices().find(|(_, c)| stands_for_several(*c)).map(|(at, _)| at)
}

/// At least of those that do: signs that join two words to one are not looked at.
fn stands_for_several(c: char) -> bool {
    let CharFold::Text(folded) = char_fold(c) else { return false };
    let (mut tokens, mut before) = (0, Class::Separator);
    for class in folded.chars().map(class) {
        let begins = match class {
            Class::Ideograph | Class::Symbol => true,
            Class::Word => before != Class::Word,
            // It continues what stands before, be it before the character.
            Class::Mark => before == Class::Separator,
            _ => false,
        };
        tokens += u32::from(begins);
        before = if class == Class::Mark { before } else { class };
    }
    tokens > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::token::{self, Sink};

    #[test]
    fn the_first_one_is_found() {
        for (text, at) in [("5½ x", Some(1)), ("a c/o b ℅", Some(8)), ("é ﬁ … № 3", None), ("1/2", None)]
        {
            assert_eq!(first_in(text), at, "{text}");
        }
    }

    struct Count(usize);

    impl Sink for Count {
        fn token(&mut self, _: &str, _: usize, _: usize, _: bool) {
            self.0 += 1;
        }
    }

    #[test]
    fn none_is_missed() {
        for c in '\0'..=char::MAX {
            let CharFold::Text(folded) = char_fold(c) else { continue };
            let mut count = Count(0);
            token::cut(folded, &mut count);
            assert!(count.0 <= 1 || stands_for_several(c), "{c}: {folded}");
        }
    }
}
