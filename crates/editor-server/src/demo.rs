//! The demo: a small project, and the script by which an agent without a model works in it.
//!
//! The agent itself speaks ACP and stands in `crate::acp::demo_agent`; here is what it does.

pub(crate) mod editor;
pub(crate) mod files;
pub(crate) mod run;
pub(crate) mod script;
