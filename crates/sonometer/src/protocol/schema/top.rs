//! The keys of a protocol.

use super::dialogue;
use super::list;
use super::marker::{self, Surroundings};
use super::reference;
use super::role::{self, Declared};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{MAX_FINDINGS, Node, Value, suggest};
use crate::keys::fields::{Fields, check_identifier, count_of, text_of, texts_of};
use crate::language;
use crate::protocol::files::{self, ListFiles};
use crate::protocol::keys;
use crate::protocol::lint;
use crate::protocol::model::*;
use crate::protocol::phrase::{self, Context, Pattern, WordKind, WordTest};
use crate::text::fold::fold_role;
use crate::unit::Unit;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most markers a protocol may have.
const MAX_MARKERS: usize = 2_000;
/// The most pattern lines a protocol may have.
const MAX_LINES: usize = 100_000;

/// Reads a protocol; `None` if a finding is an error. Of a file that was checked before, the protocol as a whole is not looked at again.
pub(crate) fn protocol(
    root: &Node,
    files: &ListFiles<'_>,
    is_checked: bool,
    found: &mut Diagnostics,
) -> Option<Protocol> {
    let mut fields = Fields::of(root, &keys::PROTOCOL, "a protocol", found);
    format_version(&mut fields);
    let (id, id_span) = fields.some_text("id");
    if !id.is_empty() {
        check_identifier(&id, id_span, "id", fields.found);
    }
    let name = fields.text("name").map_or_else(|| id.clone(), |(name, _)| name);
    let version = version(&mut fields);
    let sgm = fields.name("sgm", Sgm::from_name).unwrap_or(Sgm::V1_0);
    let status = fields.name("status", Status::from_name).unwrap_or(Status::Draft);
    let taxonomy = fields.name("taxonomy", Taxonomy::from_name).unwrap_or(Taxonomy::Signal);
    let description = fields.text("description").unwrap_or_default().0;
    let language = language_code(&mut fields);
    let modalities = modalities(&mut fields);
    let actants = actants(&mut fields);
    let fidelity = fidelity(&mut fields);
    let score = fields.name("score", ScoreKind::from_name).unwrap_or(ScoreKind::Mean);
    let better = fields.name("better", Better::from_name).unwrap_or(Better::Higher);
    let strengths = strengths(&mut fields, Strengths::default());
    let negation = negation(&mut fields);
    let unfold = unfold(&mut fields);
    let temporal = temporal(&mut fields, sgm);
    let stem = language.as_deref().and_then(language::find).and_then(|l| l.stem);
    let list_files = files::read(&mut fields, files);
    let (lists, written_lists) = list::read(&mut fields, &list_files, stem);
    let lists = Arc::new(Around { lists, stem });
    let markers_node = fields.take("markers");
    let found_roles = marker::known_roles(&actants, markers_node);
    let labels = marker::known_labels(markers_node);
    let declared = Declared::of(&actants);
    role::check(declared.as_ref(), root, markers_node, fields.found);
    let surroundings = Surroundings {
        list_names: lists.lists.names(),
        declared,
        lists: &lists,
        strengths,
        roles: found_roles,
        labels,
        parts: Cell::new(0),
    };
    let markers =
        markers_node.map_or_else(Vec::new, |node| markers(node, score, &surroundings, fields.found));
    let tests = dialogue::read(&mut fields, &surroundings, sgm);
    fields.finish();
    let protocol = Protocol {
        id,
        name,
        version,
        sgm,
        status,
        taxonomy,
        description,
        language,
        modalities,
        actants,
        fidelity,
        score,
        better,
        strengths,
        negation,
        unfold,
        temporal,
        lists: written_lists,
        list_files,
        markers,
        tests,
    };
    // What is hardly meant shows only in a protocol that says what its author wrote.
    if !is_checked && !found.has_errors() {
        lint::whole(&protocol, root, found);
    }
    found.sort();
    found.keep_first(MAX_FINDINGS);
    (!found.has_errors()).then_some(protocol)
}

fn format_version(fields: &mut Fields<'_, '_>) {
    let (text, span) = fields.some_text("sonometer");
    if !text.is_empty() && text != "1" {
        let message = format!("`sonometer: {text}` is not a supported format version", text = excerpt(&text));
        fields.found.push(Diagnostic::error("SM0309", span, message, "write `sonometer: 1`"));
    }
}

