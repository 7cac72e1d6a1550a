//! From blocks to phasors on a GPU, by every way there is, in double precision.

use crate::cic;
use crate::error::NahError;
use crate::input::Block;
use crate::scalar::Scalar;
use crate::spectra::{Analysis, Format, Way, factors, hann, lag, terms_of_bin};
use crate::walsh::pattern;
use num_complex::{Complex, Complex64};
use phasefront_core::Precision;
use phasefront_device::{Arg, Buffer, Direction, Fft, Gpu, Grid as Groups, KernelSource, Program};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The kernels.
pub const SPECTRA_KERNELS: KernelSource =
    KernelSource { name: "spectra.cu", text: include_str!("../kernels/spectra.cu") };

/// Work items of a group.
const ITEMS: usize = 128;
/// Microphones and parts of a group that takes Walsh functions.
const LANES: usize = 32;
const PARTS: usize = 8;
/// Times that each of two ways is tried; the shortest counts.
const TRIALS: usize = 3;

/// What stands between a block and the ring of samples.
#[derive(Clone, Copy, PartialEq)]
enum Front {
    /// Nothing: they are samples.
    Samples,
    /// Nothing: words are taken as they are.
    Words,
    Average,
    Filter {
        fir: bool,
    },
}

/// What makes phasors of the ring.
enum Back {
    /// Vectors w_n e^{−jωn} of each bin, and the sum of each.
    Dots {
        vectors: Buffer<Complex64>,
        sums: Buffer<Complex64>,
    },
    Fft {
        hann: Buffer<f64>,
        lines: Buffer<Complex64>,
        bins: Buffer<i32>,
    },
    Ring {
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

/// The last moments of a stream on a GPU, and their phasors.
struct GpuSpectra {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    microphones: usize,
    samples: usize,
    hop: usize,
    bins: usize,
    front: Front,
    back: Back,
    /// A block as it comes, and the two words before it.
    block: Buffer<u32>,
    before: Buffer<u32>,
    /// The last samples, or words for Walsh functions.
    ring: Buffer<u32>,
    /// Samples before their filter, and its taps.
    raw: Buffer<f32>,
    taps: Buffer<f32>,
    phasors: Buffer<Complex64>,
    /// Moments that came, modulo the length of either ring.
    at: usize,
    raw_at: usize,
}

/// Finds phasors of the last N samples on a GPU, over and over.
pub struct GpuAnalyzer {
    spectra: GpuSpectra,
    /// Moments until there is a spectrum.
    missing: usize,
    /// What phasors of each bin are multiplied by.
    factors: Vec<Complex64>,
}

impl GpuAnalyzer {
    /// For bins of the transform of `analysis.samples` samples.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        format: Format,
        analysis: &Analysis,
        bins: &[usize],
    ) -> Result<Self, NahError> {
        Ok(Self {
            spectra: GpuSpectra::new(gpu, format, analysis, bins)?,
            missing: analysis.samples + lag(format, analysis.way),
            factors: factors(format, analysis, bins),
        })
    }

    /// How many microphones there are.
    pub fn microphones(&self) -> usize {
        self.spectra.microphones
    }

    /// Takes a block of moments; with `Hop` and `CicPopcount` always as many as the hop has.
    pub fn push(&mut self, block: Block<'_>) -> Result<(), NahError> {
        let moments = match block {
            Block::Samples(samples) => samples.len(),
            Block::Words(words) => words.len(),
        };
        self.missing = self.missing.saturating_sub(moments / self.microphones().max(1));
        self.spectra.push(block)
    }

    /// Whether there are enough samples for a spectrum.
    pub fn is_full(&self) -> bool {
        self.missing == 0
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra<T: Scalar>(&self, phasors: &mut [Complex<T>]) -> Result<(), NahError> {
        let found = self.spectra.spectra()?;
        let lines = found.chunks_exact(self.microphones().max(1)).zip(&self.factors);
        let right = lines.flat_map(|(line, factor)| line.iter().map(move |p| p * factor));
        phasors.iter_mut().zip(right).for_each(|(p, right)| *p = T::complex_from_f64(right));
        Ok(())
    }
}

/// What the kernels are compiled with.
pub fn spectra_defines(format: Format, analysis: &Analysis, bins: &[usize]) -> Vec<(&'static str, String)> {
    let (front, taps) = (front(format, analysis.way), taps(analysis.way));
    let terms = walsh_terms(analysis, bins).iter().map(Vec::len).max().unwrap_or(0);
    let numbers = [
        ("MICS", format.microphones),
        ("SAMPLES", analysis.samples),
        ("HOP", analysis.hop),
        ("BINS", bins.len()),
        (
            "FRONT",
            match front {
                Front::Samples | Front::Words => 0,
                Front::Average => 1,
                Front::Filter { .. } => 2,
            },
        ),
        ("TAPS", taps.len()),
        ("TERMS", terms.max(1)),
        ("LANES", LANES),
        ("PARTS", PARTS),
    ];
    numbers.map(|(name, number)| (name, number.to_string())).into()
}

fn front(format: Format, way: Way) -> Front {
    match (format.bits, way) {
        (None, _) => Front::Samples,
        (Some(_), Way::Average) => Front::Average,
        (Some(_), Way::Walsh(_) | Way::WalshExact) => Front::Words,
        (Some(_), way) => Front::Filter { fir: way == Way::Nominal { fir: true } },
    }
}

fn taps(way: Way) -> Vec<f32> {
    if way == (Way::Nominal { fir: true }) { cic::compensation() } else { vec![1.0] }
}

/// Functions of each bin with their weights; none where no Walsh functions are taken.
fn walsh_terms(analysis: &Analysis, bins: &[usize]) -> Vec<Vec<(usize, Complex64)>> {
    let which = match analysis.way {
        Way::Walsh(terms) => Some(terms.which),
        Way::WalshExact => None,
        _ => return Vec::new(),
    };
    bins.iter().map(|k| terms_of_bin(*k, 32 * analysis.samples, which)).collect()
}

fn root(turn: usize, count: usize) -> Complex64 {
    Complex64::from_polar(1.0, -TAU * (turn % count) as f64 / count as f64)
}

impl GpuSpectra {
    /// For bins of the transform of `analysis.samples` samples.
    fn new(
        gpu: &Arc<dyn Gpu>,
        format: Format,
        analysis: &Analysis,
        bins: &[usize],
    ) -> Result<Self, NahError> {
        let Analysis { way, samples, hop } = *analysis;
        let microphones = format.microphones;
        let defines = spectra_defines(format, analysis, bins);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let taps = taps(way);
        let mut new = Self {
            program: gpu.compile(&SPECTRA_KERNELS, &defines)?,
            back: Back::dots(&**gpu, samples, bins)?,
            block: gpu.alloc(hop * microphones)?,
            before: gpu.alloc(2 * microphones)?,
            ring: gpu.alloc(samples * microphones)?,
            raw: gpu.alloc((hop + taps.len() - 1) * microphones)?,
            taps: gpu.upload(&taps)?,
            phasors: gpu.alloc(bins.len() * microphones)?,
            gpu: gpu.clone(),
            microphones,
            samples,
            hop,
            bins: bins.len(),
            front: front(format, way),
            at: 0,
            raw_at: 0,
        };
        new.back = match way {
            Way::Dot => return Ok(new),
            Way::Nominal { .. } | Way::Average => Back::fft(&**gpu, microphones, samples, bins)?,
            Way::CicPopcount | Way::Hop => Back::ring(&**gpu, microphones, samples, hop, bins)?,
            Way::Walsh(_) | Way::WalshExact => Back::walsh(&**gpu, &walsh_terms(analysis, bins))?,
            Way::Auto => return new.with_the_faster(bins),
        };
        Ok(new)
    }

    /// Dot products, or a transform where that is faster.
    fn with_the_faster(mut self, bins: &[usize]) -> Result<Self, NahError> {
        let dots = self.seconds()?;
        let fft = Back::fft(&*self.gpu, self.microphones, self.samples, bins)?;
        let back = std::mem::replace(&mut self.back, fft);
        if self.seconds()? > dots {
            self.back = back;
        }
        Ok(self)
    }

    fn seconds(&self) -> Result<Duration, NahError> {
        let mut least = Duration::MAX;
        for _ in 0..TRIALS {
            let start = Instant::now();
            self.launch_back()?;
            self.gpu.synchronize()?;
            least = least.min(start.elapsed());
        }
        Ok(least)
    }

    fn each(&self, name: &str, count: usize, args: &[Arg<'_>]) -> Result<(), NahError> {
        let groups =
            Groups { groups: [count.div_ceil(ITEMS) as u32, 1, 1], group_size: [ITEMS as u32, 1, 1] };
        Ok(self.gpu.launch(&*self.program, name, groups, args)?)
    }

    /// Takes a block; with a ring of sums always as many moments as the hop has.
    fn push(&mut self, block: Block<'_>) -> Result<(), NahError> {
        let words: &[u32] = match block {
            Block::Samples(samples) => bytemuck::cast_slice(samples),
            Block::Words(words) => words,
        };
        for part in words.chunks(self.hop * self.microphones) {
            self.gpu.upload_bytes(bytemuck::cast_slice(part), self.block.memory())?;
            self.take(part.len() / self.microphones)?;
        }
        Ok(())
    }

    /// Takes moments that are on the device.
    fn take(&mut self, count: usize) -> Result<(), NahError> {
        let (size, number) = (count * self.microphones, |x: usize| Arg::I32(x as i32));
        let Self { block, before, ring, raw, taps, .. } = &*self;
        let (at, raw_at) = (self.at, self.raw_at);
        if self.front == Front::Words {
            self.each("take_words", size, &[block.into(), ring.into(), number(at), number(count)])?;
        } else if self.front == (Front::Filter { fir: true }) {
            let length = self.hop + taps.len() - 1;
            let args =
                [block.into(), before.into(), raw.into(), number(raw_at), number(length), number(count)];
            self.each("take", size, &args)?;
            let args = [raw.into(), taps.into(), ring.into(), number(raw_at), number(at), number(count)];
            self.each("straighten", size, &args)?;
            self.raw_at = (raw_at + count) % length;
        } else {
            let length = number(self.samples);
            self.each(
                "take",
                size,
                &[block.into(), before.into(), ring.into(), number(at), length, number(count)],
            )?;
        }
        if let Front::Filter { .. } = self.front {
            self.each(
                "remember",
                self.microphones,
                &[(&self.block).into(), (&self.before).into(), number(count)],
            )?;
        }
        if let Back::Ring { roots, bins, sums } = &self.back {
            let args = [(&self.ring).into(), roots.into(), bins.into(), sums.into(), number(at)];
            self.each("block_sums", 3 * self.bins * self.microphones, &args)?;
        }
        self.at = (at + count) % self.samples;
        Ok(())
    }

    fn launch_back(&self) -> Result<(), NahError> {
        let (count, next) = (self.bins * self.microphones, Arg::I32(self.at as i32));
        let Self { ring, phasors, .. } = self;
        match &self.back {
            Back::Dots { vectors, sums } => {
                self.each("dots", count, &[ring.into(), vectors.into(), sums.into(), phasors.into(), next])
            }
            Back::Fft { hann, lines, bins } => {
                self.each("windowed", self.microphones, &[ring.into(), hann.into(), lines.into(), next])?;
                let shape = Fft {
                    planes: 1,
                    rows: 1,
                    cols: self.samples,
                    batch: self.microphones,
                    precision: Precision::Double,
                };
                self.gpu.fft(shape, Direction::Forward, lines)?;
                self.each("pick", count, &[lines.into(), bins.into(), phasors.into()])
            }
            Back::Ring { roots, bins, sums } => {
                let args = [sums.into(), roots.into(), bins.into(), phasors.into(), next];
                self.each("ring_phasors", count, &args)
            }
            Back::Walsh { functions, weights, counts, low } => {
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
        self.launch_back()?;
        Ok(self.gpu.download(&self.phasors)?)
    }
}

fn indices(bins: &[usize]) -> Vec<i32> {
    bins.iter().map(|k| *k as i32).collect()
}

impl Back {
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
            lines: gpu.alloc(microphones * samples)?,
            bins: gpu.upload(&indices(bins))?,
        })
    }

    fn ring(
        gpu: &dyn Gpu,
        microphones: usize,
        samples: usize,
        hop: usize,
        bins: &[usize],
    ) -> Result<Self, NahError> {
        let roots: Vec<Complex64> = (0..samples).map(|n| root(n, samples)).collect();
        Ok(Self::Ring {
            roots: gpu.upload(&roots)?,
            bins: gpu.upload(&indices(bins))?,
            sums: gpu.alloc(samples / hop * 3 * bins.len() * microphones)?,
        })
    }

    fn walsh(gpu: &dyn Gpu, terms: &[Vec<(usize, Complex64)>]) -> Result<Self, NahError> {
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
