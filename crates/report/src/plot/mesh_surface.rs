//! The surfaces of a mesh, compact: what the page turns.

use super::serial;
use serde::Serialize;
use std::collections::HashMap;

/// Bits of a coordinate, from fine to coarse: 16, or as many as keep the number of triangles.
const BITS: [u32; 8] = [16, 10, 9, 8, 7, 6, 5, 4];
/// Most triangles, each about 30 bytes of `plots.json`; a browser turns so many without a graphics card.
const MOST_TRIANGLES: usize = 40_000;

/// A group of a mesh: the outside of a volume, or a surface.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeshPart {
    /// Its name.
    pub name: String,
    /// What it is, in words: `conductor`, `material`. One of the kind [`VACUUM`](Self::VACUUM) is gray.
    pub kind: String,
    /// Whether it is shown at first; what is around the model would hide it.
    pub shown: bool,
    /// Corners of its triangles.
    #[serde(serialize_with = "serial::flat")]
    pub triangles: Vec<[u32; 3]>,
    /// The shape of the worse element at each, in percent of the best.
    pub quality: Vec<u8>,
}

impl MeshPart {
    /// The kind of volumes without a material.
    pub const VACUUM: &'static str = "vacuum";
}

/// The surfaces of a mesh, with positions on a grid.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeshSurface {
    /// Position of the first point of the grid, m.
    pub origin: [f64; 3],
    /// Spacing of the grid, m.
    pub spacing: f64,
    /// Whether corners of triangles were merged, for their number.
    pub coarse: bool,
    /// Positions on the grid.
    #[serde(serialize_with = "serial::flat")]
    pub vertices: Vec<[u16; 3]>,
    /// The groups; those without triangles keep the colors of the others.
    pub parts: Vec<MeshPart>,
}

impl MeshSurface {
    /// The surfaces of `parts`, whose corners are indices into `nodes`, m.
    ///
    /// ```
    /// use phasefront_report::plot::{MeshSurface, MeshPart};
    /// let nodes = [[0.0; 3], [9.0; 3], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]];
    /// let part = MeshPart { name: "patch".into(), triangles: vec![[0, 2, 3]], quality: vec![70], ..MeshPart::default() };
    /// let surface = MeshSurface::new(&nodes, &[part]);
    /// assert_eq!(surface.vertices[2], [32768, 65535, 0]);
    /// assert_eq!(surface.parts[0].triangles, [[0, 1, 2]]);
    /// ```
    pub fn new(nodes: &[[f64; 3]], parts: &[MeshPart]) -> Self {
        let on_grid = |bits: &u32| Self::on_grid(nodes, parts, *bits);
        let fits = |surface: &Self| {
            surface.parts.iter().map(|part| part.triangles.len()).sum::<usize>() <= MOST_TRIANGLES
        };
        BITS.iter().map(on_grid).find(fits).unwrap_or_default()
    }

