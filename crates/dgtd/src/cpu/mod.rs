//! Fields on the CPU: blocks of elements in vectors, shared among threads.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

mod bends;
mod curved;
mod extra;
mod float;
mod rates;
#[cfg(test)]
mod spectrum;
mod sweep;
mod tables;

pub use float::Float;

use crate::auxiliary;
use crate::drive::Drive;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::plan::{Kind, LANES, Section};
use crate::problem::PmlKind;
use crate::pulse::Pulse;
use crate::solve::Study;
use crate::time;
use bends::Bends;
use extra::{Extra, Layer};
use num_complex::Complex64;
use phasefront_core::constants::C0;
use rayon::prelude::*;
use sweep::{BlockDrive, Curved, Stage, Sweep};
use tables::Tables;

/// Blocks that a thread takes at once: at most so many, since more do not make it faster, and so few that all threads have work.
const LONGEST_RUN: usize = 16;
/// Runs for each thread at least, so that none waits long for the last.
const RUNS_PER_THREAD: usize = 8;

/// The further variables of a section.
struct Auxiliary<T> {
    /// Variables of a node.
    count: usize,
    /// Values per block.
    len: usize,
    constants: Vec<T>,
    /// Constants per block.
    constants_len: usize,
    values: Vec<T>,
    increments: Vec<T>,
}

/// Fields on the CPU.
pub struct Cpu<'a, T> {
    study: &'a Study,
    tables: Tables<T>,
    bends: Bends<T>,
    dt: f64,
    fields: Vec<T>,
    increments: Vec<T>,
    traces: [Vec<T>; 2],
    /// Those at the points of curved faces.
    point_traces: [Vec<T>; 2],
    auxiliary: Vec<Auxiliary<T>>,
    records: Vec<f64>,
    spectra: Vec<Complex64>,
}

impl<'a, T: Float> Cpu<'a, T> {
    /// Fields as they are at the beginning.
    pub fn new(study: &'a Study) -> Self {
        let plan = &study.plan;
        let (tables, bends) = (Tables::new(plan), Bends::new(plan));
        let (fields, traces) = (plan.blocks() * tables.block_len(), plan.blocks() * tables.trace_len());
        let zeros = |n: usize| vec![T::default(); n];
        let spectra = study.problem.monitors.frequencies.len() * study.watch.nodes.len() * 6;
        let mut cpu = Self {
            study,
            dt: study.step.dt,
            fields: zeros(fields),
            increments: zeros(fields),
            traces: [zeros(traces), zeros(traces)],
            point_traces: [zeros(bends.all_traces()), zeros(bends.all_traces())],
            auxiliary: plan.sections.iter().map(|section| auxiliary(study, section)).collect(),
            records: Vec::new(),
            spectra: vec![Complex64::default(); spectra],
            tables,
            bends,
        };
        if let Some(initial) = study.initial_fields() {
            cpu.set_fields(&initial);
        }
        cpu
    }

    fn place(&self, slot: usize, component: usize, node: usize) -> usize {
        place(&self.tables, slot, component, node)
    }

    /// Sets E and η₀H, [slot][component][node].
    fn set_fields(&mut self, values: &[f64]) {
        let nodes = self.tables.nodes;
        for (i, value) in values.iter().enumerate() {
            let (slot, component, node) = (i / (6 * nodes), i / nodes % 6, i % nodes);
            let place = self.place(slot, component, node);
            self.fields[place] = T::from_f64(*value);
        }
        self.refresh_traces();
    }

    /// Traces from fields: a stage that goes nowhere.
    fn refresh_traces(&mut self) {
        let stage = Stage { a: T::default(), b: T::default(), dt: T::default() };
        self.stage(stage, &[]);
    }

