//! One body per device: everything behind the seam against plain Rust.

use num_complex::{Complex32, Complex64};
use phasefront_core::Precision;
use phasefront_device::{
    Arg, Backend, Buffer, DeviceError, DeviceKind, Direction, Fft, Gpu, Grid, KernelSource, Op, cpu,
    for_each_gpu, testing,
};
use std::f64::consts::PI;
use std::sync::Arc;

const SELFTEST: KernelSource =
    KernelSource { name: "selftest.cu", text: include_str!("../kernels/selftest.cu") };

/// The GPU, or nothing on the CPU, where there is no kernel to run.
fn gpu(backend: &Backend) -> Option<&Arc<dyn Gpu>> {
    backend.gpu()
}

/// Numbers without pattern in [-1, 1), the same everywhere.
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn complex_noise(count: usize, seed: u64) -> Vec<Complex64> {
    noise(2 * count, seed).chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect()
}

/// A complex type and its distance from doubles.
trait Value: cpu::HostComplex + std::fmt::Debug {
    const EPSILON: f64;
    fn from_c64(z: Complex64) -> Self;
    fn to_c64(self) -> Complex64;
}

impl Value for Complex32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn from_c64(z: Complex64) -> Self {
        Self::new(z.re as f32, z.im as f32)
    }
    fn to_c64(self) -> Complex64 {
        Complex64::new(self.re.into(), self.im.into())
    }
}

impl Value for Complex64 {
    const EPSILON: f64 = f64::EPSILON;
    fn from_c64(z: Complex64) -> Self {
        z
    }
    fn to_c64(self) -> Complex64 {
        self
    }
}

fn narrow<V: Value>(values: &[Complex64]) -> Vec<V> {
    values.iter().map(|&z| V::from_c64(z)).collect()
}

/// ‖a − b‖ / ‖b‖ in the 2-norm.
fn distance<V: Value>(a: &[V], b: &[Complex64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (a.to_c64() - b).norm_sqr()).sum();
    let norm: f64 = b.iter().map(Complex64::norm_sqr).sum();
    (difference / norm.max(f64::MIN_POSITIVE)).sqrt()
}

fn run_fft<V: Value>(backend: &Backend, shape: Fft, direction: Direction, data: &[V]) -> Vec<V> {
    match gpu(backend) {
        None => {
            let mut data = data.to_vec();
            cpu::fft(shape, direction, &mut data);
            data
        }
        Some(gpu) => {
            let buffer = gpu.upload(data).unwrap();
            gpu.fft(shape, direction, &buffer).unwrap();
            gpu.download(&buffer).unwrap()
        }
    }
}

fn run_solve<V: Value>(
    backend: &Backend,
    n: usize,
    op: Op,
    matrix: &[V],
    rhs: &[V],
) -> Result<Vec<V>, DeviceError> {
    let Some(gpu) = gpu(backend) else {
        let (mut matrix, mut rhs) = (matrix.to_vec(), rhs.to_vec());
        let lu = cpu::lu_factor(n, &mut matrix)?;
        cpu::lu_solve(&lu, op, &matrix, &mut rhs);
        return Ok(rhs);
    };
    let (matrix, rhs) = (gpu.upload(matrix)?, gpu.upload(rhs)?);
    let lu = gpu.lu_factor(n, &matrix)?;
    gpu.lu_solve(&lu, op, &matrix, &rhs)?;
    gpu.download(&rhs)
}

fn run_gemm<V: Value>(backend: &Backend, shape: [usize; 3], a: &[V], b: &[V]) -> Vec<V> {
    let [m, n, _] = shape;
    match gpu(backend) {
        None => {
            let mut c = vec![V::from_c64(Complex64::ONE); m * n];
            cpu::gemm(shape, a, b, &mut c);
            c
        }
        Some(gpu) => {
            let (a, b) = (gpu.upload(a).unwrap(), gpu.upload(b).unwrap());
            let c = gpu.upload(&vec![V::from_c64(Complex64::ONE); m * n]).unwrap();
            gpu.gemm(shape, &a, &b, &c).unwrap();
            gpu.download(&c).unwrap()
        }
    }
}

