//! Element sizes: what asks for small elements and where, as fields for Gmsh, and how many elements that makes.

use super::feature::Feature;
use super::model::Drawing;
use super::numbers::list;
use super::planes::SAME_PLANE;
use super::region::Region;
use super::view::{PER_VOLUME, SLOPE};
use crate::triangle::vec3::{Vec3, add, norm, sub, times};
use std::f64::consts::PI;
use std::fmt::Write;

/// Most points at which the distance to edges is known.
const MAX_POINTS: f64 = 50_000.0;

impl Region {
    /// About how many elements of a size it takes, with those around it, which grow up to the size `far`.
    fn elements(&self, size: f64, far: f64) -> f64 {
        let ratio = far / size;
        match self {
            // The layer around a box, whose thickness is that of the growth, has half its size on average.
            Self::Box([low, high]) => {
                PER_VOLUME
                    * (0..3).map(|k| ((high[k] - low[k]) / size).max(1.0) + 1.0 / SLOPE).product::<f64>()
            }
            Self::Sphere { radius, .. } => {
                PER_VOLUME * 4.0 / 3.0 * PI * (radius / size + 0.5 / SLOPE).powi(3)
            }
            // Around a line the size is h(r) = s + SLOPE r: ∫ 2πr dr / h³ = π / (SLOPE² s) · (1 − s/h)².
            Self::Lines(lines) => {
                let length: f64 = lines.iter().map(|line| length(line)).sum();
                let around = PI / (SLOPE * SLOPE) * (1.0 - 1.0 / ratio).powi(2);
                PER_VOLUME * length / size * around.max(1.0)
            }
        }
    }

    /// The statements that make the field `number`, and the number of the last field; lengths are divided by `unit`.
    fn script(&self, number: usize, [size, far]: [f64; 2], spacing: f64, unit: f64) -> (String, usize) {
        let mut text = String::new();
        let growth = (far - size) / SLOPE;
        match self {
            Self::Box(ends) => {
                let [low, high] = ends.map(|corner| times(1.0 / unit, corner));
                let _ = writeln!(
                    text,
                    "Field[{number}] = Box; Field[{number}].VIn = {size:e}; Field[{number}].VOut = {far:e}; \
                     Field[{number}].Thickness = {growth:e};"
                );
                for (k, axis) in ["X", "Y", "Z"].iter().enumerate() {
                    let _ = writeln!(
                        text,
                        "Field[{number}].{axis}Min = {:e}; Field[{number}].{axis}Max = {:e};",
                        low[k], high[k]
                    );
                }
                (text, number)
            }
            Self::Sphere { center, radius } => {
                let [x, y, z] = times(1.0 / unit, *center);
                let _ = writeln!(
                    text,
                    "Field[{number}] = Ball; Field[{number}].VIn = {size:e}; Field[{number}].VOut = {far:e}; \
                     Field[{number}].Thickness = {growth:e}; Field[{number}].Radius = {:e};\n\
                     Field[{number}].XCenter = {x:e}; Field[{number}].YCenter = {y:e}; Field[{number}].ZCenter = {z:e};",
                    radius / unit
                );
                (text, number)
            }
            Self::Lines(lines) => {
                let positions: Vec<Vec3> =
                    lines.iter().flat_map(|line| divided(line, spacing * size * unit)).collect();
                text += "a = newp;\n";
                for (i, position) in positions.iter().enumerate() {
                    let _ = writeln!(text, "Point(a + {i}) = {{{}}};", list(&times(1.0 / unit, *position)));
                }
                let (next, last) = (number + 1, positions.len() - 1);
                let _ = writeln!(
                    text,
                    "Field[{number}] = Distance; Field[{number}].PointsList = {{a:a + {last}}};\n\
                     Field[{next}] = Threshold; Field[{next}].InField = {number}; Field[{next}].SizeMin = {size:e}; \
                     Field[{next}].SizeMax = {far:e}; Field[{next}].DistMin = {size:e}; Field[{next}].DistMax = {:e};",
                    size + growth,
                );
                (text, next)
            }
        }
    }
}

