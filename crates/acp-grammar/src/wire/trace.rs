//! One line of a recorded trace, in any of its five forms.
//!
//! A trace is newline-delimited JSON; each line is one of
//! 1. a raw JSON-RPC message,
//! 2. `{"t": ms, "dir": "c2a"|"a2c", "msg": {...}}`, a message with its time and way,
//! 3. a trace event of the ACP conductor, `{"type": "request"|"response"|"notification", "from",
//!    "to", ...}`,
//! 4. `{"sessionId": "...", "update": {...}}`, the parameters of a `session/update`,
//! 5. `{"sessionUpdate": "...", ...}`, one bare update.

use memchr::memmem;
use serde_json::value::RawValue;

use super::Field;
use super::lenient::{Flag, Map, Raw, Text, object};
use super::message::{Answer, AnyMessage, Direction, Message};

/// How deep the values of a line may be nested. What is deeper was made to break its reader.
pub const MAX_DEPTH: usize = 512;

/// A line of a trace, its form known and its message not yet read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Line<'a> {
    /// Nothing but white space.
    Blank,
    /// Forms 1 to 3: a JSON-RPC message.
    Message {
        /// Which way it goes, where the line says so.
        direction: Option<Direction>,
        /// Between which components of a conductor it went, if it did.
        hop: Hop,
        /// The message.
        message: Message<'a>,
    },
    /// Form 4: the text of the parameters of one `session/update`.
    Params(&'a str),
    /// Form 5: the text of one update.
    Update(&'a str),
}

/// Where in a chain of components a message was seen.
///
/// A conductor puts proxies between client and agent, and records a message once for each step of
/// its way. Only one step tells the session's story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hop {
    /// The line names no components: there is one step only.
    Only,
    /// A step at the client's side.
    Client,
    /// A step at the agent's side, the client not taking part.
    Agent,
    /// A step between two others, or a message of another protocol.
    Between,
}

/// Why a line could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// It is not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// How many bytes are well-formed before.
        at: usize,
    },
    /// It is no JSON.
    #[error("no JSON: {problem} at byte {at}")]
    NotJson {
        /// What the JSON reader says.
        problem: String,
        /// Where it stopped, in bytes from 0.
        at: usize,
    },
    /// It ends in the middle of a value, as the last line of a recording that was cut off does.
    #[error("cut off in the middle of a JSON value")]
    Truncated,
    /// It is JSON, but no object.
    #[error("JSON, but no object")]
    NotAnObject,
    /// It is an object of none of the five forms.
    #[error("an object, but no message, update or trace event of ACP")]
    NotAcp,
    /// Its values are nested too deep.
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// It is an update, or parameters of one, that cannot be read.
    #[error("a session/update without a readable update")]
    BadUpdate,
}

object! {
    /// The members of all five forms together.
    struct AnyLine<'a> {
        "msg" => msg: Map<AnyMessage<'a>>,
        "dir" => dir: Text<'a>,
        "type" => kind: Text<'a>,
        "from" => from: Text<'a>,
        "to" => to: Text<'a>,
        "protocol" => protocol: Text<'a>,
        "is_error" => is_error: Flag,
        "payload" => payload: Raw<'a>,
        "update" => update: Raw<'a>,
        "sessionUpdate" => session_update: Text<'a>,
        else => message: AnyMessage<'a>,
    }
}

impl<'a> Line<'a> {
    /// Reads one line, with or without its line break.
    ///
    /// `Err` says why the line is none of the forms; a message inside is checked for being JSON,
    /// not for making sense.
    pub fn decode(line: &'a [u8]) -> Result<Self, LineFault> {
        Self::of_text(text_of(line)?)
    }

    /// Reads the text of one line.
    pub fn of_text(text: &'a str) -> Result<Self, LineFault> {
        if text.is_empty() {
            return Ok(Self::Blank);
        }
        let Map(members) =
            serde_json::from_str::<Map<AnyLine<'a>>>(text).map_err(|error| fault(&error))?;
        let Field::Value(members) = members else {
            return Err(LineFault::NotAnObject);
        };
        members.into_line(text).ok_or(LineFault::NotAcp)
    }
}

