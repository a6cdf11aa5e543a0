//! What an agent's own transcript adds to a session: attachments and durations, never more.
//!
//! The transcript is a file that a person named. Its turns are found again in the session by the
//! user's words, counted from the end, since a transcript may reach back further than the session
//! that is shown. What cannot be told apart is left out.

mod align;
mod media;

pub use align::{Duration, Record, UserTurn, durations, media_of_turns};
pub use media::media_references;
