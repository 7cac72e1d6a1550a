//! Array and mesh files of an sbr run.

use super::imaging::Images;
use super::polarization::POLARIZATIONS;
use num_complex::Complex64;
use phasefront_mesh::TriangleMesh;
use phasefront_report::{Array, ArrayFile, Surface};
use phasefront_sbr::{HotSpots, dbsm};

/// `isar.npz`: complex images and their axes.
pub(super) fn isar(images: &Images) -> ArrayFile {
    let (rows, cols) = (images.down_range.len(), images.cross_range.len());
    let mut file = ArrayFile::new("isar")
        .with("down_range_m", Array::Real1(images.down_range.clone()))
        .with("cross_range_m", Array::Real1(images.cross_range.clone()));
    for ((name, _), values) in POLARIZATIONS.into_iter().zip(&images.amplitudes) {
        file = file.with(format!("{name}_m"), Array::Complex2 { rows, cols, values: values.clone() });
    }
    file
}

/// `hotspots.vtu`: the cross section radiated from each triangle in each polarization, and in VV by number of bounces.
pub(super) fn hot_spots(mesh: &TriangleMesh, found: &HotSpots) -> Surface {
    let mut values = Vec::new();
    for (name, pick) in POLARIZATIONS {
        let sum = |t: usize| found.by_bounce.iter().map(|spots| pick(&spots[t])).sum::<Complex64>();
        values.push((format!("{name}_dbsm"), (0..mesh.triangles.len()).map(|t| dbsm(sum(t))).collect()));
    }
    for (i, spots) in found.by_bounce.iter().enumerate() {
        let name = format!("vv_after_{}_dbsm", i + 1);
        values.push((name, spots.iter().map(|spot| dbsm(spot.vv)).collect()));
    }
    Surface {
        name: "hotspots".into(),
        vertices: mesh.vertices.clone().into(),
        triangles: mesh.triangles.clone().into(),
        values,
        ..Surface::default()
    }
}
