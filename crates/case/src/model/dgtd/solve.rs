//! `[solve]`: solver settings.

use super::{Accuracy, EnergyDecay, Source};
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Precision, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Highest polynomial order.
pub const MAX_ORDER: u32 = 6;
/// Most passes that can be asked for.
const MAX_PASSES: u32 = 20;
/// Default energy decay that ends a run, in dB: the truncated remainder has no visible effect on spectra.
const ENERGY_DECAY_DB: f64 = 50.0;

/// Solver settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_solve", description = "Solver settings.")]
pub struct Solve {
    /// Polynomial order of the basis functions.
    #[schemars(extend("minimum" = 1, "maximum" = MAX_ORDER))]
    pub order: u32,
    /// Floating-point precision of the fields.
    pub precision: Precision,
    /// Numerical flux between elements.
    pub flux: Flux,
    /// Formulation of the perfectly matched layers, the volumes named `pml*`.
    pub pml: Pml,
    /// Courant factor: time step relative to the stability limit.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub courant: f64,
    /// Time integration scheme.
    pub time_stepping: TimeStepping,
    /// Decay of the field energy below its peak that ends the run, in dB, or false to run until `max_time`; where all power leaves by ports,
    /// the run goes on until it is known to 0.1 %. Default: 50, or false with `initial` fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EnergyDecay")]
    pub energy_decay_db: Option<EnergyDecay>,
    /// Maximum simulated time. Required with `initial` fields or `energy_decay_db = false`. Default: the pulse length plus
    /// 100 transits of the mesh diagonal at the lowest wave speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub max_time: Option<Time>,
    /// Target error of resonances, S-parameters and far fields. The mesh is refined adaptively until its estimated error is below
    /// this; with `mesh` or `box`, `order` is raised instead. Default: one pass, without an error estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Accuracy")]
    pub accuracy: Option<Accuracy>,
    /// Maximum number of adaptive passes with `accuracy`.
    #[schemars(extend("minimum" = 2, "maximum" = MAX_PASSES))]
    pub max_passes: u32,
    /// Partition of a Runge-Kutta stage into GPU kernels.
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
            time_stepping: TimeStepping::default(),
            energy_decay_db: None,
            max_time: None,
            accuracy: None,
            max_passes: 4,
            kernels: Kernels::default(),
        }
    }
}

/// Numerical flux between elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_flux")]
pub enum Flux {
    /// Upwind flux: dissipates jumps between elements.
    #[default]
    Upwind,
    /// Central flux: energy-conserving; for verification. Does not support resistive sheets or ports.
    Central,
}

/// Formulation of the perfectly matched layers, the volumes named `pml*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_pml")]
pub enum Pml {
    /// Complex-frequency-shifted (CFS) PML; leaves no static residual fields.
    #[default]
    Cfs,
    /// Uniaxial PML without frequency shift, as in the reference paper (Zhao, Chen and Yu, 2016).
    Uniaxial,
}

/// Time integration scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_time_stepping")]
pub enum TimeStepping {
    /// Local time stepping if predicted to be at least 1.5 times as fast, otherwise global; `check` reports the choice.
    #[default]
    Auto,
    /// Fourth-order Runge-Kutta with one time step for all elements, limited by the smallest.
    Global,
    /// Third-order local time stepping (LTS): clusters of elements with steps of 2^k times the shortest. Not with `initial` fields
    /// or `kernels = "split"`.
    Local,
}

/// Partition of a Runge-Kutta stage into GPU kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_kernels")]
pub enum Kernels {
    /// One kernel for the whole stage.
    #[default]
    Fused,
    /// Three kernels, as in the reference paper (Zhao, Chen and Yu, 2016): curl, surface, update.
    Split,
}

impl Solve {
    /// Validates the numbers and resolves the default of `energy_decay_db`.
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
                "the Courant factor must be positive and at most 1",
                "write for example `courant = 0.9`, the default",
            ));
        }
        if !(2..=MAX_PASSES).contains(&self.max_passes) {
            return Err(FieldError::new(
                "solve.max_passes",
                format!("there must be from 2 to {MAX_PASSES} passes"),
                "write for example `max_passes = 4`, the default; without `accuracy` there is one",
            ));
        }
        if let Some(time) = self.max_time {
            check_positive(
                "solve.max_time",
                "the maximum time",
                time.si(),
                "write for example `max_time = \"100 ns\"`",
            )?;
        }
        // Fields in a closed cavity do not decay.
        let default =
            if source.initial.is_some() { EnergyDecay::Never } else { EnergyDecay::At(ENERGY_DECAY_DB) };
        let stop = *self.energy_decay_db.get_or_insert(default);
        if stop == EnergyDecay::Never && self.max_time.is_none() {
            let message = if source.initial.is_some() {
                "initial fields may never decay, and no `max_time` is given"
            } else {
                "`energy_decay_db = false` requires `max_time`"
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
