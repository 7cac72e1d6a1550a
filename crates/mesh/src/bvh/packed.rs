//! The compressed wide BVH for GPUs: child boxes quantized outward to bytes within the box of their node (Ylitie, Karras and Laine,
//! "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", High Performance Graphics, 2017): 112 bytes per node
//! instead of 224.

use super::tree::{Bvh, LEAF, NOTHING, Node, WIDTH};

/// Words of a node: origin and unit of its planes (three floats each), planes as bytes (lower x, y, z, then upper, eight each),
/// children as in [`Node::children`], how many there are, and one word to make it even.
pub const NODE_WORDS: usize = 28;

/// The tree for a GPU.
pub struct Packed {
    /// [`NODE_WORDS`] for each node.
    pub nodes: Vec<u32>,
    /// [`LEAF`] triangles for each leaf, −1 for none.
    pub leaves: Vec<i32>,
}

impl Bvh {
    /// The tree for a GPU.
    pub fn packed(&self) -> Packed {
        let number = |&triangle: &u32| if triangle == NOTHING { -1 } else { triangle as i32 };
        Packed {
            nodes: self.nodes.iter().flat_map(pack).collect(),
            leaves: self.leaves.iter().flat_map(|leaf| leaf.triangles[..LEAF].iter().map(number)).collect(),
        }
    }
}

fn pack(node: &Node) -> [u32; NODE_WORDS] {
    let count = node.children.iter().take_while(|&&child| child != NOTHING).count();
    let mut words = [0; NODE_WORDS];
    let mut planes = [[0_u8; WIDTH]; 6];
    for axis in 0..3 {
        let (low, high) = (&node.bounds[axis][..count], &node.bounds[axis + 3][..count]);
        let origin = low.iter().copied().fold(f32::INFINITY, f32::min);
        let top = high.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        // A little more than a 254th part, so that rounding outward ends within a byte.
        let unit = ((top - origin) / 254.0 * 1.00001).max(f32::MIN_POSITIVE);
        for i in 0..count {
            planes[axis][i] = below(origin, unit, low[i]);
            planes[axis + 3][i] = above(origin, unit, high[i]);
        }
        words[axis] = origin.to_bits();
        words[3 + axis] = unit.to_bits();
    }
    for (i, part) in planes.as_flattened().chunks(4).enumerate() {
        words[6 + i] = u32::from_le_bytes([part[0], part[1], part[2], part[3]]);
    }
    words[18..18 + WIDTH].copy_from_slice(&node.children);
    words[26] = count as u32;
    words
}

fn below(origin: f32, unit: f32, x: f32) -> u8 {
    // The loop corrects the rounding of the division: the decoded plane must not lie inside the
    // box.
    let mut steps = ((x - origin) / unit).floor() as u8;
    while steps > 0 && origin + f32::from(steps) * unit > x {
        steps -= 1;
    }
    steps
}

fn above(origin: f32, unit: f32, x: f32) -> u8 {
    // As above, outward on the other side; `unit` leaves a step of reserve.
    let mut steps = ((x - origin) / unit).ceil() as u8;
    while steps < u8::MAX && origin + f32::from(steps) * unit < x {
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets;

    #[test]
    fn packed_boxes_hold_the_boxes() {
        let mesh = targets::missile();
        let triangles: Vec<[[f32; 3]; 3]> =
            (0..mesh.triangles.len()).map(|t| mesh.corners(t).map(|p| p.map(|x| x as f32))).collect();
        let tree = Bvh::new(&triangles, 1e-6);
        let packed = tree.packed();
        assert_eq!(packed.leaves.iter().filter(|&&t| t >= 0).count(), triangles.len());
        for (node, words) in tree.nodes.iter().zip(packed.nodes.chunks(NODE_WORDS)) {
            for i in 0..words[26] as usize {
                for plane in 0..6 {
                    let axis = plane % 3;
                    let [origin, unit] = [words[axis], words[3 + axis]].map(f32::from_bits);
                    let byte = words[6 + 2 * plane + i / 4].to_le_bytes()[i % 4];
                    let (quantized, exact) = (origin + f32::from(byte) * unit, node.bounds[plane][i]);
                    assert!(if plane < 3 { quantized <= exact } else { quantized >= exact });
                    assert!((quantized - exact).abs() <= 2.0 * unit);
                }
            }
        }
    }
}
