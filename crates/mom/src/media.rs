//! [`Media`]: the exterior and the interiors of dielectrics with their Hankel functions. In lossy media these come from tables, which
//! take far longer to make than to use: they are made once for a system.

use crate::green::Medium;
use crate::system::System;

/// The media of a system.
pub(crate) struct Media {
    pub exterior: Medium,
    /// By block; `None` for conductors.
    interiors: Vec<Option<Medium>>,
}

impl Media {
    pub(crate) fn new(system: &System<'_>) -> Self {
        let of_block = |block| system.interior_of(block).map(|interior| Medium::new(interior.k));
        Self {
            exterior: Medium::new(system.k.into()),
            interiors: (0..system.layout.blocks.len()).map(of_block).collect(),
        }
    }

    /// The interior of a dielectric.
    pub(crate) fn interior(&self, block: usize) -> Option<&Medium> {
        self.interiors[block].as_ref()
    }

    /// The medium inside the dielectric `inside`, or that outside of all bodies.
    pub(crate) fn at(&self, inside: Option<usize>) -> &Medium {
        inside.and_then(|block| self.interior(block)).unwrap_or(&self.exterior)
    }
}
