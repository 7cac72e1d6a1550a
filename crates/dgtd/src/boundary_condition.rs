//! Boundary and interface conditions of faces, and what each means to the rest of the solver.
//!
//! The rest of the crate asks for these properties and never for a variant, so that a new condition is complete when the compiler is
//! content with this file.

use crate::problem::Boundary;
use crate::sheet_model::SheetModel;
use phasefront_core::constants::ETA0;

/// Boundary or interface condition of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BoundaryCondition {
    /// Open interface to the neighbor: the fields are continuous.
    Interior,
    /// A perfect electric conductor.
    Pec,
    /// A perfect magnetic conductor.
    Pmc,
    /// Silver-Müller absorbing boundary condition.
    Absorbing,
    /// A resistive sheet, by its admittance per square relative to vacuum.
    ResistiveSheet(f64),
    /// A sheet or wall with states of its own.
    Sheet {
        /// Its model, an index into those of the domain.
        model: u16,
        /// Whether it is a conductor, with no field behind it.
        wall: bool,
        /// Whether it turns power into heat.
        lossy: bool,
        /// Whether a layer covers it: the tangential electric field on it is not small, although no field is behind it.
        coated: bool,
    },
    /// A port, by its index.
    Port(u16),
}

/// A tangential field that vanishes on a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tangential {
    /// n × E = 0, as on a PEC.
    Electric,
    /// n × H = 0, as on a PMC.
    Magnetic,
}

impl BoundaryCondition {
    /// The condition that a named surface of the problem gives to its faces; `inside` are those with a mesh on both sides, `model` is the next
    /// one of a sheet. None where the condition exists on the outer boundary only.
    pub fn new(boundary: Boundary, inside: bool, model: u16) -> Option<Self> {
        match boundary {
            Boundary::Conductor(_) => Some(Self::Sheet { model, wall: true, lossy: true, coated: false }),
            Boundary::Coating(coating) => {
                let lossy = coating.loss_tangent > 0.0;
                Some(Self::Sheet { model, wall: true, lossy, coated: true })
            }
            Boundary::Pec => Some(Self::Pec),
            // Relative to vacuum, like all admittances.
            Boundary::ResistiveSheet(ohm) => Some(Self::ResistiveSheet(ETA0 / ohm)),
            Boundary::Pmc => (!inside).then_some(Self::Pmc),
            Boundary::Absorbing => (!inside).then_some(Self::Absorbing),
        }
    }

    /// The condition of a face that two surfaces share: a conductor bounds the mesh before a magnetic or absorbing wall does, such as a strip
    /// in a plane of symmetry. None where they contradict each other.
    pub fn joined(self, other: Self) -> Option<Self> {
        let is_open = |condition| matches!(condition, Self::Pmc | Self::Absorbing);
        if self == other || self.is_interior() || (is_open(self) && other.is_conductor()) {
            Some(other)
        } else if self.is_conductor() && is_open(other) {
            Some(self)
        } else {
            None
        }
    }

    /// Whether the fields are continuous.
    pub fn is_interior(self) -> bool {
        self == Self::Interior
    }

    /// The tangential field that vanishes, if one does.
    pub fn vanishing(self) -> Option<Tangential> {
        match self {
            // On a good conductor it is small.
            Self::Pec | Self::Sheet { wall: true, .. } => Some(Tangential::Electric),
            Self::Pmc => Some(Tangential::Magnetic),
            Self::Interior
            | Self::Absorbing
            | Self::ResistiveSheet(_)
            | Self::Sheet { .. }
            | Self::Port(_) => None,
        }
    }

    /// The tangential field that vanishes on a wall with images behind it: a coated conductor has none.
    pub fn mirrors(self) -> Option<Tangential> {
        self.vanishing().filter(|_| !self.is_coated())
    }

    /// Whether it is a conductor under a layer.
    pub fn is_coated(self) -> bool {
        matches!(self, Self::Sheet { coated: true, .. })
    }

    /// Whether it is the surface of a conductor, with surface currents and no field behind it.
    pub fn is_conductor(self) -> bool {
        self.vanishing() == Some(Tangential::Electric)
    }

    /// Whether it is a thin sheet with a current in it: tangential E is continuous, tangential H has a jump.
    pub fn is_sheet(self) -> bool {
        match self {
            Self::ResistiveSheet(_) | Self::Port(_) | Self::Sheet { wall: false, .. } => true,
            Self::Interior | Self::Pec | Self::Pmc | Self::Absorbing | Self::Sheet { .. } => false,
        }
    }

    /// The index of a port.
    pub fn port(self) -> Option<usize> {
        match self {
            Self::Port(i) => Some(usize::from(i)),
            _ => None,
        }
    }

    /// Whether waves leave the mesh through it.
    pub fn is_absorbing(self) -> bool {
        self == Self::Absorbing
    }

    /// Whether it turns power into heat. Power that leaves the mesh or enters a port is counted elsewhere.
    pub fn is_lossy(self) -> bool {
        match self {
            Self::ResistiveSheet(_) => true,
            Self::Sheet { lossy, .. } => lossy,
            Self::Interior | Self::Pec | Self::Pmc | Self::Absorbing | Self::Port(_) => false,
        }
    }

    /// A and B of E* = A w⁻ + B w⁺ + s, with the admittances on both sides of a face, those of the ports, and the models of sheets. Upwind:
    /// A = Y⁻/(Y⁻ + Y⁺ + Y_sheet), B = Y⁺/(Y⁻ + Y⁺ + Y_sheet).
    pub fn flux_weights(
        self,
        [minus, plus]: [f64; 2],
        port: impl Fn(usize) -> f64,
        models: &[SheetModel],
    ) -> (f64, f64) {
        let sheet = match self {
            // E* = 0.
            Self::Pec => return (0.0, 0.0),
            // n × H* = 0, so that E* = w⁻.
            Self::Pmc => return (1.0, 0.0),
            // w⁺ = 0 with equal admittances, so that E* = w⁻/2 (Silver-Müller).
            Self::Absorbing => return (0.5, 0.0),
            Self::Sheet { model, .. } => {
                return models[usize::from(model)].equations([minus, plus]).weights;
            }
            Self::Interior => 0.0,
            Self::ResistiveSheet(admittance) => admittance,
            Self::Port(i) => port(usize::from(i)),
        };
        let all = minus + plus + sheet;
        (minus / all, plus / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E* = (Y⁻ w⁻ + Y⁺ w⁺)/(Y⁻ + Y⁺ + Y_sheet): a sheet of 377 Ω in vacuum transmits two thirds of E.
    #[test]
    fn weights_of_a_sheet_are_those_of_parallel_admittances() {
        let sheet = BoundaryCondition::new(Boundary::ResistiveSheet(ETA0), true, 0).unwrap();
        let (a, b) = sheet.flux_weights([1.0, 1.0], |_| f64::NAN, &[]);
        // Of an incident wave of 1 V/m, w = 2 on its side and 0 behind.
        assert!((2.0 * a - 2.0 / 3.0).abs() < 1e-15 && (a - b).abs() < 1e-15);
        assert_eq!(BoundaryCondition::Port(3).flux_weights([1.0, 0.0], |i| i as f64, &[]), (0.25, 0.0));
    }

    #[test]
    fn walls_without_a_field_behind_are_on_the_outer_boundary() {
        for boundary in [Boundary::Pmc, Boundary::Absorbing] {
            assert!(BoundaryCondition::new(boundary, true, 0).is_none());
            assert!(BoundaryCondition::new(boundary, false, 0).is_some());
        }
    }
}
