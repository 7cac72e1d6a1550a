//! Many angles and frequencies at once, and single precision.

use super::*;
use phasefront_core::Precision;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_mom::Checkpoint;

fn pair(polarization: Polarization) -> Problem {
    let bodies = vec![
        Body::conductor(Shape::Ellipse { center: [0.0, 0.0], semi_axes: [0.5, 0.2], rotation: 0.3 }),
        Body::conductor(Shape::Strip { from: [0.9, -0.4], to: [1.0, 0.5] }),
    ];
    with_cells(Problem { polarization, ..problem(bodies) }, 6, 20)
}

#[test]
fn a_sweep_gives_what_single_runs_give() {
    let (frequencies, propagation) = ([0.7 * C0, C0], [0.0, 0.8, 4.0]);
    for polarization in [Tm, Te] {
        let sweep = Problem {
            frequencies: frequencies.to_vec(),
            propagation: propagation.to_vec(),
            currents: true,
            ..pair(polarization)
        };
        let (_, swept) = solve_all(sweep.clone());
        for (f, frequency) in frequencies.into_iter().enumerate() {
            assert_eq!(swept.frequencies[f].frequency, frequency);
            for (d, direction) in propagation.into_iter().enumerate() {
                let single = solve(Problem {
                    frequencies: vec![frequency],
                    propagation: vec![direction],
                    ..sweep.clone()
                });
                let whole = &swept.frequencies[f];
                agree_on_scale(&whole.echo_width[d], &single.echo_width[0], 1e-13);
                agree(&[whole.extinction_width[d]], &single.extinction_width, 1e-13);
                let largest = single.currents[0].iter().map(|j| j.norm()).fold(0.0, f64::max);
                // Right-hand sides are solved in blocks, whose rounding the TE current at the graded edges of the strip
                // carries a condition of some 1e5 times.
                for (a, b) in whole.currents[d].iter().zip(&single.currents[0]) {
                    assert!((a - b).norm() < 1e-10 * largest, "{a} {b}");
                }
            }
        }
    }
}

#[test]
fn frequencies_scale_as_the_series_says() {
    // σ/λ of a circle depends on ka alone.
    let frequencies = [0.25, 0.5, 1.0, 1.5];
    for polarization in [Tm, Te] {
        let circle = with_cells(conducting_circle(1.0, polarization), 10, 40);
        let (_, swept) = solve_all(Problem { frequencies: frequencies.map(|f| f * C0).to_vec(), ..circle });
        for (solution, f) in swept.frequencies.iter().zip(frequencies) {
            let exact = Cylinders::conductor(f * K, polarization, 1.0);
            agree(&solution.echo_width[0], &[0.0, FRAC_PI_2, PI].map(|phi| exact.echo_width(phi)), 1e-8);
        }
    }
}

#[test]
fn monostatic_is_bistatic_at_the_back_direction() {
    let propagation = [0.0, 0.5, 2.0, 5.0];
    for polarization in [Tm, Te] {
        let solution = solve(Problem {
            propagation: propagation.to_vec(),
            observation: propagation.iter().map(|a| a + PI).collect(),
            monostatic: true,
            ..pair(polarization)
        });
        let back: Vec<f64> = (0..4).map(|i| solution.echo_width[i][i]).collect();
        agree(&solution.monostatic, &back, 1e-13);
    }
}

#[test]
fn single_precision_costs_at_most_a_part_in_ten_thousand() {
    for polarization in [Tm, Te] {
        let circle = with_cells(conducting_circle(1.0, polarization), 8, 32);
        let double = echo(circle.clone());
        let single = echo(Problem { precision: Precision::Single, ..circle });
        agree(&single, &double, 1e-4);
        // It is single precision indeed.
        assert!(single.iter().zip(&double).any(|(s, d)| (s / d - 1.0).abs() > 1e-9), "{single:?} {double:?}");
    }
}

/// A checkpoint to bytes and back.
fn stored(checkpoint: &Checkpoint) -> Checkpoint {
    let mut out = StateWriter::default();
    checkpoint.write(&mut out);
    let bytes = out.parts().concat();
    // What is cut off is not read.
    assert!(Checkpoint::read(&mut StateReader::new(&bytes[..bytes.len() - 1])).is_none());
    let mut reader = StateReader::new(&bytes);
    let read = Checkpoint::read(&mut reader).unwrap();
    assert!(reader.is_empty());
    read
}

#[test]
fn a_resumed_sweep_has_the_bits_of_an_uninterrupted_one() {
    for polarization in [Tm, Te] {
        let study = prepare(Problem {
            frequencies: [0.5, 0.7, 1.0, 0.9].map(|f| f * C0).to_vec(),
            propagation: vec![0.0, 0.8],
            currents: true,
            monostatic: true,
            ..pair(polarization)
        })
        .unwrap();
        let (backend, progress) = (Backend::Cpu, Progress::silent());
        let whole = study.solve(&backend, &progress).unwrap();
        let mut saved = Vec::new();
        // The disk is full after the second frequency.
        let stopped = study.resume(&backend, &progress, Vec::new(), &mut |checkpoint| {
            saved.push(stored(checkpoint));
            if saved.len() < 2 { Ok(()) } else { Err(std::io::Error::other("no space")) }
        });
        assert!(stopped.is_err() && saved.len() == 2);
        let mut solved = Vec::new();
        let resumed = study
            .resume(&backend, &progress, saved, &mut |checkpoint| {
                solved.push(checkpoint.index);
                Ok(())
            })
            .unwrap();
        assert_eq!(solved, [2, 3]);
        // To the last bit, signs of zeros included.
        assert_eq!(format!("{:?}", whole.frequencies), format!("{:?}", resumed.frequencies));
        // A checkpoint of another study is solved again.
        let foreign = Checkpoint { index: 1, solution: whole.frequencies[0].clone() };
        let again = study.resume(&backend, &progress, vec![foreign], &mut |_| Ok(())).unwrap();
        assert_eq!(again.frequencies, whole.frequencies);
    }
}
