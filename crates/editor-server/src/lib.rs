//! The binary `acp-lens`, as a library so that its parts can be tested in memory.
//!
//! This crate is the only part of the project that knows processes, sockets, terminals, async and
//! the protocols of editors. What a change *is* and where it stands is decided in the crates below
//! it; here wire types become core types at the edge, and back.

pub mod cli;
pub mod lsp;
pub mod replay;
