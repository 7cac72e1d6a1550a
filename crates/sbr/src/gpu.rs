//! Ray tubes on a GPU: the kernels of `kernels/sbr.cu`.
//!
//! The blocks of many looks go to the device at once; what does not fit goes in pieces. Rays leave the facets that they met, tubes
//! that hold together are added, and the others are worked off from a queue, depth by depth. Only the sums come back.

use crate::aperture::{Aperture, RAYS};
use crate::cpu::{BEND, SPLITS_OF_RIMS, Tally};
use crate::error::SbrError;
use crate::material::Material;
use crate::post::Counts;
use crate::problem::{Look, Study, Tubes};
use crate::scene::Scene;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::wavenumber;
use phasefront_device::{Arg, Buffer, Gpu, Grid, KernelSource, Program};
use phasefront_mesh::KdTree;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// The kernels of this solver.
pub const KERNELS: KernelSource = KernelSource {
    name: "sbr/sbr.cu",
    text: concat!(
        "#line 1 \"sbr/kdtree.h\"\n",
        include_str!("../kernels/kdtree.h"),
        "#line 1 \"sbr/scene.h\"\n",
        include_str!("../kernels/scene.h"),
        "#line 1 \"sbr/ray.h\"\n",
        include_str!("../kernels/ray.h"),
        "#line 1 \"sbr/exit.h\"\n",
        include_str!("../kernels/exit.h"),
        "#line 1 \"sbr/cut.h\"\n",
        include_str!("../kernels/cut.h"),
        "#line 1 \"sbr/sbr.cu\"\n",
        include_str!("../kernels/sbr.cu")
    ),
};

/// Work items per group.
const GROUP: u32 = 128;
/// Rays for each part of a tube: its corners, and the one in its middle.
const PART_RAYS: usize = 5;
/// Room for parts of tubes beyond as many as a look has tubes: all that five splits of a rim a thousand tubes long leave.
const ROOM_FOR_PARTS: usize = 1 << 16;
/// Groups that work off the queues.
const QUEUE_GROUPS: usize = 4096;
/// Part of the free memory that a batch of blocks may take.
const MEMORY_SHARE: f64 = 0.25;
/// Blocks of a batch, at most: enough to keep the largest GPU busy for milliseconds.
const MOST_BLOCKS: usize = 1 << 15;
/// Amounts between zero and the flash of a plate as wide as the target: what rounding to whole ones adds is below double precision,
/// and there are eleven bits to spare for more than that flash.
const AMOUNTS: f64 = (1_u64 << 52) as f64;
/// Of a tube; the same in the kernels.
const AREA_UNIT: f64 = 1.0 / 1_048_576.0;

/// What the kernels are compiled for.
#[derive(Debug, Clone)]
pub struct KernelShape {
    /// Most bounces of a ray.
    pub bounces: usize,
    /// Frequencies.
    pub waves: usize,
    /// Receivers of one incident wave.
    pub receivers: usize,
    /// Layers of a material, at most; `None` if all conduct.
    pub layers: Option<usize>,
    /// Weights of the electric and magnetic field.
    pub weights: [f64; 2],
    /// Whether a receiver sees the shadow.
    pub shadow: bool,
    /// Whether the paper's rule decides on tubes.
    pub paper: bool,
    /// Whether sums are by facet and bounce.
    pub hot_spots: bool,
    /// Nodes and leaves of the paper's tree, if rays go over that.
    pub kd_tree: Option<[usize; 2]>,
}

impl KernelShape {
    /// The macros of the kernels.
    pub fn defines(&self) -> Vec<(&'static str, String)> {
        let mut defines = vec![
            ("BOUNCES", self.bounces.to_string()),
            ("WAVES", self.waves.to_string()),
            ("RECEIVERS", self.receivers.to_string()),
            ("WEIGHT_E", format!("{:.1}", self.weights[0])),
            ("WEIGHT_H", format!("{:.1}", self.weights[1])),
            ("GROUP", GROUP.to_string()),
        ];
        if let Some(layers) = self.layers {
            defines.push(("LOSSY", "1".into()));
            defines.push(("LAYERS", layers.max(1).to_string()));
        }
        if let Some([nodes, leaves]) = self.kd_tree {
            defines.push(("KD_TREE", "1".into()));
            defines.push(("KD_NODES", nodes.to_string()));
            defines.push(("KD_LEAVES", leaves.to_string()));
        }
        let switches = [("SHADOW", self.shadow), ("PAPER", self.paper), ("HOT_SPOTS", self.hot_spots)];
        defines.extend(switches.into_iter().filter(|switch| switch.1).map(|(name, _)| (name, "1".into())));
        defines
    }
}

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
    blocks: Vec<[usize; 2]>,
}

