//! Secrets in the places where ACP messages carry them, masked for recordings and editors.

use serde::Deserializer as _;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// What stands where a secret was, as a JSON string.
const MASK: &str = "\"***\"";

/// How deep a message is searched; what lies deeper is masked whole.
const DEPTH: usize = 64;

/// A message with its secrets masked. Every other byte stays as it is.
///
/// The known places: values of environment variables and of HTTP headers (`env`, `headers`, as
/// lists of names and values or as objects), everything in the parameters of `authenticate`, and
/// members of any object but content whose name says that they are secret (`token`, `apiKey`,
/// `authorization`, ...).
///
/// `message` is one JSON object, and `method` its method if it is no answer.
pub(super) fn masked<'a>(method: Option<&str>, message: &'a str) -> Cow<'a, str> {
    if !may_carry_secrets(method, message) {
        return Cow::Borrowed(message);
    }
    let mut out = String::with_capacity(message.len());
    let place = match method {
        Some("authenticate") => Place::Authenticate,
        _ => Place::Plain,
    };
    write_object(message, place, 0, &mut out);
    Cow::Owned(out)
}

/// Whether the message is worth the work: what an agent streams is not.
fn may_carry_secrets(method: Option<&str>, text: &str) -> bool {
    match method {
        Some("session/update" | "session/prompt" | "fs/read_text_file" | "fs/write_text_file") => {
            text.contains("\"_meta\"")
        }
        Some(_) => true,
        // Answers carry secrets only where a peer puts them into its own extensions.
        None => {
            text.contains("\"_meta\"") || text.contains("\"env\"") || text.contains("\"headers\"")
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    /// In the message of `authenticate`.
    Authenticate,
    /// In its parameters, but for the method's id.
    Credentials,
    /// The value of `env` or `headers`.
    Variables,
    /// An entry of them.
    Variable,
    /// Text and tool data of a session, which are shown as they are.
    Content,
}

fn place_below(place: Place, key: &str) -> Option<Place> {
    match (place, key) {
        (Place::Content, "_meta")
        | (Place::Credentials, "methodId")
        | (Place::Variable, "name") => Some(Place::Plain),
        (Place::Content, _) => Some(Place::Content),
        (Place::Authenticate, "params") => Some(Place::Credentials),
        (Place::Credentials | Place::Variables | Place::Variable, _) => None,
        (_, "env" | "headers") => Some(Place::Variables),
        (_, "content" | "rawInput" | "rawOutput" | "prompt" | "text") => Some(Place::Content),
        (_, key) if is_secret_name(key) => None,
        (place, _) => Some(place),
    }
}

/// Names of secret members, in lower case and without anything but letters and digits.
const SECRET_NAMES: [&str; 4] = ["token", "auth", "cookie", "bearer"];
/// Parts of such names that say enough.
const SECRET_PARTS: [&str; 9] = [
    "apikey",
    "secret",
    "password",
    "passphrase",
    "authorization",
    "credential",
    "accesstoken",
    "authtoken",
    "privatekey",
];

/// Whether a member's name says that its value is secret.
fn is_secret_name(name: &str) -> bool {
    let letters: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    SECRET_NAMES.contains(&letters.as_str())
        || SECRET_PARTS.iter().any(|part| letters.contains(part))
}

fn write_masked(value: &RawValue, place: Place, depth: usize, out: &mut String) {
    let text = value.get();
    if depth > DEPTH {
        out.push_str(MASK);
        return;
    }
    match text.as_bytes().first() {
        Some(b'{') => write_object(text, place, depth, out),
        Some(b'[') => write_list(text, place, depth, out),
        _ if matches!(place, Place::Variable | Place::Credentials) => out.push_str(MASK),
        _ => out.push_str(text),
    }
}

fn write_object(text: &str, place: Place, depth: usize, out: &mut String) {
    let mut json = serde_json::Deserializer::from_str(text);
    let Ok(Members(members)) = json.deserialize_map(MembersVisitor) else {
        out.push_str(MASK);
        return;
    };
    out.push('{');
    for (n, (key, value)) in members.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        // A string always has a JSON form.
        out.push_str(&serde_json::to_string(key).unwrap_or_default());
        out.push(':');
        match place_below(place, key) {
            None if matches!(value.get(), "null" | "true" | "false") => out.push_str(value.get()),
            None => out.push_str(MASK),
            Some(below) => write_masked(value, below, depth + 1, out),
        }
    }
    out.push('}');
}

fn write_list(text: &str, place: Place, depth: usize, out: &mut String) {
    let mut json = serde_json::Deserializer::from_str(text);
    let Ok(Elements(elements)) = json.deserialize_seq(ElementsVisitor) else {
        out.push_str(MASK);
        return;
    };
    let below = match place {
        Place::Variables => Place::Variable,
        place => place,
    };
    out.push('[');
    for (n, element) in elements.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        write_masked(element, below, depth + 1, out);
    }
    out.push(']');
}

