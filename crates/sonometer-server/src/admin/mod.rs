//! Administration over HTTP, on a port of its own: the same functions that the command calls, for tokens with the scope `admin`.

mod answers;
mod openapi;
mod routes;

pub use openapi::document;
pub(crate) use routes::router;

use std::sync::Arc;

/// What a reload changed, and what it could not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// The settings that hold from now on.
    pub changed: Vec<&'static str>,
    /// Those that hold after a restart only.
    pub restart: Vec<&'static str>,
}

/// Reads the settings again; a wrong setting changes nothing and is an error.
pub type Reload = Arc<dyn Fn() -> Result<Reloaded, String> + Send + Sync>;
