//! The answer to `textDocument/codeLens`.
//!
//! It is asked for after every keystroke and names each hunk four times, so it is written straight
//! from the snapshot: the types of `lsp_types` would make ten strings and maps a lens, which costs
//! several times what the keystroke does.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use tower_lsp::lsp_types::{Position, Range};

use super::convert::command;
use crate::features::lenses::{self, Does, Lens};
use crate::session::view::View;

/// The lenses of one version of one document, as they are written.
#[derive(Debug)]
pub struct CodeLenses {
    uri: Arc<str>,
    version: Option<i32>,
    lenses: Vec<Lens>,
}

impl CodeLenses {
    pub(super) fn of(view: &View) -> Self {
        Self {
            uri: Arc::clone(&view.uri),
            version: view.version,
            lenses: lenses::of(view),
        }
    }

    /// Number of lenses.
    pub fn len(&self) -> usize {
        self.lenses.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lenses.is_empty()
    }
}

impl Serialize for CodeLenses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.lenses.iter().map(|lens| CodeLens::of(self, lens)))
    }
}

/// LSP's `CodeLens`, resolved.
#[derive(Serialize)]
struct CodeLens<'a> {
    range: Range,
    command: Command<'a>,
}

/// LSP's `Command`.
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "LSP names it so")]
struct Command<'a> {
    title: &'a str,
    command: &'static str,
    arguments: [Argument<'a>; 1],
}

/// Which hunk of which version of which document a command is about.
#[derive(Serialize)]
struct Argument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<&'a str>,
    uri: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hunk: Option<&'a str>,
    version: Option<i32>,
}

impl<'a> CodeLens<'a> {
    fn of(answer: &'a CodeLenses, lens: &'a Lens) -> Self {
        let at = Position::new(lens.line, 0);
        let hunk = lens.hunk.as_ref();
        // What changed is shown for the turn; the others need to know no more than the hunk.
        let owner = hunk.filter(|_| lens.does == Does::ShowChanges);
        Self {
            range: Range::new(at, at),
            command: Command {
                title: &lens.title,
                command: command(lens.does),
                arguments: [Argument {
                    session: owner.map(|owner| &*owner.session),
                    turn: owner.map(|owner| &*owner.turn),
                    uri: &answer.uri,
                    hunk: hunk.map(|hunk| &*hunk.id),
                    version: answer.version,
                }],
            },
        }
    }
}
