//! `phasefront mesh`: makes or reads the mesh of a case, describes it, writes it with a picture, and shows it in a browser.

use crate::args::{Mesh, Page};
use crate::case_file;
use crate::failure::{Failure, Result};
use crate::output::{Style, number, path_text};
use crate::session::Session;
use crate::table::Table;
use crate::view::{serve, wait};
use phasefront_core::text::visible;
use phasefront_core::units::bytes_text;
use phasefront_report::plot::{PLOTS_FILE, plots_json};
use phasefront_report::replace_file;
use phasefront_run::{CaseMesh, RunError};
use phasefront_viewer::Config;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Runs it.
pub fn mesh(args: &Mesh) -> Result<ExitCode> {
    let mut session = Session::new(&args.verbosity);
    let case = case_file::find(&args.case)?;
    if let Some(out) = &args.out {
        case_file::printable(out)?;
        check_free(out, args.force)?;
    }
    let (progress, stop) = session.progress()?;
    let mesh = phasefront_run::mesh(&case, &args.options(), &progress)?;
    mesh.warnings.iter().for_each(|warning| session.bars.warn(warning));
    let mut files = Vec::new();
    if let Some(out) = &args.out {
        let (picture, drawn) = (out.with_extension("png"), mesh.plot.render().map_err(RunError::from)?);
        for (file, bytes) in [(out, mesh.text.as_bytes()), (&picture, &drawn.png[..])] {
            replace_file(file, bytes).map_err(RunError::from)?;
            files.push(path_text(file));
        }
    }
    if session.json {
        session.out.json(&mesh)?;
    } else {
        let mut text = describe(&mesh, session.style);
        if !files.is_empty() {
            let _ = writeln!(text, "files    {}", files.join(", "));
        }
        session.print(&text)?;
    }
    if args.view {
        if let Some(error) = &mesh.refused {
            session.bars.warn(&format!("the case cannot run with this mesh: {error}"));
        }
        show(&mesh, &args.page, session.quiet, &stop)?;
    }
    match mesh.refused {
        Some(error) => Err(error.into()),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Shows the mesh in a browser until Ctrl-C.
fn show(mesh: &CaseMesh, page: &Page, quiet: bool, stop: &AtomicBool) -> Result<()> {
    let failed = |error| Failure::io("cannot write the mesh for the page", &error);
    let folder = tempfile::tempdir().map_err(failed)?;
    // The page shows the picture where it has no WebGL.
    let drawn = mesh.plot.render().map_err(RunError::from)?;
    let plots = plots_json(std::slice::from_ref(&mesh.plot));
    for (name, text) in [(PLOTS_FILE.to_owned(), plots), (format!("{}.svg", mesh.plot.name()), drawn.svg)] {
        fs::write(folder.path().join(name), text).map_err(failed)?;
    }
    let config = Config { root: folder.path().into(), mesh: true, ..Config::default() };
    let _server = serve(config, &format!("the mesh of {}", visible(&mesh.name)), page, quiet)?;
    wait(stop);
    Ok(())
}

/// Refuses to replace a file that was not asked to be replaced, and names that are not those of meshes.
fn check_free(out: &Path, force: bool) -> Result<()> {
    if out.extension().is_none_or(|extension| extension != "msh") {
        let message = format!("{}: the file name does not end with .msh", out.display());
        return Err(Failure::file(out, message, Some("write for example `--out model.msh`".into())));
    }
    if !force && out.exists() {
        let message = format!("{} exists", out.display());
        return Err(Failure::file(out, message, Some("name another file, or add --force".into())));
    }
    Ok(())
}

fn describe(mesh: &CaseMesh, style: Style) -> String {
    let order = if mesh.order == 2 { "curved" } else { "straight" };
    let mut text = format!(
        "{}: {} tetrahedra ({order}), {} nodes\n\n",
        style.bold(&visible(&mesh.name)),
        mesh.elements,
        mesh.nodes
    );
    let mut groups = Table::new(&["group", "kind"], &["elements", "volume or area"]);
    for group in &mesh.groups {
        let unit = if group.kind == "volume" { "m³" } else { "m²" };
        let cells = [
            group.name.clone(),
            group.kind.into(),
            group.elements.to_string(),
            format!("{} {unit}", number(group.size)),
        ];
        groups.row(&cells, None);
    }
    text += &groups.render(style);
    let [smallest, median] = mesh.quality.map(|quality| format!("{quality:.3}"));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\nquality  {smallest} the smallest, {median} the median; 1 is a regular tetrahedron; the worst at {}",
        position_text(mesh.worst_m)
    );
    let [short, middle, long] = mesh.edges_m.map(number);
    let _ = writeln!(text, "edges    {short} m the shortest, {middle} m the median, {long} m the longest");
    let fact = |name: &str| mesh.facts.get(name).copied();
    if let (Some(x), Some(y), Some(z), Some(altitude), Some(dt)) = (
        fact("limiting_element_x_m"),
        fact("limiting_element_y_m"),
        fact("limiting_element_z_m"),
        fact("limiting_altitude_m"),
        fact("dt_s"),
    ) {
        let volume = mesh.limiting_volume.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "step     {} s, limited by the element at {} in {}, with a smallest altitude of {} m",
            number(dt),
            position_text([x, y, z]),
            visible(volume),
            number(altitude)
        );
    }
    if let (Some(likely), Some(most), Some(dof)) = (fact("steps_likely"), fact("steps_at_most"), fact("dof"))
    {
        let [likely, most, dof] = [likely, most, dof].map(number);
        let _ = writeln!(text, "run      {dof} unknowns; about {likely} steps, {most} at most");
    }
    for usage in &mesh.memory {
        let [needed, free] = [usage.needed_bytes, usage.free_bytes].map(bytes_text);
        let _ = writeln!(text, "memory   {needed} needed, {free} free ({})", usage.place);
    }
    text
}

fn position_text(point: [f64; 3]) -> String {
    let [x, y, z] = point.map(number);
    format!("({x}, {y}, {z}) m")
}
