//! The value of a cost and its gradients.

/// Which derivatives to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivatives {
    /// None: the value alone.
    None,
    /// With respect to the phases.
    Phase,
    /// With respect to the phases and both coordinates.
    PhaseAndPosition,
}

/// A cost and its gradients; those not requested are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// The cost.
    pub value: f64,
    /// ∂/∂ψ_n, 1/rad.
    pub phase: Vec<f64>,
    /// ∂/∂x_n, 1/m.
    pub x: Vec<f64>,
    /// ∂/∂y_n, 1/m.
    pub y: Vec<f64>,
}

impl Evaluation {
    /// Adds the evaluation at another frequency.
    pub(crate) fn add(&mut self, other: Self) {
        self.value += other.value;
        let gradients = [(&mut self.phase, other.phase), (&mut self.x, other.x), (&mut self.y, other.y)];
        for (sum, other) in gradients {
            // The first frequency moves its vectors; no zeros are allocated.
            if sum.is_empty() {
                *sum = other;
            } else {
                sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
            }
        }
    }
}
