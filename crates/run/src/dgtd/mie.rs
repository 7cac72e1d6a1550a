//! The exact cross section of a sphere, to be set beside the computed one.

use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_case::model::dgtd::Mie as Sphere;
use phasefront_core::FieldError;
use phasefront_core::constants::C0;
use phasefront_core::special::mie::Mie;
use phasefront_dgtd::{Material, PlaneWave, Study};
use std::f64::consts::{PI, TAU};

/// Sizes ka up to which the series is summed, inside and outside of the sphere: it has as many terms.
const LARGEST: f64 = 1e5;
/// Decibels below the peak down to which levels are compared: what is deeper is a null.
const COMPARED_DB: f64 = 30.0;

/// How far, in parts of the radius, nodes of the body may be off the sphere: meshes of straight elements may be scaled to its volume.
const ROUND: f64 = 0.02;

/// Points are in a plane if the product of their mean squares along three axes is less than this part of what it is around a sphere.
const FLAT: f64 = 1e-9;

/// A sphere at one frequency: its size ka, and its permittivity and permeability over those of what is around; none if it is a
/// conductor.
struct Setting {
    k: f64,
    x: f64,
    inside: Option<(Complex64, f64)>,
}

impl Setting {
    fn new(study: &Study, sphere: &Sphere, frequency: f64) -> Self {
        let medium = study.far_medium();
        let k = TAU * frequency / (C0 * medium.speed());
        let ratios = |material: &Material| {
            (material.permittivity(frequency) / medium.permittivity(frequency), material.mu / medium.mu)
        };
        let volume = sphere.volume.as_ref();
        let material = study.problem.materials.iter().find(|(name, _)| Some(name) == volume);
        Self { k, x: k * sphere.radius.si(), inside: material.map(|(_, material)| ratios(material)) }
    }

    fn size(&self) -> f64 {
        let index = self.inside.map_or(1.0, |(eps, mu)| (eps * mu).norm().sqrt());
        self.x * index.max(1.0)
    }
}

/// Refuses a sphere whose series would never be summed, and a body that is not that sphere.
pub(super) fn check(study: &Study, sphere: &Sphere) -> Result<(), FieldError> {
    check_size(study, sphere)?;
    check_shape(sphere, &study.surface_nodes(sphere.volume.as_deref()))
}

fn check_size(study: &Study, sphere: &Sphere) -> Result<(), FieldError> {
    let size = |&f: &f64| Setting::new(study, sphere, f).size();
    let size = study.problem.monitors.frequencies.iter().map(size).fold(0.0, f64::max);
    if size <= LARGEST {
        return Ok(());
    }
    let message = format!("the sphere is {size:.1e} wavelengths around, and the series has as many terms");
    let advice =
        format!("give the radius of the sphere in the mesh, {LARGEST:.0e} wavelengths around at most");
    Err(FieldError::new("output.mie.radius", message, advice))
}

/// Compares the sphere with the nodes of the body's surface, wherever that is.
fn check_shape(sphere: &Sphere, nodes: &[[f64; 3]]) -> Result<(), FieldError> {
    let body = sphere.volume.as_ref().map_or("the conductors".into(), |volume| format!("{volume:?}"));
    let nodes: Vec<DVec3> = nodes.iter().copied().map(DVec3::from).collect();
    let Some(middle) = middle(&nodes) else {
        let message = format!("there is nothing round about the surface of {body}");
        let advice = "name the `volume` of the sphere in the mesh, or leave it out if that is a conductor";
        return Err(FieldError::new("output.mie", message, advice));
    };
    let radii = nodes.iter().map(|node| node.distance(middle));
    let (least, most) = radii.fold((f64::INFINITY, 0.0_f64), |(a, b), r| (a.min(r), b.max(r)));
    if most - least > 2.0 * ROUND * most {
        let message =
            format!("the surface of {body} is no sphere: it is {least:.4} to {most:.4} m from its middle");
        return Err(FieldError::new(
            "output.mie",
            message,
            "the exact echo is that of a sphere: remove `mie`",
        ));
    }
    let (found, given) = (0.5 * (least + most), sphere.radius.si());
    if (given - found).abs() > ROUND * found {
        let message = format!("the radius of {body} in the mesh is {found:.4} m, and {given:.4} m is given");
        return Err(FieldError::new(
            "output.mie.radius",
            message,
            "give the radius of the sphere in the mesh",
        ));
    }
    Ok(())
}

