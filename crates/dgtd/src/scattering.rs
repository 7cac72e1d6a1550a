//! S-parameters from the voltages and currents of ports.
//!
//! A wave of amplitude a enters a port and one of amplitude b leaves it, with V = (a + b) √Z and I = (a − b)/√Z; |a|²/2 is the power of
//! the first (D. M. Pozar, *Microwave Engineering*, 4th ed., section 4.3). Z is the resistance of a lumped port, or the impedance of a wave
//! port's mode.

use crate::images::copies;
use crate::problem::Port;
use crate::solve::Solution;
use crate::study::Study;
use crate::terminals::Terminals;
use faer::Mat;
use faer::prelude::Solve;
use num_complex::Complex64;
use rayon::prelude::*;

/// Scattering parameters at one frequency: the column of the excited port j.
#[derive(Debug, Clone, PartialEq)]
pub struct PortSpectrum {
    /// Hz.
    pub frequency: f64,
    /// S_ij for each port i; zero for a mode of a wave port below its cut-off, which carries no power.
    pub s: Vec<Complex64>,
    /// Waves that enter each port, relative to that of the excited one. Lumped ports have none; at wave ports it is what the end of the guide
    /// reflects.
    pub incident: Vec<Complex64>,
    /// Reference impedance of each port, Ω.
    pub reference: Vec<f64>,
    /// Input impedance of the excited port, Ω.
    pub impedance: Complex64,
    /// Power accepted by the excited port for a source of the pulse's spectrum, W; where the far field is that of several copies of the model,
    /// behind symmetry planes, by the port in all of them.
    pub accepted_power: f64,
}

/// Fewest points of a smooth curve over a band: the reflection of a long line makes some ten turns on a Smith chart, and a turn of forty
/// points looks round.
const SMOOTH: usize = 401;

/// Evenly spaced frequencies for a smooth curve, from the lowest of these to the highest; none for a single one.
///
/// ```
/// let band = phasefront_dgtd::band(&[3e9, 1e9]);
/// assert_eq!((band[0], band[200], band.len()), (1e9, 2e9, 401));
/// ```
pub fn band(requested: &[f64]) -> Vec<f64> {
    let points = requested.len().max(SMOOTH);
    let low = requested.iter().copied().fold(f64::INFINITY, f64::min);
    let high = requested.iter().copied().fold(0.0, f64::max);
    if high <= low {
        return Vec::new();
    }
    (0..points).map(|i| low + (high - low) * i as f64 / (points - 1) as f64).collect()
}

/// Waves at a port: a enters the model, b leaves it, √W each.
#[derive(Clone, Copy)]
struct Waves {
    a: Complex64,
    b: Complex64,
}

const NONE: Waves = Waves { a: Complex64::ZERO, b: Complex64::ZERO };

impl Study {
    /// Reference impedance of a port at a frequency, Ω: its resistance, or the impedance of its mode.
    fn reference(&self, port: usize, frequency: f64) -> f64 {
        match &self.ports[port].wave {
            Some(wave) if wave.propagates(frequency) => wave.impedance(frequency).re,
            Some(wave) => wave.impedance(frequency).norm(),
            None => self.resistance(port),
        }
    }

    /// Reference impedance of the S-matrix of a port where it is one for all frequencies, Ω: not that of TE and TM modes.
    pub fn fixed_reference(&self, port: usize) -> Option<f64> {
        let given = self.problem.sources.ports[port].resistance;
        let line = self.ports[port].wave.as_ref().filter(|wave| wave.mode.cutoff == 0.0);
        given.or_else(|| line.map(|wave| wave.impedance(self.problem.middle_frequency()).re))
    }

    /// Propagation constant α + jβ, 1/m, and impedance, Ω, of the mode of a wave port.
    pub fn mode_at(&self, port: usize, frequency: f64) -> Option<[Complex64; 2]> {
        let wave = self.ports[port].wave.as_ref()?;
        Some([wave.propagation(frequency), wave.impedance(frequency)])
    }

    /// Impedance and admittance per length of the line at terminals, Ω/m and S/m.
    pub fn line_parameters(&self, terminals: &Terminals, frequency: f64) -> [Vec<Vec<Complex64>>; 2] {
        let modes: Vec<_> =
            terminals.ports.clone().filter_map(|port| self.mode_at(port, frequency)).collect();
        terminals.per_length(&modes)
    }

