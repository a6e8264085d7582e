//! Databases of older versions are opened, and what is in them stays.

use crate::bench::{Bench, KIND};
use crate::database::Database;
use serde_json::json;
use sonometer_server::Limits;
use sonometer_service::bill::Asked;
use sonometer_service::ports::{NoCallbacks, NoFiles};
use sonometer_service::store::{Filter, LedgerRow};
use sonometer_service::{Mode, Service, Store};
use sqlx::any::AnyPoolOptions;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection, Row, SqlSafeStr};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::sleep;

/// The form of the store before charges kept what they came from.
const OLD: [&str; 4] = [
    include_str!("../../../sonometer-service/migrations/0001_service.sql"),
    include_str!("../../../sonometer-service/migrations/0002_jobs.sql"),
    include_str!("../../../sonometer-service/migrations/0003_callbacks.sql"),
    include_str!("../../../sonometer-service/migrations/0004_dives.sql"),
];

/// Everything that a version of that form kept, written by it; `tests/before.py` makes this file.
const BEFORE: &str = include_str!("before.sql");

/// What the head of the file says.
fn head(what: &str) -> &'static str {
    let line =
        BEFORE.lines().find_map(|line| line.strip_prefix("-- ")?.strip_prefix(what)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("{what}"))
}

/// Its statements, each with its table and columns.
fn statements() -> Vec<(&'static str, &'static str, &'static str)> {
    let inserts = BEFORE.split("\n--\n").filter_map(|text| Some((text, text.strip_prefix("INSERT INTO ")?)));
    let parsed = inserts.map(|(text, rest)| {
        let (table, rest) = rest.split_once(" (").expect("has columns");
        (table, rest.split_once(") VALUES (").expect("has values").0, text)
    });
    parsed.collect()
}

/// The rows of these tables in these columns, as text.
async fn rows(database: &Database, tables: &BTreeMap<&str, &str>) -> BTreeMap<String, Vec<String>> {
    let url = &database.url;
    let url = if url.contains("://") { url.clone() } else { format!("sqlite://{url}") };
    let mut connection = sqlx::AnyConnection::connect(&url).await.expect("opens");
    let mut all = BTreeMap::new();
    for (table, columns) in tables {
        let texts: Vec<_> = columns.split(", ").map(|column| format!("CAST({column} AS TEXT)")).collect();
        let query = format!("SELECT {} FROM {table}", texts.join(" || '|' || "));
        let found = sqlx::query(AssertSqlSafe(query)).fetch_all(&mut connection).await.expect("can be read");
        let mut found: Vec<String> = found.iter().map(|row| row.get(0)).collect();
        found.sort();
        all.insert((*table).to_owned(), found);
    }
    connection.close().await.expect("closes");
    all
}

/// A database as an older version left it.
async fn left(database: &Database, rows: &[impl AsRef<str>]) {
    sqlx::any::install_default_drivers();
    let url = &database.url;
    let url = if url.contains("://") { url.clone() } else { format!("sqlite://{url}?mode=rwc") };
    let pool = AnyPoolOptions::new().max_connections(1).connect(&url).await.expect("opens");
    let step = |(version, text): (i64, &'static str)| {
        Migration::new(version, "old".into(), MigrationType::Simple, text.into_sql_str(), false)
    };
    let old = Migrator::with_migrations((1..).zip(OLD).map(step).collect());
    old.run(&pool).await.expect("can be made");
    for row in rows {
        let row = row.as_ref();
        let done = sqlx::query(AssertSqlSafe(row.to_owned())).execute(&pool).await;
        done.unwrap_or_else(|error| panic!("{row}: {error}"));
    }
    pool.close().await;
}

async fn bill(service: &Service, filter: &Filter) -> Vec<LedgerRow> {
    let mut export = service.export_of("acme", Mode::Test, filter.clone()).await.expect("begins");
    let mut rows = Vec::new();
    while let Some(more) = export.next().await.expect("is read") {
        rows.extend(more);
    }
    rows
}

