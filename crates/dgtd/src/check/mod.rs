//! What `prepare` refuses, with the path of the field, and what it warns about.

mod boundaries;
mod curved;
mod pml;
mod ports;
mod resolution;
mod settings;
mod warnings;

pub use boundaries::check as boundaries;
pub use curved::check as curved;
pub use pml::check as pml;
pub use ports::check as ports;
pub use resolution::{check as resolution, points_per_wavelength};
pub use settings::check as settings;
pub use warnings::warnings;
