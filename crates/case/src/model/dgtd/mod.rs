//! Case model of the `dgtd` solver: Maxwell's equations in the time domain on tetrahedral meshes.

mod accuracy;
mod band;
mod boundary;
mod brick;
mod cad;
mod checks;
mod energy_decay;
mod examples;
mod excite;
mod geometry;
mod lumped;
mod material;
mod mie;
mod near_field;
mod near_source;
mod output;
mod per_axis;
mod permittivity;
mod planes;
mod port;
mod pulse;
mod refinement;
mod solids;
mod solve;
mod source;
mod space;
mod surfaces;
mod thin_wire;
mod wave;

pub use accuracy::Accuracy;
pub use band::Band;
pub use boundary::{Boundary, Coated, Coating, Conductor, ResistiveSheet};
pub use brick::{Brick, CellSize, Part};
pub use cad::{Cad, CadFiles, CadKind};
pub use energy_decay::EnergyDecay;
pub use excite::Excite;
pub use geometry::{Geometry, HUYGENS, is_vacuum};
pub use lumped::{Connection, Lumped};
pub use material::{Debye, Drude, Lorentz, Material};
pub use mie::Mie;
pub use near_field::{NearBox, NearField, NearFieldExport};
pub use near_source::NearSource;
pub use output::{Export, Film, Output, Slice};
pub use per_axis::PerAxis;
pub use permittivity::{Permittivity, PermittivityRow};
pub use planes::Planes;
pub use port::{Coaxial, Port, WaveModes};
pub use pulse::{Gaussian, Modulated, Pulse, PulseTable, TimeUnits};
pub use refinement::{RefinedBox, RefinedPart, RefinedSphere, Refinement};
pub use solids::{
    Cone, Cylinder, Disk, Extrusion, FlatPolygon, Rectangle, SheetShape, Solid, SolidBox, Sphere, Torus, Wire,
};
pub use solve::{Flux, Kernels, MAX_ORDER, Pml, Solve, TimeStepping};
pub use source::{Dipole, Initial, InitialWave, Mode, Source};
pub use space::Space;
pub use surfaces::SurfaceNames;
pub use thin_wire::{ThinWire, WireGap, WireLumped};
pub use wave::{PlaneWave, Polarization};

pub(super) use examples::EXAMPLES;

use crate::model::Tagged;
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tagged tables of this solver.
pub(super) const TAGGED: &[Tagged] = &[pulse::PULSE, refinement::REFINE, solids::SOLIDS, solids::SHEETS];

/// Discontinuous Galerkin time-domain simulation of Maxwell's equations on a tetrahedral mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DgtdCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// Solver: "dgtd".
    #[schemars(with = "String", extend("const" = "dgtd"))]
    pub solver: DgtdSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// Mesh, materials and boundary conditions.
    pub geometry: Geometry,
    /// Excitation and evaluation frequencies.
    pub source: Source,
    /// Solver settings.
    #[serde(default)]
    pub solve: Solve,
    /// Requested outputs.
    #[serde(default)]
    pub output: Output,
}

impl DgtdCase {
    /// Whether a surface of this name means something: it has a boundary condition, or a source, an element or a far field uses it.
    pub fn has_role(&self, name: &str) -> bool {
        let geometry = &self.geometry;
        let near = self.output.near_field.as_ref().and_then(|near| near.surface.as_ref());
        geometry.boundaries.contains_key(name)
            || geometry.periodic.iter().any(|pair| pair.x == name || pair.y == name)
            || geometry.lumped.iter().any(|element| element.surface == name)
            || self.source.ports.iter().flatten().any(|port| port.surface == name)
            || [self.source.injection_surface(), self.output.far_field_surface.as_ref(), near]
                .into_iter()
                .flatten()
                .any(|s| s.0.iter().any(|n| n == name))
    }
}

/// Value of the key `solver`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DgtdSolver {
    /// Discontinuous Galerkin time-domain method.
    Dgtd,
}

