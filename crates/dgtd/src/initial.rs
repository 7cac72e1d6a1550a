//! Initial fields, and their exact evolution in vacuum.

use crate::boundary_condition::{BoundaryCondition, Tangential};
use crate::domain::mesh_error_at;
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::interleave::interleaved;
use crate::problem::Initial;
use crate::reference::face_point;
use crate::share::Share;
use crate::study::Study;
use glam::DVec3;
use phasefront_core::constants::C0;
use phasefront_core::{ExactSum, FieldError, Real};
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// Largest tangential field on a wall, relative to the amplitude: 3.14 instead of π leaves 0.0016 on a meter.
const FITS: f64 = 0.01;
/// Points of a face where it is evaluated: corners, midpoints of the sides, centroid.
const SAMPLE_POINTS: [[f64; 2]; 7] =
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5], [1.0 / 3.0, 1.0 / 3.0]];

impl Initial {
    /// k, the amplitude, and the key of k.
    fn parts(&self) -> (DVec3, f64, &'static str) {
        match *self {
            Self::Mode { k, a } => (k.into(), DVec3::from(a).length(), "source.initial.mode.wave_vector"),
            Self::Wave { k, e } => {
                (k.into(), DVec3::from(e).length(), "source.initial.plane_wave.wave_vector")
            }
        }
    }

    /// E and η₀H at a point relative to the amplitude, at time zero and a quarter of a period later.
    fn samples(&self, position: DVec3) -> [[DVec3; 2]; 2] {
        let (k, amplitude, _) = self.parts();
        // E of a mode is largest at time zero, H a quarter of a period later.
        [0.0, FRAC_PI_2 / (C0 * k.length())].map(|time| {
            let [ex, ey, ez, hx, hy, hz] = self.at(position.into(), time).map(|field| field / amplitude);
            [DVec3::new(ex, ey, ez), DVec3::new(hx, hy, hz)]
        })
    }

    /// E and η₀H at a point and a time (s), between matching walls or periodic sides.
    pub fn at(&self, r: [f64; 3], time: f64) -> [f64; 6] {
        let time = C0 * time;
        match *self {
            Self::Mode { k, a } => {
                let [(sx, cx), (sy, cy), (sz, cz)] = [0, 1, 2].map(|i| (k[i] * r[i]).sin_cos());
                let (k, a) = (DVec3::from(k), DVec3::from(a));
                // E ∝ cos kτ and H ∝ sin kτ: at τ = 0 all energy is electric.
                let (later, now) = (k.length() * time).sin_cos();
                // ∂(η₀H)/∂τ = −curl E.
                let h = -later / k.length() * k.cross(a);
                [
                    now * a.x * cx * sy * sz,
                    now * a.y * sx * cy * sz,
                    now * a.z * sx * sy * cz,
                    h.x * sx * cy * cz,
                    h.y * cx * sy * cz,
                    h.z * cx * cy * sz,
                ]
            }
            Self::Wave { k, e } => {
                let (k, e) = (DVec3::from(k), DVec3::from(e));
                let value = (k.dot(r.into()) - k.length() * time).cos();
                let h = k.normalize().cross(e);
                [e.x, e.y, e.z, h.x, h.y, h.z].map(|x| x * value)
            }
        }
    }
}

impl Study {
    /// Refuses initial fields that do not satisfy the boundary conditions of the mesh: they would
    /// evolve, but not as one mode or wave, so that [`crate::Solution::error`] would be
    /// meaningless.
    pub fn check_initial(&self) -> Result<(), DgtdError> {
        let Some(initial) = self.problem.sources.initial else { return Ok(()) };
        self.fits_walls(&initial)?;
        self.fits_period(&initial)
    }

    fn fits_walls(&self, initial: &Initial) -> Result<(), DgtdError> {
        let wrong = self.domain.conditions.par_iter().enumerate().find_map_first(|(tet, conditions)| {
            let faces = conditions.iter().enumerate();
            faces.into_iter().find_map(|(face, condition)| self.misfit_at(initial, (tet, face), *condition))
        });
        wrong.map_or(Ok(()), Err)
    }

    /// What is wrong with the initial fields on a wall, if anything is.
    fn misfit_at(
        &self,
        initial: &Initial,
        (tet, face): (usize, usize),
        condition: BoundaryCondition,
    ) -> Option<DgtdError> {
        // Tangential E vanishes on PEC walls, tangential H on PMC walls.
        let (which, wall, field) = match condition.vanishing()? {
            Tangential::Electric => (0, "a PEC wall", "E"),
            Tangential::Magnetic => (1, "a PMC wall", "H"),
        };
        let shape = Shape::of(&self.domain.mesh, tet);
        SAMPLE_POINTS.into_iter().find_map(|uv| {
            let (position, n) = (shape.at(face_point(face, uv)), shape.face_normal(face, uv).normalize());
            let along = initial.samples(position).map(|fields| n.cross(fields[which]).length());
            let most = along[0].max(along[1]);
            (most > FITS).then(|| {
                let what = format!("tangential {field} on {wall} is {most:.2} of the amplitude");
                misfit(initial, &what, position)
            })
        })
    }

