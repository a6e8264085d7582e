//! Statements with a row of values for each of many things. Their text is made once for each number of rows: it is long, and made for
//! every commit it would cost more than what it says.

use super::Dialect;
use std::sync::OnceLock;

/// The texts of a statement: for each dialect, with one row, with two and so on.
pub(super) struct Texts<const ROWS: usize> {
    of_sqlite: [OnceLock<String>; ROWS],
    of_postgres: [OnceLock<String>; ROWS],
}

impl<const ROWS: usize> Texts<ROWS> {
    pub(super) const fn new() -> Self {
        Self { of_sqlite: [const { OnceLock::new() }; ROWS], of_postgres: [const { OnceLock::new() }; ROWS] }
    }

    /// The text for so many rows of so many values each; `write` is given a place for each value: `($1, $2, …), ($3, …), …`.
    pub(super) fn of(
        &'static self,
        dialect: Dialect,
        rows: usize,
        columns: usize,
        write: impl FnOnce(String) -> String,
    ) -> &'static str {
        let all = match dialect {
            Dialect::Sqlite => &self.of_sqlite,
            Dialect::Postgres => &self.of_postgres,
        };
        all[rows - 1].get_or_init(|| write(places(dialect, 0, rows, columns)))
    }
}

/// Places for rows of values, of which so many `before` them are in the same statement. SQLite gets them without numbers: it looks
/// each number up in a list of all, which for 1,408 values takes longer than writing them.
pub(super) fn places(dialect: Dialect, before: usize, rows: usize, columns: usize) -> String {
    let place = |number: usize| match dialect {
        Dialect::Sqlite => "?".to_owned(),
        Dialect::Postgres => format!("${}", before + number),
    };
    let row = |row: usize| {
        let places: Vec<String> = (1..=columns).map(|column| place(columns * row + column)).collect();
        format!("({})", places.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbered_through_all_rows() {
        assert_eq!(places(Dialect::Postgres, 0, 2, 3), "($1, $2, $3), ($4, $5, $6)");
        assert_eq!(places(Dialect::Postgres, 7, 1, 2), "($8, $9)");
        assert_eq!(places(Dialect::Sqlite, 7, 2, 2), "(?, ?), (?, ?)");
        static ALL: Texts<2> = Texts::new();
        let text = |write: fn(String) -> String| ALL.of(Dialect::Postgres, 1, 1, write);
        assert_eq!(text(|places| format!("VALUES {places}")), "VALUES ($1)");
        assert_eq!(text(|_| unreachable!("it is made once")), "VALUES ($1)");
        assert_eq!(ALL.of(Dialect::Sqlite, 1, 1, |places| format!("VALUES {places}")), "VALUES (?)");
    }
}
