//! Color maps: perceptually uniform, suited to color-blind readers and to gray print.

use serde::Serialize;

/// Which colors a map takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Colors {
    /// Dark to light, for magnitudes: viridis, whose lightness is uniform and survives gray print.
    #[default]
    Sequential,
    /// Blue over white to red, for values of both signs: white is zero.
    Diverging,
    /// Cyclic, for phases: twilight.
    Phase,
    /// From the gray of a body over orange to dark red, for values on a body: lightness decreases
    /// uniformly, below that of the shaded body, so that gray print shows it too.
    Heat,
}

/// Anchors of viridis (Smith and van der Walt, CC0), evenly spaced.
const VIRIDIS: [u32; 10] =
    [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];
/// Anchors of RdBu (Brewer, Apache 2.0), blue first.
const BLUE_RED: [u32; 11] = [
    0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b,
    0x67001f,
];
/// Anchors of twilight (Bechtold, CC0), evenly spaced.
const TWILIGHT: [u32; 10] =
    [0xe2d9e2, 0x9ebbc9, 0x6785be, 0x5e43a5, 0x421257, 0x471340, 0x8e2c50, 0xba6657, 0xceac94, 0xe2d9e2];
/// Even steps of lightness from L* = 89 down to 26, hues from yellow to red, chroma as far as sRGB reaches.
const HEAT: [u32; 9] =
    [0xdfdfdf, 0xd9c8a7, 0xd9ac71, 0xdd8c43, 0xe3631e, 0xe91c0b, 0xc7012d, 0xa40022, 0x820019];

impl Colors {
    /// The color at `t` in 0..1 as red, green, blue.
    pub fn at(self, t: f64) -> [u8; 3] {
        let anchors: &[u32] = match self {
            Self::Sequential => &VIRIDIS,
            Self::Diverging => &BLUE_RED,
            Self::Phase => &TWILIGHT,
            Self::Heat => &HEAT,
        };
        let position = t.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
        // t = 1 belongs to the last interval.
        let left = (position.floor() as usize).min(anchors.len() - 2);
        let part = position - left as f64;
        let mix = |shift: u32| {
            let [a, b] = [anchors[left], anchors[left + 1]].map(|c| f64::from(c >> shift & 0xff));
            (a + part * (b - a)).round() as u8
        };
        [mix(16), mix(8), mix(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness L* of CIELAB.
    fn lightness(color: [u8; 3]) -> f64 {
        let linear = color.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        116.0 * y.cbrt() - 16.0
    }

    #[test]
    fn lightness_grows_or_falls_evenly() {
        for colors in [Colors::Sequential, Colors::Heat] {
            let l: Vec<f64> = (0..=20).map(|i| lightness(colors.at(f64::from(i) / 20.0))).collect();
            let mean = (l[20] - l[0]) / 20.0;
            for pair in l.windows(2) {
                assert!((pair[1] - pair[0] - mean).abs() < 0.5 * mean.abs(), "{colors:?} {pair:?}");
            }
        }
    }

    #[test]
    fn diverging_is_lightest_in_the_middle_and_even_on_both_sides() {
        for i in 0..=10 {
            let t = f64::from(i) / 20.0;
            let [a, b] = [t, 1.0 - t].map(|t| lightness(Colors::Diverging.at(t)));
            assert!((a - b).abs() < 8.0 && a <= lightness(Colors::Diverging.at(0.5)) + 1e-9, "{t}");
        }
    }

    #[test]
    fn phase_closes_on_itself_and_ends_are_kept() {
        assert_eq!(Colors::Phase.at(0.0), Colors::Phase.at(1.0));
        assert_eq!(Colors::Sequential.at(-1.0), [0x44, 0x01, 0x54]);
        assert_eq!(Colors::Sequential.at(2.0), [0xfd, 0xe7, 0x25]);
    }
}
