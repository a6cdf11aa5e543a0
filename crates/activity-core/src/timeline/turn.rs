//! Turns: the runs of assistant items between user messages.

use std::ops::Range;
use std::sync::Arc;

/// Longest line of the user that is kept, in bytes.
const LONGEST_LINE: usize = 400;

/// A turn, as the timeline keeps it.
#[derive(Debug, Clone)]
pub(crate) struct TurnState {
    /// `assistant-turn:` and the id of the first item.
    pub(crate) id: Arc<str>,
    /// The position of the first item; its items end where the next message of the user begins.
    pub(crate) first_position: usize,
    /// The positions of the user messages right before it.
    pub(crate) user_group: Range<usize>,
    /// The first call that belongs to it; its calls end where those of the next turn begin.
    pub(crate) first_call: usize,
    /// Why its prompt ended.
    pub(crate) stop_reason: Option<Arc<str>>,
}

/// The first line of a text that comes in pieces, without the blank lines before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FirstLine {
    text: String,
    ended: bool,
}

impl FirstLine {
    /// Takes in the next piece of the text.
    pub(crate) fn push(&mut self, piece: &str) {
        if self.ended {
            return;
        }
        let piece = if self.text.is_empty() {
            piece.trim_start()
        } else {
            piece
        };
        let (line, ended) = match piece.split_once(['\n', '\r']) {
            Some((line, _)) => (line, true),
            None => (piece, false),
        };
        let room = LONGEST_LINE - self.text.len();
        let cut = line.floor_char_boundary(room);
        self.text.push_str(&line[..cut]);
        self.ended = ended || cut < line.len();
        if self.ended {
            self.text.truncate(self.text.trim_end().len());
        }
    }

    /// The line so far.
    pub(crate) fn as_str(&self) -> &str {
        self.text.trim_end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expect: &str) {
        let mut line = FirstLine::default();
        for piece in pieces {
            line.push(piece);
        }
        assert_eq!(line.as_str(), expect, "{pieces:?}");
    }

    #[test]
    fn the_first_line_comes_in_pieces() {
        check(&[], "");
        check(&["fix it"], "fix it");
        check(&["\n\n  fix", " it \nand more", "!"], "fix it");
        check(&["fix it\r\nnow"], "fix it");
        let long = "é".repeat(LONGEST_LINE);
        check(&[&long, "x"], &"é".repeat(LONGEST_LINE / 2));
    }
}
