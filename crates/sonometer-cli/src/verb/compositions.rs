//! `sonometer metrics` and `sonometer blueprints`: what ships, in the shape of the interface document.

use crate::failure::{Exit, Failure, counted};
use crate::json::{self, number};
use crate::paint::{Paint, fit, one_line};
use crate::screen::Screen;
use crate::target::Source;
use sonometer::composition::Standing;
use sonometer::document::suggest;
use sonometer::protocol::Modality;
use sonometer::{Blueprint, Document, ErrorCode, Instrument, Metric, TargetKind, Unit};
use sonometer_catalog::{Entry, Shipped, split};

/// Arguments of both.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Describes this one
    #[arg(value_name = "ID[@VERSION]")]
    id: Option<String>,
    /// JSON, as in the interface document
    #[arg(long)]
    pub(crate) json: bool,
}

/// The most items of a list that the interface gives at once.
const PAGE: usize = 100;
const AGGREGATION: &str = "weighted_average";

#[derive(serde::Serialize)]
struct Metrics<'a> {
    metrics: Vec<MetricItem<'a>>,
    total: usize,
    limit: usize,
    offset: usize,
}

#[derive(serde::Serialize)]
struct MetricItem<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    protocol_count: usize,
    aggregation: &'static str,
}

#[derive(serde::Serialize)]
struct MetricSingle<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    components: Vec<Weighted<'a>>,
    aggregation: &'static str,
}

#[derive(serde::Serialize)]
struct Weighted<'a> {
    protocol_id: &'a str,
    #[serde(serialize_with = "number")]
    weight: Unit,
}

#[derive(serde::Serialize)]
struct Blueprints<'a> {
    blueprints: Vec<BlueprintItem<'a>>,
    total: usize,
    limit: usize,
    offset: usize,
}

#[derive(serde::Serialize)]
struct BlueprintItem<'a> {
    id: &'a str,
    name: &'a str,
    status: &'static str,
    protocol_count: usize,
    metric_count: usize,
}

#[derive(serde::Serialize)]
struct BlueprintSingle<'a> {
    id: &'a str,
    name: &'a str,
    description: &'a str,
    status: &'static str,
    protocols: Vec<Counted<'a>>,
    metrics: Vec<Aggregated<'a>>,
    supported_modalities: Vec<&'static str>,
}

#[derive(serde::Serialize)]
struct Counted<'a> {
    id: &'a str,
    version: &'a str,
    metamarker_count: usize,
}

#[derive(serde::Serialize)]
struct Aggregated<'a> {
    id: &'a str,
    aggregation: &'static str,
}

pub(crate) fn metrics(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let (json, paint) = (arguments.json, &screen.paint);
    let text = match &arguments.id {
        Some(target) => {
            let (id, version) = split(target);
            let entry = sonometer_catalog::find_metric(id, version)
                .ok_or_else(|| not_found("metric", target, sonometer_catalog::metrics()))?;
            let metric = metric(entry)?;
            if json { json::line(&metric_single(&metric)) } else { describe_metric(paint, &metric)? }
        }
        None => {
            let latest = latest(sonometer_catalog::metrics(), sonometer_catalog::find_metric);
            let all = latest.into_iter().map(metric).collect::<Result<Vec<Metric>, Failure>>()?;
            let row = |m: &Metric| {
                (m.id.clone(), m.version.clone(), m.name.clone(), counted(m.components.len(), "protocol"))
            };
            if json { json::line(&metric_list(&all)) } else { table(paint, all.iter().map(row).collect()) }
        }
    };
    show(screen, json, &text)
}

pub(crate) fn blueprints(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let (json, paint) = (arguments.json, &screen.paint);
    let text = match &arguments.id {
        Some(target) => {
            let (id, version) = split(target);
            let entry = sonometer_catalog::find_blueprint(id, version)
                .ok_or_else(|| not_found("blueprint", target, sonometer_catalog::blueprints()))?;
            let blueprint = blueprint(entry)?;
            let whole = Instrument::blueprint(&blueprint, &Shipped)
                .map_err(|error| Failure::engine(entry.id, &error))?;
            if json {
                json::line(&blueprint_single(&blueprint, &whole))
            } else {
                describe(paint, &whole, &blueprint.description, blueprint.status)
            }
        }
        None => {
            let latest = latest(sonometer_catalog::blueprints(), sonometer_catalog::find_blueprint);
            let all = latest.into_iter().map(blueprint).collect::<Result<Vec<Blueprint>, Failure>>()?;
            let row = |b: &Blueprint| {
                let parts = [counted(b.protocols.len(), "protocol"), counted(b.metrics.len(), "metric")];
                (b.id.clone(), b.version.clone(), b.name.clone(), parts.join(", "))
            };
            if json { json::line(&blueprint_list(&all)) } else { table(paint, all.iter().map(row).collect()) }
        }
    };
    show(screen, json, &text)
}

fn show(screen: &mut Screen, json: bool, text: &str) -> Result<Exit, Failure> {
    if json {
        screen.print_bytes(text)?
    } else {
        screen.print(text)?
    }
    Ok(Exit::Done)
}

/// The latest active version of each.
fn latest(
    entries: &'static [Entry],
    find: fn(&str, Option<&str>) -> Option<&'static Entry>,
) -> Vec<&'static Entry> {
    let mut ids: Vec<&str> = entries.iter().map(|entry| entry.id).collect();
    ids.dedup();
    ids.into_iter().filter_map(|id| find(id, None)).collect()
}

