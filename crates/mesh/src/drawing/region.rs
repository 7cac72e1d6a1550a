//! Regions with an element size.

/// Where elements have a size.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// In an axis-aligned box.
    Box([[f64; 3]; 2]),
    /// In a sphere.
    Sphere {
        /// Center.
        center: [f64; 3],
        /// Radius.
        radius: f64,
    },
    /// At lines through points.
    Lines(Vec<Vec<[f64; 3]>>),
}

/// A size that the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    /// Where.
    pub region: Region,
    /// Largest element size there, in meters.
    pub size: f64,
}