    fn fits_period(&self, initial: &Initial) -> Result<(), DgtdError> {
        let domain = &self.domain;
        for (name, _) in &self.problem.periodic {
            let group = domain.mesh.surface(name).map_err(mesh_error_at("geometry.periodic"))?;
            for (tet, face) in domain.faces.faces_in(group) {
                let Some(behind) = domain.faces.neighbors[tet][face] else { continue };
                let middle = |tet: usize, face: usize| {
                    domain
                        .mesh
                        .face_corners(tet, face)
                        .iter()
                        .map(|corner| DVec3::from(*corner) / 3.0)
                        .sum::<DVec3>()
                };
                // Translation from this side to its image.
                let period = middle(behind.tet as usize, usize::from(behind.face)) - middle(tet, face);
                let shape = Shape::of(&domain.mesh, tet);
                for uv in SAMPLE_POINTS {
                    let position = shape.at(face_point(face, uv));
                    let (here, there) = (initial.samples(position), initial.samples(position + period));
                    let pairs = here.as_flattened().iter().zip(there.as_flattened());
                    let most = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                    if most > FITS {
                        let what = format!(
                            "the fields at {name:?} and its periodic image differ by {most:.2} of the amplitude"
                        );
                        return Err(misfit(initial, &what, position));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Share<'_> {
    /// Initial E and η₀H of all slots in the layout of a device with so many lanes; none without initial fields.
    pub(crate) fn initial_fields<T: Real + Default>(&self, lanes: usize) -> Option<Vec<T>> {
        let (plan, initial) = (&self.plan, self.study.problem.sources.initial?);
        let nodes = plan.element.len();
        let of_slot = |slot: usize, values: &mut [f64]| {
            for node in (0..nodes).filter(|_| plan.tets[slot].is_some()) {
                let fields = initial.at(plan.position(slot, node).into(), self.study.sources.start);
                for (component, value) in fields.into_iter().enumerate() {
                    values[component * nodes + node] = value;
                }
            }
        };
        Some(interleaved(0..plan.tets.len(), 6 * nodes, lanes, of_slot))
    }

    /// ‖fields − exact‖² and ‖exact‖² in the energy norm, with the exact fields (the evolution of the initial ones in vacuum) interpolated
    /// at the nodes; none without initial fields.
    pub(crate) fn distance_to_exact(&self, fields: &[f64], time: f64) -> Option<[ExactSum; 2]> {
        let initial = self.study.problem.sources.initial?;
        let (plan, nodes) = (&self.plan, self.plan.element.len());
        let used = (0..plan.tets.len()).into_par_iter().filter(|&slot| plan.tets[slot].is_some());
        let squares: Vec<[f64; 2]> = used
            .map(|slot| {
                let exact: Vec<[f64; 6]> =
                    (0..nodes).map(|node| initial.at(plan.position(slot, node).into(), time)).collect();
                let mut sums = [0.0; 2];
                for component in 0..6 {
                    let values = &fields[(slot * 6 + component) * nodes..][..nodes];
                    let exact: Vec<f64> = exact.iter().map(|fields| fields[component]).collect();
                    let miss: Vec<f64> = values.iter().zip(&exact).map(|(a, b)| a - b).collect();
                    // In vacuum ε = μ = 1: the energy norm is the sum of ∫ f² over the components.
                    sums[0] += plan.square(slot, &miss);
                    sums[1] += plan.square(slot, &exact);
                }
                sums
            })
            .collect();
        Some([0, 1].map(|i| squares.iter().map(|sums| sums[i]).collect()))
    }
}

fn misfit(initial: &Initial, what: &str, position: DVec3) -> DgtdError {
    let (name, advice) = match initial {
        Initial::Mode { .. } => (
            "mode",
            "between PEC walls, k times the length of the box must be a multiple of π along each axis, with a corner of the box at the origin",
        ),
        Initial::Wave { .. } => (
            "wave",
            "k times the period of the box must be a multiple of 2π along each axis; PEC walls must be normal to the electric field",
        ),
    };
    let [x, y, z] = position.to_array();
    let message =
        format!("the {name} does not satisfy the boundary conditions: at ({x:.4}, {y:.4}, {z:.4}) m {what}");
    FieldError::new(initial.parts().2, message, advice).into()
}
