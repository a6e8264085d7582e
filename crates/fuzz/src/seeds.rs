//! What libFuzzer begins with: files of `fixtures`, hostile ones, and small ones written here for forms that no fixture has.

use crate::hostile_cases;
use crate::readers::{Reader, limits};
use crate::{root, wrapped};
use sonometer_ingest::{Hints, Kind, fuzzing, read_within, sniff};
use std::path::Path;

/// Names and bytes, none longer than the reader's inputs.
pub fn seeds(reader: &Reader) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for fixture in reader.fixtures {
        gather(&root().join("fixtures").join(fixture), &mut files);
    }
    files.extend(hostile(reader.name).into_iter().map(|(name, bytes)| (format!("hostile {name}"), bytes)));
    let written = written(reader.name).into_iter().enumerate();
    files.extend(written.map(|(at, text)| (format!("written {at}"), text)));
    let files = files.into_iter().flat_map(|(name, bytes)| adapted(reader.name, &name, bytes));
    files.filter(|(_, bytes)| bytes.len() <= reader.longest).collect()
}

/// A file, or those of a folder.
fn gather(path: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("can be listed");
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().filter(|path| path.is_file()).for_each(|path| gather(path, files));
        return;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.push((name, std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))));
}

/// The hostile cases of a kind; `any` takes all.
fn hostile(reader: &str) -> Vec<(&'static str, Vec<u8>)> {
    let kind = Kind::from_name(reader);
    if reader != "any" && kind.is_none() {
        return Vec::new();
    }
    let is_own = |bytes: &[u8], said: Option<Kind>| {
        reader == "any" || said.or_else(|| sniff(bytes, None).ok()) == kind
    };
    let cases = hostile_cases::cases().into_iter();
    cases.filter(|(_, bytes, said, _)| is_own(bytes, *said)).map(|(name, bytes, ..)| (name, bytes)).collect()
}

/// A file as the reader takes it: some take a byte before it, some the parts of an archive, some the beginning only.
fn adapted(reader: &str, name: &str, mut bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    match reader {
        "any" | "csv" | "mail" | "pdf-lines" => {
            let with = |first: u8| (format!("{name} {first}"), [&[first], &bytes[..]].concat());
            let count = if reader == "any" { 1 } else { 4 };
            // By what `any` calls them, names do nothing to most files.
            let first = if reader == "any" { name.len() as u8 % 10 } else { 0 };
            (first..first + count).map(with).collect()
        }
        "docx-parts" | "odt-parts" | "sheet-parts" if bytes.starts_with(b"PK") => {
            let format = name.rsplit('.').next().unwrap_or_default().to_owned();
            vec![(name.to_owned(), wrapped::parts(&bytes, &format))]
        }
        "wav" | "mp3" | "flac" | "ogg" | "opus" | "m4a" | "aac" | "webm" | "aiff" => {
            // Heads are where it hurts, and short files are quick; but some heads are long, and an M4A has its index at the end.
            bytes.truncate(match reader {
                "flac" | "webm" => 14 << 10,
                "m4a" | "ogg" | "opus" => 10 << 10,
                // One that is cut off is not read at all.
                "aiff" => usize::MAX,
                _ => 3 << 10,
            });
            vec![(name.to_owned(), bytes)]
        }
        _ => vec![(name.to_owned(), bytes)],
    }
}

