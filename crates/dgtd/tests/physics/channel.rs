//! A straight channel along z in which plane waves with E along x propagate as in free space: PEC walls normal to x, PMC walls
//! normal to y. All one-dimensional tests run in it.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_dgtd::{Boundary, Injection, PlaneWave, Problem, Solution, Study, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet, TetMesh};

/// Runs a problem on the CPU.
pub fn solve(problem: Problem) -> (Study, Solution) {
    let study = prepare(problem).unwrap();
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    (study, solution)
}

/// A channel from z = `ends[0]` to `ends[1]`, one cell wide, with named parts, and with planes normal to z.
///
/// It should not be square: a square one, with its tetrahedra, stays the same when x and y and electric and magnetic fields are
/// exchanged, and a target with this symmetry has no backscattering (V. H. Weston, IEEE Trans. AP 11, 578, 1963), however coarse the mesh.
pub struct Channel<'a> {
    pub ends: [f64; 2],
    /// Along x and y, m.
    pub size: [f64; 2],
    /// Length of a cell, m.
    pub cell: f64,
    pub regions: &'a [(&'a str, f64, f64)],
    pub planes: &'a [(&'a str, f64)],
}

impl Channel<'_> {
    pub fn mesh(&self) -> TetMesh {
        let [from, to] = self.ends;
        let [w, h] = self.size;
        let regions = self.regions.iter().map(|&(name, low, high)| BoxRegion {
            name: name.into(),
            from: [0.0, 0.0, low],
            to: [w, h, high],
        });
        let sheets = self.planes.iter().map(|&(name, z)| BoxSheet {
            name: name.into(),
            from: [0.0, 0.0, z],
            to: [w, h, z],
        });
        BoxMesh {
            from: [0.0, 0.0, from],
            to: [w, h, to],
            cell: [w, h, self.cell],
            name: "air".into(),
            regions: regions.collect(),
            sheets: sheets.collect(),
        }
        .mesh()
        .unwrap()
    }
}

/// The walls, and the boundary conditions of the two ends, if they need any.
pub fn walls(ends: [Option<Boundary>; 2]) -> Vec<(String, Boundary)> {
    let sides =
        [("xmin", Boundary::Pec), ("xmax", Boundary::Pec), ("ymin", Boundary::Pmc), ("ymax", Boundary::Pmc)];
    let ends = ["zmin", "zmax"].into_iter().zip(ends).filter_map(|(name, end)| end.map(|end| (name, end)));
    sides.into_iter().chain(ends).map(|(name, boundary)| (name.into(), boundary)).collect()
}

/// A wave along z, injected through the TF/SF surface `hull`.
pub fn wave_along_z() -> PlaneWave {
    PlaneWave {
        propagation: [0.0, 0.0, 1.0],
        polarization: [1.0, 0.0, 0.0],
        injection: Injection::TfSf("hull".into()),
    }
}

/// E_x at a probe relative to the incident wave at the origin.
pub fn spectrum(study: &Study, solution: &Solution, probe: usize, frequency: f64) -> Complex64 {
    let values = study.probe(solution, probe).into_iter().map(|fields| fields[0]);
    study.transform(solution, values, frequency) / study.problem.pulse.spectrum(frequency)
}
