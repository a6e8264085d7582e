//! Lines of batches and of logs, which hold a request, its answer, or both: of OpenAI, Anthropic, Vertex and Bedrock.

use super::draft::{Draft, is_map, text};
use super::{MessageForm, answer, language_model, more_choices, of_chat, read_as};
use crate::document::Node;
use crate::error::Error;

/// Where requests and answers stand, in the order in which they were said.
const PATHS: [&[&str]; 10] = [
    &["body"],
    &["params"],
    &["request"],
    &["modelInput"],
    &["input", "inputBodyJson"],
    &["response", "body"],
    &["response"],
    &["result", "message"],
    &["modelOutput"],
    &["output", "outputBodyJson"],
];
/// Keys that such lines have beside.
const MARKS: [&str; 3] = ["custom_id", "recordId", "schemaType"];

/// What is read of a line, with its place and form.
fn parts(root: &Node) -> Vec<(String, &Node, MessageForm)> {
    let part = |path: &&[&str]| {
        let node = path.iter().try_fold(root, |node, key| node.get(key))?;
        let form = of_chat(node).filter(|_| is_map(node))?;
        Some((path.join("."), node, form))
    };
    PATHS.iter().filter_map(part).collect()
}

/// Whether an object is such a line; one of which nothing can be read, such as a request that failed, has one of the marks.
pub(super) fn is_line(root: &Node) -> bool {
    let has = |key: &&str| root.get(key).is_some();
    MARKS.iter().any(|key| text(root, key).is_some())
        && ["body", "params", "response", "result", "error", "modelInput", "input"].iter().any(has)
        || !parts(root).is_empty()
}

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    let parts = parts(root);
    if parts.is_empty() {
        let message = "this line of a batch holds no chat: its request failed, or asked for something else, such as embeddings; \
                       leave it out";
        return Err(Error::invalid("", message));
    }
    draft.is_foreign = true;
    for (prefix, node, form) in parts {
        let before = draft.mark();
        let read = match answer(node).filter(|_| form == MessageForm::Chat) {
            Some((place, message)) => {
                more_choices(node).into_iter().for_each(|told| draft.notice(told));
                language_model::turn(message, &place, draft).map(|turn| {
                    turn.into_iter().for_each(|turn| {
                        draft.push(
                            turn,
                            if place.is_empty() { "content".to_owned() } else { format!("{place}.content") },
                        );
                    });
                })
            }
            None => read_as(form, node, draft),
        };
        draft.move_within(before, &prefix);
        read.map_err(|mut error| {
            error.place = super::draft::within(&prefix, &error.place);
            error
        })?;
    }
    Ok(())
}
