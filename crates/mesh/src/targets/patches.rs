//! Common parts of all targets: checks of sizes, patches of triangles, and welding.

use crate::error::MeshError;
use crate::read::soup::DEFAULT_GROUP;
use crate::triangle::TriangleMesh;
use crate::triangle::weld::weld;

/// Upper limit of the number of triangles of a target.
const MAX_TRIANGLES: usize = 100_000_000;

/// Refuses sizes that are not positive, zero cells, and too many `triangles`.
pub(super) fn check(sizes: &[f64], cells: &[usize], triangles: Option<usize>) -> Result<(), MeshError> {
    if let Some(size) = sizes.iter().find(|size| !(size.is_finite() && **size > 0.0)) {
        return Err(MeshError::geometry(format!("{size} m is not a size"), "give sizes above zero"));
    }
    if cells.contains(&0) {
        return Err(MeshError::geometry(
            "a target with zero cells",
            "give at least one cell in each direction",
        ));
    }
    match triangles {
        Some(0..=MAX_TRIANGLES) => Ok(()),
        _ => {
            Err(MeshError::geometry("a target of more than 100 million triangles", "cut it into fewer cells"))
        }
    }
}

/// The product of numbers; none on overflow.
pub(super) fn product(factors: &[usize]) -> Option<usize> {
    factors.iter().try_fold(1_usize, |product, &factor| product.checked_mul(factor))
}

pub(super) fn body(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> TriangleMesh {
    let groups = vec![0; triangles.len()];
    TriangleMesh { vertices, triangles, groups, group_names: vec![DEFAULT_GROUP.into()] }
}

/// Patches made one by one, welded where their vertices differ by rounding only.
pub(super) fn joined(patches: impl IntoIterator<Item = TriangleMesh>) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for patch in patches {
        all.append(&patch);
    }
    // Far above rounding and far below the size of a cell.
    let target = weld(&all.vertices, all.bounds()[0], 1e-12 * all.diagonal());
    let mut kept = Vec::new();
    let mut number = vec![0; all.vertices.len()];
    for (i, &target) in target.iter().enumerate() {
        // Targets precede the vertices welded to them, so that their number is known.
        if target as usize == i {
            number[i] = kept.len() as u32;
            kept.push(all.vertices[i]);
        } else {
            number[i] = number[target as usize];
        }
    }
    for corner in all.triangles.as_flattened_mut() {
        *corner = number[*corner as usize];
    }
    TriangleMesh { vertices: kept, ..all }
}
