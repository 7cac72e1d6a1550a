//! Ticks at round numbers, and their labels.

/// Steps for degrees; finer ones are decimal.
const DEGREES: [f64; 8] = [5.0, 10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0];
/// Largest exponent of ten that a label writes out.
const PLAIN: std::ops::RangeInclusive<i32> = -3..=4;

/// Ticks of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    pub values: Vec<f64>,
    pub labels: Vec<String>,
    /// Common factor of the labels: `×10⁻⁶`.
    pub factor: Option<String>,
}

/// Whether an axis with this label is in degrees.
pub fn is_degrees(label: &str) -> bool {
    label.contains("deg") || label.contains('\u{b0}')
}

/// The smallest round step that gives at most `most` intervals.
pub fn step([low, high]: [f64; 2], most: usize, degrees: bool) -> f64 {
    let rough = (high / most as f64 - low / most as f64).abs();
    // A tolerance, so that 10 intervals of 0.1 fit into 1 despite rounding.
    let fits = |step: &f64| *step >= rough * (1.0 - 1e-9);
    if degrees
        && rough > 2.0
        && let Some(step) = DEGREES.into_iter().find(fits)
    {
        return step;
    }
    let decade = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().find(fits).unwrap_or(rough)
}

/// Ticks of a linear axis, at most `most` intervals.
pub fn linear(range: [f64; 2], most: usize, degrees: bool) -> Ticks {
    let step = step(range, most, degrees);
    let (first, last) = ((range[0] / step - 1e-9).ceil(), (range[1] / step + 1e-9).floor());
    let count = if step.is_normal() && last >= first { (last - first) as usize + 1 } else { 0 };
    // Multiples of the step: adding steps would accumulate rounding. Adding 0 turns −0 into 0.
    let values: Vec<f64> = (0..count.min(2 * most + 2)).map(|i| (first + i as f64) * step + 0.0).collect();
    let exponent = range[0].abs().max(range[1].abs()).log10().floor() as i32;
    let power = if PLAIN.contains(&exponent) { 0 } else { exponent };
    let decimals = (f64::from(power) - (step * (1.0 + 1e-9)).log10().floor()).clamp(0.0, 12.0) as usize;
    // In two factors, because powers of ten beyond 308 are infinite.
    let scaled = |x: f64| x / 10_f64.powi(power / 2) / 10_f64.powi(power - power / 2);
    let labels = values.iter().map(|x| with_minus(&format!("{:.decimals$}", scaled(*x)))).collect();
    Ticks { values, labels, factor: (power != 0).then(|| format!("\u{d7}{}", power_of_ten(power))) }
}

/// Ticks of a logarithmic axis with positive ends, at most about `most` intervals.
pub fn log(range: [f64; 2], most: usize) -> Ticks {
    let [low, high] = range.map(f64::log10);
    if high - low < 1.0 {
        // Less than a decade: powers of ten would give one tick or none.
        let mut ticks = linear(range, most, false);
        ticks.values.retain(|x| *x > 0.0);
        ticks.labels.truncate(ticks.values.len());
        return ticks;
    }
    let stride = ((high - low) / most as f64).ceil().max(1.0) as i32;
    let digits: &[f64] = if 3.0 * (high - low) <= most as f64 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let (first, last) = ((low - 1e-9).floor() as i32, (high + 1e-9).floor() as i32);
    let plain = PLAIN.contains(&first) && PLAIN.contains(&last);
    let exponents = (first..=last).filter(|e| e.rem_euclid(stride) == 0);
    let inside = |x: f64| x >= range[0] * (1.0 - 1e-9) && x <= range[1] * (1.0 + 1e-9);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for exponent in exponents {
        for digit in digits {
            let value = digit * 10_f64.powi(exponent);
            if inside(value) {
                values.push(value);
                labels.push(log_label(*digit, exponent, plain));
            }
        }
    }
    Ticks { values, labels, factor: None }
}

fn log_label(digit: f64, exponent: i32, plain: bool) -> String {
    if plain {
        let decimals = (-exponent).max(0) as usize;
        return format!("{:.decimals$}", digit * 10_f64.powi(exponent));
    }
    if digit == 1.0 { power_of_ten(exponent) } else { format!("{digit}\u{b7}{}", power_of_ten(exponent)) }
}

/// `10⁻⁶`.
pub fn power_of_ten(exponent: i32) -> String {
    let raised = |c| match c {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        digit => char::from_u32(0x2070 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

/// A typeset minus instead of a hyphen.
fn with_minus(number: &str) -> String {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_zero = digits.chars().all(|c| c == '0' || c == '.');
    if number.len() == digits.len() || is_zero { digits.to_owned() } else { format!("\u{2212}{digits}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!(linear([0.0, 1.0], 6, false).labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(
            linear([-42.0, 7.0], 6, false).labels,
            ["\u{2212}40", "\u{2212}30", "\u{2212}20", "\u{2212}10", "0"]
        );
        assert_eq!(step([0.0, 360.0], 12, true), 30.0);
        assert_eq!(step([-180.0, 180.0], 6, true), 90.0);
        assert_eq!(step([0.0, 360.0], 12, false), 50.0);
    }

    #[test]
    fn long_numbers_get_a_factor() {
        let ticks = linear([0.0, 3e-6], 4, false);
        assert_eq!(ticks.labels, ["0", "1", "2", "3"]);
        assert_eq!(ticks.factor.unwrap(), "\u{d7}10\u{207b}\u{2076}");
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        assert_eq!(log([1e-2, 1e2], 8).labels, ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(log([1.0, 10.0], 8).labels, ["1", "2", "5", "10"]);
        assert_eq!(log([1e-9, 1e-1], 4).labels[1], "10\u{207b}\u{2076}");
        assert!(log([1e-300, 1e300], 6).values.len() <= 8);
    }

    #[test]
    fn no_range_gives_too_many_ticks_or_a_panic() {
        let ends = [-1e300, -1.0, -1e-300, 0.0, 1e-300, 1e-5, 1.0, 1.0 + 1e-11, 1e9, 1e300];
        for (i, low) in ends.iter().enumerate() {
            for high in &ends[i + 1..] {
                for degrees in [false, true] {
                    assert!(linear([*low, *high], 7, degrees).values.len() <= 16, "{low} {high}");
                }
                if *low > 0.0 {
                    assert!(log([*low, *high], 7).values.len() <= 16, "{low} {high}");
                }
            }
        }
    }
}
