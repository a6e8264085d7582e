//! Secrets in the store: encrypted with keys that are not in it.

use crate::bench::{Bench, send};
use crate::database::{self, Database};
use serde_json::json;
use sonometer_service::vault::{Vault, new_key};
use sonometer_service::{Mode, Scope, Service, Store};
use tokio::runtime::Runtime;

// covers: operate.secrets
#[test]
fn secrets_are_encrypted_and_keys_can_be_replaced() {
    let runtime = Runtime::new().expect("threads");
    let database = Database::new();
    let (old, new) = (new_key().expect("is random"), new_key().expect("is random"));
    let vault = |keys: &[&str]| Vault::read(&keys.join("\n")).expect("are keys");
    let open = |vault: Vault| {
        runtime.block_on(async { Store::open_with(&database.url, vault, |_| {}).await.map(Service::new) })
    };
    let close = |service: Service| runtime.block_on(service.store().clone().close());
    let secret = |service: &Service| runtime.block_on(service.webhook_secret("acme")).expect("is there");
    let key = |service: &Service| runtime.block_on(service.public_keys()).expect("are there")[0].0.clone();

    // From a store of before there were keys.
    let plain = open(Vault::default()).expect("opens");
    runtime.block_on(plain.create_org("acme", "Acme")).expect("is new");
    let (before, signer) = (secret(&plain), key(&plain));
    close(plain);
    let service = open(vault(&[&old])).expect("plain secrets stay readable");
    assert_eq!((secret(&service), key(&service)), (before.clone(), signer.clone()));
    assert_eq!(runtime.block_on(service.store().rotate_keys()), Ok(2));
    assert_eq!(runtime.block_on(service.store().rotate_keys()), Ok(0), "all are encrypted");
    assert_eq!((secret(&service), key(&service)), (before.clone(), signer.clone()));
    let after = runtime.block_on(service.rotate_webhook_secret("acme")).expect("is made");
    runtime.block_on(service.store().wipe()).expect("is wiped");
    if database::server().is_none() {
        for ending in ["", "-wal"] {
            let bytes = std::fs::read(format!("{}{ending}", database.url)).unwrap_or_default();
            for secret in [&before, &after] {
                let secret = &secret.as_bytes()["whsec_".len()..];
                assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{ending}");
            }
        }
    }
    close(service);

    let told = open(Vault::default()).err().expect("no key");
    assert!(told.contains("which is not given; give it by --key-file"), "{told}");
    assert!(told.contains(vault(&[&old]).newest().expect("is there")), "{told}");
    let told = open(vault(&[&new])).err().expect("another key");
    assert!(told.contains("which is not given"), "{told}");

    let both = open(vault(&[&new, &old])).expect("opens");
    assert_eq!(secret(&both), after);
    assert_eq!(runtime.block_on(both.store().rotate_keys()), Ok(3));
    close(both);
    let only = open(vault(&[&new])).expect("the old key is not needed any more");
    assert_eq!((secret(&only), key(&only)), (after, signer));
    close(only);
}

/// A node without the key that another node encrypts with: operators are told which setting is missing, others are not.
#[test]
fn a_missing_key_is_told_to_operators() {
    let bench = Bench::start();
    let (_, admin) = bench.token(Mode::Test, &[Scope::Admin]);
    let bearer = format!("Bearer {admin}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let at = |method, path| {
        send(bench.admin(), method, path, &headers, if method == "POST" { b"{}" } else { b"" })
    };
    let path = "/admin/v1/orgs/acme/webhook-secrets";
    let before = at("POST", path).body;
    assert_eq!(at("GET", path).body, before);
    bench.runtime.block_on(bench.service.public_keys()).expect("are there");
    bench.sql("UPDATE secrets SET secret = 'sealed1:key_0badc0de:' || secret");
    bench.sql("UPDATE signing_keys SET secret = 'sealed1:key_0badc0de:AAAA'");
    let refused = at("GET", path);
    refused.is(500, "internal_error");
    assert_eq!(refused.details()["reason"], "secrets_key");
    for part in ["key_0badc0de", "--key-file", "keys.file", "SONOMETER_KEYS_SECRET"] {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    // What is refused is not done: else the new secret signs, and nobody has seen it.
    at("POST", path).is(500, "internal_error");
    bench.sql("UPDATE secrets SET secret = SUBSTR(secret, 22)");
    assert_eq!(at("GET", path).body, before);
    bench.sql("UPDATE secrets SET secret = 'sealed1:key_0badc0de:' || secret");
    // Without an overlap, the one that is lost is needed no more.
    let replaced = send(bench.admin(), "POST", path, &headers, br#"{"overlap_hours": 0}"#);
    assert_eq!(replaced.status, 200, "{}", replaced.body);
    assert_eq!(at("GET", path).body, replaced.body);
    // Public keys are no secret, and a key that is lost can be replaced.
    bench.get("/api/v1/keys").good("Keys");
    let (_, dives) = bench.token(Mode::Test, &Scope::DEFAULT);
    let opened =
        bench.post_as(&dives, "/api/v1/dive/open", &json!({"stage_id": "billing-dispute", "seed": 1})).json();
    let close = format!("/api/v1/dive/{}/close", opened["dive_id"].as_str().expect("is open"));
    let closed = bench.post_as(&dives, &close, &json!({}));
    closed.is(500, "internal_error");
    assert!(!closed.body.contains("0badc0de") && !closed.body.contains("SONOMETER"), "{}", closed.body);
    assert_eq!(at("POST", "/admin/v1/signing-keys/rotate").status, 200);
    assert_eq!(bench.post_as(&dives, &close, &json!({})).status, 200);
}
