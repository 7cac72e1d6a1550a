//! The kind of an element: what it needs besides curls and fluxes.

use crate::domain::Domain;
use crate::geometry::Shape;
use crate::problem::PmlKind;
use rayon::prelude::*;

/// What an element needs besides curls and fluxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Sources on faces or inside.
    Sources,
    /// PML face: absorbs along one axis.
    PmlFace,
    /// PML edge: absorbs along two axes, with CFS.
    PmlEdge,
    /// PML corner: absorbs along three axes; with the uniaxial PML also along two.
    PmlCorner,
    /// Dispersive: a material with poles.
    Poles,
    /// Curved, perhaps with sources and poles.
    Curved,
}

impl Kind {
    /// In the order of their slots.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Sources,
        Self::PmlFace,
        Self::PmlEdge,
        Self::PmlCorner,
        Self::Poles,
        Self::Curved,
    ];

    /// Work of an element, in hundredths of that of a plain one.
    pub fn work(self) -> u32 {
        match self {
            Self::Plain => 100,
            Self::Sources => 105,
            Self::PmlFace => 140,
            Self::PmlEdge => 190,
            Self::PmlCorner => 250,
            Self::Poles => 150,
            Self::Curved => 500,
        }
    }
}

/// Largest numbers of poles of a material: of straight elements and of curved ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Poles {
    /// Of straight elements.
    pub straight: usize,
    /// Of curved elements.
    pub curved: usize,
}

/// The kinds of all elements.
#[derive(Debug, Clone)]
pub struct Kinds {
    /// The kind of each tetrahedron.
    pub of: Vec<Kind>,
    /// Poles in the whole mesh: ranks that have a part of it use as many unknowns as one that has all.
    pub poles: Poles,
}

impl Kinds {
    /// `has_source` marks the tetrahedra with sources.
    pub fn new(domain: &Domain, has_source: &[bool]) -> Self {
        let of: Vec<Kind> =
            has_source.par_iter().enumerate().map(|(tet, &source)| kind(domain, tet, source)).collect();
        let most = |wanted: Kind| {
            let these = of.par_iter().enumerate().filter(|(_, kind)| **kind == wanted);
            these.map(|(tet, _)| domain.material(tet).poles.len()).max().unwrap_or(0)
        };
        let poles = Poles { straight: most(Kind::Poles), curved: most(Kind::Curved) };
        Self { of, poles }
    }

    /// Number of elements of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.of.par_iter().filter(|other| **other == kind).count()
    }
}

fn kind(domain: &Domain, tet: usize, has_source: bool) -> Kind {
    // Curved first: their kernel also has sources and poles. check/curved.rs refuses them in PMLs.
    if Shape::of(&domain.mesh, tet).curved {
        Kind::Curved
    } else if let Some(pml) = domain.pml(tet) {
        match (pml.axes(&domain.mesh.corners(tet)).len(), pml.kind) {
            (1, _) => Kind::PmlFace,
            (2, PmlKind::Cfs) => Kind::PmlEdge,
            _ => Kind::PmlCorner,
        }
    } else if !domain.material(tet).poles.is_empty() {
        Kind::Poles
    } else if has_source {
        Kind::Sources
    } else {
        Kind::Plain
    }
}
