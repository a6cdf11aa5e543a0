//! The only code of the project that opens a workspace file.
//!
//! A workspace root is opened once as a capability; every path is resolved beneath it, on every
//! request, and what is checked is the handle that is used. The crate knows no editor, no session
//! and no protocol.
//!
//! Invariants:
//! - nothing outside the root is opened, read, made or changed, whatever happens to names meanwhile;
//! - a file is replaced as a whole: at any instant it holds the old or the new content;
//! - a change that names a version takes place on that version or not at all;
//! - no error names a path outside the root.

mod atomic;
mod cancel;
pub mod card;
mod edit;
mod error;
mod filesystem;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod hunks;
mod local;
mod locks;
mod media_type;
pub mod patch;
mod path;
mod policy;
pub mod reference;
mod resolve;
mod root;
mod text;
pub mod tools;
mod version;

pub use atomic::is_temporary_name;
pub use cancel::Cancel;
pub use error::{FsError, FsErrorCode, Verb};
pub use filesystem::{
    EditOutcome, EditRequest, FileInfo, FileKind, FileSystem, FormChange, Target, TargetKey,
    TextRead, TextSink, WriteIntent, WriteOperation, WriteOutcome,
};
#[cfg(any(test, fuzzing))]
pub use fuzz::{fuzz_edit, fuzz_patch, fuzz_resolve};
pub use hunks::{HunkDiff, diffs_from_meta, diffs_to_meta, hunk_diffs};
pub use local::{
    BytesRead, DirectoryEntry, EntryKind, LocalFileSystem, MAX_WHOLE_TEXT, STREAM_FROM_BYTES,
};
pub use media_type::media_type;
pub use path::PathRefusal;
pub use policy::{NoPolicy, Owner, Policy, ReadBeforeEdit};
pub use reference::{ReferenceError, WorkspaceFileRef};
pub use root::Root;
pub use version::{ContentHash, Version};
