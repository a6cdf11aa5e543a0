//! Paths as text: what is refused before anything is looked at.
//!
//! Nothing here touches a file system. A path that passes may still lead outside by a link; that is
//! for [`resolve`](crate::resolve) to find out, on handles.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use acp_grammar::js;

/// One step of a walk that starts at the workspace root.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// Into the entry of this name.
    Into(OsString),
    /// To the directory above, as it is after links are followed.
    Up,
}

/// Why a path is refused by its text alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PathRefusal {
    /// Empty, or nothing but blanks.
    #[error("the path is blank")]
    Blank,
    /// Absolute in the sense of some system.
    #[error("the path is absolute")]
    Absolute,
    /// Holds a `..` segment, or leads above the root.
    #[error("the path leads above the workspace")]
    Above,
    /// Holds a NUL, or a name that this system cannot have.
    #[error("the path holds characters that no file name can have")]
    BadName,
}

/// The steps of a strict relative path: one that names its file without any `..`.
///
/// Refused are blank paths, paths that are absolute for POSIX or Windows, any `..` between slashes
/// or backslashes, and NUL. Blanks are not trimmed; a backslash is an ordinary character on POSIX.
pub(crate) fn strict_steps(relative: &str) -> Result<Vec<Step>, PathRefusal> {
    if js::is_blank(relative) {
        return Err(PathRefusal::Blank);
    }
    if relative.contains('\0') {
        return Err(PathRefusal::BadName);
    }
    if is_absolute_somewhere(relative) {
        return Err(PathRefusal::Absolute);
    }
    if relative.split(['/', '\\']).any(|segment| segment == "..") {
        return Err(PathRefusal::Above);
    }
    steps_of(Path::new(relative))
}

/// The steps of a path as a tool gives it: relative to `cwd`, or absolute beneath one of `roots`.
///
/// `..` is taken as long as the result stays inside. `roots` are spellings of the same directory;
/// `cwd` is a list of steps below it.
pub(crate) fn tool_steps(
    path: &str,
    cwd: &[Step],
    roots: &[&Path],
) -> Result<Vec<Step>, PathRefusal> {
    if js::is_blank(path) {
        return Err(PathRefusal::Blank);
    }
    if path.contains('\0') {
        return Err(PathRefusal::BadName);
    }
    let path = Path::new(path);
    if !path.is_absolute() {
        let mut steps = cwd.to_vec();
        steps.extend(steps_of(path)?);
        if stays_inside(&steps) {
            return Ok(steps);
        }
        // Up through the root and back down into it, by name.
        let root = roots.first().ok_or(PathRefusal::Above)?;
        return beneath(&normalised(&root.join(cwd_path(cwd)).join(path)), roots);
    }
    match beneath(path, roots) {
        Ok(steps) if stays_inside(&steps) => Ok(steps),
        _ => beneath(&normalised(path), roots),
    }
}

/// The steps with each `..` taken back by name; for showing only.
pub(crate) fn display_names(steps: &[Step]) -> PathBuf {
    let mut shown = PathBuf::new();
    for step in steps {
        match step {
            Step::Into(name) => shown.push(name),
            Step::Up => {
                shown.pop();
            }
        }
    }
    shown
}

/// Whether no prefix of the steps leads above the root, by name.
fn stays_inside(steps: &[Step]) -> bool {
    let mut depth = 0_usize;
    steps.iter().all(|step| match step {
        Step::Into(_) => {
            depth += 1;
            true
        }
        Step::Up => depth.checked_sub(1).map(|above| depth = above).is_some(),
    })
}

fn cwd_path(cwd: &[Step]) -> PathBuf {
    cwd.iter()
        .map(|step| match step {
            Step::Into(name) => Path::new(name),
            Step::Up => Path::new(".."),
        })
        .collect()
}

