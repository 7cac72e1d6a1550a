//! The main lobe and what lies around it: beam widths, side lobes, front-to-back ratio.

use crate::pattern::{Direction, Pattern};
use crate::power::intensity_of;
use std::f64::consts::PI;

/// A change of the intensity below this fraction of the peak is rounding, not a lobe.
const NOISE: f64 = 1e-9;

/// Most moves of one length toward the peak, which lies within two of the first length. Along a ridge that is oblique to the tangents,
/// ever shorter moves would take minutes.
const MOVES: usize = 8;

/// A great circle through the peak of the main lobe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LobeCut {
    /// Full width between the half-power points in radians; none where the power does not fall to one half inside the grid.
    pub half_power_width: Option<f64>,
    /// Intensity of the highest other lobe of this cut, relative to the peak; none where there is no other lobe inside the grid.
    pub side_lobe_level: Option<f64>,
}

/// The main lobe of a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lobes {
    /// Direction of the greatest intensity.
    pub peak: Direction,
    /// Intensity there, W/sr.
    pub peak_intensity: f64,
    /// Intensity of the peak over that of the opposite direction; none where that lies outside the grid, infinite where it vanishes.
    pub front_to_back: Option<f64>,
    /// The cut in the plane of the z axis: φ is constant. For a peak at a pole, the one through the azimuth of `peak`.
    pub polar_cut: LobeCut,
    /// The cut perpendicular to it.
    pub transverse_cut: LobeCut,
}

impl Pattern {
    /// The main lobe; none where the field vanishes everywhere. The peak is refined between the samples by interpolation.
    pub fn lobes(&self) -> Option<Lobes> {
        let (peak, peak_intensity) = self.peak()?;
        let [x, y, z] = peak.unit();
        let back = self.intensity_toward([-x, -y, -z]);
        let [polar, transverse] = tangents(peak);
        Some(Lobes {
            peak,
            peak_intensity,
            front_to_back: back.map(|back| peak_intensity / back),
            polar_cut: self.along_tangent(peak, polar, peak_intensity),
            transverse_cut: self.along_tangent(peak, transverse, peak_intensity),
        })
    }

    /// The cut through a direction in the plane that contains the vector `toward`: for a beam about +z, x̂ and ŷ give the principal planes
    /// whatever the azimuth of the peak. None where the vector is parallel to the direction, or no field is there.
    pub fn lobe_cut(&self, peak: Direction, toward: [f64; 3]) -> Option<LobeCut> {
        let unit = peak.unit();
        let along: f64 = (0..3).map(|axis| unit[axis] * toward[axis]).sum();
        let across = [0, 1, 2].map(|axis| toward[axis] - along * unit[axis]);
        let length = across.iter().map(|x| x * x).sum::<f64>().sqrt();
        let top = self.field(peak).map(intensity_of).filter(|&top| top > 0.0)?;
        (length > 1e-9 * along.abs()).then(|| self.along_tangent(peak, across.map(|x| x / length), top))
    }

    /// The sample of the greatest intensity, moved along the tangents in ever smaller steps while the intensity rises.
    fn peak(&self) -> Option<(Direction, f64)> {
        let intensity = self.intensity();
        let mut best = 0;
        for (index, value) in intensity.iter().enumerate() {
            // Of samples that differ by rounding only, the first.
            if *value > intensity[best] * (1.0 + NOISE) {
                best = index;
            }
        }
        let mut value = intensity[best];
        if value == 0.0 {
            return None;
        }
        let [i, j] = [best / self.phi().len(), best % self.phi().len()];
        let mut peak = Direction { theta: self.theta()[i], phi: self.phi()[j] };
        let mut step = self.cut_step();
        while step > 1e-8 {
            for _ in 0..MOVES {
                let [polar, transverse] = tangents(peak);
                let moved = [(polar, step), (polar, -step), (transverse, step), (transverse, -step)]
                    .map(|(tangent, angle)| rotated(peak, tangent, angle));
                let higher = moved.into_iter().find_map(|unit| {
                    let there = self.intensity_toward(unit)?;
                    (there > value * (1.0 + 1e-12)).then_some((unit, there))
                });
                let Some((unit, there)) = higher else { break };
                (peak, value) = (Direction::of(unit), there);
            }
            step *= 0.5;
        }
        Some((peak, value))
    }

