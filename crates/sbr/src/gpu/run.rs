//! A batch on the device: compiled kernels, tables and sums. Only the sums come back.

use super::kernels::{BEAM_KERNELS, GROUP, KernelConfig, RAY_GRID_KERNELS};
use super::scene::DeviceScene;
use super::tables;
use crate::accumulator::{Accumulator, Counts};
use crate::batch::Batch;
use crate::error::SbrError;
use crate::layout::{
    AREA_UNIT, CHANNEL_SUMS, COUNT_AREA, COUNT_DISCARDED, COUNT_RAYS, COUNT_REMAINING, COUNT_SUMS,
};
use crate::problem::Tubes;
use crate::radiation_integral::Wavenumbers;
use crate::sampling::Sampling;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::{Arg, Buffer, Gpu, Grid, Program};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Stack entries for the traversal of the BVH are allocated in this granularity, so that few variants of the kernels are compiled:
/// 96 entries hold thirteen levels, enough for most meshes.
const STACK_GRANULARITY: usize = 96;
/// Fraction of the free memory that a batch may use.
pub(super) const MEMORY_SHARE: f64 = 0.25;
/// Fixed-point resolution of the sums: units between zero and the specular flash of a plate as wide as the target. Rounding to one
/// unit is below double precision, and eleven bits of an i64 are left for sums above the flash.
const UNITS: f64 = (1_u64 << 52) as f64;

/// One batch of incident waves on the device.
pub(super) struct Run<'a> {
    scene: &'a DeviceScene,
    pub batch: &'a Batch<'a>,
    pub config: KernelConfig,
    program: Arc<dyn Program>,
    pub waves: Buffer<f64>,
    receivers: Buffer<f64>,
    wavenumbers: Buffer<f64>,
    materials: Buffer<f64>,
    pub sums: Buffer<i64>,
    /// Whether any tube had this number of bounces, by number.
    bounced: Buffer<i32>,
    /// Fixed-point units per meter.
    scale: f64,
}

