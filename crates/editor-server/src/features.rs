//! What the server shows: each feature reads a snapshot and gives an answer, and changes nothing.

pub(crate) mod actions;
pub(crate) mod attachments;
pub(crate) mod changes;
pub(crate) mod closed;
pub(crate) mod commands;
pub(crate) mod content;
pub(crate) mod diff;
pub(crate) mod failure;
pub(crate) mod files;
pub(crate) mod go_to;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod hunks;
pub(crate) mod lenses;
pub(crate) mod symbols;
pub(crate) mod traces;
pub(crate) mod transcript;