impl Drawing {
    /// What asks for smaller elements than the whole model, where, and how small.
    fn size_fields(&self) -> Vec<(Feature, Region, f64)> {
        let mut fields = Vec::new();
        for (i, solid) in self.solids.iter().enumerate() {
            if solid.is_body {
                fields.push((Feature::SolidEdges(i), Region::Lines(solid.shape.edges()), solid.edge_size));
            } else {
                fields.push((Feature::Solid(i), Region::Box(solid.shape.bounds()), solid.cell_size));
            }
        }
        for (i, sheet) in self.sheets.iter().enumerate() {
            fields.push((Feature::SheetEdges(i), Region::Lines(sheet.shape.edges()), sheet.edge_size));
        }
        for (i, wire) in self.wires.iter().enumerate() {
            fields.push((Feature::Wire(i), Region::Lines(vec![wire.clone()]), self.wire_size));
        }
        for (i, refinement) in self.refinements.iter().enumerate() {
            fields.push((Feature::Refinement(i), refinement.region.clone(), refinement.size));
        }
        for (i, gap) in self.gaps().into_iter().enumerate() {
            fields.extend(
                gap.sizes(self.across_gaps)
                    .map(|(lines, size)| (Feature::Gap(i), Region::Lines(lines), size)),
            );
        }
        let is_small = |(_, region, size): &(Feature, Region, f64)| {
            *size < self.cell_size && !matches!(region, Region::Lines(lines) if lines.is_empty())
        };
        fields.retain(is_small);
        // What is beyond a plane is cut off, and where a plane cuts there is no edge.
        let tolerance = SAME_PLANE * self.diagonal();
        for (_, region, _) in &mut fields {
            if let Region::Lines(lines) = region {
                *lines = self.planes.before(std::mem::take(lines), tolerance);
            }
        }
        fields.retain(|(_, region, _)| !matches!(region, Region::Lines(lines) if lines.is_empty()));
        fields
    }

    /// About how many tetrahedra a mesh will have, by what asks for them.
    pub fn tetrahedra(&self) -> Vec<(Feature, f64)> {
        let [low, high] = self.boxes().map_or_else(|| self.bounds(), |boxes| boxes[2]);
        let sides = sub(high, low).map(|side| (side / self.cell_size).max(1.0));
        let model = (Feature::Model, PER_VOLUME * sides.iter().product::<f64>());
        let fields = self.size_fields();
        let counts =
            fields.iter().map(|(feature, region, size)| (*feature, region.elements(*size, self.cell_size)));
        let views = self.views.iter().enumerate().map(|(i, view)| (Feature::View(i), view.elements()));
        [model].into_iter().chain(counts).chain(views).collect()
    }

    /// The files of the views, by name.
    pub fn view_files(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        self.views.iter().enumerate().map(|(i, view)| (view_file(i), view.text.clone().into_bytes()))
    }

    /// The fields of sizes, for Gmsh.
    pub(super) fn sizes(&self, unit: f64) -> String {
        let (mut text, mut used, mut number) = (String::new(), Vec::new(), 0);
        let fields = self.size_fields();
        let points: f64 = fields
            .iter()
            .map(|(_, region, size)| match region {
                Region::Lines(lines) => lines.iter().map(|line| 1.0 + 2.0 * length(line) / size).sum(),
                _ => 0.0,
            })
            .sum();
        let spacing = 0.5 * (points / MAX_POINTS).max(1.0);
        for (_, region, size) in &fields {
            let (statements, last) =
                region.script(number + 1, [size / unit, self.cell_size / unit], spacing, unit);
            text += &statements;
            number = last;
            used.push(number.to_string());
        }
        for (i, view) in self.views.iter().enumerate() {
            number += 1;
            let _ = writeln!(
                text,
                "Merge \"{}\"; // {}\nField[{number}] = PostView; Field[{number}].ViewIndex = {i};",
                view_file(i),
                view.digest
            );
            used.push(number.to_string());
        }
        if !used.is_empty() {
            number += 1;
            let _ = writeln!(
                text,
                "Field[{number}] = Min; Field[{number}].FieldsList = {{{}}};\nBackground Field = {number};",
                used.join(", ")
            );
        }
        text
    }
}

/// Name of the file of a view in the folder that Gmsh works in.
fn view_file(i: usize) -> String {
    format!("sizes_{i}.pos")
}

fn length(line: &[Vec3]) -> f64 {
    line.windows(2).map(|ends| norm(sub(ends[1], ends[0]))).sum()
}

/// Points on a line, at most `step` apart.
fn divided(line: &[Vec3], step: f64) -> Vec<Vec3> {
    let mut points = vec![line[0]];
    for ends in line.windows(2) {
        let way = sub(ends[1], ends[0]);
        let count = (norm(way) / step).ceil() as usize;
        points.extend((1..=count).map(|i| add(ends[0], times(i as f64 / count as f64, way))));
    }
    points
}
