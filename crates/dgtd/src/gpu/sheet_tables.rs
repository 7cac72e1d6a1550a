//! States of sheets and walls on the device, and what `kernels/sheets.cu` needs.

use super::ade as ade_tables;
use super::layout::KernelLayout;
use super::tables::{GpuReal, reals};
use crate::error::DgtdError;
use crate::offsets::{
    SHEET_BEHIND, SHEET_ENTRIES, SHEET_EQUATIONS, SHEET_FIRST, SHEET_LEVEL, SHEET_LEVEL_BEHIND, SHEET_OWN,
    SHEET_STATES,
};
use crate::share::{Share, SheetStates};
use crate::sheet_model::FaceEquations;
use phasefront_device::{Buffer, Gpu, Program};
use std::ops::Range;
use std::sync::Arc;

/// The states of all sheets.
pub struct Sheets<T> {
    pub program: Arc<dyn Program>,
    /// Straight faces, and curved ones.
    pub parts: Vec<Part>,
    pub equations: Buffer<T>,
    pub values: Buffer<T>,
    pub registers: [Buffer<T>; 3],
    /// The states of each face, and its level.
    ranges: Vec<(Range<usize>, u8)>,
}

/// All straight faces, or all curved ones.
pub struct Part {
    pub curved: bool,
    pub count: usize,
    /// [face][SHEET_ENTRIES].
    pub faces: Buffer<i64>,
}

impl<T: GpuReal> Sheets<T> {
    /// None if a share has no sheets.
    pub fn new(share: &Share<'_>, layout: KernelLayout, gpu: &dyn Gpu) -> Result<Option<Self>, DgtdError> {
        if share.sheets.is_empty() {
            return Ok(None);
        }
        let study = share.study;
        let mut starts = Vec::new();
        let mut equations = Vec::new();
        for FaceEquations { output, minus, plus, matrix, .. } in &study.sheets.equations {
            starts.push(equations.len());
            equations.extend([output, minus, plus, matrix].into_iter().flatten());
        }
        let level = |sheet: &SheetStates<'_>| study.clusters.level(sheet.face.tet as usize);
        let mut parts = Vec::new();
        for curved in [false, true] {
            let these: Vec<_> = share.sheets.iter().filter(|sheet| sheet.curved == curved).collect();
            if !these.is_empty() {
                let faces: Vec<_> = these.iter().map(|sheet| entries(share, sheet, &starts)).collect();
                parts.push(Part { curved, count: these.len(), faces: gpu.upload(faces.as_flattened())? });
            }
        }
        let states = share.sheet_states();
        Ok(Some(Self {
            program: layout.compile_sheets(gpu)?,
            parts,
            equations: gpu.upload(&reals::<T>(equations))?,
            values: gpu.alloc(states)?,
            registers: ade_tables::registers(states, study.clusters.is_local(), gpu)?,
            ranges: share.sheets.iter().map(|sheet| (sheet.range.clone(), level(sheet))).collect(),
        }))
    }

    /// The states, or their rates in a register that `of` tells from the level.
    pub fn download(&self, gpu: &dyn Gpu, of: impl Fn(u8) -> Option<usize>) -> Result<Vec<T>, DgtdError> {
        ade_tables::of_levels(&self.values, &self.registers, self.ranges.iter().cloned(), gpu, of)
    }

    /// Restores the states, or their rates in a register.
    pub fn upload(&self, values: &[T], register: Option<usize>, gpu: &dyn Gpu) -> Result<(), DgtdError> {
        let to = register.map_or(&self.values, |register| &self.registers[register]);
        Ok(gpu.upload_bytes(bytemuck::cast_slice(values), to.memory())?)
    }
}

/// What the kernel needs to know of a face.
fn entries(share: &Share<'_>, sheet: &SheetStates<'_>, starts: &[usize]) -> [i64; SHEET_ENTRIES] {
    let (study, plan) = (share.study, &share.plan);
    let (slot, f) = (sheet.slot as usize, usize::from(sheet.face.face));
    let face = &plan.faces[slot][f];
    // Traces at quadrature points are counted from the first curved element.
    let first = if sheet.curved { 4 * plan.curved_slots().start } else { 0 };
    let tet = sheet.face.tet as usize;
    let behind = study.domain.faces.neighbors[tet][f].map_or(tet, |neighbor| neighbor.tet as usize);
    let equations = sheet.face.equations as usize;
    let mut entries = [0; SHEET_ENTRIES];
    entries[SHEET_OWN] = (4 * slot + f - first) as i64;
    entries[SHEET_BEHIND] = ((face.neighbor as usize - first) << 2 | usize::from(face.orientation)) as i64;
    entries[SHEET_EQUATIONS] = starts[equations] as i64;
    entries[SHEET_STATES] = study.sheets.equations[equations].output.len() as i64;
    entries[SHEET_FIRST] = sheet.range.start as i64;
    entries[SHEET_LEVEL] = i64::from(study.clusters.level(tet));
    entries[SHEET_LEVEL_BEHIND] = i64::from(study.clusters.level(behind));
    entries
}
