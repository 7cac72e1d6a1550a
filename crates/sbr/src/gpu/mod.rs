//! Ray tubes on a GPU: the kernels in `kernels/`.
//!
//! The work of many looks goes to the device at once; what does not fit goes in pieces. Only the sums come back.

mod beams;
mod grid;
mod shape;
mod tables;

use crate::aperture::Aperture;
use crate::cpu::Tally;
use crate::error::SbrError;
use crate::footprint::Waves;
use crate::post::{Counts, RayTimes};
use crate::problem::{Look, Study, Tubes};
use crate::scene::{Facet, Scene};
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::wavenumber;
use phasefront_device::{Arg, Buffer, Gpu, Grid, Program};
use phasefront_mesh::KdTree;
use rayon::prelude::*;
pub use shape::{BEAM_KERNELS, GRID_KERNELS, KernelShape};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Work items per group.
const GROUP: u32 = 128;
/// Children of a tree that wait at any time: enough for thirteen levels, and most meshes.
const USUAL_STACK: usize = 96;
/// Part of the free memory that a batch may take.
const MEMORY_SHARE: f64 = 0.25;
/// Amounts between zero and the flash of a plate as wide as the target: what rounding to whole ones adds is below double precision,
/// and there are eleven bits to spare for more than that flash.
const AMOUNTS: f64 = (1_u64 << 52) as f64;
/// Of a tube; the same in the kernels.
const AREA_UNIT: f64 = 1.0 / 1_048_576.0;

/// The target on the device.
pub(crate) struct GpuEngine {
    gpu: Arc<dyn Gpu>,
    nodes: Buffer<u32>,
    leaves: Buffer<i32>,
    facets: Buffer<f64>,
    marks: Buffer<i32>,
    /// The arrays of the paper's tree, whole numbers and others one after the other; how many nodes and leaves it has.
    kd_tags: Buffer<i32>,
    kd_numbers: Buffer<f32>,
    kd_tree: Option<[usize; 2]>,
}

/// Looks that share an incident wave, and where their rays start.
struct Incidence<'a> {
    looks: &'a [Look],
    aperture: Aperture,
    /// Of the paper's rays.
    blocks: Vec<[usize; 2]>,
}

impl GpuEngine {
    pub fn new(gpu: &Arc<dyn Gpu>, scene: &Scene) -> Result<Self, SbrError> {
        let packed = scene.tree.packed();
        let numbers = |facet: &Facet| {
            let [a, b, c] = facet.corners;
            [a, b, c, facet.normal].map(|p| p.to_array())
        };
        let facets: Vec<f64> = scene.facets.iter().flat_map(numbers).flatten().collect();
        let marks = |facet: &Facet| [facet.material as i32, facet.outside as i32];
        let marks: Vec<i32> = scene.facets.iter().flat_map(marks).collect();
        let mut kd_tags = vec![0];
        let mut kd_numbers = vec![0.0];
        let kd_tree = scene.kd_tree.as_ref().map(KdTree::flat);
        if let Some(tree) = &kd_tree {
            kd_tags = [&tree.tags[..], &tree.ropes, &tree.spans, &tree.ids].concat();
            kd_numbers = [tree.bounds.as_flattened(), &tree.splits, &tree.boxes].concat();
        }
        Ok(Self {
            kd_tags: gpu.upload(&kd_tags)?,
            kd_numbers: gpu.upload(&kd_numbers)?,
            kd_tree: kd_tree.map(|tree| [tree.tags.len(), tree.spans.len() - 1]),
            nodes: gpu.upload(&packed.nodes)?,
            leaves: gpu.upload(&packed.leaves)?,
            facets: gpu.upload(&facets)?,
            marks: gpu.upload(&marks)?,
            gpu: gpu.clone(),
        })
    }

