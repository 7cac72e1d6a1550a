//! Meshes beyond the reach of the tables' indices.

use crate::error::DgtdError;
use crate::kind::{Kind, Kinds};
use crate::plan::{LANES, point_traces, traces};
use crate::problem::Flux;
use crate::reference::points::Reference;
use phasefront_core::FieldError;

/// Values of traces that offsets of 32 bits reach.
const MAX_TRACES: u128 = 1 << 32;
/// Elements that the kernels reach: they code slot, face and orientation of a neighbor in a signed integer of 32 bits, 16 codes for
/// each slot.
const MAX_SLOTS: u128 = 1 << 27;

/// Refuses a mesh whose neighbors cannot be addressed; offsets would wrap around and couple the wrong elements.
pub fn check(reference: &Reference, flux: Flux, kinds: &Kinds) -> Result<(), DgtdError> {
    // The last block of each section is padded.
    let slots = |count: usize| count + 2 * Kind::ALL.len() * LANES;
    reach(slots(kinds.of.len()), 4 * reference.element.face_len() * traces(flux))?;
    reach(slots(kinds.count(Kind::Curved)), 4 * reference.points.face.len() * point_traces(flux))
}

/// For so many slots, with so many values of traces each.
fn reach(slots: usize, values: usize) -> Result<(), DgtdError> {
    let traces = slots as u128 * values as u128;
    if slots as u128 <= MAX_SLOTS && traces <= MAX_TRACES {
        return Ok(());
    }
    let most = MAX_SLOTS.min(MAX_TRACES / values as u128);
    Err(FieldError::new(
        "geometry.mesh",
        format!(
            "the mesh has {slots} elements, with {traces} values on their faces at this order, but at most {most} elements can be addressed"
        ),
        "use a coarser mesh with a higher order, or a smaller model",
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At order 3 a face has 10 nodes with 2 values each: 80 values for an element, and 2³² of them for 53,687,091 elements.
    #[test]
    fn offsets_never_wrap_around() {
        let refused = |slots: usize, values: usize| reach(slots, values).err().map(|error| error.to_string());
        assert_eq!(refused(53_687_091, 80), None);
        assert_eq!(
            refused(53_687_092, 80).unwrap(),
            "geometry.mesh: the mesh has 53687092 elements, with 4294967360 values on their faces at this order, but at most 53687091 \
             elements can be addressed"
        );
        assert_eq!(refused(1 << 27, 24), None);
        assert!(refused((1 << 27) + 1, 24).unwrap().ends_with("at most 134217728 elements can be addressed"));
        // No product wraps around either.
        assert!(refused(usize::MAX, 252).is_some());
    }
}
