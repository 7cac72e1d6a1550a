//! What the `nah` solver makes of phasors: ways compared, finer planes, waves that travel, and a second array to compare with.

use ndarray::{Array1, Array2, Array3};
use ndarray_npy::{NpzReader, NpzWriter};
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_run::{Options, Outcome, RunError, check, run};
use std::f64::consts::TAU;
use std::fs::File;
use std::path::Path;

const SPEED: f64 = 343.2;

fn options(out: &Path) -> Options {
    Options { device: "cpu".parse().unwrap(), out: Some(out.to_owned()), force: true, ..Options::default() }
}

/// Runs a case in a folder that holds its files; results go to a folder of that name.
fn outcome(folder: &Path, out: &str, text: &str) -> Outcome {
    let path = folder.join("case.toml");
    std::fs::write(&path, text).unwrap();
    run(&path, &options(&folder.join(out)), &Progress::silent()).unwrap_or_else(|error| panic!("{error}"))
}

fn array(outcome: &Outcome, file: &str, name: &str) -> Array2<Complex64> {
    let file = File::open(outcome.folder.join(file)).unwrap();
    NpzReader::new(file).unwrap().by_name(name).unwrap()
}

fn axis(outcome: &Outcome, file: &str, name: &str) -> Array1<f64> {
    let file = File::open(outcome.folder.join(file)).unwrap();
    NpzReader::new(file).unwrap().by_name(name).unwrap()
}

fn apart<'a>(
    found: impl IntoIterator<Item = &'a Complex64>,
    exact: impl IntoIterator<Item = &'a Complex64> + Clone,
) -> f64 {
    let sum: f64 = found.into_iter().zip(exact.clone()).map(|(a, b)| (a - b).norm_sqr()).sum();
    (sum / exact.into_iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
}

/// A tone as bits, 8 x 8 microphones; the filter is given, so that it is the same for every way.
fn bits(spectra: &str, output: &str) -> String {
    format!(
        "version = 1\nsolver = \"nah\"\nname = \"array\"\n\n[geometry]\ngrid = [8, 8]\nspacing = [\"4 cm\", \"4 cm\"]\nstandoff = \"5 cm\"\n\n\
         [source]\nfrequency = \"1 kHz\"\nmonopoles = [{{ position = [\"2 cm\", \"2 cm\"], depth = \"3 cm\", strength = 0.05 }}]\n\
         signal = \"pdm\"\nfull_scale = 20.0\nduration = \"25 ms\"\n\n\
         [solve]\nspectral_method = \"{spectra}\"\nhop = 32\nfilter = \"cos-modified\"\ncutoff = 50.0\nrolloff = 0.1\n\n[output]\n{output}\n"
    )
}

/// Each way in the table is as far from the reference one as the holograms of runs of their own are.
#[test]
fn ways_are_compared_on_the_plane_and_at_the_array() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // From the third block on every way has heard enough, so that all spectra begin at the same sample.
    let at = "time = \"2 ms\"\nmaps = false";
    let all = outcome(
        folder,
        "all",
        &bits(
            "block-average",
            &format!("{at}\nspectral_methods = [\"walsh\", \"cic-popcount\", \"block-average\"]"),
        ),
    );
    let table = std::fs::read_to_string(all.folder.join("compare.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0],
        ["method", "frequency_hz", "rmsre", "nsad", "l2", "rmsre_array", "nsad_array", "l2_array"]
    );
    assert_eq!(
        rows[1..].iter().map(|row| row[0]).collect::<Vec<_>>(),
        ["block-average", "walsh", "cic-popcount"]
    );
    let own = |spectra: &str| outcome(folder, "own", &bits(spectra, &format!("{at}\ncompare = false")));
    let fields = |spectra: &str| {
        let outcome = own(spectra);
        assert!(!outcome.folder.join("compare.csv").exists());
        ["p_source", "p_measured"].map(|name| array(&outcome, "hologram_1000.npz", name))
    };
    let reference = fields("fft");
    for row in &rows[1..] {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        let found = fields(row[0]);
        let [plane, heard] = [0, 1].map(|i| apart(&found[i], &reference[i]));
        println!("{}: plane {plane:.2e}, array {heard:.2e}", row[0]);
        assert!((number(4) - plane).abs() < 1e-9 + 1e-6 * plane, "{row:?}: {plane}");
        assert!((number(7) - heard).abs() < 1e-9 + 1e-6 * heard, "{row:?}: {heard}");
        // NSAD of holograms with their largest value as one, from the arrays themselves.
        let largest = |field: &Array2<Complex64>| field.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let scale = [&found[0], &reference[0]].map(largest);
        let sizes = found[0].iter().zip(&reference[0]);
        let nsad = sizes.map(|(q, p)| (q.norm() / scale[0] - p.norm() / scale[1]).abs()).sum::<f64>() / 64.0;
        assert!((number(3) - nsad).abs() < 1e-9 + 1e-6 * nsad, "{row:?}: {nsad}");
        assert_eq!(all.result.metrics[&format!("nsad_{}", row[0])], number(3));
    }
    assert!(all.result.metrics["l2_cic-popcount"] < 1e-9);
    let counts = std::fs::read_to_string(all.folder.join("walsh_coefficients.csv")).unwrap();
    // Line 16 of 50 Hz each is a power of two: ten coefficients.
    assert!(counts.lines().any(|line| line == "16,800,10"), "{counts}");
}

#[test]
fn ways_that_take_bits_are_not_compared_on_samples() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.toml");
    let text = bits("sliding-dft", "spectral_methods = [\"walsh\"]").replace("signal = \"pdm\"\n", "");
    std::fs::write(&path, text).unwrap();
    match check(&path, &options(&folder.path().join("out")), &Progress::silent()) {
        Err(error @ RunError::Case(_)) => assert_eq!(
            error.to_string(),
            "output.spectral_methods: this method requires bitstreams, but the source has samples"
        ),
        other => panic!("{other:?}"),
    }
}

