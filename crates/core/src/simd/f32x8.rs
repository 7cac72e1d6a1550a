//! Exactly eight `f32` lanes on every machine: AVX2 where the CPU supports it, plain arrays
//! elsewhere.
//!
//! For data whose layout fixes the vector length, such as the eight children of a BVH node.

#[cfg(target_arch = "x86_64")]
use pulp::{f32x8, m32x8, x86::V3};

/// Lanes of a vector.
pub const WIDTH: usize = 8;

/// Operations on eight `f32` lanes.
pub trait F32x8: Copy {
    /// Eight numbers.
    type F: Copy;
    /// Eight truth values.
    type M: Copy;
    /// The same number in all lanes.
    fn splat(self, x: f32) -> Self::F;
    /// A vector from memory.
    fn load(self, x: &[f32; WIDTH]) -> Self::F;
    /// The lanes of a vector.
    fn store(self, x: Self::F) -> [f32; WIDTH];
    /// a + b.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// a − b.
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// a b.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smaller of both; b where either is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger of both; b where either is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// a ≤ b; false where either is NaN.
    fn le(self, a: Self::F, b: Self::F) -> Self::M;
    /// Both.
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// Either.
    fn or(self, a: Self::M, b: Self::M) -> Self::M;
    /// `yes` where the mask is set, else `no`.
    fn select(self, mask: Self::M, yes: Self::F, no: Self::F) -> Self::F;
    /// One bit per lane, lane 0 lowest.
    fn bits(self, mask: Self::M) -> u32;
}

/// A computation on eight lanes.
pub trait WithF32x8 {
    /// Its result.
    type Output;
    /// Runs the computation; mark it `#[inline(always)]`.
    fn run<L: F32x8>(self, lanes: L) -> Self::Output;
}

/// Runs `work` with AVX2 if this CPU supports it, else with plain arrays.
#[inline]
pub fn dispatch<W: WithF32x8>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    // AVX-512 machines take this path too: the layout fixes eight lanes, and 256 bits hold them.
    if let Some(simd) = V3::try_new() {
        return pulp::Simd::vectorize(simd, Work { work, simd });
    }
    work.run(Portable)
}

#[cfg(target_arch = "x86_64")]
struct Work<W> {
    work: W,
    simd: V3,
}

#[cfg(target_arch = "x86_64")]
impl<W: WithF32x8> pulp::NullaryFnOnce for Work<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.run(self.simd)
    }
}

#[cfg(target_arch = "x86_64")]
impl F32x8 for V3 {
    type F = f32x8;
    type M = m32x8;

    #[inline(always)]
    fn splat(self, x: f32) -> f32x8 {
        self.splat_f32x8(x)
    }
    #[inline(always)]
    fn load(self, x: &[f32; WIDTH]) -> f32x8 {
        pulp::cast(*x)
    }
    #[inline(always)]
    fn store(self, x: f32x8) -> [f32; WIDTH] {
        pulp::cast(x)
    }
    #[inline(always)]
    fn add(self, a: f32x8, b: f32x8) -> f32x8 {
        pulp::cast(self.avx._mm256_add_ps(pulp::cast(a), pulp::cast(b)))
    }
    #[inline(always)]
    fn sub(self, a: f32x8, b: f32x8) -> f32x8 {
        pulp::cast(self.avx._mm256_sub_ps(pulp::cast(a), pulp::cast(b)))
    }
    #[inline(always)]
    fn mul(self, a: f32x8, b: f32x8) -> f32x8 {
        pulp::cast(self.avx._mm256_mul_ps(pulp::cast(a), pulp::cast(b)))
    }
    #[inline(always)]
    fn min(self, a: f32x8, b: f32x8) -> f32x8 {
        // `vminps` returns its second operand if either is NaN: the contract of the trait.
        pulp::cast(self.avx._mm256_min_ps(pulp::cast(a), pulp::cast(b)))
    }
    #[inline(always)]
    fn max(self, a: f32x8, b: f32x8) -> f32x8 {
        // As `vminps`: b where either is NaN.
        pulp::cast(self.avx._mm256_max_ps(pulp::cast(a), pulp::cast(b)))
    }
    #[inline(always)]
    fn le(self, a: f32x8, b: f32x8) -> m32x8 {
        self.cmp_le_f32x8(a, b)
    }
    #[inline(always)]
    fn and(self, a: m32x8, b: m32x8) -> m32x8 {
        self.and_m32x8(a, b)
    }
    #[inline(always)]
    fn or(self, a: m32x8, b: m32x8) -> m32x8 {
        self.or_m32x8(a, b)
    }
    #[inline(always)]
    fn select(self, mask: m32x8, yes: f32x8, no: f32x8) -> f32x8 {
        self.select_f32x8(mask, yes, no)
    }
    #[inline(always)]
    fn bits(self, mask: m32x8) -> u32 {
        // The mask has all bits of a lane set or none; its sign bits are the result.
        let mask: pulp::u32x8 = pulp::cast(mask);
        self.avx._mm256_movemask_ps(pulp::cast(mask)) as u32
    }
}

/// Plain arrays.
#[derive(Clone, Copy)]
struct Portable;

#[inline(always)]
fn each<A: Copy, B>(a: [A; WIDTH], b: [A; WIDTH], f: impl Fn(A, A) -> B) -> [B; WIDTH] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl F32x8 for Portable {
    type F = [f32; WIDTH];
    type M = [bool; WIDTH];

    fn splat(self, x: f32) -> Self::F {
        [x; WIDTH]
    }
    fn load(self, x: &[f32; WIDTH]) -> Self::F {
        *x
    }
    fn store(self, x: Self::F) -> [f32; WIDTH] {
        x
    }
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| a + b)
    }
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| a - b)
    }
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| a * b)
    }
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        // Not `f32::min`, which would return the operand that is not NaN.
        each(a, b, |a, b| if a < b { a } else { b })
    }
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| if a > b { a } else { b })
    }
    fn le(self, a: Self::F, b: Self::F) -> Self::M {
        each(a, b, |a, b| a <= b)
    }
    fn and(self, a: Self::M, b: Self::M) -> Self::M {
        each(a, b, |a, b| a && b)
    }
    fn or(self, a: Self::M, b: Self::M) -> Self::M {
        each(a, b, |a, b| a || b)
    }
    fn select(self, mask: Self::M, yes: Self::F, no: Self::F) -> Self::F {
        std::array::from_fn(|i| if mask[i] { yes[i] } else { no[i] })
    }
    fn bits(self, mask: Self::M) -> u32 {
        mask.iter().enumerate().fold(0, |bits, (i, &yes)| bits | u32::from(yes) << i)
    }
}
