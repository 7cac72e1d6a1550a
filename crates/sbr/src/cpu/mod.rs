//! Rays on the CPU: the triangles they meet (`scene.rs`), the aperture they start from (`aperture.rs`) and the tubes that they
//! bound (`tubes.rs`).

mod aperture;
mod scene;
mod tubes;

pub(crate) use aperture::Aperture;
pub(crate) use scene::{Hit, Scene};
pub(crate) use tubes::{Shooting, Tally};
