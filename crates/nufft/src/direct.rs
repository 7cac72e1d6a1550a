//! Direct evaluation of the sums, term by term: the reference for the fast transforms, and faster for few points.

use crate::check;
use crate::error::Result;
use crate::options::{ModeOrder, Sign};
use num_complex::Complex64;
use phasefront_device::{Backend, cpu};
use rayon::prelude::*;

/// f_k = Σ_j c_j e^{±i k·x_j} on the modes of a box, first axis fastest.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_nufft::{ModeOrder, Sign, direct};
/// let f = direct::type1(&[&[0.5]], &[Complex64::ONE], &[4], Sign::Plus, ModeOrder::Centered);
/// assert_eq!(f[0], Complex64::cis(-2.0 * 0.5));
/// ```
pub fn type1(
    points: &[&[f64]],
    strengths: &[Complex64],
    modes: &[usize],
    sign: Sign,
    order: ModeOrder,
) -> Vec<Complex64> {
    let frequencies = mode_grid(modes, order);
    let frequencies: Vec<&[f64]> = frequencies.iter().map(Vec::as_slice).collect();
    type3(points, strengths, &frequencies, sign)
}

/// c_j = Σ_k f_k e^{±i k·x_j}, the modes of a box given first axis fastest.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_nufft::{ModeOrder, Sign, direct};
/// let f = [0.0, 0.0, 0.0, 1.0].map(Complex64::from); // the modes −2, …, 1
/// let c = direct::type2(&[&[0.5]], &f, &[4], Sign::Plus, ModeOrder::Centered);
/// assert!((c[0] - Complex64::cis(0.5)).norm() < 1e-15);
/// ```
pub fn type2(
    points: &[&[f64]],
    values: &[Complex64],
    modes: &[usize],
    sign: Sign,
    order: ModeOrder,
) -> Vec<Complex64> {
    let frequencies = mode_grid(modes, order);
    let frequencies: Vec<&[f64]> = frequencies.iter().map(Vec::as_slice).collect();
    // Modes and points exchange roles: the same sum with the frequencies as sources.
    type3(&frequencies, values, points, sign)
}

/// f_k = Σ_j c_j e^{±i s_k·x_j}.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_nufft::{Sign, direct};
/// let f = direct::type3(&[&[0.5]], &[Complex64::ONE], &[&[0.25, 3.0]], Sign::Minus);
/// assert_eq!(f[1], Complex64::cis(-1.5));
/// ```
pub fn type3(
    points: &[&[f64]],
    strengths: &[Complex64],
    frequencies: &[&[f64]],
    sign: Sign,
) -> Vec<Complex64> {
    let targets = frequencies.first().map_or(0, |s| s.len());
    let at = |k: usize| {
        let term = |(j, c): (usize, &Complex64)| {
            // Sources are the inner loop: each target is one
            // sum, in a fixed order for any number of threads.
            let (mut phase, mut rest) = (0.0, 0.0);
            for (x, s) in points.iter().zip(frequencies) {
                // Products and sums with their rounding errors (Knuth's two-sum): a rounded phase of 1e4 rad is off by 1e-12.
                let product = x[j] * s[k];
                let sum = phase + product;
                let added = sum - phase;
                rest += x[j].mul_add(s[k], -product) + ((phase - (sum - added)) + (product - added));
                phase = sum;
            }
            let [phase, rest] = [phase, rest].map(|angle| sign.value() * angle);
            c * Complex64::cis(phase) * Complex64::new(1.0, rest)
        };
        strengths.iter().enumerate().map(term).sum()
    };
    (0..targets).into_par_iter().map(at).collect()
}

/// F(u_h, v_k) = Σ_j a_j e^{±i(u_h x_j + v_k y_j)} on a grid of frequencies, u fastest: exactly, by one matrix product,
///
/// ```text
/// F = Ex diag(a) Eyᵀ,   Ex_hj = e^{±i u_h x_j},   Ey_kj = e^{±i v_k y_j}
/// ```
///
/// the baseline for a transform: its cost is points times frequencies, at the rate of the device's matrix product.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_device::Backend;
/// use phasefront_nufft::{Sign, direct};
/// let (x, y, u, v) = ([0.5, -0.2], [0.1, 0.3], [1.0, 2.0, 3.0], [-1.0, 4.0]);
/// let field = direct::tensor([&x, &y], &[Complex64::ONE; 2], [&u, &v], Sign::Plus, &Backend::Cpu)?;
/// let exact = Complex64::cis(2.0 * 0.5 + 4.0 * 0.1) + Complex64::cis(2.0 * -0.2 + 4.0 * 0.3);
/// assert!((field[1 + 3] - exact).norm() < 1e-14);
/// # Ok::<(), phasefront_nufft::NufftError>(())
/// ```
pub fn tensor(
    [x, y]: [&[f64]; 2],
    strengths: &[Complex64],
    [u, v]: [&[f64]; 2],
    sign: Sign,
    backend: &Backend,
) -> Result<Vec<Complex64>> {
    check::length("an axis of the points", y.len(), x.len())?;
    check::length("the input", strengths.len(), x.len())?;
    let wave = |phase: f64| Complex64::cis(sign.value() * phase);
    // Column-major: a column of Ex for each point, a column of diag(a) Eyᵀ for each v.
    let ex: Vec<Complex64> = x.par_iter().flat_map_iter(|x| u.iter().map(move |u| wave(u * x))).collect();
    let column = |v: &f64| y.iter().zip(strengths).map(|(y, a)| a * wave(v * y)).collect::<Vec<_>>();
    let eyt: Vec<Complex64> = v.par_iter().flat_map_iter(column).collect();
    let shape = [u.len(), v.len(), x.len()];
    match backend {
        Backend::Cpu => {
            let mut field = vec![Complex64::ZERO; u.len() * v.len()];
            cpu::gemm(shape, &ex, &eyt, &mut field);
            Ok(field)
        }
        Backend::Gpu(gpu) => {
            let field = gpu.alloc(u.len() * v.len())?;
            gpu.gemm(shape, &gpu.upload(&ex)?, &gpu.upload(&eyt)?, &field)?;
            Ok(gpu.download(&field)?)
        }
    }
}

/// Coordinates of all modes of a box, one list per axis.
fn mode_grid(modes: &[usize], order: ModeOrder) -> Vec<Vec<f64>> {
    let count: usize = modes.iter().product();
    let mut stride = 1;
    modes
        .iter()
        .map(|&n| {
            let numbers: Vec<f64> = crate::grid::mode_numbers(n, order).map(|k| k as f64).collect();
            // First axis fastest: the stride of an axis is the product of the previous sizes.
            let axis = (0..count).map(|i| numbers[i / stride % n]).collect();
            stride *= n;
            axis
        })
        .collect()
}
