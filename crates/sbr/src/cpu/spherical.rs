//! The wave of a transmitter at a point, and what beams of it send to receivers at points.
//!
//! With √G ê of transmitter and receiver (see [`crate::antenna`]), R_t the length of the unfolded path from the transmitter to a point of the
//! last facet and R_r the distance from there to the receiver, s its direction, the waves that leave the antennas relative to those that
//! enter are b/a = j(λ/4π) A,
//!
//! ```text
//! A = (jk/4π) ∫ [−(s × e) × E + Z₀(e × H)]·n e^{−jk(R_t + R_r)}/(R_t R_r) dS,    E = √G_t ê_t after all reflections, e = √G_r ê_r
//! ```
//!
//! the reaction of both fields over the exit aperture; far away it is S√(G_t G_r)/(R_t R_r) of [`crate::far_field`]. Mirrors are planes: the
//! wave after any number of them is that of an image of the transmitter, and 1/R_t its exact spreading. Footprints are divided into cells
//! over which phases are quadratic up to [`QUADRATIC_PHASE`], each by the closed form of a plane wave and its moments.

use super::frame::BeamFrame;
use super::polygon::Polygon;
use crate::accumulator::Accumulator;
use crate::antenna::{Antenna, AntennaAt};
use crate::field::Field;
use crate::layout::MAX_CORNERS;
use crate::material::Material;
use crate::problem::Formulation;
use crate::radiation_integral::{self, Wavenumbers};
use crate::scene::Scene;
use glam::{DMat2, DVec2, DVec3};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use std::f64::consts::PI;

/// Largest quadratic term of the phase over a cell, rad. It is added to first order about its mean: what is left is of the order of half its
/// square, 3e-4 of the contribution of an edge.
const QUADRATIC_PHASE: f64 = 0.025;
/// Largest angle from the middle of a cell to its corners as seen from either antenna, rad: patterns and spreading are linear over it.
const ANGLE: f64 = 0.02;
/// Step of differences in the slope of the phase, times the size of the cell, rad: relative errors of moments are 1e-4.
const MOMENT_STEP: f64 = 0.03;

/// A transmitter with its receivers.
pub(crate) struct SphericalWave<'a> {
    scene: &'a Scene,
    /// The transmitter in the coordinates of the scene.
    pub origin: DVec3,
    /// By frequency.
    transmitter: Vec<AntennaAt<'a>>,
    receivers: Vec<Receiver<'a>>,
    frequencies: &'a [f64],
    waves: Wavenumbers,
    weights: [f64; 2],
    quadratic_phase: f64,
}

struct Receiver<'a> {
    position: DVec3,
    /// By frequency.
    antenna: Vec<AntennaAt<'a>>,
    /// Whether it stands elsewhere than the transmitter: where it does not, the incident field radiates nothing toward it.
    shadow: bool,
}

/// A wave on a facet, and the cells that it is divided into.
struct Exit<'a> {
    /// The transmitter's image that the wave comes from.
    image: DVec3,
    /// The facets that it was reflected by.
    path: &'a [u32],
    /// Frame of the transmitter, and that of its image before the facet.
    frames: [&'a BeamFrame; 2],
    /// Toward the side that the wave falls on.
    normal: DVec3,
    /// Axes in the plane of the facet.
    axes: [DVec3; 2],
    /// Origin of positions in the plane.
    point: DVec3,
    is_shadow: bool,
}

/// A part of a footprint, in the plane of its facet.
struct Cell {
    corners: Polygon,
    centroid: DVec2,
    /// Largest distance of a corner from the centroid.
    radius: f64,
    /// Mean of ρρᵀ about the centroid.
    moments: DMat2,
}

impl<'a> SphericalWave<'a> {
    pub fn new(
        scene: &'a Scene,
        transmitter: &'a Antenna,
        receivers: &[&'a Antenna],
        frequencies: &'a [f64],
        formulation: Formulation,
    ) -> Self {
        let by_frequency = |antenna: &'a Antenna| -> Vec<AntennaAt<'a>> {
            frequencies.iter().enumerate().map(|(i, &frequency)| antenna.at(i, frequency)).collect()
        };
        let receiver = |&antenna: &&'a Antenna| Receiver {
            position: antenna.point() - scene.center,
            antenna: by_frequency(antenna),
            shadow: antenna.position != transmitter.position,
        };
        Self {
            scene,
            origin: transmitter.point() - scene.center,
            transmitter: by_frequency(transmitter),
            receivers: receivers.iter().map(receiver).collect(),
            frequencies,
            waves: Wavenumbers::new(frequencies.iter().map(|&f| wavenumber(f)).collect()),
            weights: formulation.weights(),
            quadratic_phase: QUADRATIC_PHASE,
        }
    }

