//! `u` is 1, held as 1,000,000 millionths. Quotients and products are rounded half up to a millionth; sums are exact.

/// A number in millionths, wide enough that no step of a reading overflows.
pub(crate) type Number = i128;

/// 1.
pub(crate) const U: Number = 1_000_000;

/// `numerator ÷ denominator` as a whole number, halves up. `denominator` is above 0.
fn round_half_up(numerator: i128, denominator: i128) -> i128 {
    (2 * numerator + denominator).div_euclid(2 * denominator)
}

/// `a ÷ b`: both in millionths, or both whole numbers. `b` is above 0.
pub(crate) fn divide(a: Number, b: Number) -> Number {
    round_half_up(a * U, b)
}

/// `a × b ÷ c` with one rounding, for the formulas that are one fraction; the result is in the unit of `a × b ÷ c`.
pub(crate) fn fraction(a: i128, b: i128, c: i128) -> i128 {
    round_half_up(a * b, c)
}

/// `a × b`, both in millionths.
pub(crate) fn times(a: Number, b: Number) -> Number {
    round_half_up(a * b, U)
}

/// The shortest decimal.
pub(crate) fn decimal(number: Number) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:06}", number.abs() / U, number.abs() % U);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_up() {
        assert_eq!(divide(1, 3), 333_333);
        assert_eq!(divide(2, 3), 666_667);
        assert_eq!(divide(1, 2_000_000), 1); // half a millionth
        assert_eq!(divide(-1, 2_000_000), 0); // minus half a millionth goes up, to 0
        assert_eq!(times(1, 500_000), 1);
        assert_eq!(times(1, 499_999), 0);
        assert_eq!(fraction(5, 1, 2), 3);
    }

    #[test]
    fn prints_the_shortest_decimal() {
        let printed = [0, 1, 500_000, U, 10 * U, 12_345_000, -250_000].map(decimal);
        assert_eq!(printed, ["0", "0.000001", "0.5", "1", "10", "12.345", "-0.25"]);
    }
}
