//! The checks a problem passes before any work is done.

use crate::mask::Mask;
use crate::problem::{Element, Feed, Lattice, Method, Placement, Problem, Region, Sensitivity, Window};
use phasefront_core::FieldError;

type Checked = Result<(), FieldError>;

/// Most elements and most samples of the window: more is a slip of the pen, not an antenna.
const MOST_ELEMENTS: usize = 1_000_000;
const MOST_SAMPLES: usize = 1 << 24;
/// Highest exponent of a pattern cos^p: a beam of a few degrees, narrower than any feed or element of an array.
const HIGHEST_EXPONENT: f64 = 300.0;
/// Transforms in double precision reach no further, and with less accuracy than this gradients mislead.
const TOLERANCES: [f64; 2] = [1e-14, 1e-2];
/// Most bits of a phase shifter.
const MOST_BITS: u32 = 16;

/// Refuses what cannot be solved.
pub(crate) fn problem(problem: &Problem) -> Checked {
    frequencies(&problem.frequencies)?;
    lattice(&problem.lattice)?;
    placement(problem)?;
    feed(&problem.feed)?;
    element(&problem.element)?;
    window(&problem.window)?;
    focus(problem)?;
    coverage(problem)?;
    outside(problem)?;
    synthesis(problem)?;
    problem.outputs.sensitivity.as_ref().map_or(Ok(()), |settings| sensitivity(problem, settings))?;
    Mask::new(problem).map(|_| ())
}