/// A wave that travels has its closed form at the array and on every plane, and a finer plane goes through the same values.
#[test]
fn a_traveling_wave_is_earlier_on_nearer_planes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = |refine: usize| {
        format!(
            "version = 1\nsolver = \"nah\"\nname = \"wave\"\n\n[geometry]\ngrid = [16, 12]\nspacing = [\"4 cm\", \"5 cm\"]\nstandoff = \"5 cm\"\n\n\
             [source]\nfrequency = \"1 kHz\"\nplane_waves = [{{ theta = \"30 deg\", phi = \"60 deg\", pressure = 2.0 }}]\nsignal = \"spectra\"\n\n\
             [solve]\nfilter = \"cos-modified\"\n\n[output]\nplanes = [\"5 cm\", \"2 cm\"]\nmaps = false\noversampling = {refine}\n"
        )
    };
    let k = TAU * 1000.0 / SPEED;
    let exact = |x: f64, y: f64, z: f64| {
        let along = 0.5 * (0.5 * x + 0.75_f64.sqrt() * y) + 0.75_f64.sqrt() * z;
        Complex64::from_polar(2.0, -k * along)
    };
    let coarse = outcome(folder, "coarse", &text(1));
    for (file, name, z, bound) in [
        ("hologram_1000.npz", "p_measured", 0.05, 1e-12),
        ("hologram_1000.npz", "p_source", 0.0, 0.02),
        ("hologram_1000_20mm.npz", "p_source", 0.03, 0.02),
    ] {
        let (x, y) = (axis(&coarse, file, "x"), axis(&coarse, file, "y"));
        let field = Array2::from_shape_fn((12, 16), |(i, j)| exact(x[j], y[i], z));
        let error = apart(&array(&coarse, file, name), &field);
        println!("{file} {name}: {error:.2e}");
        assert!(error < bound, "{file} {name}: {error:e}");
    }
    let fine = outcome(folder, "fine", &text(4));
    let file = "hologram_1000.npz";
    assert_eq!((axis(&fine, file, "x").len(), axis(&fine, file, "y").len()), (61, 45));
    assert_eq!(axis(&fine, file, "x_measured"), axis(&coarse, file, "x"));
    for name in ["p_source", "u"] {
        let (fine, coarse) = (array(&fine, file, name), array(&coarse, file, name));
        let largest = coarse.iter().map(|p| p.norm()).fold(0.0, f64::max);
        for ((i, j), value) in coarse.indexed_iter() {
            assert!((fine[(4 * i, 4 * j)] - value).norm() < 1e-10 * largest, "{name} {i} {j}");
        }
    }
    // Power and levels are those of the array.
    let planes = |outcome: &Outcome| outcome.result.metrics["power_w"];
    assert_eq!(planes(&fine), planes(&coarse));
}

/// Two sources in front of an array, at a height above the source plane.
fn two_sources([x, y]: [f64; 2], z: f64, frequency: f64) -> Complex64 {
    let one = |at: [f64; 2], strength: f64| {
        let r = (x - at[0]).hypot(y - at[1]).hypot(z + 0.05);
        Complex64::from_polar(strength / r, -TAU * frequency / SPEED * r)
    };
    one([-0.11, 0.04], 1.0) + one([0.08, -0.04], 0.6)
}

