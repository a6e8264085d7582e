//! The identity of metrics and blueprints: canonical JSON and the SHA-256 of that, as protocols have.

use super::{Blueprint, Metric, keys};
use crate::keys::canonical::{canonical, sha256};

impl Metric {
    /// The canonical JSON: every key with its value, defaults included, keys in the order of their bytes, no white space.
    /// Reading it back gives the same metric.
    pub fn to_canonical_json(&self) -> String {
        canonical(&keys::METRIC, &|to| {
            to.head(
                "sonometer_metric",
                [&self.id, &self.name, &self.version, self.status.as_str(), &self.description],
            );
            to.text("aggregation", "weighted_average");
            to.maps("components", self.components.len(), &|at, to| {
                let component = &self.components[at];
                to.text("protocol", &component.protocol.to_string());
                to.number("weight", component.weight);
                to.truth("complement", component.complement);
            });
        })
    }

    /// The identity of this version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }
}

impl Blueprint {
    /// The canonical JSON, as [`Metric::to_canonical_json`].
    pub fn to_canonical_json(&self) -> String {
        canonical(&keys::BLUEPRINT, &|to| {
            to.head(
                "sonometer_blueprint",
                [&self.id, &self.name, &self.version, self.status.as_str(), &self.description],
            );
            to.list("protocols", &|json| {
                self.protocols.iter().for_each(|named| json.string(&named.to_string()))
            });
            to.list("metrics", &|json| self.metrics.iter().for_each(|named| json.string(&named.to_string())));
        })
    }

    /// The identity of this version, as [`Metric::digest`].
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }
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
