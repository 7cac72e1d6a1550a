//! Subcommands and flags. Each subcommand lists only the flags that it uses.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;
use phasefront_device::DeviceChoice;
use phasefront_run::{Format, Options, Shard};
use std::path::PathBuf;

/// Wave-field solvers for scattering, antennas and acoustics, on any CPU or an NVIDIA GPU.
#[derive(Debug, Parser)]
#[command(
    name = "phasefront",
    version,
    after_help = "Start with:  phasefront demo\nHelp on one command:  phasefront run --help",
    after_long_help = "Exit codes: 0 success, 1 failed check or internal error, 2 invalid input, 3 not converged, \
                       4 device failure, 130 interrupted.\n\nStart with:  phasefront demo",
    disable_help_subcommand = true
)]
pub struct Cli {
    /// The subcommand; without one, the short help is printed.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the built-in cases and compare them with their references
    #[command(after_help = "Example:  phasefront demo --device cpu")]
    Demo(Demo),
    /// Write a commented case file that runs unchanged
    #[command(after_help = "Example:  phasefront new mom plate.toml")]
    New(New),
    /// Validate a case file and report the resources that it needs
    #[command(after_help = "Example:  phasefront check mom.toml")]
    Check(Check),
    /// Make or read the mesh of a case, describe it, and show it in a browser
    #[command(after_help = "Example:  phasefront mesh antenna.toml --view")]
    Mesh(Mesh),
    /// Run a case and write its result folder
    #[command(after_help = "Example:  phasefront run mom.toml --device cuda --out results/first")]
    Run(Run),
    /// Resume an interrupted run
    #[command(after_help = "Example:  phasefront resume results/shaped-beam")]
    Resume(Resume),
    /// Run many cases from one, with lists of values for its keys
    #[command(after_help = "Example:  phasefront sweep sizes.toml --shard 3/64")]
    Sweep(Sweep),
    /// Time fixed workloads relative to the machine's peak rates
    #[command(after_help = "Example:  phasefront bench mom --json")]
    Bench(Bench),
    /// Report devices, their speed, and missing libraries
    #[command(after_help = "Example:  phasefront doctor")]
    Doctor(Doctor),
    /// Show results in a browser, with interactive charts and comparison of runs
    #[command(after_help = "Example:  phasefront view results")]
    View(View),
    /// Print the JSON schema of case files
    #[command(after_help = "Example:  phasefront schema > case-1.schema.json")]
    Schema,
    /// Print a shell completion script
    #[command(
        after_help = "Example:  phasefront completions bash > ~/.local/share/bash-completion/completions/phasefront"
    )]
    Completions(Completions),
    /// Print the licenses of the software inside the program
    #[command(after_help = "Example:  phasefront licenses --sbom > sbom.cdx.json")]
    Licenses(Licenses),
    /// Print the manual page
    #[command(after_help = "Example:  phasefront man > phasefront.1 && man ./phasefront.1")]
    Man,
}

/// `phasefront licenses`.
#[derive(Debug, Args)]
pub struct Licenses {
    /// Print the bill of materials instead: CycloneDX, JSON
    #[arg(long)]
    pub sbom: bool,
}

/// `phasefront demo`.
#[derive(Debug, Args)]
pub struct Demo {
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: Verbosity,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "results/demo")]
    pub out: PathBuf,
    /// Bit-identical results from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
}

/// `phasefront new`.
#[derive(Debug, Args)]
pub struct New {
    #[arg(help = format!("Solver: {}", phasefront_run::solvers().join(", ")))]
    pub solver: String,
    /// File to write, `-` for standard output [default: SOLVER.toml, or TEMPLATE.toml]
    pub file: Option<PathBuf>,
    #[arg(long, value_name = "TEMPLATE")]
    #[arg(help = format!("Model to start from, of dgtd: {}", phasefront_run::template_names("dgtd").join(", ")))]
    pub template: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// `phasefront check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Case file, or a folder that contains a case.toml
    pub case: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// `phasefront mesh`.
#[derive(Debug, Args)]
pub struct Mesh {
    /// Case file of the solver dgtd, or a folder that contains a case.toml
    pub case: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub verbosity: Verbosity,
    /// Write the mesh to this file, in meters, and a picture beside it
    #[arg(long, value_name = "FILE.msh")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// Show the mesh in a browser, by groups and by the quality of its elements
    #[arg(long)]
    pub view: bool,
    #[command(flatten)]
    pub page: Page,
}

/// `phasefront run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Case file, or a folder that contains a case.toml
    pub case: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: Verbosity,
    /// Result folder [default: results/CASE-NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing result
    #[arg(long)]
    pub force: bool,
    /// Bit-identical results from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
    /// Array format: npz (one file per group of arrays) or h5 (one HDF5 file with all arrays and tables)
    #[arg(long, value_name = "FORMAT", default_value = "npz", value_parser = format())]
    pub format: Format,
    /// Show the run in a browser while it progresses; ends when the page is closed
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub page: Page,
}