    /// Width and side lobes along the great circle that leaves the peak along a tangent.
    fn along_tangent(&self, peak: Direction, tangent: [f64; 3], top: f64) -> LobeCut {
        let at = |angle: f64| self.intensity_toward(rotated(peak, tangent, angle));
        let sides = [1.0, -1.0].map(|sign| self.half_cut(|angle| at(sign * angle), top));
        let half_power_width = match sides.map(|side| side.half_power) {
            [Some(one), Some(other)] => Some(one + other),
            _ => None,
        };
        let side_lobe_level = sides.iter().filter_map(|side| side.side_lobe).reduce(f64::max);
        LobeCut { half_power_width, side_lobe_level: side_lobe_level.map(|lobe| lobe / top) }
    }

    /// One half of a cut, from the peak to the opposite direction or the edge of the grid.
    fn half_cut(&self, at: impl Fn(f64) -> Option<f64>, top: f64) -> HalfCut {
        let count = (PI / self.cut_step()).ceil() as usize;
        let step = PI / count as f64;
        let samples: Vec<f64> = (0..=count).map_while(|n| at(step * n as f64)).collect();
        let below = samples.iter().position(|&value| value < 0.5 * top);
        let half_power =
            below.filter(|&n| n > 0).map(|n| bisect(&at, 0.5 * top, step * (n - 1) as f64, step * n as f64));
        HalfCut { half_power, side_lobe: highest_beyond_null(&samples, NOISE * top) }
    }

    /// Angle between the points at which a cut is looked at: half the mean step of θ, which any of its lobes spans many times.
    fn cut_step(&self) -> f64 {
        let theta = self.theta();
        let mean = (theta[theta.len() - 1] - theta[0]) / (theta.len().max(2) - 1) as f64;
        (0.5 * mean).clamp(0.01_f64.to_radians(), 1_f64.to_radians())
    }

    fn intensity_toward(&self, unit: [f64; 3]) -> Option<f64> {
        self.field(Direction::of(unit)).map(intensity_of)
    }
}

/// What is found on one side of the peak.
#[derive(Clone, Copy)]
struct HalfCut {
    half_power: Option<f64>,
    side_lobe: Option<f64>,
}

/// θ̂ and φ̂.
fn tangents(Direction { theta, phi }: Direction) -> [[f64; 3]; 2] {
    let ((st, ct), (sp, cp)) = (theta.sin_cos(), phi.sin_cos());
    [[ct * cp, ct * sp, -st], [-sp, cp, 0.0]]
}

/// The direction at an angle from the peak, toward a tangent.
fn rotated(peak: Direction, tangent: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    let unit = peak.unit();
    [0, 1, 2].map(|axis| unit[axis] * cos + tangent[axis] * sin)
}

/// Where the intensity falls through a level between two angles.
fn bisect(at: &impl Fn(f64) -> Option<f64>, level: f64, mut above: f64, mut below: f64) -> f64 {
    for _ in 0..50 {
        let middle = 0.5 * (above + below);
        if at(middle).is_some_and(|value| value >= level) { above = middle } else { below = middle }
    }
    0.5 * (above + below)
}

/// The greatest value after the first minimum, with a parabola through its neighbors; none where the values never rise again.
fn highest_beyond_null(samples: &[f64], noise: f64) -> Option<f64> {
    let mut least = *samples.first()?;
    let rise = samples.iter().position(|&value| {
        least = least.min(value);
        value > least + noise
    })?;
    let (best, &top) = samples.iter().enumerate().skip(rise).max_by(|a, b| a.1.total_cmp(b.1))?;
    let (Some(&before), Some(&after)) = (samples.get(best.wrapping_sub(1)), samples.get(best + 1)) else {
        return Some(top);
    };
    let curvature = before - 2.0 * top + after;
    // The last value of a lobe cut off by `rise` is no vertex.
    Some(if curvature < 0.0 && before <= top && after <= top {
        top - (after - before).powi(2) / (8.0 * curvature)
    } else {
        top
    })
}
