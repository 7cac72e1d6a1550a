//! From where a body is seen, and from where its light comes.

use glam::DVec3;

/// How far beside and above the source the eye is, if nobody says where, in degrees.
const BESIDE: f64 = 28.0;
const ABOVE: f64 = 18.0;
/// The steepest source that the eye stands above of, in degrees; it stands below steeper ones.
const STEEPEST: f64 = 60.0;
/// Towards the light as the eye sees it, over its left shoulder; and how much of the light comes from the eye itself, so that
/// nothing that is seen is all dark.
const LAMP: DVec3 = DVec3::new(-0.366, 0.448, 0.815);
const FROM_EYE: f64 = 0.35;

/// Eyes far away in one direction, with one direction upwards as far as it can be seen.
#[derive(Debug)]
pub struct Eye {
    right: DVec3,
    up: DVec3,
    towards: DVec3,
}

impl Eye {
    /// Looks from `view`, or from beside `source`, or from an angle that shows most bodies well; `up` is z if not given.
    pub fn new(view: Option<[f64; 3]>, source: Option<[f64; 3]>, up: Option<[f64; 3]>) -> Self {
        let unit = |v: Option<[f64; 3]>| v.and_then(|v| DVec3::from_array(v).try_normalize());
        let up = unit(up).unwrap_or(DVec3::Z);
        let source = unit(source).unwrap_or_else(|| level(up));
        let towards = unit(view).unwrap_or_else(|| beside(source, up));
        // Seen along the upright there is no upwards: then it is a direction of the ground.
        let up = if towards.dot(up).abs() > 0.999 { up.cross(level(up)) } else { up };
        let right = up.cross(towards).normalize();
        Self { right, up: towards.cross(right), towards }
    }

    /// A vector as the eye sees it: to the right, upwards, and towards the eye.
    pub fn see(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.right.dot(v), self.up.dot(v), self.towards.dot(v))
    }
}

/// Light on a surface with this normal, both as the eye sees them, by Lambert's cosine: from 0 to 1.
pub fn light(normal: DVec3) -> f64 {
    (1.0 - FROM_EYE) * normal.dot(LAMP).max(0.0) + FROM_EYE * normal.z
}

/// A direction of the ground: x where z is upwards.
fn level(up: DVec3) -> DVec3 {
    let along = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    (along - up * up.dot(along)).normalize()
}

/// A direction a little beside and above another.
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
    fn the_eye_has_a_right_handed_frame_with_z_upwards() {
        let views = [[1.0, 0.0, 0.0], [0.3, -2.0, 0.7], [0.0, 0.0, 1.0], [0.0, 0.0, -5.0], [-1.0, 1.0, -1.0]];
        for view in views {
            let eye = Eye::new(Some(view), None, None);
            let towards = DVec3::from_array(view).normalize();
            assert!((eye.see(towards) - DVec3::Z).length() < 1e-12, "{view:?}");
            assert!((eye.right.cross(eye.up) - towards).length() < 1e-12, "{view:?}");
            assert!(eye.see(DVec3::Z).y >= -1e-12 && eye.see(DVec3::Z).x.abs() < 1e-12, "{view:?}");
        }
        // From +x, y is to the right and z upwards; from above, x is to the right and y upwards, as in a plan.
        assert!((Eye::new(Some([1.0, 0.0, 0.0]), None, None).see(DVec3::Y) - DVec3::X).length() < 1e-12);
        assert!((Eye::new(Some([0.0, 0.0, 1.0]), None, None).see(DVec3::Y) - DVec3::Y).length() < 1e-12);
        let lying = Eye::new(Some([0.0, 0.0, 1.0]), None, Some([1.0, 0.0, 0.0]));
        assert!((lying.see(DVec3::X) - DVec3::Y).length() < 1e-12);
    }

    #[test]
    fn without_a_view_the_eye_is_a_little_off_the_source() {
        for source in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.5], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 1.0, -0.2]]
        {
            for up in [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]] {
                let eye = Eye::new(None, Some(source), Some(up));
                let angle = eye.see(DVec3::from_array(source).normalize()).z.acos().to_degrees();
                assert!((15.0..40.0).contains(&angle), "{source:?}: {angle}");
            }
        }
        assert_eq!(Eye::new(Some([0.0; 3]), None, None).towards, Eye::new(None, None, None).towards);
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
