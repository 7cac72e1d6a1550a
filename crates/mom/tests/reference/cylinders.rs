//! Circular cylinders, any number of them, conducting or filled: separation of variables on each (Harrington,
//! Time-Harmonic Electromagnetic Fields, sections 5-8 to 5-10) and Graf's addition theorem between them (Abramowitz and
//! Stegun 9.1.79; Martin, Multiple Scattering, chapter 4).
//!
//! About each center, in its own polar coordinates,
//!
//! ```text
//! incoming   Σ p_n J_n(kρ) e^{jnφ},   p_n = j^{-n} e^{-jna} e^{-jk·c} + what the others scatter
//! scattered  Σ b_n H_n⁽²⁾(kρ) e^{jnφ},   b_n = −t_n p_n
//! inside     Σ c_n p_n J_n(k₁ρ) e^{jnφ}
//! ```

use super::J;
use super::bessel::{bessel_j, derivatives, hankel2};
use super::dense;
use super::scaled::Scaled;
use num_complex::Complex64;
use phasefront_mom::Polarization;
use std::f64::consts::TAU;

/// Material of a cylinder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Matter {
    /// A perfect electric conductor.
    Conductor,
    /// Complex relative permittivity (Im ≤ 0) and relative permeability.
    Medium { eps: Complex64, mu: Complex64 },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    pub center: [f64; 2],
    pub radius: f64,
    pub matter: Matter,
}

/// The solved problem.
pub struct Cylinders {
    k: f64,
    polarization: Polarization,
    direction: f64,
    parts: Vec<Part>,
}

/// One cylinder and its coefficients of orders −n to n, by |order| where that is all they depend on.
struct Part {
    cylinder: Cylinder,
    /// Highest order n.
    n: i32,
    /// H_m(ka): coefficients b_m times it are fields on the surface, the unknowns of the system.
    hankel: Vec<Scaled>,
    /// t_m.
    t: Vec<Scaled>,
    /// c_m; empty in a conductor.
    inside: Vec<Scaled>,
    k_inside: Complex64,
    /// p_m.
    incoming: Vec<Scaled>,
    /// b_m.
    scattered: Vec<Scaled>,
}

/// C_{−m} = (−1)^m C_m for both kinds of functions.
fn order(values: &[Scaled], m: i32) -> Scaled {
    let value = values[m.unsigned_abs() as usize];
    if m < 0 && m % 2 != 0 { value * Complex64::from(-1.0) } else { value }
}

fn polar(from: [f64; 2], to: [f64; 2]) -> (f64, f64) {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    (x.hypot(y), y.atan2(x))
}

/// The rate α at which coefficients fall, e^{-nα}, on a cylinder beside others: repeated images in two cylinders converge to the two
/// points that both circles have as inverse points, at a e^{-α} from the center (bipolar coordinates).
fn decay(cylinder: &Cylinder, all: &[Cylinder]) -> f64 {
    let a = cylinder.radius;
    let rate = |other: &Cylinder| {
        let (d, b) = (polar(other.center, cylinder.center).0, other.radius);
        ((d * d + a * a - b * b) / (2.0 * a * d)).acosh()
    };
    all.iter().filter(|other| *other != cylinder).map(rate).fold(f64::INFINITY, f64::min)
}

