//! How the work of an incident wave is divided.

/// Tasks of one incident wave between two checks for interruption. Their sums are held at once and added in order.
pub(super) const TASKS_AT_ONCE: usize = 256;
