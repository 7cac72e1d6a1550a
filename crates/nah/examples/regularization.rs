//! Regularization of near-field acoustic holography against the best in hindsight, over random arrays and sources with fields in closed form.
//!
//! Half of the cases, those with even seeds, were used to choose the rules; the others are reported apart. The manual `docs/nah.md` has the tables.
//!
//! `cargo run --release -p phasefront-nah --example regularization -- 400`

use num_complex::Complex64;
use phasefront_core::quadrature::gauss_legendre;
use phasefront_nah::simulate::{Noise, SimulatedSource, add_noise, field};
use phasefront_nah::{
    Esm, Extrapolation, Filter, Grid, KSpace, Medium, Quantity, SpectrumFit, auto_filter, gcv_filter,
};
use rayon::prelude::*;
use std::error::Error;
use std::f64::consts::{PI, TAU};

/// Microphones along a side.
const SIDES: [usize; 8] = [8, 8, 10, 12, 16, 20, 24, 32];
/// Pitch, m.
const PITCH: f64 = 0.05;
/// The largest array with equivalent sources, as `method = "auto"` takes them.
const MAX_ESM: usize = 256;
/// The medium, with an impedance of one: pressure and velocity have the same unit.
const MEDIUM: Medium = Medium { speed: 343.2, density: 1.0 / 343.2 };

/// Uniform and normal random numbers of a case.
struct Random(Noise);

impl Random {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0.complex(1.0).arg() / TAU + 0.5)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.uniform(0.0, of.len() as f64) as usize).min(of.len() - 1)]
    }
}

/// An array, its measured pressure, and the exact fields on the source plane.
struct Case {
    grid: Grid,
    standoff: f64,
    k: f64,
    snr_db: f64,
    measured: Vec<Complex64>,
    exact: [Vec<Complex64>; 2],
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(Noise::new(seed, 1));
        let columns = random.pick(&SIDES);
        let rows = if random.uniform(0.0, 1.0) < 0.6 { columns } else { random.pick(&SIDES) };
        let grid = Grid { columns, rows, pitch: [PITCH; 2] };
        let standoff = random.uniform(0.5, 3.0) * PITCH;
        let snr_db = random.uniform(20.0, 60.0);
        // 200 to 1600 Hz at a pitch of 7 cm.
        let k = (random.uniform(0.256_f64.ln(), 2.05_f64.ln())).exp() / PITCH;
        let mismatch = random.pick(&[0.0, 0.005, 0.01, 0.03]);
        let (mut measured, exact) = match random.uniform(0.0, 1.0) {
            at if at < 0.5 => monopoles(&mut random, &grid, standoff, k),
            at if at < 0.7 => mode(&mut random, &grid, standoff, k),
            _ => plate(&mut random, &grid, standoff, k),
        };
        for p in &mut measured {
            *p *= 1.0 + mismatch * random.0.complex(1.0);
        }
        add_noise(&mut measured, snr_db, seed, 2);
        Self { grid, standoff, k, snr_db, measured, exact }
    }

    fn errors(&self, fields: &[Vec<Complex64>; 2]) -> [f64; 2] {
        [0, 1].map(|i| {
            let off = fields[i].iter().zip(&self.exact[i]).map(|(a, b)| (a - b).norm_sqr()).sum::<f64>();
            (off / power(&self.exact[i])).sqrt()
        })
    }
}

fn power(field: &[Complex64]) -> f64 {
    field.iter().map(Complex64::norm_sqr).sum()
}

type Fields = (Vec<Complex64>, [Vec<Complex64>; 2]);

/// One to four monopoles, 0.3 to 3 pitches behind the source plane.
fn monopoles(random: &mut Random, grid: &Grid, standoff: f64, k: f64) -> Fields {
    let count = random.pick(&[1, 2, 3, 4]);
    let sources: Vec<([f64; 3], Complex64)> = (0..count)
        .map(|_| {
            let x = random.uniform(-0.45, 0.45) * grid.columns as f64 * PITCH;
            let y = random.uniform(-0.45, 0.45) * grid.rows as f64 * PITCH;
            ([x, y, -random.uniform(0.3, 3.0) * PITCH], random.0.complex(1.0))
        })
        .collect();
    let at = |[x, y]: [f64; 2], z: f64| -> [Complex64; 2] {
        let of = |([a, b, c], strength): &([f64; 3], Complex64)| {
            let r = (x - a).hypot(y - b).hypot(z - c);
            let p = strength * Complex64::from_polar(1.0 / r, -k * r);
            // u = (p/jkρc)(1/r + jk)(z − c)/r, by Euler's equation.
            [p, p * Complex64::new(1.0 / r, k) * ((z - c) / r) / (Complex64::I * k)]
        };
        sources.iter().map(of).fold([Complex64::ZERO; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]])
    };
    let positions = grid.positions();
    let near: Vec<[Complex64; 2]> = positions.iter().map(|position| at(*position, 0.0)).collect();
    let far = positions.iter().map(|position| at(*position, standoff)[0]).collect();
    (far, [0, 1].map(|i| near.iter().map(|field| field[i]).collect()))
}

