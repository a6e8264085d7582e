//! From the tree of a stage file to the model.

mod rules;
mod scenes;

use super::guard::{Known, Place, parse};
use super::model::*;
use super::template::Template;
use crate::composition::schema::{Head, reference};
use crate::composition::{Reference, TargetKind};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Key, Node, Value, suggest};
use crate::keys::fields::{Fields, check_identifier, text_of, texts_of};
use crate::protocol::Status;

/// Reads a stage; what is wrong stands in `found`.
pub(super) fn stage(root: &Node, found: &mut Diagnostics) -> Option<Stage> {
    let mut fields = Fields::of(root, &crate::stage::keys::STAGE, "a stage", found);
    let Head { id, name, version, status, description } =
        Head::read(&mut fields, "sonometer_stage", |fields| {
            fields.name("status", Status::from_name).unwrap_or(Status::Draft)
        });
    let target = target(&mut fields);
    let (objective, _) = fields.some_text("objective");
    let roles = fields.take("roles").map(|node| rules::roles(node, fields.found));
    let publication = fields.take("publication").map(|node| rules::publication(node, fields.found));
    let attempts = rules::attempts(fields.take("attempts"), fields.found);
    let envelope = fields.take("envelope").map(|node| rules::envelope(node, fields.found));
    let vars = named(fields.take("vars"), "variable", fields.found, rules::variable);
    let lists = named(fields.take("lists"), "list", fields.found, rules::list);
    rules::check_names(root, &vars, &lists, fields.found);
    let (start_name, start_span) = fields.some_text("start");
    let scene_node = fields.take("scenes");
    let checkpoint_node = fields.take("checkpoints");
    let flag_node = fields.take("flags");
    let (scene_names, checkpoint_names, flag_names) =
        (keys(scene_node), keys(checkpoint_node), keys(flag_node));
    let var_names: Vec<&str> = vars.iter().map(|(name, _)| name.as_str()).collect();
    let list_names: Vec<&str> = lists.iter().map(|(name, _)| name.as_str()).collect();
    let known =
        Known { scenes: &scene_names, vars: &var_names, checkpoints: &checkpoint_names, flags: &flag_names };
    let mut reader = Reader { known, lists: &list_names, markers: Vec::new(), found: &mut *fields.found };
    let start = if start_name.is_empty() { None } else { reader.scene(&start_name, start_span) };
    let scenes = reader.each(scene_node, "scene", scenes::scene);
    let checkpoints = reader
        .each(checkpoint_node, "checkpoint", |reader, node| reader.guard(node, "checkpoint", Place::Action));
    let flags = reader.each(flag_node, "flag", rules::flag);
    let mut markers = std::mem::take(&mut reader.markers);
    let mut guard_or = |key: &'static str, usual: &str, place| {
        let node = fields.take(key);
        let mut reader = Reader { known, lists: &list_names, markers: Vec::new(), found: &mut *fields.found };
        let guard = match node {
            Some(node) => reader.guard(node, key, place),
            None => parse(usual, known, place).ok().map(|(guard, _)| guard),
        };
        markers.append(&mut reader.markers);
        guard
    };
    let on_target = guard_or("on_target", "score >= 0.5", Place::Action);
    let pass = guard_or("pass", "all(checkpoints) and none(flags)", Place::Pass);
    let walkthroughs = named(fields.take("walkthroughs"), "walkthrough", fields.found, rules::walkthrough);
    fields.finish();
    let (kind, reference, target_span) = target?;
    Some(Stage {
        id,
        name,
        version,
        status,
        description,
        target: (kind, reference),
        target_span,
        objective,
        roles: roles.unwrap_or_default(),
        publication: publication.unwrap_or_default(),
        attempts,
        envelope: envelope.unwrap_or_default(),
        vars,
        lists,
        start: start?,
        scenes,
        checkpoints,
        flags,
        on_target: on_target?,
        pass: pass?,
        walkthroughs,
        markers,
    })
    .filter(|_| !found.has_errors())
}

/// The one of the three keys that names what senses.
fn target(fields: &mut Fields<'_, '_>) -> Option<(TargetKind, Reference, Span)> {
    let mut named = Vec::new();
    for (key, kind) in [
        ("blueprint", TargetKind::Blueprint),
        ("metric", TargetKind::Metric),
        ("protocol", TargetKind::Protocol),
    ] {
        if let Some((text, span)) = fields.text(key) {
            named.push((kind, reference(&text, span, fields.found), span));
        }
    }
    if named.len() == 1 {
        return named.pop();
    }
    let (span, message) = match named.get(1) {
        Some((.., span)) => (*span, "a stage has exactly one blueprint, metric or protocol"),
        None => (
            Span::new(fields.span.start, fields.span.start),
            "the stage has no protocol, metric or blueprint",
        ),
    };
    let fix = "write one of these keys, such as `blueprint: service-call@1.0`";
    fields.found.push(Diagnostic::error("SM0610", span, message, fix));
    None
}

