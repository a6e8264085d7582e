//! Archives around parts that a fuzzer made up: in packed bytes it would find next to nothing. Parts are parted by `0xff`, which no
//! UTF-8 holds, and stand unpacked.

use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

const DOCX: &[&str] = &["word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];
const ODT: &[&str] = &["content.xml", "META-INF/manifest.xml"];
const XLSX: &[&str] = &[
    "xl/worksheets/sheet1.xml",
    "xl/sharedStrings.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/styles.xml",
];

/// Where the workbook stands.
const PACKAGE: &[u8] = b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" \
    Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>";

pub(crate) fn docx(parts: &[u8]) -> Vec<u8> {
    archive(&[], DOCX, parts)
}

pub(crate) fn odt(parts: &[u8]) -> Vec<u8> {
    archive(&[("mimetype", b"application/vnd.oasis.opendocument.text")], ODT, parts)
}

pub(crate) fn ods(parts: &[u8]) -> Vec<u8> {
    archive(&[("mimetype", b"application/vnd.oasis.opendocument.spreadsheet")], ODT, parts)
}

pub(crate) fn xlsx(parts: &[u8]) -> Vec<u8> {
    archive(&[("_rels/.rels", PACKAGE)], XLSX, parts)
}

/// The parts of an archive as the functions above take them; empty ones at the end are left away.
pub(crate) fn parts(archive: &[u8], format: &str) -> Vec<u8> {
    let names = match format {
        "docx" => DOCX,
        "xlsx" => XLSX,
        _ => ODT,
    };
    let mut zip = ZipArchive::new(Cursor::new(archive)).expect("is an archive of ours");
    let mut bytes = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            bytes.push(0xff);
        }
        if let Ok(mut part) = zip.by_name(name) {
            part.read_to_end(&mut bytes).expect("can be unpacked");
        }
    }
    while bytes.last() == Some(&0xff) {
        bytes.pop();
    }
    bytes
}

fn archive(fixed: &[(&str, &[u8])], names: &[&str], parts: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let named = names.iter().copied().zip(parts.split(|byte| *byte == 0xff));
    // The first may be empty; others that are stand for parts that are not there.
    let named =
        named.enumerate().filter(|(at, (_, part))| *at == 0 || !part.is_empty()).map(|(_, part)| part);
    for (name, part) in fixed.iter().copied().chain(named) {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(name, options).expect("can be begun");
        zip.write_all(part).expect("can be written");
    }
    zip.finish().expect("can be ended").into_inner()
}
