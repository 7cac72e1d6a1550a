//! Runs work in a separate thread, while the Python thread handles progress and Ctrl-C.

use crate::failure::{exception, is_interrupted};
use crate::pool::pooled;
use numpy::PyArray1;
use numpy::prelude::*;
use phasefront_cli::Failure;
use phasefront_core::{Event, Frame, Progress, Sink};
use phasefront_run::Kind;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Polling interval for Ctrl-C and progress: imperceptible to the user, negligible for the work.
const TICK: Duration = Duration::from_millis(50);

/// Finished work, possibly with a stop request that came too late.
pub struct Done<T> {
    /// The result.
    pub value: T,
    /// Ctrl-C, or an exception of the callback.
    pub raised: Option<PyErr>,
}

impl<T> Done<T> {
    /// The result, unless an exception was raised meanwhile.
    pub fn or_raised(self) -> PyResult<T> {
        self.raised.map_or(Ok(self.value), Err)
    }
}

/// Runs `work` without the global interpreter lock, with `threads` threads if given. `listener` is
/// called with a dict for each event, in the calling thread.
pub fn work<T: Send>(
    py: Python<'_>,
    listener: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    work: impl FnOnce(&Progress) -> Result<T, Failure> + Send,
) -> PyResult<Done<T>> {
    let mailbox = Arc::new(Mailbox { wanted: listener.is_some(), events: Mutex::default() });
    let stop = Arc::new(AtomicBool::new(false));
    let progress = Progress::new(mailbox.clone(), stop.clone());
    let finished = AtomicBool::new(false);
    let caller = thread::current();
    let mut raised = None;
    let result = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let result = panic::catch_unwind(AssertUnwindSafe(|| pooled(threads, || work(&progress))));
            finished.store(true, Ordering::Release);
            caller.unpark();
            result
        });
        while !finished.load(Ordering::Acquire) {
            py.detach(|| thread::park_timeout(TICK));
            let heard = mailbox.deliver(py, listener).and_then(|()| py.check_signals());
            if let Err(error) = heard {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
        py.detach(|| worker.join())
    });
    match result {
        Ok(Ok(Ok(value))) => {
            let told = mailbox.deliver(py, listener).err();
            Ok(Done { value, raised: raised.or(told) })
        }
        Ok(Ok(Err(failure))) => Err(match raised {
            // The failure reports the state of the run; an exception of the callback takes
            // precedence.
            Some(error) if is_interrupted(&failure) && error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                exception(py, &failure)
            }
            Some(error) => error,
            None => exception(py, &failure),
        }),
        Ok(Err(panic)) | Err(panic) => Err(exception(py, &bug(&*panic))),
    }
}

fn bug(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason");
    Failure::Own {
        kind: Kind::Other,
        message: format!("internal error: {text}"),
        file: None,
        help: Some("this is a bug, please report it with what you called".into()),
    }
}

/// Events queued for the Python thread.
struct Mailbox {
    wanted: bool,
    events: Mutex<Vec<Told>>,
}

/// An [`Event`] that owns its data.
enum Told {
    Stage { id: u64, name: String, total: Option<u64>, unit: String },
    Advance { id: u64, done: u64 },
    Total { id: u64, total: u64 },
    End { id: u64 },
    Scalar { series: String, x_label: String, x: f64, value: f64 },
    Frame { name: String, rows: usize, cols: usize, values: Vec<f32> },
    Note(String),
    Warning(String),
}

impl Sink for Mailbox {
    fn event(&self, event: Event<'_>) {
        if !self.wanted {
            return;
        }
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        match (&event, events.last_mut()) {
            // Successive advances of a stage are merged: threads report faster than Python polls.
            (Event::Advance { id, done }, Some(Told::Advance { id: last, done: count })) if id == last => {
                *count = (*count).max(*done);
            }
            _ => events.push(Told::from(event)),
        }
    }
}

impl From<Event<'_>> for Told {
    fn from(event: Event<'_>) -> Self {
        match event {
            Event::Stage { id, name, total, unit } => {
                Self::Stage { id, name: name.into(), total, unit: unit.into() }
            }
            Event::Advance { id, done } => Self::Advance { id, done },
            Event::Total { id, total } => Self::Total { id, total },
            Event::StageEnd { id } => Self::End { id },
            Event::Scalar { series, x_label, x, value } => {
                Self::Scalar { series: series.into(), x_label: x_label.into(), x, value }
            }
            Event::Frame(Frame { name, rows, cols, values, .. }) => {
                Self::Frame { name: name.into(), rows, cols, values: values.into() }
            }
            Event::Note(text) => Self::Note(text.into()),
            Event::Warning(text) => Self::Warning(text.into()),
        }
    }
}

impl Mailbox {
    fn deliver(&self, py: Python<'_>, listener: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(listener) = listener else { return Ok(()) };
        let events = std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner));
        for event in events {
            listener.call1((event.into_dict(py)?,))?;
        }
        Ok(())
    }
}

impl Told {
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        let kind = match self {
            Self::Stage { id, name, total, unit } => {
                dict.set_item("id", id)?;
                dict.set_item("name", name)?;
                dict.set_item("total", total)?;
                dict.set_item("unit", unit)?;
                "stage"
            }
            Self::Advance { id, done } => {
                dict.set_item("id", id)?;
                dict.set_item("done", done)?;
                "advance"
            }
            Self::Total { id, total } => {
                dict.set_item("id", id)?;
                dict.set_item("total", total)?;
                "total"
            }
            Self::End { id } => {
                dict.set_item("id", id)?;
                "end"
            }
            Self::Scalar { series, x_label, x, value } => {
                dict.set_item("series", series)?;
                dict.set_item("x_label", x_label)?;
                dict.set_item("x", x)?;
                dict.set_item("value", value)?;
                "scalar"
            }
            Self::Frame { name, rows, cols, values } => {
                dict.set_item("name", name)?;
                dict.set_item("values", PyArray1::from_vec(py, values).reshape([rows, cols])?)?;
                "frame"
            }
            Self::Note(text) => {
                dict.set_item("text", text)?;
                "note"
            }
            Self::Warning(text) => {
                dict.set_item("text", text)?;
                "warning"
            }
        };
        dict.set_item("event", kind)?;
        Ok(dict)
    }
}
