//! Wires as segments with currents at their ends and a charge on each.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::problem::{Problem, ThinWire};
use glam::DVec3;
use phasefront_core::FieldError;
use std::f64::consts::TAU;

/// Points of different parts of a model closer than this, relative to the length of a wire, are the same one.
const SAME: f64 = 1e-6;
/// Directions in which the plane at the foot of a wire is looked at.
const DIRECTIONS: usize = 16;

/// A straight piece of a wire, or its image behind a conducting plane.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// Which wire.
    pub wire: usize,
    /// In the direction of the current.
    pub ends: [DVec3; 2],
    /// The currents there; none at an open end.
    pub currents: [Option<usize>; 2],
    /// Its charge.
    pub charge: usize,
    /// Whether it is an image, with the opposite charge.
    pub image: bool,
}

/// A conducting plane at the end of a wire.
#[derive(Debug, Clone, Copy)]
pub struct Plane {
    pub point: DVec3,
    /// Towards the wire.
    pub normal: DVec3,
}

impl Plane {
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.point)
    }

    fn mirrored(&self, point: DVec3) -> DVec3 {
        point - 2.0 * self.height(point) * self.normal
    }
}

/// All wires of a problem.
#[derive(Debug, Default)]
pub struct Paths {
    /// Segments, those of images behind the others.
    pub segments: Vec<Segment>,
    /// Number of currents.
    pub currents: usize,
    /// Conducting planes at ends of wires.
    pub planes: Vec<Plane>,
    /// The current at each position that was asked for.
    pub taps: Vec<usize>,
}

/// A place on a wire where something is connected: the wire, its distance along it, and the path of the key.
pub struct Tap {
    pub wire: usize,
    pub position: f64,
    pub path: String,
}

impl Paths {
    /// Wires divided into segments of at most this length. What is connected to them is at ends of segments.
    pub fn new(problem: &Problem, domain: &Domain, taps: &[Tap], longest: f64) -> Result<Self, DgtdError> {
        let mut paths = Self { taps: vec![usize::MAX; taps.len()], ..Self::default() };
        let mut charges = 0;
        for (i, wire) in problem.thin_wires.iter().enumerate() {
            let (places, of_taps) = divide(wire, i, taps, longest)?;
            let (first, last) = (places[0], places[places.len() - 1]);
            let length = wire.length();
            let closed = first.distance(last) < SAME * length;
            let mut at_end = |end: DVec3, inward: DVec3| -> Result<bool, DgtdError> {
                let plane = if closed { None } else { ground(domain, end, inward, SAME * length) };
                if let Some(plane) = plane {
                    let same = |known: &Plane| {
                        known.normal.dot(plane.normal) > 1.0 - SAME && known.height(end).abs() < SAME * length
                    };
                    if !paths.planes.iter().any(same) {
                        paths.planes.push(plane);
                    }
                }
                Ok(plane.is_some())
            };
            let grounded = [at_end(first, places[1] - first)?, at_end(last, places[places.len() - 2] - last)?];
            // Currents at the inner ends of segments, at grounded ends, and at the joint of a closed wire.
            let count = places.len();
            let mut number = vec![None; count];
            for (k, number) in number.iter_mut().enumerate() {
                let is_open = (k == 0 && !grounded[0] && !closed) || (k == count - 1 && (!grounded[1] || closed));
                if !is_open {
                    *number = Some(paths.currents);
                    paths.currents += 1;
                }
            }
            if closed {
                number[count - 1] = number[0];
            }
            for k in 0..count - 1 {
                let (ends, currents) = ([places[k], places[k + 1]], [number[k], number[k + 1]]);
                paths.segments.push(Segment { wire: i, ends, currents, charge: charges, image: false });
                charges += 1;
            }
            for (tap, place) in of_taps {
                paths.taps[tap] = number[place].ok_or_else(|| {
                    FieldError::new(
                        &*taps[tap].path,
                        format!("there is no current at an open end of the wire {:?}", wire.name),
                        "place it between the ends, or let the wire end on a \"pec\" surface there",
                    )
                })?;
            }
        }
        Ok(paths)
    }

