//! Fields on a GPU: the kernels in `kernels/`, one launch per stage for straight elements, and one for curved ones.

mod curved;
mod further;
mod shape;
mod split;
mod tables;

pub use shape::{CURVED_KERNELS, Cut, KernelShape, WATCH_KERNELS, watch_defines};
pub use split::{SplitKernel, fastest_split};

use crate::auxiliary;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::plan::{Kind, LANES};
use crate::problem::Kernels;
use crate::solve::Study;
use crate::time;
use curved::CurvedTables;
use further::Further;
use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_device::{Arg, Buffer, Gpu, Grid, Program};
use std::f64::consts::TAU;
use std::sync::Arc;
use tables::Tables;

/// Work items of the small kernels.
const GROUP: u32 = 128;
/// Steps whose records are kept on the device before they are fetched.
const RECORD_STEPS: usize = 64;

/// A number of the fields' precision: what buffers of fields hold.
pub trait GpuReal: phasefront_core::Real + bytemuck::Pod + Default {}
impl GpuReal for f32 {}
impl GpuReal for f64 {}

/// All straight elements, or all curved ones, with their kernels and what they have besides E and H.
struct Section<T> {
    curved: bool,
    program: Arc<dyn Program>,
    /// Slots of the section.
    slots: std::ops::Range<usize>,
    further: Further<T>,
}

/// Fields on a GPU.
pub struct GpuEngine<'a, T> {
    study: &'a Study,
    gpu: Arc<dyn Gpu>,
    shape: KernelShape,
    watch: Arc<dyn Program>,
    tables: Tables<T>,
    curved: CurvedTables<T>,
    /// Whether driven faces get nothing any more.
    drive_is_over: bool,
    sections: Vec<Section<T>>,
    fields: Buffer<T>,
    increments: Buffer<T>,
    /// Between the kernels, where there are three.
    rates: Buffer<T>,
    traces: [Buffer<T>; 2],
    spectra: Buffer<Complex64>,
    records: Buffer<f64>,
    recorded: usize,
    kept: Vec<f64>,
    energies: Buffer<f64>,
}

impl<'a, T: GpuReal> GpuEngine<'a, T> {
    /// Fields as they are at the beginning.
    pub fn new(study: &'a Study, gpu: &Arc<dyn Gpu>) -> Result<Self, DgtdError> {
        let shape = match study.problem.kernels {
            Kernels::Fused => KernelShape::new(&study.plan, T::PRECISION, &**gpu),
            Kernels::Split => fastest_split::<T>(study, gpu)?,
        };
        Self::with_shape(study, gpu, shape)
    }

    /// The same, with kernels that are cut in a way of the caller's.
    pub fn with_shape(study: &'a Study, gpu: &Arc<dyn Gpu>, shape: KernelShape) -> Result<Self, DgtdError> {
        let plan = &study.plan;
        let (slots, nodes) = (plan.tets.len(), plan.element.len());
        let traces = slots * 4 * plan.element.face_len() * plan.traces();
        let spectra = study.problem.monitors.frequencies.len() * study.watch.nodes.len() * 6;
        let mut engine = Self {
            study,
            shape,
            watch: shape::compile_watch(&shape, &**gpu)?,
            tables: Tables::new(study, shape, &**gpu)?,
            curved: CurvedTables::new(study, shape, &**gpu)?,
            drive_is_over: false,
            sections: Vec::new(),
            fields: gpu.alloc(slots * 6 * nodes)?,
            increments: gpu.alloc(slots * 6 * nodes)?,
            rates: gpu.alloc(if matches!(shape.cut, Cut::Split { .. }) { slots * 6 * nodes } else { 0 })?,
            traces: [gpu.alloc(traces)?, gpu.alloc(traces)?],
            spectra: gpu.alloc(spectra)?,
            records: gpu.alloc(study.watch.rows.len() * RECORD_STEPS)?,
            recorded: 0,
            kept: Vec::new(),
            energies: gpu.alloc(energy_sums(slots) + plan.slots_of(Kind::Curved).len() / shape.lanes())?,
            gpu: gpu.clone(),
        };
        for curved in [false, true] {
            engine.sections.extend(engine.section(curved)?);
        }
        if let Some(initial) = study.initial_fields() {
            engine.set_fields(&initial)?;
        }
        Ok(engine)
    }

