//! Writes the files of a result folder.

use crate::error::RunError;
use crate::job::Products;
use crate::options::Format;
use phasefront_case::CaseFile;
use phasefront_report::plot::{PLOTS_FILE, Plot, plots_json};
use phasefront_report::{Checkpoint, HDF5_FILE, OutputFolder, Report, RunResult, picture, to_hdf5};

/// Caption and picture of a plot, as the report page shows it.
type DrawnPlot = (String, String);

/// Writes the case before the computation starts, so that a run that is killed can be resumed. A folder with a checkpoint is
/// refused unless `force`.
pub(crate) fn begin(folder: &mut OutputFolder, file: &CaseFile, force: bool) -> Result<(), RunError> {
    // Hours of work may be in the checkpoint: the user must decide to resume or to discard it.
    if !force && Checkpoint::of(folder.path()).header()?.is_some() {
        return Err(RunError::Unfinished { folder: folder.path().into() });
    }
    case(folder, file)
}

fn case(folder: &mut OutputFolder, file: &CaseFile) -> Result<(), RunError> {
    Ok(folder.write("case.toml", file.source.text.as_bytes(), "the case as it was run")?)
}

/// Writes only the tables, for an interrupted run.
pub(crate) fn tables(folder: &mut OutputFolder, products: &Products) -> Result<(), RunError> {
    for (table, what) in &products.tables {
        folder.write_table(table, *what)?;
    }
    Ok(())
}

/// Writes case, tables, arrays and plots; returns the plots.
pub(crate) fn products(
    folder: &mut OutputFolder,
    file: &CaseFile,
    products: &Products,
    format: Format,
) -> Result<Vec<DrawnPlot>, RunError> {
    case(folder, file)?;
    tables(folder, products)?;
    match format {
        Format::Npz => {
            for (arrays, what) in &products.arrays {
                folder.write_arrays(arrays, *what)?;
            }
        }
        // In addition to the CSV tables, which every run has.
        Format::Hdf5 => {
            let bytes = to_hdf5(&products.arrays, &products.tables)?;
            folder.write(HDF5_FILE, bytes, "all arrays and tables")?;
        }
    }
    for (surface, what) in &products.surfaces {
        folder.write_surface(surface, *what)?;
    }
    for (volume, what) in &products.volumes {
        folder.write_volume(volume, *what)?;
    }
    for (parameters, what) in &products.s_parameters {
        folder.write_s_parameters(parameters, *what)?;
    }
    for (name, text, what) in &products.texts {
        folder.write(*name, text, *what)?;
    }
    plots(folder, products)
}

/// Writes each plot as SVG and PNG, films, and all plots as data.
fn plots(folder: &mut OutputFolder, products: &Products) -> Result<Vec<DrawnPlot>, RunError> {
    let mut plots = Vec::new();
    for (plot, (rendered, film)) in products.plots.iter().zip(Plot::render_all(&products.plots)?) {
        folder.write(format!("{}.svg", plot.name()), rendered.svg.as_bytes(), plot.title())?;
        folder.write(format!("{}.png", plot.name()), &rendered.png, plot.title())?;
        plots.push((plot.caption().to_owned(), rendered.svg));
        if let Some(film) = film {
            folder.write(
                format!("{}_film.png", plot.name()),
                &film,
                format!("{}, as a film", plot.title()),
            )?;
            plots.push((format!("{} As a film.", plot.caption()), picture(&film)));
        }
    }
    if !products.plots.is_empty() {
        let text = plots_json(&products.plots);
        folder.write(PLOTS_FILE, text, "the plots as data, for `phasefront view`")?;
    }
    Ok(plots)
}

/// Writes the report page, and `result.json` last.
pub(crate) fn report(
    mut folder: OutputFolder,
    mut result: RunResult,
    file: &CaseFile,
    products: &Products,
    plots: &[DrawnPlot],
    device: &str,
) -> Result<RunResult, RunError> {
    // The page lists the files written before it; `finish` adds the page itself.
    result.files = folder.files().to_vec();
    let title = format!("{} — {}", file.case.name(), file.case.solver());
    let report = Report {
        title: &title,
        subtitle: device,
        result: &result,
        plots,
        tables: &products.tables.iter().map(|(table, _)| table).collect::<Vec<_>>(),
        case_text: &file.source.text,
    };
    folder.write("report.html", phasefront_report::html(&report).as_bytes(), "this run on one page")?;
    Ok(folder.finish(result)?)
}
