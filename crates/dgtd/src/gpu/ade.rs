//! Auxiliary differential equations (ADE) on the device: coefficients and unknowns of PMLs and dispersive materials.

use super::layout::KernelLayout;
use super::tables::GpuReal;
use crate::ade;
use crate::error::DgtdError;
use crate::interleave::{by_lane, by_slot};
use crate::kind::Kind;
use crate::offsets::{
    BLOCK_COEFFICIENTS, BLOCK_ENTRIES, BLOCK_HALFWAY, BLOCK_KIND, BLOCK_LEVEL, BLOCK_UNKNOWNS,
    KIND_CFS_CORNER, KIND_DISPERSIVE, KIND_PLAIN, KIND_PML_EDGE, KIND_PML_FACE, KIND_SOURCES,
    KIND_UNIAXIAL_CORNER,
};
use crate::plan::{LANES, Section};
use crate::problem::PmlKind;
use crate::share::Share;
use phasefront_device::{Arg, Buffer, Gpu};
use std::ops::Range;

/// The number of a kind in `kernels/element.cu`.
pub fn number(kind: Kind, pml: PmlKind) -> i32 {
    let number = match (kind, pml) {
        (Kind::Plain, _) => KIND_PLAIN,
        (Kind::Sources, _) => KIND_SOURCES,
        (Kind::PmlCorner, PmlKind::Cfs) => KIND_CFS_CORNER,
        (Kind::PmlCorner, PmlKind::Uniaxial) => KIND_UNIAXIAL_CORNER,
        (Kind::Poles | Kind::Curved, _) => KIND_DISPERSIVE,
        (Kind::PmlFace, _) => KIND_PML_FACE,
        (Kind::PmlEdge, _) => KIND_PML_EDGE,
    };
    number as i32
}

/// Coefficients and unknowns of elements of several kinds, kind after kind.
pub struct Ade<T> {
    /// The slots of each section, its range in `values`, and its level.
    parts: Vec<(Range<usize>, Range<usize>, u8)>,
    /// Kind, first coefficient, first unknown and level of each block: [block][BLOCK_ENTRIES].
    pub of_block: Buffer<i64>,
    pub constants: Buffer<T>,
    /// [block][unknown][node][lane], and what is kept of their rates: increments, or with local steps the rates of three steps.
    pub values: Buffer<T>,
    pub registers: [Buffer<T>; 3],
}

impl<T: GpuReal> Ade<T> {
    pub fn new(
        share: &Share<'_>,
        sections: &[&Section],
        shape: KernelLayout,
        gpu: &dyn Gpu,
    ) -> Result<Self, DgtdError> {
        let (plan, study, lanes) = (&share.plan, share.study, shape.lanes());
        let domain = &study.domain;
        let (mut parts, mut of_block) = (Vec::new(), Vec::new());
        let (mut constants, mut values) = (Vec::<T>::new(), 0);
        for section in sections {
            let slots = LANES * section.blocks.start..LANES * section.blocks.end;
            let count = ade::unknowns(plan.poles, domain, section.kind);
            let per = ade::coefficient_count(section.kind, shape.nodes, count);
            let [constants_of, values_of] = [per * lanes, count * shape.nodes * lanes];
            let kind = i64::from(number(section.kind, study.problem.pml));
            of_block.extend((0..slots.len() / lanes).flat_map(|block| {
                // Kinds differ in the numbers of coefficients and unknowns, so that each block has
                // its offsets.
                let mut entries = [0; BLOCK_ENTRIES];
                entries[BLOCK_KIND] = kind;
                entries[BLOCK_COEFFICIENTS] = (constants.len() + block * constants_of) as i64;
                entries[BLOCK_UNKNOWNS] = (values + block * values_of) as i64;
                entries[BLOCK_HALFWAY] = i64::from(section.beside_finer);
                entries[BLOCK_LEVEL] = i64::from(section.level);
                entries
            }));
            // Empty slots included: a section consists of whole blocks.
            constants.extend(ade::coefficient_table::<T>(plan, domain, section, lanes));
            let end = values + slots.len() / lanes * values_of;
            parts.push((slots, values..end, section.level));
            values = end;
        }
        Ok(Self {
            parts,
            of_block: gpu.upload(&of_block)?,
            constants: gpu.upload(&constants)?,
            values: gpu.alloc(values)?,
            registers: registers(values, study.clusters.is_local(), gpu)?,
        })
    }

    /// ADE_PARAMS of the kernels, with one register or all.
    pub fn args(&self, local: bool) -> Vec<Arg<'_>> {
        let Self { of_block, constants, values, registers, .. } = self;
        let mut args: Vec<Arg<'_>> = vec![of_block.into(), constants.into(), values.into()];
        args.extend(registers[..if local { 3 } else { 1 }].iter().map(Arg::from));
        args
    }

    /// The unknowns, or their rates in a register that `of` tells from the level, [slot][unknown] section by section.
    pub fn download(
        &self,
        lanes: usize,
        gpu: &dyn Gpu,
        of: impl Fn(u8) -> Option<usize>,
    ) -> Result<Vec<T>, DgtdError> {
        let ranges = self.parts.iter().map(|(_, numbers, level)| (numbers.clone(), *level));
        let values = of_levels(&self.values, &self.registers, ranges, gpu, of)?;
        // By slot, so that a state does not depend on the lanes of the kernel layout.
        let of = |(slots, numbers, _): &(Range<usize>, Range<usize>, u8)| {
            by_slot(&values[numbers.clone()], slots.len(), lanes, |value| value)
        };
        Ok(self.parts.iter().flat_map(of).collect())
    }

    /// Restores the unknowns, or their rates in a register.
    pub fn upload(
        &self,
        values: &[T],
        register: Option<usize>,
        lanes: usize,
        gpu: &dyn Gpu,
    ) -> Result<(), DgtdError> {
        let of = |(slots, numbers, _): &(Range<usize>, Range<usize>, u8)| {
            by_lane(&values[numbers.clone()], slots.len(), lanes)
        };
        let values: Vec<T> = self.parts.iter().flat_map(of).collect();
        if !values.is_empty() {
            let to = register.map_or(&self.values, |register| &self.registers[register]);
            gpu.upload_bytes(bytemuck::cast_slice(&values), to.memory())?;
        }
        Ok(())
    }
}

/// What is kept of rates: increments of the Runge-Kutta scheme, or the rates of three local steps.
pub fn registers<T: GpuReal>(values: usize, local: bool, gpu: &dyn Gpu) -> Result<[Buffer<T>; 3], DgtdError> {
    let more = if local { values } else { 0 };
    Ok([gpu.alloc(values)?, gpu.alloc(more)?, gpu.alloc(more)?])
}

/// Values, or what `of` tells for the level of each range: another register for each, since each level has its own ring of registers.
pub fn of_levels<T: GpuReal>(
    values: &Buffer<T>,
    registers: &[Buffer<T>; 3],
    ranges: impl Iterator<Item = (Range<usize>, u8)>,
    gpu: &dyn Gpu,
    of: impl Fn(u8) -> Option<usize>,
) -> Result<Vec<T>, DgtdError> {
    if of(0).is_none() {
        return Ok(gpu.download(values)?);
    }
    let registers = registers.iter().map(|register| gpu.download(register)).collect::<Result<Vec<_>, _>>()?;
    let mut all = vec![T::default(); values.len()];
    for (range, level) in ranges {
        let from = &registers[of(level).unwrap_or(0)];
        all[range.clone()].copy_from_slice(&from[range]);
    }
    Ok(all)
}
