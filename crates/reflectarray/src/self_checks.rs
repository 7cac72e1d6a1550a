//! What is known about the validity of a solution before the run.

use crate::efficiency::co_polar_share;
use crate::illumination::Illumination;
use crate::problem::{Feed, Placement, Problem};
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;

/// Distance between neighbors, wavelengths, below which they couple strongly: patches are about 0.3 wavelengths wide on usual substrates.
const MIN_SPACING: f64 = 0.3;

/// Least co-polar share of the feed's power toward the array: 0.5 dB of the directivity are lost with the rest.
const MIN_CO_POLAR: f64 = 0.9;
/// Largest error of interpolated samples of the feed, relative to the peak of its field: 0.1 dB of a taper of 0 dB.
const MAX_INTERPOLATION: f64 = 0.01;

/// The self-checks of a problem.
pub(crate) fn of_problem(problem: &Problem) -> Vec<SelfCheck> {
    let others = [
        element_spacing(problem),
        grating_lobe(problem),
        grid_spacing(problem),
        feed_polarization(problem),
        feed_sampling(problem),
    ];
    std::iter::once(clearance(problem)).chain(others.into_iter().flatten()).collect()
}

/// The beam leaves the array toward (u, v, −cos θ) and crosses the feed plane z = 0 displaced by z₀(u, v)/cos θ: the
/// feed blocks it if the displaced aperture contains the origin.
fn clearance(problem: &Problem) -> SelfCheck {
    let [u, v] = problem.focus_direction();
    let Feed { offset, height, .. } = problem.feed;
    let path = height / (1.0 - u * u - v * v).max(f64::MIN_POSITIVE).sqrt();
    let half = |axis: usize| 0.5 * problem.lattice.elements[axis] as f64 * problem.lattice.spacing[axis];
    let (dx, dy) = ((path * u).abs(), (offset + path * v).abs());
    let clearance = (dx / half(0)).max(dy / half(1));
    let sentence = if clearance >= 1.0 {
        "The feed is beside the beam and does not block it.".into()
    } else {
        format!(
            "the feed blocks the beam: toward (u, v) = ({u:.3}, {v:.3}) the projected aperture, {:.3} m by {:.3} m, contains the \
             feed at ({dx:.3}, {dy:.3}) m from its center, and blockage is not modeled; use a larger geometry.feed.offset",
            2.0 * half(0),
            2.0 * half(1)
        )
    };
    SelfCheck::at_least("distance of the feed from the beam's center", clearance, 1.0, sentence)
        .in_unit("half apertures")
}

/// Shortest and longest distance between neighbors, m, and the key that sets them; none for a single element.
pub(crate) fn spacings(problem: &Problem) -> Option<([f64; 2], &'static str)> {
    if let Some(design) = &problem.design {
        // Zeros if no two of its elements are neighbors.
        return Some((design.spacing(), "geometry.design")).filter(|([_, widest], _)| *widest > 0.0);
    }
    let axes = problem.lattice.elements.iter().zip(problem.lattice.spacing);
    let lattice: Vec<f64> = axes.filter(|(n, _)| **n > 1).map(|(_, spacing)| spacing).collect();
    let [first, rest @ ..] = lattice.as_slice() else { return None };
    Some(match problem.placement {
        Placement::Periodic => {
            let extremes = rest.iter().fold([*first; 2], |[low, high], s| [low.min(*s), high.max(*s)]);
            (extremes, "geometry.spacing")
        }
        Placement::Aperiodic { min_spacing, max_spacing } => {
            ([min_spacing, max_spacing], "geometry.placement")
        }
    })
}

/// Lowest and highest frequency, Hz.
fn band(problem: &Problem) -> [f64; 2] {
    let first = problem.frequencies[0];
    problem.frequencies.iter().fold([first; 2], |[low, high], f| [low.min(*f), high.max(*f)])
}

fn element_spacing(problem: &Problem) -> Option<SelfCheck> {
    let ([spacing, _], key) = spacings(problem)?;
    let lowest = band(problem)[0];
    let spacing = spacing * lowest / C0;
    let sentence = if spacing >= MIN_SPACING {
        "Elements are far enough apart for the element pattern to hold.".into()
    } else {
        format!(
            "neighbors are {spacing:.3} wavelengths apart at {:.4} GHz: they couple strongly, which the element pattern does not \
             include; use {MIN_SPACING} wavelengths or more in {key}",
            1e-9 * lowest
        )
    };
    Some(SelfCheck::at_least("element spacing", spacing, MIN_SPACING, sentence).in_unit("wavelengths"))
}

