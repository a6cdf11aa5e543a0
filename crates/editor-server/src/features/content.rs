//! `acp-lens:` uris: the sides of diffs as documents.
//!
//! Such a uri is `acp-lens:///PATH?SIDE.TOKEN`. Its path ends with the file's name, for the editor's
//! choice of a language. The token says which session and which scope; it has no character that an
//! editor would escape, because editors do not agree on what they escape after `?`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::failure::Failure;
use crate::lsp::ext::{DiffParams, DiffScope, ErrorKind};
use crate::session::location::{decode, encode};

/// What a document shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The text before.
    Before,
    /// The text after.
    After,
    /// Both, as a unified diff.
    Diff,
}

const DIFF_EXTENSION: &str = ".diff";

/// The uri of one side of a diff.
pub(crate) fn uri(diff: &DiffParams, side: Side) -> String {
    let mut uri = "acp-lens://".to_owned();
    for segment in diff.relative_path.split('/') {
        uri.push('/');
        encode(segment, &mut uri);
    }
    let (kind, id) = match &diff.scope {
        DiffScope::ToolCall { tool_call } => ("c", tool_call.as_str()),
        DiffScope::Turn { turn } => ("t", turn.as_str()),
        DiffScope::Session => ("s", ""),
    };
    let (side, extension) = match side {
        Side::Before => ("before", ""),
        Side::After => ("after", ""),
        Side::Diff => ("diff", DIFF_EXTENSION),
    };
    let token = URL_SAFE_NO_PAD.encode([diff.session.as_str(), kind, id].join("\0"));
    uri + extension + "?" + side + "." + &token
}

/// Which diff and which side of it a uri names.
pub(crate) fn parse(uri: &str) -> Result<(DiffParams, Side), Failure> {
    parsed(uri).ok_or_else(|| {
        Failure::new(
            ErrorKind::InvalidReference,
            "this is no acp-lens: uri that the server gave out",
        )
    })
}

fn parsed(uri: &str) -> Option<(DiffParams, Side)> {
    let rest = uri.strip_prefix("acp-lens:")?;
    let (path, query) = rest.split_once('?')?;
    let path = decode(path.trim_start_matches('/'))?;
    let (side, token) = query.split_once('.')?;
    let (side, path) = match side {
        "before" => (Side::Before, path.as_str()),
        "after" => (Side::After, path.as_str()),
        "diff" => (Side::Diff, path.strip_suffix(DIFF_EXTENSION)?),
        _ => return None,
    };
    let token = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let mut members = token.splitn(3, '\0');
    let session = members.next()?.to_owned();
    let kind = members.next()?;
    let id = members.next()?.to_owned();
    let scope = match kind {
        "c" => DiffScope::ToolCall { tool_call: id },
        "t" => DiffScope::Turn { turn: id },
        "s" => DiffScope::Session,
        _ => return None,
    };
    let diff = DiffParams {
        session,
        relative_path: path.to_owned(),
        scope,
    };
    Some((diff, side))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turn(path: &str) -> DiffParams {
        DiffParams {
            session: "t1".to_owned(),
            relative_path: path.to_owned(),
            scope: DiffScope::Turn {
                turn: "assistant-turn:tool:c1".to_owned(),
            },
        }
    }

    #[test]
    fn a_uri_ends_with_the_name_of_its_file() {
        assert_eq!(
            uri(&turn("src/a b.rs"), Side::Before),
            "acp-lens:///src/a%20b.rs?before.dDEAdABhc3Npc3RhbnQtdHVybjp0b29sOmMx"
        );
        assert!(uri(&turn("a.rs"), Side::Diff).starts_with("acp-lens:///a.rs.diff?diff."));
    }

    #[test]
    fn editors_write_fewer_slashes() {
        let uri = uri(&turn("src/a.rs"), Side::After);
        for written in [uri.clone(), uri.replace(":///", ":/")] {
            assert_eq!(parse(&written), Ok((turn("src/a.rs"), Side::After)));
        }
    }

    #[test]
    fn other_uris_are_refused() {
        for uri in [
            "",
            "file:///a",
            "acp-lens:///a",
            "acp-lens:///a?x.y",
            "acp-lens:///a?before.%%%",
            "acp-lens:///a?before.AAAA",
            "acp-lens:///%F?before.dDEAcwA",
        ] {
            let kind = parse(uri).unwrap_err().kind;
            assert_eq!(kind, ErrorKind::InvalidReference, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn uris_are_read_back(path in "[a-z\u{E9}?#%. \\\\]{1,8}(/[a-z.]{1,8})?", id in ".{0,20}") {
            let id = id.replace('\0', "");
            for scope in [
                DiffScope::Session,
                DiffScope::Turn { turn: id.clone() },
                DiffScope::ToolCall { tool_call: id },
            ] {
                let diff = DiffParams { scope, ..turn(&path) };
                for side in [Side::Before, Side::After, Side::Diff] {
                    prop_assert_eq!(parse(&uri(&diff, side)), Ok((diff.clone(), side)));
                }
            }
        }
    }
}
