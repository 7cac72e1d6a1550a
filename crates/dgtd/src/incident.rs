//! Incident fields, and their injection: a plane wave, or the near field of a file.

use crate::boundary_condition::{BoundaryCondition, Tangential};
use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::huygens::Huygens;
use crate::near_source::{self, Placed};
use crate::plan::Face;
use crate::problem::{Flux, Injection, NearSource, PlaneWave, Problem};
use crate::signals::{NearSignals, Signal, Signals};
use glam::DVec3;
use phasefront_core::FieldError;

/// Tolerance for perpendicular directions.
const ACROSS: f64 = 1e-6;

/// What is incident.
enum Kind<'a> {
    Wave(&'a PlaneWave),
    Near(&'a NearSource, Placed),
}

/// An incident field, with its injection.
pub struct Incident<'a> {
    kind: Kind<'a>,
    /// The TF/SF surface; none for the scattered-field formulation.
    pub surface: Option<Huygens>,
}

impl<'a> Incident<'a> {
    /// The plane wave of a problem or its near field, if it has one.
    pub fn find(problem: &'a Problem, domain: &Domain) -> Result<Option<Self>, DgtdError> {
        if let Some(source) = &problem.sources.near_field {
            let surface = Huygens::new(domain, &source.surface, near_source::SURFACE)?;
            let placed = Placed::new(problem, domain, source, &surface)?;
            return Ok(Some(Self { kind: Kind::Near(source, placed), surface: Some(surface) }));
        }
        let Some(wave) = &problem.sources.plane_wave else { return Ok(None) };
        along_periodic_sides(wave, problem, domain)?;
        let surface = match &wave.injection {
            Injection::TfSf(name) => Some(Huygens::new(domain, name, "source.plane_wave.surface")?),
            Injection::ScatteredField => {
                conductors_in_vacuum(domain)?;
                fits_magnetic_walls(wave, domain)?;
                None
            }
        };
        Ok(Some(Self { kind: Kind::Wave(wave), surface }))
    }

    /// Its signals at these points.
    pub fn signals(&self, positions: impl Iterator<Item = DVec3>) -> Signals<'a> {
        match &self.kind {
            Kind::Wave(wave) => {
                // The scattered-field formulation is in vacuum.
                let medium = self.surface.as_ref().map(|surface| &surface.medium);
                let (speed, impedance) = medium.map_or((1.0, 1.0), |m| (m.speed(), m.impedance()));
                Signals::Wave { wave, speed, impedance }
            }
            Kind::Near(source, placed) => {
                let currents = source.recorded.currents(&placed.frequencies);
                Signals::Near(NearSignals::new(&currents, &placed.synthesis, positions))
            }
        }
    }

    /// What a signal adds to E* (and, with the central flux, to n × H*) at a face of an element; `impedance` is that of its neighbor.
    pub fn amplitude(
        &self,
        signal: &Signal,
        flux: Flux,
        face: &Face,
        (tet, condition, impedance): (usize, BoundaryCondition, f64),
    ) -> [DVec3; 2] {
        let n = face.normal;
        let tangential = |v: DVec3| v - n * n.dot(v);
        // Scattered-field formulation: E* = −E_inc on conductors.
        let Some(surface) = &self.surface else {
            return if condition.is_conductor() {
                [-tangential(signal.e), DVec3::ZERO]
            } else {
                [DVec3::ZERO; 2]
            };
        };
        // TF/SF: on the side of the total field the neighbor's trace lacks the incident field; on the other it has it in excess.
        let sign = if surface.inside[tet] == self.total_inside() { 1.0 } else { -1.0 };
        let h = n.cross(signal.h);
        match flux {
            // B w⁺ of the incident field: w⁺ = E − Z n⁺ × H with n⁺ = −n. `h` is n × η₀H.
            Flux::Upwind => [sign * face.plus * tangential(signal.e + impedance * h), DVec3::ZERO],
            Flux::Central => [sign * face.plus * tangential(signal.e), sign * (1.0 - face.plus) * h],
        }
    }

    /// Whether the total field is inside of the TF/SF surface.
    fn total_inside(&self) -> bool {
        match &self.kind {
            Kind::Wave(_) => true,
            Kind::Near(_, placed) => placed.total_inside,
        }
    }

    /// The largest field that the equivalent currents of a near field leave inside of them, relative to that on them.
    pub fn interior_field(&self) -> Option<f64> {
        match &self.kind {
            Kind::Wave(_) => None,
            Kind::Near(_, placed) => Some(placed.interior),
        }
    }

    /// The faces where it is injected: tetrahedron and face.
    pub fn faces(&self, domain: &Domain) -> Vec<(usize, usize)> {
        match &self.surface {
            Some(surface) => {
                // Both sides of the surface are corrected, with opposite signs.
                let behind = |&(tet, face): &(usize, usize)| {
                    domain.faces.neighbors[tet][face].map(|n| (n.tet as usize, usize::from(n.face)))
                };
                surface.outer.iter().copied().chain(surface.outer.iter().filter_map(behind)).collect()
            }
            None => (0..domain.mesh.tets.len())
                .flat_map(|tet| (0..4).map(move |face| (tet, face)))
                .filter(|&(tet, face)| domain.conditions[tet][face].is_conductor())
                .collect(),
        }
    }
}

