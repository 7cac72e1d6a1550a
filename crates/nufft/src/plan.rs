//! A transform that is planned once and carried out many times.

use crate::cost;
use crate::cpu::{CpuPlan, Float};
use crate::error::{NufftError, Result};
use crate::grid::GridShape;
use crate::kernel::Kernel;
use crate::options::{Options, Sign, SpreadingKernel, TransformType};
use crate::table::TapTable;
use crate::type3::Type3;
use num_complex::Complex;
use phasefront_core::Precision;

/// A planned transform: [`Plan::new`], then [`Plan::set_points`], then [`Plan::execute`] as often as there is data.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_nufft::{Options, Plan, TransformType};
///
/// // Three points on the circle, their 8 Fourier modes −4, …, 3.
/// let (x, c) = ([0.1, 2.0, -1.5], [1.0, -0.5, 2.0].map(Complex64::from));
/// let mut plan = Plan::new(TransformType::One, &[8], 1e-9, &Options::default())?;
/// plan.set_points(&[&x])?;
/// let mut f = [Complex64::default(); 8];
/// plan.execute(&c, &mut f)?;
///
/// let exact: Complex64 = c.iter().zip(x).map(|(c, x)| c * Complex64::cis(-4.0 * x)).sum();
/// assert!((f[0] - exact).norm() < 1e-8);
/// # Ok::<(), phasefront_nufft::NufftError>(())
/// ```
pub struct Plan<T: Float> {
    kind: TransformType,
    modes: Vec<usize>,
    tolerance: f64,
    options: Options,
    points: usize,
    targets: usize,
    engine: Option<Engine<T>>,
}

enum Engine<T: Float> {
    Modes(Box<CpuPlan<T>>),
    Frequencies(Box<Type3<T>>),
}

/// The smallest tolerance of a precision: its rounding, and a few digits for what adds up in the transform.
pub(crate) fn reach<T: Float>() -> f64 {
    match T::PRECISION {
        Precision::Single => 1e-6,
        Precision::Double => 1e-14,
    }
}

impl<T: Float> Plan<T> {
    /// Plans a transform between points and the Fourier modes of a box, `modes` along each of its one to three axes. For type
    /// 3 the entries of `modes` do not count, only how many there are.
    pub fn new(kind: TransformType, modes: &[usize], tolerance: f64, options: &Options) -> Result<Self> {
        if !(1..=3).contains(&modes.len()) {
            return Err(NufftError::Dimensions(modes.len()));
        }
        // A NaN is not at least the reach either.
        if !(tolerance >= reach::<T>()) {
            return Err(NufftError::Tolerance { tolerance, reach: reach::<T>() });
        }
        // What cannot be had is told now, not when the points come.
        let upsampling = options.upsampling.unwrap_or(2.0);
        let kernel = choose_kernel(modes.len(), tolerance, options.kernel, upsampling)?;
        if kind != TransformType::Three {
            GridShape::new(modes, &kernel)?;
        }
        let modes = modes.to_vec();
        Ok(Self { kind, modes, tolerance, options: *options, points: 0, targets: 0, engine: None })
    }

    /// Takes the points of a transform of type 1 or 2, in radians, one slice per axis. They may lie anywhere: the modes have
    /// the period 2π.
    pub fn set_points(&mut self, points: &[&[T]]) -> Result<()> {
        if self.kind == TransformType::Three {
            return Err(NufftError::WrongType("a transform of type 3 needs frequencies beside its points"));
        }
        let count = self.check_points(points)?;
        let upsampling = self.options.upsampling.unwrap_or_else(|| {
            cost::cheapest_upsampling(&self.modes, count, self.tolerance, T::PRECISION)
        });
        let kernel = choose_kernel(self.modes.len(), self.tolerance, self.options.kernel, upsampling)?;
        let shape = GridShape::new(&self.modes, &kernel)?;
        let engine = match self.engine.take() {
            Some(Engine::Modes(engine)) if engine.fits(&shape) => engine,
            _ => {
                let table = TapTable::new(&kernel, self.tolerance);
                Box::new(CpuPlan::new(shape, &kernel, &table, self.options.mode_order))
            }
        };
        self.points = count;
        self.targets = self.modes.iter().product();
        if let Engine::Modes(engine) = self.engine.insert(Engine::Modes(engine)) {
            engine.set_points(points)?;
        }
        Ok(())
    }

