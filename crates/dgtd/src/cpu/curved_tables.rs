//! Tables of curved elements: operators at quadrature points, and quadratic maps lane by lane.

use crate::offsets::MAP;
use crate::plan::{Face, LANES, Plan};
use crate::reference::Matrix;
use phasefront_core::simd::SimdReal;

/// Operators and geometry of curved elements.
pub struct CurvedTables<T> {
    /// The first block of curved elements; blocks are counted from there.
    pub first: usize,
    /// Scalars of a trace for each quadrature point of a face.
    pub traces: usize,
    /// Local coordinates of the quadrature points of an element.
    pub coordinates: Vec<[T; 3]>,
    /// Local coordinates of those of each face.
    pub face_coordinates: [Vec<[T; 3]>; 4],
    /// [point][node].
    pub values: Vec<T>,
    /// [point][node][3].
    pub gradients: Vec<T>,
    /// [node][point].
    pub project: Vec<T>,
    /// [point of the face][node of the face].
    pub face_values: Vec<T>,
    /// [node of the face][point of the face].
    pub face_project: Vec<T>,
    /// Face permutations of the quadrature points, for each orientation.
    pub permutations: [Vec<usize>; 3],
    /// [block][MAP][lane].
    pub shapes: Vec<T>,
    /// [block][face][lane]: one on curved faces, else zero.
    pub curved: Vec<T>,
    /// [block][face][lane]: start of the neighbor's trace; its own for faces that are not curved.
    pub neighbors: Vec<u32>,
    /// [block][face][lane]: orientation of the neighbor's face.
    pub orientations: Vec<u8>,
}

impl<T: SimdReal> CurvedTables<T> {
    pub fn new(plan: &Plan) -> Self {
        let (points, slots) = (&plan.points, plan.curved_slots());
        let (first, face_points) = (slots.start / LANES, points.face.len());
        let traces = plan.point_traces();
        let lanes = |block: usize| LANES * block..LANES * (block + 1);
        let blocks = || first..slots.end / LANES;
        let faces: Vec<(usize, usize)> = blocks()
            .flat_map(|block| (0..4).flat_map(move |face| lanes(block).map(move |slot| (slot, face))))
            .collect();
        let face = |&(slot, face): &(usize, usize)| -> &Face { &plan.faces[slot][face] };
        // Straight faces refer to their own trace: an address that exists; N = 0 masks its values.
        let start = |at: &(usize, usize)| {
            let far = face(at).neighbor as usize;
            let (slot, f) = if face(at).curved { (far / 4, far % 4) } else { *at };
            (((slot / LANES - first) * 4 + f) * face_points * traces * LANES + slot % LANES) as u32
        };
        let shapes = blocks().flat_map(|block| {
            // Transposed to [coefficient][lane]: one SIMD load per coefficient.
            let numbers: Vec<[f64; MAP]> = lanes(block)
                .map(|slot| {
                    let curved = plan.shapes[slot].map_coefficients();
                    std::array::from_fn(|i| curved[i / 3][i % 3])
                })
                .collect();
            (0..MAP).flat_map(move |i| numbers.iter().map(|n| T::from_f64(n[i])).collect::<Vec<T>>())
        });
        // The three derivatives side by side: a curl needs all of them at once.
        let gradients = (0..points.coordinates.len())
            .flat_map(|p| (0..plan.element.len()).map(move |node| (p, node)))
            .flat_map(|(p, node)| (0..3).map(move |axis| points.gradients[axis].row(p)[node]));
        Self {
            first,
            traces,
            coordinates: points.coordinates.iter().map(|p| p.map(T::from_f64)).collect(),
            face_coordinates: std::array::from_fn(|f| {
                points.face.on(f).map(|p| p.map(T::from_f64)).collect()
            }),
            values: all(&points.values),
            gradients: gradients.map(T::from_f64).collect(),
            project: all(&points.project),
            face_values: all(&points.face.values),
            face_project: all(&points.face.project),
            permutations: std::array::from_fn(|orientation| {
                points.face.permutations[orientation].iter().map(|p| usize::from(*p)).collect()
            }),
            shapes: shapes.collect(),
            curved: faces.iter().map(|at| T::from_f64(f64::from(u8::from(face(at).curved)))).collect(),
            neighbors: faces.iter().map(start).collect(),
            orientations: faces.iter().map(|at| face(at).orientation).collect(),
        }
    }

    /// Points of a face.
    pub fn face_points(&self) -> usize {
        self.face_coordinates[0].len()
    }

    /// Values of the traces of a block.
    pub fn trace_len(&self) -> usize {
        4 * self.face_points() * self.traces * LANES
    }
}

fn all<T: SimdReal>(matrix: &Matrix) -> Vec<T> {
    matrix.values.iter().map(|x| T::from_f64(*x)).collect()
}
