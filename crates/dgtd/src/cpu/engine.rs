//! The CPU engine: storage, stages, monitors.

use super::ade::{Ade, PmlBlocks};
use super::curved_tables::CurvedTables;
use super::float::Float;
use super::sheet_tables::Sheets;
use super::stage::{Registers, Stage, by_age};
use super::sweep::{BlockSources, Curved, Sweep};
use super::tables::Tables;
use super::wires::Wires;
use crate::ade;
use crate::engine::{Elements, Engine};
use crate::error::DgtdError;
use crate::interleave::{by_lane, by_slot};
use crate::kind::Kind;
use crate::plan::{LANES, Section};
use crate::problem::PmlKind;
use crate::scheme;
use crate::share::Share;
use crate::state::Register;
use num_complex::Complex64;
use phasefront_core::ExactSum;
use phasefront_core::constants::C0;
use phasefront_device::zeros;
use rayon::prelude::*;
use std::ops::Range;

/// Blocks in a task of a thread, at most: longer runs are not faster, and fewer of them would leave threads idle.
const LONGEST_RUN: usize = 16;
/// Tasks per thread at least, so that no thread waits long for the last one.
const RUNS_PER_THREAD: usize = 8;

/// Auxiliary unknowns of a section.
pub(super) struct AdeState<T> {
    /// Unknowns at a node.
    pub(super) count: usize,
    /// Values per block.
    pub(super) len: usize,
    pub(super) constants: Vec<T>,
    /// Coefficients per block.
    pub(super) constants_len: usize,
    pub(super) values: Vec<T>,
    pub(super) registers: [Vec<T>; 3],
}

/// Fields on the CPU.
pub struct CpuEngine<'a, T> {
    pub(super) share: &'a Share<'a>,
    pub(super) tables: Tables<T>,
    pub(super) curved_tables: CurvedTables<T>,
    pub(super) dt: f64,
    pub(super) fields: Vec<T>,
    /// Increments; with local steps the rates of the last three steps, a ring of buffers.
    pub(super) registers: [Vec<T>; 3],
    /// Traces at the end of this stage or step, those that neighbors read in this stage, and with local steps those halfway.
    pub(super) traces: [Vec<T>; 3],
    /// Traces at the quadrature points of curved faces.
    pub(super) point_traces: [Vec<T>; 3],
    /// The register of each level with its oldest rates, which its next step overwrites.
    pub(super) oldest: Vec<usize>,
    /// The stage that comes next.
    pub(super) next: usize,
    pub(super) ade: Vec<AdeState<T>>,
    /// States of sheets.
    pub(super) sheets: Sheets<T>,
    /// States of thin wires.
    pub(super) wires: Wires<T>,
    /// Sources of this stage, block by block; none after the end of the pulse.
    pub(super) sources: Vec<BlockSources<T>>,
    pub(super) samples: Vec<f64>,
    pub(super) spectra: Vec<Complex64>,
}

impl<'a, T: Float> CpuEngine<'a, T> {
    /// The engine with the initial fields.
    pub fn new(share: &'a Share<'a>) -> Result<Self, DgtdError> {
        let Share { study, plan, .. } = share;
        let local = study.clusters.is_local();
        let (tables, curved_tables) = (Tables::new(plan), CurvedTables::new(plan));
        let fields = plan.blocks() * tables.block_len();
        let traces = plan.trace_slots() / LANES * tables.trace_len();
        let points = plan.curved_trace_slots() / LANES * curved_tables.trace_len();
        let spectra = study.problem.monitors.frequencies.len() * share.nodes.len() * 6;
        let mut cpu = Self {
            share,
            dt: study.step.dt,
            fields: zeros(fields)?,
            registers: registers(fields, local)?,
            traces: [zeros(traces)?, zeros(traces)?, zeros(if local { traces } else { 0 })?],
            point_traces: [zeros(points)?, zeros(points)?, zeros(if local { points } else { 0 })?],
            oldest: vec![0; study.clusters.levels()],
            next: 0,
            ade: plan.sections.iter().map(|section| ade(share, section)).collect::<Result<_, _>>()?,
            sheets: Sheets::new(share, curved_tables.first)?,
            wires: Wires::new(share),
            sources: Vec::new(),
            samples: Vec::new(),
            spectra: zeros(spectra)?,
            tables,
            curved_tables,
        };
        if let Some(initial) = share.initial_fields(LANES) {
            cpu.fields = initial;
            cpu.refresh_traces();
        }
        Ok(cpu)
    }

    pub(super) fn index(&self, slot: usize, component: usize, node: usize) -> usize {
        index(&self.tables, slot, component, node)
    }

