//! Archives of folders, as `.tar.gz`: the same files give the same bytes.

use flate2::{Compression, GzBuilder};
use std::fs;
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// Packs a folder under its own name: sorted, owned by nobody in particular, all of one time.
pub(super) fn pack(folder: &Path, to: &Path, epoch: u64) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", to.display());
    // Neither a time nor the system in the head of the file.
    let gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    let mut tar = Builder::new(gzip);
    let name = folder.file_name().map(PathBuf::from).unwrap_or_default();
    for path in walk(folder)? {
        let inside = name.join(path.strip_prefix(folder).unwrap_or(&path));
        let data = fs::symlink_metadata(&path).map_err(failed)?;
        let mut header = Header::new_gnu();
        header.set_mtime(epoch);
        header.set_size(0);
        header.set_mode(if data.is_dir() || is_executable(&data) { 0o755 } else { 0o644 });
        if data.is_dir() {
            header.set_entry_type(EntryType::Directory);
            tar.append_data(&mut header, inside.join(""), std::io::empty()).map_err(failed)?;
        } else if data.is_symlink() {
            header.set_entry_type(EntryType::Symlink);
            let target = fs::read_link(&path).map_err(failed)?;
            tar.append_link(&mut header, inside, target).map_err(failed)?;
        } else {
            let bytes = super::read(&path)?;
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, inside, bytes.as_slice()).map_err(failed)?;
        }
    }
    let packed = tar.into_inner().and_then(|gzip| gzip.finish()).map_err(failed)?;
    super::write(to, packed)
}

/// Unpacks an archive into an empty folder, and gives the one folder that it holds.
pub(super) fn unpack(archive: &Path, into: &Path) -> Result<PathBuf, String> {
    super::empty(into)?;
    let failed = |error: std::io::Error| format!("{}: {error}", archive.display());
    let file = fs::File::open(archive).map_err(failed)?;
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(into).map_err(failed)?;
    let mut inside = fs::read_dir(into).map_err(failed)?.flatten().map(|entry| entry.path());
    inside.next().ok_or_else(|| format!("{}: the archive is empty", archive.display()))
}

/// A folder and all that is in it, sorted by name.
pub(super) fn walk(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut all = vec![folder.to_owned()];
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(failed)?.collect();
    let mut inside: Vec<PathBuf> = entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() && !path.is_symlink() { all.extend(walk(&path)?) } else { all.push(path) }
    }
    Ok(all)
}

#[cfg(unix)]
fn is_executable(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_data: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_time_of_files_and_the_order_of_their_making_leave_no_trace() {
        let place = std::env::temp_dir().join(format!("sonometer-archive-{}", std::process::id()));
        let mut archives = Vec::new();
        for (round, names) in [["a", "b"], ["b", "a"]].iter().enumerate() {
            let folder = place.join(round.to_string()).join("sonometer-1");
            for name in names {
                super::super::write(&folder.join("inside").join(name), name).expect("can be written");
                let file = fs::File::open(folder.join("inside").join(name)).expect("is there");
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1000 + round as u64);
                file.set_modified(time).expect("has a time");
            }
            let archive = place.join(format!("{round}.tar.gz"));
            pack(&folder, &archive, 7).expect("can be packed");
            archives.push(super::super::read(&archive).expect("is there"));
        }
        let unpacked = unpack(&place.join("0.tar.gz"), &place.join("unpacked")).expect("can be unpacked");
        assert_eq!(fs::read_to_string(unpacked.join("inside/b")).ok().as_deref(), Some("b"));
        fs::remove_dir_all(&place).expect("can be removed");
        assert!(archives[0] == archives[1] && !archives[0].is_empty());
    }
}