    /// Cut-off frequency of the mode of a wave port, Hz; zero for a line.
    pub fn cutoff_frequency(&self, port: usize) -> Option<f64> {
        let wave = self.ports[port].wave.as_ref()?;
        Some(wave.cutoff_frequency(self.problem.middle_frequency()))
    }

    /// Of a lumped port, Ω.
    fn resistance(&self, port: usize) -> f64 {
        self.problem.sources.ports[port].resistance.unwrap_or(f64::NAN)
    }

    /// The waves at a port.
    fn waves(&self, solution: &Solution, port: usize, frequency: f64) -> Waves {
        let transform = |series: &[f64]| self.transform(solution, series.iter().copied(), frequency);
        let voltage = transform(&self.voltage(solution, port));
        let Some(wave) = &self.ports[port].wave else {
            // The source V_s behind R sends a = V_s/(2√R), and V/√R = a + b.
            let root = self.resistance(port).sqrt();
            let excited = port == solution.excited;
            let a =
                if excited { self.problem.pulse.spectrum(frequency) / (2.0 * root) } else { Complex64::ZERO };
            return Waves { a, b: voltage / root - a };
        };
        if !wave.propagates(frequency) {
            return NONE;
        }
        let current = transform(&self.current(solution, port));
        let root = wave.impedance(frequency).sqrt();
        let to_reference = wave.to_reference(frequency);
        Waves {
            a: 0.5 * (voltage / root + current * root) / to_reference,
            b: 0.5 * (voltage / root - current * root) * to_reference,
        }
    }

    /// S-parameters at the frequencies of the monitors, column of the excited port; none without ports.
    pub fn ports(&self, solution: &Solution) -> Vec<PortSpectrum> {
        let count = self.problem.sources.ports.len();
        if count == 0 {
            return Vec::new();
        }
        let copies = copies(&self.monitors.mirrors);
        let at = |&frequency: &f64| {
            let waves: Vec<Waves> = (0..count).map(|port| self.waves(solution, port, frequency)).collect();
            let a = waves[solution.excited].a;
            let relative = |wave: Complex64| if a == Complex64::ZERO { a } else { wave / a };
            let s: Vec<Complex64> = waves.iter().map(|waves| relative(waves.b)).collect();
            let mut incident: Vec<Complex64> = waves.iter().map(|waves| relative(waves.a)).collect();
            incident[solution.excited] = Complex64::ONE;
            let reference: Vec<f64> = (0..count).map(|port| self.reference(port, frequency)).collect();
            let reflected = s[solution.excited];
            PortSpectrum {
                frequency,
                impedance: reference[solution.excited] * (1.0 + reflected) / (1.0 - reflected),
                accepted_power: 0.5 * copies * a.norm_sqr() * (1.0 - reflected.norm_sqr()),
                s,
                incident,
                reference,
            }
        };
        self.problem.monitors.frequencies.par_iter().map(at).collect()
    }

    /// Available power of the source of the excited port, W, in all copies of the model: |a|²/2, for peak values; |V_s|²/8R of a lumped port.
    pub(crate) fn available_power(&self, solution: &Solution, frequency: f64) -> f64 {
        0.5 * copies(&self.monitors.mirrors) * self.waves(solution, solution.excited, frequency).a.norm_sqr()
    }

    /// Reflection coefficient of the excited port, at any frequencies within the spectrum of the pulse; none without ports.
    pub fn reflection(&self, solution: &Solution, frequencies: &[f64]) -> Vec<Complex64> {
        if self.problem.sources.ports.is_empty() {
            return Vec::new();
        }
        let at = |&frequency: &f64| {
            let Waves { a, b } = self.waves(solution, solution.excited, frequency);
            if a == Complex64::ZERO { a } else { b / a }
        };
        frequencies.par_iter().map(at).collect()
    }

    /// Frequency with the smallest reflection at the excited port, Hz; none if it is not inside of the band of the monitors.
    pub fn best_match(&self, solution: &Solution) -> Option<f64> {
        let within = |frequencies: Vec<f64>| -> Option<[f64; 3]> {
            let back: Vec<f64> =
                self.reflection(solution, &frequencies).iter().map(Complex64::norm_sqr).collect();
            let best = (0..back.len()).min_by(|a, b| back[*a].total_cmp(&back[*b]))?;
            (best > 0 && best + 1 < back.len())
                .then(|| [-1, 0, 1].map(|i| frequencies[best.wrapping_add_signed(i)]))
        };
        // Twice, the second time between the neighbors of the best: the curve is smooth on the scale of a thousandth of its band.
        let [low, _, high] = within(band(&self.problem.monitors.frequencies))?;
        within(band(&[low, high])).map(|[_, best, _]| best)
    }
}