// covers: charges.old
#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_version_before_is_read_and_written_on() {
    let database = Database::new();
    let ask = json!({"target": {"type": "protocol", "id": "courtesy"}, "interaction": {"content": KIND}});
    let old = |id: &str, at: u64, units: u64| {
        format!(
            "INSERT INTO ledger (charge_id, line, account_id, token_id, period, at_ms, route, target_type, target_id, \
             target_version, units, overage, cost_micros) VALUES ('{id}', 0, 'acme/test', 'tok_1', '2026-10', {at}, \
             'POST /api/v1/sense', 'protocol', 'courtesy', '1.0', {units}, 0, 0)"
        )
    };
    let rows = [
        "INSERT INTO orgs (id, name, created_ms, revision) VALUES ('acme', 'Acme', 1, 0)".to_owned(),
        "INSERT INTO accounts (id, org_id, mode, tier, quota, overage, rate_micros, cap_micros, per_window) \
         VALUES ('acme/test', 'acme', 'test', 'developer', 100, 0, 5000, -1, 600)"
            .to_owned(),
        "INSERT INTO consumption (account_id, period, used, overage, cost_micros, analyses) \
         VALUES ('acme/test', '2026-10', 5, 0, 0, 2)"
            .to_owned(),
        old("chg_1", 1_791_000_000_000, 3),
        old("chg_2", 1_791_000_000_001, 2),
        format!(
            "INSERT INTO jobs (id, org_id, account_id, mode, token_id, token_cap_micros, status, route, body, target_version, \
             total, done, created_ms, started_ms, ended_ms, worker, lease_ms, attempts, result) VALUES ('job_1', 'acme', \
             'acme/test', 'test', 'tok_1', -1, 'processing', 'POST /api/v1/sense', '{ask}', '1.0', 1, 0, 1, 0, 0, '', 0, 0, '')"
        ),
    ];
    left(&database, &rows).await;
    let all = Asked::all(0, i64::MAX).filter;
    // The second time there is nothing to do.
    for _ in 0..2 {
        let service = Service::new(Store::open(&database.url).await.expect("is brought to the newest form"));
        let checked = service.store().check_ledger().await.expect("can be read");
        assert!(checked.is_right() && checked.rows == 1, "{checked:?}");
        let bill = bill(&service, &all).await;
        let said: Vec<_> =
            bill.iter().map(|row| (row.charge.as_str(), row.units, row.request.as_str())).collect();
        assert_eq!(said, [("chg_1", 3, ""), ("chg_2", 2, "")]);
        service.store().clone().close().await;
    }
    // A job that was made before has no request, and is charged.
    let service = Service::new(Store::open(&database.url).await.expect("opens"));
    let (stop, stopped) = watch::channel(false);
    let worker = tokio::spawn(service.clone().work_on_jobs(stopped));
    let begun = Instant::now();
    while service.waiting().await.expect("can be read").0 > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(20)).await;
    }
    stop.send(true).expect("is heard");
    worker.await.expect("ends well");
    let bill = bill(&service, &all).await;
    let job = bill.iter().find(|row| row.charge == "job_1").expect("is charged");
    assert_eq!((job.kind.as_str(), job.request.as_str(), job.key.as_str()), ("job", "", ""));
    assert!(job.units > 0 && job.markers.split(' ').count() as u64 == job.units);
    let checked = service.store().check_ledger().await.expect("can be read");
    assert!(checked.is_right(), "{checked:?}");
}

// covers: charges.old
#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_the_version_before_is_there_afterwards() {
    let database = Database::new();
    let statements = statements();
    let tables: BTreeMap<&str, &str> =
        statements.iter().map(|(table, columns, _)| (*table, *columns)).collect();
    for table in
        ["orgs", "accounts", "tokens", "consumption", "ledger", "answers", "targets", "jobs", "deliveries"]
    {
        assert!(tables.contains_key(table), "{table} is in the file");
    }
    for table in ["attempts", "secrets", "worlds", "dives", "dive_steps", "signing_keys"] {
        assert!(tables.contains_key(table), "{table} is in the file");
    }
    left(&database, &statements.iter().map(|(.., text)| *text).collect::<Vec<_>>()).await;
    let before = rows(&database, &tables).await;
    assert_eq!(before.values().map(Vec::len).sum::<usize>(), statements.len());
    for _ in 0..2 {
        let store = Store::open(&database.url).await.expect("is brought to the newest form");
        let checked = store.check_ledger().await.expect("can be read");
        assert!(checked.is_right() && checked.rows == 2, "{checked:?}");
        assert_eq!(store.check_file().await, Ok(Vec::new()));
        store.close().await;
        assert_eq!(rows(&database, &tables).await, before);
    }
}

// covers: charges.old
#[test]
fn what_the_version_before_answered_is_answered_again() {
    let database = Database::new();
    let statements: Vec<&str> = statements().into_iter().map(|(.., text)| text).collect();
    Runtime::new().expect("threads").block_on(left(&database, &statements));
    let files = Arc::new(NoFiles);
    let bench = Bench::on(database, head("made"), Limits::default(), Arc::new(NoCallbacks), files);
    let token = head("token");
    let content = "Good morning! Thank you so much for your help.";
    let usage = || bench.get_as(token, "/api/v1/usage").good("Usage");
    let used = usage();
    // By the same bytes, as a client sends a repetition.
    let body = format!(
        r#"{{"target": {{"type": "protocol", "id": "courtesy"}}, "interaction": {{"content": "{content}"}}}}"#
    );
    for number in 0..3 {
        let (bearer, key) = (format!("Bearer {token}"), format!("key {number}"));
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Idempotency-Key", &key),
        ];
        let again = bench.send("POST", "/api/v1/sense", &headers, body.as_bytes());
        assert_eq!((again.status, again.number("x-ics-consumed")), (200, 0), "{}", again.body);
        assert_eq!(again.header("idempotency-replayed"), "true");
    }
    let job = bench.get_as(token, &format!("/api/v1/jobs/{}", head("job"))).good("Job");
    assert_eq!((&job["status"], &job["progress"]), (&json!("completed"), &json!(1)));
    let closed = bench.get_as(token, &format!("/api/v1/dive/{}", head("closed dive"))).json();
    assert!(closed.to_string().contains("\"closed\""), "{closed}");
    assert_eq!(usage()["used"], used["used"], "all of that was paid");
    // What was under way can be brought to its end, and what was published is sensed.
    let open = format!("/api/v1/dive/{}/close", head("open dive"));
    let card = bench.post_as(token, &open, &json!({}));
    assert_eq!(card.status, 200, "{}", card.body);
    let own = bench.post_as(
        token,
        "/api/v1/sense",
        &json!({"target": {"type": "protocol", "id": "own"}, "interaction": {"content": "thank you"}}),
    );
    assert_eq!((own.status, own.number("x-ics-consumed")), (200, 1), "{}", own.body);
    bench.ledger_is_right();
}
