//! The `.ffe` format of FEKO: far fields over θ and φ, with directivities.

use crate::error::ReflectarrayError;
use crate::post::scaled_array_factor;
use crate::problem::{Design, Problem};
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use phasefront_core::decibels::power_db;
use std::f64::consts::PI;
use std::fmt::Write as _;

/// The far field at one frequency, θ running fastest, scaled so that |E|² is the directivity.
#[derive(Debug, Clone, PartialEq)]
pub struct FfeField {
    /// Hz.
    pub frequency: f64,
    /// Along θ.
    pub theta: Vec<Complex64>,
    /// Along φ.
    pub phi: Vec<Complex64>,
}

/// The far fields of a design over θ × φ, rad.
///
/// A cell that reflects the field of the feed, polarized at the angle χ from x, radiates E_θ ∝ cos φ' and E_φ ∝ −cos θ sin φ' with φ' = φ − χ; its
/// co-polar part (Ludwig's third definition) is cos²φ' + cos θ sin²φ', which has the element power pattern.
pub fn far_fields(
    problem: &Problem,
    design: &Design,
    theta: &[f64],
    phi: &[f64],
) -> Result<Vec<FfeField>, ReflectarrayError> {
    let angles: Vec<[f64; 2]> = phi.iter().flat_map(|&p| theta.iter().map(move |&t| [t, p])).collect();
    let directions: Vec<[f64; 2]> =
        angles.iter().map(|[t, p]| [t.sin() * p.cos(), t.sin() * p.sin()]).collect();
    let at = |&frequency: &f64| {
        let factor = scaled_array_factor(problem, design, frequency, &directions)?;
        let field = |(factor, [theta, phi]): (Complex64, &[f64; 2])| {
            let (cos, (s, c)) = (theta.cos(), (phi - problem.feed.polarization).sin_cos());
            // The co-polar component carries the element pattern: the others follow from their
            // ratios to it.
            let share = problem.element.field(cos * cos) * factor / (c * c + cos * s * s);
            (share * c, -share * cos * s)
        };
        let (theta, phi) = factor.into_iter().zip(&angles).map(field).unzip();
        Ok(FfeField { frequency, theta, phi })
    };
    problem.frequencies.iter().map(at).collect()
}

