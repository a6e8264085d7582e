//! Resources: what can be measured with, accuracy cards, the pages about readings and about writing protocols, and the JSON Schemas of files.

use crate::answer::Refusal;
use crate::bench::Bench;
use crate::tool::{described, shipped};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use sonometer::diagnostic::excerpt;
use sonometer::keys::json_schema;
use sonometer::stage::Stage;
use sonometer::{Blueprint, Metric, Protocol};
use sonometer_catalog::{card, find};

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/schema+json";
/// Before the name of a protocol, metric, blueprint or stage.
const PROTOCOLS: &str = "sonometer://protocols/";
/// Before the id of a protocol.
const CARDS: &str = "sonometer://cards/";
/// Before the name of a page.
const DOCS: &str = "sonometer://docs/";
/// Before a kind of file.
const SCHEMAS: &str = "sonometer://schemas/";

/// The pages of the engine (links in `docs`): name, title, what each is for, text.
static PAGES: [(&str, &str, &str, &str); 2] = [
    (
        "semantics",
        "What a reading means, exactly",
        "What every number of a reading means: evidence, activation, score, fidelity.",
        include_str!("../docs/semantics.md"),
    ),
    (
        "protocol",
        "How a protocol is written",
        "Every key of a protocol and the language of its patterns, with examples.",
        include_str!("../docs/protocol.md"),
    ),
];

/// The kinds of files that have a schema.
const KINDS: [&str; 4] = ["protocol", "metric", "blueprint", "stage"];

/// Every resource that ships.
pub(crate) fn list() -> Vec<Resource> {
    let pages = PAGES.iter().map(|(name, title, about, text)| {
        one(format!("{DOCS}{name}"), name, title, about, MARKDOWN).with_size(text.len() as u64)
    });
    let schemas = KINDS.iter().map(|kind| {
        let title = format!("JSON Schema of {kind} files");
        one(
            format!("{SCHEMAS}{kind}"),
            &format!("{kind}-schema"),
            &title,
            "Every key, with its values.",
            JSON,
        )
    });
    let targets = shipped().iter().map(|entry| {
        let title = format!("{} ({})", entry.name(), entry.kind().as_str());
        one(format!("{PROTOCOLS}{}", entry.reference()), entry.id(), &title, &entry.about(), MARKDOWN)
    });
    let cards = shipped().iter().filter_map(|entry| {
        let id = entry.id();
        card_of(id)?;
        let title = format!("Accuracy of {id}");
        let about = "What it was measured on, how well it did, and where it fails.";
        Some(one(format!("{CARDS}{id}"), &format!("{id}-card"), &title, about, MARKDOWN))
    });
    pages.chain(schemas).chain(targets).chain(cards).collect()
}

fn one(uri: String, name: &str, title: &str, about: &str, kind: &str) -> Resource {
    Resource::new(uri, name).with_title(title).with_description(about).with_mime_type(kind)
}

/// What is read by name.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let one = |uri: &str, name: &str, title: &str, about: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(about).with_mime_type(MARKDOWN)
    };
    vec![
        one(
            "sonometer://protocols/{name}",
            "protocol",
            "A protocol, metric, blueprint or stage",
            "What it finds and what its score means, by id or id@version; also of the files that the server was given.",
        ),
        one(
            "sonometer://cards/{id}",
            "card",
            "The accuracy card of a protocol",
            "What the newest version was measured on, how well it did, and where it fails.",
        ),
    ]
}

/// The card of the version that is in use.
fn card_of(id: &str) -> Option<&'static str> {
    card(id, find(id, None)?.version)
}

/// One resource.
///
/// # Errors
/// If there is none of that address, with what there is.
pub(crate) fn read(bench: &Bench, uri: &str) -> Result<ResourceContents, Refusal> {
    let unknown = |what: &str, name: &str, there: &str| {
        Refusal::invalid("uri", format!("no {what} `{}`; {there}", excerpt(name)))
    };
    let text = |text: &str, kind: &str| ResourceContents::text(text, uri).with_mime_type(kind);
    if let Some(name) = uri.strip_prefix(PROTOCOLS) {
        return described(bench, name, "uri").map(|entry| text(&entry.page(), MARKDOWN));
    }
    if let Some(id) = uri.strip_prefix(CARDS) {
        let there = "the list of resources names all cards";
        return card_of(id).map(|card| text(card, MARKDOWN)).ok_or_else(|| unknown("card of", id, there));
    }
    if let Some(name) = uri.strip_prefix(DOCS) {
        let page = PAGES.iter().find(|(own, ..)| *own == name);
        return page
            .map(|(.., page)| text(page, MARKDOWN))
            .ok_or_else(|| unknown("page", name, "there is semantics, protocol"));
    }
    if let Some(kind) = uri.strip_prefix(SCHEMAS) {
        let keys = match kind {
            "protocol" => Protocol::KEYS,
            "metric" => Metric::KEYS,
            "blueprint" => Blueprint::KEYS,
            "stage" => Stage::KEYS,
            _ => return Err(unknown("schema of", kind, &format!("there is {}", KINDS.join(", ")))),
        };
        return Ok(text(&json_schema(keys), JSON));
    }
    let there = format!("addresses begin with {PROTOCOLS}, {CARDS}, {DOCS} or {SCHEMAS}");
    Err(unknown("resource", uri, &there))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Own;

    fn page(uri: &str) -> Result<String, String> {
        match read(&Bench::new(Own::default()), uri) {
            Ok(ResourceContents::TextResourceContents { text, .. }) => Ok(text),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn every_resource_that_is_listed_can_be_read() {
        let all = list();
        assert!(all.len() > 50, "{}", all.len());
        let mut addresses: Vec<&str> = all.iter().map(|resource| resource.uri.as_str()).collect();
        addresses.iter().for_each(|uri| assert!(!page(uri).expect(uri).is_empty(), "{uri}"));
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), all.len(), "each once");
    }

    #[test]
    fn what_is_not_there_is_told_with_what_there_is() {
        for (uri, part) in [
            ("sonometer://protocols/curtesy", "did you mean `courtesy`?"),
            ("sonometer://cards/next-steps", "no card of `next-steps`"),
            ("sonometer://docs/semantic", "there is semantics, protocol"),
            ("sonometer://schemas/x", "there is protocol, metric, blueprint, stage"),
            ("file:///etc/passwd", "addresses begin with sonometer://protocols/"),
        ] {
            let told = page(uri).expect_err(uri);
            assert!(told.contains(part), "{uri}: {told}");
        }
    }
}
