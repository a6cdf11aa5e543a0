//! Showing a file in the editor: what kind of preview it has, and up to which size.

pub mod kind;
