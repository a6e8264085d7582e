//! `sonometer publish`: a tested protocol is frozen, and named by its digest; a metric or blueprint of frozen parts too.

use crate::failure::{Exit, Failure, counted};
use crate::screen::Screen;
use crate::target::Source;
use crate::{file, findings};
use sonometer::composition::Standing;
use sonometer::protocol::Status;
use sonometer::protocol::source::{self, Node};
use sonometer::{Document, ErrorCode, Protocol};

/// Arguments of `publish`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint file
    file: String,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let source = Source::find(&arguments.file)?;
    let (document, warnings) = source.document()?;
    let name = &source.name;
    if !warnings.is_empty() {
        screen.print(&findings::render(&screen.paint, &source, &warnings))?;
        let what = counted(warnings.len(), "warning");
        return Err(refused(format!("{name}: {what}; what is published never changes, so mend them first")));
    }
    let protocol = match document {
        Document::Protocol(protocol) => *protocol,
        composed => return freeze(&source, composed, screen),
    };
    let (tests, failed) = super::test::failures(&protocol).map_err(|error| Failure::engine(name, &error))?;
    if tests == 0 || failed > 0 {
        let what =
            if tests == 0 { "no tests".to_owned() } else { format!("{} failing", counted(failed, "test")) };
        return Err(refused(format!("{name}: {what}; `sonometer test {name}` says more")));
    }
    let published = match protocol.status {
        Status::Published => protocol,
        Status::Draft | Status::Archived => {
            let text = with_status(&source.text).ok_or_else(|| {
                refused(format!(
                    "{name}: write `status: published` into it yourself; its notation has no place for it"
                ))
            })?;
            let (published, _) = Source { text: text.clone().into(), ..source.clone() }.read()?;
            file::replace(&arguments.file, text.as_bytes())?;
            published
        }
    };
    let Protocol { id, version, .. } = &published;
    screen.print(&format!(
        "{id}@{version} is published: {}\n{} passed; a change gets another version\n",
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
        Document::Protocol(_) => return Err(refused(format!("{name}: is a protocol"))),
    };
    if standing == Standing::Archived {
        return Err(refused(format!("{name}: is archived; write `status: active` to publish it")));
    }
    let parts = source.references(&composed).map_err(|error| Failure::engine(name, &error))?;
    if let Some((holder, loose)) = parts.iter().find(|(_, reference)| reference.version.is_none()) {
        return Err(refused(format!(
            "{name}: {holder} names `{loose}` without a version, which moves with every new one; pin it, as `{loose}@1.0`"
        )));
    }
    let whole = source.compose(composed).map_err(|error| Failure::engine(name, &error))?;
    for Protocol { id, version, status, .. } in whole.sensors().iter().map(sonometer::Sensor::protocol) {
        if *status == Status::Draft {
            return Err(refused(format!(
                "{name}: `{id}@{version}` is a draft, which can still change; publish it first"
            )));
        }
    }
    screen.print(&format!(
        "{kind} {id}@{version} is published: {digest}\n{} pinned; a change gets another version\n",
        counted(whole.sensors().len(), "protocol")
    ))?;
    Ok(Exit::Done)
}

fn refused(message: String) -> Failure {
    Failure::told(ErrorCode::InvalidProtocol, message)
}

/// The text with `status: published` in the place of its status, or behind its version.
fn with_status(text: &str) -> Option<String> {
    let (root, _) = source::read(text).ok()?;
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
    let (published, _) = Protocol::read(&changed).ok()?;
    (published.status == Status::Published).then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_put_where_it_belongs() {
        let rest = "taxonomy: Signal\nmarkers:\n  - label: a\n    strong: a b\n";
        let head = "sonometer: 1\nid: x\nversion: \"1\"  # first\n";
        let wanted = format!("{head}status: published\n{rest}");
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
