//! Words that differ by a slip of the finger.

/// Whether two words are equal but for at most one edit: a character put in, left out or replaced, or two neighbours
/// swapped (the optimal string alignment distance is at most 1).
pub(crate) fn within_one_edit(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    // One edit changes the length by one character, which has at most four bytes.
    if a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    // The first byte that differs may stand inside a character.
    let same = (0..=same).rev().find(|&at| a.is_char_boundary(at) && b.is_char_boundary(at)).unwrap_or(0);
    // What is equal before the first difference stays out of it: the edit stands right behind it, so each of the four kinds is
    // one comparison of the rests. Linear, where a table of distances would be quadratic.
    let (a, b) = (&a[same..], &b[same..]);
    let rest = |text: &str| -> Option<(char, usize)> { text.chars().next().map(|c| (c, c.len_utf8())) };
    match (rest(a), rest(b)) {
        (Some((x, x_len)), Some((y, y_len))) => {
            let (behind_a, behind_b) = (&a[x_len..], &b[y_len..]);
            let swapped = rest(behind_a).zip(rest(behind_b)).is_some_and(|((x2, x2_len), (y2, y2_len))| {
                x == y2 && y == x2 && behind_a[x2_len..] == behind_b[y2_len..]
            });
            behind_a == behind_b || behind_a == b || a == behind_b || swapped
        }
        (Some((_, len)), None) => a.len() == len,
        (None, Some((_, len))) => b.len() == len,
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_near_and_two_are_far() {
        for near in [
            "receive", "recieve", "receve", "receiive", "deceive", "receivex", "eceive", "xreceive",
            "receiv", "rеceive",
        ] {
            assert!(within_one_edit(near, "receive"), "{near}");
            assert!(within_one_edit("receive", near), "{near}");
        }
        for far in ["recieved", "deceived", "eceiv", "ercieve", "rece", "xxreceive", "", "eviecer"] {
            assert!(!within_one_edit(far, "receive"), "{far}");
        }
    }
}
