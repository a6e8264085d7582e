//! Statements with a row of values for each of many things. Their text is made once for each number of rows: it is long, and made for
//! every commit it would cost more than what it says.

use std::sync::OnceLock;

/// The text of a statement for so many rows of so many values each; `write` is given `($1, $2, …), ($3, …), …`.
pub(super) fn of_rows(
    all: &'static [OnceLock<String>],
    rows: usize,
    columns: usize,
    write: impl FnOnce(String) -> String,
) -> &'static str {
    all[rows - 1].get_or_init(|| write(values(rows, columns)))
}

fn values(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let values: Vec<String> =
            (1..=columns).map(|column| format!("${}", columns * row + column)).collect();
        format!("({})", values.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_through_all_rows() {
        assert_eq!(values(2, 3), "($1, $2, $3), ($4, $5, $6)");
        static ALL: [OnceLock<String>; 2] = [const { OnceLock::new() }; 2];
        assert_eq!(of_rows(&ALL, 1, 1, |rows| format!("VALUES {rows}")), "VALUES ($1)");
        assert_eq!(of_rows(&ALL, 1, 1, |_| unreachable!("it is made once")), "VALUES ($1)");
    }
}
