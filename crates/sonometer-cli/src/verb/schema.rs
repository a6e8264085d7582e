//! `sonometer schema`: the JSON Schema of protocol, metric, blueprint or stage files, for editors.

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::ValueEnum;
use sonometer::keys::{BLUEPRINT, METRIC, PROTOCOL, STAGE, json_schema_of};

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Of which files
    #[arg(value_enum, default_value_t)]
    kind: Kind,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Protocols
    #[default]
    Protocol,
    /// Metrics
    Metric,
    /// Blueprints
    Blueprint,
    /// Stages
    Stage,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let json = json_schema_of(match arguments.kind {
        Kind::Protocol => &PROTOCOL,
        Kind::Metric => &METRIC,
        Kind::Blueprint => &BLUEPRINT,
        Kind::Stage => &STAGE,
    });
    let value: Option<serde_json::Value> = serde_json::from_str(&json).ok();
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or(json);
    screen.print_bytes(&format!("{pretty}\n"))?;
    Ok(Exit::Done)
}
