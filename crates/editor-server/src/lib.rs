//! The binary `acp-lens`, as a library so that its parts can be tested in memory.
//!
//! This crate is the only part of the project that knows processes, sockets, terminals, async and
//! the protocols of editors. What a change *is* and where it stands is decided in the crates below
//! it; here wire types become core types at the edge, and back.

pub(crate) mod acp;
pub(crate) mod agent_exec;
pub mod cli;
pub(crate) mod demo;
pub mod desktop;
pub(crate) mod explain;
pub(crate) mod features;
pub(crate) mod host;
pub(crate) mod live;
pub mod lsp;
pub(crate) mod mirror;
pub mod preview;
pub(crate) mod process_group;
pub mod replay;
pub(crate) mod session;
#[cfg(unix)]
pub(crate) mod tap;
pub mod transport;
pub(crate) mod visible;
