//! Every type, dimension and precision against direct sums.

use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_device::{Backend, for_each_device};
use phasefront_nufft::{
    Float, ModeOrder, NufftError, Options, Plan, Sign, SpreadingKernel, TransformType, Upsampling, direct,
};

/// Reproducible uniform numbers in (−1, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn reals<T: Float>(&mut self, count: usize, scale: f64) -> Vec<T> {
        (0..count).map(|_| <T as Real>::from_f64(scale * self.next())).collect()
    }

    fn complex<T: Float>(&mut self, count: usize) -> Vec<Complex<T>> {
        (0..count).map(|_| T::complex_from_f64(Complex64::new(self.next(), self.next()))).collect()
    }
}

fn doubles<T: Float>(values: &[T]) -> Vec<f64> {
    values.iter().map(|v| Real::to_f64(*v)).collect()
}

fn wide<T: Float>(values: &[Complex<T>]) -> Vec<Complex64> {
    values.iter().map(|v| T::complex_to_f64(*v)).collect()
}

/// ‖a − b‖/‖b‖.
fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let square = |z: Complex64| z.norm_sqr();
    let error: f64 = a.iter().zip(b).map(|(a, b)| square(a - b)).sum();
    (error / b.iter().copied().map(square).sum::<f64>()).sqrt()
}

const MODES: [&[usize]; 3] = [&[1000], &[17, 22], &[9, 6, 11]];
/// One, few and many modes along an axis.
const MORE_MODES: [&[usize]; 5] = [&[1], &[16], &[100, 100], &[40, 7], &[40, 20, 16]];
const POINTS: usize = 300;

/// Data of all three types in one box of modes, and the direct sums, which serve every tolerance.
struct Data<T> {
    modes: Vec<usize>,
    points: Vec<Vec<T>>,
    frequencies: Vec<Vec<T>>,
    strengths: Vec<Complex<T>>,
    values: Vec<Complex<T>>,
    exact: [Vec<Complex64>; 3],
}

fn slices<T>(axes: &[Vec<T>]) -> Vec<&[T]> {
    axes.iter().map(Vec::as_slice).collect()
}

impl<T: Float> Data<T> {
    fn new(modes: &[usize], options: &Options) -> Self {
        let mut random = Random(7);
        let points: Vec<Vec<T>> = modes.iter().map(|_| random.reals(POINTS, 9.0)).collect();
        let frequencies: Vec<Vec<T>> = modes.iter().map(|_| random.reals(POINTS, 7.0)).collect();
        let strengths = random.complex::<T>(POINTS);
        let values = random.complex::<T>(modes.iter().product());
        let [x, s] = [&points, &frequencies].map(|v| v.iter().map(|a| doubles(a)).collect::<Vec<_>>());
        let (x, s, c) = (slices(&x), slices(&s), wide(&strengths));
        let Options { sign, mode_order, .. } = *options;
        let exact = [
            direct::type1(&x, &c, modes, sign, mode_order),
            direct::type2(&x, &wide(&values), modes, sign, mode_order),
            direct::type3(&x, &c, &s, sign),
        ];
        Self { modes: modes.to_vec(), points, frequencies, strengths, values, exact }
    }

    /// Relative error of types 1, 2 and 3.
    fn errors(&self, tolerance: f64, options: &Options, backend: &Backend) -> [f64; 3] {
        let run = |kind, input: &[Complex<T>], exact: &[Complex64]| {
            let mut plan = Plan::<T>::new(kind, &self.modes, tolerance, options, backend).unwrap();
            let x = slices(&self.points);
            if kind == TransformType::Three {
                plan.set_points_and_frequencies(&x, &slices(&self.frequencies)).unwrap();
            } else {
                plan.set_points(&x).unwrap();
            }
            let mut output = vec![Complex::default(); exact.len()];
            plan.execute(input, &mut output).unwrap();
            distance(&wide(&output), exact)
        };
        let [one, two, three] = &self.exact;
        [
            run(TransformType::One, &self.strengths, one),
            run(TransformType::Two, &self.values, two),
            run(TransformType::Three, &self.strengths, three),
        ]
    }
}

