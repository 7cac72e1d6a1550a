//! One pass of an adaptation: what it has found, and the element sizes of the next one.

use crate::solve::Solution;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_mesh::TetMesh;
use phasefront_mesh::drawing::{DrawnSizes, size_view};

/// Part of the dissipation whose elements are refined (W. Dörfler, *SIAM J. Numer. Anal.* 33, 1106, 1996).
const MARKED_SHARE: f64 = 0.8;

/// The quantities whose accuracy is asked for, as one pass has found them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observables {
    /// Frequency of the best match of each excited port, Hz; NaN where it is not inside of the band.
    pub matches: Vec<f64>,
    /// Number of ports.
    pub ports: usize,
    /// S-parameters of each excited port: by frequency, then by port.
    pub s: Vec<Vec<Complex64>>,
    /// Amplitudes of the far field at each frequency, by direction.
    pub far: Vec<Vec<f64>>,
    /// Resonances in the band that is asked for, Hz.
    pub resonances: Option<Vec<f64>>,
}

impl Observables {
    /// Of the runs of a pass: far fields in these directions, θ and φ in radians, and resonances in this band, Hz, if they are asked for.
    fn new(
        study: &Study,
        solutions: &[Solution],
        (directions, band): (Option<&[[f64; 2]]>, Option<[f64; 2]>),
    ) -> Self {
        let has_ports = !study.problem.sources.ports.is_empty();
        let column = |solution: &Solution| study.ports(solution).into_iter().flat_map(|at| at.s).collect();
        let far = directions.map(|directions| study.far_amplitudes(&solutions[0], directions));
        let ports = || solutions.iter().filter(|_| has_ports);
        let found =
            |band| study.resonances(solutions, band).iter().map(|(found, _)| found.frequency).collect();
        Self {
            matches: ports().map(|solution| study.best_match(solution).unwrap_or(f64::NAN)).collect(),
            ports: study.problem.sources.ports.len(),
            s: ports().map(column).collect(),
            far: far.unwrap_or_default(),
            resonances: band.map(found),
        }
    }
}

/// A finished pass.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pass {
    /// Polynomial order.
    pub order: u64,
    /// Number of elements.
    pub elements: u64,
    /// Energy that the mesh dissipates numerically in each run, J.
    pub dissipated: Vec<f64>,
    /// Position of the element that dissipates most, m.
    pub worst_element: [f64; 3],
    /// What it has found.
    pub observables: Observables,
    /// Element sizes of the next pass; none if its order is higher.
    pub sizes: String,
}

impl State for Pass {
    const VERSION: u32 = 2;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { order, elements, dissipated, worst_element, observables, sizes } = self;
        let Observables { matches, ports, s, far, resonances } = observables;
        let [columns, frequencies, rings] =
            [s.len(), far.len(), usize::from(resonances.is_some())].map(|count| count as u64);
        out.integers([*order, *elements, *ports as u64, columns, frequencies, rings].into_iter());
        out.doubles(dissipated);
        out.doubles(worst_element);
        out.doubles(matches);
        for column in s {
            out.complex(column);
        }
        for amplitudes in far {
            out.doubles(amplitudes);
        }
        if let Some(frequencies) = resonances {
            out.doubles(frequencies);
        }
        out.text(sizes);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let [order, elements, ports, columns, frequencies, rings] = from.integers()?.try_into().ok()?;
        let dissipated = from.doubles()?;
        let worst_element = from.doubles()?.try_into().ok()?;
        let observables = Observables {
            matches: from.doubles()?,
            ports: usize::try_from(ports).ok()?,
            s: (0..columns).map(|_| from.complex()).collect::<Option<_>>()?,
            far: (0..frequencies).map(|_| from.doubles()).collect::<Option<_>>()?,
            resonances: if rings == 0 { None } else { Some(from.doubles()?) },
        };
        Some(Self { order, elements, dissipated, worst_element, observables, sizes: from.text()?.to_owned() })
    }
}

