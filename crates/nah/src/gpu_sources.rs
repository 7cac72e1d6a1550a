//! Holograms on a GPU by equivalent sources: one matrix for each frequency.

use crate::carriers::GpuCarrier;
use crate::error::NahError;
use crate::esm::Operator;
use crate::scalar::Scalar;
use num_complex::Complex;
use phasefront_device::{Buffer, Complex as DeviceComplex, Gpu, Grid as Groups, KernelSource, Program};
use std::sync::Arc;

/// The kernel.
pub const SOURCE_KERNELS: KernelSource =
    KernelSource { name: "sources.cu", text: include_str!("../kernels/sources.cu") };

/// Work items that share a value.
const ITEMS: usize = 64;

/// Holograms of several frequencies at a time.
pub struct GpuSources<T: Scalar> {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    holograms: usize,
    values: usize,
    matrices: Buffer<Complex<T>>,
    phasors: Buffer<Complex<T>>,
    fields: Buffer<Complex<T>>,
}

/// What the kernel is compiled with.
pub fn source_defines<T: Scalar>(microphones: usize, values: usize) -> Vec<(&'static str, String)> {
    let numbers = [("MICS", microphones), ("VALUES", values), ("ITEMS", ITEMS)];
    let real = [("REAL", T::PRECISION.c_name().to_owned())];
    real.into_iter().chain(numbers.map(|(name, number)| (name, number.to_string()))).collect()
}

impl<T: Scalar> GpuSources<T>
where
    Complex<T>: DeviceComplex,
{
    /// With an operator for each frequency, all of one size.
    pub fn new(gpu: &Arc<dyn Gpu>, microphones: usize, operators: &[Operator<T>]) -> Result<Self, NahError> {
        let values = operators.first().map_or(0, |operator| operator.rows().len());
        let defines = source_defines::<T>(microphones, values);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let all: Vec<Complex<T>> = operators.iter().flat_map(|o| o.rows().concat()).collect();
        Ok(Self {
            program: gpu.compile(&SOURCE_KERNELS, &defines)?,
            matrices: gpu.upload(&all)?,
            phasors: gpu.alloc(operators.len() * microphones)?,
            fields: gpu.alloc(operators.len() * values)?,
            gpu: gpu.clone(),
            holograms: operators.len(),
            values,
        })
    }
}

impl<T: Scalar> GpuCarrier<T> for GpuSources<T>
where
    Complex<T>: DeviceComplex,
{
    fn run(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError> {
        self.gpu.upload_bytes(bytemuck::cast_slice(phasors), self.phasors.memory())?;
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
