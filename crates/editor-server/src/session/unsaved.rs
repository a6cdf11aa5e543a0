//! Whether an open document has changes that its file does not have.
//!
//! A client says no such thing: it opens a text, and whether that is the file's, or became the
//! file's since, is not told. And while an agent works, a text can be older than its file: the
//! editor reads the file anew only when it gets round to it. So the texts that a file had are
//! remembered. A document with one of these has nothing of its own, and the file is what counts.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher as _};

/// How many texts of a file are remembered; an editor is never so many steps behind.
const REMEMBERED: usize = 32;

/// The texts that a file had, as hashes, oldest first.
#[derive(Debug, Default)]
pub(crate) struct FileTexts(VecDeque<u64>);

impl FileTexts {
    /// The file has this text, or had it a moment ago.
    pub(crate) fn remember(&mut self, text: &str) {
        let hash = hash(text);
        self.0.retain(|known| *known != hash);
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(hash);
    }

    /// Whether the file is known to have had this text.
    pub(crate) fn had(&self, text: &str) -> bool {
        self.0.contains(&hash(text))
    }
}

/// A hash of a text, whatever its line ends are and with or without a byte order mark: editors
/// keep these apart from the text.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for line in text.trim_start_matches('\u{feff}').split('\n') {
        hasher.write(line.strip_suffix('\r').unwrap_or(line).as_bytes());
        hasher.write_u8(b'\n');
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_by_their_lines() {
        let mut texts = FileTexts::default();
        texts.remember("a\r\nb\r\n");
        assert!(texts.had("a\nb\n") && texts.had("\u{feff}a\nb\n"));
        assert!(!texts.had("a\nb") && !texts.had("a\nb\n\n") && !texts.had("ab\n"));
    }

    #[test]
    fn the_oldest_text_is_forgotten_first() {
        let mut texts = FileTexts::default();
        texts.remember("first");
        (0..REMEMBERED - 1).for_each(|n| texts.remember(&n.to_string()));
        texts.remember("first");
        texts.remember("one more");
        assert!(texts.had("first") && texts.had("1") && !texts.had("0"));
        assert_eq!(texts.0.len(), REMEMBERED);
    }
}
