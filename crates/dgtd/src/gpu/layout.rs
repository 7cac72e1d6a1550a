//! Layout of the kernels: elements of a group, nodes of a work item, and the defines that kernels are compiled with.

use crate::error::DgtdError;
use crate::offsets::{self, KIND_DISPERSIVE, OperatorOffsets};
use crate::plan::{LANES, Plan};
use crate::reference::face_nodes;
use phasefront_core::Precision;
use phasefront_device::{Gpu, KernelSource, Program};
use std::sync::Arc;

/// The kernels of a file, behind those that it uses.
macro_rules! kernels {
    ($file:literal, behind $($part:literal),+) => {
        KernelSource {
            name: $file,
            text: concat!(
                $("#line 1 \"dgtd/", $part, "\"\n", include_str!(concat!("../../kernels/", $part)),)+
                "#line 1 \"dgtd/",
                $file,
                "\"\n",
                include_str!(concat!("../../kernels/", $file)),
            ),
        }
    };
}

/// Those of a stage, which share `element.cu`, with one of the time integrations.
macro_rules! stage_kernels {
    ($file:literal, $integration:literal) => {
        kernels!($file, behind "levels.cu", $integration, "element.cu")
    };
}

/// A stage in one kernel, with products by the work items.
const STAGE_KERNEL: KernelSource = stage_kernels!("stage.cu", "runge_kutta.cu");
/// The same for local steps.
const LOCAL_STAGE_KERNEL: KernelSource = stage_kernels!("stage.cu", "local_steps.cu");
/// A stage in one kernel, with products on tensor cores.
const TENSOR_KERNEL: KernelSource = stage_kernels!("tensor.cu", "runge_kutta.cu");
/// The same for local steps.
const LOCAL_TENSOR_KERNEL: KernelSource = stage_kernels!("tensor.cu", "local_steps.cu");
/// A stage in three kernels.
const SPLIT_KERNELS: KernelSource = stage_kernels!("split.cu", "runge_kutta.cu");
/// A stage of curved elements.
const CURVED_KERNELS: KernelSource = stage_kernels!("curved.cu", "runge_kutta.cu");
/// The same for local steps.
const LOCAL_CURVED_KERNELS: KernelSource = stage_kernels!("curved.cu", "local_steps.cu");
/// Sources and monitors.
pub const MONITOR_KERNELS: KernelSource =
    KernelSource { name: "monitors.cu", text: include_str!("../../kernels/monitors.cu") };

/// Traces that ranks exchange.
pub const HALO_KERNELS: KernelSource = kernels!("halo.cu", behind "levels.cu");
/// States of sheets.
const SHEET_KERNELS: KernelSource = kernels!("sheets.cu", behind "levels.cu", "runge_kutta.cu");
/// The same for local steps.
const LOCAL_SHEET_KERNELS: KernelSource = kernels!("sheets.cu", behind "levels.cu", "local_steps.cu");

/// Shared memory of a group, bytes: little enough that several groups are resident at once, which hides the latency of memory.
const SHARED: usize = 25 * 1024;
/// Nodes of a work item: with more, registers limit the occupancy (measured on an H200: 79 GDOF/s with 2, 57 with 4 at order 3).
const ROWS: usize = 2;
/// Columns of the operators that are unrolled, so that their loads overlap.
const STEP: usize = 4;
/// Elements of a warp with tensor cores, and rows and columns of the tiles that its operators are divided into.
const PIECE: usize = 8;
/// Resident warps per multiprocessor, for orders 1 to 6: as many as have registers for their rates (measured on an H200
/// at order 3: 119 GDOF/s with 20, 138 with 16; at order 4: 103 with 16, 128 with 12).
const WARPS: [usize; 6] = [32, 20, 16, 12, 8, 8];
/// Resident work items with curved elements per multiprocessor in single precision, limited by registers.
const CURVED_RESIDENT: usize = 640;
/// Largest group of the split kernels, work items.
const SPLIT_ITEMS: usize = 1024;

/// Group size of the source and monitor kernels.
pub const GROUP: u32 = 128;
/// One of the three split kernels of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitKernel {
    /// Volume term.
    Curl,
    /// Surface term.
    Surface,
    /// Runge-Kutta update.
    Update,
}

impl SplitKernel {
    /// In their order.
    pub const ALL: [Self; 3] = [Self::Curl, Self::Surface, Self::Update];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Surface => "surface",
            Self::Update => "update",
        }
    }
}

