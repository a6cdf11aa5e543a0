//! The timeline of a session: ordered items, merged from updates.

pub mod tool_call;
