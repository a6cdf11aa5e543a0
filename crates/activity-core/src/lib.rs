//! What an agent declared that it changed: from the timeline of a session to file activities,
//! summaries, file groups, diffs and placed hunks.
//!
//! Pure: no IO, no clock, no async, no environment. Text and events come in, values go out.
//! Time, where a rule needs it, is part of the event.
//!
//! Invariants:
//! - reducing is total: no input from an agent is an error or a panic, what cannot be used is said
//!   in a notice;
//! - the same events give the same result, live or replayed;
//! - an event costs the same however long the session is; what is read is worked out when read;
//! - nothing here reads the disk, so nothing here knows whether a declaration is true.
#![warn(clippy::disallowed_methods)]

pub mod attachment;
pub mod compose;
pub mod count;
pub mod event;
pub mod host;
pub mod identity;
pub mod marks;
pub mod model;
pub mod notice;
pub mod path;
pub mod placing;
pub mod profile;
#[cfg(test)]
mod seeds;
pub mod session;
pub mod timeline;
