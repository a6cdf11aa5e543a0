#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| acp_grammar::patch::fuzz_parse(data));
