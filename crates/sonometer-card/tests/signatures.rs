//! Signed cards: the same bytes each time, and no byte of them can be changed unseen.

use sonometer::stage::{Action, Card};
use sonometer_card::{Keys, PublicKey, SigningKey, check, envelope, sign, statement, verify};

/// The golden card of the engine.
fn card() -> Card {
    let text = include_str!("../../sonometer/tests/stages/card.txt");
    Card::read(text.lines().next().expect("stands first")).expect("reads")
}

fn key(of: u8) -> SigningKey {
    SigningKey::from_seed([of; 32])
}

fn keys(of: &[u8]) -> Keys {
    of.iter().map(|of| key(*of).public()).collect()
}

#[test]
fn the_key_of_the_standard_signs_as_the_standard_says() {
    // RFC 8032, section 7.1, test 1: the public key of a seed.
    let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    let key = SigningKey::read(seed).expect("reads");
    assert_eq!(key.public().to_string(), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
}

#[test]
fn the_same_card_and_key_give_the_same_bytes() {
    let signed = sign(&card(), &key(1));
    assert_eq!(signed.to_json(), sign(&signed, &key(1)).to_json());
    assert_eq!(signed.to_signed_json(), card().to_json());
    assert_eq!(verify(&signed.to_json(), &keys(&[1])).expect("holds"), signed);
}

#[test]
fn keys_can_be_replaced() {
    let (old, new) = (sign(&card(), &key(1)), sign(&card(), &key(2)));
    let both = keys(&[2, 1]);
    assert!(check(&old, &both).is_ok() && check(&new, &both).is_ok());
    let wrong = check(&old, &keys(&[2])).expect_err("its key is gone");
    assert_eq!(wrong.place, "signature");
    assert!(wrong.message.contains(&key(1).public().id()), "{wrong}");
    assert!(check(&card(), &both).expect_err("no signature").message.contains("not signed"));
}

#[test]
fn no_byte_of_a_signed_card_can_be_changed() {
    let text = sign(&card(), &key(1)).to_json();
    let keys = keys(&[1]);
    for at in 0..text.len() {
        for with in [b'7', b'a', b'"'] {
            let mut bytes = text.clone().into_bytes();
            if bytes[at] == with {
                continue;
            }
            bytes[at] = with;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            let wrong = verify(&changed, &keys).expect_err(&changed);
            assert!(!wrong.place.is_empty(), "byte {at}: {wrong}");
        }
    }
    for cut in [0, 1, text.len() / 2, text.len() - 1] {
        assert!(verify(&text[..cut], &keys).is_err());
    }
}

#[test]
fn a_signature_under_another_id_is_refused() {
    let signed = sign(&card(), &key(1));
    let signature = signed.signature.clone().expect("is signed");
    let renamed = signature.replace(&key(1).public().id(), &key(2).public().id());
    let forged = Card { signature: Some(renamed), ..signed };
    assert!(check(&forged, &keys(&[1, 2])).expect_err("another key").message.contains("changed"));
}

#[test]
fn what_is_no_key_is_told_by_its_line() {
    let public = key(1).public().to_string();
    let wrong = Keys::read(&format!("# ours\n\n{public}\nzz\n")).expect_err("no key");
    assert_eq!(wrong.line, 4);
    assert!(Keys::read("# none\n").is_err() && SigningKey::read("").is_err());
    assert!(SigningKey::read(&format!("{public}\n{public}")).is_err());
    // A point of small order verifies signatures of anything.
    assert!(Keys::read(&format!("01{}", "0".repeat(62))).is_err());
    assert!(!format!("{:?}", key(1)).contains("0101"), "a seed is not printed");
    let all: Vec<PublicKey> = keys(&[1, 2]).iter().cloned().collect();
    assert_eq!(all.len(), 2);
}

#[test]
fn a_card_is_exported_as_a_statement() {
    let statement = statement(&card());
    assert!(
        statement.starts_with(r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"agent""#),
        "{statement}"
    );
    assert!(statement.contains(card().chain.trim_start_matches("sha256:")));
    let envelope = envelope(&card(), &key(1));
    assert!(envelope.contains(r#""payloadType":"application/vnd.in-toto+json""#), "{envelope}");
    assert_eq!(envelope, sonometer_card::envelope(&card(), &key(1)));
}

#[test]
fn the_golden_log_reads() {
    let text = include_str!("../../sonometer/tests/stages/card.txt");
    let (_, log) = text.split_once('\n').expect("has a log");
    assert_eq!(Action::read_log(log).expect("reads").len(), 3);
}

#[test]
fn keys_are_read_as_a_service_tells_them() {
    let told = |id: &str, algorithm: &str, key: &str| {
        format!(r#"{{"key_id":"{id}","algorithm":"{algorithm}","public_key":"{key}","status":"retired"}}"#)
    };
    // RFC 8032, section 7.1, test 1, in base64url by `printf d75a… | xxd -r -p | basenc --base64url`.
    let (id, key) = ("21fe31dfa154a261", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    let answer = |keys: &[String]| format!("{{\"keys\":[{}]}}\n", keys.join(","));
    let read = Keys::read(&answer(&[told("0", "ML-DSA-44", "?"), told(id, "Ed25519", key)])).expect("reads");
    let ids: Vec<String> = read.iter().map(PublicKey::id).collect();
    assert_eq!(ids, [id]);
    let wrong = |text: &str| Keys::read(text).expect_err(text).message;
    assert!(
        wrong(&answer(&[told("0", "Ed25519", key)]))
            .contains(&format!("`keys[0].key_id` is not the id of its key, which is `{id}`"))
    );
    for text in [
        "",
        "A",
        "d75a",
        "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
        "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ] {
        assert!(
            wrong(&answer(&[told(id, "Ed25519", text)])).contains("`keys[0].public_key` is not 32 bytes"),
            "{text}"
        );
    }
    assert!(
        wrong(&answer(&[])).contains("there is no key")
            && wrong(r#"{"keys":7}"#).contains("GET /api/v1/keys")
    );
}
