//! References that are independent of the code of the solver.

pub mod antennas;
