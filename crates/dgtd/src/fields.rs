//! Fields on slices and in volumes, and surface currents on conductors: spectra, and snapshots in time.

use crate::problem::Injection;
use crate::reference::basis::barycentric;
use crate::solve::Solution;
use crate::study::Study;
use crate::subdivision::{Subdivision, tetrahedra, triangles};
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_mesh::TET_FACES;
use rayon::prelude::*;
use std::collections::HashMap;
use std::f64::consts::TAU;

impl Study {
    /// Factor that normalizes spectra to a source of unit amplitude: a wave of 1 V/m, a port of 1
    /// V, dipoles of their moments. Initial fields have no pulse; their spectra stay as they are,
    /// in V s/m and A s/m.
    pub(crate) fn unit_source(&self, frequency: usize) -> Complex64 {
        match self.problem.sources.initial {
            Some(_) => Complex64::new(1.0, 0.0),
            None => self.problem.pulse.spectrum(self.problem.monitors.frequencies[frequency]).inv(),
        }
    }

    /// What makes a far field at a frequency index, in V per Hz, one for a source of unit amplitude, in V: as above, but 1 where it is
    /// one already.
    pub fn unit_far_field(&self, frequency: usize) -> Complex64 {
        self.unit_source(frequency) / self.normalization(frequency)
    }

    /// E (V/m) and H (A/m) at the points of a slice at frequency index `frequency`, rows along its first side; none outside of the
    /// mesh. For a source of unit amplitude; with initial fields the spectra, V s/m and A s/m.
    pub fn slice(&self, solution: &Solution, frequency: usize, slice: usize) -> Vec<Option<[Complex64; 6]>> {
        let (spectrum, scale) = (solution.spectrum(self, frequency), self.unit_source(frequency));
        let at = |&(_, first, local): &(u32, u32, [f64; 3])| {
            let mut fields = [Complex64::default(); 6];
            for (node, weight) in self.reference.element.interpolation(local).into_iter().enumerate() {
                let values = &spectrum[6 * (first as usize + node)..][..6];
                for (field, value) in fields.iter_mut().zip(values) {
                    *field += weight * value;
                }
            }
            in_si(fields.map(|field| scale * field))
        };
        self.monitors.slices[slice].points.par_iter().map(|point| point.as_ref().map(at)).collect()
    }

    /// E (V/m) and H (A/m) at the points of a slice at the times of the saved snapshots; none outside of the mesh.
    pub fn slice_in_time(&self, solution: &Solution, slice: usize) -> Vec<(f64, Vec<Option<[f32; 6]>>)> {
        let nodes = self.nodes();
        let saved: HashMap<u32, usize> =
            self.monitors.snapshots.iter().enumerate().map(|(i, &tet)| (tet, i * nodes)).collect();
        // The weights are the same at all times.
        let weights = |point: &Option<(u32, u32, [f64; 3])>| {
            let (tet, _, local) = (*point)?;
            Some((*saved.get(&tet)?, self.reference.element.interpolation(local)))
        };
        let points: Vec<_> = self.monitors.slices[slice].points.par_iter().map(weights).collect();
        let at = |point: &Option<(usize, Vec<f64>)>, fields: &[[f32; 6]]| {
            let (first, weights) = point.as_ref()?;
            // Summed in double precision from fields in single.
            let mut sums = [0.0; 6];
            for (weight, field) in weights.iter().zip(&fields[*first..]) {
                for (sum, value) in sums.iter_mut().zip(field) {
                    *sum += weight * f64::from(*value);
                }
            }
            Some(sums.map(|x| x as f32))
        };
        let moment = |(time, fields): (f64, Vec<[f32; 6]>)| {
            (time, points.par_iter().map(|point| at(point, &fields)).collect())
        };
        self.snapshots(solution).map(moment).collect()
    }

    /// The volumes whose spectra are saved.
    pub fn volume_subdivision(&self) -> Subdivision<4> {
        self.subdivide(self.monitors.volumes.iter().map(|&(tet, _)| tet))
    }