    fn stage(&mut self, stage: Stage<T>, drive: &[BlockDrive<T>]) {
        let (block_len, trace_len) = (self.tables.block_len(), self.tables.trace_len());
        let (tables, bends) = (&self.tables, &self.bends);
        let [old, new] = &mut self.traces;
        let [old_points, new_points] = &mut self.point_traces;
        for (section, auxiliary) in self.study.plan.sections.iter().zip(&mut self.auxiliary) {
            let blocks = section.blocks.clone();
            let fields = &mut self.fields[blocks.start * block_len..blocks.end * block_len];
            let increments = &mut self.increments[blocks.start * block_len..blocks.end * block_len];
            let new = &mut new[blocks.start * trace_len..blocks.end * trace_len];
            let drive = if drive.is_empty() { drive } else { &drive[blocks.clone()] };
            let run = (blocks.len() / (RUNS_PER_THREAD * rayon::current_num_threads())).clamp(1, LONGEST_RUN);
            let extras = auxiliary.runs(section.kind, self.study.problem.pml, run, blocks.len());
            let curved: Vec<Option<Curved<'_, T>>> = if section.kind == Kind::Curved {
                let runs = new_points.chunks_mut(run * bends.trace_len());
                runs.map(|new_traces| Some(Curved { bends, traces: old_points, new_traces })).collect()
            } else {
                (0..extras.len()).map(|_| None).collect()
            };
            fields
                .par_chunks_mut(run * block_len)
                .zip(increments.par_chunks_mut(run * block_len))
                .zip(new.par_chunks_mut(run * trace_len))
                .zip(extras.into_par_iter().zip(curved))
                .enumerate()
                .for_each(|(at, (((fields, increments), new_traces), (extra, curved)))| {
                    let first = blocks.start + at * run;
                    let drive = drive.get(at * run..(at * run + run).min(drive.len())).unwrap_or(&[]);
                    T::sweep(Sweep {
                        tables,
                        stage,
                        first,
                        fields,
                        increments,
                        traces: old,
                        new_traces,
                        curved,
                        extra,
                        drive,
                    });
                });
        }
        self.traces.swap(0, 1);
        self.point_traces.swap(0, 1);
    }

    /// What sources give at a time, block by block; nothing once the pulse is over everywhere.
    fn drive(&self, time: f64) -> Vec<BlockDrive<T>> {
        let Drive { faces, currents, .. } = &self.study.drive;
        let pulse: &Pulse = &self.study.problem.pulse;
        let mut blocks = Vec::new();
        if (faces.is_empty() && currents.is_empty()) || time > self.study.drive_end() {
            return blocks;
        }
        blocks.resize(self.study.plan.blocks(), BlockDrive::default());
        for face in faces {
            let (slot, f) = (face.slot as usize, usize::from(face.face));
            let (block, there) = (&mut blocks[slot / LANES], &self.study.plan.faces[slot][f]);
            let (list, scale, per_point) = if there.curved {
                (&mut block.points, 1.0, self.bends.traces)
            } else {
                (&mut block.faces, there.scale, self.tables.traces)
            };
            for (k, point) in face.points.iter().enumerate() {
                let value = scale * pulse.at(time - point.delay);
                for s in 0..per_point {
                    let position = ((f * face.points.len() + k) * per_point + s) as u32;
                    list.push(((slot % LANES) as u8, position, T::from_f64(value * point.amount[s])));
                }
            }
        }
        let value = pulse.at(time);
        for current in currents {
            let slot = current.slot as usize;
            for (c, amounts) in current.amount.iter().enumerate() {
                for (node, amount) in amounts.iter().enumerate() {
                    let position = (c * self.tables.nodes + node) as u32;
                    blocks[slot / LANES].rates.push((
                        (slot % LANES) as u8,
                        position,
                        T::from_f64(value * amount),
                    ));
                }
            }
        }
        blocks
    }
}

/// Where a value is among the fields.
fn place<T>(tables: &Tables<T>, slot: usize, component: usize, node: usize) -> usize {
    ((slot / LANES * 6 + component) * tables.nodes + node) * LANES + slot % LANES
}

fn auxiliary<T: Float>(study: &Study, section: &Section) -> Auxiliary<T> {
    let (plan, domain) = (&study.plan, &study.domain);
    let count = auxiliary::variables(plan, domain, section.kind);
    let len = count * plan.element.len() * LANES;
    let mut constants = Vec::new();
    for block in section.blocks.clone() {
        let slots = LANES * block..LANES * (block + 1);
        let rows: Vec<Vec<f64>> =
            slots.map(|slot| auxiliary::constants(plan, domain, slot, section.kind, count)).collect();
        constants.extend((0..rows[0].len()).flat_map(|i| rows.iter().map(move |row| T::from_f64(row[i]))));
    }
    let constants_len = constants.len() / section.blocks.len();
    let values = vec![T::default(); section.blocks.len() * len];
    Auxiliary { count, len, constants, constants_len, increments: values.clone(), values }
}

