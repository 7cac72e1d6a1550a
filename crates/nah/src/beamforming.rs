//! Beamforming: where on a plane the sources of averaged cross-spectra are, as monopoles, and how
//! strong. It needs no half wavelength of pitch: an array finds sources well above the spatial limit
//! of holography, with the resolution of its aperture, about a wavelength times distance over size.
//!
//! Delay-and-sum fits a monopole to each point, as if it were alone; `steering.rs` has the equations.
//! Functional beamforming does so with a root of the matrix of cross-spectra, which takes side lobes down
//! (R. P. Dougherty, AIAA paper 2014-3066). CLEAN-SC takes one source after the other out of the matrix;
//! see `clean_sc.rs`.

use crate::clean_sc::clean_sc;
use crate::cross_spectra::CrossSpectrum;
use crate::dense::Matrix;
use crate::grid::Grid;
use crate::steering::{Diagonal, Steering};
use num_complex::Complex64;
use phasefront_core::FieldError;

/// How the sources are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beamforming {
    /// One monopole at each point: robust, with wide main lobes and with side lobes.
    DelayAndSum(Diagonal),
    /// The ν-th power of delay-and-sum with S^{1/ν}: side lobes are down by the power ν. It has to keep
    /// the diagonal, without which S has no root. Methods of functional beamforming may be covered by
    /// patents in some countries.
    Functional {
        /// ν, at least 1.
        exponent: f64,
    },
    /// Sources one by one, without main and side lobes.
    CleanSc(Diagonal),
}

/// Sources on a focus plane.
#[derive(Debug, Clone, PartialEq)]
pub struct BeamformingMap {
    /// |A|² of a monopole p = A e^{−jkr}/r at each focus point, Pa² m², of peak amplitudes: the power at
    /// a distance of 1 m. Sources of CLEAN-SC stand at single points, and their powers add up.
    pub powers: Vec<f64>,
    /// What CLEAN-SC has not found: delay-and-sum of the cross-spectra that are left.
    pub residual: Option<Vec<f64>>,
}

/// Beamforming at one wavenumber.
pub struct Beamformer {
    steering: Steering,
}

impl Beamformer {
    /// For microphones at these positions in the plane z = 0, and the points of a grid at a distance from
    /// them toward the source, both in m; k in rad/m.
    pub fn new(microphones: &[[f64; 2]], focus: &Grid, distance: f64, k: f64) -> Result<Self, FieldError> {
        let refuse = |path: &str, message: &str, advice: &str| Err(FieldError::new(path, message, advice));
        if microphones.len() < 2 || !microphones.iter().flatten().all(|x| x.is_finite()) {
            return refuse("positions", "beamforming needs two microphones", "give finite positions, in m");
        }
        if focus.is_empty() || !focus.pitch.iter().all(|pitch| pitch.is_finite() && *pitch > 0.0) {
            return refuse("focus", "the focus plane has no points", "give it columns, rows and a pitch");
        }
        if !(distance.is_finite() && distance > 0.0) {
            return refuse("focus", "the focus plane is in the array", "give a distance above 0 m");
        }
        if !(k.is_finite() && k > 0.0) {
            return refuse("frequency", "there is no sound at 0 Hz", "give a frequency above 0 Hz");
        }
        Ok(Self { steering: Steering::new(microphones, focus, distance, k) })
    }

