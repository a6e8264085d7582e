//! Secrets in the store: encrypted with keys that are not in it.

use crate::database::{self, Database};
use sonometer_service::vault::{Vault, new_key};
use sonometer_service::{Service, Store};
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
