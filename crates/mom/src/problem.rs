//! What the solver takes, and the checks it passes before any work is done.

use crate::crossing::first_crossing;
use crate::error::MomError;
use crate::interior;
use crate::mesh::Mesh;
use crate::shape::{Point, apportion};
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, Precision};

/// Cells per wavelength below which the answer is no approximation at all (Nyquist), and below which it is coarse: on circles
/// of ka = 1 to 15 the echo width was off by at most 1 % with 20 cells, 1.5 % with 10 and 13 % with 5.
const NYQUIST_CELLS: f64 = 2.0;
const COARSE_CELLS: f64 = 10.0;
/// Fewest cells on one body: less does not even outline it.
const FEWEST_CELLS: usize = 4;
/// Size of a cell relative to its coordinates that double precision still resolves to six digits.
const BLUR: f64 = 1e-10;
/// Cells per wavelength beyond which a unit is mistaken, not a mesh coarse or fine: the formulas still hold there.
const FEWEST_CELLS_PER_WAVELENGTH: f64 = 1e-3;
const MOST_CELLS_PER_WAVELENGTH: f64 = 1e12;
/// More than any machine holds (a matrix of 1.4 TB): caught before cells are made.
const MOST_CELLS: f64 = 300_000.0;

/// The outline of a body, in metres.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A circle.
    Circle {
        /// Centre.
        center: Point,
        /// Radius.
        radius: f64,
    },
    /// An ellipse.
    Ellipse {
        /// Centre.
        center: Point,
        /// Half lengths of its two axes.
        semi_axes: [f64; 2],
        /// Angle from +x to the first axis, radians.
        rotation: f64,
    },
    /// A closed polygon.
    Polygon {
        /// Its corners in order; the last is joined to the first.
        points: Vec<Point>,
    },
    /// A thin flat strip: open, current on both sides taken together.
    Strip {
        /// One edge.
        from: Point,
        /// The other edge.
        to: Point,
    },
}

/// A perfectly conducting body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its outline.
    pub shape: Shape,
    /// Its number of cells, if it is to differ from the share it would get.
    pub cells: Option<usize>,
}

/// How finely to cut the contours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellCount {
    /// So many cells in all, shared among the bodies by length.
    Total(usize),
    /// So many per wavelength at the highest frequency.
    PerWavelength(f64),
}

/// Where to compute the near field.
#[derive(Debug, Clone, PartialEq)]
pub struct NearGrid {
    /// Columns.
    pub x: Vec<f64>,
    /// Rows.
    pub y: Vec<f64>,
}

/// A scattering problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The conductors.
    pub bodies: Vec<Body>,
    /// Frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// Directions the incident waves travel in, radians from +x.
    pub propagation: Vec<f64>,
    /// Discretisation.
    pub cells: CellCount,
    /// Of matrix and factorisation; geometry and Hankel functions are always double.
    pub precision: Precision,
    /// Directions for the echo width, radians from +x.
    pub observation: Vec<f64>,
    /// Whether the solution is to keep the currents.
    pub current: bool,
    /// Where to compute the near field; needs a single frequency and a single incidence.
    pub near_field: Option<NearGrid>,
}

/// A problem that passed its checks, with its mesh.
#[derive(Debug, Clone)]
pub struct Study {
    /// What was asked.
    pub problem: Problem,
    /// The cells.
    pub mesh: Mesh,
    /// What the user should know before trusting the answer.
    pub warnings: Vec<String>,
}

/// Checks a problem and cuts its contours into cells.
pub fn prepare(problem: Problem) -> Result<Study, MomError> {
    check_source(&problem)?;
    check_bodies(&problem.bodies)?;
    check_output(&problem)?;
    let mesh = build_mesh(&problem)?;
    check_contact(&mesh)?;
    let warnings = resolution_warnings(&problem, &mesh);
    Ok(Study { problem, mesh, warnings })
}

impl Study {
    /// Wavelength at the highest frequency.
    pub fn shortest_wavelength(&self) -> f64 {
        C0 / highest(&self.problem.frequencies)
    }

