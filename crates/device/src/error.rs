//! What can go wrong on a device, and what to do about it.

/// Result of a device call.
pub type Result<T> = std::result::Result<T, DeviceError>;

/// A device error. [`DeviceError::advice`] says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeviceError {
    /// More values than the address space holds.
    #[error("{values} values do not fit in the address space")]
    TooLarge {
        /// How many were asked for.
        values: usize,
    },
}
