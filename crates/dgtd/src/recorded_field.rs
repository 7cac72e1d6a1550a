//! A near field on a closed surface in vacuum, whose equivalent currents J = n × H and M = −n × E radiate the same field outside of the
//! surface, and none inside (Balanis, Antenna Theory, 12.2).

use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, ETA0};
use std::f64::consts::{PI, TAU};

/// Where errors are.
const PATH: &str = "source.near_field.file";
/// Difference of frequencies that are the same, relative: text files have eight digits.
const SAME: f64 = 1e-6;
/// Largest ∮ n dS relative to ∮ dS of a closed surface, and largest difference of its solid angle from 4π, relative.
const OPEN: [f64; 2] = [1e-3, 0.03];
/// Field inside that the equivalent currents of a near field may leave, relative to that on the surface. A box with one of six sides missing,
/// E or H in another unit, or phases of e^{−jωt} leave more.
const MAX_INTERIOR: f64 = 0.3;
/// Where the field inside is looked at, as a part of the way from the center to the farthest points along each axis.
const TOWARD_SIDES: f64 = 0.3;

/// A point of a closed surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// Position, m.
    pub position: [f64; 3],
    /// Unit normal out of the surface.
    pub normal: [f64; 3],
    /// Weight of the point in an integral over the surface, m².
    pub area: f64,
}

/// The power out of a closed surface, W: ½ Re ∮ E × H*·n dS.
pub fn power_through(points: &[SurfacePoint], fields: &[[Complex64; 6]]) -> f64 {
    let flow = |(point, [ex, ey, ez, hx, hy, hz]): (&SurfacePoint, &[Complex64; 6])| {
        let s = DVec3::new(
            (ey * hz.conj() - ez * hy.conj()).re,
            (ez * hx.conj() - ex * hz.conj()).re,
            (ex * hy.conj() - ey * hx.conj()).re,
        );
        0.5 * s.dot(point.normal.into()) * point.area
    };
    points.iter().zip(fields).map(flow).sum()
}

/// E and H on a closed surface in vacuum at some frequencies, peak values for e^{+jωt}.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedField {
    /// Hz.
    pub frequencies: Vec<f64>,
    /// Points of the surface.
    pub points: Vec<SurfacePoint>,
    /// E, V/m, and H, A/m by `[frequency][point][component]`.
    pub fields: Vec<Vec<[Complex64; 6]>>,
}

impl RecordedField {
    /// Turned about the origin, then moved.
    #[must_use]
    pub fn placed(mut self, rotation: DMat3, position: DVec3) -> Self {
        for point in &mut self.points {
            point.position = (rotation * DVec3::from(point.position) + position).to_array();
            point.normal = (rotation * DVec3::from(point.normal)).to_array();
        }
        for fields in self.fields.iter_mut().flatten() {
            for vector in fields.chunks_exact_mut(3) {
                let turn = |part: fn(&Complex64) -> f64| {
                    rotation * DVec3::new(part(&vector[0]), part(&vector[1]), part(&vector[2]))
                };
                let (re, im) = (turn(|z| z.re), turn(|z| z.im));
                vector.iter_mut().enumerate().for_each(|(axis, z)| *z = Complex64::new(re[axis], im[axis]));
            }
        }
        self
    }

    /// The index of a frequency.
    pub fn index_of(&self, frequency: f64) -> Option<usize> {
        self.frequencies.iter().position(|known| (known - frequency).abs() <= SAME * frequency)
    }

    /// The power that it radiates in free space at frequency index `frequency`, W.
    pub fn power(&self, frequency: usize) -> f64 {
        power_through(&self.points, &self.fields[frequency])
    }

    /// The equivalent currents at some of its frequencies, by their indices.
    pub fn currents(&self, frequencies: &[usize]) -> EquivalentCurrents {
        let moments = self.points.iter().enumerate().flat_map(|(i, point)| {
            let area = point.area * DVec3::from(point.normal);
            frequencies.iter().map(move |&f| {
                let fields = &self.fields[f][i];
                let [jx, jy, jz] = cross(area, &fields[3..]).map(|j| ETA0 * j);
                let [mx, my, mz] = cross(area, &fields[..3]).map(|m| -m);
                [jx, jy, jz, mx, my, mz]
            })
        });
        EquivalentCurrents {
            wavenumbers: frequencies.iter().map(|&f| TAU * self.frequencies[f] / C0).collect(),
            moments: moments.collect(),
            positions: self.points.iter().map(|point| point.position.into()).collect(),
        }
    }

