//! Adaptation to `solve.accuracy`: against closed forms, interrupted and resumed, and where a mesh is refined.

use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_core::{Event, Progress, Sink};
use phasefront_device::DeviceChoice;
use phasefront_run::{Options, Outcome, RunError, resume, run_text};
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A column of space, 376.73 Ω, with a slab in it, between two ports; the first order does not resolve it.
const SLAB: &str = r#"version = 1
solver = "dgtd"
name = "column"

[geometry]
box = { from = ["0 m", "0 m", "0 m"], to = ["50 mm", "50 mm", "400 mm"], cell_size = "50 mm", regions = [{ name = "slab", from = ["0 m", "0 m", "100 mm"], to = ["50 mm", "50 mm", "200 mm"] }] }
materials = { slab = { eps_r = 4 } }
boundaries = { xmin = "pec", xmax = "pec", ymin = "pmc", ymax = "pmc" }

[source]
frequency = { from = "0.3 GHz", to = "0.6 GHz", points = 4 }
ports = [
    { surface = "zmin", resistance = "376.730313668 ohm", direction = [1, 0, 0] },
    { surface = "zmax", resistance = "376.730313668 ohm", direction = [1, 0, 0] },
]

[solve]
order = 1
energy_decay_db = 80
accuracy = "0.5 %"
"#;

fn options(folder: &Path) -> Options {
    Options { device: DeviceChoice::Cpu, out: Some(folder.join("out")), ..Options::default() }
}

fn solved(text: &str, folder: &Path, progress: &Progress) -> Result<Outcome, RunError> {
    run_text("case.toml", text, folder, &options(folder), progress)
}

/// The columns of a table of a run, by name.
fn column(folder: &Path, table: &str, name: &str) -> Vec<f64> {
    let csv = std::fs::read_to_string(folder.join("out").join(table)).unwrap();
    let column = csv.lines().next().unwrap().split(',').position(|title| title == name);
    let column = column.unwrap_or_else(|| panic!("{table} has no {name}"));
    csv.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap_or(f64::NAN)).collect()
}

/// S11 of a slab of index n and thickness d behind a distance l: e^{−2jkl} r (1 − e^{−2jnkd})/(1 − r² e^{−2jnkd}), r = (1 − n)/(1 + n)
/// (M. Born, E. Wolf, *Principles of Optics*, 7.6).
fn reflection(frequency: f64) -> Complex64 {
    let (n, d, l, k) = (2.0, 0.1, 0.1, TAU * frequency / C0);
    let (r, turn) = ((1.0 - n) / (1.0 + n), Complex64::cis(-2.0 * n * k * d));
    Complex64::cis(-2.0 * k * l) * r * (1.0 - turn) / (1.0 - r * r * turn)
}

#[test]
fn the_order_rises_until_a_slab_is_known() {
    adapts_to_a_slab(SLAB);
}

/// The guides behind the ports are made again for each order, and are in no estimate.
#[test]
fn the_order_rises_between_wave_ports() {
    let lumped = "resistance = \"376.730313668 ohm\", direction = [1, 0, 0]";
    adapts_to_a_slab(&SLAB.replace(lumped, "wave = { modes = 1 }"));
}

fn adapts_to_a_slab(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let outcome = solved(text, folder.path(), &Progress::silent()).unwrap();
    let column = |table, name| column(folder.path(), table, name);
    let orders = column("passes.csv", "order");
    assert!(
        orders.len() >= 2 && orders.iter().zip(1..).all(|(order, n)| *order == f64::from(n)),
        "{orders:?}"
    );
    let dissipated = column("passes.csv", "dissipated_j");
    assert!(dissipated.windows(2).all(|pair| pair[1] < 0.5 * pair[0]), "{dissipated:?}");
    let check = outcome.result.trust.iter().find(|check| check.name == "estimated error").unwrap();
    assert!(check.holds() && check.limit == 0.5, "{check:?}");
    // What is left of the error is what the estimate says, or less.
    let [re, im, error] = ["s11_re", "s11_im", "s11_error"].map(|name| column("port.csv", name));
    for (i, frequency) in column("port.csv", "frequency_hz").into_iter().enumerate() {
        let miss = (Complex64::new(re[i], im[i]) - reflection(frequency)).norm();
        println!("{frequency:e} Hz: off by {miss:.1e}, estimated {:.1e}", error[i]);
        assert!(miss < error[i].max(1e-4), "{frequency} Hz: {miss} {}", error[i]);
    }
}