    /// Adds the images of what is closer to a plane than `reach`.
    pub fn add_images(&mut self, reach: f64) {
        let mut images = Vec::new();
        for plane in &self.planes {
            for segment in &self.segments {
                if segment.ends.iter().any(|end| plane.height(*end) < reach) {
                    // The current along the normal goes on, that along the plane is opposite: a reversed mirror image.
                    let [from, to] = segment.ends.map(|end| plane.mirrored(end));
                    let [first, second] = segment.currents;
                    images.push(Segment { ends: [to, from], currents: [second, first], image: true, ..*segment });
                }
            }
        }
        self.segments.extend(images);
    }

    /// Number of charges.
    pub fn charges(&self) -> usize {
        self.segments.iter().map(|segment| segment.charge + 1).max().unwrap_or(0)
    }

    /// Those of wires.
    pub fn own(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|segment| !segment.image)
    }
}

/// Ends of the segments of a wire, and the number of that of each tap.
fn divide(
    wire: &ThinWire,
    index: usize,
    taps: &[Tap],
    longest: f64,
) -> Result<(Vec<DVec3>, Vec<(usize, usize)>), DgtdError> {
    let own: Vec<(usize, f64)> =
        taps.iter().enumerate().filter(|(_, tap)| tap.wire == index).map(|(i, tap)| (i, tap.position)).collect();
    let length = wire.length();
    for &(i, position) in &own {
        if !(0.0..=length * (1.0 + SAME)).contains(&position) {
            return Err(FieldError::new(
                &*taps[i].path,
                format!("the wire {:?} is {length:.4} m long, and there is nothing at {position:.4} m", wire.name),
                "give the distance from its first point along it",
            )
            .into());
        }
    }
    // Distances along the wire that are ends of segments: vertices, and what is connected between them. Taps near a vertex are at it.
    let mut marks = vec![0.0];
    for pair in wire.points.windows(2) {
        marks.push(marks[marks.len() - 1] + DVec3::from(pair[0]).distance(pair[1].into()));
    }
    let vertices = marks.clone();
    for (_, position) in &own {
        if marks.iter().all(|mark| (mark - position).abs() > 0.25 * longest.min(0.25 * length)) {
            marks.push(*position);
        }
    }
    marks.sort_by(f64::total_cmp);
    let at = |distance: f64| {
        let edge = vertices.partition_point(|vertex| *vertex <= distance).clamp(1, vertices.len() - 1);
        let [from, to] = [edge - 1, edge].map(|k| DVec3::from(wire.points[k]));
        from.lerp(to, (distance - vertices[edge - 1]) / (vertices[edge] - vertices[edge - 1]))
    };
    let (mut places, mut numbers) = (vec![at(0.0)], vec![0]);
    for pair in marks.windows(2) {
        let count = ((pair[1] - pair[0]) / longest).ceil().max(1.0) as usize;
        for k in 1..=count {
            places.push(at(pair[0] + (pair[1] - pair[0]) * k as f64 / count as f64));
        }
        numbers.push(places.len() - 1);
    }
    if places.len() == 2 {
        // An open wire needs a current.
        places.insert(1, 0.5 * (places[0] + places[1]));
        numbers[1] = 2;
    }
    let nearest = |position: f64| {
        let near = |a: &usize, b: &usize| (marks[*a] - position).abs().total_cmp(&(marks[*b] - position).abs());
        numbers[(0..marks.len()).min_by(near).unwrap_or(0)]
    };
    let of_taps = own.iter().map(|&(i, position)| (i, nearest(position))).collect();
    Ok((places, of_taps))
}

/// The conductor on which a point lies, with its normal towards `inward`.
fn ground(domain: &Domain, point: DVec3, inward: DVec3, tolerance: f64) -> Option<Plane> {
    domain.conductors().find_map(|(tet, face)| {
        let corners = domain.mesh.face_corners(tet, face).map(DVec3::from);
        (distance(point, corners) < tolerance).then(|| {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            Plane { point, normal: if normal.dot(inward) < 0.0 { -normal } else { normal } }
        })
    })
}

