//! Validation of a problem: errors with the path of the field.

use crate::efficiency::{aperture, co_polar_share};
use crate::feed_pattern::FREQUENCY_TOLERANCE;
use crate::illumination::Illumination;
use crate::mask::Mask;
use crate::problem::{
    Element, Feed, FeedPattern, Lattice, Method, Placement, Problem, Region, SampledFeed, Sensitivity, UvGrid,
};
use crate::self_checks::spacings;
use phasefront_core::FieldError;
use phasefront_core::constants::C0;

type Checked = Result<(), FieldError>;

/// Maximum elements and points of the grid: larger values are typing errors.
const MAX_ELEMENTS: usize = 1_000_000;
const MAX_SAMPLES: usize = 1 << 24;
/// Maximum exponent of a pattern cos^p: a beam of a few degrees, narrower than that of any feed or element.
const MAX_EXPONENT: f64 = 300.0;
/// Range of the NUFFT tolerance: the limit of double precision, and the accuracy that gradients need.
const TOLERANCES: [f64; 2] = [1e-14, 1e-2];
/// Range of the distance between neighbors, wavelengths.
const SPACINGS: [f64; 2] = [0.1, 5.0];
/// Points along a side of the aperture at which samples of the feed must be: the cone that they subtend is convex, and samples too.
const EDGE_STEPS: usize = 16;
/// Maximum bits of a phase shifter.
const MAX_BITS: u32 = 16;

/// Checks every field; the error has the path of the first wrong one.
pub(crate) fn problem(problem: &Problem) -> Checked {
    frequencies(&problem.frequencies)?;
    lattice(&problem.lattice)?;
    placement(problem)?;
    spacing_in_wavelengths(problem)?;
    feed(&problem.feed)?;
    feed_samples(problem)?;
    element(&problem.element)?;
    uv_grid(&problem.uv_grid)?;
    focus(problem)?;
    coverage(problem)?;
    outside(problem)?;
    synthesis(problem)?;
    problem.outputs.sensitivity.as_ref().map_or(Ok(()), |settings| sensitivity(problem, settings))?;
    // The mask checks that regions have samples and compatible bounds.
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
        return refuse(path, "no frequency is given", "specify at least one");
    }
    match frequencies.iter().find(|f| !is_positive(**f)) {
        Some(f) => refuse(
            path,
            format!("the frequency must be positive and finite, not {f} Hz"),
            "specify a positive frequency, for example \"14.25 GHz\"",
        ),
        None => Ok(()),
    }
}

fn lattice(lattice: &Lattice) -> Checked {
    let [nx, ny] = lattice.elements;
    if nx == 0 || ny == 0 {
        let message = format!("an array of {nx} x {ny} has no elements");
        return refuse("geometry.elements", message, "specify at least one element along each axis");
    }
    if nx.saturating_mul(ny) > MAX_ELEMENTS {
        let message = format!("an array of {nx} x {ny} elements exceeds the limit");
        return refuse("geometry.elements", message, format!("use at most {MAX_ELEMENTS} in total"));
    }
    match lattice.spacing.iter().find(|s| !is_positive(**s)) {
        Some(s) => refuse(
            "geometry.spacing",
            format!("the element spacing must be positive and finite, not {s} m"),
            "specify a positive spacing; half a wavelength is usual",
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
            let message = format!("the spacing bound must be positive and finite, not {value} m");
            return refuse(format!("geometry.placement.{key}"), message, "specify a positive length");
        }
    }
    if min >= max {
        let message = format!("the minimum spacing of {min:.4e} m is not below the maximum of {max:.4e} m");
        return refuse("geometry.placement", message, "choose min_spacing smaller than max_spacing");
    }
    // A lattice on the bound itself is allowed, despite rounding.
    let slack = 1e-9 * max;
    let axes = problem.lattice.elements.iter().zip(problem.lattice.spacing);
    match axes.filter(|(n, _)| **n > 1).find(|(_, s)| *s < min - slack || *s > max + slack) {
        Some((_, spacing)) => refuse(
            "geometry.spacing",
            format!(
                "the lattice spacing of {spacing:.4e} m is outside the bounds of {min:.4e} m to {max:.4e} m"
            ),
            "choose a spacing within geometry.placement, or widen those bounds",
        ),
        None => Ok(()),
    }
}

