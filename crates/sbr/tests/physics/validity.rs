//! Where rays and facets can be trusted: the self-checks that are known before the run, against closed forms.

use num_complex::Complex64;
use phasefront_core::constants::{C0, wavenumber};
use phasefront_core::{Progress, SelfCheck};
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{Aspect, Bounces, Direction, Problem, Surface, dbsm, prepare};
use std::f64::consts::PI;

/// Levels at the aspects, dBsm, and the self-check with a name.
fn run(mesh: TriangleMesh, frequency: f64, angles: &[[f64; 2]], name: &str) -> (Vec<f64>, Option<SelfCheck>) {
    let aspects = angles.iter().map(|&[t, p]| Aspect::monostatic(Direction::degrees(t, p))).collect();
    let (frequencies, bounces) = (vec![frequency], Bounces::AtMost(1));
    let surface = Surface::Facets;
    let study =
        prepare(Problem { mesh, surface, frequencies, aspects, bounces, ..Problem::default() }).unwrap();
    let check = study.self_checks.iter().find(|check| check.name == name).cloned();
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    (solution.frequencies[0].scattering.iter().map(|s| dbsm(s.vv)).collect(), check)
}

/// Physical optics of a sphere, σ = 4π|k a² ∫₀¹ u e^{jcu} du|² with c = 2ka.
fn sphere_of_physical_optics(a: f64, frequency: f64) -> f64 {
    let c = 2.0 * wavenumber(frequency) * a;
    let integral = (Complex64::cis(c) * Complex64::new(1.0, -c) - 1.0) / (c * c);
    dbsm(wavenumber(frequency) * a * a * integral)
}

/// Levels of facets against those of the surface that they stand for: spheres and cylinders (broadside σ = k a L², the stationary phase
/// of physical optics), over sizes and numbers of facets. Tuned on every other mesh; the rest is apart.
#[test]
fn coarse_facets_warn() {
    let mut counts = [[0_usize; 4]; 2];
    for (round, size) in [4.0, 6.0, 9.0, 13.0, 20.0, 30.0].into_iter().enumerate() {
        let frequency = C0;
        for cells in [4, 6, 8, 11, 16, 22, 32, 45] {
            let angles: Vec<[f64; 2]> =
                (0..6).map(|i| [20.0 + 23.0 * f64::from(i), 37.0 * f64::from(i)]).collect();
            let name = "sagitta of facets";
            let (levels, check) = run(targets::sphere(size, cells).unwrap(), frequency, &angles, name);
            let exact = sphere_of_physical_optics(size, frequency);
            count(
                &mut counts[(round + cells) % 2],
                &levels,
                exact,
                check.as_ref(),
                &format!("sphere {size} {cells}"),
            );
            let around = 8 * cells;
            let angles: Vec<[f64; 2]> = (0..6).map(|i| [90.0, 7.3 * f64::from(i)]).collect();
            let (levels, check) =
                run(targets::cylinder(size, 3.0, [1, around], false).unwrap(), frequency, &angles, name);
            let exact = 10.0 * (wavenumber(frequency) * size * 9.0).log10();
            count(
                &mut counts[(round + cells) % 2],
                &levels,
                exact,
                check.as_ref(),
                &format!("cylinder {size} {cells}"),
            );
        }
    }
    for [silent_bad, silent, loud_bad, loud] in counts {
        println!("silent {silent_bad} of {silent} bad, warned {loud_bad} of {loud} bad");
        assert!(20 * silent_bad <= silent && 2 * loud_bad >= loud && silent > 10 && loud > 10);
    }
}

/// Counts a mesh as silent or warned; it is bad if one of its levels is off by more than a decibel.
fn count(counts: &mut [usize; 4], levels: &[f64], exact: f64, check: Option<&SelfCheck>, what: &str) {
    let worst = levels.iter().map(|level| (level - exact).abs()).fold(0.0, f64::max);
    let value = check.map_or(0.0, |check| check.value);
    println!("{what}: sagitta {value:.4}, worst {worst:.2} dB");
    let first = if check.is_none_or(SelfCheck::holds) { 0 } else { 2 };
    counts[first] += usize::from(worst > 1.0);
    counts[first + 1] += 1;
}

fn scale(values: &mut [f64], factor: f64) {
    for value in values {
        *value *= factor;
    }
}

