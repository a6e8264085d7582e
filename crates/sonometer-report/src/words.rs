//! Words of reports and messages.

/// `1 error`, `2 errors`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// The parts of a text of ours, each with whether it is code: what stands between two backticks in one line.
pub(crate) fn code_parts(text: &str) -> Vec<(bool, &str)> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, behind)) = rest.split_once('`') {
        let code = behind.split_once('`').filter(|(code, _)| !code.is_empty() && !code.contains('\n'));
        let Some((code, after)) = code else { break };
        parts.extend([(false, before), (true, code)]);
        rest = after;
    }
    parts.push((false, rest));
    parts
}

/// A number with its thousands apart: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let told = [0, 999, 1_000, 227_306, 1_234_567].map(grouped);
        assert_eq!(told, ["0", "999", "1,000", "227,306", "1,234,567"]);
    }
}
