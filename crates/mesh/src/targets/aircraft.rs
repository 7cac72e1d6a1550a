//! Two aircraft, noses at +x and wings along y.

use super::loft::solid;
use super::parts::{assembled, fin, panel, plain_rings, pod, smooth_rings, wings};
use crate::triangle::TriangleMesh;

/// Sections of the hull, as [`smooth_rings`] takes them.
const HULL_A: [[f64; 5]; 9] = [
    [5.88, 0.00, 0.00, 0.00, 2.0],
    [5.20, 0.02, 0.20, 0.21, 2.0],
    [4.00, 0.05, 0.44, 0.48, 2.0],
    [2.50, 0.10, 0.62, 0.68, 2.2],
    [0.50, 0.10, 0.72, 0.72, 2.8],
    [-1.50, 0.10, 0.75, 0.70, 2.8],
    [-3.50, 0.10, 0.62, 0.60, 2.4],
    [-5.00, 0.10, 0.47, 0.47, 2.0],
    [-5.88, 0.10, 0.42, 0.42, 2.0],
];

/// Sections of an intake: forward along its outside, and into the duct.
const INTAKE_A: [[f64; 5]; 7] = [
    [-3.00, 0.25, 0.10, 0.20, 3.0],
    [-2.00, 0.25, 0.24, 0.36, 3.0],
    [-0.60, 0.25, 0.28, 0.42, 4.0],
    [0.88, 0.25, 0.28, 0.42, 4.0],
    [0.90, 0.25, 0.25, 0.38, 4.0],
    [0.60, 0.25, 0.22, 0.34, 4.0],
    [-1.40, 0.25, 0.20, 0.28, 2.5],
];

/// A fighter of 13,050 triangles: delta wings, tailplanes, one fin, and lateral intakes and a
/// nozzle, cavities with many reflections; 11.76 m long, 7.4 m wide and 3.67 m high.
///
/// ```
/// let aircraft = phasefront_mesh::targets::aircraft_a();
/// assert_eq!(aircraft.triangles.len(), 13050);
/// ```
pub fn aircraft_a() -> TriangleMesh {
    let nozzle = [[-5.88, 0.10, 0.38, 0.38, 2.0], [-4.70, 0.10, 0.30, 0.30, 2.0]];
    // The rings continue from the stern into the nozzle, so that hull and cavity are one closed
    // shell.
    let mut rings = smooth_rings(&HULL_A, 5, 32);
    rings.extend(plain_rings(&nozzle, 32));
    let canopy = [
        [3.70, 0.45, 0.00, 0.00, 2.0],
        [3.00, 0.60, 0.24, 0.24, 2.0],
        [2.00, 0.72, 0.32, 0.38, 2.0],
        [0.90, 0.70, 0.30, 0.32, 2.0],
        [-0.50, 0.60, 0.00, 0.00, 2.0],
    ];
    let parts = [
        solid(rings),
        solid(smooth_rings(&canopy, 4, 24)),
        pod(&INTAKE_A, 1.0, 24),
        pod(&INTAKE_A, -1.0, 24),
        wings(&[[2.20, 0.0, -0.22, 4.60, 0.04], [-1.30, 3.7, -0.22, 0.90, 0.04]], 12),
        wings(&[[-3.60, 0.0, 0.05, 1.90, 0.04], [-4.95, 2.1, 0.05, 0.80, 0.04]], 10),
        fin(&[[-2.40, 0.2, 0.0, 2.90, 0.05], [-4.65, 2.95, 0.0, 1.05, 0.05]], 10),
    ];
    // Size and number of triangles of the aircraft in Tao, Lin and Bao (2010).
    assembled(parts, [11.76, 7.4, 3.67], 13050)
}

/// Sections of the hull, as [`smooth_rings`] takes them.
const HULL_B: [[f64; 5]; 9] = [
    [7.06, -0.10, 0.00, 0.00, 2.0],
    [6.60, -0.10, 0.32, 0.36, 2.0],
    [5.50, -0.05, 0.58, 0.68, 2.2],
    [3.50, 0.00, 0.70, 0.85, 2.6],
    [1.00, 0.00, 0.72, 0.86, 2.8],
    [-1.50, 0.00, 0.70, 0.80, 2.8],
    [-4.00, 0.05, 0.52, 0.60, 2.4],
    [-6.00, 0.12, 0.30, 0.36, 2.0],
    [-7.06, 0.18, 0.00, 0.00, 2.0],
];

