//! Which addresses the service may call: public ones, and those that a deployment allows.
//!
//! A request is checked when it comes in, by what can be told from the text of the address, in whatever spelling. What a
//! name stands for is checked again when it is called, and only an address that was checked is connected to: somebody who changes a
//! name in between gains nothing.

use crate::refusal::Refusal;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use url::{Host, Url};

/// The longest address that is taken.
pub const MAX_URL: usize = 2_048;

/// What is allowed beyond the public internet: `hooks.internal`, `hooks.internal:8443`, `10.1.0.0/16`, `127.0.0.1:9000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    what: What,
    /// `None`: those of http and https.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Name(String),
    Net(IpAddr, u8),
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a host; write `hooks.internal`, `hooks.internal:8443`, `10.1.0.0/16` or `127.0.0.1:9000`"
            )
        };
        if let Some((address, bits)) = text.split_once('/') {
            let address: IpAddr = address.parse().map_err(|_| wrong())?;
            let most = if address.is_ipv4() { 32 } else { 128 };
            let bits = bits.parse().ok().filter(|bits| *bits <= most).ok_or_else(wrong)?;
            return Ok(Self { what: What::Net(address, bits), port: None });
        }
        let whole = Url::parse(&format!("ws://{text}")).map_err(|_| wrong())?;
        if whole.path() != "/" || whole.query().is_some() || !whole.username().is_empty() {
            return Err(wrong());
        }
        let what = match whole.host().ok_or_else(wrong)? {
            Host::Domain(name) => What::Name(name.trim_end_matches('.').to_owned()),
            Host::Ipv4(address) => What::Net(address.into(), 32),
            Host::Ipv6(address) => What::Net(address.into(), 128),
        };
        Ok(Self { what, port: whole.port() })
    }
}

impl Allowed {
    fn is_port(&self, port: u16) -> bool {
        self.port.map_or(port == 80 || port == 443, |own| own == port)
    }
}

/// The rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    allowed: Vec<Allowed>,
}

fn refused(reason: &'static str, message: &str) -> Refusal {
    Refusal::invalid("", message).because(reason)
}

impl Guard {
    /// The public internet, and these.
    pub fn new(allowed: Vec<Allowed>) -> Self {
        Self { allowed }
    }

    /// Reads an address that somebody asks to have called.
    ///
    /// # Errors
    /// `invalid_request` with `details.reason`.
    pub fn url(&self, text: &str) -> Result<Url, Refusal> {
        let no_url =
            || refused("url_invalid", "not an address; write for example `https://example.com/hook`");
        if text.len() > MAX_URL {
            return Err(no_url());
        }
        let url = Url::parse(text).map_err(|_| no_url())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused("url_scheme", "the address must begin with `http://` or `https://`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused(
                "url_credentials",
                "the address contains a user name or password; remove them",
            ));
        }
        let port = url.port_or_known_default().unwrap_or(0);
        let private = || refused("url_private", "the address is not public");
        let other_port = || refused("url_port", "the port of the address must be 80 or 443");
        match url.host().ok_or_else(no_url)? {
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                if self.allows_name(name, port) {
                    return Ok(url);
                }
                if name.is_empty() || name == "localhost" || name.ends_with(".localhost") {
                    return Err(private());
                }
                // A network may be allowed with a port of its own; what the name stands for is seen later.
                if !matches!(port, 80 | 443) && !self.allowed.iter().any(|rule| rule.port == Some(port)) {
                    return Err(other_port());
                }
            }
            Host::Ipv4(address) => self.literal(address.into(), port).then_some(()).ok_or_else(private)?,
            Host::Ipv6(address) => self.literal(address.into(), port).then_some(()).ok_or_else(private)?,
        }
        if matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)))
            && !matches!(port, 80 | 443)
            && !self.allowed.iter().any(|rule| rule.port == Some(port))
        {
            return Err(other_port());
        }
        Ok(url)
    }

    /// Whether an address that a name stands for may be connected to.
    pub fn admits(&self, name: &str, address: IpAddr, port: u16) -> bool {
        self.allows_name(name.trim_end_matches('.'), port)
            || self.allows_address(address, port)
            || matches!(port, 80 | 443) && is_public(address)
    }

    fn literal(&self, address: IpAddr, port: u16) -> bool {
        self.allows_address(address, port) || is_public(address)
    }

    fn allows_name(&self, name: &str, port: u16) -> bool {
        self.allowed
            .iter()
            .any(|rule| matches!(&rule.what, What::Name(own) if own == name) && rule.is_port(port))
    }

    fn allows_address(&self, address: IpAddr, port: u16) -> bool {
        let address = address.to_canonical();
        self.allowed.iter().any(|rule| {
            matches!(&rule.what, What::Net(net, bits) if within(address, net.to_canonical(), *bits))
                && rule.is_port(port)
        })
    }
}

fn within(address: IpAddr, net: IpAddr, bits: u8) -> bool {
    let (one, other, length) = match (address, net) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (u128::from(one.to_bits()), u128::from(other.to_bits()), 32),
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits(), other.to_bits(), 128),
        _ => return false,
    };
    let rest = length - u32::from(bits).min(length);
    one.checked_shr(rest).unwrap_or(0) == other.checked_shr(rest).unwrap_or(0)
}