    /// Number of sums that a beam contributes to: by receiver, then by frequency. The first element of each is A.
    pub fn sums(&self) -> usize {
        self.receivers.len() * self.frequencies.len()
    }

    /// Power along a ray after the reflections of a path relative to that before, at the frequency where it is largest.
    pub fn power(&self, direction: DVec3, path: &[u32]) -> f64 {
        if self.scene.conducts {
            return 1.0;
        }
        let at = |w: usize| {
            let Some(field) = self.transmitter[w].field(direction) else { return 0.0 };
            let before = field.norm_squared();
            if before > 0.0 {
                self.reflected(field, direction, path, w).0.norm_squared() / before
            } else {
                0.0
            }
        };
        (0..self.frequencies.len()).map(at).fold(0.0, f64::max)
    }

    /// Adds what a beam that leaves the target sends to the receivers; `frame` is that of the transmitter.
    pub(super) fn radiate(&self, frame: &BeamFrame, path: &[u32], beam: &Polygon, total: &mut Accumulator) {
        let last = path.len() - 1;
        let facet = |i: usize| &self.scene.facets[path[i] as usize];
        let before = (0..last).fold(*frame, |frame, i| frame.mirrored(facet(i)));
        let image = before.mirrored(facet(last)).origin;
        if let Some((exit, footprint)) = self.exit(path, [frame, &before], image, beam) {
            self.add(&exit, footprint, total);
        }
        // The incident field on the first facet, as in the far field.
        if self.receivers.iter().any(|receiver| receiver.shadow)
            && let Some((exit, footprint)) = self.exit(&path[..1], [frame, frame], frame.origin, beam)
        {
            self.add(&Exit { is_shadow: true, path: &[], ..exit }, footprint, total);
        }
        total.counts.bounces = total.counts.bounces.max(path.len());
        total.counts.hit_area += beam.area();
    }

    /// The wave from an image on the last facet of a path, and its footprint there. None if it grazes.
    fn exit<'b>(
        &self,
        path: &'b [u32],
        frames: [&'b BeamFrame; 2],
        image: DVec3,
        beam: &Polygon,
    ) -> Option<(Exit<'b>, Polygon)> {
        let facet = &self.scene.facets[*path.last()? as usize];
        let depth = frames[1].project(facet)?.depth;
        let at = |position: DVec2| frames[1].point(position, depth.at(position));
        let point = at(beam.center());
        let toward = facet.normal.dot(frames[1].origin - point);
        let normal = if toward < 0.0 { -facet.normal } else { facet.normal };
        let (u, v) = normal.any_orthonormal_pair();
        let footprint = beam.mapped(|position| {
            let relative = at(position) - point;
            DVec2::new(u.dot(relative), v.dot(relative))
        });
        let exit = Exit { image, path, frames, normal, axes: [u, v], point, is_shadow: false };
        footprint.corners().iter().all(|corner| corner.is_finite()).then_some((exit, footprint))
    }

    /// Divides a footprint until phases are linear over each cell, and adds the cells.
    fn add(&self, exit: &Exit<'_>, footprint: Polygon, total: &mut Accumulator) {
        let mut parts = vec![footprint];
        while let Some(part) = parts.pop() {
            let Some(cell) = Cell::new(part) else { continue };
            if self.is_small(exit, &cell) {
                self.add_cell(exit, &cell, total);
            } else {
                parts.extend(part.halves());
            }
        }
    }

    fn is_small(&self, exit: &Exit<'_>, cell: &Cell) -> bool {
        let (point, radius) = (exit.at(cell.centroid), cell.radius);
        let others = self.receivers.iter().map(|receiver| receiver.position.distance(point));
        let nearest = others.fold(f64::INFINITY, f64::min);
        let distance = exit.image.distance(point);
        // k ρ²/2 (1/R_t + 1/R_r)
        let quadratic = 0.5 * self.waves.highest * radius * radius * (1.0 / distance + 1.0 / nearest);
        quadratic <= self.quadratic_phase && radius <= ANGLE * distance.min(nearest)
    }

