//! JSON for readers: a member of the whole on a line, and an element of its lists on a line.

/// The text, laid out; nothing but line ends and spaces is put in.
pub(crate) fn laid_out(json: &str) -> String {
    let mut out = String::new();
    // The open brackets, whether we are within a string, and whether the next character is escaped.
    let (mut open, mut within, mut escaped) = (Vec::new(), false, false);
    for c in json.trim_end().chars() {
        if within {
            out.push(c);
            within = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        let breaks = |open: &[char]| matches!(open, ['{'] | ['{', '[']);
        match c {
            '"' => within = true,
            '{' | '[' => {
                out.push(c);
                open.push(c);
                if open.len() == 1 {
                    out.push_str("\n  ");
                }
                continue;
            }
            '}' | ']' => {
                open.pop();
                if open.is_empty() {
                    out.push('\n');
                }
            }
            ',' if breaks(&open) => {
                out.push_str(",\n");
                out.push_str(&"  ".repeat(open.len()));
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[test]
fn members_and_elements_stand_on_lines() {
    let text = r#"{"a":[{"b":"x,\"{","c":2},{"d":[1,2]}],"e":{"f":1,"g":2}}"#;
    let lines = "{\n  \"a\":[{\"b\":\"x,\\\"{\",\"c\":2},\n    {\"d\":[1,2]}],\n  \"e\":{\"f\":1,\"g\":2}\n}";
    assert_eq!(laid_out(text), lines);
}
