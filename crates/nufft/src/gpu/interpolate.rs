//! Interpolation on a GPU.

use super::kernels::LANES_GROUP;
use super::plan::{DeviceResult, GpuPlan, sizes};
use super::sort::Points;
use bytemuck::Pod;
use num_complex::Complex;
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer};

/// Maximum groups that interpolate by lanes: enough to fill any GPU. Each processes several sets of points.
const MAX_GROUPS: usize = 4096;

impl<T: Real + Pod> GpuPlan<T> {
    /// Interpolates a grid at the points: c_j = Σ_l b_l φ(l − n x_j/2π).
    pub(super) fn interpolate(
        &self,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        strengths: &Buffer<Complex<T>>,
    ) -> DeviceResult {
        if points.count * self.options.batch <= self.lane_threshold {
            return self.interpolate_by_lanes(points, grid, strengths, None);
        }
        let mut args = vec![(&points.first).into(), (&points.z).into(), (&points.order).into()];
        args.extend([grid.into(), strengths.into(), Arg::I64(points.count as i64)]);
        args.extend(sizes(self.shape.fine));
        let groups = points.count.div_ceil(LANES_GROUP as usize);
        self.launch_batch(&*self.kernels.interpolate, "interpolate_points", groups, LANES_GROUP, &args)
    }

    /// The same with several work items per point, and with derivatives if there is a `gradient`.
    pub(super) fn interpolate_by_lanes(
        &self,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        strengths: &Buffer<Complex<T>>,
        gradient: Option<&Buffer<Complex<T>>>,
    ) -> DeviceResult {
        let mut args = vec![(&points.first).into(), (&points.z).into(), (&points.order).into()];
        // A kernel needs a buffer for every parameter; without a gradient it does not touch this one.
        let buffers = [grid, strengths, gradient.unwrap_or(strengths)];
        args.extend(buffers.map(Arg::from));
        args.push(Arg::I64(points.count as i64));
        args.extend(sizes(self.shape.fine));
        args.push(Arg::I32(i32::from(gradient.is_some())));
        // A power of two, so that the lanes of a point are in one warp; LANES of interpolate.cu.
        let lanes = self.shape.taps[0].next_power_of_two().clamp(8, 32);
        let groups = (points.count * lanes).div_ceil(LANES_GROUP as usize).min(MAX_GROUPS);
        self.launch_batch(&*self.kernels.interpolate, "interpolate_lanes", groups, LANES_GROUP, &args)
    }
}
