//! Parsing 50 MB of `apply_patch` payloads, beside one newline scan of the same bytes.
//!
//! Prints one line per kind of payload: the ratio of the two times, taken in one run, best of
//! several. The machine's speed cancels out. The target is 6.

use std::hint::black_box;
use std::time::{Duration, Instant};

use acp_grammar::patch::{Dialect, parse};
use memchr::memchr_iter;

const BYTES: usize = 50_000_000;
const ROUNDS: usize = 7;
const TARGET: f64 = 6.0;

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let bytes = if std::env::args().any(|arg| arg == "--test") {
        50_000
    } else {
        BYTES
    };
    for (name, payloads) in [
        ("calls as agents send them", calls(bytes)),
        (
            "one payload with many small sections",
            vec![small_sections(bytes)],
        ),
        ("one payload with one long new file", vec![long_file(bytes)]),
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
        let verdict = if ratio <= TARGET { "met" } else { "MISSED" };
        println!(
            "S3 {name}, {dialect}: {ratio:.2} x a newline scan (target {TARGET} x, {verdict}), \
             {to_count:.1} x counting newlines"
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
    if n % 3 == 0 {
        text += &format!("*** Add File: src/generated/module_{n}.rs\n");
        for line in 0..40 {
            text += &format!("+    let value_{line} = compute(&input, {n} + {line})?;\n");
        }
    }
    text += &format!("*** Update File: src/handlers/request_{n}.rs\n");
    for chunk in 0..3 {
        text += &format!("@@ fn handler_{chunk}(state: &State) -> Result<()> {{\n");
        text += "     let request = state.request();\n     if request.is_empty() {\n";
        text += &format!("-        return Err(Error::Empty({n}));\n");
        text += &format!("+        tracing::debug!(chunk = {chunk}, \"empty request\");\n");
        text += &format!("+        return Err(Error::Empty {{ id: {n} }});\n");
        text += "     }\n\n     Ok(())\n";
    }
    if n % 4 == 0 {
        text += &format!("*** Delete File: src/old/handler_{n}.rs\n");
    }
    text + "*** End Patch\n"
}

fn small_sections(bytes: usize) -> String {
    let mut text = String::from("*** Begin Patch\n");
    let mut n = 0;
    while text.len() < bytes {
        text += &format!("*** Update File: f{n}\n@@\n-a\n+b\n*** Delete File: g{n}\n");
        n += 1;
    }
    text + "*** End Patch\n"
}

fn long_file(bytes: usize) -> String {
    let mut text = String::from("*** Begin Patch\n*** Add File: long.txt\n");
    let mut n = 0;
    while text.len() < bytes {
        text += &format!("+line {n} of a long file\n");
        n += 1;
    }
    text + "*** End Patch\n"
}
