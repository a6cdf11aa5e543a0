//! Cuts a byte stream into LSP messages and lets only well-formed ones through.
//!
//! tower-lsp stops reading at the first message that it cannot decode. So each message is checked
//! here first: one that is no JSON-RPC message is replaced by a request that answers with the
//! error, one that is too large is skipped, and bytes that are no header are passed over.

use std::borrow::Cow;

use bytes::{Buf as _, BytesMut};
use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The largest message that is taken in. A text of this size is far beyond what gets hunks.
const MAX_BODY: usize = 256 * 1024 * 1024;

/// The longest header block; real ones have under 100 bytes.
const MAX_HEADER: usize = 8 * 1024;

/// The deepest nesting that is let through; the decoder behind stops at 128.
const MAX_DEPTH: usize = 100;

/// Method of the request that stands for a message that was no JSON.
pub(super) const PARSE_ERROR: &str = "$/acpLens/parseError";

/// Method of the request that stands for JSON that was no JSON-RPC message.
pub(super) const INVALID_REQUEST: &str = "$/acpLens/invalidRequest";

/// A message as it goes to tower-lsp, header included.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) bytes: Vec<u8>,
    pub(super) passed: Passed,
}

/// What went past, as far as the transport cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    /// The request `shutdown`.
    Shutdown,
    /// The notification `exit`.
    Exit,
    /// Anything else.
    Other,
}

/// What is known of the message being read.
#[derive(Debug, Default)]
enum Reading {
    /// Its header is being read.
    #[default]
    Header,
    /// Its body has this many bytes.
    Body(usize),
    /// Its body is too large: this many bytes are still to be passed over.
    Skip(usize),
}

/// What the start of the buffer is.
enum Header {
    /// The start of a header block.
    Unfinished,
    /// A header block that names the length of the body.
    Length(usize),
    /// Bytes that are no header, or a block that names no length. They were taken off.
    Useless,
}

/// The frame reader: bytes go into [`Frames::buffer`], messages come out of [`Frames::next`].
#[derive(Debug, Default)]
pub(super) struct Frames {
    buffer: BytesMut,
    reading: Reading,
}

impl Frames {
    /// Where the next bytes of the stream go.
    pub(super) fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// The next message, if all of it is there.
    pub(super) fn next(&mut self) -> Option<Frame> {
        loop {
            match self.reading {
                Reading::Header => match self.header() {
                    Header::Unfinished => return None,
                    Header::Length(length) if length > MAX_BODY => {
                        tracing::warn!(length, "a message is too large and is skipped");
                        self.reading = Reading::Skip(length);
                    }
                    Header::Length(length) => self.reading = Reading::Body(length),
                    Header::Useless => return Some(rejected(PARSE_ERROR, &Value::Null)),
                },
                Reading::Body(length) => {
                    if self.buffer.len() < length {
                        return None;
                    }
                    let body = self.buffer.split_to(length);
                    self.reading = Reading::Header;
                    return Some(admit(&body));
                }
                Reading::Skip(left) => {
                    let skipped = left.min(self.buffer.len());
                    self.buffer.advance(skipped);
                    if skipped < left {
                        self.reading = Reading::Skip(left - skipped);
                        return None;
                    }
                    self.reading = Reading::Header;
                    return Some(rejected(INVALID_REQUEST, &Value::Null));
                }
            }
        }
    }

    /// Takes a header block off the buffer, if all of it is there.
    fn header(&mut self) -> Header {
        let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") else {
            if self.buffer.len() > MAX_HEADER {
                // Not a header. Keep a tail that may be the start of one.
                let keep = b"Content-Length".len();
                self.buffer.advance(self.buffer.len() - keep);
                return Header::Useless;
            }
            return Header::Unfinished;
        };
        let block = self.buffer.split_to(end + 4);
        // Garbage before the header has no line end of its own.
        let from = memmem::rfind(&block, b"Content-Length").unwrap_or(0);
        content_length(&block[from..]).map_or(Header::Useless, Header::Length)
    }
}

fn content_length(header: &[u8]) -> Option<usize> {
    let header = std::str::from_utf8(header).ok()?;
    header.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        if !name.trim().eq_ignore_ascii_case("content-length") {
            return None;
        }
        value.trim().parse().ok()
    })
}

/// A JSON-RPC message without a look at its contents.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Value>,
}

