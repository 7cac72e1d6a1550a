//! Recordings of every kind through the `nah` solver, and what it says of those that are wrong.

use ndarray::{Array2, Array3};
use ndarray_npy::{NpzReader, NpzWriter, WriteNpyExt};
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_nah::Datagram;
use phasefront_run::{Kind, Options, Outcome, RunError, check, run};
use std::f64::consts::TAU;
use std::fs::File;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::Duration;

/// 8 x 6 microphones, 5 cm apart, 5 cm in front of the source plane; a monopole 5 cm behind that.
const GRID: [usize; 2] = [8, 6];
const PITCH: f64 = 0.05;
const RATE: f64 = 6400.0;
const FREQUENCY: f64 = 500.0;
const FULL_SCALE: f64 = 40.0;

fn positions() -> Vec<[f64; 2]> {
    let at = |i: usize, count: usize| (i as f64 - 0.5 * (count as f64 - 1.0)) * PITCH;
    (0..GRID[0] * GRID[1]).map(|i| [at(i % GRID[0], GRID[0]), at(i / GRID[0], GRID[1])]).collect()
}

/// e^{−jkr}/r at a height above the source plane.
fn pressure([x, y]: [f64; 2], z: f64) -> Complex64 {
    let r = (x - 0.025).hypot(y - 0.025).hypot(z + 0.05);
    Complex64::from_polar(1.0 / r, -TAU * FREQUENCY / 343.2 * r)
}

fn measured() -> Vec<Complex64> {
    positions().into_iter().map(|position| pressure(position, 0.05)).collect()
}

/// Moments of all microphones, Pa.
fn frames(count: usize) -> Vec<f64> {
    let measured = measured();
    let frame = |n: usize| {
        let turn = Complex64::from_polar(1.0, TAU * FREQUENCY * n as f64 / RATE);
        measured.iter().map(|p| (p * turn).re).collect::<Vec<f64>>()
    };
    (0..count).flat_map(frame).collect()
}

fn case(source: &str, solve: &str) -> String {
    format!(
        "version = 1\nsolver = \"nah\"\nname = \"array\"\n\n[geometry]\ngrid = [8, 6]\nspacing = [\"5 cm\", \"5 cm\"]\nstandoff = \"5 cm\"\n\n\
         [source]\n{source}\n\n[solve]\nfft_length = 64\n{solve}\n\n[output]\nmaps = false\nfrequency = \"500 Hz\"\n"
    )
}

fn options(out: &Path) -> Options {
    Options { device: "cpu".parse().unwrap(), out: Some(out.to_owned()), force: true, ..Options::default() }
}

/// Runs a case in a folder that holds its files.
fn outcome(folder: &Path, text: &str) -> Outcome {
    let path = folder.join("case.toml");
    std::fs::write(&path, text).unwrap();
    run(&path, &options(&folder.join("out")), &Progress::silent()).unwrap_or_else(|error| panic!("{error}"))
}

fn array(outcome: &Outcome, name: &str) -> Vec<Complex64> {
    let file = File::open(outcome.folder.join("hologram_500.npz")).unwrap();
    let array: Array2<Complex64> = NpzReader::new(file).unwrap().by_name(name).unwrap();
    assert_eq!(array.dim(), (GRID[1], GRID[0]));
    array.iter().copied().collect()
}

