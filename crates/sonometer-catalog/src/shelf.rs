//! Where metrics, blueprints and stages find what they name: what somebody has of their own, then what ships.

use crate::{ForStages, Shipped, list_file};
use sonometer::document::MAX_SOURCE_BYTES;
use sonometer::{Blueprint, Catalog, Document, Error, Metric, Protocol};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the id of a file in a folder must stand, in bytes from its beginning. A folder may hold any number of large files in JSON
/// that are something else, and of those no more is read.
const HEAD: u64 = 16 << 10;

/// Protocols, metrics and blueprints of one's own. Behind them stands what ships, unless it is [`Shelf::alone`]; a version of one's own
/// hides the one that ships.
///
/// ```
/// use sonometer::{Document, Instrument};
/// use sonometer_catalog::Shelf;
///
/// let thanks = r#"{"sonometer": 1, "id": "thanks", "version": "1.0", "status": "published", "taxonomy": "Signal",
///     "language": "en", "markers": [{"label": "gratitude", "strong": "thank you", "hit": "Thank you."}]}"#;
/// let metric = r#"{"sonometer_metric": 1, "id": "manners", "version": "1.0",
///     "components": [{"protocol": "thanks"}, {"protocol": "courtesy@1.0"}]}"#;
/// let shelf = Shelf::default().read(&[thanks])?;
/// let manners = Instrument::new(Document::read(metric)?.0, &shelf)?;
/// assert_eq!(manners.sensors().len(), 2);
/// # Ok::<(), sonometer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    protocols: Vec<Protocol>,
    metrics: Vec<Metric>,
    blueprints: Vec<Blueprint>,
    folders: Vec<PathBuf>,
    behind: Behind,
    /// Stages can name blueprints, metrics and blueprints cannot.
    is_for_stages: bool,
}

/// What stands behind somebody's own.
#[derive(Clone, Copy, Debug, Default)]
enum Behind {
    Nothing,
    #[default]
    Shipped,
    ForStages,
}

impl Behind {
    fn catalog(self) -> Option<&'static dyn Catalog> {
        match self {
            Self::Nothing => None,
            Self::Shipped => Some(&Shipped),
            Self::ForStages => Some(&ForStages),
        }
    }
}

impl Shelf {
    /// A shelf on which nothing stands but what is put there.
    pub fn alone() -> Self {
        Self { behind: Behind::Nothing, ..Self::default() }
    }

    /// The same with what the stages that ship are sensed by behind it, which no other catalogue has.
    pub fn for_stages(self) -> Self {
        Self { behind: Behind::ForStages, is_for_stages: true, ..self }
    }

    /// Puts the protocols and metrics of these sources on it; for stages ([`Shelf::for_stages`]) blueprints, too.
    ///
    /// # Errors
    /// Those of [`Document::read`], with `shelf[n]` before the place; `invalid_request` for a blueprint that is not for
    /// stages, since no metric and no blueprint can name it.
    pub fn read(mut self, sources: &[impl AsRef<str>]) -> Result<Self, Error> {
        for (at, source) in sources.iter().enumerate() {
            let document = Document::read(source.as_ref()).map(|(document, _)| document);
            let document = document.map_err(|error| match error.place.as_str() {
                "" => Error { place: format!("shelf[{at}]"), ..error },
                place => Error { place: format!("shelf[{at}], {place}"), ..error },
            })?;
            if matches!(document, Document::Blueprint(_)) && !self.is_for_stages {
                let message = "a blueprint cannot be named by another target; leave it out";
                return Err(Error::invalid(format!("shelf[{at}]"), message));
            }
            self.add(document);
        }
        Ok(self)
    }

    /// Puts the protocols, metrics and blueprints of a folder on it: the files that end in `.yaml`, `.yml` or `.json`. None is read
    /// before something asks for an id, and then only those in whose first 16 KiB `sonometer` and that id stand. Whatever else lies
    /// there, or cannot be read, is left out.
    pub fn add_folder(&mut self, folder: &Path) {
        self.folders.push(folder.to_owned());
    }

