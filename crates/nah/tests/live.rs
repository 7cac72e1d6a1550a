//! Streams over the network, and recordings that are played repeatedly.

use num_complex::Complex64;
use phasefront_core::{Event, Frame, Precision, Progress, Sink};
use phasefront_device::Backend;
use phasefront_nah::bits::BitOrder;
use phasefront_nah::{
    Analysis, Bits, Checkpoint, CheckpointSink, Datagram, Extrapolation, Filter, FilterChoice, Filters, Grid,
    Input, Method, PlaybackRate, Problem, Samples, Solution, SpectralMethod, Stream, StreamCounts, prepare,
};
use std::f64::consts::TAU;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const GRID: Grid = Grid { columns: 8, rows: 4, pitch: [0.05; 2] };
const MICROPHONES: usize = 32;
const RATE: f64 = 32_000.0;
const SAMPLES: usize = 256;
const HOP: usize = 32;
/// A DFT bin.
const FREQUENCY: f64 = 2000.0;
/// Frames of a datagram; the hop is not a multiple of it.
const PACKED: usize = 12;
const FILTER: Filter = Filter::CosModified { cutoff: 50.0, slope: 0.1 };
/// Amplitude, Pa; full scale is 1 Pa.
const AMPLITUDE: f64 = 0.5;

fn problem(input: Input) -> Problem {
    Problem {
        frequencies: vec![FREQUENCY],
        analysis: Analysis { method: SpectralMethod::SlidingDft, samples: SAMPLES, hop: HOP },
        method: Method::Fft,
        extrapolation: Extrapolation::Plpbp,
        filter: FilterChoice::Given(Filters { pressure: FILTER, velocity: FILTER }),
        precision: Precision::Single,
        ..Problem::new(GRID, 0.05, input)
    }
}

