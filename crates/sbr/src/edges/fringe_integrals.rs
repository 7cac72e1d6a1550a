//! Integrals of the fringe current over one face of a wedge.
//!
//! The integration is from the edge along the grazing ray σ = x̂ sin β' + t̂ cos β' (A. Michaeli, IEEE Trans.
//! Antennas Propag. 34, 912, 1986). With μ = cos α = (s·σ − cos²β')/sin²β', U = 1 on an illuminated face, f' < π, and 0 on a shadowed one,
//!
//! ```text
//! A = (1/N) sin(f'/N)/D + U sin f'/(cos f' + μ)                        current along the edge due to E_t
//! C = (1/N) [sin((π−α)/N)/sin α]/D + U/(cos f' + μ)                    current perpendicular to the edge
//! Z = 1/N − U                                                          its value at the edge
//! D = cos((π−α)/N) − cos(f'/N)
//! ```
//!
//! With ψ = π − α and g(x) = (1/N) cot(x/2N) − U cot(x/2) these are A = ½[g(f'−ψ) + g(f'+ψ)] and
//! C = ½[g(f'−ψ) − g(f'+ψ)]/sin ψ, regular at f' = ψ: the poles of the two cotangents cancel in g. For
//! μ < −1, as in the monostatic direction, ψ is imaginary.
//!
//! A face that ends at the distance l along σ has the same integrals minus their tails from l to infinity (P. M. Johansen,
//! IEEE Trans. Antennas Propag. 44, 989, 1996). With S = cos(ψ/2) = √((1−μ)/2), C' = |cos(f'/2)|, a = √p C', b = √p S,
//! p = 2kl sin²β', u = ±1 on an illuminated or shadowed face, and w of `transition.rs`, the tails of one face of a half-plane are
//!
//! ```text
//! A_l = sin(f'/2) e^{−jb²} [C' w(a) − S w(b)]/(C'² − S²)
//! C_l = u e^{−jb²} [w(a) − (C'/S) w(b)]/(2(C'² − S²)),    Z_l = −u e^{−jb²} w(a)
//! ```
//!
//! exactly. Far from the edge, those of a wedge differ by the ratio of the diffraction coefficients along the face, which
//! makes the poles at S = 0 of the infinite face and of the tail cancel:
//!
//! ```text
//! r = (2/N) sin(π/N) cos(f'/2)/d of C and Z,    (4/N²) sin(π/N) [sin(f'/N)/sin(f'/2)] (cos(f'/2)/d)² of A,
//! d = cos(f'/N) − cos(π/N)
//! ```

use super::transition::{derivative, transition};
use num_complex::Complex64;
use std::f64::consts::PI;

/// Lower bound of S. At S = 0 the receiver is in the direction of σ, where the field of an infinite face diverges; with the tail
/// subtracted, the difference of large numbers still has ten digits.
const MIN_S: f64 = 1e-6;
/// Below this x the series of cot x − 1/x is used; its first omitted term is 1e-13 there.
const SERIES_LIMIT: f64 = 0.1;
/// Below this ψ the difference quotient C is replaced by its limit: both have errors of 1e-10.
const SMALL_PSI: f64 = 1e-5;
/// |C'² − S²|/(C'² + S²) below which a difference quotient is replaced by its limit: both have errors of 1e-10.
const CLOSE: f64 = 1e-5;

/// The integrals A, C and Z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FringeIntegrals<T> {
    /// A.
    pub along: T,
    /// C.
    pub across: T,
    /// Z.
    pub end: T,
}

/// The angles of one face and an incident wave.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceAngles {
    /// Wedge index N: the exterior angle over π, 1 < N ≤ 2.
    pub n: f64,
    /// f', from the face to the transmitter, 0 to Nπ.
    pub incident: f64,
    /// S = |s − σ|/(2 sin β').
    pub s: f64,
}

impl FaceAngles {
    pub fn new(n: f64, incident: f64, s: f64) -> Self {
        Self { n, incident, s: s.max(MIN_S) }
    }

    /// μ = 1 − 2S².
    pub fn mu(&self) -> f64 {
        1.0 - 2.0 * self.s * self.s
    }

    fn is_illuminated(&self) -> bool {
        self.incident < PI
    }

