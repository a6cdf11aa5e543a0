//! JSON from outside read into a type; what does not fit is said in the words of whoever wrote it.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a value that its writer knows as `name`.
///
/// # Errors
/// A sentence that names the member at fault and what may stand there.
pub(crate) fn read<T: DeserializeOwned>(value: &Value, name: &str) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let name = match path.as_str() {
            "." | "?" => name.to_owned(),
            path => format!("{name}.{path}"),
        };
        let pointer = pointer(error.path());
        let at_fault = value.pointer(&pointer).unwrap_or(value);
        sentence(&name, at_fault, &error.inner().to_string())
    })
}

/// The path as a JSON pointer.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Segment::Enum { .. } | Segment::Unknown => String::new(),
        })
        .collect()
}

/// What is wrong with the member `name`, whose value is `value`, from what the decoder says.
fn sentence(name: &str, value: &Value, why: &str) -> String {
    if let Some(missing) = why.strip_prefix("missing field `") {
        return format!("`{name}.{missing} is missing");
    }
    if let Some((given, allowed)) = why
        .strip_prefix("unknown variant `")
        .and_then(|rest| rest.split_once("`, expected "))
    {
        let allowed = words(allowed);
        let tag = tag(value, given).map(|tag| format!(".{tag}"));
        let tag = tag.unwrap_or_default();
        return format!("`{name}{tag}` has to be {allowed}, not `{given}`");
    }
    if let Some((_, wanted)) = why
        .strip_prefix("invalid ")
        .and_then(|rest| rest.rsplit_once(", expected "))
    {
        return format!("`{name}` has to be {}, not {}", kind(wanted), shown(value));
    }
    format!("`{name}` cannot be used: {why}")
}

/// The member that holds a word, where the decoder tells an object apart by one of its members.
fn tag<'a>(value: &'a Value, word: &str) -> Option<&'a str> {
    let mut members = value.as_object()?.iter();
    let (name, _) = members.find(|(_, value)| value.as_str() == Some(word))?;
    Some(name)
}

/// The decoder's list of words as a person writes it: `a`, `b` or `c`.
fn words(list: &str) -> String {
    let list = list.strip_prefix("one of ").unwrap_or(list);
    match list.rsplit_once(", ") {
        Some((others, end)) => format!("{others} or {end}"),
        None => list.to_owned(),
    }
}

/// What the decoder wants, without the names of types.
fn kind(wanted: &str) -> &str {
    match wanted {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number from 0 on that is not too large",
        "isize" | "i64" | "i32" | "i16" | "i8" => "a whole number that is not too large",
        "f64" | "f32" => "a number",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "string or map" => "a word that the documentation names",
        _ if [
            "struct ",
            "a map",
            "internally tagged enum ",
            "adjacently tagged enum ",
        ]
        .iter()
        .any(|start| wanted.starts_with(start)) =>
        {
            "an object"
        }
        other => other,
    }
}

/// A value in a sentence; one that may be long only by its kind.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(_) => "a text".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::lsp::ext::{
        DiffParams, FileParams, GoToParams, ReadParams, RespondPermissionParams,
        SessionPromptParams,
    };

    fn check<T: DeserializeOwned + std::fmt::Debug>(value: &Value, expect: &str) {
        let why = read::<T>(value, "params").expect_err("it does not fit");
        assert_eq!(why, expect, "{value}");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let file = json!({"file": {"workspaceRoot": "/w"}});
        check::<FileParams>(&file, "`params.file.relativePath` is missing");
        check::<FileParams>(&json!({}), "`params.file` is missing");
        check::<FileParams>(&json!([]), "`params` has to be an object, not a list");
        check::<FileParams>(&Value::Null, "`params` has to be an object, not `null`");
        let file = json!({"file": {"workspaceRoot": 3, "relativePath": ""}});
        check::<FileParams>(
            &file,
            "`params.file.workspaceRoot` has to be a string, not `3`",
        );
        check::<GoToParams>(
            &json!({"direction": "nxt", "scope": "all"}),
            "`params.direction` has to be `next`, `previous`, `first` or `last`, not `nxt`",
        );
        check::<GoToParams>(
            &json!({"direction": 1, "scope": "all"}),
            "`params.direction` has to be a word that the documentation names, not `1`",
        );
        let read = json!({
            "file": {"workspaceRoot": "/w", "relativePath": "a"}, "encoding": "text", "maxBytes": -1
        });
        check::<ReadParams>(
            &read,
            "`params.maxBytes` has to be a whole number from 0 on that is not too large, not `-1`",
        );
        check::<SessionPromptParams>(
            &json!({"session": "h", "text": "x", "files": [{"workspaceRoot": "/w"}]}),
            "`params.files[0].relativePath` is missing",
        );
        check::<SessionPromptParams>(
            &json!({"session": "h", "text": "x", "files": "a"}),
            "`params.files` has to be a list, not a text",
        );
    }

    #[test]
    fn a_word_that_tells_objects_apart_is_named_by_its_member() {
        let diff = |scope| json!({"session": "t", "relativePath": "a", "scope": scope});
        check::<DiffParams>(
            &diff(json!({"kind": "file"})),
            "`params.scope.kind` has to be `toolCall`, `turn` or `session`, not `file`",
        );
        check::<DiffParams>(
            &diff(json!({"kind": "turn"})),
            "`params.scope.turn` is missing",
        );
        check::<DiffParams>(&diff(json!({})), "`params.scope.kind` is missing");
        check::<DiffParams>(
            &diff(json!(1)),
            "`params.scope` has to be an object, not `1`",
        );
        check::<RespondPermissionParams>(
            &json!({"session": "h", "permission": "p", "outcome": "yes"}),
            "`params.outcome` has to be `selected` or `cancelled`, not `yes`",
        );
        check::<RespondPermissionParams>(
            &json!({"session": "h", "permission": "p", "outcome": "selected"}),
            "`params.optionId` is missing",
        );
    }
}
