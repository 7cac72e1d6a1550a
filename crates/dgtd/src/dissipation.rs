//! Energy that the numerical flux dissipates, by element: where the mesh does not resolve the fields.
//!
//! With the upwind flux the jumps of tangential fields between two elements lose, per area,
//!
//! |n × ΔE|²/(Z⁻ + Z⁺) + |n × ΔH|²/(Y⁻ + Y⁺)
//!
//! (J. S. Hesthaven, T. Warburton, *Nodal Discontinuous Galerkin Methods*, Springer 2008, section 10.5). At a perfect
//! conductor the image of the element is its neighbor, which leaves |n × E|²/Z. Jumps are the residual of the fields in their own equations,
//! and by reciprocity the error of what a port sees is their square, weighted with the same fields: the loss of an element is its part in
//! that error (dual-weighted residuals: R. Becker, R. Rannacher, *Acta Numerica* 10, 1, 2001).

use crate::boundary_condition::Tangential;
use crate::study::Study;
use glam::DVec3;
use phasefront_core::constants::ETA0;
use rayon::prelude::*;

/// What the fields of a moment lose, by element.
pub(crate) struct Dissipation<'a> {
    study: &'a Study,
    /// Of each orientation of a neighbor's face, its nodes in the order of the own ones.
    permutations: [Vec<u8>; 3],
    /// Faces with sources, where fields jump as they should: four times the tetrahedron plus the face, sorted.
    sources: Vec<usize>,
}

impl<'a> Dissipation<'a> {
    pub fn new(study: &'a Study) -> Self {
        let element = &study.reference.element;
        let mut sources: Vec<usize> = Vec::new();
        for source in &study.sources.faces {
            let (tet, face) = (source.tet as usize, usize::from(source.face));
            sources.push(4 * tet + face);
            let behind = study.domain.faces.neighbors[tet][face];
            sources.extend(behind.map(|behind| 4 * behind.tet as usize + usize::from(behind.face)));
        }
        sources.sort_unstable();
        Self {
            study,
            permutations: [0, 1, 2].map(|orientation| element.face_permutation(orientation)),
            sources,
        }
    }

    /// The power that each element loses, W; `fields` are E and η₀H, [element][component][node]. Elements in PMLs and in guides
    /// behind ports lose nothing that counts.
    pub fn power(&self, fields: &[f64]) -> Vec<f64> {
        let domain = &self.study.domain;
        let of_tet = |tet: usize| {
            if domain.in_pml(tet) || domain.in_guide(tet) {
                return 0.0;
            }
            (0..4).map(|face| self.face(fields, tet, face)).sum()
        };
        (0..domain.mesh.tets.len()).into_par_iter().map(of_tet).collect()
    }

    /// The part of an element in what is lost at one of its faces.
    fn face(&self, fields: &[f64], tet: usize, face: usize) -> f64 {
        let domain = &self.study.domain;
        if self.sources.binary_search(&(4 * tet + face)).is_ok() {
            return 0.0;
        }
        let impedance = |tet: usize| domain.material(tet).impedance();
        let z = impedance(tet);
        let own = self.trace(fields, tet, face, None);
        let condition = domain.conditions[tet][face];
        let behind = domain.faces.neighbors[tet][face].filter(|_| condition.is_interior());
        match (behind, condition.vanishing()) {
            (Some(behind), _) => {
                let other = behind.tet as usize;
                let theirs = self.trace(fields, other, usize::from(behind.face), Some(behind.orientation));
                let jumps: Vec<[DVec3; 2]> =
                    own.iter().zip(&theirs).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]).collect();
                let sum = z + impedance(other);
                // Half of it is the neighbor's. Y⁻ + Y⁺ = (Z⁻ + Z⁺)/(Z⁻ Z⁺).
                0.5 * self.integral(tet, face, &jumps, [1.0 / sum, z * impedance(other) / sum])
            }
            // What lossy walls, sheets, ports and absorbing boundaries take is physics.
            _ if condition.is_lossy() || condition.is_coated() => 0.0,
            (None, Some(Tangential::Electric)) => self.integral(tet, face, &own, [1.0 / z, 0.0]),
            (None, Some(Tangential::Magnetic)) => self.integral(tet, face, &own, [0.0, z]),
            (None, None) => 0.0,
        }
    }

    /// E and η₀H at the nodes of a face, in the order of the face behind it if its orientation is given.
    fn trace(&self, fields: &[f64], tet: usize, face: usize, orientation: Option<u8>) -> Vec<[DVec3; 2]> {
        let element = &self.study.reference.element;
        let count = element.len();
        let values = &fields[6 * count * tet..][..6 * count];
        let at = |k: usize| {
            let node = usize::from(element.face_nodes[face][k]);
            [0, 3].map(|first| {
                DVec3::from_array(std::array::from_fn(|axis| values[(first + axis) * count + node]))
            })
        };
        match orientation {
            None => (0..element.face_len()).map(at).collect(),
            Some(orientation) => {
                self.permutations[usize::from(orientation)].iter().map(|k| at(usize::from(*k))).collect()
            }
        }
    }

    /// ∫ a |n × E|² + b |n × η₀H|² dA/η₀ over a face, W; a curved one is taken as flat.
    fn integral(&self, tet: usize, face: usize, values: &[[DVec3; 2]], weights: [f64; 2]) -> f64 {
        let [p, q, r] = self.study.domain.mesh.face_corners(tet, face).map(DVec3::from);
        let twice = (q - p).cross(r - p);
        let (area, normal) = (twice.length(), twice.normalize_or_zero());
        let tangential: Vec<[DVec3; 2]> = values.iter().map(|pair| pair.map(|v| normal.cross(v))).collect();
        // The mass matrix is that of the unit triangle, whose area is one half.
        let mass = &self.study.reference.element.face_mass;
        let mut sum = 0.0;
        for (i, a) in tangential.iter().enumerate() {
            for (weight, b) in mass.row(i).iter().zip(&tangential) {
                sum += weight * (weights[0] * a[0].dot(b[0]) + weights[1] * a[1].dot(b[1]));
            }
        }
        sum * area / ETA0
    }
}
