//! Drawings in whole numbers: 1,000 units stand for 1, and up is up.

/// A drawing.
#[derive(Clone, Debug)]
pub enum Plot {
    /// A curve.
    Curve(Curve),
    /// A column for each group of values, as wide as the others.
    Boxes(Boxes),
    /// Columns from left to right.
    Columns(Columns),
    /// A line through points.
    Track(Track),
}

/// Counts from left to right, each a column; of two series the second is hatched, so that they differ without colour.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The title, which no other drawing of the report has.
    pub title: String,
    /// What is counted from left to right.
    pub across: String,
    /// What a column counts.
    pub up: String,
    /// The counts of each series, all of one length; two series at most, with their names where there are two.
    pub series: Vec<(&'static str, Vec<u64>)>,
    /// Numbers below the axis, in thousandths of the way.
    pub ticks: Vec<(u64, String)>,
    /// Dashed lines with a name, in thousandths of the way.
    pub lines: Vec<(u64, String)>,
}

/// Values from 0 to 1 along a way.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// The title, which no other drawing of the report has.
    pub title: String,
    /// What is measured from left to right.
    pub across: String,
    /// What is measured upwards.
    pub up: String,
    /// Points from left to right: the way and the value, in thousandths.
    pub points: Vec<(u64, u64)>,
    /// Names below the axis, in thousandths of the way.
    pub ticks: Vec<(u64, String)>,
}

/// One curve with its point of operation.
#[derive(Clone, Debug)]
pub struct Curve {
    /// By this a script finds the point of operation: `roc`, `pr`.
    pub id: &'static str,
    /// The title.
    pub title: &'static str,
    /// What is measured from left to right.
    pub across: &'static str,
    /// What is measured upwards.
    pub up: &'static str,
    /// The dashed line of guessing: from and to, upwards.
    pub guess: (u64, u64),
    /// The way of the curve, as the path of an SVG, where down is up.
    pub path: String,
    /// Where the curve ends, across.
    pub end: u64,
    /// Where the rule stands; `None`: not defined.
    pub here: Option<(u64, u64)>,
}

/// Values in groups: every value as a point, the middle half of a group as a box.
#[derive(Clone, Debug)]
pub struct Boxes {
    /// The title.
    pub title: String,
    /// What the groups are.
    pub across: &'static str,
    /// The groups.
    pub groups: Vec<Group>,
}

/// Values of one group, in thousandths from 0 to 1,000.
#[derive(Clone, Debug)]
pub struct Group {
    /// The values that are drawn.
    pub points: Vec<u64>,
    /// First quartile, median, third quartile.
    pub quartiles: [u64; 3],
}

/// A share rounded half up, in thousandths; 0 of nothing.
pub fn permille(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (2000 * part + whole) / (2 * whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_half_up() {
        assert_eq!((permille(1, 3), permille(2, 3), permille(1, 2000), permille(0, 0)), (333, 667, 1, 0));
    }
}
