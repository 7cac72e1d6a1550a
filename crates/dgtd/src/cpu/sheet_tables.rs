//! States of sheets and walls, and what their equations need.

use super::float::Float;
use super::sweep::BlockSources;
use crate::error::DgtdError;
use crate::plan::LANES;
use crate::share::{Share, face_values};
use crate::sheet_model::FaceEquations;
use phasefront_device::zeros;
use std::ops::Range;

/// The states of all sheets, with what their equations need.
pub(super) struct Sheets<T> {
    pub(super) values: Vec<T>,
    pub(super) registers: [Vec<T>; 3],
    pub(super) faces: Vec<Face<T>>,
    /// Blocks with such faces, and which these are.
    pub(super) blocks: Vec<(usize, Range<usize>)>,
    pub(super) equations: Vec<Equations<T>>,
    /// Nodes of the neighbor of each orientation, for straight and for curved faces.
    pub(super) permutations: [[Vec<usize>; 3]; 2],
}

/// A face of a sheet.
pub(super) struct Face<T> {
    pub(super) level: u8,
    lane: u8,
    pub(super) curved: bool,
    pub(super) orientation: u8,
    /// Starts of the own trace and of that behind.
    traces: [usize; 2],
    pub(super) equations: u32,
    pub(super) range: Range<usize>,
    /// The first of its points among those of its element.
    first: u32,
    /// Factor of what it adds to the flux.
    scale: T,
}

/// [`FaceEquations`] in working precision.
pub(super) struct Equations<T> {
    output: Vec<T>,
    matrix: Vec<T>,
    minus: Vec<T>,
    plus: Vec<T>,
}

impl<T: Float> Equations<T> {
    fn new(face: &FaceEquations) -> Self {
        let all = |values: &[f64]| values.iter().map(|value| T::from_f64(*value)).collect();
        Self {
            output: all(&face.output),
            matrix: all(&face.matrix),
            minus: all(&face.minus),
            plus: all(&face.plus),
        }
    }

    /// output·x at a point; the values of a state are `stride` apart.
    fn field(&self, states: &[T], stride: usize) -> T {
        let mut sum = T::default();
        for (output, state) in self.output.iter().zip(states.iter().step_by(stride)) {
            sum += *output * *state;
        }
        sum
    }

    /// The rate of a state at a point.
    fn rate(&self, k: usize, states: &[T], stride: usize, [minus, plus]: [T; 2]) -> T {
        let n = self.output.len();
        let mut sum = self.minus[k] * minus + self.plus[k] * plus;
        for (entry, state) in self.matrix[k * n..(k + 1) * n].iter().zip(states.iter().step_by(stride)) {
            sum += *entry * *state;
        }
        sum
    }
}

impl<T: Float> Sheets<T> {
    pub(super) fn new(share: &Share<'_>, first_curved: usize) -> Result<Self, DgtdError> {
        let (plan, study) = (&share.plan, share.study);
        let start = |number: usize, curved: bool| {
            trace_start(number, face_values(plan, curved), if curved { first_curved } else { 0 })
        };
        let faces: Vec<Face<T>> = share
            .sheets
            .iter()
            .map(|sheet| {
                let (slot, f) = (sheet.slot as usize, usize::from(sheet.face.face));
                let (face, curved) = (&plan.faces[slot][f], sheet.curved);
                let points = if curved { plan.points.face.len() } else { plan.element.face_len() };
                Face {
                    level: study.clusters.level(sheet.face.tet as usize),
                    lane: (slot % LANES) as u8,
                    curved,
                    orientation: face.orientation,
                    traces: [4 * slot + f, face.neighbor as usize].map(|number| start(number, curved)),
                    equations: sheet.face.equations,
                    range: sheet.range.clone(),
                    first: (f * points) as u32,
                    scale: T::from_f64(if curved { 1.0 } else { face.scale }),
                }
            })
            .collect();
        let mut blocks: Vec<(usize, Range<usize>)> = Vec::new();
        for (i, sheet) in share.sheets.iter().enumerate() {
            let block = sheet.slot as usize / LANES;
            match blocks.last_mut() {
                Some((last, range)) if *last == block => range.end = i + 1,
                _ => blocks.push((block, i..i + 1)),
            }
        }
        let nodes = |orientation: usize| -> Vec<usize> {
            plan.element.face_permutation(orientation as u8).iter().map(|n| usize::from(*n)).collect()
        };
        let points = |orientation: usize| -> Vec<usize> {
            plan.points.face.permutations[orientation].iter().map(|p| usize::from(*p)).collect()
        };
        let count = share.sheet_states();
        let more = if study.clusters.is_local() { count } else { 0 };
        Ok(Self {
            values: zeros(count)?,
            registers: [zeros(count)?, zeros(more)?, zeros(more)?],
            faces,
            blocks,
            equations: study.sheets.equations.iter().map(Equations::new).collect(),
            permutations: [std::array::from_fn(nodes), std::array::from_fn(points)],
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// The states (age 0), or their rates so many local steps before, with the oldest register of each level.
    pub(super) fn of_age(&self, age: usize, oldest: &[usize]) -> Vec<T> {
        let of = |face: &Face<T>| match age {
            0 => &self.values[face.range.clone()],
            _ => &self.registers[(oldest[usize::from(face.level)] + 3 - age) % 3][face.range.clone()],
        };
        self.faces.iter().flat_map(of).copied().collect()
    }

    /// Sets them, as if no step had been done.
    pub(super) fn set(&mut self, age: usize, values: &[T]) {
        let to = if age == 0 { &mut self.values } else { &mut self.registers[3 - age] };
        to.copy_from_slice(values);
    }
}

/// Start of the trace of a face in [block][face][value][lane]; blocks of curved elements are counted from the first of them.
pub(super) fn trace_start(number: usize, values: usize, first_block: usize) -> usize {
    let (slot, face) = (number / 4, number % 4);
    ((slot / LANES - first_block) * 4 + face) * values * LANES + slot % LANES
}

/// Where the traces of a face are.
pub(super) struct Place<'a, T> {
    pub(super) traces: &'a [T],
    pub(super) permutation: &'a [usize],
    /// Values of a trace, and scalars of a point.
    pub(super) size: (usize, usize),
}

impl<T: Float> Face<T> {
    /// Its part in the flux, and the rates of its states, [state][value].
    pub(super) fn rates(
        &self,
        equations: &Equations<T>,
        place: &Place<'_, T>,
        states: &[T],
        sources: &mut BlockSources<T>,
        rates: &mut Vec<T>,
    ) {
        let (values, scalars) = place.size;
        let list = if self.curved { &mut sources.points } else { &mut sources.faces };
        for i in 0..values {
            let position = self.first * scalars as u32 + i as u32;
            list.push((self.lane, position, self.scale * equations.field(&states[i..], values)));
        }
        for k in 0..equations.output.len() {
            for i in 0..values {
                let (point, s) = (i / scalars, i % scalars);
                let minus = place.traces[self.traces[0] + i * LANES];
                let plus = place.traces[self.traces[1] + (place.permutation[point] * scalars + s) * LANES];
                // Along t₂, which points the other way on the other side; at points of curved faces components are Cartesian.
                let plus = if !self.curved && s == 1 { T::default() - plus } else { plus };
                rates.push(equations.rate(k, &states[i..], values, [minus, plus]));
            }
        }
    }
}
