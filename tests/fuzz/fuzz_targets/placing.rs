#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| activity_core::placing::fuzz_placing(data));
