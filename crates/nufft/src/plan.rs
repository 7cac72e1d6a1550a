//! The plan of a transform: made once, executed many times.

use crate::check;
use crate::cost;
use crate::cpu::{CpuPlan, CpuType3, Float};
use crate::error::{NO_GRADIENT, NO_POINTS, NufftError, Result};
use crate::gpu::HostPlan;
use crate::grid::GridShape;
use crate::kernel::{KernelUse, choose_kernel};
use crate::memory;
use crate::options::{Options, Sign, TransformType, Upsampling};
use crate::table::TapTable;
use crate::type3::Scaled;
use num_complex::Complex;
use phasefront_device::Backend;

/// A planned transform: [`Plan::new`], then [`Plan::set_points`], then [`Plan::execute`] as often as there is data.
///
/// All data are on the host, whatever the device: on a GPU, each call uploads the input and downloads the output. For data that are on
/// the GPU already, [`GpuPlan`](crate::GpuPlan) avoids these copies, which take longer than a small transform.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_device::Backend;
/// use phasefront_nufft::{Options, Plan, TransformType};
///
/// // Three points on the circle, their 8 Fourier modes −4, …, 3.
/// let (x, c) = ([0.1, 2.0, -1.5], [1.0, -0.5, 2.0].map(Complex64::from));
/// let mut plan = Plan::new(TransformType::One, &[8], 1e-9, &Options::default(), &Backend::Cpu)?;
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
    backend: Backend,
    /// Number of points, and of modes or frequencies; none before the points are set.
    counts: Option<[usize; 2]>,
    engine: Option<Engine<T>>,
}

/// The plan on a device. On the CPU it is made with the points, whose number determines the upsampling factor.
enum Engine<T: Float> {
    Cpu(Box<CpuPlan<T>>),
    CpuType3(Box<CpuType3<T>>),
    Gpu(Box<HostPlan<T>>),
}

impl<T: Float> Plan<T> {
    /// Plans a transform between points and the Fourier modes of a box, `modes` along each of its one to three axes, on a
    /// device. For type 3 only the length of `modes` matters, the number of dimensions.
    pub fn new(
        kind: TransformType,
        modes: &[usize],
        tolerance: f64,
        options: &Options,
        backend: &Backend,
    ) -> Result<Self> {
        check::request::<T>(modes.len(), tolerance)?;
        // Unattainable tolerances and sizes are errors here, not when the points are set.
        let (kernel_use, upsampling) = match kind {
            TransformType::Three => (KernelUse::Type3(modes.len()), Upsampling::High),
            _ => (KernelUse::Modes(modes), options.upsampling.unwrap_or(Upsampling::High)),
        };
        let kernel = choose_kernel::<T>(kernel_use, tolerance, options.kernel, upsampling)?;
        if kind != TransformType::Three {
            GridShape::new(modes, &kernel)?;
        }
        // On a GPU the plan does not depend on the number of points; on the CPU and for type 3 it
        // is made with them.
        let engine = match backend {
            Backend::Gpu(gpu) if kind != TransformType::Three => {
                Some(Engine::Gpu(Box::new(HostPlan::modes(gpu, modes, tolerance, options)?)))
            }
            _ => None,
        };
        let (modes, backend) = (modes.to_vec(), backend.clone());
        Ok(Self { kind, modes, tolerance, options: *options, backend, counts: None, engine })
    }

    /// Sets the points of a transform of type 1 or 2, in radians, one slice per axis; any real numbers, as the modes are 2π-periodic.
    pub fn set_points(&mut self, points: &[&[T]]) -> Result<()> {
        if self.kind == TransformType::Three {
            return Err(NufftError::WrongType("a transform of type 3 needs points and frequencies"));
        }
        let count = self.check_points(points)?;
        // A failure leaves the plan without points, not with some of the old ones.
        self.counts = None;
        check::periods(&check::finite(points)?, &self.modes, self.tolerance)?;
        if let Some(Engine::Gpu(engine)) = &mut self.engine {
            engine.set_points(points, self.options.batch)?;
        } else {
            let mut engine = self.take_cpu_plan(count)?;
            engine.set_points(points)?;
            self.engine = Some(Engine::Cpu(engine));
        }
        self.counts = Some([count, self.modes.iter().product()]);
        Ok(())
    }

