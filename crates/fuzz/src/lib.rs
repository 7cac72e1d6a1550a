//! Everything that reads bytes of others, one function for each: the targets of fuzzing.
//!
//! [`TARGETS`] lists them with their seeds: files of the gallery, of tests, and small ones made here ([`seeds`]). The program of
//! this crate mutates the seeds ([`mutate`]) and calls the targets for a while, on stable Rust; the folder `fuzz/` of the
//! repository does the same with cargo-fuzz, which needs a nightly compiler. A target returns whatever its input is: a panic, an
//! abort, a hang or memory out of proportion to the input is a defect.
//!
//! ```
//! for target in phasefront_fuzz::TARGETS {
//!     (target.run)(b"");
//! }
//! ```

#![forbid(unsafe_code)]

mod files;
mod meshes;
pub mod mutate;
mod planted;
mod recordings;
pub mod seeds;
mod states;
mod texts;
mod wire;

pub use files::FOLDER_VARIABLE;
pub use planted::PLANTED;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static ACCEPTED: AtomicU64 = AtomicU64::new(0);

/// How many inputs were accepted so far, by whatever target: damage that is always refused at once tests little.
pub fn accepted() -> u64 {
    ACCEPTED.load(Relaxed)
}

/// Counts an input that was accepted.
fn accept() {
    ACCEPTED.fetch_add(1, Relaxed);
}

/// Something that reads bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// Reads the bytes.
    pub run: fn(&[u8]),
    /// Inputs that it accepts, to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Calls in a row before the next target has its turn: fewer where a call takes long.
    pub batch: u64,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "case", run: texts::case, seeds: seeds::cases, batch: 200 },
    Target { name: "sweep", run: texts::sweep, seeds: seeds::sweeps, batch: 200 },
    Target { name: "expected", run: texts::expected, seeds: seeds::expected, batch: 1000 },
    Target { name: "result", run: texts::result, seeds: seeds::results, batch: 1000 },
    Target { name: "stl", run: meshes::stl, seeds: seeds::stl, batch: 1000 },
    Target { name: "obj", run: meshes::obj, seeds: seeds::obj, batch: 1000 },
    Target { name: "ply", run: meshes::ply, seeds: seeds::ply, batch: 1000 },
    Target { name: "unv", run: meshes::unv, seeds: seeds::unv, batch: 500 },
    Target { name: "inp", run: meshes::inp, seeds: seeds::inp, batch: 1000 },
    Target { name: "gltf", run: meshes::gltf, seeds: seeds::gltf, batch: 500 },
    Target { name: "gmsh-surface", run: meshes::gmsh_surface, seeds: seeds::gmsh, batch: 200 },
    Target { name: "gmsh-outline", run: meshes::gmsh_outline, seeds: seeds::gmsh, batch: 200 },
    Target { name: "gmsh-volume", run: meshes::gmsh_volume, seeds: seeds::gmsh, batch: 200 },
    Target { name: "mfem", run: meshes::mfem, seeds: seeds::mfem, batch: 500 },
    Target { name: "svg", run: meshes::svg, seeds: seeds::svg, batch: 500 },
    Target { name: "points", run: meshes::points, seeds: seeds::points, batch: 500 },
    Target { name: "wav", run: files::wav, seeds: seeds::wav, batch: 50 },
    Target { name: "recordings", run: files::recordings, seeds: recordings::seeds, batch: 50 },
    Target { name: "npy", run: files::npy, seeds: seeds::npy, batch: 50 },
    Target { name: "npz", run: files::npz, seeds: seeds::npz, batch: 50 },
    Target { name: "raw", run: files::raw, seeds: seeds::raw, batch: 50 },
    Target { name: "spectra", run: files::spectra, seeds: seeds::spectra, batch: 50 },
    Target { name: "positions", run: files::positions, seeds: seeds::positions, batch: 50 },
    Target { name: "medium", run: files::medium, seeds: seeds::media, batch: 50 },
    Target { name: "design", run: files::design, seeds: seeds::designs, batch: 50 },
    Target { name: "reflection", run: files::reflection, seeds: seeds::reflections, batch: 50 },
    Target { name: "feed", run: files::feed, seeds: seeds::feeds, batch: 50 },
    Target { name: "geojson", run: files::geojson, seeds: seeds::geojson, batch: 200 },
    Target { name: "states", run: states::states, seeds: seeds::states, batch: 1000 },
    Target { name: "records", run: states::records, seeds: seeds::records, batch: 100 },
    Target { name: "checkpoint", run: states::checkpoint, seeds: seeds::checkpoints, batch: 20 },
    Target { name: "datagram", run: wire::datagram, seeds: seeds::datagrams, batch: 1000 },
    Target { name: "http", run: wire::http, seeds: seeds::requests, batch: 20 },
];

/// Calls the target of this name; without one, nothing happens.
pub fn call(name: &str, bytes: &[u8]) {
    if let Some(target) = TARGETS.iter().find(|target| target.name == name) {
        (target.run)(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_fuzz_has_the_same_targets() {
        let manifest = include_str!("../../../fuzz/Cargo.toml");
        for target in TARGETS {
            assert!(manifest.contains(&format!("name = \"{}\"\n", target.name)), "{}", target.name);
        }
        assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    }
}