impl GpuEngine {
    pub fn new(gpu: &Arc<dyn Gpu>, scene: &Scene) -> Result<Self, SbrError> {
        let packed = scene.tree.packed();
        let numbers = |facet: &crate::scene::Facet| {
            let [a, b, c] = facet.corners;
            [a, b, c, facet.normal].map(|p| p.to_array())
        };
        let facets: Vec<f64> = scene.facets.iter().flat_map(numbers).flatten().collect();
        // Numbers of no facet become −1.
        let marks = |facet: &crate::scene::Facet| {
            let [a, b, c] = facet.neighbours.map(|neighbour| neighbour as i32);
            [facet.patch as i32, facet.material as i32, a, b, c]
        };
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
        let groups: Vec<&[Look]> = looks.chunk_by(|a, b| a.incident == b.incident).collect();
        let incidence = |looks: &&'_ [Look]| {
            let [towards, _, across] = looks[0].incident.frame();
            let aperture = Aperture::new(&study.scene, -towards, across, study.tube_width());
            let blocks = aperture.occupied(&study.scene);
            (aperture, blocks)
        };
        let places: Vec<_> = groups.par_iter().map(incidence).collect();
        let incidences: Vec<Incidence<'_>> = groups
            .iter()
            .zip(places)
            .map(|(looks, (aperture, blocks))| Incidence { looks, aperture, blocks })
            .collect();
        let run = Run::new(self, study, &incidences, frequencies, hot_spots)?;
        run.shoot(progress)?;
        run.tallies()
    }
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
    /// Whole amounts per metre.
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
            layers: (!scene.conducts).then(|| scene.materials.iter().map(layers_of).max().unwrap_or(0)),
            weights: problem.formulation.weights(),
            shadow: incidences.iter().flat_map(|i| i.looks).any(|look| !look.is_monostatic()),
            paper: problem.tubes == Tubes::Paper,
            hot_spots,
            kd_tree: engine.kd_tree,
        };
        let defines = shape.defines();
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let mut ks: Vec<f64> = frequencies.iter().map(|&f| wavenumber(f)).collect();
        ks.push(ks.iter().copied().fold(0.0, f64::max));
        let flash = ks[ks.len() - 1] / TAU * PI * scene.radius.powi(2);
        let spots = if hot_spots { 8 * problem.bounces * scene.facets.len() } else { 0 };
        let sums = incidences.len() * sums_of_look(&shape) + spots;
        let run = Self {
            program: gpu.compile(&KERNELS, &defines)?,
            waves: gpu.upload(&incidences.iter().flat_map(wave_numbers).collect::<Vec<f64>>())?,
            receivers: gpu.upload(&receiver_numbers(incidences, shape.receivers))?,
            ks: gpu.upload(&ks)?,
            materials: gpu.upload(&material_numbers(scene, frequencies, shape.layers))?,
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

    /// Shoots all blocks, as many at a time as memory holds.
    fn shoot(&self, progress: &Progress) -> Result<(), SbrError> {
        let all: Vec<[i32; 3]> = self
            .incidences
            .iter()
            .enumerate()
            .flat_map(|(i, incidence)| {
                incidence.blocks.iter().map(move |b| [i as i32, b[0] as i32, b[1] as i32])
            })
            .collect();
        // Per ray: two classes, its facets and their number; per tube: the rays of its parts, and two places in each of two queues.
        let bytes = RAYS * RAYS * ((1 + PART_RAYS) * (8 + 4 * (self.shape.bounces + 1)) + 16);
        let free = self.engine.gpu.memory()?.free as f64 * MEMORY_SHARE;
        let most = ((free / bytes as f64) as usize).clamp(1, MOST_BLOCKS);
        let rays = RAYS * RAYS * most.min(all.len());
        let tubes = rays + ROOM_FOR_PARTS * self.incidences.len();
        let gpu = &*self.engine.gpu;
        let batch = Batch {
            run: self,
            classes: gpu.alloc(2 * rays)?,
            ways: gpu.alloc((self.shape.bounces + 1) * rays)?,
            part_classes: gpu.alloc(2 * PART_RAYS * tubes)?,
            part_ways: gpu.alloc((self.shape.bounces + 1) * PART_RAYS * tubes)?,
            queues: [gpu.alloc(2 * tubes)?, gpu.alloc(2 * tubes)?],
            counts: [gpu.alloc(self.incidences.len())?, gpu.alloc(self.incidences.len())?],
        };
        for blocks in all.chunks(most) {
            progress.check()?;
            batch.shoot(blocks)?;
        }
        Ok(())
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

/// Buffers for as many blocks as are shot at once.
struct Batch<'a> {
    run: &'a Run<'a>,
    classes: Buffer<u32>,
    ways: Buffer<i32>,
    /// The same for the rays of the parts of tubes.
    part_classes: Buffer<u32>,
    part_ways: Buffer<i32>,
    queues: [Buffer<i32>; 2],
    counts: [Buffer<i32>; 2],
}

impl Batch<'_> {
    fn shoot(&self, blocks: &[[i32; 3]]) -> Result<(), SbrError> {
        let run = self.run;
        let gpu = &*run.engine.gpu;
        let rays = blocks.len() * RAYS * RAYS;
        let width = Arg::F64(run.study.tube_width());
        let starts = gpu.upload(&queue_starts(blocks, run.incidences.len()))?;
        let blocks = gpu.upload(blocks.as_flattened())?;
        let grid = Grid::cover(rays, GROUP);
        let mut args = run.scene_args();
        args.extend([Arg::from(&run.waves), (&blocks).into(), (&self.classes).into(), (&self.ways).into()]);
        args.extend([width, Arg::I64(rays as i64)]);
        run.launch("trace", grid, &args)?;
        let [mut queue, mut next] = [&self.queues[0], &self.queues[1]];
        let [mut counts, mut next_counts] = [&self.counts[0], &self.counts[1]];
        run.clear_counts(counts)?;
        args.extend(self.sums_args(0));
        args.extend([Arg::from(queue), counts.into()]);
        let whole = [&args[..], &[Arg::from(&starts)]].concat();
        run.launch("tubes", grid, &whole)?;
        if run.shape.paper {
            return Ok(());
        }
        let looks = run.incidences.len();
        let groups = QUEUE_GROUPS.div_ceil(looks);
        let grid = Grid { groups: [(groups * looks) as u32, 1, 1], group_size: [GROUP, 1, 1] };
        run.clear_counts(next_counts)?;
        args.extend([Arg::from(next), next_counts.into(), (&starts).into(), Arg::I32(groups as i32)]);
        run.launch("settle_grid", grid, &args)?;
        for depth in 1..=SPLITS_OF_RIMS {
            std::mem::swap(&mut queue, &mut next);
            std::mem::swap(&mut counts, &mut next_counts);
            run.clear_counts(next_counts)?;
            let place = [Arg::from(&starts), Arg::I32(depth as i32), Arg::I32(groups as i32)];
            let mut args = run.scene_args();
            args.extend([
                Arg::from(&run.waves),
                width,
                (&self.part_classes).into(),
                (&self.part_ways).into(),
            ]);
            args.push(Arg::I64(self.part_classes.len() as i64 / 2));
            let traced = [&args[..], &[Arg::from(queue), counts.into()], &place].concat();
            run.launch("trace_parts", grid, &traced)?;
            args.extend(self.sums_args(depth));
            args.extend([Arg::from(queue), counts.into(), next.into(), next_counts.into()]);
            args.extend(place);
            run.launch("settle_parts", grid, &args)?;
        }
        Ok(())
    }

    /// What tubes are added to, and by which rules.
    fn sums_args(&self, depth: u32) -> [Arg<'_>; 8] {
        let run = self.run;
        let limit = BEND * f64::from(1_u32 << depth) * run.study.shortest_wavelength() / TAU;
        [
            (&run.receivers).into(),
            (&run.ks).into(),
            (&run.materials).into(),
            Arg::F64(run.scale),
            Arg::F64(limit),
            Arg::I32(run.study.scene.facets.len() as i32),
            (&run.sums).into(),
            (&run.seen).into(),
        ]
    }
}

