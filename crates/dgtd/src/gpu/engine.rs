//! The GPU engine: buffers, stages, and state.

use super::ade::{self as ade_tables, Ade};
use super::curved_tables::CurvedTables;
use super::halo_tables::HaloTables;
use super::layout::{self, GROUP, KernelLayout, SplitKernel, Variant};
use super::sheet_tables::Sheets;
use super::tables::{GpuReal, Tables};
use crate::ade;
use crate::engine::{Elements, Engine};
use crate::error::DgtdError;
use crate::interleave::{by_lane, by_slot};
use crate::kind::Kind;
use crate::plan::LANES;
use crate::scheme;
use crate::share::Share;
use crate::state::Register;
use num_complex::Complex64;
use phasefront_core::ExactSum;
use phasefront_core::constants::C0;
use phasefront_device::{Arg, Buffer, Gpu, Program, Stream};
use std::ops::Range;
use std::sync::Arc;

/// Steps whose time series are held on the device before they are downloaded.
pub(super) const SAMPLE_STEPS: usize = 64;

/// All straight elements, or all curved ones, with their program and auxiliary unknowns.
pub(super) struct Section<T> {
    pub(super) curved: bool,
    pub(super) program: Arc<dyn Program>,
    /// Slots of the section: those at the border between ranks first.
    pub(super) slots: Range<usize>,
    /// What is launched at once.
    pub(super) parts: Vec<Part>,
    pub(super) ade: Ade<T>,
}

/// Elements of a section that are advanced at once: those of the levels that are due, which come first.
pub(super) struct Part {
    /// Whether other ranks read their traces.
    border: bool,
    start: usize,
    /// The end of the slots of each level.
    ends: Vec<usize>,
}

/// A stage, as kernels take it.
pub(super) struct Step {
    /// The scalars of STEP_PARAMS.
    pub(super) scalars: Vec<f64>,
    /// The highest level that takes a step.
    due: u8,
    /// The buffer with the newest traces of each level, one bit each.
    newest: i32,
}

impl Step {
    /// The buffer of traces that a Runge-Kutta stage reads; it writes the other of the first two.
    pub(super) fn read(&self) -> usize {
        usize::from(self.newest & 1 == 1)
    }
}

/// Fields on a GPU.
pub struct GpuEngine<'a, T> {
    pub(super) share: &'a Share<'a>,
    pub(super) gpu: Arc<dyn Gpu>,
    pub(super) layout: KernelLayout,
    pub(super) monitor_program: Arc<dyn Program>,
    pub(super) tables: Tables<T>,
    pub(super) curved: CurvedTables<T>,
    /// Whether the sources on faces have ended.
    pub(super) sources_ended: bool,
    pub(super) sections: Vec<Section<T>>,
    pub(super) sheets: Option<Sheets<T>>,
    pub(super) fields: Buffer<T>,
    /// Increments; with local steps the rates of the last three steps, a ring of buffers.
    pub(super) registers: [Buffer<T>; 3],
    /// Rates between the split kernels.
    pub(super) rates: Buffer<T>,
    /// Traces at the ends of stages or steps, in two buffers alternately, and with local steps those halfway (`kernels/levels.cu`).
    pub(super) traces: [Buffer<T>; 3],
    /// The buffer with the newest traces of each level, one bit each.
    pub(super) newest: i32,
    /// The register of each level with its oldest rates, which its next step overwrites.
    oldest: Vec<usize>,
    /// The stage that comes next.
    pub(super) next: usize,
    /// The exchange before a stage at which the levels up to each one take a step; empty without other ranks.
    halos: Vec<HaloTables<T>>,
    pub(super) spectra: Buffer<Complex64>,
    pub(super) samples: Buffer<f64>,
    pub(super) sampled: usize,
    pub(super) fetched: Vec<f64>,
    pub(super) energies: Buffer<f64>,
}

/// Partial sums of the energy of straight elements.
pub(super) fn energy_sums(slots: usize) -> usize {
    (6 * slots).div_ceil(GROUP as usize)
}