/// Spherical Bessel functions j_n and y_n, n from 0 to `last`: y upward, j downward (J. C. P. Miller's algorithm).
fn bessel(x: f64, last: usize) -> (Vec<f64>, Vec<f64>) {
    let start = last + x as usize + 40;
    let mut j = vec![0.0; start + 2];
    j[start] = 1e-280;
    for n in (1..=start).rev() {
        j[n - 1] = (2 * n + 1) as f64 / x * j[n] - j[n + 1];
        if j[n - 1].abs() > 1e200 {
            scale(&mut j, 1e-200);
        }
    }
    let largest = j.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    scale(&mut j, 1.0 / largest);
    // The sum of (2n + 1) j_n² is 1.
    let sum: f64 = j.iter().enumerate().map(|(n, value)| (2 * n + 1) as f64 * value * value).sum();
    let sign = if (x.sin() >= 0.0) == (j[0] >= 0.0) { 1.0 } else { -1.0 };
    scale(&mut j, sign / sum.sqrt());
    let mut y = vec![-x.cos() / x, -x.cos() / (x * x) - x.sin() / x];
    for n in 1..last {
        y.push((2 * n + 1) as f64 / x * y[n] - y[n - 1]);
    }
    (j, y)
}

/// Mie's series of a conducting sphere, backward (J. J. Bowman, T. B. A. Senior, P. L. E. Uslenghi, Electromagnetic and Acoustic Scattering
/// by Simple Shapes, ch. 10).
fn sphere_of_mie(a: f64, frequency: f64) -> f64 {
    let x = wavenumber(frequency) * a;
    let last = (x + 4.0 * x.cbrt() + 8.0) as usize;
    let (j, y) = bessel(x, last + 1);
    let h = |n: usize| Complex64::new(j[n], -y[n]);
    let term = |n: usize| {
        let order = n as f64;
        let electric = (x * j[n - 1] - order * j[n]) / (x * h(n - 1) - order * h(n));
        let sign = if n.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * (2.0 * order + 1.0) * (j[n] / h(n) - electric)
    };
    let sum: Complex64 = (1..=last).map(term).sum();
    10.0 * (PI * a * a * sum.norm_sqr() / (x * x)).log10()
}

/// Spheres against Mie's series. From two wavelengths on, physical optics is within 1.5 dB everywhere, which does not depend on tuning:
/// the limit is where the envelope of the creeping wave's oscillation falls below that.
#[test]
fn small_bodies_warn() {
    // The first maximum of the series, ka = 1.03, is 5.6 dB above πa² (same reference).
    let first = (90..120).map(|i| {
        sphere_of_mie(f64::from(i) / 100.0, C0 / (2.0 * PI))
            - 10.0 * (PI * (f64::from(i) / 100.0).powi(2)).log10()
    });
    assert!((first.fold(0.0, f64::max) - 5.6).abs() < 0.1);
    let (mut silent, mut loud) = (0.0_f64, 0.0_f64);
    for i in 0..40 {
        let diameter = 0.25 + 0.1 * f64::from(i);
        let (levels, check) =
            run(targets::sphere(0.5 * diameter, 24).unwrap(), C0, &[[50.0, 20.0]], "target width");
        let check = check.unwrap();
        assert!((check.value / diameter - 1.0).abs() < 0.02);
        let off = (levels[0] - sphere_of_mie(0.5 * diameter, C0)).abs();
        let worst = if check.holds() { &mut silent } else { &mut loud };
        *worst = worst.max(off);
    }
    println!("silent {silent:.2} dB at worst, warned {loud:.2} dB");
    assert!(silent < 1.5 && loud > 5.0);
}

/// The width does not depend on orientation; a wire is as wide as its diameter, however long it is.
#[test]
fn widths_are_those_of_the_body() {
    let turned = |[x, y, z]: [f64; 3]| {
        [0.6 * x - 0.8 * y, 0.48 * x + 0.36 * y - 0.8 * z, 0.64 * x + 0.48 * y + 0.6 * z]
    };
    for (mesh, width) in [
        (targets::plate([5.0, 3.0], [2, 2]).unwrap(), 3.0),
        (targets::cylinder(0.1, 9.0, [3, 24], true).unwrap(), 0.2),
        (targets::cuboid([1.0, 2.5, 4.0], [1, 2, 2]).unwrap(), 2.5),
    ] {
        for mesh in [mesh.clone(), mesh.mapped(turned)] {
            let (_, check) = run(mesh, C0, &[[30.0, 40.0]], "target width");
            let check = check.unwrap();
            assert!((check.value / width - 1.0).abs() < 0.05, "{} {width}", check.value);
            assert_eq!(check.holds(), width >= 2.0);
        }
    }
}

/// Flat faces and sharp edges are no coarse curvature, however large they are.
#[test]
fn flat_faces_are_not_curved() {
    for mesh in [
        targets::plate([5.0, 3.0], [2, 2]).unwrap(),
        targets::cuboid([1.0, 2.5, 4.0], [1, 2, 2])
            .unwrap()
            .mapped(|p| p.map(|x| f64::from((0.7 * x) as f32))),
        targets::trihedral(2.0, 3).unwrap(),
    ] {
        let (_, check) = run(mesh, 100.0 * C0, &[[30.0, 40.0]], "sagitta of facets");
        assert!(check.is_none_or(|check| check.holds()));
    }
}
