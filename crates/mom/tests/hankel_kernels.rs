//! Hankel functions of the kernel dialect against 40-digit values.

use num_complex::Complex64;
use phasefront_device::{Arg, Backend, Grid, KernelSource, for_each_device, testing};

/// What `kernels/hankel.h` promises: |error| / |H|.
const TOLERANCE: f64 = 1e-14;

const HANKEL: KernelSource = KernelSource {
    name: "hankel test",
    text: concat!(
        include_str!("../kernels/hankel_tables.h"),
        include_str!("../kernels/hankel.h"),
        "KERNEL evaluate(GLOBAL c64* h, GLOBAL const f64* x, i64 n)
         {
             i64 i = GLOBAL_ID(0);
             if (i >= n) return;
             c64 h0, h1;
             hankel2_01(x[i], &h0, &h1);
             h[i] = hankel2_0(x[i]);
             h[n + i] = h0;
             h[2 * n + i] = h1;
         }"
    ),
};

for_each_device! {
    fn hankel_functions_hold_their_accuracy(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        // Shared with the tests of the core crate.
        let table = include_str!("../../core/tests/reference/hankel.csv");
        let rows: Vec<Vec<f64>> =
            table.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect();
        let x: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let n = x.len();
        let (input, output) = (gpu.upload(&x).unwrap(), gpu.alloc::<Complex64>(3 * n).unwrap());
        let program = gpu.compile(&HANKEL, &[]).unwrap();
        let args = [Arg::from(&output), Arg::from(&input), Arg::I64(n as i64)];
        gpu.launch(&*program, "evaluate", Grid::cover(n, 64), &args).unwrap();
        let h = gpu.download(&output).unwrap();
        for (i, row) in rows.iter().enumerate() {
            let exact = [Complex64::new(row[1], -row[2]), Complex64::new(row[3], -row[4])];
            for (name, h, exact) in
                [("H0", h[i], exact[0]), ("H0 of both", h[n + i], exact[0]), ("H1", h[2 * n + i], exact[1])]
            {
                let error = (h - exact).norm() / exact.norm();
                assert!(error < TOLERANCE, "{name}({}) = {h}, error {error:e}", row[0]);
            }
        }
    }
}

#[test]
fn kernels_compile_for_every_architecture() {
    testing::compile_for_all_architectures(&HANKEL, &[]);
}