    /// Adds a cell: ∫ (a + b·ρ)[1 + jk(½ρᵀHρ − m)] e^{jk(ψ + g·ρ + m)} over it, with the mean m of ½ρᵀHρ. With I(g) the closed form of a
    /// plane wave, the first and second moments along an axis are [I(g + Δ) − I(g − Δ)]/2jkΔ and [2I(g) − I(g + Δ) − I(g − Δ)]/(kΔ)².
    fn add_cell(&self, exit: &Exit<'_>, cell: &Cell, total: &mut Accumulator) {
        let sums = total.sums.chunks_mut(self.frequencies.len());
        for (receiver, sums) in self.receivers.iter().zip(sums).filter(|(r, _)| r.shadow || !exit.is_shadow) {
            let point = exit.at(cell.centroid);
            let (k, distance) = split(point - exit.image);
            let (s, range) = split(receiver.position - point);
            // ψ = −(R_t + R_r), and its Hessian −[(1 − kkᵀ)/R_t + (1 − ssᵀ)/R_r].
            let curvature = |d: DVec3, r: f64| {
                let d = exit.in_plane(d);
                (outer(d) - DMat2::IDENTITY) * (1.0 / r)
            };
            let (hessian, axes) = principal(curvature(k, distance) + curvature(s, range));
            let step = MOMENT_STEP / (self.waves.highest * cell.radius);
            let slope = exit.in_plane(s - k);
            let integrals =
                self.integrals(cell, -(distance + range), around(slope, axes.map(|axis| step * axis)));
            let points =
                around(cell.centroid, axes.map(|axis| 0.5 * cell.radius * axis)).map(|at| exit.at(at));
            let moment = |i: usize| 0.5 * hessian[i] * axes[i].dot(cell.moments * axes[i]);
            let mean = moment(0) + moment(1);
            for (w, (sum, integrals)) in sums.iter_mut().zip(&integrals).enumerate() {
                let k = self.waves.k[w];
                let amplitudes = points.map(|point| self.amplitude(exit, receiver, point, w));
                let whole = integrals[0];
                let mut value = amplitudes[0] * whole * Complex64::new(1.0, -k * mean);
                for i in 0..2 {
                    let [plus, minus] = [integrals[2 * i + 1], integrals[2 * i + 2]];
                    let slope = (amplitudes[2 * i + 1] - amplitudes[2 * i + 2]) / cell.radius;
                    let first = (plus - minus) / Complex64::new(0.0, 2.0 * k * step);
                    let second = (2.0 * whole - plus - minus) / (k * step).powi(2);
                    value +=
                        slope * first + amplitudes[0] * Complex64::new(0.0, 0.5 * k * hessian[i]) * second;
                }
                sum[0] += value * Complex64::cis(k * mean);
            }
        }
    }

    /// Radiation integrals over a cell by frequency, for five slopes of the phase.
    fn integrals(&self, cell: &Cell, phase: f64, slopes: [DVec2; 5]) -> Vec<[Complex64; 5]> {
        let mut corners = [DVec2::ZERO; MAX_CORNERS];
        for (relative, corner) in corners.iter_mut().zip(cell.corners.corners()) {
            *relative = *corner - cell.centroid;
        }
        let corners = &corners[..cell.corners.corners().len()];
        let mut integrals = vec![[Complex64::ZERO; 5]; self.frequencies.len()];
        for (i, slope) in slopes.into_iter().enumerate() {
            radiation_integral::polygon(phase, slope, corners, &self.waves, |w, integral| {
                integrals[w][i] = integral;
            });
        }
        integrals
    }

