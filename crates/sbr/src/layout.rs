//! Constants that the host and the kernels share: limits, and strides and offsets of the tables in device memory.
//!
//! Every constant is defined once. [`defines`] turns all of them into the macros that the kernels are compiled with, so that a kernel
//! cannot have another value than the host; a test refuses kernels that define one of these names themselves.

use phasefront_mesh::bvh;

/// A constant as C source.
trait Literal {
    fn literal(self) -> String;
}

impl Literal for usize {
    fn literal(self) -> String {
        self.to_string()
    }
}

impl Literal for u32 {
    fn literal(self) -> String {
        format!("{self}u")
    }
}

impl Literal for f64 {
    /// The shortest text that reads back as the same number.
    fn literal(self) -> String {
        format!("{self:e}")
    }
}

macro_rules! shared {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: $type = $value;)*

        /// All constants as macros for the kernels: name and value.
        pub(crate) fn defines() -> Vec<(&'static str, String)> {
            vec![$((stringify!($name), Literal::literal($name)),)*]
        }
    };
}

shared! {
    /// Corners of a convex polygon, at most.
    MAX_CORNERS: usize = 8;
    /// Facets that may occlude a beam; a beam with more candidates is bisected.
    MAX_CANDIDATES: usize = 40;
    /// Polygons that a beam may be subdivided into; a beam that needs more is bisected.
    MAX_POLYGONS: usize = 16;
    /// Rays along each side of a block of a ray grid.
    RAYS: usize = 32;
    /// Cosine of the angle of incidence below which a facet is seen edge-on and has no projected area.
    EDGE_ON: f64 = 1e-9;
    /// Below this (k|g|)² A the phase over a polygon is nearly constant about its centroid, and Gordon's sum over edges loses digits
    /// to cancellation: to 1e-12 of A here. The approximation error is (k|g|)² A/24 for squares, 4e-10.
    FLAT_PHASE: f64 = 1e-8;
    /// Half the phase along an edge below which sin x/x is taken from its series; the first term omitted is x⁴/120.
    SHORT_EDGE: f64 = 1e-3;
    /// Bounces after which a beam follows its central ray as soon as it is narrower than a tube, and the ratio of this area to that of
    /// the narrow beams before. Curved ducts split beams at every bounce: without it the number of beams would grow without bound.
    DEEP_BOUNCES: usize = 8;
    DEEP_AREA: f64 = 1024.0;
    /// Rays that measure the power left of a tube, at most.
    MAX_SAMPLES: usize = 16;
    /// Sequence of their positions: inverse powers of the plastic number (M. Roberts, "The unreasonable effectiveness of quasirandom
    /// sequences", 2018).
    SAMPLE_U: f64 = 0.754_877_666_246_692_7;
    SAMPLE_V: f64 = 0.569_840_290_998_053_2;
    /// Step of the sequence that chooses tubes: 2^32 over the golden ratio.
    SAMPLE_STEP: u32 = 2_654_435_769;
    /// Fixed-point resolution of areas, as a fraction of a tube's area.
    AREA_UNIT: f64 = 1.0 / 1_048_576.0;

    /// Facet: three corners and the normal.
    FACET_STRIDE: usize = 12;
    FACET_CORNERS: usize = 0;
    FACET_NORMAL: usize = 9;
    /// Attributes of a facet: material, and the outer side of its normal.
    FACET_ATTRIBUTES: usize = 2;
    ATTRIBUTE_MATERIAL: usize = 0;
    ATTRIBUTE_OUTSIDE: usize = 1;

    /// Node of the BVH: origin and quantization step of the child boxes, their planes as bytes, child indices, number of children.
    NODE_WORDS: usize = bvh::NODE_WORDS;
    NODE_ORIGIN: usize = 0;
    NODE_STEP: usize = 3;
    NODE_PLANES: usize = 6;
    NODE_CHILDREN: usize = 18;
    NODE_COUNT: usize = 26;
    /// Facet indices of a leaf.
    LEAF_FACETS: usize = bvh::LEAF;
    /// Marks a child index as that of a leaf.
    LEAF_BIT: u32 = bvh::LEAF_BIT;
    /// Integers of a kd-tree begin with the tags of its nodes.
    KD_TAGS: usize = 0;
    /// Floats of a kd-tree begin with its bounding box: lower and upper corner.
    KD_LOW: usize = 0;
    KD_HIGH: usize = 3;
    /// Bounds of a leaf of the kd-tree, lower then upper, and its ropes, one per face.
    KD_BOUNDS: usize = 6;
    KD_FACES: usize = 6;

    /// Incident wave: direction, aperture axes, polarizations, position of the first ray.
    WAVE_STRIDE: usize = 17;
    WAVE_K: usize = 0;
    WAVE_U: usize = 3;
    WAVE_V: usize = 6;
    WAVE_THETA: usize = 9;
    WAVE_PHI: usize = 12;
    WAVE_CORNER: usize = 15;
    /// Receiver: direction s, θ̂, φ̂, and whether it receives the shadow radiation.
    RECEIVER_STRIDE: usize = 10;
    RECEIVER_S: usize = 0;
    RECEIVER_THETA: usize = 3;
    RECEIVER_PHI: usize = 6;
    RECEIVER_SHADOW: usize = 9;

    /// Material at one frequency: kind, number of layers, layers.
    MATERIAL_KIND: usize = 0;
    MATERIAL_COUNT: usize = 1;
    MATERIAL_LAYERS: usize = 2;
    /// Kinds of materials.
    KIND_CONDUCTOR: f64 = 0.0;
    KIND_HALF_SPACE: f64 = 1.0;
    KIND_COATED: f64 = 2.0;
    /// Layer: complex permittivity, complex permeability, thickness.
    LAYER_STRIDE: usize = 5;
    LAYER_EPS: usize = 0;
    LAYER_MU: usize = 2;
    LAYER_THICKNESS: usize = 4;

    /// Sums per channel (receiver and frequency): real and imaginary part of vv, vh, hv, hh.
    CHANNEL_SUMS: usize = 8;
    /// Statistics of an incident wave, after its channels.
    COUNT_SUMS: usize = 8;
    COUNT_RAYS: usize = 0;
    COUNT_AREA: usize = 1;
    COUNT_DISCARDED: usize = 2;
    COUNT_REMAINING: usize = 3;

    /// Block of a ray grid: incident wave, and grid coordinates of its first ray.
    BLOCK_STRIDE: usize = 3;
    BLOCK_WAVE: usize = 0;
    BLOCK_X: usize = 1;
    BLOCK_Y: usize = 2;

    /// Integers of a beam: incident wave, target facet or −1 (of a hit: facets that have radiated the beam before), bounces, corners, and
    /// the path of facets.
    TAG_WAVE: usize = 0;
    TAG_TARGET: usize = 1;
    TAG_BOUNCES: usize = 2;
    TAG_CORNERS: usize = 3;
    TAG_PATH: usize = 4;

    /// Counters of the queues: beams of the next round; pairs of beam and candidate of this round; narrow beams; hits.
    COUNTER_NEXT: usize = 0;
    COUNTER_PAIRS: usize = 1;
    COUNTER_NARROW: usize = 2;
    COUNTER_HITS: usize = 3;

    /// List of the candidates of a beam: their number, then their facets.
    CANDIDATES_STRIDE: usize = MAX_CANDIDATES + 1;
}

