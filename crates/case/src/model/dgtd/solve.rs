//! `[solve]`: how the fields are computed.

use super::{EnergyDecay, Source};
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Precision, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The highest polynomial order.
pub const MAX_ORDER: u32 = 6;
/// Decibels that the energy falls before a run ends, unless the case says otherwise: what is left changes no spectrum visibly.
const ENERGY_DECAY_DB: f64 = 50.0;

/// How the fields are computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_solve", description = "How the fields are computed.")]
pub struct Solve {
    /// Polynomial order in an element.
    #[schemars(extend("minimum" = 1, "maximum" = MAX_ORDER))]
    pub order: u32,
    /// Precision of the fields.
    pub precision: Precision,
    /// How neighboring elements are joined.
    pub flux: Flux,
    /// How layers named `pml*` absorb.
    pub pml: Pml,
    /// The time step as a part of the largest stable one.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub courant: f64,
    /// How far the energy must have fallen from its peak for the run to end, in dB, or false to run until `max_time`. 50 if left out, and
    /// false with `initial` fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EnergyDecay")]
    pub energy_decay_db: Option<EnergyDecay>,
    /// The time at which the run ends at the latest. If left out, the solver takes a generous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub max_time: Option<Time>,
    /// How a stage of a time step is cut into GPU kernels.
    pub kernels: Kernels,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            order: 3,
            precision: Precision::default(),
            flux: Flux::default(),
            pml: Pml::default(),
            courant: 0.9,
            energy_decay_db: None,
            max_time: None,
            kernels: Kernels::default(),
        }
    }
}

/// How neighboring elements are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_flux")]
pub enum Flux {
    /// By characteristics: what does not fit is damped.
    #[default]
    Upwind,
    /// By means: nothing is damped. To check with.
    Central,
}

/// How layers named `pml*` absorb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_pml")]
pub enum Pml {
    /// With a frequency shift, so that nothing is left at zero frequency.
    #[default]
    Cfs,
    /// Uniaxial, as in the paper.
    Uniaxial,
}

/// How a stage of a time step is cut into GPU kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_kernels")]
pub enum Kernels {
    /// One for everything.
    #[default]
    Fused,
    /// The paper's three: curl, surface, update.
    Split,
}

impl Solve {
    /// Checks the numbers, and fills in when to stop.
    pub(super) fn complete(&mut self, source: &Source) -> Result<(), FieldError> {
        if !(1..=MAX_ORDER).contains(&self.order) {
            return Err(FieldError::new(
                "solve.order",
                format!("the polynomial order must be from 1 to {MAX_ORDER}"),
                "write for example `order = 3`, the default",
            ));
        }
        if !(self.courant > 0.0 && self.courant <= 1.0) {
            return Err(FieldError::new(
                "solve.courant",
                "the part of the largest stable time step must be above 0 and at most 1",
                "write for example `courant = 0.9`, the default",
            ));
        }
        if let Some(time) = self.max_time {
            check_positive(
                "solve.max_time",
                "the time",
                time.si(),
                "write for example `max_time = \"100 ns\"`",
            )?;
        }
        // Fields in a closed box go on for ever.
        let default =
            if source.initial.is_some() { EnergyDecay::Never } else { EnergyDecay::At(ENERGY_DECAY_DB) };
        let stop = *self.energy_decay_db.get_or_insert(default);
        if stop == EnergyDecay::Never && self.max_time.is_none() {
            let message = if source.initial.is_some() {
                "fields that are there from the beginning may go on for ever, and no end is given"
            } else {
                "`energy_decay_db = false` runs until `max_time`, and no time is given"
            };
            return Err(FieldError::new(
                "solve.max_time",
                message,
                "add for example `max_time = \"100 ns\"` to [solve]",
            ));
        }
        Ok(())
    }
}
