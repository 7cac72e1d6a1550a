//! `checkpoint.bin`: where the runs of a dgtd case stand, so that they go on to the same bits.
//!
//! Magic, version, fingerprint of the problem, device; the runs that are finished; of the one under way its steps, energies, watched
//! values and fields; a checksum of all before it. Numbers are in the machine's own order of bytes, as the fields are.

use phasefront_dgtd::{Checkpoint, Problem, Solution};
use std::fmt::{self, Write};

const MAGIC: [u8; 8] = *b"PHF-DGTD";
/// Grows when the layout changes.
const VERSION: u64 = 2;
/// 2⁶⁴ over the golden ratio, made odd: its multiples spread (Knuth, The Art of Computer Programming, vol. 3, section 6.4).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of eight bytes at a time: h ← (rot(h) ⊕ word) · odd. Each step is one to one, so that a single wrong word always shows.
#[derive(Default)]
struct Checksum(u64);

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_ne_bytes(word)).wrapping_mul(MIX);
        }
    }
}

impl Write for Checksum {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

/// What a checkpoint belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    fingerprint: u64,
    device: &'static str,
}

impl Mark {
    /// Of a problem, mesh and all, whose ports `driven` are driven in turn on `device`.
    pub(super) fn of(problem: &Problem, driven: &[usize], device: &'static str) -> Self {
        let mut sum = Checksum::default();
        // All that is in the problem stands in this text, numbers to the last digit. Writing to a checksum cannot fail.
        let _ = write!(sum, "{problem:?} {driven:?}");
        Self { fingerprint: sum.0, device }
    }
}

/// Where the runs of a case stand.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Standing {
    /// Runs that are finished.
    pub finished: Vec<Solution>,
    /// The one under way, if it has begun.
    pub under_way: Option<Checkpoint>,
}

/// Numbers one after the other; lists have their length before them.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_ne_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.number(numbers.len() as u64);
        self.0.extend_from_slice(bytemuck::cast_slice(numbers));
    }

    /// An even number of them, so that all numbers stay at multiples of eight bytes: six fields for each node.
    fn short_numbers(&mut self, numbers: &[f32]) {
        self.number(numbers.len() as u64);
        self.0.extend_from_slice(bytemuck::cast_slice(numbers));
    }

    fn pairs(&mut self, pairs: &[(f64, f64)]) {
        self.numbers(&pairs.iter().flat_map(|&(a, b)| [a, b]).collect::<Vec<f64>>());
    }

    fn solution(&mut self, solution: &Solution) {
        let Solution { excited, steps, start, dt, energy, settled, records, spectra, snapshots, error } =
            solution;
        self.number(*excited as u64);
        self.number(*steps);
        self.numbers(&[*start, *dt]);
        self.pairs(energy);
        self.number(u64::from(*settled));
        self.numbers(records);
        self.numbers(bytemuck::cast_slice(spectra));
        self.short_numbers(snapshots);
        self.numbers(error.as_slice());
    }
}

/// The file before its fields, and its checksum after them.
pub(super) fn written(mark: &Mark, finished: &[Solution], under_way: &Checkpoint) -> (Vec<u8>, [u8; 8]) {
    let Checkpoint { steps, energy, records, snapshots, fields } = under_way;
    let mut head = Writer(MAGIC.to_vec());
    head.number(VERSION);
    head.number(mark.fingerprint);
    head.0.extend_from_slice(&word(mark.device));
    head.number(finished.len() as u64);
    for solution in finished {
        head.solution(solution);
    }
    head.number(*steps);
    head.pairs(energy);
    head.numbers(records);
    head.short_numbers(snapshots);
    head.number(fields.len() as u64);
    let sum = checksum(&[&head.0, fields]);
    (head.0, sum)
}

/// A name of at most eight letters, so that all numbers stay at multiples of eight bytes.
fn word(name: &str) -> [u8; 8] {
    let mut word = [0; 8];
    word.iter_mut().zip(name.bytes()).for_each(|(place, byte)| *place = byte);
    word
}

/// The same as of one piece, since all parts but the last have a multiple of eight bytes.
fn checksum(parts: &[&[u8]]) -> [u8; 8] {
    let mut sum = Checksum::default();
    for part in parts {
        sum.add(part);
    }
    sum.0.to_ne_bytes()
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, length: u64) -> Option<&[u8]> {
        let (now, later) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = later;
        Some(now)
    }

    fn number(&mut self) -> Option<u64> {
        self.bytes(8)?.try_into().ok().map(u64::from_ne_bytes)
    }

    fn numbers(&mut self) -> Option<Vec<f64>> {
        let bytes = self.number()?.checked_mul(8)?;
        Some(bytemuck::pod_collect_to_vec(self.bytes(bytes)?))
    }

    fn short_numbers(&mut self) -> Option<Vec<f32>> {
        let bytes = self.number()?.checked_mul(4)?;
        Some(bytemuck::pod_collect_to_vec(self.bytes(bytes)?))
    }

    fn pairs(&mut self) -> Option<Vec<(f64, f64)>> {
        Some(self.numbers()?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }

    fn solution(&mut self) -> Option<Solution> {
        let (excited, steps) = (usize::try_from(self.number()?).ok()?, self.number()?);
        let [start, dt] = self.numbers()?.try_into().ok()?;
        Some(Solution {
            excited,
            steps,
            start,
            dt,
            energy: self.pairs()?,
            settled: self.number()? != 0,
            records: self.numbers()?,
            spectra: bytemuck::pod_collect_to_vec(&self.numbers()?),
            snapshots: self.short_numbers()?,
            error: self.numbers()?.first().copied(),
        })
    }
}