    /// What the folders hold under an id, by the names of the files.
    fn in_folders(&self, id: &str) -> impl Iterator<Item = Document> {
        // Browsers have no folders; the module for them goes without the code that reads any.
        if cfg!(target_os = "unknown") {
            return Vec::new().into_iter();
        }
        let entries = self.folders.iter().flat_map(|folder| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            files.sort();
            files
        });
        let named = entries.filter(|file| is_named_like_one(file) && file.is_file());
        let documents = named.filter_map(move |file| {
            let folder = file.parent().unwrap_or(Path::new("."));
            let (document, _) =
                Document::read_with(&text_with(&file, id)?, &|path| list_file(folder, path)).ok()?;
            (document.id() == id).then_some(document)
        });
        documents.collect::<Vec<_>>().into_iter()
    }

    /// The versions of a protocol that are one's own.
    fn own_protocols(&self, id: &str) -> impl Iterator<Item = Protocol> {
        let here = self.protocols.iter().filter(move |protocol| protocol.id == id).cloned();
        here.chain(self.in_folders(id).filter_map(|document| match document {
            Document::Protocol(found) => Some(*found),
            _ => None,
        }))
    }

    /// Puts something on it.
    pub fn add(&mut self, document: Document) {
        match document {
            Document::Protocol(protocol) => self.protocols.push(*protocol),
            Document::Metric(metric) => self.metrics.push(metric),
            Document::Blueprint(blueprint) => self.blueprints.push(blueprint),
        }
    }
}

/// The text of a file that begins as one with that id may.
fn text_with(file: &Path, id: &str) -> Option<String> {
    let mut file = File::open(file).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut bytes).ok()?;
    let has = |wanted: &str| bytes.windows(wanted.len()).any(|part| part == wanted.as_bytes());
    if id.is_empty() || !has("sonometer") || !has(id) {
        return None;
    }
    // Read one byte more than allowed, to notice a file that is too large.
    file.take(MAX_SOURCE_BYTES as u64 + 1 - bytes.len() as u64).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= MAX_SOURCE_BYTES).then(|| String::from_utf8(bytes).ok())?
}

/// Whether a file has the name of a protocol, metric or blueprint: it ends in `.yaml`, `.yml` or `.json`, in letters of any size.
pub fn is_named_like_one(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| ["yaml", "yml", "json"].iter().any(|known| own.eq_ignore_ascii_case(known)))
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let own = self.own_protocols(id).collect();
        let shipped = self.behind.catalog().map_or(Ok(Vec::new()), |behind| behind.protocols(id))?;
        Ok(behind(own, shipped, |protocol| &protocol.version))
    }

    fn protocol(&self, id: &str, version: &str) -> Result<Option<Protocol>, Error> {
        // Of two equal ones the last counts, as everywhere.
        match self.own_protocols(id).filter(|protocol| protocol.version == version).last() {
            Some(own) => Ok(Some(own)),
            None => self.behind.catalog().map_or(Ok(None), |behind| behind.protocol(id, version)),
        }
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let mut own: Vec<Metric> = self.metrics.iter().filter(|metric| metric.id == id).cloned().collect();
        own.extend(self.in_folders(id).filter_map(|document| match document {
            Document::Metric(found) => Some(found),
            _ => None,
        }));
        let shipped = self.behind.catalog().map_or(Ok(Vec::new()), |behind| behind.metrics(id))?;
        Ok(behind(own, shipped, |metric| &metric.version))
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        let mut own: Vec<Blueprint> =
            self.blueprints.iter().filter(|blueprint| blueprint.id == id).cloned().collect();
        own.extend(self.in_folders(id).filter_map(|document| match document {
            Document::Blueprint(found) => Some(found),
            _ => None,
        }));
        let shipped = self.behind.catalog().map_or(Ok(Vec::new()), |behind| behind.blueprints(id))?;
        Ok(behind(own, shipped, |blueprint| &blueprint.version))
    }
}

