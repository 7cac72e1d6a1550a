//! What a plan can be told.

/// Which transform a plan is for. With c at the points x_j and f at the integer modes k:
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

    /// The other one.
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
    /// 0, …, (N−1)/2, −N/2, …, −1: as a plain FFT has them.
    Fft,
}

/// The function that spreads a point over the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpreadingKernel {
    /// Prolate spheroidal wave function of order zero: the narrowest for its tolerance.
    Prolate,
    /// Kaiser-Bessel pair after Fourmont (2003), 2K + 1 points wide with K = 3, 4, … by the tolerance, upsampling 2.
    Paper,
}

/// Points of the fine grid per mode, along each axis.
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

/// How a GPU spreads points over the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GpuMethod {
    /// The fastest by size: subproblems for many points and narrow kernels or where points crowd, else driven by the output.
    Auto,
    /// A thread per point of the sorted list, adding to global memory.
    Sorted,
    /// A group per bin of points, adding to shared memory first.
    Subproblem,
    /// A group per tile of the grid that gathers its points: no atomics, the same bits every time.
    OutputDriven,
    /// The paper's first scheme: a thread per point, as it comes, with atomics.
    PaperPoint,
    /// The paper's second scheme: a thread per point and tap (its dynamic parallelism, flattened), with atomics.
    PaperTap,
}

/// Everything about a plan that has a default.
///
/// ```
/// use phasefront_nufft::{ModeOrder, Options, Sign};
/// // As a plain FFT has it.
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
    /// Spreading function.
    pub kernel: SpreadingKernel,
    /// Fine grid over modes; by cost if left out. Type 3 always has [`Upsampling::High`].
    pub upsampling: Option<Upsampling>,
    /// Vectors that one call transforms.
    pub batch: usize,
    /// How a GPU spreads.
    pub gpu_method: GpuMethod,
    /// The same bits from every run on one device: keeps [`GpuMethod::Auto`] to [`GpuMethod::OutputDriven`], the only way to
    /// spread without atomics. A method that is named is taken as it is, and the CPU always gives the same bits.
    pub deterministic: bool,
}

impl Default for Options {
    fn default() -> Self {
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