impl<'a> Run<'a> {
    pub fn new(device: &'a DeviceScene, batch: &'a Batch<'a>) -> Result<Self, SbrError> {
        let (gpu, scene, problem) = (&*device.gpu, &batch.study.scene, &batch.study.problem);
        let config = config(device, batch);
        let defines = config.defines();
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, text)| (*name, text.as_str())).collect();
        // Sweep table of the kernels: wavenumbers, then the
        // highest one, then the step, zero if not uniform.
        let Wavenumbers { k, step, highest } =
            Wavenumbers::new(batch.frequencies.iter().map(|&f| wavenumber(f)).collect());
        let wavenumbers = [k, vec![highest, step.unwrap_or(0.0)]].concat();
        // Physical optics: |S| = kA/2π of a plate at normal incidence.
        let flash = highest / TAU * PI * scene.radius.powi(2);
        // Hot spots, after the sums of all waves: [bounce][facet], eight numbers each.
        let spots = if batch.by_facet { CHANNEL_SUMS * batch.bounces * scene.facets.len() } else { 0 };
        let sums = batch.incidences.len() * config.wave_sums() + spots;
        let kernels = match problem.tubes {
            Tubes::Beams => &BEAM_KERNELS,
            Tubes::RayGrid => &RAY_GRID_KERNELS,
        };
        let run = Self {
            program: gpu.compile(kernels, &defines)?,
            waves: gpu.upload(&batch.incidences.iter().flat_map(tables::wave).collect::<Vec<f64>>())?,
            receivers: gpu.upload(&tables::receivers(&batch.incidences, config.receivers))?,
            wavenumbers: gpu.upload(&wavenumbers)?,
            materials: gpu.upload(&tables::materials(scene, batch.frequencies, config.layers))?,
            sums: gpu.alloc(sums)?,
            bounced: gpu.alloc(batch.bounces + 1)?,
            scale: UNITS / flash,
            scene: device,
            batch,
            config,
        };
        run.clear_sums(&run.sums)?;
        run.clear_counts(&run.bounced)?;
        Ok(run)
    }

    pub fn gpu(&self) -> &dyn Gpu {
        &*self.scene.gpu
    }

    pub fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), SbrError> {
        Ok(self.gpu().launch(&*self.program, kernel, grid, args)?)
    }

    pub fn clear_sums(&self, sums: &Buffer<i64>) -> Result<(), SbrError> {
        let args = [sums.into(), Arg::I64(sums.len() as i64)];
        self.launch("clear_sums", Grid::cover(sums.len(), GROUP), &args)
    }

    pub fn clear_counts(&self, counts: &Buffer<i32>) -> Result<(), SbrError> {
        let args = [counts.into(), Arg::I64(counts.len() as i64)];
        self.launch("clear_counts", Grid::cover(counts.len(), GROUP), &args)
    }

    /// `SCENE_PARAMS` of the kernels.
    pub fn scene_args(&self) -> Vec<Arg<'_>> {
        self.scene.args(&self.batch.study.scene)
    }

    /// `SUM_PARAMS` of the kernels.
    pub fn sums_args(&self) -> [Arg<'_>; 7] {
        [
            (&self.receivers).into(),
            (&self.wavenumbers).into(),
            (&self.materials).into(),
            Arg::F64(self.scale),
            Arg::I32(self.batch.study.scene.facets.len() as i32),
            (&self.sums).into(),
            (&self.bounced).into(),
        ]
    }

    /// The area that a ray stands for where the power left is measured, m².
    pub fn sample_area(&self) -> Arg<'_> {
        Arg::F64(Sampling::new(self.batch).area)
    }

    /// Downloads the sums of all incident waves.
    pub fn totals(&self) -> Result<Vec<Accumulator>, SbrError> {
        let (sums, bounced) = (self.gpu().download(&self.sums)?, self.gpu().download(&self.bounced)?);
        // The device flags the bounce numbers that occurred: plain stores of the same value,
        // without atomics. The flags are common to the batch.
        let bounces = bounced.iter().rposition(|&any| any != 0).unwrap_or(0);
        let tube = self.batch.study.tube_width().powi(2);
        let amplitude = |part: &[i64]| Complex64::new(part[0] as f64, part[1] as f64) / self.scale;
        let amplitudes = |sums: &[i64]| [0, 1, 2, 3].map(|i| amplitude(&sums[2 * i..]));
        let per_wave = self.config.wave_sums();
        // [wave][receiver][frequency][8], followed by the statistics of each wave.
        let (waves, spots) = sums.split_at(self.batch.incidences.len() * per_wave);
        let mut totals: Vec<Accumulator> = Vec::with_capacity(self.batch.incidences.len());
        for (incidence, sums) in self.batch.incidences.iter().zip(waves.chunks(per_wave)) {
            // Waves with fewer receivers than the widest have
            // padded channels at the end, which are dropped.
            let channels = self.config.frequencies * incidence.aspects.len();
            let counts = &sums[per_wave - COUNT_SUMS..];
            let area = |count: i64| count as f64 * AREA_UNIT * tube;
            let mut total = Accumulator::new(0);
            total.sums = sums.chunks(CHANNEL_SUMS).take(channels).map(amplitudes).collect();
            total.counts = Counts {
                rays: counts[COUNT_RAYS] as u64,
                bounces,
                hit_area: area(counts[COUNT_AREA]),
                discarded_area: area(counts[COUNT_DISCARDED]),
                remaining_power: area(counts[COUNT_REMAINING]),
                ..Counts::default()
            };
            totals.push(total);
        }
        // Hot spots are traced for a single wave: all
        // belong to the first. Empty facets are omitted.
        if let Some(total) = totals.first_mut() {
            let facets = self.batch.study.scene.facets.len();
            let spots =
                spots.chunks(CHANNEL_SUMS).enumerate().filter(|(_, spot)| spot.iter().any(|&part| part != 0));
            total.hot_spots =
                spots.map(|(i, spot)| (i / facets + 1, (i % facets) as u32, amplitudes(spot))).collect();
        }
        Ok(totals)
    }
}

/// What the kernels are compiled for.
fn config(device: &DeviceScene, batch: &Batch<'_>) -> KernelConfig {
    let (scene, problem) = (&batch.study.scene, &batch.study.problem);
    let aspects = batch.incidences.iter().flat_map(|incidence| incidence.aspects);
    KernelConfig {
        bounces: batch.bounces,
        frequencies: batch.frequencies.len(),
        receivers: batch.incidences.iter().map(|i| i.aspects.len()).max().unwrap_or(1),
        // Rounded up: each stack size is a separate compilation.
        stack: scene.tree.waiting().next_multiple_of(STACK_GRANULARITY),
        layers: (!scene.conducts).then(|| scene.materials.iter().map(tables::layers_of).max().unwrap_or(0)),
        weights: problem.formulation.weights(),
        // Without bistatic aspects the shadow term is compiled out.
        shadow: aspects.into_iter().any(|aspect| !aspect.is_monostatic()),
        by_facet: batch.by_facet,
        kd_tree: device.kd_tree,
    }
}
