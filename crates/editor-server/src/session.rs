//! What the server knows, and the one task that owns it.
//!
//! [`actor`] owns documents, sessions and placements. Handlers send it events through a
//! [`handle`], and read either a snapshot or what a short question gives; nobody else changes
//! anything, so no lock is held anywhere. What the client is told leaves as [`outgoing`] messages,
//! sent by a task that nobody waits for.

pub(crate) mod actor;
pub(crate) mod document;
pub(crate) mod entry;
pub(crate) mod files;
pub(crate) mod follow;
pub(crate) mod handle;
pub(crate) mod location;
pub(crate) mod on_disk;
pub(crate) mod outgoing;
pub(crate) mod progress;
pub(crate) mod publish;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod state;
pub(crate) mod text;
pub(crate) mod timeline;
pub(crate) mod unsaved;
pub(crate) mod view;
