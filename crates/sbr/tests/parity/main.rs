//! Every device must give what the CPU gives.

mod devices;
mod kdtree;
