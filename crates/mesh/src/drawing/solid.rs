//! Solids: where they are, their edges, and how Gmsh makes them.

use super::cad::{CadBody, CadOrigin};
use super::numbers::list;
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};
use std::f64::consts::TAU;
use std::fmt::Write;

/// The shape of a solid, in meters.
#[derive(Debug, Clone, PartialEq)]
pub enum SolidShape {
    /// Axis-aligned box between two corners.
    Box {
        /// Corner with the smallest coordinates.
        from: [f64; 3],
        /// Corner with the largest coordinates.
        to: [f64; 3],
    },
    /// Cylinder or truncated cone.
    Cone {
        /// Centers of the two ends.
        ends: [[f64; 3]; 2],
        /// Radii of the two ends.
        radii: [f64; 2],
    },
    /// Solid sphere.
    Sphere {
        /// Center.
        center: [f64; 3],
        /// Radius.
        radius: f64,
    },
    /// Torus about an axis along z.
    Torus {
        /// Center.
        center: [f64; 3],
        /// Radius of the circle in the middle of the tube.
        radius: f64,
        /// Radius of the tube.
        tube: f64,
    },
    /// Round wire along straight pieces, with balls at the bends.
    Wire {
        /// Points of its axis.
        points: Vec<[f64; 3]>,
        /// Radius.
        radius: f64,
    },
    /// Polygon in the xy-plane, extruded along z.
    Extrusion {
        /// Vertices.
        outline: Vec<[f64; 2]>,
        /// Lower and upper end.
        z: [f64; 2],
    },
    /// Body of a CAD file.
    Cad(CadBody),
}

impl SolidShape {
    /// Whether a point is inside.
    pub fn contains(&self, point: Vec3) -> bool {
        match self {
            Self::Box { from, to } => (0..3).all(|k| from[k] < point[k] && point[k] < to[k]),
            Self::Cone { ends, radii } => in_cone(point, *ends, *radii),
            Self::Sphere { center, radius } => norm(sub(point, *center)) < *radius,
            Self::Torus { center, radius, tube } => {
                let [x, y, z] = sub(point, *center);
                (x.hypot(y) - radius).hypot(z) < *tube
            }
            Self::Wire { points, radius } => {
                let pieces = points.windows(2).any(|p| in_cone(point, [p[0], p[1]], [*radius; 2]));
                pieces || bends(points).iter().any(|&bend| norm(sub(point, bend)) < *radius)
            }
            Self::Extrusion { outline, z } => {
                z[0] < point[2] && point[2] < z[1] && in_polygon(outline, [point[0], point[1]])
            }
            Self::Cad(body) => body.contains(point),
        }
    }

    /// The corners of its bounding box.
    pub fn bounds(&self) -> [Vec3; 2] {
        match self {
            Self::Box { from, to } => [*from, *to],
            Self::Cone { ends, radii } => {
                around(&[0, 1].map(|i| disk_bounds(ends[i], sub(ends[1], ends[0]), radii[i])).concat(), 0.0)
            }
            Self::Sphere { center, radius } => around(&[*center], *radius),
            Self::Torus { center, radius, tube } => {
                let reach = [radius + tube, radius + tube, *tube];
                [sub(*center, reach), add(*center, reach)]
            }
            Self::Wire { points, radius } => {
                let rims = [(0, 1), (points.len() - 1, points.len() - 2)]
                    .map(|(end, next)| disk_bounds(points[end], sub(points[next], points[end]), *radius));
                let bends = bends(points);
                let balls: Vec<Vec3> = bends.iter().flat_map(|&bend| around(&[bend], *radius)).collect();
                around(&[rims.concat(), balls].concat(), 0.0)
            }
            Self::Extrusion { outline, z } => {
                let points: Vec<Vec3> = outline.iter().flat_map(|&[x, y]| z.map(|z| [x, y, z])).collect();
                around(&points, 0.0)
            }
            Self::Cad(body) => body.surface.bounds(),
        }
    }

    /// The position of the file that it is a body of, among several.
    pub(super) fn cad_file(&self) -> Option<usize> {
        match self {
            Self::Cad(CadBody { origin: CadOrigin::File { file, .. }, .. }) => Some(*file),
            _ => None,
        }
    }

    /// Whether it has curved faces.
    pub fn is_curved(&self) -> bool {
        match self {
            Self::Box { .. } | Self::Extrusion { .. } => false,
            Self::Cone { .. } | Self::Sphere { .. } | Self::Torus { .. } | Self::Wire { .. } => true,
            Self::Cad(body) => body.is_curved,
        }
    }

