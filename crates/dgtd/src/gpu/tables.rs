//! Tables of all elements on the device: operators, geometry, sources and monitors.

use super::layout::KernelLayout;
use crate::error::DgtdError;
use crate::plan::{Face, LANES, Section};
use crate::pulse::Pulse;
use crate::share::{Share, face_values};
use crate::sources::SourceFace;
use num_complex::Complex64;
use phasefront_device::{Buffer, Gpu};
use rayon::prelude::*;

/// The element type of field buffers.
pub trait GpuReal: phasefront_core::Real + bytemuck::Pod + Default {}
impl GpuReal for f32 {}
impl GpuReal for f64 {}

/// Operators and geometry.
pub struct Tables<T> {
    pub shapes: Buffer<T>,
    pub faces: Buffer<T>,
    pub neighbors: Buffer<i32>,
    /// With local steps the levels of the elements behind the four faces of each slot, four bits each; else empty.
    pub neighbor_levels: Buffer<i32>,
    pub permutations: Buffer<i32>,
    pub derivative: Buffer<T>,
    pub lift: Buffer<T>,
    pub mass: Buffer<T>,
    /// Jε and Jμ along x, y and z of each slot.
    pub energy_weights: Buffer<f64>,
    pub sources: SourceTables<T>,
    /// Coefficients of a pulse by samples; else empty.
    pub waveform: Buffer<f64>,
    pub currents: CurrentTables<T>,
    pub monitors: MonitorTables,
}

/// Sources on faces: at nodes of straight faces, or at quadrature points of curved ones.
pub struct SourceTables<T> {
    /// Index of the source face, or −1: [slot][face].
    pub of_face: Buffer<i32>,
    /// Scalars at each point.
    pub scalars: usize,
    pub points: usize,
    /// Copies of the pulse at each point.
    pub copies: usize,
    /// [copy][point].
    pub delays: Buffer<f64>,
    /// [copy][point][scalar].
    pub amplitudes: Buffer<f64>,
    /// Pulse times amplitude, at this stage, and what the states of sheets add.
    pub values: Buffer<T>,
}

/// Dipole currents.
pub struct CurrentTables<T> {
    /// Index of the current in a slot, or −1.
    pub of_slot: Buffer<i32>,
    pub values: Buffer<T>,
}

/// Monitors.
pub struct MonitorTables {
    pub starts: Buffer<i32>,
    pub indices: Buffer<i64>,
    pub weights: Buffer<f64>,
    /// Indices of the first component of nodes with spectra.
    pub nodes: Buffer<i64>,
    pub factors: Buffer<Complex64>,
}

pub fn reals<T: GpuReal>(values: impl IntoIterator<Item = f64>) -> Vec<T> {
    values.into_iter().map(T::from_f64).collect()
}

impl<T: GpuReal> Tables<T> {
    pub fn new(share: &Share<'_>, shape: KernelLayout, gpu: &dyn Gpu) -> Result<Self, DgtdError> {
        let plan = &share.plan;
        let element = &plan.element;
        let [derivative, lift] = shape.operators(plan);
        let permutations: Vec<i32> =
            (0..3).flat_map(|orientation| element.face_permutation(orientation)).map(i32::from).collect();
        // Neighbor codes of kernels/element.cu: 4 (4 slot + face) + orientation.
        let code = |face: &Face| (face.neighbor << 2 | u32::from(face.orientation)) as i32;
        let neighbors: Vec<[i32; 4]> =
            plan.faces.par_iter().map(|faces| faces.each_ref().map(code)).collect();
        let energy = (0..plan.tets.len()).into_par_iter().map(|slot| {
            // The energy of curved elements is summed at quadrature points.
            let used = f64::from(u8::from(plan.tets[slot].is_some() && !plan.shapes[slot].curved));
            let jacobian = used * plan.shapes[slot].jacobian([0.25; 3]).determinant();
            [plan.media[slot].eps, plan.media[slot].mu].map(|along| along.map(|value| jacobian * value))
        });
        Ok(Self {
            shapes: gpu.upload(&plan.shape_table::<T>(shape.lanes()))?,
            faces: gpu.upload(&plan.face_table::<T>(shape.lanes()))?,
            neighbors: gpu.upload(neighbors.as_flattened())?,
            neighbor_levels: gpu.upload(&neighbor_levels(share))?,
            permutations: gpu.upload(&permutations)?,
            derivative: gpu.upload(&reals::<T>(derivative))?,
            lift: gpu.upload(&reals::<T>(lift))?,
            mass: gpu.upload(&reals::<T>(element.mass.values.iter().copied()))?,
            energy_weights: gpu
                .upload(energy.collect::<Vec<[[f64; 3]; 2]>>().as_flattened().as_flattened())?,
            sources: SourceTables::new(share, false, plan.traces(), gpu)?,
            waveform: gpu.upload(match &share.study.problem.pulse {
                Pulse::Gaussian(_) => &[],
                Pulse::Table(waveform) => &waveform.coefficients,
            })?,
            currents: currents(share, gpu)?,
            monitors: monitors(share, shape, gpu)?,
        })
    }
}

