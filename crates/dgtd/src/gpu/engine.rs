//! The GPU engine: buffers, stages, and state.

use super::ade::{self as ade_tables, Ade};
use super::curved_tables::CurvedTables;
use super::halo_tables::{HaloTables, compile_halo};
use super::layout::{self, GROUP, KernelLayout, SplitKernel, Variant};
use super::tables::{GpuReal, Tables};
use crate::ade;
use crate::engine::Engine;
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
use phasefront_device::{Arg, Buffer, Gpu, Grid, Program, Stream};
use std::ops::Range;
use std::sync::Arc;

/// Steps whose time series are held on the device before they are downloaded.
pub(super) const RECORD_STEPS: usize = 64;

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

/// Elements of a section that are advanced at once.
pub(super) struct Part {
    pub(super) slots: Range<usize>,
    /// Whether other ranks read their traces.
    pub(super) border: bool,
    /// Level of their local steps.
    pub(super) level: u8,
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
    pub(super) fields: Buffer<T>,
    /// Increments; with local steps the rates of three steps, in turn.
    pub(super) registers: [Buffer<T>; 3],
    /// Rates between the split kernels.
    pub(super) rates: Buffer<T>,
    /// Traces at the end of this stage or step, those that neighbors read in this stage, and with local steps those halfway.
    pub(super) traces: [Buffer<T>; 3],
    /// Local steps done at each level, modulo three.
    turns: Vec<usize>,
    /// The stage that comes next.
    next: usize,
    /// Copies traces of local steps.
    publisher: Option<Arc<dyn Program>>,
    /// The exchange before a stage at which the levels up to each one take a step; empty without other ranks.
    halos: Vec<HaloTables<T>>,
    pub(super) spectra: Buffer<Complex64>,
    pub(super) records: Buffer<f64>,
    pub(super) recorded: usize,
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
            turns: vec![0; share.study.clusters.levels()],
            next: 0,
            publisher: layout.local.then(|| compile_halo::<T>(&**gpu)).transpose()?,
            halos: HaloTables::of_levels(share, &**gpu)?,
            spectra: gpu.alloc(spectra)?,
            // Several steps at a time: each download waits for the device.
            records: gpu.alloc(share.terms.len() * RECORD_STEPS)?,
            recorded: 0,
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
                .chunk_by(|a, b| (a.border, a.level) == (b.border, b.level))
                .map(|same| Part {
                    slots: LANES * same[0].blocks.start..LANES * same[same.len() - 1].blocks.end,
                    border: same[0].border,
                    level: same[0].level,
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

    /// Scalars of a stage of zero length, for all levels.
    pub(super) fn rest(&self) -> Vec<Option<Vec<f64>>> {
        vec![Some(vec![0.0; if self.layout.local { 8 } else { 4 }]); self.turns.len()]
    }

    /// A stage of the levels for which there are scalars of STEP_PARAMS.
    ///
    /// The border is advanced, packed and fetched on the second stream, beside the interior. Both streams read the traces of the stage
    /// before and write those of this one, so that each begins when both have finished the stage before.
    pub(super) fn launch_stage(&mut self, steps: &[Option<Vec<f64>>]) -> Result<(), DgtdError> {
        if !self.layout.local {
            // What the last stage wrote is what neighbors read in this one.
            self.traces.swap(0, 1);
            self.curved.traces.swap(0, 1);
        }
        let level = usize::from(self.share.study.clusters.last_due(self.next));
        if let Some(halo) = self.halos.get(level) {
            self.gpu.order(Stream::Second)?;
            self.gpu.beside(|| {
                self.launch_part(steps, true)?;
                self.fetch_border(halo)
            })?;
            self.launch_part(steps, false)?;
            self.gpu.order(Stream::First)?;
        } else {
            self.launch_part(steps, false)?;
        }
        if self.layout.local { self.publish() } else { Ok(()) }
    }

    /// Local steps: what neighbors read in the next stage, where it differs from what they read in this one.
    fn publish(&self) -> Result<(), DgtdError> {
        let (clusters, plan) = (&self.share.study.clusters, &self.share.plan);
        let Some(program) = &self.publisher else { return Ok(()) };
        for section in &plan.sections {
            let from = match section.level {
                level if clusters.is_due(level, self.next) => 0,
                level if section.beside_finer && clusters.is_halfway(level, self.next) => 2,
                _ => continue,
            };
            let slots = LANES * section.blocks.start..LANES * section.blocks.end;
            let first_curved = plan.curved_slots().start;
            let straight = (&self.traces, slots.clone(), 4 * plan.element.face_len() * plan.traces());
            let at_points = (section.kind == Kind::Curved).then(|| {
                let own = slots.start - first_curved..slots.end - first_curved;
                (&self.curved.traces, own, 4 * plan.points.face.len() * plan.point_traces())
            });
            for (traces, slots, values) in [Some(straight), at_points].into_iter().flatten() {
                let count = slots.len() * values;
                let args = [
                    (&traces[from]).into(),
                    (&traces[1]).into(),
                    Arg::I64((slots.start * values) as i64),
                    Arg::I64(count as i64),
                ];
                self.gpu.launch(&**program, "publish", Grid::cover(count, GROUP), &args)?;
            }
        }
        Ok(())
    }

    /// The exchange before the next stage.
    pub(super) fn halo(&self) -> Option<&HaloTables<T>> {
        self.halos.get(usize::from(self.share.study.clusters.last_due(self.next)))
    }

    /// The registers of a level, the newest last written first: what is replaced, then those one and two steps before.
    fn order(&self, level: u8) -> Vec<usize> {
        let turn = self.turns[usize::from(level)];
        if self.layout.local { vec![turn, (turn + 2) % 3, (turn + 1) % 3] } else { vec![0] }
    }

    /// Arguments that all stages take first: FIELD, GEOMETRY, SOURCE, ADE and STEP_PARAMS of
    /// `kernels/element.cu`; `step` is the scalars of the last.
    pub(super) fn stage_args<'b>(
        &'b self,
        section: &'b Section<T>,
        part: &Part,
        step: &[f64],
    ) -> Vec<Arg<'b>> {
        let Tables { shapes, faces, neighbors, permutations, sources, currents, .. } = &self.tables;
        let order = self.order(part.level);
        let mut args: Vec<Arg<'_>> = vec![(&self.fields).into()];
        args.extend(order.iter().map(|register| Arg::from(&self.registers[*register])));
        args.extend::<[Arg<'_>; 2]>([(&self.traces[1]).into(), (&self.traces[0]).into()]);
        args.extend(self.layout.local.then(|| Arg::from(&self.traces[2])));
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
        args.extend(section.ade.args(&order));
        args.extend(step.iter().map(|scalar| Arg::F64(*scalar)));
        args.push(self.first_group(section, &part.slots));
        args
    }

    /// The first group of elements of a launch, counted from that of the section.
    pub(super) fn first_group(&self, section: &Section<T>, slots: &Range<usize>) -> Arg<'static> {
        Arg::I32(((slots.start - section.slots.start) / self.layout.lanes()) as i32)
    }

