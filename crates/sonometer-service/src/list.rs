//! The catalogue as an organization sees it. Patterns, weights of markers and thresholds are shown nowhere.

use crate::catalogue::{Shelf, choose};
use crate::refusal::{Refusal, shown};
use crate::request::Target;
use crate::{Caller, Service};
use serde::Serialize;
use sonometer::composition::Standing;
use sonometer::protocol::{Status, Taxonomy};
use sonometer::{Blueprint, Metric, Protocol, TargetKind};
use sonometer_report::listing::{
    BlueprintItem, BlueprintSingle, MetricItem, MetricSingle, Page, ProtocolItem, ProtocolSingle,
};
use std::collections::BTreeMap;

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

impl Service {
    /// `GET /api/v1/protocols`: one item for each id, by id; described by its latest published version, else (or where
    /// drafts are asked for) by its latest draft.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn protocols(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let shown = protocols(&shelf, listing);
        let item = |(shown, versions): (_, Vec<_>)| ProtocolItem::new(shown, versions);
        Ok(page("protocols", shown, listing, item))
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
        let there = shelf.protocols().filter(|p| p.id == protocol.id && p.status != Status::Archived);
        let versions = there.map(|p| p.version.as_str()).collect();
        Ok(crate::json::text(&ProtocolSingle::new(protocol, versions)))
    }

    /// `GET /api/v1/metrics`: the latest active version of each, by id.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn metrics(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let all = by_id(shelf.metrics().map(|m| (m.id.as_str(), m)));
        let latest = all.into_iter().filter_map(|(id, of_it)| metric(of_it.into_iter(), id, None));
        Ok(page("metrics", latest.collect(), listing, MetricItem::from))
    }

    /// `GET /api/v1/metrics/{id}`: the latest active version, or the version asked for.
    ///
    /// # Errors
    /// `target_not_found`, `unavailable`.
    pub async fn metric(&self, caller: &Caller, id: &str, version: Option<&str>) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let metric = metric(shelf.metrics(), id, version)
            .ok_or_else(|| shelf.missing(TargetKind::Metric, id, version))?;
        Ok(crate::json::text(&MetricSingle::from(metric)))
    }

    /// `GET /api/v1/blueprints`: the latest active version of each, by id.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn blueprints(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let shelf = self.shelf(caller).await?;
        let all = by_id(shelf.blueprints().map(|b| (b.id.as_str(), b)));
        let latest = all.into_iter().filter_map(|(id, of_it)| blueprint(of_it.into_iter(), id, None));
        Ok(page("blueprints", latest.collect(), listing, BlueprintItem::from))
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
        let blueprint = blueprint(shelf.blueprints(), id, version).ok_or_else(none)?;
        // The version that was found: what nobody used yet is made ready when it is the turn of the organization.
        let version = Some(blueprint.version.clone());
        let target = Target { kind: TargetKind::Blueprint, id: id.to_owned(), version };
        let whole = self.tool_of(caller.org(), &shelf, &target).await?;
        Ok(crate::json::text(&BlueprintSingle::new(blueprint, &whole)))
    }
}

/// Of all versions of each protocol those that are asked for, and the one that describes it.
fn protocols<'s>(shelf: &'s Shelf, listing: &Listing) -> Vec<(&'s Protocol, Vec<&'s str>)> {
    let wanted = |status: Status| match listing.status {
        StatusFilter::Published => status == Status::Published,
        StatusFilter::Draft => status == Status::Draft,
        StatusFilter::All => matches!(status, Status::Published | Status::Draft),
    };
    let all = by_id(shelf.protocols().filter(|p| wanted(p.status)).map(|p| (p.id.as_str(), p)));
    let shown = all.into_iter().filter_map(|(id, of_it)| {
        let latest =
            |status| choose(of_it.iter().map(|p| (*p, &*p.id, &*p.version, p.status == status)), id, None);
        let shown = latest(Status::Published).or_else(|| latest(Status::Draft))?;
        Some((shown, of_it.iter().map(|p| p.version.as_str()).collect()))
    });
    let is_asked = |shown: &Protocol| listing.taxonomy.is_none_or(|taxonomy| taxonomy == shown.taxonomy);
    shown.filter(|(shown, _)| is_asked(shown)).collect()
}

fn metric<'a>(all: impl Iterator<Item = &'a Metric>, id: &str, version: Option<&str>) -> Option<&'a Metric> {
    choose(all.map(|m| (m, &*m.id, &*m.version, m.status == Standing::Active)), id, version)
}

fn blueprint<'a>(
    all: impl Iterator<Item = &'a Blueprint>,
    id: &str,
    version: Option<&str>,
) -> Option<&'a Blueprint> {
    choose(all.map(|b| (b, &*b.id, &*b.version, b.status == Standing::Active)), id, version)
}

/// The versions of each id, by id: found in one pass, for an organization may have thousands.
fn by_id<'a, T>(all: impl Iterator<Item = (&'a str, &'a T)>) -> BTreeMap<&'a str, Vec<&'a T>> {
    let mut ids: BTreeMap<&str, Vec<&T>> = BTreeMap::new();
    all.for_each(|(id, one)| ids.entry(id).or_default().push(one));
    ids
}

/// The page that is asked for, as JSON.
fn page<A, T: Serialize>(
    name: &'static str,
    all: Vec<A>,
    listing: &Listing,
    item: impl FnMut(A) -> T,
) -> String {
    let &Listing { limit, offset, .. } = listing;
    let total = all.len();
    let skip = usize::try_from(offset).unwrap_or(usize::MAX);
    let take = usize::try_from(limit).unwrap_or(usize::MAX);
    let items = all.into_iter().skip(skip).take(take).map(item).collect();
    crate::json::text(&Page { name, items, total, limit, offset })
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
    use crate::store::TargetRow;
    use std::sync::Arc;

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

    #[test]
    fn a_list_takes_one_pass_however_many_there_are() {
        const MANY: usize = 3_000;
        let source = "sonometer: 1\nid: own-0\nversion: \"1.0\"\nstatus: published\ntaxonomy: Policy\nlanguage: en\n\
                      markers:\n  - label: cat\n    strong: the cat\n    hit: the cat\n    miss: a dog\n";
        let row = |number: usize| TargetRow {
            kind: TargetKind::Protocol,
            id: format!("own-{number}"),
            version: "1.0".to_owned(),
            status: "published".to_owned(),
            digest: String::new(),
            source: source.replace("own-0", &format!("own-{number}")),
        };
        let shelf = Shelf::of(&(0..MANY).map(row).collect::<Vec<_>>(), Arc::default());
        let begun = std::time::Instant::now();
        let listing = Listing { status: StatusFilter::All, ..Listing::default() };
        let shown = protocols(&shelf, &listing);
        // 3,000 times 3,000 of its own, and each that ships as often as well, took a minute.
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
        assert!(shown.len() > MANY && shown.iter().any(|(shown, _)| shown.id == "courtesy"));
        let own: Vec<_> = shown.iter().filter(|(shown, _)| shown.id.starts_with("own-")).collect();
        assert!(own.len() == MANY && own.iter().all(|(_, versions)| *versions == ["1.0"]));
        assert!(own.is_sorted_by_key(|(shown, _)| &shown.id));
    }
}
