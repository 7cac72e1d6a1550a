//! Curved surfaces: facets finer than the mesh where the surface that they stand for curves, and how far facets are from it.

use crate::problem::{Problem, Surface};
use glam::DVec3;
use phasefront_core::constants::C0;
use phasefront_mesh::{Edges, Refined, TriangleMesh};

/// Sagitta of interpolated facets in wavelengths: the path there and back is off by 3.6 degrees of phase at most. Chosen by the
/// bodies of tests/physics/curvature.rs: their echoes are then within 0.3 dB of those of the smooth surface.
const SAGITTA: f64 = 1.0 / 200.0;
/// Most facets that interpolation may lead to; a mesh that would have more gets coarser ones.
const MAX_FACETS: usize = 2_000_000;
/// Part of the area on which a surface may be worse than it is said to be: a tip or a fillet does not condemn a body.
const EXCEPTED_SHARE: f64 = 0.05;
/// Sagitta of flat surfaces relative to the size, that of coordinates in single precision.
const FLAT: f64 = 1e-7;

/// What interpolation did to a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interpolation {
    /// Triangles of the mesh that stand for a curved surface and were divided.
    pub divided: usize,
    /// Their share of the area.
    pub area_share: f64,
    /// How far the surface may be from where it was drawn, m; more on one twentieth of the area only.
    pub uncertainty: f64,
}

/// Divides the facets of curved surfaces, if the problem asks for it; nothing if there are none.
pub(crate) fn interpolate(problem: &mut Problem) -> Option<Interpolation> {
    if problem.surface == Surface::Facets {
        return None;
    }
    let mut sagitta = SAGITTA * C0 / problem.highest_frequency();
    let refined = loop {
        let most = MAX_FACETS.max(problem.mesh.triangles.len());
        match problem.mesh.refined(sagitta, problem.edge_angle, most) {
            Some(refined) => break refined,
            // A quarter of the facets.
            None => sagitta *= 4.0,
        }
    };
    let Refined { mesh, divided, divided_share, uncertainty } = refined;
    if divided == 0 {
        return None;
    }
    let uncertainty = exceeded_on_little_area(&problem.mesh, &uncertainty);
    problem.mesh = mesh;
    Some(Interpolation { divided, area_share: divided_share, uncertainty })
}

/// Sagitta of the facets of curved surfaces, m; more on one twentieth of the area only. `None` where no facets meet at an angle below that
/// of an edge.
///
/// Facets of width h on a surface of radius R meet at angles of h/R and leave it by h²/8R: s = h δ/8, with the height of a triangle
/// over the edge for its width.
pub(crate) fn sagitta(problem: &Problem) -> Option<f64> {
    let mesh = &problem.mesh;
    let normals: Vec<DVec3> =
        (0..mesh.triangles.len()).map(|t| DVec3::from(mesh.area_vector(t)).normalize_or_zero()).collect();
    let mut sagittas = vec![0.0; mesh.triangles.len()];
    for edge in Edges::of(mesh).iter() {
        let &[a, b] = edge.halves else { continue };
        let (a, b) = (a as usize / 3, b as usize / 3);
        // The normals of triangles that are wound against each other point away from each other.
        let angle = normals[a].cross(normals[b]).length().atan2(normals[a].dot(normals[b]));
        if angle >= problem.edge_angle {
            continue;
        }
        let [from, to] = edge.vertices.map(|i| DVec3::from(mesh.vertices[i as usize]));
        for t in [a, b] {
            let height = 2.0 * DVec3::from(mesh.area_vector(t)).length() / (to - from).length();
            sagittas[t] = f64::max(sagittas[t], height * angle / 8.0);
        }
    }
    // Flat faces meet at angles of rounding.
    Some(exceeded_on_little_area(mesh, &sagittas)).filter(|&sagitta| sagitta > FLAT * mesh.diagonal())
}

/// The least value that is exceeded on `EXCEPTED_SHARE` of the area at most.
fn exceeded_on_little_area(mesh: &TriangleMesh, values: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let mut left = EXCEPTED_SHARE * mesh.area();
    let found = order.into_iter().find(|&t| {
        left -= DVec3::from(mesh.area_vector(t)).length();
        left < 0.0
    });
    found.map_or(0.0, |t| values[t])
}