    /// Sets E and η₀H, [slot][component][node].
    #[cfg(test)]
    pub(super) fn set_fields(&mut self, values: &[f64]) {
        let values: Vec<T> = values.iter().map(|value| T::from_f64(*value)).collect();
        self.fields = by_lane(&values, self.share.plan.tets.len(), LANES);
        self.refresh_traces();
    }

    /// Traces from fields: a stage of zero length. What was kept of rates is lost.
    fn refresh_traces(&mut self) {
        // A = B = c dt = 0: fields and auxiliary unknowns stay, and increments become zero.
        let stage = Stage::RungeKutta { a: T::default(), b: T::default(), dt: T::default() };
        self.sources.clear();
        self.swap_traces();
        for elements in [Elements::Border, Elements::Interior] {
            self.sweep(|_| Some(stage), elements);
        }
        self.next = 0;
        if self.share.study.clusters.is_local() {
            self.publish();
        }
    }

    /// Adds the rates of all unknowns to them, without sources: a stage of A = 0 and B = c dt = 1.
    #[cfg(test)]
    pub(super) fn add_rates(&mut self) {
        let stage = Stage::RungeKutta { a: T::default(), b: T::from_f64(1.0), dt: T::from_f64(1.0) };
        self.swap_traces();
        self.sweep(|_| Some(stage), Elements::Interior);
    }

    /// What the last stage wrote is what neighbors read in this one.
    fn swap_traces(&mut self) {
        self.traces.swap(0, 1);
        self.point_traces.swap(0, 1);
    }