/// Kernel variant of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// One kernel; `lanes` elements in a group, `rows` nodes of a work item, `step` columns of the operators unrolled.
    Rows {
        /// Elements of a group.
        lanes: usize,
        /// Nodes of a work item.
        rows: usize,
        /// Columns of the operators that are unrolled.
        step: usize,
    },
    /// One kernel with its products on tensor cores.
    Tensor,
    /// Split kernels, one work item per node.
    Split {
        /// Elements of a group.
        elements: usize,
    },
}

/// Layout of the kernels for one order, precision and flux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelLayout {
    /// Nodes of an element.
    pub nodes: usize,
    /// Nodes of a face.
    pub face_nodes: usize,
    /// Scalars per node of a trace.
    pub traces: usize,
    /// Polynomial order.
    pub order: usize,
    /// Precision of the fields.
    pub precision: Precision,
    /// Kernel variant.
    pub variant: Variant,
    /// Whether elements take local time steps.
    pub local: bool,
}

impl KernelLayout {
    /// The fastest layout for the elements of a plan on a GPU.
    pub fn new(plan: &Plan, precision: Precision, gpu: &dyn Gpu) -> Self {
        let shape = Self::of(plan.element.order, plan.traces(), precision);
        // Split TF32 products have single precision; rows of the matrix tiles are the two scalars
        // of an upwind trace.
        if precision == Precision::Single && shape.traces == 2 && has_matrix_units(gpu) {
            Self { variant: Variant::Tensor, ..shape }
        } else {
            shape
        }
    }

    /// The layout for an order that every GPU supports.
    pub fn of(order: usize, traces: usize, precision: Precision) -> Self {
        let (nodes, face_nodes) =
            ((order + 1) * (order + 2) * (order + 3) / 6, (order + 1) * (order + 2) / 2);
        // Tile of fields and jumps of a group; one more lane of jumps covers the face permutations.
        let bytes = |lanes: usize| {
            (6 * nodes * lanes + 4 * face_nodes * traces * (lanes + 1) + lanes) * precision.bytes()
        };
        let mut lanes = LANES;
        // Powers of two, so that whole groups fill the slots of a section.
        while bytes(lanes) > SHARED {
            lanes /= 2;
        }
        let variant = Variant::Rows { lanes, rows: ROWS, step: STEP };
        Self { nodes, face_nodes, traces, order, precision, variant, local: false }
    }

    /// The same with split kernels, with as many elements in a group as requested, or as fit.
    #[must_use]
    pub fn split(self, elements: usize) -> Self {
        let most = SPLIT_ITEMS / self.nodes;
        Self { variant: Variant::Split { elements: elements.clamp(1, most) }, ..self }
    }

    /// The nodes of the four faces, as a C initializer.
    fn face_node_list(&self) -> String {
        let nodes: Vec<String> = face_nodes(self.order).concat().iter().map(u8::to_string).collect();
        nodes.join(",")
    }

    /// Elements of a block of fields, which are interleaved lane by lane.
    pub fn lanes(&self) -> usize {
        match self.variant {
            Variant::Rows { lanes, .. } => lanes,
            Variant::Tensor => PIECE,
            Variant::Split { .. } => 1,
        }
    }

    /// Work items of a group.
    pub fn items(&self) -> usize {
        match self.variant {
            Variant::Rows { lanes, rows, .. } => self.nodes.div_ceil(rows) * lanes,
            // A group is one warp, which waits for no other.
            Variant::Tensor => 32,
            Variant::Split { elements } => elements * self.nodes,
        }
    }

    /// Number of groups for so many slots.
    pub fn groups(&self, slots: usize) -> u32 {
        let elements = if let Variant::Split { elements } = self.variant { elements } else { self.lanes() };
        slots.div_ceil(elements) as u32
    }

    /// The same with local time steps.
    #[must_use]
    pub fn with_local_steps(self, local: bool) -> Self {
        Self { local, ..self }
    }