    fn on_grid(nodes: &[[f64; 3]], parts: &[MeshPart], bits: u32) -> Self {
        let corners = parts.iter().flat_map(|part| part.triangles.iter().flatten());
        let used = corners.map(|&corner| nodes[corner as usize]);
        let (low, high) = used.fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(low, high), node| {
            let with = |ends: [f64; 3], pick: fn(f64, f64) -> f64| [0, 1, 2].map(|k| pick(ends[k], node[k]));
            (with(low, f64::min), with(high, f64::max))
        });
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        // A surface without extent still has a spacing.
        let spacing = if longest > 0.0 { longest } else { 1.0 } / f64::from((1_u32 << bits) - 1);
        let place = |node: [f64; 3]| [0, 1, 2].map(|k| ((node[k] - low[k]) / spacing).round() as u16);
        let mut surface = Self {
            origin: low.map(|x| if x.is_finite() { x } else { 0.0 }),
            spacing,
            coarse: bits < BITS[0],
            ..Self::default()
        };
        let mut numbers: HashMap<[u16; 3], u32> = HashMap::new();
        for part in parts {
            let mut kept = MeshPart { triangles: Vec::new(), quality: Vec::new(), ..part.clone() };
            let mut known: HashMap<[u32; 3], usize> = HashMap::new();
            for (triangle, &quality) in part.triangles.iter().zip(&part.quality) {
                let corners = triangle.map(|corner| {
                    let at = place(nodes[corner as usize]);
                    *numbers.entry(at).or_insert_with(|| {
                        surface.vertices.push(at);
                        surface.vertices.len() as u32 - 1
                    })
                });
                let mut key = corners;
                key.sort_unstable();
                if key[0] == key[1] || key[1] == key[2] {
                    continue;
                }
                let number = *known.entry(key).or_insert(kept.triangles.len());
                if number == kept.triangles.len() {
                    kept.triangles.push(corners);
                    kept.quality.push(quality);
                }
                kept.quality[number] = kept.quality[number].min(quality);
            }
            surface.parts.push(kept);
        }
        surface
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of so many cells along each side, each of two triangles.
    fn square(side: u32) -> (Vec<[f64; 3]>, MeshPart) {
        let nodes = 0..(side + 1) * (side + 1);
        let place = |i: u32| [f64::from(i % (side + 1)) - 3.0, f64::from(i / (side + 1)), 5.0];
        let cells = (0..side * side).map(|cell| cell % side + (side + 1) * (cell / side));
        let triangles: Vec<[u32; 3]> =
            cells.flat_map(|i| [[i, i + 1, i + side + 2], [i, i + side + 2, i + side + 1]]).collect();
        let quality = vec![90; triangles.len()];
        (
            nodes.map(place).collect(),
            MeshPart { name: "square".into(), triangles, quality, ..MeshPart::default() },
        )
    }

    #[test]
    fn positions_are_kept_to_a_part_in_65535() {
        let (nodes, part) = square(100);
        let surface = MeshSurface::new(&nodes, std::slice::from_ref(&part));
        assert_eq!(
            (surface.parts[0].triangles.len(), surface.vertices.len(), surface.coarse),
            (20_000, 101 * 101, false)
        );
        for (kept, given) in surface.parts[0].triangles.iter().flatten().zip(part.triangles.iter().flatten())
        {
            let (at, node) = (surface.vertices[*kept as usize], nodes[*given as usize]);
            let off = |k: usize| (surface.origin[k] + surface.spacing * f64::from(at[k]) - node[k]).abs();
            assert!((0..3).all(|k| off(k) <= 0.5001 * 100.0 / 65535.0), "{at:?} {node:?}");
        }
    }

    #[test]
    fn a_large_skin_is_merged_and_says_so() {
        let (nodes, part) = square(400);
        let surface = MeshSurface::new(&nodes, &[part]);
        let kept = &surface.parts[0];
        assert!(surface.coarse && kept.triangles.len() <= MOST_TRIANGLES, "{}", kept.triangles.len());
        assert!(kept.triangles.len() > MOST_TRIANGLES / 8, "{}", kept.triangles.len());
        let area: i64 = kept
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|i| surface.vertices[i as usize].map(i64::from));
                (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            })
            .sum();
        let side = surface.vertices.iter().map(|at| i64::from(at[0])).max().unwrap();
        assert_eq!(area, 2 * side * side, "no hole and no fold");
        let bytes = serde_json::to_string(&surface).unwrap().len();
        assert!(bytes < 32 * kept.triangles.len(), "{bytes}");
    }

    #[test]
    fn merged_triangles_have_the_worst_quality() {
        let nodes = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1e-9]];
        let part = MeshPart {
            triangles: vec![[0, 1, 2], [1, 0, 3], [0, 2, 3]],
            quality: vec![50, 4, 9],
            ..MeshPart::default()
        };
        let surface = MeshSurface::new(&nodes, &[part]);
        assert_eq!(
            (&surface.parts[0].triangles[..], &surface.parts[0].quality[..]),
            (&[[0, 1, 2]][..], &[4][..])
        );
        assert_eq!(MeshSurface::new(&nodes, &[]).vertices.len(), 0);
    }
}
