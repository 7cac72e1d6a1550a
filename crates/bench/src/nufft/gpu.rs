//! Nonuniform FFTs on a GPU: every spreading method, called directly and replayed from a recording
//! (`rec`), from launch to completion, with all data on the device.

use super::data::{Data, TOLERANCES};
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds};
use num_complex::Complex64;
use phasefront_device::{Buffer, DeviceKind, Gpu};
use phasefront_nufft::{GpuMethod, GpuPlan, Options, Sign, TransformType};
use std::sync::Arc;

/// Points, modes along either axis, and the seconds · 1e6 that cuFINUFFT 2.4.1 took for types 1 and 2 on an H200, double precision, plan
/// reused, at 1e-6 and at 1e-12.
const SIZES: &[(usize, usize, [[f64; 2]; 2])] = &[
    (5041, 256, [[83.0, 63.0], [80.0, 73.0]]),
    (10_000, 256, [[82.0, 57.0], [113.0, 59.0]]),
    (1_000_000, 256, [[640.0, 179.0], [2065.0, 335.0]]),
    (1_000_000, 1000, [[795.0, 322.0], [2206.0, 550.0]]),
    (10_000_000, 1000, [[5277.0, 1281.0], [17302.0, 2716.0]]),
];
/// The GPU of those figures.
const THEIR_GPU: &str = "H200";
/// OpenCL serves for tests.
const MAX_OPENCL_POINTS: usize = 10_000;
pub(super) const REPEATS: usize = 20;

const METHODS: [(GpuMethod, &str); 6] = [
    (GpuMethod::Auto, "auto"),
    (GpuMethod::OutputDriven, "output-driven"),
    (GpuMethod::Subproblem, "subproblem"),
    (GpuMethod::Sorted, "sorted"),
    (GpuMethod::PointDriven, "point-driven"),
    (GpuMethod::TapDriven, "tap-driven"),
];

