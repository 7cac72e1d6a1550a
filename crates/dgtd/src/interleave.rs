//! Values by slot and lane by lane: the lanes of a device hold the same number of different elements.

use phasefront_core::Real;
use rayon::prelude::*;
use std::ops::Range;

/// `per` numbers of each of some slots, interleaved: [block][number][lane]. `of` writes those of a slot over zeros.
pub fn interleaved<T: Real + Default>(
    slots: Range<usize>,
    per: usize,
    lanes: usize,
    of: impl Fn(usize, &mut [f64]) + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); slots.len() * per];
    // Straight into the layout of the device, block by block: the numbers of all slots in double precision would be twice the memory.
    values.par_chunks_mut((per * lanes).max(1)).enumerate().for_each_init(
        || vec![0.0; per],
        |row, (block, values)| {
            for lane in 0..lanes {
                row.fill(0.0);
                of(slots.start + block * lanes + lane, row);
                for (i, value) in row.iter().enumerate() {
                    values[i * lanes + lane] = T::from_f64(*value);
                }
            }
        },
    );
    values
}

/// Interleaved values, [block][number][lane], as [slot][number], each through `map`.
pub fn by_slot<T: Copy + Sync, U: Copy + Default + Send>(
    values: &[T],
    slots: usize,
    lanes: usize,
    map: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    let per = values.len() / slots.max(1);
    let mut all = vec![U::default(); values.len()];
    all.par_chunks_mut(per.max(1)).enumerate().for_each(|(slot, all)| {
        for (i, value) in all.iter_mut().enumerate() {
            *value = map(values[(slot / lanes * per + i) * lanes + slot % lanes]);
        }
    });
    all
}

/// The inverse of [`by_slot`].
pub fn by_lane<T: Copy + Default + Send + Sync>(values: &[T], slots: usize, lanes: usize) -> Vec<T> {
    let per = values.len() / slots.max(1);
    let mut all = vec![T::default(); values.len()];
    all.par_chunks_mut((per * lanes).max(1)).enumerate().for_each(|(block, all)| {
        for (i, value) in all.iter_mut().enumerate() {
            *value = values[(block * lanes + i % lanes) * per + i / lanes];
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number i of slot s is 10 s + i: [block][number][lane] by hand.
    #[test]
    fn numbers_lie_lane_by_lane() {
        let of = |slot: usize, row: &mut [f64]| {
            row.iter_mut().enumerate().for_each(|(i, value)| *value = (10 * slot + i) as f64);
        };
        let values: Vec<f32> = interleaved(2..6, 3, 2, of);
        assert_eq!(values, [20.0, 30.0, 21.0, 31.0, 22.0, 32.0, 40.0, 50.0, 41.0, 51.0, 42.0, 52.0]);
        let slots = by_slot(&values, 4, 2, f64::from);
        assert_eq!(slots, [20.0, 21.0, 22.0, 30.0, 31.0, 32.0, 40.0, 41.0, 42.0, 50.0, 51.0, 52.0]);
        assert_eq!(by_lane(&slots, 4, 2), values.iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
        assert!(interleaved::<f64>(0..4, 0, 2, |_, _| ()).is_empty());
        assert!(by_slot(&[] as &[f32], 4, 2, f64::from).is_empty());
    }
}