impl<T: Float> Auxiliary<T> {
    /// The variables of all blocks, in runs of `run`.
    fn runs(&mut self, kind: Kind, pml: PmlKind, run: usize, blocks: usize) -> Vec<Extra<'_, T>> {
        if self.len == 0 {
            return (0..blocks.div_ceil(run)).map(|_| Extra::Nothing).collect();
        }
        let (poles, values) = (self.count / 6, self.values.chunks_mut(run * self.len));
        let increments = self.increments.chunks_mut(run * self.len);
        let all = values.zip(increments).zip(self.constants.chunks(run * self.constants_len));
        all.map(|((values, increments), constants)| match (kind, pml) {
            (Kind::FlatLayer, _) => Extra::Flat(Layer { constants, values, increments }),
            (Kind::EdgeLayer, _) => Extra::Edge(Layer { constants, values, increments }),
            (Kind::CornerLayer, PmlKind::Shifted) => Extra::Shifted(Layer { constants, values, increments }),
            (Kind::CornerLayer, PmlKind::Uniaxial) => {
                Extra::Uniaxial(Layer { constants, values, increments })
            }
            _ => Extra::Poles { constants, poles, values, increments },
        })
        .collect()
    }
}

impl<T: Float> Engine for Cpu<'_, T> {
    fn step(&mut self, time: f64) -> Result<(), DgtdError> {
        for stage in 0..time::STAGES {
            let drive = self.drive(time + time::C[stage] * self.dt);
            let [a, b, dt] = [time::A[stage], time::B[stage], C0 * self.dt].map(T::from_f64);
            self.stage(Stage { a, b, dt }, &drive);
        }
        Ok(())
    }

    fn record(&mut self, time: f64) -> Result<(), DgtdError> {
        let pulse = self.study.problem.pulse.at(time);
        for row in &self.study.watch.rows {
            let term = |&(slot, component, node, weight): &(u32, u8, u8, f64)| {
                let place = place(&self.tables, slot as usize, component.into(), node.into());
                weight * self.fields[place].to_f64()
            };
            self.records.push(row.terms.iter().map(term).sum::<f64>() + row.drive * pulse);
        }
        Ok(())
    }

    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError> {
        Ok(std::mem::take(&mut self.records))
    }

    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        let nodes = &self.study.watch.nodes;
        if nodes.is_empty() {
            return Ok(());
        }
        let (tables, fields) = (&self.tables, &self.fields);
        self.spectra.par_chunks_mut(6 * nodes.len()).zip(factors).for_each(|(spectrum, factor)| {
            for (values, &(slot, node)) in spectrum.chunks_exact_mut(6).zip(nodes) {
                for (component, value) in values.iter_mut().enumerate() {
                    *value += factor * fields[place(tables, slot as usize, component, node.into())].to_f64();
                }
            }
        });
        Ok(())
    }

    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError> {
        Ok(self.spectra.clone())
    }

    fn energy(&mut self) -> Result<f64, DgtdError> {
        let parts: Vec<f64> =
            (0..self.study.plan.blocks()).into_par_iter().map(|block| self.block_energy(block)).collect();
        Ok(parts.iter().sum())
    }

    fn fields(&mut self) -> Result<Vec<f64>, DgtdError> {
        let nodes = self.tables.nodes;
        let all = 0..self.study.plan.tets.len() * 6 * nodes;
        Ok(all.map(|i| self.fields[self.place(i / (6 * nodes), i / nodes % 6, i % nodes)].to_f64()).collect())
    }

    fn state(&mut self) -> Result<Vec<u8>, DgtdError> {
        let mut bytes: Vec<u8> = bytemuck::cast_slice(&self.fields).to_vec();
        for auxiliary in &self.auxiliary {
            bytes.extend_from_slice(bytemuck::cast_slice(&auxiliary.values));
        }
        bytes.extend_from_slice(bytemuck::cast_slice(&self.spectra));
        Ok(bytes)
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), DgtdError> {
        let lengths = self.auxiliary.iter().map(|a| size_of_val(&a.values[..])).sum::<usize>();
        let expected = size_of_val(&self.fields[..]) + lengths + size_of_val(&self.spectra[..]);
        if state.len() != expected {
            return Err(DgtdError::WrongState(format!("it has {} bytes instead of {expected}", state.len())));
        }
        let mut rest = state;
        let mut take = |target: &mut [u8]| {
            let (now, later) = rest.split_at(target.len());
            target.copy_from_slice(now);
            rest = later;
        };
        take(bytemuck::cast_slice_mut(&mut self.fields));
        for auxiliary in &mut self.auxiliary {
            take(bytemuck::cast_slice_mut(&mut auxiliary.values));
        }
        take(bytemuck::cast_slice_mut(&mut self.spectra));
        self.refresh_traces();
        Ok(())
    }
}

