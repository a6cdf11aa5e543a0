//! Several fragments as one diff: for display, and as a net change.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use memchr::memmem;

use crate::model::{Action, TextPair};

/// A fragment as composing sees it.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The action of its activity.
    pub action: Action,
    /// The text before.
    pub old_text: &'a Arc<str>,
    /// The text after.
    pub new_text: &'a Arc<str>,
}

impl Piece<'_> {
    /// True when the new text is the whole file.
    fn is_whole_file(&self) -> bool {
        self.action == Action::Created && self.old_text.is_empty()
    }
}

/// The display diff of the fragments of one path in one turn; `None` without any.
///
/// A fragment that continues an earlier one (its old text is that one's new text, or stands once
/// in a file that was written whole) becomes part of it. What stays apart is joined with a blank
/// line. Line endings are compared as they are.
pub fn display_diff<'a>(pieces: impl IntoIterator<Item = Piece<'a>>) -> Option<TextPair> {
    let mut pieces = pieces.into_iter();
    let first = pieces.next()?;
    let Some(second) = pieces.next() else {
        return Some(pair(first.old_text, first.new_text));
    };
    let mut segments = Segments::default();
    let mut seen = HashSet::default();
    for piece in [first, second].into_iter().chain(pieces) {
        if seen.insert((piece.old_text, piece.new_text)) {
            segments.take(piece);
        }
    }
    segments.join()
}

