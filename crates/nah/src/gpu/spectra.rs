//! From blocks to phasors on a GPU by every spectral method, in double precision.

use crate::cic;
use crate::engine::SpectrumEstimator;
use crate::error::NahError;
use crate::input::Block;
use crate::scalar::Scalar;
use crate::spectral::{Analysis, Format, FrontEnd, SpectralMethod, compensations, hann};
use crate::walsh::{pattern, terms_of_bin};
use num_complex::{Complex, Complex64};
use phasefront_core::Precision;
use phasefront_device::{Arg, Buffer, Direction, Fft, Gpu, Grid as Groups, KernelSource, Program};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The kernels.
pub const SPECTRA_KERNELS: KernelSource =
    KernelSource { name: "spectra.cu", text: include_str!("../../kernels/spectra.cu") };

/// Work items of a group.
const ITEMS: usize = 128;
/// Microphones of a group that evaluates Walsh functions, and parts of each sum.
const LANES: usize = 32;
const PARTS: usize = 8;
/// Timed runs of each transform; the shortest counts.
const TRIALS: usize = 3;

/// The transform from the ring of samples, or words, to phasors.
enum Transform {
    /// Vectors w_n e^{−jωn} of each bin, and their sums.
    Dots {
        vectors: Buffer<Complex64>,
        sums: Buffer<Complex64>,
    },
    Fft {
        hann: Buffer<f64>,
        channels: Buffer<Complex64>,
        bins: Buffer<i32>,
    },
    Sliding {
        roots: Buffer<Complex64>,
        bins: Buffer<i32>,
        sums: Buffer<Complex64>,
    },
    Walsh {
        functions: Buffer<i32>,
        weights: Buffer<Complex64>,
        counts: Buffer<i32>,
        low: Buffer<u32>,
    },
}

/// The last frames of a stream on a GPU, and their phasors.
struct GpuSpectra {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    microphones: usize,
    samples: usize,
    hop: usize,
    bins: usize,
    front_end: FrontEnd,
    transform: Transform,
    /// The newest block, and the two words before it.
    block: Buffer<u32>,
    previous: Buffer<u32>,
    /// The last samples, or words for Walsh functions.
    ring: Buffer<u32>,
    /// Samples before the compensation filter, and its taps.
    raw: Buffer<f32>,
    taps: Buffer<f32>,
    phasors: Buffer<Complex64>,
    /// Frames received, modulo the length of either ring.
    at: usize,
    raw_at: usize,
}

/// Estimates phasors of the last N samples on a GPU, window by window.
pub struct GpuSpectrumEstimator {
    spectra: GpuSpectra,
    /// Frames until the window is full and the filters have settled.
    missing: usize,
    /// Compensation of the front end at each bin.
    compensations: Vec<Complex64>,
}

impl GpuSpectrumEstimator {
    /// For bins of the DFT of `analysis.samples` samples.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        format: Format,
        analysis: &Analysis,
        bins: &[usize],
    ) -> Result<Self, NahError> {
        Ok(Self {
            spectra: GpuSpectra::new(gpu, format, analysis, bins)?,
            missing: analysis.samples + FrontEnd::new(format, analysis.method).settling_frames(),
            compensations: compensations(format, analysis, bins),
        })
    }
}

impl<T: Scalar> SpectrumEstimator<T> for GpuSpectrumEstimator {
    fn microphones(&self) -> usize {
        self.spectra.microphones
    }

    fn push(&mut self, block: Block<'_>) -> Result<(), NahError> {
        let values = match block {
            Block::Samples(samples) => samples.len(),
            Block::Words(words) => words.len(),
        };
        self.missing = self.missing.saturating_sub(values / self.spectra.microphones.max(1));
        self.spectra.push(block)
    }

    fn is_full(&self) -> bool {
        self.missing == 0
    }

    fn spectra(&mut self, phasors: &mut [Complex<T>]) -> Result<(), NahError> {
        let found = self.spectra.spectra()?;
        // Compensated in double precision, before the phasors are rounded.
        let bins = found.chunks_exact(self.spectra.microphones.max(1)).zip(&self.compensations);
        let compensated = bins.flat_map(|(of_bin, factor)| of_bin.iter().map(move |p| p * factor));
        phasors.iter_mut().zip(compensated).for_each(|(p, value)| *p = T::complex_from_f64(value));
        Ok(())
    }
}

