//! How many values of JSON are read at once, and how much text. Each value is read by itself, so that a text of one letter costs about as much
//! as one of a line: a body of nothing but short values takes forty seconds of a core. A long text takes memory for all that is found in it
//! until its end.

use crate::blocked::{Blocked, Kind};
use crate::form::Form;
use crate::policy::{Limits, On};
use memchr::memchr2;

/// The values of a body, of an event or of texts that came alone, against the most that there may be: lists and objects, texts, numbers and
/// words such as `true`. A name of a member is one. Beside them the bytes of the texts that are read, which have a bound of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    seen: usize,
    most: usize,
    bytes: usize,
    most_bytes: usize,
}

impl Values {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { seen: 0, most: limits.values, bytes: 0, most_bytes: limits.text_bytes }
    }

    /// Counts those of a document, before anything is made of them. JSON in its texts is counted where it is read.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn count(&mut self, json: &str, numbers: Numbers) -> Result<(), Blocked> {
        // Each has a byte at least, and one beside it, also in texts: most documents need no look.
        if self.seen + json.len().div_ceil(2) <= self.most {
            return Ok(());
        }
        let bytes = json.as_bytes();
        let (mut at, mut is_word) = (0, false);
        while let Some(byte) = bytes.get(at) {
            at += 1;
            let was_word = std::mem::take(&mut is_word);
            match byte {
                b'"' => {
                    self.more()?;
                    at = end_of_text(bytes, at);
                }
                b'{' | b'[' => self.more()?,
                b'}' | b']' | b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => {}
                _ => {
                    is_word = true;
                    if !was_word && numbers == Numbers::Count {
                        self.more()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts one more.
    ///
    /// # Errors
    /// If it is one too many.
    pub(crate) fn more(&mut self) -> Result<(), Blocked> {
        self.seen += 1;
        match self.seen > self.most {
            true => Err(too_many(self.most)),
            false => Ok(()),
        }
    }

    /// Counts a text that masks or rules read, before they do.
    ///
    /// # Errors
    /// If it is too much.
    pub(crate) fn text(&mut self, raw: &str) -> Result<(), Blocked> {
        self.bytes = self.bytes.saturating_add(raw.len());
        match self.bytes > self.most_bytes {
            true => Err(too_much(self.most_bytes)),
            false => Ok(()),
        }
    }
}

/// Whether numbers and words count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Count,
    /// Millions of them are what an answer with embeddings is made of, and nobody reads them.
    Pass,
}

impl Numbers {
    pub(crate) fn of(form: Form, on: On) -> Self {
        if form == Form::Embeddings && on == On::Response { Self::Pass } else { Self::Count }
    }
}

/// Where a text ends that began before a place.
fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(next) = memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += next + 1;
        match bytes[at - 1] {
            b'"' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn too_many(most: usize) -> Blocked {
    let message = format!(
        "more than {most} values of JSON at once (limits.values), such as texts, numbers and names; send fewer, or set a greater number"
    );
    Blocked::new(Kind::TooLarge, message)
}

fn too_much(most: usize) -> Blocked {
    let message = format!(
        "more than {most} bytes of text at once that masks or rules read (limits.text_bytes); send less, or set a greater number"
    );
    Blocked::new(Kind::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: usize) -> Values {
        Values::new(&Limits { values, ..Limits::default() })
    }

    fn counted(json: &str, numbers: Numbers) -> usize {
        let has = |most: usize| of(most).count(json, numbers).is_ok();
        (0..100).find(|most| has(*most)).expect("has fewer")
    }

    #[test]
    fn every_value_counts_once() {
        for (json, all, without_numbers) in [
            ("", 0, 0),
            ("[]", 1, 1),
            (" [ 1 , -2.5e3,true,null ] ", 5, 1),
            (r#"{"a":"b","c":[{}]}"#, 6, 6),
            (r#"["a\"b,c","\\",[1]]"#, 5, 4),
            (r#"["\u0041","#, 2, 2),
            (r#"["a\"#, 2, 2),
            ("\"", 1, 1),
        ] {
            let both = (counted(json, Numbers::Count), counted(json, Numbers::Pass));
            assert_eq!(both, (all, without_numbers), "{json}");
        }
    }

    #[test]
    fn the_most_holds_for_documents_and_what_is_read_in_them() {
        let mut values = of(4);
        assert!(values.count("[12,\"[3,4]\"]", Numbers::Count).is_ok() && values.more().is_ok());
        let blocked = values.more().expect_err("is one too many");
        assert!(blocked.kind == Kind::TooLarge && blocked.message.contains("limits.values"), "{blocked}");
    }
    #[test]
    fn the_bytes_of_texts_have_their_own_bound() {
        let mut values = Values::new(&Limits { values: 1, text_bytes: 4, ..Limits::default() });
        assert!(values.text("ab").is_ok() && values.text("").is_ok() && values.text("cd").is_ok());
        let blocked = values.text("e").expect_err("is one too many");
        assert!(blocked.kind == Kind::TooLarge && blocked.message.contains("limits.text_bytes"), "{blocked}");
    }
}
