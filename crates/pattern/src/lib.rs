//! Far-field patterns of antennas: what follows from them, and their files.
//!
//! A [`Pattern`] is what one solver radiates and another receives as a source: one frequency, a grid of θ and φ, and r E_θ and r E_φ as
//! peak phasors in volts, with the time convention e^{+jωt}, the factor e^{−jkr} removed and the phase referred to the origin.
//!
//! | question | answer |
//! |---|---|
//! | power, directivity, gain | [`Pattern::radiated_power`], [`Pattern::gain`], [`Pattern::gain_toward`] |
//! | between the samples | [`Pattern::field`], [`Pattern::ludwig3`] |
//! | polarization | [`Component`]: Ludwig 3 and circular; [`Ellipse`]: axial ratio, tilt, sense |
//! | beam width, side lobes, front-to-back ratio | [`Pattern::lobes`] |
//! | phase center | [`Pattern::phase_center`] |
//!
//! ```
//! use num_complex::Complex64;
//! use phasefront_pattern::{Pattern, Powers, read_ffd, write_ffd};
//! use std::f64::consts::PI;
//!
//! // A Hertzian dipole along z: rE_θ = sin θ volts.
//! let theta: Vec<f64> = (0..=90).map(|i| PI / 90.0 * f64::from(i)).collect();
//! let phi: Vec<f64> = (0..=36).map(|j| PI / 18.0 * f64::from(j)).collect();
//! let fields = theta.iter().flat_map(|t| vec![[t.sin().into(), Complex64::ZERO]; 37]).collect();
//! let dipole = Pattern::new(1e9, theta, phi, fields, Powers::default())?;
//!
//! let lobes = dipole.lobes().expect("it radiates");
//! let directivity = dipole.gain_toward(lobes.peak, dipole.radiated_power()?).expect("inside the grid");
//! assert!((directivity - 1.5).abs() < 1e-12);
//! assert!((lobes.polar_cut.half_power_width.expect("it has nulls").to_degrees() - 90.0).abs() < 1e-4);
//!
//! // To a file of HFSS and back.
//! let file = write_ffd(&[dipole])?;
//! assert_eq!(read_ffd(file.as_bytes(), None)?[0].theta().len(), 91);
//! # Ok::<(), phasefront_pattern::PatternError>(())
//! ```
//!
//! # Files
//!
//! The caller reads and writes files; the functions here take and give their content. A file may hold several patterns, one per frequency.
//!
//! | format | functions | frequency | power |
//! |---|---|---|---|
//! | FEKO `.ffe` | [`read_ffe`], [`write_ffe`] | in the file | from its column of gain |
//! | HFSS `.ffd` | [`read_ffd`], [`write_ffd`] | in the file, or given where it has none | not in the file |
//! | GRASP `.cut` | [`read_cut`], [`write_cut`] | given | not in the file |
//! | GRASP `.grd` | [`read_grd`], [`write_grd`], [`write_grd_uv`] | in the file, or given where it has none | not in the file |
//!
//! Where θ runs below zero, as in symmetric cuts, (−θ, φ) becomes (θ, φ + 180°). All four formats use e^{+jωt} for fields. What a
//! format's publicly available descriptions leave open is refused with an error that names it; the modules of the formats list their sources.

#![forbid(unsafe_code)]

mod error;
mod files;
mod interpolate;
mod lobes;
mod pattern;
mod phase_center;
mod polarization;
mod power;

pub use error::PatternError;
pub use files::{
    UvField, read_cut, read_ffd, read_ffe, read_grd, write_cut, write_ffd, write_ffe, write_grd, write_grd_uv,
};
pub use lobes::{LobeCut, Lobes};
pub use pattern::{Direction, Pattern, Powers};
pub use phase_center::PhaseCenter;
pub use polarization::{Component, Ellipse, Sense};
