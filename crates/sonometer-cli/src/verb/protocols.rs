//! `sonometer protocols`: the catalogue, in the shape of the interface document. Patterns, weights and thresholds are
//! the protocol's own business and never shown.

use crate::failure::{Exit, Failure, counted};
use crate::json;
use crate::paint::{Paint, fit, one_line, paragraph};
use crate::screen::Screen;
use crate::target::{Source, shipped};
use sonometer::Protocol;
use sonometer::protocol::{Modality, Status};
use sonometer_catalog::Entry;

/// Arguments of `protocols`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Describes this one
    #[arg(value_name = "ID[@VERSION]")]
    id: Option<String>,
    /// JSON, as in the interface document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(serde::Serialize)]
struct List<'a> {
    protocols: Vec<ListItem<'a>>,
    total: usize,
    limit: usize,
    offset: usize,
}

#[derive(serde::Serialize)]
struct ListItem<'a> {
    id: &'a str,
    name: &'a str,
    versions: Vec<&'static str>,
    taxonomy: &'static str,
    status: &'static str,
    metamarker_count: usize,
    supported_modalities: Vec<&'static str>,
}

#[derive(serde::Serialize)]
struct Single<'a> {
    id: &'a str,
    name: &'a str,
    version: &'a str,
    versions_available: Vec<&'static str>,
    taxonomy: &'static str,
    status: &'static str,
    description: &'a str,
    metamarkers: Vec<Metamarker<'a>>,
    supported_modalities: Vec<&'static str>,
    sgm_version: &'static str,
}

#[derive(serde::Serialize)]
struct Metamarker<'a> {
    label: &'a str,
    description: &'a str,
    importance: &'static str,
}

/// The longest page of the interface.
const PAGE: usize = 100;

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let json = arguments.json;
    let text = match &arguments.id {
        Some(id) => {
            let protocol = read(shipped(id)?)?;
            if json { json::line(&single(&protocol)) } else { describe(&screen.paint, &protocol) }
        }
        None => {
            let latest = latest()?;
            if json { json::line(&list(&latest)?) } else { table(&screen.paint, &latest) }
        }
    };
    if json {
        screen.print_bytes(&text)?
    } else {
        screen.print(&text)?
    }
    Ok(Exit::Done)
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

fn modalities(protocol: &Protocol) -> Vec<&'static str> {
    protocol.modalities.iter().copied().map(Modality::as_str).collect()
}

fn list(latest: &[Protocol]) -> Result<List<'_>, Failure> {
    let items = latest.iter().take(PAGE).map(|protocol| {
        Ok(ListItem {
            id: &protocol.id,
            name: &protocol.name,
            versions: published(protocol)?,
            taxonomy: protocol.taxonomy.as_str(),
            status: protocol.status.as_str(),
            metamarker_count: protocol.markers.len(),
            supported_modalities: modalities(protocol),
        })
    });
    Ok(List {
        protocols: items.collect::<Result<_, Failure>>()?,
        total: latest.len(),
        limit: PAGE,
        offset: 0,
    })
}

fn single(protocol: &Protocol) -> Single<'_> {
    let markers = protocol.markers.iter().map(|marker| Metamarker {
        label: &marker.label,
        description: &marker.description,
        importance: marker.importance.as_str(),
    });
    Single {
        id: &protocol.id,
        name: &protocol.name,
        version: &protocol.version,
        versions_available: versions(protocol),
        taxonomy: protocol.taxonomy.as_str(),
        status: protocol.status.as_str(),
        description: &protocol.description,
        metamarkers: markers.collect(),
        supported_modalities: modalities(protocol),
        sgm_version: protocol.sgm.as_str(),
    }
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
        modalities(protocol).join(" and "),
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
