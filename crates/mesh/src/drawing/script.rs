//! What Gmsh runs: the solids and sheets with the OpenCASCADE kernel, cut where they meet, and the sizes of elements.

use super::model::{Drawing, DrawnSolid};
use super::planes::SAME_PLANE;
use super::solid::SolidShape;
use crate::triangle::vec3::{Vec3, norm, sub};
use std::fmt::Write;

/// Elements around a full turn of a curved surface, of the second order.
const PER_TURN: usize = 12;

/// Tells where volumes and surfaces are: Gmsh's complaints have their numbers.
const POSITIONS: &str = "v() = Volume{:};\nFor i In {0:#v()-1}\n  b() = BoundingBox Volume{v(i)};\n  \
    Printf(\"volume %g at %g %g %g\", v(i), (b(0) + b(3))/2, (b(1) + b(4))/2, (b(2) + b(5))/2);\nEndFor\n\
    v() = Surface{:};\nFor i In {0:#v()-1}\n  b() = BoundingBox Surface{v(i)};\n  \
    Printf(\"surface %g at %g %g %g\", v(i), (b(0) + b(3))/2, (b(1) + b(4))/2, (b(2) + b(5))/2);\nEndFor\n";

impl Drawing {
    /// The length that one unit of the script stands for, in meters: OpenCASCADE's tolerances are absolute, for models of some hundred
    /// units.
    pub fn unit(&self) -> f64 {
        10_f64.powf(self.diagonal().log10().floor() - 2.0)
    }

    /// A script that makes the mesh and writes it to the file `out`, in MSH 4.1 format.
    pub fn script(&self, out: &str) -> String {
        let unit = self.unit();
        let mut text = format!("SetFactory(\"OpenCASCADE\");\nPrintf(\"unit {unit:e}\");\n");
        for (i, file) in self.files.iter().enumerate() {
            text += &file.script(i, unit);
        }
        text += &self.solids(unit);
        text += &self.cuts();
        text += POSITIONS;
        text += &self.sizes(unit);
        let order = if self.is_curved() { 2 } else { 1 };
        let _ = write!(
            text,
            "Mesh.MeshSizeFromPoints = 0;\nMesh.MeshSizeExtendFromBoundary = 0;\nMesh.MeshSizeFromCurvature = {};\nMesh.MeshSizeMax = {:e};\nMesh.OptimizeThreshold = 0.4;\n\
             Mesh.MinimumCurveNodes = 2;\nMesh.MshFileVersion = 4.1;\nMesh.Binary = 1;\nMesh.SaveAll = 1;\nMesh 3;\n",
            if order == 2 { PER_TURN } else { 0 },
            self.cell_size / unit,
        );
        // Netgen does not see sheets inside a volume.
        let methods: &[&str] = if self.sheets.is_empty() {
            &["Netgen", "Gmsh"]
        } else {
            &["Relocate3D", "Gmsh", "Relocate3D", "Gmsh"]
        };
        for method in methods {
            let _ = writeln!(text, "OptimizeMesh \"{method}\";");
        }
        if order == 2 {
            // The second one leaves meshes without folded elements as they are.
            text += "SetOrder 2;\nOptimizeMesh \"HighOrderElastic\";\nOptimizeMesh \"HighOrder\";\n";
        }
        let _ = writeln!(text, "Save \"{out}\";");
        text
    }

    /// Makes the solids and sheets, each a list of its name.
    fn solids(&self, unit: f64) -> String {
        let solids =
            self.solids.iter().enumerate().map(|(i, solid)| solid.shape.script(&format!("solid_{i}"), unit));
        let sheets =
            self.sheets.iter().enumerate().map(|(i, sheet)| sheet.shape.script(&format!("sheet_{i}"), unit));
        let boxes = self.boxes().into_iter().flatten().enumerate();
        let boxes =
            boxes.map(|(i, [from, to])| SolidShape::Box { from, to }.script(&format!("box_{i}"), unit));
        solids.chain(sheets).chain(boxes).collect()
    }

