//! What an array hears: samples, streams of bits, or spectra that were measured elsewhere.

use crate::bits::BitOrder;
use crate::cic::DECIMATION;
use num_complex::Complex64;
use std::net::SocketAddr;

/// What an array hears.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Samples of every microphone.
    Samples(Samples),
    /// One bit at a time of every microphone.
    Bits(Bits),
    /// Phasors of the pressure at every microphone.
    Spectra(Vec<Spectrum>),
    /// Samples or bits that are yet to come.
    Stream(Stream),
}

/// Samples of every microphone.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Samples a second, Hz.
    pub rate: f64,
    /// How many microphones there are.
    pub microphones: usize,
    /// Pressures, Pa: those of all microphones at the first moment, then at the next.
    pub values: Vec<f32>,
    /// The largest pressure that a sample can hold, Pa, where it is known: samples that reach it are clipped.
    pub full_scale: Option<f32>,
}

impl Samples {
    /// Moments that there are samples of.
    pub fn frames(&self) -> usize {
        self.values.len() / self.microphones.max(1)
    }
}

/// One bit at a time of every microphone: ones are +1, zeros −1.
#[derive(Debug, Clone, PartialEq)]
pub struct Bits {
    /// Bits a second, Hz.
    pub rate: f64,
    /// How many microphones there are.
    pub microphones: usize,
    /// 32 bits of the first microphone, oldest lowest, then of the next, and so on; then the next 32 of all.
    pub words: Vec<u32>,
    /// The pressure of a stream of ones, Pa.
    pub full_scale: f64,
}

impl Bits {
    /// Words that each microphone has.
    pub fn frames(&self) -> usize {
        self.words.len() / self.microphones.max(1)
    }

    /// Samples a second after decimation, Hz.
    pub fn sample_rate(&self) -> f64 {
        self.rate / DECIMATION as f64
    }
}

/// Samples or bits that come in while they are looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Where datagrams come in.
    pub address: SocketAddr,
    /// How long it is listened to, s; until the user stops it if left out.
    pub duration: Option<f64>,
    /// Samples or bits a second, Hz.
    pub rate: f64,
    /// How many microphones there are.
    pub microphones: usize,
    /// For bits, whose they are.
    pub bits: Option<BitOrder>,
    /// The pressure of the largest whole number, or of a stream of ones, Pa.
    pub full_scale: f64,
}

impl Stream {
    /// Moments of the stream in a sample.
    pub fn moments_per_sample(&self) -> usize {
        if self.bits.is_some() { DECIMATION } else { 1 }
    }

    /// Samples a second after decimation, Hz.
    pub fn sample_rate(&self) -> f64 {
        self.rate / self.moments_per_sample() as f64
    }
}

/// Phasors of the pressure at one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Hz.
    pub frequency: f64,
    /// Of every microphone, Pa.
    pub pressure: Vec<Complex64>,
}

/// A piece of a stream: what all microphones hear in a few moments.
#[derive(Debug, Clone, Copy)]
pub enum Block<'a> {
    /// Pressures, moment by moment.
    Samples(&'a [f32]),
    /// Words of 32 bits, in the same order.
    Words(&'a [u32]),
}
