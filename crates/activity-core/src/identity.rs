//! Names that stay the same when a session is replayed.

use sha2::{Digest, Sha256};

/// What makes a hunk this hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HunkKey<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The tool call.
    pub tool_call_id: &'a str,
    /// The path, relative to the workspace root.
    pub relative_path: &'a str,
    /// The text before.
    pub old_text: &'a str,
    /// The text after.
    pub new_text: &'a str,
    /// How many fragments of the same call and path with the same texts come before it.
    pub occurrence: u64,
}

/// The id of a hunk: 32 lower-case hexadecimal digits, the same after every replay.
pub fn hunk_id(key: &HunkKey<'_>) -> String {
    let mut hasher = Sha256::new();
    for part in [
        key.session_id,
        key.tool_call_id,
        key.relative_path,
        key.old_text,
        key.new_text,
    ] {
        // The length keeps two neighbours from running into each other.
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part);
    }
    hasher.update(key.occurrence.to_le_bytes());
    hex(&hasher.finalize()[..16])
}

/// Lower-case hexadecimal SHA-256 of a text.
pub fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_id_depends_on_each_part_and_on_nothing_else() {
        let key = HunkKey {
            session_id: "s",
            tool_call_id: "call",
            relative_path: "a.txt",
            old_text: "one",
            new_text: "two",
            occurrence: 0,
        };
        let others = [
            HunkKey {
                session_id: "t",
                ..key
            },
            HunkKey {
                tool_call_id: "c",
                ..key
            },
            HunkKey {
                relative_path: "b.txt",
                ..key
            },
            HunkKey {
                old_text: "onet",
                new_text: "wo",
                ..key
            },
            HunkKey {
                occurrence: 1,
                ..key
            },
        ];
        assert_eq!(hunk_id(&key), hunk_id(&key));
        for other in others {
            assert_ne!(hunk_id(&key), hunk_id(&other), "{other:?}");
        }
    }

    #[test]
    fn hexadecimal_is_lower_case() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_hex(""), empty);
    }
}
