//! `session/update`: one update out of its parameters, in one pass over the text.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::content::AnyContent;
use super::lenient::{List, Map, Number, OneOrMany, Raw, Text, object, object_from_str};
use super::plain::params_of_line;
use super::{
    ContentBlock, Field, Location, MessageChunk, PlanEntry, ToolCallPatch, ToolContent, Update,
    WholeMessage,
};

object! {
    /// The members of every kind of update that the project reads.
    struct AnyUpdate<'a> {
        "sessionUpdate" => name: Text<'a>,
        "messageId" => message_id: Text<'a>,
        "content" => content: OneOrMany<AnyContent<'a>>,
        "entries" => entries: List<Map<AnyPlanEntry<'a>>>,
        "plan" => plan: Map<AnyPlan<'a>>,
        else => call: AnyCall<'a>,
    }
}

object! {
    /// The members of a tool call besides its content.
    struct AnyCall<'a> {
        "toolCallId" => tool_call_id: Text<'a>,
        "title" => title: Text<'a>,
        "kind" => kind: Text<'a>,
        "status" => status: Text<'a>,
        "locations" => locations: List<Map<AnyLocation<'a>>>,
        "rawInput" => raw_input: Raw<'a>,
        "rawOutput" => raw_output: Raw<'a>,
        "name" => tool_name: Text<'a>,
        "_meta" => meta: Raw<'a>,
    }
}

object! {
    /// A tool call outside of an update: the subject of a permission question.
    struct LoneCall<'a> {
        "content" => content: OneOrMany<AnyContent<'a>>,
        else => call: AnyCall<'a>,
    }
}

object! {
    struct AnyLocation<'a> {
        "path" => path: Text<'a>,
        "line" => line: Number,
    }
}

object! {
    struct AnyPlanEntry<'a> {
        "content" => content: Text<'a>,
        "status" => status: Text<'a>,
        "priority" => priority: Text<'a>,
    }
}

object! {
    /// The `plan` of a version 2 `plan_update`.
    struct AnyPlan<'a> {
        "entries" => entries: List<Map<AnyPlanEntry<'a>>>,
    }
}

object! {
    struct AnyParams<'a> {
        "sessionId" => session_id: Text<'a>,
        "update" => update: Map<AnyUpdate<'a>>,
    }
}

object! {
    struct RawParams<'a> {
        "update" => update: Raw<'a>,
    }
}

/// The parameters of a `session/update`.
#[derive(Debug, Clone)]
pub struct UpdateParams<'a> {
    /// `sessionId`; `None` when it is missing or no string.
    pub session_id: Option<Cow<'a, str>>,
    /// `update`.
    pub update: Update<'a>,
}

impl<'a> UpdateParams<'a> {
    /// Reads `{"sessionId": ..., "update": {...}}`. `None` when that is no JSON object, or when
    /// its `update` is none.
    pub fn decode(json: &'a str) -> Option<Self> {
        let params: AnyParams<'a> = object_from_str(json)?;
        params.into_params(|| object_from_str(json))
    }

    /// Reads a line of a trace that is a `session/update` and nothing else, in one pass; see
    /// [`trace::text_of`](super::trace::text_of) for `line`.
    ///
    /// `None` for every other line, and for an update in an unusual form:
    /// [`Line`](super::trace::Line) says what they are.
    pub fn of_line(line: &'a str) -> Option<Self> {
        let params: AnyParams<'a> = params_of_line(line)?;
        params.into_params(|| params_of_line(line))
    }
}

impl<'a> AnyParams<'a> {
    /// `raw` reads the same parameters once more, for an update that is kept as its text.
    fn into_params(self, raw: impl FnOnce() -> Option<RawParams<'a>>) -> Option<UpdateParams<'a>> {
        let update = match self.update.0.value()?.into_known() {
            Ok(update) => update,
            Err(name) => without_timeline(name, raw()?.update.0.value()?),
        };
        Some(UpdateParams {
            session_id: self.session_id.value(),
            update,
        })
    }
}

impl<'a> Update<'a> {
    /// Reads one update object. `None` when the text is no JSON object.
    pub fn decode(json: &'a str) -> Option<Self> {
        let update: AnyUpdate<'a> = object_from_str(json)?;
        match update.into_known() {
            Ok(update) => Some(update),
            Err(name) => Some(without_timeline(name, serde_json::from_str(json).ok()?)),
        }
    }
}

impl<'a> ToolCallPatch<'a> {
    /// Reads one tool call object. `None` when the text is no JSON object.
    pub fn decode(json: &'a str) -> Option<Self> {
        let lone: LoneCall<'a> = object_from_str(json)?;
        Some(lone.call.into_patch(lone.content))
    }
}

/// An update that changes no timeline: as its text.
fn without_timeline<'a>(name: Cow<'a, str>, raw: &'a RawValue) -> Update<'a> {
    match name.as_ref() {
        "available_commands_update"
        | "current_mode_update"
        | "config_option_update"
        | "session_info_update"
        | "usage_update"
        | "state_update" => Update::Metadata { name, raw },
        _ => Update::Unknown { name, raw },
    }
}

impl<'a> AnyUpdate<'a> {
    /// The update, or its name when it is none that is read member by member.
    fn into_known(self) -> Result<Update<'a>, Cow<'a, str>> {
        Ok(match self.name.as_str() {
            "user_message_chunk" => Update::UserMessageChunk(self.into_chunk()?),
            "agent_message_chunk" => Update::AgentMessageChunk(self.into_chunk()?),
            "agent_thought_chunk" => Update::AgentThoughtChunk(self.into_chunk()?),
            "user_message" => Update::UserMessage(self.into_message()),
            "agent_message" => Update::AgentMessage(self.into_message()),
            "agent_thought" => Update::AgentThought(self.into_message()),
            "tool_call" => Update::ToolCall(self.call.into_patch(self.content)),
            "tool_call_update" => Update::ToolCallUpdate(self.call.into_patch(self.content)),
            "tool_call_content_chunk" => {
                let Some(tool_call_id) = self.call.tool_call_id.value() else {
                    return Err(self.name.value().unwrap_or_default());
                };
                Update::ToolContentChunk {
                    tool_call_id,
                    content: one_piece(self.content),
                }
            }
            "plan" => Update::Plan {
                entries: plan_entries(self.entries),
            },
            "plan_update" => {
                let plan = self.plan.0.value().unwrap_or_default();
                if !plan.entries.0.is_present() {
                    return Err(self.name.value().unwrap_or_default());
                }
                Update::PlanUpdate {
                    entries: plan_entries(plan.entries),
                }
            }
            _ => return Err(self.name.value().unwrap_or_default()),
        })
    }