/// The text of a line without a byte order mark and without white space at its ends, checked for
/// being text and for its depth.
pub fn text_of(line: &[u8]) -> Result<&str, LineFault> {
    let text = std::str::from_utf8(line).map_err(|error| LineFault::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    let text = text.trim_start_matches('\u{feff}').trim_ascii();
    if is_deeper_than(text, MAX_DEPTH) {
        return Err(LineFault::TooDeep);
    }
    Ok(text)
}

impl<'a> AnyLine<'a> {
    fn into_line(self, text: &'a str) -> Option<Line<'a>> {
        if let Field::Value(message) = self.msg.0 {
            return Some(Line::Message {
                direction: direction(self.dir.as_str()),
                hop: Hop::Only,
                message: message.into_message()?,
            });
        }
        if self.session_update.0.as_value().is_some() {
            return Some(Line::Update(text));
        }
        if self.from.0.as_value().is_some() && self.to.0.as_value().is_some() {
            return self.into_conductor_event();
        }
        if self.update.0.as_value().is_some() && self.message.method.0.as_value().is_none() {
            return Some(Line::Params(text));
        }
        Some(Line::Message {
            direction: None,
            hop: Hop::Only,
            message: self.message.into_message()?,
        })
    }

    fn into_conductor_event(self) -> Option<Line<'a>> {
        let (from, to) = (Component::named(&self.from), Component::named(&self.to));
        let (hop, direction) = match (from, to) {
            _ if !matches!(self.protocol.as_str(), "" | "acp") => (Hop::Between, None),
            (Component::Client, _) => (Hop::Client, Some(Direction::ClientToAgent)),
            (_, Component::Client) => (Hop::Client, Some(Direction::AgentToClient)),
            (_, Component::Agent) => (Hop::Agent, Some(Direction::ClientToAgent)),
            (Component::Agent, _) => (Hop::Agent, Some(Direction::AgentToClient)),
            (Component::Other, Component::Other) => (Hop::Between, None),
        };
        let message = match self.kind.as_str() {
            "response" => Message::Response {
                id: self.message.id.0.value()?.get(),
                answer: {
                    let payload = self.payload.0.value().map_or("null", RawValue::get);
                    if self.is_error.0 {
                        Answer::Error(payload)
                    } else {
                        Answer::Result(payload)
                    }
                },
            },
            "request" | "notification" => self.message.into_message()?,
            _ => return None,
        };
        Some(Line::Message {
            direction,
            hop,
            message,
        })
    }
}

/// Who takes part in a conductor's event.
#[derive(Clone, Copy)]
enum Component {
    Client,
    Agent,
    Other,
}

impl Component {
    fn named(name: &Text<'_>) -> Self {
        if name.as_str().eq_ignore_ascii_case("client") {
            Self::Client
        } else if name.as_str().eq_ignore_ascii_case("agent") {
            Self::Agent
        } else {
            Self::Other
        }
    }
}

fn direction(dir: &str) -> Option<Direction> {
    match dir {
        "c2a" => Some(Direction::ClientToAgent),
        "a2c" => Some(Direction::AgentToClient),
        _ => None,
    }
}

fn fault(error: &serde_json::Error) -> LineFault {
    if error.is_eof() {
        return LineFault::Truncated;
    }
    // The reader's own sentence ends with a position that counts from the start of the trimmed
    // text, in columns from 1; a line has no use for its line number.
    let at = error.column().saturating_sub(1);
    let mut problem = error.to_string();
    if let Some(end) = problem.rfind(" at line ") {
        problem.truncate(end);
    }
    LineFault::NotJson { problem, at }
}

/// True when brackets and braces outside of strings are nested deeper than `limit`.
fn is_deeper_than(json: &str, limit: usize) -> bool {
    let bytes = json.as_bytes();
    // Few openers cannot be deep; most lines end here, at once or at the speed of a byte scan.
    if bytes.len() <= limit || memchr::memchr2_iter(b'[', b'{', bytes).nth(limit).is_none() {
        return false;
    }
    let mut depth = 0_usize;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => rest = after_string(after),
            _ => {}
        }
    }
    false
}