    /// The existing plan if it fits this number of points, else a new one.
    fn take_cpu_plan(&mut self, count: usize) -> Result<Box<CpuPlan<T>>> {
        // Few points favor a coarse grid (cheap FFT), many a narrow kernel (cheap spreading).
        let upsampling = self
            .options
            .upsampling
            .unwrap_or_else(|| cost::cheapest_upsampling::<T>(&self.modes, count, self.tolerance));
        let kernel = choose_kernel::<T>(
            KernelUse::Modes(&self.modes),
            self.tolerance,
            self.options.kernel,
            upsampling,
        )?;
        let shape = GridShape::new(&self.modes, &kernel)?;
        // Tables and FFT plans are reused if only the points have changed.
        match self.engine.take() {
            Some(Engine::Cpu(engine)) if engine.fits(&shape) => Ok(engine),
            _ => {
                memory::require(CpuPlan::<T>::bytes(&shape, count), &shape)?;
                let table = TapTable::new(&kernel, self.tolerance);
                Ok(Box::new(CpuPlan::new(shape, &kernel, &table, self.options.mode_order)?))
            }
        }
    }

    /// Sets the points x and the frequencies s of a transform of type 3, one slice per axis.
    ///
    /// ```
    /// # use num_complex::Complex64;
    /// # use phasefront_device::Backend;
    /// # use phasefront_nufft::{Options, Plan, TransformType};
    /// let (x, s) = ([0.1, 20.0, -1.5], [0.5, 1.25]);
    /// let mut plan = Plan::new(TransformType::Three, &[1], 1e-9, &Options::default(), &Backend::Cpu)?;
    /// plan.set_points_and_frequencies(&[&x], &[&s])?;
    /// let mut f = [Complex64::default(); 2];
    /// plan.execute(&[Complex64::ONE; 3], &mut f)?;
    /// let exact: Complex64 = x.iter().map(|x| Complex64::cis(1.25 * x)).sum();
    /// assert!((f[1] - exact).norm() < 1e-8);
    /// # Ok::<(), phasefront_nufft::NufftError>(())
    /// ```
    pub fn set_points_and_frequencies(&mut self, points: &[&[T]], frequencies: &[&[T]]) -> Result<()> {
        if self.kind != TransformType::Three {
            return Err(NufftError::WrongType("only a transform of type 3 has frequencies"));
        }
        // Both lists have one slice per axis, but lengths of their own.
        let counts = [self.check_points(points)?, self.check_points(frequencies)?];
        self.counts = None;
        let scaled = Scaled::new(points, frequencies, self.tolerance, &self.options)?;
        self.engine = Some(match &self.backend {
            Backend::Cpu => {
                memory::require(CpuType3::bytes(&scaled), &scaled.inner)?;
                Engine::CpuType3(Box::new(CpuType3::new(scaled, self.options.sign)?))
            }
            Backend::Gpu(gpu) => Engine::Gpu(Box::new(HostPlan::frequencies(gpu, &scaled, &self.options)?)),
        });
        self.counts = Some(counts);
        Ok(())
    }

    /// Executes the transform. Types 1 and 3: from strengths at the points to modes or frequencies; type 2: from modes to values at the
    /// points. The vectors of a batch are contiguous.
    pub fn execute(&mut self, input: &[Complex<T>], output: &mut [Complex<T>]) -> Result<()> {
        self.run(input, output, self.kind != TransformType::Two, self.options.sign)
    }

    /// Executes the adjoint: the conjugate transpose of the same sums, with input and output exchanged.
    ///
    /// ```
    /// # use num_complex::Complex64;
    /// # use phasefront_device::Backend;
    /// # use phasefront_nufft::{Options, Plan, TransformType};
    /// let mut plan = Plan::new(TransformType::Two, &[4], 1e-9, &Options::default(), &Backend::Cpu)?;
    /// plan.set_points(&[&[0.3, 1.0]])?;
    /// let mut f = [Complex64::default(); 4];
    /// plan.execute_adjoint(&[Complex64::ONE, Complex64::I], &mut f)?;
    /// let exact = Complex64::cis(2.0 * 0.3) + Complex64::I * Complex64::cis(2.0 * 1.0); // k = −2
    /// assert!((f[0] - exact).norm() < 1e-8);
    /// # Ok::<(), phasefront_nufft::NufftError>(())
    /// ```
    pub fn execute_adjoint(&mut self, input: &[Complex<T>], output: &mut [Complex<T>]) -> Result<()> {
        // The adjoint of points-to-modes with e^{+ik·x} is modes-to-points with e^{−ik·x}.
        self.run(input, output, self.kind == TransformType::Two, self.options.sign.flipped())
    }

