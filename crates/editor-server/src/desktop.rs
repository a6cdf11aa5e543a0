//! What the desktop can do with a file: a browser for HTML, other programs, the file manager.
//!
//! Everything here takes a workspace file reference and resolves it afresh, once to answer and once
//! more just before a program is started.

pub mod browser;
pub mod handlers;
pub mod open_with;
pub mod system;

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::Value;

    /// The vectors of a fixture.
    pub(crate) fn vectors(text: &str) -> Vec<Value> {
        let vectors: Vec<Value> = serde_json::from_str(text).unwrap();
        assert!(!vectors.is_empty());
        vectors
    }
}
