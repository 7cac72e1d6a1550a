//! The CPU engine: storage, stages, monitors.

use super::ade::{Ade, PmlBlocks};
use super::curved_tables::CurvedTables;
use super::float::Float;
use super::stage::Stage;
use super::sweep::{BlockSources, Curved, Sweep};
use super::tables::Tables;
use crate::ade;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::interleave::{by_lane, by_slot};
use crate::kind::Kind;
use crate::plan::{LANES, Section};
use crate::problem::PmlKind;
use crate::share::Share;
use crate::state::Elements;
use crate::time;
use num_complex::Complex64;
use phasefront_core::ExactSum;
use phasefront_core::constants::C0;
use phasefront_device::zeros;
use rayon::prelude::*;

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
    pub(super) increments: Vec<T>,
}

/// Fields on the CPU.
pub struct Cpu<'a, T> {
    pub(super) share: &'a Share<'a>,
    pub(super) tables: Tables<T>,
    pub(super) curved_tables: CurvedTables<T>,
    pub(super) dt: f64,
    pub(super) fields: Vec<T>,
    pub(super) increments: Vec<T>,
    /// Traces of this stage, and of the one before.
    pub(super) traces: [Vec<T>; 2],
    /// Traces at the quadrature points of curved faces.
    pub(super) point_traces: [Vec<T>; 2],
    pub(super) ade: Vec<AdeState<T>>,
    /// Sources of this stage, block by block; none after the end of the pulse.
    pub(super) sources: Vec<BlockSources<T>>,
    pub(super) records: Vec<f64>,
    pub(super) spectra: Vec<Complex64>,
}

impl<'a, T: Float> Cpu<'a, T> {
    /// The engine with the initial fields.
    pub fn new(share: &'a Share<'a>) -> Result<Self, DgtdError> {
        let Share { study, plan, .. } = share;
        let (tables, curved_tables) = (Tables::new(plan), CurvedTables::new(plan));
        let fields = plan.blocks() * tables.block_len();
        let traces = plan.trace_slots() / LANES * tables.trace_len();
        let points = plan.curved_trace_slots() / LANES * curved_tables.trace_len();
        let spectra = study.problem.monitors.frequencies.len() * share.nodes.len() * 6;
        let mut cpu = Self {
            share,
            dt: study.step.dt,
            fields: zeros(fields)?,
            increments: zeros(fields)?,
            traces: [zeros(traces)?, zeros(traces)?],
            point_traces: [zeros(points)?, zeros(points)?],
            ade: plan.sections.iter().map(|section| ade(share, section)).collect::<Result<_, _>>()?,
            sources: Vec::new(),
            records: Vec::new(),
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

    /// Traces from fields: a stage of zero length.
    fn refresh_traces(&mut self) {
        // A = B = c dt = 0: fields and auxiliary unknowns stay, and increments become zero.
        let stage = Stage { a: T::default(), b: T::default(), dt: T::default() };
        self.sources.clear();
        self.swap_traces();
        self.advance(stage, true);
        self.advance(stage, false);
    }

    /// Adds the rates of all unknowns to them, without sources: a stage of A = 0 and B = c dt = 1.
    #[cfg(test)]
    pub(super) fn add_rates(&mut self) {
        let stage = Stage { a: T::default(), b: T::from_f64(1.0), dt: T::from_f64(1.0) };
        self.swap_traces();
        self.advance(stage, false);
    }

    /// What the last stage wrote is what neighbors read in this one.
    fn swap_traces(&mut self) {
        self.traces.swap(0, 1);
        self.point_traces.swap(0, 1);
    }

    /// Advances the elements at the border, or all others.
    pub(super) fn advance(&mut self, stage: Stage<T>, border: bool) {
        let (block_len, trace_len) = (self.tables.block_len(), self.tables.trace_len());
        let (tables, curved_tables) = (&self.tables, &self.curved_tables);
        // Two buffers: blocks read the neighbors' traces of the previous stage and write new ones,
        // so that they can be advanced in any order.
        let [new, old] = &mut self.traces;
        let [new_points, old_points] = &mut self.point_traces;
        let sections = self.share.plan.sections.iter().zip(&mut self.ade);
        for (section, ade) in sections.filter(|(section, _)| section.border == border) {
            let blocks = section.blocks.clone();
            let fields = &mut self.fields[blocks.start * block_len..blocks.end * block_len];
            let increments = &mut self.increments[blocks.start * block_len..blocks.end * block_len];
            let new = &mut new[blocks.start * trace_len..blocks.end * trace_len];
            let sources: &[BlockSources<T>] =
                if self.sources.is_empty() { &[] } else { &self.sources[blocks.clone()] };
            // Small sections get short runs, so that every thread has work.
            let run = (blocks.len() / (RUNS_PER_THREAD * rayon::current_num_threads())).clamp(1, LONGEST_RUN);
            let ades = ade.runs(section.kind, self.share.study.problem.pml, run, blocks.len());
            // Only curved elements have traces at quadrature points.
            let curved: Vec<Option<Curved<'_, T>>> = if section.kind == Kind::Curved {
                let len = curved_tables.trace_len();
                let own = blocks.start - curved_tables.first..blocks.end - curved_tables.first;
                let runs = new_points[own.start * len..own.end * len].chunks_mut(run * len);
                runs.map(|new_traces| Some(Curved { tables: curved_tables, traces: old_points, new_traces }))
                    .collect()
            } else {
                (0..ades.len()).map(|_| None).collect()
            };
            fields
                // A task owns the fields, increments, new traces and unknowns of its blocks: no
                // locks.
                .par_chunks_mut(run * block_len)
                .zip(increments.par_chunks_mut(run * block_len))
                .zip(new.par_chunks_mut(run * trace_len))
                .zip(ades.into_par_iter().zip(curved))
                .enumerate()
                .for_each(|(at, (((fields, increments), new_traces), (ade, curved)))| {
                    let first = blocks.start + at * run;
                    let sources = sources.get(at * run..(at * run + run).min(sources.len())).unwrap_or(&[]);
                    T::sweep(Sweep {
                        tables,
                        stage,
                        first,
                        fields,
                        increments,
                        traces: old,
                        new_traces,
                        curved,
                        ade,
                        sources,
                    });
                });
        }
    }

    fn coefficients(&self, stage: usize) -> Stage<T> {
        // Time in meters of light, τ = ct.
        let [a, b, dt] = [time::A[stage], time::B[stage], C0 * self.dt].map(T::from_f64);
        Stage { a, b, dt }
    }

    /// The auxiliary unknowns of all sections, one after the other, by slot.
    fn unknowns(&self) -> Vec<T> {
        let sections = self.share.plan.sections.iter().zip(&self.ade);
        sections
            .flat_map(|(section, ade)| {
                by_slot(&ade.values, LANES * section.blocks.len(), LANES, |value| value)
            })
            .collect()
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
    Ok(AdeState { count, len, constants, constants_len, values: zeros(values)?, increments: zeros(values)? })
}

impl<T: Float> AdeState<T> {
    /// The unknowns of all blocks, in runs of `run`.
    fn runs(&mut self, kind: Kind, pml: PmlKind, run: usize, blocks: usize) -> Vec<Ade<'_, T>> {
        // Runs of fields and unknowns are zipped: sections without unknowns need as many entries.
        if self.len == 0 {
            return (0..blocks.div_ceil(run)).map(|_| Ade::None).collect();
        }
        let (poles, values) = (self.count / 6, self.values.chunks_mut(run * self.len));
        let increments = self.increments.chunks_mut(run * self.len);
        let all = values.zip(increments).zip(self.constants.chunks(run * self.constants_len));
        all.map(|((values, increments), constants)| match (kind, pml) {
            (Kind::PmlFace, _) => Ade::PmlFace(PmlBlocks { constants, values, increments }),
            (Kind::PmlEdge, _) => Ade::PmlEdge(PmlBlocks { constants, values, increments }),
            (Kind::PmlCorner, PmlKind::Cfs) => Ade::PmlCorner(PmlBlocks { constants, values, increments }),
            (Kind::PmlCorner, PmlKind::Uniaxial) => {
                Ade::UniaxialPml(PmlBlocks { constants, values, increments })
            }
            _ => Ade::Poles { constants, poles, values, increments },
        })
        .collect()
    }
}

impl<T: Float> Engine for Cpu<'_, T> {
    fn border(&mut self, time: f64, stage: usize) -> Result<(), DgtdError> {
        self.sources = self.block_sources(time);
        self.swap_traces();
        self.advance(self.coefficients(stage), true);
        Ok(())
    }

