//! The lines of a text that a read shows, cut to what a model can take.

use std::ops::ControlFlow;

/// Most lines of a window, and how many there are without a limit.
pub const MAX_LINES: u64 = 2000;

/// A longer line is cut, in UTF-16 units.
pub const MAX_LINE_UNITS: usize = 2000;

/// Most bytes of a window: the UTF-8 of its lines, and one more for each line after the first.
pub const MAX_WINDOW_BYTES: usize = 51_200;

const CUT_MARK: &str = "... (line truncated to 2000 chars)";

/// One shown line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WindowLine {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its text without its ending, cut and marked if it is too long.
    pub text: String,
}

/// A piece of a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Window {
    /// The line that was asked for first, from 1.
    pub offset: u64,
    /// The lines that are shown.
    pub lines: Vec<WindowLine>,
    /// How many lines were seen; all lines of the file unless the bytes ran out.
    pub total_lines: u64,
    /// Whether the lines end where they do because of [`MAX_WINDOW_BYTES`].
    pub truncated_by_bytes: bool,
}

impl Window {
    /// The sentence that says what is shown and how to go on.
    pub fn footer(&self) -> String {
        let first = self.offset;
        let last = self
            .lines
            .last()
            .map_or(first.saturating_sub(1), |line| line.number);
        let (next, total) = (last + 1, self.total_lines);
        if self.truncated_by_bytes {
            format!("(Output capped. Showing lines {first}-{last}. Use offset={next} to continue.)")
        } else if last < total {
            format!("(Showing lines {first}-{last} of {total}. Use offset={next} to continue.)")
        } else {
            format!("(End of file - total {total} lines)")
        }
    }
}

/// Builds a window from the pieces of a text, in memory that does not depend on the text.
#[derive(Debug)]
pub(crate) struct WindowBuilder {
    limit: u64,
    window: Window,
    /// UTF-8 bytes used by the shown lines.
    bytes: usize,
    line: Line,
    /// Whether the current line has begun.
    is_open: bool,
}

impl WindowBuilder {
    /// A window of `limit` lines from the line `offset` on, counted from 1.
    pub(crate) fn new(offset: u64, limit: u64) -> Self {
        Self {
            limit,
            window: Window {
                offset,
                ..Window::default()
            },
            bytes: 0,
            line: Line::default(),
            is_open: false,
        }
    }

    /// Takes the next piece of the text, and says whether more is needed.
    pub(crate) fn push(&mut self, mut piece: &str) -> ControlFlow<()> {
        while !piece.is_empty() {
            if self.is_before_window() {
                piece = self.skip(piece);
            } else if self.is_behind_window() {
                self.count(piece);
                break;
            } else {
                let end = memchr::memchr(b'\n', piece.as_bytes());
                let (text, rest) = piece.split_at(end.unwrap_or(piece.len()));
                self.line.push(text);
                self.is_open = true;
                piece = match rest.strip_prefix('\n') {
                    Some(rest) => {
                        self.end_line()?;
                        rest
                    }
                    None => rest,
                };
            }
        }
        ControlFlow::Continue(())
    }

    /// The window, after the last piece.
    pub(crate) fn finish(mut self) -> Window {
        if self.is_open && !self.window.truncated_by_bytes {
            if self.is_before_window() || self.is_behind_window() {
                self.window.total_lines += 1;
            } else {
                let _ = self.end_line();
            }
        }
        self.window
    }

    fn is_before_window(&self) -> bool {
        self.window.total_lines + 1 < self.window.offset
    }

    fn is_behind_window(&self) -> bool {
        self.window.total_lines + 1 >= self.window.offset.saturating_add(self.limit)
    }

    /// Passes lines before the window; gives what follows them.
    fn skip<'p>(&mut self, piece: &'p str) -> &'p str {
        let wanted = self.window.offset - 1 - self.window.total_lines;
        let newlines = count_newlines(piece);
        if newlines < wanted {
            self.note(piece, newlines);
            return "";
        }
        let nth = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
        let end = memchr::memchr_iter(b'\n', piece.as_bytes()).nth(nth);
        let (_, rest) = piece.split_at(end.map_or(piece.len(), |end| end + 1));
        self.window.total_lines += wanted;
        self.is_open = false;
        rest
    }

    /// Counts lines behind the window.
    fn count(&mut self, piece: &str) {
        self.note(piece, count_newlines(piece));
    }

    fn note(&mut self, piece: &str, newlines: u64) {
        self.window.total_lines += newlines;
        self.is_open = !piece.ends_with('\n');
    }

    fn end_line(&mut self) -> ControlFlow<()> {
        self.is_open = false;
        self.window.total_lines += 1;
        let text = std::mem::take(&mut self.line).finish();
        let separator = usize::from(!self.window.lines.is_empty());
        let bytes = self.bytes + text.len() + separator;
        if bytes > MAX_WINDOW_BYTES {
            self.window.truncated_by_bytes = true;
            return ControlFlow::Break(());
        }
        self.bytes = bytes;
        self.window.lines.push(WindowLine {
            number: self.window.total_lines,
            text,
        });
        ControlFlow::Continue(())
    }
}

