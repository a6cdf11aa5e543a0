//! The file tools of `OpenClaw`: which one a call is, and what its input asks for.
//!
//! A tool is known by the title of its call alone, and only the input is read. Output, locations
//! and prose have no say here.

mod input;

pub use input::{Edit, FileTool, FileToolMembers, ToolInput};
