//! The features as other tools read them, so that anybody can fit to them again.

use super::learn::Parts;
use super::matrix::Matrix;
use std::fmt::Write;

/// The svmlight format (scikit-learn: `load_svmlight_file(file, query_id=True, zero_based=False)`): a line a row, with the class (1, −1), the
/// fold as `qid` from 1, and columns from 1; before them a comment a column, with its pattern.
pub(crate) fn svmlight(matrix: &Matrix, positive: &[bool], parts: &Parts) -> String {
    let mut text = String::new();
    // Writing into a text never fails.
    for (at, pattern) in matrix.patterns.iter().enumerate() {
        let _ = writeln!(text, "# {} {pattern}", at + 1);
    }
    for ((row, positive), fold) in matrix.rows.iter().zip(positive).zip(&parts.of) {
        let _ = write!(text, "{} qid:{}", if *positive { 1 } else { -1 }, fold + 1);
        for (column, value) in row {
            let _ = write!(text, " {}:{value}", column + 1);
        }
        text.push('\n');
    }
    text
}