    /// The sources of averaged cross-spectra. CLEAN-SC takes one thread: take frequencies in parallel.
    pub fn map(&self, spectrum: &CrossSpectrum, method: Beamforming) -> Result<BeamformingMap, FieldError> {
        let refuse = |path: &str, message: String, advice: &str| Err(FieldError::new(path, message, advice));
        let (given, needed) = (spectrum.channels, self.steering.channels());
        if given != needed || spectrum.values.len() != needed * needed {
            let message = format!("cross-spectra of {given} channels for {needed} microphones");
            return refuse("input", message, "give the cross-spectra of these microphones, in their order");
        }
        if !spectrum.values.iter().all(|value| value.is_finite()) {
            let message = "the cross-spectra are not finite".to_owned();
            return refuse("input", message, "check the recording for values that are not numbers");
        }
        let map = |powers: Vec<f64>| BeamformingMap { powers, residual: None };
        match method {
            Beamforming::DelayAndSum(diagonal) => Ok(map(self.delay_and_sum(spectrum, diagonal))),
            Beamforming::Functional { exponent } if exponent.is_finite() && exponent >= 1.0 => {
                self.functional(spectrum, exponent).map(map)
            }
            Beamforming::Functional { exponent } => {
                let message = format!("the exponent of functional beamforming is {exponent}");
                refuse("exponent", message, "give at least 1, which is delay-and-sum; 20 is usual")
            }
            Beamforming::CleanSc(diagonal) => {
                let [powers, residual] = clean_sc(&self.steering, matrix(spectrum, diagonal), diagonal);
                Ok(BeamformingMap { powers, residual: Some(positive(residual)) })
            }
        }
    }

    /// The point of a map where a monopole explains most of the cross-spectra; see `steering.rs`.
    pub fn peak(&self, powers: &[f64]) -> usize {
        let norms = self.steering.norms(Diagonal::Kept);
        let explained = |i: &usize| powers[*i] * norms[*i];
        (0..powers.len()).max_by(|a, b| explained(a).total_cmp(&explained(b))).unwrap_or(0)
    }

    /// How a monopole at a point is seen from all points, |aᴴa_s|²/(|a|²|a_s|²): one there, and less elsewhere.
    pub fn point_spread(&self, point: usize) -> Vec<f64> {
        let norms = self.steering.norms(Diagonal::Kept);
        let forms = self.steering.forms_of_vector(self.steering.at(point), Diagonal::Kept);
        forms.iter().zip(&norms).map(|(form, norm)| form / (norm * norms[point])).collect()
    }

    /// The power of incoherent monopoles at the microphones, the sum of |p|² over them, Pa².
    pub fn power_at_microphones(&self, powers: &[f64]) -> f64 {
        powers.iter().zip(self.steering.norms(Diagonal::Kept)).map(|(power, norm)| power * norm).sum()
    }

    /// aᴴSa/‖aaᴴ‖².
    fn delay_and_sum(&self, spectrum: &CrossSpectrum, diagonal: Diagonal) -> Vec<f64> {
        let norms = self.steering.norms(diagonal);
        positive(self.steering.powers(&matrix(spectrum, diagonal), &norms))
    }

    /// (aᴴS^{1/ν}a/|a|²)^ν/|a|² (Dougherty 2014): that of one monopole, λ = |A|²|a|², is |A|².
    fn functional(&self, spectrum: &CrossSpectrum, exponent: f64) -> Result<Vec<f64>, FieldError> {
        let eigen = spectrum.eigen()?;
        // S^{1/ν} = BBᴴ with the columns λ^{1/2ν} u of B; eigenvalues below zero are of rounding.
        let root: Vec<f64> = eigen.iter().map(|(l, _)| l.max(0.0).powf(0.5 / exponent)).collect();
        let n = eigen.len();
        let half = Matrix::from_fn(n, n, |i, j| root[j] * eigen[j].1[i]);
        let forms = self.steering.forms(&half.times_adjoint(&half));
        let power = |(form, norm): (&f64, f64)| (form / norm).max(0.0).powf(exponent) / norm;
        Ok(forms.iter().zip(self.steering.norms(Diagonal::Kept)).map(power).collect())
    }
}

/// S, with or without its diagonal.
fn matrix(spectrum: &CrossSpectrum, diagonal: Diagonal) -> Matrix {
    let n = spectrum.channels;
    let mut matrix = Matrix { columns: n, values: spectrum.values.clone() };
    if diagonal == Diagonal::Removed {
        matrix.values.iter_mut().step_by(n + 1).for_each(|value| *value = Complex64::ZERO);
    }
    matrix
}

/// Without the diagonal there are powers below zero, where there is no source.
fn positive(powers: Vec<f64>) -> Vec<f64> {
    powers.into_iter().map(|power| power.max(0.0)).collect()
}
