//! The language server's edge: what LSP and the messages under `acpLens/` look like.
//!
//! Nothing outside this module names an LSP type.

pub mod ext;
