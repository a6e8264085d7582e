//! `sonometer metrics` and `sonometer blueprints`: what ships, in the shape of the interface document.

use crate::failure::{Exit, Failure, counted};
use crate::json;
use crate::paint::{Paint, fit, one_line};
use crate::screen::Screen;
use crate::target::Source;
use sonometer::composition::Standing;
use sonometer::document::suggest;
use sonometer::{Blueprint, Document, ErrorCode, Instrument, Metric};
use sonometer_catalog::{Entry, Shipped, split};
use sonometer_report::listing::{BlueprintItem, BlueprintSingle, MetricItem, MetricSingle, names};

/// Arguments of `protocols`, `metrics` and `blueprints`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Describes this one
    #[arg(value_name = "ID[@VERSION]")]
    pub(super) id: Option<String>,
    /// JSON, as in the interface document
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn metrics(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let (json, paint) = (arguments.json, &screen.paint);
    let text = match &arguments.id {
        Some(target) => {
            let (id, version) = split(target);
            let entry = sonometer_catalog::find_metric(id, version)
                .ok_or_else(|| not_found("metric", target, sonometer_catalog::metrics()))?;
            let metric = metric(entry)?;
            if json { json::line(&MetricSingle::from(&metric)) } else { describe_metric(paint, &metric)? }
        }
        None => {
            let latest = latest(sonometer_catalog::metrics(), sonometer_catalog::find_metric);
            let all = latest.into_iter().map(metric).collect::<Result<Vec<Metric>, Failure>>()?;
            let row = |m: &Metric| {
                (m.id.clone(), m.version.clone(), m.name.clone(), counted(m.components.len(), "protocol"))
            };
            if json {
                json::list("metrics", all.iter().map(MetricItem::from).collect())
            } else {
                table(paint, all.iter().map(row).collect())
            }
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
                json::line(&BlueprintSingle::new(&blueprint, &whole))
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
            if json {
                json::list("blueprints", all.iter().map(BlueprintItem::from).collect())
            } else {
                table(paint, all.iter().map(row).collect())
            }
        }
    };
    show(screen, json, &text)
}

pub(super) fn show(screen: &mut Screen, json: bool, text: &str) -> Result<Exit, Failure> {
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
    let mut text = format!(
        "{} {}\n{}\n  {}, {}, reads {}\n\n",
        paint.bold(&one_line(whole.name())),
        paint.dim(&format!("({}@{})", whole.id(), whole.version())),
        crate::paint::paragraph(&one_line(description), paint.width, 2),
        whole.kind().as_str(),
        status.as_str(),
        names(&whole.modalities()).join(" and ")
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