/// What is written here.
fn written(reader: &str) -> Vec<Vec<u8>> {
    let texts: &[&str] = match reader {
        "any" => &["\u{1}Good morning.\n", "\u{2}# Title\n\nText.\n", "\u{3}a,b\nc,d\n", "\u{7}<p>x</p>"],
        "srt" => &[
            "1\n00:00:01,000 --> 00:00:02,500\nAnn: <i>Good</i> morning.\n\n2\n00:00:03,000 --> 00:00:04,000\n- Hi.\n- Yes?\n",
        ],
        "vtt" => &[
            "WEBVTT - x\n\nNOTE y\n\nSTYLE\n::cue {}\n\nid\n01:00:00.000 --> 01:00:01.000 align:left\n<v.loud Ann>A <c.x>b</c> &amp; c</v>\n<v Bo>D\n",
        ],
        "timed" => &[
            "Weekly call\n\nAnn Lee   0:03\nHi.\n\nBo\t1:00:05\nFine.\n\nAnn Lee   1:00:09.5\nGood.\nTranscribed by https://a.b\n",
            "(09:14:22 AM) Visitor 1: Hi\n(01:00:02 PM) Ann: Hello\n[01:00:10 PM] Visitor 1: ok\n",
            "09:14:22 From Ann Lee to Everyone:\n\tHi\n09:15:00 From  Bo : ok\n09:14 <ann> hi\n[Ann Lee] 09:16:00\nBye\n",
        ],
        "whatsapp" => &[
            "[31.12.23, 23:59:58] Ann: Hi\n[01.01.24, 00:00:01] Bo: \u{200e}image omitted\ngoes on\n",
            "12/31/23, 11:59\u{202f}PM - Ann: Hi\n1/1/24, 12:00 AM - Bo: <Media omitted>\n1/1/24, 12:01 AM - Ann left\n",
            "2024-01-31, 09:00 - Ann: Hi\n2024-01-31, 09:01 - Bo: ok\n",
        ],
        "speech" => &[
            r#"{"results":{"channels":[{"alternatives":[{"transcript":"Hi.","words":[{"word":"hi","punctuated_word":"Hi.","start":0.5,"end":0.9,"confidence":1,"speaker":0}]}]}]}}"#,
            r#"{"text":"Hi.","audio_duration":4,"words":[{"text":"Hi.","start":500,"end":900,"confidence":1,"speaker":"A"}],"utterances":null}"#,
            r#"{"results":{"speaker_labels":{"segments":[{"items":[{"start_time":"0.5","speaker_label":"spk_0"}]}]},"items":[{"start_time":"0.5","end_time":"0.9","alternatives":[{"confidence":"0.5","content":"Hi"}]},{"type":"punctuation","alternatives":[{"content":"."}]}]}}"#,
            r#"{"recognizedPhrases":[{"recognitionStatus":"Success","channel":0,"speaker":1,"offsetInTicks":5000000,"durationInTicks":10000000,"nBest":[{"confidence":0.9,"display":"Hi."}]}]}"#,
            r#"{"results":[{"alternatives":[{"transcript":"Hi.","confidence":0.9,"words":[{"startTime":"0.5s","endTime":"0.9s","word":"Hi.","speakerTag":1}]}],"resultEndTime":"1.5s","channelTag":1}]}"#,
        ],
        "chat" => &[
            r#"[{"type":"message","user":"U1","ts":"1700000000.000100","text":"Hi <@U2|bo> &amp; <https:\/\/a.b|c>"},{"user":"U2","ts":"1700000001.0","text":"ok"}]"#,
            r#"{"messages":[{"id":1,"type":"message","date":"2024-01-01T10:00:00","date_unixtime":"1704103200","from":"Ann","text":["a ",{"type":"bold","text":"b"}]}]}"#,
            r#"{"value":[{"messageType":"message","createdDateTime":"2024-01-01T10:00:00.123Z","from":{"user":{"displayName":"Ann"}},"body":{"contentType":"html","content":"<p>Hi</p>"}}]}"#,
            r#"{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":"ok"}]}"#,
        ],
        "json" => &[
            r#"{"content":"Hi.","label":"x","modality":"text"}"#,
            r#"{"segments":[{"speaker":"agent","content":"Hi.","timestamp":1.5}],"modality":"transcript"}"#,
            r#"{"id":7,"interaction":{"content":"Hi."}}"#,
        ],
        "html" => &[
            "<!DOCTYPE html><html><head><title>T</title><meta charset=\"windows-1252\"></head><body><h1>A</h1><p>b <b>c</b>&nbsp;&amp; d<br>e<ul><li>f<li>g</ul><table><tr><th>h<td>i</table><pre>\nj\n k</pre><script>x</script><del>y</del><div hidden>z</div></body></html>",
            "<p>a<!-- b --><svg><text>c</text></svg><select><option>d</select><textarea>e</textarea><details><summary>f</summary>g</details>",
        ],
        "markdown" => &[
            "# A\n\nb *c* `d` [e](f)\n\n- g\n  - h\n\n> i\n\n| j | k |\n|---|---|\n| l | m |\n\n```x\nn\n```\n<p>o</p>\n\n1. p[^1]\n\n[^1]: q\n",
        ],
        "rtf" => &[
            r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 C;}}\f0 Gr\'fc, {\v h}{\f1 \'cf}\u8364?\par\trowd\cellx1 d\cell e\cell\row f{\footnote g\par h}\par}",
            r"{\rtf1 \uc2\u-10179\'ff\'ff\u-8704\'ff\'ff!{\*\generator X;}{\pict\bin3 abc}\emdash\tab\line x\~y\_z}",
        ],
        "mail" => &[
            "From: =?utf-8?Q?Ann_=C3=84?= <a@b.c>\nTo: d@e.f\nDate: Mon, 1 Jan 2024 10:00:00 +0100\nSubject: =?iso-8859-1?B?R3L8?=\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n\n> quoted\n\n-- \nAnn\n--x\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+SGk8L3A+\n--x--\n",
            "From a@b Mon Jan  1 10:00:00 2024\nFrom: a@b.c\nTo: d@e.f\nSubject: x\n\nHi\n>From me\n\nFrom d@e Mon Jan  1 11:00:00 2024\nFrom: d@e.f\nTo: a@b.c\nSubject: Re: x\n\nYes.\n\nOn Mon, Ann wrote:\n> Hi\n",
        ],
        "csv" => &["who;said\nann;\"a \"\"b\"\"\nc\"\nbo;d\n", "who\tsaid\nann\ta\n"],
        "docx-parts" => &[
            "<w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>a</w:t><w:tab/><w:br/><w:noBreakHyphen/></w:r><w:del><w:r><w:delText>b</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>c</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/><w:lastRenderedPageBreak/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>",
        ],
        "odt-parts" => &[
            "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\"><office:body><office:text><text:tracked-changes/><text:h>a</text:h><text:p>b<text:s text:c=\"3\"/><text:tab/><text:line-break/><text:note text:note-class=\"footnote\"><text:note-citation>1</text:note-citation><text:note-body><text:p>c</text:p></text:note-body></text:note></text:p><table:table><table:table-row table:number-rows-repeated=\"2\"><table:table-cell table:number-columns-repeated=\"3\"><text:p>d</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>",
        ],
        "ods-parts" => &[
            "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\"><office:body><office:spreadsheet><table:table table:name=\"A\"><table:table-row table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"3\"><text:p>a</text:p></table:table-cell><table:table-cell office:value-type=\"float\" office:value=\"1.5\"/><table:table-cell office:value-type=\"date\" office:date-value=\"2024-01-01\"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>",
        ],
        "pdf" => &[
            "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n4 0 obj<</Length 62>>stream\nBT /F1 12 Tf 20 150 Td (Hello) Tj 0 -14 TD [(wor) -20 (ld)] TJ ET\nendstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj\nxref\n0 6\ntrailer<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n",
        ],
        "pdf-lines" => &[
            "<doc>\n  <page width=\"200\" height=\"300\">\n    <flow>\n      <block xMin=\"1\">\n        <line xMin=\"20\" yMin=\"10\" xMax=\"180\" yMax=\"22\">\n          <word xMin=\"20\" yMin=\"10\" xMax=\"40\" yMax=\"22\">agent:</word>\n          <word xMin=\"42\">harb-</word>\n        </line>\n        <line xMin=\"20\" yMin=\"24\" xMax=\"90\" yMax=\"36\">\n          <word>our &amp; &#39;x</word>\n          <word>شكرا</word>\n        </line>\n      </block>\n    </flow>\n  </page>\n  <page width=\"200\" height=\"300\">\n        <line xMin=\"20\" yMin=\"290\" xMax=\"30\" yMax=\"298\">\n          <word>2</word>\n        </line>\n  </page>\n</doc>\n",
        ],
        "transcript" => &[
            "{\"segments\":[{\"start\":0,\"end\":1,\"text\":\"Good morning.\",\"words\":[{\"word\":\"Good\",\"start\":0,\"end\":0.4},{\"word\":\"morning.\",\"start\":0.5,\"end\":1}]}]}",
            "{\"segments\":[{\"start\":0,\"end\":1,\"channel\":1,\"text\":\"Good.\",\"confidence\":0.5},{\"start\":1,\"end\":2,\"channel\":2,\"text\":\"Yes.\",\"speaker\":\"ann\"}]}",
        ],
        "recognised" => &[
            "{\"sonometer_transcript\":\"1\",\"segments\":[\n{\"start\":0.5,\"end\":1.25,\"channel\":1,\"speaker\":\"ann\",\"joins\":true,\"confidence\":0.5,\"text\":\"Good morning.\",\"words\":[{\"start\":0.5,\"end\":1,\"confidence\":0.5,\"text\":\"Good\"}]}\n]}\n",
            "{\"transcription\":[{\"offsets\":{\"from\":0,\"to\":1000},\"text\":\" Good morning.\",\"tokens\":[{\"text\":\"[_BEG_]\",\"offsets\":{\"from\":0,\"to\":0}},{\"text\":\" Good\",\"offsets\":{\"from\":0,\"to\":400},\"p\":0.9},{\"text\":\" mor\",\"offsets\":{\"from\":400,\"to\":700},\"p\":0.5},{\"text\":\"ning.\",\"offsets\":{\"from\":700,\"to\":1000},\"p\":0.5}]}]}",
            "{\"result\":[{\"conf\":0.9,\"end\":1,\"start\":0.5,\"word\":\"good\"},{\"conf\":0.5,\"end\":3,\"start\":2.5,\"word\":\"morning\"}],\"text\":\"good morning\"}\n{\"text\":\"\"}",
            "[{\"start\":0,\"end\":1,\"text\":\"Good.\"}]",
        ],
        _ => &[],
    };
    let mut files: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    match reader {
        "docx-parts" => files.push(join(&[texts[0].as_bytes(), b"<w:footnotes><w:footnote w:id=\"2\"><w:p><w:r><w:t>x</w:t></w:r></w:p></w:footnote></w:footnotes>"])),
        "ods-parts" => {
            // Its reader asks for the list of parts.
            let list = b"<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>";
            files = vec![join(&[texts[0].as_bytes(), list])];
        }
        "transcript" => files.push(join(&[
            texts[0].as_bytes(),
            b"SPEAKER x 1 0.0 0.5 <NA> <NA> ann <NA> <NA>\nSPEAKER x 1 0.5 2.0 <NA> <NA> bo <NA> <NA>\n",
        ])),
        "text" => {
            files.push(b"Der \xc4rger \xfcber die versp\xe4tete Lieferung.".to_vec());
            files.push("\u{feff}gr\u{fc}n".encode_utf16().flat_map(u16::to_le_bytes).collect());
            files.push("\u{feff}gr\u{fc}n".encode_utf16().flat_map(u16::to_be_bytes).collect());
            files.push(b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x90\xa2\x8a\x45".to_vec());
        }
        "answer" | "kept" => files.extend(answers(reader == "kept")),
        "frames" => files.push(frames()),
        _ => {}
    }
    files
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.join(&0xff)
}

