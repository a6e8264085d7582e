//! From the tree of a metric or blueprint file to the model.

use super::{Blueprint, Component, Metric, Placed, Reference, Standing, keys};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Value};
use crate::keys::fields::{Fields, check_identifier};
use crate::protocol::schema::{is_version, version};
use std::collections::BTreeSet;

/// Reads a metric; what is wrong stands in `found`.
pub(super) fn metric(root: &Node, found: &mut Diagnostics) -> Option<Metric> {
    let mut fields = Fields::of(root, &keys::METRIC, "a metric", found);
    let head = Head::read(&mut fields, "sonometer_metric", standing);
    fields.name("aggregation", |name| (name == "weighted_average").then_some(()));
    let node = fields.take("components");
    let components = node.map_or_else(Vec::new, |node| components(node, fields.found));
    fields.finish();
    expect_some(node, components.len(), found);
    once(components.iter().map(|(component, span)| (&component.protocol, *span)), found);
    let components = components.into_iter().map(|(component, _)| component).collect();
    let Head { id, name, version, status, description } = head;
    (!found.has_errors()).then_some(Metric { id, name, version, status, description, components })
}

/// Reads a blueprint; what is wrong stands in `found`.
pub(super) fn blueprint(root: &Node, found: &mut Diagnostics) -> Option<Blueprint> {
    let mut fields = Fields::of(root, &keys::BLUEPRINT, "a blueprint", found);
    let head = Head::read(&mut fields, "sonometer_blueprint", standing);
    let span = fields.span;
    let protocols = references(&mut fields, "protocols");
    let metrics = references(&mut fields, "metrics");
    fields.finish();
    if protocols.is_empty() && metrics.is_empty() && !found.has_errors() {
        nothing(span, "the blueprint has no protocol and no metric", "add `protocols: [courtesy]`", found);
    }
    for list in [&protocols, &metrics] {
        once(list.iter().map(|(reference, span)| (reference, *span)), found);
    }
    let bare = |list: Vec<Placed>| list.into_iter().map(|(reference, _)| reference).collect();
    let (protocols, metrics) = (bare(protocols), bare(metrics));
    let Head { id, name, version, status, description } = head;
    (!found.has_errors()).then_some(Blueprint { id, name, version, status, description, protocols, metrics })
}

/// The keys that metrics, blueprints and stages have.
pub(crate) struct Head<S> {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) status: S,
    pub(crate) description: String,
}

impl<S> Head<S> {
    /// Reads them; `format` is the key that tells the kind of file, `status` reads what states it knows.
    pub(crate) fn read(
        fields: &mut Fields<'_, '_>,
        format: &'static str,
        status: impl FnOnce(&mut Fields<'_, '_>) -> S,
    ) -> Self {
        let (text, span) = fields.some_text(format);
        if !text.is_empty() && text != "1" {
            let message =
                format!("`{format}: {text}` is not a supported format version", text = excerpt(&text));
            fields.found.push(Diagnostic::error("SM0501", span, message, format!("write `{format}: 1`")));
        }
        let (id, span) = fields.some_text("id");
        if !id.is_empty() {
            check_identifier(&id, span, "id", fields.found);
        }
        let name = fields.text("name").map_or_else(|| id.clone(), |(name, _)| name);
        let version = version(fields);
        let status = status(fields);
        let description = fields.text("description").unwrap_or_default().0;
        Self { id, name, version, status, description }
    }
}

/// The state of a metric or a blueprint.
fn standing(fields: &mut Fields<'_, '_>) -> Standing {
    fields.name("status", Standing::from_name).unwrap_or(Standing::Active)
}

/// The components of a metric, with the place of the protocol of each.
fn components(node: &Node, found: &mut Diagnostics) -> Vec<(Component, Span)> {
    let items = match &node.value {
        Value::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    let component = |node: &&Node| {
        let mut fields = Fields::of(node, &keys::COMPONENT, "a component", found);
        let (text, span) = fields.some_text("protocol");
        let weight = fields.number_or_default("weight");
        let complement = fields.truth("complement").unwrap_or(false);
        let protocol = (!text.is_empty()).then(|| reference(&text, span, fields.found));
        fields.finish();
        protocol.map(|protocol| (Component { protocol, weight, complement }, span))
    };
    items.iter().filter_map(component).collect()
}

fn references(fields: &mut Fields<'_, '_>, key: &'static str) -> Vec<Placed> {
    fields.texts(key).into_iter().map(|(text, span)| (reference(&text, span, fields.found), span)).collect()
}

/// `id` or `id@version`.
pub(crate) fn reference(text: &str, span: Span, found: &mut Diagnostics) -> Reference {
    let (id, version) = match text.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (text, None),
    };
    check_identifier(id, span, "id", found);
    if let Some(version) = version
        && !is_version(version)
    {
        let message = format!("`{text}` does not name a version", text = excerpt(text));
        let fix = format!(
            "write `{id}` for the latest published version, or name one, such as `{id}@1.0`",
            id = excerpt(id)
        );
        found.push(Diagnostic::error("SM0502", span, message, fix));
    }
    Reference { id: id.to_owned(), version: version.map(str::to_owned) }
}

fn expect_some(node: Option<&Node>, count: usize, found: &mut Diagnostics) {
    if count == 0
        && let Some(node) = node
        && !found.has_errors()
    {
        nothing(node.span, "the metric has no components", "add `- protocol: courtesy`", found);
    }
}

fn nothing(span: Span, message: &str, fix: &str, found: &mut Diagnostics) {
    found.push(Diagnostic::error("SM0503", span, message, fix));
}

/// Reports what is named twice: its score would count twice, or two versions of it against each other.
fn once<'r>(references: impl Iterator<Item = (&'r Reference, Span)>, found: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for (reference, span) in references {
        if !seen.insert(&reference.id) {
            let message = format!("`{}` is named twice", reference.id);
            found.push(Diagnostic::error(
                "SM0504",
                span,
                message,
                "remove one of them; to count it more, give it a larger `weight`",
            ));
        }
    }
}