fn metric(entry: &'static Entry) -> Result<Metric, Failure> {
    match Source::of(entry).document()?.0 {
        Document::Metric(metric) => Ok(metric),
        _ => Err(Failure::unusable(format!("{} is not a metric", entry.id))),
    }
}

fn blueprint(entry: &'static Entry) -> Result<Blueprint, Failure> {
    match Source::of(entry).document()?.0 {
        Document::Blueprint(blueprint) => Ok(blueprint),
        _ => Err(Failure::unusable(format!("{} is not a blueprint", entry.id))),
    }
}

fn not_found(kind: &str, target: &str, entries: &[Entry]) -> Failure {
    let (id, version) = split(target);
    let versions: Vec<&str> = entries.iter().filter(|e| e.id == id).map(|e| e.version).collect();
    let ids: Vec<&str> = entries.iter().map(|entry| entry.id).collect();
    let fix = match (version, suggest(id, &ids)) {
        (Some(_), _) if !versions.is_empty() => format!("its versions: {}", versions.join(", ")),
        (_, None) => format!("`sonometer {kind}s` lists the built-in ones"),
        (_, Some(near)) => format!("did you mean `{near}`?"),
    };
    Failure::told(ErrorCode::TargetNotFound, format!("unknown {kind} `{target}`; {fix}"))
}

fn metric_list(all: &[Metric]) -> Metrics<'_> {
    let items = all.iter().take(PAGE).map(|metric| MetricItem {
        id: &metric.id,
        name: &metric.name,
        status: metric.status.as_str(),
        protocol_count: metric.components.len(),
        aggregation: AGGREGATION,
    });
    Metrics { metrics: items.collect(), total: all.len(), limit: PAGE, offset: 0 }
}

fn metric_single(metric: &Metric) -> MetricSingle<'_> {
    MetricSingle {
        id: &metric.id,
        name: &metric.name,
        status: metric.status.as_str(),
        components: metric
            .components
            .iter()
            .map(|component| Weighted { protocol_id: &component.protocol.id, weight: component.weight })
            .collect(),
        aggregation: AGGREGATION,
    }
}

fn blueprint_list(all: &[Blueprint]) -> Blueprints<'_> {
    let items = all.iter().take(PAGE).map(|blueprint| BlueprintItem {
        id: &blueprint.id,
        name: &blueprint.name,
        status: blueprint.status.as_str(),
        protocol_count: blueprint.protocols.len(),
        metric_count: blueprint.metrics.len(),
    });
    Blueprints { blueprints: items.collect(), total: all.len(), limit: PAGE, offset: 0 }
}

fn blueprint_single<'a>(blueprint: &'a Blueprint, whole: &'a Instrument) -> BlueprintSingle<'a> {
    let of_kind = |kind| whole.parts().iter().filter(move |part| part.kind == kind);
    let protocol = |part: &'a sonometer::instrument::Part| Counted {
        id: &part.id,
        version: &part.version,
        metamarker_count: whole.sensors()[part.of[0].sensor].protocol().markers.len(),
    };
    BlueprintSingle {
        id: &blueprint.id,
        name: &blueprint.name,
        description: &blueprint.description,
        status: blueprint.status.as_str(),
        protocols: of_kind(TargetKind::Protocol).map(protocol).collect(),
        metrics: of_kind(TargetKind::Metric)
            .map(|part| Aggregated { id: &part.id, aggregation: AGGREGATION })
            .collect(),
        supported_modalities: whole.modalities().into_iter().map(Modality::as_str).collect(),
    }
}

fn table(paint: &Paint, rows: Vec<(String, String, String, String)>) -> String {
    let ids = rows.iter().map(|(id, ..)| id.len()).max().unwrap_or(0);
    let names = rows.iter().map(|(_, _, name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter()
        .map(|(id, version, name, parts)| {
            format!("{}  {version:<5}  {}  {parts}\n", paint.bold(&fit(id, ids)), fit(name, names))
        })
        .collect()
}

fn describe_metric(paint: &Paint, metric: &Metric) -> Result<String, Failure> {
    let whole = Instrument::metric(metric, &Shipped).map_err(|error| Failure::engine(&metric.id, &error))?;
    Ok(describe(paint, &whole, &metric.description, metric.status))
}

fn describe(paint: &Paint, whole: &Instrument, description: &str, status: Standing) -> String {
    let modalities: Vec<&str> = whole.modalities().into_iter().map(Modality::as_str).collect();
    let mut text = format!(
        "{} {}\n{}\n  {}, {}, reads {}\n\n",
        paint.bold(&one_line(whole.name())),
        paint.dim(&format!("({}@{})", whole.id(), whole.version())),
        crate::paint::paragraph(&one_line(description), paint.width, 2),
        whole.kind().as_str(),
        status.as_str(),
        modalities.join(" and ")
    );
    let width = whole.parts().iter().map(|part| part.id.len()).max().unwrap_or(0);
    for part in whole.parts() {
        let turned = if part.complement { ", low is good" } else { "" };
        text.push_str(&format!(
            "  {}  {:<8}  {}, weight {}{turned}\n",
            paint.bold(&format!("{:<width$}", part.id)),
            part.kind.as_str(),
            part.version,
            part.weight
        ));
    }
    text
}