/// What follows the string whose opening quote has just been read.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' {
            return &rest[at + 1..];
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    &[]
}

/// Replaces each half of a surrogate pair that stands alone in an escape (`\ud83d`) by `\ufffd`,
/// in place, and says how many there were.
///
/// JavaScript strings can be cut between the halves and are then written so. A Rust string cannot
/// hold them, and the whole line would be lost for one broken smiley.
pub fn mend_lone_surrogates(line: &mut [u8]) -> usize {
    // Almost no line has one, and a search for three bytes is much faster than for one that
    // stands before every line break in a source text.
    if memmem::find(line, b"\\ud").is_none() && memmem::find(line, b"\\uD").is_none() {
        return 0;
    }
    let mut mended = 0;
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &line[from..]) {
        let at = from + found;
        match surrogate_at(line, at) {
            None => from = (at + 2).min(line.len()),
            Some(Half::High) if surrogate_at(line, at + 6) == Some(Half::Low) => from = at + 12,
            Some(_) => {
                line[at + 2..at + 6].copy_from_slice(b"fffd");
                mended += 1;
                from = at + 6;
            }
        }
    }
    mended
}

/// Which half of a surrogate pair an escape is.
#[derive(PartialEq, Eq)]
enum Half {
    High,
    Low,
}

fn surrogate_at(line: &[u8], at: usize) -> Option<Half> {
    let &[b'\\', b'u', b'd' | b'D', third, x, y] = line.get(at..at + 6)? else {
        return None;
    };
    if !x.is_ascii_hexdigit() || !y.is_ascii_hexdigit() {
        return None;
    }
    match third {
        b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Half::High),
        b'c' | b'd' | b'e' | b'f' | b'C' | b'D' | b'E' | b'F' => Some(Half::Low),
        _ => None,
    }
}

/// Reads a line as a trace reader does, down to the members of its message; for fuzzers.
///
/// # Panics
///
/// When mending a line changes its length or leaves something to mend.
#[cfg(any(test, fuzzing))]
pub fn fuzz_line(data: &[u8]) {
    use super::{Update, UpdateParams, method};

    let mut line = data.to_vec();
    mend_lone_surrogates(&mut line);
    assert_eq!(line.len(), data.len(), "mending is done in place");
    assert_eq!(
        mend_lone_surrogates(&mut line),
        0,
        "nothing is left to mend"
    );
    check_plain_update(&line);
    match Line::decode(&line) {
        Ok(Line::Params(json)) => drop(UpdateParams::decode(json)),
        Ok(Line::Update(json)) => {
            if let Some(update) = Update::decode(json) {
                drop(format!("{update:?}"));
            }
        }
        Ok(Line::Message { message, .. }) => match message {
            Message::Request { params, .. } | Message::Notification { params, .. } => {
                let Some(params) = params.map(RawValue::get) else {
                    return;
                };
                drop(UpdateParams::decode(params));
                drop(method::Prompt::decode(params));
                drop(method::PermissionQuestion::decode(params));
                drop(method::SessionParams::decode(params));
            }
            Message::Response { answer, .. } => {
                let (Answer::Result(json) | Answer::Error(json)) = answer;
                drop(method::Initialized::decode(json));
                drop(method::stop_reason(json));
                drop(method::selected_option(json));
                drop(method::error_message(json));
            }
        },
        Ok(Line::Blank) | Err(_) => {}
    }
}

/// Where the one pass over a line sees an update, the two steps see the same one.
#[cfg(any(test, fuzzing))]
fn check_plain_update(line: &[u8]) {
    use super::UpdateParams;

    let Some(plain) = text_of(line).ok().and_then(UpdateParams::of_line) else {
        return;
    };
    let params = match Line::decode(line) {
        Ok(Line::Params(json)) => Some(json),
        Ok(Line::Message {
            message: Message::Notification { method, params },
            hop: Hop::Only,
            ..
        }) if method == "session/update" => params.map(RawValue::get),
        other => panic!("a plain update is {other:?}"),
    };
    let decoded = params.and_then(UpdateParams::decode);
    assert_eq!(format!("{:?}", Some(plain)), format!("{decoded:?}"));
}

#[cfg(test)]
mod tests;
