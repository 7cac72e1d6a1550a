//! What a dgtd case returns: tables, arrays, plots and metrics of its runs.

use super::picture::{self, Limiting};
use super::ports::{self, PortLabel};
use super::prepared::Prepared;
use super::runs::Runs;
use super::{far, figures, files, near_field, near_source, plots, resonances, self_checks, slices, tables};
use crate::job::Products;
use phasefront_dgtd::{Estimate, RankReport, STAGES, Solution};
use phasefront_report::IndexMap;
use phasefront_report::plot::Plot;

impl Prepared {
    /// Of all runs; with the estimated errors of an adaptation.
    pub fn products(&self, runs: &Runs, estimate: Option<&Estimate>) -> Products {
        let mut products = Products { metrics: self.metrics(runs), ..Products::default() };
        // Fields, far fields and time series are those of the first excited port.
        let first = &runs.solutions[0];
        products.plots.push(self.mesh_plot());
        self.add_far_fields(first, &mut products);
        self.add_near_field(first, &mut products);
        self.add_ports(runs, estimate, &mut products);
        self.add_resonances(runs, estimate, &mut products);
        self.add_pictures(first, &mut products);
        self.add_volumes(first, &mut products);
        self.add_times(first, &mut products);
        let measured = runs.solutions.iter().flat_map(|solution| solution.self_checks(&self.study));
        products.self_checks = self_checks::worst(measured);
        products
    }

    fn mesh_plot(&self) -> Plot {
        let is_added = |volume: &str| self.problem().guides.iter().any(|guide| guide.holds(volume));
        picture::plot(&self.case, self.study.mesh(), is_added, Some(&Limiting::of(&self.study)))
    }

    fn add_far_fields(&self, solution: &Solution, products: &mut Products) {
        if let Some(requested) = &self.case.output.rcs {
            let echo = far::rcs(&self.study, solution, requested, self.case.output.mie.as_ref());
            let what = "bistatic RCS: total, and by the receiver's polarization; for a sphere the Mie series";
            products.tables.push((echo.table, what));
            let what = "extinction cross section, by the optical theorem, and scattering cross section";
            products.tables.push((far::extinction(&self.study, solution), what));
            products.plots.extend(echo.plots);
            products.metrics.insert("peak_rcs_dbsm".into(), echo.peak);
            if let Some(difference) = echo.mie_difference {
                products.metrics.insert("mie_difference_db".into(), difference);
            }
        }
        if let Some(requested) = &self.case.output.directivity {
            let found = far::antenna(&self.study, solution, requested);
            products.tables.push((found.table, "directivity in all directions; with ports also the gain"));
            products.arrays.push((found.arrays, "directivity, and far fields times distance"));
            products.plots.extend(found.plots);
            products.metrics.insert("peak_directivity_dbi".into(), found.peak_directivity);
            if let Some(gain) = found.peak_gain {
                products.metrics.insert("peak_gain_dbi".into(), gain);
            }
            let what = "gain, efficiencies, beam widths, polarization and phase center at each frequency";
            products.tables.push((figures::table(&found.figures), what));
            let (exports, left_out) = (&self.case.output.exports, figures::left_out(&found.figures));
            if !exports.is_empty() && left_out > 0 {
                let all = found.figures.len();
                products.warnings.push(format!(
                    "exports of the far field leave out {left_out} of {all} frequencies, at which the excited port accepts no power"
                ));
            }
            for kind in exports {
                match figures::file(*kind, &found.figures) {
                    Ok(file) => products.texts.push(file),
                    // Its grid was checked before the run: fields that are not finite have other warnings, too.
                    Err(error) => products.warnings.push(format!("{error}; {}", error.advice())),
                }
            }
        }
    }

    fn add_near_field(&self, solution: &Solution, products: &mut Products) {
        let radiated = near_source::table(&self.study, solution);
        products.tables.extend(
            radiated.map(|table| (table, "power of the near field of the source: recorded, and radiated")),
        );
        let Some(requested) = &self.case.output.near_field else { return };
        let found = near_field::Found::new(&self.study, solution);
        products.tables.push((found.table(), "power out of the near-field surface"));
        let what = "E and H on the near-field surface, V/m and A/m, with its normals and areas";
        products.arrays.push((found.arrays(&self.study.near_medium()), what));
        if let Some(sides) = &requested.sides {
            for kind in &requested.exports {
                products.texts.push(found.file(*kind, sides));
            }
        }
    }

    fn add_ports(&self, runs: &Runs, estimate: Option<&Estimate>, products: &mut Products) {
        if self.problem().sources.ports.is_empty() {
            return;
        }
        let columns = ports::columns(&self.study, &runs.solutions);
        let what = "S-parameters, and the input impedance of the first excited port";
        products.tables.push((tables::port(&columns, estimate.map(|estimate| &estimate.s[..])), what));
        if let Some(modes) = tables::modes(&self.study) {
            products.tables.push((modes, "propagation constants and impedances of the modes of wave ports"));
        }
        if let Some(lines) = tables::lines(&self.study) {
            products.tables.push((
                lines,
                "resistance, inductance, conductance and capacitance per length between terminals",
            ));
        }
        let labels = PortLabel::all(&self.study);
        if let Some(parameters) = files::touchstone(&labels, &columns) {
            products.s_parameters.push((parameters, "S-parameters for circuit simulators"));
        }
        products.plots.extend(plots::s_parameters(&labels, &columns));
        if let Some(first) = columns.first().filter(|column| !column.spectra.is_empty()) {
            let best = &first.spectra[ports::best_matched(&first.spectra, first.port)];
            products.metrics.insert("best_match_hz".into(), best.frequency);
            products.metrics.insert("best_match_db".into(), ports::decibels(best.s[first.port]));
        }
    }

