//! Beamforming beside Acoular (E. Sarradj and G. Herold, *Appl. Acoust.* 116 (2017) 50), on the same cross-spectra: `tests/acoular/make.py` makes the file
//! with an installed Acoular.

use num_complex::Complex64;
use phasefront_nah::{Beamformer, Beamforming, CrossSpectrum, Diagonal, Grid, Medium, Windows};

const ACOULAR: &str = include_str!("../acoular/acoular-26.8.csv");
const COUNT: usize = 20;
const FREQUENCY: f64 = 4000.0;
const DISTANCE: f64 = 0.4;
/// Position and |A|²: the second is between the points of the map, the third behind their plane.
const SOURCES: [([f64; 3], f64); 3] =
    [([-0.10, 0.05, 0.0], 1.0), ([0.117, -0.033, 0.0], 0.5), ([0.0, 0.12, -0.05], 0.25)];
const NOISE: f64 = 0.8;
const FOCUS: Grid = Grid { columns: 11, rows: 11, pitch: [0.04; 2] };

fn microphones() -> Vec<[f64; 2]> {
    let at = |m: usize| {
        let (radius, angle) = (0.25 * ((m as f64 + 0.5) / COUNT as f64).sqrt(), 2.4 * m as f64);
        [radius * angle.cos(), radius * angle.sin()]
    };
    (0..COUNT).map(at).collect()
}

fn cross_spectra(k: f64) -> CrossSpectrum {
    let pressure = |[x, y, z]: [f64; 3]| -> Vec<Complex64> {
        let at = |[a, b]: [f64; 2]| {
            let r = ((x - a).powi(2) + (y - b).powi(2) + (DISTANCE - z).powi(2)).sqrt();
            Complex64::from_polar(1.0 / r, -k * r)
        };
        microphones().into_iter().map(at).collect()
    };
    let fields: Vec<(f64, Vec<Complex64>)> =
        SOURCES.iter().map(|(at, power)| (*power, pressure(*at))).collect();
    let value = |i: usize, j: usize| {
        let own = if i == j { NOISE * (1.0 + i as f64 / COUNT as f64) } else { 0.0 };
        own + fields.iter().map(|(power, p)| *power * p[i] * p[j].conj()).sum::<Complex64>()
    };
    let values = (0..COUNT * COUNT).map(|n| value(n / COUNT, n % COUNT)).collect();
    let windows = Windows { count: usize::MAX, correlations: Vec::new() };
    CrossSpectrum { frequency: FREQUENCY, channels: COUNT, values, windows }
}

/// Acoular's map in a column of the file, at the points of the focus plane.
fn acoular(name: &str) -> Vec<f64> {
    let mut lines = ACOULAR.lines();
    let column = lines.next().unwrap().split(',').position(|head| head == name).unwrap();
    let mut map = vec![f64::NAN; FOCUS.len()];
    for line in lines {
        let numbers: Vec<f64> = line.split(',').map(|text| text.parse().unwrap()).collect();
        let index = |at: f64, axis: usize| (at / FOCUS.pitch[axis] + 5.0).round() as usize;
        map[index(numbers[1], 1) * FOCUS.columns + index(numbers[0], 0)] = numbers[column];
    }
    map
}

/// ‖aaᴴ‖² without the diagonal over that with it, at a point: with aᴴSa the same, we divide by the former, and Acoular by (M − 1)/M times the latter.
fn removed(point: usize) -> f64 {
    let [x, y] = FOCUS.position(point);
    let square = |[a, b]: [f64; 2]| 1.0 / ((x - a).powi(2) + (y - b).powi(2) + DISTANCE.powi(2));
    let squares: Vec<f64> = microphones().into_iter().map(square).collect();
    let sum: f64 = squares.iter().sum();
    1.0 - squares.iter().map(|square| square * square).sum::<f64>() / (sum * sum)
}

/// Maps are equal point by point. Of CLEAN-SC, whose peaks are looked for in another formulation of the steering vectors, they are equal in the sum around each
/// source but for that factor.
#[test]
fn maps_are_those_of_acoular() {
    let k = Medium::AIR.wavenumber(FREQUENCY);
    let (microphones, spectrum) = (microphones(), cross_spectra(k));
    let beamformer = Beamformer::new(&microphones, &FOCUS, DISTANCE, k).unwrap();
    let found = |method| beamformer.map(&spectrum, method).unwrap().powers;
    for (name, method) in [
        ("delay-and-sum", Beamforming::DelayAndSum(Diagonal::Kept)),
        ("delay-and-sum-removed", Beamforming::DelayAndSum(Diagonal::Removed)),
        ("functional", Beamforming::Functional { exponent: 8.0 }),
    ] {
        let (mut found, theirs) = (found(method), acoular(name));
        if method == Beamforming::DelayAndSum(Diagonal::Removed) {
            let count = COUNT as f64;
            found.iter_mut().enumerate().for_each(|(i, power)| *power *= removed(i) * count / (count - 1.0));
        }
        let largest = theirs.iter().copied().fold(0.0, f64::max);
        let differences = found.iter().zip(&theirs).map(|(a, b)| (a - b).abs());
        let worst = differences.fold(0.0, f64::max) / largest;
        println!("{name}: at most {worst:.1e} of the largest apart");
        assert!(worst < 1e-6, "{name}: {worst:e}");
    }
    let (found, theirs) = (found(Beamforming::CleanSc(Diagonal::Removed)), acoular("clean-sc-removed"));
    for ([x, y, _], _) in SOURCES {
        let near = |i: &usize| {
            let [a, b] = FOCUS.position(*i);
            (a - x).hypot(b - y) < 0.06
        };
        let sum = |map: &[f64]| (0..FOCUS.len()).filter(near).map(|i| map[i]).sum::<f64>();
        let apart = 10.0 * (sum(&found) / sum(&theirs)).log10();
        println!("clean-sc around {x}, {y}: {:.4}, Acoular {:.4}, {apart:+.3} dB", sum(&found), sum(&theirs));
        assert!(apart.abs() < 0.05, "{apart} dB at {x}, {y}");
    }
}
