//! What placing answers: hunks with a state and, where they stand in the text, their lines.

use std::ops::Range;

/// A stretch of whole lines of the live text, or the seam between two lines.
///
/// Lines end at LF, CRLF or a lone CR, as in LSP.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Span {
    /// Byte offsets: from the start of the first line to the start of the line after the last one
    /// (the end of the text for its last line).
    pub bytes: Range<usize>,
    /// Line numbers from 0, end exclusive. Empty for a seam: the line that follows the seam, which
    /// after the last line of a text is one more than the text has.
    pub lines: Range<u32>,
}

impl Span {
    /// Whether this is a seam: the place of a deletion, without text of its own.
    pub fn is_seam(&self) -> bool {
        self.lines.is_empty()
    }
}

/// What a hunk does to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HunkKind {
    /// Lines were added where none stood.
    Added,
    /// Lines took the place of others.
    Modified,
    /// Lines were taken away.
    Deleted,
    /// The whole file was created, overwritten without knowledge of its old text, or deleted. It
    /// has a state and counts but never a span: it belongs to the file, not to a place in it.
    WholeFile,
}

/// Where a hunk stands in the live text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// The new text stands where the evidence says, or stands once and the evidence names no line.
    InPlace,
    /// The new text stands, at another line than the evidence says.
    Moved,
    /// A part of the new text stands; somebody changed the rest. Without spans when no whole line
    /// of it is left.
    Edited,
    /// A later fragment took its place, see [`Hunk::replaced_by`]; or, when that names none, it put
    /// back what earlier fragments had changed, and together they are no change.
    Replaced,
    /// The old text stands again.
    Reverted,
    /// The new text stands at several places and nothing decides; see [`Hunk::candidates`].
    Ambiguous,
    /// Neither side stands.
    NotFound(Reason),
    /// A pure deletion, and the seam where the text was is known.
    Deleted,
}

impl State {
    /// Whether a hunk in this state is shown in the text, if it has a span.
    pub fn is_shown(self) -> bool {
        matches!(
            self,
            Self::InPlace | Self::Moved | Self::Edited | Self::Deleted
        )
    }
}

/// Why a hunk is [`State::NotFound`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Neither the new nor the old text stands in the file.
    TextGone,
    /// A deletion of which nothing says where it was.
    SeamUnknown,
    /// All that stands of it is too common to say where it was.
    TooCommon,
    /// The agent masked the text, and nothing else of it can be searched for.
    Masked,
    /// The file was deleted, yet it exists with another text.
    FileExists,
    /// The fragment carries no text.
    NoText,
}

/// One contiguous change of a fragment, without unchanged lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Index of the fragment in the input of [`place`](super::place).
    pub fragment: usize,
    /// Which hunk of that fragment, from 0. With the session, call, path and texts it makes the
    /// identity of the hunk; for a fragment that replaced all sites it counts the sites.
    pub occurrence: u32,
    /// What it does.
    pub kind: HunkKind,
    /// Where it stands.
    pub state: State,
    /// The lines where it stands, in order. One span normally; more when later fragments or the
    /// user put text in between or changed a part; a seam for a deletion; none when the state is
    /// not shown, and for [`HunkKind::WholeFile`].
    pub spans: Vec<Span>,
    /// Byte range of its removed lines in the fragment's old text.
    pub old: Range<usize>,
    /// Byte range of its added lines in the fragment's new text.
    pub new: Range<usize>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Lines between where it stands and where the evidence says that it was put, both counted at
    /// the time of the edit; `None` when the evidence names no line or the hunk was not found.
    pub displacement: Option<i64>,
    /// The later fragment (an index as [`Hunk::fragment`]) that took its place, or a part of it.
    pub replaced_by: Option<usize>,
    /// For [`State::Ambiguous`]: the places where the new text stands, at most
    /// [`MAX_CANDIDATES`] of them.
    pub candidates: Vec<Span>,
}

/// How many places of an ambiguous hunk are listed.
pub const MAX_CANDIDATES: usize = 16;

impl Hunk {
    /// The first place where the hunk is shown; the place of its lens and of jumps to it.
    pub fn shown_at(&self) -> Option<&Span> {
        if self.state.is_shown() {
            self.spans.first()
        } else {
            None
        }
    }
}

/// The answer of [`place`](super::place).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// The hunks of all fragments, by fragment and then from top to bottom.
    Placed(Vec<Hunk>),
    /// The text is beyond the limits; nothing was searched.
    TooLarge {
        /// Lines of the text.
        lines: usize,
        /// Bytes of the text.
        bytes: usize,
    },
}

impl Placement {
    /// The hunks; none when the text is too large.
    pub fn hunks(&self) -> &[Hunk] {
        match self {
            Self::Placed(hunks) => hunks,
            Self::TooLarge { .. } => &[],
        }
    }
}
