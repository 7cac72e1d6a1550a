//! References that are written anew, without the solver's code.

pub mod antennas;
