//! What holds for every payload, and the wording of the diagnoses.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::work;

/// Everything that a patch says, without where it says it.
fn shape(patch: &Patch<'_>) -> String {
    let mut shape = format!("environment {:?}\n", patch.environment_id);
    for section in &patch.sections {
        shape += &section_shape(section);
    }
    shape
}

fn section_shape(section: &Section<'_>) -> String {
    let path = section.path;
    match &section.operation {
        Operation::Add(lines) => format!("add {path:?} {:?}\n", lines.contents()),
        Operation::Delete => format!("delete {path:?}\n"),
        Operation::Update { move_to, chunks } => {
            let mut shape = format!("update {path:?} to {move_to:?}\n");
            for chunk in chunks {
                let lines: Vec<ChunkLine<'_>> = chunk.lines.iter().collect();
                let (context, end_of_file) = (chunk.context, chunk.end_of_file);
                writeln!(shape, "  {context:?} {lines:?} {end_of_file}").expect("a string");
            }
            shape
        }
    }
}

/// One line of a payload: a marker, an almost-marker, a body line, or noise.
fn payload_line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec![
            "*** Add File: a.txt", "*** Delete File: b.txt", "*** Update File: c.txt",
            "*** Move to: d.txt", "@@", "@@ fn f() {", "+new", "-old", " same", "",
            "*** End of File", "*** Environment ID: x",
        ]).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "*** Begin Patch", "*** End Patch", "*** Begin Patch ***", "*** End Patch ***",
            "  *** Add File:  ü b ", "*** Add File: ", "*** Add File: a ***", "@@x", "@@ ", "@@  ",
            "*** End of File ", "*** Update", "***", "\t", "   ", "+", "-", "+*** End Patch",
            "\u{85}", "\u{feff}", "+x\r", "@@ c\r", "<<EOF", "EOF", "```", " *** Move to: e",
        ]).prop_map(str::to_owned),
        1 => "[+ @*-]?[ -~äß\u{2028}\u{a0}\r]{0,12}",
    ]
}

