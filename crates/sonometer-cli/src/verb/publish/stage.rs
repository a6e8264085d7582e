//! A stage is frozen if its walkthroughs end as they say, silence and repetition do not pass, and what senses it is frozen.

use super::{as_published, refused, without_warnings};
use crate::failure::{Exit, Failure, counted};
use crate::file;
use crate::screen::Screen;
use crate::verb::dive::{self, StageSource};
use sonometer::composition::Reference;
use sonometer::protocol::Status;
use sonometer::stage::World;
use sonometer::{Catalog, Document, Error, TargetKind};
use sonometer_author::frozen::{self, Named};
use sonometer_catalog::Shelf;

pub(super) fn publish(stage: &StageSource, path: &str, screen: &mut Screen) -> Result<Exit, Failure> {
    let source = &stage.source;
    let name = &source.name;
    let (found, world) = dive::check(stage);
    let Some(mut world) = world? else { return Err(Failure::protocol(source.clone(), found)) };
    if world.stage().status == Status::Archived {
        return Err(refused(format!("{name}: is archived; write `status: draft` to publish it")));
    }
    without_warnings(source, &found, screen)?;
    let (passed, runs) = world.degenerate();
    if !passed.is_empty() {
        let passing = passed.len();
        return Err(refused(format!(
            "{name}: {passing} of {runs} runs of silence and repetition passed, but must fail; for details run `sonometer test {name}`"
        )));
    }
    let shelf = stage.shelf();
    let parts = named_by(&world, &shelf).map_err(|error| Failure::engine(name, &error))?;
    frozen::check(&parts, world.instrument().sensors(), &shelf)
        .map_err(|what| refused(format!("{name}: {what}")))?;
    if world.stage().status != Status::Published {
        let published = StageSource { source: as_published(source)? };
        world = published.world()?;
        still_holds(name, &world)?;
        file::replace(path, published.source.text.as_bytes())?;
    }
    let stage = world.stage();
    screen.print(&format!(
        "stage {}@{} is published: {}\n{} as expected, {} of silence and repetition failed, {} pinned; a change needs a new version\n",
        stage.id,
        stage.version,
        world.digest(),
        counted(stage.walkthroughs.len(), "walkthrough"),
        counted(runs, "run"),
        counted(world.instrument().sensors().len(), "protocol")
    ))?;
    Ok(Exit::Done)
}

/// What is drawn follows the digest, of which the status is part: a run may hear other words than it did in the draft.
fn still_holds(name: &str, world: &World) -> Result<(), Failure> {
    let walks = world.stage().walkthroughs.iter();
    let otherwise =
        walks.filter(|(_, run)| !world.walk(run).as_expected).map(|(name, _)| format!("`{name}`"));
    let otherwise: Vec<String> = otherwise.collect();
    let what = match (otherwise.len(), world.degenerate().0.first()) {
        (0, None) => return Ok(()),
        (0, Some(what)) => format!("{what} passes"),
        (1, _) => format!("the walkthrough {} does not end as expected", otherwise[0]),
        _ => format!("the walkthroughs {} do not end as expected", otherwise.join(", ")),
    };
    Err(refused(format!(
        "{name}: with `status: published` {what}, because the status changes which words are drawn; write `status: \
         published`, run `sonometer test {name}`, and make the stage independent of the words drawn"
    )))
}

/// Everything that the stage names: what senses it, and what that names.
fn named_by(world: &World, shelf: &Shelf) -> Result<Vec<Named>, Error> {
    let (stage, target) = (world.stage(), world.target());
    let (kind, Reference { id, .. }) = &stage.target;
    let mut all = vec![(format!("`{}`", stage.id), stage.target.1.clone())];
    let composed: Vec<Document> = match kind {
        TargetKind::Protocol => Vec::new(),
        TargetKind::Metric => shelf.metrics(id)?.into_iter().map(Document::Metric).collect(),
        TargetKind::Blueprint => shelf.blueprints(id)?.into_iter().map(Document::Blueprint).collect(),
    };
    if let Some(composed) = composed.iter().find(|composed| composed.version() == target.version) {
        all.extend(frozen::named_in(composed, shelf)?);
    }
    Ok(all)
}
