//! Seconds of the transforms the speed table has, beside nothing: `cargo run --release --example speed`.

use num_complex::Complex64;
use phasefront_nufft::{Options, Plan, TransformType, direct, Sign, ModeOrder};
use std::time::Instant;

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

fn main() {
    for (m, n) in [(10_000, 256), (1_000_000, 256), (1_000_000, 1000)] {
        for tolerance in [1e-6, 1e-12] {
          for up in [Some(1.25), Some(2.0), None] {
            let mut seed = 1;
            let x: Vec<f64> = (0..m).map(|_| std::f64::consts::TAU * random(&mut seed)).collect();
            let y: Vec<f64> = (0..m).map(|_| std::f64::consts::TAU * random(&mut seed)).collect();
            let c: Vec<Complex64> = (0..m).map(|_| Complex64::new(random(&mut seed) - 0.5, random(&mut seed) - 0.5)).collect();
            let mut f = vec![Complex64::default(); n * n];
            let mut line = format!("M {m:8} N {n:5} tol {tolerance:.0e} up {up:?}:");
            for kind in [TransformType::One, TransformType::Two] {
                let options = Options { upsampling: up, ..Options::default() };
                let mut plan = Plan::new(kind, &[n, n], tolerance, &options).unwrap();
                let t = Instant::now();
                if let Err(e) = plan.set_points(&[&x, &y]) { line += &format!(" {e}"); continue; }
                line += &format!("  set {:6.1}", 1e3 * t.elapsed().as_secs_f64());
                let mut best = f64::INFINITY;
                let mut out = vec![Complex64::default(); m];
                for _ in 0..5 {
                    let t = Instant::now();
                    if kind == TransformType::One { plan.execute(&c, &mut f) } else { plan.execute(&f, &mut out) }.unwrap();
                    best = best.min(t.elapsed().as_secs_f64());
                }
                line += &format!("  t{kind:?} {:8.2} ms", 1e3 * best);
                if m == 10_000 && n == 0 {
                    if kind == TransformType::One {
                        let exact = direct::type1(&[&x, &y], &c, &[n, n], Sign::Plus, ModeOrder::Centered);
                        line += &format!(" err {:.1e}", distance(&f, &exact));
                    } else {
                        let exact = direct::type2(&[&x, &y], &f, &[n, n], Sign::Plus, ModeOrder::Centered);
                        line += &format!(" err {:.1e}", distance(&out, &exact));
                    }
                }
            }
            println!("{line}");
          }
        }
    }
}

fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    let e: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum();
    (e / b.iter().map(|b| b.norm_sqr()).sum::<f64>()).sqrt()
}
