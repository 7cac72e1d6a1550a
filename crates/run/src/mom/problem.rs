//! Translates a `mom` case into the problem of the solver, reading the geometry files that it names.

use crate::input::{InputFolder, complex, read_bytes, read_text, units};
use phasefront_case::model::mom::{
    Body as CaseBody, Equation as CaseEquation, FieldGrid, Material as CaseMaterial, Method as CaseMethod,
    MomCase, NearQuadrature as CaseNearQuadrature, Polarization as CasePolarization, Solve,
};
use phasefront_case::model::{MeshUnits, Pair};
use phasefront_core::{Angle, Conductivity, FieldError, Sweep};
use phasefront_mesh::{GmshMesh, MeshError, Outline, csv_points, gmsh_outlines, naca4, spline, svg_outlines};
use phasefront_mom::{
    Body, CellCount, Dielectric, Equation, Lcn, Material, Method, NearGrid, NearQuadrature, Polarization,
    Problem, Shape,
};

/// The problem, and for each of its bodies the index of the body of the case it comes from: a file may hold several outlines.
pub(super) fn translate(case: &MomCase, folder: &InputFolder) -> Result<(Problem, Vec<usize>), FieldError> {
    let cells = match (case.solve.cells, case.solve.cells_per_wavelength) {
        (Some(total), _) => CellCount::Total(total.get() as usize),
        (None, density) => {
            CellCount::PerWavelength(density.unwrap_or_else(|| case.solve.default_cells_per_wavelength()))
        }
    };
    let (mut bodies, mut owners) = (Vec::new(), Vec::new());
    for (i, body) in case.geometry.bodies.iter().enumerate() {
        let material = material(body.material());
        for shape in shapes(body, folder, &format!("geometry.bodies[{i}]"))? {
            bodies.push(Body { shape, material, cells: body.cells().map(|n| n.get() as usize) });
            owners.push(i);
        }
    }
    let problem = Problem {
        bodies,
        frequencies: case.source.frequency.values(),
        polarization: match case.source.polarization {
            CasePolarization::Tm => Polarization::Tm,
            CasePolarization::Te => Polarization::Te,
        },
        propagation: case.source.propagation_angles(),
        method: method(&case.solve),
        equation: match case.solve.equation {
            CaseEquation::Auto => Equation::Auto,
            CaseEquation::Efie => Equation::Efie,
            CaseEquation::Mfie => Equation::Mfie,
            CaseEquation::Cfie => Equation::Cfie,
        },
        cfie_weight: case.solve.cfie_weight.unwrap_or(Problem::default().cfie_weight),
        cells,
        precision: case.solve.precision,
        observation: case.output.echo_width.as_ref().map_or_else(Vec::new, Sweep::values),
        monostatic: case.output.monostatic,
        currents: case.output.currents,
        near_field: case.output.near_field.as_ref().map(near_grid),
    };
    Ok((problem, owners))
}

fn method(solve: &Solve) -> Method {
    let default = Lcn::default();
    match solve.method {
        CaseMethod::Pulse => Method::Pulse,
        CaseMethod::Lcn => Method::Lcn(Lcn {
            order: solve.order.map_or(default.order, |q| q as usize),
            near_quadrature: match solve.near_quadrature {
                None | Some(CaseNearQuadrature::Product) => NearQuadrature::Product,
                Some(CaseNearQuadrature::Adaptive) => NearQuadrature::Adaptive,
                Some(CaseNearQuadrature::LocalCorrection) => NearQuadrature::LocalCorrection,
            },
            near_distance: solve.near_distance,
            flat: solve.flat.unwrap_or(default.flat),
            corner_levels: solve.corner_levels.map(|levels| levels as usize),
        }),
    }
}

fn material(material: CaseMaterial) -> Material {
    match material {
        CaseMaterial::Pec => Material::Conductor,
        CaseMaterial::Dielectric(d) => Material::Dielectric(Dielectric {
            eps_r: complex(d.eps_r),
            mu_r: complex(d.mu_r),
            loss_tangent: d.loss_tangent.unwrap_or(0.0),
            conductivity: d.conductivity.map_or(0.0, Conductivity::si),
        }),
    }
}

fn near_grid(grid: &FieldGrid) -> NearGrid {
    NearGrid { x: grid.x.values(), y: grid.y.values() }
}

/// The contours of a body of the case.
fn shapes(body: &CaseBody, folder: &InputFolder, path: &str) -> Result<Vec<Shape>, FieldError> {
    let at = |key: &str| format!("{path}.{key}");
    Ok(match body {
        CaseBody::Circle(b) => vec![Shape::Circle { center: b.center.si(), radius: b.radius.si() }],
        CaseBody::Ellipse(b) => vec![Shape::Ellipse {
            center: b.center.si(),
            semi_axes: b.semi_axes.si(),
            rotation: b.rotation.si(),
        }],
        CaseBody::Polygon(b) => vec![Shape::Polygon { points: b.points.iter().map(|p| p.si()).collect() }],
        CaseBody::Strip(b) => vec![Shape::Strip { from: b.from.si(), to: b.to.si() }],
        CaseBody::Naca(b) => {
            let blamed = at(if b.chord.si() > 0.0 { "code" } else { "chord" });
            let outline = naca4(&b.code, b.chord.si()).map_err(|e| mesh_error(&blamed, None, &e))?;
            placed(vec![outline], None, &b.position, b.rotation)
        }
        CaseBody::Spline(b) => {
            let wrong = |e: MeshError| mesh_error(&at("file"), Some(&b.file), &e);
            let text = read_text(folder, &b.file, &at("file"))?;
            let (points, corners) = csv_points(&text).map_err(wrong)?;
            let outline = spline(&points, &corners, b.closed).map_err(wrong)?;
            placed(vec![outline], Some(b.units), &b.position, b.rotation)
        }
        CaseBody::Svg(b) => {
            let text = read_text(folder, &b.file, &at("file"))?;
            let outlines = svg_outlines(&text, b.id.as_deref()).map_err(|e| {
                // The key at fault: the name that was not found, or the file.
                let is_name = b.id.is_some() && matches!(e, MeshError::NotFound { .. });
                mesh_error(&at(if is_name { "id" } else { "file" }), Some(&b.file), &e)
            })?;
            placed(outlines, Some(b.units), &b.position, b.rotation)
        }
        CaseBody::Gmsh(b) => {
            let bytes = read_bytes(folder, &b.file, &at("file"))?;
            let wrong = |key: &'static str| {
                let path = at(key);
                move |e: MeshError| mesh_error(&path, Some(&b.file), &e)
            };
            let mesh = GmshMesh::parse(&bytes).map_err(wrong("file"))?;
            if let Some(name) = &b.group {
                mesh.group(name, 1).map_err(wrong("group"))?;
            }
            let outlines = gmsh_outlines(&mesh, b.group.as_deref(), b.flat).map_err(wrong("file"))?;
            placed(outlines, Some(b.units), &b.position, b.rotation)
        }
    })
}

fn placed(outlines: Vec<Outline>, given: Option<MeshUnits>, position: &Pair, rotation: Angle) -> Vec<Shape> {
    let scale = given.map_or(1.0, |given| units(given).in_meters());
    let put = |o: Outline| Shape::Outline(o.moved(position.si(), rotation.si(), scale));
    outlines.into_iter().map(put).collect()
}

fn mesh_error(path: &str, file: Option<&str>, error: &MeshError) -> FieldError {
    let message = match file {
        Some(file) => format!("{file}: {error}"),
        None => error.to_string(),
    };
    FieldError::new(path, message, error.advice())
}
