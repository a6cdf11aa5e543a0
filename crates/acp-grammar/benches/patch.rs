//! Parsing 50 MB of `apply_patch` payloads, beside a newline scan of the same bytes.
//!
//! Prints one line per kind of payload and dialect: the ratio of the two times, best of several
//! rounds of one run. The machine's speed cancels out. The target is 6, for payloads as agents
//! send them. Two extremes stand beside it: one long new file, and very many tiny sections, whose
//! parsed form takes several times the memory of the payload.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark measures time and prints it"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use acp_grammar::patch::{Dialect, parse};
use memchr::memchr_iter;

const BYTES: usize = 50_000_000;
const ROUNDS: usize = 7;
const TARGET: f64 = 6.0;
const CALLS: &str = "S3: calls as agents send them";

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let bytes = if std::env::args().any(|arg| arg == "--test") {
        50_000
    } else {
        BYTES
    };
    for (name, payloads) in [
        (CALLS, calls(bytes)),
        (
            "extreme: very many tiny sections",
            vec![small_sections(bytes)],
        ),
        ("extreme: one long new file", vec![long_file(bytes)]),
    ] {
        report(name, &payloads);
    }
}

fn report(name: &str, payloads: &[String]) {
    // Counting is the fastest scan there is: it need not stop at each newline.
    let count = best(|| {
        payloads
            .iter()
            .map(|payload| memchr_iter(b'\n', black_box(payload.as_bytes())).count())
            .sum()
    });
    let scan = best(|| {
        payloads
            .iter()
            .flat_map(|payload| memchr_iter(b'\n', black_box(payload.as_bytes())))
            .fold(0, |lines, newline| {
                black_box(newline);
                lines + 1
            })
    });
    for dialect in Dialect::ALL {
        let parsing = best(|| {
            payloads
                .iter()
                .map(|payload| {
                    let patch = parse(black_box(payload), dialect).expect("the payload parses");
                    black_box(&patch).sections.len()
                })
                .sum()
        });
        let ratio = parsing.as_secs_f64() / scan.as_secs_f64();
        let to_count = parsing.as_secs_f64() / count.as_secs_f64();
        let verdict = match (name == CALLS, ratio <= TARGET) {
            (true, true) => " (target 6 x, met)",
            (true, false) => " (target 6 x, MISSED)",
            (false, _) => "",
        };
        println!(
            "{name}, {dialect}: {ratio:.2} x a newline scan{verdict}, \
             {to_count:.2} x counting newlines"
        );
    }
}

fn best(mut work: impl FnMut() -> usize) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Payloads of one to three sections with lines of code, as models write them.
fn calls(bytes: usize) -> Vec<String> {
    let mut payloads = Vec::new();
    let mut total = 0;
    for n in 0.. {
        if total >= bytes {
            break;
        }
        let payload = call(n);
        total += payload.len();
        payloads.push(payload);
    }
    payloads
}

fn call(n: usize) -> String {
    let mut text = String::from("*** Begin Patch\n");
    if n.is_multiple_of(3) {
        writeln!(text, "*** Add File: src/generated/module_{n}.rs").expect("writing to a string");
        for line in 0..40 {
            writeln!(
                text,
                "+    let value_{line} = compute(&input, {n} + {line})?;"
            )
            .expect("writing to a string");
        }
    }
    writeln!(text, "*** Update File: src/handlers/request_{n}.rs").expect("writing to a string");
    for chunk in 0..3 {
        writeln!(
            text,
            "@@ fn handler_{chunk}(state: &State) -> Result<()> {{"
        )
        .expect("writing to a string");
        text += "     let request = state.request();\n     if request.is_empty() {\n";
        writeln!(text, "-        return Err(Error::Empty({n}));").expect("writing to a string");
        writeln!(
            text,
            "+        tracing::debug!(chunk = {chunk}, \"empty request\");"
        )
        .expect("writing to a string");
        writeln!(text, "+        return Err(Error::Empty {{ id: {n} }});")
            .expect("writing to a string");
        text += "     }\n\n     Ok(())\n";
    }
    if n.is_multiple_of(4) {
        writeln!(text, "*** Delete File: src/old/handler_{n}.rs").expect("writing to a string");
    }
    text + "*** End Patch\n"
}

fn small_sections(bytes: usize) -> String {
    let mut text = String::from("*** Begin Patch\n");
    let mut n = 0;
    while text.len() < bytes {
        writeln!(
            text,
            "*** Update File: f{n}\n@@\n-a\n+b\n*** Delete File: g{n}"
        )
        .expect("writing to a string");
        n += 1;
    }
    text + "*** End Patch\n"
}

fn long_file(bytes: usize) -> String {
    let mut text = String::from("*** Begin Patch\n*** Add File: long.txt\n");
    let mut n = 0;
    while text.len() < bytes {
        writeln!(text, "+line {n} of a long file").expect("writing to a string");
        n += 1;
    }
    text + "*** End Patch\n"
}