/// The S-matrix at one frequency from all of its columns, in the order of the ports: B = S A, with the waves in each run as columns of A and
/// B, so that what the ends of guides reflect does not matter. Ports with a resistance of their own refer to it instead of the
/// impedance of their mode, and ports with terminals are those. None if the runs do not tell it.
pub fn s_matrix(
    columns: &[&PortSpectrum],
    ports: &[Port],
    terminals: &[Terminals],
) -> Option<Vec<Vec<Complex64>>> {
    let n = ports.len();
    let waves: Vec<Vec<[Complex64; 2]>> = columns.iter().map(|run| waves_of(run, ports, terminals)).collect();
    let [a, b] = [0, 1].map(|k| Mat::from_fn(n, n, |i, j| waves[j][i][k]));
    // S = B A⁻¹, or Aᵀ Sᵀ = Bᵀ.
    let s = a.transpose().partial_piv_lu().solve(b.transpose().to_owned());
    let rows: Vec<Vec<Complex64>> = (0..n).map(|i| (0..n).map(|j| s[(j, i)]).collect()).collect();
    rows.iter().flatten().all(|s| s.is_finite()).then_some(rows)
}

/// a and b of each port in a run, with respect to the resistance that it has, or else to the impedance of its mode.
fn waves_of(run: &PortSpectrum, ports: &[Port], terminals: &[Terminals]) -> Vec<[Complex64; 2]> {
    // V = (a + b) √Z and I = (a − b)/√Z are the same for all references.
    let of_mode = |i: usize| {
        let (a, b, root) = (run.incident[i], run.s[i], run.reference[i].sqrt());
        ((a + b) * root, (a - b) / root)
    };
    let (mut voltages, mut currents): (Vec<Complex64>, Vec<Complex64>) =
        (0..ports.len()).map(of_mode).unzip();
    for terminals in terminals {
        terminals.apply(&mut voltages, &mut currents);
    }
    let wave = |(i, (v, current)): (usize, (Complex64, Complex64))| {
        let root = ports[i].resistance.unwrap_or(run.reference[i]).sqrt();
        [v / root + current * root, v / root - current * root].map(|wave| 0.5 * wave)
    };
    voltages.into_iter().zip(currents).enumerate().map(wave).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::PortShape;

    fn port(resistance: Option<f64>) -> Port {
        Port {
            surface: String::new(),
            resistance,
            shape: PortShape::Wave { mode: 0, polarity: None, shift: 0.0 },
        }
    }

    /// A series impedance of 50 Ω between lines of 50 Ω: S11 = 1/3, S21 = 2/3; with respect to 25 Ω, S11 = 1/2 (Pozar, section 4.3:
    /// Z/(Z + 2Z₀)). Both runs have a reflection of 0.1 at the end of the other port.
    #[test]
    fn the_matrix_does_not_depend_on_the_ends() {
        let [s11, s21] = [1.0 / 3.0, 2.0 / 3.0];
        // a₁ = 1, a₂ = r b₂, b₂ = s21 + s11 a₂.
        let b2 = s21 / (1.0 - 0.1 * s11);
        let b1 = s11 + s21 * 0.1 * b2;
        let run = |first: bool| {
            let pair =
                |a: f64, b: f64| if first { [a, b] } else { [b, a] }.map(|x| Complex64::new(x, 0.0)).to_vec();
            PortSpectrum {
                frequency: 1e9,
                s: pair(b1, b2),
                incident: pair(1.0, 0.1 * b2),
                reference: vec![50.0; 2],
                impedance: Complex64::ONE,
                accepted_power: 1.0,
            }
        };
        let (first, second) = (run(true), run(false));
        for (resistance, expected) in [(None, [s11, s21]), (Some(25.0), [0.5, 0.5])] {
            let s = s_matrix(&[&first, &second], &[port(resistance), port(resistance)], &[]).unwrap();
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let exact = expected[usize::from(i != j)];
                assert!((s[i][j] - exact).norm() < 1e-12, "{resistance:?}: {s:?}");
            }
        }
    }
}