impl Part {
    /// With u = J_m − t H_m outside and c J_m(k₁ρ) inside, u and (1/p) ∂u/∂ρ are continuous: p = μ_r (TM), ε_r (TE).
    fn new(cylinder: Cylinder, k: f64, polarization: Polarization, decay: f64) -> Self {
        let x = k * cylinder.radius;
        // J_n(x) is below 1e-20 this far above the turning point; inside too, for what comes in is the same. What
        // is left out of the images in the next cylinder, e^{-nα}, enters the far field squared.
        let n = (x + 10.0 * x.cbrt() + 16.0 + 13.0 / decay) as usize;
        let (j, h) = (bessel_j(n + 1, x.into()), hankel2(n + 1, x));
        let (dj, dh) = (derivatives(&j, x.into()), derivatives(&h, x.into()));
        let (mut t, mut inside, mut k_inside) = (Vec::new(), Vec::new(), Complex64::ZERO);
        match (cylinder.matter, polarization) {
            (Matter::Conductor, Polarization::Tm) => t.extend((0..=n).map(|m| j[m] / h[m])),
            (Matter::Conductor, Polarization::Te) => t.extend((0..=n).map(|m| dj[m] / dh[m])),
            (Matter::Medium { eps, mu }, _) => {
                let index = (eps * mu).sqrt();
                k_inside = k * index;
                let p = if polarization == Polarization::Tm { mu } else { eps };
                let within = bessel_j(n + 1, index * x);
                let slopes = derivatives(&within, index * x);
                for m in 0..=n {
                    let (value, slope) = (within[m], slopes[m] * (index / p));
                    t.push((j[m] * slope - dj[m] * value) / (h[m] * slope - dh[m] * value));
                    inside.push((j[m] - t[m] * h[m]) / value);
                }
            }
        }
        let (incoming, scattered) = (Vec::new(), Vec::new());
        Self { cylinder, n: n as i32, hankel: h, t, inside, k_inside, incoming, scattered }
    }

    fn orders(&self) -> impl Iterator<Item = i32> + use<> {
        -self.n..=self.n
    }

    fn plane_wave(&self, m: i32, k: f64, a: f64) -> Complex64 {
        let [x, y] = self.cylinder.center;
        Complex64::cis(-k * (x * a.cos() + y * a.sin()) - f64::from(m) * a) * (-J).powi(m)
    }

    /// Total field inside, in polar coordinates about the center.
    fn field_inside(&self, r: f64, phi: f64) -> Complex64 {
        if self.inside.is_empty() {
            return Complex64::ZERO;
        }
        let j = bessel_j(self.n as usize, self.k_inside * r);
        let wave = |(m, p): (i32, &Scaled)| {
            let wave = *p * self.inside[m.unsigned_abs() as usize] * order(&j, m);
            wave.value() * Complex64::cis(f64::from(m) * phi)
        };
        self.orders().zip(&self.incoming).map(wave).sum()
    }
}

impl Cylinders {
    /// A wave in direction `a` on the given cylinders, which must not touch.
    pub fn new(k: f64, polarization: Polarization, a: f64, cylinders: &[Cylinder]) -> Self {
        let mut parts: Vec<Part> =
            cylinders.iter().map(|c| Part::new(*c, k, polarization, decay(c, cylinders))).collect();
        let unknowns: Vec<(usize, i32)> =
            parts.iter().enumerate().flat_map(|(i, p)| p.orders().map(move |m| (i, m))).collect();
        let couplings = Couplings::new(k, &parts);
        // b_m / t_m + Σ_others (m ← l) b_l = −(plane wave)_m, with rows times J_m-like t_m H_m and columns over H_l.
        let mut matrix = Vec::new();
        let mut right = Vec::new();
        for &(i, m) in &unknowns {
            let scale = parts[i].t[m.unsigned_abs() as usize] * order(&parts[i].hankel, m);
            let entry = |&(j, l): &(usize, i32)| match (i == j, m == l) {
                (true, true) => Complex64::ONE,
                (true, false) => Complex64::ZERO,
                _ => (scale * couplings.at(j, i, l - m) / order(&parts[j].hankel, l)).value(),
            };
            matrix.push(unknowns.iter().map(entry).collect());
            right.push((scale * -parts[i].plane_wave(m, k, a)).value());
        }
        let solution = dense::solve(matrix, right);
        for (&(i, m), x) in unknowns.iter().zip(solution) {
            let b = Scaled::from(x) / order(&parts[i].hankel, m);
            parts[i].scattered.push(b);
        }
        for &(i, m) in &unknowns {
            let mut incoming = Scaled::from(parts[i].plane_wave(m, k, a));
            for (j, other) in parts.iter().enumerate().filter(|(j, _)| *j != i) {
                let part = |(l, b): (i32, &Scaled)| couplings.at(j, i, l - m) * *b;
                incoming = other.orders().zip(&other.scattered).map(part).fold(incoming, |a, b| a + b);
            }
            parts[i].incoming.push(incoming);
        }
        Self { k, polarization, direction: a, parts }
    }