    /// g(x).
    fn g(&self, x: Complex64) -> Complex64 {
        let n = self.n;
        if !self.is_illuminated() {
            // No physical-optics current on a shadowed face: g is the first cotangent alone.
            return cot(x / (2.0 * n)) / n;
        }
        if x.norm_sqr() > SERIES_LIMIT * SERIES_LIMIT {
            return cot(x / (2.0 * n)) / n - cot(0.5 * x);
        }
        // (1/N) cot(x/2N) = 2/x − x/(6N²) − x³/(360N⁴) − x⁵/(15120N⁶)
        // − ...; the poles 2/x of both cotangents cancel.
        let [q1, q2, q3] = [2, 4, 6].map(|power| 1.0 - n.powi(-power));
        let x2 = x * x;
        x * (q1 / 6.0 + x2 * (q2 / 360.0 + x2 * (q3 / 15120.0)))
    }

    /// The integrals over an infinite face.
    pub fn infinite_face(&self) -> FringeIntegrals<f64> {
        // S = cos(ψ/2); for S > 1 ψ is imaginary, and cos becomes cosh.
        let psi = if self.s <= 1.0 {
            Complex64::from(2.0 * self.s.acos())
        } else {
            Complex64::new(0.0, 2.0 * self.s.acosh())
        };
        // C is even in ψ and smooth at the limit.
        let psi = if psi.norm_sqr() < SMALL_PSI * SMALL_PSI { SMALL_PSI.into() } else { psi };
        let (minus, plus) = (self.g(self.incident - psi), self.g(self.incident + psi));
        FringeIntegrals {
            // The imaginary part is zero for real and for imaginary ψ, up to rounding.
            along: 0.5 * (minus + plus).re,
            across: (0.5 * (minus - plus) / psi.sin()).re,
            end: 1.0 / self.n - f64::from(u8::from(self.is_illuminated())),
        }
    }

    /// The integrals from l to infinity, with p = 2kl sin²β'.
    pub fn tail(&self, p: f64) -> FringeIntegrals<Complex64> {
        let (c, s) = ((0.5 * self.incident).cos().abs(), self.s);
        let (a, b) = (p.sqrt() * c, p.sqrt() * s);
        // Needed in all branches: Z contains w(a) alone.
        let wa = transition(a);
        let difference = c * c - s * s;
        let (along, across) = if difference.abs() > CLOSE * (c * c + s * s) {
            let wb = transition(b);
            ((c * wa - s * wb) / difference, 0.5 * (wa - c / s * wb) / difference)
        } else {
            // d(v w)/d(v²) and (C'/2) d(w/v)/d(v²) at v between C' and S, w = w(√p v).
            let (v, y) = (0.5 * (c + s), 0.5 * (a + b));
            let w = transition(y);
            let slope = y * derivative(y, w);
            (0.5 * (w + slope) / v, 0.25 * c * (slope - w) / v.powi(3))
        };
        let [hard, soft] = self.ratios();
        let phasor = Complex64::cis(-b * b);
        FringeIntegrals {
            along: along * phasor * soft,
            across: across * phasor * hard,
            end: -wa * phasor * hard,
        }
    }

    /// u r of C and Z, and sin(f'/2) r of A.
    fn ratios(&self) -> [f64; 2] {
        let n = self.n;
        // cos(f'/2)/d = sin(nx)/(2 sin x sin((π + f')/2N)) with x = (π − f')/2N.
        // cos(f'/2) and d both vanish at f' = π; their ratio in half angles has no cancellation.
        let x = (PI - self.incident) / (2.0 * n);
        let ratio = if x == 0.0 { n } else { (n * x).sin() / x.sin() };
        let ratio = 0.5 * ratio / ((PI + self.incident) / (2.0 * n)).sin();
        let strength = 2.0 / n * (PI / n).sin();
        let sign = if self.is_illuminated() { 1.0 } else { -1.0 };
        [sign * strength * ratio, 2.0 / n * strength * ratio * ratio * (self.incident / n).sin()]
    }
}

