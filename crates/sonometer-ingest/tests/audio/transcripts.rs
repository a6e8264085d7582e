//! Transcripts of every form, beside a recording.

use super::bytes;
use sonometer_ingest::audio::{Channels, Request, Words, read};
use sonometer_ingest::{Hints, Ingested, ReadError, Reason};

fn beside(transcript: &[u8], channels: &Channels, speakers: Option<&[u8]>) -> Result<Ingested, ReadError> {
    let request = Request { channels, speakers, ..Request::new(Words::Given(transcript)) };
    read(&bytes("call.mp3"), &Hints::default(), &request)
}

/// Time, role and content of each turn.
fn told(read: &Ingested) -> Vec<String> {
    let turn = |turn: &sonometer::Turn| {
        let time = turn.timestamp.map_or_else(String::new, |time| time.to_string());
        format!("{time} {}: {}", turn.role.as_deref().unwrap_or_default(), turn.content)
    };
    read.interaction.turns().iter().map(turn).collect()
}

fn auto(transcript: &str) -> Vec<String> {
    match beside(transcript.as_bytes(), &Channels::Auto, None) {
        Ok(read) => told(&read),
        Err(failure) => vec![failure.to_string()],
    }
}

#[test]
fn captions_beside_a_recording_are_read_as_those_alone() {
    let captions = bytes("call.vtt");
    let alone = sonometer_ingest::read(&captions, &Hints::default()).expect("is sound");
    let heard = beside(&captions, &Channels::Auto, None).expect("is sound");
    assert_eq!(heard.interaction.turns(), alone.interaction.turns());
    assert_eq!(heard.interaction.modality().as_str(), "audio");
    let transcript = Hints { modality: Some(sonometer::protocol::Modality::Transcript), ..Hints::default() };
    let request = Request::new(Words::Given(&captions));
    let same = read(&bytes("call.mp3"), &transcript, &request).expect("is sound");
    assert_eq!(same.interaction, alone.interaction);
    assert_eq!(heard.place(1, 4).expect("has a place").to_string(), "00:00:10–00:00:19");
    let sound = heard.sound.expect("is a recording");
    assert_eq!((sound.heard_by.as_str(), sound.shown.as_str()), ("transcript", "mp3, 16000 Hz, 2 channels"));
    assert!((sound.seconds.0 - 33_800_000).abs() < 200_000, "{}", sound.seconds);
}

#[test]
fn a_transcript_that_was_kept_gives_the_same() {
    let json = br#"{"segments":[
        {"start":0.5,"end":1.25,"channel":1,"text":" Good  morning. ","words":[{"word":"Good","start":0.5,"end":0.75,"probability":0.5},
          {"word":"morning.","start":0.8,"end":1.25,"probability":0.25},{"word":"7"}]},
        {"start":2,"end":3,"channel":1,"text":"How are you?"},
        {"start":6.5,"end":7,"channel":1,"text":"Hello?","confidence":0.125},
        {"start":7.5,"end":8,"channel":2,"text":"Fine."}]}"#;
    let names = Channels::named(["agent", "customer"]);
    let first = beside(json, &names, None).expect("is sound");
    let expected = ["0.5 agent: Good morning. How are you?", "6.5 agent: Hello?", "7.5 customer: Fine."];
    assert_eq!(told(&first), expected);
    let sound = first.sound.clone().expect("is a recording");
    let kept = sound.transcript.to_json();
    let again = beside(kept.as_bytes(), &names, None).expect("is sound");
    assert_eq!((&again.interaction, again.map.pieces()), (&first.interaction, first.map.pieces()));
    let same = again.sound.expect("is a recording");
    assert_eq!((&same.sha256, same.transcript.to_json()), (&sound.sha256, kept));
    assert_eq!(sound.sha256.len(), 64);
    // A word has its own time and the segment the confidence of its words.
    assert_eq!(first.place(0, 6).expect("has a place").to_string(), "channel 1, 00:00:00.8–00:00:01.25");
    let sure: Vec<Option<i64>> = first.map.pieces().iter().map(|piece| piece.confidence).collect();
    assert_eq!(sure, [Some(375_000), None, Some(125_000), None]);
}