/// Elements that nearly coincide, or that are several wavelengths apart, are typing errors: no array works so.
fn spacing_in_wavelengths(problem: &Problem) -> Checked {
    let Some((spacings, path)) = spacings(problem) else { return Ok(()) };
    let [low, high] = SPACINGS;
    for frequency in &problem.frequencies {
        let in_wavelengths = spacings.map(|spacing| spacing * frequency / C0);
        let Some(spacing) = in_wavelengths.into_iter().find(|s| !(low..=high).contains(s)) else { continue };
        let message = format!(
            "neighbors {spacing:.3} wavelengths apart at {:.4} GHz are out of range",
            1e-9 * frequency
        );
        let advice =
            format!("use {low} to {high} wavelengths, usually 0.5; check the units of spacing and frequency");
        return refuse(path, message, advice);
    }
    Ok(())
}

fn feed(feed: &Feed) -> Checked {
    let path = |key: &str| format!("geometry.feed.{key}");
    if !is_positive(feed.height) {
        let message = format!(
            "the distance of the array plane from the feed must be positive and finite, not {} m",
            feed.height
        );
        return refuse(path("height"), message, "specify a positive distance");
    }
    if !feed.offset.is_finite() {
        return refuse(path("offset"), "the offset is not finite", "specify a length");
    }
    if !feed.polarization.is_finite() {
        return refuse(path("polarization"), "the polarization angle is not finite", "specify an angle");
    }
    match &feed.pattern {
        FeedPattern::Cosine { power_exponent } => exponent(&path("power_exponent"), *power_exponent),
        FeedPattern::Sampled(sampled) => samples(&path("pattern"), sampled),
    }
}

fn samples(path: &str, sampled: &SampledFeed) -> Checked {
    if sampled.far_fields.is_empty() {
        return refuse(
            format!("{path}.file"),
            "the pattern of the feed has no samples",
            "give at least one frequency",
        );
    }
    if !sampled.rotation.is_finite() {
        return refuse(format!("{path}.rotation"), "the rotation is not finite", "specify an angle");
    }
    if !sampled.phase_center.iter().all(|x| x.is_finite()) {
        let message = "the phase center is not finite";
        return refuse(format!("{path}.phase_center"), message, "specify three lengths");
    }
    Ok(())
}

/// The samples of a feed must have all frequencies, and all directions in which there may be elements.
fn feed_samples(problem: &Problem) -> Checked {
    let FeedPattern::Sampled(sampled) = &problem.feed.pattern else { return Ok(()) };
    let path = "geometry.feed.pattern.file";
    for &frequency in &problem.frequencies {
        let nearest = sampled.far_fields[sampled.nearest(frequency)].frequency();
        if (nearest - frequency).abs() > FREQUENCY_TOLERANCE * frequency {
            let message = format!(
                "the pattern of the feed has no samples at {:.6} GHz: the nearest are at {:.6} GHz",
                1e-9 * frequency,
                1e-9 * nearest
            );
            let advice = format!(
                "give a file with that frequency; {} % are allowed between the two",
                100.0 * FREQUENCY_TOLERANCE
            );
            return refuse(path, message, advice);
        }
    }
    feed_covers(problem, largest_aperture(problem))?;
    let share = co_polar_share(problem, problem.frequencies[0]);
    if share < 0.5 {
        let message = format!(
            "of the power that the feed sends toward the array, {:.1} % are co-polar for the polarization of {:.1} deg",
            100.0 * share,
            problem.feed.polarization.to_degrees()
        );
        let advice = "set geometry.feed.polarization to the direction of its electric field, or rotate it by \
                      geometry.feed.pattern.rotation";
        return refuse("geometry.feed.polarization", message, advice);
    }
    Ok(())
}

/// The rectangle that the elements may cover: of a given design, of the lattice, or of the lattice as wide as its spacing may become.
fn largest_aperture(problem: &Problem) -> [[f64; 2]; 2] {
    let mut lattice = problem.lattice;
    if let Placement::Aperiodic { max_spacing, .. } = problem.placement {
        lattice.spacing = [max_spacing; 2];
    }
    aperture(problem, problem.design.as_ref().unwrap_or(&lattice.design()))
}

/// Refuses samples of a feed that do not reach an aperture, [from, to] along x and y.
pub(crate) fn feed_covers(problem: &Problem, [along_x, along_y]: [[f64; 2]; 2]) -> Checked {
    for &frequency in &problem.frequencies {
        let feed = Illumination::new(&problem.feed, frequency);
        let Some(pattern) = feed.sampled() else { return Ok(()) };
        let at = |[from, to]: [f64; 2], i: usize| from + (to - from) * i as f64 / EDGE_STEPS as f64;
        let points = (0..=EDGE_STEPS).flat_map(|i| (0..=EDGE_STEPS).map(move |j| [i, j]));
        let missing = points
            .map(|[i, j]| [at(along_x, i), at(along_y, j)])
            .find(|[x, y]| !pattern.covers(feed.point(*x, *y)));
        if let Some([x, y]) = missing {
            let [theta, phi] = pattern.angles(feed.point(x, y)).map(f64::to_degrees);
            let message = format!(
                "the pattern of the feed has no samples toward (x, y) = ({x:.4}, {y:.4}) m of the array: theta {theta:.2} deg, phi \
                 {phi:.2} deg of the file at {:.6} GHz",
                1e-9 * pattern.far_field().frequency()
            );
            let advice = "export the pattern over a wider cone and all of phi";
            return refuse("geometry.feed.pattern.file", message, advice);
        }
    }
    Ok(())
}

