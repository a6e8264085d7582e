//! The version of the interface.

/// The version of this interface: of its functions, structs and numbers. It grows when something changes or goes away, not
/// when something is added.
pub const SNM_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has. It must be `SNM_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn snm_abi_version() -> u32 {
    SNM_ABI_VERSION
}
