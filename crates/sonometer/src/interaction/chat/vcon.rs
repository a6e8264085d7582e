//! Containers of conversation data (vCon, draft-ietf-vcon-vcon-core): the texts of their `dialog`, by the parties that they name.

use super::draft::{Draft, count, list, maps, text};
use super::{ApartKind, is_sealed};
use crate::document::{Node, Value};
use crate::error::Error;
use crate::interaction::moment;

const DIALOG: [&str; 26] = [
    "alg",
    "application",
    "body",
    "campaign",
    "content_hash",
    "disposition",
    "duration",
    "encoding",
    "filename",
    "interaction",
    "interaction_id",
    "interaction_type",
    "mediatype",
    "message_id",
    "meta",
    "mimetype",
    "originator",
    "parties",
    "party_history",
    "session_id",
    "signature",
    "skill",
    "start",
    "transferee",
    "type",
    "url",
];

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    if is_sealed(root) {
        let (what, fix) = match root.get("ciphertext").is_some() {
            true => ("encrypted", "decrypt it, and give the container inside"),
            false => {
                ("signed", "check the signature, decode `payload` from base64url, and give what it holds")
            }
        };
        return Err(Error::invalid("", format!("this vCon is {what} and is not opened here; {fix}")));
    }
    let parties = list(root, "parties");
    for (at, dialog) in maps(root, "dialog")?.iter().enumerate() {
        let place = format!("dialog[{at}]");
        let kind = text(dialog, "type").unwrap_or("text");
        let media = text(dialog, "mediatype").or_else(|| text(dialog, "mimetype")).unwrap_or("text/plain");
        let is_plain =
            media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("text/plain"));
        if kind != "text" || !is_plain {
            // What is no text is not carried along: a recording may have megabytes.
            let name = if kind == "text" { media } else { kind };
            draft.set_apart(ApartKind::Media, name, "", place);
            continue;
        }
        draft.skip_unknown(dialog, &place, &DIALOG);
        let body = said(dialog, &place)?;
        let role = speaker(dialog, parties).ok_or_else(|| {
            let message =
                "nothing says who wrote this; add `originator` or `parties` with the number of a party";
            Error::invalid(format!("{place}.parties"), message)
        })?;
        draft.say(&role, &body, text(dialog, "start").and_then(moment::iso), format!("{place}.body"));
    }
    if list(root, "analysis").iter().any(|analysis| text(analysis, "type") == Some("transcript")) {
        draft.notice("a transcript in `analysis` was skipped: its form depends on who made it".to_owned());
    }
    // A container may list its dialogs in any order.
    draft.sort_by_time();
    Ok(())
}

/// The text of a dialog, decoded.
fn said(dialog: &Node, place: &str) -> Result<String, Error> {
    let wrong = |key: &str, message: &str| Error::invalid(format!("{place}.{key}"), message);
    let Some(body) = text(dialog, "body") else {
        let message = match dialog.get("url") {
            Some(_) => "the text is at a `url`, which is not fetched here; put it into `body`",
            None => "`body` is missing; it must be a text",
        };
        return Err(wrong("body", message));
    };
    match text(dialog, "encoding").unwrap_or("none") {
        "none" | "json" => Ok(body.to_owned()),
        "base64url" => base64url(body).and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
            wrong("body", "this is no text in UTF-8 as base64url, which `encoding` says it is")
        }),
        _ => Err(wrong("encoding", "unknown encoding; write none or base64url")),
    }
}

/// Who wrote: the role of the originator, or of the first party; else its name, else its number.
fn speaker(dialog: &Node, parties: &[Node]) -> Option<String> {
    let first = |node: &Node| match &node.value {
        Value::List(items) => items.first().and_then(count),
        _ => count(node),
    };
    let at = dialog.get("originator").and_then(count).or_else(|| first(dialog.get("parties")?))?;
    let party = parties.get(at)?;
    let named =
        ["role", "name"].iter().find_map(|key| text(party, key)).filter(|name| !name.trim().is_empty());
    Some(named.map_or_else(|| format!("party-{at}"), str::to_owned))
}

/// Bytes from base64url; `=` at its end is allowed.
fn base64url(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    // A letter of its own is no byte, and what is left over must be nothing.
    (held < 6 && bits == 0).then_some(bytes)
}