/// Error ≤ 5 tolerances.
fn sweep<T: Float>(boxes: &[&[usize]], tolerances: &[f64], options: &Options, backend: &Backend) {
    for &modes in boxes {
        let data = Data::<T>::new(modes, options);
        for &tolerance in tolerances {
            for (kind, error) in (1..).zip(data.errors(tolerance, options, backend)) {
                assert!(error <= 5.0 * tolerance, "type {kind}, {modes:?}: {error:.1e} at {tolerance:.1e}");
            }
        }
    }
}

/// From 0.1 down, four a decade.
fn four_a_decade(lowest: i32) -> Vec<f64> {
    (4..=-4 * lowest).map(|step| 10_f64.powf(-f64::from(step) / 4.0)).collect()
}

#[test]
fn double_precision_keeps_its_tolerance() {
    sweep::<f64>(&MODES, &four_a_decade(-13), &Options::default(), &Backend::Cpu);
    sweep::<f64>(&MORE_MODES, &four_a_decade(-13), &Options::default(), &Backend::Cpu);
}

#[test]
fn single_precision_keeps_its_tolerance() {
    sweep::<f32>(&MODES, &four_a_decade(-6), &Options::default(), &Backend::Cpu);
    sweep::<f32>(&MORE_MODES, &four_a_decade(-6), &Options::default(), &Backend::Cpu);
}

#[test]
fn both_upsamplings_keep_their_tolerance() {
    for (upsampling, lowest) in [(Upsampling::Low, -8), (Upsampling::High, -13)] {
        let options = Options { upsampling: Some(upsampling), sign: Sign::Minus, ..Options::default() };
        for boxes in [&MODES[..], &MORE_MODES] {
            sweep::<f64>(boxes, &four_a_decade(lowest), &options, &Backend::Cpu);
        }
    }
}

/// Rounding grows with every axis when the kernel is divided out, most with σ = 1.25; and phases in single precision are
/// rounded when points and frequencies have a large extent.
#[test]
fn what_rounding_takes_is_not_promised() {
    let options = Options { upsampling: Some(Upsampling::Low), ..Options::default() };
    let plan = |modes| Plan::<f64>::new(TransformType::One, modes, 1e-10, &options, &Backend::Cpu);
    assert!(plan(&[64]).is_ok());
    assert!(
        matches!(plan(&[64, 64, 64]), Err(NufftError::Tolerance { attainable, .. }) if attainable < 1e-8)
    );
    let mut wide = Plan::<f32>::new(TransformType::Three, &[1], 1e-6, &options, &Backend::Cpu).unwrap();
    let refused = wide.set_points_and_frequencies(&[&[-3.0, 3.0]], &[&[-500.0, 500.0]]);
    assert!(matches!(refused, Err(NufftError::Tolerance { attainable, .. }) if attainable < 1e-4));
}

#[test]
fn fft_order_is_the_other_order() {
    let options = Options { mode_order: ModeOrder::Fft, ..Options::default() };
    sweep::<f64>(&MODES, &[1e-9], &options, &Backend::Cpu);
}

/// K = 3 below 1e-5 and K = 6 below 1e-11, in two dimensions.
#[test]
fn paper_kernel_is_as_accurate_as_published() {
    let options = Options { kernel: SpreadingKernel::KaiserBessel, ..Options::default() };
    let data = Data::<f64>::new(&[64, 64], &options);
    for (tolerance, bound) in [(1e-5, 1e-5), (1e-11, 1e-11)] {
        for error in &data.errors(tolerance, &options, &Backend::Cpu)[..2] {
            assert!(*error < bound && *error > 0.01 * bound, "{error:.1e}");
        }
    }
}

