//! The solver against closed forms and published values.

mod bent;
mod cavity;
mod curved;
