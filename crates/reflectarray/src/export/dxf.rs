//! Drawing of the layout in DXF release 12, which every CAD program reads.
//!
//! Millimeters. On layer `ELEMENTS` a point at the center of each element, on `PHASE_DEG` its phase as a text next to the
//! point, and on `OUTLINE` the rectangle half a spacing outside the outermost elements. The printed geometry that realizes a phase depends
//! on the design of the cell and is not part of the drawing.

use crate::problem::Design;
use std::fmt::Write as _;

/// Layers and their colors (AutoCAD's index: 7 is black or white, 8 gray, 5 blue).
const LAYERS: [(&str, u8); 3] = [("ELEMENTS", 7), ("PHASE_DEG", 8), ("OUTLINE", 5)];

/// The text of the drawing; `spacing` is that of the lattice along x and y, m.
///
/// ```
/// use phasefront_reflectarray::{Design, export};
/// let design = Design { index: vec![[0, 0]], x: vec![0.001], y: vec![0.0], phase: vec![0.0] };
/// assert!(export::dxf(&design, [0.01, 0.01]).ends_with("0\nEOF\n"));
/// ```
pub fn dxf(design: &Design, spacing: [f64; 2]) -> String {
    let mut text = String::with_capacity(1000 + 160 * design.x.len());
    text += "999\nPhasefront reflectarray layout, millimeters\n0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n0\nENDSEC\n";
    text += "0\nSECTION\n2\nTABLES\n0\nTABLE\n2\nLAYER\n";
    // Writing to a String cannot fail.
    let _ = writeln!(text, "70\n{}", LAYERS.len());
    for (name, color) in LAYERS {
        let _ = writeln!(text, "0\nLAYER\n2\n{name}\n70\n0\n62\n{color}\n6\nCONTINUOUS");
    }
    text += "0\nENDTAB\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n";
    // Small enough to fit between neighbors.
    let (height, beside) = (150.0 * spacing[0].min(spacing[1]), 100.0 * spacing[0]);
    for ((&x, &y), phase) in design.x.iter().zip(&design.y).zip(&design.phase) {
        let (x, y) = (1e3 * x, 1e3 * y);
        let _ = writeln!(text, "0\nPOINT\n8\nELEMENTS\n10\n{x:.6}\n20\n{y:.6}\n30\n0.0");
        let degrees = phase.to_degrees().rem_euclid(360.0);
        let _ = writeln!(
            text,
            "0\nTEXT\n8\nPHASE_DEG\n10\n{:.6}\n20\n{:.6}\n30\n0.0\n40\n{height:.6}\n1\n{degrees:.1}",
            x + beside,
            y - 0.5 * height
        );
    }
    outline(&mut text, design, spacing);
    text += "0\nENDSEC\n0\nEOF\n";
    text
}

fn outline(text: &mut String, design: &Design, spacing: [f64; 2]) {
    let ends = |values: &[f64], spacing: f64| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min) - 0.5 * spacing;
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 0.5 * spacing;
        [1e3 * low, 1e3 * high]
    };
    let ([left, right], [bottom, top]) = (ends(&design.x, spacing[0]), ends(&design.y, spacing[1]));
    *text += "0\nPOLYLINE\n8\nOUTLINE\n66\n1\n10\n0.0\n20\n0.0\n30\n0.0\n70\n1\n";
    for (x, y) in [(left, bottom), (right, bottom), (right, top), (left, top)] {
        let _ = writeln!(text, "0\nVERTEX\n8\nOUTLINE\n10\n{x:.6}\n20\n{y:.6}\n30\n0.0");
    }
    *text += "0\nSEQEND\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn groups_read_back_in_pairs_with_every_element_at_its_position() {
        let design = Design {
            index: vec![[0, 0], [1, 0], [0, 1]],
            x: vec![-0.005, 0.006, -0.005],
            y: vec![-0.004, -0.004, 0.007],
            phase: vec![-PI / 2.0, 0.0, 7.0 * PI],
        };
        let text = dxf(&design, [0.01, 0.02]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len() % 2, 0);
        let groups: Vec<(i32, &str)> =
            lines.chunks(2).map(|pair| (pair[0].parse().unwrap(), pair[1])).collect();
        let entities: Vec<&[(i32, &str)]> = groups.split(|(code, _)| *code == 0).collect();
        let named = |layer: &str| -> Vec<&[(i32, &str)]> {
            entities.iter().copied().filter(|e| e.first() == Some(&(8, layer))).collect()
        };
        let number = |entity: &[(i32, &str)], code: i32| -> f64 {
            entity.iter().find(|(c, _)| *c == code).unwrap().1.parse().unwrap()
        };
        let points = named("ELEMENTS");
        assert_eq!(points.len(), 3);
        assert_eq!((number(points[1], 10), number(points[1], 20)), (6.0, -4.0));
        let phases: Vec<f64> = named("PHASE_DEG").iter().map(|e| number(e, 1)).collect();
        assert_eq!(phases, [270.0, 0.0, 180.0]);
        let corners: Vec<f64> = named("OUTLINE")[1..].iter().map(|e| number(e, 10)).collect();
        assert_eq!(corners, [-10.0, 11.0, 11.0, -10.0]);
        assert_eq!(lines[lines.len() - 2..], ["0", "EOF"]);
    }
}