    /// Advances elements of the levels for which there is a stage.
    pub(super) fn sweep(&mut self, stage_of: impl Fn(u8) -> Option<Stage<T>>, elements: Elements) {
        let (block_len, trace_len) = (self.tables.block_len(), self.tables.trace_len());
        let (tables, curved_tables) = (&self.tables, &self.curved_tables);
        // Blocks read the neighbors' traces from one buffer and write new ones into others, so that they can be advanced in any order.
        let [new, old, halfway] = &mut self.traces;
        let [new_points, old_points, halfway_points] = &mut self.point_traces;
        let sections = self.share.plan.sections.iter().zip(&mut self.ade);
        for (section, ade) in sections.filter(|(section, _)| section.border == (elements == Elements::Border))
        {
            let Some(stage) = stage_of(section.level) else { continue };
            let (blocks, oldest) = (section.blocks.clone(), self.oldest[usize::from(section.level)]);
            let range = |len: usize| blocks.start * len..blocks.end * len;
            let fields = &mut self.fields[range(block_len)];
            let Registers { newest, before } = by_age(&mut self.registers, oldest, range(block_len));
            let sources: &[BlockSources<T>] =
                if self.sources.is_empty() { &[] } else { &self.sources[blocks.clone()] };
            // Small sections get short runs, so that every thread has work.
            let run = (blocks.len() / (RUNS_PER_THREAD * rayon::current_num_threads())).clamp(1, LONGEST_RUN);
            let count = blocks.len().div_ceil(run);
            let pml = self.share.study.problem.pml;
            let ades = ade.runs(section.kind, pml, (run, oldest), blocks.len());
            let new = &mut new[range(trace_len)];
            let beside_finer = section.beside_finer && matches!(stage, Stage::Local { .. });
            let halfway = runs(beside_finer, halfway, range(trace_len), run * trace_len, count);
            // Only curved elements have traces at quadrature points.
            let curved: Vec<Option<Curved<'_, T>>> = if section.kind == Kind::Curved {
                let len = curved_tables.trace_len();
                let own =
                    (blocks.start - curved_tables.first) * len..(blocks.end - curved_tables.first) * len;
                let halfway = runs(beside_finer, halfway_points, own.clone(), run * len, count);
                let new = new_points[own].chunks_mut(run * len);
                new.zip(halfway)
                    .map(|(new_traces, halfway_traces)| {
                        Some(Curved { tables: curved_tables, traces: old_points, new_traces, halfway_traces })
                    })
                    .collect()
            } else {
                (0..count).map(|_| None).collect()
            };
            fields
                // A task owns the fields, registers, new traces and unknowns of its blocks: no
                // locks.
                .par_chunks_mut(run * block_len)
                .zip(newest.par_chunks_mut(run * block_len))
                .zip(new.par_chunks_mut(run * trace_len).zip(halfway))
                .zip(ades.into_par_iter().zip(curved))
                .enumerate()
                .for_each(|(at, (((fields, newest), (new_traces, halfway_traces)), (ade, curved)))| {
                    let first = blocks.start + at * run;
                    let sources = sources.get(at * run..(at * run + run).min(sources.len())).unwrap_or(&[]);
                    let start = at * run * block_len;
                    let before = before.map(|rates| rates.get(start..start + fields.len()).unwrap_or(&[]));
                    T::sweep(Sweep {
                        tables,
                        stage,
                        first,
                        fields,
                        registers: Registers { newest, before },
                        traces: old,
                        new_traces,
                        halfway_traces,
                        curved,
                        ade,
                        sources,
                    });
                });
        }
    }

    /// What a stage does with the elements of a level: nothing if it is not the time of their local steps.
    fn coefficients(&self, stage: usize, level: u8) -> Option<Stage<T>> {
        let clusters = &self.share.study.clusters;
        // Time in meters of light, τ = ct.
        let dt = C0 * self.dt;
        if !clusters.is_local() {
            let [a, b, dt] = [scheme::A[stage], scheme::B[stage], dt].map(T::from_f64);
            return Some(Stage::RungeKutta { a, b, dt });
        }
        let own = dt * f64::from(1 << level) / clusters.stages() as f64;
        clusters.is_due(level, stage).then(|| Stage::Local {
            weights: scheme::LOCAL.map(|weight| T::from_f64(own * weight)),
            halfway: scheme::HALFWAY.map(|weight| T::from_f64(own * weight)),
        })
    }

    /// Local steps: what neighbors read in the next stage, where it differs from what they read in this one.
    fn publish(&mut self) {
        let (clusters, next) = (&self.share.study.clusters, self.next);
        let (len, point_len) = (self.tables.trace_len(), self.curved_tables.trace_len());
        for section in &self.share.plan.sections {
            let from = match section.level {
                level if clusters.is_due(level, next) => 0,
                level if section.beside_finer && clusters.is_halfway(level, next) => 2,
                _ => continue,
            };
            let blocks = section.blocks.clone();
            copy(&mut self.traces, from, blocks.start * len..blocks.end * len);
            if section.kind == Kind::Curved {
                let first = self.curved_tables.first;
                let own = (blocks.start - first) * point_len..(blocks.end - first) * point_len;
                copy(&mut self.point_traces, from, own);
            }
        }
    }

    fn levels(&self) -> std::ops::Range<u8> {
        0..self.oldest.len() as u8
    }

    /// Fields (age 0), or rates of so many local steps before, by slot.
    fn by_slot(&self, age: usize) -> Vec<T> {
        let (len, lanes) = (self.tables.block_len(), LANES);
        // Sections of different levels have their rates of one age in different registers.
        let mut values = Vec::with_capacity(self.fields.len());
        for section in &self.share.plan.sections {
            let range = section.blocks.start * len..section.blocks.end * len;
            values.extend_from_slice(&self.of_age(&self.fields, &self.registers, section, age)[range]);
        }
        by_slot(&values, self.share.plan.tets.len(), lanes, |value| value)
    }

    /// The auxiliary unknowns of all sections, or their rates, one section after the other, by slot, then the states of sheets.
    fn unknowns(&self, age: usize) -> Vec<T> {
        let sections = self.share.plan.sections.iter().zip(&self.ade);
        sections
            .flat_map(|(section, ade)| {
                let values = self.of_age(&ade.values, &ade.registers, section, age);
                by_slot(values, LANES * section.blocks.len(), LANES, |value| value)
            })
            .chain(self.sheets.of_age(age, &self.oldest))
            // Thin wires take Runge-Kutta steps, without rates of earlier ones.
            .chain(self.wires.values.iter().copied())
            .collect()
    }

    /// Values, or their rates so many steps before.
    fn of_age<'b>(
        &self,
        values: &'b [T],
        registers: &'b [Vec<T>; 3],
        section: &Section,
        age: usize,
    ) -> &'b [T] {
        let oldest = self.oldest[usize::from(section.level)];
        if age == 0 { values } else { &registers[(oldest + 3 - age) % 3] }
    }

    /// Sets fields and unknowns, or their rates so many steps before, as if no step had been done.
    fn set(&mut self, age: usize, fields: &[T], unknowns: &[T]) {
        self.oldest.fill(0);
        let fields = by_lane(fields, self.share.plan.tets.len(), LANES);
        if age == 0 {
            self.fields = fields;
        } else {
            self.registers[3 - age] = fields;
        }
        let mut rest = unknowns;
        for (section, ade) in self.share.plan.sections.iter().zip(&mut self.ade) {
            let (own, later) = rest.split_at(ade.values.len());
            let values = by_lane(own, LANES * section.blocks.len(), LANES);
            if age == 0 {
                ade.values = values;
            } else {
                ade.registers[3 - age] = values;
            }
            rest = later;
        }
        let (sheets, wires) = rest.split_at(rest.len() - self.wires.values.len());
        self.sheets.set(age, sheets);
        self.wires.values.copy_from_slice(wires);
    }
}