    /// The source file of its stage.
    pub fn source(&self) -> &'static KernelSource {
        match (self.variant, self.local) {
            (Variant::Rows { .. }, false) => &STAGE_KERNEL,
            (Variant::Rows { .. }, true) => &LOCAL_STAGE_KERNEL,
            (Variant::Tensor, false) => &TENSOR_KERNEL,
            (Variant::Tensor, true) => &LOCAL_TENSOR_KERNEL,
            (Variant::Split { .. }, _) => &SPLIT_KERNELS,
        }
    }

    /// The source file of the stage of curved elements.
    pub fn curved_source(&self) -> &'static KernelSource {
        if self.local { &LOCAL_CURVED_KERNELS } else { &CURVED_KERNELS }
    }

    /// Work items of a group of curved elements.
    pub fn curved_items(&self) -> usize {
        self.nodes * self.lanes()
    }

    /// Defines of all stages; `kinds` are the numbers of the kinds of elements present.
    fn common_defines(&self, kinds: &[i32], poles: usize) -> Vec<(&'static str, String)> {
        let mut defines: Vec<(&str, String)> = offsets::defines().collect();
        defines.extend([
            ("REAL", self.precision.c_name().into()),
            ("NP", self.nodes.to_string()),
            ("NF", self.face_nodes.to_string()),
            ("NS", self.traces.to_string()),
            ("LG", self.lanes().to_string()),
            ("FACE_NODES", self.face_node_list()),
            // One bit per kind, for IS in kernels/element.cu.
            ("KINDS", kinds.iter().fold(0, |bits, kind| bits | 1 << kind).to_string()),
            ("POLES", poles.to_string()),
        ]);
        defines
    }

    /// Defines of the stage of curved elements; `points` are the quadrature points of an element and of a face.
    pub fn curved_defines(&self, poles: usize, points: [usize; 2]) -> Vec<(&'static str, String)> {
        let mut defines = self.common_defines(&[KIND_DISPERSIVE as i32], poles);
        let resident = match self.precision {
            Precision::Single => CURVED_RESIDENT,
            // A double takes two registers.
            Precision::Double => CURVED_RESIDENT / 2,
        };
        let bounds = format!("{}, {}", self.curved_items(), resident.div_ceil(self.curved_items()));
        defines.extend([("NQ", points[0].to_string()), ("FQ", points[1].to_string()), ("BOUNDS", bounds)]);
        defines.extend(OperatorOffsets::new([self.nodes, self.face_nodes], points).defines());
        defines
    }

    /// Defines of the stage of straight elements.
    pub fn defines(&self, kinds: &[i32], poles: usize) -> Vec<(&'static str, String)> {
        let mut defines = self.common_defines(kinds, poles);
        match self.variant {
            Variant::Rows { rows, step, .. } => {
                defines.extend([("ROWS", rows.to_string()), ("STEP", step.to_string())]);
            }
            Variant::Tensor => {
                defines.push(("BOUNDS", format!("{}, {}", self.items(), WARPS[self.order - 1])));
            }
            Variant::Split { elements } => defines.push(("ELEMENTS", elements.to_string())),
        }
        defines
    }

    /// The operators in the layout of the kernels: derivatives, then lift.
    pub(crate) fn operators(&self, plan: &Plan) -> [Vec<f64>; 2] {
        let element = &plan.element;
        let derivative = |axis: usize, i: usize, j: usize| element.derivative[axis].row(i)[j];
        let lift = |i: usize, k: usize| element.lift.row(i)[k];
        let (nodes, face_len) = (self.nodes, self.face_nodes);
        match self.variant {
            Variant::Rows { rows, .. } => {
                // [part][column][axis][row of the part]: consecutive for a work item, zero in rows beyond the last node.
                let mut all = [Vec::new(), Vec::new()];
                for part in (0..nodes).step_by(rows) {
                    let of_rows = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
                        (part..part + rows).map(|i| if i < nodes { value(i) } else { 0.0 }).collect()
                    };
                    for j in 0..nodes {
                        (0..3).for_each(|axis| all[0].extend(of_rows(&|i| derivative(axis, i, j))));
                    }
                    (0..4 * face_len).for_each(|k| all[1].extend(of_rows(&|i| lift(i, k))));
                }
                all
            }
            // Tiles in the order in which the kernel reads them: derivatives [from][to][axis], lifts [face][to][from].
            Variant::Tensor => {
                let starts = |nodes: usize| (0..nodes).step_by(PIECE);
                let mut all = [Vec::new(), Vec::new()];
                for from in starts(nodes) {
                    for to in starts(nodes) {
                        (0..3).for_each(|axis| {
                            all[0].extend(piece([to, nodes], [from, nodes], |i, j| derivative(axis, i, j)));
                        });
                    }
                }
                for face in 0..4 {
                    for to in starts(nodes) {
                        for from in starts(face_len) {
                            let at = |i, k| lift(i, face * face_len + k);
                            all[1].extend(piece([to, nodes], [from, face_len], at));
                        }
                    }
                }
                all
            }
            // By columns: neighboring work items load neighboring numbers.
            Variant::Split { .. } => {
                let column =
                    |j: usize| (0..3).flat_map(move |axis| (0..nodes).map(move |i| derivative(axis, i, j)));
                let lifts = (0..4 * face_len).flat_map(|k| (0..nodes).map(move |i| lift(i, k)));
                [(0..nodes).flat_map(column).collect(), lifts.collect()]
            }
        }
    }

    /// The stage of straight elements.
    pub(crate) fn compile_stage(
        &self,
        gpu: &dyn Gpu,
        kinds: &[i32],
        poles: usize,
    ) -> Result<Arc<dyn Program>, DgtdError> {
        compile(gpu, self.source(), &self.defines(kinds, poles))
    }

    /// The states of sheets.
    pub(crate) fn compile_sheets(&self, gpu: &dyn Gpu) -> Result<Arc<dyn Program>, DgtdError> {
        let (source, defines) = sheet_kernels(self);
        compile(gpu, source, &defines)
    }

    /// The stage of curved elements.
    pub(crate) fn compile_curved(
        &self,
        gpu: &dyn Gpu,
        plan: &Plan,
        poles: usize,
    ) -> Result<Arc<dyn Program>, DgtdError> {
        let points = [plan.points.coordinates.len(), plan.points.face.len()];
        compile(gpu, self.curved_source(), &self.curved_defines(poles, points))
    }
}

