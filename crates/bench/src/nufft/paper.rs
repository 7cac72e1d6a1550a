//! Figures 3, 6, 7 and 8 of Capozzoli, Curcio, Liseno and Toso (2016) reproduced on this machine:
//! error (3: type 1, 8: type 2) and speed-up of the GPU over the CPU (6: type 1, 7: type 2) against
//! the side M of an array of M x M elements, with M x M modes, and their kernel with K = 6.
//!
//! For comparison, the sums as one matrix product, F = Ex (diag(a) Eyᵀ), with precomputed
//! exponentials, up to the size that the paper's GPU could hold. The CPU uses all threads, as far
//! as a transform of this size occupies them.

use super::data::{Data, distance, transform};
use super::gpu::OnDevice;
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds};
use num_complex::Complex64;
use phasefront_device::{DeviceKind, Gpu, cpu};
use phasefront_nufft::{
    GpuMethod, GpuPlan, ModeOrder, Options, Sign, SpreadingKernel, TransformType, direct,
};
use std::sync::Arc;

const SIDES: &[usize] = &[10, 20, 30, 40, 50, 64, 80, 100];
/// OpenCL serves for tests.
const OPENCL_SIDES: &[usize] = &[10];
/// The side up to which the paper's GPU held the matrices.
const MAX_PRODUCT: usize = 64;
/// The tolerance reached by K = 6 in two dimensions, and by no smaller K.
const TOLERANCE: f64 = 1e-11;
const REPEATS: usize = 5;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let gpu = bench.backend.gpu().cloned();
    let opencl = gpu.as_ref().is_some_and(|gpu| gpu.info().kind == DeviceKind::OpenCl);
    for &side in if opencl { OPENCL_SIDES } else { SIDES } {
        bench.progress.check()?;
        // The paper's data has parts in (0, 1).
        let data = Data::new(side * side, side, 0.5);
        let figure = Figure::new(&data);
        let cpu = figure.on_cpu(bench)?;
        let paper = match &gpu {
            Some(gpu) => (figure.on_gpu(bench, gpu, cpu)?, "paper gpu"),
            None => (cpu[0], "paper cpu"),
        };
        if side <= MAX_PRODUCT {
            figure.matrix_product(bench, gpu.as_ref(), paper)?;
        }
    }
    Ok(())
}

/// One point of the figures.
struct Figure<'a> {
    data: &'a Data,
    /// All sums, of type 1 and of type 2.
    exact: [Vec<Complex64>; 2],
}

fn paper(gpu_method: GpuMethod) -> Options {
    Options { kernel: SpreadingKernel::KaiserBessel, gpu_method, ..Options::default() }
}

impl<'a> Figure<'a> {
    fn new(data: &'a Data) -> Self {
        let (points, modes) = (data.points.each_ref().map(Vec::as_slice), [data.side; 2]);
        let exact = [
            direct::type1(&points, &data.strengths, &modes, Sign::Plus, ModeOrder::Centered),
            direct::type2(&points, &data.modes, &modes, Sign::Plus, ModeOrder::Centered),
        ];
        Self { data, exact }
    }

    /// Seconds of either type.
    fn on_cpu(&self, bench: &mut Bench<'_>) -> Result<[f64; 2], BenchError> {
        let mut seconds = [0.0; 2];
        for (i, kind) in [TransformType::One, TransformType::Two].into_iter().enumerate() {
            let input = if i == 0 { &self.data.strengths } else { &self.data.modes };
            let (time, output) =
                transform(self.data, kind, TOLERANCE, &paper(GpuMethod::Auto), input, self.exact[i].len())?;
            let error = distance(&output, &self.exact[i]);
            self.report(bench, &format!("paper {}", i + 1), "cpu", (time, Some(error)), None);
            seconds[i] = time;
        }
        Ok(seconds)
    }