    /// A single conducting circle about the origin, wave along +x.
    pub fn conductor(k: f64, polarization: Polarization, radius: f64) -> Self {
        Self::new(k, polarization, 0.0, &[Cylinder { center: [0.0; 2], radius, matter: Matter::Conductor }])
    }

    /// Σ b_m j^m e^{jmφ} e^{jk c·ŝ} over all cylinders: the far field over √(2j/(πkr)) e^{-jkr}.
    fn far(&self, phi: f64) -> Complex64 {
        let of_part = |part: &Part| {
            let [x, y] = part.cylinder.center;
            let wave = |(m, b): (i32, &Scaled)| b.value() * J.powi(m) * Complex64::cis(f64::from(m) * phi);
            let sum: Complex64 = part.orders().zip(&part.scattered).map(wave).sum();
            sum * Complex64::cis(self.k * (x * phi.cos() + y * phi.sin()))
        };
        self.parts.iter().map(of_part).sum()
    }

    /// σ(φ) = 2πr |u_s|², m.
    pub fn echo_width(&self, phi: f64) -> f64 {
        4.0 / self.k * self.far(phi).norm_sqr()
    }

    /// −(4/k) Re of the amplitude forward: power taken from the wave over its density, m.
    pub fn extinction_width(&self) -> f64 {
        -4.0 / self.k * self.far(self.direction).re
    }

    /// Total E_z (TM) or H_z (TE); nothing in a conductor.
    pub fn total_field(&self, point: [f64; 2]) -> Complex64 {
        for part in &self.parts {
            let (r, phi) = polar(part.cylinder.center, point);
            if r < part.cylinder.radius {
                return part.field_inside(r, phi);
            }
        }
        let (sin, cos) = self.direction.sin_cos();
        let mut sum = Complex64::cis(-self.k * (point[0] * cos + point[1] * sin));
        for part in &self.parts {
            let (r, phi) = polar(part.cylinder.center, point);
            let h = hankel2(part.n as usize, self.k * r);
            let wave =
                |(m, b): (i32, &Scaled)| (*b * order(&h, m)).value() * Complex64::cis(f64::from(m) * phi);
            sum += part.orders().zip(&part.scattered).map(wave).sum::<Complex64>();
        }
        sum
    }

    /// n × H on conductor number `i` at the angle φ about its center: η₀J_z (TM) or J_φ (TE). From the Wronskian,
    /// (1/jk) ∂u/∂ρ = Σ p_m (2/(πka)) e^{jmφ}/H_m (TM) and −u = Σ p_m (2j/(πka)) e^{jmφ}/H_m' (TE).
    pub fn current(&self, i: usize, phi: f64) -> Complex64 {
        let part = &self.parts[i];
        let x = self.k * part.cylinder.radius;
        let slopes = derivatives(&part.hankel, x.into());
        let wave = |(m, p): (i32, &Scaled)| {
            let below = match self.polarization {
                Polarization::Tm => order(&part.hankel, m),
                Polarization::Te => order(&slopes, m) * -J,
            };
            (*p / below).value() * Complex64::cis(f64::from(m) * phi)
        };
        4.0 / (TAU * x) * part.orders().zip(&part.incoming).map(wave).sum::<Complex64>()
    }
}

/// Graf: H_l(kρ_j) e^{jlφ_j} = Σ_m H_{l−m}(kd) e^{j(l−m)θ} J_m(kρ_i) e^{jmφ_i}, (d, θ) being the position of center i
/// from center j.
struct Couplings {
    /// H of all orders and θ, from j to i.
    pairs: Vec<Vec<(Vec<Scaled>, f64)>>,
}

impl Couplings {
    fn new(k: f64, parts: &[Part]) -> Self {
        let pair = |from: &Part, to: &Part| {
            let (d, theta) = polar(from.cylinder.center, to.cylinder.center);
            if d == 0.0 { (Vec::new(), 0.0) } else { (hankel2((from.n + to.n) as usize, k * d), theta) }
        };
        Self { pairs: parts.iter().map(|j| parts.iter().map(|i| pair(j, i)).collect()).collect() }
    }

    fn at(&self, from: usize, to: usize, m: i32) -> Scaled {
        let (h, theta) = &self.pairs[from][to];
        order(h, m) * Complex64::cis(f64::from(m) * theta)
    }
}