/// A member that is there, `null` included.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Checks one body: passes it on, or gives what stands for it.
fn admit(body: &[u8]) -> Frame {
    if depth(body) > MAX_DEPTH {
        return rejected(INVALID_REQUEST, &Value::Null);
    }
    let envelope: Envelope<'_> = match serde_json::from_slice(body) {
        Ok(envelope) => envelope,
        Err(why) => {
            let method = if why.is_data() && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
                INVALID_REQUEST
            } else {
                PARSE_ERROR
            };
            return rejected(method, &Value::Null);
        }
    };
    let id_is_valid = match &envelope.id {
        None | Some(Value::Null | Value::String(_)) => true,
        Some(Value::Number(number)) => number.is_i64(),
        Some(_) => false,
    };
    if !id_is_valid {
        return rejected(INVALID_REQUEST, &Value::Null);
    }
    let id = envelope.id.clone().unwrap_or_default();
    if envelope.jsonrpc.as_deref() != Some("2.0") {
        return rejected(INVALID_REQUEST, &id);
    }
    match envelope.method.as_deref() {
        Some(PARSE_ERROR | INVALID_REQUEST) => rejected(INVALID_REQUEST, &id),
        Some(method) => {
            let passed = match method {
                "exit" => Passed::Exit,
                "shutdown" => Passed::Shutdown,
                _ => Passed::Other,
            };
            match envelope.params {
                Some(params) if params.get() == "null" => without_params(&envelope, passed),
                _ => pass(body, passed),
            }
        }
        None => response(body, &envelope, &id),
    }
}

/// A message with `params: null`, as some clients write it where there are none; the decoder wants
/// the member to be missing then.
fn without_params(envelope: &Envelope<'_>, passed: Passed) -> Frame {
    let mut message = json!({"jsonrpc": "2.0", "method": envelope.method});
    if let Some(id) = &envelope.id {
        message["id"] = id.clone();
    }
    pass(message.to_string().as_bytes(), passed)
}

/// An answer of the client. An error object that carries more than the decoder allows is cut down,
/// so that whoever waits for the answer gets it.
fn response(body: &[u8], envelope: &Envelope<'_>, id: &Value) -> Frame {
    match (&envelope.result, &envelope.error) {
        (Some(_), None) => pass(body, Passed::Other),
        (_, Some(error)) => {
            let code = error.get("code").and_then(Value::as_i64).unwrap_or(-32603);
            let message = error.get("message").and_then(Value::as_str).unwrap_or("");
            let error = json!({"code": code, "message": message, "data": error.get("data")});
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            pass(answer.to_string().as_bytes(), Passed::Other)
        }
        (None, None) => rejected(INVALID_REQUEST, id),
    }
}

fn pass(body: &[u8], passed: Passed) -> Frame {
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    Frame { bytes, passed }
}

/// A request that the service answers with the error; an answer to `null` when the id is unknown.
fn rejected(method: &str, id: &Value) -> Frame {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method});
    pass(request.to_string().as_bytes(), Passed::Other)
}

