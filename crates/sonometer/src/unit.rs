//! The fixed-point number of every reading: an integer count of millionths.
//!
//! Decimal units print exactly, so a decision (`activation >= trigger`) and the number a person sees can never
//! disagree, and no floating-point text ever reaches a reading. This is the only place where numbers become text.

use std::fmt;

/// A number in millionths: `Unit(1_000_000)` is 1. Scores, strengths and proximities lie in `0..=1`; weights and
/// biases of weighted lists may be negative or larger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub i64);

impl Unit {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The whole.
    pub const ONE: Self = Self(1_000_000);

    /// `numerator ÷ denominator`, rounded half up to a millionth. A `denominator` of 0 gives 0.
    pub fn ratio(numerator: i128, denominator: i128) -> Self {
        if denominator == 0 {
            return Self::ZERO;
        }
        // The everyday case in 64 bits: a division of 128 bits costs ten times as much.
        if let (Ok(n @ 0..=9_000_000_000_000), Ok(d @ 1..)) =
            (u64::try_from(numerator), u64::try_from(denominator))
        {
            let (quotient, remainder) = (n * 1_000_000 / d, n * 1_000_000 % d);
            return Self((quotient + u64::from(remainder >= d - remainder)) as i64);
        }
        Self::saturate(div_half_up(numerator.saturating_mul(1_000_000), denominator))
    }

    /// The product of two numbers, rounded half up to a millionth.
    pub fn times(self, other: Self) -> Self {
        if let (Ok(a @ 0..=1_000_000_000), Ok(b @ 0..=1_000_000_000)) =
            (u64::try_from(self.0), u64::try_from(other.0))
        {
            return Self(((a * b + 500_000) / 1_000_000) as i64);
        }
        Self::saturate(div_half_up(i128::from(self.0) * i128::from(other.0), 1_000_000))
    }

    /// This number held inside `0..=1`.
    pub fn clamp_to_one(self) -> Self {
        Self(self.0.clamp(0, 1_000_000))
    }

    /// What is missing to 1.
    pub fn complement(self) -> Self {
        Self(1_000_000 - self.0)
    }

    /// Reads decimal text (`0.5`, `-2`, `1e-3`): at most six decimals count, the seventh rounds half up
    /// (away from zero). Returns `None` for anything else and for values beyond ±9 × 10¹².
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match digits.find(['e', 'E']) {
            Some(at) => (&digits[..at], digits[at + 1..].parse::<i32>().ok()?),
            None => (digits, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() && fraction.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        // Keep one digit beyond the millionth for rounding: value = digits * 10^(exponent - fraction.len()).
        let mut value: i128 = 0;
        let shift = i64::from(exponent) + 7;
        for (at, digit) in whole.bytes().chain(fraction.bytes()).enumerate() {
            let place = whole.len() as i64 - 1 - at as i64 + shift;
            if place < 0 || digit == b'0' {
                continue;
            }
            let power = 10i128.checked_pow(u32::try_from(place).ok()?)?;
            value = value.checked_add(i128::from(digit - b'0').checked_mul(power)?)?;
        }
        let value = (value + 5) / 10;
        let value = i64::try_from(value).ok().filter(|v| *v <= 9_000_000_000_000_000_000)?;
        Some(Self(if negative { -value } else { value }))
    }

    fn saturate(value: i128) -> Self {
        Self(value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
    }
}

/// `a ÷ b` rounded half up (towards plus infinity on a tie), for any signs; `b` must not be 0.
pub(crate) fn div_half_up(a: i128, b: i128) -> i128 {
    let (a, b) = if b < 0 { (-a, -b) } else { (a, b) };
    let (quotient, remainder) = (a.div_euclid(b), a.rem_euclid(b));
    if remainder >= b - remainder { quotient + 1 } else { quotient }
}

impl fmt::Display for Unit {
    /// The shortest decimal text: `0`, `1`, `0.5`, `-0.333333`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl Unit {
    /// Appends the shortest decimal text.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn write(self, text: &mut String) {
        match self {
            Self::ZERO => return text.push('0'),
            Self::ONE => return text.push('1'),
            _ => {}
        }
        if self.0 < 0 {
            text.push('-');
        }
        // Up to 13 digits, a point, six digits: written from the right.
        let mut digits = [b'0'; 24];
        let mut at = digits.len();
        let mut rest = self.0.unsigned_abs();
        let mut push = |digit: u8| {
            at -= 1;
            digits[at] = digit;
        };
        let mut seen = false;
        for _ in 0..6 {
            let digit = (rest % 10) as u8;
            rest /= 10;
            seen |= digit != 0;
            if seen {
                push(b'0' + digit);
            }
        }
        if seen {
            push(b'.');
        }
        loop {
            push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        text.extend(digits[at..].iter().map(|digit| char::from(*digit)));
    }
}

impl std::ops::Add for Unit {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl std::ops::Sub for Unit {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Unit {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, |a, b| a + b)
    }
}

/// Saturation of the BM25 kind, scaled so that evidence of 1 gives 1: `E (1 + h) / (E + h)`, at most 1.
pub(crate) fn saturate(evidence: i128, half: Unit) -> Unit {
    if evidence == 0 {
        return Unit::ZERO;
    }
    let half = i128::from(half.0);
    let activation = div_half_up(evidence * (1_000_000 + half), evidence + half);
    Unit(activation.min(1_000_000) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_the_shortest_decimal() {
        let cases =
            [(0, "0"), (1_000_000, "1"), (500_000, "0.5"), (333_333, "0.333333"), (-250_000, "-0.25")];
        for (millionths, text) in cases {
            assert_eq!(Unit(millionths).to_string(), text);
        }
        assert_eq!(Unit(1).to_string(), "0.000001");
        assert_eq!(Unit(12_345_000).to_string(), "12.345");
    }

    #[test]
    fn reads_decimals_and_rounds_the_seventh_digit() {
        let cases = [("0.5", 500_000), ("-2", -2_000_000), ("1e-3", 1_000), ("1.5E2", 150_000_000)];
        for (text, millionths) in cases {
            assert_eq!(Unit::parse(text), Some(Unit(millionths)), "{text}");
        }
        assert_eq!(Unit::parse("0.0000005"), Some(Unit(1)));
        assert_eq!(Unit::parse("0.00000049"), Some(Unit(0)));
        assert_eq!(Unit::parse("1e-99"), Some(Unit(0)));
        for bad in ["", ".", "-", "1e", "1e99", "0x1", "nan", "1_0", "+1"] {
            assert_eq!(Unit::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn rounds_half_up() {
        assert_eq!(Unit::ratio(1, 3), Unit(333_333));
        assert_eq!(Unit::ratio(2, 3), Unit(666_667));
        assert_eq!(Unit::ratio(1, 2_000_000), Unit(1));
        assert_eq!(Unit(1).times(Unit(500_000)), Unit(1));
        assert_eq!(div_half_up(-1, 2), 0);
        assert_eq!(div_half_up(-3, 2), -1);
    }
}
