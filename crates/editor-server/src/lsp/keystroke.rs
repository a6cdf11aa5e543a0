//! What happens for one keystroke, without the transport around it: for the bench that measures it.

use std::sync::Arc;

use activity_core::model::Activity;
use activity_core::placing::Limits;

use super::code_lens::CodeLenses;
use super::position::{Encoding, Position, Range};
use crate::session::document::{Document, TextChange, place_file};
use crate::session::sources::{Part, Sources};
use crate::session::state::State;

/// An open document with placed hunks.
#[derive(Debug)]
pub struct Keystroke {
    state: State,
    uri: Arc<str>,
}

impl Keystroke {
    /// Opens a text that the activities changed, and places their hunks.
    pub fn new(text: &str, activities: Vec<Activity>) -> Self {
        let uri: Arc<str> = "file:///workspace/file.rs".into();
        let part = Part {
            session: "session".into(),
            session_id: "session".into(),
            agent: Some("agent".into()),
            title: None,
            relative_path: "file.rs".into(),
            rows: Vec::new(),
        };
        let sources = Sources {
            parts: vec![part],
            activities: activities
                .into_iter()
                .map(|activity| (0, Arc::new(activity)))
                .collect(),
        };
        let limits = Limits {
            max_lines: usize::MAX,
            max_bytes: usize::MAX,
        };
        let mut document = Document::new(Arc::clone(&uri), 0, text);
        document.placed = Some(place_file(&document.text, Arc::new(sources), limits));
        let mut state = State::default();
        state.documents.insert(Arc::clone(&uri), document);
        Self { state, uri }
    }

    /// Types a letter at a line, and gives the whole answer to `textDocument/codeLens`.
    pub fn strike(&mut self, line: u32) -> Option<CodeLenses> {
        let at = Position::new(line, 0);
        let change = TextChange {
            range: Some(Range::new(at, at)),
            text: "x".to_owned(),
        };
        if let Some(document) = self.state.documents.get_mut(&self.uri) {
            let version = document.version + 1;
            document.change(version, vec![change], Encoding::Utf16);
        }
        let document = self.state.documents.get(&self.uri);
        let view = document.and_then(|document| self.state.view(document));
        view.map(|view| CodeLenses::of(&view))
    }
}