/// Whether a text is a version: 1 to 32 letters, digits, `.`, `-`, `_`, `+`.
pub(crate) fn is_version(text: &str) -> bool {
    let ok = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'+');
    (1..=32).contains(&text.len()) && text.bytes().all(ok)
}

/// The version of a file.
pub(crate) fn version(fields: &mut Fields<'_, '_>) -> String {
    let (text, span) = fields.some_text("version");
    if !text.is_empty() && !is_version(&text) {
        let message = format!("`version` is `{text}`, not a version", text = excerpt(&text));
        let fix = "use up to 32 letters, digits, `.`, `-`, `_` and `+`, such as `1.0`";
        fields.found.push(Diagnostic::error("SM0310", span, message, fix));
    }
    text
}

fn language_code(fields: &mut Fields<'_, '_>) -> Option<String> {
    let (code, span) = fields.text("language")?;
    if language::find(&code).is_none() {
        let known: Vec<&str> = language::LANGUAGES.iter().map(|l| l.code).collect();
        let message = format!("unsupported language `{code}`", code = excerpt(&code));
        let fix = format!(
            "write one of {}, or leave out `language` (words are then matched without inflection)",
            known.join(", ")
        );
        fields.found.push(Diagnostic::error("SM0311", span, message, fix));
    }
    Some(code)
}

fn modalities(fields: &mut Fields<'_, '_>) -> Vec<Modality> {
    let chosen = fields.names("modalities", Modality::from_name);
    match chosen.is_empty() {
        true => vec![Modality::Text, Modality::Transcript, Modality::Audio, Modality::Document],
        false => chosen,
    }
}

fn actants(fields: &mut Fields<'_, '_>) -> Actants {
    let Some(node) = fields.take("actants") else { return Actants::default() };
    let mut inner = Fields::of(node, &keys::ACTANTS, "`actants`", fields.found);
    let primary = inner.text("primary").map(|(text, _)| text);
    let secondary = inner.text("secondary");
    if let (Some(primary), Some((secondary, span))) = (&primary, &secondary)
        && is_same_role(primary, secondary)
    {
        let message = format!("`{}` is both `primary` and `secondary`", excerpt(secondary));
        inner.found.push(Diagnostic::error("SM0313", *span, message, "keep one of the two"));
    }
    let secondary = secondary.map(|(text, _)| text);
    let others: Vec<String> = inner.texts("others").into_iter().map(|(role, _)| role).collect();
    let mut aliases = Vec::new();
    let roles: Vec<&str> =
        primary.iter().chain(&secondary).chain(&others).map(|role| role.as_str()).collect();
    if let Some(node) = inner.take("aliases") {
        let entries = match &node.value {
            Value::Map(entries) => entries.as_slice(),
            _ => {
                let fix = "write `aliases: {agent: [assistant, bot]}`";
                inner.found.push(Diagnostic::error(
                    "SM0312",
                    node.span,
                    "`aliases` is not a map of roles",
                    fix,
                ));
                &[]
            }
        };
        // By each name, the role that it stands for: a role has its own name, too. `others` may list aliases again.
        let mut seen = BTreeMap::new();
        let mut stands_for = |name: &str, role: &str| seen.insert(fold_role(name), role.to_owned());
        let heads = entries.iter().map(|(role, _)| &role.text);
        for role in primary.iter().chain(&secondary).chain(heads) {
            stands_for(role, role);
        }
        for (role, names) in entries {
            look_for_slip(&role.text, &roles, role.span, inner.found);
            let names = texts_of(names, "aliases", inner.found);
            for (name, span) in &names {
                if let Some(other) = stands_for(name, &role.text)
                    && !is_same_role(&other, &role.text)
                {
                    let (name, other, role) = (excerpt(name), excerpt(&other), excerpt(&role.text));
                    let message = format!("`{name}` stands for both `{other}` and `{role}`");
                    inner.found.push(Diagnostic::error("SM0313", *span, message, "keep one of the two"));
                }
            }
            aliases.push((role.text.clone(), names.into_iter().map(|(name, _)| name).collect()));
        }
    }
    inner.finish();
    Actants { primary, secondary, others, aliases }
}

fn is_same_role(one: &str, other: &str) -> bool {
    fold_role(one) == fold_role(other)
}

