//! Every pointer that comes from C is followed here.

use crate::door::Failure;
use crate::status::Status;
use sonometer::ErrorCode;
use sonometer::document::MAX_SOURCE_BYTES;
use std::ffi::c_char;
use std::fs::File;
use std::io::Read;
use std::mem::MaybeUninit;
use std::path::Path;

/// A text that the caller keeps: UTF-8, not ended by a NUL, which may stand in it like any other character.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The first byte; may be NULL if `len` is 0.
    pub data: *const c_char,
    /// How many bytes there are.
    pub len: usize,
}

/// What a handle stands for.
///
/// # Safety
/// `handle` is NULL, or came from this library and has not been freed, and nobody changes it during `'a`.
pub(crate) unsafe fn borrow<'a, T>(handle: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: as the caller says.
    unsafe { handle.as_ref() }.ok_or_else(|| missing(name))
}

/// Nearly always the call that makes the handle failed before, and nobody looked.
fn missing(name: &str) -> Failure {
    Failure::argument(
        name,
        format!("`{name}` is NULL; look at the status and the error of the call that should have made it"),
    )
}

/// What a handle stands for that changes: a session.
///
/// # Safety
/// As [`borrow`], and nobody else looks at it during `'a` either.
pub(crate) unsafe fn borrow_mut<'a, T>(handle: *mut T, name: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: as the caller says.
    unsafe { handle.as_mut() }.ok_or_else(|| missing(name))
}

/// A list of `count` things.
///
/// # Safety
/// `first` is NULL, or the first of `count` things that nobody changes during `'a`.
pub(crate) unsafe fn list<'a, T>(first: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    check(first, count, name)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, aligned and not larger than an object can be, just looked at; the rest as the caller says.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// A list of `count` places for handles, all set to NULL.
///
/// # Safety
/// `first` is NULL, or the first of `count` places that nobody else uses during `'a`.
pub(crate) unsafe fn places<'a, T>(
    first: *mut *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [*mut T], Failure> {
    check(first, count, name)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // Nothing may be in them yet, so they are written before they are a list.
    // SAFETY: not NULL, aligned; the rest as the caller says. All zeros is NULL.
    unsafe { first.write_bytes(0, count) };
    // SAFETY: as in `list`.
    Ok(unsafe { std::slice::from_raw_parts_mut(first, count) })
}

fn check<T>(first: *const T, count: usize, name: &str) -> Result<(), Failure> {
    let most = isize::MAX.unsigned_abs() / size_of::<T>().max(1);
    if count > most {
        return Err(Failure::argument(name, format!("`{name}` has an impossible length of {count}")));
    }
    if count > 0 && first.is_null() {
        return Err(Failure::argument(name, format!("`{name}` is NULL, but its length is {count}")));
    }
    if !first.is_aligned() {
        return Err(Failure::argument(name, format!("`{name}` is not aligned for its type")));
    }
    Ok(())
}

/// A text.
///
/// # Safety
/// As [`list`].
pub(crate) unsafe fn text<'a>(data: *const c_char, len: usize, name: &str) -> Result<&'a str, Failure> {
    // SAFETY: as the caller says; bytes have the layout of `char`.
    let bytes = unsafe { list(data.cast::<u8>(), len, name) }?;
    utf8(bytes, name)
}

/// The bytes of the file of a protocol or stage. Memory does not fill with one that is larger, or that has no end, as devices do.
pub(crate) fn file(path: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_SOURCE_BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(count) if count <= MAX_SOURCE_BYTES => Ok(bytes),
        Ok(_) => {
            let message = format!("`{path}` is larger than {} MiB, the limit", MAX_SOURCE_BYTES >> 20);
            Err(sonometer::Error::new(ErrorCode::PayloadTooLarge, "path", message).into())
        }
        Err(error) => {
            Err(sonometer::Error::invalid("path", format!("`{path}` cannot be read: {error}")).into())
        }
    }
}

/// The folder of a file, `.` where its path names none.
pub(crate) fn folder(path: &str) -> &Path {
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Bytes that should be a text; `name` says to people which.
pub(crate) fn utf8<'a>(bytes: &'a [u8], name: &str) -> Result<&'a str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let message = format!("`{name}` is not UTF-8: byte {at} is 0x{:02x}", bytes[at]);
        Failure::invalid(Status::InvalidUtf8, format!("byte {at}"), message)
    })
}

/// A list of texts.
///
/// # Safety
/// As [`list`], and so is each text.
pub(crate) unsafe fn texts<'a>(
    first: *const Text,
    count: usize,
    name: &str,
) -> Result<Vec<&'a str>, Failure> {
    // SAFETY: as the caller says.
    let all = unsafe { list(first, count, name) }?;
    let one = |(at, one): (usize, &Text)| {
        // SAFETY: as the caller says.
        unsafe { text(one.data, one.len, &format!("{name}[{at}]")) }
    };
    all.iter().enumerate().map(one).collect()
}

/// No later version of a struct that may grow will be larger.
const LARGEST_STRUCT_BYTES: usize = 4096;

