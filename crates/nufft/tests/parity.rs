//! One test body per device: the transforms on a GPU against direct sums.

use bytemuck::Pod;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_device::{Backend, Gpu, for_each_gpu};
use phasefront_nufft::{
    GpuMethod, GpuPlan, ModeOrder, NufftError, Options, Sign, SpreadingKernel, Upsampling,
};
use std::f64::consts::PI;
use std::sync::Arc;

const METHODS: [GpuMethod; 6] = [
    GpuMethod::Auto,
    GpuMethod::Sorted,
    GpuMethod::Subproblem,
    GpuMethod::OutputDriven,
    GpuMethod::PointDriven,
    GpuMethod::TapDriven,
];

/// Reproducible pseudo-random numbers in [-1, 1).
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn complex_noise(count: usize, seed: u64) -> Vec<Complex64> {
    noise(2 * count, seed).chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect()
}

/// A transform and its data, in double precision; the points are rounded to the precision under test.
struct Case {
    modes: Vec<usize>,
    points: Vec<Vec<f64>>,
    strengths: Vec<Complex64>,
    values: Vec<Complex64>,
    options: Options,
}

impl Case {
    /// Points that fill the period three times over.
    fn new<T: Real>(modes: &[usize], count: usize, options: Options) -> Self {
        let axis = |a: usize| noise(count, 11 + a as u64).iter().map(|x| 3.0 * PI * x).collect();
        Self::with_points::<T>(modes, &(0..modes.len()).map(axis).collect::<Vec<_>>(), options)
    }

    fn with_points<T: Real>(modes: &[usize], points: &[Vec<f64>], options: Options) -> Self {
        let round = |x: &Vec<f64>| x.iter().map(|&x| T::from_f64(x).to_f64()).collect();
        let all = modes.iter().product::<usize>() * options.batch;
        Self {
            strengths: complex_noise(points[0].len() * options.batch, 3),
            values: complex_noise(all, 5),
            modes: modes.to_vec(),
            points: points.iter().map(round).collect(),
            options,
        }
    }

    fn count(&self) -> usize {
        self.points[0].len()
    }

    /// The modes −N/2, …, (N−1)/2 of an axis, in the requested order.
    fn numbers(&self, axis: usize) -> Vec<f64> {
        let n = self.modes[axis] as i64;
        let mut numbers: Vec<i64> = (-(n / 2)..(n + 1) / 2).collect();
        if self.options.mode_order == ModeOrder::Fft {
            numbers.rotate_left((n / 2) as usize);
        }
        numbers.iter().map(|&k| k as f64).collect()
    }

    /// Every mode with its numbers along the axes, the first axis running fastest.
    fn wave_vectors(&self) -> Vec<Vec<f64>> {
        (0..self.modes.len()).fold(vec![vec![]], |vectors, axis| {
            let numbers = self.numbers(axis);
            numbers.iter().flat_map(|&k| vectors.iter().map(move |v| [&v[..], &[k]].concat())).collect()
        })
    }

    fn wave(&self, k: &[f64], point: usize) -> Complex64 {
        let phase: f64 = k.iter().zip(&self.points).map(|(k, x)| k * x[point]).sum();
        Complex64::cis(self.options.sign.value() * phase)
    }

