//! Digits and signs for letters: `ridicul0us`, `h4te`, `@ss`.

use super::change::Changes;

pub(super) fn changes(text: &str) -> Changes {
    let bytes = text.as_bytes();
    let mut changes = Changes::default();
    let mut at = 0;
    // Runs without a sign stay as they are, and most are.
    while let Some(sign) = bytes[at..].iter().position(|byte| is_sign(*byte)) {
        let sign = at + sign;
        let before = bytes[at..sign].iter().rev().take_while(|byte| is_leet(**byte)).count();
        let behind = bytes[sign..].iter().take_while(|byte| is_leet(**byte)).count();
        run(bytes, sign - before, sign + behind, &mut changes);
        at = sign + behind;
    }
    changes
}

/// Whether a byte may stand for a letter.
fn is_sign(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'@' | b'$' | b'!' | b'|')
}

fn is_leet(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || is_sign(byte)
}

/// One maximal run. Exclamation marks and bars at its ends are punctuation. What has a `2` or a `6` is left alone: they stand for no
/// letter, so it is a name or a number.
fn run(bytes: &[u8], mut start: usize, mut end: usize, changes: &mut Changes) {
    let is_edge = |byte: u8| matches!(byte, b'!' | b'|');
    while start < end && is_edge(bytes[start]) {
        start += 1;
    }
    while start < end && is_edge(bytes[end - 1]) {
        end -= 1;
    }
    let run = &bytes[start..end];
    let letters = run.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if letters < 2 || letters == run.len() || run.iter().any(|byte| matches!(byte, b'2' | b'6')) {
        return;
    }
    for (nth, &byte) in run.iter().enumerate() {
        let is_one = |at: Option<usize>| at.and_then(|at| run.get(at)) == Some(&b'1');
        let letter = match byte {
            b'0' => b'o',
            // `he11o`, but `th1s`.
            b'1' if is_one(nth.checked_sub(1)) || is_one(nth.checked_add(1)) => b'l',
            b'1' | b'!' => b'i',
            b'3' => b'e',
            b'4' | b'@' => b'a',
            b'5' | b'$' => b's',
            b'7' => b't',
            b'8' => b'b',
            b'9' => b'g',
            b'|' => b'l',
            _ => continue,
        };
        changes.push(start + nth..start + nth + 1, letter, 1);
    }
}

#[cfg(test)]
mod tests {
    fn unfolded(text: &str) -> String {
        super::changes(text).apply(text)
    }

    #[test]
    fn digits_and_signs_between_letters_are_letters() {
        for (text, expected) in [
            ("ridicul0us", "ridiculous"),
            ("h4te y0u, @sshole", "hate you, asshole"),
            ("@$$hat he11 k1ll sh!t ki|| 5uck7 8a9s", "asshat hell kill shit ki|| suckt bags"),
            ("L33T", "LeeT"),
        ] {
            assert_eq!(unfolded(text), expected);
        }
    }

    #[test]
    fn numbers_names_and_exclamations_stay() {
        for text in [
            "2nd b2b mp36",
            "a1",
            "1234",
            "wow! !wow! |x y|",
            "5k",
            "covid",
            "!!",
            "a$$",
            "$50",
            "24h",
            "v1",
            "é0",
        ] {
            assert_eq!(unfolded(text), text);
        }
        assert_eq!(unfolded("!!sh1t!!|"), "!!shit!!|");
    }
}
