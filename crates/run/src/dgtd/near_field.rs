//! Near field on a closed surface: power, arrays, and files for FEKO.
//!
//! FEKO: "Electric / Magnetic Near Fields (.EFE / .HFE)" in the Altair Feko user guide (2021, 2022). `##key: value` for the file,
//! `#key: value` and a line of quoted column names for each block, then rows of numbers, x fastest; positions in m, fields in V/m and
//! A/m. Peak values and e^{+jωt}, as in its far fields. Each side of the box is a block with one sample along its normal.

use num_complex::Complex64;
use phasefront_case::model::dgtd::{NearBox, NearField, NearFieldExport};
use phasefront_core::FieldError;
use phasefront_dgtd::{Material, Solution, Study, SurfacePoint, power_through};
use phasefront_report::{Array, ArrayFile, Table};
use std::fmt::Write as _;

/// Sides of a box in the order of the solver.
const SIDES: [&str; 6] = ["xmin", "ymin", "zmin", "xmax", "ymax", "zmax"];

/// The near field at all frequencies.
pub(super) struct Found {
    frequencies: Vec<f64>,
    points: Vec<SurfacePoint>,
    /// E and H: [frequency][point][component].
    fields: Vec<Vec<[Complex64; 6]>>,
}

/// Refuses exports of a box that symmetry planes complete: its parts behind them are no grids in order.
pub(super) fn check(study: &Study, requested: Option<&NearField>) -> Result<(), FieldError> {
    let Some(NearField { sides: Some(sides), exports, .. }) = requested else { return Ok(()) };
    let whole: usize = counts(sides).iter().map(|[x, y, z]| x * y * z).sum();
    if exports.is_empty() || study.near_points().len() == whole {
        return Ok(());
    }
    Err(FieldError::new(
        "output.near_field.exports",
        "exports hold the box alone, and this model has symmetry planes that mirror it",
        "remove `exports`: near_field.npz has the mirrored points, too",
    ))
}

/// Samples along x, y and z of each side.
fn counts(sides: &NearBox) -> [[usize; 3]; 6] {
    std::array::from_fn(|side| {
        let mut counts = sides.points.0.map(|n| n.get() as usize);
        counts[side % 3] = 1;
        counts
    })
}

impl Found {
    pub(super) fn new(study: &Study, solution: &Solution) -> Self {
        let frequencies = study.problem.monitors.frequencies.clone();
        let fields = (0..frequencies.len()).map(|f| study.near_field(solution, f)).collect();
        Self { frequencies, points: study.near_points(), fields }
    }

    /// `near_field.csv`.
    pub(super) fn table(&self) -> Table {
        let powers = self.fields.iter().map(|fields| power_through(&self.points, fields)).collect();
        Table::new("near_field").number("frequency_hz", self.frequencies.clone()).number("power_w", powers)
    }