/// Where the arrays of a kd-tree begin in its tables of integers and floats.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KdOffsets {
    /// Ropes, spans of facets, and indices of facets, behind the tags.
    pub ropes: usize,
    pub spans: usize,
    pub ids: usize,
    /// Splitting planes of the nodes and boxes of the leaves, behind the bounding box.
    pub splits: usize,
    pub boxes: usize,
}

impl KdOffsets {
    /// For so many nodes and leaves.
    pub(crate) fn new([nodes, leaves]: [usize; 2]) -> Self {
        let (ropes, splits) = (KD_TAGS + nodes, KD_HIGH + 3);
        let spans = ropes + KD_FACES * leaves;
        // One span more than leaves: the end of the last.
        Self { ropes, spans, ids: spans + leaves + 1, splits, boxes: splits + nodes }
    }

    /// The offsets as macros for the kernels.
    pub(crate) fn defines(&self) -> [(&'static str, String); 5] {
        let Self { ropes, spans, ids, splits, boxes } = *self;
        let offsets = [
            ("KD_ROPES", ropes),
            ("KD_SPANS", spans),
            ("KD_IDS", ids),
            ("KD_SPLITS", splits),
            ("KD_BOXES", boxes),
        ];
        offsets.map(|(name, offset)| (name, offset.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::KernelConfig;

    /// Whether a word occurs on its own in a text.
    fn has_word(text: &str, word: &str) -> bool {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|found| found == word)
    }

    /// Macros of kernels that are plain numbers and no offsets: lanes of a beam, outcomes of a comparison, marks.
    const SETTINGS: [&str; 5] = ["LANES", "DISJOINT", "OVERLAPS", "COVERS", "KD_LEAF"];

    /// The texts of all kernels.
    fn kernels() -> Vec<String> {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels")).unwrap();
        folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }

    /// The macros that a text defines, with or without arguments: name and what follows it.
    fn macros(text: &str) -> impl Iterator<Item = (&str, &str)> {
        text.lines().filter_map(|line| {
            let rest = line.trim().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            Some(rest.split_at(end))
        })
    }

    #[test]
    fn kernels_use_the_shared_constants_and_define_none_of_them() {
        let config = KernelConfig {
            bounces: 1,
            frequencies: 1,
            receivers: 1,
            stack: 1,
            layers: Some(1),
            weights: [1.0; 2],
            shadow: true,
            by_facet: true,
            kd_tree: Some([1, 1]),
        };
        let kernels = kernels();
        for (name, _) in config.defines() {
            for text in &kernels {
                assert!(macros(text).all(|(own, _)| own != name), "{name} is defined in a kernel, too");
            }
            // The kernels tell kinds apart by the first two; the host alone counts the sums of a wave.
            let host_only = ["KIND_COATED", "COUNT_SUMS"].contains(&name);
            assert!(host_only || kernels.iter().any(|text| has_word(text, name)), "no kernel uses {name}");
        }
        for text in &kernels {
            for (name, value) in macros(text).filter(|(name, _)| !SETTINGS.contains(name)) {
                assert!(
                    value.trim().parse::<i64>().is_err(),
                    "{name} is{value}: an offset of a kernel's own"
                );
            }
        }
    }

    #[test]
    fn values_read_back() {
        for (name, value) in defines() {
            let number: f64 = value.trim_end_matches('u').parse().unwrap();
            assert!((0.0..=f64::from(u32::MAX)).contains(&number), "{name} {value}");
        }
        assert_eq!(AREA_UNIT.literal().parse(), Ok(AREA_UNIT));
    }
}
