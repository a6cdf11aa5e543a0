//! The arguments of the tools, checked before any file is looked at.

use acp_grammar::js;
use serde_json::{Map, Value};

use crate::tools::MAX_LINES;

/// Arguments that a tool refuses. The text is the whole answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// No path.
    #[error("file_path must be a non-empty string")]
    FilePath,
    /// Zero, negative, broken or no number.
    #[error("offset must be a positive integer")]
    Offset,
    /// Zero, negative, broken or no number.
    #[error("limit must be a positive integer")]
    Limit,
    /// More lines than a window holds.
    #[error("limit must be less than or equal to {MAX_LINES}")]
    LimitTooLarge,
    /// Content that is no text.
    #[error("content must be a string")]
    Content,
    /// Nothing to look for.
    #[error("old_string must be a non-empty string")]
    OldString,
    /// A replacement that is no text.
    #[error("new_string must be a string")]
    NewString,
    /// Nothing to do.
    #[error("old_string and new_string must differ")]
    NoDifference,
    /// Nothing to do: an edit keeps the line endings of the file.
    #[error("old_string and new_string must differ in more than line endings")]
    OnlyLineEndings,
    /// Neither true nor false.
    #[error("replace_all must be a boolean")]
    ReplaceAll,
}

/// The arguments of a read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReadArguments {
    /// The path as given.
    pub file_path: String,
    /// The first line, from 1.
    pub offset: u64,
    /// Most lines to show, 1 to [`MAX_LINES`].
    pub limit: u64,
}

impl ReadArguments {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// The first argument that is wrong.
    pub fn from_json(arguments: &Map<String, Value>) -> Result<Self, ArgumentError> {
        let file_path = file_path(arguments)?;
        let offset = positive(arguments.get("offset"))
            .map_err(|()| ArgumentError::Offset)?
            .unwrap_or(1);
        let limit = positive(arguments.get("limit"))
            .map_err(|()| ArgumentError::Limit)?
            .unwrap_or(MAX_LINES);
        if limit > MAX_LINES {
            return Err(ArgumentError::LimitTooLarge);
        }
        Ok(Self {
            file_path,
            offset,
            limit,
        })
    }
}

/// The arguments of a write.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WriteArguments {
    /// The path as given.
    pub file_path: String,
    /// The whole new content.
    pub content: String,
}

impl WriteArguments {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// The first argument that is wrong.
    pub fn from_json(arguments: &Map<String, Value>) -> Result<Self, ArgumentError> {
        Ok(Self {
            file_path: file_path(arguments)?,
            content: text(arguments.get("content")).ok_or(ArgumentError::Content)?,
        })
    }
}

/// The arguments of an edit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EditArguments {
    /// The path as given.
    pub file_path: String,
    /// The text to find.
    pub old_string: String,
    /// The text to put there.
    pub new_string: String,
    /// Every place, or the only one.
    pub replace_all: bool,
}

impl EditArguments {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// The first argument that is wrong.
    pub fn from_json(arguments: &Map<String, Value>) -> Result<Self, ArgumentError> {
        let file_path = file_path(arguments)?;
        let old_string = text(arguments.get("old_string"))
            .filter(|text| !text.is_empty())
            .ok_or(ArgumentError::OldString)?;
        let new_string = text(arguments.get("new_string")).ok_or(ArgumentError::NewString)?;
        let replace_all = match arguments.get("replace_all") {
            None | Some(Value::Null) => false,
            Some(value) => value.as_bool().ok_or(ArgumentError::ReplaceAll)?,
        };
        if old_string == new_string {
            return Err(ArgumentError::NoDifference);
        }
        if old_string.replace("\r\n", "\n") == new_string.replace("\r\n", "\n") {
            return Err(ArgumentError::OnlyLineEndings);
        }
        Ok(Self {
            file_path,
            old_string,
            new_string,
            replace_all,
        })
    }
}

fn file_path(arguments: &Map<String, Value>) -> Result<String, ArgumentError> {
    text(arguments.get("file_path"))
        .filter(|path| !js::is_blank(path))
        .ok_or(ArgumentError::FilePath)
}

fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(ToOwned::to_owned)
}

/// A whole number of at least 1; JSON does not tell `2` from `2.0`.
fn positive(value: Option<&Value>) -> Result<Option<u64>, ()> {
    let number = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number,
        Some(_) => return Err(()),
    };
    let whole = number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        format!("{float:.0}").parse().ok()
    });
    whole.filter(|whole| *whole >= 1).map(Some).ok_or(())
}
