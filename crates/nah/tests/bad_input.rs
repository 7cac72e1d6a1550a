//! Every wrong problem has its own message, names the field at fault, and costs no work.

use num_complex::Complex64;
use phasefront_nah::*;

const GRID: Grid = Grid { columns: 8, rows: 6, pitch: [0.05; 2] };
const RATE: f64 = 6400.0;

/// Two full windows of a tone.
fn recording() -> Input {
    let sample = |n: usize, m: usize| (0.5 * n as f32 + 0.1 * m as f32).sin();
    let values = (0..128).flat_map(|n| (0..GRID.len()).map(move |m| sample(n, m))).collect();
    Input::Samples(Samples { rate: RATE, microphones: GRID.len(), values, full_scale: None })
}

fn spectrum(frequency: f64, points: usize) -> Spectrum {
    Spectrum { frequency, pressure: vec![Complex64::ONE; points] }
}

fn good() -> Problem {
    Problem {
        frequencies: vec![500.0],
        analysis: Analysis { method: SpectralMethod::Fft { fir: false }, samples: 64, hop: 16 },
        method: Method::Fft,
        ..Problem::new(GRID, 0.05, recording())
    }
}

/// A problem with given spectra.
fn of_spectra() -> Problem {
    Problem { input: Input::Spectra(vec![spectrum(500.0, GRID.len())]), ..good() }
}

#[track_caller]
fn refused(problem: Problem, message: &str) {
    match prepare(problem) {
        Err(NahError::Invalid(error)) => {
            assert_eq!(error.to_string(), message);
            assert!(!error.advice.is_empty(), "{message} has no advice");
        }
        Err(other) => panic!("expected {message:?}, got {other}"),
        Ok(_) => panic!("expected {message:?}, got a study"),
    }
}

/// Sentences of the self-checks that do not hold before the run.
fn warnings(problem: Problem) -> Vec<String> {
    let checks = prepare(problem).unwrap().self_checks;
    checks.into_iter().filter(|check| !check.holds()).map(|check| check.sentence).collect()
}

#[test]
fn the_good_one_passes_without_a_warning() {
    assert_eq!(warnings(good()), Vec::<String>::new());
    assert_eq!(warnings(of_spectra()), Vec::<String>::new());
}

#[test]
fn wrong_arrays() {
    let grid = |columns, rows, pitch| Problem { grid: Grid { columns, rows, pitch }, ..good() };
    refused(
        grid(2, 24, [0.05; 2]),
        "geometry.grid: 2 x 24 microphones are too few: the minimum is 3 along each side",
    );
    for pitch in [0.0, -0.05, f64::NAN] {
        refused(grid(8, 6, [0.05, pitch]), "geometry.spacing: the pitch must be positive");
    }
    refused(
        Problem { standoff: -0.05, ..good() },
        "geometry.standoff: the standoff of -0.05 m must be positive",
    );
    for (speed, density) in [(0.0, 1.2), (343.0, f64::NAN)] {
        let medium = Medium { speed, density };
        refused(Problem { medium, ..good() }, "geometry.medium: speed of sound and density must be positive");
    }
    refused(grid(8, 7, [0.05; 2]), "source.file: the input has 48 channels, but the grid has 8 x 7 = 56");
    let positions = Some(vec![[0.0; 2]; 40]);
    refused(
        Problem { positions, ..good() },
        "source.file: the input has 48 channels, but geometry.positions has 40 microphones",
    );
    let positions = Some(GRID.positions());
    refused(
        Problem { positions, ..good() },
        "solve.method: the FFT method requires microphones on a regular grid",
    );
    let calibration = Some(vec![Complex64::ONE; 3]);
    refused(Problem { calibration, ..good() }, "source.calibration: there are 3 rows for 48 microphones");
    let calibration = Some(vec![Complex64::new(f64::NAN, 0.0); 48]);
    refused(Problem { calibration, ..good() }, "source.calibration: one of its factors is not finite");
}

#[test]
fn wrong_inputs() {
    let silent = Samples { rate: RATE, microphones: 48, values: vec![0.25; 48 * 128], full_scale: None };
    refused(Problem { input: Input::Samples(silent), ..good() }, "source: no microphone has a signal");
    let short = Samples { rate: RATE, microphones: 48, values: vec![0.25; 48 * 63], full_scale: None };
    refused(
        Problem { input: Input::Samples(short), ..good() },
        "source: the recording has 63 samples of each microphone, but the first spectrum needs 64",
    );
    let Input::Samples(samples) = recording() else { return };
    let input = Input::Samples(Samples { rate: 0.0, ..samples });
    refused(Problem { input, ..good() }, "source.sample_rate: the sample rate must be positive");
    let message = "this requires a recording, but the source has spectra";
    refused(
        Problem { playback: PlaybackRate::RealTime, ..of_spectra() },
        &format!("source.replay: {message}"),
    );
    refused(Problem { repeats: 2, ..of_spectra() }, &format!("source.repeat: {message}"));
}

