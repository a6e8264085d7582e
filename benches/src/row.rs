//! Rows of the table: what was measured, beside whom, and whether the aim is met.

use sonometer_report::grouped;
use std::fmt;

/// The table of speed.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug)]
pub struct Row {
    /// What is measured, with its unit.
    pub what: String,
    /// Our figure.
    pub ours: f64,
    /// Name and figure of the peer, where there is one.
    pub peer: Option<(String, f64)>,
    /// How many times better than the peer; not a number where there is none.
    pub ratio: f64,
    /// What must be reached.
    pub aim: Aim,
}

/// What a row must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// So many times better than the peer.
    Ratio(f64),
    /// Our figure is at least this.
    AtLeast(f64),
    /// Our figure is at most this.
    AtMost(f64),
    /// The row is there to be compared with others.
    None,
}

impl Row {
    /// A figure of ours with nothing beside it.
    pub fn alone(what: impl Into<String>, ours: f64, aim: Aim) -> Self {
        Self { what: what.into(), ours, peer: None, ratio: f64::NAN, aim }
    }

    /// Whether the aim is met, where there is one.
    pub fn is_met(&self) -> Option<bool> {
        match self.aim {
            Aim::Ratio(aim) => Some(self.ratio >= aim),
            Aim::AtLeast(aim) => Some(self.ours >= aim),
            Aim::AtMost(aim) => Some(self.ours <= aim),
            Aim::None => None,
        }
    }
}

impl Table {
    /// Adds a row, and says so on standard error, where one sees how far the bench is.
    pub fn push(&mut self, row: Row) {
        eprintln!("{row}");
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | ours | peer | peer's | ratio | aim | met |")?;
        writeln!(f, "|---|---:|---|---:|---:|---:|---|")?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, theirs) = self.peer.as_ref().map_or(("-", f64::NAN), |(name, theirs)| (name, *theirs));
        let aim = match self.aim {
            Aim::Ratio(aim) => format!("ratio ≥ {}", figure(aim)),
            Aim::AtLeast(aim) => format!("≥ {}", figure(aim)),
            Aim::AtMost(aim) => format!("≤ {}", figure(aim)),
            Aim::None => "-".to_owned(),
        };
        let met = match self.is_met() {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "-",
        };
        let [ours, theirs, ratio] = [self.ours, theirs, self.ratio].map(figure);
        write!(f, "| {} | {ours} | {name} | {theirs} | {ratio} | {aim} | {met} |", self.what)
    }
}

/// Three figures, and no more than the measurement bears.
pub fn figure(value: f64) -> String {
    match value {
        v if v.is_nan() => "-".to_owned(),
        v if v >= 1_000.0 => grouped(v.round() as u64),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_its_aim_is_met() {
        let peer = Some(("other".to_owned(), 2.0));
        let row = Row { what: "x, µs".into(), ours: 1.0, peer, ratio: 2.0, aim: Aim::Ratio(3.0) };
        assert_eq!(row.to_string(), "| x, µs | 1.00 | other | 2.00 | 2.00 | ratio ≥ 3.00 | **no** |");
        let row = Row::alone("y", 1_234_567.0, Aim::AtLeast(200_000.0));
        assert_eq!(row.to_string(), "| y | 1,234,567 | - | - | - | ≥ 200,000 | yes |");
    }
}
