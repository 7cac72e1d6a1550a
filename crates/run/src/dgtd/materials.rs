//! Materials of a case in the terms of the solver; loss tangents and tables by fits.

use super::columns::Columns;
use super::labels::short;
use super::pulse::pulse;
use crate::input::InputFolder;
use num_complex::Complex64;
use phasefront_case::model::dgtd::{Band, DgtdCase, Material as CaseMaterial, Permittivity, PermittivityRow};
use phasefront_core::{FieldError, SelfCheck};
use phasefront_dgtd::{Material, PermittivityFit, Pole};
use std::f64::consts::TAU;

/// Error of a fit that is warned of, and that is refused.
const FIT_ERROR: [f64; 2] = [0.02, 0.1];
/// Ratio of the band of a fit, at least.
const LEAST_RATIO: f64 = 1.2;
/// Ratio of the band of a baseband pulse, where a case has no frequencies.
const BASEBAND: f64 = 10.0;
/// How far a band may extend beyond a table, relative.
const BEYOND: f64 = 0.01;

/// Materials by the names of their volumes.
type Named = Vec<(String, Material)>;

/// The materials of all volumes that have one, and how well they fit what the case gives.
pub(super) fn all(
    case: &DgtdCase,
    highest: f64,
    folder: &InputFolder,
) -> Result<(Named, Vec<SelfCheck>), FieldError> {
    let band = band(case, highest, folder)?;
    let (mut materials, mut self_checks) = (Vec::new(), Vec::new());
    for (name, given) in &case.geometry.materials {
        let (material, fitted) = material(name, given, band, folder)?;
        materials.push((name.clone(), material));
        self_checks.extend(fitted);
    }
    Ok((materials, self_checks))
}

/// The material of a volume, and how well it fits what the case gives.
fn material(
    name: &str,
    given: &CaseMaterial,
    band: [f64; 2],
    folder: &InputFolder,
) -> Result<(Material, Option<SelfCheck>), FieldError> {
    let path = format!("geometry.materials.{name}");
    let (fit, path, what) = match (&given.permittivity, given.loss_tangent) {
        (Some(table), _) => {
            let path = format!("{path}.permittivity");
            (table_fit(table, band, folder, &path)?, path, "the table".to_owned())
        }
        (None, Some(tangent)) if tangent > 0.0 => {
            // The smallest value; the others have the same poles in proportion.
            let least = given.eps_r.axes().into_iter().fold(f64::INFINITY, f64::min);
            let fit = Material::with_loss_tangent(least, tangent, band);
            (fit, format!("{path}.loss_tangent"), format!("loss tangent {}", short(tangent)))
        }
        _ => return Ok((constants(given), None)),
    };
    if fit.loss_error.max(fit.eps_error) > FIT_ERROR[1] {
        return Err(FieldError::new(
            path,
            format!(
                "no passive material is near: the best fit from {} differs by {:.0} %",
                range(fit.band),
                100.0 * fit.error()
            ),
            "narrow the frequencies of the case, or check the values: losses that vary with frequency come with a permittivity that does, too \
             (Kramers and Kronig)",
        ));
    }
    let check = self_check(name, &what, &fit);
    // A table has the permittivity of an isotropic material.
    let eps = if given.permittivity.is_some() { [fit.material.eps; 3] } else { given.eps_r.axes() };
    Ok((fit.material.with_principal(eps, given.mu_r.axes()), Some(check)))
}

fn self_check(name: &str, what: &str, fit: &PermittivityFit) -> SelfCheck {
    let percent = 100.0 * fit.error();
    let [low, center, high] =
        [fit.band[0], fit.center(), fit.band[1]].map(|f| fit.material.permittivity(f).re);
    let sentence = format!(
        "{name}: {what} within {percent:.2} % from {} by {} poles; eps_r is {center:.5} at {} GHz, {low:.5} at the lowest and {high:.5} at the \
         highest frequency",
        range(fit.band),
        fit.material.poles.len(),
        short(1e-9 * fit.center()),
    );
    SelfCheck::at_most(format!("fit of {name}"), percent, 100.0 * FIT_ERROR[0], sentence).in_unit("%")
}

fn range([low, high]: [f64; 2]) -> String {
    format!("{} to {} GHz", short(1e-9 * low), short(1e-9 * high))
}

