//! The only code of the project that opens a workspace file.
//!
//! A workspace root is opened once as a capability; every path is resolved beneath it, on every
//! request, and what is checked is the handle that is used. The crate knows no editor, no session
//! and no protocol.