impl<'a, T: GpuReal> GpuEngine<'a, T> {
    /// The engine with the initial fields and a given kernel layout.
    pub fn with_layout(
        share: &'a Share<'a>,
        gpu: &Arc<dyn Gpu>,
        layout: KernelLayout,
    ) -> Result<Self, DgtdError> {
        let layout = layout.with_local_steps(share.study.clusters.is_local());
        let plan = &share.plan;
        let (slots, nodes) = (plan.tets.len(), plan.element.len());
        let traces = plan.trace_slots() * 4 * plan.element.face_len() * plan.traces();
        let spectra = share.study.problem.monitors.frequencies.len() * share.nodes.len() * 6;
        let mut engine = Self {
            share,
            layout,
            monitor_program: layout::compile_monitors(&layout, &**gpu)?,
            tables: Tables::new(share, layout, &**gpu)?,
            curved: CurvedTables::new(share, layout, &**gpu)?,
            sources_ended: false,
            sections: Vec::new(),
            sheets: Sheets::new(share, layout, &**gpu)?,
            fields: gpu.alloc(slots * 6 * nodes)?,
            registers: ade_tables::registers(slots * 6 * nodes, layout.local, &**gpu)?,
            // Only the split kernels pass rates through global memory.
            rates: gpu.alloc(if matches!(layout.variant, Variant::Split { .. }) {
                slots * 6 * nodes
            } else {
                0
            })?,
            traces: [
                gpu.alloc(traces)?,
                gpu.alloc(traces)?,
                gpu.alloc(if layout.local { traces } else { 0 })?,
            ],
            oldest: vec![0; share.study.clusters.levels()],
            next: 0,
            newest: 0,
            halos: HaloTables::of_levels(share, &**gpu)?,
            spectra: gpu.alloc(spectra)?,
            // Several steps at a time: each download waits for the device.
            samples: gpu.alloc(share.terms.len() * SAMPLE_STEPS)?,
            sampled: 0,
            fetched: Vec::new(),
            // Partial sums of straight elements by work group, then of curved ones by block.
            energies: gpu.alloc(energy_sums(slots) + plan.curved_slots().len() / layout.lanes())?,
            gpu: gpu.clone(),
        };
        // Straight elements first: their slots come before those of curved ones.
        for curved in [false, true] {
            engine.sections.extend(engine.section(curved)?);
        }
        if let Some(initial) = share.initial_fields::<T>(layout.lanes()) {
            gpu.upload_bytes(bytemuck::cast_slice(&initial), engine.fields.memory())?;
            engine.refresh_traces()?;
        }
        Ok(engine)
    }

    /// The straight elements, or the curved ones, if there are any.
    fn section(&self, curved: bool) -> Result<Option<Section<T>>, DgtdError> {
        let (study, plan) = (self.share.study, &self.share.plan);
        let parts: Vec<&crate::plan::Section> =
            plan.sections.iter().filter(|section| (section.kind == Kind::Curved) == curved).collect();
        let [Some(first), Some(last)] = [parts.first(), parts.last()] else { return Ok(None) };
        // Six unknowns per pole.
        let poles = |kind| ade::unknowns(plan.poles, &study.domain, kind) / 6;
        let program = if curved {
            self.layout.compile_curved(&*self.gpu, plan, poles(Kind::Curved))?
        } else {
            // The kinds present become a macro: branches for others are not compiled.
            let kinds: Vec<i32> =
                parts.iter().map(|part| ade_tables::number(part.kind, study.problem.pml)).collect();
            self.layout.compile_stage(&*self.gpu, &kinds, poles(Kind::Poles))?
        };
        Ok(Some(Section {
            curved,
            program,
            slots: LANES * first.blocks.start..LANES * last.blocks.end,
            parts: parts
                .chunk_by(|a, b| a.border == b.border)
                .map(|same| {
                    // Levels follow each other, from the lowest on.
                    let end = |level| {
                        same.iter().filter(|part| part.level <= level).map(|part| part.blocks.end).max()
                    };
                    let start = same[0].blocks.start;
                    let levels = 0..study.clusters.levels() as u8;
                    Part {
                        border: same[0].border,
                        start: LANES * start,
                        ends: levels.map(|level| LANES * end(level).unwrap_or(start)).collect(),
                    }
                })
                .collect(),
            ade: Ade::new(self.share, &parts, self.layout, &*self.gpu)?,
        }))
    }

    /// Traces from fields: a stage of zero length. What was kept of rates is lost.
    fn refresh_traces(&mut self) -> Result<(), DgtdError> {
        self.next = 0;
        self.launch_stage(&self.rest())
    }

    /// A stage of zero length of all levels.
    pub(super) fn rest(&self) -> Step {
        let scalars = vec![0.0; if self.layout.local { 8 } else { 4 }];
        Step { scalars, due: self.share.study.clusters.last_due(0), newest: self.newest }
    }

