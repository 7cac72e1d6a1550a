//! Streams as a network brings them, and recordings that are played over and over.

use num_complex::Complex64;
use phasefront_core::{Event, Frame, Precision, Progress, Sink};
use phasefront_device::Backend;
use phasefront_nah::bits::BitOrder;
use phasefront_nah::{
    Analysis, Bits, Counts, Datagram, Extrapolation, Filter, FilterChoice, Filters, Grid, Input, Medium,
    Method, Pace, Problem, Samples, Solution, Stream, Way, prepare,
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
/// A line of the spectrum.
const FREQUENCY: f64 = 2000.0;
/// Moments of a datagram, which no hop is a multiple of.
const PACKED: usize = 12;
const FILTER: Filter = Filter::CosModified { cutoff: 50.0, slope: 0.1 };
/// Amplitude, Pa; full scale is 1 Pa.
const AMPLITUDE: f64 = 0.5;

fn problem(input: Input) -> Problem {
    Problem {
        grid: GRID,
        places: None,
        distance: 0.05,
        medium: Medium::AIR,
        input,
        calibration: None,
        frequencies: vec![FREQUENCY],
        analysis: Analysis { way: Way::Hop, samples: SAMPLES, hop: HOP },
        method: Method::Fft,
        extrapolation: Extrapolation::Plpbp,
        filter: FilterChoice::Given(Filters { pressure: FILTER, velocity: FILTER }),
        planes: vec![0.05],
        at: 0.0,
        compare: Vec::new(),
        refine: 1,
        reference: Vec::new(),
        precision: Precision::Single,
        pace: Pace::Full,
        times: 1,
    }
}

/// An address of this machine that nobody listens at.
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

/// The tone at every microphone, with a phase of its own.
fn sample(microphone: usize, moment: u64) -> f64 {
    AMPLITUDE * (TAU * FREQUENCY * moment as f64 / RATE + 0.1 * microphone as f64).cos()
}

fn datagram(sequence: u64, first: u64) -> Vec<u8> {
    let value = |m, n| ((sample(m, n) * 2_147_483_648.0) as i32).to_le_bytes();
    let payload: Vec<u8> = (first..first + PACKED as u64)
        .flat_map(|n| (0..MICROPHONES).flat_map(move |m| value(m, n)))
        .collect();
    Datagram { sequence, first, microphones: MICROPHONES as u32, bits: false, payload: &payload }.encode()
}

/// A source that sends at some pace, as an array does, and counts on.
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

    /// Datagrams that follow from those before, slower than they are taken.
    fn send_good(&mut self, count: u64) {
        for _ in 0..count {
            self.send(&datagram(self.sequence, self.sequence * PACKED as u64));
            self.sequence += 1;
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Listens for some seconds while `send` sends.
fn listened(seconds: f64, send: impl FnOnce(&mut Sender) + Send) -> Solution {
    let address = free_address();
    let study = prepare(problem(Input::Stream(stream(address, seconds)))).unwrap();
    thread::scope(|scope| {
        let heard = scope.spawn(|| study.solve(&Backend::Cpu, &Progress::silent()));
        // Until it listens, datagrams go nowhere.
        thread::sleep(Duration::from_millis(300));
        send(&mut Sender::new(address));
        heard.join().unwrap().unwrap()
    })
}

/// Whether phasors are those of the tone: the same amplitude everywhere, and phases that grow from one microphone to the next.
fn is_the_tone(measured: &[Complex64]) -> bool {
    measured.iter().enumerate().all(|(m, p)| {
        let turned = p / measured[0] * Complex64::from_polar(1.0, -0.1 * m as f64);
        (p.norm() - AMPLITUDE).abs() < 1e-4 && (turned - 1.0).norm() < 1e-4
    })
}

#[test]
fn a_stream_gives_the_phasors_of_what_was_sent() {
    let solution = listened(1.2, |sender| sender.send_good(400));
    let followed = &solution.followed;
    assert_eq!(followed.counts, Counts { taken: 400, ..Counts::default() });
    // 4800 moments are 150 blocks, of which the first seven fill the window.
    assert_eq!(followed.history.holograms, 150 - 7);
    assert_eq!(followed.latencies.count(), 143);
    assert_eq!((followed.dropped_blocks, followed.dropped_pictures), (0, 0));
    assert!(is_the_tone(&solution.lines[0].measured));
}

/// Stalls, beginnings anew, garbage, halves, doubles and other senders: all counted, and at the end the right phasors.
#[test]
fn a_hostile_source_is_survived() {
    let solution = listened(4.0, |sender| {
        sender.send_good(100);
        for length in [0, 3, 31, 32, 33, 700] {
            sender.send(&vec![b'P'; length]);
        }
        let whole = datagram(sender.sequence, sender.sequence * PACKED as u64);
        sender.send(&whole[..whole.len() / 2]);
        let mut wrong = whole.clone();
        wrong[24] = 31;
        sender.send(&wrong);
        sender.send(&datagram(0, 1 << 60));
        sender.send_good(50);
        // Somebody else sends as well.
        Sender::new(sender.to).send(&datagram(3, 36));
        sender.send_good(50);
        // Too late.
        sender.send(&datagram(10, 120));
        thread::sleep(Duration::from_millis(1300));
        // The same source again, from its beginning.
        sender.sequence = 0;
        sender.send_good(200);
    });
    let counts = solution.followed.counts;
    // It may be silent for a second at the end as well.
    assert!((1..=2).contains(&counts.stalls), "{}", counts.stalls);
    assert_eq!(
        Counts { stalls: 1, ..counts },
        Counts { taken: 397, late: 1, corrupt: 10, lost: 0, restarts: 1, stalls: 1, clipped: 0 }
    );
    assert!(is_the_tone(&solution.lines[0].measured));
    // Blocks of 200 datagrams, and of 197 after the restart, each from an empty window.
    assert_eq!(solution.followed.history.holograms, (75 - 7) + (73 - 7));
}

#[test]
fn a_stream_of_bits_is_heard_as_its_samples_are() {
    let address = free_address();
    let order = BitOrder::rows(MICROPHONES);
    let of_bits = Stream { rate: 32.0 * RATE, bits: Some(order), ..stream(address, 1.5) };
    let way = Analysis { way: Way::CicPopcount, samples: SAMPLES, hop: HOP };
    let study = prepare(Problem { analysis: way, ..problem(Input::Stream(of_bits)) }).unwrap();
    let solution = thread::scope(|scope| {
        let heard = scope.spawn(|| study.solve(&Backend::Cpu, &Progress::silent()));
        thread::sleep(Duration::from_millis(300));
        let sender = Sender::new(address);
        // One bit of every microphone in a word of its moment: a modulator of first order, the error carried on.
        let mut errors = [0.0; MICROPHONES];
        for sequence in 0..60_u64 {
            let moments = 256_u64;
            let mut payload = Vec::new();
            for n in sequence * moments..(sequence + 1) * moments {
                let mut word = 0_u32;
                for (m, error) in errors.iter_mut().enumerate() {
                    *error += AMPLITUDE * (TAU * FREQUENCY * n as f64 / (32.0 * RATE) + 0.1 * m as f64).cos();
                    let up = *error > 0.0;
                    *error -= if up { 1.0 } else { -1.0 };
                    word |= u32::from(up) << m;
                }
                payload.extend(word.to_le_bytes());
            }
            let (first, microphones) = (sequence * moments, MICROPHONES as u32);
            sender.send(&Datagram { sequence, first, microphones, bits: true, payload: &payload }.encode());
            thread::sleep(Duration::from_millis(1));
        }
        heard.join().unwrap().unwrap()
    });
    assert_eq!(solution.followed.counts.taken, 60);
    let measured = &solution.lines[0].measured;
    for (m, p) in measured.iter().enumerate() {
        let turned = p / measured[0] * Complex64::from_polar(1.0, -0.1 * m as f64);
        // The noise of a modulator of first order.
        assert!((p.norm() - AMPLITUDE).abs() < 0.01 && (turned - 1.0).norm() < 0.03, "{m}: {p}");
    }
}

#[test]
fn a_stream_that_never_comes_is_an_error_that_says_so() {
    let address = free_address();
    let study = prepare(problem(Input::Stream(stream(address, 0.2)))).unwrap();
    let error = study.solve(&Backend::Cpu, &Progress::silent()).unwrap_err();
    let text = format!(
        "source.listen: nothing that gives a hologram came in at {address}: 0 datagrams were good and 0 were not"
    );
    assert_eq!(error.to_string(), text);
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let study = prepare(problem(Input::Stream(stream(address, 0.2)))).unwrap();
    let error = study.solve(&Backend::Cpu, &Progress::silent()).unwrap_err();
    assert!(
        error.to_string().starts_with(&format!("source.listen: cannot listen at {address}: ")),
        "{error}"
    );
}

/// A stream without an end ends when the user stops it, and has its holograms.
#[test]
fn a_stream_that_is_stopped_has_its_holograms() {
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
        let heard = scope.spawn(|| study.solve(&Backend::Cpu, &progress));
        thread::sleep(Duration::from_millis(300));
        Sender::new(address).send_good(100);
        thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        heard.join().unwrap().unwrap()
    });
    assert!(is_the_tone(&solution.lines[0].measured));
}

/// A tone with a whole number of periods, so that it goes on over the end of the recording.
fn recording(frames: usize) -> Input {
    let values =
        (0..frames as u64).flat_map(|n| (0..MICROPHONES).map(move |m| sample(m, n) as f32)).collect();
    Input::Samples(Samples { rate: RATE, microphones: MICROPHONES, values, full_scale: None })
}

/// No block is lost where the recording ends and begins again, and memory holds no more of a long time than of a short one.
#[test]
fn a_recording_that_is_repeated_loses_no_block() {
    // Not a multiple of the hop.
    let frames = 32 * 41 + 16;
    let times = 20_000;
    let study = prepare(Problem { times, ..problem(recording(frames)) }).unwrap();
    let followed = study.solve(&Backend::Cpu, &Progress::silent()).unwrap().followed;
    let blocks = frames as u64 * times / HOP as u64;
    assert_eq!(followed.counts, Counts { taken: blocks, ..Counts::default() });
    assert_eq!(followed.history.holograms, blocks - 7);
    assert_eq!(followed.latencies.count(), blocks - 7);
    assert_eq!((followed.dropped_blocks, followed.dropped_pictures), (0, 0));
    assert!(followed.history.moments.len() < 20_000);
    // The tone goes on smoothly: its level never changes.
    let expected = AMPLITUDE;
    assert!(followed.history.moments.iter().all(|m| (m.measured - expected).abs() < 1e-3));
}

#[test]
fn bits_are_repeated_as_samples_are() {
    let words: Vec<u32> = (0..MICROPHONES as u32 * 300).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let bits = Bits { rate: 32.0 * RATE, microphones: MICROPHONES, words, full_scale: 1.0 };
    let analysis = Analysis { way: Way::CicPopcount, samples: SAMPLES, hop: HOP };
    let study = prepare(Problem { analysis, times: 7, ..problem(Input::Bits(bits)) }).unwrap();
    let followed = study.solve(&Backend::Cpu, &Progress::silent()).unwrap().followed;
    assert_eq!(followed.counts.taken, 7 * 300 / 32);
    // The filter of bits takes two words more.
    assert_eq!(followed.history.holograms, 7 * 300 / 32 - 8);
}

#[test]
fn real_time_takes_as_long_as_it_was_recorded() {
    let study = prepare(Problem { pace: Pace::RealTime, ..problem(recording(RATE as usize / 4)) }).unwrap();
    let start = Instant::now();
    let followed = study.solve(&Backend::Cpu, &Progress::silent()).unwrap().followed;
    let seconds = start.elapsed().as_secs_f64();
    assert!((0.249..2.0).contains(&seconds), "{seconds}");
    assert!((0.249..2.0).contains(&followed.seconds), "{}", followed.seconds);
    let made = followed.history.holograms;
    assert!(made > 0 && made + 8 * followed.dropped_blocks + 7 >= 250 - 7, "{made}");
}

/// Somebody who looks slowly sees fewer pictures; holograms are made all the same.
#[test]
fn a_slow_watcher_loses_pictures_and_nothing_else() {
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
    let watcher = Arc::new(Slow(AtomicU64::new(0)));
    let progress = Progress::new(watcher.clone(), Arc::new(AtomicBool::new(false)));
    let study = prepare(Problem { pace: Pace::RealTime, ..problem(recording(RATE as usize)) }).unwrap();
    let followed = study.solve(&Backend::Cpu, &progress).unwrap().followed;
    let shown = watcher.0.load(Ordering::Relaxed);
    assert!((3..15).contains(&shown), "{shown}");
    assert!(followed.dropped_pictures > 10, "{}", followed.dropped_pictures);
    assert!(followed.history.holograms + 8 * followed.dropped_blocks + 7 >= 1000 - 7);
}
