//! Where a session's files are: path families, normal forms, lexical containment.
//!
//! Nothing here asks the disk. A path that ends up inside the root here may still leave it through
//! a link; whoever opens it has to check that.

use std::sync::Arc;

use acp_grammar::js;

/// The two families of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `/a/b`, compared exactly.
    Posix,
    /// `C:\a\b` and `\\server\share\a`, compared without regard to case.
    Windows,
}

/// A workspace root with the directory against which relative paths resolve, which lies in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    family: Family,
    root: Place,
    cwd: Place,
    root_text: Arc<str>,
    cwd_text: Arc<str>,
}

/// An absolute path in normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// `X:`, `\\server\share` or `\` in the windows family, empty in the posix family.
    root: String,
    /// The segments below it, none of them empty, `.` or `..`.
    segments: Vec<String>,
}

impl Workspace {
    /// A workspace from root and working directory; `None` unless both are absolute, of one
    /// family, and the directory lies lexically in the root.
    pub fn new(root: &str, cwd: &str) -> Option<Self> {
        let family = family_of(root)?;
        if family_of(cwd)? != family {
            return None;
        }
        let root = Place::absolute(root, family)?;
        let cwd = Place::absolute(cwd, family)?;
        match cwd.below(&root, family) {
            Some(below) if !is_absolute(&below.join(family.separator()), family) => {}
            _ => return None,
        }
        Some(Self {
            family,
            root_text: root.text(family).into(),
            cwd_text: cwd.text(family).into(),
            root,
            cwd,
        })
    }

    /// The family of its paths.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The root, in normal form.
    pub fn root(&self) -> &Arc<str> {
        &self.root_text
    }

    /// The working directory, in normal form.
    pub fn cwd(&self) -> &Arc<str> {
        &self.cwd_text
    }

    /// A path as an agent names it, relative to the root with forward slashes; `None` when it is
    /// blank, of the other family, the root itself, or outside the root.
    ///
    /// `..` may occur as long as the result lies inside. No URL is decoded and no `~` expanded.
    pub fn resolve(&self, path: &str) -> Option<Arc<str>> {
        let path = js::trim(path);
        if path.is_empty() {
            return None;
        }
        let place = match self.family {
            Family::Posix => {
                if family_of(path) == Some(Family::Windows) || drive(path).is_some() {
                    return None;
                }
                self.place_of(&path.replace('\\', "/"))
            }
            Family::Windows => {
                let rooted = path.starts_with('/') && !path.starts_with("//");
                let relative_to_drive =
                    drive(path).is_some() && !is_absolute(path, Family::Windows);
                if rooted || relative_to_drive {
                    return None;
                }
                self.place_of(path)
            }
        };
        let relative = place
            .below(&self.root, self.family)?
            .join(self.family.separator());
        if relative.is_empty() || is_absolute(&relative, self.family) {
            return None;
        }
        Some(relative.replace('\\', "/").into())
    }

    fn place_of(&self, path: &str) -> Place {
        Place::absolute(path, self.family).unwrap_or_else(|| self.cwd.join(path, self.family))
    }
}

impl Family {
    fn separator(self) -> &'static str {
        match self {
            Self::Posix => "/",
            Self::Windows => "\\",
        }
    }

    fn split(self, path: &str) -> impl Iterator<Item = &str> {
        path.split(move |c| self.is_separator(c))
    }

    fn is_separator(self, c: char) -> bool {
        match self {
            Self::Posix => c == '/',
            Self::Windows => c == '/' || c == '\\',
        }
    }
}

impl Place {
    /// An absolute path in normal form; `None` when `path` is not absolute in that family.
    fn absolute(path: &str, family: Family) -> Option<Self> {
        let (root, rest) = match family {
            Family::Posix => (String::new(), path.strip_prefix('/')?),
            Family::Windows => windows_root(path)?,
        };
        let mut place = Self {
            root,
            segments: Vec::new(),
        };
        place.descend(rest, family);
        Some(place)
    }

    /// The place that a relative path names from here.
    fn join(&self, relative: &str, family: Family) -> Self {
        let mut place = self.clone();
        place.descend(relative, family);
        place
    }

    fn descend(&mut self, relative: &str, family: Family) {
        for segment in family.split(relative) {
            match segment {
                "" | "." => {}
                ".." => {
                    self.segments.pop();
                }
                _ => self.segments.push(segment.to_owned()),
            }
        }
    }

    /// The segments of this place below `root`, in this place's own spelling; `None` when it lies
    /// elsewhere.
    fn below(&self, root: &Self, family: Family) -> Option<&[String]> {
        let same = |left: &str, right: &str| match family {
            Family::Posix => left == right,
            Family::Windows => left == right || left.to_lowercase() == right.to_lowercase(),
        };
        let (head, tail) = self.segments.split_at_checked(root.segments.len())?;
        let inside = same(&self.root, &root.root)
            && head
                .iter()
                .zip(&root.segments)
                .all(|(ours, theirs)| same(ours, theirs));
        inside.then_some(tail)
    }

