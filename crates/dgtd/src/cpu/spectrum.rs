//! Eigenvalues of the spatial operator: the matrix of rates of all unknowns, from the sweep itself.

use super::engine::CpuEngine;
use crate::engine::Engine;
use crate::problem::{Boundary, Flux, PmlKind, Problem};
use crate::share::Share;
use crate::study::{Study, prepare};
use faer::Mat;
use num_complex::Complex64;
use phasefront_mesh::{BoxMesh, BoxRegion};

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

/// λ of ∂u/∂τ = λu, 1/m.
fn spectrum(study: &Study) -> Vec<Complex64> {
    let share = Share::whole(study);
    let mut cpu = CpuEngine::<f64>::new(&share).unwrap();
    let len = cpu.state().unwrap().len() / size_of::<f64>();
    let mut matrix = Mat::<f64>::zeros(len, len);
    for column in 0..len {
        let mut state = vec![0.0; len];
        state[column] = 1.0;
        cpu.restore(bytemuck::cast_slice(&state), &[]).unwrap();
        // A unit vector yields a column of the matrix.
        cpu.add_rates();
        let after: Vec<f64> = bytemuck::pod_collect_to_vec(&cpu.state().unwrap());
        for row in 0..len {
            matrix[(row, column)] = after[row] - state[row];
        }
    }
    matrix.eigenvalues().unwrap()
}

/// The largest and the smallest real part over the largest |λ|.
fn extent(study: &Study) -> [f64; 2] {
    let spectrum = spectrum(study);
    let size = spectrum.iter().map(|l| l.norm()).fold(0.0, f64::max);
    let real = |pick: fn(f64, f64) -> f64| spectrum.iter().map(|l| l.re / size).fold(0.0, pick);
    [real(f64::max), real(f64::min)]
}

/// Two cells between PEC walls.
fn cavity(order: usize, flux: Flux) -> Study {
    let mesh = BoxMesh { to: [2.0, 1.0, 1.3], name: "air".into(), ..BoxMesh::default() };
    prepare(Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        highest_frequency: 1e7,
        order,
        flux,
        ..Problem::default()
    })
    .unwrap()
}

/// The central flux conserves energy: all eigenvalues lie on the imaginary axis. The upwind flux dissipates.
#[test]
fn fluxes_keep_or_damp() {
    for order in 1..=2 {
        let [most, least] = extent(&cavity(order, Flux::Central));
        assert!(most < 1e-12 && least > -1e-12, "order {order}: {most:e}, {least:e}");
        let [most, least] = extent(&cavity(order, Flux::Upwind));
        assert!(most < 1e-12 && least < -0.1, "order {order}: {most:e}, {least:e}");
    }
}

/// A cell between PEC walls with a PML of `layers` cells behind it, and perhaps one of a cell beside it, so that both
/// meet at an edge.
fn layered(order: usize, pml: PmlKind, layers: usize, edge: bool) -> Study {
    let depth = 0.2 / layers as f64;
    let air = BoxRegion { name: "air".into(), from: [0.0; 3], to: [depth, 0.13, 0.1] };
    let mesh = BoxMesh {
        to: [0.2 + depth, if edge { 0.26 } else { 0.13 }, 0.1],
        cell: [depth, 0.13, 0.1],
        name: "pml".into(),
        regions: vec![air],
        ..BoxMesh::default()
    };
    prepare(Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: ["xmin", "ymin", "ymax", "zmin", "zmax"].map(|name| (name.into(), Boundary::Pec)).into(),
        highest_frequency: 1e7,
        order,
        pml,
        ..Problem::default()
    })
    .unwrap()
}

/// PMLs are stable, however thin. Without CFS, zero is a defective double eigenvalue (static fields drift), which rounding splits
/// by its square root, 1e-8.
#[test]
fn layers_let_nothing_grow() {
    let cases = [(1, 1), (1, 2), (1, 3), (2, 1)];
    let all = cases.map(|case| (PmlKind::Cfs, case)).into_iter();
    let all = all.chain(cases.map(|case| (PmlKind::Uniaxial, case)));
    for (pml, (order, layers)) in all.chain([(PmlKind::Uniaxial, (2, 2))]) {
        let [most, least] = extent(&layered(order, pml, layers, false));
        assert!(most < 1e-6 && least < -0.1, "{pml:?}, order {order}, {layers} cells: {most:e}, {least:e}");
    }
}

/// So are PML edges.
#[test]
fn edges_of_layers_let_nothing_grow() {
    for pml in [PmlKind::Cfs, PmlKind::Uniaxial] {
        let [most, least] = extent(&layered(1, pml, 1, true));
        assert!(most < 1e-6 && least < -0.1, "{pml:?}: {most:e}, {least:e}");
    }
}