/// `phasefront view`.
#[derive(Debug, Args)]
pub struct View {
    /// Folder of results, or of one run
    #[arg(value_name = "DIR", default_value = "results")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub page: Page,
    /// Print errors and warnings only
    #[arg(long, short)]
    pub quiet: bool,
}

/// `phasefront completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// Shell
    pub shell: Shell,
}

/// Address of the page.
#[derive(Debug, Args)]
pub struct Page {
    /// Local port [default: any free port]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Print the address without opening a browser
    #[arg(long)]
    pub no_browser: bool,
    /// Let in every user of this machine: no token in the address
    #[arg(long)]
    pub no_token: bool,
}

/// `phasefront resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// Folder of the interrupted run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: Verbosity,
    /// Discard saved work that does not fit the case or its files any more, and start over
    #[arg(long)]
    pub force: bool,
    /// Bit-identical results from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
}

/// `phasefront sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// Sweep file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: Verbosity,
    /// Folder of the sweep [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run all points again; without it, points that are done are skipped and interrupted ones resumed
    #[arg(long)]
    pub force: bool,
    /// Run part K of N, K from 1 to N: points K-1, K-1+N, ... [default: that of the Slurm job array, or all]
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub instead: Instead,
    /// Draw the plots of every point
    #[arg(long)]
    pub plots: bool,
    /// Bit-identical results from run to run on one device and thread count
    #[arg(long)]
    pub deterministic: bool,
    /// Array format: npz (one file per group of arrays) or h5 (one HDF5 file with all arrays and tables)
    #[arg(long, value_name = "FORMAT", default_value = "npz", value_parser = format())]
    pub format: Format,
}

/// What a sweep does instead of running.
#[derive(Debug, Args)]
pub struct Instead {
    /// Check all points and list them, without running any
    #[arg(long, conflicts_with = "collect")]
    pub dry_run: bool,
    /// Only write sweep.csv, from the points that are done
    #[arg(long)]
    pub collect: bool,
}

/// `phasefront bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// Benchmarks to run [default: all]
    #[arg(value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(phasefront_bench::names()))]
    pub names: Vec<String>,
    /// Also time SciPy (mom), FINUFFT (nufft) and Embree (sbr) on the same work, if python3 can import them
    #[arg(long)]
    pub compare: bool,
    /// Measure how the time scales with frequency, directions and triangles (sbr), instead of the fixed workloads
    #[arg(long)]
    pub scaling: bool,
    #[command(flatten)]
    pub device: Device,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// `phasefront doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Skip the measurements
    #[arg(long)]
    pub no_measure: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// `--device`.
#[derive(Debug, Args)]
pub struct Device {
    /// Device: auto, cpu, cuda, cuda:N, cuda:N,M (several GPUs) or opencl; auto selects the GPU if it is usable
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device)]
    pub device: DeviceChoice,
}

/// `--threads`.
#[derive(Debug, Args)]
pub struct Threads {
    /// Number of CPU threads, up to 1024 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Amount and form of the output.
#[derive(Debug, Args)]
pub struct Verbosity {
    /// Print one JSON document on standard output, without progress
    #[arg(long)]
    pub json: bool,
    /// Print errors and warnings only
    #[arg(long, short)]
    pub quiet: bool,
    /// More messages: -v for steps, -vv for details
    #[arg(short, action = ArgAction::Count)]
    pub verbose: u8,
}

/// The spelling is checked here, where the message can name the flag; whether the device is available is found by the run.
fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse().map_err(|_| "expected auto, cpu, cuda, cuda:N, cuda:N,M or opencl".to_owned())
}

/// The values of `--format`.
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

impl Mesh {
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
            ..Options::default()
        }
    }
}

impl Resume {
    pub fn options(&self) -> Options {
        Options {
            device: self.device.device,
            force: self.force,
            deterministic: self.deterministic,
            ..Options::default()
        }
    }
}

impl Sweep {
    pub fn options(&self) -> Options {
        Options {
            device: self.device.device,
            out: self.out.clone(),
            force: self.force,
            deterministic: self.deterministic,
            format: self.format,
            skip_plots: !self.plots,
            ..Options::default()
        }
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
