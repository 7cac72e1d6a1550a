//! The exact (Mie) cross section of a sphere, to compare the computed one with.

use crate::error::DgtdError;
use crate::material::Material;
use crate::problem::PlaneWave;
use crate::study::Study;
use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::C0;
use phasefront_core::special::mie::Mie;
use std::f64::consts::{PI, TAU};

/// Largest size parameter ka, inside or outside of the sphere: the series has about as many terms.
const MAX_SIZE: f64 = 1e5;
/// Decibels below the peak down to which levels are compared; deeper values are nulls.
const COMPARED_DB: f64 = 30.0;
/// Relative distance of the body's nodes from the sphere: meshes of straight elements may be scaled to preserve its volume.
const RADIUS_TOLERANCE: f64 = 0.02;
/// Points are coplanar if the determinant of their second moments is below this fraction of that of a spherical shell.
const COPLANAR: f64 = 1e-9;

/// A sphere in the mesh whose cross section is known in closed form.
#[derive(Debug, Clone, PartialEq)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
    /// Its volume group; the conductors if none.
    pub volume: Option<String>,
}

/// A sphere at one frequency.
struct SizeParameter {
    /// Wavenumber of the surrounding medium, rad/m.
    k: f64,
    /// x = ka.
    x: f64,
    /// Permittivity and permeability relative to the surrounding medium; none for a conductor.
    inside: Option<(Complex64, f64)>,
}

impl SizeParameter {
    fn new(study: &Study, sphere: &Sphere, frequency: f64) -> Self {
        let medium = study.far_medium();
        let k = TAU * frequency / (C0 * medium.speed());
        // The series takes ε and μ relative to the medium around the sphere.
        let ratios = |material: &Material| {
            (material.permittivity(frequency) / medium.permittivity(frequency), material.mu / medium.mu)
        };
        let volume = sphere.volume.as_ref();
        let material = study.problem.materials.iter().find(|(name, _)| Some(name) == volume);
        Self { k, x: k * sphere.radius, inside: material.map(|(_, material)| ratios(material)) }
    }

    /// The larger of x and |m|x, with the refractive index m of the sphere.
    fn largest(&self) -> f64 {
        let index = self.inside.map_or(1.0, |(eps, mu)| (eps * mu).norm().sqrt());
        self.x * index.max(1.0)
    }
}

impl Sphere {
    /// Refuses a sphere with too many terms, and a body in the mesh that is not this sphere.
    pub fn check(&self, study: &Study) -> Result<(), DgtdError> {
        self.check_material(study)?;
        self.check_size(study)?;
        Ok(self.check_shape(&study.surface_nodes(self.volume.as_deref()))?)
    }

    fn check_material(&self, study: &Study) -> Result<(), FieldError> {
        let mut materials = study.problem.materials.iter();
        let of_sphere = materials.find(|(name, _)| Some(name) == self.volume.as_ref());
        if of_sphere.is_none_or(|(_, material)| material.is_isotropic()) {
            return Ok(());
        }
        Err(FieldError::new(
            "output.mie.volume",
            "the sphere is anisotropic, and the Mie series is that of an isotropic one",
            "remove `mie`",
        ))
    }

    fn check_size(&self, study: &Study) -> Result<(), FieldError> {
        let size = |&f: &f64| SizeParameter::new(study, self, f).largest();
        let size = study.problem.monitors.frequencies.iter().map(size).fold(0.0, f64::max);
        if size <= MAX_SIZE {
            return Ok(());
        }
        let message = format!(
            "the size parameter ka of the sphere is {size:.1e}, and the Mie series has as many terms"
        );
        let advice = format!("give the radius of the sphere in the mesh; ka may be up to {MAX_SIZE:.0e}");
        Err(FieldError::new("output.mie.radius", message, advice))
    }

