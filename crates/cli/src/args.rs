//! What the command line accepts. Each subcommand lists the flags it uses and no other.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;
use phasefront_device::DeviceChoice;
use phasefront_run::{Format, Options};
use std::path::PathBuf;

/// One toolkit for wave fields: scattering, antennas and sound, on any CPU or an NVIDIA GPU.
#[derive(Debug, Parser)]
#[command(
    name = "phasefront",
    version,
    after_help = "Start with:  phasefront demo\nHelp on one command:  phasefront run --help",
    after_long_help = "Exit codes: 0 done, 1 a check failed or something broke, 2 bad input, 3 not converged, \
                       4 device failure, 130 interrupted.\n\nStart with:  phasefront demo",
    disable_help_subcommand = true
)]
pub struct Cli {
    /// What to do; none prints the short help.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the small built-in cases and compare them with their references
    #[command(after_help = "Example:  phasefront demo --device cpu")]
    Demo(Demo),
    /// Write a commented case file that runs as it is
    #[command(after_help = "Example:  phasefront new mom plate.toml")]
    New(New),
    /// Check a case file and say what running it would take
    #[command(after_help = "Example:  phasefront check mom.toml")]
    Check(Check),
    /// Run a case and write its result folder
    #[command(after_help = "Example:  phasefront run mom.toml --device cuda --out results/first")]
    Run(Run),
    /// Go on with a run that was stopped, in its own folder
    #[command(after_help = "Example:  phasefront resume results/shaped-beam")]
    Resume(Resume),
    /// Time fixed workloads against what this machine can do
    #[command(after_help = "Example:  phasefront bench mom --json")]
    Bench(Bench),
    /// Say what this machine offers, how fast it is, and what is missing
    #[command(after_help = "Example:  phasefront doctor")]
    Doctor(Doctor),
    /// Show results in a browser: charts to zoom, bodies to turn, runs to compare
    #[command(after_help = "Example:  phasefront view results")]
    View(View),
    /// Print the JSON schema of case files
    #[command(after_help = "Example:  phasefront schema > case-1.schema.json")]
    Schema,
    /// Print what a shell needs to complete commands and flags
    #[command(
        after_help = "Example:  phasefront completions bash > ~/.local/share/bash-completion/completions/phasefront"
    )]
    Completions(Completions),
    /// Print the manual page
    #[command(after_help = "Example:  phasefront man > phasefront.1 && man ./phasefront.1")]
    Man,
}

/// `phasefront demo`.
#[derive(Debug, Args)]
pub struct Demo {
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub loudness: Loudness,
    /// Folder to write
    #[arg(long, value_name = "DIR", default_value = "results/demo")]
    pub out: PathBuf,
    /// Same bits from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
}

/// `phasefront new`.
#[derive(Debug, Args)]
pub struct New {
    #[arg(help = format!("Solver: {}", phasefront_run::solvers().join(", ")))]
    pub solver: String,
    /// File to write, `-` for standard output [default: SOLVER.toml]
    pub file: Option<PathBuf>,
    /// Overwrite the file if it is there
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `phasefront check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Case file, or a folder with a case.toml
    pub case: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `phasefront run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Case file, or a folder with a case.toml
    pub case: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub loudness: Loudness,
    /// Folder to write [default: results/CASE-NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite a folder that holds a result
    #[arg(long)]
    pub force: bool,
    /// Same bits from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
    /// How to write arrays: npz, a file for each group of them; or h5, one HDF5 file with all arrays and tables
    #[arg(long, value_name = "FORMAT", default_value = "npz", value_parser = format())]
    pub format: Format,
    /// Show the run in a browser as it goes on; ends when the page is closed
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub page: Page,
}

/// `phasefront view`.
#[derive(Debug, Args)]
pub struct View {
    /// Folder with runs in it, or of one run
    #[arg(value_name = "DIR", default_value = "results")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub page: Page,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `phasefront completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// Which shell
    pub shell: Shell,
}

/// Where the page is.
#[derive(Debug, Args)]
pub struct Page {
    /// Port on this machine [default: any that is free]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Print the address and open no browser
    #[arg(long)]
    pub no_browser: bool,
}

/// `phasefront resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// Folder of a run that was stopped
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub loudness: Loudness,
    /// Same bits from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
}

/// `phasefront bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// What to time; everything if none is named
    #[arg(value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(phasefront_bench::names()))]
    pub names: Vec<String>,
    /// Also time SciPy (mom), FINUFFT (nufft) and Embree (sbr) on the same work, if python3 has them
    #[arg(long)]
    pub compare: bool,
    /// How the time grows with frequency, directions and triangles (sbr), instead of the fixed workloads
    #[arg(long)]
    pub scaling: bool,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `phasefront doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Leave out the measurements
    #[arg(long)]
    pub no_measure: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `--device`.
#[derive(Debug, Args)]
pub struct Device {
    /// Where to compute: auto, cpu, cuda, cuda:N or opencl; auto takes the GPU if it works
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device)]
    pub device: DeviceChoice,
}

/// `--threads`.
#[derive(Debug, Args)]
pub struct Threads {
    /// CPU threads, up to 1024 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// How much to say, and in what form.
#[derive(Debug, Args)]
pub struct Loudness {
    /// Print one JSON document on standard output, and no progress
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Say more: -v what is done, -vv details
    #[arg(short, action = ArgAction::Count)]
    pub verbose: u8,
}

/// The spelling is checked here, where the message can name the flag; whether the device can be had is
/// for the run to find out.
fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse().map_err(|_| "expected auto, cpu, cuda, cuda:N or opencl".to_owned())
}

/// The words of `--format`.
fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["npz", "h5"]).map(|word| if word == "h5" { Format::Hdf5 } else { Format::Npz })
}

impl Demo {
    pub fn options(&self) -> Options {
        // The demo owns its folder: a second run replaces the first.
        Options {
            device: self.device.device,
            out: Some(self.out.clone()),
            force: true,
            deterministic: self.deterministic,
            ..Options::default()
        }
    }
}

impl Check {
    pub fn options(&self) -> Options {
        Options { device: self.device.device, ..Options::default() }
    }
}

impl Run {
    pub fn options(&self) -> Options {
        Options {
            device: self.device.device,
            out: self.out.clone(),
            force: self.force,
            deterministic: self.deterministic,
            format: self.format,
        }
    }
}

impl Resume {
    pub fn options(&self) -> Options {
        Options { device: self.device.device, deterministic: self.deterministic, ..Options::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn devices_are_spelled_one_way() {
        for good in ["auto", "cpu", "cuda", "cuda:0", "cuda:12", "opencl"] {
            assert_eq!(device(good).map(|choice| choice.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:x", "opencl:0"] {
            assert!(device(bad).is_err(), "{bad}");
        }
    }
}