fn apart(found: &[Complex64], exact: &[Complex64]) -> f64 {
    let sum: f64 = found.iter().zip(exact).map(|(a, b)| (a - b).norm_sqr()).sum();
    (sum / exact.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
}

fn wav(path: &Path, channels: u16, values: &[f64]) {
    let spec = hound::WavSpec {
        channels,
        sample_rate: RATE as u32,
        bits_per_sample: 24,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for value in values {
        writer
            .write_sample((value / FULL_SCALE * 8_388_608.0).round().clamp(-8_388_608.0, 8_388_607.0) as i32)
            .unwrap();
    }
    writer.finalize().unwrap();
}

#[test]
fn recordings_of_every_kind_have_the_same_phasors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (values, channels) = (frames(256), GRID[0] * GRID[1]);
    wav(&folder.join("a.wav"), channels as u16, &values);
    let frames = Array2::from_shape_vec((256, channels), values.clone()).unwrap();
    frames.mapv(|v| v as f32).write_npy(File::create(folder.join("single.npy")).unwrap()).unwrap();
    frames.write_npy(File::create(folder.join("double.npy")).unwrap()).unwrap();
    let whole = |v: f64| (v / FULL_SCALE * 2_147_483_648.0) as i32;
    frames.mapv(whole).write_npy(File::create(folder.join("whole.npy")).unwrap()).unwrap();
    let raw: Vec<u8> = values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
    std::fs::write(folder.join("f.raw"), raw).unwrap();
    let raw: Vec<u8> = values.iter().flat_map(|v| whole(*v).to_le_bytes()).collect();
    std::fs::write(folder.join("i.raw"), raw).unwrap();
    // Two files with some of the channels each, and a table with decimal commas.
    let some = |range: std::ops::Range<usize>| {
        values.chunks(channels).flat_map(|frame| frame[range.clone()].to_vec()).collect::<Vec<f64>>()
    };
    wav(&folder.join("first.wav"), 20, &some(0..20));
    wav(&folder.join("second.wav"), 28, &some(20..48));
    let row = |(n, frame): (usize, &[f64])| {
        let cells: Vec<String> = frame.iter().map(|v| format!("{v:.7}")).collect();
        format!("{:.7};{}\n", n as f64 / RATE, cells.join(";")).replace('.', ",")
    };
    let rows: String = values.chunks(channels).enumerate().map(row).collect();
    std::fs::write(folder.join("table.csv"), format!("time_s{}\n{rows}", ";p".repeat(channels))).unwrap();
    let exact = measured();
    for source in [
        "file = \"a.wav\"\nfull_scale = 40.0",
        "files = [\"first.wav\", \"second.wav\"]\nfull_scale = 40.0",
        "file = \"table.csv\"\nsample_rate = \"6400 Hz\"",
        "file = \"single.npy\"\nsample_rate = \"6400 Hz\"",
        "file = \"double.npy\"\nsample_rate = \"6400 Hz\"",
        "file = \"whole.npy\"\nsample_rate = \"6400 Hz\"\nfull_scale = 40.0",
        "file = \"f.raw\"\nformat = \"f32\"\nsample_rate = \"6400 Hz\"",
        "file = \"i.raw\"\nformat = \"i32\"\nsample_rate = \"6400 Hz\"\nfull_scale = 40.0",
    ] {
        for spectra in ["fft", "dft", "sliding-dft"] {
            let outcome =
                outcome(folder, &case(source, &format!("spectral_method = \"{spectra}\"\nhop = 16")));
            let error = apart(&array(&outcome, "p_measured"), &exact);
            assert!(error < 1e-5, "{source} {spectra}: {error:e}");
            let metrics = &outcome.result.metrics;
            assert_eq!(
                [metrics["clipped_samples"], metrics["dead_microphones"], metrics["dropped"]],
                [0.0; 3]
            );
            assert!(
                metrics["holograms_per_s"] > 0.0 && metrics["latency_us_p99"] >= metrics["latency_us_p50"]
            );
        }
    }
}

/// Phasors of a file, with a microphone that is dead and others that are not alike; and the field on the source plane by both methods.
#[test]
fn phasors_are_calibrated_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let exact = measured();
    let gain = |m: usize| Complex64::from_polar(1.0 + 0.3 * (m as f64).sin(), 0.4 * (m as f64).cos());
    let mut heard: Vec<Complex64> = exact.iter().enumerate().map(|(m, p)| p * gain(m)).collect();
    heard[9] = Complex64::ZERO;
    let mut file = NpzWriter::new(File::create(folder.join("a.npz")).unwrap());
    file.add_array("frequency", &ndarray::array![FREQUENCY]).unwrap();
    file.add_array("p", &Array3::from_shape_vec((1, GRID[1], GRID[0]), heard.clone()).unwrap()).unwrap();
    file.finish().unwrap();
    let rows = heard.iter().enumerate().map(|(m, p)| format!("500,{m},{},{}\n", p.re, p.im));
    std::fs::write(
        folder.join("a.csv"),
        format!("frequency_hz,microphone,re_pa,im_pa\n{}", rows.collect::<String>()),
    )
    .unwrap();
    let rows = (0..exact.len()).map(|m| format!("{},{}\n", gain(m).norm(), gain(m).arg().to_degrees()));
    std::fs::write(folder.join("c.csv"), format!("gain,phase_deg\n{}", rows.collect::<String>())).unwrap();
    let source: Vec<Complex64> = positions().into_iter().map(|position| pressure(position, 0.0)).collect();
    for file in ["a.npz", "a.csv"] {
        for method in ["fft", "esm"] {
            let text = case(
                &format!("file = \"{file}\"\ncalibration = \"c.csv\""),
                &format!("method = \"{method}\""),
            );
            let outcome = outcome(folder, &text);
            assert_eq!(outcome.result.metrics["dead_microphones"], 1.0);
            assert!(
                outcome.result.warnings[0].contains("1 of 48 microphones have no signal"),
                "{:?}",
                outcome.result.warnings
            );
            let found = array(&outcome, "p_measured");
            for (m, (a, b)) in found.iter().zip(&exact).enumerate() {
                let bound = if m == 9 { 0.05 } else { 1e-9 };
                assert!((a - b).norm() < bound * b.norm(), "{m}: {a} {b}");
            }
            let error = apart(&array(&outcome, "p_source"), &source);
            println!("{file} {method}: {error:.3}");
            assert!(error < 0.25, "{method}: {error}");
        }
    }
}

