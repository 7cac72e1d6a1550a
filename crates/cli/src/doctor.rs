//! `phasefront doctor`: devices, their speed, and missing libraries.

use crate::args::Doctor;
use crate::failure::Result;
use crate::output::{Style, rate};
use crate::session::{Session, use_threads};
use crate::table::Table;
use phasefront_device::doctor::{self, Finding, Rates, State};
use phasefront_device::{DeviceChoice, DeviceError};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use std::process::ExitCode;

/// A device with its measured peak rates.
struct Measured {
    device: &'static str,
    rates: std::result::Result<Rates, DeviceError>,
}

/// Runs it.
pub fn doctor(args: &Doctor) -> Result<ExitCode> {
    let mut session = Session::new(&args.verbosity);
    use_threads(&args.threads)?;
    let style = session.style;
    let findings = doctor::findings();
    // The findings are printed before the measurements, which take seconds.
    session.print(&format!("phasefront {}\n\n{}", env!("CARGO_PKG_VERSION"), describe(&findings, style)))?;
    let measured = if args.no_measure { Vec::new() } else { measure() };
    if session.json {
        session.out.json(&document(&findings, &measured))?;
    } else if !measured.is_empty() {
        session.print(&format!("\n{}", ceilings(&measured).render(style)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The peak rates of every kind of device that opens; the findings say why others do not.
fn measure() -> Vec<Measured> {
    let choices = [DeviceChoice::Cpu, DeviceChoice::Cuda(None), DeviceChoice::OpenCl];
    // Devices that do not open are already among the findings.
    let opened = choices.into_iter().filter_map(|choice| phasefront_device::open(choice, false).ok());
    opened
        .map(|opened| Measured { device: opened.backend.name(), rates: doctor::measure(&opened.backend) })
        .collect()
}

fn describe(findings: &[Finding], style: Style) -> String {
    let width = findings.iter().map(|finding| finding.what.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for finding in findings {
        let state = format!("{:<7}", finding.state.to_string());
        let state = match finding.state {
            State::Found => style.green(&state),
            State::Missing => style.dim(&state),
            State::Broken => style.red(&state),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<width$}  {state}  {}", finding.what, finding.detail);
    }
    let mut advice: Vec<&str> =
        findings.iter().map(|f| f.advice.as_str()).filter(|a| !a.is_empty()).collect();
    // One package may provide several libraries.
    let mut seen = HashSet::new();
    advice.retain(|text| seen.insert(*text));
    if !advice.is_empty() {
        text +=
            "\nMissing libraries are needed for GPUs only; every solver runs on the CPU. To install them:\n";
        for line in advice {
            let _ = writeln!(text, "  - {line}");
        }
    }
    text
}

fn ceilings(measured: &[Measured]) -> Table {
    let mut table = Table::new(&["measured on"], &["copy", "complex GEMM"]);
    for Measured { device, rates } in measured {
        let cells = match rates {
            Ok(rates) => vec![rate(rates.copy_bytes_per_s, "B/s"), rate(rates.gemm_flop_per_s, "flop/s")],
            Err(error) => vec!["failed".to_owned(), error.to_string()],
        };
        table.row(&[vec![(*device).to_owned()], cells].concat(), None);
    }
    table
}

fn document(findings: &[Finding], measured: &[Measured]) -> Value {
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "what": finding.what,
                "state": finding.state.to_string(),
                "detail": finding.detail,
                "advice": finding.advice,
            })
        })
        .collect();
    let measured: Vec<Value> = measured
        .iter()
        .map(|Measured { device, rates }| match rates {
            Ok(rates) => json!({
                "device": device,
                "copy_bytes_per_s": rates.copy_bytes_per_s,
                "gemm_flop_per_s": rates.gemm_flop_per_s,
            }),
            Err(error) => json!({"device": device, "error": error.to_string()}),
        })
        .collect();
    json!({"version": env!("CARGO_PKG_VERSION"), "findings": findings, "measured": measured})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_advice_is_given_once() {
        let finding = |what: &str, state, advice: &str| Finding {
            what: what.to_owned(),
            state,
            detail: "detail".to_owned(),
            advice: advice.to_owned(),
        };
        let findings = [
            finding("CPU", State::Found, ""),
            finding("cuFFT", State::Missing, "install the toolkit"),
            finding("cuBLAS", State::Broken, "install the toolkit"),
        ];
        let text = describe(&findings, Style::PLAIN);
        assert!(text.contains("CPU     found    detail\n"), "{text}");
        assert_eq!(text.matches("install the toolkit").count(), 1, "{text}");
        assert_eq!(document(&findings, &[])["findings"][1]["state"], "missing");
    }
}