/// The middle c of the sphere that fits points best: with p from their mean on, 2 (Σ p pᵀ) c = Σ p |p|². None of points in a plane.
fn middle(points: &[DVec3]) -> Option<DVec3> {
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
    for p in points.iter().map(|point| point - mean) {
        matrix += DMat3::from_cols(p.x * p, p.y * p, p.z * p);
        sum += p * p.length_squared();
    }
    let size = (matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z) / 3.0;
    (matrix.determinant() > FLAT * size.powi(3)).then(|| mean + 0.5 * (matrix.inverse() * sum))
}

/// Cross sections in directions (θ, φ) at one frequency, m².
///
/// In the plane of scattering, that of the ways in and out, E goes by S₂, and across it by S₁ (Bohren and Huffman, Absorption and
/// Scattering of Light by Small Particles, 1983, section 4.4): σ = 4π/k² (|S₂|² cos² ψ + |S₁|² sin² ψ) with the angle ψ from that
/// plane to the field of the wave.
pub(super) fn cross_sections(
    study: &Study,
    sphere: &Sphere,
    wave: &PlaneWave,
    frequency: f64,
    directions: &[[f64; 2]],
) -> Vec<f64> {
    let setting = Setting::new(study, sphere, frequency);
    let mie = match setting.inside {
        Some((eps, mu)) => Mie::dielectric(setting.x, eps, mu),
        None => Mie::conductor(setting.x),
    };
    let of = |&[theta, phi]: &[f64; 2]| {
        let ((sin_t, cos_t), (sin_p, cos_p)) = (theta.sin_cos(), phi.sin_cos());
        let out = [sin_t * cos_p, sin_t * sin_p, cos_t];
        let along = |axis: [f64; 3]| (0..3).map(|i| axis[i] * out[i]).sum::<f64>();
        let (cosine, field) = (along(wave.propagation).clamp(-1.0, 1.0), along(wave.polarization));
        // Forward and back every plane is one of scattering, and |S₁| = |S₂|.
        let sine = 1.0 - cosine * cosine;
        let share = if sine > 1e-12 { (field * field / sine).min(1.0) } else { 1.0 };
        let [across, within] = mie.amplitudes(cosine).map(|s| s.norm_sqr());
        4.0 * PI / setting.k.powi(2) * (share * within + (1.0 - share) * across)
    };
    directions.iter().map(of).collect()
}