pub(super) fn run(bench: &mut Bench<'_>, gpu: &Arc<dyn Gpu>) -> Result<(), BenchError> {
    let published = gpu.info().name.contains(THEIR_GPU);
    for &(count, side, theirs) in SIZES {
        if gpu.info().kind == DeviceKind::OpenCl && count > MAX_OPENCL_POINTS {
            continue;
        }
        let data = Data::new(count, side, 0.0);
        let device = OnDevice::new(gpu, &data)?;
        for (tolerance, theirs) in TOLERANCES.into_iter().zip(theirs) {
            // Published times are compared on the same GPU model only.
            let theirs = published.then(|| theirs.map(|micro| (1e-6 * micro, "cufinufft")));
            for (gpu_method, name) in METHODS {
                bench.progress.check()?;
                let options = Options { gpu_method, ..Options::default() };
                let mut plan = GpuPlan::new(gpu, &[side, side], tolerance, &options)?;
                // Sorting is part of setting points and not of the transform, as in cuFINUFFT.
                plan.set_device_points(&[&device.points[0], &device.points[1]])?;
                let mut rows = Rows { bench, device: &device, data: &data, tolerance, theirs };
                rows.type1(&plan, name)?;
                if gpu_method == GpuMethod::Auto {
                    rows.set_points(&mut plan)?;
                    rows.type2(&plan, "auto")?;
                    rows.gradient(&plan)?;
                    for (name, lane_threshold) in [("by lanes", usize::MAX), ("by points", 0)] {
                        plan.lane_threshold = lane_threshold;
                        rows.type2(&plan, name)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The data in device buffers, and output buffers.
pub(super) struct OnDevice {
    pub gpu: Arc<dyn Gpu>,
    pub points: [Buffer<f64>; 2],
    pub strengths: Buffer<Complex64>,
    pub modes: Buffer<Complex64>,
    pub mode_results: Buffer<Complex64>,
    pub point_results: Buffer<Complex64>,
}

impl OnDevice {
    pub fn new(gpu: &Arc<dyn Gpu>, data: &Data) -> Result<Self, BenchError> {
        Ok(Self {
            points: [gpu.upload(&data.points[0])?, gpu.upload(&data.points[1])?],
            strengths: gpu.upload(&data.strengths)?,
            modes: gpu.upload(&data.modes)?,
            mode_results: gpu.alloc(data.modes.len())?,
            point_results: gpu.alloc(data.count())?,
            gpu: gpu.clone(),
        })
    }

    /// Median time of `work` from its first launch to completion.
    pub fn seconds(&self, mut work: impl FnMut() -> Result<(), BenchError>) -> Result<f64, BenchError> {
        median_seconds(REPEATS, || {
            work()?;
            Ok(self.gpu.synchronize()?)
        })
    }
}

/// The rows of one size and tolerance.
struct Rows<'a, 'b> {
    bench: &'a mut Bench<'b>,
    device: &'a OnDevice,
    data: &'a Data,
    tolerance: f64,
    theirs: Option<[(f64, &'static str); 2]>,
}

impl Rows<'_, '_> {
    fn type1(&mut self, plan: &GpuPlan<f64>, name: &str) -> Result<(), BenchError> {
        let OnDevice { strengths, mode_results, .. } = self.device;
        let plain = self.device.seconds(|| Ok(plan.type1(strengths, Sign::Plus, mode_results)?))?;
        let recording = plan.record_type1(strengths, Sign::Plus, mode_results)?;
        let recorded = self.device.seconds(|| Ok(recording.replay()?))?;
        let error = self.data.error(TransformType::One, &self.device.gpu.download(mode_results)?);
        let theirs = self.theirs.map(|theirs| theirs[0]);
        self.report(&format!("1 {name}"), plain, Some(error), theirs);
        self.report(&format!("1 {name} rec"), recorded, Some(error), theirs);
        Ok(())
    }

    fn type2(&mut self, plan: &GpuPlan<f64>, name: &str) -> Result<(), BenchError> {
        let OnDevice { modes, point_results, .. } = self.device;
        let plain = self.device.seconds(|| Ok(plan.type2(modes, Sign::Plus, point_results)?))?;
        let recording = plan.record_type2(modes, Sign::Plus, point_results)?;
        let recorded = self.device.seconds(|| Ok(recording.replay()?))?;
        let error = self.data.error(TransformType::Two, &self.device.gpu.download(point_results)?);
        let theirs = self.theirs.map(|theirs| theirs[1]);
        self.report(&format!("2 {name}"), plain, Some(error), theirs);
        self.report(&format!("2 {name} rec"), recorded, Some(error), theirs);
        Ok(())
    }

    /// Type 2 with the derivatives along both axes.
    fn gradient(&mut self, plan: &GpuPlan<f64>) -> Result<(), BenchError> {
        let OnDevice { modes, point_results, .. } = self.device;
        let gradient = self.device.gpu.alloc(2 * self.data.count())?;
        let recording = plan.record_type2_gradient(modes, Sign::Plus, point_results, &gradient)?;
        let recorded = self.device.seconds(|| Ok(recording.replay()?))?;
        self.report("2 and gradient rec", recorded, None, None);
        Ok(())
    }

    fn set_points(&mut self, plan: &mut GpuPlan<f64>) -> Result<(), BenchError> {
        let [x, y] = &self.device.points;
        let seconds = self.device.seconds(|| Ok(plan.set_device_points(&[x, y])?))?;
        self.report("set points", seconds, None, None);
        Ok(())
    }

    fn report(&mut self, what: &str, seconds: f64, error: Option<f64>, theirs: Option<(f64, &'static str)>) {
        let (count, tolerance) = (self.data.count() as f64, self.tolerance);
        let workload = format!("nufft {what} {} {tolerance:.0e}", self.data.size());
        let device = self.bench.backend.name();
        self.bench.report_checked(workload, device, (seconds, error), (count, "points/s"), theirs);
    }
}