    /// E (V/m) and H (A/m) at the points of [`Self::volume_subdivision`], normalized as in [`Self::slice`].
    pub fn volume_fields(&self, solution: &Solution, frequency: usize) -> Vec<[Complex64; 6]> {
        let (spectrum, scale) = (solution.spectrum(self, frequency), self.unit_source(frequency));
        let nodes = self
            .monitors
            .volumes
            .iter()
            .flat_map(|&(_, first)| spectrum[6 * first as usize..][..6 * self.nodes()].chunks_exact(6));
        nodes.map(|values| in_si(std::array::from_fn(|c| scale * values[c]))).collect()
    }

    /// The conductors, both sides of sheets, with triangles counterclockwise as seen from the side of the fields.
    pub fn conductor_subdivision(&self) -> Subdivision<3> {
        // Faces are oriented outward from their element, into the conductor: the exchange of two
        // corners turns them toward the fields.
        let plan = self.observed();
        let cells = triangles(plan.element.order).into_iter().map(|[a, b, c]| [a, c, b]);
        let (cells, mut subdivision) = (cells.collect::<Vec<_>>(), Subdivision::default());
        for face in &self.monitors.conductors {
            let (slot, nodes) =
                (plan.slot_of[face.tet as usize], &plan.element.face_nodes[usize::from(face.face)]);
            let positions = nodes.iter().map(|node| plan.position(slot as usize, usize::from(*node)).into());
            subdivision.add(positions, &cells);
        }
        subdivision
    }

    /// J = n × H (A/m) at the points of [`Self::conductor_subdivision`], n pointing out of the
    /// conductor, normalized as in [`Self::slice`]. In the scattered-field formulation, the
    /// incident H is added.
    pub fn currents(&self, solution: &Solution, frequency: usize) -> Vec<[Complex64; 3]> {
        let (plan, scale) = (self.observed(), self.unit_source(frequency));
        let spectrum = solution.spectrum(self, frequency);
        let mut currents = Vec::new();
        for face in &self.monitors.conductors {
            let (slot, number) = (plan.slot_of[face.tet as usize] as usize, usize::from(face.face));
            for (k, node) in plan.element.face_nodes[number].iter().enumerate() {
                let λ = barycentric(plan.element.nodes[usize::from(*node)]);
                let [_, u, v] = TET_FACES[number].map(|corner| λ[corner]);
                // Evaluated at the node, since the normal of a curved face varies.
                let n = -plan.shapes[slot].face_normal(number, [u, v]).normalize();
                let values = &spectrum[6 * (face.first as usize + k) + 3..][..3];
                let incident = self.incident(frequency, plan.position(slot, usize::from(*node)));
                let h: [_; 3] = std::array::from_fn(|axis| (scale * values[axis] + incident[axis]) / ETA0);
                currents.push([n.y * h[2] - n.z * h[1], n.z * h[0] - n.x * h[2], n.x * h[1] - n.y * h[0]]);
            }
        }
        currents
    }

    /// η₀H of the incident wave, k̂ × E e^{−jk·r}, in the scattered-field formulation, where it is not part of the fields; else zero.
    fn incident(&self, frequency: usize, position: DVec3) -> [Complex64; 3] {
        match &self.problem.sources.plane_wave {
            Some(wave) if wave.injection == Injection::ScatteredField => {
                let direction = DVec3::from(wave.propagation);
                let k = TAU * self.problem.monitors.frequencies[frequency] / C0;
                let h = direction.cross(wave.polarization.into());
                h.to_array().map(|h| h * Complex64::cis(-k * direction.dot(position)))
            }
            _ => [Complex64::default(); 3],
        }
    }

    fn subdivide(&self, tets: impl Iterator<Item = u32>) -> Subdivision<4> {
        let (plan, cells) = (self.observed(), tetrahedra(self.problem.order));
        let mut subdivision = Subdivision::default();
        for tet in tets {
            let slot = plan.slot_of[tet as usize] as usize;
            subdivision.add((0..plan.element.len()).map(|node| plan.position(slot, node).into()), &cells);
        }
        subdivision
    }

