//! The near field on a closed surface: E and H as equivalent currents of all that is inside, J = n × H and M = −n × E (Balanis, Antenna
//! Theory, 12.2).

use crate::images::Mirror;
use crate::material::Material;
use crate::monitors::MonitoredNear;
use crate::recorded_field::SurfacePoint;
use crate::solve::Solution;
use crate::study::Study;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use rayon::prelude::*;

impl Study {
    /// The points of the near field, those of its images behind symmetry planes last.
    pub fn near_points(&self) -> Vec<SurfacePoint> {
        let point = |position: DVec3, normal: DVec3, area| SurfacePoint {
            position: position.to_array(),
            normal: normal.to_array(),
            area,
        };
        let points = match &self.monitors.near {
            MonitoredNear::Faces(faces) => {
                let plan = self.observed();
                let of = |face: &crate::monitors::MonitoredFace| {
                    let slot = plan.slot_of[face.tet as usize] as usize;
                    // The element lies outside of the surface: its normal points inward.
                    let points = plan.face_points(slot, usize::from(face.face)).into_iter();
                    points.map(|at| point(at.position, -at.normal, at.weight))
                };
                faces.iter().flat_map(of).collect()
            }
            MonitoredNear::Points(points) => {
                points.iter().map(|(_, at)| point(at.position, at.normal, at.area)).collect()
            }
            MonitoredNear::None => Vec::new(),
        };
        with_images(points, &self.monitors.mirrors, |mirror, at| {
            let (position, normal) = (at.position.into(), at.normal.into());
            point(mirror.image_point(position), mirror.image_direction(normal), at.area)
        })
    }

    /// E (V/m) and H (A/m) at [`Self::near_points`] at frequency index `frequency`, normalized as in [`Self::slice`].
    pub fn near_field(&self, solution: &Solution, frequency: usize) -> Vec<[Complex64; 6]> {
        let (spectrum, scale) = (solution.spectrum(self, frequency), self.unit_source(frequency));
        let at = |weights: &[f64], first: u32| {
            let mut fields = [Complex64::default(); 6];
            for (weight, values) in weights.iter().zip(spectrum[6 * first as usize..].chunks_exact(6)) {
                for (field, value) in fields.iter_mut().zip(values) {
                    *field += *weight * value;
                }
            }
            let h = scale / ETA0;
            std::array::from_fn(|c| fields[c] * if c < 3 { scale } else { h })
        };
        let fields = match &self.monitors.near {
            MonitoredNear::Faces(faces) => {
                let plan = self.observed();
                let of = |face: &crate::monitors::MonitoredFace| {
                    let slot = plan.slot_of[face.tet as usize] as usize;
                    let points = plan.face_points(slot, usize::from(face.face)).into_iter();
                    points.map(|point| at(point.interpolation, face.first)).collect::<Vec<_>>()
                };
                faces.par_iter().flat_map_iter(of).collect()
            }
            MonitoredNear::Points(points) => points
                .par_iter()
                .map(|(first, point)| at(&self.reference.element.interpolation(point.local), *first))
                .collect(),
            MonitoredNear::None => Vec::new(),
        };
        with_images(fields, &self.monitors.mirrors, Mirror::image_fields)
    }

    /// The medium around the near-field surface.
    pub fn near_medium(&self) -> Material {
        let tet = match &self.monitors.near {
            MonitoredNear::Faces(faces) => faces.first().map(|face| face.tet as usize),
            MonitoredNear::Points(points) => points.first().map(|(_, point)| point.tet),
            MonitoredNear::None => None,
        };
        tet.map_or(Material::VACUUM, |tet| self.domain.material(tet).clone())
    }
}

/// The values with their images in all mirrors, and the images of those.
fn with_images<T>(mut values: Vec<T>, mirrors: &[Mirror], image: impl Fn(&Mirror, &T) -> T) -> Vec<T> {
    for mirror in mirrors {
        let images: Vec<T> = values.iter().map(|value| image(mirror, value)).collect();
        values.extend(images);
    }
    values
}