/// Where the queue of each look begins, and where the last one ends: room for as many tubes as its blocks have rays, and more for the
/// parts of those of small targets.
fn queue_starts(blocks: &[[i32; 3]], looks: usize) -> Vec<i64> {
    let mut starts = vec![0; looks + 1];
    for group in blocks.chunk_by(|a, b| a[0] == b[0]) {
        starts[group[0][0] as usize + 1] = (RAYS * RAYS * group.len() + ROOM_FOR_PARTS) as i64;
    }
    for look in 0..looks {
        starts[look + 1] += starts[look];
    }
    starts
}

/// Sums of a look: eight per channel, and eight for counts.
fn sums_of_look(shape: &KernelShape) -> usize {
    8 * shape.waves * shape.receivers + 8
}

fn wave_numbers(incidence: &Incidence<'_>) -> [f64; 17] {
    let sheaf = &incidence.aperture.sheaf;
    let [_, theta, phi] = incidence.looks[0].incident.frame();
    let corner = incidence.aperture.place([0.0; 2]);
    let mut numbers = [0.0; 17];
    for (place, vector) in numbers.chunks_mut(3).zip([sheaf.k, sheaf.u, sheaf.v, theta, phi]) {
        place.copy_from_slice(&vector.to_array());
    }
    numbers[15..].copy_from_slice(&corner);
    numbers
}

