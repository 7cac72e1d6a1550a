//! The `phasefront` command.
fn main() {}