    /// What the tubes of each incident wave among the looks add up to.
    pub fn incidences(
        &self,
        study: &Study,
        looks: &[Look],
        frequencies: &[f64],
        hot_spots: bool,
        progress: &Progress,
    ) -> Result<Vec<Tally>, SbrError> {
        let incidences = prepared(study, looks);
        let run = Run::new(self, study, &incidences, frequencies, hot_spots)?;
        match study.problem.tubes {
            Tubes::Adaptive => beams::shoot(&run, progress)?,
            Tubes::Paper => grid::shoot(&run, progress)?,
        }
        run.tallies()
    }

    /// Times the paper's rays of some looks.
    pub fn ray_times(&self, study: &Study, looks: &[Look], repeats: usize) -> Result<RayTimes, SbrError> {
        let incidences = prepared(study, looks);
        grid::times(&Run::new(self, study, &incidences, &study.problem.frequencies, false)?, repeats)
    }
}

/// Incident waves among looks, and where their rays start.
fn prepared<'a>(study: &Study, looks: &'a [Look]) -> Vec<Incidence<'a>> {
    let groups: Vec<&[Look]> = looks.chunk_by(|a, b| a.incident == b.incident).collect();
    let incidence = |looks: &&'_ [Look]| {
        let [towards, _, across] = looks[0].incident.frame();
        let aperture = Aperture::new(&study.scene, -towards, across, study.tube_width());
        let is_paper = study.problem.tubes == Tubes::Paper;
        let blocks = if is_paper { aperture.occupied(&study.scene) } else { Vec::new() };
        (aperture, blocks)
    };
    let places: Vec<_> = groups.par_iter().map(incidence).collect();
    let incidence = |(looks, (aperture, blocks))| Incidence { looks, aperture, blocks };
    groups.into_iter().zip(places).map(incidence).collect()
}

/// One set of incident waves on the device.
struct Run<'a> {
    engine: &'a GpuEngine,
    study: &'a Study,
    incidences: &'a [Incidence<'a>],
    shape: KernelShape,
    program: Arc<dyn Program>,
    waves: Buffer<f64>,
    receivers: Buffer<f64>,
    ks: Buffer<f64>,
    materials: Buffer<f64>,
    sums: Buffer<i64>,
    seen: Buffer<i32>,
    /// Whole amounts per meter.
    scale: f64,
}

