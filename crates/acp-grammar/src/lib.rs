//! Text and JSON of coding agents, decoded into typed values.
//!
//! This crate reads what comes from the wire: the `apply_patch` language, the shell forms that
//! carry it, tool inputs, the messages of the Agent Client Protocol (ACP), and the lines of a
//! recorded trace. It never opens a file, never asks a clock, never logs, and never fails for a
//! reason that lies outside its input.
//!
//! Invariants:
//! - no input makes it panic, and none takes more than linear time;
//! - what it does not know it keeps as unknown, it is no error;
//! - results borrow from the input where they can.
#![warn(clippy::disallowed_methods)]

pub mod apply;
pub mod error;
pub mod js;
pub mod patch;
pub mod shell;
pub mod span;
pub mod tool;
pub mod unified;
pub mod wire;

mod work;
