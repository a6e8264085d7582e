//! `--threads N`: on how many threads is sensed.

use std::num::NonZeroUsize;
use std::thread;

/// The argument of every verb that senses many.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ThreadArgument {
    /// Number of threads, 256 at most; what is written is the same [default: one for each core]
    #[arg(long = "threads", value_name = "N", value_parser = number)]
    wanted: Option<NonZeroUsize>,
}

fn number(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number from 1".into())
}

/// More take what the system gives to all, and make nothing faster.
const MOST: NonZeroUsize = NonZeroUsize::new(256).expect("is above 0");

impl ThreadArgument {
    /// The threads that sense.
    pub(crate) fn number(&self) -> NonZeroUsize {
        self.wanted.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN).min(MOST)
    }
}
