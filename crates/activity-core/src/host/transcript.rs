//! What an agent's own transcript adds to a session: attachments and durations, never more.
//!
//! The transcript is a file that a person named. Its turns are found again in the session by the
//! user's words, counted from the end, since a transcript may reach back further than the session
//! that is shown. What cannot be told apart is left out.

mod align;
mod media;
mod record;

pub use align::{Duration, UserTurn, durations, media_of_turns, told_durations};
pub use media::media_references;
pub use record::{Record, Speaker};

/// When a transcript is read after a prompt has ended well, in milliseconds after its end: at once,
/// and once more, since an agent may write the last records a moment later.
pub const READS_AFTER_PROMPT_MS: [u64; 2] = [0, 1500];