    /// The straight elements, or the curved ones, if there are any.
    fn section(&self, curved: bool) -> Result<Option<Section<T>>, DgtdError> {
        let (study, plan) = (self.study, &self.study.plan);
        let parts: Vec<&crate::plan::Section> =
            plan.sections.iter().filter(|section| (section.kind == Kind::Curved) == curved).collect();
        let [Some(first), Some(last)] = [parts.first(), parts.last()] else { return Ok(None) };
        let poles = |kind| auxiliary::variables(plan, &study.domain, kind) / 6;
        let program = if curved {
            self.shape.compile_curved(&*self.gpu, plan, poles(Kind::Curved))?
        } else {
            let kinds: Vec<i32> =
                parts.iter().map(|part| further::number(part.kind, study.problem.pml)).collect();
            self.shape.compile_stage(&*self.gpu, &kinds, poles(Kind::Poles))?
        };
        Ok(Some(Section {
            curved,
            program,
            slots: LANES * first.blocks.start..LANES * last.blocks.end,
            further: Further::new(study, &parts, self.shape, &*self.gpu)?,
        }))
    }

    fn set_fields(&mut self, values: &[f64]) -> Result<(), DgtdError> {
        let per = 6 * self.study.plan.element.len();
        let slots: Vec<Vec<f64>> = values.chunks_exact(per).map(<[f64]>::to_vec).collect();
        let fields: Vec<T> = tables::interleaved(&slots, self.shape.lanes());
        self.gpu.upload_bytes(bytemuck::cast_slice(&fields), self.fields.memory())?;
        self.refresh_traces()
    }

    /// Traces from fields: a stage that goes nowhere.
    fn refresh_traces(&mut self) -> Result<(), DgtdError> {
        self.stage(0.0, 0.0, 0.0, 0.0)
    }

    fn stage(&mut self, a: f64, b: f64, dt: f64, pulse: f64) -> Result<(), DgtdError> {
        let step = [pulse, a, b, dt];
        for section in &self.sections {
            if section.curved {
                self.launch_curved(section, step)?;
            } else if matches!(self.shape.cut, Cut::Split { .. }) {
                SplitKernel::ALL.iter().try_for_each(|kernel| self.launch_split(*kernel, section, step))?;
            } else {
                self.launch_fused(section, step)?;
            }
        }
        self.traces.swap(0, 1);
        self.curved.traces.swap(0, 1);
        Ok(())
    }

    fn grid(&self, section: &Section<T>) -> Grid {
        let groups = self.shape.groups(section.slots.len());
        Grid { groups: [groups, 1, 1], group_size: [self.shape.items() as u32, 1, 1] }
    }

    /// A stage of one section in one kernel; `step` is the pulse, a, b and dt.
    fn launch_fused(&self, section: &Section<T>, step: [f64; 4]) -> Result<(), DgtdError> {
        let Tables { shapes, faces, neighbors, across, derivative, lift, drive, currents, .. } = &self.tables;
        let mut args: Vec<Arg<'_>> = vec![
            (&self.fields).into(),
            (&self.increments).into(),
            (&self.traces[0]).into(),
            (&self.traces[1]).into(),
            shapes.into(),
            faces.into(),
            neighbors.into(),
            across.into(),
            derivative.into(),
            lift.into(),
            (&drive.of_face).into(),
            (&drive.values).into(),
            (&currents.of_slot).into(),
            (&currents.values).into(),
        ];
        args.extend(section.further.args());
        args.extend(step.map(Arg::F64));
        self.gpu.launch(&*section.program, "stage", self.grid(section), &args)?;
        Ok(())
    }

    /// The pulse at the points of driven faces; once it is over everywhere, nothing.
    fn drive(&mut self, time: f64) -> Result<(), DgtdError> {
        if self.drive_is_over {
            return Ok(());
        }
        self.drive_is_over = time > self.study.drive_end();
        let pulse = self.study.problem.pulse;
        for drive in [&self.tables.drive, &self.curved.drive].into_iter().filter(|drive| drive.points > 0) {
            if self.drive_is_over {
                let zeros = vec![T::default(); drive.values.len()];
                self.gpu.upload_bytes(bytemuck::cast_slice(&zeros), drive.values.memory())?;
                continue;
            }
            let args = [
                (&drive.delays).into(),
                (&drive.amounts).into(),
                (&drive.values).into(),
                Arg::F64(time - pulse.delay),
                Arg::F64(pulse.width),
                Arg::F64(TAU * pulse.carrier),
                Arg::F64(pulse.phase()),
                Arg::I32(drive.scalars as i32),
                Arg::I64(drive.points as i64),
            ];
            self.gpu.launch(&*self.watch, "drive_faces", Grid::cover(drive.points, GROUP), &args)?;
        }
        Ok(())
    }
}

