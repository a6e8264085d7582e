//! Files as a table of a query: of Parquet and Arrow only the columns that the query names are read.

use crate::failure::Failure;
use crate::tables::read::Tables;
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Batches that are read ahead.
const AHEAD: usize = 2;

/// Files with the same columns.
pub(super) struct Files {
    schema: SchemaRef,
    tables: Arc<Mutex<Tables>>,
}

impl Files {
    pub(super) fn new(tables: Tables) -> Self {
        Self { schema: Arc::clone(&tables.schema), tables: Arc::new(Mutex::new(tables)) }
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Files").field(&self.schema).finish()
    }
}

#[async_trait]
impl TableProvider for Files {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => self.schema(),
        };
        let scan = Scan { tables: Arc::clone(&self.tables), schema: Arc::clone(&schema) };
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![Arc::new(scan)], None, [], false, limit)?))
    }
}

/// Some columns of the files.
struct Scan {
    tables: Arc<Mutex<Tables>>,
    schema: SchemaRef,
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scan").field(&self.schema).finish()
    }
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), AHEAD);
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner).again();
        let (give, schema) = (stream.tx(), Arc::clone(&self.schema));
        stream.spawn_blocking(move || {
            let mut wanted: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
            // `count(*)` asks for rows without columns; rows are counted by one of them.
            if wanted.is_empty() {
                wanted.extend(tables.names().first().map(|name| (*name).to_owned()));
            }
            let read = tables.read(&wanted, 0, &mut |path, _, rows| {
                let rows =
                    projected(&schema, &rows).map_err(|error| crate::tables::read::broken(path, &error))?;
                Ok(match give.blocking_send(Ok(rows)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                })
            });
            read.map_err(external)
        });
        stream.build()
    }
}

fn projected(schema: &SchemaRef, rows: &RecordBatch) -> Result<RecordBatch> {
    match schema.fields().is_empty() {
        true => {
            let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
            Ok(RecordBatch::try_new_with_options(Schema::empty().into(), Vec::new(), &options)?)
        }
        false => Ok(RecordBatch::try_new(Arc::clone(schema), rows.columns().to_vec())?),
    }
}

/// An error of ours on its way through the query.
pub(super) fn external(failure: Failure) -> DataFusionError {
    DataFusionError::External(match failure {
        Failure::Told(told) => told.message.into(),
        Failure::PipeClosed => "the reader of the output went away".into(),
    })
}
