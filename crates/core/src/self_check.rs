//! A figure by which a run judges its own result.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// On which side of its limit a value is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The value should not exceed the limit.
    AtMost,
    /// The value should reach the limit.
    AtLeast,
}

/// A value that tells how far a result can be trusted, with the limit of what is good and a sentence.
///
/// Solvers return a list of these: those that follow from the problem with the `Study`, those that
/// are measured with the solution. One that does not hold is a warning too.
///
/// ```
/// use phasefront_core::SelfCheck;
///
/// let fine = SelfCheck::at_most("residual", 3e-14, 1e-6, "Sampled rows of the equations hold.");
/// assert!(fine.holds());
/// let coarse = SelfCheck::at_least("points per wavelength", 2.3, 5.0, "The mesh is too coarse: refine it.");
/// assert!(!coarse.holds());
/// // A value that could not be measured proves nothing.
/// assert!(!SelfCheck::at_most("residual", f64::NAN, 1e-6, "").holds());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfCheck {
    /// What is measured, in a few words: `field inside conductors`.
    pub name: String,
    /// The value of this run. One that is not finite is written as `null` and read as NaN.
    #[serde(serialize_with = "finite", deserialize_with = "nullable")]
    pub value: f64,
    /// The limit of what is good.
    pub limit: f64,
    /// On which side of it.
    pub bound: Bound,
    /// Unit of value and limit; empty for numbers without one.
    #[serde(default)]
    pub unit: String,
    /// What the value means for the result and, where it does not hold, what to do.
    pub sentence: String,
}

impl SelfCheck {
    /// Holds where `value` is at most `limit`.
    pub fn at_most(name: impl Into<String>, value: f64, limit: f64, sentence: impl Into<String>) -> Self {
        Self::new(name.into(), value, limit, Bound::AtMost, sentence.into())
    }

    /// Holds where `value` is at least `limit`.
    pub fn at_least(name: impl Into<String>, value: f64, limit: f64, sentence: impl Into<String>) -> Self {
        Self::new(name.into(), value, limit, Bound::AtLeast, sentence.into())
    }

    fn new(name: String, value: f64, limit: f64, bound: Bound, sentence: String) -> Self {
        Self { name, value, limit, bound, unit: String::new(), sentence }
    }

    /// The same with a unit.
    #[must_use]
    pub fn in_unit(self, unit: &str) -> Self {
        Self { unit: unit.to_owned(), ..self }
    }

    /// Whether the value is on the good side of its limit; NaN never is.
    pub fn holds(&self) -> bool {
        match self.bound {
            Bound::AtMost => self.value <= self.limit,
            Bound::AtLeast => self.value >= self.limit,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn finite<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(serializer)
}

fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}
