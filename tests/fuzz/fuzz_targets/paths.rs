#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| activity_core::path::fuzz_paths(data));
