//! What `prepare` refuses, with the path of the field, what it warns about, and how far the result can be trusted.

mod anisotropy;
mod boundaries;
mod curved;
mod edges;
mod facets;
mod pml;
mod ports;
mod resolution;
mod self_checks;
mod settings;
mod size;
mod surface;
mod warnings;
mod waves;

pub use anisotropy::check as anisotropy;
pub use boundaries::check as boundaries;
pub use curved::check as curved;
pub use pml::check as pml;
pub use ports::check as ports;
pub use resolution::{check as resolution, points_per_wavelength};
pub use self_checks::{clouds, interior_field, self_checks};
pub use settings::check as settings;
pub use size::check as size;
pub use warnings::warnings;
pub use waves::check as waves;