    /// Compares the sphere with the nodes on the surface of the body, wherever its center is.
    fn check_shape(&self, nodes: &[[f64; 3]]) -> Result<(), FieldError> {
        let body = self.volume.as_ref().map_or("the conductors".into(), |volume| format!("{volume:?}"));
        let nodes: Vec<DVec3> = nodes.iter().copied().map(DVec3::from).collect();
        let Some(center) = center(&nodes) else {
            let message = format!("the surface of {body} is empty or flat, not a sphere");
            let advice =
                "name the `volume` of the sphere in the mesh; leave it out if the sphere is a conductor";
            return Err(FieldError::new("output.mie", message, advice));
        };
        let radii = nodes.iter().map(|node| node.distance(center));
        let (least, most) = radii.fold((f64::INFINITY, 0.0_f64), |(a, b), r| (a.min(r), b.max(r)));
        if most - least > 2.0 * RADIUS_TOLERANCE * most {
            let message =
                format!("the surface of {body} is not a sphere: its radius is {least:.4} to {most:.4} m");
            let advice = "the Mie series is exact for a sphere only: remove `mie`";
            return Err(FieldError::new("output.mie", message, advice));
        }
        let (found, given) = (0.5 * (least + most), self.radius);
        if (given - found).abs() > RADIUS_TOLERANCE * found {
            let message =
                format!("the radius of {body} in the mesh is {found:.4} m, but {given:.4} m is given");
            let advice = "give the radius of the sphere in the mesh";
            return Err(FieldError::new("output.mie.radius", message, advice));
        }
        Ok(())
    }

    /// Exact bistatic cross sections in directions (θ, φ) at one frequency, m².
    ///
    /// σ = 4π/k² (|S₂|² cos² ψ + |S₁|² sin² ψ), with ψ the angle between the incident E and the scattering plane; S₂ belongs to E in
    /// that plane, S₁ to E normal to it (Bohren and Huffman, Absorption and Scattering of Light by Small Particles, 1983,
    /// section 4.4).
    pub fn cross_sections(
        &self,
        study: &Study,
        wave: &PlaneWave,
        frequency: f64,
        directions: &[[f64; 2]],
    ) -> Vec<f64> {
        let size = SizeParameter::new(study, self, frequency);
        let mie = match size.inside {
            Some((eps, mu)) => Mie::dielectric(size.x, eps, mu),
            None => Mie::conductor(size.x),
        };
        let of = |&[theta, phi]: &[f64; 2]| {
            let ((sin_t, cos_t), (sin_p, cos_p)) = (theta.sin_cos(), phi.sin_cos());
            let out = [sin_t * cos_p, sin_t * sin_p, cos_t];
            let along = |axis: [f64; 3]| (0..3).map(|i| axis[i] * out[i]).sum::<f64>();
            let (cosine, field) = (along(wave.propagation).clamp(-1.0, 1.0), along(wave.polarization));
            // Forward and backward every plane is a scattering plane, and |S₁| = |S₂|.
            let sine_squared = 1.0 - cosine * cosine;
            // cos ψ = ê·r̂ over the sine of the scattering angle; rounding may exceed one.
            let cos_squared_psi =
                if sine_squared > 1e-12 { (field * field / sine_squared).min(1.0) } else { 1.0 };
            let [normal, parallel] = mie.amplitudes(cosine).map(|s| s.norm_sqr());
            4.0 * PI / size.k.powi(2) * (cos_squared_psi * parallel + (1.0 - cos_squared_psi) * normal)
        };
        directions.iter().map(of).collect()
    }
}

/// Mean deviation of levels in dB from exact ones within 30 dB of the peak of their frequency; a row for each frequency.
pub fn mean_deviation_db(levels: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let mut deviations = Vec::new();
    for (levels, exact) in levels.iter().zip(exact) {
        // In nulls a small absolute error is a large one in decibels.
        let floor = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max) - COMPARED_DB;
        let compared = levels.iter().zip(exact).filter(|(_, exact)| **exact >= floor);
        deviations.extend(compared.map(|(level, exact)| (level - exact).abs()));
    }
    deviations.iter().sum::<f64>() / deviations.len().max(1) as f64
}

