//! Errors of a nonuniform transform.

use phasefront_core::units::bytes_text;
use phasefront_device::DeviceError;

/// Message for a plan used before its points are set.
pub(crate) const NO_POINTS: &str = "the points of the plan have not been set";
/// Message for derivatives of another type.
pub(crate) const NO_GRADIENT: &str = "gradients are available for transforms of type 2 only";

/// An error of a transform.
#[derive(Debug, thiserror::Error)]
pub enum NufftError {
    /// Only one, two and three dimensions are supported.
    #[error("a transform in {0} dimensions is not supported")]
    Dimensions(usize),
    /// A coordinate of a point is NaN or infinite.
    #[error("point {index} has the coordinate {value} along axis {axis}")]
    Point {
        /// Index of the point.
        index: usize,
        /// Axis.
        axis: usize,
        /// Coordinate.
        value: f64,
    },
    /// The tolerance cannot be attained.
    #[error("a tolerance of {tolerance:.1e} cannot be attained, only {attainable:.1e}")]
    Tolerance {
        /// Requested tolerance.
        tolerance: f64,
        /// Smallest tolerance in this precision and with this kernel.
        attainable: f64,
    },
    /// More points than can be numbered.
    #[error("{count:.1e} {what} are too many for one transform")]
    TooLarge {
        /// Points of the fine grid, or points of the transform.
        what: &'static str,
        /// How many; infinite where the extents overflow.
        count: f64,
    },
    /// The memory for the grids is not free.
    #[error(
        "the fine grid of {} points needs {} of memory, and {} are free",
        grid_text(grid), bytes_text(*needed), bytes_text(*free)
    )]
    Memory {
        /// Points of the fine grid along each axis.
        grid: Vec<usize>,
        /// Bytes of the whole plan.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// Phases so large that their fraction of a period has no digits.
    #[error("phases of up to {phase:.1e} rad cannot be reduced to one period in double precision")]
    Phase {
        /// The largest of them.
        phase: f64,
    },
    /// An array does not have the length of the plan.
    #[error("{what} has {found} values, and the plan requires {expected}")]
    Length {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Required length.
        expected: usize,
    },
    /// The call does not apply to this type of plan.
    #[error("{0}")]
    WrongType(&'static str),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Result of every call.
pub type Result<T, E = NufftError> = std::result::Result<T, E>;

impl NufftError {
    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Dimensions(_) => "use one, two or three axes".into(),
            Self::Point { .. } => "remove the point, or find the cause of its coordinate".into(),
            Self::Tolerance { attainable, .. } => {
                format!("request {attainable:.1e} or more, or use double precision")
            }
            Self::TooLarge { .. } | Self::Memory { .. } => {
                "use fewer modes; for type 3 the grid has the extent of the points times that of the frequencies, divided by π, along each axis: divide them into groups of smaller extent, or evaluate the sums directly".into()
            }
            Self::Phase { .. } => {
                "subtract multiples of the period 2π from the points; for type 3 shift points and frequencies toward zero".into()
            }
            Self::Length { .. } => "pass one value per point or mode, for all vectors of the batch".into(),
            Self::WrongType(_) => "make a plan of the required type, and set its points first".into(),
            Self::Device(error) => error.advice(),
        }
    }
}

fn grid_text(grid: &[usize]) -> String {
    grid.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}