/// A struct that may grow, as far as this library knows it; what it lacks is zeros. `first` is the size of its first version,
/// `init` the macro that it begins with.
///
/// # Safety
/// `given` points at a struct whose first field is its size in bytes, and at as many bytes. Every field of `T` may hold any
/// bytes, zeros too.
pub(crate) unsafe fn grown<T>(given: *const T, first: usize, name: &str, init: &str) -> Result<T, Failure> {
    // SAFETY: as the caller says.
    let size = unsafe { given.cast::<usize>().read_unaligned() };
    if !(first..=LARGEST_STRUCT_BYTES).contains(&size) {
        let message = format!("`size` is {size}; begin with {init}");
        return Err(Failure::argument(format!("{name}.size"), message));
    }
    // SAFETY: the caller has made that many bytes.
    let bytes = unsafe { list(given.cast::<u8>(), size, name) }?;
    let (known, newer) = bytes.split_at(size.min(size_of::<T>()));
    // A newer program may ask what this library cannot do; what it leaves at 0 it does not ask.
    if newer.iter().any(|byte| *byte != 0) {
        let message =
            format!("`{name}` has a field set that this library version does not know; install a newer one");
        return Err(Failure::argument(name, message));
    }
    let mut own = MaybeUninit::<T>::zeroed();
    // SAFETY: `known` is at most as long as `T`; the two do not overlap.
    unsafe { own.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(known.as_ptr(), known.len()) };
    // SAFETY: as the caller says.
    Ok(unsafe { own.assume_init() })
}

/// A text that is given out: its bytes and a NUL.
#[derive(Debug)]
pub(crate) struct Ended(Box<[u8]>);

impl From<String> for Ended {
    fn from(text: String) -> Self {
        let mut bytes = text.into_bytes();
        bytes.push(0);
        Self(bytes.into_boxed_slice())
    }
}

/// Gives a text out, and its length where there is a place for it; NULL and 0 where there is none.
///
/// # Safety
/// `len` is NULL or may be written to.
pub(crate) unsafe fn show(text: Option<&Ended>, len: *mut usize) -> *const c_char {
    // SAFETY: as the caller says.
    unsafe { write(len, text.map_or(0, |text| text.0.len() - 1)) };
    text.map_or(std::ptr::null(), |text| text.0.as_ptr().cast())
}

/// Puts NULL to where something will be given out; `false` if there is no such place.
///
/// # Safety
/// `place` is NULL or may be written to.
pub(crate) unsafe fn clear<T>(place: *mut *mut T) -> bool {
    if place.is_null() {
        return false;
    }
    // SAFETY: not NULL; the rest as the caller says.
    unsafe { place.write(std::ptr::null_mut()) };
    true
}

/// Gives something out, unless there is no place for it.
///
/// # Safety
/// As [`clear`].
pub(crate) unsafe fn put<T>(place: *mut *mut T, made: T) {
    if !place.is_null() {
        // SAFETY: not NULL; the rest as the caller says.
        unsafe { place.write(Box::into_raw(Box::new(made))) };
    }
}

/// Writes a plain value, unless there is no place for it.
///
/// # Safety
/// `place` is NULL or may be written to.
pub(crate) unsafe fn write<T: Copy>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL; the rest as the caller says.
        unsafe { place.write(value) };
    }
}

/// Takes back what was given out.
///
/// # Safety
/// `handle` is NULL, or came from [`put`] and is not used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from `Box::into_raw` in `put`, and the caller gives it back once.
        drop(unsafe { Box::from_raw(handle) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn a_text_is_utf_8_or_says_where_it_is_not() {
        let read = |bytes: &'static [u8]| {
            // SAFETY: the bytes live as long as the program.
            unsafe { text(bytes.as_ptr().cast(), bytes.len(), "content") }
        };
        assert_eq!(read("a\0é".as_bytes()).expect("UTF-8"), "a\0é");
        for (bytes, place) in
            [(&b"ab\xff"[..], "byte 2"), (b"\xe4\xbd", "byte 0"), (b"a\xed\xa0\x80", "byte 1")]
        {
            let failure = read(bytes).expect_err("is refused");
            assert_eq!((failure.status, failure.place.as_str()), (Status::InvalidUtf8, place));
        }
    }

    #[test]
    fn lengths_and_pointers_that_cannot_be_are_refused() {
        // SAFETY: nothing is followed, which is what is tested.
        let none = unsafe { text(ptr::null(), 0, "content") };
        assert_eq!(none.expect("an empty text"), "");
        for (data, len) in [(ptr::null(), 1), (c"a".as_ptr(), usize::MAX), (c"a".as_ptr(), 1 << 63)] {
            // SAFETY: as above.
            let failure = unsafe { text(data, len, "content") }.expect_err("is refused");
            assert_eq!((failure.status, failure.place.as_str()), (Status::InvalidArgument, "content"));
        }
        let odd = ptr::without_provenance::<u64>(3);
        // SAFETY: as above.
        assert!(unsafe { list(odd, 1, "numbers") }.is_err());
    }
}
