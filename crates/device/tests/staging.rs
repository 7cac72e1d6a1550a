//! Copies from and to the host, inside a recording and on the second stream.

use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_device::{Backend, DeviceError, DeviceKind, Direction, Fft, Stream, for_each_gpu};
use std::f64::consts::PI;

const N: usize = 8;
const SHAPE: Fft = Fft { planes: 1, rows: 1, cols: N, batch: 1, precision: Precision::Double };

/// An impulse at `n`, and its transform e^{−j2πkn/N}.
fn impulse(n: usize) -> (Vec<Complex64>, Vec<Complex64>) {
    let mut values = vec![Complex64::ZERO; N];
    values[n] = Complex64::ONE;
    let transform = (0..N).map(|k| Complex64::from_polar(1.0, -2.0 * PI * (k * n) as f64 / N as f64));
    (values, transform.collect())
}

#[track_caller]
fn close(got: &[Complex64], expected: &[Complex64]) {
    assert_eq!(got.len(), expected.len());
    let far = got.iter().zip(expected).any(|(g, e)| (g - e).norm() > 10.0 * f64::EPSILON);
    assert!(!far, "{got:?} and {expected:?}");
}

for_each_gpu! {
    fn a_recording_takes_what_is_written_and_leaves_what_is_read(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let (up, down) = (gpu.staging(N).unwrap(), gpu.staging(N + 3).unwrap());
        let data = gpu.alloc::<Complex64>(N).unwrap();
        let (first, first_transform) = impulse(1);
        up.write(0, &first).unwrap();
        let recording = gpu.record(Box::new(|| {
            gpu.send(&up, &data, N)?;
            gpu.fft(SHAPE, Direction::Forward, &data)?;
            gpu.fetch(&data, &down, N)
        }));
        let recording = recording.unwrap();
        close(&down.read(0..N).unwrap(), &first_transform);
        let (second, second_transform) = impulse(3);
        up.write(0, &second).unwrap();
        recording.replay().unwrap();
        close(&down.read(2..N).unwrap(), &second_transform[2..]);
        // In parts: the impulse back at 1, by its first four values and the others.
        up.write(N / 2, &first[N / 2..]).unwrap();
        up.write(0, &first[..N / 2]).unwrap();
        recording.replay().unwrap();
        close(&down.read(0..N).unwrap(), &first_transform);
        // What nobody copied to is zero, and nothing may be asked for.
        assert_eq!(down.read(N..N + 3).unwrap(), [Complex64::ZERO; 3]);
        assert!(down.read(N..N).unwrap().is_empty());
    }

    fn a_part_is_copied_and_the_rest_stays(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let data = gpu.upload(&[1.0, 2.0, 3.0]).unwrap();
        let staging = gpu.staging(3).unwrap();
        staging.write(0, &[7.0, 8.0, 9.0]).unwrap();
        gpu.send(&staging, &data, 2).unwrap();
        assert_eq!(gpu.download(&data).unwrap(), [7.0, 8.0, 3.0]);
        staging.write(0, &[0.0; 3]).unwrap();
        gpu.fetch(&data, &staging, 1).unwrap();
        assert_eq!(staging.read(0..3).unwrap(), [7.0, 0.0, 0.0]);
        gpu.send(&staging, &data, 0).unwrap();
        assert_eq!(gpu.download(&data).unwrap(), [7.0, 8.0, 3.0]);
    }

    fn staging_of_another_device_is_refused(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let (data, staging) = (gpu.upload(&[1.0]).unwrap(), Foreign);
        let sent = gpu.send_bytes(&staging, data.memory(), 8).unwrap_err().to_string();
        let fetched = gpu.fetch_bytes(data.memory(), &staging, 8).unwrap_err().to_string();
        assert_eq!([sent, fetched], ["host memory belongs to another device"; 2]);
    }

    fn streams_wait_for_each_other_where_they_are_told_to(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        // Long enough for a copy that does not wait to come too early.
        let len = 1 << 20;
        let (sent, fetched) = (gpu.staging::<f64>(len).unwrap(), gpu.staging::<f64>(len).unwrap());
        let [from, to] = [gpu.alloc::<f64>(len).unwrap(), gpu.alloc::<f64>(len).unwrap()];
        gpu.order(Stream::Second).unwrap();
        for round in 1..=20 {
            sent.write(0, &vec![f64::from(round); len]).unwrap();
            gpu.beside(|| gpu.send(&sent, &from, len)).unwrap();
            gpu.order(Stream::First).unwrap();
            gpu.copy(&from, &to).unwrap();
            gpu.order(Stream::Second).unwrap();
            gpu.beside(|| gpu.fetch(&to, &fetched, len)).unwrap();
            let found = fetched.read(0..len).unwrap();
            assert!(found.iter().all(|value| *value == f64::from(round)), "{round}");
        }
    }

    fn host_memory_goes_from_stream_to_stream(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let len = 1 << 20;
        let staging = gpu.staging::<f64>(len).unwrap();
        let [first, second] = [gpu.upload(&vec![1.0; len]).unwrap(), gpu.upload(&vec![2.0; len]).unwrap()];
        gpu.fetch(&first, &staging, len).unwrap();
        gpu.beside(|| gpu.fetch(&second, &staging, len)).unwrap();
        assert!(staging.read(0..len).unwrap().iter().all(|value| *value == 2.0));
        gpu.fetch(&first, &staging, len).unwrap();
        assert!(staging.read(0..len).unwrap().iter().all(|value| *value == 1.0));
    }

    fn work_returns_to_the_first_stream(backend: &Backend) {
        let Some(gpu) = backend.gpu() else { return };
        let failed: phasefront_device::Result<()> = gpu.beside(|| Err(DeviceError::TooLarge { values: 1 }));
        assert!(failed.is_err());
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            gpu.beside(|| -> phasefront_device::Result<()> { panic!("in the middle") })
        }));
        assert!(panicked.is_err());
        assert_eq!(gpu.switch(Stream::First).unwrap(), Stream::First);
    }

    fn waiting_is_no_part_of_a_recording(backend: &Backend) {
        let Some(gpu) = backend.gpu().filter(|gpu| gpu.info().kind == DeviceKind::Cuda) else { return };
        let staging = gpu.staging::<f64>(1).unwrap();
        let refused = gpu.record(Box::new(|| staging.write(0, &[1.0])));
        let message = refused.err().unwrap().to_string();
        assert_eq!(message, "waiting for the device cannot be part of a recording");
    }
}

/// Host memory that no device has made.
struct Foreign;

impl phasefront_device::HostMemory for Foreign {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
    fn write_bytes(&self, _: usize, _: &[u8]) -> phasefront_device::Result<()> {
        unreachable!("it is refused")
    }
    fn read_bytes(&self, _: usize, _: &mut [u8]) -> phasefront_device::Result<()> {
        unreachable!("it is refused")
    }
}