/// The band in which materials are fitted: that of the frequencies and resonances that the case asks for, or that of its pulse.
fn band(case: &DgtdCase, highest: f64, folder: &InputFolder) -> Result<[f64; 2], FieldError> {
    let mut asked = case.source.frequencies();
    asked.extend(case.output.resonances.into_iter().flat_map(Band::si));
    let [low, high] = match &asked[..] {
        // Initial fields have no pulse.
        [] if case.source.initial.is_some() => [highest, highest],
        [] => [pulse(&case.source, folder)?.band()[0].max(highest / BASEBAND), highest],
        asked => [asked.iter().copied().fold(f64::INFINITY, f64::min), highest],
    };
    if high > LEAST_RATIO * low {
        return Ok([low, high]);
    }
    let center = (low * high).sqrt();
    Ok([center / LEAST_RATIO.sqrt(), center * LEAST_RATIO.sqrt()])
}

fn table_fit(
    table: &Permittivity,
    band: [f64; 2],
    folder: &InputFolder,
    path: &str,
) -> Result<PermittivityFit, FieldError> {
    let rows = match table {
        Permittivity::Rows(rows) => rows.iter().map(row).collect(),
        Permittivity::File(file) => file_rows(folder, file, path)?,
    };
    let ends = [rows.first(), rows.last()].map(|row| row.map_or(0.0, |(f, _)| *f));
    if band[0] < (1.0 - BEYOND) * ends[0] || band[1] > (1.0 + BEYOND) * ends[1] {
        return Err(FieldError::new(
            path,
            format!("the table has {}, and the case needs {}", range(ends), range(band)),
            "add rows, or change the frequencies of the case",
        ));
    }
    let band = [band[0].max(ends[0]), band[1].min(ends[1])];
    Material::from_permittivity(&rows, band).ok_or_else(|| {
        FieldError::new(
            path,
            "the fit of the table failed",
            "check its values, or give `debye` and `lorentz` terms",
        )
    })
}

/// ε′ − jε″ of a row.
fn row(row: &PermittivityRow) -> (f64, Complex64) {
    (row.frequency.si(), Complex64::new(row.eps_r, -row.losses()))
}

fn file_rows(folder: &InputFolder, file: &str, path: &str) -> Result<Vec<(f64, Complex64)>, FieldError> {
    let table = Columns::read(folder, file, path)?;
    let frequencies = [("frequency_hz", 1.0), ("frequency_mhz", 1e6), ("frequency_ghz", 1e9)];
    let (frequency, eps) = (table.find(&frequencies), table.find(&[("eps_r", 1.0)]));
    let (tangent, factor) = (table.find(&[("loss_tangent", 1.0)]), table.find(&[("loss_factor", 1.0)]));
    let (Some((f, unit)), Some((e, _)), Some((l, _))) = (frequency, eps, tangent.or(factor)) else {
        return Err(FieldError::new(
            path,
            format!("{file} lacks a column: frequency, permittivity and losses are needed"),
            "name the columns `frequency_hz` (or `_mhz`, `_ghz`), `eps_r`, and `loss_tangent` or `loss_factor`",
        ));
    };
    let wrong = |line: usize, problem: &str, advice: &str| {
        Err(FieldError::new(path, format!("{file}, line {line}: {problem}"), advice))
    };
    let mut rows: Vec<(f64, Complex64)> = Vec::new();
    for (line, values) in &table.rows {
        let (frequency, eps) = (unit * values[f], values[e]);
        let losses = if tangent.is_some() { eps * values[l] } else { values[l] };
        if frequency <= rows.last().map_or(0.0, |(f, _)| *f) {
            return wrong(
                *line,
                "frequencies must be positive and rise from row to row",
                "sort the rows, each frequency once",
            );
        }
        if losses < 0.0 {
            let advice = "losses are positive here, ε = ε′ − jε″";
            return wrong(*line, "the material would amplify: losses cannot be negative", advice);
        }
        rows.push((frequency, Complex64::new(eps, -losses)));
    }
    if rows.len() < 2 {
        return Err(FieldError::new(
            path,
            format!("{file} has fewer than two rows"),
            "add rows, or write `eps_r` and `loss_tangent`",
        ));
    }
    Ok(rows)
}

fn constants(material: &CaseMaterial) -> Material {
    let debye =
        material.debye.iter().map(|t| Pole::Debye { delta: t.delta_eps, tau: t.relaxation_time.si() });
    let drude = material
        .drude
        .iter()
        .map(|t| Pole::Drude { plasma: TAU * t.plasma_frequency.si(), damping: TAU * t.damping.si() });
    let lorentz = material.lorentz.iter().map(|t| Pole::Lorentz {
        delta: t.delta_eps,
        resonance: TAU * t.resonance_frequency.si(),
        damping: TAU * t.damping.si(),
    });
    let (eps, mu) = (material.eps_r.axes(), material.mu_r.axes());
    let constants =
        Material { sigma: material.conductivity.si(), ..Material::VACUUM }.with_principal(eps, mu);
    Material { poles: debye.chain(drude).chain(lorentz).collect(), ..constants }
}