/// A standing wave of an infinite plate.
fn mode(random: &mut Random, grid: &Grid, standoff: f64, k: f64) -> Fields {
    let (kr, angle) = (random.uniform(0.3, 1.2) / PITCH, random.uniform(0.0, TAU));
    let source = SimulatedSource::Mode { wavenumbers: [kr * angle.cos(), kr * angle.sin()], pressure: 1.0 };
    let at = |z: f64| field(&[source], &grid.positions(), z, k, &MEDIUM);
    let pressure = at(0.0);
    let admittance = MEDIUM.admittance(k, kr);
    let velocity = pressure.iter().map(|p| p * admittance).collect();
    (at(standoff), [pressure, velocity])
}

/// A simply supported plate in a rigid baffle.
fn plate(random: &mut Random, grid: &Grid, standoff: f64, k: f64) -> Fields {
    let size = [grid.columns, grid.rows].map(|count| random.uniform(0.4, 1.0) * count as f64 * PITCH);
    // At least four pitches to half a wave.
    let mode = size.map(|side| random.uniform(1.0, (side / (4.0 * PITCH)).max(1.0) + 0.999) as u32);
    let source = SimulatedSource::Plate { size, mode, velocity: 1.0 };
    let velocity = |[x, y]: [f64; 2]| -> f64 {
        let along = |at: f64, axis: usize| {
            let share = at / size[axis] + 0.5;
            if (0.0..=1.0).contains(&share) { (PI * f64::from(mode[axis]) * share).sin() } else { 0.0 }
        };
        along(x, 0) * along(y, 1)
    };
    let positions = grid.positions();
    let pressure = positions.iter().map(|position| on_baffle(*position, size, &velocity, k)).collect();
    let velocity = positions.iter().map(|position| velocity(*position).into()).collect();
    (field(&[source], &positions, standoff, k, &MEDIUM), [pressure, velocity])
}

/// The Rayleigh integral on the baffle itself in polar coordinates around the point, where R cancels: p = (jkρc/2π) ∬ u e^{−jkR} dR dθ.
fn on_baffle([x, y]: [f64; 2], [a, b]: [f64; 2], velocity: &dyn Fn([f64; 2]) -> f64, k: f64) -> Complex64 {
    const ANGLES: usize = 720;
    let rule = gauss_legendre(24);
    let mut sum = Complex64::ZERO;
    for i in 0..ANGLES {
        let (sin, cos) = (TAU * (i as f64 + 0.5) / ANGLES as f64).sin_cos();
        // Where the ray enters the plate and leaves it.
        let range = |at: f64, direction: f64, side: f64| {
            let ends = [(-0.5 * side - at) / direction, (0.5 * side - at) / direction];
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        let (along_x, along_y) = (range(x, cos, a), range(y, sin, b));
        let (from, to) = (along_x[0].max(along_y[0]).max(0.0), along_x[1].min(along_y[1]));
        let half = 0.5 * (to - from).max(0.0);
        for (node, weight) in rule.nodes.iter().zip(&rule.weights) {
            let r = from + half * (1.0 + node);
            sum += Complex64::from_polar(half * weight * velocity([x + r * cos, y + r * sin]), -k * r);
        }
    }
    Complex64::I * k / ANGLES as f64 * sum
}

/// Errors of pressure and velocity of one method: by GCV alone, by the rule, and the best in hindsight; and what error is expected.
#[derive(Clone, Copy)]
struct Outcome {
    gcv: [f64; 2],
    chosen: [f64; 2],
    best: [f64; 2],
    expected: [f64; 2],
}

fn in_k_space(case: &Case) -> Outcome {
    let Case { grid, standoff, k, .. } = *case;
    let space = KSpace::new(grid, &case.measured, Extrapolation::Lpbp, k);
    let errors = |[pressure, velocity]: [Filter; 2]| {
        case.errors(&[space.pressure(standoff, pressure), space.velocity(standoff, velocity, MEDIUM)])
    };
    let quantities = [Quantity::Pressure, Quantity::Velocity];
    let fit = SpectrumFit::new(grid, &case.measured, k, standoff + Esm::default_depth(&grid));
    let mut best = [f64::INFINITY; 2];
    let limit = grid.nyquist_wavenumber();
    for i in 0..30 {
        let cutoff = (1.1 * k).max(0.16 * limit) + 0.06 * f64::from(i) * limit;
        for slope in [0.05, 0.1, 0.2, 0.3, 0.5] {
            let found = errors([Filter::CosModified { cutoff, slope }; 2]);
            best = [0, 1].map(|i| best[i].min(found[i]));
        }
    }
    Outcome {
        gcv: errors(quantities.map(|quantity| gcv_filter(&space, quantity))),
        chosen: errors(quantities.map(|quantity| auto_filter(&space, &fit, quantity))),
        best,
        expected: [f64::NAN; 2],
    }
}

fn by_sources(case: &Case) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let Case { grid, standoff, k, .. } = *case;
    let distances = [standoff, Esm::default_depth(&grid)];
    let esm = Esm::new(&grid.positions(), &[], grid, distances, k, MEDIUM);
    let errors = |weight: f64| -> Result<[f64; 2], Box<dyn Error + Send + Sync>> {
        let strengths = esm.strengths(weight, &case.measured)?;
        Ok(case.errors(&esm.field(&strengths, &grid, standoff)))
    };
    let weight = esm.auto_weight(&case.measured);
    let mut best = [f64::INFINITY; 2];
    for step in -30..=6 {
        let found = errors(esm.scale() * 10_f64.powf(f64::from(step) / 3.0))?;
        best = [0, 1].map(|i| best[i].min(found[i]));
    }
    let expected = esm.expected_errors(weight, &case.measured, &[standoff])?;
    let halves = [&expected[..grid.len()], &expected[grid.len()..]];
    let expected = [0, 1]
        .map(|i| (halves[i].iter().map(|error| error * error).sum::<f64>() / power(&case.exact[i])).sqrt());
    Ok(Outcome { gcv: errors(esm.gcv_weight(&case.measured))?, chosen: errors(weight)?, best, expected })
}