/// A B by its definition.
fn product([m, n, k]: [usize; 3], a: &[Complex64], b: &[Complex64]) -> Vec<Complex64> {
    let entry = |i: usize, j: usize| (0..k).map(|l| a[i + l * m] * b[l + j * k]).sum();
    (0..m * n).map(|ij| entry(ij % m, ij / m)).collect()
}

/// The square matrix that `op` makes of `a`.
fn applied(op: Op, n: usize, a: &[Complex64]) -> Vec<Complex64> {
    let turned = |ij: usize| a[ij / n + ij % n * n];
    match op {
        Op::None => a.to_vec(),
        Op::Transpose => (0..n * n).map(turned).collect(),
        Op::ConjTranspose => (0..n * n).map(|ij| turned(ij).conj()).collect(),
    }
}

/// The transform by its definition.
fn naive_dft(shape: Fft, sign: f64, data: &[Complex64]) -> Vec<Complex64> {
    let (planes, rows, cols) = (shape.planes, shape.rows, shape.cols);
    let turn = |k: usize, n: usize, size: usize| sign * 2.0 * PI * (k * n % size) as f64 / size as f64;
    let indices = move |at: usize| (at / cols / rows, at / cols % rows, at % cols);
    data.chunks(planes * rows * cols)
        .flat_map(|block| {
            (0..block.len()).map(move |out| {
                let (o, p, q) = indices(out);
                (0..block.len())
                    .map(|at| {
                        let (i, j, k) = indices(at);
                        let angle = turn(o, i, planes) + turn(p, j, rows) + turn(q, k, cols);
                        block[at] * Complex64::cis(angle)
                    })
                    .sum::<Complex64>()
            })
        })
        .collect()
}

fn check_fft<V: Value>(backend: &Backend) {
    let flat = [(1, 1, 3), (1, 8, 1), (1, 17, 5), (1, 96, 2), (5, 7, 3), (8, 16, 2), (33, 40, 1), (4, 1, 2)];
    let flat = flat.map(|(rows, cols, batch)| (1, rows, cols, batch));
    let solid = [(5, 1, 1, 2), (4, 6, 10, 2), (3, 1, 8, 1), (12, 5, 1, 2)];
    for (planes, rows, cols, batch) in flat.into_iter().chain(solid) {
        let shape = Fft { planes, rows, cols, batch, precision: V::PRECISION };
        let data = complex_noise(shape.len(), 7);
        for (direction, sign) in [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)] {
            let got = run_fft::<V>(backend, shape, direction, &narrow(&data));
            let error = distance(&got, &naive_dft(shape, sign, &data));
            assert!(error < 20.0 * V::EPSILON, "{shape:?} {direction:?}: {error:e}");
        }
    }
    let empty = Fft { planes: 1, rows: 1, cols: 8, batch: 0, precision: V::PRECISION };
    assert!(run_fft::<V>(backend, empty, Direction::Forward, &[]).is_empty());
}

fn check_lu<V: Value>(backend: &Backend) {
    for (n, columns) in [(1, 1), (2, 3), (17, 1), (64, 5), (201, 2), (300, 40)] {
        let mut matrix = complex_noise(n * n, n as u64);
        // A zero diagonal: without row interchanges the first pivot would already fail.
        if n > 1 {
            (0..n).for_each(|i| matrix[i * (n + 1)] = Complex64::ZERO);
        }
        let matrix: Vec<V> = narrow(&matrix);
        let exact: Vec<_> = matrix.iter().map(|z| z.to_c64()).collect();
        let solution = complex_noise(n * columns, 99);
        for op in [Op::None, Op::Transpose, Op::ConjTranspose] {
            let rhs = narrow(&product([n, columns, n], &applied(op, n, &exact), &solution));
            let got = run_solve::<V>(backend, n, op, &matrix, &rhs).unwrap();
            let error = distance(&got, &solution);
            // Random matrices have condition numbers of the order of their size squared at worst.
            assert!(error < 50.0 * (n * n) as f64 * V::EPSILON, "n = {n}, {op:?}: {error:e}");
        }
    }
}

