//! Stage files: they read back as themselves, and what is wrong with them is told with its place.

use super::{COUNTER, Shelf, counter};
use sonometer::ErrorCode;
use sonometer::stage::{Stage, World};

#[test]
fn canonical_json_reads_back_as_the_same() {
    let (stage, _) = Stage::read(COUNTER).expect("reads");
    let canonical = stage.to_canonical_json();
    let (again, _) = Stage::read(&canonical).expect("reads back");
    assert_eq!(again.to_canonical_json(), canonical);
    assert_eq!(again.digest(), stage.digest());
    // White space and brackets of a guard are no part of what it says.
    let spaced = COUNTER
        .replace("pass: all(checkpoints) and none(flags)", "pass: (all( checkpoints )and(none(flags)))");
    assert_eq!(Stage::read(&spaced).expect("reads").0.digest(), stage.digest());
    let other = COUNTER.replace("Shall I read", "May I read");
    assert_ne!(Stage::read(&other).expect("reads").0.digest(), stage.digest());
}

#[test]
fn unknown_markers_are_told_with_their_place() {
    let (stage, _) = Stage::read(&COUNTER.replace("fired(thanks)", "fired(thank)")).expect("reads");
    let error = World::new(stage, &Shelf).expect_err("there is no such marker");
    assert_eq!(error.code, ErrorCode::InvalidProtocol);
    let finding = error.diagnostics.iter().next().expect("is told");
    assert_eq!((finding.code, finding.fix.as_str()), ("SM0603", "did you mean `thanks`"));
    let text = COUNTER.replace("fired(thanks)", "fired(thank)");
    assert_eq!(&text[finding.span.range()], "thank");
}

#[test]
fn a_stage_needs_its_target() {
    let (stage, _) = Stage::read(&COUNTER.replace("blueprint: both", "blueprint: neither")).expect("reads");
    let error = World::new(stage, &Shelf).expect_err("there is no such blueprint");
    assert_eq!((error.code, error.place.as_str()), (ErrorCode::TargetNotFound, "blueprint"));
}

#[test]
fn walkthroughs_are_tests() {
    let world = counter();
    assert!(world.lint_walkthroughs().is_empty(), "{:?}", world.lint_walkthroughs());
    let (passed, runs) = world.degenerate();
    assert!(passed.is_empty(), "{passed:?}");
    assert_eq!(runs, 5);
    let (stage, _) =
        Stage::read(&COUNTER.replace("reason: passed, say: [I am", "say: [I was")).expect("reads");
    let found = World::new(stage, &Shelf).expect("stands").lint_walkthroughs();
    let codes: Vec<_> = found.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["SM0656"]);
}
