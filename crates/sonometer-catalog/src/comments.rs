//! Sources without comments and empty lines, worked out while compiling: the module for browsers is sent to each of them, and its sources
//! need no comments. Canonical forms and digests know none.

/// How many bytes stay.
pub(crate) const fn kept(source: &[u8]) -> usize {
    let (mut at, mut kept) = (0, 0);
    while at < source.len() {
        let end = line_end(source, at);
        if !says_nothing(source, at, end) {
            kept += end - at;
        }
        at = end;
    }
    kept
}

/// The bytes that stay, of which there are `N` by [`kept`].
pub(crate) const fn without<const N: usize>(source: &[u8]) -> [u8; N] {
    let mut text = [0; N];
    let (mut at, mut written) = (0, 0);
    while at < source.len() {
        let end = line_end(source, at);
        if !says_nothing(source, at, end) {
            let mut from = at;
            while from < end {
                text[written] = source[from];
                written += 1;
                from += 1;
            }
        }
        at = end;
    }
    text
}

/// Where the line from `at` ends, behind its line end.
const fn line_end(source: &[u8], mut at: usize) -> usize {
    while at < source.len() && source[at] != b'\n' {
        at += 1;
    }
    if at < source.len() { at + 1 } else { at }
}

/// A line that is empty or begins with `# `; a `#` before anything else may be a pattern, as in `#1 best seller`.
const fn says_nothing(source: &[u8], mut at: usize, end: usize) -> bool {
    while at < end && source[at] == b' ' {
        at += 1;
    }
    at == end || source[at] == b'\n' || (at + 1 < end && source[at] == b'#' && source[at + 1] == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::{Document, TargetKind};

    #[test]
    fn comments_are_no_part_of_what_ships() {
        const SOURCE: &[u8] = b"# all\nid: a # stays\n\n  # of a list\n  - b\n";
        assert_eq!(&without::<{ kept(SOURCE) }>(SOURCE), b"id: a # stays\n  - b\n");
        for entry in TargetKind::ALL.into_iter().flat_map(crate::entries).chain(crate::STAGE_PROTOCOLS) {
            let lines = entry
                .source
                .split_inclusive('\n')
                .filter(|line| !line.trim().is_empty() && !line.trim_start_matches(' ').starts_with("# "));
            let bare: String = lines.collect();
            let (read, _) =
                Document::read_with(&bare, &|path| entry.list_file(path)).expect("is sound without comments");
            let (whole, _) = entry.document().expect("is sound");
            assert_eq!(read.digest(), whole.digest(), "{}@{}", entry.id, entry.version);
            assert!(kept(entry.source.as_bytes()) == bare.len());
        }
    }
}
