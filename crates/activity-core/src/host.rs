//! The agent host as a pure state machine: what editors and an agent do comes in, what is to be
//! done goes out.
//!
//! One [`Machine`] stands for one agent: its process, its connection, the session that an editor
//! looks at, and the prompts that run. The time is part of every call, so each rule about deadlines
//! can be repeated. [`store`] keeps what is shown in step with what is loaded.
//!
//! Invariants:
//! - generations only grow, and what carries an older one changes nothing;
//! - loads run one after another, and a failed one leaves the session before it as it was;
//! - a permission is asked for a running prompt only, and every question gets exactly one answer;
//! - a prompt ends exactly once.

mod event;
mod live;
mod machine;
pub mod prompt;
pub mod reference;
pub mod store;
pub mod transcript;

pub use event::{
    Ask, Effect, Event, Generation, LoadRefusal, Outcome, PermissionId, Place, PromptRefusal,
    Request, StopReason,
};
pub use machine::{Deadlines, Machine};