    /// Its sharp edges, as lines through points; round ones are closed.
    pub fn edges(&self) -> Vec<Vec<Vec3>> {
        match self {
            Self::Box { from, to } => {
                let [a, b] = [from, to];
                prism(&[[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]], [a[2], b[2]])
            }
            Self::Cone { ends, radii } => {
                let axis = sub(ends[1], ends[0]);
                ends.iter().zip(radii).map(|(&center, &radius)| circle(center, axis, radius)).collect()
            }
            Self::Wire { points, radius } => {
                let last = points.len() - 1;
                vec![
                    circle(points[0], sub(points[1], points[0]), *radius),
                    circle(points[last], sub(points[last], points[last - 1]), *radius),
                ]
            }
            Self::Extrusion { outline, z } => prism(outline, *z),
            Self::Cad(body) => body.edges(),
            Self::Sphere { .. } | Self::Torus { .. } => Vec::new(),
        }
    }

    /// The width that the field at its edges sees: the second longest side of a box, since thin plates are like sheets.
    pub fn width(&self) -> f64 {
        let middle = |mut sides: [f64; 3]| {
            sides.sort_by(f64::total_cmp);
            sides[1]
        };
        match self {
            Self::Box { from, to } => middle(sub(*to, *from)),
            Self::Cone { radii, .. } => 2.0 * radii[0].max(radii[1]),
            Self::Sphere { radius, .. } | Self::Wire { radius, .. } => 2.0 * radius,
            Self::Torus { tube, .. } => 2.0 * tube,
            Self::Extrusion { .. } => {
                let [low, high] = self.bounds();
                middle(sub(high, low))
            }
            Self::Cad(body) => body.width(),
        }
    }

    /// The statements that make it and assign it to the list `name`; lengths are divided by `unit`.
    pub(super) fn script(&self, name: &str, unit: f64) -> String {
        let point = |p: Vec3| list(&times(1.0 / unit, p));
        let single = |shape: &str, numbers: String| {
            format!("t = newv; {shape}(t) = {{{numbers}}}; {name}() = {{t}};\n")
        };
        let numbers = |values: &[f64]| list(&values.iter().map(|v| v / unit).collect::<Vec<_>>());
        match self {
            Self::Box { from, to } => single("Box", format!("{}, {}", point(*from), point(sub(*to, *from)))),
            Self::Cone { ends: [from, to], radii: [a, b] } => {
                let axis = format!("{}, {}", point(*from), point(sub(*to, *from)));
                if a == b {
                    single("Cylinder", format!("{axis}, {}", numbers(&[*a])))
                } else {
                    single("Cone", format!("{axis}, {}", numbers(&[*a, *b])))
                }
            }
            Self::Sphere { center, radius } => {
                single("Sphere", format!("{}, {}", point(*center), numbers(&[*radius])))
            }
            Self::Torus { center, radius, tube } => {
                single("Torus", format!("{}, {}", point(*center), numbers(&[*radius, *tube])))
            }
            Self::Wire { points, radius } => wire_script(name, points, *radius, unit),
            Self::Extrusion { outline, z } => {
                let corners: Vec<Vec3> = outline.iter().map(|&[x, y]| [x, y, z[0]]).collect();
                format!(
                    "{}e() = Extrude {{0, 0, {}}} {{ Surface{{s}}; }};\n{name}() = {{e(1)}};\n",
                    polygon_script(&corners, unit),
                    numbers(&[z[1] - z[0]])
                )
            }
            Self::Cad(body) => body.script(name, unit),
        }
    }
}

/// The statements for a flat surface `s` with these corners.
pub(super) fn polygon_script(corners: &[Vec3], unit: f64) -> String {
    let mut text = "p = newp;\n".to_owned();
    let (n, mut lines) = (corners.len(), Vec::new());
    for (i, &corner) in corners.iter().enumerate() {
        let _ = writeln!(text, "Point(p + {i}) = {{{}}};", list(&times(1.0 / unit, corner)));
    }
    text += "l = newl;\n";
    for i in 0..n {
        let _ = writeln!(text, "Line(l + {i}) = {{p + {i}, p + {}}};", (i + 1) % n);
        lines.push(format!("l + {i}"));
    }
    let _ = writeln!(
        text,
        "c = newll; Curve Loop(c) = {{{}}}; s = news; Plane Surface(s) = {{c}};",
        lines.join(", ")
    );
    text
}

fn wire_script(name: &str, points: &[Vec3], radius: f64, unit: f64) -> String {
    let mut text = format!("{name}() = {{}};\n");
    let mut part = |shape: &str, numbers: String| {
        let _ =
            writeln!(text, "t = newv; {shape}(t) = {{{numbers}, {:e}}}; {name}() += {{t}};", radius / unit);
    };
    for ends in points.windows(2) {
        let along = [times(1.0 / unit, ends[0]), times(1.0 / unit, sub(ends[1], ends[0]))].concat();
        part("Cylinder", list(&along));
    }
    for &bend in bends(points) {
        part("Sphere", list(&times(1.0 / unit, bend)));
    }
    if points.len() > 2 {
        let _ = writeln!(
            text,
            "{name}() = BooleanUnion{{ Volume{{{name}(0)}}; Delete; }}{{ Volume{{{name}({{1:#{name}()-1}})}}; Delete; }};"
        );
    }
    text
}