    fn add_resonances(&self, runs: &Runs, estimate: Option<&Estimate>, products: &mut Products) {
        let Some(band) = self.case.output.resonances else { return };
        let found = self.study.resonances(&runs.solutions, band.si());
        let what = "resonances in what rings after the pulse, with estimated errors";
        products
            .tables
            .push((resonances::table(&found, estimate.map(|estimate| &estimate.resonances[..])), what));
        products.warnings.extend(resonances::warnings(&self.study, runs, &found));
        products.plots.extend(resonances::plot(&self.study, runs, band.si(), &found));
    }

    /// Fields on slices, and surface currents on conductors.
    fn add_pictures(&self, solution: &Solution, products: &mut Products) {
        let monitors = &self.problem().monitors;
        if monitors.slices.is_empty() && !monitors.currents {
            return;
        }
        // For an antenna, the frequency of the best match.
        let shown = ports::best_matched(&self.study.ports(solution), solution.excited);
        for (i, slice) in monitors.slices.iter().enumerate() {
            if !monitors.frequencies.is_empty() {
                let fields = slices::fields(&self.study, solution, i);
                let what = "E and H on a slice at all frequencies, V/m and A/m";
                products.arrays.push((files::slice_arrays(&monitors.frequencies, slice, &fields), what));
                products.plots.extend(plots::slice_map(&self.study, slice, &fields, shown));
            }
            let moments = self.study.slice_in_time(solution, i);
            if !moments.is_empty() {
                let what = "E and H on a slice at the times of the snapshots, V/m and A/m";
                products.arrays.push((files::slice_time_arrays(slice, &moments), what));
                let film = self.case.output.slices[i].film;
                products.plots.extend(plots::slice_movie(slice, &moments, film));
            }
        }
        if monitors.currents {
            let mesh = self.study.conductor_subdivision();
            let what = "surface currents on the conductors at a frequency, for ParaView";
            let surfaces = files::current_surfaces(&self.study, solution, &mesh);
            products.surfaces.extend(surfaces.into_iter().map(|surface| (surface, what)));
            let list = files::list("currents", &monitors.frequencies);
            products.texts.push(("currents.pvd", list, "all currents, with frequencies in place of times"));
            products.plots.push(plots::currents(&self.study, solution, mesh, shown));
        }
    }

    /// Fields in volumes, at frequencies and at the times of the snapshots.
    fn add_volumes(&self, solution: &Solution, products: &mut Products) {
        let monitors = &self.problem().monitors;
        if !monitors.volumes.is_empty() {
            let what = "E and H in volumes at a frequency, for ParaView";
            let found = files::spectra(&self.study, solution);
            products.volumes.extend(found.into_iter().map(|volume| (volume, what)));
            let list = files::list("volumes", &monitors.frequencies);
            products.texts.push(("volumes.pvd", list, "all of them, with frequencies in place of times"));
        }
        if self.study.snapshot_volume_points() > 0 {
            let (times, found) = files::snapshots(&self.study, solution);
            let what = "E and H at the time of a snapshot, for ParaView";
            products.volumes.extend(found.into_iter().map(|volume| (volume, what)));
            products.texts.push((
                "fields.pvd",
                files::list("fields", &times),
                "all snapshots, as an animation",
            ));
        }
    }

    fn add_times(&self, solution: &Solution, products: &mut Products) {
        if !self.problem().monitors.probes.is_empty() {
            let probed = tables::probed(&self.study, solution);
            let what = "fields at the probes after every step, probes in the order of the case";
            products.tables.push((tables::probes(solution, &probed), what));
            products.plots.push(plots::probes(solution, &probed));
        }
        if !self.problem().sources.ports.is_empty() {
            let what =
                "voltage at each port and current into the model after every step, in the order of the case";
            products.tables.push((tables::port_time(&self.study, solution), what));
        }
        products.tables.push((tables::energy(solution), "energy of all fields against time"));
        products.plots.push(plots::energy(solution));
    }

    fn metrics(&self, runs: &Runs) -> IndexMap<String, f64> {
        let (dof, first, (steps, seconds)) = (self.study.dof() as f64, &runs.solutions[0], runs.pace);
        let drops = runs.solutions.iter().map(Solution::energy_drop);
        let mut metrics = vec![
            ("elements", self.problem().mesh.tets.len() as f64),
            ("dof", dof),
            ("dt_s", first.dt),
            ("steps", runs.solutions.iter().map(|solution| solution.steps).sum::<u64>() as f64),
            ("gdof_per_s", 1e-9 * dof * (STAGES as u64 * steps) as f64 / seconds.max(1e-9)),
            ("energy_drop_db", drops.fold(f64::INFINITY, f64::min)),
        ];
        metrics.extend(first.error.map(|error| ("field_error", error)));
        if !first.ranks.is_empty() {
            let worst = |of: fn(&RankReport) -> f64| first.ranks.iter().map(of).fold(0.0, f64::max);
            metrics.extend([
                ("ranks", first.ranks.len() as f64),
                ("elements_per_rank_max", worst(|rank| rank.elements)),
                ("halo_bytes_per_stage_max", worst(|rank| rank.halo_bytes)),
                ("halo_wait_s_max", worst(|rank| rank.seconds_waited)),
            ]);
        }
        metrics.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