    /// `near_field.npz`: fields with a row for each frequency.
    pub(super) fn arrays(&self, medium: &Material) -> ArrayFile {
        let of_points =
            |get: &dyn Fn(&SurfacePoint) -> f64| Array::Real1(self.points.iter().map(get).collect());
        let mut file = ArrayFile::new("near_field")
            .with("frequency_hz", Array::Real1(self.frequencies.clone()))
            .with("eps_r", Array::Real1(vec![medium.eps]))
            .with("mu_r", Array::Real1(vec![medium.mu]))
            .with("area_m2", of_points(&|point| point.area));
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            file = file
                .with(format!("{name}_m"), of_points(&|point| point.position[axis]))
                .with(format!("normal_{name}"), of_points(&|point| point.normal[axis]));
        }
        for (c, name) in super::files::COMPONENTS.into_iter().enumerate() {
            let values = self.fields.iter().flatten().map(|fields| fields[c]).collect();
            let (rows, cols) = (self.fields.len(), self.points.len());
            file = file.with(name, Array::Complex2 { rows, cols, values });
        }
        file
    }

    /// An export: its name, text and description.
    pub(super) fn file(
        &self,
        kind: NearFieldExport,
        sides: &NearBox,
    ) -> (&'static str, String, &'static str) {
        let (name, field, letter, first, what) = match kind {
            NearFieldExport::Efe => ("near_field.efe", "Electric", 'E', 0, "electric near field for FEKO"),
            NearFieldExport::Hfe => ("near_field.hfe", "Magnetic", 'H', 3, "magnetic near field for FEKO"),
        };
        let mut text =
            format!("##File Type: {field} near field\n##File Format: 4\n** Written by Phasefront\n");
        // Writing to a String cannot fail.
        for (frequency, fields) in self.frequencies.iter().zip(&self.fields) {
            let mut rows = self.points.iter().zip(fields);
            for (side, [x, y, z]) in SIDES.into_iter().zip(counts(sides)) {
                let _ = write!(
                    text,
                    "\n#Request Name: {side}\n#Frequency: {frequency:.8E}\n#Coordinate System: Cartesian\n\
                     #No. of X Samples: {x}\n#No. of Y Samples: {y}\n#No. of Z Samples: {z}\n\
                     #Result Type: {field} Field Values\n#No. of Header Lines: 1\n# \"X\" \"Y\" \"Z\""
                );
                for axis in ['x', 'y', 'z'] {
                    let _ = write!(text, " \"Re({letter}{axis})\" \"Im({letter}{axis})\"");
                }
                text.push('\n');
                for (point, values) in rows.by_ref().take(x * y * z) {
                    let parts = values[first..first + 3].iter().flat_map(|value| [value.re, value.im]);
                    for number in point.position.into_iter().chain(parts) {
                        let _ = write!(text, " {number:17.9E}");
                    }
                    text.push('\n');
                }
            }
        }
        (name, text, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 1 x 2 x 3 points at two frequencies: 22 rows in 6 blocks for each.
    #[test]
    fn exports_have_a_block_for_each_side() {
        let text = "{ \"from\": [0, 0, 0], \"to\": [1, 1, 1], \"points\": [1, 2, 3] }";
        let sides: NearBox = serde_json::from_str(text).unwrap();
        let point =
            |i: usize| SurfacePoint { position: [i as f64, -0.5, 0.0], normal: [1.0, 0.0, 0.0], area: 1.0 };
        let fields = |f: usize| {
            (0..22)
                .map(|i| [0, 1, 2, 3, 4, 5].map(|c| Complex64::new((100 * f + i) as f64, f64::from(c))))
                .collect()
        };
        let found = Found {
            frequencies: vec![1e9, 2e9],
            points: (0..22).map(point).collect(),
            fields: (0..2).map(fields).collect(),
        };
        let (name, text, _) = found.file(NearFieldExport::Hfe, &sides);
        assert_eq!(name, "near_field.hfe");
        let blocks: Vec<&str> = text.split("\n\n").skip(1).collect();
        assert_eq!(blocks.len(), 12);
        // The second side, ymin, has one row along x and three along z; six of xmin are before it.
        let lines: Vec<&str> = blocks[7].lines().collect();
        assert_eq!(
            lines[..7],
            [
                "#Request Name: ymin",
                "#Frequency: 2.00000000E9",
                "#Coordinate System: Cartesian",
                "#No. of X Samples: 1",
                "#No. of Y Samples: 1",
                "#No. of Z Samples: 3",
                "#Result Type: Magnetic Field Values",
            ]
        );
        assert!(lines[8].ends_with("\"Re(Hz)\" \"Im(Hz)\""), "{}", lines[8]);
        let numbers: Vec<f64> = lines[9].split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(numbers, [6.0, -0.5, 0.0, 106.0, 3.0, 106.0, 4.0, 106.0, 5.0]);
        assert_eq!(lines.len(), 12);
    }
}
