//! `sonometer query`: SQL over tables of every format, results in every format, and messages. Run by `query.sh`.
#![cfg(feature = "query")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const KIND: &str = "Thank you so much for waiting with me, I really appreciate it today.";
const COLD: &str = "Nothing of the sort was said here by anybody at all, as far as we know.";

fn home(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("query").join(name);
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("can be made");
    fs::write(
        home.join("talks.csv"),
        format!("id,who,text\n1,ann,{KIND:?}\n2,bob,{COLD:?}\n3,ann,\n4,bob,{KIND:?}\n"),
    )
    .expect("is written");
    fs::write(
        home.join("people.jsonl"),
        "{\"who\": \"ann\", \"team\": \"red\"}\n{\"who\": \"bob\", \"team\": \"blue\"}\n",
    )
    .expect("is written");
    home
}

fn run(home: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sonometer"))
        .env_clear()
        .current_dir(home)
        .args(arguments)
        .output()
        .expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("writes UTF-8")
}

fn done(home: &Path, arguments: &[&str]) -> String {
    let ran = run(home, arguments);
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {}", text(&ran.stderr));
    text(&ran.stdout)
}

fn csv(home: &Path, sql: &str, files: &[&str]) -> String {
    let mut arguments = vec!["query", sql, "--format", "csv"];
    files.iter().for_each(|files| arguments.extend(["--files", files]));
    done(home, &arguments)
}

/// The score of a text by `sense`.
fn alone(home: &Path, said: &str) -> String {
    fs::write(home.join("one.txt"), said).expect("is written");
    let reading: serde_json::Value =
        serde_json::from_str(&done(home, &["sense", "courtesy@1.5", "one.txt", "--json"])).expect("is JSON");
    reading["score"].to_string()
}

#[test]
fn a_score_is_that_of_sense_in_every_way_to_ask_for_it() {
    let home = home("score");
    let score = alone(&home, KIND);
    for expression in [
        "sense('courtesy@1.5', text).score",
        "sense('courtesy@1.5', text)['score']",
        "score('courtesy@1.5', text)",
    ] {
        let said = csv(
            &home,
            &format!("select id, {expression} as s from talks where id <> '2' order by id"),
            &["talks=talks.csv"],
        );
        assert_eq!(said, format!("id,s\n1,{score}\n3,\n4,{score}\n"), "{expression}");
    }
    let masked = csv(
        &home,
        "select masked('personal-data', 'My card is 4111 1111 1111 1111, call me.') as m",
        &["talks=talks.csv"],
    );
    assert_eq!(masked, "m\n\"My card is **** **** **** 1111, call me.\"\n");
}

#[test]
fn tables_are_joined_and_summed() {
    let home = home("join");
    let sql = "select team, count(*) as n, count(score('courtesy@1.5', text)) as scored from talks join people using (who) \
               group by team order by team";
    assert_eq!(
        csv(&home, sql, &["talks=talks.csv", "people=people.jsonl"]),
        "team,n,scored\nblue,2,2\nred,2,1\n"
    );
    assert_eq!(csv(&home, "select count(*) as n from talks", &["talks=*.csv", "talks=talks.csv"]), "n\n8\n");
}

#[test]
fn every_format_goes_out_and_comes_in_again() {
    let home = home("formats");
    let sql = "select id, text, sense('courtesy@1.5', text) as found from talks order by id";
    for name in ["a.parquet", "a.arrow", "a.jsonl", "a.jsonl.gz"] {
        done(&home, &["query", sql, "--files", "talks=talks.csv", "-o", name]);
        let said = csv(
            &home,
            "select id, found.score as s, found.evidence[1].source as e from t order by id limit 1",
            &[&format!("t={name}")],
        );
        assert!(said.starts_with(&format!("id,s,e\n1,{},", alone(&home, KIND))), "{name}: {said}");
    }
    let twice = run(&home, &["query", "select 1", "--files", "talks=talks.csv", "-o", "a.parquet"]);
    assert!(text(&twice.stderr).contains("a.parquet: already exists"));
    assert!(
        fs::read_dir(&home).expect("is there").all(|entry| !entry
            .expect("is there")
            .path()
            .display()
            .to_string()
            .ends_with(".tmp"))
    );
    let table =
        done(&home, &["query", "select id from talks order by id limit 2", "--files", "talks=talks.csv"]);
    assert_eq!(table, "+----+\n| id |\n+----+\n| 1  |\n| 2  |\n+----+\n");
    // A text does not take over the terminal.
    let escaped = "select chr(27) || '[31mred' as said from talks limit 1";
    let table = done(&home, &["query", escaped, "--files", "talks=talks.csv"]);
    assert!(table.contains("\u{241b}[31mred") && !table.contains('\u{1b}'), "{table}");
}

#[test]
fn messages_say_where_and_what_to_write() {
    let home = home("messages");
    for (sql, part) in [
        ("select id,\n  score('nope', text) from talks", "the query, line 2, column 9: "),
        (
            "select score('courtesy', id, 1) from talks",
            "the query, line 1, column 8: `score` takes a target and a column, and has 3",
        ),
        (
            "select score(who, text) from talks",
            "line 1, column 8: the first argument of `score` is the name of a target, written out",
        ),
        (
            "select score('courtesy', 7) from talks",
            "the second argument of `score` is `Int64`; wanted are text",
        ),
        ("select txt from talks", "the query, line 1, column 8: "),
        ("select id from nowhere", "nowhere"),
        ("selec id from talks", "the query, line 1, column 1: "),
        ("drop table talks", "the query: "),
        ("copy talks to 'x.csv'", "the query: "),
    ] {
        let ran = run(&home, &["query", sql, "--files", "talks=talks.csv"]);
        let told = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{sql}: {told}");
        assert!(told.contains(part), "{sql}: {told}");
    }
    assert!(!home.join("x.csv").exists());
    for (files, part) in [
        ("talks.csv", "write NAME=FILES, such as talks=talks.parquet"),
        ("Talks=talks.csv", "`Talks` is no name of a table"),
        ("talks=none.csv", "none.csv: no such file"),
        ("talks=-", "standard input: a query may read a table twice"),
    ] {
        let ran = run(&home, &["query", "select 1", "--files", files]);
        assert!(text(&ran.stderr).contains(part), "{}", text(&ran.stderr));
    }
    let ran = run(&home, &["query", "select 1", "--files", "talks=talks.csv", "-o", "nowhere/x.csv"]);
    let told = text(&ran.stderr);
    assert!(ran.status.code() == Some(2) && told.contains("; name a file in an existing folder"), "{told}");
}