/// Payloads that are mostly well formed, in both line endings.
fn payload() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(payload_line(), 0..14);
    (lines, 0..8_u8, any::<bool>()).prop_map(|(lines, frame, crlf)| {
        let body = lines
            .iter()
            .fold(String::new(), |text, line| text + line + "\n");
        let text = match frame {
            0 => body,
            1 => format!("<<'EOF'\n*** Begin Patch\n{body}*** End Patch\nEOF\n"),
            2 => format!("\u{feff} \n*** Begin Patch \n{body} *** End Patch\n\n"),
            _ => format!("*** Begin Patch\n{body}*** End Patch"),
        };
        if crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn printing_and_parsing_again_changes_nothing(source in payload()) {
        for dialect in Dialect::ALL {
            if let Ok(patch) = parse(&source, dialect) {
                let printed = patch.to_string();
                let again = parse(&printed, dialect).map_err(|error| {
                    TestCaseError::fail(format!("{dialect}: {error} in {printed:?}"))
                })?;
                prop_assert_eq!(shape(&again), shape(&patch));
            }
        }
    }

    #[test]
    fn line_endings_do_not_matter(source in payload()) {
        // What is left then is a character of a line, which LF could turn into an ending.
        let lf = source.replace("\r\n", "\n").replace('\r', "");
        let crlf = lf.replace('\n', "\r\n");
        for dialect in Dialect::ALL {
            match (parse(&lf, dialect), parse(&crlf, dialect)) {
                (Ok(one), Ok(other)) => prop_assert_eq!(shape(&one), shape(&other)),
                (Err(one), Err(other)) => {
                    prop_assert_eq!(one.kind(), other.kind());
                    prop_assert_eq!(one.position(&lf), other.position(&crlf));
                }
                (one, other) => prop_assert!(false, "{one:?} and {other:?}"),
            }
        }
    }

    #[test]
    fn the_tolerant_reading_reads_what_the_projection_reads(source in payload()) {
        // Stars behind a path are a name for one and decoration for the other.
        let source = source.replace(" ***\n", "\n").replace(" ***\r", "\r");
        if let Ok(patch) = parse(&source, Dialect::Clawx) {
            let lenient = parse_lenient(&source);
            let texts = |patch: &Patch<'_>| -> Vec<_> {
                patch
                    .sections
                    .iter()
                    .map(|section| match &section.operation {
                        Operation::Add(lines) => (section.path.to_owned(), vec![lines.contents()]),
                        Operation::Delete => (section.path.to_owned(), Vec::new()),
                        Operation::Update { chunks, .. } => (
                            section.path.to_owned(),
                            chunks
                                .iter()
                                .flat_map(|chunk| [chunk.lines.old_text(), chunk.lines.new_text()])
                                .collect(),
                        ),
                    })
                    .collect()
            };
            prop_assert_eq!(texts(&lenient.patch), texts(&patch));
            prop_assert_eq!(lenient.skipped, []);
        }
    }

    #[test]
    fn errors_and_sections_lie_inside_the_payload(source in payload()) {
        for dialect in Dialect::ALL {
            match parse(&source, dialect) {
                Ok(patch) => {
                    let mut end = 0;
                    for section in &patch.sections {
                        prop_assert!(section.span.start >= end);
                        end = section.span.end;
                        prop_assert!(section.span.slice(&source).contains(section.path));
                    }
                    for chunk in patch.chunks() {
                        let text = chunk.span.slice(&source);
                        let mut lines = chunk.lines.iter();
                        let inside = lines.all(|line| {
                            text.contains(line.old().or(line.new_side()).unwrap_or("\n"))
                        });
                        prop_assert!(inside);
                    }
                }
                Err(error) => {
                    prop_assert!(source.get(error.span().start..error.span().end).is_some());
                    let place = error.position(&source);
                    prop_assert!(place.line >= 1 && place.column >= 1);
                    prop_assert!(place.line <= source.matches('\n').count() + 1);
                    prop_assert!(!error.to_string().contains('\n'));
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(data in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz_parse(&data);
    }

    #[test]
    fn work_is_linear(lines in prop::collection::vec(payload_line(), 1..4), times in 1..200_usize) {
        let body = lines.iter().fold(String::new(), |text, line| text + line + "\n").repeat(times);
        check_linear(&format!("*** Begin Patch\n{body}*** End Patch"))?;
        check_linear(&body)?;
    }
}

/// Each byte of a payload is looked at a bounded number of times, in every reading.
fn check_linear(source: &str) -> Result<(), TestCaseError> {
    let bound = 20 * (source.len() + 1);
    for dialect in Dialect::ALL {
        let steps = work::count(|| drop(parse(source, dialect)));
        prop_assert!(steps <= bound, "{dialect}: {steps} of {bound}");
    }
    let steps = work::count(|| drop(parse_lenient(source)));
    prop_assert!(steps <= bound, "lenient: {steps} of {bound}");
    Ok(())
}

#[test]
fn work_is_linear_in_long_payloads_too() {
    for line in [
        "*** Update File: c.txt",
        "*** Move to: d.txt",
        "@@",
        "",
        " \t",
        "\u{feff}",
        "*** End of File",
        "*** Begin Patch",
        "*** Environment ID: x",
        "+x",
        "***",
        "*** Add File: a ***",
        "x",
    ] {
        for header in [
            "",
            "*** Update File: f\n",
            "*** Update File: f\n@@\n-x\n",
            "*** Add File: f\n",
        ] {
            let body = format!("{line}\n").repeat(20_000);
            let source = format!("*** Begin Patch\n{header}{body}*** End Patch");
            check_linear(&source).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        check_linear(&line.repeat(20_000)).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

/// Place, message and help of a rejected body in dialect `clawx`.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check_error(source: &str, expected: Expect) {
    let error = parse(source, Dialect::Clawx).expect_err("the payload is rejected");
    let place = error.position(source);
    expected.assert_eq(&format!(
        "{}:{} {}: {error}\nhelp: {}\n",
        place.line,
        place.column,
        error.kind_name(),
        error.help()
    ));
}

#[test]
fn diagnoses_say_how_to_repair_the_payload() {
    check_error(
        "```diff\n*** Begin Patch\n*** Delete File: b\n*** End Patch\n```",
        expect![[r"
            1:1 missingBegin: The first line of the patch must be '*** Begin Patch', got: '```diff'
            help: send the patch without the Markdown fence around it
        "]],
    );
    check_error(
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: b\n*** End Patch\nEOF",
        expect![[r"
            1:1 missingBegin: The first line of the patch must be '*** Begin Patch', got: 'apply_patch <<'EOF''
            help: send the patch alone, without the shell command around it
        "]],
    );
    check_error(
        "<<EOF\n*** Begin Patch\n*** Delete File: b\nbye\nEOF",
        expect![[r"
            4:1 missingEnd: The last line of the patch must be '*** End Patch', got: 'bye'
            help: end with a line '*** End Patch' and nothing after it
        "]],
    );
    check_error(
        "<<EOF\n*** Begin Patch\n*** Delete File: b\n*** End Patch",
        expect![[r"
            4:1 unclosedWrapper: The last line of a patch that begins with '<<EOF' must end in 'EOF', got: '*** End Patch'
            help: leave the '<<EOF' wrapper out, or close it with a line 'EOF'
        "]],
    );
    check_error(
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch",
        expect![[r"
            2:1 emptyUpdate: Update file hunk for path 'a' is empty
            help: put at least one chunk behind the header: a '@@' line and lines that start with ' ', '+' or '-'; '*** Move to: {path}' must be the line right behind the header
        "]],
    );
    check_error(
        "*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-a\r\nfoo\r\n*** End Patch\r\n",
        expect![[r"
            5:1 missingChunkHead: Expected update hunk to start with a @@ context marker, got: 'foo'
            help: start the line with ' ', '+' or '-'; a new chunk begins with a line '@@'
        "]],
    );
    check_error(
        "*** Begin Patch\n*** Update File: a\n@@ class A\n@@ def f\n-a\n*** End Patch",
        expect![[r"
            4:1 unexpectedLine: Unexpected line found in update hunk: '@@ def f'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)
            help: write one '@@' line per chunk and at least one line behind it
        "]],
    );
    check_error(
        "*** Begin Patch\n*** Update File: a\n@@\n*** End of File\n*** End Patch",
        expect![[r"
            4:1 emptyChunk: Update hunk does not contain any lines
            help: put lines that start with ' ', '+' or '-' behind the '@@' line, or remove it
        "]],
    );
    check_error(
        "*** Begin Patch\n*** Add File: a\n+x\n  y\n*** End Patch",
        expect![[r"
            4:1 invalidHeader: '  y' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'
            help: start each line of a new file with '+', or begin the next section with its header
        "]],
    );
    check_error(
        "*** Begin Patch\n*** End Patch",
        expect![[r"
            2:1 noSections: The patch has no sections
            help: add a section for each file between '*** Begin Patch' and '*** End Patch'
        "]],
    );
}

#[test]
fn long_lines_are_cut_in_messages() {
    let source = format!("*** Begin Patch\n{}\n*** End Patch", "ä".repeat(10_000));
    let error = parse(&source, Dialect::Codex).expect_err("no header");
    assert!(
        error
            .to_string()
            .contains("ää…' is not a valid hunk header")
    );
    assert!(error.to_string().len() < 1_000);
    assert_eq!(error.span().slice(&source).len(), 20_000);
}

/// What the tolerant reading makes of a payload, and what it leaves out.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check_lenient(source: &str, expected: Expect) {
    let lenient = parse_lenient(source);
    let mut report: String = lenient.patch.sections.iter().map(section_shape).collect();
    for error in &lenient.skipped {
        let line = error.position(source).line;
        writeln!(report, "line {line}: {}", error.kind_name()).expect("a string");
    }
    expected.assert_eq(&report);
}

#[test]
fn the_tolerant_reading_looks_through_decoration() {
    check_lenient(
        "Here is the patch:\n```\n*** Begin Patch ***\n\n*** Add File: a b.txt ***\n+x\n\n\
         *** Update File: c.txt\n*** Move to: d.txt\n\n*** Delete File: e.txt  \n\
         *** Update File: f.rs\n@@ impl A\n@@ fn g()\n-a\n+b\n*** End Patch ***\n```\nDone.\n",
        expect![[r#"
            add "a b.txt" "x\n"
            update "c.txt" to Some("d.txt")
            delete "e.txt"
            update "f.rs" to None
              Some("fn g()") [Removed("a"), Added("b")] false
        "#]],
    );
    check_lenient(
        "cd x && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: b\n*** End Patch\nEOF\n",
        expect![[r#"
            delete "b"
        "#]],
    );
    check_lenient(
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n\
         *** Begin Patch\n*** Delete File: b\n*** End Patch\n",
        expect![[r#"
            delete "a"
            delete "b"
        "#]],
    );
    check_lenient(
        "*** Update File: b\n@@\n-a\n+b\n",
        expect![[r#"
            update "b" to None
              None [Removed("a"), Added("b")] false
        "#]],
    );
}

#[test]
fn a_bad_section_hides_no_good_one() {
    check_lenient(
        "*** Begin Patch\n*** Add File: a\n+x\nno plus\n+y\n*** Update File: b\n@@\n\tx\n\
         *** Update File: c\n*** Delete File: d\n*** Rename File: e\n*** Update File: f\n@@\n-a\n\
         *** Unknown\n*** Delete File: g",
        expect![[r#"
            add "a" "x\n"
            delete "d"
            delete "g"
            line 4: invalidHeader
            line 8: unexpectedLine
            line 9: emptyUpdate
            line 11: invalidHeader
            line 15: missingChunkHead
        "#]],
    );
    check_lenient(
        "just text",
        expect![[r"
            line 1: missingBegin
        "]],
    );
    check_lenient(
        "  ",
        expect![[r"
            line 1: emptyInput
        "]],
    );
}

#[test]
fn a_marker_quoted_in_a_context_line_is_no_header() {
    check_lenient(
        "*** Begin Patch\n*** Update File: doc.md\n@@\n *** Delete File: x\n-a\n*** End Patch",
        expect![[r#"
            update "doc.md" to None
              None [Context("*** Delete File: x"), Removed("a")] false
        "#]],
    );
}

#[test]
fn the_seeds_of_the_fuzz_target_hold() {
    fuzz_parse(include_bytes!(
        "../../../../tests/fuzz/seeds/patch_parse/sections"
    ));
    fuzz_parse(include_bytes!(
        "../../../../tests/fuzz/seeds/patch_parse/wrapped"
    ));
}