    fn text(&self, family: Family) -> String {
        let below = self.segments.join(family.separator());
        match self.root.as_str() {
            "\\" => format!("\\{below}"),
            root => format!("{root}{}{below}", family.separator()),
        }
    }
}

/// The last segment of a path with forward slashes.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn family_of(path: &str) -> Option<Family> {
    let after_pair = |pair: &str, c: char| {
        path.strip_prefix(pair)
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(c))
    };
    let on_drive = drive(path).is_some_and(|rest| rest.starts_with(['/', '\\']));
    if on_drive || after_pair("\\\\", '\\') || after_pair("//", '/') {
        Some(Family::Windows)
    } else {
        path.starts_with('/').then_some(Family::Posix)
    }
}

fn is_absolute(path: &str, family: Family) -> bool {
    match family {
        Family::Posix => path.starts_with('/'),
        Family::Windows => windows_root(path).is_some(),
    }
}

/// What follows `<letter>:`.
fn drive(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
    rest.strip_prefix(':')
}

/// The root of an absolute Windows path, in normal form, and what follows it.
fn windows_root(path: &str) -> Option<(String, &str)> {
    let is_separator = |c| Family::Windows.is_separator(c);
    if let Some(rest) = drive(path) {
        let letter = path.get(..1)?.to_ascii_uppercase();
        return Some((format!("{letter}:"), rest.strip_prefix(is_separator)?));
    }
    let rest = path.strip_prefix(is_separator)?;
    let Some(rest) = rest.strip_prefix(is_separator) else {
        return Some(("\\".to_owned(), rest));
    };
    let (server, rest) = first_segment(rest)?;
    let (share, rest) = first_segment(rest)?;
    Some((format!("\\\\{server}\\{share}"), rest))
}

/// The first segment of a Windows path that is not empty, and what follows it.
fn first_segment(path: &str) -> Option<(&str, &str)> {
    let is_separator = |c| Family::Windows.is_separator(c);
    let path = path.trim_start_matches(is_separator);
    let end = path.find(is_separator).unwrap_or(path.len());
    (end > 0).then(|| path.split_at(end))
}

/// Resolves arbitrary paths in arbitrary workspaces: root, working directory and path end at a NUL.
///
/// # Panics
/// When a result is no plain path below the root, or does not name the same file once more.
#[cfg(any(test, fuzzing))]
pub fn fuzz_paths(data: &[u8]) {
    let data = String::from_utf8_lossy(data);
    let mut parts = data.split('\0');
    let mut part = || parts.next().unwrap_or_default();
    let Some(workspace) = Workspace::new(part(), part()) else {
        return;
    };
    let again = Workspace::new(workspace.root(), workspace.cwd());
    assert_eq!(again.as_ref(), Some(&workspace), "normal forms stay");
    let Some(found) = workspace.resolve(part()) else {
        return;
    };
    if workspace.family() == Family::Posix && workspace.cwd().contains('\\') {
        // There a backslash is part of a name, in a path that a tool names it is a slash.
        return;
    }
    let mut segments = found.split('/');
    assert!(
        segments.all(|segment| !matches!(segment, "" | "." | "..")),
        "{found:?} in {workspace:?}"
    );
    let separator = workspace.family().separator();
    let root = workspace.root().trim_end_matches(separator);
    let whole = format!("{root}{separator}{found}");
    // White space at the ends of a path does not count.
    if js::trim(&whole) == whole {
        assert_eq!(workspace.resolve(&whole), Some(found), "{whole:?}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fuzz_paths;

    #[test]
    fn seeds() {
        crate::seeds::run("paths", fuzz_paths);
    }

    fn path() -> impl Strategy<Value = String> {
        let start = prop::sample::select(vec![
            "", "/", "//", "///", "C:\\", "c:/", "C:", "\\\\", "\\", "~/", "file://", " ",
            "\u{feff}",
        ]);
        let segment = prop::sample::select(vec![
            "w", "W", "a", "b.txt", "..", ".", "", "é", "İ", "x y ", "D:", "~",
        ]);
        let separator = prop::sample::select(vec!["/", "\\"]);
        (start, prop::collection::vec(segment, 0..5), separator)
            .prop_map(|(start, segments, separator)| start.to_owned() + &segments.join(separator))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn what_is_found_is_found_again(root in path(), below in path(), sent in path()) {
            for cwd in [&root, &format!("{root}/{below}"), &below] {
                fuzz_paths(format!("{root}\0{cwd}\0{sent}").as_bytes());
            }
        }
    }
}
