//! The Agent Client Protocol at the server's edge: the only place that names the official crate.

pub(crate) mod demo_agent;
pub(crate) mod lines;
pub(crate) mod link;
pub(crate) mod process;