/// Whether an address is one of the public internet: nothing private, local, shared, reserved, or of documentation, and
/// nothing that carries an IPv4 address on to somewhere else.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(four) => {
            const NOT: &[([u8; 4], u8)] = &[
                ([0, 0, 0, 0], 8),
                ([10, 0, 0, 0], 8),
                ([100, 64, 0, 0], 10),
                ([127, 0, 0, 0], 8),
                // Public by its number; in Azure it is what runs the machine.
                ([168, 63, 129, 16], 32),
                ([169, 254, 0, 0], 16),
                ([172, 16, 0, 0], 12),
                ([192, 0, 0, 0], 24),
                ([192, 0, 2, 0], 24),
                ([192, 31, 196, 0], 24),
                ([192, 52, 193, 0], 24),
                ([192, 88, 99, 0], 24),
                ([192, 168, 0, 0], 16),
                ([192, 175, 48, 0], 24),
                ([198, 18, 0, 0], 15),
                ([198, 51, 100, 0], 24),
                ([203, 0, 113, 0], 24),
                ([224, 0, 0, 0], 3),
            ];
            !NOT.iter().any(|(net, bits)| within(four.into(), Ipv4Addr::from(*net).into(), *bits))
        }
        IpAddr::V6(six) => {
            const NOT: &[([u16; 2], u8)] =
                &[([0x2001, 0], 23), ([0x2001, 0xdb8], 32), ([0x2002, 0], 16), ([0x3fff, 0], 20)];
            let of = |[a, b]: [u16; 2]| IpAddr::V6(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0));
            within(six.into(), of([0x2000, 0]), 3)
                && !NOT.iter().any(|(net, bits)| within(six.into(), of(*net), *bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(guard: &Guard, url: &str) -> &'static str {
        guard.url(url).map_or_else(|refusal| refusal.details.reason.unwrap_or("none"), |_| "good")
    }

    #[test]
    fn private_addresses_are_refused_in_every_spelling() {
        let guard = Guard::default();
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://017700000001/",
            "http://127.0.0.1./",
            "http://１２７.0.0.1/",
            "http://127。0。0。1/",
            "http://%31%32%37.0.0.1/",
            "http://0/",
            "http://0.0.0.0/",
            "http://10.1.2.3/",
            "http://100.64.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://172.16.0.1/",
            "http://172.31.255.255/",
            "http://192.168.1.1/",
            "http://198.19.0.1/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://[::1]/",
            "http://[::]/",
            "http://[0:0:0:0:0:0:0:1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:7f00:1::]/",
            "http://[2001:db8::1]/",
            "http://[fe80::1]/",
            "http://[fc00::1]/",
            "http://[fd12:3456::1]/",
            "http://[ff02::1]/",
            "http://localhost/",
            "http://LOCALHOST/",
            "http://localhost./",
            "http://a.localhost/",
        ] {
            assert_eq!(reason(&guard, url), "url_private", "{url}");
        }
    }

    #[test]
    fn other_schemes_users_and_ports_are_refused() {
        let guard = Guard::default();
        for (url, expected) in [
            ("https://example.com/hook?a=b", "good"),
            ("http://93.184.216.34/", "good"),
            ("http://172.32.0.1/", "good"),
            ("https://[2606:2800:220:1:248:1893:25c8:1946]/", "good"),
            ("ftp://example.com/", "url_scheme"),
            ("file:///etc/passwd", "url_scheme"),
            ("gopher://example.com/", "url_scheme"),
            ("javascript:alert(1)", "url_scheme"),
            ("https://user@example.com/", "url_credentials"),
            ("https://:secret@example.com/", "url_credentials"),
            ("https://example.com:8443/", "url_port"),
            ("https://example.com:22/", "url_port"),
            ("http://93.184.216.34:25/", "url_port"),
            ("example.com/hook", "url_invalid"),
            ("", "url_invalid"),
            ("https://", "url_invalid"),
            ("https://exa mple.com/", "url_invalid"),
        ] {
            assert_eq!(reason(&guard, url), expected, "{url}");
        }
        assert_eq!(reason(&guard, &format!("https://example.com/{}", "a".repeat(MAX_URL))), "url_invalid");
    }

    #[test]
    fn what_a_deployment_allows_is_allowed_and_nothing_beside_it() {
        let rules = ["127.0.0.1:9000", "10.1.0.0/16", "hooks.internal:8443", "plain.internal", "[::1]:9000"];
        let guard = Guard::new(rules.iter().map(|rule| rule.parse().expect(rule)).collect());
        for (url, expected) in [
            ("http://127.0.0.1:9000/", "good"),
            ("http://[::ffff:127.0.0.1]:9000/", "good"),
            ("http://[::1]:9000/", "good"),
            ("http://127.0.0.1/", "url_private"),
            ("http://127.0.0.1:9001/", "url_private"),
            ("http://127.0.0.2:9000/", "url_private"),
            ("http://10.1.255.255/", "good"),
            ("http://10.1.0.1:9001/", "url_private"),
            ("http://10.2.0.0/", "url_private"),
            ("https://hooks.internal:8443/", "good"),
            ("https://plain.internal/", "good"),
            ("https://plain.internal:22/", "url_port"),
        ] {
            assert_eq!(reason(&guard, url), expected, "{url}");
        }
        let local = "127.0.0.1".parse().expect("is one");
        assert!(guard.admits("hooks.internal", local, 8443) && guard.admits("plain.internal.", local, 443));
        assert!(!guard.admits("hooks.internal", local, 443), "the port is part of the rule");
        assert!(!guard.admits("example.com", local, 443), "a name that turns out to be private");
        assert!(guard.admits("example.com", local, 9000), "an address that is allowed, by whatever name");
        assert!(!guard.admits("example.com", "93.184.216.34".parse().expect("is one"), 9000));
        for bad in ["", "a b", "10.0.0.0/33", "x/8", "user@a", "a/b", "http://a"] {
            assert!(bad.parse::<Allowed>().is_err(), "{bad}");
        }
    }
}
