//! Runs that were killed go on to the bytes of one run.

use super::{command, done, fresh, home, read_parquet, refused, table, texts, write_parquet};
use arrow_array::{Array, Int64Array};
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

#[test]
fn a_killed_run_goes_on_to_the_same_rows() {
    let count = 500_000;
    write_parquet("kill.parquet", &table(texts(count)), 100_000);
    let arguments = |out: &'static str| {
        [
            "batch",
            "courtesy@1.5",
            "kill.parquet",
            "--text-column",
            "said",
            "--columns",
            "score,evidence",
            "-o",
            out,
        ]
    };
    fresh("kill-whole.parquet");
    done(&arguments("kill-whole.parquet"));
    let out = fresh("kill-out.parquet");
    let parts = home().join("kill-out.parquet.parts");
    let has_part = |at: usize| parts.join(format!("{at:06}.part")).exists();
    let mut kills = 0;
    for (at, resume) in [(0, false), (1, true)] {
        let mut child = command(&arguments("kill-out.parquet"));
        if resume {
            child.arg("--resume");
        }
        let mut child = child.stderr(Stdio::null()).spawn().expect("starts");
        while !has_part(at) && child.try_wait().expect("is a child").is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        kills += u32::from(child.try_wait().expect("is a child").is_none());
        child.kill().expect("can be killed");
        child.wait().expect("ends");
        assert!(!out.exists(), "a killed run left a file that looks whole");
    }
    assert_eq!(kills, 2, "a run was over before it could be killed");
    assert_eq!(
        refused(&arguments("kill-out.parquet")),
        "kill-out.parquet.parts: has parts of a run that was stopped; use --resume to continue it, or remove the folder"
    );
    let mut other = arguments("kill-out.parquet").to_vec();
    other[1] = "courtesy@2.0";
    other.push("--resume");
    assert_eq!(
        refused(&other),
        "kill-out.parquet.parts: has parts of another run; use --resume with the same inputs, target and options, or \
         remove the folder"
    );
    let mut again = arguments("kill-out.parquet").to_vec();
    again.push("--resume");
    let told = done(&again);
    assert!(told.contains(" rows after ") && told.contains(" that were there: "), "{told}");
    assert!(!parts.exists());
    let (whole, resumed) = (fs::read(home().join("kill-whole.parquet")), fs::read(&out));
    assert!(whole.expect("is there") == resumed.expect("is there"), "the bytes are not those of one run");
    let rows = read_parquet("kill-out.parquet");
    assert_eq!(rows.num_rows(), count);
    assert_eq!(rows.column(0).as_ref(), &Int64Array::from_iter_values(0..count as i64) as &dyn Array);
    assert_eq!(
        done(&again),
        "kill-out.parquet: already whole, nothing is left to do; remove it to measure again\n"
    );
    // What is whole may still be of another target or another input.
    assert_eq!(
        refused(&other),
        "kill-out.parquet: has results of another run; use --resume with the same inputs, target and options, or remove the file"
    );
    write_parquet("kill-other.parquet", &table(vec![Some("Thank you.".to_owned())]), 1);
    again[2] = "kill-other.parquet";
    assert!(refused(&again).contains("has results of another run"));
}

#[test]
fn a_run_goes_on_with_the_key_that_it_began_with() {
    let lines = (0..200_000).map(|n| Some(format!("My code {} is for the letters of number {n}.", n % 7)));
    write_parquet("keyed.parquet", &table(lines.collect()), 100_000);
    let codes = "{sonometer: 1, id: codes, version: \"1\", taxonomy: Signal, language: en, score: any, markers: [\
                 {label: secret, strong: \"code (0|1|2|3)\", mask: keyed}]}";
    fs::write(fresh("codes.yaml"), codes).expect("is written");
    for (name, key) in [("key-a", "0123456789abcdef"), ("key-b", "0123456789abcdeF")] {
        fs::write(fresh(name), key).expect("is written");
        // Else the command warns of it.
        #[cfg(unix)]
        fs::set_permissions(home().join(name), std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("is its owner");
    }
    let arguments = |out: &'static str, key: &'static str| {
        let mut all = vec!["batch", "codes.yaml", "keyed.parquet", "--text-column", "said", "--keep", "said"];
        all.extend(["--mask-key", key, "-o", out]);
        all
    };
    fresh("keyed-whole.parquet");
    done(&arguments("keyed-whole.parquet", "key-a"));
    fresh("keyed-out.parquet");
    let part = home().join("keyed-out.parquet.parts/000000.part");
    let mut child =
        command(&arguments("keyed-out.parquet", "key-a")).stderr(Stdio::null()).spawn().expect("starts");
    while !part.exists() && child.try_wait().expect("is a child").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(child.try_wait().expect("is a child").is_none(), "the run was over before it could be killed");
    child.kill().expect("can be killed");
    child.wait().expect("ends");
    let mut other = arguments("keyed-out.parquet", "key-b");
    other.push("--resume");
    assert!(refused(&other).contains("has parts of another run"), "another key was taken");
    let mut again = arguments("keyed-out.parquet", "key-a");
    again.push("--resume");
    assert!(done(&again).contains(" that were there: "));
    let read = |name: &str| fs::read(home().join(name)).expect("is there");
    assert!(read("keyed-whole.parquet") == read("keyed-out.parquet"));
}

#[test]
fn conversations_go_on_too() {
    let mut csv = "talk,role,text\n".to_owned();
    for row in 0..300_000 {
        csv.push_str(&format!(
            "{:06},agent,Thank you so much for the {row} letters I really appreciate.\n",
            row / 2
        ));
    }
    fs::write(fresh("kill-turns.csv"), csv).expect("is written");
    let arguments =
        |out: &'static str| ["batch", "courtesy@1.5", "kill-turns.csv", "--group-by", "talk", "-o", out];
    fresh("kill-turns-whole.csv.gz");
    done(&arguments("kill-turns-whole.csv.gz"));
    fresh("kill-turns-out.csv.gz");
    let part = home().join("kill-turns-out.csv.gz.parts/000000.part");
    let mut child =
        command(&arguments("kill-turns-out.csv.gz")).stderr(Stdio::null()).spawn().expect("starts");
    while !part.exists() && child.try_wait().expect("is a child").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(child.try_wait().expect("is a child").is_none(), "the run was over before it could be killed");
    child.kill().expect("can be killed");
    child.wait().expect("ends");
    let mut again = arguments("kill-turns-out.csv.gz").to_vec();
    again.push("--resume");
    assert!(done(&again).contains(" that were there: "));
    let read = |name: &str| fs::read(home().join(name)).expect("is there");
    assert!(read("kill-turns-whole.csv.gz") == read("kill-turns-out.csv.gz"));
}