/// What ships, with one's own in the place of the same version, and one's own other versions.
fn behind<T>(own: Vec<T>, mut shipped: Vec<T>, version: impl Fn(&T) -> &str) -> Vec<T> {
    for one in own {
        match shipped.iter().position(|other| version(other) == version(&one)) {
            Some(at) => shipped[at] = one,
            None => shipped.push(one),
        }
    }
    shipped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, find_blueprint};

    const OWN: &str = r#"{"sonometer": 1, "id": "courtesy", "version": "1.0", "name": "Own", "taxonomy": "Signal",
        "markers": [{"label": "own", "strong": "own", "hit": "own"}]}"#;

    #[test]
    fn a_version_of_ones_own_hides_the_one_that_ships() {
        let mut shelf = Shelf::default().read(&[OWN]).expect("reads");
        let facts = |shelf: &Shelf| -> Vec<(String, bool)> {
            let all = shelf.protocols("courtesy").expect("all can be read").into_iter();
            all.map(|protocol| (protocol.version, protocol.name == "Own")).collect()
        };
        assert_eq!(
            facts(&shelf),
            [("1.0".to_owned(), true), ("1.5".to_owned(), false), ("2.0".to_owned(), false)]
        );
        shelf.behind = Behind::Nothing;
        assert_eq!(facts(&shelf), [("1.0".to_owned(), true)]);
        assert!(shelf.metrics("reply-quality").expect("can be read").is_empty());
        assert_eq!(Shelf::default().metrics("reply-quality").expect("can be read").len(), 1);
    }

    #[test]
    fn a_mistake_on_the_shelf_is_told_with_its_place() {
        let good = find("courtesy", None).expect("ships").source;
        let error = Shelf::default().read(&[good, "sonometer: 1\n"]).expect_err("is no protocol");
        assert!(error.place.starts_with("shelf[1], line "), "{error}");
        let blueprint = find_blueprint("service-call", None).expect("ships").source;
        assert_eq!(Shelf::default().read(&[blueprint]).expect_err("is of no use").place, "shelf[0]");
        let shelf = Shelf::default().for_stages().read(&[blueprint]).expect("a stage can name it");
        assert_eq!(shelf.blueprints("service-call").expect("can be read").len(), 1);
    }

    /// A folder for one test, which is removed with it.
    struct Folder(PathBuf);

    impl Folder {
        fn with(name: &str, files: &[(&str, &str)]) -> Self {
            let folder = std::env::temp_dir().join(format!("sonometer-shelf-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).expect("can be written");
            for (name, text) in files {
                std::fs::write(folder.join(name), text).expect("can be written");
            }
            Self(folder)
        }

        fn shelf(&self) -> Shelf {
            let mut shelf = Shelf::alone();
            shelf.add_folder(&self.0);
            shelf
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn of_a_folder_only_protocols_and_metrics_count() {
        let metric = OWN.replace(r#""sonometer": 1"#, r#""sonometer_metric": 1"#);
        let files = [("a.JSON", OWN), ("b.json", &metric), ("c.txt", OWN), ("d.yaml", "]"), ("e", OWN)];
        let folder = Folder::with("kinds", &files);
        std::fs::create_dir_all(folder.0.join("folder.yaml")).expect("can be written");
        let mut shelf = folder.shelf();
        shelf.add_folder(&folder.0.join("none"));
        assert_eq!(shelf.protocols("courtesy").expect("can be read").len(), 1);
        assert!(shelf.metrics("courtesy").expect("can be read").is_empty());
        assert!(shelf.protocols("court").expect("can be read").is_empty(), "the id is the whole id");
    }

    #[test]
    fn of_files_that_are_something_else_only_the_head_is_read() {
        let late = format!("{}{OWN}", " ".repeat(HEAD as usize));
        let folder = Folder::with("heads", &[("late.json", &late), ("large.json", OWN), ("good.json", OWN)]);
        let large = File::options().append(true).open(folder.0.join("large.json")).expect("is there");
        large.set_len(MAX_SOURCE_BYTES as u64 + 1).expect("can be longer");
        assert!(text_with(&folder.0.join("late.json"), "courtesy").is_none());
        assert!(text_with(&folder.0.join("large.json"), "courtesy").is_none());
        assert!(text_with(&folder.0.join("good.json"), "affect").is_none());
        assert_eq!(folder.shelf().protocols("courtesy").expect("can be read").len(), 1);
    }
}