/// What is wrong with a case, and what to do about it.
fn refused(folder: &Path, text: &str) -> (String, String) {
    let path = folder.join("case.toml");
    std::fs::write(&path, text).unwrap();
    match check(&path, &options(&folder.join("out")), &Progress::silent()) {
        Err(error @ RunError::Case(_)) => {
            assert_eq!(error.kind(), Kind::BadInput);
            (error.to_string(), error.advice().unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_recordings_have_their_messages() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let values = frames(256);
    wav(&folder.join("seven.wav"), 7, &values[..7 * 100]);
    wav(&folder.join("short.wav"), 48, &values[..48 * 63]);
    wav(&folder.join("good.wav"), 48, &values);
    wav(&folder.join("silent.wav"), 48, &vec![1.0; 48 * 100]);
    let whole = std::fs::read(folder.join("good.wav")).unwrap();
    std::fs::write(folder.join("cut.wav"), &whole[..=whole.len() / 2]).unwrap();
    std::fs::write(folder.join("cut.raw"), vec![0_u8; 1001]).unwrap();
    std::fs::write(folder.join("noise.wav"), [7_u8; 100]).unwrap();
    let fails = |source: &str, solve: &str| refused(folder, &case(source, solve));
    for (source, solve, message) in [
        ("file = \"seven.wav\"", "", "source.file: the input has 7 channels, but the grid has 8 x 6 = 48"),
        (
            "file = \"short.wav\"",
            "",
            "source: the recording has 63 samples of each microphone, but the first spectrum needs 64",
        ),
        ("file = \"silent.wav\"", "", "source: no microphone has a signal"),
        (
            "file = \"cut.raw\"\nformat = \"i32\"\nsample_rate = \"6400 Hz\"",
            "",
            "source.file: cut.raw has 1001 bytes, which is not a multiple of the 192 bytes of a frame of 48 microphones",
        ),
        (
            "file = \"cut.raw\"\nsample_rate = \"6400 Hz\"",
            "",
            "source.format: the sample format of cut.raw is missing: raw files have no header",
        ),
        (
            "file = \"cut.raw\"\nformat = \"i32\"",
            "",
            "source.file: cut.raw has 1001 bytes, which is not a multiple of the 192 bytes of a frame of 48 microphones",
        ),
        (
            "file = \"good.mp3\"",
            "",
            "source.file: the format of good.mp3 is not known: its name ends in none of .wav, .rf64, .w64, .csv, .txt, .uff, .mat, .h5, .npy, .npz, .raw and .bits",
        ),
        (
            "file = \"good.wav\"",
            "spectral_method = \"sliding-dft\"\nhop = 24",
            "solve.hop: the window length of 64 samples is not a multiple of the hop of 24",
        ),
        (
            "file = \"good.wav\"",
            "filter = \"cos\"\ncutoff = 5.0",
            "solve.cutoff: 500 Hz is too high: its wavenumber of 9.2 rad/m is not below the cutoff of 5.0 rad/m",
        ),
    ] {
        let (found, advice) = fails(source, solve);
        assert_eq!(found, message);
        assert!(!advice.is_empty());
    }
    let (found, _) = fails("file = \"cut.wav\"", "");
    assert_eq!(
        found,
        "source.file: cut.wav cannot be read: its header promises 36864 bytes of samples, and 18399 follow"
    );
    let (found, _) = fails("file = \"noise.wav\"", "");
    assert!(found.starts_with("source.file: noise.wav cannot be read:"), "{found}");
    let good = case("file = \"good.wav\"", "");
    let (found, advice) = refused(folder, &good.replace("\"500 Hz\"", "\"3.2 kHz\""));
    assert_eq!(found, "output.frequency: 3200 Hz is not below the Nyquist frequency of 3200 Hz");
    assert_eq!(advice, "give a lower frequency, or samples at a higher rate");
    let (found, _) = refused(folder, &good.replace("\"500 Hz\"", "\"10 Hz\""));
    assert_eq!(found, "output.frequency: 10 Hz is below the first DFT bin, 100 Hz");
    let (found, _) = refused(folder, &good.replace("frequency = \"500 Hz\"", ""));
    assert_eq!(found, "output: no frequency is given for a recording");
    // Equivalent sources take it, and the run warns of too few microphones in a wavelength.
    let by_waves = case("file = \"good.wav\"", "method = \"fft\"");
    let (found, advice) = refused(folder, &by_waves.replace("\"500 Hz\"", "\"3 kHz\""));
    assert_eq!(
        found,
        "output.frequency: 3000 Hz is too high: its wavenumber of 54.9 rad/m is not below the cutoff of 52.6 rad/m"
    );
    assert_eq!(advice, "with this pitch use frequencies below 2870 Hz");
}

/// Samples that cannot be are counted, and the run continues.
#[test]
fn faults_are_counted_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut values: Vec<f32> = frames(256).iter().map(|v| *v as f32).collect();
    (values[100], values[200]) = (f32::NAN, f32::INFINITY);
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(folder.join("f.raw"), raw).unwrap();
    let outcome = outcome(folder, &case("file = \"f.raw\"\nformat = \"f32\"\nsample_rate = \"6400 Hz\"", ""));
    assert_eq!(outcome.result.metrics["not_finite_samples"], 2.0);
    assert!(outcome.result.warnings[0].contains("not finite"), "{:?}", outcome.result.warnings);
    let mut values = frames(256);
    (values[10], values[20], values[30]) = (99.0, -99.0, 99.0);
    wav(&folder.join("loud.wav"), 48, &values);
    let loud = self::outcome(folder, &case("file = \"loud.wav\"\nfull_scale = 40.0", ""));
    assert_eq!(loud.result.metrics["clipped_samples"], 3.0);
}

/// A tone of 500 Hz at each microphone has the level of its amplitude, and 3.2 dB less with the A-weighting (IEC 61672-1:2013, table 3).
#[test]
fn microphones_have_levels() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    wav(&folder.join("a.wav"), 48, &frames(6400));
    let text = case("file = \"a.wav\"\nfull_scale = 40.0", "");
    let levels = "levels = { frequency_weighting = \"A\", time_weighting = \"fast\", interval = \"0.25 s\" }";
    let outcome = outcome(folder, &format!("{text}{levels}\n"));
    let table = |name: &str| {
        let text = std::fs::read_to_string(outcome.folder.join(name)).unwrap();
        let rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        rows.collect::<Vec<_>>()
    };
    let rows = table("microphone_levels.csv");
    assert_eq!(rows[0], ["microphone", "laeq_db", "lceq_db", "lzeq_db", "maximum_db"]);
    assert_eq!(rows.len(), 49);
    for (row, pressure) in rows[1..].iter().zip(measured()) {
        let level = 20.0 * (pressure.norm() / 2_f64.sqrt() / 20e-6).log10();
        let found: Vec<f64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((found[0] - level + 3.2).abs() < 0.1 && (found[2] - level).abs() < 0.1, "{row:?}, {level}");
    }
    assert_eq!(table("level_history.csv").len(), 5);
    let loudest = |row: &Vec<String>| row[1].parse::<f64>().unwrap();
    let bands = table("band_levels.csv");
    let highest = bands[1..].iter().max_by(|a, b| loudest(a).total_cmp(&loudest(b))).unwrap();
    assert!(highest[0].starts_with("501."), "{highest:?}");
    assert_eq!(table("microphone_bands.csv").len(), 1 + 48 * (bands.len() - 1));
    assert!(
        outcome.folder.join("level_history.png").exists() && outcome.folder.join("band_levels.png").exists()
    );
    // Phasors have no levels, and a recording of a second none every two.
    let (found, _) = refused(folder, &format!("{text}{}\n", levels.replace("0.25", "2")));
    assert!(found.starts_with("output.levels.interval: the interval of the levels is 2 s"), "{found}");
    let (found, _) = refused(folder, &text.replace("full_scale", "sample_rate = \"48 kHz\"\nfull_scale"));
    assert_eq!(found, "source.sample_rate: a.wav has a sample rate of 6400 Hz, and 48000 Hz is given");
}

/// Over 20 cm a wave of 60 rad/m at 500 Hz (k = 9.15 rad/m) grows by 8.686 √(60² − 9.15²) 0.2 = 103 dB; over 5 cm one of 40 rad/m by 17 dB.
#[test]
fn filters_that_let_noise_grow_are_told() {
    let text = |zh: &str, cutoff: f64| {
        format!(
            "version = 1\nsolver = \"nah\"\nname = \"loud\"\n[geometry]\ngrid = [8, 6]\nspacing = [\"5 cm\", \"5 cm\"]\nstandoff = \"{zh}\"\n\
             [source]\nfrequency = \"500 Hz\"\nmonopoles = [{{ position = [\"0 cm\", \"0 cm\"], depth = \"3 cm\" }}]\n\
             [solve]\nfilter = \"cos-modified\"\ncutoff = {cutoff:?}\nrolloff = 0.1\n[output]\nmaps = false\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let warnings = outcome(folder.path(), &text("20 cm", 60.0)).result.warnings;
    // White noise has waves of all lengths: its gain is below that of the wave at the cutoff, but not by much.
    let growth = |quantity: &str| -> f64 {
        let start = format!("the {quantity} is reconstructed from evanescent waves");
        let warning = warnings.iter().find(|warning| warning.starts_with(&start)).expect(quantity);
        let (_, rest) = warning.split_once("noise grows by ").expect(quantity);
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    assert!((85.0..=103.0).contains(&growth("pressure")), "{warnings:?}");
    assert!(growth("velocity") > growth("intensity") && growth("intensity") > growth("pressure"));
    let warnings = outcome(folder.path(), &text("5 cm", 40.0)).result.warnings;
    assert!(!warnings.iter().any(|warning| warning.contains("noise grows by")), "{warnings:?}");
}

/// Sends 640 frames in datagrams of ten, each followed by one that is none.
fn send(address: SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let whole = |p: &f64| ((p / FULL_SCALE * 2_147_483_648.0) as i32).to_le_bytes();
    for (i, packed) in frames(640).chunks_exact(10 * 48).enumerate() {
        let payload: Vec<u8> = packed.iter().flat_map(whole).collect();
        let (sequence, first) = (i as u64, 10 * i as u64);
        let datagram = Datagram { sequence, first, microphones: 48, bits: false, payload: &payload };
        socket.send_to(&datagram.encode(), address).unwrap();
        socket.send_to(b"garbage", address).unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A free port of this machine, and a source that listens on it.
fn stream() -> (SocketAddr, String) {
    let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let source = format!(
        "listen = \"{address}\"\nformat = \"i32\"\nsample_rate = \"6.4 kHz\"\nfull_scale = {FULL_SCALE:?}"
    );
    (address, source)
}

/// A stream without a duration ends when a file asks for it, and its results are final.
#[test]
fn a_stop_file_ends_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let (address, source) = stream();
    let stop = folder.path().join("out/stop");
    let asked = stop.clone();
    let sender = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        send(address);
        File::create(asked).unwrap();
    });
    let outcome = outcome(folder.path(), &case(&source, "spectral_method = \"sliding-dft\""));
    sender.join().unwrap();
    assert!(outcome.stopped && !stop.exists());
    assert_eq!(outcome.result.metrics["holograms"], 19.0);
}

/// A case that listens, from its file to its folder: what is sent over the network is what a recording would hold.
#[test]
fn a_stream_is_a_case_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (address, source) = stream();
    let source = format!("{source}\nduration = \"2.5 s\"");
    let sender = std::thread::spawn(move || {
        // The run listens after it has read its case.
        std::thread::sleep(Duration::from_secs(1));
        send(address);
    });
    let result = outcome(folder.path(), &case(&source, "spectral_method = \"sliding-dft\"")).result;
    sender.join().unwrap();
    assert_eq!(result.metrics["holograms"], 19.0);
    assert_eq!(result.metrics["corrupt"], 64.0);
    let dropped: f64 =
        ["late", "lost_frames", "dropped", "restarts"].iter().map(|name| result.metrics[*name]).sum();
    assert_eq!(dropped, 0.0);
    assert_eq!(result.warnings[0], "datagrams that were corrupt, incomplete or unexpected: 64");
    let mut arrays = NpzReader::new(File::open(folder.path().join("out/hologram_500.npz")).unwrap()).unwrap();
    let heard: Array2<Complex64> = arrays.by_name("p_measured.npy").unwrap();
    let scale = heard[[0, 0]] / measured()[0];
    assert!((scale.norm() - 1.0).abs() < 1e-5);
    for (p, exact) in heard.iter().zip(measured()) {
        assert!((p / scale - exact).norm() < 1e-4 * exact.norm());
    }
}
