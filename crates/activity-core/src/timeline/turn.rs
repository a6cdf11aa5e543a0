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

/// Longest tag that opens a wrapper, in bytes.
const LONGEST_TAG: usize = 64;

/// The first line of what a user says in a text that comes in pieces.
///
/// Clients put texts of their own before the user's words, in wrappers such as
/// `<session_context>...</session_context>`. Those are passed over where words follow; a text of
/// wrappers alone is shown by its first line. What an agent notes for itself in the user's name, as
/// some do when they replay a session, is passed over in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FirstLine {
    /// The first line of all.
    any: Line,
    /// The first line behind the wrappers.
    words: Line,
    /// What closes the wrapper that is open.
    closing: Option<String>,
    /// The end of the pieces so far, as far as it may be the start of a tag.
    partial: String,
    /// No further wrapper is looked for.
    words_began: bool,
}

impl FirstLine {
    /// Takes in the next piece of the text.
    pub(crate) fn push(&mut self, piece: &str) {
        if is_note(piece) {
            return;
        }
        self.any.push(piece);
        if self.words_began {
            self.words.push(piece);
            return;
        }
        let text = std::mem::take(&mut self.partial) + piece;
        let mut rest = text.as_str();
        loop {
            if let Some(closing) = &self.closing {
                let Some(at) = rest.find(closing) else {
                    let kept = rest.len().saturating_sub(closing.len());
                    rest[rest.ceil_char_boundary(kept)..].clone_into(&mut self.partial);
                    return;
                };
                rest = &rest[at + closing.len()..];
                self.closing = None;
            }
            rest = rest.trim_start();
            match Opening::of(rest) {
                Opening::Wrapper(name) => {
                    self.closing = Some(format!("</{name}>"));
                    rest = &rest[name.len() + 2..];
                }
                Opening::Unfinished => {
                    rest.clone_into(&mut self.partial);
                    return;
                }
                Opening::Words => {
                    self.words_began = true;
                    self.words.push(rest);
                    return;
                }
            }
        }
    }

    /// The user's words so far; empty while there are none but those in wrappers.
    pub(crate) fn words(&self) -> &str {
        self.words.as_str()
    }

    /// The first line so far, whoever wrote it.
    pub(crate) fn any(&self) -> &str {
        self.any.as_str()
    }
}

/// True for a piece that is nothing but notes, each in brackets, which an agent wrote into its
/// history in the user's name.
fn is_note(piece: &str) -> bool {
    const BEGINNINGS: [&str; 2] = ["[Function Response: ", "[Request interrupted by user"];
    let mut rest = piece.trim();
    let has_notes = rest.starts_with('[');
    while let Some((note, after)) = rest.split_once(']') {
        let is_known = BEGINNINGS
            .iter()
            .any(|beginning| note.starts_with(beginning));
        if !is_known || note.contains('\n') {
            return false;
        }
        rest = after.trim_start();
    }
    has_notes && rest.is_empty()
}

/// What a text begins with.
enum Opening<'a> {
    /// A wrapper of this name.
    Wrapper(&'a str),
    /// Perhaps a wrapper: its tag is not complete. An empty text is that too.
    Unfinished,
    /// Something else.
    Words,
}

impl<'a> Opening<'a> {
    fn of(text: &'a str) -> Self {
        if text.is_empty() {
            return Self::Unfinished;
        }
        let Some(tag) = text.strip_prefix('<') else {
            return Self::Words;
        };
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = tag.bytes().take(LONGEST_TAG).take_while(in_name).count();
        let name = &tag[..length];
        match tag.as_bytes().get(length) {
            None if length < LONGEST_TAG => Self::Unfinished,
            // A name of one word is an element of a page that the user writes about.
            Some(b'>') if name.contains(['-', '_']) => Self::Wrapper(name),
            _ => Self::Words,
        }
    }
}

/// The first line of a text that comes in pieces, without the blank lines before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Line {
    text: String,
    ended: bool,
}

impl Line {
    fn push(&mut self, piece: &str) {
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

    fn as_str(&self) -> &str {
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
        let shown = if line.words().is_empty() {
            line.any()
        } else {
            line.words()
        };
        assert_eq!(shown, expect, "{pieces:?}");
    }

    #[test]
    fn wrappers_of_the_client_are_passed_over_where_words_follow() {
        let wrapped = "<command-name>/model</command-name>\n<command-args>\n</command-args>\n";
        check(&[wrapped, "fix it\nplease"], "fix it");
        check(&[wrapped], "<command-name>/model</command-name>");
        check(&["<session_context>a\nb</session_context>fix it"], "fix it");
        for cut in 0..wrapped.len() {
            let (before, after) = wrapped.split_at(cut);
            check(&[before, after, "fix", " it"], "fix it");
        }
        check(
            &["<div>is wrong</div> fix it"],
            "<div>is wrong</div> fix it",
        );
        check(&["<a-b", " c>"], "<a-b c>");
        check(&["<never-closed> fix"], "<never-closed> fix");
        check(&["<"], "<");
    }

    #[test]
    fn notes_of_the_agent_are_no_words_of_the_user() {
        let answer = "[Function Response: write_file]";
        check(&[answer, answer], "");
        check(&[&format!("{answer}{answer}")], "");
        check(&["fix it", answer], "fix it");
        check(&[answer, "fix it", answer], "fix it");
        check(&["[Request interrupted by user for tool use]"], "");
        check(
            &["[Request interrupted by user] go on"],
            "[Request interrupted by user] go on",
        );
        check(
            &["[Function Response: a] [b]"],
            "[Function Response: a] [b]",
        );
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