/// Sums that the energies of straight elements come in.
fn energy_sums(slots: usize) -> usize {
    (6 * slots).div_ceil(GROUP as usize)
}

impl<T: GpuReal> Engine for GpuEngine<'_, T> {
    fn step(&mut self, time: f64) -> Result<(), DgtdError> {
        let dt = self.study.step.dt;
        let pulse = self.study.problem.pulse;
        for stage in 0..time::STAGES {
            let now = time + time::C[stage] * dt;
            self.drive(now)?;
            self.stage(time::A[stage], time::B[stage], C0 * dt, pulse.at(now))?;
        }
        Ok(())
    }

    fn record(&mut self, time: f64) -> Result<(), DgtdError> {
        let rows = self.study.watch.rows.len();
        if rows == 0 {
            return Ok(());
        }
        if self.recorded == RECORD_STEPS {
            self.fetch_records()?;
        }
        let watched = &self.tables.watched;
        let args = [
            (&self.fields).into(),
            (&watched.starts).into(),
            (&watched.places).into(),
            (&watched.weights).into(),
            (&watched.drives).into(),
            (&self.records).into(),
            Arg::F64(self.study.problem.pulse.at(time)),
            Arg::I64((self.recorded * rows) as i64),
        ];
        let grid = Grid { groups: [rows as u32, 1, 1], group_size: [GROUP, 1, 1] };
        self.gpu.launch(&*self.watch, "record_rows", grid, &args)?;
        self.recorded += 1;
        Ok(())
    }

    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError> {
        self.fetch_records()?;
        Ok(std::mem::take(&mut self.kept))
    }

    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        let nodes = self.study.watch.nodes.len();
        if nodes == 0 || factors.is_empty() {
            return Ok(());
        }
        self.gpu.upload_bytes(bytemuck::cast_slice(factors), self.tables.watched.factors.memory())?;
        let args = [
            (&self.fields).into(),
            (&self.tables.watched.nodes).into(),
            (&self.tables.watched.factors).into(),
            (&self.spectra).into(),
            Arg::I64(nodes as i64),
            Arg::I64((self.study.plan.element.len() * self.shape.lanes()) as i64),
            Arg::I32(factors.len() as i32),
        ];
        self.gpu.launch(&*self.watch, "accumulate", Grid::cover(6 * nodes, GROUP), &args)?;
        Ok(())
    }

    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError> {
        Ok(self.gpu.download(&self.spectra)?)
    }

    fn energy(&mut self) -> Result<f64, DgtdError> {
        let slots = self.study.plan.tets.len();
        let args = [
            (&self.fields).into(),
            (&self.tables.mass).into(),
            (&self.tables.energy_weights).into(),
            (&self.energies).into(),
            Arg::I64(slots as i64),
        ];
        self.gpu.launch(&*self.watch, "energies", Grid::cover(6 * slots, GROUP), &args)?;
        for section in self.sections.iter().filter(|section| section.curved) {
            self.launch_curved_energies(section, energy_sums(slots))?;
        }
        Ok(0.5 * self.gpu.download(&self.energies)?.iter().sum::<f64>())
    }

    fn fields(&mut self) -> Result<Vec<f64>, DgtdError> {
        let fields = tables::by_slot(
            &self.gpu.download(&self.fields)?,
            self.study.plan.tets.len(),
            self.shape.lanes(),
        );
        Ok(fields.into_iter().map(T::to_f64).collect())
    }

    fn state(&mut self) -> Result<Vec<u8>, DgtdError> {
        let lanes = self.shape.lanes();
        let fields = tables::by_slot(&self.gpu.download(&self.fields)?, self.study.plan.tets.len(), lanes);
        let mut bytes = bytemuck::cast_slice(&fields).to_vec();
        for section in &self.sections {
            bytes.extend_from_slice(bytemuck::cast_slice(&section.further.download(lanes, &*self.gpu)?));
        }
        bytes.extend_from_slice(bytemuck::cast_slice(&self.gpu.download(&self.spectra)?));
        Ok(bytes)
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), DgtdError> {
        let further: usize = self.sections.iter().map(|section| section.further.values.len()).sum();
        let reals = (self.fields.len() + further) * size_of::<T>();
        let expected = reals + self.spectra.len() * size_of::<Complex64>();
        if state.len() != expected {
            return Err(DgtdError::WrongState(format!("it has {} bytes instead of {expected}", state.len())));
        }
        let (reals, spectra) = state.split_at(reals);
        let reals: Vec<T> = bytemuck::pod_collect_to_vec(reals);
        let (fields, mut rest) = reals.split_at(self.fields.len());
        let lanes = self.shape.lanes();
        let fields = tables::by_lane(fields, self.study.plan.tets.len(), lanes);
        self.gpu.upload_bytes(bytemuck::cast_slice(&fields), self.fields.memory())?;
        for section in &self.sections {
            let (own, later) = rest.split_at(section.further.values.len());
            section.further.upload(own, lanes, &*self.gpu)?;
            rest = later;
        }
        if !spectra.is_empty() {
            self.gpu.upload_bytes(spectra, self.spectra.memory())?;
        }
        self.refresh_traces()
    }
}