/// What is left when each fragment is applied to the result of the one before; `None` when that
/// cannot be told, because a fragment does not surely continue what came before.
///
/// Each item is one activity: its fragments, or `None` for one without text. A deletion needs no
/// text.
pub fn net_change<'a, I>(activities: I) -> Option<TextPair>
where
    I: IntoIterator<Item = (Action, Vec<Piece<'a>>)>,
{
    let mut net = Net::Nothing;
    for (action, pieces) in activities {
        if pieces.is_empty() && action != Action::Deleted {
            return None;
        }
        let with_text = !pieces.is_empty();
        for piece in pieces {
            net = net.then(piece)?;
        }
        if action == Action::Deleted {
            net = net.deleted(with_text)?;
        }
    }
    match net {
        Net::Nothing => None,
        Net::Part(texts) | Net::Whole(texts) => Some(texts),
    }
}

/// Segments in the order of display. A segment keeps its place in the order by its number; the
/// whole file moves to the end when it is touched.
#[derive(Default)]
struct Segments {
    next_number: u64,
    parts: HashMap<u64, TextPair>,
    /// The numbers of the parts by their new text.
    by_new_text: HashMap<Arc<str>, BTreeSet<u64>>,
    whole: Option<(u64, TextPair)>,
}

impl Segments {
    fn take(&mut self, piece: Piece<'_>) {
        if piece.is_whole_file() {
            let old_text = match &self.whole {
                Some((_, whole)) => Arc::clone(&whole.old_text),
                None => Arc::clone(piece.old_text),
            };
            let number = self.number();
            self.whole = Some((
                number,
                TextPair {
                    old_text,
                    new_text: Arc::clone(piece.new_text),
                },
            ));
            return;
        }
        if let Some((_, whole)) = &self.whole
            && let Some(new_text) = replay(&whole.new_text, piece)
        {
            let old_text = Arc::clone(&whole.old_text);
            let number = self.number();
            self.whole = Some((number, TextPair { old_text, new_text }));
            return;
        }
        let continued = self
            .by_new_text
            .get_mut(piece.old_text)
            .and_then(BTreeSet::pop_last);
        let number = continued.unwrap_or_else(|| self.number());
        self.parts
            .entry(number)
            .or_insert_with(|| pair(piece.old_text, piece.new_text))
            .new_text = Arc::clone(piece.new_text);
        self.by_new_text
            .entry(Arc::clone(piece.new_text))
            .or_default()
            .insert(number);
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    fn join(self) -> Option<TextPair> {
        let mut segments: Vec<(u64, TextPair)> = self.parts.into_iter().chain(self.whole).collect();
        segments.sort_unstable_by_key(|(number, _)| *number);
        match segments.as_slice() {
            [] => None,
            [(_, only)] => Some(only.clone()),
            _ => {
                let side = |text: fn(&TextPair) -> &str| -> Arc<str> {
                    let texts: Vec<&str> = segments.iter().map(|(_, pair)| text(pair)).collect();
                    texts.join("\n\n").into()
                };
                Some(TextPair {
                    old_text: side(|pair| &pair.old_text),
                    new_text: side(|pair| &pair.new_text),
                })
            }
        }
    }
}

/// A whole file after a fragment: all of it is replaced, or the one place where the old text
/// stands.
fn replay(file: &Arc<str>, piece: Piece<'_>) -> Option<Arc<str>> {
    if file == piece.old_text {
        return Some(Arc::clone(piece.new_text));
    }
    let at = only_occurrence(file, piece.old_text)?;
    let (head, tail) = (&file[..at], &file[at + piece.old_text.len()..]);
    Some([head, piece.new_text, tail].concat().into())
}

/// Where `needle` stands in `text`, if it stands there once. Occurrences may overlap; an empty
/// needle stands nowhere.
fn only_occurrence(text: &str, needle: &str) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let finder = memmem::Finder::new(needle);
    let at = finder.find(text)?;
    finder.find(&text[at + 1..]).is_none().then_some(at)
}

enum Net {
    Nothing,
    /// A passage of the file.
    Part(TextPair),
    /// The new text is the whole file.
    Whole(TextPair),
}

impl Net {
    fn then(self, piece: Piece<'_>) -> Option<Self> {
        let new_text = || Arc::clone(piece.new_text);
        match self {
            Self::Nothing if piece.is_whole_file() => {
                Some(Self::Whole(pair(piece.old_text, piece.new_text)))
            }
            Self::Nothing => Some(Self::Part(pair(piece.old_text, piece.new_text))),
            Self::Whole(texts) if piece.is_whole_file() => Some(Self::Whole(TextPair {
                new_text: new_text(),
                ..texts
            })),
            Self::Whole(texts) => {
                let new_text = replay(&texts.new_text, piece)?;
                Some(Self::Whole(TextPair { new_text, ..texts }))
            }
            // An empty text stands everywhere, so nothing says that this is the same place.
            Self::Part(texts)
                if texts.new_text == *piece.old_text && !piece.old_text.is_empty() =>
            {
                Some(Self::Part(TextPair {
                    new_text: new_text(),
                    ..texts
                }))
            }
            Self::Part(_) => None,
        }
    }

    /// After a deletion, `with_text` when the deletion itself carried the old text.
    fn deleted(self, with_text: bool) -> Option<Self> {
        match self {
            Self::Whole(texts) => Some(Self::Whole(TextPair {
                new_text: "".into(),
                ..texts
            })),
            Self::Part(texts) if with_text && texts.new_text.is_empty() => Some(Self::Whole(texts)),
            Self::Nothing | Self::Part(_) => None,
        }
    }
}

fn pair(old_text: &Arc<str>, new_text: &Arc<str>) -> TextPair {
    TextPair {
        old_text: Arc::clone(old_text),
        new_text: Arc::clone(new_text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Texts = Vec<(Arc<str>, Arc<str>)>;

    /// Activities, each with its pieces as old and new text.
    fn check_net(activities: &[(Action, &[(&str, &str)])], expect: Option<(&str, &str)>) {
        let texts: Vec<(Action, Texts)> = activities
            .iter()
            .map(|(action, pieces)| {
                let texts = pieces
                    .iter()
                    .map(|(old, new)| ((*old).into(), (*new).into()));
                (*action, texts.collect())
            })
            .collect();
        let net = net_change(texts.iter().map(|(action, pieces)| {
            let pieces = pieces.iter().map(|(old_text, new_text)| Piece {
                action: *action,
                old_text,
                new_text,
            });
            (*action, pieces.collect())
        }));
        let net = net.as_ref().map(|net| (&*net.old_text, &*net.new_text));
        assert_eq!(net, expect, "{activities:?}");
    }

    #[test]
    fn a_net_needs_fragments_that_continue_each_other() {
        use Action::{Created, Deleted, Modified};
        check_net(
            &[(Modified, &[("A", "B")]), (Modified, &[("B", "C")])],
            Some(("A", "C")),
        );
        check_net(
            &[(Modified, &[("A", "B")]), (Modified, &[("B", "A")])],
            Some(("A", "A")),
        );
        check_net(&[(Modified, &[("A", "B"), ("X", "Y")])], None);
        check_net(&[(Modified, &[("A", "")]), (Modified, &[("", "B")])], None);
        check_net(
            &[(Created, &[("", "one two")]), (Modified, &[("two", "2")])],
            Some(("", "one 2")),
        );
        check_net(
            &[(Created, &[("", "x x")]), (Modified, &[("x", "y")])],
            None,
        );
        check_net(
            &[(Created, &[("", "v1")]), (Created, &[("", "v2")])],
            Some(("", "v2")),
        );
        check_net(&[(Modified, &[("A", "B")]), (Created, &[("", "v2")])], None);
        check_net(&[(Created, &[("", "v1")]), (Deleted, &[])], Some(("", "")));
        check_net(&[(Deleted, &[])], None);
        check_net(&[(Deleted, &[("all", "")])], Some(("all", "")));
        check_net(&[(Modified, &[("A", "")]), (Deleted, &[])], None);
        check_net(&[(Modified, &[])], None);
        check_net(&[], None);
    }
}
