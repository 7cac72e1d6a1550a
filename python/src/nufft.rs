//! Nonuniform FFTs: one class for both precisions, with the axes in the order of the crate, the
//! fastest first.

use crate::failure::{self, exception};
use crate::pool::pooled;
use num_complex::Complex;
use numpy::{Element, PyArray1, PyReadonlyArray1};
use phasefront_cli::Failure;
use phasefront_nufft::{Float, ModeOrder, NufftError, Options, Plan, Sign, TransformType};
use pyo3::prelude::*;
use std::process;

/// A planned transform.
#[pyclass]
pub struct NufftPlan {
    plan: Precision,
    /// The process whose GPU driver the plan uses; none on the CPU.
    gpu_process: Option<u32>,
}

enum Precision {
    Single(Plan<f32>),
    Double(Plan<f64>),
}

#[pymethods]
impl NufftPlan {
    /// A plan of type 1, 2 or 3; of type 3 only the number of `modes` counts.
    #[new]
    fn new(
        py: Python<'_>,
        kind: u8,
        modes: Vec<usize>,
        tolerance: f64,
        positive: bool,
        fft_order: bool,
        batch: usize,
        single: bool,
        device: &str,
        deterministic: bool,
    ) -> PyResult<Self> {
        let kind = match kind {
            1 => TransformType::One,
            2 => TransformType::Two,
            _ => TransformType::Three,
        };
        let options = Options {
            sign: if positive { Sign::Plus } else { Sign::Minus },
            mode_order: if fft_order { ModeOrder::Fft } else { ModeOrder::Centered },
            batch,
            deterministic,
            ..Options::default()
        };
        let make = || {
            let backend = failure::open(device, deterministic)?;
            let gpu_process = backend.gpu().map(|_| process::id());
            let plan = if single {
                Plan::new(kind, &modes, tolerance, &options, &backend).map(Precision::Single)
            } else {
                Plan::new(kind, &modes, tolerance, &options, &backend).map(Precision::Double)
            };
            Ok(Self { plan: plan.map_err(failure::nufft)?, gpu_process })
        };
        py.detach(|| pooled(None, make)).map_err(|failure| exception(py, &failure))
    }

    /// Sets the points, one array per axis, and for type 3 the frequencies.
    fn set_points(
        &mut self,
        py: Python<'_>,
        points: Vec<Bound<'_, PyAny>>,
        frequencies: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        self.refuse_forked(py)?;
        match &mut self.plan {
            Precision::Single(plan) => set_points(py, plan, &points, frequencies.as_deref()),
            Precision::Double(plan) => set_points(py, plan, &points, frequencies.as_deref()),
        }
    }

    /// Executes the transform or its adjoint; `length` is that of the output.
    fn execute<'py>(
        &mut self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        length: usize,
        adjoint: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.refuse_forked(py)?;
        match &mut self.plan {
            Precision::Single(plan) => execute(py, plan, input, length, adjoint),
            Precision::Double(plan) => execute(py, plan, input, length, adjoint),
        }
    }
}

impl NufftPlan {
    /// A plan on a GPU does not survive a fork.
    fn refuse_forked(&self, py: Python<'_>) -> PyResult<()> {
        match self.gpu_process {
            Some(other) if other != process::id() => Err(exception(py, &failure::forked())),
            _ => Ok(()),
        }
    }
}

/// Runs a call of the plan in the pool of this process, without the interpreter's lock.
fn call(py: Python<'_>, work: impl FnOnce() -> Result<(), NufftError> + Send) -> PyResult<()> {
    py.detach(|| pooled(None, || work().map_err(failure::nufft)))
        .map_err(|failure: Failure| exception(py, &failure))
}

fn set_points<T: Float + Element>(
    py: Python<'_>,
    plan: &mut Plan<T>,
    points: &[Bound<'_, PyAny>],
    frequencies: Option<&[Bound<'_, PyAny>]>,
) -> PyResult<()> {
    let read = |arrays: &[Bound<'_, PyAny>]| -> PyResult<Vec<Vec<T>>> {
        arrays.iter().map(|x| Ok(x.extract::<PyReadonlyArray1<'_, T>>()?.as_slice()?.to_vec())).collect()
    };
    let points = read(points)?;
    let frequencies = frequencies.map(read).transpose()?;
    call(py, || {
        let slices: Vec<&[T]> = points.iter().map(Vec::as_slice).collect();
        match &frequencies {
            None => plan.set_points(&slices),
            Some(frequencies) => {
                let frequencies: Vec<&[T]> = frequencies.iter().map(Vec::as_slice).collect();
                plan.set_points_and_frequencies(&slices, &frequencies)
            }
        }
    })
}

fn execute<'py, T: Float + Element>(
    py: Python<'py>,
    plan: &mut Plan<T>,
    input: &Bound<'py, PyAny>,
    length: usize,
    adjoint: bool,
) -> PyResult<Bound<'py, PyAny>>
where
    Complex<T>: Element,
{
    let input = input.extract::<PyReadonlyArray1<'_, Complex<T>>>()?;
    let input = input.as_slice()?;
    let mut output = vec![Complex::default(); length];
    call(py, || {
        if adjoint { plan.execute_adjoint(input, &mut output) } else { plan.execute(input, &mut output) }
    })?;
    Ok(PyArray1::from_vec(py, output).into_any())
}
