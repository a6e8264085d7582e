//! The known word that an unknown one was probably meant to be.

use std::cmp::Reverse;

/// Words longer than this are not mistyped keys, and comparing them would cost.
const MAX_WORD: usize = 64;

/// The word of `known` nearest to `unknown`: equal but for case, else at most two edits away (a swap of
/// neighbours counts as one, and at least half of the word must stay), else sharing its first four characters or
/// starting with all of it. Of two equally near words the one with the longer shared beginning wins, then the first.
pub fn suggest<'k>(unknown: &str, known: &[&'k str]) -> Option<&'k str> {
    if unknown.is_empty() || unknown.len() > MAX_WORD {
        return None;
    }
    if let Some(same) = known.iter().find(|word| word.eq_ignore_ascii_case(unknown)) {
        return Some(same);
    }
    let unknown: Vec<char> = unknown.chars().map(|c| c.to_ascii_lowercase()).collect();
    let words = || known.iter().map(|word| (*word, word.chars().map(|c| c.to_ascii_lowercase()).collect()));
    let shared = |letters: &[char]| unknown.iter().zip(letters).take_while(|(a, b)| a == b).count();
    let near = words()
        .filter(|(word, _): &(&str, Vec<char>)| word.len() <= MAX_WORD)
        .map(|(word, letters)| (edits(&unknown, &letters), word, letters))
        .filter(|(distance, _, letters)| *distance <= 2 && distance * 2 <= letters.len().min(unknown.len()))
        .min_by_key(|(distance, _, letters)| (*distance, Reverse(shared(letters))));
    if let Some((_, word, _)) = near {
        return Some(word);
    }
    words()
        .filter(|(word, _): &(&str, Vec<char>)| word.len() <= MAX_WORD)
        .map(|(word, letters)| (shared(&letters), word))
        .filter(|&(length, _)| length >= 4 || length >= 2 && length == unknown.len())
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, word)| word)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 8] = ["label", "description", "importance", "strong", "clear", "weak", "hit", "hints"];

    #[test]
    fn finds_mistyped_words() {
        let cases = [
            ("lable", Some("label")),
            ("Label", Some("label")),
            ("STRONG", Some("strong")),
            ("strnog", Some("strong")),
            ("importnce", Some("importance")),
            ("desc", Some("description")),
            ("hint", Some("hints")),
            ("hi", Some("hit")),
            ("import", Some("importance")),
            ("wake", Some("weak")),
            ("x", None),
            ("it", Some("hit")),
            ("at", None),
            ("colour", None),
            ("", None),
        ];
        for (unknown, expected) in cases {
            assert_eq!(suggest(unknown, &KEYS), expected, "{unknown}");
        }
    }

    #[test]
    fn the_first_of_equals_wins() {
        assert_eq!(suggest("cat", &["bat", "hat"]), Some("bat"));
        assert_eq!(suggest("cat", &["hat", "bat"]), Some("hat"));
        assert_eq!(suggest("nothing", &[]), None);
    }

    #[test]
    fn long_words_cost_nothing() {
        let long = "a".repeat(1_000_000);
        assert_eq!(suggest(&long, &KEYS), None);
        assert_eq!(suggest("label", &[&long, "labels"]), Some("labels"));
    }

    #[test]
    fn a_swap_is_one_edit() {
        let letters = |s: &str| s.chars().collect::<Vec<_>>();
        for (from, to, distance) in [("ab", "ba", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("é", "e", 1)]
        {
            assert_eq!(edits(&letters(from), &letters(to)), distance, "{from} {to}");
        }
    }
}
