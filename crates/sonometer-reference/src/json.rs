//! Section 8, the text: no white space, the fewest escapes.

/// A string in quotes.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out + "\""
}

/// An object of these members, in this order.
pub(crate) fn object<K: AsRef<str>>(members: &[(K, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{value}", string(key.as_ref()))).collect();
    format!("{{{}}}", members.join(","))
}

/// An array of these items.
pub(crate) fn array(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_only_what_must_be() {
        assert_eq!(string("a\"b\\c/\u{1}\n\u{7f}é\u{2028}"), "\"a\\\"b\\\\c/\\u0001\\n\u{7f}é\u{2028}\"");
        assert_eq!(string("\u{8}\u{c}\r\t\u{1f}"), "\"\\b\\f\\r\\t\\u001f\"");
    }

    #[test]
    fn nests() {
        let inner = array(&["1".to_owned(), "2".to_owned()]);
        assert_eq!(object(&[("a", inner), ("b", string("x"))]), r#"{"a":[1,2],"b":"x"}"#);
        assert_eq!(object::<&str>(&[]), "{}");
    }
}