    /// The paper's two schemes of type 1 and its scheme of type 2, and ours; returns the time of
    /// the better one of type 1.
    fn on_gpu(&self, bench: &mut Bench<'_>, gpu: &Arc<dyn Gpu>, cpu: [f64; 2]) -> Result<f64, BenchError> {
        let device = OnDevice::new(gpu, self.data)?;
        let mut best = [f64::INFINITY; 2];
        for (method, name) in
            [(GpuMethod::PointDriven, "thread per point"), (GpuMethod::TapDriven, "thread per tap")]
        {
            let plan = self.plan(&device, &paper(method))?;
            let time =
                device.seconds(|| Ok(plan.type1(&device.strengths, Sign::Plus, &device.mode_results)?))?;
            let error = distance(&gpu.download(&device.mode_results)?, &self.exact[0]);
            best[0] = time.min(best[0]);
            let other = Some((cpu[0], "paper cpu"));
            self.report(
                bench,
                &format!("paper 1, {name},"),
                bench.backend.name(),
                (time, Some(error)),
                other,
            );
        }
        let mut plan = self.plan(&device, &paper(GpuMethod::PointDriven))?;
        plan.lane_threshold = 0;
        best[1] = device.seconds(|| Ok(plan.type2(&device.modes, Sign::Plus, &device.point_results)?))?;
        let error = distance(&gpu.download(&device.point_results)?, &self.exact[1]);
        let other = Some((cpu[1], "paper cpu"));
        self.report(bench, "paper 2, thread per point,", bench.backend.name(), (best[1], Some(error)), other);
        self.ours(bench, &device, best)?;
        Ok(best[0])
    }

    /// Our kernel and spreading at the same tolerance, from a recording.
    fn ours(&self, bench: &mut Bench<'_>, device: &OnDevice, paper: [f64; 2]) -> Result<(), BenchError> {
        let plan = self.plan(device, &Options::default())?;
        let type1 = plan.record_type1(&device.strengths, Sign::Plus, &device.mode_results)?;
        let type2 = plan.record_type2(&device.modes, Sign::Plus, &device.point_results)?;
        let results = [&device.mode_results, &device.point_results];
        for (i, recording) in [type1, type2].iter().enumerate() {
            let time = device.seconds(|| Ok(recording.replay()?))?;
            let error = distance(&device.gpu.download(results[i])?, &self.exact[i]);
            let other = Some((paper[i], "paper gpu"));
            let name = format!("ours {}, recorded,", i + 1);
            self.report(bench, &name, bench.backend.name(), (time, Some(error)), other);
        }
        Ok(())
    }

    fn plan(&self, device: &OnDevice, options: &Options) -> Result<GpuPlan<f64>, BenchError> {
        let mut plan = GpuPlan::new(&device.gpu, &[self.data.side; 2], TOLERANCE, options)?;
        plan.set_device_points(&[&device.points[0], &device.points[1]])?;
        Ok(plan)
    }

    /// Type 1 as Ex (diag(a) Eyᵀ).
    fn matrix_product(
        &self,
        bench: &mut Bench<'_>,
        gpu: Option<&Arc<dyn Gpu>>,
        paper: (f64, &'static str),
    ) -> Result<(), BenchError> {
        let (n, count) = (self.data.side, self.data.count());
        let [x, y] = &self.data.points;
        let exponential = |k: usize, x: f64| Complex64::cis((k as f64 - (n / 2) as f64) * x);
        let ex: Vec<Complex64> = x.iter().flat_map(|&x| (0..n).map(move |k| exponential(k, x))).collect();
        let weighted =
            |k: usize| y.iter().zip(&self.data.strengths).map(move |(&y, a)| a * exponential(k, y));
        let aey: Vec<Complex64> = (0..n).flat_map(weighted).collect();
        let shape = [n, n, count];
        let mut product = vec![Complex64::ZERO; n * n];
        let seconds = if let Some(gpu) = gpu {
            let (ex, aey, c) = (gpu.upload(&ex)?, gpu.upload(&aey)?, gpu.upload(&product)?);
            let seconds = median_seconds(REPEATS, || {
                gpu.gemm(shape, &ex, &aey, &c)?;
                Ok(gpu.synchronize()?)
            })?;
            product = gpu.download(&c)?;
            seconds
        } else {
            median_seconds(REPEATS, || {
                cpu::gemm(shape, &ex, &aey, &mut product);
                Ok(())
            })?
        };
        let error = distance(&product, &self.exact[0]);
        self.report(bench, "matrix product 1", bench.backend.name(), (seconds, Some(error)), Some(paper));
        Ok(())
    }

    fn report(
        &self,
        bench: &mut Bench<'_>,
        name: &str,
        device: &'static str,
        timed: (f64, Option<f64>),
        other: Option<(f64, &'static str)>,
    ) {
        let workload = format!("nufft {name} M={}", self.data.side);
        bench.report_checked(workload, device, timed, (self.data.count() as f64, "points/s"), other);
    }
}
