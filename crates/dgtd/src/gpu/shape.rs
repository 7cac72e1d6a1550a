//! How the kernels are cut: elements of a group, nodes of a work item.

use crate::error::DgtdError;
use crate::plan::{Kind, LANES, Plan};
use crate::problem::PmlKind;
use phasefront_core::Precision;
use phasefront_device::{Gpu, KernelSource, Program};
use std::sync::Arc;

/// The stage of all elements of one kind.
pub const STAGE_KERNEL: KernelSource =
    KernelSource { name: "stage.cu", text: include_str!("../../kernels/stage.cu") };
/// What drives and what is watched.
pub const WATCH_KERNELS: KernelSource =
    KernelSource { name: "watch.cu", text: include_str!("../../kernels/watch.cu") };

/// Shared memory that every GPU has for a group, bytes.
const SHARED: usize = 48 * 1024;
/// Nodes of a work item for orders 1 to 6: as many sums as registers allow, and enough items to hide latencies.
const ROWS: [usize; 6] = [2, 2, 4, 5, 4, 6];

/// How the kernels are cut for one order, precision and flux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelShape {
    /// Nodes of an element.
    pub nodes: usize,
    /// Nodes of a face.
    pub face_nodes: usize,
    /// Scalars per node of a trace.
    pub traces: usize,
    /// Elements of a group.
    pub lanes: usize,
    /// Nodes of a work item.
    pub rows: usize,
    /// Precision of the fields.
    pub precision: Precision,
}

impl KernelShape {
    /// For the elements of a plan.
    pub fn new(plan: &Plan, precision: Precision) -> Self {
        Self::of(plan.element.order, plan.traces(), precision)
    }

    /// For an order.
    pub fn of(order: usize, traces: usize, precision: Precision) -> Self {
        let (nodes, face_nodes) =
            ((order + 1) * (order + 2) * (order + 3) / 6, (order + 1) * (order + 2) / 2);
        let bytes = |lanes: usize| {
            (6 * nodes * lanes + 4 * face_nodes * traces * (lanes + 1) + lanes) * precision.bytes()
        };
        let mut lanes = LANES;
        while bytes(lanes) > SHARED {
            lanes /= 2;
        }
        Self { nodes, face_nodes, traces, lanes, rows: ROWS[order - 1], precision }
    }

    /// Work items of a group.
    pub fn items(&self) -> usize {
        self.nodes / self.rows * self.lanes
    }

    /// What the kernels are compiled with.
    pub fn defines(&self, kind: i32, poles: usize) -> Vec<(&'static str, String)> {
        vec![
            ("REAL", self.precision.c_name().into()),
            ("NP", self.nodes.to_string()),
            ("NF", self.face_nodes.to_string()),
            ("NS", self.traces.to_string()),
            ("LG", self.lanes.to_string()),
            ("ROWS", self.rows.to_string()),
            ("KIND", kind.to_string()),
            ("POLES", poles.to_string()),
            ("GROUP", super::GROUP.to_string()),
        ]
    }

    /// The stage for elements of one kind.
    pub(crate) fn compile_stage(
        &self,
        gpu: &dyn Gpu,
        kind: Kind,
        pml: PmlKind,
        poles: usize,
    ) -> Result<Arc<dyn Program>, DgtdError> {
        let kind = match (kind, pml) {
            (Kind::Plain, _) => 0,
            (Kind::Driven | Kind::Curved, _) => 1,
            (Kind::Layer, PmlKind::Shifted) => 2,
            (Kind::Layer, PmlKind::Uniaxial) => 3,
            (Kind::Poles, _) => 4,
        };
        compile(gpu, &STAGE_KERNEL, &self.defines(kind, poles))
    }

    /// The kernels that drive and watch.
    pub(crate) fn compile_watch(&self, gpu: &dyn Gpu) -> Result<Arc<dyn Program>, DgtdError> {
        compile(gpu, &WATCH_KERNELS, &self.defines(0, 0))
    }
}

fn compile(
    gpu: &dyn Gpu,
    source: &KernelSource,
    defines: &[(&str, String)],
) -> Result<Arc<dyn Program>, DgtdError> {
    let defines: Vec<(&str, &str)> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(gpu.compile(source, &defines)?)
}
