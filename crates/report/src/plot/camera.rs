//! Camera and lighting of 3-D plots.

use glam::DVec3;

/// Default azimuth and elevation of the camera relative to the source, in degrees.
const BESIDE: f64 = 28.0;
const ABOVE: f64 = 18.0;
/// The highest source elevation with the camera above the source, in degrees; for higher sources it is below.
const STEEPEST: f64 = 60.0;
/// Direction of the light in camera coordinates, from the upper left; and the fraction of light
/// from the camera itself, so that no visible surface is black.
const LAMP: DVec3 = DVec3::new(-0.366, 0.448, 0.815);
const FROM_EYE: f64 = 0.35;

/// A camera with parallel projection: its viewing direction, and the upward direction on the page.
#[derive(Debug)]
pub struct Camera {
    right: DVec3,
    up: DVec3,
    toward: DVec3,
}

impl Camera {
    /// A camera in the direction `view`, or beside `source`, or at a default angle; `up` is z if
    /// not given.
    pub fn new(view: Option<[f64; 3]>, source: Option<[f64; 3]>, up: Option<[f64; 3]>) -> Self {
        let unit = |v: Option<[f64; 3]>| v.and_then(|v| DVec3::from_array(v).try_normalize());
        let up = unit(up).unwrap_or(DVec3::Z);
        let source = unit(source).unwrap_or_else(|| level(up));
        let toward = unit(view).unwrap_or_else(|| beside(source, up));
        // Seen along the vertical, the upward direction is undefined: take a horizontal one.
        let up = if toward.dot(up).abs() > 0.999 { up.cross(level(up)) } else { up };
        let right = up.cross(toward).normalize();
        Self { right, up: toward.cross(right), toward }
    }

    /// A vector in camera coordinates: right, up, toward the camera.
    pub fn see(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.right.dot(v), self.up.dot(v), self.toward.dot(v))
    }
}

/// Lambertian illumination of a surface with this normal in camera coordinates: from 0 to 1.
pub fn light(normal: DVec3) -> f64 {
    (1.0 - FROM_EYE) * normal.dot(LAMP).max(0.0) + FROM_EYE * normal.z
}

/// A horizontal direction: x if z is up.
fn level(up: DVec3) -> DVec3 {
    // The axis farther from `up`: its projection on the ground does not vanish.
    let along = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    (along - up * up.dot(along)).normalize()
}

/// A direction beside and above another.
fn beside(source: DVec3, up: DVec3) -> DVec3 {
    let elevation = source.dot(up).clamp(-1.0, 1.0).asin().to_degrees();
    let raised = if elevation > STEEPEST { elevation - BESIDE } else { elevation + ABOVE };
    let ground = (source - up * source.dot(up)).try_normalize().unwrap_or_else(|| level(up));
    let (sin, cos) = BESIDE.to_radians().sin_cos();
    let (high, wide) = raised.to_radians().sin_cos();
    wide * (cos * ground + sin * up.cross(ground)) + high * up
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eye_has_a_right_handed_frame_with_z_upward() {
        let views = [[1.0, 0.0, 0.0], [0.3, -2.0, 0.7], [0.0, 0.0, 1.0], [0.0, 0.0, -5.0], [-1.0, 1.0, -1.0]];
        for view in views {
            let camera = Camera::new(Some(view), None, None);
            let toward = DVec3::from_array(view).normalize();
            assert!((camera.see(toward) - DVec3::Z).length() < 1e-12, "{view:?}");
            assert!((camera.right.cross(camera.up) - toward).length() < 1e-12, "{view:?}");
            assert!(camera.see(DVec3::Z).y >= -1e-12 && camera.see(DVec3::Z).x.abs() < 1e-12, "{view:?}");
        }
        // From +x, y is to the right and z upward; from above, x is to the right and y upward, as in a plan.
        assert!((Camera::new(Some([1.0, 0.0, 0.0]), None, None).see(DVec3::Y) - DVec3::X).length() < 1e-12);
        assert!((Camera::new(Some([0.0, 0.0, 1.0]), None, None).see(DVec3::Y) - DVec3::Y).length() < 1e-12);
        let lying = Camera::new(Some([0.0, 0.0, 1.0]), None, Some([1.0, 0.0, 0.0]));
        assert!((lying.see(DVec3::X) - DVec3::Y).length() < 1e-12);
    }

    #[test]
    fn without_a_view_the_eye_is_a_little_off_the_source() {
        for source in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.5], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 1.0, -0.2]]
        {
            for up in [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]] {
                let camera = Camera::new(None, Some(source), Some(up));
                let angle = camera.see(DVec3::from_array(source).normalize()).z.acos().to_degrees();
                assert!((15.0..40.0).contains(&angle), "{source:?}: {angle}");
            }
        }
        assert_eq!(Camera::new(Some([0.0; 3]), None, None).toward, Camera::new(None, None, None).toward);
    }

    #[test]
    fn light_comes_from_the_upper_left_and_leaves_nothing_dark() {
        assert!((LAMP.length() - 1.0).abs() < 1e-3);
        for i in 0..1000 {
            let (height, turn) = (f64::from(i) / 1000.0, 2.4 * f64::from(i));
            let wide = (1.0 - height * height).sqrt();
            let normal = DVec3::new(wide * turn.cos(), wide * turn.sin(), height);
            assert!(light(normal) >= FROM_EYE * height && light(normal) <= 1.0, "{normal}");
        }
        assert!(light(DVec3::new(0.8, 0.0, 0.6)) < light(DVec3::new(-0.8, 0.0, 0.6)));
        assert!(light(DVec3::new(0.0, -0.8, 0.6)) < light(DVec3::new(0.0, 0.8, 0.6)));
    }
}
