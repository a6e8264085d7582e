//! The identity of metrics and blueprints: canonical JSON and the SHA-256 of that, as protocols have.

use super::{Blueprint, Metric, Reference};
use crate::json::Json;
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl Metric {
    /// The canonical JSON: every key with its value, defaults included, keys in the order of their bytes, no white space.
    /// Reading it back gives the same metric.
    pub fn to_canonical_json(&self) -> String {
        written(|json| {
            json.key("aggregation").string("weighted_average");
            json.key("components").list(|json| {
                for component in &self.components {
                    json.object(|json| {
                        json.key("complement").bool(component.complement);
                        json.key("protocol").string(&component.protocol.to_string());
                        json.key("weight").number(component.weight);
                    });
                }
            });
            json.key("description").string(&self.description);
            json.key("id").string(&self.id);
            json.key("name").string(&self.name);
            json.key("sonometer_metric").count(1);
            json.key("status").string(self.status.as_str());
            json.key("version").string(&self.version);
        })
    }

    /// The identity of this version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        digest(&self.to_canonical_json())
    }
}

impl Blueprint {
    /// The canonical JSON, as [`Metric::to_canonical_json`].
    pub fn to_canonical_json(&self) -> String {
        written(|json| {
            json.key("description").string(&self.description);
            json.key("id").string(&self.id);
            json.key("metrics");
            references(json, &self.metrics);
            json.key("name").string(&self.name);
            json.key("protocols");
            references(json, &self.protocols);
            json.key("sonometer_blueprint").count(1);
            json.key("status").string(self.status.as_str());
            json.key("version").string(&self.version);
        })
    }

    /// The identity of this version, as [`Metric::digest`].
    pub fn digest(&self) -> String {
        digest(&self.to_canonical_json())
    }
}

fn written(inside: impl FnOnce(&mut Json)) -> String {
    let mut json = Json::default();
    json.object(inside);
    json.into_text()
}

fn references(json: &mut Json, references: &[Reference]) {
    json.list(|json| references.iter().for_each(|reference| json.string(&reference.to_string())));
}

fn digest(canonical: &str) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(canonical.as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_json_reads_back_as_the_same() {
        let source = r#"{"sonometer_metric": 1, "id": "m", "version": "1.0", "components": [
            {"protocol": "a@2", "weight": 0.5}, {"protocol": "b", "complement": true}]}"#;
        let (metric, _) = Metric::read(source).expect("reads");
        let canonical = metric.to_canonical_json();
        assert_eq!(
            canonical,
            r#"{"aggregation":"weighted_average","components":[{"complement":false,"protocol":"a@2","weight":0.5},{"complement":true,"protocol":"b","weight":1}],"description":"","id":"m","name":"m","sonometer_metric":1,"status":"active","version":"1.0"}"#
        );
        assert_eq!(Metric::read(&canonical).expect("reads back").0, metric);
        let source = r#"{"sonometer_blueprint": 1, "id": "b", "version": "1", "protocols": "a", "metrics": ["m@1.0"]}"#;
        let (blueprint, _) = Blueprint::read(source).expect("reads");
        let canonical = blueprint.to_canonical_json();
        assert_eq!(Blueprint::read(&canonical).expect("reads back").0, blueprint);
        assert_ne!(metric.digest(), blueprint.digest());
    }
}