/// Index of a value in the fields.
pub(super) fn index<T>(tables: &Tables<T>, slot: usize, component: usize, node: usize) -> usize {
    // [block][component][node][lane].
    ((slot / LANES * 6 + component) * tables.nodes + node) * LANES + slot % LANES
}

fn ade<T: Float>(share: &Share<'_>, section: &Section) -> Result<AdeState<T>, DgtdError> {
    let (plan, domain) = (&share.plan, &share.study.domain);
    let count = ade::unknowns(plan.poles, domain, section.kind);
    let len = count * plan.element.len() * LANES;
    let constants = ade::coefficient_table(plan, domain, section, LANES);
    let constants_len = constants.len() / section.blocks.len();
    let values = section.blocks.len() * len;
    let registers = registers(values, share.study.clusters.is_local())?;
    Ok(AdeState { count, len, constants, constants_len, values: zeros(values)?, registers })
}

/// What is kept of rates: increments of the Runge-Kutta scheme, or the rates of three local steps.
fn registers<T: Float>(values: usize, local: bool) -> Result<[Vec<T>; 3], DgtdError> {
    let more = if local { values } else { 0 };
    Ok([zeros(values)?, zeros(more)?, zeros(more)?])
}

/// Runs of a range of values; empty ones if they are not wanted.
fn runs<T>(wanted: bool, values: &mut [T], range: Range<usize>, run: usize, count: usize) -> Vec<&mut [T]> {
    if wanted { values[range].chunks_mut(run).collect() } else { (0..count).map(|_| &mut [][..]).collect() }
}

/// Copies a range of one of the buffers of traces to that which neighbors read.
fn copy<T: Copy>(traces: &mut [Vec<T>; 3], from: usize, range: Range<usize>) {
    let [new, board, halfway] = traces;
    let source = if from == 0 { new } else { halfway };
    board[range.clone()].copy_from_slice(&source[range]);
}

impl<T: Float> AdeState<T> {
    /// The unknowns of all blocks, in runs of `run`.
    fn runs(
        &mut self,
        kind: Kind,
        pml: PmlKind,
        (run, oldest): (usize, usize),
        blocks: usize,
    ) -> Vec<Ade<'_, T>> {
        // Runs of fields and unknowns are zipped: sections without unknowns need as many entries.
        if self.len == 0 {
            return (0..blocks.div_ceil(run)).map(|_| Ade::None).collect();
        }
        let (poles, len) = (self.count / 6, run * self.len);
        let Registers { newest, before } = by_age(&mut self.registers, oldest, 0..self.values.len());
        let all = self.values.chunks_mut(len).zip(newest.chunks_mut(len));
        let all = all.zip(self.constants.chunks(run * self.constants_len)).enumerate();
        all.map(|(at, ((values, newest), constants))| {
            let own = at * len..at * len + values.len();
            let before = before.map(|rates| rates.get(own.clone()).unwrap_or(&[]));
            let registers = Registers { newest, before };
            match (kind, pml) {
                (Kind::PmlFace, _) => Ade::PmlFace(PmlBlocks { constants, values, registers }),
                (Kind::PmlEdge, _) => Ade::PmlEdge(PmlBlocks { constants, values, registers }),
                (Kind::PmlCorner, PmlKind::Cfs) => Ade::PmlCorner(PmlBlocks { constants, values, registers }),
                (Kind::PmlCorner, PmlKind::Uniaxial) => {
                    Ade::UniaxialPml(PmlBlocks { constants, values, registers })
                }
                _ => Ade::Poles { constants, poles, values, registers },
            }
        })
        .collect()
    }
}

