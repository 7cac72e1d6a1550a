//! Bodies of CAD files, by their triangulated surfaces: where they are, their edges, and how Gmsh makes them.

use super::facets::planar_faces;
use super::numbers::list;
use crate::triangle::vec3::{Vec3, cross, dot, norm, sub, times};
use crate::triangle::{SMOOTH_ANGLE, TriangleMesh, wedges};
use std::collections::HashMap;
use std::fmt::Write;

/// A direction that is along no edge and in no face that anybody draws.
const RAY: Vec3 = [0.512_374_11, 0.437_651_93, 0.738_846_57];

/// A file that Gmsh reads with the OpenCASCADE kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct CadFile {
    /// Its name in the folder that Gmsh works in.
    pub name: String,
    /// Length of a unit of the file as OpenCASCADE reads it, in meters.
    pub unit: f64,
    /// Digest of its bytes: another file is another model.
    pub digest: String,
    /// The positions of surfaces that bound no solid and are left out; none if there are no such surfaces at all.
    pub left_out: Option<Vec<usize>>,
}

/// A body of a CAD file.
#[derive(Debug, Clone, PartialEq)]
pub struct CadBody {
    /// Its closed surface. Curved faces are approximated: it serves to find out what is inside.
    pub surface: TriangleMesh,
    /// Whether it has curved faces.
    pub is_curved: bool,
    /// How Gmsh makes it.
    pub origin: CadOrigin,
}

/// How Gmsh makes a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CadOrigin {
    /// It is a body of a [`CadFile`]: their positions.
    File {
        /// In [`super::Drawing::files`].
        file: usize,
        /// In the file.
        body: usize,
    },
    /// From the triangles of its surface.
    Triangles,
}

impl CadBody {
    /// Whether a point is inside: a ray from it crosses the surface an odd number of times.
    pub(super) fn contains(&self, point: Vec3) -> bool {
        let crossed = |&triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|i| sub(self.surface.vertices[i as usize], point));
            // The ray passes on the same side of all three edges, and the triangle is before it.
            let sides = [dot(RAY, cross(a, b)), dot(RAY, cross(b, c)), dot(RAY, cross(c, a))];
            let through = sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0);
            let normal = cross(sub(b, a), sub(c, a));
            through && dot(normal, a) * dot(normal, RAY) > 0.0
        };
        self.surface.triangles.iter().filter(|triangle| crossed(triangle)).count() % 2 == 1
    }

    /// Its sharp edges.
    pub(super) fn edges(&self) -> Vec<Vec<Vec3>> {
        let ends = |vertices: [u32; 2]| vertices.map(|i| self.surface.vertices[i as usize]).to_vec();
        wedges(&self.surface, SMOOTH_ANGLE).into_iter().map(|wedge| ends(wedge.vertices)).collect()
    }

    /// The width that the field at its edges sees: that of a strip is its area over half the length of its four edges, and it is at most
    /// the second longest side of the box around it.
    pub(super) fn width(&self) -> f64 {
        let [low, high] = self.surface.bounds();
        let mut sides = sub(high, low);
        sides.sort_by(f64::total_cmp);
        let length: f64 = self.edges().iter().map(|edge| norm(sub(edge[1], edge[0]))).sum();
        if length > 0.0 { (2.0 * self.surface.area() / length).min(sides[1]) } else { sides[1] }
    }

    /// The statements that make it and assign it to the list `name`; lengths are divided by `unit`.
    pub(super) fn script(&self, name: &str, unit: f64) -> String {
        match self.origin {
            CadOrigin::File { file, body } => format!("{name}() = {{cad_{file}({body})}};\n"),
            CadOrigin::Triangles => faceted(name, &self.surface, unit),
        }
    }
}

impl CadFile {
    /// The statements that read the file `i`: its bodies as the list `cad_i`, surfaces that bound no solid as the list `faces_i`.
    pub(super) fn script(&self, i: usize, unit: f64) -> String {
        // Scaling by a statement would turn all surfaces into splines.
        let mut text = format!(
            "// {}\nGeometry.OCCScaling = {:e};\n{}",
            self.digest,
            self.unit / unit,
            sewing(&self.name)
        );
        let file = &self.name;
        let _ = match &self.left_out {
            None => writeln!(text, "cad_{i}() = ShapeFromFile(\"{file}\");"),
            // From a file with bodies, that statement takes nothing else.
            Some(left_out) => {
                let _ = writeln!(
                    text,
                    "v() = Volume{{:}}; s() = Surface{{:}};\nMerge \"{file}\";\ncad_{i}() = Volume{{:}}; cad_{i}() -= v();\n\
                     faces_{i}() = Surface{{:}}; faces_{i}() -= s();\nIf (#cad_{i}() > 0)\n  \
                     faces_{i}() -= Abs(Boundary{{ Volume{{cad_{i}()}}; }});\nEndIf"
                );
                left_out
                    .iter()
                    .try_for_each(|k| writeln!(text, "Recursive Delete {{ Surface{{faces_{i}({k})}}; }}"))
            }
        };
        text + "Geometry.OCCScaling = 1; Geometry.OCCSewFaces = 0; Geometry.OCCMakeSolids = 0; Geometry.Tolerance = 1e-8;\n"
    }
}

