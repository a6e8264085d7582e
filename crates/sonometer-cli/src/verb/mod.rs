//! The verbs of the command, one file each.

#[cfg(feature = "serve")]
pub(crate) mod admin;
#[cfg(feature = "serve")]
mod admin_audit;
#[cfg(feature = "serve")]
mod admin_bill;
#[cfg(feature = "serve")]
mod admin_dives;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod code;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod compositions;
pub(crate) mod diff;
pub(crate) mod dive;
pub(crate) mod estimate;
pub(crate) mod evaluate;
pub(crate) mod extract;
pub(crate) mod fidelity;
pub(crate) mod fit;
pub(crate) mod fmt;
pub(crate) mod init;
#[cfg(feature = "lsp")]
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod mask;
mod masks;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod protocols;
#[cfg(feature = "proxy")]
pub(crate) mod proxy;
pub(crate) mod publish;
#[cfg(feature = "query")]
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod schema;
pub(crate) mod sense;
#[cfg(feature = "serve")]
pub(crate) mod serve;
#[cfg(feature = "serve")]
mod serve_reload;
#[cfg(feature = "serve")]
mod store;
pub(crate) mod stream;
pub(crate) mod test;
#[cfg(feature = "workbench")]
pub(crate) mod workbench;
