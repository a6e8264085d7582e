//! Who calls: the address of the connection, or, behind a proxy that is believed, what the proxy says.

use axum::http::HeaderMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// A network: `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// What counts as one client: an address, and of IPv6 the network that one customer usually has.
pub(crate) fn of_one(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
        four => four,
    }
}

/// How one client is shown: see [`of_one`].
pub(crate) fn shown(client: IpAddr) -> String {
    match client {
        IpAddr::V6(six) => format!("{six}/64"),
        IpAddr::V4(four) => four.to_string(),
    }
}

impl Network {
    /// Reads one.
    ///
    /// # Errors
    /// What to write instead.
    pub fn read(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a network; write for example 10.0.0.0/8 or 127.0.0.1");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        if bits > most { Err(wrong()) } else { Ok(Self { address, bits }) }
    }

    /// Whether an address lies in it.
    pub fn holds(&self, address: IpAddr) -> bool {
        let shifted = |value: u128, most: u32| value.checked_shr(most - u32::from(self.bits)).unwrap_or(0);
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                shifted(u128::from(own.to_bits()), 32) == shifted(u128::from(other.to_bits()), 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                shifted(own.to_bits(), 128) == shifted(other.to_bits(), 128)
            }
            _ => false,
        }
    }
}

/// Who calls. Of `X-Forwarded-For` the last entry counts that no believed proxy wrote of another: what stands before it anybody
/// may have written.
pub(crate) fn client(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let believed = |address: IpAddr| proxies.iter().any(|proxy| proxy.holds(address));
    let mut address = peer.to_canonical();
    let said = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let said: Vec<&str> = said.flat_map(|value| value.split(',')).map(str::trim).collect();
    for entry in said.iter().rev() {
        if !believed(address) {
            break;
        }
        match written(entry) {
            Some(before) => address = before.to_canonical(),
            None => break,
        }
    }
    address
}

/// An address as proxies write it: some with the port, and of IPv6 in brackets.
fn written(entry: &str) -> Option<IpAddr> {
    let bare =
        || entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']')).unwrap_or(entry).parse().ok();
    bare().or_else(|| entry.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_believed_proxies_say_who_calls() {
        let proxies = ["10.0.0.0/8", "::1"].map(|net| Network::read(net).expect("is one"));
        for (peer, said, who) in [
            ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
            ("10.1.1.1", "", "10.1.1.1"),
            ("10.1.1.1", "198.51.100.7", "198.51.100.7"),
            ("10.1.1.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"),
            ("10.1.1.1", "198.51.100.7, 10.2.2.2", "198.51.100.7"),
            ("::ffff:10.1.1.1", "nonsense, 198.51.100.7", "198.51.100.7"),
            ("::1", "198.51.100.7, nonsense", "::1"),
            ("10.1.1.1", "6.6.6.6:1, 198.51.100.7:54321", "198.51.100.7"),
            ("10.1.1.1", "[2001:db8::7]:443, 10.2.2.2:80", "2001:db8::7"),
            ("10.1.1.1", "[2001:db8::7]", "2001:db8::7"),
            ("10.1.1.1", "198.51.100.7:x", "10.1.1.1"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", HeaderValue::from_static(said));
            let found = client(peer.parse().expect("is one"), &headers, &proxies);
            assert_eq!(found.to_string(), who, "{peer} {said}");
        }
        for bad in ["", "10.0.0.0/33", "host", "10.0.0.0/x", "::1/129"] {
            assert!(Network::read(bad).is_err(), "{bad}");
        }
        let all = Network::read("0.0.0.0/0").expect("is one");
        assert!(all.holds("8.8.8.8".parse().expect("is one")) && !all.holds("::1".parse().expect("is one")));
    }
}