/// IGES files have faces: the statement that makes solids of them.
pub(super) fn sewing(file: &str) -> &'static str {
    match file.rsplit_once('.') {
        // Their edges meet to about a ten-thousandth of a millimeter.
        Some((_, "iges")) => {
            "Geometry.OCCSewFaces = 1; Geometry.OCCMakeSolids = 1; Geometry.Tolerance = 1e-4;\n"
        }
        _ => "",
    }
}

/// Volumes with flat faces, one for each shell.
fn faceted(name: &str, surface: &TriangleMesh, unit: f64) -> String {
    let mut text = format!("{name}() = {{}};\n");
    for faces in planar_faces(surface) {
        text += "p = newp; l = newl; f = news;\n";
        let (mut points, mut lines) = (HashMap::new(), HashMap::new());
        let mut loops = Vec::new();
        for (i, face) in faces.iter().enumerate() {
            let mut names = Vec::new();
            for outline in face {
                let mut numbers = Vec::new();
                for (k, &from) in outline.iter().enumerate() {
                    let ends = [from, outline[(k + 1) % outline.len()]];
                    let [a, b] = ends.map(|vertex| {
                        let next = points.len();
                        *points.entry(vertex).or_insert_with(|| {
                            let position = list(&times(1.0 / unit, surface.vertices[vertex as usize]));
                            let _ = writeln!(text, "Point(p + {next}) = {{{position}}};");
                            next
                        })
                    });
                    let (key, sign) = if a < b { ((a, b), "") } else { ((b, a), "-") };
                    let next = lines.len();
                    let line = *lines.entry(key).or_insert_with(|| {
                        let _ = writeln!(text, "Line(l + {next}) = {{p + {}, p + {}}};", key.0, key.1);
                        next
                    });
                    numbers.push(format!("{sign}(l + {line})"));
                }
                names.push(format!("c + {}", names.len()));
                loops.push(format!("Curve Loop(c + {}) = {{{}}};", names.len() - 1, numbers.join(", ")));
            }
            let _ = writeln!(
                text,
                "c = newll;\n{}\nPlane Surface(f + {i}) = {{{}}};",
                std::mem::take(&mut loops).join("\n"),
                names.join(", ")
            );
        }
        let _ = writeln!(
            text,
            "c = newsl; Surface Loop(c) = {{f:f + {}}}; t = newv; Volume(t) = {{c}}; {name}() += {{t}};",
            faces.len() - 1
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{cuboid, cylinder};
    use crate::triangle::vec3::add;

    fn body(surface: TriangleMesh) -> CadBody {
        CadBody { surface, is_curved: false, origin: CadOrigin::Triangles }
    }

    #[test]
    fn a_ray_tells_inside_from_outside() {
        let cube = body(cuboid([2.0, 2.0, 2.0], [1, 1, 1]).unwrap());
        for (point, inside) in [
            ([0.0; 3], true),
            ([0.99, -0.99, 0.99], true),
            ([1.01, 0.0, 0.0], false),
            ([-3.0, -3.0, -3.0], false),
            ([3.0, 0.2, 0.1], false),
        ] {
            assert_eq!(cube.contains(point), inside, "{point:?}");
        }
        // Just inside and just outside of every triangle.
        for t in 0..cube.surface.triangles.len() {
            let corners = cube.surface.corners(t);
            let middle = times(1.0 / 3.0, corners.into_iter().fold([0.0; 3], add));
            let normal = cube.surface.area_vector(t);
            assert!(cube.contains(sub(middle, times(1e-6, normal))));
            assert!(!cube.contains(add(middle, times(1e-6, normal))));
        }
    }

    #[test]
    fn widths_are_those_of_strips() {
        // A trace, 2 wide, 0.01 thick and 40 long.
        let strip = body(cuboid([40.0, 2.0, 0.01], [1, 1, 1]).unwrap());
        assert!((strip.width() - 2.0).abs() < 0.1, "{}", strip.width());
        let rod = body(cylinder(0.5, 20.0, [1, 36], true).unwrap());
        assert!((rod.width() - 1.0).abs() < 0.01, "{}", rod.width());
        // Two rims of 36 edges.
        assert_eq!(rod.edges().len(), 72);
    }

    #[test]
    fn a_cube_of_triangles_has_six_faces() {
        let text = body(cuboid([1.0, 1.0, 1.0], [2, 2, 2]).unwrap()).script("solid_0", 1.0);
        assert_eq!(text.matches("Plane Surface").count(), 6);
        assert_eq!(text.matches("Surface Loop").count(), 1);
        // Twelve edges of two pieces.
        assert_eq!(text.matches("Line(l").count(), 24);
    }
}