fn beneath(path: &Path, roots: &[&Path]) -> Result<Vec<Step>, PathRefusal> {
    roots
        .iter()
        .find_map(|root| path.strip_prefix(root).ok())
        .ok_or(PathRefusal::Above)
        .and_then(steps_of)
}

/// `a/./b/../c` as `a/c`, by name.
fn normalised(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

fn steps_of(path: &Path) -> Result<Vec<Step>, PathRefusal> {
    path.components()
        .filter(|component| !matches!(component, Component::CurDir))
        .map(|component| match component {
            Component::Normal(name) if is_possible_name(name) => Ok(Step::Into(name.to_owned())),
            Component::Normal(_) => Err(PathRefusal::BadName),
            Component::ParentDir => Ok(Step::Up),
            _ => Err(PathRefusal::Absolute),
        })
        .collect()
}

/// On Windows a colon addresses a stream of another file.
fn is_possible_name(name: &std::ffi::OsStr) -> bool {
    !cfg!(windows) || !name.to_string_lossy().contains(':')
}

fn is_absolute_somewhere(path: &str) -> bool {
    let bytes = path.as_bytes();
    let is_slash = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let has_drive =
        bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    is_slash(bytes.first())
        || (has_drive && (cfg!(windows) || is_slash(bytes.get(2))))
        || Path::new(path).is_absolute()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_strict(path: &str, expect: Result<&str, PathRefusal>) {
        let got = strict_steps(path).map(|steps| display_names(&steps).display().to_string());
        assert_eq!(got, expect.map(ToOwned::to_owned), "{path:?}");
    }

    #[test]
    fn strict_paths_name_their_file_without_detours() {
        check_strict("a/b", Ok("a/b"));
        check_strict("./a//b/", Ok("a/b"));
        check_strict(" a", Ok(" a"));
        check_strict("..a/b..", Ok("..a/b.."));
        check_strict("", Err(PathRefusal::Blank));
        check_strict(" \u{FEFF}\t", Err(PathRefusal::Blank));
        check_strict("/a", Err(PathRefusal::Absolute));
        check_strict("\\a", Err(PathRefusal::Absolute));
        check_strict("c:/a", Err(PathRefusal::Absolute));
        check_strict("C:\\a", Err(PathRefusal::Absolute));
        check_strict("a/..", Err(PathRefusal::Above));
        check_strict("a\\..\\b", Err(PathRefusal::Above));
        check_strict("a\0", Err(PathRefusal::BadName));
    }

    #[cfg(unix)]
    #[test]
    fn a_drive_without_a_slash_and_a_backslash_are_names_on_posix() {
        check_strict("c:a", Ok("c:a"));
        check_strict("a\\b", Ok("a\\b"));
    }

    fn check_tool(cwd: &str, path: &str, expect: Result<&str, PathRefusal>) {
        let cwd = steps_of(Path::new(cwd)).unwrap();
        let roots = [Path::new("/ws"), Path::new("/real/ws")];
        let got = tool_steps(path, &cwd, &roots);
        let got = got.map(|steps| display_names(&steps).display().to_string());
        assert_eq!(got, expect.map(ToOwned::to_owned), "{path:?}");
    }

    #[cfg(unix)]
    #[test]
    fn tool_paths_may_go_up_as_long_as_they_stay_inside() {
        check_tool("", "a/b", Ok("a/b"));
        check_tool("sub", "a", Ok("sub/a"));
        check_tool("sub", "../a", Ok("a"));
        check_tool("sub", "../../a", Err(PathRefusal::Above));
        check_tool("sub", "../../ws/a", Ok("a"));
        check_tool("sub", "/ws/a", Ok("a"));
        check_tool("", "/real/ws/a/../b", Ok("b"));
        check_tool("", "/ws/../ws/a", Ok("a"));
        check_tool("", "/ws-evil/a", Err(PathRefusal::Above));
        check_tool("", "/ws/../other", Err(PathRefusal::Above));
        check_tool("", ".", Ok(""));
        check_tool("", " ", Err(PathRefusal::Blank));
    }
}
