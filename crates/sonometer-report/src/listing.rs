//! What ships or is published, as JSON in the shape of the interface document: the same from the command and from the service. Patterns,
//! weights of markers and thresholds are shown nowhere.

use crate::json::number;
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer::instrument::Part;
use sonometer::protocol::Modality;
use sonometer::{Blueprint, Instrument, Metric, Protocol, TargetKind, Unit};

const AGGREGATION: &str = "weighted_average";

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// What the items are called, such as `protocols`.
    pub name: &'static str,
    /// Those of the page.
    pub items: Vec<T>,
    /// How many there are on all pages.
    pub total: usize,
    /// The most items of a page.
    pub limit: u64,
    /// How many items were skipped.
    pub offset: u64,
}

impl<T: Serialize> Serialize for Page<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry(self.name, &self.items)?;
        map.serialize_entry("total", &self.total)?;
        map.serialize_entry("limit", &self.limit)?;
        map.serialize_entry("offset", &self.offset)?;
        map.end()
    }
}

/// A protocol in a list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ProtocolItem<'a> {
    id: &'a str,
    name: &'a str,
    versions: Vec<&'a str>,
    taxonomy: &'static str,
    status: &'static str,
    metamarker_count: usize,
    supported_modalities: Vec<&'static str>,
}

impl<'a> ProtocolItem<'a> {
    /// Described by one of its versions.
    pub fn new(protocol: &'a Protocol, versions: Vec<&'a str>) -> Self {
        Self {
            id: &protocol.id,
            name: &protocol.name,
            versions,
            taxonomy: protocol.taxonomy.as_str(),
            status: protocol.status.as_str(),
            metamarker_count: protocol.markers.len(),
            supported_modalities: names(&protocol.modalities),
        }
    }
}

/// A protocol by itself.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ProtocolSingle<'a> {
    id: &'a str,
    name: &'a str,
    version: &'a str,
    versions_available: Vec<&'a str>,
    taxonomy: &'static str,
    status: &'static str,
    description: &'a str,
    metamarkers: Vec<Metamarker<'a>>,
    supported_modalities: Vec<&'static str>,
    sgm_version: &'static str,
}

#[derive(Clone, Debug, serde::Serialize)]
struct Metamarker<'a> {
    label: &'a str,
    description: &'a str,
    importance: &'static str,
}

impl<'a> ProtocolSingle<'a> {
    /// One version, with the numbers of all.
    pub fn new(protocol: &'a Protocol, versions_available: Vec<&'a str>) -> Self {
        let markers = protocol.markers.iter().map(|marker| Metamarker {
            label: &marker.label,
            description: &marker.description,
            importance: marker.importance.as_str(),
        });
        Self {
            id: &protocol.id,
            name: &protocol.name,
            version: &protocol.version,
            versions_available,
            taxonomy: protocol.taxonomy.as_str(),
            status: protocol.status.as_str(),
            description: &protocol.description,
            metamarkers: markers.collect(),
            supported_modalities: names(&protocol.modalities),
            sgm_version: protocol.sgm.as_str(),
        }
    }
}

/// A metric in a list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MetricItem<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    protocol_count: usize,
    aggregation: &'static str,
}

impl<'a> From<&'a Metric> for MetricItem<'a> {
    fn from(metric: &'a Metric) -> Self {
        Self {
            id: &metric.id,
            name: &metric.name,
            status: metric.status.as_str(),
            protocol_count: metric.components.len(),
            aggregation: AGGREGATION,
        }
    }
}

/// A metric by itself.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MetricSingle<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    components: Vec<Weighted<'a>>,
    aggregation: &'static str,
}

#[derive(Clone, Debug, serde::Serialize)]
struct Weighted<'a> {
    protocol_id: &'a str,
    #[serde(serialize_with = "number")]
    weight: Unit,
}

impl<'a> From<&'a Metric> for MetricSingle<'a> {
    fn from(metric: &'a Metric) -> Self {
        let parts = metric.components.iter();
        let parts = parts.map(|part| Weighted { protocol_id: &part.protocol.id, weight: part.weight });
        Self {
            id: &metric.id,
            name: &metric.name,
            status: metric.status.as_str(),
            components: parts.collect(),
            aggregation: AGGREGATION,
        }
    }
}

/// A blueprint in a list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BlueprintItem<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    protocol_count: usize,
    metric_count: usize,
}

impl<'a> From<&'a Blueprint> for BlueprintItem<'a> {
    fn from(blueprint: &'a Blueprint) -> Self {
        Self {
            id: &blueprint.id,
            name: &blueprint.name,
            status: blueprint.status.as_str(),
            protocol_count: blueprint.protocols.len(),
            metric_count: blueprint.metrics.len(),
        }
    }
}

/// A blueprint by itself.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BlueprintSingle<'a> {
    id: &'a str,
    name: &'a str,
    description: &'a str,
    status: &'static str,
    protocols: Vec<Counted<'a>>,
    metrics: Vec<Aggregated<'a>>,
    supported_modalities: Vec<&'static str>,
}

#[derive(Clone, Debug, serde::Serialize)]
struct Counted<'a> {
    id: &'a str,
    version: &'a str,
    metamarker_count: usize,
}

#[derive(Clone, Debug, serde::Serialize)]
struct Aggregated<'a> {
    id: &'a str,
    aggregation: &'static str,
}

impl<'a> BlueprintSingle<'a> {
    /// With its parts in the versions that `whole`, the same blueprint made ready, took.
    pub fn new(blueprint: &'a Blueprint, whole: &'a Instrument) -> Self {
        let parts = |kind| whole.parts().iter().filter(move |part: &&Part| part.kind == kind);
        let protocols = parts(TargetKind::Protocol).map(|part| Counted {
            id: &part.id,
            version: &part.version,
            metamarker_count: whole.sensors()[part.of[0].sensor].protocol().markers.len(),
        });
        let metrics = parts(TargetKind::Metric);
        Self {
            id: &blueprint.id,
            name: &blueprint.name,
            description: &blueprint.description,
            status: blueprint.status.as_str(),
            protocols: protocols.collect(),
            metrics: metrics.map(|part| Aggregated { id: &part.id, aggregation: AGGREGATION }).collect(),
            supported_modalities: names(&whole.modalities()),
        }
    }
}

/// The modalities as the engine calls them.
pub fn names(modalities: &[Modality]) -> Vec<&'static str> {
    modalities.iter().copied().map(Modality::as_str).collect()
}
