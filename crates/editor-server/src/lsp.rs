//! The language server's edge: what LSP and the messages under `acpLens/` look like.
//!
//! Nothing outside this module names an LSP type.

pub mod ext;

mod agents;
mod backend;
mod capabilities;
mod code_lens;
mod convert;
mod error;
mod explained;
mod files;
mod keystroke;
mod outbox;
pub(crate) mod position;
mod requests;
mod routes;
mod service;

pub use code_lens::CodeLenses;
pub use keystroke::Keystroke;
pub use service::serve;
