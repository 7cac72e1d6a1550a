//! Blocks of what microphones hear, one after the other, and holograms of them: the same for a file and for a stream that has no end.

use crate::esm::Operator;
use crate::input::Block;
use crate::mend::Mend;
use crate::plan::Plan;
use crate::scalar::Scalar;
use crate::spectra::Analyser;
use num_complex::Complex;
use rayon::prelude::*;

/// From the pressure at the microphones to fields on planes.
pub enum Carrier<T: Scalar> {
    /// Waves in k-space.
    Waves(Box<Plan<T>>),
    /// Equivalent sources.
    Sources(Operator<T>),
}

impl<T: Scalar> Carrier<T> {
    fn run(&mut self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        match self {
            Self::Waves(plan) => plan.run(pressure, fields),
            Self::Sources(operator) => operator.run(pressure, fields),
        }
    }

    fn places(&self) -> usize {
        match self {
            Self::Waves(plan) => plan.places(),
            Self::Sources(operator) => operator.places(),
        }
    }

    fn fields(&self) -> usize {
        match self {
            Self::Waves(plan) => plan.fields(),
            Self::Sources(operator) => operator.fields(),
        }
    }
}

/// Turns blocks into holograms.
pub struct Pipeline<T: Scalar> {
    analyser: Analyser<T>,
    mend: Mend<T>,
    /// One for each frequency.
    carriers: Vec<Carrier<T>>,
    microphones: usize,
    phasors: Vec<Complex<T>>,
    fields: Vec<Vec<Complex<T>>>,
}

impl<T: Scalar> Pipeline<T> {
    /// With a carrier for each frequency of the analyser.
    pub fn new(analyser: Analyser<T>, mend: Mend<T>, carriers: Vec<Carrier<T>>) -> Self {
        let zero = Complex::new(T::zero(), T::zero());
        let microphones = analyser.microphones();
        let fields = carriers.iter().map(|carrier| vec![zero; carrier.fields() * carrier.places()]).collect();
        Self {
            phasors: vec![zero; carriers.len() * microphones],
            analyser,
            mend,
            carriers,
            microphones,
            fields,
        }
    }

    /// Puts phasors of blocks right in another way from here on.
    pub fn set_mend(&mut self, mend: Mend<T>) {
        self.mend = mend;
    }

    /// Begins anew with an analyser that has heard nothing.
    pub fn set_analyser(&mut self, analyser: Analyser<T>) {
        self.analyser = analyser;
    }

    /// Makes holograms in another way from here on, of the same frequencies and planes.
    pub fn set_carriers(&mut self, carriers: Vec<Carrier<T>>) {
        self.carriers = carriers;
    }

    /// Takes a block; whether there are holograms of what was heard up to its end.
    pub fn push(&mut self, block: Block<'_>) -> bool {
        // A single frequency is not worth waking another thread. Several go to the pool once, and not for each stage.
        if self.carriers.len() == 1 { self.take(block) } else { rayon::scope(|_| self.take(block)) }
    }

    fn take(&mut self, block: Block<'_>) -> bool {
        self.analyser.push(block);
        if !self.analyser.is_full() {
            return false;
        }
        self.analyser.spectra(&mut self.phasors);
        self.carry();
        true
    }

    /// Holograms of phasors that were measured elsewhere, those of all microphones at the first frequency and so on.
    pub fn push_phasors(&mut self, phasors: &[Complex<T>]) {
        self.phasors.copy_from_slice(phasors);
        self.carry();
    }

    fn carry(&mut self) {
        let Self { carriers, fields, phasors, mend, .. } = self;
        let one = |((carrier, fields), phasors): ((&mut Carrier<T>, &mut Vec<_>), &mut [Complex<T>])| {
            mend.run(phasors);
            carrier.run(phasors, fields);
        };
        if let ([carrier], [fields]) = (&mut carriers[..], &mut fields[..]) {
            one(((carrier, fields), phasors));
        } else {
            let phasors = phasors.par_chunks_exact_mut(self.microphones);
            carriers.par_iter_mut().zip(fields).zip(phasors).for_each(one);
        }
    }

    /// Phasors at the microphones at a frequency, by its place in the list.
    pub fn measured(&self, line: usize) -> &[Complex<T>] {
        &self.phasors[line * self.microphones..][..self.microphones]
    }

    /// A field of a frequency, as its carrier has them: pressure and velocity on the first plane, then on the next.
    pub fn field(&self, line: usize, field: usize) -> &[Complex<T>] {
        let places = self.carriers[line].places();
        &self.fields[line][field * places..][..places]
    }
}