    /// Cuts bodies out of all else, and all else where it meets.
    fn cuts(&self) -> String {
        let mut text = self.cuts_by_planes();
        let is_body = |(_, solid): &(usize, &DrawnSolid)| solid.is_body;
        let bodies: Vec<usize> = self.solids.iter().enumerate().filter(is_body).map(|(i, _)| i).collect();
        let volumes =
            |which: &[usize]| which.iter().map(|i| format!("solid_{i}()")).collect::<Vec<_>>().join(", ");
        let lists =
            |names: &[String]| names.iter().map(|name| format!("{name}()")).collect::<Vec<_>>().join(", ");
        let cut = |kind: &str, name: &str, tools: &str| {
            format!(
                "{name}() = BooleanDifference{{ {kind}{{{name}()}}; Delete; }}{{ Volume{{{tools}}}; }};\n"
            )
        };
        // What is listed later takes its place from a body, and from no other: those are told apart by their place.
        for &i in &bodies {
            let later: Vec<usize> = (i + 1..self.solids.len()).filter(|&j| self.overlap(i, j)).collect();
            if !later.is_empty() {
                text += &cut("Volume", &format!("solid_{i}"), &volumes(&later));
            }
        }
        let mut parts: Vec<String> =
            (0..self.solids.len()).filter(|i| !bodies.contains(i)).map(|i| format!("solid_{i}")).collect();
        if self.space.is_some() {
            text += &cut("Volume", "box_2", "box_1()");
            text += &cut("Volume", "box_1", "box_0()");
            parts.push("box_0".into());
        }
        if !bodies.is_empty() {
            for part in &parts {
                text += &cut("Volume", part, &volumes(&bodies));
            }
            for (i, sheet) in self.sheets.iter().enumerate() {
                let name = format!("sheet_{i}");
                let touches = |j: &usize| touch(sheet.shape.bounds(), self.solids[*j].shape.bounds());
                let on_face = bodies.iter().any(touches) && !parts.is_empty();
                // Cutting takes what lies on the face of a body, too; what bounds the other volumes stays.
                if on_face {
                    let _ = writeln!(
                        text,
                        "on() = Duplicata{{ Surface{{{name}()}}; }};\n\
                         on() = BooleanIntersection{{ Surface{{on()}}; Delete; }}{{ Volume{{{}}}; }};",
                        lists(&parts)
                    );
                }
                text += &cut("Surface", &name, &volumes(&bodies));
                if on_face {
                    let _ = writeln!(text, "{name}() += on();");
                }
            }
            let _ = writeln!(text, "Recursive Delete {{ Volume{{{}}}; }}", volumes(&bodies));
        }
        if self.space.is_some() {
            parts.extend(["box_1".into(), "box_2".into()]);
        }
        let sheets: Vec<String> = (0..self.sheets.len()).map(|i| format!("sheet_{i}")).collect();
        let tools = if sheets.is_empty() {
            String::new()
        } else {
            format!(" Surface{{{}}}; Delete; ", lists(&sheets))
        };
        let _ = writeln!(text, "BooleanFragments{{ Volume{{{}}}; Delete; }}{{{tools}}}", lists(&parts));
        text
    }

    /// Cuts off what is beyond the planes: the largest box ends at them.
    fn cuts_by_planes(&self) -> String {
        let tolerance = SAME_PLANE * self.diagonal();
        let solids = self.solids.iter().map(|solid| ("Volume", "solid", solid.shape.bounds()));
        let sheets = self.sheets.iter().map(|sheet| ("Surface", "sheet", sheet.shape.bounds()));
        let cut = |(i, (kind, list, bounds)): (usize, (&str, &str, [Vec3; 2]))| {
            let cut = format!(
                "{list}_{i}() = BooleanIntersection{{ {kind}{{{list}_{i}()}}; Delete; }}{{ Volume{{box_2()}}; }};\n"
            );
            self.planes.cut(bounds, tolerance).then_some(cut)
        };
        solids.enumerate().chain(sheets.enumerate()).filter_map(cut).collect()
    }

    /// Whether the boxes around two solids overlap.
    pub fn overlap(&self, i: usize, j: usize) -> bool {
        let [a, b] = [i, j].map(|k| self.solids[k].shape.bounds());
        (0..3).all(|k| a[0][k] < b[1][k] && b[0][k] < a[1][k])
    }
}

/// Whether two boxes have a common point.
fn touch(a: [Vec3; 2], b: [Vec3; 2]) -> bool {
    let tolerance = SAME_PLANE * norm(sub(a[1], a[0]));
    (0..3).all(|k| a[0][k] <= b[1][k] + tolerance && b[0][k] <= a[1][k] + tolerance)
}
