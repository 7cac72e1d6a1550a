//! The ceiling of computation: arithmetic in registers, without memory, on one thread and on all of them. Where two threads share a core, or
//! the clock falls with the number of busy cores, it is less than the number of threads, and no solver gains more from them.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

/// Turns of the loop on each thread: about a tenth of a second.
const TURNS: u64 = 20_000_000;
/// Independent vectors: enough to hide the latency of the operations.
const VECTORS: usize = 4;
/// Single precision values of a vector.
const LANES: usize = 8;
/// Operations of a turn: a product and a sum of each value of the vectors, and of two numbers in double precision.
const OPERATIONS: f64 = (2 * VECTORS * LANES + 2 * 2) as f64;

/// Operations per second of all threads of the current pool, side by side.
pub(crate) fn operations_per_s() -> f64 {
    let rates = rayon::broadcast(|_| {
        let start = Instant::now();
        black_box(turns(black_box(TURNS)));
        OPERATIONS * TURNS as f64 / start.elapsed().as_secs_f64()
    });
    rates.into_iter().sum()
}

/// x ← a x + b in vectors of single precision, as boxes and triangles are tested, beside scalars of double precision, as beams are clipped.
fn turns(count: u64) -> f64 {
    let (a, b) = black_box((0.999_f32, 1e-3_f32));
    let (c, d) = black_box((0.999_f64, 1e-3_f64));
    let mut vectors = black_box([[1.0_f32; LANES]; VECTORS]);
    let mut scalars = black_box([1.0_f64; 2]);
    for _ in 0..count {
        for x in vectors.as_flattened_mut() {
            *x = a * *x + b;
        }
        for x in &mut scalars {
            *x = c * *x + d;
        }
    }
    vectors.as_flattened().iter().map(|x| f64::from(*x)).sum::<f64>() + scalars.iter().sum::<f64>()
}

/// Processors, cores and sockets as the system lists them; none where it does not. A virtual machine may show threads as cores.
pub(crate) fn topology() -> Option<String> {
    let of = |file: &str| -> Option<(usize, usize)> {
        let folders = fs::read_dir("/sys/devices/system/cpu").ok()?;
        let mut values: Vec<String> = folders
            .filter_map(|folder| fs::read_to_string(folder.ok()?.path().join("topology").join(file)).ok())
            .collect();
        let processors = values.len();
        values.sort_unstable();
        values.dedup();
        (processors > 0).then_some((processors, values.len()))
    };
    let (processors, cores) = of("thread_siblings_list")?;
    let (_, sockets) = of("physical_package_id")?;
    Some(format!("the system lists {processors} processors on {cores} cores, in {sockets} sockets"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_converges_to_its_fixed_point() {
        // x = a x + b has the fixed point b/(1 − a) = 1, where it starts.
        assert!((turns(1000) - (VECTORS * LANES + 2) as f64).abs() < 1e-2);
        assert!(topology().is_none_or(|text| !text.contains(" 0 ")));
    }
}