fn check_singular<V: Value>(backend: &Backend) {
    let n = 40;
    let mut matrix = complex_noise(n * n, 3);
    matrix[12 * n..13 * n].fill(Complex64::ZERO);
    let error = run_solve::<V>(backend, n, Op::None, &narrow(&matrix), &narrow(&vec![Complex64::ONE; n]))
        .unwrap_err();
    assert_eq!(error, DeviceError::Singular { column: 12 });
}

fn check_norm<V: Value>(backend: &Backend) {
    let run = |n: usize, matrix: &[V]| match gpu(backend) {
        None => cpu::norm_1(n, matrix),
        Some(gpu) => gpu.norm_1(n, &gpu.upload(matrix).unwrap()).unwrap(),
    };
    for n in [0, 1, 3, 255, 301] {
        let mut matrix: Vec<V> = narrow(&complex_noise(n * n, n as u64));
        let sums = matrix.chunks(n.max(1)).map(|column| column.iter().map(|z| z.to_c64().norm()).sum());
        let want: f64 = sums.fold(0.0, f64::max);
        let got = run(n, &matrix);
        assert!((got - want).abs() <= 4.0 * V::EPSILON * want, "n = {n}: {got} {want}");
        assert_eq!(got.to_bits(), run(n, &matrix).to_bits(), "not repeatable");
        if n > 0 {
            matrix[n * n / 2] = V::from_c64(f64::NAN.into());
            assert!(run(n, &matrix).is_nan(), "an entry that is not a number goes unnoticed");
        }
    }
}

fn check_gemm<V: Value>(backend: &Backend) {
    for shape in [[1, 1, 1], [3, 5, 7], [64, 64, 64], [100, 1, 33], [1, 70, 129]] {
        let [m, n, k] = shape;
        let (a, b) = (complex_noise(m * k, 1), complex_noise(k * n, 2));
        let got = run_gemm::<V>(backend, shape, &narrow(&a), &narrow(&b));
        let error = distance(&got, &product(shape, &a, &b));
        assert!(error < 20.0 * V::EPSILON, "{shape:?}: {error:e}");
    }
    assert!(run_gemm::<V>(backend, [0, 3, 2], &[], &narrow(&complex_noise(6, 1))).is_empty());
    let zero = run_gemm::<V>(backend, [2, 2, 0], &[], &[]);
    assert!(zero.iter().all(|z| z.to_c64() == Complex64::ZERO), "a sum over nothing is zero");
}

/// Every complex function of the prelude, as Rust computes it, in the order of the kernel.
fn complex_reference(x: Complex64, y: Complex64) -> [Complex64; 16] {
    [
        x + y,
        x - y,
        -x,
        x.conj(),
        x * y.re,
        Complex64::I * x,
        x * y,
        x * y + x,
        Complex64::new(x.norm_sqr(), x.norm()),
        Complex64::new(x.arg(), PI),
        x / y,
        Complex64::cis(x.re),
        x.exp(),
        x.sqrt(),
        Complex64::new(x.im.sin(), x.im.cos()),
        Complex64::new(2.5_f64.ln(), (x.re * 3.0).floor()),
    ]
}

