//! Names that look alike, for suggestions.

/// The names nearest to `asked`, the nearest first, at most three.
pub(crate) fn near<'n>(asked: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let allowed = 1 + asked.chars().count() / 3;
    let mut ranked: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let apart = distance(&asked.to_ascii_lowercase(), name);
        let apart = if !asked.is_empty() && name.contains(asked) { apart.min(1) } else { apart };
        if apart <= allowed {
            ranked.push((apart, name));
        }
    }
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters to put in, take out or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_was_probably_meant() {
        let names = ["affect", "courtesy", "personal-data"];
        assert_eq!(near("curtesy", names), ["courtesy"]);
        assert_eq!(near("personal", names), ["personal-data"]);
        assert_eq!(near("Affekt", names), ["affect"]);
        assert!(near("zebra", names).is_empty());
    }

    #[test]
    fn counts_edits() {
        for (a, b, edits) in [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 2)] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }
}