/// A free local address.
fn free_address() -> SocketAddr {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn stream(address: SocketAddr, seconds: f64) -> Stream {
    Stream {
        address,
        duration: Some(seconds),
        rate: RATE,
        microphones: MICROPHONES,
        bits: None,
        full_scale: 1.0,
    }
}

/// The tone, with a different phase at every microphone.
fn sample(microphone: usize, frame: u64) -> f64 {
    AMPLITUDE * (TAU * FREQUENCY * frame as f64 / RATE + 0.1 * microphone as f64).cos()
}

fn datagram(sequence: u64, first: u64) -> Vec<u8> {
    let value = |m, n| ((sample(m, n) * 2_147_483_648.0) as i32).to_le_bytes();
    let payload: Vec<u8> = (first..first + PACKED as u64)
        .flat_map(|n| (0..MICROPHONES).flat_map(move |m| value(m, n)))
        .collect();
    Datagram { sequence, first, microphones: MICROPHONES as u32, bits: false, payload: &payload }.encode()
}

/// A sender with consecutive datagrams.
struct Sender {
    socket: UdpSocket,
    to: SocketAddr,
    sequence: u64,
}

impl Sender {
    fn new(to: SocketAddr) -> Self {
        Self { socket: UdpSocket::bind("127.0.0.1:0").unwrap(), to, sequence: 0 }
    }

    fn send(&self, bytes: &[u8]) {
        self.socket.send_to(bytes, self.to).unwrap();
    }

    /// Sends consecutive datagrams, slower than they are processed.
    fn send_valid(&mut self, count: u64) {
        for _ in 0..count {
            self.send(&datagram(self.sequence, self.sequence * PACKED as u64));
            self.sequence += 1;
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Receives for some seconds while `send` sends.
fn received(seconds: f64, send: impl FnOnce(&mut Sender) + Send) -> Solution {
    let address = free_address();
    let study = prepare(problem(Input::Stream(stream(address, seconds)))).unwrap();
    thread::scope(|scope| {
        let solved = scope.spawn(|| study.solve(&Backend::Cpu, &Progress::silent()));
        // Datagrams before the socket is bound are lost.
        thread::sleep(Duration::from_millis(300));
        send(&mut Sender::new(address));
        solved.join().unwrap().unwrap()
    })
}

/// Whether phasors are those of the tone: equal amplitudes, and phases that increase by 0.1 rad.
fn is_the_tone(measured: &[Complex64]) -> bool {
    measured.iter().enumerate().all(|(m, p)| {
        let rotated = p / measured[0] * Complex64::from_polar(1.0, -0.1 * m as f64);
        (p.norm() - AMPLITUDE).abs() < 1e-4 && (rotated - 1.0).norm() < 1e-4
    })
}

#[test]
fn a_stream_gives_the_phasors_of_what_was_sent() {
    let solution = received(1.2, |sender| sender.send_valid(400));
    let summary = &solution.summary;
    assert_eq!(summary.counts, StreamCounts { accepted: 400, ..StreamCounts::default() });
    // 4800 frames are 150 blocks; the first seven fill the window.
    assert_eq!(summary.history.holograms, 150 - 7);
    assert_eq!(summary.latencies.count(), 143);
    assert_eq!((summary.dropped_blocks, summary.dropped_maps), (0, 0));
    assert!(is_the_tone(&solution.holograms[0].measured));
}

/// Stalls, restarts, corrupt, incomplete and repeated datagrams and other senders: all are counted, and the final phasors are right.
#[test]
fn a_hostile_sender_is_survived() {
    let solution = received(4.0, |sender| {
        sender.send_valid(100);
        for length in [0, 3, 31, 32, 33, 700] {
            sender.send(&vec![b'P'; length]);
        }
        let whole = datagram(sender.sequence, sender.sequence * PACKED as u64);
        sender.send(&whole[..whole.len() / 2]);
        let mut wrong = whole.clone();
        wrong[24] = 31;
        sender.send(&wrong);
        sender.send(&datagram(0, 1 << 60));
        sender.send_valid(50);
        // Another sender.
        Sender::new(sender.to).send(&datagram(3, 36));
        sender.send_valid(50);
        // A burst that arrives twice.
        for sequence in sender.sequence - 6..sender.sequence {
            sender.send(&datagram(sequence, sequence * PACKED as u64));
        }
        // A late datagram.
        sender.send(&datagram(10, 120));
        thread::sleep(Duration::from_millis(1300));
        // The same sender, restarted.
        sender.sequence = 0;
        sender.send_valid(200);
    });
    let counts = solution.summary.counts;
    // There may be another stall at the end.
    assert!((1..=2).contains(&counts.stalls), "{}", counts.stalls);
    assert_eq!(
        StreamCounts { stalls: 1, ..counts },
        StreamCounts {
            accepted: 397,
            late: 1,
            duplicates: 6,
            corrupt: 10,
            restarts: 1,
            stalls: 1,
            ..StreamCounts::default()
        }
    );
    assert!(is_the_tone(&solution.holograms[0].measured));
    // Blocks of 200 datagrams, and of 197 after the restart, each with an empty window at first.
    assert_eq!(solution.summary.history.holograms, (75 - 7) + (73 - 7));
}

#[test]
fn a_bitstream_has_the_phasors_of_its_samples() {
    let address = free_address();
    let order = BitOrder::rows(MICROPHONES);
    let of_bits = Stream { rate: 32.0 * RATE, bits: Some(order), ..stream(address, 1.5) };
    let analysis = Analysis { method: SpectralMethod::CicPopcount, samples: SAMPLES, hop: HOP };
    let study = prepare(Problem { analysis, ..problem(Input::Stream(of_bits)) }).unwrap();
    let solution = thread::scope(|scope| {
        let solved = scope.spawn(|| study.solve(&Backend::Cpu, &Progress::silent()));
        thread::sleep(Duration::from_millis(300));
        let sender = Sender::new(address);
        // One bit of every microphone in the word of a frame, by first-order sigma-delta modulators with error feedback.
        let mut errors = [0.0; MICROPHONES];
        for sequence in 0..60_u64 {
            let frames = 256_u64;
            let mut payload = Vec::new();
            for n in sequence * frames..(sequence + 1) * frames {
                let mut word = 0_u32;
                for (m, error) in errors.iter_mut().enumerate() {
                    *error += AMPLITUDE * (TAU * FREQUENCY * n as f64 / (32.0 * RATE) + 0.1 * m as f64).cos();
                    let up = *error > 0.0;
                    *error -= if up { 1.0 } else { -1.0 };
                    word |= u32::from(up) << m;
                }
                payload.extend(word.to_le_bytes());
            }
            let (first, microphones) = (sequence * frames, MICROPHONES as u32);
            sender.send(&Datagram { sequence, first, microphones, bits: true, payload: &payload }.encode());
            thread::sleep(Duration::from_millis(1));
        }
        solved.join().unwrap().unwrap()
    });
    assert_eq!(solution.summary.counts.accepted, 60);
    let measured = &solution.holograms[0].measured;
    for (m, p) in measured.iter().enumerate() {
        let rotated = p / measured[0] * Complex64::from_polar(1.0, -0.1 * m as f64);
        // The quantization noise of a first-order modulator.
        assert!((p.norm() - AMPLITUDE).abs() < 0.01 && (rotated - 1.0).norm() < 0.03, "{m}: {p}");
    }
}

#[test]
fn a_missing_stream_is_an_error() {
    let address = free_address();
    let study = prepare(problem(Input::Stream(stream(address, 0.2)))).unwrap();
    let error = study.solve(&Backend::Cpu, &Progress::silent()).unwrap_err();
    let text = format!(
        "source.listen: no hologram could be computed from the stream at {address}: 0 datagrams were accepted and 0 rejected"
    );
    assert_eq!(error.to_string(), text);
    let used = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = used.local_addr().unwrap();
    let study = prepare(problem(Input::Stream(stream(address, 0.2)))).unwrap();
    let error = study.solve(&Backend::Cpu, &Progress::silent()).unwrap_err();
    assert!(error.to_string().starts_with(&format!("source.listen: cannot bind to {address}: ")), "{error}");
}

/// An endless stream ends when the user interrupts it, with its holograms.
#[test]
fn an_interrupted_stream_has_its_holograms() {
    struct Silent;
    impl Sink for Silent {
        fn event(&self, _: Event<'_>) {}
    }
    let address = free_address();
    let endless = Stream { duration: None, ..stream(address, 0.0) };
    let study = prepare(problem(Input::Stream(endless))).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let progress = Progress::new(Arc::new(Silent), stop.clone());
    let solution = thread::scope(|scope| {
        let solved = scope.spawn(|| study.solve(&Backend::Cpu, &progress));
        thread::sleep(Duration::from_millis(300));
        Sender::new(address).send_valid(100);
        thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        solved.join().unwrap().unwrap()
    });
    assert!(is_the_tone(&solution.holograms[0].measured));
}

/// A tone with an integer number of periods, so that it continues across the end of the recording.
fn recording(frames: usize) -> Input {
    let values =
        (0..frames as u64).flat_map(|n| (0..MICROPHONES).map(move |m| sample(m, n) as f32)).collect();
    Input::Samples(Samples { rate: RATE, microphones: MICROPHONES, values, full_scale: None })
}

/// No block is lost at the end of the recording, and memory stays bounded.
#[test]
fn a_repeated_recording_loses_no_block() {
    // Not a multiple of the hop.
    let frames = 32 * 41 + 16;
    let repeats = 20_000;
    let study = prepare(Problem { repeats, ..problem(recording(frames)) }).unwrap();
    let summary = study.solve(&Backend::Cpu, &Progress::silent()).unwrap().summary;
    let blocks = frames as u64 * repeats / HOP as u64;
    assert_eq!(summary.counts, StreamCounts { accepted: blocks, ..StreamCounts::default() });
    assert_eq!(summary.history.holograms, blocks - 7);
    assert_eq!(summary.latencies.count(), blocks - 7);
    assert_eq!((summary.dropped_blocks, summary.dropped_maps), (0, 0));
    assert!(summary.history.summaries.len() < 20_000);
    // The tone is continuous: its level is constant.
    let expected = AMPLITUDE;
    assert!(summary.history.summaries.iter().all(|m| (m.measured - expected).abs() < 1e-3));
}

#[test]
fn bitstreams_are_repeated_as_samples_are() {
    let words: Vec<u32> = (0..MICROPHONES as u32 * 300).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let bits = Bits { rate: 32.0 * RATE, microphones: MICROPHONES, words, full_scale: 1.0 };
    let analysis = Analysis { method: SpectralMethod::CicPopcount, samples: SAMPLES, hop: HOP };
    let study = prepare(Problem { analysis, repeats: 7, ..problem(Input::Bits(bits)) }).unwrap();
    let summary = study.solve(&Backend::Cpu, &Progress::silent()).unwrap().summary;
    assert_eq!(summary.counts.accepted, 7 * 300 / 32);
    // The CIC decimation filter settles in two words more.
    assert_eq!(summary.history.holograms, 7 * 300 / 32 - 8);
}

#[test]
fn real_time_playback_takes_the_time_of_the_recording() {
    let study =
        prepare(Problem { playback: PlaybackRate::RealTime, ..problem(recording(RATE as usize / 4)) })
            .unwrap();
    let start = Instant::now();
    let summary = study.solve(&Backend::Cpu, &Progress::silent()).unwrap().summary;
    let seconds = start.elapsed().as_secs_f64();
    assert!((0.249..2.0).contains(&seconds), "{seconds}");
    assert!((0.249..2.0).contains(&summary.seconds), "{}", summary.seconds);
    let holograms = summary.history.holograms;
    assert!(holograms > 0 && holograms + 8 * summary.dropped_blocks + 7 >= 250 - 7, "{holograms}");
}

/// A slow display gets fewer level maps; all holograms are still computed.
#[test]
fn a_slow_display_loses_level_maps_only() {
    struct Slow(AtomicU64);
    impl Sink for Slow {
        fn event(&self, event: Event<'_>) {
            if let Event::Frame(Frame { rows, cols, values, .. }) = event {
                assert_eq!((rows, cols, values.len()), (GRID.rows, GRID.columns, MICROPHONES));
                self.0.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(200));
            }
        }
    }
    let display = Arc::new(Slow(AtomicU64::new(0)));
    let progress = Progress::new(display.clone(), Arc::new(AtomicBool::new(false)));
    let study =
        prepare(Problem { playback: PlaybackRate::RealTime, ..problem(recording(RATE as usize)) }).unwrap();
    let summary = study.solve(&Backend::Cpu, &progress).unwrap().summary;
    let shown = display.0.load(Ordering::Relaxed);
    assert!((3..15).contains(&shown), "{shown}");
    assert!(summary.dropped_maps > 10, "{}", summary.dropped_maps);
    assert!(summary.history.holograms + 8 * summary.dropped_blocks + 7 >= 1000 - 7);
}

/// A run that is stopped at any block and resumed has the bits of one that was not, by every kind of spectral method.
#[test]
fn a_resumed_run_has_the_bits_of_an_uninterrupted_one() {
    struct Stop(u64, Option<Checkpoint>, Arc<AtomicBool>);
    impl CheckpointSink for Stop {
        fn is_due(&mut self) -> bool {
            self.0 -= 1;
            if self.0 == 0 {
                self.2.store(true, Ordering::Relaxed);
            }
            false
        }
        fn save(&mut self, checkpoint: &Checkpoint) {
            self.1 = Some(checkpoint.clone());
        }
    }
    struct Silent;
    impl Sink for Silent {
        fn event(&self, _: Event<'_>) {}
    }
    let words: Vec<u32> =
        (0..MICROPHONES as u32 * 2000).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 31)).collect();
    let bits = || {
        Input::Bits(Bits {
            rate: 32.0 * RATE,
            microphones: MICROPHONES,
            words: words.clone(),
            full_scale: 1.0,
        })
    };
    for (input, method, hop) in [
        (recording(2000), SpectralMethod::SlidingDft, 32),
        (recording(2000), SpectralMethod::Fft { fir: false }, 48),
        (bits(), SpectralMethod::CicPopcount, 32),
        (bits(), SpectralMethod::Fft { fir: true }, 100),
    ] {
        let analysis = Analysis { method, samples: SAMPLES, hop };
        let study = prepare(Problem { analysis, repeats: 2, ..problem(input) }).unwrap();
        let whole = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
        for blocks in [1, 9, 17, 30, 38] {
            let stop = Arc::new(AtomicBool::new(false));
            let mut sink = Stop(blocks, None, stop.clone());
            let progress = Progress::new(Arc::new(Silent), stop);
            let part = study.resume(Checkpoint::default(), &mut sink, &Backend::Cpu, &progress).unwrap();
            let checkpoint = sink.1.unwrap();
            assert!(part.interrupted && checkpoint.blocks == blocks);
            let mut none = Stop(u64::MAX, None, Arc::new(AtomicBool::new(false)));
            let resumed = study.resume(checkpoint, &mut none, &Backend::Cpu, &Progress::silent()).unwrap();
            assert!(!resumed.interrupted && none.1.is_none());
            assert_eq!(resumed.summary.history, whole.summary.history, "{method:?}, {blocks}");
            assert_eq!(resumed.summary.powers, whole.summary.powers);
            assert_eq!(resumed.summary.counts, whole.summary.counts);
            assert_eq!(resumed.summary.latencies.count(), whole.summary.latencies.count());
            assert_eq!(resumed.holograms[0].planes[0].pressure, whole.holograms[0].planes[0].pressure);
        }
    }
}