/// What processes answer to small files, and what is kept of them.
fn answers(is_kept: bool) -> Vec<Vec<u8>> {
    let files: [&[u8]; 4] = [
        b"WEBVTT\n\n00:01.500 --> 00:02.000\n<v Ann>Good morning.\n",
        b"one\ntwo\n",
        b"{\\rtf1 a\\par b\\par\\trowd c\\cell d\\row}",
        b"{\\rtf1}",
    ];
    let answer = |file: &[u8]| {
        let read = read_within(file, &Hints::default(), &limits());
        match (&read, is_kept) {
            (Ok(read), true) => read.to_json().into_bytes(),
            _ => fuzzing::answered(&read),
        }
    };
    files.map(answer).to_vec()
}

/// A short sound in frames.
fn frames() -> Vec<u8> {
    let mut wav =
        b"RIFF\x64\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x40\0\0\0"
            .to_vec();
    wav.resize(44 + 64, 7);
    fuzzing::decoded(&wav, &limits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{READERS, check};

    /// A reader whose seeds are all refused at once would be fuzzed in vain.
    #[test]
    fn seeds_hold_and_some_are_read() {
        for reader in READERS {
            let seeds = seeds(reader);
            let mut read = 0;
            for (name, bytes) in &seeds {
                println!("{} {name}", reader.name);
                check(reader, bytes);
                read += usize::from(reader.read(bytes).is_ok());
            }
            assert!(read > 0, "{}: none of {} seeds is read", reader.name, seeds.len());
        }
    }
}
