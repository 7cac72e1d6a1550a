//! Outlines of NACA four-digit airfoils.

use crate::error::MeshError;
use crate::naca::NacaSide;
use crate::outline::Outline;
use crate::segment::Segment;

/// The outline of a NACA four-digit airfoil, counterclockwise from its trailing edge: nose at the origin, chord along
/// +x, upper side +y. The trailing edge is a corner, the nose is smooth. A cambered section is also
/// cut at its maximum camber, where the curvature of the camber line jumps: strong camber far
/// forward makes a slight corner there.
///
/// ```
/// let outline = phasefront_mesh::naca4("0012", 2.0).unwrap();
/// assert_eq!(outline.corners, [true, false]);
/// assert_eq!(outline.segments[0].start(), [2.0, 0.0]);
/// assert_eq!(outline.segments[1].start(), [0.0, 0.0]);
/// ```
pub fn naca4(code: &str, chord: f64) -> Result<Outline, MeshError> {
    let [camber, position, tens, ones] = digits(code).ok_or_else(|| {
        MeshError::geometry(
            format!("{code:?} is not a four-digit NACA section"),
            "give four digits, for example \"0012\" or \"2412\"",
        )
    })?;
    let thickness = (10.0 * tens + ones) / 100.0;
    if thickness == 0.0 {
        return Err(MeshError::geometry(
            format!("NACA section {code:?} has no thickness"),
            "its last two digits are the thickness in percent of the chord: give at least 01",
        ));
    }
    if camber > 0.0 && position == 0.0 {
        return Err(MeshError::geometry(
            format!("NACA section {code:?} has its greatest camber at the nose"),
            "its second digit is the position of the greatest camber in tenths of the chord: give 1 to 9",
        ));
    }
    if !(chord > 0.0 && chord.is_finite()) {
        return Err(MeshError::geometry(
            format!("a chord of {chord} m is not a length"),
            "give a chord above zero",
        ));
    }
    let whole = NacaSide {
        thickness,
        camber: camber / 100.0,
        camber_position: position / 10.0,
        upper: true,
        span: [1.0, 0.0],
        nose: [0.0, 0.0],
        rotation: 0.0,
        chord,
    };
    // Values of √x from the trailing edge to the nose, with the joint of the camber parabolas
    // between.
    let stops = if camber > 0.0 { vec![1.0, whole.camber_position.sqrt(), 0.0] } else { vec![1.0, 0.0] };
    let upper: Vec<NacaSide> =
        stops.windows(2).map(|pair| NacaSide { span: [pair[0], pair[1]], ..whole }).collect();
    // The lower side runs from the nose back, so that the outline is counterclockwise.
    let lower = upper.iter().rev().map(|side| NacaSide { upper: false, ..side.reversed() });
    Outline::new(upper.iter().copied().chain(lower).map(Segment::Naca).collect(), true)
}

