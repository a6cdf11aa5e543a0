//! Shared parts of the end-to-end tests.

pub mod binary;
pub mod client;
#[cfg(target_os = "linux")]
pub mod process;
pub mod project;
pub mod random;
