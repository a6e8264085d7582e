//! Documents that nobody here made: those that come with Debian packages, and forms that pandoc makes of one of them.

use super::reading::{Reference, is_there, said_by};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the table.
#[derive(Debug)]
pub(super) struct Document {
    /// What the table calls it.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) reference: Reference,
}

/// What the table calls it, the package, and where it stands in there; `.gz` is unpacked.
const CARRIED: [(&str, &str, &str); 23] = [
    ("zsh.pdf", "zsh-doc", "usr/share/doc/zsh-common/zsh.pdf"),
    ("valgrind_manual.pdf", "valgrind", "usr/share/doc/valgrind/valgrind_manual.pdf.gz"),
    ("bash.pdf", "bash-doc", "usr/share/doc/bash/bash.pdf"),
    ("nettle.pdf", "nettle-dev", "usr/share/doc/nettle-dev/nettle.pdf.gz"),
    ("manual.pdf of bzip2", "bzip2-doc", "usr/share/doc/bzip2/manual.pdf.gz"),
    ("libtasn1.pdf", "libtasn1-doc", "usr/share/doc/libtasn1-doc/libtasn1.pdf"),
    ("crc-doc.1.0.pdf, formulas", "zlib1g-dev", "usr/share/doc/zlib1g-dev/crc-doc.1.0.pdf.gz"),
    (
        "shared-mime-info-spec.pdf",
        "shared-mime-info",
        "usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf",
    ),
    ("fontconfig-user.pdf", "fontconfig", "usr/share/doc/fontconfig/fontconfig-user.pdf.gz"),
    (
        "Rcpp-introduction.pdf, two columns",
        "r-cran-rcpp",
        "usr/lib/R/site-library/Rcpp/doc/Rcpp-introduction.pdf",
    ),
    (
        "refcard-fr-a4.pdf, three columns, French",
        "debian-refcard",
        "usr/share/doc/debian-refcard/refcard-fr-a4.pdf.gz",
    ),
    (
        "install.de.pdf, footnotes, German",
        "installation-guide-amd64",
        "usr/share/doc/installation-guide-amd64/de/install.de.pdf.gz",
    ),
    ("debmake-doc.ru.pdf, Russian", "debmake-doc", "usr/share/doc/debmake-doc/debmake-doc.ru.pdf"),
    (
        "developers-reference.pdf, Japanese",
        "developers-reference-ja",
        "usr/share/developers-reference/ja/developers-reference.pdf",
    ),
    ("debmake-doc.zh-cn.pdf, Chinese", "debmake-doc", "usr/share/doc/debmake-doc/debmake-doc.zh-cn.pdf"),
    (
        "install.ko.pdf, Korean",
        "installation-guide-amd64",
        "usr/share/doc/installation-guide-amd64/ko/install.ko.pdf.gz",
    ),
    (
        "arabic-book.pdf, Arabic",
        "texlive-lang-arabic",
        "usr/share/doc/texlive-doc/xelatex/arabic-book/arabic-book.pdf",
    ),
    (
        "lshort.pdf, Persian",
        "texlive-lang-arabic",
        "usr/share/doc/texlive-doc/latex/lshort-persian/lshort.pdf",
    ),
    ("bashref.html", "bash-doc", "usr/share/doc/bash/bashref.html"),
    ("manual.html of bzip2", "bzip2-doc", "usr/share/doc/bzip2/manual.html"),
    ("ch05.ja.html of debmake-doc, Japanese", "debmake-doc", "usr/share/doc/debmake-doc/html/ch05.ja.html"),
    ("example.docx", "r-cran-officer", "usr/lib/R/site-library/officer/doc_examples/example.docx"),
    ("fs.md of Node.js", "nodejs-doc", "usr/share/doc/nodejs/api/fs.md.gz"),
];

/// Of which pandoc makes the other forms.
const SOURCE: &str = "bashref.html";

