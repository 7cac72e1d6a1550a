//! Nonuniform FFTs: on a CPU or a GPU, and the figures of Capozzoli et al.

mod cpu;
mod data;
mod gpu;
mod paper;

use crate::error::BenchError;
use crate::harness::Bench;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    match bench.backend.gpu().cloned() {
        Some(gpu) => gpu::run(bench, &gpu)?,
        None => cpu::run(bench)?,
    }
    paper::run(bench)
}
