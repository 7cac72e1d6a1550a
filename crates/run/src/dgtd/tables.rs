//! Tables of a dgtd run: energy, probes and ports against time, S-parameters against frequency.

use super::ports::{Column, decibels};
use phasefront_dgtd::{Solution, Study};
use phasefront_report::Table;
use std::f64::consts::TAU;

/// Components of a probe, with their units.
const COMPONENTS: [&str; 6] =
    ["ex_v_per_m", "ey_v_per_m", "ez_v_per_m", "hx_a_per_m", "hy_a_per_m", "hz_a_per_m"];

/// `energy.csv`.
pub(super) fn energy(solution: &Solution) -> Table {
    Table::new("energy")
        .number("time_s", solution.energy.iter().map(|&(time, _)| time).collect())
        .number("energy_j", solution.energy.iter().map(|&(_, energy)| energy).collect())
}

/// E and H at all probes after each step: [probe][step][component].
pub(super) fn probed(study: &Study, solution: &Solution) -> Vec<Vec<[f64; 6]>> {
    (0..study.problem.monitors.probes.len()).map(|probe| study.probe(solution, probe)).collect()
}

/// Times of the steps, s.
pub(super) fn times(solution: &Solution, steps: usize) -> Vec<f64> {
    (0..steps).map(|step| solution.time(step)).collect()
}

/// `probes.csv`: a row for each step, six columns for each probe.
pub(super) fn probes(solution: &Solution, probed: &[Vec<[f64; 6]>]) -> Table {
    let steps = probed.first().map_or(0, Vec::len);
    let mut table = Table::new("probes").number("time_s", times(solution, steps));
    for (probe, fields) in probed.iter().enumerate() {
        for (k, component) in COMPONENTS.iter().enumerate() {
            let name = format!("probe{}_{component}", probe + 1);
            table = table.number(name, fields.iter().map(|field| field[k]).collect());
        }
    }
    table
}

/// `port_time.csv`: voltage at each port and current from it into the model after each step.
pub(super) fn port_time(study: &Study, solution: &Solution) -> Table {
    let ports = study.problem.sources.ports.len();
    let voltages: Vec<Vec<f64>> = (0..ports).map(|port| study.voltage(solution, port)).collect();
    let times = times(solution, voltages.first().map_or(0, Vec::len));
    let mut table = Table::new("port_time").number("time_s", times);
    for (i, voltage) in voltages.into_iter().enumerate() {
        table = table
            .number(format!("port{}_voltage_v", i + 1), voltage)
            .number(format!("port{}_current_a", i + 1), study.current(solution, i));
    }
    table
}

/// `modes.csv`: propagation constant and impedance of the modes of wave ports; none without such ports.
pub(super) fn modes(study: &Study) -> Option<Table> {
    let frequencies = &study.problem.monitors.frequencies;
    let mut table = Table::new("modes").number("frequency_hz", frequencies.clone());
    let mut some = false;
    for port in 0..study.problem.sources.ports.len() {
        let at: Option<Vec<_>> = frequencies.iter().map(|f| study.mode_at(port, *f)).collect();
        let Some(at) = at else { continue };
        some = true;
        let name = |of: &str| format!("port{}_{of}", port + 1);
        table = table
            .number(name("alpha_np_per_m"), at.iter().map(|[gamma, _]| gamma.re).collect())
            .number(name("beta_rad_per_m"), at.iter().map(|[gamma, _]| gamma.im).collect())
            .number(name("impedance_re_ohm"), at.iter().map(|[_, z]| z.re).collect())
            .number(name("impedance_im_ohm"), at.iter().map(|[_, z]| z.im).collect());
    }
    some.then_some(table)
}

/// `lines.csv`: resistance, inductance, conductance and capacitance per length between the terminals of wave ports; none without terminals.
pub(super) fn lines(study: &Study) -> Option<Table> {
    let frequencies = &study.problem.monitors.frequencies;
    let mut table = Table::new("lines").number("frequency_hz", frequencies.clone());
    for terminals in &study.terminals {
        let at: Vec<_> = frequencies.iter().map(|f| study.line_parameters(terminals, *f)).collect();
        let count = terminals.ports.len();
        for (i, j) in (0..count).flat_map(|i| (i..count).map(move |j| (i, j))) {
            let name = |of: &str, unit: &str| {
                let [row, column] = [i, j].map(|k| terminals.ports.start + k + 1);
                format!("{of}{row}_{column}_{unit}_per_m")
            };
            let real = |k: usize| at.iter().map(|all| all[k][i][j].re).collect::<Vec<f64>>();
            let over_omega = |k: usize| -> Vec<f64> {
                at.iter().zip(frequencies).map(|(all, f)| all[k][i][j].im / (TAU * f)).collect()
            };
            table = table
                .number(name("r", "ohm"), real(0))
                .number(name("l", "h"), over_omega(0))
                .number(name("g", "s"), real(1))
                .number(name("c", "f"), over_omega(1));
        }
    }
    (!study.terminals.is_empty()).then_some(table)
}

/// `port.csv`: the S-parameters of each excited port, with their estimated errors where there is an estimate, and the input impedance of the first of them.
pub(super) fn port(columns: &[Column], errors: Option<&[Vec<f64>]>) -> Table {
    let first = columns.first().map_or(&[][..], |column| &column.spectra);
    let mut table = Table::new("port").number("frequency_hz", first.iter().map(|at| at.frequency).collect());
    let frequencies = first.len();
    for (i, column) in columns.iter().enumerate() {
        for to in 0..column.ports() {
            let (name, s) = (column.name(to), column.to(to));
            table = table
                .number(format!("s{name}_db"), s.iter().copied().map(decibels).collect())
                .number(format!("s{name}_re"), s.iter().map(|s| s.re).collect())
                .number(format!("s{name}_im"), s.iter().map(|s| s.im).collect());
            if let Some(errors) = errors {
                let of = |f: usize| errors[i][f * column.ports() + to];
                table = table.number(format!("s{name}_error"), (0..frequencies).map(of).collect());
            }
        }
    }
    table
        .sparse("impedance_re_ohm", first.iter().map(|at| Some(at.impedance.re)))
        .sparse("impedance_im_ohm", first.iter().map(|at| Some(at.impedance.im)))
}
