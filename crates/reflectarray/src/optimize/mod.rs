//! General optimizers: L-BFGS with a strong-Wolfe line search for local minimization, multi-level single linkage (MLSL) for multistart.

mod function;
mod lbfgs;
mod line_search;
mod mlsl;

pub(crate) use function::{Function, Point};
pub(crate) use lbfgs::Lbfgs;
pub(crate) use mlsl::{Mlsl, unit_box_point};
