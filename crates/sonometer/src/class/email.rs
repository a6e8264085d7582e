//! `<email>`: an e-mail address.
//!
//! `local @ domain`, where
//! - an *atom* is a run of ASCII letters, digits and `_`;
//! - *local* is one or more atoms, each joined to the next by one of `. + - '`; at most 64 bytes; it is maximal: directly
//!   before it stands neither a byte of an atom nor one of `. + - '` after a byte of an atom;
//! - *domain* is two or more labels joined by `.`, at most 253 bytes; a label is letters and digits with `-` between them
//!   (never first or last; several in a row may stand there), at most 63 bytes; the last label of the domain is two to
//!   24 letters.
//!
//! The domain is as long as it can be: as many labels are taken as leave an allowed last label, at whose end no letter,
//! digit, `_` or `@` stands and no single `-` before a letter, digit or `_` (two `-` are a dash behind the address). Where that end is no edge
//! there is no address, nor is a shorter one tried. Both ends are edges.

use super::text::Text;

const LONGEST_LOCAL: usize = 64;
const LONGEST_DOMAIN: usize = 253;
const LONGEST_LABEL: usize = 63;

/// The end of the `<email>` at `at`.
pub(super) fn email(text: &Text<'_>, at: usize) -> Option<usize> {
    if is_atom(text.before(at)) || is_joint(text.before(at)) && is_atom(text.back(at, 2)) || !text.edge(at) {
        return None;
    }
    // An atom that only another address's local part could begin is read once: its later parts fail the test above.
    let mut sign = at;
    loop {
        let end = text.run_of(sign, LONGEST_LOCAL, is_atom);
        if end == sign || end - at > LONGEST_LOCAL {
            return None;
        }
        match text.at(end) {
            b'@' => {
                sign = end;
                break;
            }
            joint if is_joint(joint) => sign = end + 1,
            _ => return None,
        }
    }
    domain(text, sign + 1).map(|(end, _)| end).filter(|&end| text.edge(end))
}

fn is_atom(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

fn is_joint(b: u8) -> bool {
    matches!(b, b'.' | b'+' | b'-' | b'\'')
}

/// The longest domain at `at`: its end and the beginning of its last label.
pub(super) fn domain(text: &Text<'_>, at: usize) -> Option<(usize, usize)> {
    let mut longest = None;
    let mut label = at;
    loop {
        let end = label_end(text, label);
        if end == label || end - label > LONGEST_LABEL || end - at > LONGEST_DOMAIN {
            return longest;
        }
        // "…@example.com--and then": two hyphens are a dash behind the address.
        let name = text.letters(label);
        if label > at
            && (2..=24).contains(&(name - label))
            && text.at(name) == b'-'
            && text.at(name + 1) == b'-'
        {
            longest = Some((name, label));
        }
        let letters = name == end && (2..=24).contains(&(end - label));
        let goes_on = match text.at(end) {
            b'_' | b'@' => true,
            b'-' => is_atom(text.at(end + 1)),
            _ => false,
        };
        if label > at && letters && !goes_on {
            longest = Some((end, label));
        }
        if text.at(end) != b'.' {
            return longest;
        }
        label = end + 1;
    }
}

/// The end of the label at `at`: letters and digits, with hyphens only between them.
fn label_end(text: &Text<'_>, at: usize) -> usize {
    if text.at(at) == b'-' {
        return at;
    }
    // A label that is too long is looked at no further, so that what waits for its end need not wait for long.
    let mut end = text.run_of(at, LONGEST_LABEL, |b| b.is_ascii_alphanumeric() || b == b'-');
    if end > at + LONGEST_LABEL && text.before(end) == b'-' {
        end = text.run(at, |b| b.is_ascii_alphanumeric() || b == b'-');
    }
    while end > at && text.before(end) == b'-' {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn emails_are_found() {
        check(
            Class::Email,
            &[
                ("bob@example.org", &["bob@example.org"]),
                ("Mail: a.b+c-d@mail.example.co.uk.", &["a.b+c-d@mail.example.co.uk"]),
                ("<x_y@e.io>", &["x_y@e.io"]),
                ("mailto:bob@example.org", &["bob@example.org"]),
                ("o'neil@example.org", &["o'neil@example.org"]),
                ("'bob@example.org'", &["bob@example.org"]),
                ("bob@example.org.5", &["bob@example.org"]),
                ("a@b.com,c@d.com", &["a@b.com", "c@d.com"]),
                ("..bob@x.com", &["bob@x.com"]),
                ("_me@x.com", &["_me@x.com"]),
                ("1@x-y.de!", &["1@x-y.de"]),
                ("bob@x.com--and more", &["bob@x.com"]),
                ("bob@xn--a.x--y.org", &["bob@xn--a.x--y.org"]),
                ("bob@localhost", &[]),
                ("@user", &[]),
                ("a@b@c.com", &["b@c.com"]),
                ("bob @x.com", &[]),
                ("bob.@x.com", &[]),
                ("bob@.com", &[]),
                ("bob@x.c", &[]),
                ("bob@x.123", &[]),
                ("ébob@x.com", &[]),
                ("bob@-x.com", &[]),
                ("bob@x.com-foo", &[]),
                ("bob@x.com_", &[]),
                ("bob@", &[]),
                ("bob@x..com", &[]),
            ],
        );
    }
}
