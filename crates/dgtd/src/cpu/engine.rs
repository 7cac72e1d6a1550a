//! The CPU engine: storage, stages, monitors.

use super::ade::{Extra, Layer};
use super::curved_tables::Bends;
use super::float::Float;
use super::stage::Stage;
use super::sweep::{BlockDrive, Curved, Sweep};
use super::tables::Tables;
use crate::ade;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::plan::{Kind, LANES, Section};
use crate::problem::PmlKind;
use crate::study::Study;
use crate::time;
use num_complex::Complex64;
use phasefront_core::constants::C0;
use rayon::prelude::*;

/// Blocks that a thread takes at once: at most so many, since more do not make it faster, and so few that all threads have work.
const LONGEST_RUN: usize = 16;
/// Runs for each thread at least, so that none waits long for the last.
const RUNS_PER_THREAD: usize = 8;

/// The further variables of a section.
pub(super) struct Auxiliary<T> {
    /// Variables of a node.
    pub(super) count: usize,
    /// Values per block.
    pub(super) len: usize,
    pub(super) constants: Vec<T>,
    /// Constants per block.
    pub(super) constants_len: usize,
    pub(super) values: Vec<T>,
    pub(super) increments: Vec<T>,
}

/// Fields on the CPU.
pub struct Cpu<'a, T> {
    pub(super) study: &'a Study,
    pub(super) tables: Tables<T>,
    pub(super) bends: Bends<T>,
    pub(super) dt: f64,
    pub(super) fields: Vec<T>,
    pub(super) increments: Vec<T>,
    pub(super) traces: [Vec<T>; 2],
    /// Those at the points of curved faces.
    pub(super) point_traces: [Vec<T>; 2],
    pub(super) auxiliary: Vec<Auxiliary<T>>,
    pub(super) records: Vec<f64>,
    pub(super) spectra: Vec<Complex64>,
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

    pub(super) fn place(&self, slot: usize, component: usize, node: usize) -> usize {
        place(&self.tables, slot, component, node)
    }

    /// Sets E and η₀H, [slot][component][node].
    pub(super) fn set_fields(&mut self, values: &[f64]) {
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
        self.advance(stage, &[]);
    }

    pub(super) fn advance(&mut self, stage: Stage<T>, drive: &[BlockDrive<T>]) {
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
}

/// Where a value is among the fields.
pub(super) fn place<T>(tables: &Tables<T>, slot: usize, component: usize, node: usize) -> usize {
    ((slot / LANES * 6 + component) * tables.nodes + node) * LANES + slot % LANES
}

fn auxiliary<T: Float>(study: &Study, section: &Section) -> Auxiliary<T> {
    let (plan, domain) = (&study.plan, &study.domain);
    let count = ade::variables(plan, domain, section.kind);
    let len = count * plan.element.len() * LANES;
    let mut constants = Vec::new();
    for block in section.blocks.clone() {
        let slots = LANES * block..LANES * (block + 1);
        let rows: Vec<Vec<f64>> =
            slots.map(|slot| ade::constants(plan, domain, slot, section.kind, count)).collect();
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
    fn stage(&mut self, time: f64, stage: usize) -> Result<(), DgtdError> {
        let drive = self.drive(time);
        let [a, b, dt] = [time::A[stage], time::B[stage], C0 * self.dt].map(T::from_f64);
        self.advance(Stage { a, b, dt }, &drive);
        Ok(())
    }

    fn record(&mut self, time: f64) -> Result<(), DgtdError> {
        self.record_rows(time);
        Ok(())
    }

    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError> {
        Ok(std::mem::take(&mut self.records))
    }

    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        self.accumulate_spectra(factors);
        Ok(())
    }

    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError> {
        Ok(self.spectra.clone())
    }

    fn energy(&mut self) -> Result<f64, DgtdError> {
        Ok(self.total_energy())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bent::bent;
    use crate::material::{Material, Pole};
    use crate::problem::{Dipole, Flux, Problem};
    use crate::study::prepare;
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
