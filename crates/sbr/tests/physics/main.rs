//! The solver against closed forms and published values.

mod antennas;
mod bounces;
mod closed_forms;
mod curvature;
mod edges;
#[path = "../reference/mod.rs"]
mod reference;
mod shadows;
mod sheet;
mod t_junctions;
mod transforms;
mod validity;
