//! Convergence history of a synthesis.

/// One row of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRow {
    /// Name of the stage, [`SynthesisStage::name`](crate::SynthesisStage::name).
    pub stage: String,
    /// Iteration, counted through all stages.
    pub iteration: usize,
    /// Evaluations of the objective up to here.
    pub evaluations: u64,
    /// Φ = Σ (D − 𝒫D)² under the mask of the problem. Regions without a lower bound take the level of power spread evenly over the coverage.
    pub objective: f64,
    /// Mean of D in dB over the coverage.
    pub d_mean: f64,
    /// Minimum of D over the coverage, dBi.
    pub d_min: f64,
}
