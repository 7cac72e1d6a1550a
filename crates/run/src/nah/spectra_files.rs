//! Measured spectra from CSV and NPZ files.

use crate::input::{InputFolder, columns, read_text, try_collect};
use crate::npy::{self, Header, Kind};
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_nah::Spectrum;
use std::collections::HashMap;

const CSV_ADVICE: &str = "give a CSV file with the columns frequency_hz, microphone, re_pa and im_pa, microphones counted from 0 row by row";
const NPZ_ADVICE: &str = "give an NPZ file with the arrays frequency (F) and p (F times microphones, complex), as numpy.savez writes it";

/// Microphones for each row of a CSV file, at most: those without a row are dead, and most of an array is not.
const MAX_SPARSENESS: usize = 64;

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
    let mut index: HashMap<u64, usize> = HashMap::new();
    for [frequency, ..] in &rows {
        let next = index.len();
        // By the bits: equal text gives equal numbers.
        index.entry(frequency.to_bits()).or_insert(next);
    }
    // Microphones without a row take memory too; a file that names a few of many is a mistake.
    if index.len().saturating_mul(microphones) > MAX_SPARSENESS * rows.len() {
        return Err(format!(
            "it has {} rows for {} frequencies of {microphones} microphones",
            rows.len(),
            index.len()
        ));
    }
    let mut spectra: Vec<(Spectrum, Vec<bool>)> = Vec::new();
    for [frequency, microphone, re, im] in rows {
        if !(microphone >= 0.0 && microphone < microphones as f64 && microphone.fract() == 0.0) {
            return Err(format!(
                "microphone {microphone} does not exist in an array of {microphones}; numbers start at 0"
            ));
        }
        let at = index[&frequency.to_bits()];
        // Numbered in the order of the rows: a new frequency is the next one.
        if at == spectra.len() {
            let zeros = try_collect((0..microphones).map(|_| Complex64::ZERO))?;
            spectra.push((Spectrum { frequency, pressure: zeros }, vec![false; microphones]));
        }
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
pub(super) fn npz(bytes: &[u8], file: &str, microphones: usize) -> Result<Vec<Spectrum>, FieldError> {
    let broken = |error: String| wrong(format!("{file} cannot be read: {error}"), NPZ_ADVICE);
    let mut archive = npy::archive(bytes).map_err(broken)?;
    let real = |header: &Header| match (header.kind, &header.shape[..]) {
        (Kind::F64 | Kind::F32 | Kind::I32, [_]) => Ok(()),
        (kind, shape) => Err(format!("{kind:?} in the shape {shape:?}, instead of a list of real numbers")),
    };
    let frequency = npy::from_archive(&mut archive, "frequency", real).map_err(broken)?;
    let count = frequency.values().len();
    // Before it is decompressed: the shape says all.
    let fits = |header: &Header| {
        let shape = &header.shape;
        let rows = shape.get(1..).map(|rest| rest.iter().try_fold(1_usize, |p, &n| p.checked_mul(n)));
        let complex = matches!(header.kind, Kind::C64 | Kind::C128);
        if complex && shape.first() == Some(&count) && rows == Some(Some(microphones)) {
            return Ok(());
        }
        let kind = header.kind;
        Err(format!(
            "{kind:?} in the shape {shape:?}, but there are {count} frequencies and {microphones} microphones"
        ))
    };
    let p = npy::from_archive(&mut archive, "p", fits).map_err(broken)?;
    let values: Vec<Complex64> = try_collect(p.values()).map_err(broken)?;
    let spectrum = |(frequency, pressure): (Complex64, &[Complex64])| Spectrum {
        frequency: frequency.re,
        pressure: pressure.to_vec(),
    };
    Ok(frequency.values().zip(values.chunks_exact(microphones.max(1))).map(spectrum).collect())
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
            parse("frequency_hz,microphone,re_pa,im_pa\n500,0,1,2\n600,0,1,2\n", 1000).unwrap_err(),
            "it has 2 rows for 2 frequencies of 1000 microphones"
        );
        assert_eq!(
            fails(&GOOD.replace(",4\n", ",x\n")),
            "line 2: im_pa is \"x\", which is not a finite number"
        );
    }
}
