//! Titles and inputs of `write`, `edit` and `apply_patch`.

use std::borrow::Cow;

use crate::js;
use crate::wire::lenient::{List, Map, Text, object, object_from_str};

/// A tool that changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileTool {
    /// `write`: a whole file.
    Write,
    /// `edit`: old and new texts of one file.
    Edit,
    /// `apply_patch`: a patch of any number of files.
    ApplyPatch,
}

impl FileTool {
    /// The tool that a call's title names: what stands before its first colon, trimmed as
    /// JavaScript trims, in any case. A title without a colon names none.
    pub fn from_title(title: &str) -> Option<Self> {
        let (name, _) = title.split_once(':')?;
        let name = js::trim(name);
        // No other character becomes one of these letters in lower case, so ASCII is enough.
        [Self::Write, Self::Edit, Self::ApplyPatch]
            .into_iter()
            .find(|tool| name.eq_ignore_ascii_case(tool.name()))
    }

    /// The tool's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Edit => "edit",
            Self::ApplyPatch => "apply_patch",
        }
    }

    /// What the input of a call asks this tool to do.
    ///
    /// `input` is the JSON text of `rawInput`. `None` when it is no object, or lacks what the tool
    /// cannot do without: a path, or a patch.
    pub fn read_input(self, input: &str) -> Option<ToolInput<'_>> {
        let members = FileToolMembers::read(input)?;
        match self {
            Self::Write => Some(ToolInput::Write {
                path: members.path?,
                content: members.content,
            }),
            Self::Edit => Some(ToolInput::Edit {
                path: members.path?,
                edits: members.edits,
            }),
            Self::ApplyPatch => Some(ToolInput::ApplyPatch {
                patch: members.patch?,
            }),
        }
    }
}

/// What a call asks a file tool to do. Paths are as the agent wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolInput<'a> {
    /// The file shall hold this text.
    Write {
        /// The file.
        path: Cow<'a, str>,
        /// Its text; `None` when the input has none, or no string.
        content: Option<Cow<'a, str>>,
    },
    /// In the file, old texts shall become new ones.
    Edit {
        /// The file.
        path: Cow<'a, str>,
        /// The pairs that are complete, in order; none is possible.
        edits: Vec<Edit<'a>>,
    },
    /// A patch shall be applied.
    ApplyPatch {
        /// The patch, not yet parsed.
        patch: Cow<'a, str>,
    },
}

/// All that the file tools read from an input, for a reader who keeps it until he knows which of
/// them the call is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileToolMembers<'a> {
    /// The path, under the first of its names that has one.
    pub path: Option<Cow<'a, str>>,
    /// `content`, if it is a string.
    pub content: Option<Cow<'a, str>>,
    /// The complete pairs of `edits`, then the one beside it.
    pub edits: Vec<Edit<'a>>,
    /// `input`, if it is a string.
    pub patch: Option<Cow<'a, str>>,
}

impl<'a> FileToolMembers<'a> {
    /// Reads the JSON text of `rawInput`; `None` when it is no object.
    pub fn read(input: &'a str) -> Option<Self> {
        let mut members: AnyInput<'a> = object_from_str(input)?;
        Some(Self {
            content: std::mem::take(&mut members.content).value(),
            patch: std::mem::take(&mut members.input).value(),
            edits: members.take_edits(),
            path: members.into_path(),
        })
    }
}

/// One old text and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<'a> {
    /// `oldText`.
    pub old_text: Cow<'a, str>,
    /// `newText`.
    pub new_text: Cow<'a, str>,
}

object! {
    /// The members of the three inputs together.
    struct AnyInput<'a> {
        "path" => path: Text<'a>,
        "file_path" => snake_path: Text<'a>,
        "filePath" => camel_path: Text<'a>,
        "file" => file: Text<'a>,
        "content" => content: Text<'a>,
        "input" => input: Text<'a>,
        "edits" => edits: List<Map<AnyEdit<'a>>>,
        else => own_edit: AnyEdit<'a>,
    }
}

object! {
    /// An old and a new text, in a list of them or beside it.
    struct AnyEdit<'a> {
        "oldText" => old_text: Text<'a>,
        "newText" => new_text: Text<'a>,
    }
}