/// The four digits, with or without `NACA` before them.
fn digits(code: &str) -> Option<[f64; 4]> {
    let code = code.trim();
    let code = match code.get(..4) {
        Some(word) if word.eq_ignore_ascii_case("naca") => code[4..].trim_start(),
        _ => code,
    };
    let digits: Option<Vec<f64>> = code.chars().map(|c| c.to_digit(10).map(f64::from)).collect();
    digits?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::{distance, norm};

    #[test]
    fn naca_0012_has_its_published_ordinates() {
        let outline = naca4("NACA 0012", 1.0).unwrap();
        // Abbott and von Doenhoff, Theory of Wing Sections (1959), appendix III, NACA 0012: ordinates in percent.
        // Theirs is the open trailing edge (-0.1015), which adds 5t 0.0021 x⁴ to ours.
        for (x, y) in [
            (0.0125, 1.894),
            (0.05, 3.555),
            (0.1, 4.683),
            (0.2, 5.737),
            (0.3, 6.002),
            (0.4, 5.803),
            (0.6, 4.563),
            (0.8, 2.623),
            (0.9, 1.448),
        ] {
            let x: f64 = x;
            let [px, py] = outline.segments[0].point(1.0 - x.sqrt());
            assert!((px - x).abs() < 1e-15);
            let open = py + 0.6 * 0.0021 * x.powi(4);
            assert!((100.0 * open - y).abs() < 6e-4, "{x} {py}");
            assert!((outline.segments[1].point(x.sqrt())[1] + py).abs() < 1e-16);
        }
        assert_eq!(outline.segments[1].end(), outline.segments[0].start());
        assert_eq!(outline.corners, [true, false]);
        // 2 ∫ y_t dx = 10 t (0.2969 2/3 - 0.1260/2 - 0.3516/3 + 0.2843/4 - 0.1036/5).
        let area = 1.2 * (0.2969 * 2.0 / 3.0 - 0.1260 / 2.0 - 0.3516 / 3.0 + 0.2843 / 4.0 - 0.1036 / 5.0);
        assert!((outline.signed_area() - area).abs() < 1e-15);
    }

    #[test]
    fn cambered_sections_follow_the_report() {
        // NACA Report 460 written out in x, NACA 2412: before and behind the greatest camber, above and below.
        let (m, p, t): (f64, f64, f64) = (0.02, 0.4, 0.12);
        let outline = naca4("2412", 1.0).unwrap();
        for x in [0.0, 0.01, 0.1, 0.3, 0.4, 0.5, 0.7, 0.99, 1.0_f64] {
            let powers = -0.126 * x - 0.3516 * x * x + 0.2843 * x * x * x - 0.1036 * x * x * x * x;
            let yt = 5.0 * t * (0.2969 * x.sqrt() + powers);
            let (yc, slope) = if x < p {
                (m / (p * p) * (2.0 * p * x - x * x), 2.0 * m / (p * p) * (p - x))
            } else {
                let q = (1.0 - p) * (1.0 - p);
                (m / q * (1.0 - 2.0 * p + 2.0 * p * x - x * x), 2.0 * m / q * (p - x))
            };
            let theta = slope.atan();
            let (dx, dy) = (yt * theta.sin(), yt * theta.cos());
            let (lower, share) =
                if x < p { (2, (x / p).sqrt()) } else { (3, (x.sqrt() - p.sqrt()) / (1.0 - p.sqrt())) };
            let upper = 3 - lower;
            assert!(distance(outline.segments[lower].point(share), [x + dx, yc - dy]) < 1e-15, "{x}");
            assert!(distance(outline.segments[upper].point(1.0 - share), [x - dx, yc + dy]) < 1e-15, "{x}");
        }
    }

    #[test]
    fn joints_are_met_and_only_the_trailing_edge_is_a_corner() {
        for code in ["2412", "4415", "0099", "1101"] {
            let outline = naca4(code, 1.0).unwrap();
            let n = outline.segments.len();
            for i in 0..n {
                let (before, after) = (&outline.segments[(i + n - 1) % n], &outline.segments[i]);
                assert!(distance(before.end(), after.start()) < 1e-16, "{code}");
            }
            // At the nose y_t ~ 5t 0.2969 s.
            let Segment::Naca(nose) = outline.segments[n / 2] else { unreachable!() };
            let speed = 5.0 * 0.2969 * nose.thickness * nose.span[1];
            assert!((norm(outline.segments[n / 2].derivative(0.0)) - speed).abs() < 1e-15);
            assert_eq!(outline.corners.iter().filter(|&&corner| corner).count(), 1, "{code}");
            assert!(outline.corners[0] && outline.signed_area() > 0.0);
        }
        // Nine percent of camber at a tenth of the chord: the bend jumps from -18 to -0.22.
        assert_eq!(naca4("9112", 1.0).unwrap().corners, [true, true, false, true]);
    }
}
