//! Two ways to show text that the built-in reader passes over, told in those that it knows: `'` and `"` go to the next line and
//! show a text there. Some programs (Ghostscript) write them for every line that begins in one font and goes on in another.

use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rewrites pages and the forms in them. What cannot be read stays as it is.
pub(super) fn known(document: &mut Document) {
    let pages: Vec<ObjectId> = document.get_pages().into_values().collect();
    for page in pages {
        // The library panics on what it does not expect.
        let content = catch_unwind(AssertUnwindSafe(|| rewritten(&document.get_page_content(page).ok()?)));
        if let Ok(Some(content)) = content {
            let _ = document.change_page_content(page, content);
        }
    }
    for object in document.objects.values_mut() {
        let Object::Stream(form) = object else { continue };
        if !is_form(&form.dict) {
            continue;
        }
        let content = catch_unwind(AssertUnwindSafe(|| rewritten(&form.decompressed_content().ok()?)));
        if let Ok(Some(content)) = content {
            form.set_plain_content(content);
        }
    }
}

fn is_form(of: &Dictionary) -> bool {
    of.get(b"Subtype").and_then(Object::as_name).is_ok_and(|subtype| subtype == b"Form")
}

/// The content with operators that are known; `None` if it has no others.
fn rewritten(content: &[u8]) -> Option<Vec<u8>> {
    if !may_have_others(content) {
        return None;
    }
    let operations = Content::decode(content).ok()?.operations;
    let is_other = |operation: &Operation| matches!(operation.operator.as_str(), "'" | "\"");
    if !operations.iter().any(is_other) {
        return None;
    }
    let mut known = Vec::with_capacity(operations.len() + 8);
    for operation in operations {
        if !is_other(&operation) {
            known.push(operation);
            continue;
        }
        let mut operands = operation.operands;
        let Some(text) = operands.pop() else { continue };
        // Spaces between words and between letters stand before the text.
        if let (2, true) = (operands.len(), operation.operator == "\"") {
            let between_letters = operands.pop();
            known.push(Operation::new("Tw", operands));
            known.push(Operation::new("Tc", between_letters.into_iter().collect()));
        }
        known.push(Operation::new("T*", Vec::new()));
        known.push(Operation::new("Tj", vec![text]));
    }
    Content { operations: known }.encode().ok()
}

/// Whether one of the two signs stands behind a string: most pages have none, and need not be read twice.
fn may_have_others(content: &[u8]) -> bool {
    let mut is_behind_string = false;
    for byte in content {
        match byte {
            b')' | b'>' => is_behind_string = true,
            b'\'' | b'"' if is_behind_string => return true,
            byte if byte.is_ascii_whitespace() => {}
            _ => is_behind_string = false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(content: &str) -> Option<String> {
        rewritten(content.as_bytes()).map(|content| String::from_utf8(content).expect("is text"))
    }

    #[test]
    fn both_are_told_in_others() {
        let shown = told("BT 12 TL (one) Tj (two)' <74> ' 1 2 (four)\" ET").expect("has some");
        let lines: Vec<&str> = shown.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "BT",
                "12 TL",
                "(one) Tj",
                "T*",
                "(two) Tj",
                "T*",
                "<74> Tj",
                "1 Tw",
                "2 Tc",
                "T*",
                "(four) Tj",
                "ET"
            ]
        );
    }

    #[test]
    fn content_without_them_is_left_alone() {
        for content in ["BT (it's) Tj (a\"b) Tj ET", "(one) Tj", "", "BT [(it)]TJ % (that)' is all\n ET"] {
            assert_eq!(told(content), None, "{content}");
        }
    }
}
