//! What `patch json` writes. The names of the members are a contract.

use acp_grammar::error::ParseError;
use acp_grammar::patch::{Chunk, Operation, Patch, Section};
use serde::Serialize;

/// An accepted payload.
#[derive(Serialize)]
struct Accepted<'a> {
    #[serde(rename = "environmentId", skip_serializing_if = "Option::is_none")]
    environment_id: Option<&'a str>,
    sections: Vec<SectionJson<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum SectionJson<'a> {
    Add {
        path: &'a str,
        contents: String,
    },
    Delete {
        path: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Update {
        path: &'a str,
        move_to: Option<&'a str>,
        chunks: Vec<ChunkJson<'a>>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChunkJson<'a> {
    context: Option<&'a str>,
    old_text: String,
    new_text: String,
    end_of_file: bool,
}

/// A rejected payload.
#[derive(Serialize)]
struct Rejected {
    error: ErrorJson,
}

#[derive(Serialize)]
struct ErrorJson {
    kind: &'static str,
    line: usize,
    column: usize,
    message: String,
    expected: &'static [&'static str],
}

/// The document for an accepted payload, on one line.
pub(super) fn accepted(patch: &Patch<'_>) -> String {
    to_line(&Accepted {
        environment_id: patch.environment_id,
        sections: patch.sections.iter().map(section).collect(),
    })
}

/// The document for a rejected payload, on one line.
pub(super) fn rejected(error: &ParseError, source: &str) -> String {
    let place = error.position(source);
    to_line(&Rejected {
        error: ErrorJson {
            kind: error.kind_name(),
            line: place.line,
            column: place.column,
            message: format!("{error}; {}", error.help()),
            expected: error.expected(),
        },
    })
}

fn section<'a>(section: &Section<'a>) -> SectionJson<'a> {
    let path = section.path;
    match &section.operation {
        Operation::Add(lines) => SectionJson::Add {
            path,
            contents: lines.contents(),
        },
        Operation::Delete => SectionJson::Delete { path },
        Operation::Update { move_to, chunks } => SectionJson::Update {
            path,
            move_to: *move_to,
            chunks: chunks.iter().map(chunk).collect(),
        },
    }
}

fn chunk<'a>(chunk: &Chunk<'a>) -> ChunkJson<'a> {
    ChunkJson {
        context: chunk.context,
        old_text: chunk.lines.old_text(),
        new_text: chunk.lines.new_text(),
        end_of_file: chunk.end_of_file,
    }
}

fn to_line(document: &impl Serialize) -> String {
    let mut line = serde_json::to_string(document).expect("the keys of a struct are strings");
    line.push('\n');
    line
}
