#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| phasefront_fuzz::call("recordings", bytes));