#[test]
fn what_recognisers_write() {
    let whisper = r#"{"text":" Hi. Bye.","language":"en","segments":[
        {"id":0,"start":0.0,"end":1.5,"text":" Hi.","avg_logprob":-0.25,"no_speech_prob":0.01},
        {"id":1,"start":4.0,"end":5.5,"text":" Bye.","avg_logprob":-0.5}]}"#;
    assert_eq!(auto(whisper), ["0 speaker: Hi.", "4 speaker: Bye."]);
    let read = beside(whisper.as_bytes(), &Channels::Auto, None).expect("is sound");
    assert_eq!(read.map.pieces()[0].confidence, Some(778_801));
    let cpp = r#"{"systeminfo":"x","transcription":[{"timestamps":{"from":"00:00:00,000"},"offsets":{"from":0,"to":2400},"text":" And so,",
        "tokens":[{"text":"[_BEG_]","offsets":{"from":0,"to":0},"p":0.9},{"text":" An","offsets":{"from":320,"to":500},"p":0.5},
        {"text":"d","offsets":{"from":500,"to":600},"p":1.0},{"text":" so","offsets":{"from":600,"to":900},"p":0.25},{"text":",","offsets":{"from":900,"to":950},"p":0.25}]}]}"#;
    let read = beside(cpp.as_bytes(), &Channels::Auto, None).expect("is sound");
    assert_eq!(told(&read), ["0 speaker: And so,"]);
    let words: Vec<(usize, i64, Option<i64>)> =
        read.map.pieces()[0].words.iter().map(|word| (word.at, word.time, word.confidence)).collect();
    assert_eq!(words, [(0, 320_000, Some(750_000)), (4, 600_000, Some(250_000))]);
    let vosk = "{\"result\":[{\"conf\":1.0,\"end\":1.0,\"start\":0.5,\"word\":\"good\"},{\"conf\":0.5,\"end\":1.5,\"start\":1.0,\"word\":\"day\"}],\"text\":\"good day\"}\n{\"text\":\"\"}";
    assert_eq!(auto(vosk), ["0.5 speaker: good day"]);
    let speakers = r#"[{"start":0,"end":1,"text":"Hi.","speaker":"SPEAKER_00"},{"start":1,"end":2,"text":"Hello.","speaker":"SPEAKER_01"}]"#;
    assert_eq!(auto(speakers), ["0 SPEAKER_00: Hi.", "1 SPEAKER_01: Hello."]);
    let srt =
        "1\n00:00:01,000 --> 00:00:02,000\nAnn: Hello.\n\n2\n00:00:09,000 --> 00:00:10,000\nStill me.\n";
    assert_eq!(auto(srt), ["1 Ann: Hello. Still me."]);
}

#[test]
fn pauses_part_what_one_person_says() {
    let json = r#"[{"start":0,"end":9,"text":"One, two. Three","words":[{"text":"One,","start":0,"end":1},{"text":"two.","start":2.5,"end":3},
        {"text":"three","start":8,"end":9}]},{"start":10.9,"end":11,"text":"four"}]"#;
    assert_eq!(auto(json), ["0 speaker: One, two.", "8 speaker: Three four"]);
    let read = beside(json.as_bytes(), &Channels::Auto, None).expect("is sound");
    let places: Vec<String> = read.map.pieces().iter().map(|piece| piece.place.to_string()).collect();
    assert_eq!(
        places,
        ["00:00:00–00:00:01", "00:00:02.5–00:00:03", "00:00:08–00:00:09", "00:00:10.9–00:00:11"]
    );
}

#[test]
fn speakers_by_time() {
    let rttm =
        b"SPEAKER call 1 0.0 5.0 <NA> <NA> ann <NA> <NA>\nSPEAKER call 1 5.0 5.0 <NA> <NA> bo <NA> <NA>\n";
    let json = br#"[{"start":1,"end":2,"text":"Hi."},{"start":6,"end":7,"text":"Hello."}]"#;
    let read = beside(json, &Channels::Auto, Some(rttm)).expect("is sound");
    assert_eq!(told(&read), ["1 ann: Hi.", "6 bo: Hello."]);
    let failure = beside(&bytes("call.vtt"), &Channels::Auto, Some(rttm)).expect_err("names speakers twice");
    assert_eq!(failure.reason, Reason::Hint);
}

#[test]
fn transcripts_that_cannot_be_read_say_why() {
    for (transcript, why) in [
        ("", "is empty"),
        ("Good morning.", "does not begin with `Good morning.`"),
        ("WEBVTT\n\n", "no captions"),
        ("WEBVTT\n\nsoon --> late\nHi\n", "is not a time"),
        ("{", "not valid JSON"),
        ("{}", "an unknown form"),
        ("7", "does not begin with `7`"),
        ("[7]", "not a valid segment"),
        ("{\"text\": \"hi\"}", "no times"),
        ("[{\"text\": \"hi\"}]", "needs `start`"),
        ("[{\"start\": 1}]", "needs `text`"),
        ("[{\"start\": -5, \"text\": \"hi\"}]", "not a valid time"),
        ("[{\"start\": 1e300, \"text\": \"hi\"}]", "not a valid time"),
        ("[{\"start\": 1, \"text\": \"hi\", \"channel\": 0}]", "counted from 1"),
        ("[{\"start\": 1, \"text\": \" \"}]", "the transcript has no words"),
        ("{\"transcription\": [{\"text\": \"hi\"}]}", "-oj"),
    ] {
        let said = auto(transcript).join("\n");
        assert!(said.contains(why), "{transcript}: {said}");
        // A place in it is not one in the recording.
        assert!(said.contains("transcript"), "{transcript}: {said}");
    }
    let deep = "[".repeat(100_000);
    assert!(auto(&deep)[0].contains("not valid JSON"));
    // That of another recording is read, with a note.
    let late = "[{\"start\": 100, \"text\": \"hi\"}]";
    let read = beside(late.as_bytes(), &Channels::Auto, None).expect("is sound");
    assert!(read.notes[0].contains("belong together"), "{:?}", read.notes);
}
