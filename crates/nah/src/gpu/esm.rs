//! Equivalent sources on a GPU: one matrix-vector product for each frequency.

use crate::error::NahError;
use crate::esm::EsmOperator;
use crate::scalar::Scalar;
use num_complex::Complex;
use phasefront_device::{Buffer, Gpu, Grid as Groups, KernelSource, Program};
use std::sync::Arc;

/// The kernel.
pub const ESM_KERNELS: KernelSource =
    KernelSource { name: "esm.cu", text: include_str!("../../kernels/esm.cu") };

/// Work items for each value of a field.
const ITEMS: usize = 64;

/// Reconstruction matrices of all frequencies.
pub struct GpuEsm<T: Scalar> {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    holograms: usize,
    values: usize,
    matrices: Buffer<Complex<T>>,
    phasors: Buffer<Complex<T>>,
    fields: Buffer<Complex<T>>,
}

/// The macros that the kernel is compiled with.
pub fn esm_defines<T: Scalar>(microphones: usize, values: usize) -> Vec<(&'static str, String)> {
    let numbers = [("MICS", microphones), ("VALUES", values), ("ITEMS", ITEMS)];
    let real = [("REAL", T::PRECISION.c_name().to_owned())];
    real.into_iter().chain(numbers.map(|(name, number)| (name, number.to_string()))).collect()
}

impl<T: Scalar> GpuEsm<T> {
    /// With a reconstruction matrix for each frequency, all of the same size.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        microphones: usize,
        operators: &[EsmOperator<T>],
    ) -> Result<Self, NahError> {
        let values = operators.first().map_or(0, |operator| operator.rows().len());
        let defines = esm_defines::<T>(microphones, values);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // [hologram][value][microphone], as the kernel reads it.
        let all: Vec<Complex<T>> = operators.iter().flat_map(|o| o.rows().concat()).collect();
        Ok(Self {
            program: gpu.compile(&ESM_KERNELS, &defines)?,
            matrices: gpu.upload(&all)?,
            phasors: gpu.alloc(operators.len() * microphones)?,
            fields: gpu.alloc(operators.len() * values)?,
            gpu: gpu.clone(),
            holograms: operators.len(),
            values,
        })
    }

    /// The fields of the phasors of all frequencies.
    pub fn reconstruct(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError> {
        self.gpu.upload_bytes(bytemuck::cast_slice(phasors), self.phasors.memory())?;
        // A group for each value of each field.
        let groups = Groups {
            groups: [self.values as u32, self.holograms as u32, 1],
            group_size: [ITEMS as u32, 1, 1],
        };
        let args = [(&self.matrices).into(), (&self.phasors).into(), (&self.fields).into()];
        self.gpu.launch(&*self.program, "apply", groups, &args)?;
        self.gpu.download_bytes(self.fields.memory(), bytemuck::cast_slice_mut(fields))?;
        Ok(())
    }
}
