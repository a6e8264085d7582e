//! The process in which files are read, from the side that asks.

use sonometer_ingest::apart::{Budget, read, read_unless};
use sonometer_ingest::{Hints, Reason};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

fn with(script: &str, seconds: u64) -> Reason {
    let mut helper = Command::new("sh");
    helper.args(["-c", script]);
    let budget = Budget { seconds, ..Budget::default() };
    read(helper, &vec![b'x'; 1 << 20], &Hints::default(), &budget).expect_err("is no reader").reason
}

#[test]
fn helpers_that_fail_are_told_apart() {
    assert_eq!(with("exit 1", 60), Reason::Broken);
    assert_eq!(with("kill -ABRT $$", 60), Reason::TooCostly);
    assert_eq!(with("echo '{}'", 60), Reason::Broken);
    // A map that points outside of the text.
    let lie = r#"{"read":{"kind":"text","modality":"text","turns":[[null,"hi",null]],"confidence":[null],"map":[{"turn":0,"range":{"start":0,"end":9},"place":{}}],"notes":[]}}"#;
    let told = |lie: &str| with(&format!("cat > /dev/null; echo '{lie}'"), 60);
    assert_eq!(told(lie), Reason::Internal);
    let sound = lie.replace("9}", "2}");
    // Surer than sure, and of a turn that is not there.
    assert_eq!(told(&sound.replace("[null],\"map", "[1000001],\"map")), Reason::Internal);
    assert_eq!(told(&sound.replace("[null],\"map", "[null,null],\"map")), Reason::Internal);
    let missing = Command::new("/no/such/helper");
    let failure = read(missing, b"x", &Hints::default(), &Budget::default()).expect_err("is not there");
    assert_eq!(failure.reason, Reason::Internal);
}

#[test]
fn helpers_that_hang_are_ended_with_what_they_started() {
    let begun = Instant::now();
    assert_eq!(with("sleep 600 & sleep 600", 1), Reason::TooCostly);
    assert!(begun.elapsed() < Duration::from_secs(120), "took {:?}", begun.elapsed());
}

#[test]
fn whoever_waits_may_stop_waiting() {
    let (begun, stop) = (Instant::now(), AtomicBool::new(false));
    let budget = Budget { seconds: 600, ..Budget::default() };
    let mut helper = Command::new("sh");
    helper.args(["-c", "sleep 600 & sleep 600"]);
    let failure = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        read_unless(helper, b"x", &Hints::default(), &budget, &stop)
    });
    assert!(failure.is_err_and(|failure| failure.error.message.contains("cancelled")));
    assert!(begun.elapsed() < Duration::from_secs(120), "took {:?}", begun.elapsed());
}