/// The macros that the kernels are compiled with.
pub fn spectra_defines(format: Format, analysis: &Analysis, bins: &[usize]) -> Vec<(&'static str, String)> {
    let (front_end, taps) = (FrontEnd::new(format, analysis.method), taps(analysis.method));
    let terms = walsh_terms(analysis, bins).iter().map(Vec::len).max().unwrap_or(0);
    let numbers = [
        ("MICS", format.microphones),
        ("SAMPLES", analysis.samples),
        ("HOP", analysis.hop),
        ("BINS", bins.len()),
        ("FRONT_END", front_end_code(front_end)),
        ("CIC_DC_GAIN", cic::DC_GAIN as usize),
        ("TAPS", taps.len()),
        ("TERMS", terms.max(1)),
        ("LANES", LANES),
        ("PARTS", PARTS),
    ];
    numbers.map(|(name, number)| (name, number.to_string())).into()
}

/// The front end as the kernels number it.
fn front_end_code(front_end: FrontEnd) -> usize {
    match front_end {
        FrontEnd::Samples | FrontEnd::Words => 0,
        FrontEnd::BlockAverage => 1,
        FrontEnd::Cic { .. } | FrontEnd::CicPopcount => 2,
    }
}

/// The taps of the compensation filter; one without it.
fn taps(method: SpectralMethod) -> Vec<f32> {
    if method == (SpectralMethod::Fft { fir: true }) { cic::compensation_taps() } else { vec![1.0] }
}

/// Walsh functions of each bin with their weights; none for other methods.
fn walsh_terms(analysis: &Analysis, bins: &[usize]) -> Vec<Vec<(usize, Complex64)>> {
    let which = match analysis.method {
        SpectralMethod::Walsh(terms) => Some(terms.which),
        SpectralMethod::WalshExact => None,
        _ => return Vec::new(),
    };
    bins.iter().map(|k| terms_of_bin(*k, 32 * analysis.samples, which)).collect()
}

/// The root of unity e^{−j2πn/N}.
fn root(n: usize, count: usize) -> Complex64 {
    Complex64::from_polar(1.0, -TAU * (n % count) as f64 / count as f64)
}

impl GpuSpectra {
    /// For bins of the DFT of `analysis.samples` samples.
    fn new(
        gpu: &Arc<dyn Gpu>,
        format: Format,
        analysis: &Analysis,
        bins: &[usize],
    ) -> Result<Self, NahError> {
        let Analysis { method, samples, hop } = *analysis;
        let microphones = format.microphones;
        let defines = spectra_defines(format, analysis, bins);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let taps = taps(method);
        let mut new = Self {
            program: gpu.compile(&SPECTRA_KERNELS, &defines)?,
            // Replaced below unless the method is `Dot`; with `Auto` it is timed against the FFT.
            transform: Transform::dots(&**gpu, samples, bins)?,
            block: gpu.alloc(hop * microphones)?,
            previous: gpu.alloc(2 * microphones)?,
            ring: gpu.alloc(samples * microphones)?,
            raw: gpu.alloc((hop + taps.len() - 1) * microphones)?,
            taps: gpu.upload(&taps)?,
            phasors: gpu.alloc(bins.len() * microphones)?,
            gpu: gpu.clone(),
            microphones,
            samples,
            hop,
            bins: bins.len(),
            front_end: FrontEnd::new(format, method),
            at: 0,
            raw_at: 0,
        };
        new.transform = match method {
            SpectralMethod::Dft => return Ok(new),
            SpectralMethod::Fft { .. } | SpectralMethod::BlockAverage => {
                Transform::fft(&**gpu, microphones, samples, bins)?
            }
            SpectralMethod::CicPopcount | SpectralMethod::SlidingDft => {
                Transform::sliding(&**gpu, microphones, samples, hop, bins)?
            }
            SpectralMethod::Walsh(_) | SpectralMethod::WalshExact => {
                Transform::walsh(&**gpu, &walsh_terms(analysis, bins))?
            }
            SpectralMethod::Auto => return new.with_the_faster_transform(bins),
        };
        Ok(new)
    }