    /// The integrand of A without its phase, jk/4π [...]·n/(R_t R_r).
    fn amplitude(&self, exit: &Exit<'_>, receiver: &Receiver<'_>, point: DVec3, w: usize) -> Complex64 {
        let departure = exit.departure(point);
        let (s, range) = split(receiver.position - point);
        let sent = self.transmitter[w].field(departure);
        let (Some(sent), Some(e)) = (sent, receiver.antenna[w].field(-s)) else { return Complex64::ZERO };
        let (field, k) = self.reflected(sent, departure, exit.path, w);
        // The incident field radiates with both currents, whatever the formulation of the exit aperture.
        let weights = if exit.is_shadow { [1.0, 1.0] } else { self.weights };
        let receive = |e: DVec3| {
            // (a × E)·n = E·(n × a), here with a = −s × e, and (e × (k × E))·n = E·((n × e) × k).
            let n = exit.normal;
            weights[0] * n.cross(e.cross(s)) + weights[1] * n.cross(e).cross(k)
        };
        let reaction = field.along(receive(e.re)) + Complex64::I * field.along(receive(e.im));
        let distance = exit.image.distance(point);
        reaction * Complex64::new(0.0, self.waves.k[w] / (4.0 * PI * distance * range))
    }

    /// A field along a direction after all reflections of a path, and its direction then.
    fn reflected(&self, field: Field, direction: DVec3, path: &[u32], w: usize) -> (Field, DVec3) {
        path.iter().fold((field, direction), |(field, k), &facet| {
            let facet = &self.scene.facets[facet as usize];
            // The normal against the wave: facets reflect on both sides.
            let n = if k.dot(facet.normal) < 0.0 { facet.normal } else { -facet.normal };
            let k_out = k - 2.0 * k.dot(n) * n;
            let field = match &self.scene.materials[facet.material as usize] {
                Material::Conductor => field.mirrored(n),
                material => {
                    let gamma = material.reflection(self.frequencies[w], -k.dot(n));
                    field.reflected(k, k_out, n, gamma)
                }
            };
            (field, k_out)
        })
    }
}

/// A vector as its direction and its length.
fn split(vector: DVec3) -> (DVec3, f64) {
    let length = vector.length();
    (vector / length, length)
}

impl Exit<'_> {
    fn at(&self, position: DVec2) -> DVec3 {
        self.point + position.x * self.axes[0] + position.y * self.axes[1]
    }

    fn in_plane(&self, vector: DVec3) -> DVec2 {
        DVec2::new(self.axes[0].dot(vector), self.axes[1].dot(vector))
    }

    /// The direction in which the ray that arrives at a point has left the transmitter: the same position in its frame.
    fn departure(&self, point: DVec3) -> DVec3 {
        let [first, before] = self.frames;
        let [u, v, w] = before.axes.map(|axis| axis.dot(point - before.origin));
        first.direction(DVec2::new(u, v) / w)
    }
}

impl Cell {
    /// None without area.
    fn new(corners: Polygon) -> Option<Self> {
        let first = corners.corners()[0];
        let (mut area, mut mean, mut moments) = (0.0, DVec2::ZERO, DMat2::ZERO);
        for pair in corners.corners()[1..].windows(2) {
            let (a, b) = (pair[0] - first, pair[1] - first);
            let part = 0.5 * a.perp_dot(b);
            area += part;
            mean += part / 3.0 * (a + b);
            // ∫ ρρᵀ over a triangle with a corner at the origin.
            moments += part / 12.0 * (outer(a) + outer(b) + outer(a + b));
        }
        if area <= 0.0 {
            return None;
        }
        let (mean, moments) = (mean / area, moments * (1.0 / area));
        let centroid = first + mean;
        let radius = corners.corners().iter().map(|corner| corner.distance(centroid)).fold(0.0, f64::max);
        Some(Self { corners, centroid, radius, moments: moments - outer(mean) })
    }
}

/// ppᵀ.
fn outer(p: DVec2) -> DMat2 {
    DMat2::from_cols(p * p.x, p * p.y)
}

/// A position and those before and behind it along two axes.
fn around(middle: DVec2, [u, v]: [DVec2; 2]) -> [DVec2; 5] {
    [middle, middle + u, middle - u, middle + v, middle - v]
}

/// Eigenvalues and eigenvectors of a symmetric matrix.
fn principal(matrix: DMat2) -> ([f64; 2], [DVec2; 2]) {
    let (a, b, c) = (matrix.x_axis.x, matrix.y_axis.y, matrix.x_axis.y);
    let first = DVec2::from_angle(0.5 * (2.0 * c).atan2(a - b));
    let axes = [first, first.perp()];
    (axes.map(|axis| axis.dot(matrix * axis)), axes)
}