/// How far levels in dB are from exact ones on the average, where those are within [`COMPARED_DB`] of their peak; a row for each
/// frequency.
pub(super) fn difference(levels: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let mut far = Vec::new();
    for (levels, exact) in levels.iter().zip(exact) {
        let floor = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max) - COMPARED_DB;
        let compared = levels.iter().zip(exact).filter(|(_, exact)| **exact >= floor);
        far.extend(compared.map(|(level, exact)| (level - exact).abs()));
    }
    far.iter().sum::<f64>() / far.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dgtd::DgtdJob;
    use crate::error::SolverError;
    use std::path::Path;

    /// An empty box with a closed surface in it, that of the cube `vacuum`, by which a wave comes in.
    fn job(mie: &str) -> Result<DgtdJob, SolverError> {
        let text = format!(
            "version = 1\nsolver = \"dgtd\"\nname = \"a\"\n[geometry]\n\
             box = {{ from = [0, 0, 0], to = [3, 3, 3], cell = 0.5, \
             regions = [{{ name = \"vacuum\", from = [1, 1, 1], to = [2, 2, 2] }}] }}\n\
             boundaries = {{ xmin = \"absorbing\", xmax = \"absorbing\", ymin = \"absorbing\", ymax = \"absorbing\", \
             zmin = \"absorbing\", zmax = \"absorbing\" }}\nmaterials = {{ vacuum = {{ eps = 1.0 }} }}\n\
             [source]\nfrequency = \"50 MHz\"\nplane_wave = {{ theta = \"180 deg\", phi = \"0 deg\", \
             polarization = \"theta\", surface = \"vacuum\" }}\n\
             [output]\nrcs = {{ theta = \"0 deg\", phi = \"0 deg\" }}\n{mie}\n"
        );
        let file = phasefront_case::parse("case.toml", &text).unwrap();
        let phasefront_case::Case::Dgtd(case) = file.case else { panic!("a dgtd case") };
        DgtdJob::new(&case, Path::new(""))
    }

    #[test]
    fn a_sphere_that_would_never_be_summed_is_refused() {
        let message = "the sphere is 1.0e6 wavelengths around, and the series has as many terms";
        assert_eq!(refused("mie = { radius = \"1000 km\" }"), ["output.mie.radius", message]);
    }

    fn refused(mie: &str) -> [String; 2] {
        let Err(SolverError::Field(error)) = job(mie) else { panic!("an error") };
        [error.path, error.message]
    }

    #[test]
    fn a_cube_is_no_sphere() {
        // From the middles of its sides to its corners.
        let message = "the surface of \"vacuum\" is no sphere: it is 0.5000 to 0.8660 m from its middle";
        assert_eq!(refused("mie = { radius = \"0.5 m\", volume = \"vacuum\" }"), ["output.mie", message]);
        let message = "there is nothing round about the surface of the conductors";
        assert_eq!(refused("mie = { radius = \"0.5 m\" }"), ["output.mie", message]);
    }

    /// Points of a sphere of 0.3 m around (1, 2, 3) m, more of them on one side.
    #[test]
    fn a_sphere_is_compared_with_that_of_the_mesh() {
        let ways =
            [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.6, 0.0, -0.8], [0.48, 0.64, 0.6], [-0.48, -0.6, 0.64]];
        let nodes = ways.map(|way| [1.0 + 0.3 * way[0], 2.0 + 0.3 * way[1], 3.0 + 0.3 * way[2]]);
        let of = |meters: f64| {
            let sphere = Sphere { radius: phasefront_core::Length::from_si(meters), volume: None };
            check_shape(&sphere, &nodes)
        };
        assert_eq!((of(0.3), of(0.305)), (Ok(()), Ok(())));
        let error = of(0.15).unwrap_err();
        assert_eq!(
            [error.path, error.message],
            [
                "output.mie.radius",
                "the radius of the conductors in the mesh is 0.3000 m, and 0.1500 m is given"
            ]
        );
        assert_eq!(middle(&[DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y]), None);
    }

    /// Metal, 5.65 wavelengths around: dBsm of `tests/cross/mie.py` over a², at 30 degrees from forward, in the plane of the electric
    /// field and across it; in between half of each.
    #[test]
    fn the_plane_of_the_field_is_that_of_the_wave() {
        let radius: f64 = 0.3 * 900e6 / 50e6;
        let job = job("").unwrap_or_else(|_| panic!("a job"));
        let sphere = Sphere { radius: phasefront_core::Length::from_si(radius), volume: None };
        let (study, wave) = (&job.study, job.study.problem.sources.plane_wave.as_ref().unwrap());
        let directions = [0.0_f64, 90.0, 45.0].map(|phi| [30_f64.to_radians(), phi.to_radians()]);
        let found = cross_sections(study, &sphere, wave, 50e6, &directions);
        let [along, across] =
            [2.914, -0.535].map(|dbsm: f64| 10_f64.powf(dbsm / 10.0) * (radius / 0.3).powi(2));
        for (found, reference) in found.into_iter().zip([along, across, 0.5 * (along + across)]) {
            assert!((found / reference - 1.0).abs() < 2e-4, "{found} m², {reference} expected");
        }
    }

    #[test]
    fn nulls_are_not_compared() {
        // The third is 31 dB below the peak of its frequency; what is left of the other has 1 dB.
        let levels = [vec![0.5, -9.0, -60.0], vec![-80.0, -81.0]];
        let exact = [vec![0.0, -10.0, -31.0], vec![-80.0, -81.0]];
        assert!((difference(&levels, &exact) - 1.5 / 4.0).abs() < 1e-12);
    }
}
