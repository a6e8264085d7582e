//! Files made to harm. The tests of the server send them too.

use sonometer_ingest::{Kind, Limits, Reason};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

/// A ZIP archive of these parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("can be begun");
        zip.write_all(bytes).expect("can be written");
    }
    zip.finish().expect("can be ended").into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    archive(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", body.as_bytes())])
}

fn odt(body: &str) -> Vec<u8> {
    archive(&[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", body.as_bytes())])
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn compound(stream: &str) -> Vec<u8> {
    [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", &vec![0; 512][..], &wide(stream)].concat()
}

/// Small, so that files beyond them need not be large.
pub(crate) fn limits() -> Limits {
    Limits {
        file_bytes: 4 << 20,
        unpacked_bytes: 4 << 20,
        ratio: 100,
        entries: 50,
        depth: 64,
        cells: 1_000,
        pages: 10,
        paragraphs: 2_000,
        text_bytes: 1 << 20,
        ..Limits::default()
    }
}

/// What it is, the file, what it is said to be, and the reasons that may be given (none: a hint that does not fit).
pub(crate) type Case = (&'static str, Vec<u8>, Option<Kind>, &'static [Reason]);

/// Well over 40 of them.
pub(crate) fn cases() -> Vec<Case> {
    use Reason::{Broken, Encrypted, NoText, TooLarge, Unsupported};
    let paragraph = |text: &str| {
        format!("<w:document><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>")
    };
    let bomb = "<w:document>".to_owned() + &" ".repeat(3 << 20) + "</w:document>";
    let huge = vec![b'a'; 5 << 20];
    let many: Vec<(String, Vec<u8>)> = (0..60).map(|n| (format!("word/document{n}"), vec![])).collect();
    let many: Vec<(&str, &[u8])> =
        many.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]><w:document>&b;</w:document>";
    let outside = "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><w:document>&a;</w:document>";
    let deep = "<w:p>".repeat(100) + &"</w:p>".repeat(100);
    let rows = "<w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>".repeat(1_500);
    let table = format!("<w:document><w:body><w:tbl>{rows}</w:tbl></w:body></w:document>");
    let sheet = |xml: &str| {
        archive(&[
            (
                "[Content_Types].xml",
                b"<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>",
            ),
            ("xl/workbook.xml", xml.as_bytes()),
        ])
    };
    let locked_odt = archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", b"<manifest><encryption-data/></manifest>"),
        ("content.xml", b"noise"),
    ]);
    let lines = "a: b\n".repeat(3_000);
    vec![
        ("nothing", vec![], None, &[NoText]),
        ("white space", b" \n\t ".to_vec(), None, &[NoText]),
        ("a file beyond the limit", huge.clone(), None, &[TooLarge]),
        ("a text beyond the limit", huge[..2 << 20].to_vec(), None, &[TooLarge]),
        ("too many turns", lines.into_bytes(), Some(Kind::Turns), &[TooLarge]),
        ("bytes", b"\0\x01\x02\x03\x04".to_vec(), None, &[Unsupported]),
        ("half a UTF-16 letter", b"\xff\xfea".to_vec(), None, &[Broken]),
        ("a lone surrogate", b"\xff\xfe\x00\xd8a\0".to_vec(), None, &[Broken]),
        ("UTF-32", b"\xff\xfe\0\0a\0\0\0".to_vec(), None, &[Unsupported]),
        ("a picture", b"\x89PNG\r\n\x1a\n".to_vec(), None, &[Unsupported]),
        ("a sound", b"RIFF\0\0\0\0WAVEfmt ".to_vec(), None, &[Unsupported]),
        ("a packed file", b"\x1f\x8b\x08\0\0".to_vec(), None, &[Unsupported]),
        ("a program", b"\x7fELF\x02\x01".to_vec(), None, &[Unsupported]),
        ("a plain archive", archive(&[("a.txt", b"x")]), None, &[Unsupported]),
        ("an archive cut off", docx(&paragraph("x"))[..60].to_vec(), None, &[Unsupported, Broken]),
        ("a document cut off", { let d = docx(&paragraph("x")); d[..d.len() - 30].to_vec() }, None, &[Broken]),
        ("an archive of noise", [b"PK\x03\x04word/document.xml".as_slice(), &[7; 200]].concat(), None, &[Broken]),
        ("too many entries", archive(&many), None, &[TooLarge]),
        ("a bomb", docx(&bomb), None, &[TooLarge]),
        ("a bomb as OpenDocument", odt(&bomb), None, &[TooLarge]),
        ("a bomb as workbook", sheet(&bomb), None, &[TooLarge]),
        ("entities", docx(entities), None, &[Broken]),
        ("entities from outside", docx(outside), None, &[Broken]),
        ("entities in OpenDocument", odt(entities), None, &[Broken]),
        ("entities in a workbook", sheet(entities), None, &[Broken]),
        ("deep XML", docx(&deep), None, &[TooLarge]),
        ("deep OpenDocument", odt(&"<text:p>".repeat(100)), None, &[TooLarge]),
        ("XML that ends early", docx("<w:document><w:p>"), None, &[Broken]),
        ("XML with crossed tags", docx("<w:document><w:p></w:document></w:p>"), None, &[Broken]),
        ("a body that is bytes", archive(&[("word/document.xml", b"\0\x01\x02")]), None, &[Broken]),
        ("too many cells", docx(&table), None, &[TooLarge]),
        ("a document without text", docx("<w:document/>"), None, &[NoText]),
        ("hidden text only", docx("<w:document><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r></w:p></w:document>"), None, &[NoText]),
        ("a document without its body", archive(&[("word/documentation.txt", b"x")]), None, &[Broken]),
        ("a locked OpenDocument", locked_odt, None, &[Encrypted]),
        ("a locked Word document", compound("EncryptedPackage"), None, &[Encrypted]),
        ("an old Word document", compound("WordDocument"), None, &[Unsupported]),
        ("an Outlook message", compound("__substg1.0_0037001F"), None, &[Unsupported]),
        ("an old workbook of noise", compound("Workbook"), None, &[Broken]),
        ("a workbook without sheets", sheet("<workbook/>"), None, &[Broken, NoText]),
        ("a sheet that is not there", b"a,b\n".to_vec(), Some(Kind::Csv), &[]),
        ("deep RTF", (r"{\rtf1 ".to_owned() + &"{".repeat(500)).into_bytes(), None, &[TooLarge]),
        ("RTF with bytes that are not there", br"{\rtf1 \bin999999999 x}".to_vec(), None, &[NoText]),
        ("empty RTF", br"{\rtf1}".to_vec(), None, &[NoText]),
        ("a page without text", b"<!DOCTYPE html><script>x</script>".to_vec(), None, &[NoText]),
        ("XML that is no page", b"<?xml version=\"1.0\"?><a/>".to_vec(), None, &[Unsupported]),
        ("a mail without text", b"From: a@b.c\nTo: d@e.f\nMIME-Version: 1.0\n\n".to_vec(), None, &[NoText]),
        ("a locked mail", b"From: a@b.c\nTo: d@e.f\nMIME-Version: 1.0\nContent-Type: multipart/encrypted; boundary=x\n\n--x\n\n--x--\n".to_vec(), None, &[Encrypted]),
        ("captions without any", b"WEBVTT\n\n".to_vec(), None, &[NoText]),
        ("captions at no time", b"WEBVTT\n\nnow --> then\nHi\n".to_vec(), None, &[Broken]),
        ("deep JSON", ("[".repeat(10_000)).into_bytes(), Some(Kind::Chat), &[Broken]),
        ("a chat without messages", b"[1]".to_vec(), Some(Kind::Chat), &[Broken]),
        ("a text as WhatsApp", b"hello".to_vec(), Some(Kind::WhatsApp), &[Broken]),
        ("a text as a transcript with times", b"hello".to_vec(), Some(Kind::Timed), &[Broken]),
        ("JSON as a transcript of a recogniser", b"{\"a\":1}".to_vec(), Some(Kind::Speech), &[Broken]),
        ("a time that is none", br#"{"phrases":[{"offsetMilliseconds":1e300,"text":"Hi."}]}"#.to_vec(), Some(Kind::Speech), &[Broken]),
        ("a PDF of noise", b"%PDF-1.7\n\x01\x02\x03".to_vec(), None, &[Broken, NoText]),
        ("a PDF cut off", b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>".to_vec(), None, &[Broken, NoText]),
    ]
}
