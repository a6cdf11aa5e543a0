//! The host of an agent, step by step with a clock that the test sets.
//!
//! A script has one step a line; what the host wants done is shown below its step.

mod connection;
mod handover;
mod loads;
mod prompts;
mod script;
mod vectors;
