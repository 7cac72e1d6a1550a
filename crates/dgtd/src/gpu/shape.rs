//! How the kernels are cut: elements of a group, nodes of a work item.

use crate::error::DgtdError;
use crate::plan::{Kind, LANES, Plan};
use crate::problem::PmlKind;
use crate::reference::face_nodes;
use phasefront_core::Precision;
use phasefront_device::{Gpu, KernelSource, Program};
use std::sync::Arc;

/// The stage of all elements of one kind.
pub const STAGE_KERNEL: KernelSource =
    KernelSource { name: "stage.cu", text: include_str!("../../kernels/stage.cu") };
/// What drives and what is watched.
pub const WATCH_KERNELS: KernelSource =
    KernelSource { name: "watch.cu", text: include_str!("../../kernels/watch.cu") };

/// Shared memory for a group, bytes: so little that several groups are at work at once, which hides the time that memory takes.
const SHARED: usize = 25 * 1024;
/// Nodes of a work item: with more of them, registers keep groups out (measured on an H200: 79 GDOF/s with 2, 57 with 4 at order 3).
const ROWS: usize = 2;
/// Columns of the operators that are worked on at once: their loads wait together.
const STEP: usize = 4;

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
    /// Columns of the operators that are worked on at once.
    pub step: usize,
    /// Polynomial order.
    pub order: usize,
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
        Self { nodes, face_nodes, traces, lanes, rows: ROWS, step: STEP, order, precision }
    }

    /// The nodes of the four faces, as the kernel writes them.
    fn face_node_list(&self) -> String {
        let nodes: Vec<String> = face_nodes(self.order).concat().iter().map(u8::to_string).collect();
        nodes.join(",")
    }

    /// Work items of an element.
    pub fn parts(&self) -> usize {
        self.nodes.div_ceil(self.rows)
    }

    /// Work items of a group.
    pub fn items(&self) -> usize {
        self.parts() * self.lanes
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
            ("STEP", self.step.to_string()),
            ("FACE_NODES", self.face_node_list()),
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