impl<'a> AnyInput<'a> {
    /// The path, under the first of its names that has one.
    fn into_path(self) -> Option<Cow<'a, str>> {
        [self.path, self.snake_path, self.camel_path, self.file]
            .into_iter()
            .filter_map(Text::value)
            .find(|path| !js::is_blank(path))
    }

    /// The complete pairs: those of the list, then the one beside it.
    fn take_edits(&mut self) -> Vec<Edit<'a>> {
        let listed = std::mem::take(&mut self.edits).into_vec().into_iter();
        listed
            .filter_map(|Map(edit)| edit.value())
            .chain([std::mem::take(&mut self.own_edit)])
            .filter_map(|edit| {
                Some(Edit {
                    old_text: edit.old_text.value()?,
                    new_text: edit.new_text.value()?,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn titles() {
        let cases = [
            ("write: path: a.txt", Some(FileTool::Write)),
            ("Write : x", Some(FileTool::Write)),
            ("  EDIT: y", Some(FileTool::Edit)),
            (
                "\u{feff}\u{a0}apply_patch\u{2028}: z",
                Some(FileTool::ApplyPatch),
            ),
            ("write:", Some(FileTool::Write)),
            ("edit:edit: x", Some(FileTool::Edit)),
            ("write", None),
            ("apply-patch: x", None),
            ("applyPatch: x", None),
            ("write file: x", None),
            ("my: write: x", None),
            ("\u{85}write: x", None),
            (": write", None),
            ("", None),
        ];
        for (title, expected) in cases {
            assert_eq!(FileTool::from_title(title), expected, "{title:?}");
        }
    }

    fn check(tool: FileTool, input: &str, expect: &Expect) {
        let text = match tool.read_input(input) {
            None => "nothing".to_owned(),
            Some(ToolInput::Write { path, content }) => format!("write {path:?} {content:?}"),
            Some(ToolInput::Edit { path, edits }) => {
                let edits: Vec<String> = edits
                    .iter()
                    .map(|edit| format!("{:?}->{:?}", edit.old_text, edit.new_text))
                    .collect();
                format!("edit {path:?} [{}]", edits.join(", "))
            }
            Some(ToolInput::ApplyPatch { patch }) => format!("patch {patch:?}"),
        };
        expect.assert_eq(&text);
    }

    #[test]
    fn write_inputs() {
        use FileTool::Write;
        check(
            Write,
            r#"{"path":"a","content":"x\n"}"#,
            &expect![[r#"write "a" Some("x\n")"#]],
        );
        check(
            Write,
            r#"{"path":"a","content":""}"#,
            &expect![[r#"write "a" Some("")"#]],
        );
        check(Write, r#"{"path":"a"}"#, &expect![[r#"write "a" None"#]]);
        check(
            Write,
            r#"{"path":"a","content":["x"]}"#,
            &expect![[r#"write "a" None"#]],
        );
        check(Write, r#"{"content":"x"}"#, &expect!["nothing"]);
        check(Write, r#"[{"path":"a"}]"#, &expect!["nothing"]);
        check(Write, r#""path""#, &expect!["nothing"]);
        check(Write, "null", &expect!["nothing"]);
        check(
            Write,
            r#"{"file":"f","filePath":"fp","file_path":7,"path":"  ","content":"a"}"#,
            &expect![[r#"write "fp" Some("a")"#]],
        );
        check(
            Write,
            r#"{"path":"first","path":"second","deep":{"path":"no"},"big":1e999}"#,
            &expect![[r#"write "second" None"#]],
        );
    }

    #[test]
    fn edit_inputs() {
        use FileTool::Edit;
        check(
            Edit,
            r#"{"path":"a","oldText":"o3","newText":"n3","edits":[{"oldText":"o1","newText":"n1"},
                {"oldText":"o2"},null,"z",["y"],{"oldText":"","newText":"n2","extra":1}]}"#,
            &expect![[r#"edit "a" ["o1"->"n1", ""->"n2", "o3"->"n3"]"#]],
        );
        check(
            Edit,
            r#"{"path":"a","old_string":"o","new_string":"n"}"#,
            &expect![[r#"edit "a" []"#]],
        );
        check(
            Edit,
            r#"{"path":"a","edits":"[{\"oldText\":\"a\",\"newText\":\"b\"}]"}"#,
            &expect![[r#"edit "a" []"#]],
        );
        check(
            Edit,
            r#"{"path":"a","oldText":"o","newText":null}"#,
            &expect![[r#"edit "a" []"#]],
        );
        check(
            Edit,
            r#"{"path":"\ufeff\u2029 ","edits":[]}"#,
            &expect!["nothing"],
        );
    }

    #[test]
    fn patch_inputs() {
        use FileTool::ApplyPatch;
        check(
            ApplyPatch,
            r#"{"input":"*** x"}"#,
            &expect![[r#"patch "*** x""#]],
        );
        check(ApplyPatch, r#"{"input":["*** x"]}"#, &expect!["nothing"]);
        check(ApplyPatch, r#"{"patch":"*** x"}"#, &expect!["nothing"]);
    }

    #[test]
    fn texts_without_escapes_are_borrowed() {
        let input = r#"{"path":"a.txt","content":"plain"}"#;
        let Some(ToolInput::Write { path, content }) = FileTool::Write.read_input(input) else {
            panic!("a write");
        };
        assert!(matches!(path, Cow::Borrowed("a.txt")));
        assert!(matches!(content, Some(Cow::Borrowed("plain"))));
    }
}
