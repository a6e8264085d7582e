//! Characters that stand for several tokens: `½` is folded `1⁄2`, `℅` `c/o`, `㍿` `株式会社`.

use super::chars::{CharFold, char_fold};
use super::token::{self, Sink};

/// Where the first of them stands in a text.
pub(crate) fn first_in(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return None;
    }
    text.char_indices().find(|(_, c)| stands_for_several(*c)).map(|(at, _)| at)
}

fn stands_for_several(c: char) -> bool {
    let CharFold::Text(folded) = char_fold(c) else { return false };
    let mut count = Count(0);
    token::cut(folded, &mut count);
    count.0 > 1
}

struct Count(usize);

impl Sink for Count {
    fn token(&mut self, _: &str, _: usize, _: usize, _: bool) {
        self.0 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_is_found() {
        for (text, at) in [("5½ x", Some(1)), ("a c/o b ℅", Some(8)), ("é ﬁ … № 3", None), ("1/2", None)]
        {
            assert_eq!(first_in(text), at, "{text}");
        }
    }
}
