//! The demo agent's own file access, beneath the working directory of its session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::script::FILES;

/// Writes the demo's project below `root`, which exists.
pub(crate) fn lay_out(root: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        write(root, path, text)?;
    }
    Ok(())
}

/// The absolute path of a file of the project.
pub(crate) fn absolute(root: &Path, path: &str) -> PathBuf {
    root.join(path)
}

/// The text of a file.
pub(crate) fn read(root: &Path, path: &str) -> io::Result<String> {
    fs::read_to_string(absolute(root, path))
}

/// Writes a whole file, and the directories that it needs.
pub(crate) fn write(root: &Path, path: &str, text: &str) -> io::Result<()> {
    let path = absolute(root, path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

/// Deletes a file.
pub(crate) fn delete(root: &Path, path: &str) -> io::Result<()> {
    fs::remove_file(absolute(root, path))
}