    /// Type 2 with derivatives: the values c_j = Σ_k f_k e^{±i k·x_j} and ∂c_j/∂x_j along each axis, all from one FFT.
    ///
    /// ```
    /// # use num_complex::Complex64;
    /// # use phasefront_device::Backend;
    /// # use phasefront_nufft::{Options, Plan, TransformType};
    /// // The modes −2, …, 1: f = e^{ix}, so that f' = i f.
    /// let f = [0.0, 0.0, 0.0, 1.0].map(Complex64::from);
    /// let mut plan = Plan::new(TransformType::Two, &[4], 1e-9, &Options::default(), &Backend::Cpu)?;
    /// plan.set_points(&[&[0.3]])?;
    /// let (mut value, mut derivative) = ([Complex64::ZERO], [Complex64::ZERO]);
    /// plan.execute_with_gradient(&f, &mut value, &mut [&mut derivative])?;
    /// assert!((derivative[0] - Complex64::I * Complex64::cis(0.3)).norm() < 1e-7);
    /// # Ok::<(), phasefront_nufft::NufftError>(())
    /// ```
    pub fn execute_with_gradient(
        &mut self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        gradient: &mut [&mut [Complex<T>]],
    ) -> Result<()> {
        if self.kind != TransformType::Two {
            return Err(NufftError::WrongType(NO_GRADIENT));
        }
        let [points, modes] = self.counts()?;
        let Options { sign, batch, .. } = self.options;
        check::length("the input", input.len(), modes * batch)?;
        check::length("the output", output.len(), points * batch)?;
        check::length("the gradient", gradient.len(), self.modes.len())?;
        for axis in gradient.iter() {
            check::length("an axis of the gradient", axis.len(), points * batch)?;
        }
        match &mut self.engine {
            Some(Engine::Gpu(engine)) => engine.values_to_points_with_gradient(input, sign, output, gradient),
            Some(Engine::Cpu(engine)) => {
                for b in 0..batch {
                    let part = b * points..(b + 1) * points;
                    let mut gradient: Vec<&mut [Complex<T>]> =
                        gradient.iter_mut().map(|axis| &mut axis[part.clone()]).collect();
                    let input = &input[b * modes..(b + 1) * modes];
                    engine.type2_gradient(input, sign, &mut output[part], &mut gradient);
                }
                Ok(())
            }
            _ => Err(NufftError::WrongType(NO_GRADIENT)),
        }
    }

    /// From the points to the modes or frequencies, or in the other direction.
    fn run(
        &mut self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        from_points: bool,
        sign: Sign,
    ) -> Result<()> {
        let [points, values] = self.counts()?;
        let [sources, targets] = if from_points { [points, values] } else { [values, points] };
        let batch = self.options.batch;
        check::length("the input", input.len(), sources * batch)?;
        check::length("the output", output.len(), targets * batch)?;
        let engine = self.engine.as_mut().ok_or(NufftError::WrongType(NO_POINTS))?;
        let part = |b: usize, n: usize| b * n..(b + 1) * n;
        match engine {
            Engine::Gpu(engine) if from_points => engine.points_to_values(input, sign, output)?,
            Engine::Gpu(engine) => engine.values_to_points(input, sign, output)?,
            Engine::Cpu(engine) => {
                for b in 0..batch {
                    let (input, output) = (&input[part(b, sources)], &mut output[part(b, targets)]);
                    if from_points {
                        engine.type1(input, sign, output);
                    } else {
                        engine.type2(input, sign, output);
                    }
                }
            }
            Engine::CpuType3(engine) => {
                for b in 0..batch {
                    let (input, output) = (&input[part(b, sources)], &mut output[part(b, targets)]);
                    if from_points {
                        engine.execute(input, output);
                    } else {
                        engine.execute_adjoint(input, output);
                    }
                }
            }
        }
        Ok(())
    }

    fn counts(&self) -> Result<[usize; 2]> {
        self.counts.ok_or(NufftError::WrongType(NO_POINTS))
    }

    /// Checks for one slice per axis, all of the same length, which is returned.
    fn check_points(&self, points: &[&[T]]) -> Result<usize> {
        if points.len() != self.modes.len() {
            return Err(NufftError::Dimensions(points.len()));
        }
        for x in points {
            check::length("an axis of the points", x.len(), points[0].len())?;
        }
        Ok(points[0].len())
    }
}