    fn type1(&self) -> Vec<Complex64> {
        let vectors = self.wave_vectors();
        let sum = |c: &[Complex64], k: &[f64]| c.iter().enumerate().map(|(j, c)| c * self.wave(k, j)).sum();
        (0..self.options.batch)
            .flat_map(|b| {
                let c = &self.strengths[b * self.count()..][..self.count()];
                vectors.iter().map(|k| sum(c, k)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Σ f_k w(k) e^{±i k·x}, for the values themselves with w = 1.
    fn type2(&self, weight: impl Fn(&[f64]) -> Complex64) -> Vec<Complex64> {
        let vectors = self.wave_vectors();
        let sum = |f: &[Complex64], j: usize| {
            f.iter().zip(&vectors).map(|(f, k)| f * weight(k) * self.wave(k, j)).sum::<Complex64>()
        };
        (0..self.options.batch)
            .flat_map(|b| {
                let f = &self.values[b * vectors.len()..][..vectors.len()];
                (0..self.count()).map(|j| sum(f, j)).collect::<Vec<_>>()
            })
            .collect()
    }

    fn plan<T: Real + Pod>(&self, gpu: &Arc<dyn Gpu>, tolerance: f64) -> GpuPlan<T> {
        let mut plan = GpuPlan::new(gpu, &self.modes, tolerance, &self.options).unwrap();
        let points: Vec<Vec<T>> =
            self.points.iter().map(|x| x.iter().map(|&x| T::from_f64(x)).collect()).collect();
        plan.set_points(&points.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
        plan
    }

    /// Both types, each from its own data.
    fn run<T: Real + Pod>(&self, gpu: &Arc<dyn Gpu>, tolerance: f64) -> [Vec<Complex64>; 2] {
        let plan = self.plan::<T>(gpu, tolerance);
        let (strengths, values) =
            (gpu.upload(&narrow::<T>(&self.strengths)), gpu.upload(&narrow::<T>(&self.values)));
        let (at_points, at_modes) = (gpu.alloc(self.strengths.len()), gpu.alloc(self.values.len()));
        let (at_points, at_modes) = (at_points.unwrap(), at_modes.unwrap());
        plan.type1(&strengths.unwrap(), self.options.sign, &at_modes).unwrap();
        plan.type2(&values.unwrap(), self.options.sign, &at_points).unwrap();
        [widen(gpu.download(&at_modes).unwrap()), widen(gpu.download(&at_points).unwrap())]
    }

    #[track_caller]
    fn check<T: Real + Pod>(&self, gpu: &Arc<dyn Gpu>, tolerance: f64) {
        let [modes, values] = self.run::<T>(gpu, tolerance);
        let what = format!("{:?} {} points {:?}", self.modes, self.count(), self.options);
        near(&format!("type 1 {what}"), &modes, &self.type1(), tolerance);
        near(&format!("type 2 {what}"), &values, &self.type2(|_| Complex64::ONE), tolerance);
    }
}

fn narrow<T: Real>(values: &[Complex64]) -> Vec<Complex<T>> {
    values.iter().map(|&z| T::complex_from_f64(z)).collect()
}

fn widen<T: Real>(values: Vec<Complex<T>>) -> Vec<Complex64> {
    values.into_iter().map(T::complex_to_f64).collect()
}

/// The error in the 2-norm is at most five times the tolerance.
#[track_caller]
fn near(what: &str, got: &[Complex64], expected: &[Complex64], tolerance: f64) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let error: f64 = got.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
    let norm: f64 = expected.iter().map(Complex64::norm_sqr).sum();
    assert!(error.sqrt() <= 5.0 * tolerance * norm.sqrt(), "{what}: {:.2e}", (error / norm).sqrt());
}

fn with(gpu_method: GpuMethod) -> Options {
    Options { gpu_method, ..Options::default() }
}

for_each_gpu! {
    fn every_method_in_two_dimensions(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for method in METHODS {
            for tolerance in [1e-2, 1e-6, 1e-12] {
                Case::new::<f64>(&[34, 21], 700, with(method)).check::<f64>(gpu, tolerance);
            }
            Case::new::<f32>(&[34, 21], 700, with(method)).check::<f32>(gpu, 1e-5);
        }
    }

    fn every_method_in_one_dimension(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for method in METHODS {
            Case::new::<f64>(&[301], 400, with(method)).check::<f64>(gpu, 1e-9);
            Case::new::<f32>(&[301], 400, with(method)).check::<f32>(gpu, 1e-4);
        }
    }

    fn every_method_in_three_dimensions(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for method in METHODS {
            Case::new::<f64>(&[12, 9, 14], 300, with(method)).check::<f64>(gpu, 1e-7);
            Case::new::<f32>(&[12, 9, 14], 300, with(method)).check::<f32>(gpu, 1e-3);
        }
    }

    fn conventions(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for (sign, mode_order) in [(Sign::Minus, ModeOrder::Centered), (Sign::Plus, ModeOrder::Fft)] {
            let options = Options { sign, mode_order, batch: 3, ..Options::default() };
            Case::new::<f64>(&[17, 20], 90, options).check::<f64>(gpu, 1e-6);
        }
        for upsampling in [Upsampling::Low, Upsampling::High] {
            let options = Options { upsampling: Some(upsampling), ..Options::default() };
            Case::new::<f64>(&[64, 40], 200, options).check::<f64>(gpu, 1e-6);
        }
        let paper = Options { kernel: SpreadingKernel::KaiserBessel, gpu_method: GpuMethod::TapDriven, ..Options::default() };
        Case::new::<f64>(&[64, 40], 200, paper).check::<f64>(gpu, 1e-5);
    }

    /// One work item per point, and several: the points are enough for two rounds of the latter.
    fn both_ways_to_interpolate(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for (modes, count) in [(vec![16, 10], 70_000), (vec![64], 300), (vec![12, 9, 14], 300)] {
            let case = Case::new::<f64>(&modes, count, Options::default());
            let expected = case.type2(|_| Complex64::ONE);
            for lane_threshold in [0, usize::MAX] {
                let mut plan = case.plan::<f64>(gpu, 1e-6);
                plan.lane_threshold = lane_threshold;
                let (values, at_points) = (gpu.upload(&case.values).unwrap(), gpu.alloc(count).unwrap());
                plan.type2(&values, case.options.sign, &at_points).unwrap();
                near(&format!("{modes:?}, {lane_threshold}"), &gpu.download(&at_points).unwrap(), &expected, 1e-6);
            }
        }
    }

    fn points_at_odd_positions(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let edges = [0.0, -PI, PI, 2.0 * PI, -1e-18, 1e-18, PI / 32.0, 1.5 * PI / 32.0, -6.25 * PI, 100.0];
        for method in METHODS {
            for points in [vec![], vec![0.3], vec![-2.0; 1500], edges.to_vec()] {
                let case = Case::with_points::<f64>(&[32, 10], &[points.clone(), points], with(method));
                case.check::<f64>(gpu, 1e-6);
            }
            // Fewer modes than taps.
            Case::new::<f64>(&[1, 3], 50, with(method)).check::<f64>(gpu, 1e-6);
        }
    }

    /// Ten thousand points in a few cells, among others: a single tile would have them all.
    fn crowded_points(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let axis = |seed| noise(10_000, seed).iter().map(|x| if *x < 0.98 { 0.1 * x } else { 3.0 * x }).collect();
        let case = Case::with_points::<f64>(&[20, 16], &[axis(1), axis(2)], Options::default());
        case.check::<f64>(gpu, 1e-6);
    }

    fn gradients_are_the_derivatives(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for (modes, tolerance) in [(vec![40], 1e-9), (vec![30, 21], 1e-6), (vec![12, 9, 14], 1e-7)] {
            let options = Options { batch: 2, ..Options::default() };
            let case = Case::new::<f64>(&modes, 150, options);
            let plan = case.plan::<f64>(gpu, tolerance);
            let values = gpu.upload(&case.values).unwrap();
            let at_points = gpu.alloc(case.strengths.len()).unwrap();
            let gradient = gpu.alloc(modes.len() * case.strengths.len()).unwrap();
            plan.type2_gradient(&values, case.options.sign, &at_points, &gradient).unwrap();
            near("value", &gpu.download(&at_points).unwrap(), &case.type2(|_| Complex64::ONE), tolerance);
            let gradient = gpu.download(&gradient).unwrap();
            for (axis, got) in gradient.chunks(case.strengths.len()).enumerate() {
                // d/dx e^{ikx} = i k e^{ikx}. The kernel's derivative is less smooth: it costs a digit.
                let expected = case.type2(|k| Complex64::new(0.0, k[axis]));
                near(&format!("{modes:?} along {axis}"), got, &expected, 10.0 * tolerance);
            }
        }
    }

    fn gathered_tiles_give_the_same_bits(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        for modes in [vec![40, 30], vec![10, 12, 9]] {
            let case = Case::new::<f64>(&modes, 3000, with(GpuMethod::OutputDriven));
            assert!(case.run::<f64>(gpu, 1e-6) == case.run::<f64>(gpu, 1e-6), "{modes:?}");
        }
    }

    fn recordings_follow_their_buffers(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let case = Case::new::<f64>(&[34, 21], 700, Options::default());
        let plan = case.plan::<f64>(gpu, 1e-6);
        let (strengths, modes) = (gpu.upload(&case.strengths).unwrap(), gpu.upload(&case.values).unwrap());
        let gradient = gpu.alloc(2 * strengths.len()).unwrap();
        let there = plan.record_type1(&strengths, Sign::Plus, &modes).unwrap();
        let back = plan.record_type2(&modes, Sign::Plus, &strengths).unwrap();
        let slopes = plan.record_type2_gradient(&modes, Sign::Plus, &strengths, &gradient).unwrap();
        gpu.upload_bytes(bytemuck::cast_slice(&case.strengths), strengths.memory()).unwrap();
        there.replay().unwrap();
        let at_modes = gpu.download(&modes).unwrap();
        near("type 1", &at_modes, &case.type1(), 1e-6);
        let case = Case { values: at_modes, ..case };
        let expected = case.type2(|_| Complex64::ONE);
        back.replay().unwrap();
        near("type 2", &gpu.download(&strengths).unwrap(), &expected, 1e-6);
        slopes.replay().unwrap();
        near("type 2 with its gradient", &gpu.download(&strengths).unwrap(), &expected, 1e-6);
    }

    fn wrong_lengths_are_errors(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let new = |modes: &[usize], tolerance| GpuPlan::<f64>::new(gpu, modes, tolerance, &Options::default());
        let mut plan = new(&[4, 5], 1e-6).unwrap();
        let (three, twenty) = (gpu.alloc(3).unwrap(), gpu.alloc(20).unwrap());
        let message = |result: Result<(), NufftError>| result.unwrap_err().to_string();
        assert_eq!(message(plan.type1(&three, Sign::Plus, &twenty)), "the points of the plan have not been set");
        assert_eq!(message(plan.set_points(&[&[0.0]])), "a transform in 1 dimensions is not supported");
        let uneven = message(plan.set_points(&[&[0.0, 1.0], &[0.0]]));
        assert_eq!(uneven, "an axis of the points has 1 values, and the plan requires 2");
        plan.set_points(&[&[0.0, 1.0], &[0.0, 1.0]]).unwrap();
        let short = message(plan.type1(&three, Sign::Plus, &twenty));
        assert_eq!(short, "the array of strengths has 3 values, and the plan requires 2");
        let error = new(&[4], 1e-20).err().unwrap().to_string();
        assert!(error.starts_with("a tolerance of 1.0e-20 cannot be attained"), "{error}");
    }

    /// Enough points to change the method.
    fn many_points(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        Case::new::<f64>(&[12, 8], 200_100, Options::default()).check::<f64>(gpu, 1e-4);
    }

    /// Clustered points, which would be spread with atomics.
    fn deterministic_plans_give_the_same_bits(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let axis = |seed| noise(10_000, seed).iter().map(|x| 0.1 * x).collect();
        let options = Options { deterministic: true, ..Options::default() };
        let case = Case::with_points::<f64>(&[20, 16], &[axis(1), axis(2)], options);
        assert!(case.run::<f64>(gpu, 1e-6) == case.run::<f64>(gpu, 1e-6));
    }

    fn points_that_are_not_finite_are_errors(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let mut plan = GpuPlan::<f64>::new(gpu, &[4, 5], 1e-6, &Options::default()).unwrap();
        let good = gpu.upload(&[0.0, 1e300, -1.0]).unwrap();
        plan.set_device_points(&[&good, &good]).unwrap();
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let bad = [0.0, 1.0, wrong];
            let message = format!("point 2 has the coordinate {wrong} along axis 1");
            let error = plan.set_points(&[&bad[..2].repeat(2)[..3], &bad]).unwrap_err();
            assert_eq!(error.to_string(), message);
            let error = plan.set_device_points(&[&good, &gpu.upload(&bad).unwrap()]).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let error = GpuPlan::<f64>::new(gpu, &[4; 4], 1e-6, &Options::default()).err().unwrap();
        assert_eq!(error.to_string(), "a transform in 4 dimensions is not supported");
    }
}
