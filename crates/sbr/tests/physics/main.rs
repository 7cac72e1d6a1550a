//! The solver against closed forms and published values.

mod closed_forms;
mod edges;
mod shadows;
mod sheet;
mod transforms;