/// cot(a + jb) = (sin a cos a − j sinh b cosh b)/(sin²a + sinh²b).
fn cot(z: Complex64) -> Complex64 {
    // Denominator as a sum of squares: no cancellation for either real or imaginary arguments.
    let ((sin, cos), (sinh, cosh)) = (z.re.sin_cos(), (z.im.sinh(), z.im.cosh()));
    Complex64::new(sin * cos, -sinh * cosh) / (sin * sin + sinh * sinh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2;

    const WEDGES: [f64; 4] = [1.2, 1.5, 1.8, 2.0];

    /// Integrals over the diffracted field on a face, from Macdonald's of a plane wave at a wedge (J. J. Bowman, T. B. A. Senior,
    /// P. L. E. Uslenghi, Electromagnetic and Acoustic Scattering by Simple Shapes, ch. 6): over its distance x from the edge
    /// from p/2k on, e^{−jkx cosh y} e^{jkxμ} gives e^{−jp(cosh y − μ)/2}/(cosh y − μ), on a path where cosh y = 1 − jv².
    fn integrals(n: f64, incident: f64, s: f64, p: f64) -> [Complex64; 2] {
        let mu = 1.0 - 2.0 * s * s;
        // The midpoint rule, exact but for e^{−2πd/step} with d the distance of the nearest pole.
        let (step, count) = if p > 0.0 { (2e-3, 4000) } else { (2e-2, 3000) };
        let (a, b) = ((PI + incident) / n, (PI - incident) / n);
        let mut sums = [Complex64::ZERO; 2];
        for i in 0..count {
            let v = (f64::from(i) + 0.5) * step;
            // Without an end, the real axis does: v is y.
            let (y, slope) = if p > 0.0 {
                let half = (Complex64::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2) * (v * FRAC_1_SQRT_2)).asinh();
                (2.0 * half, Complex64::new(1.0, -1.0) / half.cosh())
            } else {
                (Complex64::from(v), Complex64::ONE)
            };
            let (sinh, cosh) = ((y / n).sinh(), (y / n).cosh());
            let fade = (Complex64::new(0.0, -0.5 * p) * (y.cosh() - mu)).exp();
            let measure = fade * slope * step / (y.cosh() - mu) / (2.0 * PI * n);
            let hard = a.sin() / (cosh - a.cos()) + b.sin() / (cosh - b.cos());
            let soft = sinh / (cosh - b.cos()) - sinh / (cosh - a.cos());
            sums[0] += soft * y.sinh() * measure;
            sums[1] -= hard * measure;
        }
        sums
    }

    #[track_caller]
    fn close(value: impl Into<Complex64>, reference: Complex64, tolerance: f64) {
        let value = value.into();
        assert!((value - reference).norm() <= tolerance, "{value} is not {reference} ± {tolerance}");
    }

    #[test]
    fn infinite_faces_have_the_current_of_the_exact_wedge() {
        for n in WEDGES {
            for part in [0.1, 0.3, 0.45, 0.9] {
                for s in [0.2, 0.7, 1.0, 1.5, 4.0] {
                    let [along, across] = integrals(n, part * n * PI, s, 0.0);
                    let infinite = FaceAngles::new(n, part * n * PI, s).infinite_face();
                    close(infinite.along, along, 1e-10 * along.norm().max(1.0));
                    close(infinite.across, across, 1e-10 * across.norm().max(1.0));
                }
            }
        }
    }

    /// Ufimtsev's f¹ = f − f⁰ and g¹ = g − g⁰ of a wedge in the plane (P. Ya. Ufimtsev, Fundamentals of the Physical Theory of
    /// Diffraction, ch. 4), one or both faces illuminated.
    #[test]
    fn in_the_plane_both_faces_have_ufimtsevs_functions() {
        for n in WEDGES {
            let (outside, strength) = (n * PI, (PI / n).sin() / n);
            for incident in [0.3, 1.0, 2.5, 0.5 * outside, outside - 0.4] {
                for f in [0.1, 0.9, 2.0, 3.0, outside - 0.2] {
                    let pole = |angle: f64| strength / ((PI / n).cos() - (angle / n).cos());
                    let (mut soft, mut hard) =
                        (pole(f - incident) - pole(f + incident), pole(f - incident) + pole(f + incident));
                    let (mut along, mut across) = (0.0, 0.0);
                    for (f, incident) in [(f, incident), (outside - f, outside - incident)] {
                        if incident < PI {
                            soft -= incident.sin() / (f.cos() + incident.cos());
                            hard += f.sin() / (f.cos() + incident.cos());
                        }
                        let face = FaceAngles::new(n, incident, (0.5 * f).sin().abs()).infinite_face();
                        along += face.along;
                        across += f.sin() * face.across;
                    }
                    close(-along, soft.into(), 1e-9 * (1.0 + soft.abs()));
                    close(across, hard.into(), 1e-9 * (1.0 + hard.abs()));
                }
            }
        }
    }

    /// Exact for a half-plane; for wedges up to the next term of a series, in 1/p, or in 1/√p where the wave
    /// arrives along the face.
    #[test]
    fn tails_are_the_rest_of_the_current() {
        for n in WEDGES {
            for p in [3.0, 10.0, 40.0, 160.0] {
                for (away, s) in [(-0.1, 0.4), (0.05, 1.6), (0.6, 0.3), (1.0, 1.3), (2.0, 0.8), (3.0, 0.1)] {
                    let [along, across] = integrals(n, PI - away, s, p);
                    let tail = FaceAngles::new(n, PI - away, s).tail(p);
                    let order = if away < 0.8 { 1.0 / p.sqrt() } else { 1.0 / p };
                    let tolerance = if n == 2.0 { 1e-9 } else { order };
                    close(tail.along, along, tolerance * along.norm());
                    close(tail.across, across, tolerance * across.norm());
                }
            }
        }
    }

    /// On a half-plane the tail from the edge is the integral over the infinite face; it vanishes after many wavelengths.
    #[test]
    fn tails_decrease_from_the_infinite_face_to_zero() {
        for incident in [0.4, 2.0, 3.0, 4.0, 6.0] {
            for s in [0.3, 1.7] {
                let faces = [incident, 2.0 * PI - incident].map(|f| FaceAngles::new(2.0, f, s));
                let [first, second] = faces.map(|face| face.infinite_face());
                let [tail, other] = faces.map(|face| face.tail(0.0));
                close(tail.along + other.along, (first.along + second.along).into(), 1e-10);
                // The current of the second face has the opposite sign convention.
                close(tail.across - other.across, (first.across - second.across).into(), 1e-10);
                close(tail.end - other.end, (first.end - second.end).into(), 1e-10);
                let far = faces[0].tail(1e8);
                assert!(far.along.norm().max(far.across.norm()).max(far.end.norm()) < 3e-3);
            }
        }
    }

    /// The integrals are continuous where poles cancel: S through cos(f'/2) (cos f' + μ = 0), S through 1 (μ = −1), and both at once.
    #[test]
    fn integrals_are_continuous_where_poles_cancel() {
        let all = |n: f64, incident: f64, s: f64| {
            let face = FaceAngles::new(n, incident, s);
            let (infinite, tail) = (face.infinite_face(), face.tail(7.0));
            [infinite.along.into(), infinite.across.into(), tail.along, tail.across, tail.end]
        };
        for n in WEDGES {
            for incident in [0.0, 1e-7, 1e-3, 0.5, 1.5, 3.0, PI - 1e-4, 3.3_f64.min(n * PI)] {
                for center in [(0.5 * incident).cos().abs(), 1.0] {
                    let far = [-2e-4, 2e-4].map(|step| all(n, incident, center + step));
                    for step in [0.0, 1e-12, -1e-9, 1e-7, -1e-6, 3e-6, 1e-5, -5e-5] {
                        if center + step < 1e-2 {
                            continue;
                        }
                        let near = all(n, incident, center + step);
                        // On the line between those to the left and to the right, but for the curvature, which grows with 1/S.
                        let t = 0.5 + step / 4e-4;
                        for i in 0..5 {
                            let line = far[0][i] * (1.0 - t) + far[1][i] * t;
                            close(near[i], line, 2e-5 / center.powi(4) * (line.norm() + 1e-3));
                        }
                    }
                }
            }
        }
    }

    /// In the direction of the grazing ray the infinite face and its tail diverge, but their difference is bounded.
    #[test]
    fn the_singularity_along_a_face_cancels() {
        for n in WEDGES {
            for incident in [0.3, 2.0, 3.0, 3.5_f64.min(n * PI)] {
                let rest = |s: f64| {
                    let face = FaceAngles::new(n, incident, s);
                    let (infinite, tail) = (face.infinite_face(), face.tail(10.0));
                    [infinite.along - tail.along, infinite.across - tail.across]
                };
                let [at, near] = [rest(0.0), rest(1e-3)];
                for i in 0..2 {
                    close(at[i], near[i], 2e-2 * near[i].norm());
                }
            }
        }
    }
}
