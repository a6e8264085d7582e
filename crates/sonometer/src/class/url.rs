//! `<url>`: a web address.
//!
//! A *url byte* is any byte but controls, space, `" < > \ ^ { | }` and backtick; a byte outside ASCII is one. A *rest* is
//! a maximal run of url bytes, less what is taken off its end, again and again: one of `. , ; : ! ? ' * _ ~`; a `)` or `]`
//! when the run has more of it than of its opening counterpart.
//!
//! Forms:
//! 1. two to ten ASCII letters, `://`, then a rest that begins with an ASCII letter or digit or `[`;
//! 2. `www.` and a domain (see `email.rs`; the `www` is not part of it), then optionally a port, then optionally a tail;
//! 3. a domain whose last label is *known* or *wary* (`class-words.tsv`) as written (lower case), then optionally a port, then optionally a tail. It
//!    does not begin directly after one of `@ . - _ / : \ & + = # $ %`, and the domain is not followed by `@`, `_`, or `-` or
//!    `.` before a letter or digit. Where the last label is a wary one, the form
//!    fits only with a tail that begins with `/` and has one more byte.
//!
//! A *port* is `:` and one to five digits. A *tail* is a rest that begins with `/`, `?` or `#`, directly after the domain or
//! port; when nothing is left of it, it is none. Form 2 does not begin directly after a letter, digit, `.`, `-` or `@`.
//!
//! Both ends are edges; when the end of a rest is none, the form does not fit there.

use super::email::domain;
use super::text::Text;
use crate::language::Words;

/// The end of the `<url>` at `at`.
pub(super) fn url(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = with_scheme(text, at).or_else(|| www(text, at)).or_else(|| bare(text, at))?;
    (text.edge(at) && text.edge(end)).then_some(end)
}

fn with_scheme(text: &Text<'_>, at: usize) -> Option<usize> {
    let letters = text.run_of(at, 10, |b| b.is_ascii_alphabetic());
    if !(2..=10).contains(&(letters - at)) || !text.has(letters, "://") {
        return None;
    }
    let start = letters + 3;
    let first = text.at(start);
    (first.is_ascii_alphanumeric() || first == b'[').then(|| rest(text, start)).filter(|&end| end > start)
}

fn www(text: &Text<'_>, at: usize) -> Option<usize> {
    let before = text.before(at);
    if before.is_ascii_alphanumeric() || matches!(before, b'.' | b'-' | b'@') {
        return None;
    }
    if !text.has_caseless(at, b"www.") {
        return None;
    }
    let (end, _) = domain(text, at + 4)?;
    Some(tail(text, port(text, end)))
}

fn bare(text: &Text<'_>, at: usize) -> Option<usize> {
    if matches!(
        text.before(at),
        b'@' | b'.' | b'-' | b'_' | b'/' | b':' | b'\\' | b'&' | b'+' | b'=' | b'#' | b'$' | b'%'
    ) {
        return None;
    }
    let (end, last) = domain(text, at)?;
    // More labels than a domain can use: the local part of an address (`first.de.last@`), or a missing space.
    if text.at(end) == b'.' && text.at(end + 1).is_ascii_alphanumeric() {
        return None;
    }
    let ending = text.slice(last, end);
    let wary = lists(WARY, ending);
    if !wary && !lists(KNOWN, ending) {
        return None;
    }
    let port = port(text, end);
    // Asked before the tail is read: a tail that is read is consumed.
    if wary && text.at(port) != b'/' {
        return None;
    }
    let tail = tail(text, port);
    (!wary || tail >= port + 2).then_some(tail)
}

/// The end of the port at `at`, or `at`.
fn port(text: &Text<'_>, at: usize) -> usize {
    let end = text.digits(at + 1);
    if text.at(at) == b':' && (1..=5).contains(&(end - at - 1)) { end } else { at }
}

/// The end of the tail at `at`, or `at`.
fn tail(text: &Text<'_>, at: usize) -> usize {
    if matches!(text.at(at), b'/' | b'?' | b'#') { rest(text, at) } else { at }
}

/// The end of the rest at `at`. Brackets are counted once and counted down, so trimming costs no more than reading.
fn rest(text: &Text<'_>, at: usize) -> usize {
    let mut end = text.run(at, is_url_byte);
    let run = text.slice(at, end);
    let count = |wanted: u8| run.iter().filter(|&&b| b == wanted).count();
    let mut round = count(b')').saturating_sub(count(b'('));
    let mut square = count(b']').saturating_sub(count(b'['));
    while end > at {
        match text.before(end) {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' | b'~' => {}
            b')' if round > 0 => round -= 1,
            b']' if square > 0 => square -= 1,
            _ => break,
        }
        end -= 1;
    }
    end
}

fn is_url_byte(b: u8) -> bool {
    b > b' ' && !matches!(b, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7F)
}

/// Last labels that make a domain an address by themselves.
pub(super) const KNOWN: Words = Words::new(
    "ar, au, bg, biz, br, ca, ch, cn, co, com, cz, de, dk, edu, eu, fi, fr, gov, gr, hr, hu, ie, info, int,
    io, jp, kr, mil, mx, net, nl, nz, org, pt, ro, ru, se, si, sk, tv, ua, uk, xyz, za",
);

/// Last labels that are words or file endings too: they need a path to make an address.
pub(super) const WARY: Words = Words::new(
    "ai, am, app, at, be, blog, cc, cloud, club, dev, do, es, fm, gg, gl, id, in, is, it, live, ly, md, me,
    my, news, no, online, page, pl, ps, py, rs, sh, shop, site, so, store, tech, to, tr, us",
);

fn lists(endings: Words, ending: &[u8]) -> bool {
    std::str::from_utf8(ending).is_ok_and(|ending| endings.contains(ending))
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn urls_are_found() {
        check(
            Class::Url,
            &[
                ("http://example.org", &["http://example.org"]),
                ("See https://example.org/a(b)c?d=1#e.", &["https://example.org/a(b)c?d=1#e"]),
                ("(https://example.org/x)", &["https://example.org/x"]),
                ("[x](http://example.org/y),", &["http://example.org/y"]),
                ("www.example.org!", &["www.example.org"]),
                ("example.org/path/", &["example.org/path/"]),
                ("go to example.co.uk.", &["example.co.uk"]),
                ("http://localhost:3000/", &["http://localhost:3000/"]),
                ("example.com:8080/x", &["example.com:8080/x"]),
                ("bit.ly/abc", &["bit.ly/abc"]),
                ("ftp://[::1]/x", &["ftp://[::1]/x"]),
                ("http://x.de/_a_", &["http://x.de/_a"]),
                ("\"http://x.de\"", &["http://x.de"]),
                ("example.com?q=1", &["example.com?q=1"]),
                ("Next.com, ok", &["Next.com"]),
                ("bob@example.com", &[]),
                ("example.com@x", &[]),
                ("end.It was", &[]),
                ("bit.ly", &[]),
                ("main.rs", &[]),
                ("e.g. this", &[]),
                ("3.14", &[]),
                ("www.", &[]),
                ("://x", &[]),
                ("http://", &[]),
                ("http:// x", &[]),
                ("Ex.Com", &[]),
                ("node.js", &[]),
                ("go.to/", &[]),
                ("x.com-y", &[]),
                ("x.com_y", &[]),
                ("first.de.last@x.com", &[]),
                ("x.com.au@y.com", &[]),
            ],
        );
    }
}
