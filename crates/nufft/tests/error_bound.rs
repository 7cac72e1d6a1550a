//! The error that the README promises, over random problems of every type, dimension, precision and distribution of points.
//!
//! `cargo test --release -p phasefront-nufft --test error_bound -- --nocapture` prints the largest errors; the environment variable
//! `NUFFT_PROBLEMS` sets the number of problems.

use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_device::Backend;
use phasefront_nufft::{
    Float, ModeOrder, NufftError, Options, Plan, Sign, TransformType, Upsampling, direct,
};
use std::f64::consts::PI;

/// Error on independent random data, in tolerances: ‖error‖ ≤ 5 ε √n ‖input‖ with n outputs.
const RANDOM_DATA: f64 = 5.0;
/// Error of any output on any data, in tolerances times Σ|input|: the aliases of the highest modes exceed their mean by up to 21, along
/// three axes by √3 more.
const ANY_DATA: f64 = 40.0;

/// Reproducible random numbers.
struct Random(u64);

impl Random {
    /// In (−1, 1); splitmix64.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (0.5 * (self.next() + 1.0) * n as f64) as usize % n
    }

    /// Logarithmically distributed.
    fn log(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(0.5 * (self.next() + 1.0))
    }

    /// Coordinates up to `extent` or some periods more: scattered, in a cluster, all equal, or equidistant.
    fn coordinates<T: Float>(&mut self, count: usize, extent: f64) -> Vec<T> {
        let (kind, center) = (self.below(5), extent * self.next());
        let at = |i: usize| match kind {
            0 => extent * self.next(),
            1 => 6.0 * extent * self.next(),
            2 => center + 1e-3 * extent * self.next(),
            3 => center,
            _ => extent * ((2 * i + 1) as f64 / count as f64 - 1.0),
        };
        (0..count).map(at).map(<T as Real>::from_f64).collect()
    }
}

fn doubles<T: Float>(axes: &[Vec<T>]) -> Vec<Vec<f64>> {
    axes.iter().map(|axis| axis.iter().map(|x| Real::to_f64(*x)).collect()).collect()
}

fn slices<T>(axes: &[Vec<T>]) -> Vec<&[T]> {
    axes.iter().map(Vec::as_slice).collect()
}

/// Errors of one random problem in tolerances, as the two constants count them, and its description; none if its tolerance is refused.
fn problem<T: Float>(random: &mut Random, lowest: f64) -> Option<([f64; 2], String)> {
    let dimensions = 1 + random.below(3);
    let kind = [TransformType::One, TransformType::Two, TransformType::Three][random.below(3)];
    let upsampling = [None, None, Some(Upsampling::Low), Some(Upsampling::High)][random.below(4)];
    let side = [20_000.0, 150.0, 28.0][dimensions - 1];
    let modes: Vec<usize> = (0..dimensions).map(|_| random.log(1.0, side) as usize).collect();
    let [points, frequencies] = [0; 2].map(|_| random.log(1.0, 3000.0) as usize);
    let x: Vec<Vec<T>> = modes.iter().map(|_| random.coordinates(points, PI)).collect();
    let s: Vec<Vec<T>> = modes.iter().map(|&n| random.coordinates(frequencies, 0.5 * n as f64)).collect();
    let inputs = if kind == TransformType::Two { modes.iter().product() } else { points };
    // Equal inputs add up where random ones do not.
    let equal = random.below(4) == 0;
    let mut value = || if equal { Complex64::ONE } else { Complex64::new(random.next(), random.next()) };
    let input: Vec<Complex<T>> = (0..inputs).map(|_| T::complex_from_f64(value())).collect();
    let tolerance = random.log(lowest, 0.1);

    let options = Options { upsampling, ..Options::default() };
    let mut plan = match Plan::<T>::new(kind, &modes, tolerance, &options, &Backend::Cpu) {
        Ok(plan) => plan,
        Err(NufftError::Tolerance { .. }) => return None,
        Err(error) => panic!("{error}"),
    };
    let set = match kind {
        TransformType::Three => plan.set_points_and_frequencies(&slices(&x), &slices(&s)),
        _ => plan.set_points(&slices(&x)),
    };
    match set {
        Ok(()) => {}
        Err(NufftError::Tolerance { .. }) => return None,
        Err(error) => panic!("{error}"),
    }
    let wide: Vec<Complex64> = input.iter().map(|c| T::complex_to_f64(*c)).collect();
    let (xs, ss) = (doubles(&x), doubles(&s));
    let exact = match kind {
        TransformType::One => direct::type1(&slices(&xs), &wide, &modes, Sign::Plus, ModeOrder::Centered),
        TransformType::Two => direct::type2(&slices(&xs), &wide, &modes, Sign::Plus, ModeOrder::Centered),
        TransformType::Three => direct::type3(&slices(&xs), &wide, &slices(&ss), Sign::Plus),
    };
    let mut output = vec![Complex::default(); exact.len()];
    plan.execute(&input, &mut output).unwrap();
    let errors = || output.iter().zip(&exact).map(|(o, e)| (T::complex_to_f64(*o) - e).norm());
    let mean_square = errors().map(|e| e * e).sum::<f64>() / exact.len() as f64;
    let square: f64 = wide.iter().map(Complex64::norm_sqr).sum();
    let random_data = if equal { 0.0 } else { (mean_square / square).sqrt() / tolerance };
    let any_data = errors().fold(0.0, f64::max) / wide.iter().map(|c| c.norm()).sum::<f64>() / tolerance;
    let text = format!(
        "{kind:?} {modes:?} {upsampling:?}, {points} points, {frequencies} frequencies, {tolerance:.1e}"
    );
    Some(([random_data, any_data], text))
}

#[test]
fn errors_stay_within_what_is_promised() {
    let count = std::env::var("NUFFT_PROBLEMS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    for (precision, lowest) in [("single", 1e-6), ("double", 1e-14)] {
        let mut worst = [const { (0.0, String::new()) }; 2];
        let (mut solved, mut beyond_one) = (0, 0);
        for seed in 0..count {
            let mut random = Random(seed);
            let found = if precision == "single" {
                problem::<f32>(&mut random, lowest)
            } else {
                problem::<f64>(&mut random, lowest)
            };
            let Some((errors, text)) = found else { continue };
            solved += 1;
            beyond_one += usize::from(errors[0] > 1.0);
            for ((largest, of), error) in worst.iter_mut().zip(errors) {
                if error > *largest {
                    (*largest, *of) = (error, text.clone());
                }
            }
        }
        println!("{precision}: {solved} problems, {beyond_one} beyond one tolerance, worst {worst:#?}");
        assert!(worst[0].0 <= RANDOM_DATA && worst[1].0 <= ANY_DATA, "{precision}: {worst:?}");
    }
}

/// The same bits on one, two and seven threads, with points spread evenly and in one tile.
#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for scale in [1.0, 1e-3] {
        let mut random = Random(5);
        let axes: Vec<Vec<f64>> =
            (0..2).map(|_| (0..60_000).map(|_| scale * PI * random.next()).collect()).collect();
        let input: Vec<Complex64> =
            (0..60_000).map(|_| Complex64::new(random.next(), random.next())).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let options = Options::default();
                let mut plan =
                    Plan::new(TransformType::One, &[150, 120], 1e-9, &options, &Backend::Cpu).unwrap();
                plan.set_points(&slices(&axes)).unwrap();
                let mut output = vec![Complex64::ZERO; 150 * 120];
                plan.execute(&input, &mut output).unwrap();
                output
            })
        };
        let one = on(1);
        assert!(on(2) == one && on(7) == one, "points within {scale} of the period");
    }
}
