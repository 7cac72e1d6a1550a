//! The solver against closed forms and published values.

mod bounces;
mod closed_forms;
mod curvature;
mod edges;
mod reciprocity;
mod shadows;
mod sheet;
mod t_junctions;
mod transforms;
mod validity;
