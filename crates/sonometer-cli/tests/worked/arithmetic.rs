//! Sums as the page writes them, in exact fractions: numbers, `+`, `−`, `·` (an exact product), `×` and `÷` (rounded half up to
//! a millionth), parentheses, `min(…)` and `max(…)`. `·` binds closest, so that `a·b ÷ c` is one fraction, rounded once.

use std::iter::Peekable;
use std::str::Chars;

/// A fraction in lowest terms; the denominator is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    numerator: i128,
    denominator: i128,
}

const MILLION: i128 = 1_000_000;

impl Number {
    fn new(numerator: i128, denominator: i128) -> Self {
        let divisor = divisor(numerator.abs(), denominator).max(1);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    fn plus(self, other: Self) -> Self {
        let (a, b) = (self, other);
        Self::new(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
    }

    fn negative(self) -> Self {
        Self::new(-self.numerator, self.denominator)
    }

    fn times(self, other: Self) -> Self {
        Self::new(self.numerator * other.numerator, self.denominator * other.denominator)
    }

    /// The nearest millionth, halves up.
    fn rounded(self) -> Self {
        let doubled = 2 * self.numerator * MILLION + self.denominator;
        Self::new(doubled.div_euclid(2 * self.denominator), MILLION)
    }

    fn less_than(self, other: Self) -> bool {
        self.plus(other.negative()).numerator < 0
    }
}

fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// What an expression comes to.
pub(crate) fn evaluate(text: &str) -> Result<Number, String> {
    let mut reader = Reader { rest: text.chars().peekable() };
    let value = reader.sum()?;
    match reader.next() {
        None => Ok(value),
        Some(c) => Err(format!("nothing fits before `{c}` in `{text}`")),
    }
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    /// The next character that is no space.
    fn next(&mut self) -> Option<char> {
        while self.rest.next_if_eq(&' ').is_some() {}
        self.rest.peek().copied()
    }

    fn takes(&mut self, c: char) -> bool {
        let is_next = self.next() == Some(c);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    fn sum(&mut self) -> Result<Number, String> {
        let mut sum = self.product()?;
        loop {
            if self.takes('+') {
                sum = sum.plus(self.product()?);
            } else if self.takes('−') {
                sum = sum.plus(self.product()?.negative());
            } else {
                return Ok(sum);
            }
        }
    }

    /// Factors of `×` and `÷`, from left to right.
    fn product(&mut self) -> Result<Number, String> {
        let mut product = self.exact_product()?;
        loop {
            if self.takes('×') {
                product = product.times(self.exact_product()?).rounded();
            } else if self.takes('÷') {
                let by = self.exact_product()?;
                if by.numerator <= 0 {
                    return Err("a divisor is not above 0".to_owned());
                }
                product = product.times(Number::new(by.denominator, by.numerator)).rounded();
            } else {
                return Ok(product);
            }
        }
    }

    fn exact_product(&mut self) -> Result<Number, String> {
        let mut product = self.value()?;
        while self.takes('·') {
            product = product.times(self.value()?);
        }
        Ok(product)
    }

    fn value(&mut self) -> Result<Number, String> {
        match self.next() {
            Some('(') => Ok(self.list()?[0]),
            Some('0'..='9') => self.number(),
            Some('m') => {
                let name: String = (0..3).filter_map(|_| self.rest.next()).collect();
                let values = self.list()?;
                let less = |a: &Number, b: &Number| a.less_than(*b);
                let chosen = match name.as_str() {
                    "min" => values.into_iter().reduce(|a, b| if less(&b, &a) { b } else { a }),
                    "max" => values.into_iter().reduce(|a, b| if less(&a, &b) { b } else { a }),
                    _ => return Err(format!("`{name}` is no function; use min or max")),
                };
                chosen.ok_or_else(|| "nothing to choose from".to_owned())
            }
            other => Err(format!("a number is expected, not {other:?}")),
        }
    }

    /// One or more expressions in parentheses, with commas between them.
    fn list(&mut self) -> Result<Vec<Number>, String> {
        if !self.takes('(') {
            return Err("`(` is expected".to_owned());
        }
        let mut values = vec![self.sum()?];
        while self.takes(',') {
            values.push(self.sum()?);
        }
        if self.takes(')') { Ok(values) } else { Err("`)` is missing".to_owned()) }
    }

    fn number(&mut self) -> Result<Number, String> {
        let mut text = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_digit() || *c == '.') {
            text.push(c);
        }
        let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
        let digits: i128 = format!("{whole}{part}").parse().map_err(|_| format!("`{text}` is no number"))?;
        Ok(Number::new(digits, 10_i128.pow(part.len() as u32)))
    }
}

#[test]
fn sums_are_worked_out_as_the_semantics_round() {
    for (sum, result) in [
        ("1 + 2·3", "7"),
        ("(1 + 2)·3", "9"),
        ("1 ÷ 3", "0.333333"),
        ("2 ÷ 3", "0.666667"),
        ("2 ÷ 3·3", "0.222222"),
        ("0.9·2 ÷ 1.9", "0.947368"),
        ("0.000001 × 0.5", "0.000001"),
        ("0.000001·0.5 + 0.0000005", "0.000001"),
        ("0.7 − 0.03 − 0.06", "0.61"),
        ("0 − 1 ÷ 2000000", "0 − 0.000001"),
        ("min(1, 19 ÷ 10)", "1"),
        ("max(0.01, min(1, (4·0 + 6 − 6·3) ÷ 19))", "0.01"),
    ] {
        assert_eq!(evaluate(sum), evaluate(result), "{sum}");
    }
    for wrong in ["", "1 +", "1 2", "(1", "avg(1)", "1 ÷ 0", "mix(1)", "1.2.3"] {
        assert!(evaluate(wrong).is_err(), "{wrong}");
    }
    assert_ne!(evaluate("1 ÷ 3"), evaluate("0.33333"));
}
