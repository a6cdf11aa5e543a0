//! The `apply_patch` language: parsed in three dialects, printed, and read tolerantly.
//!
//! [`parse`] is the strict reader, one grammar whose dialects differ only in the data of
//! `dialect.rs`. [`parse_lenient`] is for showing what an agent meant; its result is never to be
//! applied. The result of both borrows from the payload.

mod ast;
mod dialect;
mod envelope;
mod fault;
mod lenient;
mod parse;
mod print;
mod scan;
#[cfg(test)]
mod tests;

pub use ast::{AddedLines, Chunk, ChunkLine, ChunkLines, Operation, Patch, Section};
pub use dialect::Dialect;
pub use lenient::{LenientPatch, parse_lenient};
pub use parse::parse;

#[cfg(any(test, fuzzing))]
pub use parse::fuzz_parse;