/// Validates the case beyond its types and resolves the defaults that depend on other keys.
pub(super) fn complete(case: &mut DgtdCase) -> Result<(), FieldError> {
    case.geometry.check()?;
    case.source.check()?;
    if case.geometry.has_space() {
        case.geometry.space.get_or_insert_default();
        if let Some(wave) = &mut case.source.plane_wave {
            wave.surface.get_or_insert_with(|| HUYGENS.into());
        }
        if case.output.rcs.is_some() || case.output.directivity.is_some() {
            case.output.far_field_surface.get_or_insert_with(|| HUYGENS.into());
        }
        if let Some(near) = case.output.near_field.as_mut().filter(|near| near.has_no_surface()) {
            near.surface = Some(case.output.far_field_surface.clone().unwrap_or_else(|| HUYGENS.into()));
        }
    }
    check_roles(case)?;
    check_sheets(case)?;
    case.output.complete(&case.source)?;
    case.output.mie.as_ref().map_or(Ok(()), |mie| mie.check(&case.geometry.materials))?;
    case.source.complete(case.output.resonances)?;
    case.solve.complete(&case.source)?;
    check_accuracy(case)
}

/// Rejects an accuracy where there is nothing that it is the accuracy of.
fn check_accuracy(case: &DgtdCase) -> Result<(), FieldError> {
    let output = &case.output;
    let asked = case.source.ports.is_some() || output.rcs.is_some() || output.directivity.is_some();
    if case.solve.accuracy.is_none() {
        return Ok(());
    }
    if case.solve.flux == Flux::Central {
        return Err(FieldError::new(
            "solve.accuracy",
            "the error estimate is the dissipation of the upwind flux, and the central flux dissipates nothing",
            "remove `flux = \"central\"`, or `accuracy`",
        ));
    }
    if case.source.near_field.is_some() {
        return Err(FieldError::new(
            "solve.accuracy",
            "the signal of a near field radiates at other frequencies, too, and the error estimate counts them",
            "remove `accuracy`, and compare runs of two orders",
        ));
    }
    if !case.geometry.is_drawn() && case.solve.order == MAX_ORDER {
        return Err(FieldError::new(
            "solve.accuracy",
            format!("an estimate needs a second pass with a higher order, and {MAX_ORDER} is the highest"),
            format!("start with a lower order, such as `order = {}`", MAX_ORDER - 2),
        ));
    }
    let ports = case.source.ports.iter().flatten();
    if ports.filter_map(|port| port.wave.as_ref()).any(|wave| wave.terminals.is_some()) {
        return Err(FieldError::new(
            "solve.accuracy",
            "errors are estimated of S-parameters between modes, and a wave port has terminals",
            "give it `modes` in place of `terminals`, or remove `accuracy`",
        ));
    }
    if asked {
        return Ok(());
    }
    Err(FieldError::new(
        "solve.accuracy",
        "`accuracy` applies to S-parameters and far fields, and the case requests neither",
        "add ports, `rcs` or `directivity`, or remove it",
    ))
}

/// Rejects a sheet without a role: waves would pass it as if it were not there.
fn check_sheets(case: &DgtdCase) -> Result<(), FieldError> {
    match case.geometry.sheets.iter().position(|sheet| !case.has_role(sheet.name())) {
        Some(i) => {
            let name = case.geometry.sheets[i].name();
            Err(FieldError::new(
                format!("geometry.sheets[{i}].name"),
                format!("the sheet \"{name}\" has no boundary condition, and no port is on it"),
                format!(
                    "add `boundaries = {{ {name} = \"pec\" }}` for a conductor, or name it as the `surface` of a port"
                ),
            ))
        }
        None => Ok(()),
    }
}

/// Rejects a surface that has a boundary condition and is also used by a source.
fn check_roles(case: &DgtdCase) -> Result<(), FieldError> {
    let ports = case.source.ports.iter().flatten().enumerate();
    let ports = ports.map(|(i, port)| (format!("source.ports[{i}].surface"), &port.surface));
    let path = if case.source.near_field.is_some() {
        "source.near_field.surface"
    } else {
        "source.plane_wave.surface"
    };
    let injection = case.source.injection_surface().into_iter().flat_map(|surface| &surface.0);
    let mut source_surfaces = ports.chain(injection.map(|surface| (path.to_owned(), surface)));
    let (boundaries, periodic) = (&case.geometry.boundaries, &case.geometry.periodic);
    let has_condition = |name: &String| {
        boundaries.contains_key(name) || periodic.iter().any(|p| [&p.x, &p.y].contains(&name))
    };
    match source_surfaces.find(|(_, name)| has_condition(name)) {
        Some((path, name)) => Err(FieldError::new(
            path,
            format!("the surface \"{name}\" already has a boundary condition in [geometry]"),
            "use each surface once: remove it from `boundaries` or `periodic`, or name another surface",
        )),
        None => Ok(()),
    }
}