    fn interior(&mut self, _: f64, stage: usize) -> Result<(), DgtdError> {
        self.advance(self.coefficients(stage), false);
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

    fn record(&mut self) -> Result<(), DgtdError> {
        self.record_terms();
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

    fn energy(&mut self) -> Result<ExactSum, DgtdError> {
        Ok(self.total_energy())
    }

    fn fields(&mut self) -> Result<Vec<f64>, DgtdError> {
        Ok(by_slot(&self.fields, self.share.plan.tets.len(), LANES, T::to_f64))
    }

    fn state(&mut self) -> Result<Vec<u8>, DgtdError> {
        // Not the increments: A of the first stage is zero and discards them. Traces follow from
        // the fields.
        let fields = by_slot(&self.fields, self.share.plan.tets.len(), LANES, |field| field);
        let elements = Elements::new(&self.share.plan, &self.share.study.domain);
        Ok(elements.gather(&fields, &self.unknowns()))
    }

    fn restore(&mut self, state: &[u8], spectra: &[Complex64]) -> Result<(), DgtdError> {
        let Share { study, plan, .. } = self.share;
        let elements = Elements::new(plan, &study.domain);
        let values: Vec<T> = elements.read(state)?;
        let (mut fields, mut unknowns) =
            (by_slot(&self.fields, plan.tets.len(), LANES, |field| field), self.unknowns());
        elements.scatter(&values, &mut fields, &mut unknowns);
        self.fields = by_lane(&fields, plan.tets.len(), LANES);
        let mut rest = &unknowns[..];
        for (section, ade) in plan.sections.iter().zip(&mut self.ade) {
            let (own, later) = rest.split_at(ade.values.len());
            ade.values = by_lane(own, LANES * section.blocks.len(), LANES);
            rest = later;
        }
        self.spectra.copy_from_slice(spectra);
        self.refresh_traces();
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
    fn allocated(cpu: &Cpu<'_, f32>) -> usize {
        let (tables, curved_tables) = (&cpu.tables, &cpu.curved_tables);
        let mut reals = vec![&cpu.fields, &cpu.increments, &tables.shapes, &tables.faces];
        reals.extend(cpu.traces.iter().chain(&cpu.point_traces));
        reals.extend(cpu.ade.iter().flat_map(|a| [&a.constants, &a.values, &a.increments]));
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
            let part = study.bytes() as f64 / allocated(&Cpu::new(&share).unwrap()) as f64;
            assert!((1.0..1.02).contains(&part), "{part}");
        }
    }
}