/// A lattice of spacing d repeats its array factor every λ/d in u and v. Value: the distance from the origin of the (u, v) plane of the
/// nearest repetition of the beam, which is in visible space if it is below 1; along one axis, d > λ/(1 + sin θ). Free positions
/// are treated as a lattice of their widest spacing, since neighborhoods of it are possible.
fn grating_lobe(problem: &Problem) -> Option<SelfCheck> {
    let (_, key) = spacings(problem)?;
    let highest = band(problem)[1];
    let wavelength = C0 / highest;
    let period = |axis: usize| {
        let widest = match (&problem.design, problem.placement) {
            (Some(design), _) => design.spacing()[1],
            (None, Placement::Periodic) => problem.lattice.spacing[axis],
            (None, Placement::Aperiodic { max_spacing, .. }) => max_spacing,
        };
        (problem.lattice.elements[axis] > 1).then(|| wavelength / widest)
    };
    let periods = [0, 1].map(period);
    let [low, high] = beam(problem);
    // Repetitions beyond |u| = 2 + 1 are invisible for any beam.
    let count = |axis: usize| periods[axis].map_or(0, |period| (3.0 / period) as i32 + 1);
    let repetitions = (-count(0)..=count(0)).flat_map(|i| (-count(1)..=count(1)).map(move |j| [i, j]));
    // The point nearest to the origin of the beam's box shifted by the periods.
    let nearest = |[i, j]: [i32; 2]| {
        [(i, 0), (j, 1)].map(|(n, axis)| {
            let shift = f64::from(n) * periods[axis].unwrap_or(0.0);
            0_f64.clamp(low[axis] + shift, high[axis] + shift)
        })
    };
    let lobes = repetitions.filter(|repetition| *repetition != [0, 0]).map(nearest);
    let [u, v] = lobes.min_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])))?;
    let radius = u.hypot(v);
    let sentence = if radius >= 1.0 {
        "Grating lobes of the lattice are outside visible space.".into()
    } else {
        let steepest = [0, 1].map(|axis| low[axis].abs().max(high[axis].abs()));
        let allowed = wavelength / (1.0 + steepest[0].hypot(steepest[1]).min(1.0));
        format!(
            "the lattice has a grating lobe in visible space, at (u, v) = ({u:.3}, {v:.3}) at {:.4} GHz, which takes power from the \
             beam; use a spacing of λ/(1 + sin θ) = {:.2} mm or less in {key}",
            1e-9 * highest,
            1e3 * allowed
        )
    };
    Some(SelfCheck::at_least(
        "distance of the nearest grating lobe from the origin of (u, v)",
        radius,
        1.0,
        sentence,
    ))
}

/// The box of (u, v) that the beam covers: that of the coverage, or the focus.
fn beam(problem: &Problem) -> [[f64; 2]; 2] {
    let focus = problem.focus_direction();
    let rings =
        problem.coverage.iter().flat_map(|region| &region.polygons).flat_map(|polygon| &polygon.rings);
    let mut points = rings.flatten().copied().peekable();
    let first = points.peek().copied().unwrap_or(focus);
    points.fold([first; 2], |[low, high], p| {
        [[low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])]]
    })
}

/// Samples further apart than λ/L, the beamwidth of the whole aperture, may miss minima between them.
fn grid_spacing(problem: &Problem) -> Option<SelfCheck> {
    if problem.coverage.is_empty() {
        return None;
    }
    let length = |axis: usize| problem.lattice.elements[axis] as f64 * problem.lattice.spacing[axis];
    let beam = problem.wavelength() / length(0).max(length(1));
    let spacing = problem.uv_grid.spacing;
    let sentence = if spacing <= beam {
        "The (u, v) grid resolves the beamwidth of the array.".into()
    } else {
        format!(
            "the grid spacing of {spacing} exceeds the beamwidth of the array, {beam:.4}: minima of D between the points may be missed; \
             use {:.4} or less in solve.uv_grid.spacing",
            0.5 * beam
        )
    };
    Some(
        SelfCheck::at_most("spacing of the (u, v) grid", spacing / beam, 1.0, sentence).in_unit("beamwidths"),
    )
}

/// Where the feed is not polarized as the case says, its cross-polar power is lost to the beam.
fn feed_polarization(problem: &Problem) -> Option<SelfCheck> {
    Illumination::new(&problem.feed, problem.frequencies[0]).sampled()?;
    let lowest =
        problem.frequencies.iter().map(|f| co_polar_share(problem, *f)).fold(f64::INFINITY, f64::min);
    let sentence = if lowest >= MIN_CO_POLAR {
        "The feed is polarized as geometry.feed.polarization says.".into()
    } else {
        format!(
            "only {:.1} % of the power that the feed sends toward the array are co-polar; the directivity counts them alone: set \
             geometry.feed.polarization to the direction of its electric field, or use a linearly polarized feed",
            100.0 * lowest
        )
    };
    Some(SelfCheck::at_least("co-polar share of the feed's power", lowest, MIN_CO_POLAR, sentence))
}

/// Samples too far apart for interpolation: the error is measured with every second angle θ, where it is about 16 times as large.
fn feed_sampling(problem: &Problem) -> Option<SelfCheck> {
    let error = problem
        .frequencies
        .iter()
        .filter_map(|f| Illumination::new(&problem.feed, *f).sampled()?.interpolation_error())
        .reduce(f64::max)?;
    let sentence: String = if error <= MAX_INTERPOLATION {
        "The samples of the feed's pattern resolve it.".into()
    } else {
        "the samples of the feed's pattern are too far apart to interpolate between them: export it at smaller steps of theta, with its phase \
         referred to a point in the antenna"
            .into()
    };
    Some(
        SelfCheck::at_most("interpolation of the feed's pattern", error, MAX_INTERPOLATION, sentence)
            .in_unit("of its peak"),
    )
}
