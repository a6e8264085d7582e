//! Descriptors of the process. Each connection takes one, and most shells allow 1,024 at first: fewer than a server holds, so that one client could
//! use them up before any bound on connections.

/// What a server opens beside connections: databases, files, what it calls.
const BESIDE: u64 = 256;

/// Lets the process open what so many connections need, as far as it may.
///
/// # Errors
/// For how many connections there is room then, if those are fewer.
#[cfg(unix)]
pub fn make_room_for(connections: usize) -> Result<(), usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(BESIDE);
    let now = getrlimit(Resource::Nofile);
    // Where there is no number, there is no limit.
    let most = now.maximum.map_or(wanted, |most| most.min(wanted));
    if now.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: now.maximum });
    let open = if raised.is_ok() { most } else { now.current.unwrap_or(most) };
    match open >= wanted {
        true => Ok(()),
        false => Err(usize::try_from(open.saturating_sub(BESIDE)).unwrap_or(connections)),
    }
}

/// Other systems have no such limit.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn make_room_for(_: usize) -> Result<(), usize> {
    Ok(())
}