    /// Launches a stage of the elements at the border, or of all others.
    fn launch_part(&self, steps: &[Option<Vec<f64>>], border: bool) -> Result<(), DgtdError> {
        for section in &self.sections {
            for part in section.parts.iter().filter(|part| part.border == border) {
                let Some(step) = &steps[usize::from(part.level)] else { continue };
                if section.curved {
                    self.launch_curved(section, part, step)?;
                } else if matches!(self.layout.variant, Variant::Split { .. }) {
                    SplitKernel::ALL
                        .iter()
                        .try_for_each(|kernel| self.launch_split(*kernel, section, &part.slots, step))?;
                } else {
                    self.launch_fused(section, part, step)?;
                }
            }
        }
        Ok(())
    }

    /// STEP_PARAMS of the levels that a stage advances, except for the first group.
    fn coefficients(&self, time: f64, stage: usize) -> Vec<Option<Vec<f64>>> {
        let (study, dt) = (self.share.study, C0 * self.share.study.step.dt);
        let clusters = &study.clusters;
        // Amplitude of the dipoles; sources on faces have delays and are evaluated point by point.
        let pulse = study.problem.pulse.at(time);
        if !clusters.is_local() {
            return vec![Some(vec![pulse, scheme::A[stage], scheme::B[stage], dt])];
        }
        let of = |level: u8| {
            let own = dt * f64::from(1 << level) / clusters.stages() as f64;
            let weights = scheme::LOCAL.iter().chain(&scheme::HALFWAY).map(|weight| own * weight);
            clusters.is_due(level, stage).then(|| std::iter::once(pulse).chain(weights).collect())
        };
        (0..clusters.levels() as u8).map(of).collect()
    }