/// The points where a wire bends.
fn bends(points: &[Vec3]) -> &[Vec3] {
    &points[1..points.len() - 1]
}

pub(super) fn in_cone(point: Vec3, [from, to]: [Vec3; 2], radii: [f64; 2]) -> bool {
    let axis = sub(to, from);
    let along = dot(sub(point, from), axis) / dot(axis, axis);
    let foot = add(from, times(along, axis));
    let radius = radii[0] + along * (radii[1] - radii[0]);
    along > 0.0 && along < 1.0 && norm(sub(point, foot)) < radius
}

/// Whether a point is inside a polygon: a ray to the right crosses its sides an odd number of times.
pub(super) fn in_polygon(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let sides = (0..corners.len()).map(|i| [corners[i], corners[(i + 1) % corners.len()]]);
    let crossed = sides
        .filter(|[a, b]| (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
    crossed.count() % 2 == 1
}

/// The corners of the box around points, larger by a margin.
pub(super) fn around(points: &[Vec3], margin: f64) -> [Vec3; 2] {
    let end = |k: usize, pick: fn(f64, f64) -> f64, start: f64| points.iter().map(|p| p[k]).fold(start, pick);
    [
        std::array::from_fn(|k| end(k, f64::min, f64::INFINITY) - margin),
        std::array::from_fn(|k| end(k, f64::max, f64::NEG_INFINITY) + margin),
    ]
}

/// The corners of the box around a disk.
fn disk_bounds(center: Vec3, normal: Vec3, radius: f64) -> [Vec3; 2] {
    let unit = times(1.0 / norm(normal), normal);
    // Along x a disk with the normal n reaches r √(1 − nₓ²).
    let reach = unit.map(|n| radius * (1.0 - n * n).max(0.0).sqrt());
    [sub(center, reach), add(center, reach)]
}

/// A circle, as a closed line through 64 points.
pub(super) fn circle(center: Vec3, normal: Vec3, radius: f64) -> Vec<Vec3> {
    let n = times(1.0 / norm(normal), normal);
    // Any direction that is not along the normal.
    let other = if n[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let u = cross(n, other);
    let u = times(1.0 / norm(u), u);
    let v = cross(n, u);
    let at = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / 64.0).sin_cos();
        add(center, add(times(radius * cos, u), times(radius * sin, v)))
    };
    (0..=64).map(at).collect()
}

/// The edges of an extruded polygon.
fn prism(outline: &[[f64; 2]], z: [f64; 2]) -> Vec<Vec<Vec3>> {
    let ring = |z: f64| outline.iter().chain(&outline[..1]).map(move |&[x, y]| [x, y, z]).collect::<Vec<_>>();
    let mut edges = vec![ring(z[0]), ring(z[1])];
    edges.extend(outline.iter().map(|&[x, y]| z.map(|z| [x, y, z]).to_vec()));
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_inside_and_outside() {
        let cone = SolidShape::Cone { ends: [[0.0; 3], [0.0, 0.0, 2.0]], radii: [1.0, 0.0] };
        assert!(
            cone.contains([0.4, 0.0, 1.0])
                && !cone.contains([0.6, 0.0, 1.0])
                && !cone.contains([0.0, 0.0, 2.1])
        );
        let wire = SolidShape::Wire { points: vec![[0.0; 3], [5.0, 0.0, 0.0], [5.0, 5.0, 0.0]], radius: 0.5 };
        assert!(wire.contains([2.0, 0.4, 0.0]) && wire.contains([5.3, -0.3, 0.0]));
        // The ends are flat, the bend is round.
        assert!(!wire.contains([-0.1, 0.0, 0.0]) && !wire.contains([5.45, -0.45, 0.0]));
        let l = SolidShape::Extrusion {
            outline: vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]],
            z: [0.0, 1.0],
        };
        assert!(l.contains([0.5, 1.5, 0.5]) && !l.contains([1.5, 1.5, 0.5]) && !l.contains([0.5, 0.5, 1.5]));
        let torus = SolidShape::Torus { center: [0.0; 3], radius: 2.0, tube: 0.5 };
        assert!(torus.contains([0.0, 2.4, 0.0]) && !torus.contains([0.0; 3]));
    }

    #[test]
    fn bounds_hold_tilted_disks() {
        let tilted = SolidShape::Cone { ends: [[0.0; 3], [1.0, 0.0, 1.0]], radii: [1.0, 1.0] };
        let [low, high] = tilted.bounds();
        let half = 0.5_f64.sqrt();
        for (found, expected) in [(low, [-half, -1.0, -half]), (high, [1.0 + half, 1.0, 1.0 + half])] {
            assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?}");
        }
    }
}