/// A further role may be declared by its aliases alone; one letter more or less than that of another is a slip.
fn look_for_slip(role: &str, roles: &[&str], span: Span, found: &mut Diagnostics) {
    if !roles.iter().any(|known| is_same_role(known, role))
        && let Some(near) = suggest(role, roles)
        && near.len().abs_diff(role.len()) < 2
    {
        let (name, near) = (excerpt(role), excerpt(near));
        let message = format!("`aliases` names `{name}`, which is not a role but nearly `{near}`");
        let fix = format!("write `{near}`, or declare it: `others: [{name}]`");
        found.push(Diagnostic::warning("SM0361", span, message, fix));
    }
}

fn fidelity(fields: &mut Fields<'_, '_>) -> FidelityNeeds {
    let mut needs = FidelityNeeds { words: 1, turns: 1, roles: Vec::new(), sufficient: Unit(500_000) };
    let Some(node) = fields.take("fidelity") else { return needs };
    let mut inner = Fields::of(node, &keys::FIDELITY, "`fidelity`", fields.found);
    needs.words = inner.count_or_default("words");
    needs.turns = inner.count_or_default("turns");
    needs.sufficient = inner.number_or_default("sufficient");
    if let Some(node) = inner.take("roles") {
        let entries = match &node.value {
            Value::Map(entries) => entries.as_slice(),
            _ => {
                let fix = "write for example `roles: {agent: 20}`, in words";
                inner.found.push(Diagnostic::error(
                    "SM0314",
                    node.span,
                    "`roles` is not a map of roles to words",
                    fix,
                ));
                &[]
            }
        };
        for (role, words) in entries {
            let count = text_of(words, "roles", inner.found).and_then(|text| count_of(text, 1, 1_000_000));
            match count {
                Some(words) => needs.roles.push((role.text.clone(), words)),
                None => {
                    let message = format!(
                        "the words of `{}` are not a whole number from 1 to 1000000",
                        excerpt(&role.text)
                    );
                    inner.found.push(Diagnostic::error(
                        "SM0306",
                        words.span,
                        message,
                        "write for example `agent: 20`",
                    ));
                }
            }
        }
    }
    inner.finish();
    needs
}

/// `strengths: {strong: 0.9, clear: 0.5, weak: 0.2}`
pub(super) fn strengths(fields: &mut Fields<'_, '_>, default: Strengths) -> Strengths {
    let Some(node) = fields.take("strengths") else { return default };
    let mut inner = Fields::of(node, &keys::STRENGTHS, "`strengths`", fields.found);
    let mut of = |key, default| inner.number(key).unwrap_or(default);
    let strengths = Strengths {
        strong: of("strong", default.strong),
        clear: of("clear", default.clear),
        weak: of("weak", default.weak),
    };
    inner.finish();
    strengths
}

fn negation(fields: &mut Fields<'_, '_>) -> NegationRules {
    let mut rules = NegationRules::default();
    let Some(node) = fields.take("negation") else { return rules };
    let mut inner = Fields::of(node, &keys::NEGATION, "`negation`", fields.found);
    rules.reach = inner.count("reach").map_or(rules.reach, |n| n as u8);
    rules.cues = phrases(&mut inner, "cues");
    rules.not_cues = phrases(&mut inner, "not_cues");
    rules.stops = phrases(&mut inner, "stops");
    inner.finish();
    rules
}