    /// Dot products, or an FFT where that is faster.
    fn with_the_faster_transform(mut self, bins: &[usize]) -> Result<Self, NahError> {
        let dots = self.seconds()?;
        let fft = Transform::fft(&*self.gpu, self.microphones, self.samples, bins)?;
        let dot_products = std::mem::replace(&mut self.transform, fft);
        // The slower of the two is dropped with its buffers.
        if self.seconds()? > dots {
            self.transform = dot_products;
        }
        Ok(self)
    }

    /// The shortest time of a transform.
    fn seconds(&self) -> Result<Duration, NahError> {
        let mut least = Duration::MAX;
        for _ in 0..TRIALS {
            // Includes launches and the wait, as in use.
            let start = Instant::now();
            self.launch_transform()?;
            self.gpu.synchronize()?;
            least = least.min(start.elapsed());
        }
        Ok(least)
    }

    /// Launches a kernel with one work item for each of `count` values.
    fn each(&self, name: &str, count: usize, args: &[Arg<'_>]) -> Result<(), NahError> {
        let groups =
            Groups { groups: [count.div_ceil(ITEMS) as u32, 1, 1], group_size: [ITEMS as u32, 1, 1] };
        Ok(self.gpu.launch(&*self.program, name, groups, args)?)
    }

    /// Appends a block; with a sliding DFT always as many frames as the hop.
    fn push(&mut self, block: Block<'_>) -> Result<(), NahError> {
        let words: &[u32] = match block {
            // Samples and words have the same size: one buffer serves both.
            Block::Samples(samples) => bytemuck::cast_slice(samples),
            Block::Words(words) => words,
        };
        // Parts of at most a hop, the size of the buffer on the device.
        for part in words.chunks(self.hop * self.microphones) {
            self.gpu.upload_bytes(bytemuck::cast_slice(part), self.block.memory())?;
            self.append(part.len() / self.microphones)?;
        }
        Ok(())
    }

    /// Appends the frames that are on the device.
    fn append(&mut self, count: usize) -> Result<(), NahError> {
        let (size, number) = (count * self.microphones, |x: usize| Arg::I32(x as i32));
        let Self { block, previous, ring, raw, taps, .. } = &*self;
        let (at, raw_at) = (self.at, self.raw_at);
        if self.front_end == FrontEnd::Words {
            self.each("append_words", size, &[block.into(), ring.into(), number(at), number(count)])?;
        } else if self.front_end == (FrontEnd::Cic { fir: true }) {
            let length = self.hop + taps.len() - 1;
            let args =
                [block.into(), previous.into(), raw.into(), number(raw_at), number(length), number(count)];
            self.each("append_samples", size, &args)?;
            let args = [raw.into(), taps.into(), ring.into(), number(raw_at), number(at), number(count)];
            self.each("compensate", size, &args)?;
            self.raw_at = (raw_at + count) % length;
        } else {
            let length = number(self.samples);
            self.each(
                "append_samples",
                size,
                &[block.into(), previous.into(), ring.into(), number(at), length, number(count)],
            )?;
        }
        // After the samples: the last words of this block precede the next one.
        if let FrontEnd::Cic { .. } | FrontEnd::CicPopcount = self.front_end {
            self.each(
                "save_words",
                self.microphones,
                &[(&self.block).into(), (&self.previous).into(), number(count)],
            )?;
        }
        // At the position before this block: its sums
        // replace those of the block one revolution ago.
        if let Transform::Sliding { roots, bins, sums } = &self.transform {
            let args = [(&self.ring).into(), roots.into(), bins.into(), sums.into(), number(at)];
            self.each("block_sums", 3 * self.bins * self.microphones, &args)?;
        }
        self.at = (at + count) % self.samples;
        Ok(())
    }

    /// Launches the transform.
    fn launch_transform(&self) -> Result<(), NahError> {
        let (count, next) = (self.bins * self.microphones, Arg::I32(self.at as i32));
        let Self { ring, phasors, .. } = self;
        match &self.transform {
            Transform::Dots { vectors, sums } => {
                self.each("dots", count, &[ring.into(), vectors.into(), sums.into(), phasors.into(), next])
            }
            Transform::Fft { hann, channels, bins } => {
                self.each(
                    "apply_window",
                    self.microphones,
                    &[ring.into(), hann.into(), channels.into(), next],
                )?;
                let shape = Fft {
                    planes: 1,
                    rows: 1,
                    cols: self.samples,
                    batch: self.microphones,
                    precision: Precision::Double,
                };
                self.gpu.fft(shape, Direction::Forward, channels)?;
                self.each("select_bins", count, &[channels.into(), bins.into(), phasors.into()])
            }
            Transform::Sliding { roots, bins, sums } => {
                let args = [sums.into(), roots.into(), bins.into(), phasors.into(), next];
                self.each("sliding_phasors", count, &args)
            }
            Transform::Walsh { functions, weights, counts, low } => {
                let groups = Groups {
                    groups: [self.microphones.div_ceil(LANES) as u32, self.bins as u32, 1],
                    group_size: [(LANES * PARTS) as u32, 1, 1],
                };
                let args = [
                    ring.into(),
                    functions.into(),
                    weights.into(),
                    counts.into(),
                    low.into(),
                    phasors.into(),
                    next,
                ];
                Ok(self.gpu.launch(&*self.program, "walsh", groups, &args)?)
            }
        }
    }

    /// Phasors of all microphones at the first bin, then at the next.
    fn spectra(&self) -> Result<Vec<Complex64>, NahError> {
        self.launch_transform()?;
        Ok(self.gpu.download(&self.phasors)?)
    }
}

fn indices(bins: &[usize]) -> Vec<i32> {
    bins.iter().map(|k| *k as i32).collect()
}

impl Transform {
    fn dots(gpu: &dyn Gpu, samples: usize, bins: &[usize]) -> Result<Self, NahError> {
        let window = hann(samples);
        let vector = |k: &usize| -> Vec<Complex64> {
            (0..samples).map(|n| window[n] * root(k * n, samples)).collect()
        };
        let vectors: Vec<Vec<Complex64>> = bins.iter().map(vector).collect();
        let sums: Vec<Complex64> = vectors.iter().map(|vector| vector.iter().sum()).collect();
        Ok(Self::Dots { vectors: gpu.upload(&vectors.concat())?, sums: gpu.upload(&sums)? })
    }

