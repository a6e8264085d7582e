//! Bars for numbers between 0 and 1.

use crate::paint::{Paint, Tone};
use sonometer::Unit;

/// Columns of a bar.
pub(crate) const LENGTH: usize = 20;

/// A bar of fixed length, to half a column; anything above 0 shows.
pub(crate) fn bar(paint: &Paint, value: Unit, tone: Tone) -> String {
    let (filled, rest) = bar_parts(value);
    format!("{}{}", paint.toned(tone, &filled), paint.dim(&rest))
}

/// The filled part of such a bar, and the rest.
pub fn bar_parts(value: Unit) -> (String, String) {
    let value = value.clamp_to_one();
    let mut halves = (value.0 * LENGTH as i64 * 2 + 500_000) / 1_000_000;
    if halves == 0 && value > Unit::ZERO {
        halves = 1;
    }
    let count = |columns: i64| usize::try_from(columns).unwrap_or(0);
    let mut filled = "━".repeat(count(halves / 2));
    if halves % 2 == 1 {
        filled.push('╸');
    }
    let rest = "─".repeat(LENGTH - count((halves + 1) / 2));
    (filled, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_as_long_as_the_number() {
        let plain = |millionths| bar(&Paint::default(), Unit(millionths), Tone::Plain);
        assert_eq!(plain(0), "────────────────────");
        assert_eq!(plain(1), "╸───────────────────");
        assert_eq!(plain(500_000), "━━━━━━━━━━──────────");
        assert_eq!(plain(525_000), "━━━━━━━━━━╸─────────");
        assert_eq!(plain(1_000_000), "━━━━━━━━━━━━━━━━━━━━");
    }
}