impl<'a> Run<'a> {
    fn new(
        engine: &'a GpuEngine,
        study: &'a Study,
        incidences: &'a [Incidence<'a>],
        frequencies: &[f64],
        hot_spots: bool,
    ) -> Result<Self, SbrError> {
        let (gpu, scene, problem) = (&*engine.gpu, &study.scene, &study.problem);
        let shape = KernelShape {
            bounces: problem.bounces,
            waves: frequencies.len(),
            receivers: incidences.iter().map(|i| i.looks.len()).max().unwrap_or(1),
            // Few sizes: each takes the compiler some seconds.
            stack: scene.tree.waiting().next_multiple_of(USUAL_STACK),
            layers: (!scene.conducts)
                .then(|| scene.materials.iter().map(tables::layers_of).max().unwrap_or(0)),
            weights: problem.formulation.weights(),
            shadow: incidences.iter().flat_map(|i| i.looks).any(|look| !look.is_monostatic()),
            hot_spots,
            kd_tree: engine.kd_tree,
        };
        let defines = shape.defines();
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let Waves { k, step, highest } = Waves::new(frequencies.iter().map(|&f| wavenumber(f)).collect());
        let ks = [k, vec![highest, step.unwrap_or(0.0)]].concat();
        let flash = highest / TAU * PI * scene.radius.powi(2);
        let spots = if hot_spots { 8 * problem.bounces * scene.facets.len() } else { 0 };
        let sums = incidences.len() * sums_of_look(&shape) + spots;
        let kernels = if problem.tubes == Tubes::Paper { &GRID_KERNELS } else { &BEAM_KERNELS };
        let run = Self {
            program: gpu.compile(kernels, &defines)?,
            waves: gpu.upload(&incidences.iter().flat_map(tables::wave).collect::<Vec<f64>>())?,
            receivers: gpu.upload(&tables::receivers(incidences, shape.receivers))?,
            ks: gpu.upload(&ks)?,
            materials: gpu.upload(&tables::materials(scene, frequencies, shape.layers))?,
            sums: gpu.alloc(sums)?,
            seen: gpu.alloc(problem.bounces + 1)?,
            scale: AMOUNTS / flash,
            engine,
            study,
            incidences,
            shape,
        };
        run.launch("clear_sums", Grid::cover(sums, GROUP), &[(&run.sums).into(), Arg::I64(sums as i64)])?;
        run.clear_counts(&run.seen)?;
        Ok(run)
    }

    fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), SbrError> {
        Ok(self.engine.gpu.launch(&*self.program, kernel, grid, args)?)
    }

    fn clear_counts(&self, counts: &Buffer<i32>) -> Result<(), SbrError> {
        let args = [counts.into(), Arg::I64(counts.len() as i64)];
        self.launch("clear_counts", Grid::cover(counts.len(), GROUP), &args)
    }

    fn scene_args(&self) -> Vec<Arg<'_>> {
        let GpuEngine { nodes, leaves, facets, marks, kd_tags, kd_numbers, .. } = self.engine;
        let scene = &self.study.scene;
        let mut args: Vec<Arg<'_>> = vec![nodes.into(), leaves.into(), facets.into(), marks.into()];
        args.extend([Arg::from(kd_tags), kd_numbers.into()]);
        args.extend([Arg::F64(scene.nearest.into()), Arg::F64(1.01 * scene.radius)]);
        args
    }

    /// What tubes are added to.
    fn sums_args(&self) -> [Arg<'_>; 7] {
        [
            (&self.receivers).into(),
            (&self.ks).into(),
            (&self.materials).into(),
            Arg::F64(self.scale),
            Arg::I32(self.study.scene.facets.len() as i32),
            (&self.sums).into(),
            (&self.seen).into(),
        ]
    }

    fn tallies(&self) -> Result<Vec<Tally>, SbrError> {
        let gpu = &*self.engine.gpu;
        let (sums, seen) = (gpu.download(&self.sums)?, gpu.download(&self.seen)?);
        let bounces = seen.iter().rposition(|&seen| seen != 0).unwrap_or(0);
        let tube = self.study.tube_width().powi(2);
        let amount = |part: &[i64]| Complex64::new(part[0] as f64, part[1] as f64) / self.scale;
        let amplitudes = |sums: &[i64]| [0, 1, 2, 3].map(|i| amount(&sums[2 * i..]));
        let per_look = sums_of_look(&self.shape);
        let (looks, spots) = sums.split_at(self.incidences.len() * per_look);
        let mut tallies: Vec<Tally> = Vec::with_capacity(self.incidences.len());
        for (incidence, sums) in self.incidences.iter().zip(looks.chunks(per_look)) {
            let channels = self.shape.waves * incidence.looks.len();
            let counts = &sums[per_look - 8..];
            let area = |count: i64| count as f64 * AREA_UNIT * tube;
            let mut tally = Tally::new(0);
            tally.sums = sums.chunks(8).take(channels).map(amplitudes).collect();
            tally.counts = Counts {
                rays: counts[0] as u64,
                bounces,
                hit_area: area(counts[1]),
                discarded_area: area(counts[2]),
            };
            tallies.push(tally);
        }
        if let Some(tally) = tallies.first_mut() {
            let facets = self.study.scene.facets.len();
            let spots = spots.chunks(8).enumerate().filter(|(_, spot)| spot.iter().any(|&part| part != 0));
            tally.hot_spots =
                spots.map(|(i, spot)| (i / facets + 1, (i % facets) as u32, amplitudes(spot))).collect();
        }
        Ok(tallies)
    }
}

/// Sums of a look: eight per channel, and eight for counts.
fn sums_of_look(shape: &KernelShape) -> usize {
    8 * shape.waves * shape.receivers + 8
}
