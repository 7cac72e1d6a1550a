//! Merges identical functions when the program is linked: generic code has many of them, and the program is 1 MB smaller.

use std::env::{self, VarError};
use std::path::Path;
use std::process::Command;

/// Where `rustc` links by its own copy of LLD.
const TARGET: &str = "x86_64-unknown-linux-gnu";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if links_by_lld() {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// Other linkers may refuse the option: one that is configured, or that of a `rustc` without LLD.
fn links_by_lld() -> bool {
    let is_unset = |name: &str| {
        env::var(name).map_or_else(|error| error == VarError::NotPresent, |value| value.is_empty())
    };
    let configured = !is_unset("RUSTC_LINKER") || !is_unset("CARGO_ENCODED_RUSTFLAGS");
    let has_lld = || {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
        let sysroot = String::from_utf8(output.stdout).ok()?;
        Some(Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("bin/rust-lld").exists())
    };
    env::var("TARGET").is_ok_and(|target| target == TARGET) && !configured && has_lld().unwrap_or(false)
}
