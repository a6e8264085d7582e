//! Bars for numbers between 0 and 1.

use crate::paint::Paint;
use anstyle::Style;
use sonometer::Unit;

/// Columns of a bar.
const LENGTH: i64 = 20;

/// A bar of fixed length, to half a column; anything above 0 shows.
pub(crate) fn bar(paint: &Paint, value: Unit, style: Style) -> String {
    let value = value.clamp_to_one();
    let mut halves = (value.0 * LENGTH * 2 + 500_000) / 1_000_000;
    if halves == 0 && value > Unit::ZERO {
        halves = 1;
    }
    let count = |columns: i64| usize::try_from(columns).unwrap_or(0);
    let mut filled = "━".repeat(count(halves / 2));
    if halves % 2 == 1 {
        filled.push('╸');
    }
    let rest = "─".repeat(count(LENGTH - (halves + 1) / 2));
    format!("{}{}", paint.styled(style, &filled), paint.dim(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_as_long_as_the_number() {
        let paint = Paint { colour: false, width: 100 };
        let plain = |millionths| bar(&paint, Unit(millionths), Style::new());
        assert_eq!(plain(0), "────────────────────");
        assert_eq!(plain(1), "╸───────────────────");
        assert_eq!(plain(500_000), "━━━━━━━━━━──────────");
        assert_eq!(plain(525_000), "━━━━━━━━━━╸─────────");
        assert_eq!(plain(1_000_000), "━━━━━━━━━━━━━━━━━━━━");
    }
}
