//! The measured data: PCM samples, sigma-delta bitstreams, or spectra measured elsewhere.

use crate::bits::BitOrder;
use crate::cic::DECIMATION;
use num_complex::Complex64;
use std::net::SocketAddr;

/// What the array measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// PCM samples of every microphone.
    Samples(Samples),
    /// Sigma-delta bitstreams of every microphone.
    Bits(Bits),
    /// Phasors of the pressure at every microphone.
    Spectra(Vec<Spectrum>),
    /// Samples or bits that a network delivers.
    Stream(Stream),
}

/// PCM samples of every microphone.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Sample rate, Hz.
    pub rate: f64,
    /// Number of microphones.
    pub microphones: usize,
    /// Pressures, Pa, frame by frame: a frame has one sample of every microphone.
    pub values: Vec<f32>,
    /// The largest pressure that a sample can represent, Pa, where it is known: samples that reach it are clipped.
    pub full_scale: Option<f32>,
}

impl Samples {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.values.len() / self.microphones.max(1)
    }
}

/// One-bit sigma-delta streams of every microphone: ones are +1, zeros −1.
#[derive(Debug, Clone, PartialEq)]
pub struct Bits {
    /// Bit rate of each microphone, Hz.
    pub rate: f64,
    /// Number of microphones.
    pub microphones: usize,
    /// Frames of one 32-bit word of every microphone; the oldest bit is the least significant.
    pub words: Vec<u32>,
    /// The pressure of a stream of ones, Pa.
    pub full_scale: f64,
}

impl Bits {
    /// Number of frames: words of each microphone.
    pub fn frames(&self) -> usize {
        self.words.len() / self.microphones.max(1)
    }

    /// Sample rate after decimation, Hz.
    pub fn sample_rate(&self) -> f64 {
        self.rate / DECIMATION as f64
    }
}

/// Samples or bits that are processed as they arrive.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Local address that datagrams are received at.
    pub address: SocketAddr,
    /// How long to receive, s; without it, until the user interrupts.
    pub duration: Option<f64>,
    /// Sample or bit rate, Hz.
    pub rate: f64,
    /// Number of microphones.
    pub microphones: usize,
    /// For bitstreams, the order of the microphones in a frame.
    pub bits: Option<BitOrder>,
    /// The pressure of the largest integer, or of a stream of ones, Pa.
    pub full_scale: f64,
}

impl Stream {
    /// Frames of the stream for each sample after decimation.
    pub fn frames_per_sample(&self) -> usize {
        if self.bits.is_some() { DECIMATION } else { 1 }
    }

    /// Sample rate after decimation, Hz.
    pub fn sample_rate(&self) -> f64 {
        self.rate / self.frames_per_sample() as f64
    }
}

/// Phasors of the pressure at one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Hz.
    pub frequency: f64,
    /// At every microphone, Pa.
    pub pressure: Vec<Complex64>,
}

/// A block of consecutive frames.
#[derive(Debug, Clone, Copy)]
pub enum Block<'a> {
    /// Pressures, frame by frame.
    Samples(&'a [f32]),
    /// 32-bit words of bitstreams, frame by frame.
    Words(&'a [u32]),
}