fn count_newlines(piece: &str) -> u64 {
    let newlines = memchr::memchr_iter(b'\n', piece.as_bytes()).count();
    u64::try_from(newlines).unwrap_or(u64::MAX)
}

/// The beginning of a line, as much as can be shown.
#[derive(Debug, Default)]
struct Line {
    text: String,
    /// UTF-16 units of `text`.
    units: usize,
    /// A final CR, which is shown only if something follows it in the line.
    has_return: bool,
    is_cut: bool,
}

impl Line {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if self.is_cut {
                return;
            }
            if std::mem::take(&mut self.has_return) {
                self.push_char('\r');
            }
            if c == '\r' {
                self.has_return = true;
            } else {
                self.push_char(c);
            }
        }
    }

    fn push_char(&mut self, c: char) {
        match MAX_LINE_UNITS - self.units {
            0 => self.is_cut = true,
            // Half of the character would fit; what stands for an incomplete one takes its place.
            1 if c.len_utf16() == 2 => {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.units += 1;
                self.is_cut = true;
            }
            _ => {
                self.text.push(c);
                self.units += c.len_utf16();
            }
        }
    }

    fn finish(mut self) -> String {
        if self.is_cut {
            self.text.push_str(CUT_MARK);
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn window(text: &str, offset: u64, limit: u64) -> Window {
        let mut builder = WindowBuilder::new(offset, limit);
        let _ = builder.push(text);
        builder.finish()
    }

    fn shown(window: &Window) -> String {
        let lines = window.lines.iter();
        let lines: Vec<String> = lines
            .map(|line| format!("{}:{}", line.number, line.text))
            .collect();
        format!("{} {}", lines.join(" "), window.footer())
    }

    fn check(text: &str, offset: u64, limit: u64, expect: &str) {
        assert_eq!(shown(&window(text, offset, limit)), expect, "{text:?}");
    }

    #[test]
    fn windows_of_short_texts() {
        check("", 1, 9, " (End of file - total 0 lines)");
        check("a", 1, 9, "1:a (End of file - total 1 lines)");
        check("a\n", 1, 9, "1:a (End of file - total 1 lines)");
        check("a\n\n", 1, 9, "1:a 2: (End of file - total 2 lines)");
        check(
            "a\r\nb\rc\r",
            1,
            9,
            "1:a 2:b\rc (End of file - total 2 lines)",
        );
        check(
            "a\nb\nc",
            2,
            1,
            "2:b (Showing lines 2-2 of 3. Use offset=3 to continue.)",
        );
        check("a\nb\nc", 3, 1, "3:c (End of file - total 3 lines)");
        check("a\nb\nc\n", 3, 1, "3:c (End of file - total 3 lines)");
    }

    #[test]
    fn a_line_is_cut_behind_two_thousand_units() {
        let cut = |line: &str| window(line, 1, 9).lines[0].text.clone();
        let fits = "x".repeat(MAX_LINE_UNITS);
        assert_eq!(cut(&fits), fits);
        assert_eq!(cut(&format!("{fits}\r\n")), fits);
        assert_eq!(cut(&format!("{fits}y")), format!("{fits}{CUT_MARK}"));
        assert_eq!(cut(&format!("{fits}\ry")), format!("{fits}{CUT_MARK}"));
        let shorter = "x".repeat(MAX_LINE_UNITS - 1);
        assert_eq!(
            cut(&format!("{shorter}\u{1F600}")),
            format!("{shorter}\u{FFFD}{CUT_MARK}")
        );
    }

    #[test]
    fn the_line_that_would_exceed_the_bytes_is_not_shown() {
        let line = "x".repeat(1023);
        let text = format!("{line}\n").repeat(100);
        let window = window(&text, 1, MAX_LINES);
        assert_eq!(window.lines.len(), 50);
        assert_eq!(window.total_lines, 51);
        let footer = "(Output capped. Showing lines 1-50. Use offset=51 to continue.)";
        assert_eq!(window.footer(), footer);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            text in "[ab\r\n\u{1F600}]{0,40}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
            offset in 1_u64..6, limit in 1_u64..6,
        ) {
            let whole = window(&text, offset, limit);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.retain(|cut| text.is_char_boundary(*cut));
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut builder = WindowBuilder::new(offset, limit);
            for pair in cuts.windows(2) {
                let _ = builder.push(&text[pair[0]..pair[1]]);
            }
            prop_assert_eq!(builder.finish(), whole);
        }

        #[test]
        fn a_window_shows_what_splitting_gives(
            text in "[ab\n]{0,40}", offset in 1_u64..6, limit in 1_u64..6,
        ) {
            let lines: Vec<&str> = text.split_terminator('\n').collect();
            let window = window(&text, offset, limit);
            prop_assert_eq!(window.total_lines, lines.len() as u64);
            let skip = usize::try_from(offset).unwrap() - 1;
            let take = usize::try_from(limit).unwrap();
            let expect: Vec<&str> = lines.into_iter().skip(skip).take(take).collect();
            let shown: Vec<&str> = window.lines.iter().map(|line| line.text.as_str()).collect();
            prop_assert_eq!(shown, expect);
        }
    }
}
