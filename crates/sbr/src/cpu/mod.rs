//! Ray tubes on the CPU: beams that end where facets do (`beams.rs`), or a grid of rays and the paper's rule (`grid.rs`).

mod beams;
mod grid;
mod pieces;
mod polygon;
mod tally;
mod view;

pub(crate) use beams::{Beams, MOST_MET};
pub(crate) use grid::GridOfRays;
pub(crate) use tally::Tally;
pub(crate) use view::EDGE_ON;
