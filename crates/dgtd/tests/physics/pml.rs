//! PML: reflection from four elements at the end of a line.

use crate::channel::{Channel, solve, walls};
use phasefront_core::constants::ETA0;
use phasefront_dgtd::{PmlKind, Port, PortShape, Problem, Pulse, Stop};

/// |S₁₁| of a matched line with a PML of four elements at its end, each an eighth of a wavelength, dB.
fn reflected(order: usize, pml: PmlKind) -> f64 {
    let frequency = 600e6;
    let layer = 0.5 / 8.0;
    let channel = Channel {
        ends: [0.0, 8.0 * layer],
        size: [layer, 1.5 * layer],
        cell: layer,
        regions: &[("pml", 4.0 * layer, 8.0 * layer)],
        planes: &[],
    };
    let mut problem = Problem {
        mesh: channel.mesh(),
        boundaries: walls([None; 2]),
        pulse: Pulse::modulated(frequency, 800e6),
        stop: Stop { energy_db: Some(100.0), time: 16e-9 },
        order,
        pml,
        ..Problem::default()
    };
    problem.sources.ports = vec![Port {
        surface: "zmin".into(),
        resistance: Some(ETA0 / 1.5),
        shape: PortShape::Lumped { along: [1.0, 0.0, 0.0] },
    }];
    problem.monitors.frequencies = vec![frequency];
    let (study, solution) = solve(problem);
    20.0 * study.ports(&solution)[0].s[0].norm().log10()
}

#[test]
fn four_layers_absorb() {
    for pml in [PmlKind::Cfs, PmlKind::Uniaxial] {
        for (order, limit) in [(2, -50.0), (4, -60.0)] {
            let got = reflected(order, pml);
            assert!(got < limit, "{pml:?}, order {order}: {got} dB");
        }
    }
}
