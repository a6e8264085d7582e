//! How often the markers of shipped protocols trigger in what people write, for estimates.

use crate::PROTOCOLS;
use sonometer::{Protocol, Rates};
use std::sync::{LazyLock, OnceLock};

/// Written by `cargo run --release -p sonometer-catalog --example measure_rates`, which says in which texts: a line
/// `id version characters`, then a line `label count` for each marker that triggered.
const MEASURED: &str = include_str!("../rates.txt");

/// What was measured for a version of a protocol, if it was.
pub fn rates(id: &str, version: &str) -> Option<Rates> {
    let mut lines = MEASURED.lines().filter(|line| !line.starts_with('#'));
    let characters = lines.by_ref().find_map(|line| {
        let mut words = line.split(' ');
        let is_it = (words.next(), words.next()) == (Some(id), Some(version));
        words.next().filter(|_| is_it)?.parse().ok()
    })?;
    let counts = lines.map_while(|line| line.strip_prefix("  ")?.split_once(' '));
    let triggered =
        counts.filter_map(|(label, count)| Some((label.to_owned(), count.parse().ok()?))).collect();
    Some(Rates { characters, triggered })
}

/// What was measured for a protocol, if it is one that ships: somebody else's of the same name and version triggers as it
/// likes.
pub fn rates_of(protocol: &Protocol) -> Option<Rates> {
    /// The digest of each protocol that ships, made when it is first asked for.
    static DIGESTS: LazyLock<Vec<OnceLock<Option<String>>>> =
        LazyLock::new(|| PROTOCOLS.iter().map(|_| OnceLock::new()).collect());
    let at =
        PROTOCOLS.iter().position(|entry| (entry.id, entry.version) == (&protocol.id, &protocol.version))?;
    let read = || PROTOCOLS[at].protocol().ok().map(|(shipped, _)| shipped.digest());
    let is_shipped = DIGESTS[at].get_or_init(read).as_ref() == Some(&protocol.digest());
    rates(&protocol.id, &protocol.version).filter(|_| is_shipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{protocols, versions};

    #[test]
    fn every_published_protocol_has_rates_and_every_label_is_one_of_its_own() {
        for entry in protocols() {
            let (protocol, _) = entry.protocol().expect(entry.id);
            let Some(rates) = rates(entry.id, entry.version) else {
                assert_ne!(
                    protocol.status,
                    sonometer::protocol::Status::Published,
                    "{} has no rates",
                    entry.id
                );
                continue;
            };
            assert!(rates.characters > 100_000, "{}: {rates:?}", entry.id);
            // A protocol of service talks may stay silent in texts that have no agent and no customer, and Chinese patterns in
            // these English texts.
            let hears_text = protocol.modalities.contains(&sonometer::protocol::Modality::Text)
                && !entry.id.ends_with("-zh");
            assert!(!hears_text || !rates.triggered.is_empty(), "{}: {rates:?}", entry.id);
            for (label, count) in &rates.triggered {
                assert!(
                    protocol.markers.iter().any(|marker| marker.label == *label),
                    "{}: {label}",
                    entry.id
                );
                assert!(*count > 0);
            }
        }
        assert_eq!(rates("courtesy", "9.9"), None);
        assert!(!versions("courtesy").is_empty());
    }

    #[test]
    fn rates_are_those_of_what_ships_however_it_is_written() {
        let source = versions("courtesy")[0].source;
        let (mut protocol, _) = Protocol::read(source).expect("ships");
        assert_eq!(rates_of(&protocol), rates("courtesy", "1.0"));
        let (other, _) = Protocol::read(&protocol.to_canonical_json()).expect("is the same");
        assert!(rates_of(&other).is_some());
        protocol.markers[0].label.push('x');
        assert_eq!(rates_of(&protocol), None);
    }
}
