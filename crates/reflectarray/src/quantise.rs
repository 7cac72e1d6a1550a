//! Phases in steps, with the common phase that rounding harms least.

use crate::error::ReflectarrayError;
use crate::problem::Design;
use crate::search::Run;
use std::f64::consts::TAU;

/// Common phases that are tried: they leave the pattern alone but for the rounding.
const OFFSETS: u32 = 16;

impl Run<'_> {
    /// Rounds the phases of a design to `bits` bits.
    pub fn quantise(&mut self, design: &Design, bits: u32) -> Result<Design, ReflectarrayError> {
        let step = TAU / f64::from(bits).exp2();
        let mut best: Option<(f64, Design)> = None;
        for offset in 0..OFFSETS {
            let mut rounded = design.clone();
            let shift = step * f64::from(offset) / f64::from(OFFSETS);
            rounded.phase.iter_mut().for_each(|phase| *phase = (*phase + shift).rem_euclid(TAU));
            rounded.quantise(bits);
            let score = self.rate(&rounded)?;
            if best.as_ref().is_none_or(|(before, _)| score > *before) {
                best = Some((score, rounded));
            }
        }
        Ok(best.map_or_else(|| design.clone(), |(_, design)| design))
    }
}
