//! Cards for those who collect attestations: an in-toto Statement v1 in a DSSE envelope.
//!
//! The subject is what was measured: the conversation, by the head of its hash chain. The predicate is the card.

use crate::key::SigningKey;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sonometer::stage::Card;

/// The type of the predicate.
const PREDICATE: &str = "https://sonometer.dev/attestation/stagecard/v1";
/// The type of the payload of an envelope.
const PAYLOAD: &str = "application/vnd.in-toto+json";

/// An in-toto Statement v1, as canonical JSON: the subject is the dive by the head of its chain, the predicate the card.
pub fn statement(card: &Card) -> String {
    let digest = card.chain.strip_prefix("sha256:").unwrap_or(&card.chain);
    format!(
        r#"{{"_type":"https://in-toto.io/Statement/v1","predicate":{},"predicateType":"{PREDICATE}","subject":[{{"digest":{{"sha256":"{digest}"}},"name":"sonometer-dive"}}]}}"#,
        card.to_json()
    )
}

/// The statement in a DSSE envelope: signed over its pre-authentication encoding, so that it cannot pass for another type.
pub fn envelope(card: &Card, key: &SigningKey) -> String {
    let statement = statement(card);
    let signature = key.sign(&encoding(statement.as_bytes()));
    format!(
        r#"{{"payload":"{}","payloadType":"{PAYLOAD}","signatures":[{{"keyid":"{}","sig":"{}"}}]}}"#,
        BASE64_STANDARD.encode(statement.as_bytes()),
        key.public().id(),
        BASE64_STANDARD.encode(signature)
    )
}

/// `DSSEv1 {length} {type} {length} {payload}`
fn encoding(payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {PAYLOAD} {} ", PAYLOAD.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_of_the_standard() {
        let start = format!("DSSEv1 28 {PAYLOAD} 2 ");
        assert_eq!(encoding(b"{}"), [start.as_bytes(), b"{}"].concat());
    }
}
