//! Non-uniform fast Fourier transforms, types 1, 2 and 3, in one, two and three dimensions, on CPU and GPU.
//!
//! With strengths c_j at points x_j in radians, and values f_k at the integer modes k of a box, −N/2 ≤ k < N/2 along each
//! axis,
//!
//! ```text
//! type 1   f_k = Σ_j c_j e^{±i k·x_j}      from points to modes
//! type 2   c_j = Σ_k f_k e^{±i k·x_j}      from modes to points; and ∂c_j/∂x_j
//! type 3   f_k = Σ_j c_j e^{±i s_k·x_j}    from points to any real frequencies s_k
//! ```
//!
//! are evaluated to a relative error ε that the caller chooses. Signs, order of modes and the meaning of the types are those
//! of FINUFFT. A [`Plan`] takes data on the host and works on the device it is given, a [`GpuPlan`] takes data that lies on
//! the GPU; [`direct`] has the sums themselves.
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
//! # How
//!
//! **Type 1** spreads the strengths over a grid of n = σN points along each axis (rounded up to a product of 2, 3 and 5), with
//! a function φ that is w grid points wide, Fourier transforms the grid, and divides by the transform Φ of φ:
//!
//! ```text
//! b_l = Σ_j c_j φ(l − n x_j/2π),   f_k = 1/Φ(2πk/n) Σ_l b_l e^{±2πi kl/n}
//! ```
//!
//! **Type 2** is the transpose: it divides, transforms and interpolates. With φ' for φ the same grid gives the derivatives along
//! the points' coordinates, for one more interpolation per axis. The adjoint of either is the other with the sign flipped, on
//! the same plan, and is the adjoint to rounding, not to ε only. **Type 3** spreads on one grid and takes its values as the
//! modes of a transform of type 2, after scaling points and frequencies (Lee and Greengard 2005).
//!
//! **φ** is the prolate spheroidal wave function of order zero, ψ(2t/w) with bandwidth c = πw(1 − 1/2σ): among all functions of
//! that width it has the least energy beyond c, where the aliases of the modes lie. On the grid, it is one polynomial per tap.
//! [`SpreadingKernel::Paper`] is Fourmont's Kaiser-Bessel pair.
//!
//! **The error** is that of the aliases: Σ_m |Φ(ω + 2πm)/Φ(ω)|² over m ≠ 0, in the mean over modes. It falls by about ten for
//! each grid point of width at σ = 2 and by four at σ = 1.25, so w is chosen by ε: 7 for 10⁻⁶ and 13 for 10⁻¹² at σ = 2. The
//! tests hold ‖error‖ ≤ 5 ε ‖result‖ down to 10⁻¹³, and 10⁻⁶ in single precision.
//!
//! **The cost** of M points in d dimensions is M wᵈ + (σN)ᵈ log(σN)ᵈ. On the CPU σ is chosen by that, with measured times; on a GPU
//! it is 2 unless [`Options::upsampling`] says otherwise.

mod check;
mod cost;
// The SIMD routines must be inlined into the function that turns on the instruction set, or they lose it.
#[allow(clippy::inline_always)]
mod cpu;
pub mod direct;
mod error;
mod gpu;
mod grid;
mod kernel;
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
