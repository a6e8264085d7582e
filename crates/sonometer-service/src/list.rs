//! The catalogue as an organization sees it. Patterns, weights of markers and thresholds are shown nowhere.

use crate::catalogue::{Shelf, choose};
use crate::json::number;
use crate::refusal::{Refusal, shown};
use crate::usage::names;
use crate::{Caller, Service};
use serde::Serialize;
use sonometer::composition::Standing;
use sonometer::instrument::Part;
use sonometer::protocol::{Status, Taxonomy};
use sonometer::{Blueprint, Instrument, Metric, Protocol, TargetKind, Unit};

/// The longest page.
pub(crate) const MAX_LIMIT: u64 = 100;
/// The page where nothing is said.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

/// Which protocols by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusFilter {
    /// Those with a published version.
    #[default]
    Published,
    /// Those with a draft.
    Draft,
    /// Both.
    All,
}

/// What of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// So many items at most, 1 to [`MAX_LIMIT`].
    pub limit: u64,
    /// How many items to skip first.
    pub offset: u64,
    /// By state; protocols only.
    pub status: StatusFilter,
    /// By family; protocols only.
    pub taxonomy: Option<Taxonomy>,
}

impl Default for Listing {
    fn default() -> Self {
        Self { limit: DEFAULT_LIMIT, offset: 0, status: StatusFilter::default(), taxonomy: None }
    }
}

#[derive(Serialize)]
struct Protocols<'a> {
    protocols: Vec<ProtocolItem<'a>>,
    total: usize,
    limit: u64,
    offset: u64,
}

#[derive(Serialize)]
struct ProtocolItem<'a> {
    id: &'a str,
    name: &'a str,
    versions: Vec<&'a str>,
    taxonomy: &'static str,
    status: &'static str,
    metamarker_count: usize,
    supported_modalities: Vec<&'static str>,
}

#[derive(Serialize)]
struct ProtocolSingle<'a> {
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

#[derive(Serialize)]
struct Metamarker<'a> {
    label: &'a str,
    description: &'a str,
    importance: &'static str,
}

#[derive(Serialize)]
struct Metrics<'a> {
    metrics: Vec<MetricItem<'a>>,
    total: usize,
    limit: u64,
    offset: u64,
}

#[derive(Serialize)]
struct MetricItem<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    protocol_count: usize,
    aggregation: &'static str,
}

#[derive(Serialize)]
struct MetricSingle<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    components: Vec<Weighted<'a>>,
    aggregation: &'static str,
}

#[derive(Serialize)]
struct Weighted<'a> {
    protocol_id: &'a str,
    #[serde(serialize_with = "number")]
    weight: Unit,
}

#[derive(Serialize)]
struct Blueprints<'a> {
    blueprints: Vec<BlueprintItem<'a>>,
    total: usize,
    limit: u64,
    offset: u64,
}

#[derive(Serialize)]
struct BlueprintItem<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    protocol_count: usize,
    metric_count: usize,
}

#[derive(Serialize)]
struct BlueprintSingle<'a> {
    id: &'a str,
    name: &'a str,
    description: &'a str,
    status: &'static str,
    protocols: Vec<Counted<'a>>,
    metrics: Vec<Aggregated<'a>>,
    supported_modalities: Vec<&'static str>,
}

#[derive(Serialize)]
struct Counted<'a> {
    id: &'a str,
    version: &'a str,
    metamarker_count: usize,
}

#[derive(Serialize)]
struct Aggregated<'a> {
    id: &'a str,
    aggregation: &'static str,
}

const AGGREGATION: &str = "weighted_average";

