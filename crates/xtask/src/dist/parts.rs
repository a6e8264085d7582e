//! Lists of parts (a software bill of materials) in CycloneDX 1.5, one beside each artifact with a program or a library.
//!
//! Written here because the tools either take minutes to build or name folders of the machine; the official schema is asked by
//! `--try`. Without a serial number, which would have to be random.

use super::metadata::{Metadata, Package, Part, Tree};
use super::setting::Setting;
use crate::test::root;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Writes the list of an artifact beside it, and gives its name.
pub(super) fn write(setting: &Setting, tree: &Tree, kind: &str, artifact: &str) -> Result<String, String> {
    let file = format!("{artifact}.cdx.json");
    super::write(&setting.out.join(&file), list(setting, tree, kind)?)?;
    Ok(file)
}

/// The list of what a tree holds; `kind` says what the whole is, `application` or `library`.
pub(super) fn list(setting: &Setting, tree: &Tree, kind: &str) -> Result<String, String> {
    list_at(&setting.metadata, setting.epoch, tree, kind)
}

fn list_at(metadata: &Metadata, epoch: u64, tree: &Tree, kind: &str) -> Result<String, String> {
    let sums = checksums(&String::from_utf8_lossy(&super::read(&root().join("Cargo.lock"))?));
    let component = |part: &Part, kind: &str| Ok(component(metadata.find(part)?, kind, sums.get(part)));
    let parts: Result<Vec<Value>, String> = tree.parts().map(|part| component(part, "library")).collect();
    let needs: Vec<Value> = tree
        .needs
        .iter()
        .map(|(part, needs)| json!({"ref": purl(part), "dependsOn": needs.iter().map(purl).collect::<Vec<String>>()}))
        .collect();
    let time = jiff::Timestamp::from_second(i64::try_from(epoch).unwrap_or_default());
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.map_err(|e| format!("SOURCE_DATE_EPOCH: {e}"))?.to_string(),
            "tools": {"components": [{"type": "application", "name": "cargo xtask dist"}]},
            "component": component(&tree.root, kind)?,
        },
        "components": parts?,
        "dependencies": needs,
    });
    let text = serde_json::to_string_pretty(&list).map_err(|e| format!("list of parts: {e}"))?;
    Ok(text + "\n")
}

fn component(package: &Package, kind: &str, sum: Option<&String>) -> Value {
    let part = (package.name.clone(), package.version.clone());
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(&part),
        "name": package.name,
        "version": package.version,
        "purl": purl(&part),
    });
    if let Some(licence) = &package.license {
        // The form of old manifests.
        component["licenses"] = json!([{"expression": licence.replace('/', " OR ").replace("  ", " ")}]);
    }
    if let Some(description) = &package.description {
        component["description"] = json!(description.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    if let Some(sum) = sum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}

/// The name of a crate that every tool understands.
fn purl((name, version): &Part) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// The sums of the packages that come from a registry, from the lock file.
fn checksums(lock: &str) -> BTreeMap<Part, String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        line.strip_suffix('"').map(str::to_owned)
    };
    let sums = lock.split("[[package]]").filter_map(|block| {
        Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?))
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_has_a_sum_of_every_package_from_elsewhere() {
        let lock = String::from_utf8(crate::dist::read(&root().join("Cargo.lock")).expect("is there"))
            .expect("is text");
        let sums = checksums(&lock);
        assert_eq!(sums.len(), lock.matches("\nchecksum = ").count());
        assert!(sums.values().all(|sum| sum.len() == 64));
    }

    #[test]
    fn names_and_licences_are_written_as_tools_read_them() {
        assert_eq!(purl(&("a".into(), "1.0.0+zstd".into())), "pkg:cargo/a@1.0.0%2Bzstd");
        let metadata = Metadata::read().expect("cargo knows its packages");
        let tree = Tree::of("sonometer-cli", "x86_64-unknown-linux-gnu").expect("the command has parts");
        let list = list_at(&metadata, 1_000_000_000, &tree, "application").expect("is made");
        let list: Value = serde_json::from_str(&list).expect("is JSON");
        assert_eq!(list["metadata"]["timestamp"], "2001-09-09T01:46:40Z");
        let components = list["components"].as_array().expect("has parts");
        assert_eq!(components.len() + 1, list["dependencies"].as_array().map_or(0, Vec::len));
        for part in components {
            let licence = part["licenses"][0]["expression"].as_str().unwrap_or_default();
            assert!(!licence.is_empty() && !licence.contains('/'), "{part}");
        }
    }
}
