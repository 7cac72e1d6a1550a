//! Solids and sheets of a case as a drawing for the mesher, with element sizes from wavelength, material and order.

use phasefront_case::model::Point;
use phasefront_case::model::dgtd::{DgtdCase, Material, SheetShape as CaseSheet, Solid};
use phasefront_core::constants::C0;
use phasefront_mesh::drawing::{Drawing, DrawnSheet, DrawnSolid, SheetShape, SolidShape, Space};

/// Nodes of an element's edge per wavelength: elements of order p have p nodes along an edge.
const NODES_PER_WAVELENGTH: f64 = 10.0;
/// Largest element size in wavelengths: high orders resolve longer edges, but not the geometry.
const MAX_WAVELENGTHS: f64 = 0.5;
/// Elements across a PML.
const ACROSS_PML: f64 = 3.0;
/// Thickness of a PML at least, in wavelengths of the lowest frequency.
const PML_WAVELENGTHS: f64 = 0.15;
/// Elements across a conductor at its edges, where fields are singular.
const ACROSS_CONDUCTOR: f64 = 4.0;

/// The drawing of a case with solids and sheets, whose highest frequency is this.
pub(super) fn drawing(case: &DgtdCase, highest: f64) -> Drawing {
    let geometry = &case.geometry;
    let order = f64::from(case.solve.order);
    let shortest = C0 / highest;
    let size_at = |wavelength: f64| wavelength * (order / NODES_PER_WAVELENGTH).min(MAX_WAVELENGTHS);
    let cell_size = size_at(shortest);
    let lowest = case.source.frequencies().into_iter().filter(|f| *f > 0.0).fold(highest, f64::min);
    let longest = C0 / lowest;
    let space = geometry
        .space
        .unwrap_or_default()
        .si(longest)
        .map(|air| Space { air, pml: (ACROSS_PML * cell_size).max(PML_WAVELENGTHS * longest) });
    let solids = geometry.solids.iter().map(|solid| {
        let (name, shape) = (solid.name().to_owned(), solid_shape(solid));
        let in_material =
            geometry.materials.get(&name).map_or(cell_size, |m| size_at(shortest * slowness(m).recip()));
        let edge_size =
            solid.edge_size().map_or(shape.width() / ACROSS_CONDUCTOR, phasefront_core::Quantity::si);
        DrawnSolid {
            is_body: geometry.boundaries.contains_key(&name) && !geometry.materials.contains_key(&name),
            name,
            shape,
            cell_size: solid.cell_size().map_or(in_material, |size| size.si().min(in_material)),
            edge_size,
        }
    });
    let sheets = geometry.sheets.iter().map(|sheet| {
        let shape = sheet_shape(sheet);
        // Ports are not conductors: what they connect has its own edges.
        let width =
            if geometry.boundaries.contains_key(sheet.name()) { shape.width() } else { f64::INFINITY };
        let edge_size = sheet.edge_size().map_or(width / ACROSS_CONDUCTOR, phasefront_core::Quantity::si);
        DrawnSheet { name: sheet.name().to_owned(), shape, edge_size }
    });
    Drawing { solids: solids.collect(), sheets: sheets.collect(), space, cell_size }
}

/// Refractive index of a material, with the permittivity of its poles at low frequencies: no wave in it is shorter.
fn slowness(material: &Material) -> f64 {
    let debye: f64 = material.debye.iter().map(|pole| pole.delta_eps).sum();
    let lorentz: f64 = material.lorentz.iter().map(|pole| pole.delta_eps).sum();
    ((material.eps_r + debye + lorentz) * material.mu_r).sqrt().max(1.0)
}

fn solid_shape(solid: &Solid) -> SolidShape {
    match solid {
        Solid::Box(s) => SolidShape::Box { from: s.from.si(), to: s.to.si() },
        Solid::Cylinder(s) => SolidShape::Cone { ends: [s.from.si(), s.to.si()], radii: [s.radius.si(); 2] },
        Solid::Cone(s) => SolidShape::Cone { ends: [s.from.si(), s.to.si()], radii: s.radii.si() },
        Solid::Sphere(s) => SolidShape::Sphere { center: s.center.si(), radius: s.radius.si() },
        Solid::Torus(s) => {
            SolidShape::Torus { center: s.center.si(), radius: s.radius.si(), tube: s.tube_radius.si() }
        }
        Solid::Wire(s) => SolidShape::Wire {
            points: s.points.iter().copied().map(Point::si).collect(),
            radius: s.radius.si(),
        },
        Solid::Extrusion(s) => {
            SolidShape::Extrusion { outline: s.outline.iter().map(|pair| pair.si()).collect(), z: s.z.si() }
        }
    }
}

fn sheet_shape(sheet: &CaseSheet) -> SheetShape {
    match sheet {
        CaseSheet::Rectangle(s) => SheetShape::rectangle(s.from.si(), s.to.si()),
        CaseSheet::Disk(s) => {
            SheetShape::Disk { center: s.center.si(), radius: s.radius.si(), axis: s.axis.index() }
        }
        CaseSheet::Polygon(s) => {
            SheetShape::Polygon { corners: s.points.iter().copied().map(Point::si).collect() }
        }
    }
}
