//! `sonometer query`: SQL over tables, with functions that sense.

mod output;
mod table;
mod told;

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use crate::tables::files::{self, Format};
use crate::tables::read::Tables;
use crate::target::Source;
use crate::threads::ThreadArgument;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast;
use output::Output;
use sonometer::{Error, Instrument};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What sorting, grouping and joining may hold; sorting and grouping go on in files of the temporary folder, joins end with an error.
const MEMORY: usize = 2 << 30;

/// Arguments of `query`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A query of SQL; `sense('courtesy', text)`, `score`, `fidelity` and `masked` sense a column
    sql: String,
    /// A table of the query: its name and its files, such as `talks=talks.parquet` or `talks='talks/**/*.csv'`; once for
    /// each table, or for more files of one
    #[arg(long = "files", value_name = "NAME=FILES", required = true, value_parser = named)]
    files: Vec<(String, String)>,
    /// The format of the result: table, parquet, arrow, csv or jsonl [default: as the name of --out says, otherwise
    /// table]
    #[arg(long, value_name = "FORMAT", value_parser = shape)]
    format: Option<Shape>,
    /// Where the result is written [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE", value_parser = crate::page::out_file)]
    out: Option<String>,
    #[command(flatten)]
    threads: ThreadArgument,
}

/// How a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// For people.
    Table,
    Of(Format),
}

fn shape(name: &str) -> Result<Shape, String> {
    match name {
        "table" => Ok(Shape::Table),
        _ => Format::named(name).map(Shape::Of).map_err(|_| format!("write table, {}", files::NAMES)),
    }
}

fn named(text: &str) -> Result<(String, String), String> {
    let wanted = "write NAME=FILES, such as talks=talks.parquet";
    let (name, files) = text.split_once('=').ok_or_else(|| wanted.to_owned())?;
    let is_name = name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    match is_name && !files.is_empty() {
        true => Ok((name.to_owned(), files.to_owned())),
        false if files.is_empty() => Err(wanted.to_owned()),
        false => Err(format!("`{name}` is no name of a table; take small letters, digits and `_`")),
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let threads = arguments.threads.number();
    let pool = sonometer_arrow::pool(threads).map_err(|error| Failure::engine("threads", &error))?;
    let session = session(arguments)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::unusable(format!("the system gives no threads: {error}")))?;
    // Queries run on one thread of the pool, so rows keep their order and sums their digits; sensing has them all.
    let (output, rows) = pool.install(|| {
        runtime.block_on(async {
            let rows = ask(&session, &arguments.sql).await;
            let rows = rows.map_err(|error| told::failure(&arguments.sql, &error))?;
            let mut output = Output::open(arguments, &rows.schema())?;
            let count = output.take(rows).await.map_err(|ended| ended.told(&arguments.sql))?;
            Ok::<_, Failure>((output, count))
        })
    })?;
    output.finish(screen, rows)?;
    Ok(Exit::Done)
}

/// The rows of a query. Statements that change something are none.
async fn ask(session: &SessionContext, sql: &str) -> datafusion::error::Result<SendableRecordBatchStream> {
    let reading = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    let state = session.state();
    let mut statement = state.sql_to_statement(sql, &state.config_options().sql_parser.dialect)?;
    if let Statement::Statement(statement) = &mut statement {
        name_fields(statement);
    }
    let plan = state.statement_to_plan(statement).await?;
    reading.verify_plan(&plan)?;
    session.execute_logical_plan(plan).await?.execute_stream().await
}

/// Lets the planner understand a field after a dot, as in `sense('courtesy', text).score`: it knows only the form with the name as a text.
fn name_fields(statement: &mut ast::Statement) {
    let _ = ast::visit_expressions_mut(statement, |expression| {
        if let ast::Expr::CompoundFieldAccess { access_chain, .. } = expression {
            for access in access_chain {
                if let ast::AccessExpr::Dot(ast::Expr::Identifier(name)) = access {
                    let name = ast::Value::SingleQuotedString(name.value.clone());
                    *access = ast::AccessExpr::Dot(ast::Expr::value(name));
                }
            }
        }
        ControlFlow::<()>::Continue(())
    });
}

fn session(arguments: &Arguments) -> Result<SessionContext, Failure> {
    let failed = |error: datafusion::error::DataFusionError| told::failure(&arguments.sql, &error);
    let config = SessionConfig::new()
        .with_target_partitions(1)
        // Places in the query, for errors.
        .set_bool("datafusion.sql_parser.collect_spans", true);
    let memory = RuntimeEnvBuilder::new().with_memory_limit(MEMORY, 1.0).build_arc().map_err(failed)?;
    let session = SessionContext::new_with_config_rt(config, memory);
    for function in sonometer_arrow::functions(find) {
        session.register_udf(function);
    }
    let mut names: Vec<&str> = arguments.files.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let own = arguments.files.iter().filter(|(other, _)| other == name).map(|(_, files)| files.clone());
        let own: Vec<String> = own.collect();
        if own.iter().any(|path| path == "-") {
            return Err(Failure::unusable(
                "standard input: a query may read a table twice; save it as a file, or use `batch`",
            ));
        }
        let tables = Tables::open(files::expand(&own, None)?)?;
        session.register_table(name, Arc::new(table::Files::new(tables))).map_err(failed)?;
    }
    Ok(session)
}

/// The instrument of a name in a query: what ships, or a file.
fn find(name: &str) -> Result<Instrument, Error> {
    let found = Source::find(name).and_then(|source| source.instrument());
    found.map_err(|failure| match failure {
        Failure::Told(told) => Error::new(told.code, name, told.message),
        Failure::PipeClosed => Error::invalid(name, "cannot be read"),
    })
}