/// Ten numbers for each receiver; incidences that have fewer repeat their last one.
fn receiver_numbers(incidences: &[Incidence<'_>], receivers: usize) -> Vec<f64> {
    let of = |incidence: &Incidence<'_>| {
        let look = |r: usize| incidence.looks[r.min(incidence.looks.len() - 1)];
        let numbers = |look: Look| {
            let shadow = f64::from(u8::from(!look.is_monostatic()));
            look.observer.frame().into_iter().flat_map(|p| p.to_array()).chain([shadow])
        };
        (0..receivers).map(look).flat_map(numbers).collect::<Vec<f64>>()
    };
    incidences.iter().flat_map(of).collect()
}

fn layers_of(material: &Material) -> usize {
    match material {
        Material::Conductor => 0,
        Material::HalfSpace(_) => 1,
        Material::Coated(layers) => layers.len(),
    }
}

/// Kind, number of layers, and the layers of each material at each frequency.
fn material_numbers(scene: &Scene, frequencies: &[f64], layers: Option<usize>) -> Vec<f64> {
    let Some(most) = layers else { return vec![0.0] };
    let size = 2 + 5 * most.max(1);
    let at = |material: &Material, frequency: f64| {
        let mut numbers = Vec::with_capacity(size);
        let layer = |medium: &crate::material::Medium, thickness: f64| {
            let constants = medium.at(frequency);
            [constants.eps_r.re, constants.eps_r.im, constants.mu_r.re, constants.mu_r.im, thickness]
        };
        match material {
            Material::Conductor => numbers.extend([0.0, 0.0]),
            Material::HalfSpace(medium) => {
                numbers.extend([1.0, 1.0]);
                numbers.extend(layer(medium, 0.0));
            }
            Material::Coated(layers) => {
                numbers.extend([2.0, layers.len() as f64]);
                numbers.extend(layers.iter().flat_map(|l| layer(&l.medium, l.thickness)));
            }
        }
        numbers.resize(size, 0.0);
        numbers
    };
    scene.materials.iter().flat_map(|m| frequencies.iter().flat_map(move |&f| at(m, f))).collect()
}
