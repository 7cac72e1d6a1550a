//! [`Study`]: a validated problem with its mesh and unknowns; everything that is known before a device is chosen.

use crate::check;
use crate::contour::ArcLength;
use crate::error::MomError;
use crate::layout::Layout;
use crate::mesh::Mesh;
use crate::problem::Problem;
use phasefront_comm::{BlockCyclic, DENSE_BLOCK, DENSE_BLOCK_GPU};
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;
use phasefront_device::{Backend, DeviceKind, MemoryEstimate, lu_solve_scratch};

/// A problem that passed its checks, with its mesh.
#[derive(Debug, Clone)]
pub struct Study {
    /// The problem.
    pub problem: Problem,
    /// Its cells and nodes.
    pub mesh: Mesh,
    /// How far to trust the results, as far as it is known before the run.
    pub self_checks: Vec<SelfCheck>,
    pub(crate) layout: Layout,
}

/// Validates a problem and discretizes its contours.
pub fn prepare(problem: Problem) -> Result<Study, MomError> {
    check::fields(&problem)?;
    let outlines: Vec<_> = problem.bodies.iter().map(|body| body.shape.outline()).collect();
    let lengths: Vec<Vec<f64>> = outlines
        .iter()
        .map(|outline| outline.segments.iter().map(|s| ArcLength::new(s).length()).collect())
        .collect();
    check::cell_counts(&problem, &lengths)?;
    // Counts are bounded now: the mesh cannot exhaust the memory.
    let mesh = Mesh::new(&problem, &outlines, &lengths);
    // At a contact the refinement by proximity leaves cells of any size: the contact is what is wrong.
    if mesh.contact.is_none() {
        check::cell_sizes(&problem, &mesh)?;
    }
    check::contact(&mesh)?;
    check::nesting(&problem, &mesh)?;
    let layout = Layout::new(&problem, &mesh);
    let self_checks = check::self_checks(&problem, &mesh);
    Ok(Study { problem, mesh, self_checks, layout })
}

impl Study {
    /// Wavelength in vacuum at the highest frequency.
    pub fn shortest_wavelength(&self) -> f64 {
        C0 / self.problem.highest_frequency()
    }

    /// Number of unknowns: one per node on conductors, two on dielectrics.
    pub fn unknowns(&self) -> usize {
        self.layout.unknowns
    }

    /// Cells per wavelength where there are fewest, at the highest frequency.
    pub fn cells_per_wavelength(&self) -> f64 {
        self.mesh.fewest_cells_per_wavelength(&self.problem)
    }

    /// Points of the near-field grid.
    pub fn near_points(&self) -> u64 {
        self.problem.near_field.as_ref().map_or(0, |g| g.x.len() as u64 * g.y.len() as u64)
    }

    /// Peak memory of a solution on `backend`.
    pub fn memory(&self, backend: &Backend) -> MemoryEstimate {
        let (working, solution) = (self.working_bytes(), self.solution_bytes());
        match backend.kind() {
            DeviceKind::Cpu => MemoryEstimate { device: 0, host: working + solution },
            // The LU of the OpenCL backend runs on the host.
            DeviceKind::OpenCl => MemoryEstimate { device: working, host: working + solution },
            DeviceKind::Cuda => {
                let columns = self.problem.propagation.len();
                let scratch = lu_solve_scratch(self.unknowns(), columns, self.problem.precision);
                MemoryEstimate { device: working + scratch, host: solution }
            }
        }
    }

    /// Peak memory of one of several ranks, which share the matrix. GPUs get its entries from the host.
    pub fn memory_on_ranks(&self, backend: &Backend, ranks: usize) -> MemoryEstimate {
        let is_on_gpus = matches!(backend, Backend::Gpu(_));
        let block = if is_on_gpus { DENSE_BLOCK_GPU } else { DENSE_BLOCK };
        let matrix = BlockCyclic::on_ranks(self.unknowns(), block, ranks, 0);
        let rhs = matrix.right_hand_sides(block * matrix.columns.parts);
        // The first rank has the most entries.
        let host = (matrix.own_len() + rhs.own_len()) as u64 * 2 * self.problem.precision.bytes() as u64;
        MemoryEstimate { device: if is_on_gpus { host } else { 0 }, host }
    }

    /// What the first of several ranks needs in addition: it alone has the solutions and evaluates the fields.
    pub fn memory_of_first_rank(&self) -> u64 {
        16 * self.near_points() + self.solution_bytes()
    }

    /// Bytes held at once where the solution is computed: the matrix, which the LU factors in place, the right-hand sides,
    /// and the near field.
    fn working_bytes(&self) -> u64 {
        let complex = 2 * self.problem.precision.bytes() as u64;
        let (n, columns) = (self.unknowns() as u64, self.problem.propagation.len() as u64);
        n * n * complex + n * columns * complex + 16 * self.near_points()
    }

    /// Bytes of the solution in host memory.
    fn solution_bytes(&self) -> u64 {
        let problem = &self.problem;
        let (n, columns) = (self.unknowns() as u64, problem.propagation.len() as u64);
        let frequencies = problem.frequencies.len() as u64;
        // The currents of one frequency pass through host memory even if they are not saved.
        let saved = if problem.currents { frequencies } else { 1 };
        // Bistatic widths, and one monostatic width per direction.
        let echo = 8 * frequencies * columns * (problem.observation.len() as u64 + 1);
        16 * saved * n * columns + echo + 32 * self.near_points()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Body, CellCount};
    use crate::shape::Shape;

    /// A matrix that fills the memory of one machine fits on several.
    #[test]
    fn ranks_need_their_part_of_the_matrix() {
        let study = prepare(Problem {
            bodies: vec![Body::conductor(Shape::Circle { center: [0.0, 0.0], radius: 1.0 })],
            frequencies: vec![3e8],
            propagation: vec![0.0],
            cells: CellCount::Total(1000),
            ..Problem::default()
        })
        .unwrap();
        let alone = study.memory(&Backend::Cpu).host as f64;
        for ranks in [2, 3, 4, 16] {
            let each = study.memory_on_ranks(&Backend::Cpu, ranks).host;
            let all = each * ranks as u64 + study.memory_of_first_rank();
            assert!((1.0..1.05).contains(&(all as f64 / alone)), "{ranks} ranks: {all} of {alone}");
        }
    }
}
