//! `<url>`: a web address.
//!
//! A *url byte* is any byte but controls, space, `" < > \ ^ { | }` and backtick; a byte outside ASCII is one. A *rest* is
//! a maximal run of url bytes, less what is taken off its end, again and again: one of `. , ; : ! ? ' * _ ~`; a `)` or `]`
//! when the run has more of it than of its opening counterpart.
//!
//! Forms:
//! 1. two to ten ASCII letters, `://`, then a rest that begins with an ASCII letter or digit or `[`;
//! 2. `www.` and a domain (see `email.rs`; the `www` is not part of it), then optionally a port, then optionally a tail;
//! 3. a domain whose last label is a *known ending* in lower case, then optionally a port, then optionally a tail. It
//!    does not begin directly after one of `@ . - _ / : \ & + = # $ %`, and neither `@` nor `_` nor a `-` before a letter or
//!    digit follows the domain. Where the last label is one of the *wary endings* (also words, or file names), the form
//!    fits only with a tail that begins with `/` and has one more byte.
//!
//! A *port* is `:` and one to five digits. A *tail* is a rest that begins with `/`, `?` or `#`, directly after the domain or
//! port; when nothing is left of it, it is none. Form 2 does not begin directly after a letter, digit, `.`, `-` or `@`.
//!
//! Known endings: com net org edu gov mil int info biz eu xyz io co tv uk ca au nz ie za de fr nl ch se dk fi cz hu ru ua
//! gr pt ro bg hr sk si jp cn kr br mx ar tr.
//! Wary endings: be at us es it in is no me so to my id ai gl ly am fm cc sh rs md py pl gg ps do tech online shop site club
//! blog cloud app dev.
//!
//! Both ends are edges; when the end of a rest is none, the form does not fit there.

use super::email::domain;
use super::text::Text;

/// The end of the `<url>` at `at`.
pub(super) fn url(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = with_scheme(text, at).or_else(|| www(text, at)).or_else(|| bare(text, at))?;
    (text.edge(at) && text.edge(end)).then_some(end)
}

fn with_scheme(text: &Text<'_>, at: usize) -> Option<usize> {
    let letters = text.letters(at);
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
    if !text.slice(at, at + 4).eq_ignore_ascii_case(b"www.") {
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
    let ending = text.slice(last, end);
    let wary = is_wary(ending);
    if !wary && !is_known(ending) {
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

fn is_known(ending: &[u8]) -> bool {
    match ending {
        b"com" | b"net" | b"org" | b"edu" | b"gov" | b"mil" | b"int" | b"info" | b"biz" | b"eu" | b"xyz" => {
            true
        }
        b"io" | b"co" | b"tv" | b"uk" | b"ca" | b"au" | b"nz" | b"ie" | b"za" | b"de" | b"fr" | b"nl"
        | b"ch" => true,
        b"se" | b"dk" | b"fi" | b"cz" | b"hu" | b"ru" | b"ua" | b"gr" | b"pt" | b"ro" | b"bg" | b"hr"
        | b"sk" => true,
        b"si" | b"jp" | b"cn" | b"kr" | b"br" | b"mx" | b"ar" | b"tr" => true,
        _ => false,
    }
}

fn is_wary(ending: &[u8]) -> bool {
    match ending {
        b"be" | b"at" | b"us" | b"es" | b"it" | b"in" | b"is" | b"no" | b"me" | b"so" | b"to" | b"my"
        | b"id" => true,
        b"ai" | b"gl" | b"ly" | b"am" | b"fm" | b"cc" | b"sh" | b"rs" | b"md" | b"py" | b"pl" | b"gg"
        | b"ps" => true,
        b"do" | b"tech" | b"online" | b"shop" | b"site" | b"club" | b"blog" | b"cloud" | b"app" | b"dev" => {
            true
        }
        _ => false,
    }
}
