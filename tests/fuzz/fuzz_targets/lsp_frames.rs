#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| editor_server::transport::fuzz_frames(data));