/// Sections of an engine: out of the nozzle, forward along the cowl, into the intake.
const ENGINE_B: [[f64; 5]; 10] = [
    [-3.40, 1.25, 0.32, 0.32, 2.0],
    [-4.60, 1.25, 0.46, 0.46, 2.0],
    [-4.62, 1.25, 0.50, 0.50, 2.0],
    [-3.60, 1.25, 0.66, 0.66, 2.0],
    [-2.40, 1.25, 0.76, 0.76, 2.0],
    [-1.40, 1.25, 0.76, 0.76, 2.0],
    [-0.82, 1.25, 0.68, 0.68, 2.0],
    [-0.80, 1.25, 0.64, 0.64, 2.0],
    [-1.10, 1.25, 0.59, 0.59, 2.0],
    [-2.30, 1.25, 0.56, 0.56, 2.0],
];

/// An attack aircraft of 20,120 triangles: straight wings with pods for the gear, a tailplane between two fins, and above
/// the rear of the hull two engines, open at both ends; 14.12 m long, 16.98 m wide and 4.5 m high.
///
/// ```
/// let aircraft = phasefront_mesh::targets::aircraft_b();
/// assert_eq!(aircraft.triangles.len(), 20120);
/// ```
pub fn aircraft_b() -> TriangleMesh {
    let canopy = [
        [5.60, 0.40, 0.00, 0.00, 2.0],
        [5.00, 0.66, 0.30, 0.30, 2.0],
        [4.00, 0.86, 0.40, 0.46, 2.0],
        [3.00, 0.80, 0.36, 0.34, 2.0],
        [1.80, 0.60, 0.00, 0.00, 2.0],
    ];
    let gear = [
        [2.20, -0.75, 0.00, 0.00, 2.0],
        [1.80, -0.75, 0.26, 0.26, 2.0],
        [1.00, -0.75, 0.38, 0.42, 2.0],
        [-0.40, -0.75, 0.38, 0.42, 2.0],
        [-1.50, -0.75, 0.00, 0.00, 2.0],
    ];
    let tail = [[-5.20, -0.7, 2.8, 1.80, 0.08], [-5.00, 0.2, 2.8, 2.00, 0.08], [-5.60, 3.1, 2.8, 1.30, 0.08]];
    let side = |y: f64| {
        let fin_stations = tail.map(|[x, z, _, chord, t]| [x, z, -y.signum() * 2.8, chord, t]);
        [
            pod(&ENGINE_B, 1.4 * y, 32),
            solid(smooth_rings(&gear, 3, 20)).mapped(|[x, at, z]| [x, at + 2.9 * y, z]),
            fin(&fin_stations, 10),
        ]
    };
    // The pylon ends inside the walls of both engines and passes through the hull.
    let pylon =
        [[-1.60, -0.71, 1.25, 1.40, 0.12], [-1.60, 0.0, 0.55, 1.40, 0.12], [-1.60, 0.71, 1.25, 1.40, 0.12]];
    let wing =
        [[1.60, 0.0, -0.40, 3.10, 0.14], [1.60, 3.2, -0.40, 3.10, 0.14], [1.10, 8.49, 0.20, 1.90, 0.12]];
    let middle = [
        solid(smooth_rings(&HULL_B, 6, 36)),
        solid(smooth_rings(&canopy, 4, 24)),
        wings(&wing, 14),
        wings(&[[-5.05, 0.0, 0.20, 1.80, 0.10], [-5.05, 2.85, 0.20, 1.80, 0.10]], 10),
        panel(&pylon, 10),
    ];
    assembled(middle.into_iter().chain(side(1.0)).chain(side(-1.0)), [14.12, 16.98, 4.5], 20120)
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::{open_duct, vehicle};

    #[test]
    fn fighter_has_its_size_and_open_ducts() {
        let aircraft = super::aircraft_a();
        vehicle(&aircraft, [11.76, 7.4, 3.67], 13050, 7);
        for y in [1.0, -1.0] {
            open_duct(&aircraft, y, -1.0, -1.40);
        }
        open_duct(&aircraft, 0.123, 1.0, -4.70);
    }

    #[test]
    fn attack_aircraft_has_its_size_and_open_engines() {
        let aircraft = super::aircraft_b();
        vehicle(&aircraft, [14.12, 16.98, 4.5], 20120, 11);
        for y in [1.4, -1.4] {
            open_duct(&aircraft, y, -1.0, -2.30);
            open_duct(&aircraft, y, 1.0, -3.40);
        }
    }
}
