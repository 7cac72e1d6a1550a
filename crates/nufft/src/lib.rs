//! Nonuniform fast Fourier transforms, types 1, 2 and 3, in one, two and three dimensions, on CPU and GPU.
//!
//! With strengths c_j at points x_j in radians, and values f_k at the integer modes k of a box, −N/2 ≤ k < N/2 along each
//! axis, the sums
//!
//! ```text
//! type 1   f_k = Σ_j c_j e^{±i k·x_j}      from points to modes
//! type 2   c_j = Σ_k f_k e^{±i k·x_j}      from modes to points; and ∂c_j/∂x_j
//! type 3   f_k = Σ_j c_j e^{±i s_k·x_j}    from points to any real frequencies s_k
//! ```
//!
//! are evaluated to a relative tolerance ε. Signs, mode orders and types follow FINUFFT, and so does the interface: make a plan, set the
//! points (`makeplan`, `setpts`, `execute`). A [`Plan`] takes data on the host and runs on any device, a [`GpuPlan`] takes data in buffers
//! of a GPU; [`direct`] evaluates the sums directly.
//!
//! ```
//! use num_complex::Complex64;
//! use phasefront_device::Backend;
//! use phasefront_nufft::{ModeOrder, Options, Plan, Sign, TransformType, direct};
//!
//! let (x, y) = ([0.1, 2.0, -1.5], [3.0, 0.2, 1.0]);
//! let c = [1.0, -0.5, 2.0].map(Complex64::from);
//! let mut plan = Plan::new(TransformType::One, &[16, 10], 1e-9, &Options::default(), &Backend::Cpu)?;
//! plan.set_points(&[&x, &y])?;
//! let mut f = vec![Complex64::ZERO; 16 * 10];
//! plan.execute(&c, &mut f)?;
//!
//! let exact = direct::type1(&[&x, &y], &c, &[16, 10], Sign::Plus, ModeOrder::Centered);
//! assert!(f.iter().zip(exact).all(|(f, exact)| (f - exact).norm() < 1e-8));
//! # Ok::<(), phasefront_nufft::NufftError>(())
//! ```
//!
//! # Method
//!
//! **Type 1: spreading, FFT, deconvolution.** The strengths are spread over a fine grid of n = σN points along each axis, with the
//! upsampling factor σ (n rounded up to a product of 2, 3 and 5), by a kernel φ that is w grid points wide; the grid is Fourier transformed
//! and divided by the transform Φ of the kernel:
//!
//! ```text
//! b_l = Σ_j c_j φ(l − n x_j/2π),   f_k = 1/Φ(2πk/n) Σ_l b_l e^{±2πi kl/n}
//! ```
//!
//! **Type 2** is the transpose: deconvolution, FFT, interpolation. With φ' for φ the same grid gives the derivatives with respect to the
//! coordinates of the points, at one more interpolation per axis. The adjoint of either type is the other with the opposite sign, on the same
//! plan, and is the adjoint to rounding, not only to ε. **Type 3** spreads on one grid and takes its values as the modes of a transform of
//! type 2, after scaling points and frequencies (J.-Y. Lee and L. Greengard, J. Comput. Phys. 206 (2005), 1-5).
//!
//! **The spreading kernel** φ is the prolate spheroidal wave function of order zero, ψ(2t/w) with bandwidth c = πw(1 − 1/2σ): of all functions
//! of that width it has the least energy beyond c, where the aliases of the modes are. The Kaiser-Bessel kernel and the exponential of
//! semicircle of FINUFFT (A. H. Barnett, J. Magland and L. af Klinteberg, SIAM J. Sci. Comput. 41 (2019), C479-C504) approximate it. On the
//! grid, it is one polynomial per tap. [`SpreadingKernel::KaiserBessel`] is Fourmont's Kaiser-Bessel pair.
//!
//! **The error** is aliasing: Σ_m |Φ(ω + 2πm)/Φ(ω)|² over m ≠ 0, averaged over the modes. It falls by a factor of about ten per grid point of
//! width at σ = 2 and four at σ = 1.25, so ε determines w: 7 for 10⁻⁶ and 13 for 10⁻¹² at σ = 2. The tests require
//! ‖error‖ ≤ 5 ε √n ‖input‖ at n outputs for random data, which is 5 ε ‖result‖, down to 10⁻¹⁴, and 10⁻⁶ in single precision. For
//! any data an output is off by at most 40 ε Σ|input|; relative to sums whose terms cancel, that may be much.
//!
//! **The cost** of M points in d dimensions is M wᵈ + (σN)ᵈ log(σN)ᵈ. On the CPU σ minimizes a measured model of it; on a GPU it is 2
//! unless [`Options::upsampling`] is given.

mod check;
mod cost;
// The SIMD routines must be inlined into the function that enables the instruction set.
#[allow(clippy::inline_always)]
mod cpu;
pub mod direct;
mod error;
mod gpu;
mod grid;
mod kernel;
mod memory;
mod options;
mod plan;
mod prolate;
mod table;
mod type3;

pub use cpu::Float;
pub use error::{NufftError, Result};
pub use gpu::GpuPlan;
pub use options::{GpuMethod, ModeOrder, Options, Sign, SpreadingKernel, TransformType, Upsampling};
pub use plan::Plan;

/// The example of the README, for the tests to run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
