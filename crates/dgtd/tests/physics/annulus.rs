//! The annular space between coaxial conductors, in second-order elements: a box deformed until its ends meet.

use crate::deformed::deformed;
use phasefront_mesh::{BoxMesh, BoxSheet, TetMesh};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Around the z-axis up to z = `length`, with cells along ρ, φ and z. The conductors are the surfaces `inner` and `outer`, the ends
/// `zmin` and `zmax`; `middle` is halfway.
pub fn annulus([inner, outer]: [f64; 2], length: f64, cells: [usize; 3]) -> TetMesh {
    let (from, to, half) = ([inner, 0.0, 0.0], [outer, TAU, length], 0.5 * length);
    let cell = std::array::from_fn(|axis| (to[axis] - from[axis]) / cells[axis] as f64);
    let middle = BoxSheet { name: "middle".into(), from: [inner, 0.0, half], to: [outer, TAU, half] };
    let mesh = BoxMesh { from, to, cell, name: "air".into(), regions: Vec::new(), sheets: vec![middle] };
    let mut mesh = deformed(mesh.mesh().unwrap(), |[rho, phi, z]| {
        // Bitwise the same where the ends meet.
        let (sin, cos) = if phi > TAU - 1e-9 { (0.0, 1.0) } else { phi.sin_cos() };
        [rho * cos, rho * sin, z]
    });
    close(&mut mesh);
    for (name, new) in [("xmin", "inner"), ("xmax", "outer")] {
        mesh.surface_names.iter_mut().filter(|known| *known == name).for_each(|known| *known = new.into());
    }
    mesh
}

/// Merges coincident nodes; the ends across φ are no longer surfaces.
fn close(mesh: &mut TetMesh) {
    let ends = ["ymin", "ymax"].map(|name| mesh.surface(name).unwrap());
    let kept: Vec<usize> =
        (0..mesh.triangles.len()).filter(|&i| !ends.contains(&mesh.surface_of[i])).collect();
    mesh.triangles = kept.iter().map(|&i| mesh.triangles[i]).collect();
    mesh.triangle_middles = kept.iter().map(|&i| mesh.triangle_middles[i]).collect();
    mesh.surface_of = kept.iter().map(|&i| mesh.surface_of[i]).collect();
    let mut nodes = Vec::new();
    let mut known = HashMap::new();
    let mut number = |node: [f64; 3]| {
        *known.entry(node.map(f64::to_bits)).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    };
    let new: Vec<u32> = mesh.nodes.iter().map(|node| number(*node)).collect();
    mesh.nodes = nodes;
    let renumber = |i: &mut u32| *i = new[*i as usize];
    mesh.tets.iter_mut().flatten().for_each(renumber);
    mesh.middles.iter_mut().flatten().for_each(renumber);
    mesh.triangles.iter_mut().flatten().for_each(renumber);
    mesh.triangle_middles.iter_mut().flatten().for_each(renumber);
}