fn exponent(path: &str, value: f64) -> Checked {
    if (0.0..=MAX_EXPONENT).contains(&value) {
        return Ok(());
    }
    let message = format!("the exponent {value} of the cosine pattern is out of range");
    refuse(path, message, format!("use an exponent from 0 to {MAX_EXPONENT}"))
}

fn element(element: &Element) -> Checked {
    exponent("geometry.element.power_exponent", element.power_exponent)?;
    let Some(table) = &element.reflection else { return Ok(()) };
    let path = "geometry.element.reflection";
    let rows = table.theta.len();
    if rows == 0 || [table.amplitude.len(), table.phase.len()] != [rows; 2] {
        let message = "the reflection table has no rows, or columns of different lengths";
        return refuse(path, message, "specify an amplitude and a phase for each angle");
    }
    if !table.theta.is_sorted_by(|a, b| a < b) {
        return refuse(
            path,
            "the angles of the reflection table are not ascending",
            "sort the rows by angle",
        );
    }
    let all = table.theta.iter().chain(&table.amplitude).chain(&table.phase);
    if !all.clone().all(|value| value.is_finite()) || table.amplitude.iter().any(|a| *a < 0.0) {
        let message = "the reflection table has a negative amplitude or a value that is not finite";
        return refuse(path, message, "correct the table");
    }
    if table.amplitude.iter().all(|a| *a == 0.0) {
        return refuse(path, "all amplitudes of the reflection table are zero", "correct the table");
    }
    Ok(())
}

fn uv_grid(uv_grid: &UvGrid) -> Checked {
    let path = |key: &str| format!("solve.uv_grid.{key}");
    if !is_positive(uv_grid.spacing) {
        let message = format!("the spacing must be positive and finite, not {}", uv_grid.spacing);
        return refuse(path("spacing"), message, "specify a positive spacing, for example 0.004");
    }
    let [nu, nv] = uv_grid.points;
    if nu == 0 || nv == 0 {
        let message = format!("a (u, v) grid of {nu} x {nv} has no points");
        return refuse(path("points"), message, "use at least one point along u and v");
    }
    if nu.saturating_mul(nv) > MAX_SAMPLES {
        let message = format!("a (u, v) grid of {nu} x {nv} points exceeds the limit");
        return refuse(path("points"), message, "use a larger spacing or fewer points");
    }
    let [u, v] = uv_grid.center;
    if !u.hypot(v).is_finite() || u.hypot(v) >= 1.0 {
        let message = format!("(u, v) = ({u}, {v}) is outside visible space");
        return refuse(path("center"), message, "choose u and v with u² + v² < 1");
    }
    for (axis, n) in ["u", "v"].iter().zip(uv_grid.points) {
        // Twice the visible range allows for windows off center.
        let width = (n - 1) as f64 * uv_grid.spacing;
        if width > 4.0 {
            let message = format!("the (u, v) grid is {width:.3} wide in {axis}, and visible space only 2");
            return refuse(path("points"), message, "use fewer points or a smaller spacing");
        }
    }
    Ok(())
}

fn focus(problem: &Problem) -> Checked {
    match problem.focus {
        Some([u, v]) if u.is_nan() || v.is_nan() || u * u + v * v >= 1.0 => {
            let message = format!("(u, v) = ({u}, {v}) is outside visible space");
            refuse("geometry.focus", message, "choose u and v with u² + v² < 1")
        }
        _ => Ok(()),
    }
}

fn coverage(problem: &Problem) -> Checked {
    if problem.coverage.is_empty() && problem.synthesis.method != Method::Analysis {
        let advice = "add a region, or use method = \"analysis\"";
        return refuse("geometry.coverage", "there is no coverage to synthesize a beam for", advice);
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
            return refuse(
                format!("{path}.{key}"),
                "the bound is not finite",
                "specify a directivity in dBi",
            );
        }
    }
    match (region.lower, region.upper) {
        (Some(lower), Some(upper)) if lower > upper => {
            let message = format!(
                "the lower bound of `{}`, {lower} dBi, exceeds its upper bound, {upper} dBi",
                region.name
            );
            refuse(format!("{path}.lower_dbi"), message, "choose a lower bound below the upper one")
        }
        _ => Ok(()),
    }
}

