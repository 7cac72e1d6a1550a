//! The kernels, and what they are compiled for.

use crate::layout::{self, CHANNEL_SUMS, COUNT_SUMS, KdOffsets, LAYER_STRIDE, MATERIAL_LAYERS, TAG_PATH};
use phasefront_device::KernelSource;

/// Work items per group.
pub(super) const GROUP: u32 = 128;

macro_rules! source {
    ($name:literal, $($header:literal),*) => {
        KernelSource {
            name: concat!("sbr/", $name),
            text: concat!(
                // Line directives: compiler messages then refer
                // to the header, not to the concatenated text.
                $("#line 1 \"sbr/", $header, "\"\n", include_str!(concat!("../../kernels/", $header)),)*
                "#line 1 \"sbr/", $name, "\"\n", include_str!(concat!("../../kernels/", $name))
            ),
        }
    };
}

/// Adaptive beams.
pub const BEAM_KERNELS: KernelSource =
    source!("beams.cu", "kdtree.h", "scene.h", "ray.h", "far_field.h", "frame.h");

/// A uniform grid of rays, traced with a BVH or a kd-tree.
pub const RAY_GRID_KERNELS: KernelSource =
    source!("ray_grid.cu", "kdtree.h", "scene.h", "ray.h", "far_field.h");

/// What the kernels are compiled for.
#[derive(Debug, Clone)]
pub struct KernelConfig {
    /// Maximum number of bounces.
    pub bounces: usize,
    /// Number of frequencies.
    pub frequencies: usize,
    /// Receivers per incident wave.
    pub receivers: usize,
    /// Stack entries for the traversal of the BVH.
    pub stack: usize,
    /// Layers of a material, at most; `None` if all materials are perfect conductors.
    pub layers: Option<usize>,
    /// Weights of the electric and the magnetic field in the aperture integral.
    pub weights: [f64; 2],
    /// Whether any aspect is bistatic and receives the shadow radiation.
    pub shadow: bool,
    /// Whether sums are resolved by bounce and facet.
    pub by_facet: bool,
    /// Number of nodes and leaves of the kd-tree, if rays use one.
    pub kd_tree: Option<[usize; 2]>,
}

/// Numbers of a material's table with room for so many layers.
pub(super) fn material_stride(layers: usize) -> usize {
    MATERIAL_LAYERS + LAYER_STRIDE * layers.max(1)
}

/// Integers of a beam with so many bounces, at most.
pub(super) fn tag_stride(bounces: usize) -> usize {
    TAG_PATH + bounces
}

impl KernelConfig {
    /// Sums over the channels of an incident wave; its counts are behind them.
    fn wave_counts(&self) -> usize {
        CHANNEL_SUMS * self.frequencies * self.receivers
    }

    /// Sums of an incident wave: its channels, then its counts.
    pub(super) fn wave_sums(&self) -> usize {
        self.wave_counts() + COUNT_SUMS
    }

    /// The macros that the kernels are compiled with: this configuration, and the constants of `layout.rs`.
    pub fn defines(&self) -> Vec<(&'static str, String)> {
        let mut defines = layout::defines();
        defines.extend([
            ("BOUNCES", self.bounces.to_string()),
            ("FREQUENCIES", self.frequencies.to_string()),
            ("RECEIVERS", self.receivers.to_string()),
            ("WEIGHT_E", format!("{:.1}", self.weights[0])),
            ("WEIGHT_H", format!("{:.1}", self.weights[1])),
            ("GROUP", GROUP.to_string()),
            ("STACK", self.stack.to_string()),
            ("TAG_STRIDE", tag_stride(self.bounces).to_string()),
            ("WAVE_COUNTS", self.wave_counts().to_string()),
            ("WAVE_SUMS", self.wave_sums().to_string()),
        ]);
        if let Some(layers) = self.layers {
            defines.push(("NON_PEC", "1".into()));
            defines.push(("MATERIAL_STRIDE", material_stride(layers).to_string()));
        }
        if let Some(counts) = self.kd_tree {
            defines.push(("KD_TREE", "1".into()));
            defines.extend(KdOffsets::new(counts).defines());
        }
        let switches = [("SHADOW", self.shadow), ("BY_FACET", self.by_facet)];
        defines.extend(switches.into_iter().filter(|switch| switch.1).map(|(name, _)| (name, "1".into())));
        defines
    }
}
