//! `phasefront licenses`: the licenses of everything inside the program, and the bill of materials.
//!
//! `tests/supply/notices.py` writes both files from the lock files; a test fails when they drift.

use crate::args::Licenses;
use crate::failure::Result;
use crate::stdout::Out;
use std::process::ExitCode;

const OWN: &str = "Phasefront is licensed under MIT or Apache-2.0, at your choice.\n\n";
const NOTICES: &str = include_str!("../../../third-party/NOTICES.txt");
const SBOM: &str = include_str!("../../../third-party/sbom.cdx.json");

/// Prints them.
pub fn licenses(args: &Licenses) -> Result<ExitCode> {
    let mut out = Out::default();
    if args.sbom {
        out.text(SBOM)?;
    } else {
        out.text(OWN)?;
        out.text(NOTICES)?;
    }
    Ok(ExitCode::SUCCESS)
}
