//! What a request asks of the JSON in its answer.

mod fits;

pub(crate) use fits::Schema;

use crate::json::{List, Object};
use std::collections::HashMap;
use std::sync::Arc;

/// Schemas without any of these hold after masking.
const FRAGILE: [&str; 11] = [
    "\"pattern",
    "\"format\"",
    "\"enum\"",
    "\"const\"",
    "Length\"",
    "\"minimum\"",
    "\"maximum\"",
    "\"exclusive",
    "\"multipleOf\"",
    "\"propertyNames\"",
    "\"additionalProperties\"",
];
/// How deep namespaces of tools may stand in each other.
const DEEPEST: usize = 64;

/// The schemas of one request, as they were written, before anything in them was masked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas {
    content: Option<Arc<Schema>>,
    tools: HashMap<Box<str>, Arc<Schema>>,
}

impl Schemas {
    /// Those of a request, in the form of any provider.
    pub(crate) fn of(top: &Object<'_>) -> Self {
        let formats = ["response_format", "text", "output_config", "output_format"].into_iter();
        let formats = formats.filter_map(|key| member(top, key));
        let schema = |format: &Object<'_>| {
            let inner = ["format", "json_schema"].into_iter().find_map(|key| member(format, key));
            let inner = inner.as_ref().unwrap_or(format);
            inner.get("schema").map(|schema| schema.get().to_owned())
        };
        let mut content = formats.filter_map(|format| schema(&format)).next();
        let mut schemas = Self::default();
        schemas.add_all(top, 0);
        // Items that change what is asked for, or bring tools.
        for item in objects(top, "input") {
            match item.text("type").as_deref() {
                Some("configuration_update") => {
                    // One that asks for text without a schema ends the one before.
                    if let Some(format) = member(&item, "text") {
                        content = schema(&format);
                    }
                }
                Some("additional_tools" | "tool_search_output") => schemas.add_all(&item, 0),
                _ => {}
            }
        }
        for message in objects(top, "messages") {
            for block in objects(&message, "content") {
                let tool = member(&block, "tool");
                if let Some(definition) = tool.as_ref().and_then(|tool| tool.get("definition")) {
                    schemas.add(definition.get(), 0);
                }
            }
        }
        schemas.content = content.and_then(|schema| fragile(&schema));
        schemas
    }

    fn add_all(&mut self, of: &Object<'_>, depth: usize) {
        for key in ["tools", "functions"] {
            let list = of.get(key).and_then(|tools| List::read(tools.get()).ok());
            for tool in list.into_iter().flat_map(|list| list.0) {
                self.add(tool.get(), depth);
            }
        }
    }

    fn add(&mut self, tool: &str, depth: usize) {
        let Ok(outer) = Object::read(tool) else { return };
        // A namespace holds tools.
        if depth < DEEPEST {
            self.add_all(&outer, depth + 1);
        }
        let inner = member(&outer, "function");
        let tool = inner.as_ref().unwrap_or(&outer);
        let schema = tool.get("parameters").or_else(|| tool.get("input_schema"));
        if let (Some(name), Some(schema)) =
            (tool.text("name"), schema.and_then(|schema| fragile(schema.get())))
        {
            self.tools.insert(name.into(), schema);
        }
    }

    /// That of the content.
    pub(crate) fn content(&self) -> Option<Arc<Schema>> {
        self.content.clone()
    }

    /// That of the arguments of a tool.
    pub(crate) fn tool(&self, name: &str) -> Option<Arc<Schema>> {
        self.tools.get(name).cloned()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_none() && self.tools.is_empty()
    }
}

/// A member that is an object.
fn member<'j>(of: &Object<'j>, name: &str) -> Option<Object<'j>> {
    Object::read(of.get(name)?.get()).ok()
}

/// The objects in a list, each read when its turn comes: a list may have millions.
pub(crate) fn objects<'j>(
    of: &Object<'j>,
    name: &str,
) -> impl DoubleEndedIterator<Item = Object<'j>> + use<'j> {
    let list = of.get(name).and_then(|list| List::read(list.get()).ok());
    list.map_or_else(Vec::new, |list| list.0).into_iter().filter_map(|item| Object::read(item.get()).ok())
}

/// A schema, if masks can break it.
fn fragile(schema: &str) -> Option<Arc<Schema>> {
    FRAGILE.iter().any(|key| schema.contains(key)).then(|| Arc::new(Schema::of(schema)))
}