fn check_complex_functions<V: Value>(gpu: &dyn Gpu, precision: Precision) {
    let mut a = complex_noise(61, 11);
    // The branch cut and the axes.
    a.extend([(-2.0, 0.25), (-2.0, -0.25), (3.0, 0.0), (0.0, -1.5)].map(|(re, im)| Complex64::new(re, im)));
    let a: Vec<V> = narrow(&a);
    let b: Vec<V> = narrow(&complex_noise(a.len(), 12));
    let program = gpu.compile(&SELFTEST, &[("REAL", precision.c_name())]).unwrap();
    let (x, y) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
    let out: Buffer<V> = gpu.alloc(16 * a.len()).unwrap();
    let args = [(&x).into(), (&y).into(), (&out).into(), Arg::I32(a.len() as i32)];
    gpu.launch(&*program, "complex_functions", Grid::cover(a.len(), 32), &args).unwrap();
    let got = gpu.download(&out).unwrap();
    for (i, got) in got.chunks(16).enumerate() {
        for (f, (got, want)) in got.iter().zip(complex_reference(a[i].to_c64(), b[i].to_c64())).enumerate() {
            let error = (got.to_c64() - want).norm();
            // Products cancel at worst to the size of their terms, which are of order |x||y| <= 8.
            assert!(error <= 16.0 * V::EPSILON * want.norm().max(1.0), "function {f} of pair {i}: {error:e}");
        }
    }
}

