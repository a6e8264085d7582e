//! `<ip>`: an address of the internet protocol.
//!
//! - IPv4: a whole word of four decimal numbers 0 to 255 without leading zeros, joined by `.`.
//! - IPv6: let the *run* be a maximal run of ASCII letters, digits, `.` and `:`. From its end all `.` are taken off, then
//!   one `:` unless two stand there. What is left is an occurrence when it is between edges, has at most 45 bytes,
//!   contains a decimal digit, and reads as RFC 4291 section 2.2 writes an address: eight groups of one to four
//!   hexadecimal digits joined by `:`, of which one stretch of one or more groups may be left out as `::`, and the last
//!   two may be written as an IPv4 address. (The digit keeps names like `add::face` out.)
//!
//! A port, a prefix length or a zone is not part of the occurrence.

use super::text::{Text, value};
use std::net::Ipv6Addr;

/// The longest text form: six groups of four, then an IPv4 address.
const LONGEST_ADDRESS: usize = 45;

/// The end of the `<ip>` at `at`.
pub(super) fn ip(text: &Text<'_>, at: usize) -> Option<usize> {
    v4(text, at).or_else(|| v6(text, at))
}

fn v4(text: &Text<'_>, at: usize) -> Option<usize> {
    if !text.edge(at) {
        return None;
    }
    let mut end = at;
    for number in 0..4 {
        let start = if number == 0 { at } else { end + 1 };
        if number > 0 && text.at(end) != b'.' {
            return None;
        }
        end = text.digits(start);
        let digits = text.slice(start, end);
        let fits = match digits {
            [] => false,
            [b'0', _, ..] => false,
            _ => digits.len() <= 3 && value(digits) <= 255,
        };
        if !fits {
            return None;
        }
    }
    text.edge(end).then_some(end)
}

fn v6(text: &Text<'_>, at: usize) -> Option<usize> {
    let in_run = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b':';
    if in_run(text.before(at)) {
        return None;
    }
    // What is taken off the end is at most one `:` and full stops: a run with anything else further on is too long.
    let mut end = text.run_of(at, LONGEST_ADDRESS + 1, in_run);
    if matches!(text.before(end), b'.' | b':') {
        end = text.run(end, in_run);
    }
    while end > at && text.before(end) == b'.' {
        end -= 1;
    }
    if text.before(end) == b':' && text.back(end, 2) != b':' {
        end -= 1;
    }
    let run = text.slice(at, end);
    if run.len() > LONGEST_ADDRESS || !run.contains(&b':') || !run.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let address = std::str::from_utf8(run).ok()?;
    (text.edge(at) && text.edge(end) && address.parse::<Ipv6Addr>().is_ok()).then_some(end)
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn ips_are_found() {
        check(
            Class::Ip,
            &[
                ("192.168.0.1", &["192.168.0.1"]),
                ("at 10.0.0.1:80", &["10.0.0.1"]),
                ("10.0.0.0/8", &["10.0.0.0"]),
                ("0.0.0.0.", &["0.0.0.0"]),
                ("255.255.255.255", &["255.255.255.255"]),
                ("2001:db8::1", &["2001:db8::1"]),
                ("::1", &["::1"]),
                ("[fe80::1]", &["fe80::1"]),
                ("2001:0db8:0:0:0:0:0:1", &["2001:0db8:0:0:0:0:0:1"]),
                ("::ffff:192.0.2.1", &["::ffff:192.0.2.1"]),
                ("fe80::1: up", &["fe80::1"]),
                ("fe80::1%eth0", &["fe80::1"]),
                ("256.1.1.1", &[]),
                ("1.2.3", &[]),
                ("1.2.3.4.5", &[]),
                ("v1.2.3.4", &[]),
                ("01.2.3.4", &[]),
                ("12:30:45", &[]),
                ("add::face", &[]),
                ("std::vec", &[]),
                ("::", &[]),
                ("1:2:3:4:5:6:7", &[]),
                ("1::2::3", &[]),
                ("1.2.3.4x", &[]),
                ("12345::1", &[]),
                ("1:2:3:4:5:6:7:8:9", &[]),
            ],
        );
    }
}
