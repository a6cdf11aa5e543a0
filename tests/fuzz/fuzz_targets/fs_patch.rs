#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| workspace_fs::fuzz_patch(data));