    fn fft(gpu: &dyn Gpu, microphones: usize, samples: usize, bins: &[usize]) -> Result<Self, NahError> {
        Ok(Self::Fft {
            hann: gpu.upload(&hann(samples))?,
            channels: gpu.alloc(microphones * samples)?,
            bins: gpu.upload(&indices(bins))?,
        })
    }

    fn sliding(
        gpu: &dyn Gpu,
        microphones: usize,
        samples: usize,
        hop: usize,
        bins: &[usize],
    ) -> Result<Self, NahError> {
        let roots: Vec<Complex64> = (0..samples).map(|n| root(n, samples)).collect();
        Ok(Self::Sliding {
            roots: gpu.upload(&roots)?,
            bins: gpu.upload(&indices(bins))?,
            sums: gpu.alloc(samples / hop * 3 * bins.len() * microphones)?,
        })
    }

    fn walsh(gpu: &dyn Gpu, terms: &[Vec<(usize, Complex64)>]) -> Result<Self, NahError> {
        // Rectangular tables: shorter lists are padded, and `counts` ends the loop.
        let most = terms.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let (mut functions, mut weights) =
            (vec![0; most * terms.len()], vec![Complex64::ZERO; most * terms.len()]);
        for (b, of_bin) in terms.iter().enumerate() {
            for (i, (h, weight)) in of_bin.iter().enumerate() {
                (functions[b * most + i], weights[b * most + i]) = (*h as i32, *weight);
            }
        }
        let counts: Vec<i32> = terms.iter().map(|terms| terms.len() as i32).collect();
        let low: Vec<u32> = (0..32).map(|h| pattern(h, 0)).collect();
        Ok(Self::Walsh {
            functions: gpu.upload(&functions)?,
            weights: gpu.upload(&weights)?,
            counts: gpu.upload(&counts)?,
            low: gpu.upload(&low)?,
        })
    }
}