    /// The register of a level with the rates so many steps before; none for the values themselves.
    fn register(&self, age: usize) -> impl Fn(u8) -> Option<usize> {
        let turns = self.turns.clone();
        move |level| (age > 0).then(|| (turns[usize::from(level)] + 3 - age) % 3)
    }

    /// The auxiliary unknowns of all sections, or their rates so many steps before, one section after the other, by slot.
    fn unknowns(&self, age: usize) -> Result<Vec<T>, DgtdError> {
        let lanes = self.layout.lanes();
        let sections =
            self.sections.iter().map(|section| section.ade.download(lanes, &*self.gpu, self.register(age)));
        Ok(sections.collect::<Result<Vec<_>, _>>()?.concat())
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
        self.turns.fill(0);
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
        Ok(())
    }
}

/// Launches are asynchronous: the host queues the kernels of a stage and goes on.
impl<T: GpuReal> Engine for GpuEngine<'_, T> {
    fn border(&mut self, time: f64, stage: usize) -> Result<(), DgtdError> {
        // All of the stage: the interior is under way while the host exchanges traces.
        self.evaluate_sources(time)?;
        let clusters = &self.share.study.clusters;
        self.next = (stage + 1) % clusters.stages();
        self.launch_stage(&self.coefficients(time, stage))?;
        if self.layout.local {
            for (level, turn) in (0..).zip(&mut self.turns) {
                *turn = (*turn + usize::from(clusters.is_due(level, stage))) % 3;
            }
        }
        Ok(())
    }

    fn interior(&mut self, _: f64, _: usize) -> Result<(), DgtdError> {
        Ok(())
    }

    fn pack(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        self.pack_traces(halo, bytes)
    }

    fn unpack(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        self.unpack_traces(halo, bytes)
    }

    fn record(&mut self) -> Result<(), DgtdError> {
        self.record_terms()
    }

    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError> {
        self.fetch_records()?;
        Ok(std::mem::take(&mut self.fetched))
    }

    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        self.accumulate_spectra(factors)
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
    use phasefront_device::{Backend, for_each_device};
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
            engine.border(time + c * dt, stage).unwrap();
            engine.interior(time + c * dt, stage).unwrap();
        }
    }

    for_each_device! {
        fn a_state_goes_on_whatever_the_kernels_are_cut_like(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            let study = study();
            let rows = KernelLayout::of(1, 2, Precision::Double);
            let narrow = KernelLayout { variant: Variant::Rows { lanes: 8, rows: 2, step: 4 }, ..rows };
            let share = Share::whole(&study);
            let mut first = GpuEngine::<f64>::with_layout(&share, gpu, rows).unwrap();
            // Around the peak of the pulse.
            let time = |step: i32| study.problem.pulse.delay + f64::from(step - 20) * study.step.dt;
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