    /// A stage.
    ///
    /// The border is advanced, packed and fetched on the second stream, beside the interior. Both streams read the traces of the stage
    /// before and write those of this one, so that each begins when both have finished the stage before.
    pub(super) fn launch_stage(&mut self, step: &Step) -> Result<(), DgtdError> {
        // What this stage writes is what neighbors read from the next one on.
        self.newest ^= (2 << step.due) - 1;
        if let Some(halo) = self.halo() {
            self.gpu.order(Stream::Second)?;
            self.gpu.beside(|| {
                self.launch_part(step, true)?;
                self.fetch_border(halo)
            })?;
            self.launch_part(step, false)?;
            Ok(self.gpu.order(Stream::First)?)
        } else {
            self.launch_part(step, false)
        }
    }

    /// The exchange before the next stage.
    pub(super) fn halo(&self) -> Option<&HaloTables<T>> {
        self.halos.get(usize::from(self.share.study.clusters.last_due(self.next)))
    }

    /// Traces among the arguments of a stage.
    pub(super) fn trace_args<'b>(&self, traces: &'b [Buffer<T>; 3], step: &Step) -> Vec<Arg<'b>> {
        if self.layout.local {
            traces.iter().map(Arg::from).collect()
        } else {
            let read = step.read();
            [read, 1 - read].map(|buffer| Arg::from(&traces[buffer])).into()
        }
    }

    /// Arguments that all stages take first: FIELD, GEOMETRY, SOURCE, ADE and STEP_PARAMS of `kernels/element.cu` and the time
    /// integrations.
    pub(super) fn stage_args<'b>(
        &'b self,
        section: &'b Section<T>,
        slots: &Range<usize>,
        step: &Step,
    ) -> Vec<Arg<'b>> {
        let Tables { shapes, faces, neighbors, permutations, sources, currents, .. } = &self.tables;
        let local = self.layout.local;
        let mut args: Vec<Arg<'_>> = vec![(&self.fields).into()];
        args.extend(self.registers[..if local { 3 } else { 1 }].iter().map(Arg::from));
        args.extend(self.trace_args(&self.traces, step));
        args.extend(local.then(|| Arg::from(&self.tables.neighbor_levels)));
        args.extend::<[Arg<'_>; 8]>([
            shapes.into(),
            faces.into(),
            neighbors.into(),
            permutations.into(),
            (&sources.of_face).into(),
            (&sources.values).into(),
            (&currents.of_slot).into(),
            (&currents.values).into(),
        ]);
        args.extend(section.ade.args(local));
        args.extend(self.step_args(step));
        args.push(self.first_group(section, slots));
        args
    }

    /// STEP_PARAMS of the time integrations, but for the first group.
    pub(super) fn step_args(&self, step: &Step) -> Vec<Arg<'static>> {
        let mut args: Vec<Arg<'static>> = step.scalars.iter().map(|scalar| Arg::F64(*scalar)).collect();
        if self.layout.local {
            // Two bits for each level.
            let oldest = self.oldest.iter().rev().fold(0, |bits, oldest| bits << 2 | *oldest as i32);
            args.extend([i32::from(step.due), oldest, step.newest].map(Arg::I32));
        }
        args
    }

    /// The first group of elements of a launch, counted from that of the section.
    pub(super) fn first_group(&self, section: &Section<T>, slots: &Range<usize>) -> Arg<'static> {
        Arg::I32(((slots.start - section.slots.start) / self.layout.lanes()) as i32)
    }

    /// Launches a stage of the elements at the border, or of all others.
    fn launch_part(&self, step: &Step, border: bool) -> Result<(), DgtdError> {
        for section in &self.sections {
            for part in section.parts.iter().filter(|part| part.border == border) {
                let slots = part.start..part.ends[usize::from(step.due)];
                if section.curved {
                    self.launch_curved(section, &slots, step)?;
                } else if matches!(self.layout.variant, Variant::Split { .. }) {
                    SplitKernel::ALL
                        .iter()
                        .try_for_each(|kernel| self.launch_split(*kernel, section, &slots, step))?;
                } else {
                    self.launch_fused(section, &slots, step)?;
                }
            }
        }
        Ok(())
    }

    /// A stage at its time.
    fn step(&self, time: f64, stage: usize) -> Step {
        let (study, dt) = (self.share.study, C0 * self.share.study.step.dt);
        let clusters = &study.clusters;
        // Amplitude of the dipoles; sources on faces have delays and are evaluated point by point.
        let pulse = study.problem.pulse.at(time);
        let scalars = if clusters.is_local() {
            let shortest = dt / clusters.stages() as f64;
            let weights = scheme::LOCAL.iter().chain(&scheme::HALFWAY).map(|weight| shortest * weight);
            std::iter::once(pulse).chain(weights).collect()
        } else {
            vec![pulse, scheme::A[stage], scheme::B[stage], dt]
        };
        Step { scalars, due: clusters.last_due(stage), newest: self.newest }
    }

    /// The register of a level with the rates so many steps before; none for the values themselves.
    fn register(&self, age: usize) -> impl Fn(u8) -> Option<usize> {
        let oldest = self.oldest.clone();
        move |level| (age > 0).then(|| (oldest[usize::from(level)] + 3 - age) % 3)
    }

    /// The auxiliary unknowns of all sections, or their rates so many steps before, one section after the other, by slot, then the states
    /// of sheets.
    fn unknowns(&self, age: usize) -> Result<Vec<T>, DgtdError> {
        let lanes = self.layout.lanes();
        let sections =
            self.sections.iter().map(|section| section.ade.download(lanes, &*self.gpu, self.register(age)));
        let mut unknowns = sections.collect::<Result<Vec<_>, _>>()?.concat();
        if let Some(sheets) = &self.sheets {
            unknowns.extend(sheets.download(&*self.gpu, self.register(age))?);
        }
        Ok(unknowns)
    }

    /// The fields, or their rates so many steps before.
    fn fields_by_slot<U: Copy + Default + Send>(
        &self,
        age: usize,
        map: impl Fn(T) -> U + Sync,
    ) -> Result<Vec<U>, DgtdError> {
        let (plan, nodes) = (&self.share.plan, self.share.plan.element.len());
        let per = 6 * nodes * LANES;
        let ranges = plan.sections.iter();
        let ranges =
            ranges.map(|section| (per * section.blocks.start..per * section.blocks.end, section.level));
        let fields =
            ade_tables::of_levels(&self.fields, &self.registers, ranges, &*self.gpu, self.register(age))?;
        Ok(by_slot(&fields, plan.tets.len(), self.layout.lanes(), map))
    }

    /// Fields and unknowns, and with local steps their rates, by slot.
    fn saved(&self) -> Result<Vec<Register<T>>, DgtdError> {
        let ages = 0..self.share.study.saved_registers();
        ages.map(|age| Ok((self.fields_by_slot(age, |field| field)?, self.unknowns(age)?))).collect()
    }

    /// Sets fields and unknowns, or their rates so many steps before, as if no step had been done.
    fn set(&mut self, age: usize, fields: &[T], unknowns: &[T]) -> Result<(), DgtdError> {
        self.oldest.fill(0);
        let (lanes, register) = (self.layout.lanes(), (age > 0).then(|| 3 - age));
        let fields = by_lane(fields, self.share.plan.tets.len(), lanes);
        let to = register.map_or(&self.fields, |register| &self.registers[register]);
        self.gpu.upload_bytes(bytemuck::cast_slice(&fields), to.memory())?;
        let mut rest = unknowns;
        for section in &self.sections {
            let (own, later) = rest.split_at(section.ade.values.len());
            section.ade.upload(own, register, lanes, &*self.gpu)?;
            rest = later;
        }
        self.sheets.as_ref().map_or(Ok(()), |sheets| sheets.upload(rest, register, &*self.gpu))
    }
}