impl<T: Float> Cpu<'_, T> {
    /// ½ Σ J (ε Eᵀ M E + μ Hᵀ M H) of the elements of a block.
    fn block_energy(&self, block: usize) -> f64 {
        let (plan, nodes) = (&self.study.plan, self.tables.nodes);
        let mut sum = 0.0;
        for slot in (LANES * block..LANES * (block + 1)).filter(|&slot| plan.tets[slot].is_some()) {
            let [eps, mu, _] = plan.media[slot];
            for component in 0..6 {
                let values: Vec<f64> =
                    (0..nodes).map(|n| self.fields[self.place(slot, component, n)].to_f64()).collect();
                sum += 0.5 * plan.square(slot, &values) * if component < 3 { eps } else { mu };
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bent::bent;
    use crate::material::{Material, Pole};
    use crate::problem::{Dipole, Flux, Problem};
    use crate::solve::prepare;
    use phasefront_core::Precision;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// A dipole between a plate and a body of curved elements whose material has terms, with layers around.
    fn study(pml: PmlKind, flux: Flux) -> Study {
        let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
        let plate = BoxRegion { name: "plate".into(), from: [-0.3; 3], to: [0.3, 0.3, -0.2] };
        let mesh = BoxMesh {
            from: [-0.4; 3],
            to: [0.4; 3],
            cell: [0.1; 3],
            name: "pml".into(),
            regions: vec![region("air", 0.3), region("body", 0.2), plate],
            ..BoxMesh::default()
        };
        let mesh = bent(mesh.mesh().unwrap(), |[x, y, z]| {
            let bump: f64 = [x, y, z].iter().map(|x| (0.04 - x * x).max(0.0)).product();
            [x + 100.0 * bump, y, z]
        });
        let mut problem = Problem {
            mesh,
            order: 2,
            highest_frequency: 1e8,
            precision: Precision::Single,
            pml,
            flux,
            ..Problem::default()
        };
        let poles = vec![Pole::Debye { delta: 1.0, tau: 1e-10 }, Pole::Drude { plasma: 1e9, damping: 0.0 }];
        let material = Material { poles, ..Material::VACUUM };
        problem.materials = vec![("body".into(), material.clone()), ("plate".into(), material)];
        problem.sources.dipoles = vec![Dipole { position: [0.02, 0.03, 0.25], moment: [1e-3, 0.0, 0.0] }];
        problem.monitors.volumes = vec!["body".into()];
        problem.monitors.frequencies = vec![1e8, 2e8];
        prepare(problem).unwrap()
    }

    /// All that fields and geometry take.
    fn allocated(cpu: &Cpu<'_, f32>) -> usize {
        let (tables, bends) = (&cpu.tables, &cpu.bends);
        let mut reals = vec![&cpu.fields, &cpu.increments, &tables.shapes, &tables.faces];
        reals.extend(cpu.traces.iter().chain(&cpu.point_traces));
        reals.extend(cpu.auxiliary.iter().flat_map(|a| [&a.constants, &a.values, &a.increments]));
        reals.extend([&bends.shapes, &bends.curved]);
        let reals: usize = reals.iter().map(|values| size_of_val(&values[..])).sum();
        let neighbors = size_of_val(&tables.neighbors[..]) + size_of_val(&bends.neighbors[..]);
        let turns = tables.turns.len() + bends.turns.len();
        reals + neighbors + turns + size_of_val(&cpu.spectra[..])
    }

    #[test]
    fn what_is_counted_is_what_is_allocated() {
        for (pml, flux) in [(PmlKind::Shifted, Flux::Upwind), (PmlKind::Uniaxial, Flux::Central)] {
            let study = study(pml, flux);
            let edges = (pml == PmlKind::Shifted).then_some(Kind::EdgeLayer);
            for kind in
                [Kind::FlatLayer, Kind::CornerLayer, Kind::Poles, Kind::Curved].into_iter().chain(edges)
            {
                assert!(study.plan.slots_of(kind).len() > 40, "{kind:?}");
            }
            let part = study.bytes() as f64 / allocated(&Cpu::new(&study)) as f64;
            assert!((1.0..1.02).contains(&part), "{part}");
        }
    }
}
