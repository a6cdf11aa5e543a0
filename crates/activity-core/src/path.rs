//! Where a session's files are: path families, normal forms, lexical containment.

use std::sync::Arc;

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
    root: Arc<str>,
    cwd: Arc<str>,
}

impl Workspace {
    /// A workspace from root and working directory; `None` unless both are absolute, of one
    /// family, and the directory lies lexically in the root.
    pub fn new(root: &str, cwd: &str) -> Option<Self> {
        let _ = (root, cwd);
        None
    }

    /// The family of its paths.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The root, in normal form.
    pub fn root(&self) -> &Arc<str> {
        &self.root
    }

    /// The working directory, in normal form.
    pub fn cwd(&self) -> &Arc<str> {
        &self.cwd
    }

    /// A path as an agent names it, relative to the root with forward slashes; `None` when it is
    /// blank, of the other family, the root itself, or outside the root.
    pub fn resolve(&self, path: &str) -> Option<Arc<str>> {
        let _ = path;
        None
    }
}
