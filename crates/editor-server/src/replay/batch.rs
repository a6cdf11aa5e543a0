//! A batch of lines together with what was decoded from it, so that both go to another thread as
//! one value and no text is copied.

use acp_grammar::wire::message::{Direction, Message};
use acp_grammar::wire::trace::{Hop, Line, LineFault, mend_lone_surrogates, text_of};
use acp_grammar::wire::{Update, UpdateParams};
use self_cell::self_cell;
use serde_json::value::RawValue;

use super::lines::LineBatch;

self_cell!(
    /// Lines and what they say.
    pub(super) struct DecodedBatch {
        owner: LineBatch,
        #[covariant]
        dependent: DecodedLines,
    }
);

type DecodedLines<'a> = Vec<DecodedLine<'a>>;

/// A line of a trace that is not blank.
#[derive(Debug)]
pub(super) struct DecodedLine<'a> {
    /// Its number in the stream, from 1.
    pub(super) number: u64,
    /// What it says, or why it cannot be read.
    pub(super) content: Result<LineContent<'a>, SkipReason>,
}

/// What a line says.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most lines of a trace are the large variant"
)]
pub(super) enum LineContent<'a> {
    /// A `session/update`, of the one session of the trace where it names none.
    Update {
        /// The step of a conductor's chain.
        hop: Hop,
        /// Session and update.
        params: UpdateParams<'a>,
    },
    /// Any other message.
    Message {
        /// Which way it goes, where the line says so.
        direction: Option<Direction>,
        /// The step of a conductor's chain.
        hop: Hop,
        /// The message.
        message: Message<'a>,
    },
}

/// Why a line is passed over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// It cannot be decoded.
    #[error(transparent)]
    Fault(#[from] LineFault),
    /// It is longer than a reader can be asked to hold.
    #[error("longer than {} MiB", super::lines::MAX_LINE_BYTES >> 20)]
    TooLong,
}

impl DecodedBatch {
    /// Decodes the lines of a batch. Blank ones are left out.
    pub(super) fn decode(mut batch: LineBatch) -> Self {
        mend_lone_surrogates(&mut batch.bytes);
        Self::new(batch, |batch| {
            let mut decoded = Vec::with_capacity(batch.lines.len());
            decoded.extend(batch.lines.iter().filter_map(|line| {
                let content = match &line.range {
                    None => Err(SkipReason::TooLong),
                    Some(range) => content(&batch.bytes[range.clone()]).transpose()?,
                };
                Some(DecodedLine {
                    number: line.number,
                    content,
                })
            }));
            decoded
        })
    }
}

/// What a line says; nothing when it is blank.
pub(super) fn content(line: &[u8]) -> Result<Option<LineContent<'_>>, SkipReason> {
    let line = text_of(line)?;
    if let Some(params) = UpdateParams::of_line(line) {
        let hop = Hop::Only;
        return Ok(Some(LineContent::Update { hop, params }));
    }
    let content = match Line::of_text(line)? {
        Line::Params(json) => LineContent::Update {
            hop: Hop::Only,
            params: UpdateParams::decode(json).ok_or(LineFault::BadUpdate)?,
        },
        Line::Update(json) => LineContent::Update {
            hop: Hop::Only,
            params: UpdateParams {
                session_id: None,
                update: Update::decode(json).ok_or(LineFault::BadUpdate)?,
            },
        },
        Line::Message {
            hop,
            message: Message::Notification { method, params },
            ..
        } if method == "session/update" => {
            let params = params.map_or("null", RawValue::get);
            LineContent::Update {
                hop,
                params: UpdateParams::decode(params).ok_or(LineFault::BadUpdate)?,
            }
        }
        Line::Message {
            direction,
            hop,
            message,
        } => LineContent::Message {
            direction,
            hop,
            message,
        },
        _ => return Ok(None),
    };
    Ok(Some(content))
}