impl Pass {
    /// The pass that these runs make. Far fields count in these directions, θ and φ in radians, and resonances in this band, Hz; `drawn` are
    /// the element sizes of a drawn mesh.
    pub fn new(
        study: &Study,
        solutions: &[Solution],
        asked: (Option<&[[f64; 2]]>, Option<[f64; 2]>),
        drawn: Option<DrawnSizes>,
    ) -> Self {
        // Each run by itself: what a port sees is not refined by the losses of another one.
        let all: Vec<Vec<bool>> = solutions.iter().map(|solution| marked(&solution.dissipated)).collect();
        let elements = study.mesh().tets.len();
        let marked: Vec<bool> = (0..elements).map(|tet| all.iter().any(|of_run| of_run[tet])).collect();
        let sizes = drawn.map(|sizes| size_view(study.mesh(), &marked, sizes));
        Self {
            order: study.problem.order as u64,
            elements: elements as u64,
            dissipated: solutions.iter().map(|solution| solution.dissipated.iter().sum()).collect(),
            worst_element: worst_element(study.mesh(), &solutions[0].dissipated),
            observables: Observables::new(study, solutions, asked),
            sizes: sizes.unwrap_or_default(),
        }
    }

    /// Energy that the mesh dissipates numerically in all runs, J.
    pub fn dissipated_energy(&self) -> f64 {
        self.dissipated.iter().sum()
    }
}

/// Centroid of the element with the largest value.
fn worst_element(mesh: &TetMesh, values: &[f64]) -> [f64; 3] {
    let worst = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    let corners = mesh.corners(worst);
    std::array::from_fn(|axis| corners.iter().map(|corner| 0.25 * corner[axis]).sum())
}

/// The fewest elements that have [`MARKED_SHARE`] of the dissipation.
///
/// D is close to the best measure at edges, which is D/h. Where fields are a r^(λ−1), an element of the size h has an error e ~ a² h^(2λ+1)
/// and dissipates D ~ e h (see `estimate.rs`); an edge of the length L has L/h elements and an error of a² L h^(2λ). For a given number of
/// elements the sum over edges is least where e is the same for all: h ~ a^(−2/(2λ+1)). The same D makes h ~ a^(−1/(λ+1)). With λ = ½ and
/// two edges whose a² have a ratio of 100 the error is 5 % larger then if both are as long, and 15 % if the weak one is ten times as long;
/// with λ = ⅔, 6 and 14 %.
/// The law of the estimate was found with marks by D.
fn marked(dissipated: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..dissipated.len()).collect();
    order.sort_by(|a, b| dissipated[*b].total_cmp(&dissipated[*a]));
    let wanted = MARKED_SHARE * dissipated.iter().sum::<f64>();
    let (mut marked, mut sum) = (vec![false; dissipated.len()], 0.0);
    for tet in order {
        if sum >= wanted {
            break;
        }
        marked[tet] = true;
        sum += dissipated[tet];
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_elements_with_most_of_it_are_marked() {
        assert_eq!(marked(&[1.0, 5.0, 0.5, 3.0, 0.5]), [false, true, false, true, false]);
        assert_eq!(marked(&[0.0; 3]), [false; 3]);
    }

    #[test]
    fn passes_read_back_to_the_last_bit() {
        let observables = Observables {
            matches: vec![1e9],
            ports: 2,
            s: vec![vec![Complex64::new(0.5, 0.1), Complex64::new(0.0, -0.3)]],
            far: vec![vec![2.0, 1.0, 0.0]],
            resonances: Some(vec![1.1e9]),
        };
        let dissipated = vec![3e-18 / 7.0];
        let pass =
            Pass { order: 2, elements: 7, dissipated, observables, sizes: "View".into(), ..Pass::default() };
        let mut out = StateWriter::default();
        pass.write(&mut out);
        assert_eq!(Pass::read(&mut StateReader::new(&out.parts().concat())), Some(pass.clone()));
    }
}