/// The text of an `.ffe` file (file format 3) on the grid of `theta` × `phi`, rad.
///
/// A field in it is r·E in volts, peak value, for one watt of radiated power: |E|² = η₀ D/(2π). Directivities are in dB.
///
/// ```
/// use phasefront_reflectarray::export::{FfeField, ffe};
/// let field = FfeField { frequency: 1e10, theta: vec![2.0.into()], phi: vec![0.0.into()] };
/// let text = ffe("one direction", &[0.0], &[0.0], &[field]);
/// assert!(text.contains("#No. of Theta Samples: 1\n"));
/// ```
pub fn ffe(title: &str, theta: &[f64], phi: &[f64], fields: &[FfeField]) -> String {
    // Radiation intensity |E|²/2η₀ = D/4π for one watt.
    let volts = (ETA0 / (2.0 * PI)).sqrt();
    let mut text = String::with_capacity(600 + 160 * theta.len() * phi.len() * fields.len());
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "##File Type: Far field\n##File Format: 3\n##Source: {}\n** Written by Phasefront. Fields are peak values for 1 W radiated.\n\n",
        title.replace(['\n', '\r'], " ")
    );
    for field in fields {
        let _ = write!(
            text,
            "#Request Name: Pattern\n#Frequency: {:.8E}\n#Coordinate System: Spherical\n#No. of Theta Samples: {}\n\
             #No. of Phi Samples: {}\n#Result Type: Directivity\n#No. of Header Lines: 1\n\
             #   \"Theta\"   \"Phi\"   \"Re(Etheta)\"   \"Im(Etheta)\"   \"Re(Ephi)\"   \"Im(Ephi)\"   \"Directivity(Theta)\"   \
             \"Directivity(Phi)\"   \"Directivity(Total)\"\n",
            field.frequency,
            theta.len(),
            phi.len()
        );
        let directions = phi.iter().flat_map(|&p| theta.iter().map(move |&t| (t, p)));
        for ((t, p), (e_theta, e_phi)) in directions.zip(field.theta.iter().zip(&field.phi)) {
            let [d_theta, d_phi] = [e_theta.norm_sqr(), e_phi.norm_sqr()];
            let row = [
                t.to_degrees(),
                p.to_degrees(),
                volts * e_theta.re,
                volts * e_theta.im,
                volts * e_phi.re,
                volts * e_phi.im,
                decibels(d_theta),
                decibels(d_phi),
                decibels(d_theta + d_phi),
            ];
            for value in row {
                let _ = write!(text, "   {value:.8E}");
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// FEKO writes -1000 dB for zero power.
fn decibels(power: f64) -> f64 {
    power_db(power).max(-1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Feed, Lattice, Outputs, Placement, Synthesis, UvGrid};

    #[test]
    fn the_file_reads_back_and_its_fields_carry_one_watt() {
        // Directivity 1 everywhere: the field of one watt is sqrt(60 V²) to the accuracy of "60" (η₀/2π = 59.9585).
        let (theta, phi) = ([0.0, 0.5, 1.0], [0.0, PI / 2.0]);
        let field = FfeField {
            frequency: 14.25e9,
            theta: (0..6).map(|i| Complex64::from_polar(1.0, f64::from(i))).collect(),
            phi: vec![Complex64::ZERO; 6],
        };
        let text = ffe("a\nb", &theta, &phi, &[field]);
        assert!(text.contains("##Source: a b\n"));
        assert!(text.contains("#Frequency: 1.42500000E10\n"));
        let rows: Vec<Vec<f64>> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with(['#', '*']))
            .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
            .collect();
        assert_eq!(rows.len(), 6);
        // θ runs fastest.
        assert!((rows[1][0] - 0.5_f64.to_degrees()).abs() < 1e-6 && rows[1][1] == 0.0);
        assert!(rows[3][0] == 0.0 && (rows[3][1] - 90.0).abs() < 1e-6);
        for (i, row) in rows.iter().enumerate() {
            assert!((row[2].hypot(row[3]) - 59.9585_f64.sqrt()).abs() < 1e-4);
            assert!((row[3].atan2(row[2]) - (i as f64 + PI).rem_euclid(2.0 * PI) + PI).abs() < 1e-6);
            // |e^{ji}| is one but for rounding.
            assert!(row[6].abs() < 1e-12 && row[7] == -1000.0 && row[8].abs() < 1e-12, "{row:?}");
        }
    }

    /// One element whose co-polar power pattern is cos θ has D = 4 cos θ: along θ in the plane of its polarization, along φ across it.
    #[test]
    fn the_field_of_one_element_is_known() {
        let polarization = 0.4;
        let problem = Problem {
            frequencies: vec![15e9],
            feed: Feed { offset: 0.1, height: 0.2, power_exponent: 6.0, polarization },
            element: Element { power_exponent: 1.0, reflection: None },
            lattice: Lattice { elements: [1, 1], spacing: [0.01; 2] },
            placement: Placement::Periodic,
            design: None,
            focus: None,
            coverage: Vec::new(),
            outside: None,
            uv_grid: UvGrid { center: [0.0; 2], points: [3, 3], spacing: 0.1 },
            synthesis: Synthesis::default(),
            outputs: Outputs::default(),
        };
        let theta = [0.0_f64, 0.3, 0.9];
        let fields =
            far_fields(&problem, &problem.initial_design(), &theta, &[polarization, polarization + PI / 2.0])
                .unwrap();
        for (i, theta) in theta.iter().enumerate() {
            let along = fields[0].theta[i].norm_sqr();
            assert!((along / (4.0 * theta.cos()) - 1.0).abs() < 1e-5, "{along}");
            assert!(fields[0].phi[i].norm_sqr() < 1e-20);
            let across = fields[0].phi[3 + i].norm_sqr();
            assert!((across / (4.0 * theta.cos()) - 1.0).abs() < 1e-5, "{across}");
        }
    }
}
