//! Finding the end of a run of lines that begin alike, which is where most of a payload goes.
//!
//! Lines need not be found one by one for that: only the place matters where a line ending is
//! followed by an unlike byte. Blocks of fixed size let the compiler compare many bytes at once.

/// Bytes that are compared at once.
const BLOCK: usize = 64;

/// The start of the next line behind `from` whose first byte is not `alike`, or the end of
/// `bytes`.
pub(super) fn next_unlike(bytes: &[u8], from: usize, alike: impl Fn(u8) -> bool) -> usize {
    let ends_here = |(byte, next): (&u8, &u8)| *byte == b'\n' && !alike(*next);
    let mut at = from;
    while let (Some(block), Some(nexts)) = (block(bytes, at), block(bytes, at + 1)) {
        // No early exit: that is what makes it one comparison of many bytes.
        let found = block
            .iter()
            .zip(nexts)
            .fold(0_u8, |found, pair| found | u8::from(ends_here(pair)));
        if found != 0 {
            break;
        }
        at += BLOCK;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter()
        .zip(rest.iter().skip(1))
        .position(ends_here)
        .map_or(bytes.len(), |lf| at + lf + 1)
}

fn block(bytes: &[u8], at: usize) -> Option<&[u8; BLOCK]> {
    bytes.get(at..)?.first_chunk()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_walk_over_the_lines_finds(
            text in "(a{0,90}|[+a]{0,3}\n){0,60}",
            from in 0..40_usize,
        ) {
            let bytes = text.as_bytes();
            let mut starts = (from + 1..bytes.len()).filter(|at| bytes[at - 1] == b'\n');
            let expected = starts.find(|at| bytes[*at] != b'+').unwrap_or(bytes.len());
            prop_assert_eq!(next_unlike(bytes, from, |byte| byte == b'+'), expected);
        }
    }
}
