//! Options of a plan.

/// Type of the transform, between strengths c at the points x_j and values f at the integer modes k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransformType {
    /// From points to modes: f_k = Σ_j c_j e^{±i k·x_j}.
    One,
    /// From modes to points: c_j = Σ_k f_k e^{±i k·x_j}.
    Two,
    /// From points to frequencies: f_k = Σ_j c_j e^{±i s_k·x_j}, with any real s_k.
    Three,
}

/// Sign of the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    /// e^{−i k·x}.
    Minus,
    /// e^{+i k·x}.
    Plus,
}

impl Sign {
    /// −1 or 1.
    pub fn value(self) -> f64 {
        match self {
            Self::Minus => -1.0,
            Self::Plus => 1.0,
        }
    }

    /// The opposite sign.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Minus => Self::Plus,
            Self::Plus => Self::Minus,
        }
    }
}

/// Order of the modes along each axis; the first axis runs fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModeOrder {
    /// −N/2, …, (N−1)/2, from the lowest up.
    Centered,
    /// 0, …, (N−1)/2, −N/2, …, −1: the order of a plain FFT.
    Fft,
}

/// The spreading kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpreadingKernel {
    /// Prolate spheroidal wave function of order zero: the narrowest for its tolerance. The Kaiser-Bessel and exponential of semicircle
    /// kernels approximate it.
    Prolate,
    /// Kaiser-Bessel pair after Fourmont (2003), 2K + 1 points wide with K = 2, 3, … by the
    /// tolerance, upsampling 2.
    KaiserBessel,
}

/// Upsampling factor σ: points of the fine grid per mode, along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Upsampling {
    /// 1.25: short FFTs, wide kernels.
    Low,
    /// 2: long FFTs, narrow kernels.
    High,
}

impl Upsampling {
    /// 1.25 or 2.
    pub fn value(self) -> f64 {
        match self {
            Self::Low => 1.25,
            Self::High => 2.0,
        }
    }
}

/// Spreading method on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GpuMethod {
    /// The fastest for the size: subproblems for many points and narrow kernels or for clustered points, else output-driven.
    Auto,
    /// A thread per point in sorted order, with atomics in global memory.
    Sorted,
    /// A group per bin of points, accumulating in shared memory first.
    Subproblem,
    /// A group per tile of the grid, which gathers its points: no atomics, bitwise reproducible.
    OutputDriven,
    /// A thread per point in the order given, with atomics: the first scheme of Capozzoli et al. (2016).
    PointDriven,
    /// A thread per point and tap, with atomics: their second scheme, with its dynamic parallelism flattened.
    TapDriven,
}

/// Options of a plan.
///
/// ```
/// use phasefront_nufft::{ModeOrder, Options, Sign};
/// // The conventions of a plain FFT.
/// let options = Options { sign: Sign::Minus, mode_order: ModeOrder::Fft, ..Options::default() };
/// assert_eq!(options.batch, 1);
/// assert_eq!(options.sign.flipped().value(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Sign of the exponent.
    pub sign: Sign,
    /// Order of the modes.
    pub mode_order: ModeOrder,
    /// Spreading kernel.
    pub kernel: SpreadingKernel,
    /// Upsampling factor; chosen by cost if none. Type 3 always uses [`Upsampling::High`].
    pub upsampling: Option<Upsampling>,
    /// Number of vectors transformed by one call.
    pub batch: usize,
    /// Spreading method on a GPU.
    pub gpu_method: GpuMethod,
    /// Bitwise reproducible on one device: restricts [`GpuMethod::Auto`] to [`GpuMethod::OutputDriven`], the only method without
    /// atomics. An explicit method is used as it is. The CPU is always reproducible, for any number of threads; another instruction set may
    /// round differently.
    pub deterministic: bool,
}

impl Default for Options {
    fn default() -> Self {
        // e^{+ik·x} and modes from the lowest up: iflag = 1 and modeord = 0 of FINUFFT.
        Self {
            sign: Sign::Plus,
            mode_order: ModeOrder::Centered,
            kernel: SpreadingKernel::Prolate,
            upsampling: None,
            batch: 1,
            gpu_method: GpuMethod::Auto,
            deterministic: false,
        }
    }
}
