//! When two names are the same file: the only place where `file:` uris become paths and paths are
//! compared.
//!
//! A client writes a uri in its own way (`file:///c%3A/x`, `file:///C:/x`, `file://host/share/x`),
//! an agent names a path beneath its workspace root. Both become a [`Location`]; its [`Key`] is
//! equal for all spellings that are equal by their text alone. Links and disks that ignore case
//! need a look at the directory: [`identify`] gives a name that follows them. Nothing here opens a
//! file.

use std::fmt;
use std::path::{Path, PathBuf};

use activity_core::path::Family;

/// An absolute path as it was named, with forward slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    path: String,
    family: Family,
}

/// Equal for two locations that are the same by their text: separators, empty and dot segments,
/// and, in the windows family, case do not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(String);

/// Equal for two paths that lead to the same directory entry: links are followed, and case does not
/// count where the disk ignores it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Identity(String);

impl Location {
    /// The file that a `file:` uri names; `None` for another scheme, a broken escape, or a path
    /// that is not UTF-8.
    pub(crate) fn from_uri(uri: &str) -> Option<Self> {
        let (scheme, rest) = uri.split_once(':')?;
        if !scheme.eq_ignore_ascii_case("file") {
            return None;
        }
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = match rest.strip_prefix("//") {
            Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
            None => ("", rest),
        };
        let path = decode(path)?;
        if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
            return Self::from_path(&format!("//{}{path}", decode(host)?));
        }
        // `/c:/x` is a path of a windows drive. Four slashes are a share.
        match path.strip_prefix('/') {
            Some(rest) if drive(rest).is_some() => Self::from_path(rest),
            _ => Self::from_path(&path),
        }
    }

    /// The file that an absolute path names, in either family; `None` for a relative path.
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        let windows = drive(path).is_some() || path.starts_with("\\\\") || path.starts_with("//");
        if windows {
            return Some(Self {
                path: path.replace('\\', "/"),
                family: Family::Windows,
            });
        }
        path.starts_with('/').then(|| Self {
            path: path.to_owned(),
            family: Family::Posix,
        })
    }

    /// A path beneath a root, as a session names it.
    pub(crate) fn beneath(root: &str, relative_path: &str) -> Option<Self> {
        let root = Self::from_path(root)?;
        let path = format!("{}/{relative_path}", root.path.trim_end_matches('/'));
        Some(Self { path, ..root })
    }

    /// The last segment.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn key(&self) -> Key {
        let normal = normal(&self.path, self.family);
        Key(match self.family {
            Family::Posix => normal,
            Family::Windows => normal.to_lowercase(),
        })
    }

    /// The `file:` uri of this path.
    pub(crate) fn to_uri(&self) -> String {
        let normal = normal(&self.path, self.family);
        let (prefix, rest) = match self.family {
            Family::Posix => ("file://", normal.as_str()),
            Family::Windows => match normal.strip_prefix("//") {
                Some(share) => ("file://", share),
                None => ("file:///", normal.as_str()),
            },
        };
        let mut uri = prefix.to_owned();
        for (index, segment) in rest.split('/').enumerate() {
            if index > 0 {
                uri.push('/');
            }
            // The colon of a drive stays, as RFC 8089 has it.
            if index == 0 && drive(segment).is_some() {
                uri.push_str(segment);
            } else {
                encode(segment, &mut uri);
            }
        }
        uri
    }

    /// The path for the file system of this machine.
    pub(crate) fn to_path_buf(&self) -> PathBuf {
        PathBuf::from(&self.path)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `C:` at the start of a path, followed by a separator or nothing.
fn drive(path: &str) -> Option<char> {
    let mut characters = path.chars();
    let letter = characters.next().filter(char::is_ascii_alphabetic)?;
    (characters.next() == Some(':') && matches!(characters.next(), None | Some('/' | '\\')))
        .then_some(letter)
}

/// One spelling for paths that are equal by their text.
fn normal(path: &str, family: Family) -> String {
    let share = family == Family::Windows && path.starts_with("//");
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    let joined = segments.join("/");
    match family {
        Family::Posix => format!("/{joined}"),
        Family::Windows if share => format!("//{joined}"),
        Family::Windows => match joined.split_at_checked(1) {
            Some((letter, rest)) => letter.to_ascii_uppercase() + rest,
            None => joined,
        },
    }
}

/// Percent-decodes; `None` for a broken escape or bytes that are not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}

/// Percent-encodes what is not unreserved in a uri.
pub(crate) fn encode(segment: &str, uri: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push('%');
            uri.push(char::from(DIGITS[usize::from(byte >> 4)]));
            uri.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

/// What a path leads to, through links and whatever the case; `None` when not even its directory
/// exists. This asks the file system, so it may take time.
pub(crate) fn identify(location: &Location) -> Option<Identity> {
    let path = location.to_path_buf();
    let real = std::fs::canonicalize(&path).or_else(|_| {
        let parent = path.parent().unwrap_or(Path::new("/"));
        let name = path.file_name().unwrap_or_default();
        std::fs::canonicalize(parent).map(|parent| parent.join(name))
    });
    let real = real.ok()?;
    let name = real.file_name()?.to_string_lossy().into_owned();
    let name = if ignores_case(&real, &name) {
        name.to_lowercase()
    } else {
        name
    };
    Some(Identity(format!("{}/{name}", directory(real.parent()?)?)))
}

/// Names a directory by what it is, not by how it is written.
#[cfg(unix)]
fn directory(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    Some(format!("{}:{}", metadata.dev(), metadata.ino()))
}

/// Names a directory by what it is, not by how it is written: a canonical path has one spelling.
#[cfg(not(unix))]
fn directory(path: &Path) -> Option<String> {
    Some(path.to_string_lossy().to_lowercase())
}

/// Whether the disk takes another case of this name for the same entry.
#[cfg(unix)]
fn ignores_case(real: &Path, name: &str) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let swapped: String = name
        .chars()
        .map(|letter| match letter {
            'a'..='z' => letter.to_ascii_uppercase(),
            'A'..='Z' => letter.to_ascii_lowercase(),
            other => other,
        })
        .collect();
    if swapped == name {
        return false;
    }
    let entry = |path: &Path| {
        let metadata = std::fs::symlink_metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    entry(real).is_some_and(|this| entry(&real.with_file_name(swapped)) == Some(this))
}

#[cfg(not(unix))]
fn ignores_case(_real: &Path, _name: &str) -> bool {
    cfg!(windows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(uri: &str) -> String {
        Location::from_uri(uri).map_or_else(|| "none".to_owned(), |it| it.key().to_string())
    }

    /// All uris name one file, and it is the one at `path`.
    fn same(path: &str, uris: &[&str]) {
        let expect = Location::from_path(path).unwrap().key().to_string();
        for uri in uris {
            assert_eq!(key(uri), expect, "{uri}");
        }
    }

    #[test]
    fn spellings_of_one_file_are_equal() {
        same(
            "/home/u/a b.rs",
            &[
                "file:///home/u/a%20b.rs",
                "file:///home/u/a b.rs",
                "file://localhost/home/u/a%20b.rs",
                "file:/home/u/a%20b.rs",
                "FILE:///home/u/%61%20b.rs",
                "file:///home//u/./a%20b.rs",
            ],
        );
        same(
            "C:\\Users\\u\\a.rs",
            &[
                "file:///c%3A/Users/u/a.rs",
                "file:///C:/Users/u/a.rs",
                "file:///c:/users/U/A.rs",
                "file:/C:/Users/u/a.rs",
            ],
        );
        same(
            "\\\\server\\share\\a.rs",
            &[
                "file://server/share/a.rs",
                "file://SERVER/share/a.rs",
                "file:////server/share/a.rs",
            ],
        );
        same(
            "/w/\u{E9}.rs",
            &["file:///w/%C3%A9.rs", "file:///w/\u{E9}.rs"],
        );
        same("/w/a#b?c%.rs", &["file:///w/a%23b%3Fc%25.rs"]);
    }

    #[test]
    fn different_files_are_different() {
        assert_ne!(key("file:///w/a.rs"), key("file:///w/A.rs"));
        assert_ne!(key("file:///w/a%2520b"), key("file:///w/a%20b"));
        for uri in [
            "untitled:Untitled-1",
            "acp-lens:///a",
            "file:///a%2",
            "file:///a%00b",
            "file:///%FF",
            "a",
        ] {
            assert_eq!(key(uri), "none", "{uri}");
        }
    }

    #[test]
    fn uris_are_read_back_as_the_same_file() {
        for (path, uri) in [
            ("/w/a b#?%.rs", "file:///w/a%20b%23%3F%25.rs"),
            ("c:\\w\\a.rs", "file:///C:/w/a.rs"),
            ("\\\\srv\\share\\a.rs", "file://srv/share/a.rs"),
            ("/w/back\\slash", "file:///w/back%5Cslash"),
        ] {
            let location = Location::from_path(path).unwrap();
            assert_eq!(location.to_uri(), uri);
            assert_eq!(Location::from_uri(uri).unwrap().key(), location.key());
        }
    }

    #[test]
    fn a_session_names_files_beneath_its_root() {
        let uri = |root: &str, path: &str| Location::beneath(root, path).map(|it| it.to_uri());
        assert_eq!(uri("/w/", "a.rs").as_deref(), Some("file:///w/a.rs"));
        assert_eq!(
            uri("C:\\w", "s/a.rs").as_deref(),
            Some("file:///C:/w/s/a.rs")
        );
        assert_eq!(uri("w", "a.rs"), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_one_identity() {
        let root = std::env::temp_dir().join(format!("acp-lens-identity-{}", std::process::id()));
        std::fs::create_dir_all(root.join("real")).unwrap();
        std::fs::write(root.join("real/a.rs"), "").unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        std::os::unix::fs::symlink("real/a.rs", root.join("b.rs")).unwrap();
        let id = |path: &str| {
            let path = root.join(path);
            identify(&Location::from_path(path.to_str().unwrap()).unwrap())
        };
        let real = id("real/a.rs");
        assert!(real.is_some());
        assert_eq!(id("link/a.rs"), real);
        assert_eq!(id("b.rs"), real);
        assert_eq!(id("real/new.rs"), id("link/new.rs"));
        assert_ne!(id("real/new.rs"), real);
        assert_eq!(id("missing/a.rs"), None);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