/// Compiles the source and monitor kernels.
pub(crate) fn compile_monitors(shape: &KernelLayout, gpu: &dyn Gpu) -> Result<Arc<dyn Program>, DgtdError> {
    compile(gpu, &MONITOR_KERNELS, &monitor_defines(shape))
}

/// The kernels of sheets with states, and their defines.
pub fn sheet_kernels(layout: &KernelLayout) -> (&'static KernelSource, Vec<(&'static str, String)>) {
    let mut defines: Vec<(&str, String)> = offsets::defines().collect();
    defines.push(("REAL", layout.precision.c_name().into()));
    (if layout.local { &LOCAL_SHEET_KERNELS } else { &SHEET_KERNELS }, defines)
}

/// Defines of the source and monitor kernels.
pub fn monitor_defines(shape: &KernelLayout) -> Vec<(&'static str, String)> {
    vec![
        ("REAL", shape.precision.c_name().into()),
        ("NP", shape.nodes.to_string()),
        ("LG", shape.lanes().to_string()),
        ("GROUP", GROUP.to_string()),
    ]
}

/// A tile of 8 rows and 8 columns of an operator as the work items of a warp hold it
/// (kernels/tensor.cu): item 4 g + t has the columns t and t + 4 of a row, which is g / 2 for even
/// g, and 4 more for odd g; zero beyond the operator.
fn piece(
    [row, rows]: [usize; 2],
    [column, columns]: [usize; 2],
    at: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    // Columns 2 t and 2 t + 1 of a tile are assigned to nodes t and t + 4: even g has row g/2.
    let entries =
        (0..8).flat_map(|g| (0..4).flat_map(move |t| [0, 4].map(|half| (g / 2 + g % 2 * 4, t + half))));
    // Zeros beyond the operator leave the products unchanged.
    let value = |(i, j)| {
        if row + i < rows && column + j < columns { at(row + i, column + j) } else { 0.0 }
    };
    entries.map(value).collect()
}

/// Whether a GPU has tensor cores for TF32: NVIDIA's since Ampere.
fn has_matrix_units(gpu: &dyn Gpu) -> bool {
    // OpenCL devices have no such name, and no tensor kernel.
    let version = gpu.info().architecture.strip_prefix("sm_").and_then(|version| version.parse::<u32>().ok());
    version.is_some_and(|version| version >= 80)
}

fn compile(
    gpu: &dyn Gpu,
    source: &KernelSource,
    defines: &[(&str, String)],
) -> Result<Arc<dyn Program>, DgtdError> {
    let defines: Vec<(&str, &str)> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(gpu.compile(source, &defines)?)
}
