//! Diff blocks of a tool call's content.

use acp_grammar::unified;

use super::facts::{Facts, Operation, Pair};
use super::patch_text::pairs_of_hunks;
use super::tool::Tool;
use crate::model::Evidence;
use crate::timeline::tool_call::DiffBlock;

/// What the diff blocks of a message say, block by block.
pub(super) fn facts_of_blocks<'a>(
    blocks: &'a [DiffBlock],
    tool: &Tool,
    evidence: Evidence,
) -> Vec<Facts<'a>> {
    // A tool that changes several files at once does not merely insert into one.
    let several = blocks.windows(2).any(|pair| pair[0].path != pair[1].path);
    let may_insert = tool.edits_parts && !several;
    let facts = blocks
        .iter()
        .filter(|block| block.file_type.as_deref() != Some("directory"))
        .map(|block| facts_of_block(block, tool, may_insert, evidence));
    facts.collect()
}

fn facts_of_block<'a>(
    block: &'a DiffBlock,
    tool: &Tool,
    may_insert: bool,
    evidence: Evidence,
) -> Facts<'a> {
    let mut facts = Facts::new(Some(block.path.as_ref().into()), evidence);
    facts.from = block.old_path.as_deref().map(Into::into);
    facts.operation = block.operation.as_deref().and_then(Operation::from_word);
    if block.deleted {
        facts.operation = Some(Operation::Delete);
    }
    let old = block.old_text.as_deref();
    let new = block.new_text.as_deref();
    if old.is_some_and(says_deleted) {
        facts.operation = Some(Operation::Delete);
        return facts;
    }
    if let Some(patch) = &block.patch {
        read_git_patch(&mut facts, patch);
    } else if let Some(new) = new.or(old.map(|_| "")) {
        let old = old.unwrap_or_default();
        if stands_for_text(old) || stands_for_text(new) {
            // That it changed is all that the block says.
            facts.operation.get_or_insert(Operation::Update);
            return facts;
        }
        facts.unchanged = old == new && facts.from.is_none() && facts.operation.is_none();
        // An empty old text is also an insertion. That the old text is missing means a new file to
        // ACP, but a tool that edits parts of files leaves it out for insertions too.
        let means_new = block.old_text.is_none() && !may_insert;
        facts.whole_new_file = old.is_empty() && (tool.writes_whole_files || means_new);
        if old != new {
            facts.pairs = vec![Pair::new(old, new)];
        }
        match facts.operation {
            Some(Operation::Add) => facts.whole_new = Some(new.into()),
            Some(Operation::Delete) if !old.is_empty() => facts.whole_old = Some(old.into()),
            _ => {}
        }
    }
    facts
}

/// The git patch of a diff in ACP's second version.
fn read_git_patch(facts: &mut Facts<'_>, patch: &str) {
    let files = unified::read(patch)
        .ok()
        .or_else(|| unified::read_leniently(patch));
    for file in files.unwrap_or_default() {
        if file.created {
            facts.operation.get_or_insert(Operation::Add);
        } else if file.deleted {
            facts.operation.get_or_insert(Operation::Delete);
        }
        facts.pairs.extend(pairs_of_hunks(&file.hunks));
    }
}

/// An old text that only says that the file is gone.
fn says_deleted(text: &str) -> bool {
    matches!(text.trim(), "[file deleted]" | "[deleted]" | "(deleted)")
}

/// A few words in place of a text that was too large or no text: `(1024 lines)`, `[binary file]`.
pub(super) fn stands_for_text(text: &str) -> bool {
    let text = text.trim();
    let inner = |open, close| {
        text.strip_prefix(open)
            .and_then(|text| text.strip_suffix(close))
    };
    let counted = |inner: &str| {
        inner.split_once(' ').is_some_and(|(number, unit)| {
            number.bytes().all(|byte| byte.is_ascii_digit())
                && !number.is_empty()
                && matches!(unit, "lines" | "line" | "bytes" | "characters" | "chars")
        })
    };
    inner('(', ')').is_some_and(counted)
        || inner('[', ']').is_some_and(|inner| {
            counted(inner)
                || matches!(
                    inner,
                    "binary file" | "binary" | "file too large" | "truncated"
                )
        })
}
