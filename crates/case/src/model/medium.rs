//! Constants of a medium in the frequency domain, `eps_r` and `mu_r`, and the three ways to give its losses.

use crate::model::ComplexNumber;
use phasefront_core::{Conductivity, FieldError};

/// The constants of a medium, and the keys that may give its losses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constants {
    pub eps_r: ComplexNumber,
    pub mu_r: ComplexNumber,
    pub loss_tangent: Option<f64>,
    pub conductivity: Option<Conductivity>,
}

impl Constants {
    /// Refuses gain, and losses that are given twice; `path` is the table of the medium.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let wrong = |key: &str, message: &str, advice: &str| {
            Err(FieldError::new(format!("{path}.{key}"), message, advice))
        };
        let constants = [("eps_r", "permittivity", self.eps_r), ("mu_r", "permeability", self.mu_r)];
        if let Some((key, what, _)) = constants.into_iter().find(|(_, _, value)| value.im > 0.0) {
            let message = format!("a positive imaginary part of the {what} is gain");
            let advice = format!(
                "write for example `{key} = \"12 - 0.3j\"`: with e^{{+jωt}}, losses are negative imaginary parts"
            );
            return wrong(key, &message, &advice);
        }
        let given = [
            ("eps_r", "a complex `eps_r`", self.eps_r.im != 0.0),
            ("loss_tangent", "`loss_tangent`", self.loss_tangent.is_some()),
            ("conductivity", "`conductivity`", self.conductivity.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, _, given)| *given);
        if let (Some((_, first, _)), Some((key, second, _))) = (given.next(), given.next()) {
            let message = format!("{first} and {second} cannot both be given");
            return wrong(key, &message, "keep one of them: each describes all losses of the material");
        }
        if self.loss_tangent.is_some_and(|tangent| !(tangent >= 0.0 && tangent.is_finite())) {
            let advice = "write for example `loss_tangent = 0.01`; without losses it is 0";
            return wrong("loss_tangent", "the loss tangent must be a finite number, zero or above", advice);
        }
        if self.conductivity.is_some_and(|conductivity| conductivity.si() < 0.0) {
            let advice = "write for example `conductivity = \"0.1 S/m\"`; losses are positive";
            return wrong("conductivity", "the conductivity cannot be negative", advice);
        }
        Ok(())
    }
}
