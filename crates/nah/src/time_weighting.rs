//! Time weightings of sound levels: exponential averages of the square of a signal.

/// A time weighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeWeighting {
    /// F: a time constant of 125 ms (IEC 61672-1:2013, 3.4).
    Fast,
    /// S: a time constant of 1 s.
    Slow,
    /// I: a time constant of 35 ms, and a peak detector that decays with one of 1.5 s (IEC 60651:1979, table XI).
    Impulse,
}

impl TimeWeighting {
    /// The time constant of the average, s.
    pub fn time_constant(self) -> f64 {
        match self {
            Self::Fast => 0.125,
            Self::Slow => 1.0,
            Self::Impulse => 0.035,
        }
    }
}

/// Time constant of the decay of the peak detector, s: 2.9 dB in a second.
const PEAK_DECAY: f64 = 1.5;

/// The time-weighted mean square of a signal, τ dy/dt + y = x², from silence on.
#[derive(Debug, Clone)]
pub struct TimeAverage {
    average: f64,
    peak: f64,
    /// 1 − e^{−1/(τ rate)}: exact for squares that are constant between two samples.
    gain: f64,
    /// The factor of the peak from a sample to the next; zero without a peak detector.
    decay: f64,
}

impl TimeAverage {
    /// At a sample rate, Hz.
    pub fn new(weighting: TimeWeighting, rate: f64) -> Self {
        let decay = match weighting {
            TimeWeighting::Impulse => (-1.0 / (PEAK_DECAY * rate)).exp(),
            TimeWeighting::Fast | TimeWeighting::Slow => 0.0,
        };
        let gain = -(-1.0 / (weighting.time_constant() * rate)).exp_m1();
        Self { average: 0.0, peak: 0.0, gain, decay }
    }

    /// The mean square after the next square.
    pub fn push(&mut self, square: f64) -> f64 {
        self.average += self.gain * (square - self.average);
        self.peak = (self.decay * self.peak).max(self.average);
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a step the level rises by 1 − e^{−t/τ}, and falls by 4.343 dB in a time constant.
    #[test]
    fn steps_follow_the_exponential() {
        const RATE: f64 = 48_000.0;
        for (weighting, constant) in [(TimeWeighting::Fast, 0.125), (TimeWeighting::Slow, 1.0)] {
            let mut average = TimeAverage::new(weighting, RATE);
            let mut at = |seconds: f64, square: f64| {
                (0..(seconds * RATE) as usize).map(|_| average.push(square)).last().unwrap()
            };
            assert!((at(0.2, 1.0) / -(-0.2_f64 / constant).exp_m1() - 1.0).abs() < 1e-9);
            let settled = at(20.0, 1.0);
            assert!((settled - 1.0).abs() < 1e-8);
            assert!((10.0 * at(constant, 0.0).log10() + 4.342_945).abs() < 1e-5);
        }
    }

    /// IEC 60651:1979: bursts of 20, 5 and 2 ms are 3.6, 8.8 and 12.6 dB below the continuous signal; the decay is 2.9 dB in a second.
    #[test]
    fn impulses_are_held() {
        const RATE: f64 = 48_000.0;
        for (milliseconds, expected) in [(20, -3.6), (5, -8.8), (2, -12.6)] {
            let mut average = TimeAverage::new(TimeWeighting::Impulse, RATE);
            let burst = (0..48 * milliseconds).map(|_| average.push(1.0)).last().unwrap();
            let level = 10.0 * burst.log10();
            assert!((level - expected).abs() < 0.06, "{milliseconds} ms: {level:.2} dB");
            let later = (0..48_000).map(|_| average.push(0.0)).last().unwrap();
            assert!((10.0 * (later / burst).log10() + 2.9).abs() < 0.01);
        }
    }
}
