//! Sums that do not depend on the order of their terms: ranks and threads get the same bits, however the terms are divided among them.

/// Exponents of a bin.
const BIN: u32 = 32;
/// Bins for all exponents of `f64`.
const BINS: usize = 2048 / BIN as usize;
/// A term is m · 2^(e − 1075), with an integer m of 53 bits and its biased exponent e.
const BIAS: i32 = 1075;

/// An exact sum of `f64` values (Kulisch, Computer Arithmetic and Validity, 2008): integers by exponent, which add without rounding. A bin
/// has 84 bits for one term, so that it holds 2⁴³ of them.
///
/// ```
/// use phasefront_core::ExactSum;
/// let sum = |terms: &[f64]| terms.iter().copied().collect::<ExactSum>().value();
/// assert_eq!(sum(&[1e16, 1.0, -1e16]), 1.0);
/// assert_eq!(sum(&[0.1, 0.2, 0.3]), sum(&[0.3, 0.1, 0.2]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ExactSum {
    bins: [i128; BINS],
    /// Sum of the terms that are not finite, or zero.
    special: f64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { bins: [0; BINS], special: 0.0 }
    }
}

impl ExactSum {
    /// Adds a term.
    pub fn add(&mut self, term: f64) {
        if !term.is_finite() {
            self.special += term;
            return;
        }
        let bits = term.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        let fraction = i128::from(bits & ((1 << 52) - 1));
        // Numbers below 2⁻¹⁰²² have the exponent of the smallest others, without the leading one.
        let (mantissa, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 52, exponent) };
        let shifted = mantissa << (exponent % BIN);
        self.bins[(exponent / BIN) as usize] += if term < 0.0 { -shifted } else { shifted };
    }

    /// Adds all terms of another sum.
    pub fn merge(&mut self, other: &Self) {
        self.special += other.special;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin += more;
        }
    }

    /// The sum, rounded.
    pub fn value(&self) -> f64 {
        if self.special != 0.0 || self.special.is_nan() {
            return self.special;
        }
        let (bins, carry) = self.carried(1);
        if carry < 0 { -rounded(&self.carried(-1)) } else { rounded(&(bins, carry)) }
    }

    /// The bins times a sign, with carries: less than one unit of the next bin is left in each; and the carry of the last. Of a sum that is
    /// not negative, none is.
    fn carried(&self, sign: i128) -> ([i128; BINS], i128) {
        let (mut bins, mut carry) = (self.bins, 0);
        for bin in &mut bins {
            let sum = sign * *bin + carry;
            carry = sum >> BIN;
            *bin = sum - (carry << BIN);
        }
        (bins, carry)
    }

    /// The sum as bytes, for another process on a machine of the same kind.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bins = self.bins.iter().flat_map(|bin| bin.to_le_bytes());
        bins.chain(self.special.to_le_bytes()).collect()
    }

    /// The inverse of [`Self::to_bytes`]; none for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (bins, special) = bytes.split_at_checked(16 * BINS)?;
        let mut sum = Self { special: f64::from_le_bytes(special.try_into().ok()?), ..Self::default() };
        for (bin, bytes) in sum.bins.iter_mut().zip(bins.chunks_exact(16)) {
            *bin = i128::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(sum)
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

/// Bins that are not negative as a number, from the largest down: nothing cancels, and the rounding of small ones does not matter.
fn rounded((bins, carry): &([i128; BINS], i128)) -> f64 {
    let scale = |bin: usize| BIN as i32 * bin as i32 - BIAS;
    let top = scaled(*carry, scale(BINS));
    (0..BINS).rev().fold(top, |sum, bin| sum + scaled(bins[bin], scale(bin)))
}

/// value · 2^exponent, in two steps: the power alone may be beyond the range of `f64`.
fn scaled(value: i128, exponent: i32) -> f64 {
    let half = exponent / 2;
    value as f64 * 2_f64.powi(half) * 2_f64.powi(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terms of all magnitudes and signs, in several orders and groups.
    #[test]
    fn the_order_of_terms_does_not_matter() {
        let terms: Vec<f64> = (0..1000)
            .map(|i| {
                let x = f64::from(i);
                (1.0 + (7.3 * x).sin()) * 10_f64.powi(i % 61 - 30) * if i % 3 == 0 { -1.0 } else { 1.0 }
            })
            .collect();
        let forward: ExactSum = terms.iter().copied().collect();
        let backward: ExactSum = terms.iter().rev().copied().collect();
        assert_eq!(forward, backward);
        let mut parts = ExactSum::default();
        for part in terms.chunks(17) {
            parts.merge(&part.iter().copied().collect());
        }
        assert_eq!(parts, forward);
        assert_eq!(ExactSum::from_bytes(&forward.to_bytes()), Some(forward.clone()));
        assert_eq!(ExactSum::from_bytes(&[0; 7]), None);
        let plain: f64 = terms.iter().sum();
        assert!((forward.value() / plain - 1.0).abs() < 1e-12, "{} for {plain}", forward.value());
    }

    /// Sums that are known exactly, at both ends of the range too.
    #[test]
    fn sums_are_exact() {
        let sum = |terms: &[f64]| terms.iter().copied().collect::<ExactSum>().value();
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[1e300, 3.5, -1e300, -0.5]), 3.0);
        assert_eq!(sum(&[f64::MAX, -f64::MAX, 5e-324]), 5e-324);
        assert_eq!(sum(&[5e-324; 3]), 1.5e-323);
        assert_eq!(sum(&[f64::MAX]), f64::MAX);
        assert_eq!(sum(&[-2.5, 1.25]), -1.25);
        assert_eq!(sum(&[1.0, f64::INFINITY]), f64::INFINITY);
        assert!(sum(&[1.0, f64::NAN]).is_nan());
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
    }
}
