//! List files on disk, beside a protocol file.

use sonometer::protocol::phrase::MAX_LIST_FILE_BYTES;
use sonometer::protocol::{NoFile, is_list_path};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a list file below the folder of a protocol. No link leads out of the folder: the author of a protocol there must not read
/// other files by it.
///
/// # Errors
/// Why there is none, and what to do.
pub fn list_file(folder: &Path, path: &str) -> Result<Cow<'static, str>, NoFile> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let not = |reason: &str, fix: String| NoFile { reason: reason.into(), fix };
    let missing = || NoFile::missing(format!("put it at `{path}` in the folder of the protocol"));
    if !is_list_path(path) {
        return Err(missing());
    }
    let (Ok(root), Ok(file)) = (folder.canonicalize(), folder.join(path).canonicalize()) else {
        return Err(missing());
    };
    if !file.starts_with(&root) {
        return Err(not(
            "is a link to outside of the folder of the protocol",
            format!("put a copy at `{path}`"),
        ));
    }
    if !file.is_file() {
        return Err(missing());
    }
    let mut bytes = Vec::new();
    // One byte more than allowed, to notice a file that is too large.
    let read =
        File::open(&file).and_then(|file| file.take(MAX_LIST_FILE_BYTES as u64 + 1).read_to_end(&mut bytes));
    if read.is_err() {
        return Err(not("cannot be read", "check who may read it".into()));
    }
    if bytes.len() > MAX_LIST_FILE_BYTES {
        let reason = format!("has more than {MAX_LIST_FILE_BYTES} bytes");
        return Err(not(&reason, "split it into two lists".into()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(error) => {
            let reason = format!("is not UTF-8 at byte {}", error.utf8_error().valid_up_to());
            Err(not(&reason, "save it as UTF-8".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_below_the_folder_and_nowhere_else() {
        let folder = std::env::temp_dir().join(format!("sonometer-list-files-{}", std::process::id()));
        let inside = folder.join("protocols/names");
        std::fs::create_dir_all(&inside).expect("can be made");
        std::fs::write(inside.join("first.txt"), "Anna\n").expect("can be written");
        std::fs::write(inside.join("latin.txt"), b"Zo\xeb\n").expect("can be written");
        std::fs::write(folder.join("secret.txt"), "secret\n").expect("can be written");
        let root = folder.join("protocols");
        assert_eq!(list_file(&root, "names/first.txt").as_deref(), Ok("Anna\n"));
        let refused = |path: &str| list_file(&root, path).expect_err(path).reason;
        assert_eq!(refused("names/last.txt"), "is missing");
        assert_eq!(refused("names"), "is missing");
        assert_eq!(refused("../secret.txt"), "is missing");
        assert_eq!(refused("names/latin.txt"), "is not UTF-8 at byte 2");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.join("secret.txt"), inside.join("link.txt"))
                .expect("can be made");
            std::os::unix::fs::symlink(&folder, root.join("up")).expect("can be made");
            std::os::unix::fs::symlink("first.txt", inside.join("same.txt")).expect("can be made");
            assert_eq!(refused("names/link.txt"), "is a link to outside of the folder of the protocol");
            assert_eq!(refused("up/secret.txt"), "is a link to outside of the folder of the protocol");
            assert_eq!(list_file(&root, "names/same.txt").as_deref(), Ok("Anna\n"));
        }
        std::fs::remove_dir_all(&folder).expect("can be removed");
    }
}
