//! Limits that the host and the kernels share.

/// Corners of a convex polygon, at most.
pub(crate) const MAX_CORNERS: usize = 8;
/// Facets that may occlude a beam; a beam with more candidates is bisected.
pub(crate) const MAX_CANDIDATES: usize = 40;
/// Cosine of the angle of incidence below which a facet is seen edge-on and has no projected area.
pub(crate) const EDGE_ON: f64 = 1e-9;
/// Below this (k|g|)² A the phase over a polygon is nearly constant about its centroid, and Gordon's sum over edges loses digits to
/// cancellation: to 1e-12 of A here. The approximation error is (k|g|)² A/24 for squares, 4e-10.
pub(crate) const FLAT_PHASE: f64 = 1e-8;
/// Half the phase along an edge below which sin x/x is taken from its series; the first term omitted is x⁴/120.
pub(crate) const SHORT_EDGE: f64 = 1e-3;
/// Rays along each side of a block of a ray grid.
pub(crate) const RAYS: usize = 32;
