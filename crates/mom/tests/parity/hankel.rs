//! Hankel functions of the kernels against the tables of 40 and 30 digits that the core crate is tested with.

use num_complex::Complex64;
use phasefront_core::special::ray_hankel::RayHankel;
use phasefront_device::{Arg, Backend, Gpu, Grid, KernelSource, for_each_gpu, testing};
use phasefront_mom::HANKEL_LAYOUT;

/// What `kernels/hankel.h` and `kernels/ray_hankel.h` promise: |error| / |H|.
const TOLERANCE: f64 = 1e-14;

const HANKEL: KernelSource = KernelSource {
    name: "hankel test",
    text: concat!(
        include_str!("../../kernels/hankel_tables.h"),
        include_str!("../../kernels/hankel.h"),
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

const RAY: KernelSource = KernelSource {
    name: "ray hankel test",
    text: concat!(
        include_str!("../../kernels/ray_hankel.h"),
        "KERNEL evaluate(GLOBAL c64* h, GLOBAL const f64* table, f64 k_re, f64 k_im, GLOBAL const f64* r, i64 n)
         {
             i64 i = GLOBAL_ID(0);
             if (i >= n) return;
             c64 h0, h1;
             ray_hankel2_01(table, k_re, k_im, r[i], &h0, &h1);
             h[i] = h0;
             h[n + i] = h1;
         }"
    ),
};

/// The macros of `RAY`.
fn layout() -> [(&'static str, String); 4] {
    HANKEL_LAYOUT.map(|(name, value)| (name, value.to_string()))
}

/// The numbers of a table whose heading takes `heading` lines.
fn rows(table: &str, heading: usize) -> Vec<Vec<f64>> {
    table.lines().skip(heading).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

/// H0 and then H1 of every r.
fn on_gpu(gpu: &dyn Gpu, ray: &RayHankel, r: &[f64]) -> Vec<Complex64> {
    let layout = layout();
    let program = gpu.compile(&RAY, &layout.each_ref().map(|(name, value)| (*name, value.as_str()))).unwrap();
    let (table, input) = (gpu.upload(ray.table()).unwrap(), gpu.upload(r).unwrap());
    let output = gpu.alloc::<Complex64>(2 * r.len()).unwrap();
    let (k_re, k_im) = (Arg::F64(ray.k().re), Arg::F64(ray.k().im));
    let args =
        [Arg::from(&output), Arg::from(&table), k_re, k_im, Arg::from(&input), Arg::I64(r.len() as i64)];
    gpu.launch(&*program, "evaluate", Grid::cover(r.len(), 64), &args).unwrap();
    gpu.download(&output).unwrap()
}

for_each_gpu! {
    fn hankel_functions_hold_their_accuracy(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let rows = rows(include_str!("../../../core/tests/reference/hankel.csv"), 1);
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

    fn lossy_hankel_functions_hold_their_accuracy(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let rows = rows(include_str!("../../../core/tests/reference/ray_hankel.csv"), 2);
        for rows in rows.chunk_by(|a, b| a[..2] == b[..2]) {
            let ray = RayHankel::new(Complex64::new(rows[0][0], rows[0][1]));
            let r: Vec<f64> = rows.iter().map(|row| row[2]).collect();
            let h = on_gpu(&**gpu, &ray, &r);
            for (i, row) in rows.iter().enumerate() {
                for (n, h) in [h[i], h[r.len() + i]].into_iter().enumerate() {
                    let exact = Complex64::new(row[3 + 2 * n], row[4 + 2 * n]);
                    let error = (h - exact).norm() / exact.norm();
                    assert!(error < TOLERANCE, "H{n}, k = {}, r = {}: {h}, error {error:e}", ray.k(), row[2]);
                }
            }
        }
    }

    fn a_far_lossy_wave_is_zero(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let ray = RayHankel::new(Complex64::new(20.0, -0.1));
        assert_eq!(on_gpu(&**gpu, &ray, &[1e5, 1e6]), [Complex64::ZERO; 4]);
    }
}

#[test]
fn hankel_kernels_compile_for_every_architecture() {
    testing::compile_for_all_architectures(&HANKEL, &[]);
    let layout = layout();
    let layout = layout.each_ref().map(|(name, value)| (*name, value.as_str()));
    testing::compile_for_all_architectures(&RAY, &layout);
}
