//! Half-spaces of lossy and dispersive materials, normal incidence: Fresnel's r = (1 − √ε)/(1 + √ε), with ε(ω) for e^{jωt}.

use crate::channel::{Channel, solve, spectrum, walls, wave_along_z};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, Material, Pole, Problem, Pulse, Stop};
use std::f64::consts::TAU;

/// A half-space, and the frequencies at which it is evaluated.
struct HalfSpace {
    material: Material,
    /// ε(ω).
    eps: fn(f64) -> Complex64,
    /// Hz.
    frequencies: [f64; 3],
    /// Cells in the material, and their length, m. So long that nothing returns from its end.
    cells: (u32, f64),
    pulse: Pulse,
}

impl HalfSpace {
    fn check(self) {
        let (count, cell) = self.cells;
        let end = f64::from(count) * cell;
        let channel = Channel {
            ends: [-3.0 * cell, end],
            size: [cell, 1.5 * cell],
            cell,
            regions: &[("half", 0.0, end)],
            planes: &[("hull", -cell)],
        };
        let behind = Boundary::ResistiveSheet(ETA0 * self.material.impedance());
        let mut problem = Problem {
            mesh: channel.mesh(),
            materials: vec![("half".into(), self.material)],
            boundaries: walls([Some(Boundary::Absorbing), Some(behind)]),
            pulse: self.pulse,
            highest_frequency: self.frequencies[2],
            stop: Stop { energy_db: Some(50.0), time: 30.0 / self.frequencies[0] },
            order: 3,
            ..Problem::default()
        };
        problem.sources.plane_wave = Some(wave_along_z());
        problem.monitors.probes = vec![[0.4 * cell, 0.3 * cell, -2.0 * cell]];
        let (study, solution) = solve(problem);
        assert!(solution.settled);
        for frequency in self.frequencies {
            let n = (self.eps)(TAU * frequency).sqrt();
            // Phase back to the probe: e^{−jk·2 cell}.
            let expected = (1.0 - n) / (1.0 + n) * Complex64::cis(-TAU * frequency / C0 * 2.0 * cell);
            let got = spectrum(&study, &solution, 0, frequency);
            assert!(
                (got - expected).norm() < 0.01 * expected.norm(),
                "{frequency} Hz: {got} instead of {expected}"
            );
        }
    }
}

/// Water at 20 °C: one Debye relaxation (Liebe, Hufford and Manabe, Int. J. Infrared Millim. Waves 12, 659, 1991, rounded).
#[test]
fn water_reflects_as_fresnel_says() {
    HalfSpace {
        material: Material {
            eps: 5.0,
            poles: vec![Pole::Debye { delta: 75.0, tau: 8e-12 }],
            ..Material::VACUUM
        },
        eps: |w| 5.0 + 75.0 / Complex64::new(1.0, w * 8e-12),
        frequencies: [10e9, 20e9, 30e9],
        cells: (20, 0.5e-3),
        pulse: Pulse::modulated(20e9, 24e9),
    }
    .check();
}

/// A Drude plasma below, at and above its plasma frequency of 1 GHz.
#[test]
fn a_plasma_reflects_as_fresnel_says() {
    const PLASMA: f64 = TAU * 1e9;
    const DAMPING: f64 = 0.3 * PLASMA;
    HalfSpace {
        material: Material {
            poles: vec![Pole::Drude { plasma: PLASMA, damping: DAMPING }],
            ..Material::VACUUM
        },
        eps: |w| 1.0 - PLASMA.powi(2) / Complex64::new(w * w, -w * DAMPING),
        frequencies: [0.6e9, 1.0e9, 1.3e9],
        cells: (20, 0.06),
        pulse: Pulse::modulated(1e9, 1e9),
    }
    .check();
}

/// A Lorentz resonance at 1 GHz: below, on and above it.
#[test]
fn a_resonance_reflects_as_fresnel_says() {
    const RESONANCE: f64 = TAU * 1e9;
    const DAMPING: f64 = 0.5 * RESONANCE;
    HalfSpace {
        material: Material {
            eps: 2.0,
            poles: vec![Pole::Lorentz { delta: 3.0, resonance: RESONANCE, damping: DAMPING }],
            ..Material::VACUUM
        },
        eps: |w| 2.0 + 3.0 * RESONANCE.powi(2) / Complex64::new(RESONANCE.powi(2) - w * w, w * DAMPING),
        frequencies: [0.7e9, 1.0e9, 1.4e9],
        cells: (20, 0.04),
        pulse: Pulse::modulated(1e9, 1e9),
    }
    .check();
}

/// Wet ground: ε = 10 − jσ/(ωε₀), with ε₀ = 1/(η₀c).
#[test]
fn a_conductive_ground_reflects_as_fresnel_says() {
    const SIGMA: f64 = 0.5;
    HalfSpace {
        material: Material { eps: 10.0, sigma: SIGMA, ..Material::VACUUM },
        eps: |w| Complex64::new(10.0, -SIGMA * ETA0 * C0 / w),
        frequencies: [0.3e9, 0.6e9, 1.0e9],
        cells: (12, 0.03),
        pulse: Pulse::modulated(0.6e9, 1e9),
    }
    .check();
}
