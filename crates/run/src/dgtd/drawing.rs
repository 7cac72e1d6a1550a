//! Solids and sheets of a case as a drawing for the mesher, with element sizes.

use super::cad::Imported;
use super::materials;
use crate::input::InputFolder;
use phasefront_case::model::Point;
use phasefront_case::model::dgtd::{DgtdCase, Refinement as CaseRefinement, SheetShape as CaseSheet, Solid};
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, Length};
use phasefront_dgtd::ElementSizes;
use phasefront_mesh::drawing::{
    Drawing, DrawnSheet, DrawnSolid, Feature, Planes, Refinement, Region, SheetShape, SolidShape, Space,
};

/// A drawing, with the keys of the case that its parts are from.
pub(super) struct Drawn {
    pub drawing: Drawing,
    /// Of each solid.
    pub solids: Vec<String>,
    /// Of each sheet.
    pub sheets: Vec<String>,
}

impl Drawn {
    /// Leaves out what the case draws beyond a plane if other parts of its name are before it; refuses names of which nothing is left.
    fn cut_by_planes(&mut self) -> Result<(), FieldError> {
        let drawing = &self.drawing;
        let beyond = |bounds| drawing.plane_before(bounds);
        let solids: Vec<_> = drawing.solids.iter().map(|solid| beyond(solid.shape.bounds())).collect();
        let sheets: Vec<_> = drawing.sheets.iter().map(|sheet| beyond(sheet.shape.bounds())).collect();
        let solid = |i: usize| (drawing.solids[i].name.as_str(), &self.solids[i], solids[i]);
        let sheet = |i: usize| (drawing.sheets[i].name.as_str(), &self.sheets[i], sheets[i]);
        let parts = || (0..solids.len()).map(solid).chain((0..sheets.len()).map(sheet));
        for (name, path, plane) in parts() {
            let Some(plane) = plane else { continue };
            let others = parts().any(|(other, _, plane)| other == name && plane.is_none());
            // Parts of CAD files are made with the file.
            if !others || path.starts_with("geometry.cad") {
                return Err(FieldError::new(
                    &**path,
                    format!("\"{name}\" lies beyond the plane \"{plane}\", where the model ends"),
                    format!("remove it, or move the plane with `planes = {{ {plane} = ... }}`"),
                ));
            }
        }
        retain(&mut self.drawing.solids, &solids);
        retain(&mut self.solids, &solids);
        retain(&mut self.drawing.sheets, &sheets);
        retain(&mut self.sheets, &sheets);
        Ok(())
    }

    /// The key of the case that asks for elements of a size, and what it is.
    pub(super) fn feature(&self, feature: Feature) -> (String, String) {
        let drawing = &self.drawing;
        match feature {
            Feature::Model => ("source.frequency".into(), "the wavelength at the highest frequency".into()),
            Feature::Solid(i) => (self.solids[i].clone(), format!("\"{}\"", drawing.solids[i].name)),
            Feature::SolidEdges(i) => {
                (self.solids[i].clone(), format!("the edges of \"{}\"", drawing.solids[i].name))
            }
            Feature::SheetEdges(i) => {
                (self.sheets[i].clone(), format!("the edge of \"{}\"", drawing.sheets[i].name))
            }
            Feature::Wire(i) => (format!("geometry.thin_wires[{i}]"), "the thin wire".into()),
            Feature::Refinement(i) => (format!("geometry.refine[{i}]"), "this refinement".into()),
            Feature::View(i) => {
                ("solve.accuracy".into(), format!("what pass {} has found too coarse", i + 1))
            }
            Feature::Gap(i) => {
                let gap = &drawing.gaps()[i];
                let [a, b] = &gap.between;
                let width = gap.width();
                ("geometry".into(), format!("the gap of {width:.1e} m between \"{a}\" and \"{b}\""))
            }
        }
    }
}

