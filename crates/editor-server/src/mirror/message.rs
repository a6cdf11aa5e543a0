//! The lines on the socket between a tap and a server.
//!
//! Whoever connects, both first say who they are; then the tap tells what passed, from the
//! beginning, in the form of a recorded trace, and the server only listens.

use serde::{Deserialize, Serialize};

/// The version of these lines; a tap and a server of different versions leave each other alone.
pub(crate) const VERSION: u32 = 1;

/// The first line of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerHello {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The server's process.
    pub(crate) server: u32,
    /// The workspace folders, as absolute paths with all links resolved.
    pub(crate) roots: Vec<String>,
}

/// The first line of a tap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TapHello {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The tap's process.
    pub(crate) tap: u32,
    /// Tells this tap from every other, also from one with a reused process id.
    pub(crate) id: String,
    /// The agent's program, without its arguments.
    pub(crate) agent: String,
}