/// How deep the brackets nest. Text in strings does not count.
fn depth(body: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for &byte in body {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Feeds arbitrary bytes in two pieces: no panic, and whatever comes out is a message that the
/// decoder behind accepts.
///
/// # Panics
/// When that does not hold.
#[cfg(any(test, fuzzing))]
pub fn fuzz_frames(data: &[u8]) {
    let split = data
        .first()
        .map_or(0, |&at| usize::from(at).min(data.len()));
    let mut frames = Frames::default();
    for piece in [&data[..split], &data[split..]] {
        frames.buffer().extend_from_slice(piece);
        while let Some(frame) = frames.next() {
            let body = frame
                .bytes
                .split_at(memmem::find(&frame.bytes, b"\r\n\r\n").expect("a header") + 4)
                .1;
            let as_request = serde_json::from_slice::<tower_lsp::jsonrpc::Request>(body);
            let as_response = serde_json::from_slice::<tower_lsp::jsonrpc::Response>(body);
            assert!(as_request.is_ok() || as_response.is_ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bodies that come out of a stream that arrives in pieces of this size.
    fn bodies(stream: &[u8], piece: usize) -> Vec<Value> {
        let mut frames = Frames::default();
        let mut bodies = Vec::new();
        for piece in stream.chunks(piece) {
            frames.buffer().extend_from_slice(piece);
            while let Some(frame) = frames.next() {
                let text = String::from_utf8(frame.bytes).unwrap();
                bodies.push(json(text.split_once("\r\n\r\n").unwrap().1));
            }
        }
        bodies
    }

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// The same messages come out, whatever pieces the stream arrives in.
    fn check(stream: &str, expect: &[&str]) {
        let expect: Vec<Value> = expect.iter().map(|text| json(text)).collect();
        for piece in [1, 3, 7, stream.len()] {
            let bodies = bodies(stream.as_bytes(), piece);
            assert_eq!(bodies, expect, "in pieces of {piece}");
        }
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
    const PARSE: &str = r#"{"id":null,"jsonrpc":"2.0","method":"$/acpLens/parseError"}"#;
    const INVALID: &str = r#"{"id":null,"jsonrpc":"2.0","method":"$/acpLens/invalidRequest"}"#;

    #[test]
    fn good_messages_pass_unchanged() {
        check(&framed(GOOD).repeat(2), &[GOOD, GOOD]);
        let with_type = format!(
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {}\r\n\r\n{GOOD}",
            GOOD.len()
        );
        check(&with_type, &[GOOD]);
    }

    #[test]
    fn a_bad_message_does_not_cost_its_neighbours() {
        let invalid_with_id = r#"{"id":5,"jsonrpc":"2.0","method":"$/acpLens/invalidRequest"}"#;
        for (bad, stands_for) in [
            ("{\"jsonrpc\":\"2.0\",", PARSE),
            ("[]", INVALID),
            (
                "{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"x\"}",
                invalid_with_id,
            ),
            ("{\"jsonrpc\":\"2.0\",\"id\":5}", invalid_with_id),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"x\"}", INVALID),
            ("{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"x\"}", INVALID),
            ("", PARSE),
        ] {
            let stream = [framed(GOOD), framed(bad), framed(GOOD)].concat();
            check(&stream, &[GOOD, stands_for, GOOD]);
        }
    }

    #[test]
    fn params_that_are_null_are_left_out() {
        for (message, passed) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"shutdown","params":null}"#,
                r#"{"id":1,"jsonrpc":"2.0","method":"shutdown"}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"exit","params":null}"#,
                r#"{"jsonrpc":"2.0","method":"exit"}"#,
            ),
        ] {
            check(&framed(message), &[passed]);
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_brackets_in_strings_are_text() {
        let deep = |open: &str, close: &str| {
            let params = [open.repeat(200), close.repeat(200)].concat();
            format!(r#"{{"jsonrpc":"2.0","method":"x","params":{params}}}"#)
        };
        check(&framed(&deep("[", "]")), &[INVALID]);
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"x","params":["{}"]}}"#,
            "[".repeat(200)
        );
        check(&framed(&text), &[&text]);
    }

    #[test]
    fn garbage_before_a_header_is_passed_over() {
        check(&format!("noise{}", framed(GOOD)), &[GOOD]);
        check(&format!("X: 1\r\n\r\n{}", framed(GOOD)), &[PARSE, GOOD]);
    }

    #[test]
    fn a_huge_message_is_skipped_without_being_kept() {
        let mut frames = Frames::default();
        let length = MAX_BODY + 10;
        frames
            .buffer()
            .extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
        let piece = vec![b' '; 1 << 20];
        let mut sent = 0;
        while sent < length {
            let now = piece.len().min(length - sent);
            frames.buffer().extend_from_slice(&piece[..now]);
            sent += now;
            let frame = frames.next();
            assert_eq!(frame.is_some(), sent == length);
            assert!(frames.buffer().len() < MAX_HEADER);
        }
        frames.buffer().extend_from_slice(framed(GOOD).as_bytes());
        assert!(frames.next().is_some());
    }

    #[test]
    fn an_error_answer_keeps_what_can_be_decoded() {
        let answer = r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no","stack":"x"}}"#;
        let cut = r#"{"error":{"code":1,"data":null,"message":"no"},"id":3,"jsonrpc":"2.0"}"#;
        check(&framed(answer), &[cut]);
    }

    #[test]
    fn the_seeds_of_the_fuzz_target_pass() {
        let seeds = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/fuzz/seeds/lsp_frames"
        );
        let mut count = 0;
        for seed in std::fs::read_dir(seeds).unwrap() {
            fuzz_frames(&std::fs::read(seed.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            fuzz_frames(&data);
        }

        #[test]
        fn any_body_is_survived(body in r#"[\[\]{}:,"a-z0-9 \\.-]{0,60}"#) {
            fuzz_frames(framed(&body).as_bytes());
        }

        #[test]
        fn any_json_is_survived(id in "(null|1|1.5|\"a\"|\\[\\]|-7|99999999999999999999)", method in "(\"x\"|null|3|\"exit\")") {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method}}}"#);
            fuzz_frames(framed(&body).as_bytes());
        }
    }
}
