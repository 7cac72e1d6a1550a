//! The GPU engine: buffers, stages, and state.

use super::ade::{self as ade_tables, Ade};
use super::curved_tables::CurvedTables;
use super::halo_tables::HaloTables;
use super::layout::{self, GROUP, KernelLayout, SplitKernel, Variant};
use super::tables::{GpuReal, Tables};
use crate::ade;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::interleave::{by_lane, by_slot};
use crate::kind::Kind;
use crate::plan::LANES;
use crate::share::Share;
use crate::state::Elements;
use crate::time;
use num_complex::Complex64;
use phasefront_core::ExactSum;
use phasefront_core::constants::C0;
use phasefront_device::{Arg, Buffer, Gpu, Program, Stream};
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
    /// The first slot that is not at the border.
    pub(super) interior: usize,
    pub(super) ade: Ade<T>,
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
    pub(super) increments: Buffer<T>,
    /// Rates between the split kernels.
    pub(super) rates: Buffer<T>,
    /// Traces of this stage, and of the one before.
    pub(super) traces: [Buffer<T>; 2],
    pub(super) halo: Option<HaloTables<T>>,
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
            increments: gpu.alloc(slots * 6 * nodes)?,
            // Only the split kernels pass rates through global memory.
            rates: gpu.alloc(if matches!(layout.variant, Variant::Split { .. }) {
                slots * 6 * nodes
            } else {
                0
            })?,
            traces: [gpu.alloc(traces)?, gpu.alloc(traces)?],
            halo: HaloTables::new(share, &**gpu)?,
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
            interior: parts
                .iter()
                .find(|part| !part.border)
                .map_or(LANES * last.blocks.end, |part| LANES * part.blocks.start),
            ade: Ade::new(self.share, &parts, self.layout, &*self.gpu)?,
        }))
    }

    /// Traces from fields: a stage of zero length.
    fn refresh_traces(&mut self) -> Result<(), DgtdError> {
        self.launch_stage([0.0; 4])
    }

    /// A stage of all elements; `step` is the pulse, a, b and dt.
    ///
    /// The border is advanced, packed and fetched on the second stream, beside the interior. Both streams read the traces of the stage
    /// before and write those of this one, so that each begins when both have finished the stage before.
    pub(super) fn launch_stage(&mut self, step: [f64; 4]) -> Result<(), DgtdError> {
        // What the last stage wrote is what neighbors read in this one.
        self.traces.swap(0, 1);
        self.curved.traces.swap(0, 1);
        let Some(halo) = &self.halo else { return self.launch_part(step, false) };
        self.gpu.order(Stream::Second)?;
        self.gpu.beside(|| {
            self.launch_part(step, true)?;
            self.fetch_border(halo)
        })?;
        self.launch_part(step, false)?;
        Ok(self.gpu.order(Stream::First)?)
    }

    /// Arguments that all stages take first: FIELD, GEOMETRY, SOURCE, ADE and STEP_PARAMS of
    /// `kernels/element.cu`; `step` is the pulse, a, b and dt.
    pub(super) fn stage_args<'b>(
        &'b self,
        section: &'b Section<T>,
        slots: &Range<usize>,
        step: [f64; 4],
    ) -> Vec<Arg<'b>> {
        let Tables { shapes, faces, neighbors, permutations, sources, currents, .. } = &self.tables;
        let mut args: Vec<Arg<'_>> = vec![
            (&self.fields).into(),
            (&self.increments).into(),
            (&self.traces[1]).into(),
            (&self.traces[0]).into(),
            shapes.into(),
            faces.into(),
            neighbors.into(),
            permutations.into(),
            (&sources.of_face).into(),
            (&sources.values).into(),
            (&currents.of_slot).into(),
            (&currents.values).into(),
        ];
        args.extend(section.ade.args());
        args.extend(step.map(Arg::F64));
        args.push(self.first_group(section, slots));
        args
    }

    /// The first group of elements of a launch, counted from that of the section.
    pub(super) fn first_group(&self, section: &Section<T>, slots: &Range<usize>) -> Arg<'static> {
        Arg::I32(((slots.start - section.slots.start) / self.layout.lanes()) as i32)
    }

    /// Launches a stage of the elements at the border, or of all others.
    fn launch_part(&self, step: [f64; 4], border: bool) -> Result<(), DgtdError> {
        for section in &self.sections {
            let Range { start, end } = section.slots;
            let slots = if border { start..section.interior } else { section.interior..end };
            if slots.is_empty() {
                continue;
            }
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
        Ok(())
    }

    fn coefficients(&self, time: f64, stage: usize) -> [f64; 4] {
        let study = self.share.study;
        // Amplitude of the dipoles; sources on faces have delays and are evaluated point by point.
        [study.problem.pulse.at(time), time::A[stage], time::B[stage], C0 * study.step.dt]
    }

    /// The auxiliary unknowns of all sections, one after the other, by slot.
    fn unknowns(&self) -> Result<Vec<T>, DgtdError> {
        let lanes = self.layout.lanes();
        let sections = self.sections.iter().map(|section| section.ade.download(lanes, &*self.gpu));
        Ok(sections.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn fields_by_slot<U: Copy + Default + Send>(
        &self,
        map: impl Fn(T) -> U + Sync,
    ) -> Result<Vec<U>, DgtdError> {
        let fields = self.gpu.download(&self.fields)?;
        Ok(by_slot(&fields, self.share.plan.tets.len(), self.layout.lanes(), map))
    }
}

/// Launches are asynchronous: the host queues the kernels of a stage and goes on.
impl<T: GpuReal> Engine for GpuEngine<'_, T> {
    fn border(&mut self, time: f64, stage: usize) -> Result<(), DgtdError> {
        // All of the stage: the interior is under way while the host exchanges traces.
        self.evaluate_sources(time)?;
        self.launch_stage(self.coefficients(time, stage))
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
        self.fields_by_slot(T::to_f64)
    }

    fn state(&mut self) -> Result<Vec<u8>, DgtdError> {
        // Not the increments: A of the first stage is zero and discards them. Traces follow from
        // the fields.
        let elements = Elements::new(&self.share.plan, &self.share.study.domain);
        Ok(elements.gather(&self.fields_by_slot(|field| field)?, &self.unknowns()?))
    }

    fn restore(&mut self, state: &[u8], spectra: &[Complex64]) -> Result<(), DgtdError> {
        let Share { study, plan, .. } = self.share;
        let elements = Elements::new(plan, &study.domain);
        let values: Vec<T> = elements.read(state)?;
        let (mut fields, mut unknowns) = (self.fields_by_slot(|field| field)?, self.unknowns()?);
        elements.scatter(&values, &mut fields, &mut unknowns);
        let lanes = self.layout.lanes();
        let fields = by_lane(&fields, plan.tets.len(), lanes);
        self.gpu.upload_bytes(bytemuck::cast_slice(&fields), self.fields.memory())?;
        let mut rest = &unknowns[..];
        for section in &self.sections {
            let (own, later) = rest.split_at(section.ade.values.len());
            section.ade.upload(own, lanes, &*self.gpu)?;
            rest = later;
        }
        if !spectra.is_empty() {
            self.gpu.upload_bytes(bytemuck::cast_slice(spectra), self.spectra.memory())?;
        }
        self.refresh_traces()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{Material, Pole};
    use crate::problem::{Dipole, Problem};
    use crate::pulse::Pulse;
    use crate::study::{Study, prepare};
    use crate::time::C;
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