/// The scattered-field formulation has sources on conductors only; in other bodies it would need volume sources.
fn conductors_in_vacuum(domain: &Domain) -> Result<(), DgtdError> {
    let other =
        (0..domain.mesh.tets.len()).find(|&tet| domain.material(tet) != &crate::material::Material::VACUUM);
    let sheet = domain.conditions.iter().flatten().any(|c| c.is_sheet() || c.is_lossy() || c.is_coated());
    let conducts = domain.conditions.iter().flatten().any(|condition| condition.is_conductor());
    let problem = if let Some(tet) = other {
        format!(
            "the volume {:?} is not vacuum",
            domain.mesh.volume_names[usize::from(domain.mesh.volume_of[tet])]
        )
    } else if sheet {
        "there is a sheet, a port, or a lossy or coated conductor".into()
    } else if !conducts {
        "there is no conductor".into()
    } else {
        return Ok(());
    };
    Err(FieldError::new(
        "source.plane_wave",
        format!("a plane wave without a TF/SF surface illuminates conductors in vacuum only, but {problem}"),
        "name a closed surface of the mesh around the bodies for TF/SF injection: surface = \"...\"",
    )
    .into())
}

/// Periodic sides are coupled without a phase shift, so that the wave must reach both at the same time.
fn along_periodic_sides(wave: &PlaneWave, problem: &Problem, domain: &Domain) -> Result<(), DgtdError> {
    for (a, b) in &problem.periodic {
        let middle = |name: &str| -> Result<DVec3, DgtdError> {
            let group = domain.mesh.surface(name).map_err(mesh_error_at("geometry.periodic"))?;
            let corners: Vec<DVec3> = domain
                .faces
                .faces_in(group)
                .flat_map(|(tet, face)| domain.mesh.face_corners(tet, face))
                .map(DVec3::from)
                .collect();
            Ok(corners.iter().sum::<DVec3>() / corners.len() as f64)
        };
        // The sides are translates of each other: the distance of their mean corners is the period.
        let apart = middle(b)? - middle(a)?;
        if apart.dot(wave.propagation.into()).abs() > ACROSS * apart.length() {
            return Err(FieldError::new(
                "source.plane_wave",
                format!("the wave reaches the periodic sides {a:?} and {b:?} at different times, but they are coupled without a phase shift"),
                "let it propagate parallel to them, or model more of the structure without periodic sides",
            )
            .into());
        }
    }
    Ok(())
}

/// A PMC wall is a symmetry plane: it does not affect the incident wave only if the wave has no tangential H there.
fn fits_magnetic_walls(wave: &PlaneWave, domain: &Domain) -> Result<(), DgtdError> {
    let h = DVec3::from(wave.propagation).cross(wave.polarization.into());
    let off = domain.faces.boundary().find(|&(tet, face)| {
        let normal = Shape::of(&domain.mesh, tet).face_normal(face, [1.0 / 3.0; 2]).normalize();
        domain.conditions[tet][face].vanishing() == Some(Tangential::Magnetic)
            && normal.cross(h).length() > ACROSS
    });
    let Some((tet, face)) = off else { return Ok(()) };
    let [p, q, r] = domain.mesh.face_corners(tet, face).map(DVec3::from);
    let at = (p + q + r) / 3.0;
    Err(FieldError::new(
        "source.plane_wave",
        format!(
            "the wave has a magnetic field tangential to the PMC wall at ({:.4}, {:.4}, {:.4}) m, which is not a symmetry plane for it",
            at.x, at.y, at.z
        ),
        "model the other half too, or choose a polarization with the magnetic field normal to the wall",
    )
    .into())
}

#[cfg(test)]
mod tests {
    use crate::problem::{Boundary, Injection, PlaneWave, Problem, Sources};
    use phasefront_mesh::BoxMesh;

    /// The error for a wave along (sin, 0, −cos) onto a conductor, with PMC walls normal to y.
    fn complaint(sin: f64, polarization: [f64; 3], periodic: bool) -> Option<String> {
        let mesh = BoxMesh { to: [1.0; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
        let wall = |name: &str, boundary| (name.to_owned(), boundary);
        let mut boundaries = vec![wall("zmin", Boundary::Pec), wall("zmax", Boundary::Absorbing)];
        boundaries.extend(["ymin", "ymax"].map(|name| wall(name, Boundary::Pmc)));
        if !periodic {
            boundaries.extend(["xmin", "xmax"].map(|name| wall(name, Boundary::Absorbing)));
        }
        let wave = PlaneWave {
            propagation: [sin, 0.0, -(1.0 - sin * sin).sqrt()],
            polarization,
            injection: Injection::ScatteredField,
        };
        let problem = Problem {
            mesh,
            boundaries,
            periodic: if periodic { vec![("xmin".into(), "xmax".into())] } else { Vec::new() },
            sources: Sources { plane_wave: Some(wave), ..Sources::default() },
            highest_frequency: 1e8,
            ..Problem::default()
        };
        crate::prepare(problem).err().map(|error| error.to_string())
    }

    #[test]
    fn a_wave_must_fit_walls_and_periodic_sides() {
        // H along y is normal to the PMC walls.
        assert_eq!(complaint(0.0, [1.0, 0.0, 0.0], true), None);
        assert_eq!(complaint(0.6, [0.8, 0.0, 0.6], false), None);
        let wall = complaint(0.0, [0.0, 1.0, 0.0], true).unwrap();
        assert!(
            wall.starts_with(
                "source.plane_wave: the wave has a magnetic field tangential to the PMC wall at ("
            ),
            "{wall}"
        );
        let sides = "source.plane_wave: the wave reaches the periodic sides \"xmin\" and \"xmax\" at different times, but they are coupled \
                     without a phase shift";
        assert_eq!(complaint(0.6, [0.8, 0.0, 0.6], true).as_deref(), Some(sides));
    }
}
