//! Work that takes long, apart from the threads that move bytes: those would serve nobody else meanwhile.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Bodies and events from this size on are masked apart.
pub(crate) const LARGE: usize = 64 << 10;

/// Does work on so many bytes: where they are many, other threads take over what this one would do.
pub(crate) fn apart<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_others =
        || Handle::try_current().is_ok_and(|now| now.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes >= LARGE && has_others() { block_in_place(work) } else { work() }
}
