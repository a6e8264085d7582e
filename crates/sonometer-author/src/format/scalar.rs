//! Scalars: plain where that reads back as the same text, in quotes where it does not.

/// A text on one line. In a flow (`[ ]`, `{ }`) more characters need quotes; a `text` that another YAML reader would
/// take for a number, `true` or nothing is quoted too.
pub(super) fn one_line(value: &str, in_flow: bool, text: bool) -> String {
    if is_plain(value, in_flow) && !(text && looks_typed(value)) {
        return value.to_owned();
    }
    if !is_escaped(value) && value.contains(['"', '\\']) {
        return format!("'{}'", value.replace('\'', "''"));
    }
    quoted(value)
}

/// A text in double quotes.
pub(super) fn quoted(value: &str) -> String {
    let mut quoted = String::from("\"");
    let mut before = None;
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if is_unseen(before, c) && c > '\u{ffff}' => {
                quoted.push_str(&format!("\\U{:08x}", u32::from(c)))
            }
            c if is_unseen(before, c) => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
        before = Some(c);
    }
    quoted + "\""
}

/// Whether some of these characters stand only as escapes in double quotes.
pub(super) fn is_escaped(value: &str) -> bool {
    let before = std::iter::once(None).chain(value.chars().map(Some));
    before.zip(value.chars()).any(|(before, c)| is_unseen(before, c))
}

/// Whether a character, behind another one, would hide what a file says: it turns the direction of writing, or cannot be seen.
fn is_unseen(before: Option<char>, c: char) -> bool {
    match c {
        // Joiners belong to the spelling of Persian, Hindi and others, and to emoji.
        '\u{200c}' | '\u{200d}' => before.is_none_or(|before| before.is_ascii() || is_unseen(None, before)),
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// Whether YAML reads these characters back without quotes.
fn is_plain(value: &str, in_flow: bool) -> bool {
    let mut chars = value.chars();
    let (first, second) = (chars.next(), chars.next());
    let begins = match first {
        None => false,
        // Many readers take these in brackets for signs of YAML, whatever follows.
        Some('?' | ':') if in_flow => false,
        // A sign of YAML, unless something follows it directly.
        Some('-' | '?' | ':') => second.is_some_and(|c| !(c.is_whitespace() || in_flow && is_flow_sign(c))),
        Some(c) => !",[]{}#&*!|>'\"%@`".contains(c) && !c.is_whitespace(),
    };
    begins
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.ends_with(':')
        && !value.ends_with(char::is_whitespace)
        && !is_escaped(value)
        && !(in_flow && (value.chars().any(is_flow_sign) || value.ends_with(" -")))
        && !(in_flow && value.contains(':') && !value.contains(|c: char| c.is_alphanumeric()))
        && !value.starts_with("---")
        && !value.starts_with("...")
}

fn is_flow_sign(c: char) -> bool {
    ",[]{}".contains(c)
}

/// Whether a YAML reader that converts would not read a text.
pub(super) fn looks_typed(value: &str) -> bool {
    let name = ["true", "false", "null", "~", "yes", "no", "on", "off", ".inf", ".nan"];
    let number = value.trim_start_matches(['-', '+', '.']);
    let is_hex = number.starts_with("0x");
    let may_hold =
        |c: char| c.is_ascii_digit() || is_hex && c.is_ascii_hexdigit() || "+-._:xoeETZ".contains(c);
    name.iter().any(|name| value.eq_ignore_ascii_case(name))
        || number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(may_hold)
}

/// Whether every reader that takes it for a number writes the same digits back.
pub(super) fn is_whole(value: &str) -> bool {
    (1..=15).contains(&value.len())
        && value.bytes().all(|b| b.is_ascii_digit())
        && (value == "0" || !value.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stand_only_where_they_are_needed() {
        for plain in
            ["thank you", "(a|b) c", "/re/i", "x ..3.. y", "it's", "-x", "a, b", "<pan>", "1.0", "$ x"]
        {
            assert_eq!(one_line(plain, false, false), plain);
        }
        for (value, quoted) in [
            ("", "\"\""),
            ("@kind", "\"@kind\""),
            ("a: b", "\"a: b\""),
            ("a # b", "\"a # b\""),
            ("\"US\" only", "'\"US\" only'"),
            ("- x", "\"- x\""),
            ("[it's] \\?", "'[it''s] \\?'"),
            ("a\nb", "\"a\\nb\""),
        ] {
            assert_eq!(one_line(value, false, false), quoted);
        }
        assert_eq!(one_line("a, b", true, false), "\"a, b\"");
        assert_eq!(one_line("?a", true, false), "\"?a\"");
        assert_eq!(one_line("well -", true, false), "\"well -\"");
        assert_eq!(one_line("1.0", false, true), "\"1.0\"");
        assert_eq!(one_line("2024-05-01", false, true), "\"2024-05-01\"");
        assert_eq!(one_line("0xFa", false, true), "\"0xFa\"");
        assert_eq!(one_line("1.5e-3", false, true), "\"1.5e-3\"");
        assert_eq!(one_line("2 kinds", false, true), "2 kinds");
        assert_eq!(one_line("30d", false, true), "30d");
        assert_eq!(one_line("no", false, true), "\"no\"");
        assert_eq!(quoted("\"Well?\" \\"), r#""\"Well?\" \\""#);
        for (value, escaped) in [
            ("a\u{202e}b", r#""a\u202eb""#),
            ("\"US\"\u{2066}", r#""\"US\"\u2066""#),
            ("\u{200b}a\u{ad}\u{e0041}", r#""\u200ba\u00ad\U000e0041""#),
            ("a\u{200d}\u{200d}b", r#""a\u200d\u200db""#),
        ] {
            assert_eq!(one_line(value, false, false), escaped);
        }
        for joined in ["می\u{200c}خواهم", "👩\u{200d}💻"] {
            assert_eq!(one_line(joined, false, false), joined);
        }
        assert!(["0", "38", "123456789012345"].iter().all(|text| is_whole(text)));
        assert!(["", "038", "3.5", "-3", "3a", "1234567890123456"].iter().all(|text| !is_whole(text)));
    }
}