/// Center c of the least-squares sphere through points: 2 (Σ p pᵀ) c = Σ p |p|², with p relative to their mean. None for coplanar
/// points.
fn center(points: &[DVec3]) -> Option<DVec3> {
    // Relative to the mean, linear terms of the normal equations vanish and no digits are lost far
    // from the origin.
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
    for p in points.iter().map(|point| point - mean) {
        matrix += DMat3::from_cols(p.x * p, p.y * p, p.z * p);
        sum += p * p.length_squared();
    }
    let size = (matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z) / 3.0;
    (matrix.determinant() > COPLANAR * size.powi(3)).then(|| mean + 0.5 * (matrix.inverse() * sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Boundary, Injection, Monitors, Problem, Sources};
    use crate::study::prepare;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// An empty box with a TF/SF surface around the cube `vacuum`, and a wave of 50 MHz from −z.
    fn study() -> Study {
        let region = BoxRegion { name: "vacuum".into(), from: [1.0; 3], to: [2.0; 3] };
        let mesh = BoxMesh {
            to: [3.0; 3],
            cell: [0.5; 3],
            name: "air".into(),
            regions: vec![region],
            ..BoxMesh::default()
        };
        let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
        let wave = PlaneWave {
            propagation: [0.0, 0.0, 1.0],
            polarization: [-1.0, 0.0, 0.0],
            injection: Injection::TfSf("vacuum".into()),
        };
        prepare(Problem {
            mesh: mesh.mesh().unwrap(),
            materials: vec![("vacuum".into(), Material::VACUUM)],
            boundaries: sides.map(|name| (name.into(), Boundary::Absorbing)).into(),
            sources: Sources { plane_wave: Some(wave), ..Sources::default() },
            monitors: Monitors { frequencies: vec![50e6], far_field: true, ..Monitors::default() },
            highest_frequency: 50e6,
            ..Problem::default()
        })
        .unwrap()
    }

    fn refused(radius: f64, volume: Option<&str>) -> [String; 2] {
        let sphere = Sphere { radius, volume: volume.map(Into::into) };
        let Err(DgtdError::Invalid(error)) = sphere.check(&study()) else { panic!("an error") };
        [error.path, error.message]
    }

    #[test]
    fn a_sphere_with_too_many_terms_is_refused() {
        let message = "the size parameter ka of the sphere is 1.0e6, and the Mie series has as many terms";
        assert_eq!(refused(1e6, None), ["output.mie.radius", message]);
    }

    #[test]
    fn a_cube_is_not_a_sphere() {
        // From the centers of its sides to its corners.
        let message = "the surface of \"vacuum\" is not a sphere: its radius is 0.5000 to 0.8660 m";
        assert_eq!(refused(0.5, Some("vacuum")), ["output.mie", message]);
        let message = "the surface of the conductors is empty or flat, not a sphere";
        assert_eq!(refused(0.5, None), ["output.mie", message]);
    }

    /// Points of a sphere of 0.3 m around (1, 2, 3) m, more of them on one side.
    #[test]
    fn a_sphere_is_compared_with_that_of_the_mesh() {
        let unit =
            [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.6, 0.0, -0.8], [0.48, 0.64, 0.6], [-0.48, -0.6, 0.64]];
        let nodes = unit.map(|r| [1.0 + 0.3 * r[0], 2.0 + 0.3 * r[1], 3.0 + 0.3 * r[2]]);
        let of = |radius: f64| Sphere { radius, volume: None }.check_shape(&nodes);
        assert_eq!((of(0.3), of(0.305)), (Ok(()), Ok(())));
        let error = of(0.15).unwrap_err();
        assert_eq!(
            [error.path, error.message],
            [
                "output.mie.radius",
                "the radius of the conductors in the mesh is 0.3000 m, but 0.1500 m is given"
            ]
        );
        assert_eq!(center(&[DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y]), None);
    }

    /// Metal, ka = 5.65: dBsm of `tests/cross/mie.py` over a², at 30 degrees from forward, in the E-plane and normal to it; halfway
    /// between them half of each.
    #[test]
    fn the_e_plane_contains_the_incident_field() {
        let (study, radius) = (study(), 0.3 * 900e6 / 50e6);
        let sphere = Sphere { radius, volume: None };
        let wave = study.problem.sources.plane_wave.as_ref().unwrap();
        let directions = [0.0_f64, 90.0, 45.0].map(|phi| [30_f64.to_radians(), phi.to_radians()]);
        let found = sphere.cross_sections(&study, wave, 50e6, &directions);
        let [e_plane, h_plane] =
            [2.914, -0.535].map(|dbsm: f64| 10_f64.powf(dbsm / 10.0) * (radius / 0.3).powi(2));
        for (found, reference) in found.into_iter().zip([e_plane, h_plane, 0.5 * (e_plane + h_plane)]) {
            assert!((found / reference - 1.0).abs() < 2e-4, "{found} m², {reference} expected");
        }
    }

    #[test]
    fn nulls_are_not_compared() {
        // The third is 31 dB below the peak of its frequency; the others deviate by 0.5, 1, 0 and 0 dB.
        let levels = [vec![0.5, -9.0, -60.0], vec![-80.0, -81.0]];
        let exact = [vec![0.0, -10.0, -31.0], vec![-80.0, -81.0]];
        assert!((mean_deviation_db(&levels, &exact) - 1.5 / 4.0).abs() < 1e-12);
    }
}