/// `unfold: [leet, repeats]`
fn unfold(fields: &mut Fields<'_, '_>) -> Vec<Unfold> {
    let Some(node) = fields.take("unfold") else { return Vec::new() };
    let mut chosen = Vec::new();
    for (text, span) in texts_of(node, "unfold", fields.found) {
        if text == "zero_width" {
            let message = "`zero_width` characters are always removed";
            fields.found.push(Diagnostic::warning("SM0408", span, message, "remove it here"));
            continue;
        }
        chosen.extend(fields.name_of(&text, span, "unfold", Unfold::from_name));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// `temporal: {window: 60s, else: 2 turns}`
fn temporal(fields: &mut Fields<'_, '_>, sgm: Sgm) -> Windows {
    let mut windows = Windows::default();
    let Some(node) = fields.take("temporal") else { return windows };
    if sgm < Sgm::V1_5 {
        let message = "`temporal` needs SGM 1.5";
        let fix = "write `sgm: \"1.5\"`, or remove it";
        fields.found.push(Diagnostic::error("SM0356", node.span, message, fix));
    }
    let mut inner = Fields::of(node, &keys::TEMPORAL, "`temporal`", fields.found);
    if let Some((text, span)) = inner.text("window") {
        let number = text.strip_suffix("seconds").or(text.strip_suffix("second")).or(text.strip_suffix('s'));
        match number.and_then(|number| Unit::parse(number.trim())).filter(|seconds| seconds.0 > 0) {
            Some(seconds) => windows.seconds = seconds,
            None => {
                let message = format!("`window` is `{text}`, not a length of time", text = excerpt(&text));
                let fix = "write for example `window: 60s`";
                inner.found.push(Diagnostic::error("SM0357", span, message, fix));
            }
        }
    }
    if let Some((text, span)) = inner.text("else") {
        let number = text.strip_suffix("turns").or(text.strip_suffix("turn"));
        match number.and_then(|number| count_of(number.trim(), 1, 100_000)) {
            Some(turns) => windows.turns = turns,
            None => {
                let message = format!("`else` is `{text}`, not 1 to 100000 turns", text = excerpt(&text));
                let fix = "write for example `else: 2 turns`";
                inner.found.push(Diagnostic::error("SM0358", span, message, fix));
            }
        }
    }
    inner.finish();
    windows
}

/// Plain phrases, one per line or list item.
fn phrases(fields: &mut Fields<'_, '_>, key: &'static str) -> Vec<Vec<String>> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let none = Context { list: &|_| None, names: &[], stem: None };
    let mut all = Vec::new();
    for line in node.lines() {
        let (text, _) = phrase::strip_comment(line.text);
        if text.is_empty() {
            continue;
        }
        let words = phrase::parse(text, &none).ok().and_then(|pattern| plain_words(&pattern));
        match words {
            Some(words) => all.push(words),
            None => {
                let message = format!(
                    "`{text}` in `{key}` has pattern syntax; only plain words are allowed",
                    text = excerpt(text)
                );
                fields.found.push(Diagnostic::error(
                    "SM0315",
                    line.span,
                    message,
                    "write one word or phrase on each line",
                ));
            }
        }
    }
    all
}

fn plain_words(pattern: &Pattern) -> Option<Vec<String>> {
    match pattern {
        Pattern::Word(WordTest { kind: WordKind::Equal, folded }) => Some(vec![folded.to_string()]),
        Pattern::Sequence(items) => {
            let parts: Option<Vec<_>> = items.iter().map(plain_words).collect();
            parts.map(|parts| parts.concat())
        }
        _ => None,
    }
}

fn markers(
    node: &Node,
    score: ScoreKind,
    surroundings: &Surroundings<'_>,
    found: &mut Diagnostics,
) -> Vec<Marker> {
    let Value::List(items) = &node.value else {
        let message = format!("`markers` is {}, not a list", node.kind_name());
        found.push(Diagnostic::error(
            "SM0318",
            node.span,
            message,
            "write `markers:` and below it `- label: …`",
        ));
        return Vec::new();
    };
    if items.is_empty() || items.len() > MAX_MARKERS {
        let message = format!("{} markers, not 1 to {MAX_MARKERS}", items.len());
        let (span, fix) = match items.get(MAX_MARKERS) {
            Some(beyond) => (Span::new(beyond.span.start, beyond.span.start), "split the protocol"),
            None => (node.span, "add a marker: `- label: …`"),
        };
        found.push(Diagnostic::error("SM0319", span, message, fix));
        return Vec::new();
    }
    let mut labels = BTreeSet::new();
    let mut markers = Vec::with_capacity(items.len());
    let mut lines = 0;
    for item in items {
        let (marker, label_span) = marker::read(item, surroundings, found);
        lines += marker.all_lines().count();
        if !marker.label.is_empty() && !labels.insert(marker.label.clone()) {
            let message = format!("two markers have the label `{}`", excerpt(&marker.label));
            found.push(Diagnostic::error("SM0320", label_span, message, "rename one of them"));
        }
        markers.push(marker);
    }
    reference::check(&markers, items, surroundings, found);
    reference::circles(&markers, items, found);
    reference::poles(score, &markers, items, found);
    if lines > MAX_LINES {
        let message = format!("{lines} pattern lines; the limit is {MAX_LINES}");
        let span = Span::new(node.span.start, node.span.start);
        found.push(Diagnostic::error("SM0321", span, message, "split the protocol, or use `lists`"));
    }
    markers
}
