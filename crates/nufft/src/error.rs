//! What can go wrong in a non-uniform transform.

use phasefront_device::DeviceError;

/// Why there is no transform.
#[derive(Debug, thiserror::Error)]
pub enum NufftError {
    /// Only one, two and three dimensions are there.
    #[error("a transform in {0} dimensions")]
    Dimensions(usize),
    /// A point is not a number, or infinite.
    #[error("point {index} has the coordinate {value} along axis {axis}")]
    Point {
        /// Which point.
        index: usize,
        /// Along which axis.
        axis: usize,
        /// What stands there.
        value: f64,
    },
    /// The tolerance is not within reach.
    #[error("a tolerance of {tolerance:.1e} cannot be reached, only {reach:.1e}")]
    Tolerance {
        /// What was asked for.
        tolerance: f64,
        /// What can be had in this precision and with this kernel.
        reach: f64,
    },
    /// The transform needs a grid beyond the address space.
    #[error("the grid of this transform has too many points")]
    TooLarge,
    /// An array does not have the length the plan gives it.
    #[error("{what} has {found} values, and the plan asks for {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// The plan is of another type than the call.
    #[error("{0}")]
    WrongType(&'static str),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// What every call gives back.
pub type Result<T, E = NufftError> = std::result::Result<T, E>;

impl NufftError {
    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Dimensions(_) => "give one, two or three axes".into(),
            Self::Point { .. } => "remove it, or find out where it came from".into(),
            Self::Tolerance { reach, .. } => format!("ask for {reach:.1e} or more, or use double precision"),
            Self::TooLarge => "use fewer modes; for type 3, narrower points or frequencies".into(),
            Self::Length { .. } => "one value per point or mode, and all vectors of the batch".into(),
            Self::WrongType(_) => "make a plan of the type you need".into(),
            Self::Device(error) => error.advice(),
        }
    }
}