/// What [`written`] wrote for the same mark; or why the run cannot go on from it.
pub(super) fn read(bytes: &[u8], mark: &Mark) -> Result<Standing, String> {
    let damaged = || "checkpoint.bin is damaged: it was cut short or changed".to_owned();
    if !bytes.starts_with(&MAGIC) {
        return Err("checkpoint.bin is not a checkpoint of the solver dgtd".into());
    }
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if checksum(&[body]) != *sum {
        return Err(damaged());
    }
    let mut reader = Reader(&body[MAGIC.len()..]);
    if reader.number() != Some(VERSION) {
        return Err("checkpoint.bin was written by another version of phasefront".into());
    }
    if reader.number() != Some(mark.fingerprint) {
        return Err("its case or its mesh was changed since".into());
    }
    let device = reader.bytes(8).ok_or_else(damaged)?;
    if device != word(mark.device) {
        let device = String::from_utf8_lossy(device);
        let device = device.trim_end_matches('\0');
        return Err(format!(
            "it was begun on {device}, and this is {}; go on with --device {device}",
            mark.device
        ));
    }
    standing(&mut reader).ok_or_else(damaged)
}

fn standing(reader: &mut Reader<'_>) -> Option<Standing> {
    let runs = reader.number()?;
    let finished = (0..runs).map(|_| reader.solution()).collect::<Option<Vec<Solution>>>()?;
    let (steps, energy, records) = (reader.number()?, reader.pairs()?, reader.numbers()?);
    let snapshots = reader.short_numbers()?;
    let length = reader.number()?;
    let fields = reader.bytes(length)?.to_vec();
    reader.0.is_empty().then_some(Standing {
        finished,
        under_way: Some(Checkpoint { steps, energy, records, snapshots, fields }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    fn mark(courant: f64, device: &'static str) -> Mark {
        let problem = Problem { courant, ..Problem::default() };
        Mark::of(&problem, &[0, 1], device)
    }

    fn solution(excited: usize) -> Solution {
        Solution {
            excited,
            steps: 75,
            start: -1e-9,
            dt: 1e-12 / 3.0,
            energy: vec![(0.1 + 0.2, 1e-300), (0.5, 0.0)],
            settled: true,
            records: vec![1.0, -0.0, f64::MIN_POSITIVE],
            spectra: vec![Complex64::new(0.1, -0.3)],
            snapshots: vec![0.1, -0.0],
            error: (excited == 0).then_some(0.125),
        }
    }

    /// A file as it lies on the disk, and what is in it. Fields of seven bytes, which fill no word.
    fn file(mark: &Mark) -> (Vec<u8>, Standing) {
        let finished = vec![solution(1), solution(0)];
        let under_way = Checkpoint {
            steps: 50,
            energy: vec![(1.0, 2.0)],
            records: vec![3.5],
            snapshots: vec![f32::MIN_POSITIVE; 6],
            fields: (1..8).collect(),
        };
        let (head, sum) = written(mark, &finished, &under_way);
        let bytes = [&head[..], &under_way.fields, &sum].concat();
        (bytes, Standing { finished, under_way: Some(under_way) })
    }

    #[test]
    fn a_file_reads_back_to_the_last_bit() {
        let mark = mark(0.9, "cpu");
        let (bytes, standing) = file(&mark);
        assert_eq!(read(&bytes, &mark), Ok(standing));
    }

    #[test]
    fn damage_is_seen_wherever_it_is() {
        let mark = mark(0.9, "cpu");
        let (bytes, _) = file(&mark);
        for length in 0..bytes.len() {
            let why = read(&bytes[..length], &mark).unwrap_err();
            let expected = if length < 8 {
                "checkpoint.bin is not a checkpoint of the solver dgtd"
            } else {
                "checkpoint.bin is damaged: it was cut short or changed"
            };
            assert_eq!(why, expected, "{length} bytes");
        }
        for at in 8..bytes.len() {
            for bit in 0..8 {
                let mut wrong = bytes.clone();
                wrong[at] ^= 1 << bit;
                assert!(read(&wrong, &mark).unwrap_err().contains("damaged"), "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        let (bytes, _) = file(&mark(0.9, "cpu"));
        let why = |mark: Mark| read(&bytes, &mark).unwrap_err();
        assert_eq!(why(mark(0.8, "cpu")), "its case or its mesh was changed since");
        assert_eq!(why(mark(0.9, "cuda")), "it was begun on cpu, and this is cuda; go on with --device cpu");
        assert_ne!(Mark::of(&Problem::default(), &[0], "cpu"), Mark::of(&Problem::default(), &[1], "cpu"));
        let mut later = bytes[..bytes.len() - 8].to_vec();
        later[8] += 1;
        let sum = checksum(&[&later]);
        later.extend(sum);
        assert_eq!(
            read(&later, &mark(0.9, "cpu")).unwrap_err(),
            "checkpoint.bin was written by another version of phasefront"
        );
    }
}
