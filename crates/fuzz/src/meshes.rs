//! Meshes and outlines: what is read can be repaired, cut and measured.

use phasefront_mesh::{
    GmshMesh, MeshFormat, Outline, SMOOTH_ANGLE, Units, WELD_TOLERANCE, csv_points, gmsh_outlines, gmsh_tets,
    mfem_mesh, read_triangles, repair, spline, svg_outlines, wedges,
};

/// A surface that was read can be repaired, or has no area.
fn surface(bytes: &[u8], format: MeshFormat) {
    let import = match read_triangles(bytes, format, Units::Millimeters) {
        Ok(import) => import,
        Err(error) => {
            let _ = format!("{error} {}", error.advice());
            return;
        }
    };
    crate::accept();
    if let Ok(repaired) = repair(import.mesh, WELD_TOLERANCE) {
        let report = &repaired.report;
        assert!(report.area > 0.0 && report.area.is_finite(), "an area of {}", report.area);
        assert!(report.closed_shells <= report.shells, "more closed shells than shells");
        for wedge in wedges(&repaired.mesh, SMOOTH_ANGLE) {
            assert!((0.0..=7.0).contains(&wedge.exterior), "a wedge of {} rad", wedge.exterior);
        }
    }
}

pub(crate) fn stl(bytes: &[u8]) {
    surface(bytes, MeshFormat::Stl);
}

pub(crate) fn obj(bytes: &[u8]) {
    surface(bytes, MeshFormat::Obj);
}

pub(crate) fn ply(bytes: &[u8]) {
    surface(bytes, MeshFormat::Ply);
}

pub(crate) fn unv(bytes: &[u8]) {
    surface(bytes, MeshFormat::Unv);
}

pub(crate) fn inp(bytes: &[u8]) {
    surface(bytes, MeshFormat::Abaqus);
}

pub(crate) fn gltf(bytes: &[u8]) {
    surface(bytes, MeshFormat::Gltf);
}

pub(crate) fn gmsh_surface(bytes: &[u8]) {
    surface(bytes, MeshFormat::Gmsh);
}

/// What every outline must keep, however strange its file.
fn check(outlines: &[Outline]) {
    if !outlines.is_empty() {
        crate::accept();
    }
    for outline in outlines {
        assert_eq!(outline.corners.len(), outline.segments.len(), "corners and segments");
        assert!(outline.length() > 0.0 && outline.signed_area().is_finite(), "{outline:?}");
        let moved = outline.clone().counter_clockwise().moved([1.0, -2.0], 0.3, 1e-3);
        assert!(moved.length().is_finite(), "{moved:?}");
        for segment in &outline.segments {
            for t in [0.0, 0.3, 1.0] {
                let [x, y] = segment.derivative(t);
                assert!(x.hypot(y) > 0.0, "{segment:?} {t}");
            }
        }
    }
}

pub(crate) fn gmsh_outline(bytes: &[u8]) {
    let Ok(mesh) = GmshMesh::parse(bytes) else { return };
    for flat in [false, true] {
        check(&gmsh_outlines(&mesh, None, flat).unwrap_or_default());
    }
    for group in mesh.groups.iter().take(3) {
        check(&gmsh_outlines(&mesh, Some(&group.name), false).unwrap_or_default());
    }
}

pub(crate) fn gmsh_volume(bytes: &[u8]) {
    let Ok(mesh) = GmshMesh::parse(bytes) else { return };
    volume(&mesh);
}

pub(crate) fn mfem(bytes: &[u8]) {
    let Ok(mesh) = mfem_mesh(bytes) else { return };
    volume(&mesh);
}

/// Tetrahedra that were read have a volume; if they conform, faces are matched in pairs.
fn volume(mesh: &GmshMesh) {
    let Ok(import) = gmsh_tets(mesh, Units::Millimeters) else { return };
    crate::accept();
    let mesh = import.mesh.reordered();
    let Ok(mut faces) = mesh.faces() else { return };
    assert!((0..mesh.tets.len()).all(|t| mesh.volume(t) > 0.0), "a tetrahedron without volume");
    assert_eq!((4 * mesh.tets.len() - faces.boundary().count()) % 2, 0, "faces without a partner");
    for axis in 0..3 {
        let _ = faces.join_periodic(&mesh, axis, axis + 1);
    }
}

pub(crate) fn svg(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    check(&svg_outlines(&text, None).unwrap_or_default());
    check(&svg_outlines(&text, Some("a")).unwrap_or_default());
}

/// A table of points, as an open and as a closed outline.
pub(crate) fn points(bytes: &[u8]) {
    let Ok((points, corners)) = csv_points(&String::from_utf8_lossy(bytes)) else { return };
    for closed in [false, true] {
        if let Ok(outline) = spline(&points, &corners, closed) {
            check(&[outline]);
        }
    }
}
