//! The dialects of `apply_patch`, as data.

use std::fmt;
use std::str::FromStr;

/// Whose reading of `apply_patch` is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// The projection of the ClawX desktop client: what counts as file activity.
    #[default]
    Clawx,
    /// OpenClaw's tool, for execution.
    Openclaw,
    /// Codex's tool, for execution.
    Codex,
}

impl Dialect {
    /// All dialects, in the order in which they are listed for people.
    pub const ALL: [Self; 3] = [Self::Clawx, Self::Openclaw, Self::Codex];

    /// The name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clawx => "clawx",
            Self::Openclaw => "openclaw",
            Self::Codex => "codex",
        }
    }

    pub(super) fn rules(self) -> &'static Rules {
        match self {
            Self::Clawx => &CLAWX,
            Self::Openclaw => &OPENCLAW,
            Self::Codex => &CODEX,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no apply_patch dialect; expected `clawx`, `openclaw` or `codex`")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// Where the dialects of the grammar differ.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each member answers one yes-or-no question about a dialect"
)]
pub(super) struct Rules {
    /// Least number of lines of a payload for its `<<EOF` wrapper to be looked at.
    pub(super) wrapper_min_lines: usize,
    /// A patch without any section parses.
    pub(super) allows_no_section: bool,
    /// `*** Environment ID:` may stand directly behind the first line.
    pub(super) environment_id: bool,
    /// `*** End Patch` ends the patch wherever a header could stand, not only on the last line.
    pub(super) ends_at_first_end: bool,
    /// Blank lines may stand between sections.
    pub(super) blank_between_sections: bool,
    /// How a marker line inside an update is compared.
    pub(super) update_markers: Padding,
    /// How the line of `*** Move to:` is compared.
    pub(super) move_marker: Padding,
    /// `*** Move to:` may come at any time before the first chunk, not only on the next line.
    pub(super) late_move: bool,
    /// What ends the chunks of an update.
    pub(super) update_ends: UpdateEnd,
    /// A blank line between two chunks is skipped; otherwise it is skipped only behind
    /// `*** End of File`.
    pub(super) blank_between_chunks: bool,
    /// `*** End of File` before the first chunk is skipped.
    pub(super) early_end_of_file: bool,
    /// Several `@@` lines may follow one another; the last one counts.
    pub(super) stacked_heads: bool,
    /// An update with `*** Move to:` needs no chunk.
    pub(super) pure_move: bool,
    /// Stars behind a marker or a path are decoration.
    pub(super) starred: bool,
}

/// Which blanks around a marker do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Padding {
    /// None: the line is compared as it is.
    Exact,
    /// Those at its end.
    End,
    /// Those at both ends.
    Both,
}

/// What ends the chunks of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpdateEnd {
    /// Any line that begins with three stars.
    Stars,
    /// The header of a section, or the end marker.
    Header,
}

const CLAWX: Rules = Rules {
    wrapper_min_lines: 0,
    allows_no_section: false,
    environment_id: false,
    ends_at_first_end: false,
    blank_between_sections: false,
    update_markers: Padding::Exact,
    move_marker: Padding::Both,
    late_move: false,
    update_ends: UpdateEnd::Stars,
    blank_between_chunks: true,
    early_end_of_file: false,
    stacked_heads: false,
    pure_move: false,
    starred: false,
};

const OPENCLAW: Rules = Rules {
    wrapper_min_lines: 4,
    allows_no_section: true,
    ..CLAWX
};

/// Codex's streaming parser, which its tool uses for whole patches too.
const CODEX: Rules = Rules {
    wrapper_min_lines: 4,
    allows_no_section: true,
    environment_id: true,
    ends_at_first_end: true,
    update_markers: Padding::End,
    move_marker: Padding::End,
    late_move: true,
    update_ends: UpdateEnd::Header,
    blank_between_chunks: false,
    early_end_of_file: true,
    ..CLAWX
};

/// What a person would still read as a patch. For showing, never for applying.
pub(super) const LENIENT: Rules = Rules {
    wrapper_min_lines: 0,
    allows_no_section: true,
    environment_id: true,
    ends_at_first_end: true,
    blank_between_sections: true,
    update_markers: Padding::End,
    move_marker: Padding::Both,
    late_move: true,
    update_ends: UpdateEnd::Header,
    blank_between_chunks: true,
    early_end_of_file: true,
    stacked_heads: true,
    pure_move: true,
    starred: true,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        assert!(
            "Codex"
                .parse::<Dialect>()
                .is_err_and(|error| error.to_string().starts_with("`Codex` is no"))
        );
    }
}