fn refuse(path: impl Into<String>, message: impl Into<String>, advice: impl Into<String>) -> Checked {
    Err(FieldError::new(path, message, advice))
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn frequencies(frequencies: &[f64]) -> Checked {
    let path = "source.frequency";
    if frequencies.is_empty() {
        return refuse(path, "there is no frequency", "give at least one");
    }
    match frequencies.iter().find(|f| !is_positive(**f)) {
        Some(f) => refuse(
            path,
            format!("a frequency of {f} Hz has no wave"),
            "give a frequency above zero, for example \"14.25 GHz\"",
        ),
        None => Ok(()),
    }
}

fn lattice(lattice: &Lattice) -> Checked {
    let [nx, ny] = lattice.elements;
    if nx == 0 || ny == 0 {
        let message = format!("{nx} by {ny} elements are none");
        return refuse("geometry.elements", message, "give at least one along each axis");
    }
    if nx.saturating_mul(ny) > MOST_ELEMENTS {
        let message = format!("{nx} by {ny} elements are more than can be computed with");
        return refuse("geometry.elements", message, format!("give at most {MOST_ELEMENTS} in all"));
    }
    match lattice.spacing.iter().find(|s| !is_positive(**s)) {
        Some(s) => refuse(
            "geometry.spacing",
            format!("elements cannot stand {s} m apart"),
            "give a spacing above zero; half a wavelength is usual",
        ),
        None => Ok(()),
    }
}

fn placement(problem: &Problem) -> Checked {
    let Placement::Aperiodic { min_spacing: min, max_spacing: max } = problem.placement else {
        return Ok(());
    };
    for (key, value) in [("min_spacing", min), ("max_spacing", max)] {
        if !is_positive(value) {
            let message = format!("neighbors cannot keep a distance of {value} m");
            return refuse(format!("geometry.placement.{key}"), message, "give a length above zero");
        }
    }
    if min >= max {
        let message =
            format!("no distance is at least {min:.4e} m and at most {max:.4e} m with room between");
        return refuse("geometry.placement", message, "make min_spacing smaller than max_spacing");
    }
    // A lattice on the bound itself is allowed, whatever rounding makes of it.
    let slack = 1e-9 * max;
    let axes = problem.lattice.elements.iter().zip(problem.lattice.spacing);
    match axes.filter(|(n, _)| **n > 1).find(|(_, s)| *s < min - slack || *s > max + slack) {
        Some((_, spacing)) => refuse(
            "geometry.spacing",
            format!("the lattice of {spacing:.4e} m is not within the bounds of {min:.4e} m to {max:.4e} m"),
            "start from a spacing within geometry.placement, or widen those bounds",
        ),
        None => Ok(()),
    }
}

fn feed(feed: &Feed) -> Checked {
    let path = |key: &str| format!("geometry.feed.{key}");
    if !is_positive(feed.height) {
        let message = format!("the array cannot lie {} m from the feed", feed.height);
        return refuse(path("height"), message, "give a distance above zero");
    }
    if !feed.offset.is_finite() {
        return refuse(path("offset"), "the offset is not a number", "give a length");
    }
    if !feed.polarization.is_finite() {
        return refuse(path("polarization"), "the polarization is not a number", "give an angle");
    }
    exponent(&path("exponent"), feed.exponent)
}

fn exponent(path: &str, value: f64) -> Checked {
    if (0.0..=HIGHEST_EXPONENT).contains(&value) {
        return Ok(());
    }
    let message = format!("cos to the power {value} is no pattern");
    refuse(path, message, format!("give an exponent from 0 to {HIGHEST_EXPONENT}"))
}

fn element(element: &Element) -> Checked {
    exponent("geometry.element.exponent", element.exponent)?;
    let Some(table) = &element.reflection else { return Ok(()) };
    let path = "geometry.element.reflection";
    let rows = table.theta.len();
    if rows == 0 || [table.amplitude.len(), table.phase.len()] != [rows; 2] {
        let message = "the table of the reflection has no rows, or columns of different length";
        return refuse(path, message, "give an amplitude and a phase for each angle");
    }
    if !table.theta.is_sorted_by(|a, b| a < b) {
        return refuse(path, "the angles of the reflection do not ascend", "sort the rows by angle");
    }
    let all = table.theta.iter().chain(&table.amplitude).chain(&table.phase);
    if !all.clone().all(|value| value.is_finite()) || table.amplitude.iter().any(|a| *a < 0.0) {
        let message = "the reflection has a negative amplitude, or a value that is not a number";
        return refuse(path, message, "correct the table");
    }
    if table.amplitude.iter().all(|a| *a == 0.0) {
        return refuse(path, "a cell that reflects nothing makes no antenna", "correct the table");
    }
    Ok(())
}

fn window(window: &Window) -> Checked {
    let path = |key: &str| format!("solve.window.{key}");
    if !is_positive(window.step) {
        let message = format!("samples cannot lie {} apart", window.step);
        return refuse(path("step"), message, "give a step above zero, for example 0.004");
    }
    let [nu, nv] = window.samples;
    if nu == 0 || nv == 0 {
        let message = format!("{nu} by {nv} samples are none");
        return refuse(path("samples"), message, "give at least one along u and v");
    }
    if nu.saturating_mul(nv) > MOST_SAMPLES {
        let message = format!("{nu} by {nv} samples are more than can be computed with");
        return refuse(path("samples"), message, "take a larger step, or a smaller window");
    }
    let [u, v] = window.center;
    if !u.hypot(v).is_finite() || u.hypot(v) >= 1.0 {
        let message = format!("({u}, {v}) is no visible direction");
        return refuse(path("center"), message, "give u and v with u² + v² below 1");
    }
    for (axis, n) in ["u", "v"].iter().zip(window.samples) {
        let width = (n - 1) as f64 * window.step;
        if width > 4.0 {
            let message =
                format!("the window is {width:.3} wide in {axis}, and all visible directions span 2");
            return refuse(path("samples"), message, "take fewer samples, or a smaller step");
        }
    }
    Ok(())
}

fn focus(problem: &Problem) -> Checked {
    match problem.focus {
        Some([u, v]) if u.is_nan() || v.is_nan() || u * u + v * v >= 1.0 => {
            let message = format!("({u}, {v}) is no visible direction");
            refuse("geometry.focus", message, "give u and v with u² + v² below 1")
        }
        _ => Ok(()),
    }
}

fn coverage(problem: &Problem) -> Checked {
    if problem.coverage.is_empty() && problem.synthesis.method != Method::Analysis {
        let advice = "add a region, or use method = \"analysis\"";
        return refuse("geometry.coverage", "there is nothing to illuminate", advice);
    }
    for (i, region) in problem.coverage.iter().enumerate() {
        let path = format!("geometry.coverage[{i}]");
        bounds(region, &path)?;
        outlines(region, &path)?;
        within_window(problem, region, &path)?;
    }
    Ok(())
}

fn bounds(region: &Region, path: &str) -> Checked {
    for (key, bound) in [("lower_dbi", region.lower), ("upper_dbi", region.upper)] {
        if bound.is_some_and(|b| !b.is_finite()) {
            return refuse(format!("{path}.{key}"), "the bound is not a number", "give a level in dBi");
        }
    }
    match (region.lower, region.upper) {
        (Some(lower), Some(upper)) if lower > upper => {
            let message = format!("`{}` asks for at least {lower} dBi and at most {upper} dBi", region.name);
            refuse(format!("{path}.lower_dbi"), message, "make the lower bound the smaller one")
        }
        _ => Ok(()),
    }
}

fn outlines(region: &Region, path: &str) -> Checked {
    let rings = || region.polygons.iter().flat_map(|polygon| &polygon.rings);
    if rings().next().is_none() {
        return refuse(path, format!("`{}` has no outline", region.name), "give it at least one polygon");
    }
    if let Some(ring) = rings().find(|ring| ring.len() < 3) {
        let message =
            format!("an outline of `{}` has {} points and encloses nothing", region.name, ring.len());
        return refuse(path, message, "give at least 3 points");
    }
    match rings().flatten().find(|[u, v]| u.is_nan() || v.is_nan() || u * u + v * v > 1.0) {
        Some([u, v]) => {
            let message = format!("`{}` has a point ({u}, {v}), which is no visible direction", region.name);
            refuse(path, message, "keep u² + v² below 1")
        }
        None => Ok(()),
    }
}

/// What lies outside the window would go unseen.
fn within_window(problem: &Problem, region: &Region, path: &str) -> Checked {
    let points = || region.polygons.iter().flat_map(|polygon| &polygon.rings).flatten();
    for (axis, samples) in [problem.window.u(), problem.window.v()].iter().enumerate() {
        let (first, last) =
            (samples[0] - problem.window.step, samples[samples.len() - 1] + problem.window.step);
        let low = points().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
        if low < first || high > last {
            let name = ["u", "v"][axis];
            let message = format!(
                "`{}` spans {name} = {low:.4} to {high:.4}, and the window's samples {:.4} to {:.4}",
                region.name,
                samples[0],
                samples[samples.len() - 1]
            );
            return refuse(path, message, "move or widen solve.window until it holds the region");
        }
    }
    Ok(())
}

fn outside(problem: &Problem) -> Checked {
    let Some(outside) = problem.outside else { return Ok(()) };
    if !outside.upper.is_finite() {
        return refuse("geometry.outside.upper_dbi", "the bound is not a number", "give a level in dBi");
    }
    if !(outside.margin.is_finite() && outside.margin >= 0.0) {
        let message = format!("a margin of {} leaves no band", outside.margin);
        return refuse("geometry.outside.margin", message, "give a width in u and v of zero or more");
    }
    Ok(())
}

fn synthesis(problem: &Problem) -> Checked {
    let settings = &problem.synthesis;
    let [low, high] = TOLERANCES;
    if !(low..=high).contains(&settings.tolerance) {
        let message = format!("transforms cannot have a tolerance of {:e}", settings.tolerance);
        return refuse("solve.tolerance", message, format!("give one from {low:e} to {high:e}"));
    }
    match settings.phase_bits {
        Some(bits) if !(1..=MOST_BITS).contains(&bits) => {
            let message = format!("there are no phase shifters of {bits} bits");
            refuse("solve.phase_bits", message, format!("give 1 to {MOST_BITS}, or leave it out"))
        }
        _ => Ok(()),
    }
}

fn sensitivity(problem: &Problem, settings: &Sensitivity) -> Checked {
    let path = |key: &str| format!("output.sensitivity.{key}");
    if problem.coverage.is_empty() {
        let message = "without a coverage there is no D_min to be sensitive";
        return refuse("output.sensitivity", message, "leave it out, or give a coverage");
    }
    let failed = settings.failed_share * problem.lattice.elements.iter().product::<usize>() as f64;
    if !(0.0..1.0).contains(&settings.failed_share) || failed.round() >= problem.lattice.design().len() as f64
    {
        let message = format!("if a share of {} fails, no antenna is left", settings.failed_share);
        return refuse(path("failed_share"), message, "give a share from 0 to below 1");
    }
    if !(0.0..0.5).contains(&settings.pointing_error) {
        let message = format!("a pointing error of {} rad is no error", settings.pointing_error);
        return refuse(path("pointing_error"), message, "give a small angle, for example \"0.1 deg\"");
    }
    if settings.trials == 0 {
        return refuse(path("trials"), "no trials tell nothing", "give at least one");
    }
    Ok(())
}

/// What is allowed but doubtful.
pub(crate) fn warnings(problem: &Problem) -> Vec<String> {
    blockage(problem).into_iter().chain(coarse_window(problem)).collect()
}

/// The beam leaves the array towards (u, v, −cos θ) and crosses the feed's plane z = 0 displaced by z₀(u, v)/cos θ: the
/// feed stands in it if the outline of the array, so displaced, holds the origin.
fn blockage(problem: &Problem) -> Option<String> {
    let [u, v] = problem.focus_direction();
    let Feed { offset, height, .. } = problem.feed;
    let reach = height / (1.0 - u * u - v * v).max(f64::MIN_POSITIVE).sqrt();
    let half = |axis: usize| 0.5 * problem.lattice.elements[axis] as f64 * problem.lattice.spacing[axis];
    let (dx, dy) = ((reach * u).abs(), (offset + reach * v).abs());
    (dx < half(0) && dy < half(1)).then(|| {
        format!(
            "the feed stands in the beam: towards ({u:.3}, {v:.3}) the array's outline, {:.3} m by {:.3} m, passes the \
             feed at ({dx:.3}, {dy:.3}) m from its middle, and blockage is not modeled; use a larger geometry.feed.offset",
            2.0 * half(0),
            2.0 * half(1)
        )
    })
}

/// Samples further apart than λ/L, the width of a beam of the whole aperture, miss what happens between them.
fn coarse_window(problem: &Problem) -> Option<String> {
    let length = |axis: usize| problem.lattice.elements[axis] as f64 * problem.lattice.spacing[axis];
    let beam = problem.wavelength() / length(0).max(length(1));
    (problem.window.step > beam && !problem.coverage.is_empty()).then(|| {
        format!(
            "a step of {} is wider than the array's beam, {beam:.4}: D may dip unseen between the samples; use {:.4} or less",
            problem.window.step,
            0.5 * beam
        )
    })
}