    /// Refuses what is no near field of a closed surface; `frequencies` are the indices of those that are used. Else the largest field inside
    /// of it at these frequencies, relative to that on the surface: how well the data and the sums over its points fit together.
    pub fn check(&self, frequencies: &[usize]) -> Result<f64, FieldError> {
        let refuse = |message: &str, advice: &str| Err(FieldError::new(PATH, message, advice));
        let area: f64 = self.points.iter().map(|point| point.area).sum();
        let flux: DVec3 = self.points.iter().map(|point| point.area * DVec3::from(point.normal)).sum();
        let inside = self.inside();
        if area.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater)
            || flux.length() > OPEN[0] * area
            || inside.is_empty()
        {
            return refuse(
                "the points do not lie on a closed surface with normals out of it: a side is missing, or normals or areas are wrong",
                "give all sides of a box, with unit normals out of it, and areas that add up to its surface",
            );
        }
        let squares = |fields: &[Complex64; 6]| -> f64 {
            let part = |fields: &[Complex64]| fields.iter().map(Complex64::norm_sqr).sum::<f64>();
            part(&fields[..3]) + ETA0 * ETA0 * part(&fields[3..])
        };
        let currents = self.currents(frequencies);
        let within: Vec<Vec<[Complex64; 6]>> =
            inside.iter().map(|point| currents.fields_at(*point)).collect();
        let mut worst: f64 = 0.0;
        for (k, &f) in frequencies.iter().enumerate() {
            let weighted =
                self.points.iter().zip(&self.fields[f]).map(|(at, fields)| at.area * squares(fields));
            let on_surface = (weighted.sum::<f64>() / area).sqrt();
            if on_surface.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
                return refuse("the field is zero", "write a file of a run whose source is not zero");
            }
            let of = |fields: &Vec<[Complex64; 6]>| {
                let part = |range: std::ops::Range<usize>| {
                    fields[k][range].iter().map(Complex64::norm_sqr).sum::<f64>()
                };
                part(0..6).sqrt() / on_surface
            };
            worst = within.iter().map(of).fold(worst, f64::max);
        }
        if worst > MAX_INTERIOR {
            return Err(FieldError::new(
                PATH,
                format!(
                    "E and H are not the field of sources inside of their surface: its equivalent currents should leave no field there, and \
                     leave {:.0} % of that on the surface",
                    100.0 * worst
                ),
                "check units (m, V/m, A/m, Hz), the phase (e^{+jωt}), that all sources are inside, and that the points are closer than a \
                 tenth of a wavelength and of the size of the surface",
            ));
        }
        Ok(worst)
    }

    /// Points inside of it: those of some in the middle from which it is seen in all directions, ∮ n·R/R³ dS = 4π.
    fn inside(&self) -> Vec<DVec3> {
        let positions = || self.points.iter().map(|point| DVec3::from(point.position));
        let low = positions().fold(DVec3::INFINITY, DVec3::min);
        let high = positions().fold(DVec3::NEG_INFINITY, DVec3::max);
        let (center, reach) = (0.5 * (low + high), 0.5 * TOWARD_SIDES * (high - low));
        let steps = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
        let is_inside = |at: &DVec3| {
            let angle = |point: &SurfacePoint| {
                let r = DVec3::from(point.position) - *at;
                r.dot(point.normal.into()) * point.area / r.length().powi(3)
            };
            let angle: f64 = self.points.iter().map(angle).sum();
            (angle / (4.0 * PI) - 1.0).abs() < OPEN[1]
        };
        steps.into_iter().map(|step| center + step * reach).filter(is_inside).collect()
    }
}

/// Equivalent currents as electric and magnetic dipoles.
#[derive(Debug, Clone)]
pub struct EquivalentCurrents {
    /// k, 1/m.
    wavenumbers: Vec<f64>,
    /// η₀J dS and M dS: [point][frequency].
    moments: Vec<[Complex64; 6]>,
    positions: Vec<DVec3>,
}

impl EquivalentCurrents {
    /// E and η₀H at a point outside of the surface, at each frequency. With G = e^{−jkR}/4πR and x = kR, of η₀J dS = p
    ///
    /// ```text
    /// E = −jkG {(1 − j/x − 1/x²) p − (1 − 3j/x − 3/x²) R̂ (R̂·p)},    η₀H = −jkG (1 − j/x) R̂ × p,
    /// ```
    ///
    /// and of M dS by duality, E → η₀H, η₀H → −E, p → M dS (Balanis, Antenna Theory, 3.7 and 4.2).
    pub fn fields_at(&self, position: DVec3) -> Vec<[Complex64; 6]> {
        let count = self.wavenumbers.len();
        let mut sums = vec![[Complex64::ZERO; 6]; count];
        for (source, moments) in self.positions.iter().zip(self.moments.chunks_exact(count.max(1))) {
            let to = position - *source;
            let distance = to.length();
            let n = to / distance;
            for ((k, moment), sum) in self.wavenumbers.iter().zip(moments).zip(&mut sums) {
                let x = k * distance;
                let g = Complex64::new(0.0, -k / (4.0 * PI * distance)) * Complex64::cis(-x);
                let across = g * Complex64::new(1.0 - 1.0 / (x * x), -1.0 / x);
                let along = g * Complex64::new(1.0 - 3.0 / (x * x), -3.0 / x);
                let turned = g * Complex64::new(1.0, -1.0 / x);
                let (p, m) = moment.split_at(3);
                let radial = |v: &[Complex64]| along * (v[0] * n.x + v[1] * n.y + v[2] * n.z);
                let (of_p, of_m) = (radial(p), radial(m));
                let (p_turned, m_turned) = (cross(n, p), cross(n, m));
                for axis in 0..3 {
                    sum[axis] += across * p[axis] - of_p * n[axis] - turned * m_turned[axis];
                    sum[3 + axis] += across * m[axis] - of_m * n[axis] + turned * p_turned[axis];
                }
            }
        }
        sums
    }
}

fn cross(n: DVec3, v: &[Complex64]) -> [Complex64; 3] {
    [n.y * v[2] - n.z * v[1], n.z * v[0] - n.x * v[2], n.x * v[1] - n.y * v[0]]
}