    /// Takes the points x and the frequencies s of a transform of type 3, one slice per axis.
    pub fn set_points_and_frequencies(&mut self, points: &[&[T]], frequencies: &[&[T]]) -> Result<()> {
        if self.kind != TransformType::Three {
            return Err(NufftError::WrongType("only a transform of type 3 has frequencies"));
        }
        self.points = self.check_points(points)?;
        self.targets = self.check_points(frequencies)?;
        let engine = Type3::new(points, frequencies, self.tolerance, &self.options)?;
        self.engine = Some(Engine::Frequencies(Box::new(engine)));
        Ok(())
    }

    /// Carries out the transform. Type 1 and 3: from strengths at the points to modes or frequencies; type 2: from modes to
    /// values at the points. With a batch, its vectors follow one another.
    pub fn execute(&mut self, input: &[Complex<T>], output: &mut [Complex<T>]) -> Result<()> {
        self.run(input, output, self.kind != TransformType::Two, self.options.sign)
    }

    /// Carries out the adjoint: the conjugate transpose of the same sums, with input and output exchanged.
    pub fn execute_adjoint(&mut self, input: &[Complex<T>], output: &mut [Complex<T>]) -> Result<()> {
        self.run(input, output, self.kind == TransformType::Two, self.options.sign.flipped())
    }

    /// Type 2 with derivatives: the values c_j = Σ_k f_k e^{±i k·x_j} and ∂c_j/∂x_j along each axis, all from one FFT.
    pub fn execute_with_gradient(
        &mut self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        gradient: &mut [&mut [Complex<T>]],
    ) -> Result<()> {
        let [sources, values] = [self.targets, self.points].map(|n| n * self.options.batch);
        check_length("the input", input.len(), sources)?;
        check_length("the output", output.len(), values)?;
        check_length("the gradient", gradient.len(), self.modes.len())?;
        for axis in gradient.iter() {
            check_length("an axis of the gradient", axis.len(), values)?;
        }
        let (sign, batch) = (self.options.sign, self.options.batch);
        let (points, targets) = (self.points, self.targets);
        let Some(Engine::Modes(engine)) = self.engine.as_mut().filter(|_| self.kind == TransformType::Two) else {
            return Err(NufftError::WrongType("gradients come from a transform of type 2 with its points set"));
        };
        for b in 0..batch {
            let part = b * points..(b + 1) * points;
            let mut gradient: Vec<&mut [Complex<T>]> =
                gradient.iter_mut().map(|axis| &mut axis[part.clone()]).collect();
            let input = &input[b * targets..(b + 1) * targets];
            engine.type2_gradient(input, sign, &mut output[part.clone()], &mut gradient);
        }
        Ok(())
    }

    /// From the points to the modes or frequencies, or back.
    fn run(
        &mut self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        from_points: bool,
        sign: Sign,
    ) -> Result<()> {
        let [sources, targets] =
            if from_points { [self.points, self.targets] } else { [self.targets, self.points] };
        let engine = self.engine.as_mut().ok_or(NufftError::WrongType("the plan has no points yet"))?;
        check_length("the input", input.len(), sources * self.options.batch)?;
        check_length("the output", output.len(), targets * self.options.batch)?;
        for b in 0..self.options.batch {
            let input = &input[b * sources..(b + 1) * sources];
            let output = &mut output[b * targets..(b + 1) * targets];
            match engine {
                Engine::Modes(engine) if from_points => engine.type1(input, sign, output),
                Engine::Modes(engine) => engine.type2(input, sign, output),
                Engine::Frequencies(engine) if from_points => engine.execute(input, output)?,
                Engine::Frequencies(engine) => engine.execute_adjoint(input, output)?,
            }
        }
        Ok(())
    }

    /// One slice per axis, all equally long, all finite; gives back their length.
    fn check_points(&self, points: &[&[T]]) -> Result<usize> {
        if points.len() != self.modes.len() {
            return Err(NufftError::Dimensions(points.len()));
        }
        for x in points {
            check_length("an axis of the points", x.len(), points[0].len())?;
        }
        Ok(points[0].len())
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(NufftError::Length { what, found, expected }) }
}

/// The spreading function for a tolerance in so many dimensions; their errors add up as squares.
pub(crate) fn choose_kernel(
    dimensions: usize,
    tolerance: f64,
    kind: SpreadingKernel,
    upsampling: f64,
) -> Result<Kernel> {
    let share = tolerance / (dimensions as f64).sqrt();
    let (kernel, widest) = match kind {
        SpreadingKernel::Prolate => (Kernel::for_tolerance(share, upsampling), Kernel::widest(upsampling)),
        SpreadingKernel::Paper => (Kernel::paper_for_tolerance(share), Kernel::widest_paper()),
    };
    kernel.ok_or_else(|| {
        let reach = widest.expected_error() * (dimensions as f64).sqrt();
        NufftError::Tolerance { tolerance, reach }
    })
}
