//! `sonometer protocols`: the catalogue, in the shape of the interface document. Patterns, weights and thresholds are
//! the protocol's own business and never shown.

use super::compositions::{Arguments, show};
use crate::failure::{Exit, Failure, counted};
use crate::json;
use crate::paint::{Paint, fit, one_line, paragraph};
use crate::screen::Screen;
use crate::target::{Source, shipped};
use sonometer::Protocol;
use sonometer::protocol::Status;
use sonometer_catalog::Entry;
use sonometer_report::listing::{ProtocolItem, ProtocolSingle, names};

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let json = arguments.json;
    let text = match &arguments.id {
        Some(id) => {
            let protocol = read(shipped(id)?)?;
            if json {
                json::line(&ProtocolSingle::new(&protocol, versions(&protocol)))
            } else {
                describe(&screen.paint, &protocol)
            }
        }
        None => {
            let latest = latest()?;
            if json { list(&latest)? } else { table(&screen.paint, &latest) }
        }
    };
    show(screen, json, &text)
}

fn read(entry: &'static Entry) -> Result<Protocol, Failure> {
    let source = Source { name: format!("{}@{}", entry.id, entry.version), text: entry.source.into() };
    source.read().map(|(protocol, _)| protocol)
}

/// The latest published version of every protocol.
fn latest() -> Result<Vec<Protocol>, Failure> {
    let mut ids: Vec<&str> = sonometer_catalog::protocols().iter().map(|entry| entry.id).collect();
    ids.dedup();
    ids.into_iter().filter_map(|id| sonometer_catalog::find(id, None)).map(read).collect()
}

fn versions(protocol: &Protocol) -> Vec<&'static str> {
    sonometer_catalog::versions(&protocol.id).iter().map(|entry| entry.version).collect()
}

fn published(protocol: &Protocol) -> Result<Vec<&'static str>, Failure> {
    let mut published = Vec::new();
    for entry in sonometer_catalog::versions(&protocol.id) {
        if read(entry)?.status == Status::Published {
            published.push(entry.version);
        }
    }
    Ok(published)
}

fn list(latest: &[Protocol]) -> Result<String, Failure> {
    let items = latest.iter().map(|protocol| Ok(ProtocolItem::new(protocol, published(protocol)?)));
    Ok(json::list("protocols", items.collect::<Result<_, Failure>>()?))
}

fn table(paint: &Paint, latest: &[Protocol]) -> String {
    let width = |of: &dyn Fn(&Protocol) -> usize| latest.iter().map(of).max().unwrap_or(0);
    let (ids, names) = (width(&|p| p.id.len()), width(&|p| p.name.chars().count()));
    let families = width(&|p| p.taxonomy.as_str().len());
    let mut text = String::new();
    for protocol in latest {
        text.push_str(&format!(
            "{}  {:<5}  {}  {:<families$}  {}\n",
            paint.bold(&fit(&protocol.id, ids)),
            protocol.version,
            fit(&protocol.name, names),
            protocol.taxonomy.as_str(),
            counted(protocol.markers.len(), "marker"),
        ));
    }
    text
}

fn describe(paint: &Paint, protocol: &Protocol) -> String {
    let mut text = format!(
        "{} {}\n",
        paint.bold(&one_line(&protocol.name)),
        paint.dim(&format!("({}@{})", protocol.id, protocol.version))
    );
    text.push_str(&paragraph(&one_line(&protocol.description), paint.width, 2));
    text.push_str(&format!(
        "\n  {}, {}, SGM {}, reads {}; versions {}\n{}\n",
        protocol.taxonomy.as_str(),
        protocol.status.as_str(),
        protocol.sgm.as_str(),
        names(&protocol.modalities).join(" and "),
        versions(protocol).join(", "),
        paragraph(&protocol.score_meaning(), paint.width, 2)
    ));
    let width = protocol.markers.iter().map(|marker| marker.label.len()).max().unwrap_or(0);
    for marker in &protocol.markers {
        let indent = 2 + width + 2 + 8 + 2;
        let description = paragraph(&one_line(&marker.description), paint.width, indent);
        text.push_str(&format!(
            "  {:<width$}  {:<8}  {}",
            paint.bold(&format!("{:<width$}", marker.label)),
            marker.importance.as_str(),
            if description.is_empty() { "\n" } else { description.trim_start() }
        ));
    }
    text
}
