//! Shapes of the Electromagnetic Code Consortium's targets (Woo, Wang, Schuh and Sanders, "Benchmark Radar Targets for the
//! Validation of Computational Electromagnetics Programs", IEEE Antennas and Propagation Magazine 35(1), 1993). Axis along x.

use super::loft::{ellipse, loft, revolved};
use super::patches::{check, product};
use crate::error::MeshError;
use crate::triangle::TriangleMesh;
use std::f64::consts::FRAC_PI_2;

const INCH: f64 = 0.0254;

/// The NASA almond, 9.936 inches long with its tip at +x, flat along z; `cells` are counted along and around it.
///
/// ```
/// let almond = phasefront_mesh::targets::nasa_almond([40, 60]).unwrap();
/// let [low, high] = almond.bounds();
/// assert!((high[0] - low[0] - 9.936 * 0.0254).abs() < 1e-6);
/// ```
pub fn nasa_almond([along, around]: [usize; 2]) -> Result<TriangleMesh, MeshError> {
    let around = around.max(3);
    check(&[], &[along], product(&[2, along.saturating_add(2), around]))?;
    // With the length d: x = d t; for -0.416667 < t < 0 a half ellipsoid, y = 0.193333 d √(1 - (t/0.416667)²) cos ψ;
    // for 0 < t < 0.583333 an ogive of ellipses, y = 4.83345 d [√(1 - (t/2.08335)²) - 0.96] cos ψ; z is a third of y
    // with sin ψ. The constants are rounded: d is 9.936 inches.
    let d = 9.936 * INCH;
    let (back, front) = (0.416667_f64, 0.583333_f64);
    let round = |t: f64| 0.193333 * (1.0 - (t / back).powi(2)).max(0.0).sqrt();
    let pointed = |t: f64| 4.83345 * ((1.0 - (t / 2.08335).powi(2)).sqrt() - 0.96).max(0.0);
    // Equal steps in angle on the ellipsoid, equal steps in length on the ogive, of similar size.
    let rear = (along * 2 / 5).max(2);
    let fore = along.saturating_sub(rear).max(2);
    let behind = (0..rear).map(|i| {
        let t = -back * (FRAC_PI_2 * i as f64 / rear as f64).cos();
        (t, if i == 0 { 0.0 } else { round(t) })
    });
    let ahead = (0..=fore).map(|i| {
        let t = front * i as f64 / fore as f64;
        (t, if i == fore { 0.0 } else { pointed(t) })
    });
    let rings: Vec<Vec<[f64; 3]>> =
        behind.chain(ahead).map(|(t, y)| ellipse(d * t, [d * y, d * y / 3.0], around)).collect();
    Ok(loft(&rings))
}

/// A circular arc turned about its chord, with this radius in its middle. `cells` are counted along and around it.
///
/// ```
/// let ogive = phasefront_mesh::targets::ogive(0.254, 0.0254, [40, 60]).unwrap();
/// assert_eq!(ogive.triangles.len(), 2 * 60 * 39);
/// ```
pub fn ogive(length: f64, radius: f64, [along, around]: [usize; 2]) -> Result<TriangleMesh, MeshError> {
    let (along, around) = (along.max(2), around.max(3));
    check(&[length, radius], &[], product(&[2, along, around]))?;
    if radius > 0.5 * length {
        return Err(MeshError::geometry(
            format!("an ogive of length {length} m with the radius {radius} m"),
            "give a radius of at most half the length",
        ));
    }
    // The arc has the half angle 2 atan(2ρ/L) about its center.
    let half_angle = 2.0 * (2.0 * radius / length).atan();
    let arc_radius = 0.5 * length / half_angle.sin();
    let point = |i: usize| {
        let angle = half_angle * (2.0 * i as f64 / along as f64 - 1.0);
        let height = arc_radius * (angle.cos() - half_angle.cos());
        [arc_radius * angle.sin(), if i == 0 || i == along { 0.0 } else { height }]
    };
    let profile: Vec<[f64; 2]> = (0..=along).map(point).collect();
    Ok(revolved(&profile, around))
}

/// A cone that joins a sphere tangentially, tip at -x and the joint at x = 0. `cells` are counted
/// along the cone, along the sphere, and around.
///
/// ```
/// let alpha = 7_f64.to_radians();
/// let target = phasefront_mesh::targets::cone_sphere(alpha, 0.075, [20, 10, 40]).unwrap();
/// // The cone touches the sphere, so it is r cos²α / sin α long.
/// let length = 0.075 * alpha.cos().powi(2) / alpha.sin();
/// assert!((target.bounds()[0][0] + length).abs() < 1e-15);
/// ```
pub fn cone_sphere(
    half_angle: f64,
    radius: f64,
    [cone, cap, around]: [usize; 3],
) -> Result<TriangleMesh, MeshError> {
    let (cap, around) = (cap.max(2), around.max(3));
    check(&[radius], &[cone], product(&[2, cone.saturating_add(cap), around]))?;
    if !(half_angle > 0.0 && half_angle < FRAC_PI_2) {
        return Err(MeshError::geometry(
            format!("a cone with a half angle of {half_angle} radians"),
            "give an angle between 0 and π/2",
        ));
    }
    // The cone touches the sphere where both have the radius r cos α, r sin α behind the center.
    let (sin, cos) = half_angle.sin_cos();
    let length = radius * cos * cos / sin;
    let side = (0..cone).map(|i| {
        let share = i as f64 / cone as f64;
        [length * (share - 1.0), radius * cos * share]
    });
    // From the joint, at the angle π/2 + α from the far end, to that end.
    let round = (0..=cap).map(|i| {
        let angle = (FRAC_PI_2 + half_angle) * (1.0 - i as f64 / cap as f64);
        let height = if i == cap { 0.0 } else { radius * angle.sin() };
        [radius * (sin + angle.cos()), height]
    });
    let profile: Vec<[f64; 2]> = side.chain(round).collect();
    Ok(revolved(&profile, around))
}

