//! A snapshot of one file: what every feature that shows hunks reads.

use std::sync::Arc;

use activity_core::placing::{Hunk, Span, State};

use super::document::Placed;
use super::settings::CodeLens;
use super::sources::{Owner, Part, Sources};
use super::text::Text;
use crate::lsp::position::{Encoding, Position, Range, of_span};

/// A file at one moment: its text, its hunks, and for which version they hold.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// The uri by which the client knows it.
    pub(crate) uri: Arc<str>,
    /// Version of the open document; `None` for a file on disk.
    pub(crate) version: Option<i32>,
    /// Revision of the activity.
    pub(crate) revision: u64,
    /// The text.
    pub(crate) text: Text,
    /// The hunks in it.
    pub(crate) placed: Placed,
    /// How the client counts characters.
    pub(crate) encoding: Encoding,
    /// Which lenses the person wants.
    pub(crate) code_lens: CodeLens,
}

/// A hunk of a view, with all that belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) hunk: &'a Hunk,
    pub(crate) id: &'a Arc<str>,
    pub(crate) owner: &'a Owner,
    pub(crate) part: &'a Part,
}

impl View {
    /// What the sessions say about the file.
    pub(crate) fn sources(&self) -> &Sources {
        &self.placed.facts.sources
    }

    /// Every hunk, in the order of its fragment.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = Seen<'_>> {
        let parts = &self.sources().parts;
        self.placed.hunks().filter_map(|(hunk, id, owner)| {
            let part = parts.get(owner.part)?;
            Some(Seen {
                hunk,
                id,
                owner,
                part,
            })
        })
    }

    /// The hunk at an index, in the order of fragments.
    pub(crate) fn nth(&self, index: usize) -> Option<Seen<'_>> {
        let facts = &self.placed.facts;
        let hunk = self.placed.marks.hunks().get(index)?;
        let owner = facts.owners.get(hunk.fragment)?;
        Some(Seen {
            hunk,
            id: facts.ids.get(index)?,
            owner,
            part: facts.sources.parts.get(owner.part)?,
        })
    }

    /// The hunks that are shown in the text, from top to bottom.
    pub(crate) fn shown(&self) -> Vec<(Seen<'_>, &Span)> {
        let mut shown: Vec<_> = self
            .hunks()
            .filter_map(|seen| Some((seen, seen.hunk.shown_at()?)))
            .collect();
        shown.sort_by_key(|(_, span)| span.bytes.start);
        shown
    }

    /// The shown hunks at a position: on one of their lines, or at their seam.
    pub(crate) fn shown_at(&self, position: Position) -> Vec<(Seen<'_>, &Span)> {
        let mut shown = self.shown();
        shown.retain(|(seen, _)| {
            let mut spans = seen.hunk.spans.iter();
            spans.any(|span| touches(span, position.line))
        });
        shown
    }

    /// The hunk with an id.
    pub(crate) fn hunk(&self, id: &str) -> Option<Seen<'_>> {
        self.hunks().find(|seen| &**seen.id == id)
    }

    /// The range of a span for the client.
    pub(crate) fn range(&self, span: &Span) -> Range {
        of_span(&self.text, span, self.encoding)
    }
}

fn touches(span: &Span, line: u32) -> bool {
    // A seam belongs to the line below it and to the line above it.
    if span.is_seam() {
        return span.lines.start == line || span.lines.start == line + 1;
    }
    span.lines.contains(&line)
}

impl Seen<'_> {
    /// The hunk's old lines.
    pub(crate) fn old_text(&self) -> &str {
        let fragment = &self.owner.activity.fragments[self.owner.fragment];
        fragment
            .old_text
            .get(self.hunk.old.clone())
            .unwrap_or_default()
    }

    /// The hunk's new lines.
    pub(crate) fn new_text(&self) -> &str {
        let fragment = &self.owner.activity.fragments[self.owner.fragment];
        fragment
            .new_text
            .get(self.hunk.new.clone())
            .unwrap_or_default()
    }

    /// `moved` or `edited since`, for a hunk that is shown with a word about its state.
    pub(crate) fn remark(&self) -> Option<&'static str> {
        match self.hunk.state {
            State::Moved => Some("moved"),
            State::Edited => Some("edited since"),
            _ => None,
        }
    }
}