/// Launches are asynchronous: the host queues the kernels of a stage and continues.
impl<T: GpuReal> Engine for GpuEngine<'_, T> {
    fn advance(&mut self, elements: Elements, time: f64, stage: usize) -> Result<(), DgtdError> {
        // With the border all of the stage: the interior is under way while the host exchanges traces.
        if elements == Elements::Interior {
            return Ok(());
        }
        self.evaluate_sources(time)?;
        let (clusters, step) = (&self.share.study.clusters, self.step(time, stage));
        self.advance_sheets(&step)?;
        self.next = (stage + 1) % clusters.stages();
        self.launch_stage(&step)?;
        if self.layout.local {
            for (level, oldest) in (0..).zip(&mut self.oldest) {
                *oldest = (*oldest + usize::from(clusters.is_due(level, stage))) % 3;
            }
        }
        Ok(())
    }

    fn pack(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        self.pack_traces(halo, bytes)
    }

    fn unpack(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        self.unpack_traces(halo, bytes)
    }

    fn sample(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        self.sample_terms()?;
        self.accumulate_spectra(factors)
    }

    fn take_samples(&mut self) -> Result<Vec<f64>, DgtdError> {
        self.fetch_samples()?;
        Ok(std::mem::take(&mut self.fetched))
    }

    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError> {
        Ok(self.gpu.download(&self.spectra)?)
    }

    fn energy(&mut self) -> Result<ExactSum, DgtdError> {
        self.total_energy()
    }

    fn fields(&mut self) -> Result<Vec<f64>, DgtdError> {
        self.fields_by_slot(0, T::to_f64)
    }

    fn state(&mut self) -> Result<Vec<u8>, DgtdError> {
        // Not the increments: A of the first stage is zero and discards them. Traces follow from
        // the fields.
        let elements = self.share.elements();
        Ok(elements.gather(&self.saved()?))
    }

    fn restore(&mut self, state: &[u8], spectra: &[Complex64]) -> Result<(), DgtdError> {
        let elements = self.share.elements();
        let mut registers = self.saved()?;
        elements.scatter(&elements.read(state)?, &mut registers);
        let mut registers = registers.into_iter();
        if let Some((fields, unknowns)) = registers.next() {
            self.set(0, &fields, &unknowns)?;
        }
        self.refresh_traces()?;
        for (age, (rates, unknowns)) in (1..).zip(registers) {
            self.set(age, &rates, &unknowns)?;
        }
        if !spectra.is_empty() {
            self.gpu.upload_bytes(bytemuck::cast_slice(spectra), self.spectra.memory())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{Material, Pole};
    use crate::problem::{Dipole, Problem};
    use crate::pulse::Pulse;
    use crate::scheme::C;
    use crate::study::{Study, prepare};
    use phasefront_core::Precision;
    use phasefront_device::{Backend, for_each_gpu};
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// A dipole beside a dispersive body, with a PML around them.
    fn study() -> Study {
        let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
        let mesh = BoxMesh {
            from: [-0.3; 3],
            to: [0.3; 3],
            cell: [0.1; 3],
            name: "pml".into(),
            regions: vec![region("air", 0.2), region("body", 0.1)],
            ..BoxMesh::default()
        };
        let mut problem = Problem {
            mesh: mesh.mesh().unwrap(),
            pulse: Pulse::modulated(600e6, 800e6),
            highest_frequency: 1e8,
            order: 1,
            precision: Precision::Double,
            ..Problem::default()
        };
        let body = Material { poles: vec![Pole::Debye { delta: 1.0, tau: 1e-10 }], ..Material::VACUUM };
        problem.materials = vec![("body".into(), body)];
        problem.sources.dipoles = vec![Dipole { position: [0.02, 0.03, 0.15], moment: [1e-3, 0.0, 1e-3] }];
        prepare(problem).unwrap()
    }

    fn step(engine: &mut dyn Engine, time: f64, dt: f64) {
        for (stage, c) in C.iter().enumerate() {
            engine.advance(Elements::Border, time + c * dt, stage).unwrap();
            engine.advance(Elements::Interior, time + c * dt, stage).unwrap();
        }
    }

    for_each_gpu! {
        fn a_state_goes_on_whatever_the_kernels_are_cut_like(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            let study = study();
            let rows = KernelLayout::of(1, 2, Precision::Double);
            let narrow = KernelLayout { variant: Variant::Rows { lanes: 8, rows: 2, step: 4 }, ..rows };
            let share = Share::whole(&study);
            let mut first = GpuEngine::<f64>::with_layout(&share, gpu, rows).unwrap();
            // Around the peak of the pulse.
            let time = |step: i32| 0.5 * study.problem.pulse.end() + f64::from(step - 20) * study.step.dt;
            (0..40).for_each(|i| step(&mut first, time(i), study.step.dt));
            let state = first.state().unwrap();
            step(&mut first, time(40), study.step.dt);
            let expected = first.fields().unwrap();
            let largest = expected.iter().fold(0.0_f64, |most, field| most.max(field.abs()));
            assert!(largest > 1e-3, "{largest}");
            for shape in [narrow, rows.split(2)] {
                let mut other = GpuEngine::<f64>::with_layout(&share, gpu, shape).unwrap();
                other.restore(&state, &[]).unwrap();
                assert_eq!(other.state().unwrap(), state);
                step(&mut other, time(40), study.step.dt);
                for (found, expected) in other.fields().unwrap().iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-12 * largest, "{shape:?}: {found} for {expected}");
                }
            }
        }
    }
}