impl<T: Float> Engine for CpuEngine<'_, T> {
    fn advance(&mut self, elements: Elements, time: f64, stage: usize) -> Result<(), DgtdError> {
        let clusters = &self.share.study.clusters;
        if elements == Elements::Border {
            self.evaluate_sources(time, |level| clusters.is_due(level, stage));
            if !self.sheets.is_empty() {
                let coefficients: Vec<_> =
                    self.levels().map(|level| self.coefficients(stage, level)).collect();
                self.advance_sheets(|level| coefficients[usize::from(level)]);
            }
            if !self.share.wires.is_empty()
                && let Some(stage) = self.coefficients(stage, 0)
            {
                self.advance_wires(time, stage);
            }
            self.next = (stage + 1) % clusters.stages();
            if !clusters.is_local() {
                self.swap_traces();
            }
        }
        let coefficients: Vec<_> = self.levels().map(|level| self.coefficients(stage, level)).collect();
        self.sweep(|level| coefficients[usize::from(level)], elements);
        if elements == Elements::Interior && clusters.is_local() {
            for (level, oldest) in (0..).zip(&mut self.oldest) {
                *oldest = (*oldest + usize::from(clusters.is_due(level, stage))) % 3;
            }
            self.publish();
        }
        Ok(())
    }

    fn pack(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        self.pack_traces(halo, bytes);
        Ok(())
    }

    fn unpack(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        self.unpack_traces(halo, bytes);
        Ok(())
    }

    fn sample(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        self.sample_terms();
        self.accumulate_spectra(factors);
        Ok(())
    }

    fn take_samples(&mut self) -> Result<Vec<f64>, DgtdError> {
        Ok(std::mem::take(&mut self.samples))
    }

    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError> {
        Ok(self.spectra.clone())
    }

    fn energy(&mut self) -> Result<ExactSum, DgtdError> {
        Ok(self.total_energy())
    }

    fn fields(&mut self) -> Result<Vec<f64>, DgtdError> {
        Ok(by_slot(&self.fields, self.share.plan.tets.len(), LANES, T::to_f64))
    }

    fn state(&mut self) -> Result<Vec<u8>, DgtdError> {
        // Not the increments: A of the first stage is zero and discards them. Traces follow from the fields.
        let registers: Vec<Register<T>> = (0..self.share.study.saved_registers())
            .map(|age| (self.by_slot(age), self.unknowns(age)))
            .collect();
        let elements = self.share.elements();
        Ok(elements.gather(&registers))
    }

    fn restore(&mut self, state: &[u8], spectra: &[Complex64]) -> Result<(), DgtdError> {
        let elements = self.share.elements();
        let mut registers: Vec<Register<T>> = (0..self.share.study.saved_registers())
            .map(|age| (self.by_slot(age), self.unknowns(age)))
            .collect();
        elements.scatter(&elements.read(state)?, &mut registers);
        let mut registers = registers.into_iter();
        if let Some((fields, unknowns)) = registers.next() {
            self.set(0, &fields, &unknowns);
        }
        self.refresh_traces();
        for (age, (rates, unknowns)) in (1..).zip(registers) {
            self.set(age, &rates, &unknowns);
        }
        self.spectra.copy_from_slice(spectra);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformed::deformed;
    use crate::material::{Material, Pole};
    use crate::problem::{Dipole, Flux, Problem};
    use crate::study::{Study, prepare};
    use phasefront_core::Precision;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// A dipole between a plate and a body of curved elements with a dispersive material, and a PML around them.
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
        let mesh = deformed(mesh.mesh().unwrap(), |[x, y, z]| {
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

    /// Memory of fields and geometry.
    fn allocated(cpu: &CpuEngine<'_, f32>) -> usize {
        let (tables, curved_tables) = (&cpu.tables, &cpu.curved_tables);
        let mut reals = vec![&cpu.fields, &tables.shapes, &tables.faces];
        reals.extend(cpu.registers.iter().chain(&cpu.traces).chain(&cpu.point_traces));
        reals.extend(cpu.ade.iter().flat_map(|a| [&a.constants, &a.values].into_iter().chain(&a.registers)));
        reals.extend([&curved_tables.shapes, &curved_tables.curved]);
        let reals: usize = reals.iter().map(|values| size_of_val(&values[..])).sum();
        let neighbors = size_of_val(&tables.neighbors[..]) + size_of_val(&curved_tables.neighbors[..]);
        let orientations = tables.orientations.len() + curved_tables.orientations.len();
        reals + neighbors + orientations + size_of_val(&cpu.spectra[..])
    }

    #[test]
    fn what_is_counted_is_what_is_allocated() {
        for (pml, flux) in [(PmlKind::Cfs, Flux::Upwind), (PmlKind::Uniaxial, Flux::Central)] {
            let study = study(pml, flux);
            let edges = (pml == PmlKind::Cfs).then_some(Kind::PmlEdge);
            for kind in [Kind::PmlFace, Kind::PmlCorner, Kind::Poles, Kind::Curved].into_iter().chain(edges) {
                assert!(study.kinds.count(kind) > 40, "{kind:?}");
            }
            let share = Share::whole(&study);
            let part = study.bytes() as f64 / allocated(&CpuEngine::new(&share).unwrap()) as f64;
            assert!((1.0..1.02).contains(&part), "{part}");
        }
    }
}
