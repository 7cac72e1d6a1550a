//! Validation of a [`Problem`](crate::Problem): what is refused, with the path of the field at fault, and what only casts doubt
//! on the result. Called by [`prepare`](crate::prepare) alone.

mod bodies;
mod cells;
mod contact;
mod crossing;
mod fields;
mod self_checks;

pub(crate) use bodies::{contact, nesting};
pub(crate) use cells::{cell_counts, cell_sizes};
pub(crate) use fields::fields;
pub(crate) use self_checks::self_checks;