/// The keys of a map.
fn keys(node: Option<&Node>) -> Vec<&str> {
    match node.map(|node| &node.value) {
        Some(Value::Map(entries)) => entries.iter().map(|(key, _)| key.text.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// The entries of a map whose keys are names of the author.
fn named<T>(
    node: Option<&Node>,
    what: &'static str,
    found: &mut Diagnostics,
    mut read: impl FnMut(&Node, &mut Diagnostics) -> Option<T>,
) -> Vec<Named<T>> {
    let mut all = Vec::new();
    for (key, node) in entries(node, what, found) {
        check_identifier(&key.text, key.span, what, found);
        // An empty value has been reported already.
        if !matches!(node.value, Value::Null)
            && let Some(value) = read(node, found)
        {
            all.push((key.text.clone(), value));
        }
    }
    all
}

fn entries<'n>(node: Option<&'n Node>, what: &str, found: &mut Diagnostics) -> &'n [(Key, Node)] {
    match node.map(|node| (&node.value, node)) {
        None => &[],
        Some((Value::Map(entries), _)) => entries,
        Some((_, node)) => {
            let message = format!("the {what}s are {}, not a map", node.kind_name());
            found.push(Diagnostic::error("SM0301", node.span, message, "write them as `name: …` pairs"));
            &[]
        }
    }
}

/// What the parts of a stage need to be read.
struct Reader<'r> {
    known: Known<'r>,
    lists: &'r [&'r str],
    /// Names of markers and where they stand.
    markers: Vec<(String, Span)>,
    found: &'r mut Diagnostics,
}

impl Reader<'_> {
    fn each<T>(
        &mut self,
        node: Option<&Node>,
        what: &'static str,
        read: impl Fn(&mut Self, &Node) -> Option<T>,
    ) -> Vec<Named<T>> {
        let Some(node) = node else { return Vec::new() };
        let mut own = Diagnostics::new();
        let all = named(Some(node), what, &mut own, |node, _| read(self, node));
        own.iter().for_each(|finding| self.found.push(finding.clone()));
        all
    }

    /// A guard, with the names of markers in it noted.
    fn guard(&mut self, node: &Node, key: &str, place: Place) -> Option<super::guard::Guard> {
        text_of(node, key, self.found)?;
        let text = node.text().unwrap_or_default();
        match parse(text, self.known, place) {
            Ok((guard, markers)) => {
                let placed =
                    markers.into_iter().map(|(name, start, end)| (name, span_within(node, start, end)));
                self.markers.extend(placed);
                Some(guard)
            }
            Err(wrong) => {
                let span = span_within(node, wrong.start, wrong.end);
                self.found.push(Diagnostic::error(wrong.code, span, wrong.message, wrong.fix));
                None
            }
        }
    }

    /// The place of a scene of that name.
    fn scene(&mut self, name: &str, span: Span) -> Option<usize> {
        let place = self.known.scenes.iter().position(|known| *known == name);
        if place.is_none() {
            let fix = match suggest(name, self.known.scenes) {
                Some(near) => format!("did you mean `{near}`"),
                None => "add it under `scenes`".to_owned(),
            };
            self.found.push(Diagnostic::error(
                "SM0603",
                span,
                format!("unknown scene `{name}`", name = excerpt(name)),
                fix,
            ));
        }
        place
    }

    /// World texts: one, or several of which the seed draws one.
    fn worlds(&mut self, node: Option<&Node>) -> Vec<Template> {
        let Some(node) = node else { return Vec::new() };
        let mut all = Vec::new();
        let items: Vec<&Node> = match &node.value {
            Value::List(items) => items.iter().collect(),
            _ => vec![node],
        };
        for item in items {
            let Some(text) = text_of(item, "world", self.found) else { continue };
            let whole = item.text().unwrap_or_default();
            let base = whole.len() - whole.trim_start().len();
            let template = match Template::read(text) {
                Ok(template) => template,
                Err(bad) => {
                    let span = span_within(item, base + bad.start, base + bad.end);
                    let message = "a single brace in a world text";
                    let fix = "write `{name}` for a list or variable, and `{{` or `}}` for a literal brace";
                    self.found.push(Diagnostic::error("SM0608", span, message, fix));
                    continue;
                }
            };
            for name in template.names() {
                let known: Vec<&str> = self.lists.iter().chain(self.known.vars).copied().collect();
                if !known.contains(&name) {
                    let at = text.find(name).unwrap_or(0) + base;
                    let fix = match suggest(name, &known) {
                        Some(near) => format!("did you mean `{near}`"),
                        None => "add it under `lists` or `vars`".to_owned(),
                    };
                    let message = format!("unknown list or variable `{name}`", name = excerpt(name));
                    self.found.push(Diagnostic::error(
                        "SM0603",
                        span_within(item, at, at + name.len()),
                        message,
                        fix,
                    ));
                }
            }
            all.push(template);
        }
        all
    }
}

/// Bytes of the text of a node as a place in the source; all of the node where escapes or breaks hide where that is.
fn span_within(node: &Node, start: usize, end: usize) -> Span {
    let mut line_start = 0;
    for line in node.lines() {
        let line_end = line_start + line.text.len();
        let quotes = line.span.range().len().wrapping_sub(line.text.len());
        if (line_start..=line_end).contains(&start) && matches!(quotes, 0 | 2) {
            let at = |place: usize| line.span.start + quotes / 2 + place.min(line_end) - line_start;
            return Span::new(at(start), at(end));
        }
        line_start = line_end + 1;
    }
    node.span
}

/// A list of texts with their places, at least one.
fn some_texts(node: &Node, key: &str, found: &mut Diagnostics) -> Vec<String> {
    let texts = texts_of(node, key, found);
    if texts.is_empty() && !found.has_errors() {
        let message = format!("`{key}` has no texts");
        found.push(Diagnostic::error(
            "SM0322",
            node.span,
            message,
            format!("write for example `{key}: [one, two]`"),
        ));
    }
    texts.into_iter().map(|(text, _)| text).collect()
}
