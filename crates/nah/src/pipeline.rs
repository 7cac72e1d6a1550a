//! Blocks of what microphones hear, one after the other, and holograms of them: the same for a file and for a stream that has no end.

use crate::carriers::Carriers;
use crate::error::NahError;
use crate::gpu_spectra::GpuAnalyzer;
use crate::input::Block;
use crate::mend::Mend;
use crate::scalar::Scalar;
use crate::spectra::Analyzer;
use num_complex::Complex;

/// What makes phasors of blocks.
pub enum Ear<T> {
    /// On a CPU.
    Cpu(Analyzer<T>),
    /// On a GPU.
    Gpu(GpuAnalyzer),
}

impl<T> From<Analyzer<T>> for Ear<T> {
    fn from(analyzer: Analyzer<T>) -> Self {
        Self::Cpu(analyzer)
    }
}

impl<T: Scalar> Ear<T> {
    fn microphones(&self) -> usize {
        match self {
            Self::Cpu(analyzer) => analyzer.microphones(),
            Self::Gpu(analyzer) => analyzer.microphones(),
        }
    }

    /// Takes a block; whether there are phasors of what was heard up to its end.
    fn hear(&mut self, block: Block<'_>, phasors: &mut [Complex<T>]) -> Result<bool, NahError> {
        match self {
            Self::Cpu(analyzer) => {
                analyzer.push(block);
                let full = analyzer.is_full();
                if full {
                    analyzer.spectra(phasors);
                }
                Ok(full)
            }
            Self::Gpu(analyzer) => {
                analyzer.push(block)?;
                if analyzer.is_full() {
                    analyzer.spectra(phasors)?;
                }
                Ok(analyzer.is_full())
            }
        }
    }
}

/// Turns blocks into holograms.
pub struct Pipeline<T: Scalar> {
    ear: Ear<T>,
    mend: Mend<T>,
    carriers: Carriers<T>,
    microphones: usize,
    /// Of all frequencies, one after the other.
    phasors: Vec<Complex<T>>,
    fields: Vec<Complex<T>>,
}

impl<T: Scalar> Pipeline<T> {
    /// With carriers for the frequencies that the ear hears.
    pub fn new(ear: Ear<T>, mend: Mend<T>, carriers: Carriers<T>) -> Self {
        let zero = Complex::new(T::zero(), T::zero());
        let microphones = ear.microphones();
        let fields = vec![zero; carriers.lines() * carriers.values()];
        Self { phasors: vec![zero; carriers.lines() * microphones], ear, mend, carriers, microphones, fields }
    }

    /// Puts phasors of blocks right in another way from here on.
    pub fn set_mend(&mut self, mend: Mend<T>) {
        self.mend = mend;
    }

    /// Begins anew with an ear that has heard nothing.
    pub fn set_ear(&mut self, ear: Ear<T>) {
        self.ear = ear;
    }

    /// Makes holograms in another way from here on, of the same frequencies and planes.
    pub fn set_carriers(&mut self, carriers: Carriers<T>) {
        self.carriers = carriers;
    }

    /// Takes a block; whether there are holograms of what was heard up to its end.
    pub fn push(&mut self, block: Block<'_>) -> Result<bool, NahError> {
        // A single frequency is not worth waking another thread. Several go to the pool once, and not for each stage.
        if self.carriers.lines() == 1 { self.take(block) } else { rayon::scope(|_| self.take(block)) }
    }

    fn take(&mut self, block: Block<'_>) -> Result<bool, NahError> {
        let full = self.ear.hear(block, &mut self.phasors)?;
        if full {
            self.carry()?;
        }
        Ok(full)
    }

    /// Holograms of phasors that were measured elsewhere, those of all microphones at the first frequency and so on.
    pub fn push_phasors(&mut self, phasors: &[Complex<T>]) -> Result<(), NahError> {
        self.phasors.copy_from_slice(phasors);
        self.carry()
    }

    fn carry(&mut self) -> Result<(), NahError> {
        self.carriers.run(&self.mend, &mut self.phasors, &mut self.fields)
    }

    /// Phasors at the microphones at a frequency, by its place in the list.
    pub fn measured(&self, line: usize) -> &[Complex<T>] {
        &self.phasors[line * self.microphones..][..self.microphones]
    }

    /// A field of a frequency, as its carrier has them: pressure and velocity on the first plane, then on the next.
    pub fn field(&self, line: usize, field: usize) -> &[Complex<T>] {
        let places = self.carriers.places();
        &self.fields[line * self.carriers.values() + field * places..][..places]
    }
}
