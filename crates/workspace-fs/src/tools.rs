//! The file tools of an agent: read, write and edit as typed functions.
//!
//! Each takes a checked request and gives a typed result, which can also write itself as the text that
//! a model reads and as the private data that is kept for a replay.

mod arguments;
mod edit;
mod read;
mod window;
mod write;

use crate::cancel::Cancel;
use crate::error::FsError;
use crate::filesystem::{FileSystem, Target};
use crate::policy::{Owner, Policy};
use crate::version::Version;

pub use arguments::{ArgumentError, EditArguments, ReadArguments, WriteArguments};
pub use edit::{EditResult, edit};
pub use read::{ReadResult, read};
pub use window::{MAX_LINE_UNITS, MAX_LINES, MAX_WINDOW_BYTES, Window, WindowLine};
pub use write::{WriteResult, write};

/// What the tools of one agent session work with.
#[derive(Clone, Copy)]
pub struct ToolSession<'s> {
    /// The provider.
    pub files: &'s dyn FileSystem,
    /// What may be changed; [`NoPolicy`](crate::NoPolicy) leaves the bare provider.
    pub policy: &'s dyn Policy,
    /// The session, if there is one.
    pub owner: Option<&'s Owner>,
    /// Where relative paths start; the root without one.
    pub cwd: Option<&'s str>,
    /// Stops what runs.
    pub cancel: &'s Cancel,
}

impl ToolSession<'_> {
    fn resolve(&self, path: &str) -> Result<Target, FsError> {
        self.files.resolve(path, self.cwd)
    }

    pub(crate) fn observed(&self, target: &Target, version: &Version) {
        self.policy.observed(self.owner, target, version);
    }
}

/// The envelope in which a model sees what happened to a file.
fn envelope(path: &str, content: &str) -> String {
    format!("<path>{path}</path>\n<type>file</type>\n<content>\n{content}\n</content>")
}