/// The drawing of a case whose highest frequency is this, with the parts of its CAD files.
pub(super) fn drawing(
    case: &DgtdCase,
    highest: f64,
    imported: Imported,
    folder: &InputFolder,
) -> Result<Drawn, FieldError> {
    let geometry = &case.geometry;
    let (materials, _) = materials::all(case, highest, folder)?;
    let lowest = case.source.frequencies().into_iter().filter(|f| *f > 0.0).fold(highest, f64::min);
    let sizes =
        ElementSizes::new([lowest, highest], case.solve.order as usize, case.solve.accuracy.is_some());
    let space = geometry.space.unwrap_or_default().meters(C0 / lowest);
    let space = space.map(|air| Space { air, pml: sizes.pml_thickness() });
    let solid = |name: String, shape: SolidShape, cell: Option<Length>, edge: Option<Length>| {
        let given = materials.iter().find(|(known, _)| *known == name);
        let in_material = given.map_or(sizes.in_vacuum(), |(_, given)| sizes.in_material(given));
        DrawnSolid {
            is_body: geometry.boundaries.contains_key(&name) && !geometry.materials.contains_key(&name),
            name,
            cell_size: cell.map_or(in_material, |size| size.si().min(in_material)),
            edge_size: edge.map_or_else(|| sizes.at_edges(shape.width()), Length::si),
            shape,
        }
    };
    let (mut solids, mut paths) = (Vec::new(), Vec::new());
    let Imported { files, bodies, sheets: cad_sheets, .. } = imported;
    for body in bodies {
        let cad = &geometry.cad.0[body.cad];
        solids.push(solid(body.name, SolidShape::Cad(body.part), cad.cell_size, cad.edge_size));
        paths.push(format!("geometry.cad[{}]", body.cad));
    }
    for (i, drawn) in geometry.solids.iter().enumerate() {
        let (cell, edge) = (drawn.cell_size(), drawn.edge_size());
        solids.push(solid(drawn.name().to_owned(), solid_shape(drawn), cell, edge));
        paths.push(format!("geometry.solids[{i}]"));
    }
    let sheet = |name: String, shape: SheetShape, edge: Option<Length>| {
        let is_conductor = geometry.boundaries.contains_key(&name);
        // Ports are not conductors: what they connect has its own edges.
        let automatic = if is_conductor { sizes.at_edges(shape.width()) } else { f64::INFINITY };
        DrawnSheet { name, shape, is_conductor, edge_size: edge.map_or(automatic, Length::si) }
    };
    let (mut sheets, mut sheet_paths) = (Vec::new(), Vec::new());
    for found in cad_sheets {
        let edge = geometry.cad.0[found.cad].edge_size;
        sheets.push(sheet(found.name, SheetShape::Cad(found.part), edge));
        sheet_paths.push(format!("geometry.cad[{}]", found.cad));
    }
    for (i, drawn) in geometry.sheets.iter().enumerate() {
        sheets.push(sheet(drawn.name().to_owned(), sheet_shape(drawn), drawn.edge_size()));
        sheet_paths.push(format!("geometry.sheets[{i}]"));
    }
    let mut drawing = Drawing {
        files,
        solids,
        sheets,
        wires: geometry.thin_wires.iter().map(|wire| wire.points.iter().map(|p| p.si()).collect()).collect(),
        wire_size: sizes.at_thin_wires(),
        space,
        planes: Planes(
            geometry.planes.sides().map(|ends| ends.map(|(_, position)| position.map(Length::si))),
        ),
        cell_size: sizes.in_vacuum(),
        across_gaps: sizes.across_gaps(),
        refinements: Vec::new(),
        views: Vec::new(),
    };
    if drawing.space.is_none() && drawing.solids.is_empty() {
        return Err(FieldError::new(
            "geometry.space",
            "a closed model needs a solid: sheets have no volume",
            "add the solid in which waves propagate, or remove `space`",
        ));
    }
    for (i, refinement) in geometry.refine.iter().enumerate() {
        refine(&mut drawing, refinement, i)?;
    }
    let mut drawn = Drawn { drawing, solids: paths, sheets: sheet_paths };
    drawn.cut_by_planes()?;
    Ok(drawn)
}

/// Leaves out the parts that are beyond a plane.
fn retain<T>(parts: &mut Vec<T>, beyond: &[Option<&str>]) {
    let mut beyond = beyond.iter();
    parts.retain(|_| beyond.next().is_none_or(Option::is_none));
}

/// Applies a size of the user's to a drawing.
fn refine(drawing: &mut Drawing, refinement: &CaseRefinement, index: usize) -> Result<(), FieldError> {
    let size = refinement.cell_size().si();
    let missing = |name: &str, what: &str, drawing: &Drawing| {
        let solids = drawing.solids.iter().map(|solid| &solid.name);
        let mut names: Vec<_> = solids.chain(drawing.sheets.iter().map(|sheet| &sheet.name)).collect();
        names.sort();
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        Err(FieldError::new(
            format!("geometry.refine[{index}].name"),
            format!("there is no {what} \"{name}\""),
            format!("the names are {}", names.join(", ")),
        ))
    };
    match refinement {
        CaseRefinement::Box(r) => {
            let region = Region::Box([r.from.si(), r.to.si()]);
            drawing.refinements.push(Refinement { region, size });
        }
        CaseRefinement::Sphere(r) => {
            let region = Region::Sphere { center: r.center.si(), radius: r.radius.si() };
            drawing.refinements.push(Refinement { region, size });
        }
        CaseRefinement::Part(r) => {
            let solids = drawing.solids.iter().filter(|solid| solid.name == r.name).map(|s| s.shape.bounds());
            let sheets = drawing.sheets.iter().filter(|sheet| sheet.name == r.name).map(|s| s.shape.bounds());
            let boxes: Vec<_> = solids.chain(sheets).collect();
            if boxes.is_empty() {
                return missing(&r.name, "solid or sheet", drawing);
            }
            let regions = boxes.into_iter().map(|ends| Refinement { region: Region::Box(ends), size });
            drawing.refinements.extend(regions);
        }
        CaseRefinement::Edges(r) => {
            let bodies = drawing.solids.iter_mut().filter(|solid| solid.is_body && solid.name == r.name);
            let bodies = bodies.map(|solid| &mut solid.edge_size);
            let sheets = drawing.sheets.iter_mut().filter(|sheet| sheet.name == r.name);
            let sizes: Vec<_> = bodies.chain(sheets.map(|sheet| &mut sheet.edge_size)).collect();
            if sizes.is_empty() {
                return missing(&r.name, "conductor", drawing);
            }
            for edge in sizes {
                *edge = size;
            }
        }
    }
    Ok(())
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
            SolidShape::Extrusion { outline: s.points.iter().map(|pair| pair.si()).collect(), z: s.z.si() }
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