/// A run that is cut off, perhaps before anything is measured, is no failure of the program, and is warned of.
#[test]
fn a_run_that_is_cut_off_warns() {
    for nanoseconds in [0.2, 1.0, 2.0, 3.0, 4.0] {
        let folder = tempfile::tempdir().unwrap();
        let end = format!("energy_decay_db = false\nmax_time = \"{nanoseconds} ns\"\nmax_passes = 2\n");
        let text = SLAB.replace("energy_decay_db = 80\n", &end);
        let outcome = solved(&text, folder.path(), &Progress::silent()).unwrap();
        let warnings = outcome.result.warnings;
        assert!(warnings.iter().any(|warning| warning.contains("fields still ring")), "{warnings:?}");
    }
}

/// Between conductors a PML of one element absorbs at order 2, and amplifies at order 3: what the first pass has found is the result.
#[test]
fn a_pass_that_diverges_leaves_the_result_of_the_one_before_it() {
    let geometry = "box = { from = [\"0 m\", \"0 m\", \"0 m\"], to = [\"50 mm\", \"50 mm\", \"200 mm\"], cell_size = \"50 mm\", name = \"pml\", \
                    regions = [{ name = \"air\", from = [\"0 m\", \"0 m\", \"0 m\"], to = [\"50 mm\", \"50 mm\", \"150 mm\"] }] }";
    let column_of_space = SLAB.lines().find(|line| line.starts_with("box = ")).unwrap();
    let second_port = SLAB.lines().find(|line| line.contains("\"zmax\"")).unwrap();
    let solve = "order = 2\nenergy_decay_db = false\nmax_time = \"30 ns\"\n";
    let text = SLAB
        .replace(column_of_space, geometry)
        .replace(second_port, "")
        .replace("materials = { slab = { eps_r = 4 } }\n", "")
        .replace("order = 1\nenergy_decay_db = 80\n", solve);
    let folder = tempfile::tempdir().unwrap();
    let outcome = solved(&text, folder.path(), &Progress::silent()).unwrap();
    assert_eq!(column(folder.path(), "passes.csv", "order"), [2.0]);
    let result = outcome.result;
    assert_eq!(result.metrics["passes"], 1.0);
    let start = "the error of the mesh is not known after 1 pass; pass 2 failed: the simulation is unstable: the energy diverges at step ";
    let told = |warning: &String| {
        warning.starts_with(start) && warning.contains("make PMLs at least four elements thick")
    };
    assert!(result.warnings.iter().any(told), "{:?}", result.warnings);
    // The matched line of the first pass, not the fields that diverge; and nothing to resume.
    let [re, im] = ["s11_re", "s11_im"].map(|name| column(folder.path(), "port.csv", name));
    let reflected = re.iter().zip(&im).map(|(re, im)| re.hypot(*im)).fold(0.0, f64::max);
    println!("reflected {reflected}");
    assert!(re.len() == 4 && reflected < 0.1, "{reflected}");
    let energy = column(folder.path(), "energy.csv", "energy_j");
    assert!(energy[energy.len() - 1] < 1e-4 * energy.iter().copied().fold(0.0, f64::max));
    let files = std::fs::read_dir(folder.path().join("out")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(files.into_iter().all(|name| !name.to_string_lossy().contains("checkpoint")));
}

/// Stops a run when its second pass is under way.
#[derive(Default)]
struct SecondPass {
    begun: AtomicBool,
    stop: Arc<AtomicBool>,
}

impl Sink for SecondPass {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Note(text) if text.starts_with("pass 2: ") && text.contains("elements") => {
                self.begun.store(true, Ordering::Relaxed);
            }
            Event::Advance { done, .. } if done > 100 && self.begun.load(Ordering::Relaxed) => {
                self.stop.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

#[test]
fn an_interrupted_adaptation_goes_on_to_the_same_files() {
    let [whole, stopped] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    solved(SLAB, whole.path(), &Progress::silent()).unwrap();
    let sink = Arc::new(SecondPass::default());
    let progress = Progress::new(sink.clone(), sink.stop.clone());
    let error = solved(SLAB, stopped.path(), &progress).unwrap_err();
    assert!(matches!(error, RunError::Stopped { .. }), "{error}");
    resume(&stopped.path().join("out"), &options(stopped.path()), &Progress::silent()).unwrap();
    for file in ["passes.csv", "port.csv", "energy.csv"] {
        let [a, b] =
            [&whole, &stopped].map(|folder| std::fs::read(folder.path().join("out").join(file)).unwrap());
        assert!(a == b, "{file} differs");
    }
}

/// Adds a line to the mesh file when the first pass is done.
struct ChangedMesh(PathBuf);

impl Sink for ChangedMesh {
    fn event(&self, event: Event<'_>) {
        if let Event::Note(text) = event
            && text.starts_with("pass 1: the mesh dissipates")
        {
            std::fs::write(&self.0, std::fs::read_to_string(&self.0).unwrap() + "\n").unwrap();
        }
    }
}

/// A mesh file that changes during the run belongs to another problem: the first pass is the result, and the run says so.
#[test]
fn a_mesh_that_changes_between_passes_ends_them() {
    let folder = tempfile::tempdir().unwrap();
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/71-coax");
    let mesh = folder.path().join("coax.msh");
    std::fs::copy(case.join("coax.msh"), &mesh).unwrap();
    let text = std::fs::read_to_string(case.join("case.toml")).unwrap();
    let text = text.replace("order = 2\n", "order = 1\naccuracy = \"0.01 %\"\n");
    let progress = Progress::new(Arc::new(ChangedMesh(mesh)), Arc::default());
    let outcome = solved(&text, folder.path(), &progress).unwrap();
    assert_eq!(column(folder.path(), "passes.csv", "order"), [1.0]);
    let warnings = outcome.result.warnings;
    let expected =
        "the error of the mesh is not known after 1 pass; coax.msh has changed since the first pass";
    assert!(warnings.iter().any(|warning| warning == expected), "{warnings:?}");
}

/// The body of a CAD file is meshed again for each pass. Skipped with a message where there is no Gmsh.
#[test]
fn a_step_file_is_refined() {
    let folder = tempfile::tempdir().unwrap();
    let script = "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0, 0, 0, 0, 0, 50, 100};\nCylinder(2) = {0, 0, 0, 0, 0, 50, 40};\n\
                  BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }\nSave \"ring.step\";\n";
    std::fs::write(folder.path().join("ring.geo"), script).unwrap();
    let program = std::env::var("PHASEFRONT_GMSH").unwrap_or_else(|_| "gmsh".into());
    let ran = Command::new(program).args(["ring.geo", "-"]).current_dir(folder.path()).output();
    if !ran.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: models meshed by Gmsh; there is no gmsh on the path: pip install gmsh");
        return;
    }
    let text = r#"version = 1
solver = "dgtd"
name = "ring"

[geometry]
space = false
cad = [{ file = "ring.step", name = "ring" }]
sheets = [{ name = "across", shape = "rectangle", from = ["50 mm", "0 mm", "0 mm"], to = ["60 mm", "0 mm", "50 mm"] }]
materials = { ring = { conductivity = "5 mS/m" } }
boundaries = { ring = "pec" }

[source]
frequency = { from = "1 GHz", to = "1.2 GHz", points = 3 }
ports = [{ surface = "across", resistance = "200 ohm", direction = [0, 0, 1] }]

[solve]
order = 1
precision = "single"
energy_decay_db = 30
accuracy = "0.01 %"
max_passes = 2
"#;
    let outcome = solved(text, folder.path(), &Progress::silent()).unwrap();
    let column = |name| column(folder.path(), "passes.csv", name);
    let (elements, dissipated) = (column("elements"), column("dissipated_j"));
    println!("elements {elements:?}, dissipated {dissipated:?}");
    assert!(elements[1] > 1.2 * elements[0] && dissipated[1] < dissipated[0], "{elements:?} {dissipated:?}");
    assert!(outcome.result.metrics["estimated_error_percent"] > 0.0);
}

/// At the reentrant edge of a cavity, x = y = 0, fields are singular: there the mesh is refined if it is not so from the beginning, and
/// the error of the resonance is told. Skipped with a message where there is no Gmsh.
#[test]
fn a_drawing_is_refined_at_its_singular_edge() {
    let program = std::env::var("PHASEFRONT_GMSH").unwrap_or_else(|_| "gmsh".into());
    if !Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: models meshed by Gmsh; there is no gmsh on the path: pip install gmsh");
        return;
    }
    let text = r#"version = 1
solver = "dgtd"
name = "cavity"

[geometry]
space = false
solids = [{ name = "cavity", shape = "extrusion", edge_size = "1 m", z = ["0 mm", "100 mm"], points = [["-100 mm", "-100 mm"], ["100 mm", "-100 mm"], ["100 mm", "0 mm"], ["0 mm", "0 mm"], ["0 mm", "100 mm"], ["-100 mm", "100 mm"]] }]
sheets = [{ name = "across", shape = "rectangle", from = ["-100 mm", "40 mm", "50 mm"], to = ["0 mm", "60 mm", "50 mm"] }]
materials = { cavity = { conductivity = "3 mS/m" } }
boundaries = { cavity = "pec" }

[source]
frequency = { from = "1.5 GHz", to = "1.7 GHz", points = 5 }
ports = [{ surface = "across", resistance = "5 kohm", direction = [1, 0, 0] }]

[solve]
order = 2
precision = "single"
energy_decay_db = 40
accuracy = "0.01 %"
max_passes = 2

[output]
resonances = { from = "1.5 GHz", to = "1.7 GHz" }
"#;
    let folder = tempfile::tempdir().unwrap();
    let outcome = solved(text, folder.path(), &Progress::silent()).unwrap();
    // The TE mode: k² = 1.47562182 + π², k = 2πf · 0.1 m/c (M. Dauge, Benchmark computations for Maxwell equations, 2004).
    let exact = C0 / (TAU * 0.1) * (1.475_621_82 + std::f64::consts::PI.powi(2)).sqrt();
    let [found, error, q] =
        ["frequency_hz", "mesh_error_hz", "q"].map(|name| column(folder.path(), "resonances.csv", name)[0]);
    // The conductivity and the port damp it: ω = ω₀ √(1 − 1/4Q²).
    let damped = exact * (1.0 - 0.25 / (q * q)).sqrt();
    println!("{found:e} with an error of {error:e} instead of {damped:e}, Q {q}");
    assert!((found - damped).abs() < error && error < 2e-3 * exact, "{found:e} {error:e} {damped:e}");
    let column = |name| column(folder.path(), "passes.csv", name);
    let [x, y] = ["worst_element_x_m", "worst_element_y_m"].map(column);
    println!("{x:?} {y:?}, elements {:?}", column("elements"));
    assert!(x[0].hypot(y[0]) < 0.05, "{x:?} {y:?}");
    let (elements, dissipated) = (column("elements"), column("dissipated_j"));
    assert!(
        elements[1] > 1.3 * elements[0] && dissipated[1] < 0.6 * dissipated[0],
        "{elements:?} {dissipated:?}"
    );
    // Two passes are not enough for this, and the run says so.
    assert!(outcome.result.warnings.iter().any(|warning| warning.contains("after 2 passes")));
}
