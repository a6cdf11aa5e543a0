//! The lines on the socket between a tap and a server.
//!
//! Whoever connects, both first say who they are; then the tap tells what passed, from the
//! beginning, in the form of a recorded trace, and the server only listens.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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

/// Every further line of a tap: exactly one of these, a message with its direction.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TapLine<'a> {
    /// `c2a` or `a2c`.
    #[serde(borrow)]
    pub(crate) dir: Option<Cow<'a, str>>,
    /// The message as it passed, secrets masked.
    #[serde(borrow)]
    pub(crate) msg: Option<&'a RawValue>,
    /// Messages are missing here: `c2a`, `a2c`, or `both`.
    #[serde(borrow)]
    pub(crate) gap: Option<Cow<'a, str>>,
    /// What follows happens now.
    pub(crate) caught_up: bool,
    /// The agent ended, and the tap with it; how, in words.
    #[serde(borrow)]
    pub(crate) end: Option<Cow<'a, str>>,
}