/// All of them that can be had; the others are told on the way.
pub(super) fn gather(folder: &Path) -> Vec<Document> {
    let mut documents = Vec::new();
    for (name, package, inside) in CARRIED {
        let found = unpacked(folder, package).and_then(|root| plain(&root.join(inside)));
        let found = found.and_then(|path| {
            let reference = Reference::of(&path).ok_or("nothing to compare it with")?;
            Ok(Document { name: name.to_owned(), path, reference })
        });
        match found {
            Ok(document) => documents.push(document),
            Err(why) => println!("skipped: {name} ({why})"),
        }
    }
    let source = documents.iter().find(|document| document.name == SOURCE).map(|source| source.path.clone());
    for form in ["docx", "odt", "rtf", "eml"] {
        let made = source
            .as_ref()
            .ok_or(format!("there is no {SOURCE}"))
            .and_then(|source| made(folder, source, form));
        match made {
            Ok(document) => documents.push(document),
            Err(why) => println!("skipped: {SOURCE} as .{form} ({why})"),
        }
    }
    documents
}

/// The folder of a package's files; downloaded and unpacked there unless it is there already. Nothing is installed.
fn unpacked(folder: &Path, package: &str) -> Result<PathBuf, String> {
    let root = folder.join("packages").join(package);
    if root.is_dir() {
        return Ok(root);
    }
    for program in ["apt-get", "dpkg-deb"] {
        if !is_there(program) {
            return Err(format!("there is no {program}"));
        }
    }
    // It arrives under a name with its version, alone in this folder; unpacked whole before it gets its name.
    let (arriving, partly) = (folder.join("arriving").join(package), folder.join("partly").join(package));
    for folder in [&arriving, &partly] {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    said_by(Command::new("apt-get").args(["download", "--quiet", package]).current_dir(&arriving))
        .map_err(|_| format!("the package {package} cannot be downloaded"))?;
    let archives = crate::test::files(&arriving, "deb")?;
    let archive = archives.first().ok_or(format!("the package {package} did not arrive"))?;
    said_by(Command::new("dpkg-deb").arg("-x").arg(archive).arg(&partly))?;
    let moved =
        std::fs::create_dir_all(folder.join("packages")).and_then(|()| std::fs::rename(&partly, &root));
    let _ = std::fs::remove_dir_all(&arriving);
    moved.map(|()| root).map_err(|error| format!("{package}: {error}"))
}

/// The file, without its packing.
fn plain(path: &Path) -> Result<PathBuf, String> {
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let target = if is_packed { path.with_extension("") } else { path.to_owned() };
    if !target.is_file() {
        if !is_packed || !path.is_file() {
            return Err("the package does not carry it any more".into());
        }
        said_by(Command::new("gzip").args(["--decompress", "--keep", "--force"]).arg(path))?;
    }
    Ok(target)
}

/// Another form of a page.
fn made(folder: &Path, source: &Path, form: &str) -> Result<Document, String> {
    if !is_there("pandoc") {
        return Err("there is no pandoc".into());
    }
    let path = folder.join("made").with_extension(form);
    if form == "eml" {
        let page = std::fs::read(source).map_err(|error| format!("{}: {error}", source.display()))?;
        let head = "From: a@example.org\r\nTo: b@example.org\r\nSubject:\r\nMIME-Version: 1.0\r\n\
                    Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n";
        std::fs::write(&path, [head.as_bytes(), &page].concat())
            .map_err(|error| format!("{}: {error}", path.display()))?;
    } else {
        let mut pandoc = Command::new("pandoc");
        pandoc.args(["--from", "html", "--standalone", "--to", form]).arg(source).arg("--output").arg(&path);
        said_by(&mut pandoc)?;
    }
    // All of them hold the words of the page; pandoc does not find them all again in what it has made.
    let reference = Reference::Pandoc { format: "html", from: source.to_owned() };
    let name = format!("{SOURCE} as .{form}{}", if form == "eml" { "" } else { ", by pandoc" });
    Ok(Document { name, path, reference })
}
