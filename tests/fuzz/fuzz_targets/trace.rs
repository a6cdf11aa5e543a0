#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| editor_server::replay::fuzz_trace(data));