    /// A chunk without content is none; one whose content has an odd shape has an unknown block.
    fn into_chunk(self) -> Result<MessageChunk<'a>, Cow<'a, str>> {
        let content = match self.content {
            OneOrMany::One(content) => content.into_block(),
            OneOrMany::Many(_) | OneOrMany::Odd => ContentBlock::Unknown(Cow::Borrowed("")),
            OneOrMany::Missing | OneOrMany::Nothing => {
                return Err(self.name.value().unwrap_or_default());
            }
        };
        Ok(MessageChunk {
            message_id: self.message_id.value(),
            content,
            meta: self.call.meta.0.value(),
        })
    }

    fn into_message(self) -> WholeMessage<'a> {
        let content = match self.content {
            OneOrMany::One(content) => Field::Value(vec![content.into_block()]),
            OneOrMany::Many(blocks) => {
                let blocks = blocks.into_iter().map(AnyContent::into_block);
                Field::Value(blocks.collect())
            }
            OneOrMany::Missing => Field::Missing,
            OneOrMany::Nothing | OneOrMany::Odd => Field::Null,
        };
        WholeMessage {
            message_id: self.message_id.value(),
            content,
        }
    }
}

impl<'a> AnyCall<'a> {
    fn into_patch(self, content: OneOrMany<AnyContent<'a>>) -> ToolCallPatch<'a> {
        let content = match content {
            OneOrMany::Missing => Field::Missing,
            OneOrMany::Nothing | OneOrMany::Odd => Field::Null,
            content @ OneOrMany::One(_) => Field::Value(one_piece(content)),
            OneOrMany::Many(contents) => {
                let mut pieces = Vec::with_capacity(contents.len());
                for content in contents {
                    content.into_tool_content(&mut pieces);
                }
                Field::Value(pieces)
            }
        };
        ToolCallPatch {
            tool_call_id: self.tool_call_id.value().unwrap_or_default(),
            title: self.title.0,
            kind: self.kind.0,
            status: self.status.0,
            content,
            locations: self.locations.0.map(locations),
            raw_input: self.raw_input.0,
            raw_output: self.raw_output.0,
            name: self.tool_name.0,
            meta: self.meta.0,
        }
    }
}

/// The content of a chunk, which is one piece; a version 2 diff is one per change.
fn one_piece(content: OneOrMany<AnyContent<'_>>) -> Vec<ToolContent<'_>> {
    let mut pieces = Vec::with_capacity(1);
    match content {
        OneOrMany::One(content) => content.into_tool_content(&mut pieces),
        _ => pieces.push(ToolContent::Unknown(Cow::Borrowed(""))),
    }
    pieces
}

fn locations(entries: Vec<Map<AnyLocation<'_>>>) -> Vec<Location<'_>> {
    let named = entries.into_iter().filter_map(|Map(entry)| {
        let entry = entry.value()?;
        Some(Location {
            path: entry.path.value()?,
            line: entry.line.0.and_then(|line| u32::try_from(line).ok()),
        })
    });
    named.collect()
}

fn plan_entries(entries: List<Map<AnyPlanEntry<'_>>>) -> Vec<PlanEntry<'_>> {
    let objects = entries.into_vec().into_iter();
    let entries = objects.filter_map(|Map(entry)| {
        let entry = entry.value()?;
        Some(PlanEntry {
            content: entry.content.value().unwrap_or_default(),
            status: entry.status.value().unwrap_or_default(),
            priority: entry.priority.value().unwrap_or_default(),
        })
    });
    entries.collect()
}

#[cfg(test)]
mod tests;
