#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| acp_grammar::shell::fuzz_shell(data));
