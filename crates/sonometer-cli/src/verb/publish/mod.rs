//! `sonometer publish`: a tested protocol or stage is frozen, and named by its digest; a metric or blueprint of frozen parts too.

mod stage;

use super::dive::StageSource;
use crate::failure::{Exit, Failure, counted};
use crate::screen::Screen;
use crate::target::Source;
use crate::{file, findings};
use sonometer::composition::Standing;
use sonometer::document::{self, Node};
use sonometer::protocol::Status;
use sonometer::stage::Stage;
use sonometer::{Diagnostics, Document, ErrorCode, Protocol};
use sonometer_author::frozen;

/// Arguments of `publish`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric, blueprint or stage file
    file: String,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if let Some(stage) = StageSource::meant(&arguments.file) {
        return stage::publish(&stage, &arguments.file, screen);
    }
    let source = Source::find(&arguments.file)?;
    let (document, warnings) = source.document()?;
    let name = &source.name;
    without_warnings(&source, &warnings, screen)?;
    let protocol = match document {
        Document::Protocol(protocol) => *protocol,
        composed => return freeze(&source, composed, screen),
    };
    let (tests, failed) =
        sonometer_author::test::failures(&protocol).map_err(|error| Failure::engine(name, &error))?;
    if tests == 0 || failed > 0 {
        let what =
            if tests == 0 { "no tests".to_owned() } else { format!("{} failing", counted(failed, "test")) };
        return Err(refused(format!("{name}: {what}; for details run `sonometer test {name}`")));
    }
    let published = match protocol.status {
        Status::Published => protocol,
        Status::Draft | Status::Archived => {
            let as_published = as_published(&source)?;
            let (published, _) = as_published.read()?;
            file::replace(&arguments.file, as_published.text.as_bytes())?;
            published
        }
    };
    let Protocol { id, version, .. } = &published;
    screen.print(&format!(
        "{id}@{version} is published: {}\n{} passed; a change needs a new version\n",
        published.digest(),
        counted(tests, "test")
    ))?;
    Ok(Exit::Done)
}

/// A metric or blueprint is frozen if all that it names is: every version pinned and published, down to the protocols.
fn freeze(source: &Source, composed: Document, screen: &mut Screen) -> Result<Exit, Failure> {
    let name = &source.name;
    let kind = composed.kind().as_str();
    let (id, version, standing, digest) = match &composed {
        Document::Metric(m) => (m.id.clone(), m.version.clone(), m.status, m.digest()),
        Document::Blueprint(b) => (b.id.clone(), b.version.clone(), b.status, b.digest()),
        Document::Protocol(_) => {
            return Err(refused(format!("{name}: is a protocol, not a metric or blueprint")));
        }
    };
    if standing == Standing::Archived {
        return Err(refused(format!("{name}: is archived; write `status: active` to publish it")));
    }
    let shelf = source.beside();
    let parts = frozen::named_in(&composed, &shelf).map_err(|error| Failure::engine(name, &error))?;
    let whole = source.compose(composed).map_err(|error| Failure::engine(name, &error))?;
    frozen::check(&parts, whole.sensors(), &shelf).map_err(|what| refused(format!("{name}: {what}")))?;
    screen.print(&format!(
        "{kind} {id}@{version} is published: {digest}\n{} pinned; a change needs a new version\n",
        counted(whole.sensors().len(), "protocol")
    ))?;
    Ok(Exit::Done)
}

fn refused(message: String) -> Failure {
    Failure::told(ErrorCode::InvalidProtocol, message)
}

/// Refuses a file with warnings, which are shown.
fn without_warnings(source: &Source, warnings: &Diagnostics, screen: &mut Screen) -> Result<(), Failure> {
    if warnings.is_empty() {
        return Ok(());
    }
    screen.print(&findings::render(&screen.paint, source, warnings))?;
    let what = counted(warnings.len(), "warning");
    Err(refused(format!("{}: {what}; a published version never changes, so fix them first", source.name)))
}

/// The file with `status: published`, not written yet.
fn as_published(source: &Source) -> Result<Source, Failure> {
    let text = with_status(source).ok_or_else(|| {
        let name = &source.name;
        refused(format!("{name}: cannot insert `status: published` here; write it into the file yourself"))
    })?;
    Ok(Source { text: text.into(), ..source.clone() })
}

/// The text with `status: published` in the place of its status, or behind its version.
fn with_status(source: &Source) -> Option<String> {
    let text = &*source.text;
    let (root, _) = document::read(text).ok()?;
    let mut changed = text.to_owned();
    if let Some(Node { span, .. }) = root.get("status") {
        let quoted = text[span.range()].starts_with('"');
        changed.replace_range(span.range(), if quoted { "\"published\"" } else { "published" });
    } else if text[root.span.start..].starts_with('{') {
        return None;
    } else {
        let version = root.get("version")?.span.end;
        let line_end = text[version..].find('\n').map_or(text.len(), |length| version + length);
        changed.insert_str(line_end, "\nstatus: published");
    }
    let status = match root.get("sonometer_stage") {
        Some(_) => Stage::read(&changed).ok()?.0.status,
        None => Protocol::read_with(&changed, &|path| source.list_file(path)).ok()?.0.status,
    };
    (status == Status::Published).then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_put_where_it_belongs() {
        let rest = "taxonomy: Signal\nmarkers:\n  - label: a\n    strong: a b\n";
        let head = "sonometer: 1\nid: x\nversion: \"1\"  # first\n";
        let wanted = format!("{head}status: published\n{rest}");
        let with_status =
            |text: &str| with_status(&Source { name: "x.yaml".into(), text: text.to_owned().into() });
        assert_eq!(with_status(&format!("{head}{rest}")), Some(wanted.clone()));
        assert_eq!(with_status(&format!("{head}status: draft\n{rest}")), Some(wanted));
        let json = |status: &str| {
            format!(
                r#"{{"sonometer": 1, "id": "x", "version": "1", {status}"taxonomy": "Signal", "markers": [{{"label": "a", "strong": "b"}}]}}"#
            )
        };
        assert_eq!(with_status(&json("\"status\": \"draft\", ")), Some(json("\"status\": \"published\", ")));
        assert_eq!(with_status(&json("")), None);
    }
}