impl<T: GpuReal> GpuEngine<'_, T> {
    fn fetch_records(&mut self) -> Result<(), DgtdError> {
        if self.recorded > 0 {
            let rows = self.study.watch.rows.len();
            let values = self.gpu.download(&self.records)?;
            self.kept.extend_from_slice(&values[..self.recorded * rows]);
            self.recorded = 0;
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
    use crate::solve::prepare;
    use phasefront_core::Precision;
    use phasefront_device::{Backend, for_each_device};
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// A dipole beside a body whose material has a term, with layers around.
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

    for_each_device! {
        fn a_state_goes_on_whatever_the_kernels_are_cut_like(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            let study = study();
            let rows = KernelShape::of(1, 2, Precision::Double);
            let narrow = KernelShape { cut: Cut::Rows { lanes: 8, rows: 2, step: 4 }, ..rows };
            let mut first = GpuEngine::<f64>::with_shape(&study, gpu, rows).unwrap();
            // Around the middle of the pulse.
            let time = |step: i32| study.problem.pulse.delay + f64::from(step - 20) * study.step.dt;
            (0..40).for_each(|step| first.step(time(step)).unwrap());
            let state = first.state().unwrap();
            first.step(time(40)).unwrap();
            let expected = first.fields().unwrap();
            let largest = expected.iter().fold(0.0_f64, |most, field| most.max(field.abs()));
            assert!(largest > 1e-3, "{largest}");
            for shape in [narrow, rows.split(2)] {
                let mut other = GpuEngine::<f64>::with_shape(&study, gpu, shape).unwrap();
                other.restore(&state).unwrap();
                assert_eq!(other.state().unwrap(), state);
                other.step(time(40)).unwrap();
                for (found, expected) in other.fields().unwrap().iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-12 * largest, "{shape:?}: {found} for {expected}");
                }
            }
        }
    }
}
