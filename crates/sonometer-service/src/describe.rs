//! What the service can do, for programs: `GET /api/v1/capabilities`.

use crate::Service;
use serde::Serialize;
use sonometer::Profile;
use std::collections::BTreeMap;

/// The model iterations: version, status, capabilities.
pub const SGM_VERSIONS: [(&str, &str, &[&str]); 2] = [
    ("1.0", "stable", &["sensing", "fidelity", "evidence"]),
    ("1.5", "preview", &["sensing", "fidelity", "evidence", "signal_analysis", "actant_flow", "temporal"]),
];

#[derive(Serialize)]
struct Capabilities {
    api_version: &'static str,
    sgm_versions: BTreeMap<&'static str, Iteration>,
    tools: [Tool; 4],
    profiles: &'static [&'static str],
    supported_modalities: Vec<&'static str>,
    billing_unit: &'static str,
    billing_model: &'static str,
}

#[derive(Serialize)]
struct Iteration {
    status: &'static str,
    capabilities: &'static [&'static str],
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    description: &'static str,
    endpoint: &'static str,
    required_params: &'static [&'static str],
    optional_params: &'static [&'static str],
    cost: &'static str,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "sense",
        description: "Measure an interaction against a protocol, metric or blueprint.",
        endpoint: "POST /api/v1/sense",
        required_params: &["target", "interaction"],
        optional_params: &["profile", "v1_5", "callback"],
        cost: "1 ICS per triggered metamarker",
    },
    Tool {
        name: "fidelity_check",
        description: "Check whether content holds enough signal for a reliable measurement.",
        endpoint: "POST /api/v1/fidelity/check",
        required_params: &["target", "interaction"],
        optional_params: &[],
        cost: "free",
    },
    Tool {
        name: "compare",
        description: "Measure two interactions and return what lies between them.",
        endpoint: "POST /api/v1/sense/compare",
        required_params: &["target", "interaction_a", "interaction_b"],
        optional_params: &[],
        cost: "1 ICS per triggered metamarker of either interaction",
    },
    Tool {
        name: "check_usage",
        description: "Read the ICS consumption and quota of the current period.",
        endpoint: "GET /api/v1/usage",
        required_params: &[],
        optional_params: &[],
        cost: "free",
    },
];

pub(crate) fn sgm_statuses() -> BTreeMap<&'static str, &'static str> {
    SGM_VERSIONS.into_iter().map(|(version, status, _)| (version, status)).collect()
}

impl Service {
    /// `GET /api/v1/capabilities`.
    pub fn capabilities(&self) -> String {
        let iterations = SGM_VERSIONS.into_iter();
        crate::json::text(&Capabilities {
            api_version: "v1",
            sgm_versions: iterations
                .map(|(version, status, capabilities)| (version, Iteration { status, capabilities }))
                .collect(),
            tools: TOOLS,
            profiles: Profile::NAMES,
            supported_modalities: self.modalities(),
            billing_unit: "ICS",
            billing_model: "outcome-based",
        })
    }
}