/// The members of an object in the order in which they stand.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            members.push((Cow::Owned(key), map.next_value()?));
        }
        Ok(Members(members))
    }
}

/// The elements of a list.
struct Elements<'a>(Vec<&'a RawValue>);

struct ElementsVisitor;

impl<'de> Visitor<'de> for ElementsVisitor {
    type Value = Elements<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error>
    where
        A::Error: de::Error,
    {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        Ok(Elements(elements))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expect: &str) {
        #[derive(serde::Deserialize)]
        struct Head<'a> {
            #[serde(borrow, default)]
            method: Option<Cow<'a, str>>,
        }
        let head: Head<'_> = serde_json::from_str(message).unwrap();
        assert_eq!(masked(head.method.as_deref(), message), expect);
    }

    #[test]
    fn environment_and_headers_lose_their_values() {
        check(
            r#"{"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"a","command":"x","args":["1"],"env":[{"name":"KEY","value":"s3cret"}]},{"type":"http","name":"b","headers":[{"name":"Authorization","value":"Bearer x"}]}]}}"#,
            r#"{"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"a","command":"x","args":["1"],"env":[{"name":"KEY","value":"***"}]},{"type":"http","name":"b","headers":[{"name":"Authorization","value":"***"}]}]}}"#,
        );
        check(
            r#"{"method":"terminal/create","params":{"env":{"A":"b","C":1}}}"#,
            r#"{"method":"terminal/create","params":{"env":{"A":"***","C":"***"}}}"#,
        );
    }

    #[test]
    fn credentials_are_masked_and_the_method_stays() {
        check(
            r#"{"id":1.50,"method":"authenticate","params":{"methodId":"key","_meta":{"api-key":"k"},"code":7}}"#,
            r#"{"id":1.50,"method":"authenticate","params":{"methodId":"key","_meta":"***","code":"***"}}"#,
        );
        check(
            r#"{"id":1,"method":"initialize","params":{"_meta":{"gateway":{"token":"t","maxTokens":5,"accessToken":"u"}}}}"#,
            r#"{"id":1,"method":"initialize","params":{"_meta":{"gateway":{"token":"***","maxTokens":5,"accessToken":"***"}}}}"#,
        );
    }

    #[test]
    fn what_the_agent_does_stays_as_it_is() {
        let update = r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","rawInput":{"token":"a","env":{"A":"b"}},"content":[{"type":"diff","newText":"password = 1"}],"_meta":{"x":1}}}}"#;
        check(update, update);
        let answer = r#"{"id":1,"result":{"sessionId":"s"}}"#;
        check(answer, answer);
    }

    #[test]
    fn deep_nesting_is_cut_and_not_followed() {
        let deep = format!(
            "{{\"method\":\"x\",\"p\":{}1{}}}",
            "[".repeat(100),
            "]".repeat(100)
        );
        assert!(masked(Some("x"), &deep).contains(MASK));
    }
}
