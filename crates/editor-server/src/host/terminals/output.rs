//! The end of what a command has written.

use std::collections::VecDeque;

/// The last bytes of an output, as many as its limit allows.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    /// In bytes.
    limit: usize,
    truncated: bool,
}

/// An output as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    /// Something before it is missing.
    pub(super) truncated: bool,
}

/// Whether more can follow on what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The last character can still be on its way.
    SoFar,
    /// Nothing follows.
    Whole,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            limit,
            truncated: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let surplus = (self.bytes.len() + bytes.len()).saturating_sub(self.limit);
        self.truncated |= surplus > 0;
        let before = surplus.min(self.bytes.len());
        self.bytes.drain(..before);
        self.bytes
            .extend(bytes.get(surplus - before..).unwrap_or_default());
    }

    /// What is kept, at most as many bytes as the limit and never beginning within a character.
    /// What is no UTF-8 is shown as U+FFFD.
    pub(super) fn text(&self, extent: Extent) -> Text {
        let (front, back) = self.bytes.as_slices();
        let bytes = [front, back].concat();
        let begin = if self.truncated {
            let cut_off = bytes.iter().take(3).take_while(|byte| is_inner(**byte));
            cut_off.count()
        } else {
            0
        };
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes
            .get(begin..)
            .unwrap_or_default()
            .utf8_chunks()
            .peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            let comes_later =
                extent == Extent::SoFar && chunks.peek().is_none() && is_unfinished(invalid);
            if !invalid.is_empty() && !comes_later {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        // A byte that is no UTF-8 takes three as a sign.
        let surplus = text.len().saturating_sub(self.limit);
        if surplus > 0 {
            text.drain(..text.ceil_char_boundary(surplus));
        }
        Text {
            text,
            truncated: self.truncated || surplus > 0,
        }
    }
}

/// Whether a byte of UTF-8 continues a character.
fn is_inner(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Whether the bytes are the beginning of a character.
fn is_unfinished(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|why| why.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(limit: usize, pieces: &[&[u8]], extent: Extent, expect: (&str, bool)) {
        let mut tail = Tail::new(limit);
        for piece in pieces {
            tail.push(piece);
        }
        let (text, truncated) = expect;
        let expect = Text {
            text: text.to_owned(),
            truncated,
        };
        assert_eq!(tail.text(extent), expect, "{pieces:?}");
    }

    #[test]
    fn the_end_is_kept() {
        let check = |limit, pieces: &[&[u8]], expect| check(limit, pieces, Extent::Whole, expect);
        check(4, &[], ("", false));
        check(4, &[b"abcd"], ("abcd", false));
        check(4, &[b"ab", b"cde"], ("bcde", true));
        check(4, &[b"ab", b"", b"cdefghij"], ("ghij", true));
        check(0, &[b"a"], ("", true));
    }

    #[test]
    fn a_text_begins_with_a_whole_character() {
        let check = |limit, text: &str, expect| {
            check(limit, &[text.as_bytes()], Extent::Whole, expect);
        };
        check(4, "ää", ("ää", false));
        check(3, "ää", ("ä", true));
        check(5, "a😀b", ("😀b", true));
        check(4, "a😀b", ("b", true));
    }

    #[test]
    fn a_character_can_be_on_its_way() {
        let euro = "€".as_bytes();
        check(9, &[b"a", &euro[..2]], Extent::SoFar, ("a", false));
        check(9, &[b"a", &euro[..2]], Extent::Whole, ("a\u{fffd}", false));
        check(
            9,
            &[b"a", &euro[..2], &euro[2..]],
            Extent::SoFar,
            ("a€", false),
        );
    }

    #[test]
    fn what_is_no_text_stays_within_the_limit() {
        check(9, &[b"a\xffb"], Extent::Whole, ("a\u{fffd}b", false));
        check(4, &[b"\xff\xff\xff"], Extent::Whole, ("\u{fffd}", true));
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_end_of_the_whole(
            text in "[aä€😀\n]{0,40}",
            cuts in prop::collection::vec(0_usize..100, 0..6),
            limit in 0_usize..60,
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut tail = Tail::new(limit);
            for pair in cuts.windows(2) {
                tail.push(&bytes[pair[0]..pair[1]]);
            }
            let begin = text.ceil_char_boundary(bytes.len().saturating_sub(limit));
            let expect = Text { text: text[begin..].to_owned(), truncated: bytes.len() > limit };
            prop_assert_eq!(tail.text(Extent::Whole), expect);
        }
    }
}