    /// The volumes of the snapshots, without other elements that slices cut.
    pub fn snapshot_subdivision(&self) -> Subdivision<4> {
        self.subdivide(self.monitors.snapshots.iter().take(self.monitors.in_snapshot_volumes).copied())
    }

    /// Times, s, and E (V/m) and H (A/m) at the points of [`Self::snapshot_subdivision`], then at those of other elements that slices cut, of
    /// the snapshots saved before the end of the run.
    pub fn snapshots<'a>(
        &'a self,
        solution: &'a Solution,
    ) -> impl Iterator<Item = (f64, Vec<[f32; 6]>)> + 'a {
        // A run that ends early has fewer snapshots than were requested; the zip stops there.
        let taken = solution.snapshots.chunks_exact((6 * self.snapshot_points()).max(1));
        self.snapshot_steps().into_iter().zip(taken).map(|(step, values)| {
            let at = |v: &[f32]| std::array::from_fn(|c| if c < 3 { v[c] } else { v[c] / ETA0 as f32 });
            (solution.start + step as f64 * solution.dt, values.chunks_exact(6).map(at).collect())
        })
    }
}

/// E and η₀H to E and H.
fn in_si(mut fields: [Complex64; 6]) -> [Complex64; 6] {
    fields[3..].iter_mut().for_each(|h| *h /= ETA0);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformed::{cube, deformed};
    use crate::problem::{Boundary, Initial, Problem};
    use crate::study::prepare;

    /// The unit cube sheared by x → x + y²/2: the side x = 1 + y²/2 has the outward normal (1, −y, 0)/√(1 + y²), and that of a conductor
    /// there is the opposite one.
    #[test]
    fn currents_on_a_curved_conductor_go_along_it() {
        let walls = ["xmin", "ymin", "ymax", "zmin", "zmax"].map(|name| (name.into(), Boundary::Pmc));
        let mut problem = Problem {
            mesh: deformed(cube(2), |[x, y, z]| [x + 0.5 * y * y, y, z]),
            boundaries: [("xmax".into(), Boundary::Pec)].into_iter().chain(walls).collect(),
            order: 3,
            highest_frequency: 1e8,
            ..Problem::default()
        };
        problem.sources.initial = Some(Initial::Mode { k: [1.0; 3], a: [1.0, -1.0, 0.0] });
        problem.monitors.currents = true;
        problem.monitors.frequencies = vec![1e8];
        let study = prepare(problem).unwrap();
        let (e, h) = (DVec3::new(7.0, 8.0, 9.0), DVec3::new(1.0, 2.0, 3.0));
        let node = [e.to_array(), (ETA0 * h).to_array()].concat().into_iter().map(Complex64::from);
        let solution = Solution {
            excited: 0,
            steps: 0,
            start: 0.0,
            dt: 1.0,
            energy: Vec::new(),
            settled: false,
            samples: Vec::new(),
            spectra: node.cycle().take(6 * study.monitors.nodes.len()).collect(),
            snapshots: Vec::new(),
            dissipated: Vec::new(),
            error: None,
            ranks: Vec::new(),
        };
        let (subdivision, currents) = (study.conductor_subdivision(), study.currents(&solution, 0));
        assert_eq!((subdivision.points.len(), subdivision.cells.len()), (8 * 10, 8 * 9));
        for (&[x, y, _], current) in subdivision.points.iter().zip(&currents) {
            assert!((x - 1.0 - 0.5 * y * y).abs() < 1e-14);
            let exact = DVec3::new(-1.0, y, 0.0).normalize().cross(h);
            assert!(
                DVec3::from(current.map(|j| j.re)).distance(exact) < 1e-12,
                "y = {y}: {current:?} for {exact}"
            );
        }
    }
}