impl Service {
    /// `GET /api/v1/protocols`: one item for each id, by id; described by its latest published version, else (or where
    /// drafts are asked for) by its latest draft.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn protocols(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let wanted = |status: Status| match listing.status {
            StatusFilter::Published => status == Status::Published,
            StatusFilter::Draft => status == Status::Draft,
            StatusFilter::All => matches!(status, Status::Published | Status::Draft),
        };
        let mut items = Vec::new();
        for id in ids(shelf.protocols().map(|p| p.id.as_str())) {
            let of_it = || shelf.protocols().filter(|p| p.id == id && wanted(p.status));
            let latest =
                |status| choose(of_it().map(|p| (p, &*p.id, &*p.version, p.status == status)), id, None);
            let Some(shown) = latest(Status::Published).or_else(|| latest(Status::Draft)) else { continue };
            if listing.taxonomy.is_some_and(|taxonomy| taxonomy != shown.taxonomy) {
                continue;
            }
            items.push(ProtocolItem {
                id: &shown.id,
                name: &shown.name,
                versions: of_it().map(|p| p.version.as_str()).collect(),
                taxonomy: shown.taxonomy.as_str(),
                status: shown.status.as_str(),
                metamarker_count: shown.markers.len(),
                supported_modalities: names(&shown.modalities),
            });
        }
        let (total, protocols) = page(items, listing);
        Ok(crate::json::text(&Protocols { protocols, total, limit: listing.limit, offset: listing.offset }))
    }

    /// `GET /api/v1/protocols/{id}`: the latest published version (else the latest draft), or the version asked for.
    ///
    /// # Errors
    /// `target_not_found`, `unavailable`.
    pub async fn protocol(
        &self,
        caller: &Caller,
        id: &str,
        version: Option<&str>,
    ) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let state =
            |status: Status| shelf.protocols().map(move |p| (p, &*p.id, &*p.version, p.status == status));
        let protocol = choose(state(Status::Published), id, version)
            .or_else(|| choose(state(Status::Draft), id, version))
            .ok_or_else(|| shelf.missing(TargetKind::Protocol, id, version))?;
        Ok(crate::json::text(&single(protocol, &shelf)))
    }

    /// `GET /api/v1/metrics`: the latest active version of each, by id.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn metrics(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let all = ids(shelf.metrics().map(|m| m.id.as_str()));
        let latest = all.into_iter().filter_map(|id| metric(&shelf, id, None));
        let items: Vec<_> = latest
            .map(|metric| MetricItem {
                id: &metric.id,
                name: &metric.name,
                status: metric.status.as_str(),
                protocol_count: metric.components.len(),
                aggregation: AGGREGATION,
            })
            .collect();
        let (total, metrics) = page(items, listing);
        Ok(crate::json::text(&Metrics { metrics, total, limit: listing.limit, offset: listing.offset }))
    }

    /// `GET /api/v1/metrics/{id}`: the latest active version, or the version asked for.
    ///
    /// # Errors
    /// `target_not_found`, `unavailable`.
    pub async fn metric(&self, caller: &Caller, id: &str, version: Option<&str>) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let metric =
            metric(&shelf, id, version).ok_or_else(|| shelf.missing(TargetKind::Metric, id, version))?;
        Ok(crate::json::text(&MetricSingle {
            id: &metric.id,
            name: &metric.name,
            status: metric.status.as_str(),
            components: metric
                .components
                .iter()
                .map(|part| Weighted { protocol_id: &part.protocol.id, weight: part.weight })
                .collect(),
            aggregation: AGGREGATION,
        }))
    }

    /// `GET /api/v1/blueprints`: the latest active version of each, by id.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn blueprints(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let all = ids(shelf.blueprints().map(|b| b.id.as_str()));
        let latest = all.into_iter().filter_map(|id| blueprint(&shelf, id, None));
        let items: Vec<_> = latest
            .map(|blueprint| BlueprintItem {
                id: &blueprint.id,
                name: &blueprint.name,
                status: blueprint.status.as_str(),
                protocol_count: blueprint.protocols.len(),
                metric_count: blueprint.metrics.len(),
            })
            .collect();
        let (total, blueprints) = page(items, listing);
        Ok(crate::json::text(&Blueprints { blueprints, total, limit: listing.limit, offset: listing.offset }))
    }

    /// `GET /api/v1/blueprints/{id}`: the latest active version, or the version asked for.
    ///
    /// # Errors
    /// `target_not_found`, `unavailable`.
    pub async fn blueprint(
        &self,
        caller: &Caller,
        id: &str,
        version: Option<&str>,
    ) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let none = || shelf.missing(TargetKind::Blueprint, id, version);
        let blueprint = blueprint(&shelf, id, version).ok_or_else(none)?;
        let whole = Instrument::blueprint(blueprint, &*shelf).map_err(Refusal::from)?;
        let parts = |kind| whole.parts().iter().filter(move |part: &&Part| part.kind == kind);
        let protocols = parts(TargetKind::Protocol).map(|part| Counted {
            id: &part.id,
            version: &part.version,
            metamarker_count: whole.sensors()[part.of[0].sensor].protocol().markers.len(),
        });
        let metrics = parts(TargetKind::Metric);
        Ok(crate::json::text(&BlueprintSingle {
            id: &blueprint.id,
            name: &blueprint.name,
            description: &blueprint.description,
            status: blueprint.status.as_str(),
            protocols: protocols.collect(),
            metrics: metrics.map(|part| Aggregated { id: &part.id, aggregation: AGGREGATION }).collect(),
            supported_modalities: names(&whole.modalities()),
        }))
    }
}

