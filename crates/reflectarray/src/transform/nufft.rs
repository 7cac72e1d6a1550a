//! The transform by nonuniform FFT.
//!
//! With u_h = u₀ + hΔu, h = −n/2 …, and likewise v, the exponential is that of the integer modes h at the points βΔu x_n, βΔv y_n,
//! times the phase shift e^{jβ(u₀x_n + v₀y_n)}. S is an NUFFT of type 2, F its adjoint, of type 1.

use super::directions::{AdjointSums, DirectionGrid};
use crate::error::ReflectarrayError;
use crate::problem::Design;
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::{Options, Plan, TransformType};

/// An NUFFT plan with its points.
pub(super) struct Nufft {
    /// Type 2, from modes to points, with e^{+j}.
    plan: Plan<f64>,
    /// u₀, v₀ and Δu, Δv.
    center: [f64; 2],
    step: [f64; 2],
    /// e^{jβ(u₀x_n + v₀y_n)}.
    shift: Vec<Complex64>,
}

impl Nufft {
    pub fn new(
        directions: &DirectionGrid,
        tolerance: f64,
        backend: &Backend,
    ) -> Result<Self, ReflectarrayError> {
        let axes = [&directions.u, &directions.v];
        let modes = axes.map(Vec::len);
        let step = axes.map(|axis| if axis.len() > 1 { axis[1] - axis[0] } else { 0.0 });
        Ok(Self {
            plan: Plan::new(TransformType::Two, &modes, tolerance, &Options::default(), backend)?,
            // Mode 0 is at index n/2, the center of the window.
            center: axes.map(|axis| axis[axis.len() / 2]),
            step,
            shift: Vec::new(),
        })
    }

    pub fn set_positions(&mut self, beta: f64, design: &Design) -> Result<(), ReflectarrayError> {
        let scaled = |c: &[f64], step: f64| -> Vec<f64> { c.iter().map(|c| beta * step * c).collect() };
        // The modes have unit spacing: the step of the directions goes into the points.
        self.plan.set_points(&[&scaled(&design.x, self.step[0]), &scaled(&design.y, self.step[1])])?;
        let [u, v] = self.center;
        let shift = |(x, y): (&f64, &f64)| Complex64::cis(beta * (u * x + v * y));
        self.shift = design.x.iter().zip(&design.y).map(shift).collect();
        Ok(())
    }

    /// F = (Σ (a e)* e^{−j…})*: the adjoint of the plan has the opposite sign in the exponent.
    pub fn field(&mut self, a: &[Complex64], field: &mut [Complex64]) -> Result<(), ReflectarrayError> {
        let shifted: Vec<Complex64> = a.iter().zip(&self.shift).map(|(a, s)| (a * s).conj()).collect();
        self.plan.execute_adjoint(&shifted, field)?;
        for f in field {
            *f = f.conj();
        }
        Ok(())
    }

    /// S[uW] = u₀ S[W] + Δu Σ h W e^{…}, where the last sum is the derivative with respect to the coordinate of the point, divided by j.
    pub fn adjoint(&mut self, w: &[Complex64], derivatives: bool) -> Result<AdjointSums, ReflectarrayError> {
        let zeros = || vec![Complex64::ZERO; self.shift.len()];
        let (mut s, mut su, mut sv) = (zeros(), Vec::new(), Vec::new());
        if derivatives {
            (su, sv) = (zeros(), zeros());
            self.plan.execute_with_gradient(w, &mut s, &mut [&mut su, &mut sv])?;
        } else {
            self.plan.execute(w, &mut s)?;
        }
        s.iter_mut().zip(&self.shift).for_each(|(s, shift)| *s *= shift);
        for (axis, sums) in [&mut su, &mut sv].into_iter().enumerate() {
            // The NUFFT differentiates with respect to its points βΔu x, and ∂/∂(point) of
            // e^{jh·point} is jh: −j turns it into h.
            let factor = Complex64::new(0.0, -self.step[axis]);
            for ((sum, s), shift) in sums.iter_mut().zip(&s).zip(&self.shift) {
                *sum = s * self.center[axis] + *sum * shift * factor;
            }
        }
        Ok(AdjointSums { s, su, sv })
    }
}
