//! The target in device memory.

use crate::error::SbrError;
use crate::layout::{
    ATTRIBUTE_MATERIAL, ATTRIBUTE_OUTSIDE, FACET_ATTRIBUTES, FACET_CORNERS, FACET_NORMAL, FACET_STRIDE,
    KD_HIGH, KD_LOW, KD_TAGS, KdOffsets,
};
use crate::scene::{Facet, Scene};
use phasefront_device::{Arg, Buffer, Gpu};
use phasefront_mesh::{FlatKdTree, KdTree};
use std::sync::Arc;

/// Facets and acceleration structures on the device.
pub(super) struct DeviceScene {
    pub gpu: Arc<dyn Gpu>,
    nodes: Buffer<u32>,
    leaves: Buffer<i32>,
    facets: Buffer<f64>,
    attributes: Buffer<i32>,
    /// The arrays of the kd-tree one after the other, integers and floats.
    kd_ints: Buffer<i32>,
    kd_floats: Buffer<f32>,
    /// Number of nodes and leaves of the kd-tree, if the rays use one.
    pub kd_tree: Option<[usize; 2]>,
}

impl DeviceScene {
    pub fn new(gpu: &Arc<dyn Gpu>, scene: &Scene) -> Result<Self, SbrError> {
        let packed = scene.tree.packed();
        let facets: Vec<f64> = scene.facets.iter().flat_map(geometry).collect();
        let attributes: Vec<i32> = scene.facets.iter().flat_map(attributes).collect();
        // Buffers may not be empty.
        let mut kd_ints = vec![0];
        let mut kd_floats = vec![0.0];
        let kd_tree = scene.kd_tree.as_ref().map(KdTree::flat);
        if let Some(tree) = &kd_tree {
            (kd_ints, kd_floats) = kd_tables(tree);
        }
        Ok(Self {
            kd_ints: gpu.upload(&kd_ints)?,
            kd_floats: gpu.upload(&kd_floats)?,
            kd_tree: kd_tree.as_ref().map(kd_counts),
            nodes: gpu.upload(&packed.nodes)?,
            leaves: gpu.upload(&packed.leaves)?,
            facets: gpu.upload(&facets)?,
            attributes: gpu.upload(&attributes)?,
            gpu: gpu.clone(),
        })
    }

    /// `SCENE_PARAMS` of the kernels.
    pub fn args(&self, scene: &Scene) -> Vec<Arg<'_>> {
        let Self { nodes, leaves, facets, attributes, kd_ints, kd_floats, .. } = self;
        let mut args: Vec<Arg<'_>> = vec![nodes.into(), leaves.into(), facets.into(), attributes.into()];
        args.extend([Arg::from(kd_ints), kd_floats.into()]);
        args.extend([Arg::F64(scene.min_distance.into()), Arg::F64(scene.start_distance())]);
        args
    }
}

/// Nodes and leaves of a kd-tree; `spans` has one entry more than leaves.
fn kd_counts(tree: &FlatKdTree) -> [usize; 2] {
    [tree.tags.len(), tree.spans.len() - 1]
}

/// The arrays of a kd-tree at their offsets, integers and floats.
fn kd_tables(tree: &FlatKdTree) -> (Vec<i32>, Vec<f32>) {
    let at = KdOffsets::new(kd_counts(tree));
    let mut ints = vec![0; at.ids + tree.ids.len()];
    for (offset, values) in
        [(KD_TAGS, &tree.tags), (at.ropes, &tree.ropes), (at.spans, &tree.spans), (at.ids, &tree.ids)]
    {
        ints[offset..offset + values.len()].copy_from_slice(values);
    }
    let mut floats = vec![0.0; at.boxes + tree.boxes.len()];
    let [low, high] = &tree.bounds;
    for (offset, values) in
        [(KD_LOW, &low[..]), (KD_HIGH, high), (at.splits, &tree.splits), (at.boxes, &tree.boxes)]
    {
        floats[offset..offset + values.len()].copy_from_slice(values);
    }
    (ints, floats)
}

/// The table entry of a facet.
fn geometry(facet: &Facet) -> [f64; FACET_STRIDE] {
    let mut entry = [0.0; FACET_STRIDE];
    let corners = facet.corners.map(|corner| corner.to_array());
    entry[FACET_CORNERS..FACET_CORNERS + 9].copy_from_slice(corners.as_flattened());
    entry[FACET_NORMAL..FACET_NORMAL + 3].copy_from_slice(&facet.normal.to_array());
    entry
}

/// The attributes of a facet.
fn attributes(facet: &Facet) -> [i32; FACET_ATTRIBUTES] {
    let mut entry = [0; FACET_ATTRIBUTES];
    entry[ATTRIBUTE_MATERIAL] = facet.material as i32;
    entry[ATTRIBUTE_OUTSIDE] = facet.outside as i32;
    entry
}