fn single<'a>(protocol: &'a Protocol, shelf: &'a Shelf) -> ProtocolSingle<'a> {
    let there = shelf.protocols().filter(|p| p.id == protocol.id && p.status != Status::Archived);
    let markers = protocol.markers.iter().map(|marker| Metamarker {
        label: &marker.label,
        description: &marker.description,
        importance: marker.importance.as_str(),
    });
    ProtocolSingle {
        id: &protocol.id,
        name: &protocol.name,
        version: &protocol.version,
        versions_available: there.map(|p| p.version.as_str()).collect(),
        taxonomy: protocol.taxonomy.as_str(),
        status: protocol.status.as_str(),
        description: &protocol.description,
        metamarkers: markers.collect(),
        supported_modalities: names(&protocol.modalities),
        sgm_version: protocol.sgm.as_str(),
    }
}

fn metric<'a>(shelf: &'a Shelf, id: &str, version: Option<&str>) -> Option<&'a Metric> {
    choose(shelf.metrics().map(|m| (m, &*m.id, &*m.version, m.status == Standing::Active)), id, version)
}

fn blueprint<'a>(shelf: &'a Shelf, id: &str, version: Option<&str>) -> Option<&'a Blueprint> {
    choose(shelf.blueprints().map(|b| (b, &*b.id, &*b.version, b.status == Standing::Active)), id, version)
}

/// Each id once, sorted.
fn ids<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut ids: Vec<&str> = all.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// How many there are, and those of the page.
fn page<T>(items: Vec<T>, listing: &Listing) -> (usize, Vec<T>) {
    let total = items.len();
    let skip = usize::try_from(listing.offset).unwrap_or(usize::MAX);
    let take = usize::try_from(listing.limit).unwrap_or(usize::MAX);
    (total, items.into_iter().skip(skip).take(take).collect())
}

impl Listing {
    /// Reads the parameters of a list: pairs of a query. `known` are those that this list has.
    ///
    /// # Errors
    /// `invalid_request` for an unknown or repeated parameter and for a bad value.
    pub fn read(pairs: &[(String, String)], known: &[&str]) -> Result<Self, Refusal> {
        let mut listing = Self::default();
        for (at, (name, value)) in pairs.iter().enumerate() {
            let bad = |message: String| Refusal::invalid(shown(name), message);
            if !known.contains(&name.as_str()) {
                let there = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(bad(format!("unknown parameter `{}`; parameters: {there}", shown(name))));
            }
            if pairs[..at].iter().any(|(before, _)| before == name) {
                return Err(bad(format!("`{name}` appears twice")));
            }
            let whole = |least: u64, most: u64| {
                let digits =
                    !value.is_empty() && value.len() <= 19 && value.bytes().all(|b| b.is_ascii_digit());
                let number = digits.then(|| value.parse::<u64>().ok()).flatten();
                number
                    .filter(|number| (least..=most).contains(number))
                    .ok_or_else(|| bad(format!("`{name}` is not a whole number from {least} to {most}")))
            };
            match name.as_str() {
                "limit" => listing.limit = whole(1, MAX_LIMIT)?,
                "offset" => listing.offset = whole(0, 1 << 53)?,
                "status" => {
                    listing.status = match value.as_str() {
                        "published" => StatusFilter::Published,
                        "draft" => StatusFilter::Draft,
                        "all" => StatusFilter::All,
                        _ => return Err(bad("`status` is not one of published, draft, all".to_owned())),
                    }
                }
                "taxonomy" => {
                    let taxonomy = Taxonomy::from_name(value);
                    let names = Taxonomy::NAMES.join(", ");
                    listing.taxonomy =
                        Some(taxonomy.ok_or_else(|| bad(format!("`taxonomy` is not one of {names}")))?);
                }
                _ => {}
            }
        }
        Ok(listing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &[(&str, &str)]) -> Result<Listing, String> {
        let pairs: Vec<_> = query.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Listing::read(&pairs, &["limit", "offset", "status", "taxonomy"])
            .map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn reads_pages_and_filters() {
        assert_eq!(read(&[]), Ok(Listing::default()));
        let all =
            read(&[("limit", "100"), ("offset", "7"), ("status", "all"), ("taxonomy", "Good_Practice")]);
        let all = all.expect("is good");
        assert_eq!((all.limit, all.offset, all.status), (100, 7, StatusFilter::All));
        assert_eq!(all.taxonomy, Some(Taxonomy::GoodPractice));
        for bad in [
            ("limit", "0"),
            ("limit", "101"),
            ("limit", ""),
            ("limit", "+5"),
            ("limit", "1e1"),
            ("offset", "-1"),
            ("offset", "99999999999999999999"),
            ("status", "Published"),
            ("taxonomy", "signal"),
            ("sort", "id"),
        ] {
            let refusal = read(&[bad]).expect_err(bad.0);
            assert!(refusal.starts_with("invalid_request") && refusal.contains(bad.0), "{refusal}");
        }
        assert!(read(&[("limit", "5"), ("limit", "6")]).expect_err("twice").contains("twice"));
    }
}