fn outlines(region: &Region, path: &str) -> Checked {
    let rings = || region.polygons.iter().flat_map(|polygon| &polygon.rings);
    if rings().next().is_none() {
        return refuse(path, format!("`{}` has no polygon", region.name), "add at least one polygon");
    }
    if let Some(ring) = rings().find(|ring| ring.len() < 3) {
        let message = format!("a ring of `{}` has {} points and encloses no area", region.name, ring.len());
        return refuse(path, message, "use at least 3 points");
    }
    match rings().flatten().find(|[u, v]| u.is_nan() || v.is_nan() || u * u + v * v > 1.0) {
        Some([u, v]) => {
            let message =
                format!("`{}` has a point (u, v) = ({u}, {v}), which is outside visible space", region.name);
            refuse(path, message, "choose points with u² + v² < 1")
        }
        None => Ok(()),
    }
}

/// Parts of a region outside the grid would not be evaluated.
fn within_window(problem: &Problem, region: &Region, path: &str) -> Checked {
    let points = || region.polygons.iter().flat_map(|polygon| &polygon.rings).flatten();
    for (axis, samples) in [problem.uv_grid.u(), problem.uv_grid.v()].iter().enumerate() {
        // One step of tolerance: samples around a region belong to it.
        let (first, last) =
            (samples[0] - problem.uv_grid.spacing, samples[samples.len() - 1] + problem.uv_grid.spacing);
        let low = points().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
        if low < first || high > last {
            let name = ["u", "v"][axis];
            let message = format!(
                "`{}` spans {name} = {low:.4} to {high:.4}, beyond the points of the (u, v) grid, {:.4} to {:.4}",
                region.name,
                samples[0],
                samples[samples.len() - 1]
            );
            return refuse(path, message, "move or extend solve.uv_grid so that it contains the region");
        }
    }
    Ok(())
}

fn outside(problem: &Problem) -> Checked {
    let Some(outside) = problem.outside else { return Ok(()) };
    if !outside.upper.is_finite() {
        return refuse(
            "geometry.outside.upper_dbi",
            "the bound is not finite",
            "specify a directivity in dBi",
        );
    }
    if !(outside.margin.is_finite() && outside.margin >= 0.0) {
        let message = format!("the margin must be zero or positive, not {}", outside.margin);
        return refuse("geometry.outside.margin", message, "specify a width in u and v of zero or more");
    }
    Ok(())
}

fn synthesis(problem: &Problem) -> Checked {
    let settings = &problem.synthesis;
    let [low, high] = TOLERANCES;
    if !(low..=high).contains(&settings.tolerance) {
        let message = format!("the tolerance {:e} of the NUFFTs is out of range", settings.tolerance);
        return refuse("solve.tolerance", message, format!("use a tolerance from {low:e} to {high:e}"));
    }
    match settings.phase_bits {
        Some(bits) if !(1..=MAX_BITS).contains(&bits) => {
            let message = format!("phase shifters with {bits} bits are not supported");
            refuse(
                "solve.phase_bits",
                message,
                format!("use 1 to {MAX_BITS}, or omit the key for continuous phases"),
            )
        }
        _ => Ok(()),
    }
}

fn sensitivity(problem: &Problem, settings: &Sensitivity) -> Checked {
    let path = |key: &str| format!("output.sensitivity.{key}");
    if problem.coverage.is_empty() {
        let message = "the sensitivity of D_min requires a coverage";
        return refuse("output.sensitivity", message, "omit output.sensitivity, or add a coverage");
    }
    let failed = settings.failed_fraction * problem.lattice.elements.iter().product::<usize>() as f64;
    if !(0.0..1.0).contains(&settings.failed_fraction)
        || failed.round() >= problem.lattice.design().len() as f64
    {
        let message = format!(
            "the fraction {} of failed elements leaves no element or is negative",
            settings.failed_fraction
        );
        return refuse(path("failed_fraction"), message, "use a fraction of at least 0 and below 1");
    }
    if !(0.0..0.5).contains(&settings.pointing_error) {
        let message = format!("the pointing error of {} rad is out of range", settings.pointing_error);
        return refuse(
            path("pointing_error"),
            message,
            "use a small positive angle, for example \"0.1 deg\"",
        );
    }
    if settings.trials == 0 {
        return refuse(path("trials"), "the number of trials is zero", "specify at least one");
    }
    Ok(())
}
