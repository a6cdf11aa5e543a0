//! The tap: an agent run for another client, its messages seen on the way.
//!
//! The client talks to the tap as it would to the agent, and the agent to the tap as it would to
//! the client. No byte is changed, held back or made up; what passes is copied into a spill file,
//! and all else happens from there, at its own pace: editors are served, a recording is written.
//! Nothing that reads the spill can delay the agent.

mod end;
mod frames;
mod mask;
mod opening;
mod piece;
mod publish;
mod record;
mod relay;
mod route;
mod run;
mod signals;
mod spill;
mod streams;

pub(crate) use record::Secrets;
pub(crate) use run::{Options, TapError, run};

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the client to the agent.
    ToAgent,
    /// From the agent to the client.
    ToClient,
}

impl Direction {
    /// The word for it in a recorded trace.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::ToAgent => "c2a",
            Self::ToClient => "a2c",
        }
    }
}