for_each_gpu! {
    fn buffers_hold_what_they_are_given(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let values = noise(10_007, 5);
        let buffer = gpu.upload(&values).unwrap();
        assert_eq!(buffer.len(), values.len());
        let copy = gpu.alloc::<f64>(values.len() + 3).unwrap();
        assert!(gpu.download(&copy).unwrap().iter().all(|&x| x == 0.0), "new memory is zero");
        gpu.copy(&buffer, &copy).unwrap();
        drop(buffer);
        let back = gpu.download(&copy).unwrap();
        assert_eq!(back[..values.len()], values);
        assert_eq!(back[values.len()..], [0.0; 3]);
        // Memory that was used before is zeroed again.
        drop(copy);
        let again = gpu.alloc::<f64>(values.len()).unwrap();
        assert!(gpu.download(&again).unwrap().iter().all(|&x| x == 0.0));
    }

    fn empty_buffers_are_buffers(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let empty = gpu.upload::<f64>(&[]).unwrap();
        assert!(empty.is_empty());
        let other = gpu.alloc::<f64>(0).unwrap();
        gpu.copy(&empty, &other).unwrap();
        assert!(gpu.download(&other).unwrap().is_empty());
    }

    fn memory_is_counted(backend: &Backend) {
        let memory = backend.memory().unwrap();
        assert!(memory.free <= memory.total && memory.total > 0, "{memory:?}");
        if let Some(gpu) = gpu(backend) {
            let bytes = 64 << 20;
            let held = gpu.alloc::<u8>(bytes).unwrap();
            gpu.synchronize().unwrap();
            let during = gpu.memory().unwrap();
            // Whatever other tests hold at the same time, what is held here is not free.
            assert!(during.free + held.len() as u64 <= during.total, "{during:?}");
        }
    }

    fn scalars_and_constants_arrive(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let x = noise(1000, 2);
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        let (input, out) = (gpu.upload(&x).unwrap(), gpu.alloc::<f64>(x.len()).unwrap());
        let args = [
            (&input).into(),
            (&out).into(),
            Arg::I64(990),
            Arg::I32(-7),
            Arg::F32(1.5),
            Arg::F64(0.125),
        ];
        gpu.launch(&*program, "scalars", Grid::cover(x.len(), 128), &args).unwrap();
        let got = gpu.download(&out).unwrap();
        for (i, (&x, &got)) in x.iter().zip(&got).enumerate() {
            let polynomial = ((0.5 * x - 1.25) * x + 2.0) * x + 3.75;
            let want = if i < 990 { 1.5 * polynomial + 0.125 - 7.0 } else { 0.0 };
            assert!((got - want).abs() < 1e-14, "{i}: {got} {want}");
        }
        // An empty grid is no work.
        gpu.launch(&*program, "scalars", Grid::cover(0, 128), &args).unwrap();
        gpu.synchronize().unwrap();
    }

    fn work_items_know_their_indices(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let grid = Grid { groups: [3, 2, 2], group_size: [4, 2, 3] };
        let [nx, ny, nz] = [12, 4, 6];
        let out = gpu.alloc::<i32>(8 * nx * ny * nz).unwrap();
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        gpu.launch(&*program, "indices", grid, &[(&out).into()]).unwrap();
        for (row, got) in gpu.download(&out).unwrap().chunks(8).enumerate() {
            let [x, y, z] = [row % nx, row / nx % ny, row / nx / ny];
            let local = x % 4 + 10 * (y % 2) + 100 * (z % 3);
            let group = x / 4 + 10 * (y / 2) + 100 * (z / 3);
            assert_eq!(got, [x, y, z, local, group, 324, 223, row].map(|v| v as i32), "row {row}");
        }
        let plane = Grid::cover_2d([9, 5], [4, 2]);
        assert_eq!(plane, Grid { groups: [3, 3, 1], group_size: [4, 2, 1] });
    }

    fn local_memory_barriers_and_atomics(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let x: Vec<f64> = (0..1000).map(|i| f64::from(i % 17) - 8.0).collect();
        let grid = Grid::cover(x.len(), 64);
        let groups = gpu.alloc::<f64>(grid.groups[0] as usize).unwrap();
        let (input, total) = (gpu.upload(&x).unwrap(), gpu.upload(&[0.5]).unwrap());
        let (total_f32, count) = (gpu.upload(&[0.5_f32]).unwrap(), gpu.alloc::<i32>(1).unwrap());
        let args = [
            (&input).into(),
            Arg::I64(x.len() as i64),
            (&groups).into(),
            (&total).into(),
            (&total_f32).into(),
            (&count).into(),
        ];
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        gpu.launch(&*program, "reduce", grid, &args).unwrap();
        // Small integers: every order of summation gives the same.
        let want: Vec<f64> = x.chunks(64).map(|chunk| chunk.iter().sum()).collect();
        assert_eq!(gpu.download(&groups).unwrap(), want);
        let sum = 0.5 + x.iter().sum::<f64>();
        assert_eq!(gpu.download(&total).unwrap(), [sum]);
        assert_eq!(gpu.download(&total_f32).unwrap(), [sum as f32]);
        assert_eq!(gpu.download(&count).unwrap(), [1000]);
    }

    fn complex_functions_agree_with_rust(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        check_complex_functions::<Complex32>(&**gpu, Precision::Single);
        check_complex_functions::<Complex64>(&**gpu, Precision::Double);
    }

    fn types_have_the_sizes_of_the_host(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let out = gpu.alloc::<i64>(5).unwrap();
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        gpu.launch(&*program, "sizes", Grid::cover(1, 1), &[(&out).into()]).unwrap();
        let got = gpu.download(&out).unwrap();
        assert_eq!(got, [8844, 84, 1608, i64::from(u32::MAX), i64::MAX]);
    }

    fn fft_is_the_dft(backend: &Backend) {
        check_fft::<Complex32>(backend);
        check_fft::<Complex64>(backend);
    }

    fn a_recording_does_its_work_again(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let shape = Fft { planes: 1, rows: 4, cols: 6, batch: 1, precision: Precision::Double };
        let (first, second) = (complex_noise(24, 1), complex_noise(24, 2));
        let (x, y) = (gpu.upload(&first).unwrap(), gpu.alloc::<Complex64>(24).unwrap());
        let ones = gpu.upload(&[1.0; 64]).unwrap();
        let sums = [gpu.alloc::<f64>(1).unwrap(), gpu.alloc::<f64>(1).unwrap()];
        let (total_f32, items) = (gpu.alloc::<f32>(1).unwrap(), gpu.alloc::<i32>(1).unwrap());
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        let recording = gpu.record(Box::new(|| {
            gpu.copy(&x, &y)?;
            gpu.fft(shape, Direction::Forward, &y)?;
            let [groups, total] = &sums;
            let outputs = [groups.into(), total.into(), (&total_f32).into(), (&items).into()];
            let args = [&[(&ones).into(), Arg::I64(64)], &outputs[..]].concat();
            gpu.launch(&*program, "reduce", Grid::cover(64, 64), &args)
        }));
        let recording = recording.unwrap();
        let transform = || gpu.download(&y).unwrap();
        assert!(distance(&transform(), &naive_dft(shape, -1.0, &first)) < 20.0 * f64::EPSILON);
        gpu.upload_bytes(bytemuck::cast_slice(&second), x.memory()).unwrap();
        recording.replay().unwrap();
        assert!(distance(&transform(), &naive_dft(shape, -1.0, &second)) < 20.0 * f64::EPSILON);
        recording.replay().unwrap();
        assert!(distance(&transform(), &naive_dft(shape, -1.0, &second)) < 20.0 * f64::EPSILON);
        // The kernel counts its 64 items: once while it was recorded, and twice since.
        assert_eq!(gpu.download(&items).unwrap(), [3 * 64]);
    }

    fn an_error_ends_a_recording(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let lost = gpu.record(Box::new(|| Err(DeviceError::Foreign { what: "a buffer" })));
        assert!(matches!(lost, Err(DeviceError::Foreign { .. })));
        // On CUDA the first run is done, and the recording of it refused; OpenCL takes it, running it again every time.
        if gpu.info().kind == DeviceKind::Cuda {
            let waiting = gpu.record(Box::new(|| gpu.synchronize()));
            let message = waiting.err().unwrap().to_string();
            assert_eq!(message, "waiting for the device cannot be part of a recording");
        }
        assert_eq!(gpu.download(&gpu.upload(&[1.5]).unwrap()).unwrap(), [1.5]);
    }

    fn lu_solves(backend: &Backend) {
        check_lu::<Complex32>(backend);
        check_lu::<Complex64>(backend);
        assert!(run_solve::<Complex64>(backend, 0, Op::None, &[], &[]).unwrap().is_empty());
    }

    fn a_singular_matrix_is_an_error(backend: &Backend) {
        check_singular::<Complex32>(backend);
        check_singular::<Complex64>(backend);
    }

    fn norms_are_the_largest_column_sum(backend: &Backend) {
        check_norm::<Complex32>(backend);
        check_norm::<Complex64>(backend);
    }

    fn gemm_multiplies(backend: &Backend) {
        check_gemm::<Complex32>(backend);
        check_gemm::<Complex64>(backend);
    }

    fn a_kernel_that_does_not_compile_says_why(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let source = KernelSource { name: "broken.cu", text: "KERNEL f(GLOBAL f64 *x) {\n  x[0] = nonsense;\n}\n" };
        match gpu.compile(&source, &[]).err().expect("must not compile") {
            DeviceError::KernelCompile { file, log } => {
                assert_eq!(file, "broken.cu");
                assert!(log.contains("nonsense"), "{log}");
            }
            other => panic!("{other}"),
        }
        // Nothing is wrong with the device.
        gpu.synchronize().unwrap();
    }

    fn wrong_launches_are_errors(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        let out = gpu.alloc::<i64>(5).unwrap();
        let launch = |name: &str, args: &[Arg<'_>]| gpu.launch(&*program, name, Grid::cover(1, 1), args);
        for name in ["no_such_kernel", "", "zero\0byte"] {
            match launch(name, &[]).unwrap_err() {
                DeviceError::KernelNotFound { file, kernel } => {
                    assert_eq!((file.as_str(), kernel.as_str()), ("selftest.cu", name));
                }
                other => panic!("{other}"),
            }
        }
        for args in [&[][..], &[(&out).into(), Arg::I32(1)], &[Arg::I32(1)]] {
            let error = launch("sizes", args).unwrap_err();
            assert!(matches!(error, DeviceError::KernelArguments { .. }), "{error}");
        }
        let groups = Grid { groups: [1, 1, 1], group_size: [1 << 20, 1, 1] };
        assert!(gpu.launch(&*program, "sizes", groups, &[(&out).into()]).is_err());
        gpu.synchronize().unwrap();
    }

    fn groups_that_wait_for_each_other_must_run_at_once(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        let resident = gpu.resident_groups(&*program, "indices", 32).unwrap();
        assert!(resident >= 1);
        let items = 32 * (resident as usize + 1);
        let out = gpu.alloc::<i32>(8 * items).unwrap();
        let launch = |items| gpu.launch_cooperative(&*program, "indices", Grid::cover(items, 32), &[(&out).into()]);
        launch(32 * resident as usize).unwrap();
        assert_eq!(gpu.download(&out).unwrap()[8 * (32 * resident as usize - 1)], 32 * resident as i32 - 1);
        let groups = u64::from(resident) + 1;
        let error = launch(items).unwrap_err();
        assert_eq!(error, DeviceError::TooManyGroups { kernel: "indices".into(), groups, resident });
    }

    fn early_launches_see_what_those_before_wrote(backend: &Backend) {
        const COUNT: usize = 100_000;
        let Some(gpu) = gpu(backend) else { return };
        let program = gpu.compile(&SELFTEST, &[]).unwrap();
        let mut expected: Vec<i32> = (0..COUNT as i32).map(|i| i % 7).collect();
        let buffers = [gpu.upload(&expected).unwrap(), gpu.alloc::<i32>(COUNT).unwrap()];
        for step in 0..20 {
            let (from, to) = (&buffers[step % 2], &buffers[(step + 1) % 2]);
            let args = [from.into(), to.into(), Arg::I32(COUNT as i32)];
            gpu.launch_dependent(&*program, "grow", Grid::cover(COUNT, 128), &args).unwrap();
            let at = |i: usize| expected[i % COUNT];
            expected = (0..COUNT).map(|i| (at(i + 1) + at(i + COUNT - 1)) % 1000 + 1).collect();
        }
        assert_eq!(gpu.download(&buffers[0]).unwrap(), expected);
    }

    fn what_does_not_fit_is_out_of_memory(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        for bytes in [1_usize << 45, 1 << 60] {
            match gpu.alloc::<u8>(bytes).err().expect("nobody has that much") {
                DeviceError::OutOfMemory { requested, free } => {
                    assert_eq!(requested, bytes);
                    assert!(free > 0);
                }
                other => panic!("{other}"),
            }
        }
        assert!(matches!(gpu.alloc::<f64>(usize::MAX), Err(DeviceError::TooLarge { .. })));
        // The device goes on working.
        assert_eq!(gpu.download(&gpu.upload(&[1, 2, 3]).unwrap()).unwrap(), [1, 2, 3]);
    }

    fn threads_may_share_a_device(backend: &Backend) {
        let Some(gpu) = gpu(backend) else { return };
        std::thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || {
                    let values = noise(5000, seed);
                    let buffer = gpu.upload(&values).unwrap();
                    let program = gpu.compile(&SELFTEST, &[]).unwrap();
                    let out = gpu.alloc::<i64>(5).unwrap();
                    gpu.launch(&*program, "sizes", Grid::cover(1, 1), &[(&out).into()]).unwrap();
                    assert_eq!(gpu.download(&buffer).unwrap(), values);
                });
            }
        });
    }
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    use phasefront_device::OpenCl;
    let (Ok(one), Ok(other)) = (OpenCl::open(), OpenCl::open()) else {
        eprintln!("SKIPPED a_buffer_of_another_device_is_refused: no OpenCL");
        return;
    };
    let (one, other): (&dyn Gpu, &dyn Gpu) = (&one, &other);
    let buffer = one.upload(&[1.0]).unwrap();
    assert_eq!(other.download(&buffer), Err(DeviceError::Foreign { what: "a buffer" }));
}

#[test]
fn every_kernel_compiles_for_every_architecture() {
    let mut count = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            let text = std::fs::read_to_string(&path).unwrap().leak();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned().leak();
            for precision in [Precision::Single, Precision::Double] {
                let source = KernelSource { name, text };
                // The last two are sizes of work groups that some of the files take.
                let defines = [("REAL", precision.c_name()), ("TILE", "32"), ("GROUP", "256")];
                testing::compile_for_all_architectures(&source, &defines);
            }
            count += 1;
        }
    }
    assert!(count > 0);
}
