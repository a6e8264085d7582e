//! Transcripts of telephone services: Amazon Connect Contact Lens, and Twilio.

use super::ApartKind;
use super::draft::{Draft, list, maps, needed, number, text};
use crate::document::Node;
use crate::error::Error;
use crate::unit::Unit;

/// Keys of a turn of Contact Lens, in calls and in chats.
const CONTACT_LENS: [&str; 18] = [
    "AbsoluteTime",
    "Attachments",
    "BeginOffsetMillis",
    "Content",
    "ContentType",
    "DisplayName",
    "EndOffsetMillis",
    "Id",
    "IssuesDetected",
    "LoudnessScore",
    "OutcomesDetected",
    "ActionItemsDetected",
    "ParticipantId",
    "ParticipantRole",
    "Redaction",
    "RelativeOffsetMillis",
    "Sentiment",
    "Type",
];
const TWILIO: [&str; 11] = [
    "account_sid",
    "confidence",
    "end_time",
    "media_channel",
    "sentence_index",
    "service_sid",
    "sid",
    "start_time",
    "transcript",
    "url",
    "words",
];

/// Amazon Connect Contact Lens: who speaks is told by the role of a participant, in small letters (`agent`, `customer`).
pub(super) fn contact_lens(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    let participants = list(root, "Participants");
    for (at, item) in maps(root, "Transcript")?.iter().enumerate() {
        let place = format!("Transcript[{at}]");
        draft.skip_unknown(item, &place, &CONTACT_LENS);
        // Chats have events between messages, such as that somebody joined, and attachments.
        let kind = text(item, "Type").unwrap_or("MESSAGE");
        if kind != "MESSAGE" && text(item, "Content").is_none() {
            if kind != "EVENT" {
                draft.set_apart(ApartKind::Media, kind, "", place);
            }
            continue;
        }
        // Lists to choose from, and what was chosen, are JSON.
        if let Some(media) = text(item, "ContentType").filter(|media| !media.starts_with("text/")) {
            draft.set_apart(ApartKind::Media, media, "", place);
            continue;
        }
        let content = needed(item, &place, "Content")?;
        let id = text(item, "ParticipantId");
        let of = |node: &Node| Some(text(node, "ParticipantRole")?.to_ascii_lowercase());
        let is_speaker = |party: &&Node| id.is_some() && text(party, "ParticipantId") == id;
        let role = of(item).or_else(|| of(participants.iter().find(is_speaker)?));
        let role = role.or_else(|| Some(id?.to_ascii_lowercase())).ok_or_else(|| {
            Error::invalid(format!("{place}.ParticipantId"), "nothing says who speaks; add `ParticipantId`")
        })?;
        let time = ["BeginOffsetMillis", "RelativeOffsetMillis"].iter().find_map(|key| number(item, key));
        draft.say(&role, content, time.map(|time| Unit(time.0 / 1000)), format!("{place}.Content"));
    }
    Ok(())
}

/// Twilio tells a speaker by the channel only: `channel-1`, `channel-2`, as in recordings.
pub(super) fn twilio(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    for (at, item) in maps(root, "sentences")?.iter().enumerate() {
        let place = format!("sentences[{at}]");
        draft.skip_unknown(item, &place, &TWILIO);
        let channel = item.get("media_channel").and_then(Node::text).ok_or_else(|| {
            Error::invalid(format!("{place}.media_channel"), "nothing says who speaks; add `media_channel`")
        })?;
        let said = needed(item, &place, "transcript")?;
        draft.say(
            &format!("channel-{channel}"),
            said,
            number(item, "start_time"),
            format!("{place}.transcript"),
        );
    }
    Ok(())
}
