//! Shared parts of the end-to-end tests.

pub mod binary;
pub mod client;
pub mod project;
