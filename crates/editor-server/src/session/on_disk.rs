//! The hunks of files that are not open, as they were when somebody asked last.

use std::collections::HashMap;

use activity_core::marks::LineText as _;
use workspace_fs::Version;

use super::document::Placed;
use super::files::FileId;
use super::text::Text;

/// Bytes of text that are kept; beyond it the file that nobody asked for the longest goes.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What a file costs beside its text: its hunks.
const FIXED_BYTES: usize = 4 * 1024;

/// The hunks of a file that is not open.
#[derive(Debug, Clone)]
pub(crate) struct OnDisk {
    /// Which content of the file this is about.
    pub(crate) content: Content,
    pub(crate) text: Text,
    pub(crate) placed: Placed,
}

/// The content that was found.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// The text of this version.
    Read(Version),
    /// None, for this reason.
    Unreadable(String),
}

impl OnDisk {
    /// Whether this is about the content of a version that was read.
    pub(crate) fn has_content(&self, version: &Version) -> bool {
        match &self.content {
            Content::Read(known) => {
                known.content_hash().is_some() && known.content_hash() == version.content_hash()
            }
            Content::Unreadable(_) => false,
        }
    }

    /// Whether this is about the file whose version is now that one, as far as that tells without
    /// reading it.
    pub(crate) fn is_surely(&self, now: &Version) -> bool {
        match &self.content {
            Content::Read(known) => known.is_surely(now),
            Content::Unreadable(_) => false,
        }
    }

    /// Whether there was nothing to read for this reason.
    pub(crate) fn is_unreadable(&self, why: &str) -> bool {
        matches!(&self.content, Content::Unreadable(known) if known == why)
    }

    fn bytes(&self) -> usize {
        self.text.len_bytes() + FIXED_BYTES
    }
}

/// As many of them as fit into a fixed amount of memory.
#[derive(Debug, Default)]
pub(crate) struct PlacedFiles {
    files: HashMap<FileId, Kept>,
    bytes: usize,
    /// Counts the questions.
    clock: u64,
}

#[derive(Debug)]
struct Kept {
    on_disk: OnDisk,
    asked: u64,
}

impl PlacedFiles {
    /// The hunks of a file, if they are known.
    pub(crate) fn get(&self, file: FileId) -> Option<&OnDisk> {
        self.files.get(&file).map(|kept| &kept.on_disk)
    }

    /// The same, because somebody asks for them.
    pub(crate) fn ask(&mut self, file: FileId) -> Option<&OnDisk> {
        self.clock += 1;
        let kept = self.files.get_mut(&file)?;
        kept.asked = self.clock;
        Some(&kept.on_disk)
    }

    /// Keeps the hunks of a file.
    pub(crate) fn insert(&mut self, file: FileId, on_disk: OnDisk) {
        self.remove(file);
        self.clock += 1;
        self.bytes += on_disk.bytes();
        let asked = self.clock;
        self.files.insert(file, Kept { on_disk, asked });
        while self.bytes > MAX_BYTES && self.files.len() > 1 {
            let oldest = self.files.iter().min_by_key(|(_, kept)| kept.asked);
            let Some(oldest) = oldest.map(|(file, _)| *file) else {
                return;
            };
            self.remove(oldest);
        }
    }

    pub(crate) fn remove(&mut self, file: FileId) {
        if let Some(kept) = self.files.remove(&file) {
            self.bytes -= kept.on_disk.bytes();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.files.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::files::Files;
    use super::super::location::Location;
    use super::*;

    fn on_disk(bytes: usize) -> OnDisk {
        OnDisk {
            content: Content::Unreadable(String::new()),
            text: Text::new(&"x".repeat(bytes)),
            placed: Placed::nothing(Arc::default(), None),
        }
    }

    #[test]
    fn what_nobody_asked_for_the_longest_goes_first() {
        let mut names = Files::default();
        let [a, b, c] =
            ["/a", "/b", "/c"].map(|path| names.intern(&Location::from_path(path).unwrap()).0);
        let mut files = PlacedFiles::default();
        let third = MAX_BYTES / 5 * 2;
        files.insert(a, on_disk(third));
        files.insert(b, on_disk(third));
        assert!(files.ask(a).is_some());
        files.insert(c, on_disk(third));
        assert!(files.get(a).is_some() && files.get(b).is_none() && files.get(c).is_some());
        files.insert(c, on_disk(1));
        files.insert(b, on_disk(third));
        assert!(files.get(a).is_some() && files.get(b).is_some());
        files.insert(a, on_disk(2 * MAX_BYTES));
        assert!(
            files.get(a).is_some() && files.get(b).is_none(),
            "one is always kept"
        );
        files.clear();
        assert!(files.get(a).is_none() && files.bytes == 0);
    }
}