#[test]
fn wrong_analyses() {
    let analysis = |method, samples, hop| Problem { analysis: Analysis { method, samples, hop }, ..good() };
    let fft = SpectralMethod::Fft { fir: false };
    refused(analysis(fft, 4, 4), "solve.fft_length: a window of 4 samples is too short: the minimum is 8");
    for hop in [0, 65] {
        let message =
            format!("solve.hop: a hop of {hop} is not between 1 and the window length of 64 samples");
        refused(analysis(fft, 64, hop), &message);
    }
    refused(
        analysis(SpectralMethod::SlidingDft, 64, 24),
        "solve.hop: the window length of 64 samples is not a multiple of the hop of 24",
    );
    let message = "this method requires bitstreams, but the source has samples";
    for method in
        [SpectralMethod::BlockAverage, SpectralMethod::WalshExact, SpectralMethod::Fft { fir: true }]
    {
        refused(analysis(method, 64, 16), &format!("solve.spectral_method: {message}"));
        refused(Problem { compare: vec![method], ..good() }, &format!("output.spectral_methods: {message}"));
    }
    let words = (0..48 * 100_u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let input = Input::Bits(Bits { rate: 32.0 * RATE, microphones: 48, words, full_scale: 1.0 });
    let analysis = Analysis { method: SpectralMethod::WalshExact, samples: 60, hop: 20 };
    refused(
        Problem { input, analysis, ..good() },
        "solve.fft_length: Walsh functions require a power of two, but the window has 60 samples",
    );
}

#[test]
fn wrong_frequencies() {
    let at = |frequencies: &[f64]| Problem { frequencies: frequencies.to_vec(), ..good() };
    refused(at(&[]), "output.frequency: no frequency is given");
    refused(at(&[500.0, -1.0]), "output.frequency: a frequency of -1 Hz is not positive");
    refused(at(&[3200.0]), "output.frequency: 3200 Hz is not below the Nyquist frequency of 3200 Hz");
    refused(at(&[10.0]), "output.frequency: 10 Hz is below the first DFT bin, 100 Hz");
    refused(
        at(&[3000.0]),
        "output.frequency: 3000 Hz is too high: its wavenumber of 54.9 rad/m is not below the cutoff of 52.6 rad/m",
    );
    refused(
        Problem { frequencies: vec![600.0], ..of_spectra() },
        "output.frequency: the file has no spectrum at 600 Hz",
    );
}

#[test]
fn wrong_filters() {
    let given = |pressure, velocity| Problem {
        filter: FilterChoice::Given(Filters { pressure, velocity }),
        ..good()
    };
    let cos = |cutoff, slope| Filter::Cos { cutoff, slope };
    let message = "500 Hz is too high: its wavenumber of 9.2 rad/m is not below the cutoff of 5.0 rad/m";
    refused(given(cos(5.0, 0.1), cos(50.0, 0.1)), &format!("solve.cutoff: {message}"));
    refused(given(cos(50.0, 0.1), cos(5.0, 0.1)), &format!("solve.velocity_cutoff: {message}"));
    refused(given(cos(50.0, 0.0), cos(50.0, 0.1)), "solve.rolloff: the roll-off must be positive");
    refused(given(cos(50.0, 0.1), cos(50.0, -0.1)), "solve.velocity_rolloff: the roll-off must be positive");
    refused(
        Problem { extrapolation: Extrapolation::Zero, ..good() },
        "solve.filter: \"auto\" cannot choose a filter with `extrapolation = \"zero\"`: the step at the aperture edge would pass it and grow",
    );
    let tikhonov = Filter::Tikhonov { weight: 0.0 };
    refused(given(tikhonov, tikhonov), "solve.regularization: the weight must be positive");
}

#[test]
fn wrong_equivalent_sources() {
    let with = |depth, weight| Problem {
        method: Method::Auto,
        sources: EquivalentSources { depth, weight },
        ..good()
    };
    refused(with(Some(0.0), None), "solve.source_depth: the depth must be positive");
    refused(with(Some(f64::NAN), None), "solve.source_depth: the depth must be positive");
    refused(with(None, Some(-1e-3)), "solve.regularization: the weight must be positive");
}

#[test]
fn wrong_references() {
    let with = |reference: Spectrum| Problem { reference: vec![reference], ..good() };
    refused(
        with(spectrum(700.0, GRID.len())),
        "output.reference: it has none of the frequencies of the holograms",
    );
    refused(with(spectrum(500.0, 7)), "output.reference: it has 7 points, but the grid has 48");
    let mut reference = spectrum(500.0, GRID.len());
    reference.pressure[3] = Complex64::new(f64::NAN, 0.0);
    refused(with(reference), "output.reference: one of its phasors is not finite");
}

#[test]
fn wrong_beamforming() {
    let method = Beamforming::CleanSc(Diagonal::Removed);
    let good_settings = BeamformingSettings { method, above: None, size: None, spacing: None };
    let with = |settings: BeamformingSettings| Problem {
        averaging: Averaging::CrossSpectra,
        beamforming: Some(settings),
        ..good()
    };
    let without = Problem { averaging: Averaging::None, ..with(good_settings) };
    refused(without, "solve.beamforming: beamforming is of averaged cross-spectra");
    let size = Some([0.0, 1.0]);
    refused(
        with(BeamformingSettings { size, ..good_settings }),
        "solve.beamforming.size: it must be positive",
    );
    let spacing = Some(f64::NAN);
    refused(
        with(BeamformingSettings { spacing, ..good_settings }),
        "solve.beamforming.spacing: it must be positive",
    );
    refused(
        with(BeamformingSettings { above: Some(-1.0), ..good_settings }),
        "solve.beamforming.above: it must be positive",
    );
    let method = Beamforming::Functional { exponent: 0.5 };
    refused(
        with(BeamformingSettings { method, ..good_settings }),
        "solve.beamforming.exponent: the exponent of functional beamforming is 0.5",
    );
    let line = Problem {
        positions: Some((0..GRID.len()).map(|i| [0.01 * i as f64, 0.0]).collect()),
        method: Method::Esm,
        ..with(good_settings)
    };
    refused(
        line,
        "geometry.positions: the microphones are on one line, along which alone beamforming tells places",
    );
    // Above the highest frequency of a filter that is chosen there are no holograms to refuse.
    let both = Problem { frequencies: vec![500.0, 3000.0], ..with(good_settings) };
    let study = prepare(both).unwrap();
    assert_eq!((study.frequencies, study.beamforming_frequencies), (vec![500.0], vec![3000.0]));
}

/// Faults that do not prevent a reconstruction are warnings.
#[test]
fn faults_are_warnings() {
    let Input::Samples(mut samples) = recording() else { return };
    samples.full_scale = Some(0.9);
    samples.values[10] = f32::NAN;
    let dead = samples.values.iter_mut().skip(7).step_by(GRID.len());
    dead.for_each(|value| *value = 0.0);
    let clipped = samples.values.iter().filter(|value| value.abs() >= 0.9).count();
    let problem = Problem { input: Input::Samples(samples), planes: vec![0.05, 0.06], ..good() };
    let expected = [
        "1 of 48 microphones have no signal and are interpolated from their neighbors: 7".to_owned(),
        "samples that are not finite, replaced by zero: 1".to_owned(),
        format!("clipped samples: {clipped}"),
        "the plane 0.06 m from the array is behind the source plane, where the field does not consist of outgoing waves: see `planes` in [output]"
            .to_owned(),
    ];
    assert_eq!(warnings(problem), expected);
}

/// Waves that alias, and an array that is narrow for its standoff.
#[test]
fn coarse_and_narrow_arrays_are_warned_of() {
    let filter = Filter::CosModified { cutoff: 80.0, slope: 0.1 };
    let filter = FilterChoice::Given(Filters { pressure: filter, velocity: filter });
    let coarse = warnings(Problem { frequencies: vec![500.0, 3100.0], filter, standoff: 0.2, ..good() });
    let narrow = "geometry.standoff: the array is narrower than twice its standoff";
    assert!(coarse.len() == 1 && coarse[0].starts_with(narrow), "{coarse:?}");
    let pitch = [0.06; 2];
    let grid = Grid { pitch, ..GRID };
    let coarse = warnings(Problem { frequencies: vec![500.0, 3100.0], filter, grid, ..good() });
    assert!(
        coarse.len() == 1 && coarse[0].starts_with("output.frequency: 3100.0 Hz has 1.85 microphones"),
        "{coarse:?}"
    );
}
