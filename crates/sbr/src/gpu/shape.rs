//! The kernels, and what they are compiled for.

use super::GROUP;
use crate::cpu::{EDGE_ON, MOST_MET};
use crate::footprint::{FLAT_PHASE, MOST_CORNERS, SHORT_EDGE};
use phasefront_device::KernelSource;

macro_rules! source {
    ($name:literal, $($header:literal),*) => {
        KernelSource {
            name: concat!("sbr/", $name),
            text: concat!(
                $("#line 1 \"sbr/", $header, "\"\n", include_str!(concat!("../../kernels/", $header)),)*
                "#line 1 \"sbr/", $name, "\"\n", include_str!(concat!("../../kernels/", $name))
            ),
        }
    };
}

/// Beams.
pub const BEAM_KERNELS: KernelSource =
    source!("beams.cu", "kdtree.h", "scene.h", "ray.h", "exit.h", "view.h");

/// The paper's tubes, over either tree.
pub const GRID_KERNELS: KernelSource = source!("grid.cu", "kdtree.h", "scene.h", "ray.h", "exit.h");

/// What the kernels are compiled for.
#[derive(Debug, Clone)]
pub struct KernelShape {
    /// Most bounces of a ray.
    pub bounces: usize,
    /// Frequencies.
    pub waves: usize,
    /// Receivers of one incident wave.
    pub receivers: usize,
    /// Children of the tree that wait at any time, at most.
    pub stack: usize,
    /// Layers of a material, at most; `None` if all conduct.
    pub layers: Option<usize>,
    /// Weights of the electric and magnetic field.
    pub weights: [f64; 2],
    /// Whether a receiver sees the shadow.
    pub shadow: bool,
    /// Whether sums are by facet and bounce.
    pub hot_spots: bool,
    /// Nodes and leaves of the paper's tree, if rays go over that.
    pub kd_tree: Option<[usize; 2]>,
}

impl KernelShape {
    /// The macros of the kernels.
    pub fn defines(&self) -> Vec<(&'static str, String)> {
        let mut defines = vec![
            ("BOUNCES", self.bounces.to_string()),
            ("WAVES", self.waves.to_string()),
            ("RECEIVERS", self.receivers.to_string()),
            ("WEIGHT_E", format!("{:.1}", self.weights[0])),
            ("WEIGHT_H", format!("{:.1}", self.weights[1])),
            ("MOST_CORNERS", MOST_CORNERS.to_string()),
            ("FLAT_PHASE", format!("{FLAT_PHASE:e}")),
            ("SHORT_EDGE", format!("{SHORT_EDGE:e}")),
            ("EDGE_ON", format!("{EDGE_ON:e}")),
            ("MOST_MET", MOST_MET.to_string()),
            ("GROUP", GROUP.to_string()),
            ("STACK", self.stack.to_string()),
        ];
        if let Some(layers) = self.layers {
            defines.push(("LOSSY", "1".into()));
            defines.push(("LAYERS", layers.max(1).to_string()));
        }
        if let Some([nodes, leaves]) = self.kd_tree {
            defines.push(("KD_TREE", "1".into()));
            defines.push(("KD_NODES", nodes.to_string()));
            defines.push(("KD_LEAVES", leaves.to_string()));
        }
        let switches = [("SHADOW", self.shadow), ("HOT_SPOTS", self.hot_spots)];
        defines.extend(switches.into_iter().filter(|switch| switch.1).map(|(name, _)| (name, "1".into())));
        defines
    }
}
