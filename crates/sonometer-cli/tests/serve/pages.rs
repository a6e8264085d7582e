//! The requests that README and `docs/service.md` show.

use crate::{Served, database, folder};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The blocks of a page behind a heading, up to the next of its kind, by their language.
pub(crate) fn blocks(page: &str, heading: &str, language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (_, behind) = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    let section = behind.split("\n## ").next().unwrap_or_default();
    let fence = format!("```{language}\n");
    section.split(&fence).skip(1).filter_map(|block| Some(block.split("```").next()?.to_owned())).collect()
}

/// Runs a program with the address and the token of a server in its surroundings: what it prints.
#[track_caller]
fn run(served: &Served, token: &str, folder: &Path, program: &str, arguments: &[&str]) -> String {
    // Where the command lies that the pages call.
    let own = Path::new(env!("CARGO_BIN_EXE_sonometer")).parent().expect("lies somewhere").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([own].into_iter().chain(std::env::split_paths(&others))).expect("can be joined");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .env("TOKEN", token)
        .env("BASE", format!("http://{}", served.address))
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{out}{err}");
    out
}

/// The pages show what is true: their requests by curl and Python are answered, none of them with an error.
#[test]
fn what_the_pages_show_works() {
    if !Command::new("curl").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: the requests of the pages (no curl)");
        return;
    }
    let folder = folder("pages");
    let served = Served::start(&folder, &[]);
    let token = served.token();
    let shell = |script: &str| {
        let script = script.replace("127.0.0.1:8080", &served.address);
        run(&served, &token, &folder, "sh", &["-ec", &script])
    };
    let python = |script: &str| {
        let script = script.replace("127.0.0.1:8080", &served.address);
        run(&served, &token, &folder, "python3", &["-c", &script])
    };

    let readme = blocks("README.md", "As a service", "sh");
    let [block] = &readme[..] else { panic!("one block") };
    let (start, request) = block.split_once('\n').expect("two commands");
    assert!(start.starts_with("sonometer serve &"), "{start}");
    let answer = shell(request);
    assert!(answer.starts_with(r#"{"target":{"type":"protocol","id":"courtesy""#), "{answer}");
    let (_, score) = answer.split_once(r#""score":"#).expect("has a score");
    let score = score.split(',').next().expect("ends");

    let start = &blocks("docs/service.md", "Start", "sh")[1];
    let ask = start.lines().find(|line| line.starts_with("ask()")).expect("is defined");
    let ask = ask.replace("curl -s", "curl -sS --fail-with-body");
    let walk = &blocks("docs/service.md", "A walk", "sh")[0];
    let answers = shell(&format!("{ask}\n{walk}"));
    for path in [
        "status",
        "protocols",
        "fidelity/check",
        "estimate",
        "sense ",
        "compare",
        "batch",
        "usage",
        "history",
    ] {
        assert!(walk.contains(path), "{path} is walked through");
    }
    for said in [
        "healthy",
        "gratitude",
        "sufficient",
        "typical",
        "improvement",
        "total_metamarkers",
        "event: complete",
        "entries",
    ] {
        assert!(answers.contains(said), "{said}: {answers}");
    }
    let printed = python(&blocks("docs/service.md", "A walk", "python")[0]);
    assert!(printed.starts_with(&format!("{score} ")), "{printed}");

    let streams = shell(&format!("{ask}\n{}", blocks("docs/service.md", "Streams", "sh")[0]));
    let shown = &blocks("docs/service.md", "Streams", "text")[0];
    // Every stream has another id.
    let without_ids = |text: &str| {
        let lines =
            text.trim_end().lines().map(|line| if line.starts_with("id: str_") { "id" } else { line });
        lines.collect::<Vec<_>>().join("\n")
    };
    let told = without_ids(&streams);
    assert!(told.contains(&without_ids(shown)) && told.contains("event: complete"), "{streams}");

    let jobs = &blocks("docs/service.md", "Jobs", "sh")[0];
    let (make, then) = jobs.split_once("ask /api/v1/jobs/").expect("a job is asked for");
    let made = shell(&format!("{ask}\n{make}"));
    let id = made.split('"').nth(3).expect("has an id");
    let begun = Instant::now();
    let look = format!("ask /api/v1/jobs/{then}").replace("job_…", id);
    let (look, cancel) = look.split_once('\n').expect("two requests");
    loop {
        let answer = shell(&format!("{ask}\n{look}"));
        if answer.contains(r#""status":"completed""#) {
            assert!(answer.contains(r#""result":{"#), "{answer}");
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{answer}");
        thread::sleep(Duration::from_millis(100));
    }
    assert!(cancel.contains("-X DELETE"));
    let dives = &blocks("docs/service.md", "Dives", "sh")[0];
    let dives =
        dives.replace("sonometer admin", &format!("sonometer admin --database '{}'", database(&folder)));
    let told = shell(&format!("{ask}\n{dives}"));
    for said in ["\"turn\":2", "\"status\":\"open\"", "\"observation\"", "the card is valid"] {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(folder.join("card.json").exists(), "{told}");
    let prelude = blocks("docs/service.md", "A walk", "python")[0]
        .split("\nreading, ")
        .next()
        .unwrap_or_default()
        .to_owned();
    let printed = python(&format!("{prelude}\n{}", blocks("docs/service.md", "Dives", "python")[0]));
    assert!(printed.ends_with('\n') && printed.split(' ').count() == 2, "{printed}");
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