fn neighbor_levels(share: &Share<'_>) -> Vec<i32> {
    let (study, plan) = (share.study, &share.plan);
    if !study.clusters.is_local() {
        return Vec::new();
    }
    let of = |tet: Option<u32>, own: u8| {
        let neighbors = tet.map_or([None; 4], |tet| study.domain.faces.neighbors[tet as usize]);
        // Walls and empty slots have themselves as neighbors.
        let levels = neighbors.map(|neighbor| neighbor.map_or(own, |n| study.clusters.level(n.tet as usize)));
        levels.iter().rev().fold(0, |bits, level| bits << 4 | i32::from(*level))
    };
    let slots = |section: &Section| LANES * section.blocks.start..LANES * section.blocks.end;
    let sections = plan.sections.iter();
    sections.flat_map(|section| plan.tets[slots(section)].iter().map(|tet| of(*tet, section.level))).collect()
}

impl<T: GpuReal> SourceTables<T> {
    /// Those of curved faces, or of straight ones.
    pub fn new(share: &Share<'_>, curved: bool, scalars: usize, gpu: &dyn Gpu) -> Result<Self, DgtdError> {
        let plan = &share.plan;
        let of_these = |(slot, face): &&(u32, &SourceFace)| {
            plan.faces[*slot as usize][usize::from(face.face)].curved == curved
        };
        // Without curved elements no kernel reads theirs.
        let read = !curved || !plan.curved_slots().is_empty();
        let mut of_face = vec![-1; if read { 4 * plan.tets.len() } else { 0 }];
        // The copies of the pulse at one face follow each other, and are as many at all faces. No face has two sources else: TF/SF surfaces
        // touch no ports, and conductors are neither.
        let faces: Vec<&(u32, &SourceFace)> = share.sources.iter().filter(of_these).collect();
        let same = |a: &&(u32, &SourceFace), b: &&(u32, &SourceFace)| (a.0, a.1.face) == (b.0, b.1.face);
        let copies = faces.chunk_by(same).next().map_or(1, <[_]>::len);
        for (i, faces) in faces.chunk_by(same).enumerate() {
            of_face[4 * faces[0].0 as usize + usize::from(faces[0].1.face)] = i as i32;
        }
        let points = || {
            (0..copies)
                .flat_map(|copy| faces.iter().skip(copy).step_by(copies))
                .flat_map(|(_, face)| &face.points)
        };
        let delays: Vec<f64> = points().map(|point| point.delay).collect();
        let amplitudes: Vec<f64> = points().flat_map(|point| &point.amplitude[..scalars]).copied().collect();
        // Behind them what the states of sheets add.
        let (values, mut count) = (face_values(plan, curved), amplitudes.len() / copies);
        for sheet in share.sheets.iter().filter(|sheet| sheet.curved == curved) {
            of_face[4 * sheet.slot as usize + usize::from(sheet.face.face)] = (count / values) as i32;
            count += values;
        }
        Ok(Self {
            of_face: gpu.upload(&of_face)?,
            scalars,
            points: delays.len() / copies,
            copies,
            values: gpu.alloc(count)?,
            delays: gpu.upload(&delays)?,
            amplitudes: gpu.upload(&amplitudes)?,
        })
    }
}

fn currents<T: GpuReal>(share: &Share<'_>, gpu: &dyn Gpu) -> Result<CurrentTables<T>, DgtdError> {
    let per = 3 * share.plan.element.len();
    let mut of_slot = vec![-1; share.plan.tets.len()];
    let mut values: Vec<f64> = Vec::new();
    for (slot, current) in &share.currents {
        let slot = *slot as usize;
        if of_slot[slot] < 0 {
            of_slot[slot] = (values.len() / per) as i32;
            values.extend(current.amplitude.iter().flatten());
        } else {
            // Dipoles in one element share an entry: kernels add one entry per slot.
            let start = of_slot[slot] as usize * per;
            for (sum, amount) in values[start..].iter_mut().zip(current.amplitude.iter().flatten()) {
                *sum += amount;
            }
        }
    }
    Ok(CurrentTables { of_slot: gpu.upload(&of_slot)?, values: gpu.upload(&reals::<T>(values))? })
}

fn monitors(share: &Share<'_>, shape: KernelLayout, gpu: &dyn Gpu) -> Result<MonitorTables, DgtdError> {
    let index = |slot: u32, component: u8, node: u8| {
        let (slot, row) = (slot as usize, usize::from(component) * shape.nodes + usize::from(node));
        ((slot / shape.lanes() * 6 * shape.nodes + row) * shape.lanes() + slot % shape.lanes()) as i64
    };
    // Terms one after the other (CSR): term i has the weights starts[i] to starts[i + 1].
    let mut starts = vec![0];
    let (mut indices, mut weights) = (Vec::new(), Vec::new());
    for (slot, term) in &share.terms {
        indices.extend(term.weights.iter().map(|&(component, node, _)| index(*slot, component, node)));
        weights.extend(term.weights.iter().map(|weight| weight.2));
        starts.push(indices.len() as i32);
    }
    let nodes: Vec<i64> = share.nodes.iter().map(|&(slot, node)| index(slot, 0, node)).collect();
    Ok(MonitorTables {
        starts: gpu.upload(&starts)?,
        indices: gpu.upload(&indices)?,
        weights: gpu.upload(&weights)?,
        nodes: gpu.upload(&nodes)?,
        factors: gpu.alloc(share.study.problem.monitors.frequencies.len())?,
    })
}
