//! Measured spectra from CSV and NPZ files.

use crate::input::{InputFolder, columns, read_text};
use ndarray::{Array1, ArrayD};
use ndarray_npy::NpzReader;
use num_complex::{Complex32, Complex64};
use phasefront_core::FieldError;
use phasefront_nah::Spectrum;
use std::io::Cursor;

const CSV_ADVICE: &str = "give a CSV file with the columns frequency_hz, microphone, re_pa and im_pa, microphones counted from 0 row by row";
const NPZ_ADVICE: &str = "give a NPZ file with the arrays frequency (F) and p (F times microphones, complex), as numpy.savez writes it";

/// The error of an invalid source file.
pub(super) fn wrong(message: String, advice: &str) -> FieldError {
    FieldError::new("source.file", message, advice)
}

/// Columns frequency_hz, microphone, re_pa and im_pa.
pub(super) fn csv(folder: &InputFolder, file: &str, microphones: usize) -> Result<Vec<Spectrum>, FieldError> {
    let text = read_text(folder, file, "source.file")?;
    parse(&text, microphones).map_err(|message| wrong(format!("{file}: {message}"), CSV_ADVICE))
}

fn parse(text: &str, microphones: usize) -> Result<Vec<Spectrum>, String> {
    let rows = columns(text, ["frequency_hz", "microphone", "re_pa", "im_pa"])?;
    let mut spectra: Vec<(Spectrum, Vec<bool>)> = Vec::new();
    for [frequency, microphone, re, im] in rows {
        if !(microphone >= 0.0 && microphone < microphones as f64 && microphone.fract() == 0.0) {
            return Err(format!(
                "microphone {microphone} does not exist in an array of {microphones}; numbers start at 0"
            ));
        }
        // Exact comparison: equal text gives equal numbers. Files have few frequencies.
        let at = spectra.iter().position(|(s, _)| s.frequency == frequency).unwrap_or_else(|| {
            let pressure = vec![Complex64::ZERO; microphones];
            spectra.push((Spectrum { frequency, pressure }, vec![false; microphones]));
            spectra.len() - 1
        });
        let (spectrum, seen) = &mut spectra[at];
        let microphone = microphone as usize;
        if std::mem::replace(&mut seen[microphone], true) {
            return Err(format!("microphone {microphone} occurs twice at {frequency} Hz"));
        }
        spectrum.pressure[microphone] = Complex64::new(re, im);
    }
    if spectra.is_empty() {
        return Err("it has no rows".into());
    }
    // A microphone without a row is zero, and interpolated as a dead one.
    Ok(spectra.into_iter().map(|(spectrum, _)| spectrum).collect())
}

/// Arrays `frequency` and `p`.
pub(super) fn npz(bytes: Vec<u8>, file: &str, microphones: usize) -> Result<Vec<Spectrum>, FieldError> {
    let broken = |error: String| wrong(format!("{file} cannot be read: {error}"), NPZ_ADVICE);
    let mut arrays = NpzReader::new(Cursor::new(bytes)).map_err(|error| broken(error.to_string()))?;
    let frequency: Array1<f64> =
        arrays.by_name("frequency").map_err(|error| broken(format!("frequency: {error}")))?;
    let p: ArrayD<Complex64> = match arrays.by_name("p") {
        Ok(p) => p,
        Err(error) => {
            // complex64 of NumPy, if it is not complex128.
            let single: ArrayD<Complex32> = arrays.by_name("p").map_err(|_| broken(format!("p: {error}")))?;
            single.mapv(|p| Complex64::new(f64::from(p.re), f64::from(p.im)))
        }
    };
    if p.len() != frequency.len() * microphones || p.shape().first() != Some(&frequency.len()) {
        let shape = p.shape();
        let message = format!(
            "p has the shape {shape:?}, but there are {} frequencies and {microphones} microphones",
            frequency.len()
        );
        return Err(wrong(format!("{file}: {message}"), NPZ_ADVICE));
    }
    let values: Vec<Complex64> = p.iter().copied().collect();
    let spectrum = |(frequency, pressure): (&f64, &[Complex64])| Spectrum {
        frequency: *frequency,
        pressure: pressure.to_vec(),
    };
    Ok(frequency.iter().zip(values.chunks_exact(microphones)).map(spectrum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "frequency_hz,microphone,re_pa,im_pa\n500,1,3,4\n500,0,1,2\n600,0,5,6\n";

    #[test]
    fn phasors_are_sorted_by_frequency_and_microphone() {
        let spectra = parse(GOOD, 2).unwrap();
        assert_eq!(spectra[0].pressure, [Complex64::new(1.0, 2.0), Complex64::new(3.0, 4.0)]);
        assert_eq!((spectra[1].frequency, spectra[1].pressure[1]), (600.0, Complex64::ZERO));
    }

    #[test]
    fn every_wrong_file_has_its_message() {
        let fails = |text: &str| parse(text, 2).unwrap_err();
        assert_eq!(fails(""), "its first line has no column frequency_hz");
        assert_eq!(fails("frequency_hz,microphone,re_pa,im_pa\n"), "it has no rows");
        assert_eq!(
            fails(&GOOD.replace("500,1", "500,7")),
            "microphone 7 does not exist in an array of 2; numbers start at 0"
        );
        assert_eq!(fails(&GOOD.replace("500,1", "500,0")), "microphone 0 occurs twice at 500 Hz");
        assert_eq!(
            fails(&GOOD.replace(",4\n", ",x\n")),
            "line 2: im_pa is \"x\", which is not a finite number"
        );
    }
}
