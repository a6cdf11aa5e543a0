//! The host of an agent, step by step with a clock that the test sets.
//!
//! A script has one step a line; what the host wants done is shown below its step. The rules stand
//! in the reference for OpenClaw's desktop client; these of them do not concern this host:
//!
//! - session names of the form `agent:...`: sessions have the ids that their agents give them;
//! - the number of a failed load is not given out again: here generations only grow;
//! - a refused change of workspace does not cancel the questions of the prompt that runs: a load
//!   that fails leaves everything as it was;
//! - the adapter's own work (replay from its ledger or transcript, titles of tool calls, approvals,
//!   stop reasons of the gateway): that is the agent's side of the wire;
//! - snapshots of sessions that are not on screen, and asking once a second after a restart of the
//!   window: here the server itself holds every session, so there is nothing to bring back.

mod connection;
mod loads;
mod prompts;
mod script;