/// A case with its outcomes in k-space and, of arrays that are not too large, by equivalent sources.
struct Row {
    seed: u64,
    snr_db: f64,
    fft: Outcome,
    esm: Option<Outcome>,
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

/// A line of the table: chosen over best by median, 95 % and 99 %, and the median error.
fn line(name: &str, pairs: &[(f64, f64)]) {
    let ratios = || pairs.iter().map(|(chosen, best)| chosen / best).collect::<Vec<f64>>();
    let quantiles = [0.5, 0.95, 0.99].map(|share| format!("{:.2}", quantile(ratios(), share)));
    let median = quantile(pairs.iter().map(|pair| pair.0).collect(), 0.5);
    println!("| {name} | {} | {} | {median:.3} |", pairs.len(), quantiles.join(" | "));
}

fn report(rows: &[&Row]) {
    println!("| method, quantity | cases | median | 95 % | 99 % | median error |\n|---|---|---|---|---|---|");
    for (i, quantity) in ["pressure", "velocity"].into_iter().enumerate() {
        let fft = |of: fn(&Outcome) -> [f64; 2]| -> Vec<(f64, f64)> {
            rows.iter().map(|row| (of(&row.fft)[i], row.fft.best[i])).collect()
        };
        line(&format!("`fft`, GCV alone, {quantity}"), &fft(|outcome| outcome.gcv));
        line(&format!("`fft`, chosen, {quantity}"), &fft(|outcome| outcome.chosen));
        let outcomes: Vec<Outcome> = rows.iter().filter_map(|row| row.esm).collect();
        let esm = |of: fn(&Outcome) -> [f64; 2]| -> Vec<(f64, f64)> {
            outcomes.iter().map(|outcome| (of(outcome)[i], outcome.best[i])).collect()
        };
        line(&format!("`esm`, GCV, {quantity}"), &esm(|outcome| outcome.gcv));
        line(&format!("`esm`, chosen, {quantity}"), &esm(|outcome| outcome.chosen));
        let expected = outcomes.iter().map(|outcome| (outcome.expected[i], outcome.chosen[i]));
        line(&format!("`esm`, expected over actual error, {quantity}"), &expected.collect::<Vec<_>>());
        let auto = |row: &&Row| row.esm.unwrap_or(row.fft);
        let chosen = rows.iter().map(|row| (auto(row).chosen[i], auto(row).best[i]));
        line(&format!("`auto`, {quantity}"), &chosen.collect::<Vec<_>>());
    }
    println!(
        "\n| signal to noise | before, pressure | velocity | now, pressure | velocity |\n|---|---|---|---|---|"
    );
    for low in [20.0, 30.0, 40.0, 50.0] {
        let within: Vec<_> = rows.iter().filter(|row| (low..low + 10.0).contains(&row.snr_db)).collect();
        let median = |of: &dyn Fn(&Row) -> f64| quantile(within.iter().map(|row| of(row)).collect(), 0.5);
        let before = [0, 1].map(|i| median(&|row| row.fft.gcv[i]));
        let now = [0, 1].map(|i| median(&|row| row.esm.unwrap_or(row.fft).chosen[i]));
        let cells: Vec<String> = before.iter().chain(&now).map(|error| format!("{error:.3}")).collect();
        println!("| {low:.0} to {:.0} dB | {} |", low + 10.0, cells.join(" | "));
    }
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let cases: u64 = std::env::args().nth(1).map_or(Ok(400), |count| count.parse())?;
    let row = |seed: u64| -> Result<Row, Box<dyn Error + Send + Sync>> {
        let case = Case::new(seed);
        let esm = (case.grid.len() <= MAX_ESM).then(|| by_sources(&case)).transpose()?;
        Ok(Row { seed, snr_db: case.snr_db, fft: in_k_space(&case), esm })
    };
    let rows = (0..cases).into_par_iter().map(row).collect::<Result<Vec<Row>, _>>()?;
    for (half, title) in [(0, "used for the choice"), (1, "kept apart")] {
        println!("\n{title}\n");
        report(&rows.iter().filter(|row| row.seed % 2 == half).collect::<Vec<&Row>>());
    }
    Ok(())
}
