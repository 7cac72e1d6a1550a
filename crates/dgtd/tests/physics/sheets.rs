//! Conductors with skin effect, and lumped elements.

use crate::channel::solve;
use crate::ports::{LENGTH, Z0, loaded_line, port};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0, MU0};
use phasefront_dgtd::{
    Boundary, Circuit, Coating, Conductor, Connection, Initial, LumpedElement, Problem, Pulse, Sources, Stop,
};
use phasefront_mesh::BoxMesh;
use std::f64::consts::{PI, TAU};

fn lumped(surface: &str, circuit: Circuit) -> Vec<LumpedElement> {
    vec![LumpedElement { surface: surface.into(), along: [1.0, 0.0, 0.0], circuit }]
}

/// R, L and C, and all of them together, with impedances of the order of the line's.
fn circuits() -> Vec<Circuit> {
    let (r, l, c) = (150.0, 40e-9, 1.5e-12);
    let given = |mask: usize, bit: usize, value: f64| (mask >> bit & 1 == 1).then_some(value);
    let of = |mask: usize, connection| Circuit {
        resistance: given(mask, 0, r),
        inductance: given(mask, 1, l),
        capacitance: given(mask, 2, c),
        connection,
    };
    let series = [1, 2, 3, 4, 5, 7].map(|mask| of(mask, Connection::Series));
    let parallel = [3, 5, 6, 7].map(|mask| of(mask, Connection::Parallel));
    series.into_iter().chain(parallel).collect()
}

fn impedance(circuit: &Circuit, frequency: f64) -> Complex64 {
    let j = Complex64::new(0.0, TAU * frequency);
    let parts = [
        circuit.resistance.map(Complex64::from),
        circuit.inductance.map(|l| j * l),
        circuit.capacitance.map(|c| (j * c).inv()),
    ];
    let parts = parts.iter().flatten();
    match circuit.connection {
        Connection::Series => parts.sum(),
        Connection::Parallel => parts.map(Complex64::inv).sum::<Complex64>().inv(),
    }
}

/// A load at the end of a line reflects (Z − Z₀)/(Z + Z₀); across a line between matched ports it passes 2Z/(2Z + Z₀).
#[test]
fn lumped_elements_have_their_impedance() {
    let phase = |frequency: f64, length: f64| Complex64::cis(-TAU * frequency * length / C0);
    for circuit in circuits() {
        for at in loaded_line([None; 2], vec![port("zmin", Z0)], lumped("zmax", circuit)) {
            let z = impedance(&circuit, at.frequency);
            let expected = (z - Z0) / (z + Z0) * phase(at.frequency, 2.0 * LENGTH);
            assert!((at.s[0] - expected).norm() < 0.004, "{circuit:?}: {} for {expected}", at.s[0]);
        }
    }
    let tank = circuits().pop().unwrap();
    for at in loaded_line([None; 2], vec![port("zmin", Z0), port("zmax", Z0)], lumped("middle", tank)) {
        let z = impedance(&tank, at.frequency);
        let expected = 2.0 * z / (2.0 * z + Z0) * phase(at.frequency, LENGTH);
        assert!((at.s[1] - expected).norm() < 0.004, "{} for {expected}", at.s[1]);
    }
}

/// A wall of a poor metal reflects (Z − η₀)/(Z + η₀), Z = √(jωμ₀/σ): 0.947 at 0.9 GHz for 40 S/m.
#[test]
fn a_conductor_reflects_by_its_surface_impedance() {
    let wall = Conductor { conductivity: 40.0, roughness: 0.0 };
    for at in loaded_line([None, Some(Boundary::Conductor(wall))], vec![port("zmin", Z0)], Vec::new()) {
        let z = (Complex64::new(0.0, TAU * at.frequency * MU0) / wall.conductivity).sqrt();
        let expected = (z - ETA0) / (z + ETA0) * Complex64::cis(-2.0 * TAU * at.frequency * LENGTH / C0);
        assert!((at.s[0] - expected).norm() < 0.004, "{} for {expected}", at.s[0]);
    }
}

/// A plate under a layer reflects (Z − η₀)/(Z + η₀) with Z = jη tan kd, the impedance of a shorted line (Pozar, Microwave Engineering, 2.3): up to
/// a tenth of a wavelength thick in the band, with and without losses.
#[test]
fn a_coated_plate_reflects_as_a_shorted_line() {
    for (thickness, loss_tangent) in [(2e-3, 0.0), (15e-3, 0.0), (15e-3, 0.05)] {
        let coating = Coating { thickness, eps: 3.0, mu: 1.5, loss_tangent };
        let ends = [None, Some(Boundary::Coating(coating))];
        for at in loaded_line(ends, vec![port("zmin", Z0)], Vec::new()) {
            let eps = 3.0 * Complex64::new(1.0, -loss_tangent);
            let k = TAU * at.frequency / C0 * (1.5 * eps).sqrt();
            let z = Complex64::i() * ETA0 * (1.5 / eps).sqrt() * (k * thickness).tan();
            let expected = (z - ETA0) / (z + ETA0) * Complex64::cis(-2.0 * TAU * at.frequency * LENGTH / C0);
            assert!((at.s[0] - expected).norm() < 0.005, "{coating:?}: {} for {expected}", at.s[0]);
        }
    }
}

/// TE101 of a box a x b x d: Q = (kad)³ b η₀/(2π² R_s)/(2a³b + 2bd³ + a³d + ad³) (Pozar, Microwave Engineering, eq. 6.46).
#[test]
fn a_cavity_has_the_quality_of_its_walls() {
    let (a, b, d) = (1.0_f64, 0.5, 0.8);
    let mesh = BoxMesh { to: [a, b, d], cell: [0.25, 0.25, 0.2], name: "air".into(), ..BoxMesh::default() };
    let k = (PI / a).hypot(PI / d);
    let frequency = C0 * k / TAU;
    let wall = Conductor { conductivity: 4e3, roughness: 0.0 };
    let resistance = (PI * frequency * MU0 / wall.conductivity).sqrt();
    let quality = (k * a * d).powi(3) * b * ETA0
        / (2.0 * PI * PI * resistance)
        / (2.0 * a.powi(3) * b + 2.0 * b * d.powi(3) + a.powi(3) * d + a * d.powi(3));
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let mode = Initial::Mode { k: [PI / a, 0.0, PI / d], a: [0.0, 1.0, 0.0] };
    let (_, solution) = solve(Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: sides.map(|name| (name.into(), Boundary::Conductor(wall))).into(),
        sources: Sources { initial: Some(mode), ..Sources::default() },
        pulse: Pulse::modulated(frequency, frequency),
        highest_frequency: 1.2 * frequency,
        stop: Stop { energy_db: None, time: 12.0 / frequency },
        order: 4,
        ..Problem::default()
    });
    let (from, before) = solution.energy[solution.energy.len() / 4];
    let &(to, after) = solution.energy.last().unwrap();
    let found = TAU * frequency * (to - from) / (before / after).ln();
    assert!((found / quality - 1.0).abs() < 0.01, "Q = {found} instead of {quality}");
}
