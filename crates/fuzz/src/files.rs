//! Files that a case names, read as `phasefront check` reads them: by a small case beside them.

use phasefront_device::DeviceChoice;
use phasefront_reflectarray::coverage::{Pointing, Satellite, read_geojson};
use phasefront_run::{Options, check_text};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Names the folder for the files of targets.
pub const FOLDER_VARIABLE: &str = "PHASEFRONT_FUZZ_FOLDER";

/// A folder for files: in the one that a supervisor names and removes, or in a temporary one of this process.
pub(crate) fn folder(name: &str) -> PathBuf {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    let root = ROOT.get_or_init(|| match std::env::var_os(FOLDER_VARIABLE) {
        Some(given) => given.into(),
        None => tempfile::tempdir().map_or_else(|_| std::env::temp_dir(), TempDir::keep),
    });
    let folder = root.join(name);
    // If it cannot be made, writing into it fails, and says so.
    let _ = fs::create_dir_all(&folder);
    folder
}

/// Checks a case with these bytes in the file that it names.
fn check(file: &str, bytes: &[u8], text: &str) {
    let folder = folder("files");
    assert!(fs::write(folder.join(file), bytes).is_ok(), "{} cannot be written", folder.display());
    let options = Options { device: DeviceChoice::Cpu, ..Options::default() };
    match check_text("case.toml", text, &folder, &options) {
        Ok(plan) => {
            crate::accept();
            let _ = format!("{plan:?}");
        }
        Err(error) => {
            let _ = format!("{error} {:?}", error.advice());
        }
    }
}

/// A case of an array of four by four microphones.
fn array(geometry: &str, source: &str) -> String {
    format!(
        "version = 1\nsolver = \"nah\"\nname = \"array\"\n\n[geometry]\ngrid = [4, 4]\nspacing = [\"5 cm\", \"5 cm\"]\n\
         standoff = \"5 cm\"\n{geometry}\n\n[source]\n{source}\n\n[solve]\nfft_length = 16\n\n[output]\nmaps = false\n\
         frequency = \"500 Hz\"\n"
    )
}

pub(crate) fn wav(bytes: &[u8]) {
    check("a.wav", bytes, &array("", "file = \"a.wav\""));
}

/// Samples behind a header; the first byte selects their format.
pub(crate) fn recordings(bytes: &[u8]) {
    const FILES: [(&str, &str); 7] = [
        ("a.csv", ""),
        ("a.uff", ""),
        ("a.mat", ""),
        ("a.mat", "variable = \"p\""),
        ("a.h5", ""),
        ("a.h5", "variable = \"measurement/pressure\""),
        ("a.wav", ""),
    ];
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let (file, variable) = FILES[usize::from(*kind) % FILES.len()];
    check(file, bytes, &array("", &format!("file = \"{file}\"\n{variable}")));
}

pub(crate) fn npy(bytes: &[u8]) {
    check("a.npy", bytes, &array("", "file = \"a.npy\"\nsample_rate = \"6400 Hz\""));
}

pub(crate) fn npz(bytes: &[u8]) {
    check("a.npz", bytes, &array("", "file = \"a.npz\""));
}

/// Samples without a header; the first byte selects their type.
pub(crate) fn raw(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let format = ["i16", "i32", "f32", "pdm"][usize::from(kind % 4)];
    let source = format!("file = \"a.raw\"\nformat = \"{format}\"\nsample_rate = \"6400 Hz\"");
    check("a.raw", bytes, &array("", &source));
}

pub(crate) fn spectra(bytes: &[u8]) {
    check("a.csv", bytes, &array("", "file = \"a.csv\""));
}

pub(crate) fn positions(bytes: &[u8]) {
    let source = "frequency = \"500 Hz\"\nmonopoles = [{ position = [\"0 cm\", \"0 cm\"], depth = \"5 cm\", strength = 0.2 }]\n\
                  signal = \"spectra\"\nsnr_db = 40.0";
    check(
        "p.csv",
        bytes,
        &array("positions = \"p.csv\"", source).replace("fft_length = 16", "method = \"esm\""),
    );
}

/// A material over frequency.
pub(crate) fn medium(bytes: &[u8]) {
    let text = "version = 1\nsolver = \"sbr\"\nname = \"plate\"\n\n[geometry]\ntarget = { shape = \"plate\", size = [\"0.3 m\", \"0.3 m\"] }\n\n\
                [geometry.materials]\nbody = { layers = [{ thickness = \"1.5 mm\", file = \"m.csv\" }] }\n\n\
                [source]\nfrequency = \"3 GHz\"\ntheta = \"45 deg\"\nphi = \"0 deg\"\n\n[solve]\nbounces = 1\n";
    check("m.csv", bytes, text);
}

/// A reflectarray of three by two elements.
fn reflectarray(feed: &str, geometry: &str) -> String {
    format!(
        "version = 1\nsolver = \"reflectarray\"\nname = \"array\"\n\n[geometry]\nelements = [3, 2]\nspacing = \"0.5 lambda\"\n\
         feed = {{ offset = \"0.1 m\", height = \"0.4 m\", {feed} }}\n{geometry}\n\n[source]\nfrequency = \"14.25 GHz\"\n\n\
         [solve]\nmethod = \"analysis\"\nuv_grid = {{ center = [0.0, 0.0], points = [5, 5], spacing = 0.1 }}\n"
    )
}

pub(crate) fn design(bytes: &[u8]) {
    check("d.csv", bytes, &reflectarray("power_exponent = 4", "design = \"d.csv\""));
}

pub(crate) fn reflection(bytes: &[u8]) {
    check(
        "r.csv",
        bytes,
        &reflectarray("power_exponent = 4", "focus = [0.0, 0.0]\nelement = { reflection = \"r.csv\" }"),
    );
}

/// The pattern of a feed; the first byte selects its format.
pub(crate) fn feed(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let file = ["f.ffe", "f.ffd", "f.cut", "f.grd"][usize::from(kind % 4)];
    check(file, bytes, &reflectarray(&format!("pattern = {{ file = \"{file}\" }}"), "focus = [0.0, 0.0]"));
}

/// Coverages on the Earth.
pub(crate) fn geojson(bytes: &[u8]) {
    let Ok(areas) = read_geojson(&String::from_utf8_lossy(bytes)) else { return };
    let Ok(satellite) = Satellite::new(0.1, Pointing::Nadir) else { return };
    crate::accept();
    for area in areas {
        let _ = area.project(&satellite);
    }
}
