//! Text from bytes that may be cut anywhere.

/// The first bytes of a character whose others have not come yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    bytes: [u8; 4],
    len: usize,
}

/// Bytes as text: a character that the bytes before began, and what follows it.
#[derive(Debug)]
pub(super) struct Decoded<'b> {
    pub(super) first: Option<char>,
    pub(super) rest: &'b str,
    /// What waits for more.
    pub(super) split: Split,
}

impl Split {
    /// Whether no character is cut.
    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    /// How many bytes wait, 0 to 3.
    pub(super) fn len(self) -> usize {
        self.len
    }

    /// Reads on. The error is the place in `bytes` of the first byte that is no UTF-8.
    pub(super) fn decode(self, bytes: &[u8]) -> Result<Decoded<'_>, usize> {
        // Works on a copy: after an error what waited is as it was, and the chunk was not taken.
        let mut split = self;
        let mut first = None;
        let mut used = 0;
        while split.len > 0 && first.is_none() {
            let Some(&next) = bytes.get(used) else {
                return Ok(Decoded { first: None, rest: "", split });
            };
            split.bytes[split.len] = next;
            split.len += 1;
            match std::str::from_utf8(&split.bytes[..split.len]) {
                Ok(text) => {
                    first = text.chars().next();
                    split.len = 0;
                }
                Err(error) if error.error_len().is_some() || split.len == 4 => return Err(used),
                Err(_) => {}
            }
            used += 1;
        }
        let rest = &bytes[used..];
        match std::str::from_utf8(rest) {
            Ok(rest) => Ok(Decoded { first, rest, split: Self::default() }),
            Err(error) => {
                let (good, cut) = rest.split_at(error.valid_up_to());
                if error.error_len().is_some() || cut.len() > 3 {
                    return Err(used + good.len());
                }
                let mut split = Self { len: cut.len(), ..Self::default() };
                split.bytes[..cut.len()].copy_from_slice(cut);
                Ok(Decoded { first, rest: std::str::from_utf8(good).unwrap_or_default(), split })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_may_be_cut_anywhere() {
        let text = "añ中👩‍💻é";
        for chunk in 1..=text.len() {
            let (mut split, mut read) = (Split::default(), String::new());
            for bytes in text.as_bytes().chunks(chunk) {
                let decoded = split.decode(bytes).expect("is UTF-8");
                read.extend(decoded.first);
                read.push_str(decoded.rest);
                split = decoded.split;
            }
            assert!(split.is_empty());
            assert_eq!(read, text);
        }
    }

    #[test]
    fn what_is_no_utf8_is_told_with_its_place() {
        let none = Split::default();
        assert_eq!(none.decode(b"ab\xffc").err(), Some(2));
        let cut = none.decode(b"ab\xe4\xb8").expect("goes on").split;
        assert_eq!(cut.len(), 2);
        assert_eq!(cut.decode(b"x").err(), Some(0));
        assert_eq!(cut.decode(b"").expect("goes on").split, cut);
        assert_eq!(none.decode(b"\xed\xa0\x80").err(), Some(0));
    }
}