/// Refuses what is nearer to wires than their clouds reach: PMLs, other materials, and surfaces other than conducting planes on which they end.
pub fn check_surroundings(problem: &Problem, domain: &Domain, paths: &Paths, cloud: f64) -> Result<(), DgtdError> {
    let on_plane = |corners: &[DVec3; 3]| {
        paths.planes.iter().any(|plane| corners.iter().all(|corner| plane.height(*corner).abs() < SAME * cloud))
    };
    // A ball around all of a segment rejects most faces.
    let segments: Vec<(&Segment, DVec3, f64)> = paths
        .own()
        .map(|s| (s, 0.5 * (s.ends[0] + s.ends[1]), cloud + 0.5 * s.ends[0].distance(s.ends[1])))
        .collect();
    let mut floor: Vec<[DVec3; 3]> = Vec::new();
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for face in 0..4 {
            let behind = domain.faces.neighbors[tet][face].map(|n| n.tet as usize);
            let is_open = conditions[face].is_interior()
                && behind.is_some_and(|behind| {
                    domain.material(behind) == domain.material(tet) && domain.in_pml(behind) == domain.in_pml(tet)
                });
            if is_open {
                continue;
            }
            let corners = domain.mesh.face_corners(tet, face).map(DVec3::from);
            if conditions[face].is_conductor() && on_plane(&corners) {
                floor.push(corners);
                continue;
            }
            let near = |(segment, middle, reach): &&(&Segment, DVec3, f64)| {
                distance(*middle, corners) < *reach && {
                    let count = (4.0 * (reach - cloud) / cloud).ceil() as usize + 1;
                    (0..=count).any(|k| {
                        let point = segment.ends[0].lerp(segment.ends[1], k as f64 / count as f64);
                        distance(point, corners) < cloud
                    })
                }
            };
            if let Some((segment, ..)) = segments.iter().find(near) {
                return Err(too_close(problem, domain, segment, (tet, face), cloud));
            }
        }
    }
    for plane in &paths.planes {
        let tangent = crate::geometry::tangent(plane.normal);
        for k in 0..DIRECTIONS {
            let (sine, cosine) = (TAU * k as f64 / DIRECTIONS as f64).sin_cos();
            let rim = plane.point + cloud * (cosine * tangent + sine * plane.normal.cross(tangent));
            if floor.iter().all(|corners| distance(rim, *corners) > SAME * cloud) {
                let p = plane.point;
                return Err(FieldError::new(
                    "geometry.thin_wires",
                    format!(
                        "a thin wire ends on a conductor at ({:.4}, {:.4}, {:.4}) m, which is not flat up to {:.4} mm from there, as far as \
                         the cloud of the wire reaches",
                        p.x, p.y, p.z, 1e3 * cloud
                    ),
                    "let it end in the middle of a flat conductor, or make the elements around the wire smaller: its cloud follows their size",
                )
                .into());
            }
        }
    }
    Ok(())
}

fn too_close(
    problem: &Problem,
    domain: &Domain,
    segment: &Segment,
    (tet, face): (usize, usize),
    cloud: f64,
) -> DgtdError {
    let behind = domain.faces.neighbors[tet][face].map(|n| n.tet as usize);
    let pml = domain.in_pml(tet) || behind.is_some_and(|behind| domain.in_pml(behind));
    let what = if pml {
        "a PML"
    } else if domain.conditions[tet][face].is_interior() {
        "another material"
    } else {
        "a surface with a boundary condition"
    };
    let corners = domain.mesh.face_corners(tet, face).map(DVec3::from);
    let [x, y, z] = (corners.iter().sum::<DVec3>() / 3.0).to_array();
    FieldError::new(
        format!("geometry.thin_wires[{}]", segment.wire),
        format!(
            "the thin wire {:?} is closer than {:.4} mm to {what}, at ({x:.4}, {y:.4}, {z:.4}) m: its current is spread over so much of the mesh",
            problem.thin_wires[segment.wire].name,
            1e3 * cloud
        ),
        "move it away, or make the elements around the wire smaller: the distance follows their size; a wire that touches something else is \
         a solid or a lumped element",
    )
    .into()
}

/// Distance of a point from a triangle (C. Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5).
pub fn distance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return p.distance(a);
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return p.distance(b);
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return p.distance(c);
    }
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return p.distance(a + ab * (d1 / (d1 - d3)));
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return p.distance(a + ac * (d2 / (d2 - d6)));
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return p.distance(b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))));
    }
    ab.cross(ac).normalize_or_zero().dot(p - a).abs()
}
