//! The sums by non-uniform FFT.
//!
//! With u_h = u₀ + hΔu, h = −n/2 …, and likewise v, the exponential is that of integer modes at the points βΔu x_n, βΔv y_n, times
//! e^{jβ(u₀x_n + v₀y_n)}.

use super::{Directions, ElementSums};
use crate::error::ReflectarrayError;
use crate::problem::Design;
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::{Options, Plan, TransformType};

/// A plan with its points.
pub(super) struct Fast {
    /// From modes to points, e^{+j}; its adjoint is the way back.
    plan: Plan<f64>,
    /// u₀, v₀ and Δu, Δv.
    middle: [f64; 2],
    step: [f64; 2],
    /// e^{jβ(u₀x_n + v₀y_n)}.
    shift: Vec<Complex64>,
    modes: usize,
}

impl Fast {
    pub fn new(
        directions: &Directions,
        tolerance: f64,
        backend: &Backend,
    ) -> Result<Self, ReflectarrayError> {
        let axes = [&directions.u, &directions.v];
        let modes = axes.map(Vec::len);
        let step = axes.map(|axis| if axis.len() > 1 { axis[1] - axis[0] } else { 0.0 });
        Ok(Self {
            plan: Plan::new(TransformType::Two, &modes, tolerance, &Options::default(), backend)?,
            middle: axes.map(|axis| axis[axis.len() / 2]),
            step,
            shift: Vec::new(),
            modes: modes[0] * modes[1],
        })
    }

    pub fn set_positions(&mut self, beta: f64, design: &Design) -> Result<(), ReflectarrayError> {
        let scaled = |c: &[f64], step: f64| -> Vec<f64> { c.iter().map(|c| beta * step * c).collect() };
        self.plan.set_points(&[&scaled(&design.x, self.step[0]), &scaled(&design.y, self.step[1])])?;
        let [u, v] = self.middle;
        let shift = |(x, y): (&f64, &f64)| Complex64::cis(beta * (u * x + v * y));
        self.shift = design.x.iter().zip(&design.y).map(shift).collect();
        Ok(())
    }

    /// F = (Σ (a e)* e^{−j…})*: the adjoint has the other sign.
    pub fn field(&mut self, a: &[Complex64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let shifted: Vec<Complex64> = a.iter().zip(&self.shift).map(|(a, s)| (a * s).conj()).collect();
        let mut field = vec![Complex64::ZERO; self.modes];
        self.plan.execute_adjoint(&shifted, &mut field)?;
        for f in &mut field {
            *f = f.conj();
        }
        Ok(field)
    }

    /// S[uW] = u₀ S[W] + Δu Σ h W e^{…}, and the last sum is that of the derivative along the point's coordinate over j.
    pub fn element_sums(
        &mut self,
        w: &[Complex64],
        derivatives: bool,
    ) -> Result<ElementSums, ReflectarrayError> {
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
            let slope = Complex64::new(0.0, -self.step[axis]);
            for ((sum, s), shift) in sums.iter_mut().zip(&s).zip(&self.shift) {
                *sum = s * self.middle[axis] + *sum * shift * slope;
            }
        }
        Ok(ElementSums { s, su, sv })
    }
}
