//! Edge diffraction by the physical theory of diffraction (PTD).
//!
//! Near an edge the physical-optics current differs from the true one by the fringe current (nonuniform current, P. Ya. Ufimtsev),
//! which is known for a wedge between two half-planes. Edges are found and divided into segments (`wedge.rs`), each of which must be
//! visible from the transmitter (`illumination.rs`) and the receiver. The integrals of the fringe current over both faces
//! (`fringe_integrals.rs`, with `transition.rs`), minus those beyond the end of a face (`face_extent.rs`), give equivalent edge
//! currents (A. Michaeli) and the far field of a segment (`segment_field.rs`); `diffraction.rs` sums over segments.

mod diffraction;
mod face_extent;
mod fringe_integrals;
mod illumination;
mod segment_field;
mod transition;
mod wedge;

pub use diffraction::DiffractingEdge;
pub(crate) use diffraction::EdgeDiffraction;
