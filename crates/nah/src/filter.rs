//! What is kept in k-space.

use crate::hologram::{Medium, gain};
use num_complex::Complex64;
use std::f64::consts::E;

/// A filter over k_r. Cut-offs are in rad/m; slopes are parts of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Filter {
    /// Everything.
    None,
    /// 1 − e^{−(1−u)/φ}/2 inside of u = k_r/k_co = 1, and e^{(1−u)/φ}/2 outside.
    Cos {
        /// k_co.
        cutoff: f64,
        /// φ.
        slope: f64,
    },
    /// The same of u = (k_r − k)/(k_co − k), scaled such that it begins at one, and one inside of the radiation circle.
    CosModified {
        /// k_co.
        cutoff: f64,
        /// φ.
        slope: f64,
    },
    /// Tikhonov's: |H|²/(|H|² + α) with H what the waves lost on their way to the array.
    Tikhonov {
        /// α.
        weight: f64,
    },
}

impl Filter {
    /// How much of a wave is kept when the field goes back by `distance`.
    pub fn at(&self, kr: f64, k: f64, distance: f64) -> f64 {
        match *self {
            Self::None => 1.0,
            Self::Cos { cutoff, slope } => step(kr / cutoff, slope),
            Self::CosModified { .. } if kr <= k => 1.0,
            Self::CosModified { cutoff, slope } => step((kr - k) / (cutoff - k), slope) / step(0.0, slope),
            Self::Tikhonov { weight } => {
                let arrived = if kr <= k { 1.0 } else { (-2.0 * (kr * kr - k * k).sqrt() * distance).exp() };
                arrived / (arrived + weight)
            }
        }
    }

    /// How much waves at the cut-off grow when the field goes back by `distance`, |e^{j k_z z_h}| = e^{√(k_co² − k²) z_h} in dB; none
    /// where nothing is cut off.
    pub fn growth_db(&self, k: f64, distance: f64) -> Option<f64> {
        let (Self::Cos { cutoff, .. } | Self::CosModified { cutoff, .. }) = *self else { return None };
        Some(20.0 * E.log10() * (cutoff * cutoff - k * k).max(0.0).sqrt() * distance)
    }
}

/// Filters of the two quantities of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filters {
    /// Of the pressure.
    pub pressure: Filter,
    /// Of the velocity.
    pub velocity: Filter,
}

/// What waves are multiplied by, as a function of k_r.
pub type Gain = Box<dyn Fn(f64) -> Complex64>;

impl Filters {
    /// From the pressure at the array to pressure and velocity on a plane.
    pub fn gains(self, k: f64, distance: f64, medium: Medium) -> [Gain; 2] {
        let Self { pressure, velocity } = self;
        let of_velocity = move |kr: f64| gain(k, kr, distance, velocity) * medium.admittance(k, kr);
        [Box::new(move |kr| gain(k, kr, distance, pressure)), Box::new(of_velocity)]
    }
}

fn step(u: f64, slope: f64) -> f64 {
    if u < 1.0 { 1.0 - 0.5 * (-(1.0 - u) / slope).exp() } else { 0.5 * ((1.0 - u) / slope).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_at_the_cut_off_grow_by_what_they_lost() {
        // Four nepers, of 8.685889638 dB each: √(5² − 3²) = 4 over a meter.
        let filter = Filter::Cos { cutoff: 5.0, slope: 0.3 };
        assert!((filter.growth_db(3.0, 1.0).unwrap() - 34.743_558_552).abs() < 1e-9);
        assert_eq!(filter.growth_db(6.0, 1.0), Some(0.0));
        assert_eq!(Filter::Tikhonov { weight: 0.1 }.growth_db(3.0, 1.0), None);
    }

    #[test]
    fn the_cut_off_keeps_a_half() {
        let filter = Filter::Cos { cutoff: 50.0, slope: 0.3 };
        assert_eq!(filter.at(50.0, 10.0, 0.05), 0.5);
        // 1 − e^{−1/0.3}/2 and e^{−1/0.3}/2.
        assert!((filter.at(0.0, 10.0, 0.05) - 0.982_163).abs() < 1e-6);
        assert!((filter.at(100.0, 10.0, 0.05) - 0.017_837).abs() < 1e-6);
    }

    #[test]
    fn the_modified_one_keeps_all_that_radiates() {
        let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
        assert_eq!(filter.at(18.0, 18.3, 0.05), 1.0);
        assert!((filter.at(18.3 + 1e-9, 18.3, 0.05) - 1.0).abs() < 1e-9);
        assert!((filter.at(70.0, 18.3, 0.05) - 0.5 / (1.0 - 0.5 * (-10.0_f64).exp())).abs() < 1e-12);
        // It falls all the way.
        let values: Vec<f64> = (0..200).map(|i| filter.at(f64::from(i), 18.3, 0.05)).collect();
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0]));
    }

    #[test]
    fn tikhonov_s_halves_what_arrives_as_weak_as_its_weight() {
        let (k, distance) = (18.3_f64, 0.05);
        let kr = k.hypot(0.5 * 100_f64.ln() / distance);
        assert!((Filter::Tikhonov { weight: 0.01 }.at(kr, k, distance) - 0.5).abs() < 1e-12);
    }
}