for_each_device! {
    /// The widest and the narrowest kernels, and some between; wide ones in three dimensions take a GPU's compiler long.
    fn every_type_keeps_its_tolerance(backend: &Backend) {
        sweep::<f64>(&MODES[..2], &[1e-1, 1e-7, 1e-13], &Options::default(), backend);
        sweep::<f64>(&MODES[2..], &[1e-1, 1e-6], &Options::default(), backend);
        sweep::<f32>(&MODES[1..], &[1e-4], &Options::default(), backend);
    }

    /// Matrix products are the sums.
    fn tensor_grids_are_products(backend: &Backend) {
        let mut random = Random(19);
        let [x, y, u, v]: [Vec<f64>; 4] = [70, 70, 9, 5].map(|n| random.reals(n, 4.0));
        let a = random.complex::<f64>(70);
        let field = direct::tensor([&x, &y], &a, [&u, &v], Sign::Minus, backend).unwrap();
        let all_u: Vec<f64> = v.iter().flat_map(|_| u.clone()).collect();
        let all_v: Vec<f64> = v.iter().flat_map(|v| [*v; 9]).collect();
        assert!(distance(&field, &direct::type3(&[&x, &y], &a, &[&all_u, &all_v], Sign::Minus)) < 1e-14);
        let nothing = direct::tensor([&[], &[]], &[], [&u, &v], Sign::Plus, backend).unwrap();
        assert_eq!(nothing, vec![Complex64::ZERO; 45]);
        let uneven = direct::tensor([&x, &y[1..]], &a, [&u, &v], Sign::Plus, backend);
        assert!(matches!(uneven, Err(NufftError::Length { found: 69, expected: 70, .. })));
    }

    /// ⟨A c, f⟩ = ⟨c, Aᴴ f⟩.
    fn adjoint_is_the_adjoint(backend: &Backend) {
        for modes in MODES {
            for kind in [TransformType::One, TransformType::Two, TransformType::Three] {
                let mut random = Random(3);
                let count: usize = modes.iter().product();
                let x: Vec<Vec<f64>> = modes.iter().map(|_| random.reals(POINTS, 4.0)).collect();
                let s: Vec<Vec<f64>> = modes.iter().map(|_| random.reals(count, 5.0)).collect();
                let [x, s]: [Vec<&[f64]>; 2] = [&x, &s].map(|v| v.iter().map(Vec::as_slice).collect());
                let mut plan = Plan::new(kind, modes, 1e-6, &Options::default(), backend).unwrap();
                match kind {
                    TransformType::Three => plan.set_points_and_frequencies(&x, &s).unwrap(),
                    _ => plan.set_points(&x).unwrap(),
                }
                let [sources, targets] =
                    if kind == TransformType::Two { [count, POINTS] } else { [POINTS, count] };
                let (a, b) = (random.complex::<f64>(sources), random.complex::<f64>(targets));
                let (mut image, mut back) = (vec![Complex64::default(); targets], vec![Complex64::default(); sources]);
                plan.execute(&a, &mut image).unwrap();
                plan.execute_adjoint(&b, &mut back).unwrap();
                let dot = |u: &[Complex64], v: &[Complex64]| -> Complex64 { u.iter().zip(v).map(|(u, v)| u * v.conj()).sum() };
                let norm = |u: &[Complex64]| dot(u, u).re.sqrt();
                let gap = (dot(&image, &b) - dot(&a, &back)).norm() / (norm(&image) * norm(&b));
                assert!(gap < 1e-13, "{kind:?} {modes:?}: {gap:.1e}");
            }
        }
    }

    /// Points at 2πl/N: the modes are a plain discrete Fourier transform.
    fn integer_points_are_a_plain_fft(backend: &Backend) {
        let n = 24;
        let x: Vec<f64> = (0..n).map(|l| std::f64::consts::TAU * l as f64 / n as f64).collect();
        let c = Random(5).complex::<f64>(n);
        let options = Options { sign: Sign::Minus, mode_order: ModeOrder::Fft, ..Options::default() };
        let mut plan = Plan::new(TransformType::One, &[n], 1e-12, &options, backend).unwrap();
        plan.set_points(&[&x]).unwrap();
        let mut f = vec![Complex64::default(); n];
        plan.execute(&c, &mut f).unwrap();
        let mut plain = c.clone();
        rustfft::FftPlanner::new().plan_fft_forward(n).process(&mut plain);
        assert!(distance(&f, &plain) < 1e-11);
    }

    fn points_have_the_period_of_the_modes(backend: &Backend) {
        let mut random = Random(11);
        let x: Vec<f64> = random.reals(50, 3.0);
        let shifted: Vec<f64> = x.iter().map(|x| x + 6.0 * std::f64::consts::TAU).collect();
        let c = random.complex::<f64>(50);
        let run = |x: &[f64]| {
            let mut plan = Plan::new(TransformType::One, &[40], 1e-12, &Options::default(), backend).unwrap();
            plan.set_points(&[x]).unwrap();
            let mut f = vec![Complex64::default(); 40];
            plan.execute(&c, &mut f).unwrap();
            f
        };
        assert!(distance(&run(&shifted), &run(&x)) < 1e-12);
    }

    /// Points on edges of tiles and cells, all coincident, one, none; a cluster that several threads spread.
    fn strange_sets_of_points(backend: &Backend) {
        let edge = std::f64::consts::TAU / 80.0;
        let sets: [Vec<f64>; 5] = [
            (-80..160).map(|i| f64::from(i) * edge).collect(),
            (0..40_000).map(|i| 1.0 + 1e-9 * f64::from(i)).collect(),
            vec![-1e-17; 3],
            vec![0.3],
            vec![],
        ];
        for x in sets {
            let y: Vec<f64> = x.iter().rev().copied().collect();
            let c = Random(2).complex::<f64>(x.len());
            let mut plan = Plan::new(TransformType::One, &[40, 32], 1e-9, &Options::default(), backend).unwrap();
            plan.set_points(&[&x, &y]).unwrap();
            let mut f = vec![Complex64::new(5.0, 5.0); 40 * 32];
            plan.execute(&c, &mut f).unwrap();
            let exact = direct::type1(&[&x, &y], &c, &[40, 32], Sign::Plus, ModeOrder::Centered);
            if x.is_empty() {
                assert!(f.iter().all(|f| *f == Complex64::default()));
            } else {
                assert!(distance(&f, &exact) < 5e-9, "{} points: {:.1e}", x.len(), distance(&f, &exact));
            }
        }
    }

    /// A batch is its vectors one by one.
    fn batches_are_their_vectors(backend: &Backend) {
        let mut random = Random(13);
        let x: Vec<f64> = random.reals(60, 3.0);
        let c = random.complex::<f64>(180);
        let run = |batch: usize, c: &[Complex64]| {
            let options = Options { batch, ..Options::default() };
            let mut plan = Plan::new(TransformType::One, &[33], 1e-9, &options, backend).unwrap();
            plan.set_points(&[&x]).unwrap();
            let mut f = vec![Complex64::default(); 33 * batch];
            plan.execute(c, &mut f).unwrap();
            f
        };
        let one_by_one: Vec<Complex64> = c.chunks(60).flat_map(|c| run(1, c)).collect();
        if backend.gpu().is_some() {
            // The FFT of a batch may take another order.
            assert!(distance(&run(3, &c), &one_by_one) < 1e-14);
        } else {
            assert_eq!(run(3, &c), one_by_one);
        }
    }

    /// Derivatives along the points against central differences of the sums, and against the sums of i k f_k.
    fn gradients_are_derivatives(backend: &Backend) {
        for modes in MODES {
            let mut random = Random(17);
            let count: usize = modes.iter().product();
            let points: Vec<Vec<f64>> = modes.iter().map(|_| random.reals(40, 3.0)).collect();
            let f = random.complex::<f64>(count);
            let slices = |p: &Vec<Vec<f64>>| p.clone();
            let mut plan = Plan::new(TransformType::Two, modes, 1e-12, &Options::default(), backend).unwrap();
            plan.set_points(&points.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
            let mut values = vec![Complex64::default(); 40];
            let mut gradient = vec![vec![Complex64::default(); 40]; modes.len()];
            let mut parts: Vec<&mut [Complex64]> = gradient.iter_mut().map(Vec::as_mut_slice).collect();
            plan.execute_with_gradient(&f, &mut values, &mut parts).unwrap();
            let at = |p: &Vec<Vec<f64>>| {
                let p: Vec<&[f64]> = p.iter().map(Vec::as_slice).collect();
                direct::type2(&p, &f, modes, Sign::Plus, ModeOrder::Centered)
            };
            assert!(distance(&values, &at(&points)) < 5e-12);
            for axis in 0..modes.len() {
                // The truncation of the differences, (kh)²/6, stays below 1e-7.
                let h = 1e-3 / modes[axis] as f64;
                let [mut up, mut down] = [slices(&points), slices(&points)];
                up[axis].iter_mut().for_each(|x| *x += h);
                down[axis].iter_mut().for_each(|x| *x -= h);
                let slope: Vec<Complex64> =
                    at(&up).iter().zip(at(&down)).map(|(u, d)| (u - d) / (2.0 * h)).collect();
                assert!(distance(&gradient[axis], &slope) < 1e-6, "axis {axis} of {modes:?}");
            }
        }
    }

    fn wrong_calls_are_told(backend: &Backend) {
        let plan = |modes: &[usize], tolerance| Plan::<f64>::new(TransformType::One, modes, tolerance, &Options::default(), backend);
        assert!(matches!(plan(&[], 1e-6), Err(NufftError::Dimensions(0))));
        assert!(matches!(plan(&[4; 4], 1e-6), Err(NufftError::Dimensions(4))));
        assert!(matches!(plan(&[4], 1e-16), Err(NufftError::Tolerance { .. })));
        assert!(matches!(plan(&[4], f64::NAN), Err(NufftError::Tolerance { .. })));
        assert!(matches!(plan(&[1 << 30, 1 << 30], 1e-6), Err(NufftError::TooLarge { .. })));
        assert!(matches!(plan(&[usize::MAX], 1e-6), Err(NufftError::TooLarge { .. })));
        assert!(matches!(
            Plan::<f32>::new(TransformType::One, &[4], 1e-9, &Options::default(), backend),
            Err(NufftError::Tolerance { .. })
        ));
        let mut good = plan(&[4], 1e-6).unwrap();
        let mut f = [Complex64::default(); 4];
        assert!(matches!(good.execute(&[], &mut f), Err(NufftError::WrongType(_))));
        assert!(matches!(good.set_points(&[&[0.0, f64::NAN]]), Err(NufftError::Point { index: 1, axis: 0, .. })));
        // A failure leaves the plan without points.
        assert!(matches!(good.execute(&[], &mut f), Err(NufftError::WrongType(_))));
        assert!(matches!(good.set_points(&[&[0.0], &[1.0]]), Err(NufftError::Dimensions(2))));
        good.set_points(&[&[0.0]]).unwrap();
        assert!(matches!(good.execute(&[], &mut f), Err(NufftError::Length { expected: 1, .. })));
        assert!(matches!(
            good.execute_with_gradient(&f, &mut [Complex64::default()], &mut [&mut [Complex64::default()]]),
            Err(NufftError::WrongType(_))
        ));
        let three = Plan::<f64>::new(TransformType::Three, &[1], 1e-6, &Options::default(), backend);
        let mut three = three.unwrap();
        assert!(matches!(three.set_points(&[&[0.0]]), Err(NufftError::WrongType(_))));
        let infinite = three.set_points_and_frequencies(&[&[0.0]], &[&[1.0, f64::INFINITY]]);
        assert!(matches!(infinite, Err(NufftError::Point { index: 1, axis: 0, .. })));
        // No extent overflows, aborts or fills the memory: 2e5 times 2e6 would take a grid of 1e11 points.
        let [huge, large] = [[0.0, 1e300], [-1e5, 1e5]];
        let overflow = three.set_points_and_frequencies(&[&huge], &[&huge]);
        assert!(matches!(overflow, Err(NufftError::TooLarge { count: f64::INFINITY, .. })));
        let shifted = three.set_points_and_frequencies(&[&[1e300]], &[&[1e300]]);
        assert!(matches!(shifted, Err(NufftError::Phase { .. })));
        let filled = three.set_points_and_frequencies(&[&large], &[&[-1e6, 1e6]]);
        if backend.gpu().is_none() {
            let Err(NufftError::TooLarge { .. } | NufftError::Memory { .. }) = filled else { panic!("accepted") };
        } else {
            assert!(filled.is_err());
        }
        assert!(matches!(good.set_points(&[&[1e300]]), Err(NufftError::Phase { .. })));
        let near = three.set_points_and_frequencies(&[&[0.0, 1e-310]], &[&[0.0, 1.0]]);
        assert!(near.is_ok());
        let far = three.set_points_and_frequencies(&[&[0.0, 1e9]], &[&[0.0, 1e9]]);
        assert!(matches!(far, Err(NufftError::TooLarge { .. })));
    }
}