    /// Cells per wavelength of the longest cell at the highest frequency.
    pub fn cells_per_wavelength(&self) -> f64 {
        self.shortest_wavelength() / highest(&self.mesh.w)
    }

    /// Bytes that a run holds at once where it computes: the matrix, which LU factors in place, the right-hand sides,
    /// and the near field.
    pub fn working_bytes(&self) -> u64 {
        let complex = 2 * self.problem.precision.bytes() as u64;
        let (n, columns) = (self.mesh.len() as u64, self.problem.propagation.len() as u64);
        n * n * complex + n * columns * complex + 16 * self.near_points()
    }

    /// Bytes of the solution in the host's memory.
    pub fn solution_bytes(&self) -> u64 {
        let problem = &self.problem;
        let (n, columns) = (self.mesh.len() as u64, problem.propagation.len() as u64);
        let frequencies = problem.frequencies.len() as u64;
        // Currents of one frequency pass through even if they are not kept.
        let kept = if problem.current { frequencies } else { 1 };
        let echo = 8 * frequencies * columns * problem.observation.len() as u64;
        16 * kept * n * columns + echo + 32 * self.near_points()
    }

    /// Points of the near-field map.
    pub fn near_points(&self) -> u64 {
        self.problem.near_field.as_ref().map_or(0, |g| g.x.len() as u64 * g.y.len() as u64)
    }
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn check_source(problem: &Problem) -> Result<(), FieldError> {
    if problem.frequencies.is_empty() {
        return Err(FieldError::new("source.frequency", "there is no frequency", "give at least one"));
    }
    if problem.propagation.is_empty() || problem.propagation.iter().any(|a| !a.is_finite()) {
        return Err(FieldError::new(
            "source.propagation",
            "there is no direction",
            "give at least one angle",
        ));
    }
    match problem.frequencies.iter().find(|f| !(f.is_finite() && **f > 0.0)) {
        Some(f) => {
            let message = format!("a frequency of {f} Hz has no wave");
            Err(FieldError::new(
                "source.frequency",
                message,
                "give a frequency above zero, for example \"1 GHz\"",
            ))
        }
        None => Ok(()),
    }
}

fn check_bodies(bodies: &[Body]) -> Result<(), FieldError> {
    if bodies.is_empty() {
        let advice = "add one, for example { shape = \"circle\", radius = \"1 m\" }";
        return Err(FieldError::new("geometry.bodies", "there is no body to scatter the wave", advice));
    }
    for (i, body) in bodies.iter().enumerate() {
        check_shape(&body.shape, &format!("geometry.bodies[{i}]"))?;
        if let Some(cells) = body.cells
            && cells < FEWEST_CELLS
        {
            let path = format!("geometry.bodies[{i}].cells");
            let message = format!("{cells} cells cannot outline a body");
            return Err(FieldError::new(path, message, format!("give at least {FEWEST_CELLS}")));
        }
    }
    Ok(())
}

fn check_shape(shape: &Shape, path: &str) -> Result<(), FieldError> {
    let positive = |value: f64, key: &str, what: &str| {
        if value > 0.0 {
            return Ok(());
        }
        let message = format!("{what} of {value} m encloses nothing");
        Err(FieldError::new(format!("{path}.{key}"), message, "give a length above zero"))
    };
    match shape {
        Shape::Circle { radius, .. } => positive(*radius, "radius", "a radius"),
        Shape::Ellipse { semi_axes, .. } => {
            (0..2).try_for_each(|i| positive(semi_axes[i], &format!("semi_axes[{i}]"), "a semi-axis"))
        }
        Shape::Strip { from, to } if from == to => Err(FieldError::new(
            format!("{path}.to"),
            "the strip has zero width",
            "make `from` and `to` differ",
        )),
        Shape::Strip { .. } => Ok(()),
        Shape::Polygon { points } => check_polygon(points, path),
    }
}

fn check_polygon(points: &[Point], path: &str) -> Result<(), FieldError> {
    if points.len() < 3 {
        let message = format!("{} points do not enclose anything", points.len());
        let advice = "give at least 3 corners; use shape = \"strip\" for a flat plate";
        return Err(FieldError::new(format!("{path}.points"), message, advice));
    }
    for (i, point) in points.iter().enumerate() {
        let next = (i + 1) % points.len();
        if *point == points[next] {
            let message = format!("corners {i} and {next} are the same point");
            let advice = "remove one of them; the polygon closes by itself";
            return Err(FieldError::new(format!("{path}.points[{}]", i.max(next)), message, advice));
        }
    }
    let edges: Vec<[Point; 2]> =
        (0..points.len()).map(|i| [points[i], points[(i + 1) % points.len()]]).collect();
    if let Some((i, j)) = first_crossing(&edges, |_| 0) {
        let message = format!("the outline crosses or touches itself: edge {i} meets edge {j}");
        let advice = "list the corners in order around the body (edge i runs from corner i to corner i+1)";
        return Err(FieldError::new(format!("{path}.points"), message, advice));
    }
    Ok(())
}

fn check_output(problem: &Problem) -> Result<(), FieldError> {
    if problem.near_field.is_some() && problem.frequencies.len() * problem.propagation.len() > 1 {
        let message = "a field map needs a single frequency and a single incidence";
        let advice = "leave out output.field, or run the case once per frequency and incidence";
        return Err(FieldError::new("output.field", message, advice));
    }
    Ok(())
}

fn build_mesh(problem: &Problem) -> Result<Mesh, FieldError> {
    let mut mesh = Mesh::default();
    let counts = cell_counts(problem)?;
    for (i, body) in problem.bodies.iter().enumerate() {
        mesh.push_body(i, &body.shape.cells(counts[i]));
    }
    check_cells(problem, &mesh)?;
    Ok(mesh)
}

/// Cells of each body: its own number where it has one, else its share of what the problem asks for.
fn cell_counts(problem: &Problem) -> Result<Vec<usize>, FieldError> {
    let free: Vec<usize> = (0..problem.bodies.len()).filter(|&i| problem.bodies[i].cells.is_none()).collect();
    let lengths: Vec<f64> = free.iter().map(|&i| problem.bodies[i].shape.length()).collect();
    let own: usize = problem.bodies.iter().filter_map(|body| body.cells).sum();
    let shares = match problem.cells {
        CellCount::Total(total) => {
            check_total(total, own, free.len())?;
            check_size("solve.cells", total as f64)?;
            apportion(total - own, &lengths)
        }
        CellCount::PerWavelength(density) => {
            let path = "solve.cells_per_wavelength";
            if !(density.is_finite() && density > 0.0) {
                let message = format!("{density} cells per wavelength make no mesh");
                return Err(FieldError::new(
                    path,
                    message,
                    "give a number above zero: 10 is coarse, 20 is usual",
                ));
            }
            let per_metre = density * highest(&problem.frequencies) / C0;
            check_size(path, own as f64 + per_metre * lengths.iter().sum::<f64>())?;
            // The tolerance keeps a contour of exactly n cell lengths from getting n + 1 cells by rounding.
            lengths.iter().map(|length| (length * per_metre - 1e-6).ceil() as usize).collect()
        }
    };
    let mut counts: Vec<usize> = problem.bodies.iter().map(|body| body.cells.unwrap_or(0)).collect();
    for (i, share) in free.into_iter().zip(shares) {
        counts[i] = share.max(FEWEST_CELLS);
    }
    Ok(counts)
}

/// Refuses more cells than any machine can hold the matrix of.
fn check_size(path: &str, total: f64) -> Result<(), FieldError> {
    if total <= MOST_CELLS {
        return Ok(());
    }
    let message = format!("this needs {total:.3e} cells, and the matrix {:.3e} bytes", total * total * 16.0);
    Err(FieldError::new(path, message, "use fewer cells, a smaller body or a lower frequency"))
}

/// Refuses a total that cannot be kept.
fn check_total(total: usize, own: usize, free: usize) -> Result<(), FieldError> {
    let wrong = |message: String, advice: &str| Err(FieldError::new("solve.cells", message, advice));
    if free == 0 && total != own {
        return wrong(format!("the bodies' own cells add up to {own}, not {total}"), "leave out solve.cells");
    }
    if total < own + FEWEST_CELLS * free {
        let others =
            if own > 0 { format!(" beside the {own} that bodies ask for themselves") } else { String::new() };
        let needed = own + FEWEST_CELLS * free;
        return wrong(
            format!(
                "{total} cells are too few for {free} {}{others}",
                if free == 1 { "body" } else { "bodies" }
            ),
            &format!("give at least {needed}: {FEWEST_CELLS} for each body"),
        );
    }
    Ok(())
}

/// Rounding of the coordinates must not blur the cells, and the wave must be commensurate with them.
fn check_cells(problem: &Problem, mesh: &Mesh) -> Result<(), FieldError> {
    let wavelength = C0 / highest(&problem.frequencies);
    for i in 0..mesh.len() {
        let (w, path) = (mesh.w[i], || format!("geometry.bodies[{}]", mesh.body[i]));
        let reach = mesh.x[i].abs().max(mesh.y[i].abs());
        // Written so that a NaN fails too.
        let is_sharp = w > BLUR * reach && (mesh.x[i] + mesh.y[i]).is_finite();
        if !is_sharp {
            let message =
                format!("cells of {w:.3e} m are lost in the rounding of coordinates of {reach:.3e} m");
            return Err(FieldError::new(
                path(),
                message,
                "move the geometry to the origin, or use fewer cells",
            ));
        }
        if !(MOST_CELLS_PER_WAVELENGTH.recip()..=FEWEST_CELLS_PER_WAVELENGTH.recip())
            .contains(&(w / wavelength))
        {
            let message =
                format!("cells of {w:.3e} m have nothing to do with a wavelength of {wavelength:.3e} m");
            return Err(FieldError::new(path(), message, "check the units of the body and of the frequency"));
        }
    }
    Ok(())
}

fn check_contact(mesh: &Mesh) -> Result<(), FieldError> {
    let Some((i, j)) = first_crossing(&mesh.ends, |i| mesh.body[i]) else { return Ok(()) };
    let [x, y] = mesh.ends[j][0];
    let (a, b) = (mesh.body[i], mesh.body[j]);
    let path = format!("geometry.bodies[{b}]");
    if a == b {
        let message = format!("the outline crosses or touches itself near ({x:.6}, {y:.6}) m");
        return Err(FieldError::new(
            path,
            message,
            "use more cells, or a contour that stays apart from itself",
        ));
    }
    let message = format!("bodies {a} and {b} touch or cross near ({x:.6}, {y:.6}) m");
    Err(FieldError::new(path, message, "move them apart, or draw them as one outline"))
}

fn resolution_warnings(problem: &Problem, mesh: &Mesh) -> Vec<String> {
    let wavelength = C0 / highest(&problem.frequencies);
    let per_wavelength = wavelength / highest(&mesh.w);
    let needed = (mesh.len() as f64 * 20.0 / per_wavelength).ceil();
    let mut warnings = Vec::new();
    if per_wavelength < NYQUIST_CELLS {
        warnings.push(format!(
            "{per_wavelength:.2} cells per wavelength cannot carry the wave at all: use at least {needed} cells (20 per wavelength)"
        ));
    } else if per_wavelength < COARSE_CELLS {
        warnings.push(format!(
            "{per_wavelength:.1} cells per wavelength is coarse: use about {needed} cells (20 per wavelength) for about 2 % accuracy"
        ));
    }
    if let Some((body, thickness, length)) = interior::thinnest(mesh, &problem.bodies) {
        warnings.push(format!(
            "body {body} is {thickness:.2e} m thick and its cells are {length:.2e} m long: currents on its two sides run into \
             each other; use cells shorter than the body is thick, or a strip in its place"
        ));
    }
    warnings
}
