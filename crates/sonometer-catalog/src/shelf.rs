//! Where metrics, blueprints and stages find what they name: what somebody has of their own, then what ships.

use crate::{ForStages, Shipped, compare_versions};
use sonometer::{Blueprint, Catalog, Document, Error, Metric, Protocol};
use std::fmt;
use std::path::{Path, PathBuf};

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
    behind: Behind,
    /// Stages can name blueprints, metrics and blueprints cannot.
    is_for_stages: bool,
}

/// What stands behind somebody's own. A reference and no list of choices: a program that never asks for the catalogue of the stages,
/// such as the module for browsers, then does not hold their protocols.
#[derive(Clone, Copy)]
struct Behind(Option<&'static (dyn Catalog + Send + Sync)>);

impl Default for Behind {
    fn default() -> Self {
        Self(Some(&Shipped))
    }
}

impl fmt::Debug for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "what ships" } else { "nothing" })
    }
}

impl Shelf {
    /// A shelf on which nothing stands but what is put there.
    pub fn alone() -> Self {
        Self { behind: Behind(None), ..Self::default() }
    }

    /// The same with what the stages that ship are sensed by behind it, which no other catalogue has.
    pub fn for_stages(self) -> Self {
        Self { behind: Behind(Some(&ForStages)), is_for_stages: true, ..self }
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

    /// Puts the protocols, metrics and blueprints of a folder on it: the files that end in `.yaml`, `.yml` or `.json`, by their names.
    /// Whatever else lies there, or cannot be read, is left out.
    pub fn add_folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| is_named_like_one(file) && file.is_file());
        files.sort();
        for file in files {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            if let Ok((document, _)) = Document::read(&text) {
                self.add(document);
            }
        }
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

/// Whether a file has the name of a protocol, metric or blueprint: it ends in `.yaml`, `.yml` or `.json`, in letters of any size.
pub fn is_named_like_one(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| ["yaml", "yml", "json"].iter().any(|known| own.eq_ignore_ascii_case(known)))
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let own = self.protocols.iter().filter(|protocol| protocol.id == id).cloned().collect();
        let shipped = self.behind.0.map_or(Ok(Vec::new()), |behind| behind.protocols(id))?;
        Ok(behind(own, shipped, |protocol| &protocol.version))
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let own = self.metrics.iter().filter(|metric| metric.id == id).cloned().collect();
        let shipped = self.behind.0.map_or(Ok(Vec::new()), |behind| behind.metrics(id))?;
        Ok(behind(own, shipped, |metric| &metric.version))
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        let own = self.blueprints.iter().filter(|blueprint| blueprint.id == id).cloned().collect();
        let shipped = self.behind.0.map_or(Ok(Vec::new()), |behind| behind.blueprints(id))?;
        Ok(behind(own, shipped, |blueprint| &blueprint.version))
    }
}

/// One's own, and of what ships the versions that one has not, from the oldest to the newest.
fn behind<T>(mut own: Vec<T>, mut shipped: Vec<T>, version: impl Fn(&T) -> &str) -> Vec<T> {
    shipped.retain(|other| own.iter().all(|own| version(own) != version(other)));
    own.append(&mut shipped);
    own.sort_by(|a, b| compare_versions(version(a), version(b)));
    own
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
        assert_eq!(facts(&shelf), [("1.0".to_owned(), true), ("1.5".to_owned(), false)]);
        shelf.behind = Behind(None);
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

    #[test]
    fn of_a_folder_only_protocols_and_metrics_count() {
        let folder = std::env::temp_dir().join(format!("sonometer-shelf-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("folder.yaml")).expect("can be written");
        let metric = OWN.replace(r#""sonometer": 1"#, r#""sonometer_metric": 1"#);
        for (name, text) in
            [("a.JSON", OWN), ("b.json", &metric), ("c.txt", OWN), ("d.yaml", "]"), ("e", OWN)]
        {
            std::fs::write(folder.join(name), text).expect("can be written");
        }
        let mut shelf = Shelf::alone();
        shelf.add_folder(&folder);
        shelf.add_folder(&folder.join("none"));
        std::fs::remove_dir_all(&folder).expect("is there");
        assert_eq!((shelf.protocols.len(), shelf.metrics.len()), (1, 0));
    }
}