#[cfg(test)]
mod tests {
    use super::super::tests::closed;
    use super::*;
    use std::f64::consts::PI;

    /// What an inscribed n-gon has of a circle's area. What the steps along the axis leave out besides is a few parts in ten
    /// thousand, as the square of the angle of one.
    fn share(around: usize) -> f64 {
        let n = around as f64;
        n / 2.0 * (2.0 * PI / n).sin() / PI
    }

    #[test]
    fn almond_has_the_published_size() {
        let report = closed(&nasa_almond([200, 200]).unwrap());
        let [low, high] = report.bounds;
        // Constants of six digits: the length is 1.000000 d, the width twice 0.193333 d, the thickness a third of it.
        let inches = [0, 1, 2].map(|k| (high[k] - low[k]) / INCH);
        assert!((inches[0] - 9.936).abs() < 1e-5, "{inches:?}");
        assert!((inches[1] - 2.0 * 0.193338 * 9.936).abs() < 1e-5, "{inches:?}");
        assert!((inches[2] - 2.0 * 0.193338 * 9.936 / 3.0).abs() < 1e-5, "{inches:?}");
        // A half ellipsoid, 2π abc/3, and π/3 ∫ y² dx of the rest; with u = t/2.08335 to u₁ = 0.28:
        // ∫ (√(1-u²) - c)² du = u₁ (1 + c²) - u₁³/3 - c (u₁ √(1-u₁²) + asin u₁), c = 0.96.
        let (u, c) = (0.28_f64, 0.96_f64);
        let integral = u * (1.0 + c * c) - u.powi(3) / 3.0 - c * (u * (1.0 - u * u).sqrt() + u.asin());
        let ahead = PI / 3.0 * 4.83345_f64.powi(2) * 2.08335 * integral;
        let behind = 2.0 / 3.0 * PI * 0.416667 * 0.193333_f64.powi(2) / 3.0;
        let volume = (ahead + behind) * (9.936 * INCH).powi(3) * share(200);
        let error = report.volume.unwrap() / volume - 1.0;
        assert!(error.abs() < 3e-4, "{error}");
    }

    #[test]
    fn ogive_has_its_angle_and_its_volume() {
        let mesh = ogive(10.0 * INCH, INCH, [200, 200]).unwrap();
        let report = closed(&mesh);
        let [low, high] = report.bounds;
        assert!((high[0] - low[0] - 10.0 * INCH).abs() < 1e-12 && (high[1] - INCH).abs() < 1e-12);
        // The arc of R = 13 inches leaves its chord at asin(5/13); a chord of it is half a step nearer to the axis.
        let [_, radius, _] = mesh.vertices[1];
        let angle = (radius / (mesh.vertices[1][0] - low[0])).atan();
        let tip = (5.0_f64 / 13.0).asin();
        assert!((angle - tip * (1.0 - 1.0 / 200.0)).abs() < 1e-12, "{angle}");
        // π ∫ (√(R² - x²) - (R - ρ))² dx with R = (L²/4 + ρ²)/(2ρ) = 13 inches and h = L/2 = 5.
        let (r, h, c) = (13.0_f64, 5.0_f64, 12.0_f64);
        let area = h * (r * r - h * h).sqrt() + r * r * (h / r).asin();
        let volume = PI * (2.0 * h * (r * r + c * c) - 2.0 * h.powi(3) / 3.0 - 2.0 * c * area);
        let error = report.volume.unwrap() / (volume * INCH.powi(3) * share(200)) - 1.0;
        assert!(error.abs() < 3e-4, "{error}");
    }

    #[test]
    fn cone_sphere_is_smooth_but_for_its_tip() {
        let alpha = 7_f64.to_radians();
        let radius = 0.075;
        let mesh = cone_sphere(alpha, radius, [40, 60, 120]).unwrap();
        let report = closed(&mesh);
        assert!(crate::wedges(&mesh, crate::SMOOTH_ANGLE).is_empty());
        // A cone, and a sphere without the cap of height r (1 - sin α).
        let (sin, cos) = alpha.sin_cos();
        let cone = PI / 3.0 * (radius * cos).powi(2) * radius * cos * cos / sin;
        let missing = radius * (1.0 - sin);
        let cap = PI * missing * missing * (3.0 * radius - missing) / 3.0;
        let volume = cone + 4.0 / 3.0 * PI * radius.powi(3) - cap;
        let error = report.volume.unwrap() / (volume * share(120)) - 1.0;
        assert!(error.abs() < 5e-4, "{error}");
    }
}