/// Phasors of an array at two distances, of shapes as people have them: the hologram of the far one, carried to the near one, is what that measures.
#[test]
fn holograms_agree_with_a_second_array() {
    for (columns, rows, pitch) in
        [(10, 6, [0.075, 0.075]), (6, 10, [0.075, 0.075]), (9, 7, [0.06, 0.08]), (7, 11, [0.075, 0.05])]
    {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let frequencies = [250.0, 500.0, 1000.0];
        let along = |i: usize, count: usize, pitch: f64| (i as f64 - 0.5 * (count as f64 - 1.0)) * pitch;
        let field = |z: f64| {
            Array3::from_shape_fn((3, rows, columns), |(f, i, j)| {
                let at = [along(j, columns, pitch[0]), along(i, rows, pitch[1])];
                two_sources(at, z, frequencies[f])
            })
        };
        for (name, z) in [("far", 0.15), ("near", 0.075)] {
            let phasors = field(z);
            let mut file = NpzWriter::new(File::create(folder.join(format!("{name}.npz"))).unwrap());
            file.add_array("frequency", &Array1::from(frequencies.to_vec())).unwrap();
            file.add_array("p", &phasors).unwrap();
            file.finish().unwrap();
            let row = |((f, i, j), p): ((usize, usize, usize), &Complex64)| {
                format!("{},{},{},{}\n", frequencies[f], i * columns + j, p.re, p.im)
            };
            let rows: String = phasors.indexed_iter().map(row).collect();
            std::fs::write(
                folder.join(format!("{name}.csv")),
                format!("frequency_hz,microphone,re_pa,im_pa\n{rows}"),
            )
            .unwrap();
        }
        // Prediction has little to go by on a side of six or seven microphones, and equivalent sources need none.
        for (far, near, method, bound) in
            [("far.npz", "near.csv", "esm", 0.06), ("far.csv", "near.npz", "fft", 0.25)]
        {
            let text = format!(
                "version = 1\nsolver = \"nah\"\nname = \"two\"\n\n[geometry]\ngrid = [{columns}, {rows}]\nspacing = [\"{} m\", \"{} m\"]\n\
                 standoff = \"15 cm\"\n\n[source]\nfile = \"{far}\"\n\n[solve]\nmethod = \"{method}\"\n\n[output]\nplanes = [\"75 mm\"]\nreference = \"{near}\"\nmaps = false\n",
                pitch[0], pitch[1]
            );
            let outcome = outcome(folder, "out", &text);
            let table = std::fs::read_to_string(outcome.folder.join("reference.csv")).unwrap();
            for (row, f) in table.lines().skip(1).zip(0..) {
                let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
                let file = format!("hologram_{}.npz", frequencies[f]);
                let exact: Vec<Complex64> =
                    field(0.075).outer_iter().nth(f).unwrap().iter().copied().collect();
                let error = apart(&array(&outcome, &file, "p_source"), &exact);
                println!(
                    "{columns} x {rows}, {method}, {} Hz: {error:.3}, correlation {:.5}",
                    cells[0], cells[5]
                );
                assert!((cells[2] - error).abs() < 1e-9, "{row}: {error}");
                assert!(error < bound && cells[5] > 1.0 - bound, "{columns} x {rows}: {row}");
            }
            assert_eq!(table.lines().count(), 4);
            assert!(outcome.result.metrics["reference_correlation"] > 1.0 - bound);
        }
    }
}

/// What is wrong with a second plane is said of it, and not of the source.
#[test]
fn wrong_references_have_their_messages() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let csv = |name: &str, frequency: f64, count: usize| {
        let rows: Vec<String> = (0..count).map(|m| format!("{frequency},{m},1,0\n")).collect();
        let rows = rows.concat();
        std::fs::write(folder.join(name), format!("frequency_hz,microphone,re_pa,im_pa\n{rows}")).unwrap();
    };
    csv("far.csv", 500.0, 60);
    csv("other.csv", 700.0, 60);
    csv("large.csv", 500.0, 61);
    let fails = |reference: &str| {
        let text = format!(
            "version = 1\nsolver = \"nah\"\nname = \"two\"\n\n[geometry]\ngrid = [10, 6]\nspacing = [\"75 mm\", \"75 mm\"]\n\
             standoff = \"15 cm\"\n\n[source]\nfile = \"far.csv\"\n\n[output]\nreference = \"{reference}\"\n"
        );
        let path = folder.join("case.toml");
        std::fs::write(&path, text).unwrap();
        match check(&path, &options(&folder.join("out")), &Progress::silent()) {
            Err(error @ RunError::Case(_)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(fails("other.csv"), "output.reference: it has none of the frequencies of the holograms");
    assert_eq!(
        fails("large.csv"),
        "output.reference: large.csv: microphone 60 does not exist in an array of 60; numbers start at 0"
    );
    assert_eq!(fails("far.txt"), "output.reference: the name of far.txt ends in neither .csv nor .npz");
    assert!(fails("none.csv").starts_with("output.reference: "), "{}", fails("none.csv"));
}
